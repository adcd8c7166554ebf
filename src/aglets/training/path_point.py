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
    beta : ndarray of shape (n_graphlets,) or (n_graphlets, n_outputs)
        Coefficients: none of them zero, or no row of them if several outputs share graphlets.
    beta0 : float, or ndarray of shape (n_outputs,)
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
    gamma : ndarray of shape (n_covariates,) or (n_covariates, n_outputs)
        Coefficients of the covariates, in the units in which they were given.
    held_f : ndarray of shape (n_held_out,) or (n_outputs, n_held_out)
        f on the validation graphs, if it was asked for; else empty.
    """

    lam: float
    lam_max: float
    rho: float
    beta: Floats
    beta0: float | Floats
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

    @property
    def n_outputs(self) -> int:
        """How many outputs the point is of."""
        return 1 if self.beta.ndim == 1 else self.beta.shape[1]

    @property
    def coef_rows(self) -> Floats:
        """Coefficients, shape (n_outputs, n_graphlets)."""
        return np.atleast_2d(self.beta.T)

    @property
    def intercepts(self) -> Floats:
        """beta_0 of each output."""
        return np.atleast_1d(np.asarray(self.beta0, dtype=np.float64))

    @property
    def gamma_rows(self) -> Floats:
        """Coefficients of covariates, shape (n_outputs, n_covariates)."""
        return np.atleast_2d(self.gamma.T)

    @property
    def held_rows(self) -> Floats:
        """Values of f on the validation graphs, shape (n_outputs, n_held_out)."""
        return np.atleast_2d(self.held_f)
