"""Losses: how much it costs to answer f(G) when the truth is y.

Conventions, said once for the whole library. The training objective is

    F = 1/2 sum_i w_i loss(y_i, f_i) + lambda sum_H |beta_H|,

and every method below speaks of the first term, *with* its 1/2 and its weights:
``value`` is that term, ``residual`` is a_i = - d value / d f_i, so that the descent direction
of beta_H is g_H = sum_i a_i psi_i(H). For the squared hinge a_i = w_i y_i max(1 - y_i f_i, 0),
which is the a_i of the paper's appendix B.

A new loss is one class here: ``value``, ``residual``, ``curvature``, ``curvature_bound`` and the
interval in which the best intercept lies. Solvers call nothing else.
"""
# ruff: noqa: D102 - what the methods of a loss mean is said once, in Loss

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from scipy.special import expit

from aglets.graphs.arrays import Floats

__all__ = ["LOSSES", "Huber", "Logistic", "Loss", "Squared", "SquaredHinge"]


EPSILON = float(np.finfo(np.float64).eps)


class Loss(ABC):
    """A convex, differentiable loss; ``y``, ``f`` and the weights ``w`` are vectors over graphs.

    Losses for classification take y in {-1, +1}, those for regression any real y.
    """

    name: ClassVar[str]
    classification: ClassVar[bool]

    @abstractmethod
    def value(self, y: Floats, f: Floats, w: Floats) -> float:
        """1/2 sum_i w_i loss(y_i, f_i)."""

    @abstractmethod
    def residual(self, y: Floats, f: Floats, w: Floats) -> Floats:
        """a_i = - d value / d f_i."""

    @abstractmethod
    def curvature(self, y: Floats, f: Floats, w: Floats) -> Floats:
        """Second derivative of the value in each f_i (one element of it where it jumps)."""

    @abstractmethod
    def curvature_bound(self, w: Floats) -> Floats:
        """Bound the second derivative in each f_i, whatever f is."""

    @abstractmethod
    def intercept_interval(self, y: Floats, offset: Floats, w: Floats) -> tuple[float, float]:
        """Two numbers between which ``value(y, offset + b, w)`` has a minimiser b."""

    def best_intercept(self, y: Floats, offset: Floats, w: Floats, current: float = 0.0) -> float:
        """Minimise ``value(y, offset + b, w)`` over b, to machine precision.

        Newton's method started at ``current`` on the derivative, which never decreases in b;
        a step that leaves the bracket of the root is replaced by bisection.
        """
        low, high = self.intercept_interval(y, offset, w)
        b = min(max(current, low), high)
        for _ in range(200):
            f = offset + b
            slope = float(self.residual(y, f, w).sum())
            if slope == 0.0:
                return b
            if slope > 0.0:
                low = b
            else:
                high = b
            bend = float(self.curvature(y, f, w).sum())
            step = slope / bend if bend > 0.0 else np.inf
            proposal = b + step
            if not low < proposal < high:
                # The step is below rounding, or the bracket has no point left to try.
                if abs(step) <= EPSILON * abs(b):
                    return b
                proposal = 0.5 * (low + high)
                if not low < proposal < high:
                    return b
            if abs(proposal - b) <= 2.0 * EPSILON * abs(proposal):
                return proposal
            b = proposal
        return b

    def score(self, y: Floats, f: Floats, w: Floats) -> float:
        """Weighted accuracy for classification (f = 0 counts as -1), R² for regression.

        >>> y, f = np.array([1.0, -1.0, 1.0]), np.array([0.5, -2.0, -0.1])
        >>> round(SquaredHinge().score(y, f, np.ones(3)), 3)
        0.667
        """
        total = float(w.sum())
        if self.classification:
            return float(w @ ((f > 0.0) == (y > 0.0))) / total
        spread = float(w @ (y - float(w @ y) / total) ** 2)
        error = float(w @ (y - f) ** 2)
        if spread == 0.0:
            return 1.0 if error == 0.0 else 0.0
        return 1.0 - error / spread

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *sorted(vars(self).items())))


