"""Data sets that are decided by something else than structure: by size, or by the order of a file.

A model of graphs that is not better than their size alone has learned nothing of their structure,
and where neighbours in a file are of one class, parts cut from it are not a fair test.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.graphs.arrays import Ints
from aglets.graphs.graph_set import GraphSet

__all__ = ["LeakWarning", "is_contiguous", "is_measured", "order_leak", "size_leak"]

#: From what share of the errors of "always the most frequent class" on a hint is worth a warning.
LEAK = 0.5
#: Fewer graphs say nothing.
MIN_GRAPHS = 10


class LeakWarning(UserWarning):
    """The targets follow from the size of graphs, or from their order, alone."""


def size_leak(graphs: GraphSet, targets: npt.NDArray[Any]) -> str | None:
    """Say so if numbers of nodes and edges alone predict the targets; None if not.

    Classes are predicted by a small decision tree, cross-validated; numbers by their correlation.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=["C", "CC"] * 10, edges=[[], [(0, 1)]] * 10)
    >>> print(size_leak(graphs, np.array(["small", "large"] * 10)))
    The class follows the node count alone: it predicts 100.0% of the classes. Compare every model
    with that, and with covariates='size'.
    """
    advice = "Compare every model with that, and with covariates='size'."
    if len(graphs) < MIN_GRAPHS:
        return None
    if is_measured(targets):
        r = _correlation(graphs.n_nodes, targets.astype(float))
        if r is None or r**2 < LEAK:
            return None
        return f"The target follows the node count alone: the correlation is {r:.2f}. {advice}"
    codes = _codes(targets)
    accuracy = _suspicious_accuracy(np.column_stack([graphs.n_nodes, graphs.n_edges]), codes)
    if accuracy is None:
        return None
    share = f"it predicts {accuracy:.1%} of the classes"
    return f"The class follows the node count alone: {share}. {advice}"


def order_leak(targets: npt.NDArray[Any]) -> str | None:
    """Say so if the position in the file predicts the class, by stretches long or short.

    Examples
    --------
    >>> print(order_leak(np.repeat(["no", "yes"], 20)))
    File order predicts the class: it predicts 95.0% of the classes. Shuffle before splitting, and
    never split contiguously.
    """
    advice = "Shuffle before splitting, and never split contiguously."
    if len(targets) < MIN_GRAPHS or is_measured(targets):
        return None
    codes = _codes(targets)
    accuracy = _suspicious_accuracy(np.arange(len(codes))[:, None], codes)
    if accuracy is not None:
        return f"File order predicts the class: it predicts {accuracy:.1%} of the classes. {advice}"
    rng = np.random.default_rng(0)
    by_chance = [_stretches(rng.permutation(codes)) for _ in range(100)]
    few = np.mean(by_chance) - 4.0 * np.std(by_chance)
    if _stretches(codes) >= few:
        return None
    return (
        "File order predicts the class: neighbours in the file are of one class more often than by "
        f"chance ({_stretches(codes)} stretches of one class, {np.mean(by_chance):.0f} by chance). "
        f"{advice}"
    )


def is_contiguous(rows: npt.NDArray[np.intp]) -> bool:
    """Whether a part is a stretch of the file.

    Examples
    --------
    >>> is_contiguous(np.array([3, 4, 5])), is_contiguous(np.array([3, 5, 9]))
    (True, False)
    """
    return len(rows) > 1 and int(np.ptp(rows)) + 1 == len(rows)


def is_measured(targets: npt.NDArray[Any]) -> bool:
    """Whether targets are measured rather than classes."""
    if targets.dtype.kind not in "iuf":
        return False
    distinct = np.unique(targets)
    return bool(
        (distinct != np.rint(distinct)).any() or len(distinct) > max(20, len(targets) // 10)
    )


def _codes(targets: npt.NDArray[Any]) -> Ints:
    return np.unique(targets.astype(str), return_inverse=True)[1]


def _suspicious_accuracy(hints: npt.NDArray[Any], codes: Ints) -> float | None:
    """Return the accuracy of a small decision tree on hints, if it is suspiciously good."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.tree import DecisionTreeClassifier

    counts = np.bincount(codes)
    kept = counts[codes] >= 5  # classes that can be in every fold
    if kept.sum() < MIN_GRAPHS or len(np.unique(codes[kept])) < 2:
        return None
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    depth = int(np.ceil(np.log2(len(counts)))) + 1
    tree = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=3, random_state=0)
    predicted = cross_val_predict(tree, hints[kept], codes[kept], cv=folds)
    accuracy = float((predicted == codes[kept]).mean())
    frequent = float(counts.max() / counts.sum())
    return accuracy if accuracy - frequent > LEAK * (1.0 - frequent) else None


def _correlation(sizes: npt.NDArray[Any], targets: npt.NDArray[Any]) -> float | None:
    if sizes.std() == 0 or targets.std() == 0:
        return None
    return float(np.corrcoef(sizes, targets)[0, 1])


def _stretches(codes: Ints) -> int:
    return int((codes[1:] != codes[:-1]).sum()) + 1
