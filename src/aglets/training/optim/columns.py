"""Covariates as the solvers see them: columns beside psi that are in the model from the start.

    f(G) = beta_0 + sum_H beta_H psi(G; H) + sum_j gamma_j c_j(G)

Each gamma_j is penalised by `factor` times lambda; with factor 0 it is as free as beta_0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aglets.graphs.arrays import Floats

__all__ = ["Columns"]


#: Directions with less than this part of the largest spread say nothing new.
RANK = 1e-9


@dataclass(frozen=True)
class Columns:
    """Covariates of the training graphs in units that suit a solver, and the way back.

    Parameters
    ----------
    rows : ndarray of shape (n_columns, n_graphs)
    factor : float
        The penalty is factor lambda |gamma|_1.
    back : ndarray of shape (n_covariates, n_columns)
        Coefficients of the covariates as given are ``back @ gamma``.
    """

    rows: Floats
    factor: float
    back: Floats

    @classmethod
    def of(cls, values: npt.ArrayLike, factor: float, weight: Floats | None = None) -> Columns:
        """Scale covariates, shape (n_graphs, n_covariates), to a spread of 1 over weighted graphs.

        Free ones are also turned until they are uncorrelated, which changes nothing but the speed
        of descent; where several say the same, their weight is then shared among them evenly.

        Examples
        --------
        >>> columns = Columns.of([[1.0, 2.0], [3.0, 6.0], [5.0, 10.0]], 0.0)
        >>> columns.rows.shape  # the second is twice the first
        (1, 3)
        >>> (columns.back @ columns.back.T).round(3)
        array([[0.094, 0.047],
               [0.047, 0.023]])
        """
        values = np.ascontiguousarray(values, dtype=np.float64)
        mean = np.average(values, axis=0, weights=weight)
        spread = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=weight))
        # What is constant but for rounding adds nothing to beta_0.
        moves = spread > RANK * np.abs(values).max(axis=0, initial=0.0)
        back = np.diag(np.divide(1.0, spread, out=np.zeros_like(spread), where=moves))[:, moves]
        if factor == 0.0:
            scaled = (values - mean) @ back
            _, sizes, turns = np.linalg.svd(scaled, full_matrices=False)
            new = sizes > RANK * sizes.max(initial=0.0)
            back = back @ (turns[new].T * (np.sqrt(len(values)) / sizes[new]))
        return cls(np.ascontiguousarray((values @ back).T), float(factor), back)

    def rows_of(self, values: npt.ArrayLike) -> Floats:
        """Bring covariates of other graphs to the same units, shape (n_columns, n_graphs)."""
        return np.ascontiguousarray((np.asarray(values, dtype=np.float64) @ self.back).T)
