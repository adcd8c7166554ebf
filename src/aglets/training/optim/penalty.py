"""The penalty on the coefficients: lambda sum_H |beta_H|, which makes most of them zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aglets.graphs.arrays import Floats

__all__ = ["L1"]


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