class SquaredHinge(Loss):
    """max(1 - y f, 0)², the paper's loss: graphs beyond the margin cost nothing.

    >>> loss, y, w = SquaredHinge(), np.array([1.0, 1.0, -1.0]), np.ones(3)
    >>> loss.value(y, np.array([2.0, 0.0, 1.0]), w)
    2.5
    >>> loss.best_intercept(y, np.zeros(3), w)  # the mean of y
    0.3333333333333333
    """

    name = "squared_hinge"
    classification = True

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


class Logistic(Loss):
    """2 log(1 + exp(-y f)): gives probabilities.

    Scaled by 2 so that, with the 1/2 of the objective, what is minimised is the usual negative
    log-likelihood sum_i w_i log(1 + exp(-y_i f_i)) and P(y = 1 | G) = 1 / (1 + exp(-f(G))).

    >>> loss, y, w = Logistic(), np.array([1.0, 1.0, 1.0, -1.0]), np.ones(4)
    >>> round(loss.best_intercept(y, np.zeros(4), w), 12) == round(float(np.log(3)), 12)
    True
    """

    name = "logistic"
    classification = True

    def value(self, y: Floats, f: Floats, w: Floats) -> float:
        return float(w @ np.logaddexp(0.0, -y * f))

    def residual(self, y: Floats, f: Floats, w: Floats) -> Floats:
        return np.asarray(w * y * expit(-y * f))

    def curvature(self, y: Floats, f: Floats, w: Floats) -> Floats:
        return np.asarray(w * expit(f) * expit(-f))

    def curvature_bound(self, w: Floats) -> Floats:
        return 0.25 * w

    def intercept_interval(self, y: Floats, offset: Floats, w: Floats) -> tuple[float, float]:
        # With equal offsets the best f is the log odds of the classes. If there is one class only
        # the loss falls for ever; beyond |f| = 37 it no longer falls in double precision.
        positive, negative = float(w @ (y > 0.0)), float(w @ (y < 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            log_odds = float(np.clip(np.log(positive) - np.log(negative), -37.0, 37.0))
        return log_odds - float(offset.max()), log_odds - float(offset.min())


class Squared(Loss):
    """(y - f)², for regression.

    >>> loss, y = Squared(), np.array([1.0, 2.0, 6.0])
    >>> loss.best_intercept(y, np.zeros(3), np.ones(3))
    3.0
    """

    name = "squared"
    classification = False

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

    def best_intercept(self, y: Floats, offset: Floats, w: Floats, current: float = 0.0) -> float:
        """Weighted mean of ``y - offset``."""
        return float(w @ (y - offset)) / float(w.sum())


class Huber(Loss):
    """(y - f)² while |y - f| <= epsilon, then growing in a straight line: outliers pull less.

    Beyond epsilon it is 2 epsilon |y - f| - epsilon², which joins with equal slope. ``epsilon`` is
    in the units of y.

    >>> loss, y = Huber(1.0), np.array([0.0, 0.1, -0.1, 100.0])
    >>> round(loss.best_intercept(y, np.zeros(4), np.ones(4)), 6)
    0.333333
    """

    name = "huber"
    classification = False

    def __init__(self, epsilon: float = 1.35) -> None:
        if not 0.0 < epsilon < np.inf:
            raise ValueError(
                "The 'epsilon' parameter of Huber must be a float in the range (0, inf). "
                f"Got {epsilon!r} instead."
            )
        self.epsilon = float(epsilon)

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

    def __repr__(self) -> str:
        return f"Huber({self.epsilon!r})"


LOSSES: dict[str, type[Loss]] = {
    loss.name: loss for loss in (SquaredHinge, Logistic, Squared, Huber)
}
