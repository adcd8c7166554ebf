"""Weights of graphs: what ``class_weight`` and ``sample_weight`` mean together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aglets.graphs.arrays import Floats

__all__ = ["check_sample_weight", "class_weights"]


def check_sample_weight(sample_weight: ArrayLike | None, n_graphs: int) -> Floats:
    """One finite, non-negative weight per graph, not all of them zero; ones for None.

    >>> check_sample_weight(None, 3)
    array([1., 1., 1.])
    >>> check_sample_weight([1, 2], 3)
    Traceback (most recent call last):
    ValueError: sample_weight must hold one number per graph (3). Got shape (2,) instead.
    """
    if sample_weight is None:
        return np.ones(n_graphs)
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"sample_weight must hold one number per graph ({n_graphs}). "
            f"Got {type(sample_weight).__name__} instead."
        ) from error
    if weights.ndim == 0:
        weights = np.full(n_graphs, float(weights))
    if weights.shape != (n_graphs,):
        raise ValueError(
            f"sample_weight must hold one number per graph ({n_graphs}). "
            f"Got shape {weights.shape} instead."
        )
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0.0)))
    if bad.size:
        raise ValueError(
            "sample_weight must be finite and not negative. "
            f"Got {float(weights[bad[0]])} for graph {int(bad[0])} instead."
        )
    if n_graphs and not weights.any():
        raise ValueError(
            "sample_weight must be positive for at least one graph. Got only zeros instead."
        )
    return np.ascontiguousarray(weights)


def class_weights(
    codes: NDArray[np.intp],
    classes: NDArray[Any],
    class_weight: Mapping[Any, float] | str | None,
    sample_weight: Floats,
) -> Floats:
    """``sample_weight`` times the weight of each graph's class.

    "balanced" gives every class the same total: W / (number of classes · W_class), where W sums
    sample weights, so that a graph of weight 2 counts as the same graph given twice. A mapping
    gives the factor by class; classes that it leaves out get 1.

    Parameters
    ----------
    codes : ndarray of shape (n_graphs,)
        Position of each graph's class in ``classes``.
    classes : ndarray of shape (n_classes,)
        The class values.
    class_weight : mapping, "balanced" or None
        Factor by class.
    sample_weight : ndarray of shape (n_graphs,)
        As from :func:`check_sample_weight`.

    Examples
    --------
    >>> codes, classes = np.array([0, 0, 0, 1]), np.array(["no", "yes"])
    >>> class_weights(codes, classes, "balanced", np.ones(4)).round(3)
    array([0.667, 0.667, 0.667, 2.   ])
    >>> class_weights(codes, classes, {"yes": 3}, np.ones(4))
    array([1., 1., 1., 3.])
    """
    if class_weight is None:
        return sample_weight
    if isinstance(class_weight, str):
        totals = np.bincount(codes, weights=sample_weight, minlength=len(classes))
        present = totals > 0.0
        factors = np.zeros(len(classes))
        factors[present] = totals.sum() / (np.count_nonzero(present) * totals[present])
    else:
        known = list(classes.tolist())
        unknown = [value for value in class_weight if value not in known]
        if unknown:
            raise ValueError(
                f"class_weight must name classes of y, which are {known}. "
                f"Got {unknown[0]!r} instead."
            )
        factors = np.array([float(class_weight.get(value, 1.0)) for value in known])
        if not (np.isfinite(factors) & (factors >= 0.0)).all():
            raise ValueError(
                "class_weight must hold finite numbers that are not negative. "
                f"Got {dict(class_weight)} instead."
            )
    return np.asarray(sample_weight * factors[codes])
