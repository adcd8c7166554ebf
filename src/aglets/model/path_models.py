"""Simpler models on the way to the last one: what a model keeps of its regularisation path.

Graphlets are shared between stops where they are equal, so that a path is little more than its
last model where attributes are not trained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from aglets.graphlets import Graphlet

__all__ = ["PathModels"]


@dataclass(frozen=True, eq=False)
class PathModels:
    """The models at some points of a path.

    Parameters
    ----------
    points : ndarray of shape (n_stops,)
        Which points of the path they are: 0 is lambda_max.
    graphlets : sequence of Graphlet
        Those of all stops, in the user's units.
    coefs : ndarray of shape (n_stops, n_outputs, n_graphlets)
        beta at every stop; zero where a graphlet is not in use.
    intercepts : ndarray of shape (n_stops, n_outputs)
        beta_0 at every stop.
    covariate_coefs : ndarray of shape (n_stops, n_outputs, n_covariates), optional
        gamma at every stop.

    Examples
    --------
    >>> stops = PathModels(
    ...     points=[0, 7], graphlets=[Graphlet(labels="CO", edges=[(0, 1)])],
    ...     coefs=[[[0.0]], [[1.5]]], intercepts=[[0.1], [-0.2]],
    ... )
    >>> len(stops), stops.n_outputs
    (2, 1)
    """

    points: NDArray[np.int64]
    graphlets: Sequence[Graphlet]
    coefs: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    covariate_coefs: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        points = np.array(self.points, dtype=np.int64)
        coefs = np.array(self.coefs, dtype=np.float64)
        intercepts = np.array(self.intercepts, dtype=np.float64)
        if (
            points.ndim != 1
            or intercepts.ndim != 2
            or len(points) != len(intercepts)
            or coefs.shape != (*intercepts.shape, len(self.graphlets))
        ):
            raise ValueError(
                "Path models need points of shape (n_stops,), intercepts of shape (n_stops, "
                "n_outputs) and coefs of shape (n_stops, n_outputs, n_graphlets). Got shapes "
                f"{points.shape}, {intercepts.shape} and {coefs.shape} for {len(self.graphlets)} "
                "graphlets instead."
            )
        gammas = np.array(self.covariate_coefs, dtype=np.float64)
        gammas = gammas if gammas.size else np.zeros((*intercepts.shape, 0))
        if gammas.ndim != 3 or gammas.shape[:2] != intercepts.shape:
            raise ValueError(
                "Path models need covariate_coefs of shape (n_stops, n_outputs, n_covariates). "
                f"Got shape {gammas.shape} for intercepts of shape {intercepts.shape}."
            )
        if len(points) and (points[0] < 0 or (np.diff(points) <= 0).any()):
            raise ValueError("The points of stops must be positions that grow from 0 on.")
        if not all(np.isfinite(array).all() for array in (coefs, intercepts, gammas)):
            raise ValueError("The coefficients and intercepts of stops must be finite.")
        fields = {"points": points, "coefs": coefs, "intercepts": intercepts}
        for name, array in (fields | {"covariate_coefs": gammas}).items():
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "graphlets", tuple(self.graphlets))

    def __len__(self) -> int:
        return len(self.points)

    @property
    def n_outputs(self) -> int:
        """As of the model."""
        return int(self.intercepts.shape[1])

    @property
    def n_covariates(self) -> int:
        """As of the model."""
        return int(self.covariate_coefs.shape[2])
