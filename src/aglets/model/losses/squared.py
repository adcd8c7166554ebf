"""The squared error, for numbers."""
# ruff: noqa: D102 - what the methods of a loss mean is said once, in Loss

from __future__ import annotations

from aglets.graphs.arrays import Floats
from aglets.model.losses.loss import Loss
from aglets.model.losses.registry import register_loss

__all__ = ["Squared"]


@register_loss
class Squared(Loss):
    """(y - f)², for regression.

    >>> import numpy as np
    >>> loss, y = Squared(), np.array([1.0, 2.0, 6.0])
    >>> loss.best_intercept(y, np.zeros(3), np.ones(3))
    3.0
    """

    name = "squared"
    task = "regression"

    def value(self, y: Floats, f: Floats, w: Floats) -> float:
        error = y - f
        return 0.5 * float(w @ (error * error))

    def residual(self, y: Floats, f: Floats, w: Floats) -> Floats:
        return w * (y - f)

    def curvature(self, y: Floats, f: Floats, w: Floats) -> Floats:
        return w

    def curvature_bound(self, w: Floats) -> Floats:
        return w

    def intercept_interval(self, y: Floats, offset: Floats, w: Floats) -> tuple[float, float]:
        error = y - offset
        return float(error.min()), float(error.max())

    def in_units_of(self, spread: float) -> Squared:
        return self

    def best_intercept(self, y: Floats, offset: Floats, w: Floats, current: float = 0.0) -> float:
        """Weighted mean of ``y - offset``."""
        return float(w @ (y - offset)) / float(w.sum())
