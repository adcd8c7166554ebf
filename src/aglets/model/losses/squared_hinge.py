"""The squared hinge: the paper's loss for classes."""
# ruff: noqa: D102 - what the methods of a loss mean is said once, in Loss

from __future__ import annotations

import numpy as np

from aglets.graphs.arrays import Floats
from aglets.model.losses.loss import Loss
from aglets.model.losses.registry import register_loss

__all__ = ["SquaredHinge"]


@register_loss
class SquaredHinge(Loss):
    """max(1 - y f, 0)², the paper's loss: graphs beyond the margin cost nothing.

    >>> loss, y, w = SquaredHinge(), np.array([1.0, 1.0, -1.0]), np.ones(3)
    >>> loss.value(y, np.array([2.0, 0.0, 1.0]), w)
    2.5
    >>> loss.best_intercept(y, np.zeros(3), w)  # the mean of y
    0.3333333333333333
    """

    name = "squared_hinge"
    task = "classification"

    def value(self, y: Floats, f: Floats, w: Floats) -> float:
        slack = np.maximum(1.0 - y * f, 0.0)
        return 0.5 * float(w @ (slack * slack))

    def residual(self, y: Floats, f: Floats, w: Floats) -> Floats:
        return w * y * np.maximum(1.0 - y * f, 0.0)

    def curvature(self, y: Floats, f: Floats, w: Floats) -> Floats:
        return w * (y * f < 1.0)

    def curvature_bound(self, w: Floats) -> Floats:
        return w

    def intercept_interval(self, y: Floats, offset: Floats, w: Floats) -> tuple[float, float]:
        corners = (y - offset)[w > 0.0]
        return (float(corners.min()), float(corners.max())) if corners.size else (0.0, 0.0)

    def best_intercept(self, y: Floats, offset: Floats, w: Floats, current: float = 0.0) -> float:
        """Minimise ``value(y, offset + b, w)`` over b, exactly (appendix A of the paper).

        Graph i's hinge has its corner at t_i = y_i - offset_i and is active (costs something) for
        b on one side of it, so the best b is the weighted mean of t over the hinges active there.
        Usually few corners lie between ``current`` and the answer, and repeating "mean over the
        active ones" settles in a few rounds; where it does not, the corners are sorted. If some b
        leaves no hinge active the minimisers are an interval, and the point of it nearest to
        ``current`` is returned.
        """
        corners = y - offset
        b = current
        for _ in range(12):
            weights = w * (y * (corners - b) > 0.0)
            total = float(weights.sum())
            if total == 0.0:
                return self._nearest_free(y, corners, w, current)
            before, b = b, float(weights @ corners) / total
            if b == before:
                return b
        return self._by_sorting(y, corners, w, current)

    @staticmethod
    def _nearest_free(y: Floats, corners: Floats, w: Floats, current: float) -> float:
        """Find the point nearest to ``current`` at which no hinge is active; there must be one."""
        low = np.max(corners, where=(y > 0.0) & (w > 0.0), initial=-np.inf)
        high = np.min(corners, where=(y < 0.0) & (w > 0.0), initial=np.inf)
        return float(min(max(current, low), high))

    @classmethod
    def _by_sorting(cls, y: Floats, corners: Floats, w: Floats, current: float) -> float:
        """Minimise by one sort: the derivative is linear between neighbouring corners."""
        keep = w > 0.0
        order = np.argsort(corners[keep], kind="stable")
        t, w, y = corners[keep][order], w[keep][order], y[keep][order]
        positive = y > 0.0
        if not positive.any() or positive.all() or t[positive].max() <= t[~positive].min():
            return cls._nearest_free(y, t, w, current)
        # On the segment that ends at t[k] the active hinges are the negative graphs before k and
        # the positive ones from k on. Corners are taken about their middle against cancellation.
        middle = t[t.size // 2]
        t = t - middle
        weight = np.where(positive, 0.0, w)
        moment = weight * t
        weight_after, moment_after = w - weight, w * t - moment
        weights = (np.cumsum(weight) - weight) + np.cumsum(weight_after[::-1])[::-1]
        moments = (np.cumsum(moment) - moment) + np.cumsum(moment_after[::-1])[::-1]
        k = int(np.argmax(weights * t - moments >= 0.0))
        b = moments[k] / weights[k]
        return float(middle + min(max(b, t[max(k - 1, 0)]), t[k]))
