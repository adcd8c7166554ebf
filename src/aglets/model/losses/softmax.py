"""The softmax loss: the probabilities of all classes of a target at once."""
# ruff: noqa: D102 - what the methods of a loss mean is said once, in Loss

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aglets.graphs.arrays import Floats
from aglets.model.losses.logistic import Logistic
from aglets.model.losses.registry import register_loss

__all__ = ["Softmax", "intercepts_by_newton"]

#: Beyond this distance a class has no weight in double precision.
FARTHEST = 37.0

Sums = Callable[[Floats], tuple[float, Floats, Floats]]


@register_loss
class Softmax(Logistic):
    """2 (log sum_k exp f_k - f_c), c the class of the graph: probabilities that add up to 1.

    P(class k | G) = exp(f_k) / sum_l exp(f_l). For two classes, which have one output, it is the
    logistic loss. For more, y and f have a row per class, all with the same weights.

    >>> loss, y, w = Softmax(), np.array([[1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]), np.ones((3, 2))
    >>> bool(np.isclose(loss.value(y, np.zeros((3, 2)), w), 2 * np.log(3)))
    True
    """

    name = "softmax"
    joint = True

    def value(self, y: Floats, f: Floats, w: Floats) -> float:
        if y.ndim == 1:
            return super().value(y, f, w)
        top = f.max(axis=0)
        total = np.log(np.exp(f - top).sum(axis=0)) + top
        return float(_row(w) @ (total - np.where(y > 0.0, f, 0.0).sum(axis=0)))

    def residual(self, y: Floats, f: Floats, w: Floats) -> Floats:
        if y.ndim == 1:
            return super().residual(y, f, w)
        return np.asarray(w * ((y > 0.0) - shares(f)))

    def curvature(self, y: Floats, f: Floats, w: Floats) -> Floats:
        """Return p (1 - p): twice this is a diagonal above the Hessian diag(p) - p p'."""
        if y.ndim == 1:
            return super().curvature(y, f, w)
        p = shares(f)
        return np.asarray(w * (p * (1.0 - p)))

    def curvature_bound(self, w: Floats) -> Floats:
        return (0.25 if w.ndim == 1 else 0.5) * w

    def class_probabilities(self, f: Floats) -> tuple[Floats, Floats]:
        """Give those of all classes together for f of shape (n_graphs, n_classes)."""
        if f.ndim == 1 or f.shape[1] == 1:
            return super().class_probabilities(f)
        p = shares(f.T).T
        return 1.0 - p, p

    def best_intercepts(self, y: Floats, offset: Floats, w: Floats, current: Floats) -> Floats:
        return intercepts_by_newton(lambda b: self.intercept_sums(y, offset, w, b), current)

    def intercept_sums(
        self, y: Floats, offset: Floats, w: Floats, b: Floats
    ) -> tuple[float, Floats, Floats]:
        """Value, minus first and second derivatives of ``value(y, offset + b, w)`` by b."""
        f = offset + b[:, None]
        p = shares(f)
        weighed = p * _row(w)
        bend = np.diag(weighed.sum(axis=1)) - weighed @ p.T
        return self.value(y, f, w), self.residual(y, f, w).sum(axis=1), bend


def shares(f: Floats) -> Floats:
    """exp(f_k) / sum_l exp(f_l) of each column."""
    p = np.exp(f - f.max(axis=0))
    return np.asarray(p / p.sum(axis=0))


def intercepts_by_newton(sums: Sums, current: Floats) -> Floats:
    """Minimise a convex function of intercepts that does not change when all grow alike.

    Parameters
    ----------
    sums : callable
        For intercepts b: value, minus the first derivatives, second derivatives.
    current : ndarray of shape (n_outputs,)
        Where Newton's method starts; steps are halved until the value falls.
    """
    b = current - current.mean()
    value, slope, bend = sums(b)
    for _ in range(200):
        size = float(np.trace(bend))
        if np.abs(slope).max() <= 1e-15 * size or not size > 0.0:
            break
        # The direction in which all grow alike is flat: any curvature there will do.
        lifted = bend + 1e-12 * size * np.eye(len(b)) + size / len(b) ** 2
        step = np.clip(np.linalg.solve(lifted, slope), -FARTHEST, FARTHEST)
        length = 1.0
        while length > 1e-6:
            moved = np.clip(b + length * step, -FARTHEST, FARTHEST)
            reached = sums(moved)
            # Near the minimum the value is flat to rounding, and Newton's steps are good.
            if reached[0] <= value + 1e-14 * abs(value) - 1e-4 * length * float(slope @ step):
                break
            length *= 0.5
        else:
            break
        if np.abs(moved - b).max() <= 4e-16 * np.abs(moved).max():
            break
        b, (value, slope, bend) = moved, reached
    return np.asarray(b)


def _row(w: Floats) -> Floats:
    """Weights of graphs, the same for all classes."""
    return w if w.ndim == 1 else w[0]
