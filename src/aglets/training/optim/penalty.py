"""Penalties on the coefficients, which make most of them zero.

`L1` is that of one output, lambda sum_H |beta_H|. `Shared` is that of several outputs with the same
graphlets: a graphlet costs as much as the size of its row of coefficients, so that a row is zero or
serves all outputs. A solver asks a penalty for its value, its prox, the violation of its optimality
conditions, which coefficients may move, and what a change promises.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aglets import _core
from aglets.graphs.arrays import Bools, Floats

__all__ = ["L1", "Penalty", "Shared"]


#: How many rows that are zero may move in a step of several outputs: so many, or this share of the
#: rows in use.
FRESH, FRESH_SHARE = 10, 0.2


@dataclass(frozen=True)
class L1:
    """lambda times the sum of absolute values; lambda may differ between coefficients.

    >>> penalty = L1(0.5)
    >>> penalty.value(np.array([1.0, -2.0]))
    1.5
    >>> penalty.prox(np.array([2.0, -0.2, -1.0]), 1.0)
    array([ 1.5,  0. , -0.5])
    """

    lam: float | Floats

    def __getitem__(self, chosen: NDArray[np.bool_]) -> L1:
        """Restrict it to some of the coefficients."""
        return L1(self.lam[chosen]) if isinstance(self.lam, np.ndarray) else self

    def value(self, beta: Floats) -> float:
        """Lambda |beta|_1."""
        if isinstance(self.lam, np.ndarray):
            return float(self.lam @ np.abs(beta))
        return self.lam * float(np.abs(beta).sum())

    def promise(self, g: Floats, beta: Floats, change: Floats) -> float:
        """Decrease g'c - lambda (|beta + c|_1 - |beta|_1) that a change c of beta promises.

        Near an optimum it is a small difference of large numbers. Summed coefficient by coefficient
        along the slope of |beta_H|, nothing cancels, and the order of the graphs cannot decide
        whether a solver takes its last step.

        >>> L1(0.5).promise(np.array([0.75, 0.5]), np.array([1.0, 0.0]), np.array([1.0, -1.0]))
        -0.75
        """
        side = np.where(beta == 0.0, np.sign(change), np.sign(beta))
        beyond = np.maximum(-2.0 * side * (beta + change), 0.0)
        return float((change * (g - self.lam * side) - self.lam * beyond).sum())

    def prox(self, beta: Floats, step: float | Floats) -> Floats:
        """Minimise 1/2 |b - beta|² + step · value(b) over b: soft thresholding at step · lambda.

        ``step`` may differ from coefficient to coefficient.
        """
        threshold = step * self.lam
        return np.asarray(beta - np.clip(beta, -threshold, threshold))

    def violation(self, g: Floats, beta: Floats) -> Floats:
        """Distance of each g_H to the subdifferential of the penalty at beta_H (0 at an optimum).

        g = sum_i a_i psi_i is the *descent* direction of the loss (see ``loss.py``), so at an
        optimum |g_H| <= lambda where beta_H = 0 and g_H = lambda sign(beta_H) elsewhere.
        """
        return np.asarray(
            np.where(
                beta == 0.0,
                np.maximum(np.abs(g) - self.lam, 0.0),
                np.abs(g - self.lam * np.sign(beta)),
            )
        )

    def moving(self, g: Floats, beta: Floats) -> Bools:
        """Which coefficients a step may change: those in use, and those that violate."""
        return np.asarray((beta != 0.0) | (np.abs(g) > self.lam))


@dataclass(frozen=True)
class Shared:
    """Sum over rows of lambda (s |beta_H|_2 + (1 - s) |beta_H|_1), s the sharing.

    Coefficients have shape (n_rows, n_outputs), a row per graphlet. With s = 1 a row is zero or has
    an entry for every output; with s = 0 every coefficient stands alone. With one output it is the
    L1 penalty for any s.

    Parameters
    ----------
    lam : float or ndarray of shape (n_rows,)
    sharing : float
        Between 0 and 1.

    Examples
    --------
    >>> penalty = Shared(0.5, sharing=1.0)
    >>> penalty.value(np.array([[3.0, 4.0], [0.0, 1.0]]))
    3.0
    >>> penalty.prox(np.array([[3.0, 4.0], [0.1, 0.2]]), 1.0)
    array([[2.7, 3.6],
           [0. , 0. ]])
    """

    lam: float | Floats
    sharing: float

    def __getitem__(self, chosen: Bools) -> Shared:
        """Restrict it to some of the rows."""
        if isinstance(self.lam, np.ndarray):
            return Shared(self.lam[chosen], self.sharing)
        return self

    def value(self, beta: Floats) -> float:
        """Sum the sizes of rows."""
        return float((self.lam * self._sizes(beta)).sum())

    def dual_norm(self, g: Floats) -> Floats:
        """For each row of g the smallest lambda at which its coefficients are zero.

        >>> Shared(1.0, sharing=1.0).dual_norm(np.array([[3.0, 4.0]]))
        array([5.])
        """
        return _core.dual_norms(np.ascontiguousarray(g), self.sharing)

    def promise(self, g: Floats, beta: Floats, change: Floats) -> float:
        """Decrease g'c - (value(beta + c) - value(beta)) that a change c of beta promises.

        As for `L1`, summed along the slope of the penalty, so that nothing cancels near an optimum.
        What a row gains in length beyond its slope b'c / |b| is (|c|² - gain²) / (2 |b|).
        """
        lam = np.broadcast_to(self.lam, len(beta))[:, None]
        plain, together = (1.0 - self.sharing) * lam, self.sharing * lam[:, 0]
        length = _lengths(beta)
        unit = _units(beta, length)
        side = np.where(beta == 0.0, np.sign(change), np.sign(beta))
        beyond = np.maximum(-2.0 * side * (beta + change), 0.0)
        slopes = change * (g - plain * side - together[:, None] * unit) - plain * beyond
        moved = _lengths(change)
        gain = _lengths(beta + change) - length
        bent = np.divide(moved**2 - gain**2, 2.0 * length, out=moved.copy(), where=length > 0.0)
        return float((slopes.sum(axis=1) - together * bent).sum())

    def prox(self, beta: Floats, step: float) -> Floats:
        """Minimise 1/2 |b - beta|² + step · value(b) over b: soft thresholds, then shorter rows."""
        threshold = np.broadcast_to(step * self.lam, len(beta))
        plain = (1.0 - self.sharing) * threshold[:, None]
        left = beta - np.clip(beta, -plain, plain)
        size, less = _lengths(left), self.sharing * threshold
        kept = np.divide(size - less, size, out=np.zeros_like(size), where=size > less)
        return np.asarray(left * kept[:, None])

    def violation(self, g: Floats, beta: Floats) -> Floats:
        """Distance of each row of g to the subdifferential of the penalty (0 at an optimum)."""
        lam = np.broadcast_to(self.lam, len(beta))
        plain = (1.0 - self.sharing) * lam[:, None]
        size = _lengths(beta)
        unit = _units(beta, size)
        inside = np.where(
            beta == 0.0,
            np.maximum(np.abs(g) - plain, 0.0),
            np.abs(g - plain * np.sign(beta) - self.sharing * lam[:, None] * unit),
        )
        less = np.where(size == 0.0, self.sharing * lam, 0.0)
        return np.maximum(_lengths(inside) - less, 0.0)

    def moving(self, g: Floats, beta: Floats) -> Bools:
        """Which rows a step may change: those in use, and the worst of those that violate.

        At a new lambda many violate that are zero again in the end. Second derivatives, which cost
        the square of the number of rows, are not computed for all of them.
        """
        used = (beta != 0.0).any(axis=1)
        beyond = np.where(used, 0.0, self.dual_norm(g) - self.lam)
        n_fresh = max(FRESH, int(FRESH_SHARE * used.sum()))
        worst = np.argsort(-beyond, kind="stable")[:n_fresh]
        used[worst] |= beyond[worst] > 0.0
        return np.asarray(used)

    def _sizes(self, beta: Floats) -> Floats:
        plain = np.abs(beta).sum(axis=1)
        return np.asarray(self.sharing * _lengths(beta) + (1.0 - self.sharing) * plain)


#: What solvers take.
Penalty = L1 | Shared


def _lengths(rows: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))


def _units(rows: Floats, lengths: Floats) -> Floats:
    """Rows of length 1, and zeros where a row is zero."""
    across = lengths[:, None]
    return np.divide(rows, across, out=np.zeros_like(rows), where=across > 0.0)
