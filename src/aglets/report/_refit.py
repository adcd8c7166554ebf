"""Simpler models from the graphlets at hand, for models whose path is not at hand.

Files of format 1 kept only the graphlets of the last lambda, and so do models made by hand. With
their attributes as they are, their weights are fitted again to the graphs of the report at larger
penalties, by the same objective: 1/2 sum of losses + lambda |beta|_1. Scores are those of 5-fold
validation on these graphs.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aglets.graphs.arrays import Floats
from aglets.model.target import Target

__all__ = ["Refit", "refitted"]

_N_STOPS, _RATIO = 16, 0.03


class Refit(NamedTuple):
    """One stop of the slider."""

    lam: float
    coef: Floats
    score: float


def refitted(psi: Floats, y: NDArray[Any], target: Target) -> list[Refit]:
    """Fit weights at penalties from the largest downwards; empty if there is too little to fit."""
    from sklearn.exceptions import ConvergenceWarning

    if psi.shape[1] == 0 or len(y) < 10:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if target.classes is None:
            return _of_numbers(psi, y.astype(np.float64))
        return _of_classes(psi, target.codes(y))


def _of_classes(psi: Floats, y: NDArray[np.intp]) -> list[Refit]:
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.svm import LinearSVC

    values, codes = np.unique(y, return_inverse=True)  # some classes may have no graph here
    if len(values) < 2 or np.bincount(codes).min() < 5 or not psi.any():
        return []
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    largest = max(_lambda_max(psi, codes == code) for code in range(len(values)))
    if largest == 0.0:
        return []
    stops = []
    for lam in largest * np.geomspace(1.0, _RATIO, _N_STOPS):
        # scikit-learn's C weighs the losses instead of the penalty; a large intercept_scaling
        # leaves the intercept nearly free, as it is in the model.
        svc = LinearSVC(
            penalty="l1",
            dual=False,
            C=1.0 / (2.0 * lam),
            intercept_scaling=10.0,
            random_state=0,
            max_iter=300,
            tol=1e-3,
        )
        predicted = cross_val_predict(svc, psi, codes, cv=folds)
        coef = svc.fit(psi, codes).coef_
        strongest = coef[np.abs(coef).argmax(axis=0), np.arange(psi.shape[1])]
        stops.append(Refit(float(lam), strongest, float((predicted == codes).mean())))
    return stops


def _lambda_max(psi: Floats, inside: NDArray[np.bool_]) -> float:
    """Return the smallest penalty that leaves no graphlet: |sum_i psi_i y_i (1 - y_i mean(y))|."""
    y = np.where(inside, 1.0, -1.0)
    return float(np.abs(psi.T @ (y * (1.0 - y * y.mean()))).max())


def _of_numbers(psi: Floats, y: Floats) -> list[Refit]:
    from sklearn.linear_model import Lasso
    from sklearn.model_selection import KFold, cross_val_predict

    spread = float(((y - y.mean()) ** 2).sum())
    largest = float(np.abs((psi - psi.mean(axis=0)).T @ (y - y.mean())).max())
    if spread == 0.0 or largest == 0.0:
        return []
    folds = KFold(5, shuffle=True, random_state=0)
    stops = []
    for lam in largest * np.geomspace(1.0, _RATIO, _N_STOPS):
        lasso = Lasso(alpha=lam / len(y))
        left = float(((cross_val_predict(lasso, psi, y, cv=folds) - y) ** 2).sum())
        stops.append(Refit(float(lam), lasso.fit(psi, y).coef_, 1.0 - left / spread))
    return stops
