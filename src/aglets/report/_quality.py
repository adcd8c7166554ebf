"""How good a model is on given graphs, compared with simple baselines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats
from aglets.model.target import Target

__all__ = ["quality"]

_N_BINS = 10


def quality(
    target: Target,
    graphs: GraphSet,
    f: Floats,
    y: NDArray[Any],
    probabilities: Floats | None = None,
) -> dict[str, Any]:
    """Compare predictions with the truth, and with baselines that know no structure.

    ``f`` has shape (n_graphs, n_outputs), ``probabilities`` (n_graphs, n_classes).
    """
    score = target.score(target.encode(y), f, np.ones(len(f)))
    result: dict[str, Any] = {"score": score, "score_name": target.score_name}
    if target.classes is None:
        return result | _of_numbers(graphs, f[:, 0], y.astype(np.float64))
    truth = target.codes(y)
    confusion = np.zeros((len(target.classes), len(target.classes)), dtype=np.int64)
    np.add.at(confusion, (truth, target.decided(f)), 1)
    result["confusion"] = confusion
    result["baselines"] = _baselines(graphs, truth, classification=True)
    if target.binary and len(np.unique(truth)) == 2:
        result |= _of_two(f[:, 0], truth == 1)
        if probabilities is not None:
            result["calibration"] = _calibration(probabilities[:, 1], truth == 1)
    return result


def _of_two(f: Floats, positive: NDArray[np.bool_]) -> dict[str, Any]:
    from sklearn.metrics import roc_auc_score, roc_curve

    false, true, _ = roc_curve(positive, f)
    edges = np.linspace(f.min(), f.max() + 1e-12, 2 * _N_BINS + 1)
    return {
        "roc": {"false": false.round(4), "true": true.round(4)},
        "auc": float(roc_auc_score(positive, f)),
        "histogram": {
            "edges": edges.round(4),
            "counts": [np.histogram(f[positive == side], edges)[0] for side in (False, True)],
        },
    }


def _calibration(p: Floats, positive: NDArray[np.bool_]) -> dict[str, Any]:
    """Of graphs with like probability, the mean of it and the part that is positive."""
    bins = np.minimum((p * _N_BINS).astype(int), _N_BINS - 1)
    used = [b for b in range(_N_BINS) if (bins == b).any()]
    return {
        "predicted": [float(p[bins == b].mean()) for b in used],
        "true": [float(positive[bins == b].mean()) for b in used],
        "count": [int((bins == b).sum()) for b in used],
    }


def _of_numbers(graphs: GraphSet, predicted: Floats, truth: Floats) -> dict[str, Any]:
    squares = float(((truth - predicted) ** 2).sum())
    constant = {"score": None} if np.ptp(truth) == 0.0 else {}  # R² says nothing then
    return constant | {
        "error": float(np.sqrt(squares / max(len(truth), 1))),
        "baselines": _baselines(graphs, truth, classification=False),
        "fit": {"true": truth, "predicted": predicted},
    }


def _baselines(
    graphs: GraphSet, truth: NDArray[Any], *, classification: bool
) -> list[dict[str, Any]]:
    """Score the most common answer, and small trees on the size of graphs, by 5-fold validation."""
    from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if not classification:
        rows = [{"name": "always the mean", "score": 0.0}]
        if len(truth) >= 10 and np.ptp(truth) > 0.0:
            tree = DecisionTreeRegressor(max_depth=2, random_state=0)
            folds = KFold(5, shuffle=True, random_state=0)
            predicted = cross_val_predict(tree, _sizes(graphs), truth, cv=folds)
            left = float(((truth - predicted) ** 2).sum() / ((truth - truth.mean()) ** 2).sum())
            rows.append({"name": "size of the graph only", "score": 1.0 - left})
        return rows
    counts = np.bincount(truth)
    rows = [{"name": "always the most common class", "score": float(counts.max() / len(truth))}]
    if counts[counts > 0].min() >= 5 and (counts > 0).sum() > 1:
        tree = DecisionTreeClassifier(max_depth=2, random_state=0)
        cv = StratifiedKFold(5, shuffle=True, random_state=0)
        predicted = cross_val_predict(tree, _sizes(graphs), truth, cv=cv)
        rows.append({"name": "size of the graph only", "score": float((predicted == truth).mean())})
    return rows


def _sizes(graphs: GraphSet) -> Floats:
    return np.column_stack([graphs.n_nodes, graphs.n_edges]).astype(np.float64)
