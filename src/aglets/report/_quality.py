"""How good a model is on given graphs, compared with simple baselines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats
from aglets.model import LagraModel

__all__ = ["quality"]

_N_BINS = 10


def quality(
    model: LagraModel, graphs: GraphSet, f: Floats, predictions: NDArray[Any], y: NDArray[Any]
) -> dict[str, Any]:
    """Compare predictions with the truth, and with baselines that know no structure."""
    if model.classes is None:
        return _of_numbers(graphs, predictions, y.astype(np.float64))
    classes = model.classes.tolist()
    truth = np.array([classes.index(value) for value in y.tolist()])
    predicted = np.array([classes.index(value) for value in predictions.tolist()])
    confusion = np.zeros((len(classes), len(classes)), dtype=np.int64)
    np.add.at(confusion, (truth, predicted), 1)
    result: dict[str, Any] = {
        "score": float((truth == predicted).mean()),
        "score_name": "accuracy",
        "confusion": confusion,
        "baselines": _baselines(graphs, truth, classification=True),
    }
    if len(classes) == 2 and len(np.unique(truth)) == 2:
        result |= _of_two(f, truth == 1)
        if model.loss == "logistic":
            result["calibration"] = _calibration(1.0 / (1.0 + np.exp(-f)), truth == 1)
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
    spread = float(((truth - truth.mean()) ** 2).sum())
    left = float(((truth - predicted) ** 2).sum())
    return {
        "score": 1.0 - left / spread if spread > 0.0 else None,
        "score_name": "R²",
        "error": float(np.sqrt(left / max(len(truth), 1))),
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
