"""The logistic loss: classes with probabilities."""
# ruff: noqa: D102 - what the methods of a loss mean is said once, in Loss

from __future__ import annotations

import numpy as np

from aglets.graphs.arrays import Floats
from aglets.model.losses.loss import Loss
from aglets.model.losses.registry import register_loss

__all__ = ["Logistic"]


@register_loss
class Logistic(Loss):
    """2 log(1 + exp(-y f)): gives probabilities.

    Scaled by 2 so that, with the 1/2 of the objective, what is minimised is the usual negative
    log-likelihood sum_i w_i log(1 + exp(-y_i f_i)) and P(y = 1 | G) = 1 / (1 + exp(-f(G))).

    >>> loss, y, w = Logistic(), np.array([1.0, 1.0, 1.0, -1.0]), np.ones(4)
    >>> round(loss.best_intercept(y, np.zeros(4), w), 12) == round(float(np.log(3)), 12)
    True
    """

    name = "logistic"
    task = "classification"
    probabilistic = True

    def value(self, y: Floats, f: Floats, w: Floats) -> float:
        return float(w @ np.logaddexp(0.0, -y * f))

    def residual(self, y: Floats, f: Floats, w: Floats) -> Floats:
        from scipy.special import expit  # here, because predicting needs no SciPy

        return np.asarray(w * y * expit(-y * f))

    def curvature(self, y: Floats, f: Floats, w: Floats) -> Floats:
        from scipy.special import expit

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

    def class_probabilities(self, f: Floats) -> tuple[Floats, Floats]:
        # 1 / (1 + exp(-f)) and its complement, neither overflowing nor losing the small one.
        small = np.exp(-np.abs(f))
        rest, p = (np.where(sign * f >= 0.0, 1.0, small) / (1.0 + small) for sign in (-1, 1))
        return rest, p
