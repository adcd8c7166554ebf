"""What a path yields at each lambda."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from aglets.graphs.arrays import Codes, Floats
from aglets.mining import Pattern

__all__ = ["PathPoint"]


@dataclass(frozen=True)
class PathPoint:
    """One lambda of a path: the model there, how good it is, what it cost.

    Parameters
    ----------
    lam, lam_max : float
    rho : float
    beta : ndarray of shape (n_graphlets,)
        Coefficients, none of them zero.
    beta0 : float
    patterns : list of Pattern
    channels : ndarray of shape (n_graphlets,)
        What is made of the places of each: best, sum or mean, by number.
    z : ndarray
        Attributes of the graphlets, flat: node attributes row by row, then edge attributes.
    objective : float
        1/2 sum of losses + lambda |beta|_1 on the training graphs.
    train_loss, train_score : float
        1/2 sum of losses; accuracy, or R² for regression.
    validation_loss, validation_score : float or None
    n_nonzero, working_set_size : int
    n_visited, n_made : int
        Tree nodes visited by all searches of this lambda, and made for the first time.
    n_searches, n_epochs : int
    work : int
        Work of these searches, in units that no clock knows.
    seconds, seconds_search, seconds_beta, seconds_z : float
        In all, in the walks of the tree, and in the updates of the two blocks.
    gamma : ndarray of shape (n_covariates,)
        Coefficients of the covariates, in the units in which they were given.
    held_f : ndarray of shape (n_held_out,)
        f on the validation graphs, if it was asked for; else empty.
    """

    lam: float
    lam_max: float
    rho: float
    beta: Floats
    beta0: float
    patterns: list[Pattern]
    channels: Codes
    z: Floats
    objective: float
    train_loss: float
    train_score: float
    validation_loss: float | None
    validation_score: float | None
    n_nonzero: int
    working_set_size: int
    n_visited: int
    n_made: int
    n_searches: int
    n_epochs: int
    work: int
    seconds: float
    seconds_search: float
    seconds_beta: float
    seconds_z: float
    gamma: Floats = field(default_factory=lambda: np.empty(0))
    held_f: Floats = field(default_factory=lambda: np.empty(0))
