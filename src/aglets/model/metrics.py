"""The numbers that people quote of predictions: AUC, MCC, RMSE and so on.

Most are computed by scikit-learn and SciPy, which are loaded when first needed. A number that is
not defined, such as an AUC where all graphs are of one class, is NaN.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.graphs.arrays import Floats
from aglets.model.ranking import average_precision, roc_auc
from aglets.model.target import Target

__all__ = [
    "METRICS",
    "Answers",
    "Metric",
    "answers_of",
    "metric_named",
    "metrics",
    "target_metrics",
    "text_of",
]


@dataclass(frozen=True)
class Answers:
    """The truth of some graphs, what was predicted, and how sure that is.

    Parameters
    ----------
    truth, predicted : ndarray of shape (n_graphs,)
        Classes, or numbers.
    decision : ndarray of shape (n_graphs,) or (n_graphs, n_classes) or None
        Grows with the second of two classes, or with each class; None if it is not known.
    classes : sequence or None
        All classes in order; None for numbers.
    weight : ndarray of shape (n_graphs,) or None
    """

    truth: NDArray[Any]
    predicted: NDArray[Any]
    decision: Floats | None = None
    classes: Sequence[Any] | None = None
    weight: Floats | None = None


@dataclass(frozen=True)
class Metric:
    """A number that says how good predictions are.

    Parameters
    ----------
    scoring : str
        What scikit-learn calls it; what it calls negative is positive here.
    name : str
        What people call it.
    classes : bool
        Whether it is for classes, or for numbers.
    value : callable
        Takes `Answers`.
    low, high : float
        Where it ends.
    less_is_better : bool
    """

    scoring: str
    name: str
    classes: bool
    value: Callable[[Answers], float]
    low: float = -math.inf
    high: float = math.inf
    less_is_better: bool = False

    def of(self, answers: Answers) -> float:
        """Compute it; NaN where it is not defined."""
        if not len(answers.truth):
            return math.nan
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what they warn of is NaN here
            try:
                return float(self.value(answers))
            except ValueError:  # as of classes that do not occur
                return math.nan


def _auc(answers: Answers) -> float:
    return _mean_over_classes(roc_auc, answers)


def _average_precision(answers: Answers) -> float:
    return _mean_over_classes(average_precision, answers)


def _mean_over_classes(
    value: Callable[[NDArray[np.bool_], Floats, Floats | None], float], answers: Answers
) -> float:
    positive, score = _ranked(answers)
    each = [
        value(of_class, column, answers.weight)
        for of_class, column in zip(positive.T, score.T, strict=True)
    ]
    return float(np.mean(each))


def _ranked(answers: Answers) -> tuple[NDArray[np.bool_], Floats]:
    """Return, a column per class that has a decision, who is in it, and the decision."""
    if answers.decision is None or answers.classes is None:
        raise ValueError("there is no decision")
    table = answers.decision.reshape(len(answers.truth), -1)
    asked = answers.classes[-table.shape[1] :]
    return np.stack([answers.truth == value for value in asked], axis=1), table


def _scikit(name: str) -> Callable[[Answers], float]:
    def value(answers: Answers) -> float:
        import sklearn.metrics

        function = getattr(sklearn.metrics, name)
        return float(function(answers.truth, answers.predicted, sample_weight=answers.weight))

    return value


def _rmse(answers: Answers) -> float:
    return math.sqrt(_scikit("mean_squared_error")(answers))


def _spearman(answers: Answers) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(answers.truth, answers.predicted).statistic)


#: By the name that ``scoring`` has in scikit-learn; Spearman's has none there.
METRICS = {
    metric.scoring: metric
    for metric in (
        Metric("roc_auc", "AUC", True, _auc, 0.0, 1.0),
        Metric("average_precision", "average precision", True, _average_precision, 0.0, 1.0),
        Metric("accuracy", "accuracy", True, _scikit("accuracy_score"), 0.0, 1.0),
        Metric(
            "balanced_accuracy",
            "balanced accuracy",
            True,
            _scikit("balanced_accuracy_score"),
            0.0,
            1.0,
        ),
        Metric("matthews_corrcoef", "MCC", True, _scikit("matthews_corrcoef"), -1.0, 1.0),
        Metric("r2", "R²", False, _scikit("r2_score"), high=1.0),
        Metric("neg_root_mean_squared_error", "RMSE", False, _rmse, low=0.0, less_is_better=True),
        Metric(
            "neg_mean_absolute_error",
            "MAE",
            False,
            _scikit("mean_absolute_error"),
            low=0.0,
            less_is_better=True,
        ),
        Metric("spearman", "Spearman", False, _spearman, -1.0, 1.0),
    )
}


def metric_named(scoring: str, *, classes: bool) -> Metric:
    """Look up a metric for classes or for numbers.

    Examples
    --------
    >>> metric_named("roc_auc", classes=True).name
    'AUC'
    >>> metric_named("roc_auc", classes=False)
    Traceback (most recent call last):
    ValueError: Expected scoring to be one of 'r2', 'neg_root_mean_squared_error', ...
    """
    known = [name for name, metric in METRICS.items() if metric.classes == classes]
    if scoring not in known:
        kind = "classes" if classes else "numbers"
        raise ValueError(
            f"Expected scoring to be one of {', '.join(map(repr, known))} for {kind}. "
            f"Got {scoring!r} instead."
        )
    return METRICS[scoring]


def metrics(answers: Answers) -> dict[str, float]:
    """Compute all that are for such answers, by the name that people use.

    Examples
    --------
    >>> metrics(Answers(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 6.0])))["MAE"]
    1.0
    """
    classes = answers.classes is not None
    return {
        metric.name: metric.of(answers) for metric in METRICS.values() if metric.classes == classes
    }


def target_metrics(
    target: Target, rows: Floats, f: Floats, weight: Floats | None = None
) -> dict[str, float]:
    """Compute the metrics of a target, over graphs of which its value is known.

    Parameters
    ----------
    target : Target
    rows : ndarray of shape (n_outputs, n_graphs)
        The truth, encoded.
    f : ndarray of shape (n_graphs, n_outputs)
    weight : ndarray of shape (n_graphs,), optional
    """
    return metrics(answers_of(target, rows, f, weight))


def answers_of(target: Target, rows: Floats, f: Floats, weight: Floats | None) -> Answers:
    """Turn encoded truth and f into what metrics compare."""
    known = ~np.isnan(rows[0])
    rows, f = rows[:, known], f[known]
    weight = None if weight is None else weight[known]
    if target.classes is None:
        return Answers(rows[0], f[:, 0], weight=weight)
    return Answers(
        truth=target.decided(rows.T),
        predicted=target.decided(f),
        decision=f[:, 0] if target.binary else f,
        classes=range(len(target.classes)),
        weight=weight,
    )


def text_of(found: dict[str, float]) -> str:
    """Write metrics on one line.

    >>> text_of({"AUC": 0.91, "MCC": float("nan")})
    'AUC 0.910, MCC not defined'
    """
    return ", ".join(
        f"{name} {'not defined' if math.isnan(value) else f'{value:.3f}'}"
        for name, value in found.items()
    )
