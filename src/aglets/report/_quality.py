"""How good a model is on given graphs, by several measures, compared with simple answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats
from aglets.model.metrics import Answers, metrics
from aglets.model.target import Target

__all__ = ["quality"]

_N_BINS = 10

#: What each measure means, for readers who do not know it.
MEANINGS = {
    "accuracy": "share of {noun}s that are predicted correctly",
    "balanced accuracy": "mean over classes of the share that is found; chance is 1 divided by the "
    "number of classes",
    "AUC": "chance that a {noun} of class {second} is ranked above one of class {first}; 0.5 is "
    "chance",
    "average precision": "mean precision along the ranking; chance is the share of class {second}",
    "MCC": "correlation of predictions with the truth, from -1 to 1; 0 is chance",
    "macro F1": "mean over classes of precision and recall in one number, from 0 to 1",
    "RMSE": "typical error, in the unit of the target; large errors count more",
    "MAE": "mean error, in the unit of the target",
    "R²": "share of the variance that is explained; 0 for always predicting the mean",
    "Spearman": "agreement of order (rank correlation), from -1 to 1",
}


def quality(
    target: Target,
    graphs: GraphSet,
    f: Floats,
    y: NDArray[Any],
    probabilities: Floats | None = None,
    noun: str = "graph",
) -> dict[str, Any]:
    """Compare predictions with the truth, and with answers that know no structure.

    ``f`` has shape (n_graphs, n_outputs), ``probabilities`` (n_graphs, n_classes).
    """
    if target.classes is None:
        return _of_numbers(graphs, f[:, 0], y.astype(np.float64), noun)
    truth = target.codes(y)
    n_classes = len(target.classes)
    confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
    np.add.at(confusion, (truth, target.decided(f)), 1)
    scores = f[:, 0] if target.binary else None
    answers = [
        ("this model", target.decided(f), scores),
        *_simple_answers(graphs, truth, n_classes, noun),
    ]
    result: dict[str, Any] = {
        "n": len(truth),
        "answers": [name for name, _, _ in answers],
        "metrics": _table(
            [_class_metrics(truth, decided, score, n_classes) for _, decided, score in answers],
            noun=noun,
            first=str(target.classes[0]),
            second=str(target.classes[1]),
        ),
        "confusion": confusion,
        "counts": confusion.sum(axis=1),
    }
    if not target.binary:
        result["per_class"] = _per_class(confusion)
    elif len(np.unique(truth)) == 2:
        result |= _of_two(f[:, 0], truth == 1)
        if probabilities is not None:
            result["calibration"] = _calibration(probabilities[:, 1], truth == 1)
    return result


def _table(columns: list[dict[str, float | None]], **words: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "meaning": MEANINGS[name].format(**words),
            "values": [column[name] for column in columns],
        }
        for name in columns[0]
    ]


def _class_metrics(
    truth: NDArray[np.intp], decided: NDArray[np.intp], score: Floats | None, n_classes: int
) -> dict[str, float | None]:
    """Quote what the commands quote, but for several classes only what needs no decision."""
    both = len(np.unique(truth)) == 2
    found = metrics(Answers(truth, decided, score if both else None, range(n_classes)))
    names = ["accuracy", "balanced accuracy", "AUC", "average precision", "MCC"]
    if n_classes == 2:
        return {
            name: _defined(found[name]) if both or name in names[:2] else None for name in names
        }
    from sklearn.metrics import f1_score

    labels = np.unique(truth)
    f1 = f1_score(truth, decided, average="macro", labels=labels, zero_division=0.0)
    quoted = {name: _defined(found[name]) for name in (*names[:2], "MCC")}
    return quoted | {"macro F1": float(f1)}


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else value


def _per_class(confusion: NDArray[np.int64]) -> dict[str, list[float | None]]:
    """Recall and precision of each class; None where there is nothing to divide by."""
    right, true, said = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    return {
        "recall": [float(r / n) if n else None for r, n in zip(right, true, strict=True)],
        "precision": [float(r / n) if n else None for r, n in zip(right, said, strict=True)],
    }


def _of_two(f: Floats, positive: NDArray[np.bool_]) -> dict[str, Any]:
    from sklearn.metrics import roc_curve

    false, true, _ = roc_curve(positive, f)
    # Zero is where the answer changes: it is in the picture, and the edge of a bar.
    low, high = min(float(f.min()), 0.0), max(float(f.max()), 0.0)
    width = (high - low) / (2 * _N_BINS) or 1.0
    first, last = int(np.floor(low / width)), int(np.ceil(high / width + 1e-9))
    edges = width * np.arange(first, last + 1)
    return {
        "roc": {"false": false.round(4), "true": true.round(4)},
        "histogram": {
            "edges": edges.round(4),
            "counts": [np.histogram(f[positive == side], edges)[0] for side in (False, True)],
        },
    }


def _calibration(p: Floats, positive: NDArray[np.bool_]) -> dict[str, Any]:
    """Of graphs with like probability, the mean of it and the share that is positive."""
    bins = np.minimum((p * _N_BINS).astype(int), _N_BINS - 1)
    used = [b for b in range(_N_BINS) if (bins == b).any()]
    return {
        "predicted": [float(p[bins == b].mean()) for b in used],
        "true": [float(positive[bins == b].mean()) for b in used],
        "count": [int((bins == b).sum()) for b in used],
    }


def _of_numbers(graphs: GraphSet, predicted: Floats, truth: Floats, noun: str) -> dict[str, Any]:
    answers = [
        ("this model", predicted),
        ("always the mean", np.full(len(truth), truth.mean())),
    ]
    if len(truth) >= 10 and np.ptp(truth) > 0.0:
        answers.append((f"size of the {noun} only", _tree_numbers(graphs, truth)))
    return {
        "n": len(truth),
        "answers": [name for name, _ in answers],
        "metrics": _table([_number_metrics(truth, answer) for _, answer in answers], noun=noun),
        "fit": {"true": truth, "predicted": predicted.round(6)},
    }


def _number_metrics(truth: Floats, predicted: Floats) -> dict[str, float | None]:
    found = metrics(Answers(truth, predicted))
    if not np.ptp(truth) > 0.0:
        found["R²"] = np.nan  # it says nothing of targets that are all the same
    return {name: _defined(found[name]) for name in ("RMSE", "MAE", "R²", "Spearman")}


def _tree_numbers(graphs: GraphSet, truth: Floats) -> Floats:
    from sklearn.model_selection import KFold, cross_val_predict
    from sklearn.tree import DecisionTreeRegressor

    tree = DecisionTreeRegressor(max_depth=2, random_state=0)
    folds = KFold(5, shuffle=True, random_state=0)
    return np.asarray(cross_val_predict(tree, _sizes(graphs), truth, cv=folds))


def _simple_answers(
    graphs: GraphSet, truth: NDArray[np.intp], n_classes: int, noun: str
) -> list[tuple[str, NDArray[np.intp], Floats | None]]:
    """Give the most common answer, and small trees on the size of graphs, by 5-fold validation."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.tree import DecisionTreeClassifier

    counts = np.bincount(truth)
    same = np.zeros(len(truth))
    scores = same if n_classes == 2 else None
    common = np.full(len(truth), counts.argmax())
    answers = [("always the most common class", common, scores)]
    if counts[counts > 0].min() >= 5 and (counts > 0).sum() > 1:
        tree = DecisionTreeClassifier(max_depth=2, random_state=0)
        cv = StratifiedKFold(5, shuffle=True, random_state=0)
        p = cross_val_predict(tree, _sizes(graphs), truth, cv=cv, method="predict_proba")
        decided = np.flatnonzero(counts)[p.argmax(axis=1)]
        answers.append((f"size of the {noun} only", decided, p[:, -1] if n_classes == 2 else None))
    return answers


def _sizes(graphs: GraphSet) -> Floats:
    return np.column_stack([graphs.n_nodes, graphs.n_edges]).astype(np.float64)
