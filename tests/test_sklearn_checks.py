"""scikit-learn's whole suite of estimator checks, on rows of a table seen as graphs.

The suite speaks in tables. A row becomes a graph with one node per column: the column's number is
the label, the value the attribute, and there are no edges. What the suite says of the adapters it
says of the estimators behind them.
"""

from __future__ import annotations

import numpy as np
from sklearn.utils.estimator_checks import (
    check_classifiers_multilabel_output_format_predict_proba,
    parametrize_with_checks,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from aglets import GraphSet, LagraClassifier, LagraRegressor


def as_graphs(X):
    n, d = X.shape
    return GraphSet(
        node_offsets=np.arange(n + 1) * d,
        labels=np.tile(np.arange(d), n),
        vocabulary=tuple(range(d)),
        attributes=np.asarray(X, dtype=float).reshape(-1, 1),
        edge_offsets=np.zeros(n + 1, dtype=int),
        edges=np.empty((0, 2), dtype=int),
    )


class Rows:
    """Lets an estimator of graphs take a table."""

    def fit(self, X, y=None, sample_weight=None):
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        numeric = isinstance(self, LagraRegressor)
        X, y = validate_data(self, X, y, y_numeric=numeric, multi_output=True)
        return super().fit(as_graphs(X), y, sample_weight)

    def _rows(self, X):
        check_is_fitted(self)
        return as_graphs(validate_data(self, X, reset=False))

    def predict(self, X, covariates=None):
        return super().predict(self._rows(X), covariates)

    def transform(self, X):
        return super().transform(self._rows(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        tags.input_tags.one_d_array = False
        return tags


class RowClassifier(Rows, LagraClassifier):
    def decision_function(self, X, covariates=None):
        return super().decision_function(self._rows(X), covariates)


class RowRegressor(Rows, LagraRegressor):
    pass


# Without calibration, because graphs of weight two are not held out twice.
QUICK = {"n_lambdas": 10, "maxpat": 1, "lambda_ratio": 0.01, "max_epochs": 20, "calibration": None}


class RowLogistic(RowClassifier):
    """Gives probabilities, too."""

    def predict_proba(self, X, covariates=None):
        return super().predict_proba(self._rows(X), covariates)


def not_ours(estimator):
    """Say which checks hold in another form."""
    if not isinstance(estimator, LagraClassifier):
        return {}
    # Forests have a list, too; test_several_targets.py holds the rest of what this check says.
    return {"check_classifier_multioutput": "it takes classes_ as an array, not as a list of them"}


@parametrize_with_checks(
    [RowClassifier(**QUICK), RowRegressor(**QUICK)], expected_failed_checks=not_ours
)
def test_scikit_learns_suite(estimator, check):
    check(estimator)


def test_probabilities_of_several_targets_are_a_list_as_in_scikit_learn():
    check_classifiers_multilabel_output_format_predict_proba(
        "RowLogistic", RowLogistic(**QUICK, loss="logistic")
    )
