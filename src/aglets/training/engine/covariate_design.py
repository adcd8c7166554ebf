"""Covariates as the solvers see them: further rows below psi, in the model from the start.

    f(G) = beta_0 + sum_H beta_H psi(G; H) + sum_j gamma_j c_j(G)

Each gamma_j is penalised by `factor` times lambda; with factor 0 it is as free as beta_0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aglets.graphs.arrays import Bools, Floats

__all__ = ["CovariateDesign", "CovariateMoments", "design_from_parts"]


#: Directions with less than this part of the largest spread say nothing new.
RANK = 1e-9


@dataclass(frozen=True)
class CovariateDesign:
    """Units of covariates that suit a solver, and the way back.

    Parameters
    ----------
    factor : float
        The penalty is factor lambda |gamma|_1.
    back : ndarray of shape (n_covariates, n_columns)
        Coefficients of the covariates as given are ``back @ gamma``.
    """

    factor: float
    back: Floats

    @classmethod
    def of(
        cls, values: npt.ArrayLike, factor: float, weight: Floats | None = None
    ) -> CovariateDesign:
        """Scale covariates, shape (n_graphs, n_covariates), to a spread of 1 over weighted graphs.

        Free ones are also turned until they are uncorrelated, which changes nothing but the speed
        of descent; where several say the same, their weight is then shared among them evenly.

        Examples
        --------
        >>> values = [[1.0, 2.0], [3.0, 6.0], [5.0, 10.0]]
        >>> design = CovariateDesign.of(values, 0.0)
        >>> design.rows(values).shape  # the second is twice the first
        (1, 3)
        >>> (design.back @ design.back.T).round(3)
        array([[0.094, 0.047],
               [0.047, 0.023]])
        """
        values = np.ascontiguousarray(values, dtype=np.float64)
        mean = np.average(values, axis=0, weights=weight)
        spread = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=weight))
        back = _to_unit_spread(spread, np.abs(values).max(axis=0, initial=0.0))
        if factor == 0.0:
            back = _uncorrelated(back, (values - mean) @ back, len(values))
        return cls(float(factor), back)

    @property
    def n_columns(self) -> int:
        """Number of rows below psi."""
        return int(self.back.shape[1])

    def rows(self, values: npt.ArrayLike) -> Floats:
        """Bring covariates of any graphs to these units, shape (n_columns, n_graphs)."""
        return np.ascontiguousarray((np.asarray(values, dtype=np.float64) @ self.back).T)

    def penalty_factors(self, n_graphlets: int) -> Floats:
        """Multiples of lambda for the coefficients of graphlets, then of covariates."""
        return np.concatenate([np.ones(n_graphlets), np.full(self.n_columns, self.factor)])


@dataclass(frozen=True)
class CovariateMoments:
    """Sums over the graphs of one shard from which a design follows."""

    n_graphs: int
    weight: float
    total: Floats
    largest: Floats

    @classmethod
    def of(cls, values: Floats, weight: Floats) -> CovariateMoments:
        """Sum up one shard."""
        largest = np.abs(values).max(axis=0, initial=0.0)
        return cls(len(values), float(weight.sum()), weight @ values, largest)


def design_from_parts(
    moments: Sequence[CovariateMoments],
    squares_about: Callable[[Floats], Floats],
    triangles: Callable[[Floats, Floats], Sequence[Floats]],
    factor: float,
) -> CovariateDesign:
    """Make the design of `CovariateDesign.of` from sums over shards.

    Parameters
    ----------
    moments : sequence (per shard) of CovariateMoments
    squares_about : callable
        Weighted sum of (values - mean)², over all shards.
    triangles : callable
        Per shard the R of a QR decomposition of (values - mean) @ back: their singular values
        together are those of all rows, without the loss of digits that squares have.
    factor : float
    """
    weight = sum(part.weight for part in moments)
    mean = np.sum([part.total for part in moments], axis=0) / weight
    largest = np.max([part.largest for part in moments], axis=0)
    back = _to_unit_spread(np.sqrt(squares_about(mean) / weight), largest)
    if factor == 0.0:
        rows = np.vstack(triangles(mean, back))
        back = _uncorrelated(back, rows, sum(part.n_graphs for part in moments))
    return CovariateDesign(float(factor), back)


def _to_unit_spread(spread: Floats, largest: Floats) -> Floats:
    # What is constant but for rounding adds nothing to beta_0.
    moves: Bools = spread > RANK * largest
    factors = np.divide(1.0, spread, out=np.zeros_like(spread), where=moves)
    return np.asarray(np.diag(factors)[:, moves])


def _uncorrelated(back: Floats, rows: Floats, n_graphs: int) -> Floats:
    _, sizes, turns = np.linalg.svd(rows, full_matrices=False)
    new = sizes > RANK * sizes.max(initial=0.0)
    return np.asarray(back @ (turns[new].T * (np.sqrt(n_graphs) / sizes[new])))
