"""The Huber loss: numbers with outliers."""
# ruff: noqa: D102 - what the methods of a loss mean is said once, in Loss

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from aglets.graphs.arrays import Floats
from aglets.model.losses.loss import Loss, Option
from aglets.model.losses.registry import register_loss

__all__ = ["Huber"]


@register_loss
class Huber(Loss):
    """(y - f)² while |y - f| <= epsilon, then growing in a straight line: outliers pull less.

    Beyond epsilon it is 2 epsilon |y - f| - epsilon², which joins with equal slope. Here epsilon is
    in the units of y; the ``epsilon`` of an estimator is in units of their spread.

    >>> loss, y = Huber(1.0), np.array([0.0, 0.1, -0.1, 100.0])
    >>> round(loss.best_intercept(y, np.zeros(4), np.ones(4)), 6)
    0.333333
    """

    name = "huber"
    task = "regression"
    options: ClassVar[Mapping[str, Option]] = {
        "epsilon": Option(
            1.35, 0.0, help="the error, in units of the spread of y, where the loss gets linear"
        )
    }

    epsilon: float

    def __init__(self, epsilon: float = 1.35) -> None:
        super().__init__(epsilon=epsilon)

    def value(self, y: Floats, f: Floats, w: Floats) -> float:
        error = np.abs(y - f)
        near = np.minimum(error, self.epsilon)
        return float(w @ (near * (error - 0.5 * near)))

    def residual(self, y: Floats, f: Floats, w: Floats) -> Floats:
        return w * np.clip(y - f, -self.epsilon, self.epsilon)

    def curvature(self, y: Floats, f: Floats, w: Floats) -> Floats:
        return w * (np.abs(y - f) <= self.epsilon)

    def curvature_bound(self, w: Floats) -> Floats:
        return w

    def intercept_interval(self, y: Floats, offset: Floats, w: Floats) -> tuple[float, float]:
        error = y - offset
        return float(error.min()), float(error.max())

    def in_units_of(self, spread: float) -> Huber:
        return Huber(self.epsilon / spread)
