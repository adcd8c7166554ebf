"""What estimators are scored by: ``scoring`` as in scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring, get_scorer_names

from aglets.model.metrics import METRICS, Answers, Metric, metric_named

__all__ = ["Score", "answers_of", "scorer_for"]


@dataclass(frozen=True)
class Score:
    """What a split is scored by: the estimator's own score, a metric, or a user's function."""

    name: str
    metric: Metric | None = None
    function: Callable[[Any, Any, Any], float] | None = None

    def of(
        self, estimator: Any, X: Any, y: NDArray[Any], answers: Answers, own: Mapping[str, Any]
    ) -> float:
        """Score predictions; ``own`` are further arguments of the estimator's methods."""
        if self.function is not None:
            return float(self.function(estimator, X, y))
        if self.metric is None:
            return float(estimator.score(X, y, **own))
        return -self.metric.of(answers) if self.metric.less_is_better else self.metric.of(answers)


def scorer_for(scoring: Any, estimator: Any, covariates: Any) -> Score:
    """Look up what ``scoring`` means for an estimator."""
    classes = is_classifier(estimator)
    if scoring is None:
        return Score("accuracy" if classes else "R²")
    if isinstance(scoring, str) and scoring in METRICS:
        metric = metric_named(scoring, classes=classes)
        return Score(scoring if metric.less_is_better else metric.name, metric)
    if covariates is not None:
        raise ValueError(
            f"Expected scoring to be one of {', '.join(map(repr, METRICS))} where there are "
            f"covariates, which scorers of scikit-learn do not know. Got {scoring!r} instead."
        )
    if isinstance(scoring, str) and scoring not in get_scorer_names():
        raise ValueError(
            f"Expected scoring to be one of {', '.join(METRICS)}, or another name in "
            f"sklearn.metrics.get_scorer_names(). Got {scoring!r} instead."
        )
    function = check_scoring(estimator, scoring)
    return Score(scoring if isinstance(scoring, str) else _name_of(scoring), None, function)


def _name_of(function: Any) -> str:
    return str(getattr(function, "__name__", "score"))


def answers_of(estimator: Any, X: Any, y: NDArray[Any], own: Mapping[str, Any]) -> Answers:
    """Let an estimator predict, and decide where it can."""
    predicted = np.asarray(estimator.predict(X, **own))
    if not is_classifier(estimator):
        return Answers(y, predicted)
    decision = None
    if hasattr(estimator, "decision_function"):
        decision = np.asarray(estimator.decision_function(X, **own))
    elif hasattr(estimator, "predict_proba"):
        p = np.asarray(estimator.predict_proba(X, **own))
        decision = p[:, 1] if p.shape[1] == 2 else p
    return Answers(y, predicted, decision, list(estimator.classes_))
