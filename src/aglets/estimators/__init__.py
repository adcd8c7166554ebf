"""scikit-learn estimators for graphs: classifiers and regressors, with and without selection."""

from __future__ import annotations

from aglets.estimators._cv import LagraClassifierCV, LagraRegressorCV
from aglets.estimators._over_grid import N_AVERAGED
from aglets.estimators._single import LagraClassifier, LagraRegressor

__all__ = [
    "N_AVERAGED",
    "LagraClassifier",
    "LagraClassifierCV",
    "LagraRegressor",
    "LagraRegressorCV",
]
