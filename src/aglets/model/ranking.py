"""How well scores put graphs of a class before the others: areas under two curves.

Both are what scikit-learn gives, without its checks of the input, which with many classes take
longer than the fit of a model.
"""

from __future__ import annotations

import numpy as np

from aglets.graphs.arrays import Bools, Floats

__all__ = ["average_precision", "roc_auc"]


def roc_auc(positive: Bools, score: Floats, weight: Floats | None = None) -> float:
    """Area under the ROC curve; NaN if one of both kinds is missing.

    >>> roc_auc(np.array([False, False, True]), np.array([0.1, 0.9, 0.9]))
    0.75
    """
    true, false = _passed(positive, score, weight)
    pairs = true[-1] * false[-1]
    if not pairs > 0.0:
        return float("nan")
    # A step of the curve is a trapezium, so that equal scores count half.
    heights = true + np.append(0.0, true[:-1])
    return float((np.diff(false, prepend=0.0) * heights).sum() / (2.0 * pairs))


def average_precision(positive: Bools, score: Floats, weight: Floats | None = None) -> float:
    """Mean precision over the steps of recall; NaN without graphs of the class.

    >>> average_precision(np.array([False, True, True]), np.array([0.1, 0.9, 0.5]))
    1.0
    """
    true, false = _passed(positive, score, weight)
    if not true[-1] > 0.0:
        return float("nan")
    together = true + false
    precision = np.divide(true, together, out=np.zeros_like(true), where=together > 0.0)
    return float((np.diff(true, prepend=0.0) * precision).sum() / true[-1])


def _passed(positive: Bools, score: Floats, weight: Floats | None) -> tuple[Floats, Floats]:
    """Weights of graphs of the class, and of others, at or above each score, from the highest."""
    order = np.argsort(-score, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(score[order])), len(order) - 1)
    own = np.ones(len(order)) if weight is None else np.asarray(weight, dtype=np.float64)[order]
    of_class = positive[order]
    return np.cumsum(own * of_class)[ends], np.cumsum(own * ~of_class)[ends]
