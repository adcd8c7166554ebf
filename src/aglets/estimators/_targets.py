"""Classes and numbers: what y means to a classifier and to a regressor, and what they answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from aglets.estimators._base import BaseLagra, check_targets
from aglets.estimators._parameters import Condition, either, floats, one_of
from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats
from aglets.model import LagraModel
from aglets.model.losses import Huber, Logistic, Loss, Squared, SquaredHinge
from aglets.training.optim.weights import check_sample_weight, class_weights
from aglets.training.sample import Sample

__all__ = ["LagraForClasses", "LagraForNumbers"]


def _gives_probabilities(estimator: Any) -> bool:
    if estimator.loss != "logistic":
        raise AttributeError(
            f"predict_proba needs loss='logistic', got loss={estimator.loss!r}; "
            "or wrap the estimator in CalibratedClassifierCV."
        )
    return True


class LagraForClasses(ClassifierMixin, BaseLagra):  # type: ignore[misc]
    """Two classes are -1 and +1; more are one output each, that class against the rest."""

    _conditions: ClassVar[Mapping[str, Condition]] = {
        **BaseLagra._conditions,
        "loss": one_of("squared_hinge", "logistic"),
        "class_weight": either(
            Condition(lambda value: isinstance(value, Mapping), "a dict of weights by class"),
            one_of("balanced", None),
        ),
    }

    def decision_function(self, X: Any, covariates: Any = None) -> Floats:
        """Evaluate f(G) = beta_0 + sum_H beta_H psi(G; H), plus what covariates add.

        Parameters
        ----------
        X : GraphSet or list of graphs
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Your own, if the model was fitted with such.

        Returns
        -------
        f : ndarray of shape (n_graphs,) or (n_graphs, n_classes)
            Positive for ``classes_[1]``; with more than two classes, one column per class.
        """
        check_is_fitted(self)
        f: Floats = self.model_.decision_function(
            X, covariates, n_jobs=effective_n_jobs(self.n_jobs)
        )
        return f

    def predict(self, X: Any, covariates: Any = None) -> NDArray[Any]:
        """Name the class of each graph.

        Parameters
        ----------
        X : GraphSet or list of graphs
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Your own, if the model was fitted with such.

        Returns
        -------
        y : ndarray of shape (n_graphs,)
        """
        check_is_fitted(self)
        y: NDArray[Any] = self.model_.predict(X, covariates, n_jobs=effective_n_jobs(self.n_jobs))
        return y

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, covariates: Any = None) -> Floats:
        """Give the probability of each class; only with ``loss="logistic"``.

        Parameters
        ----------
        X : GraphSet or list of graphs
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Your own, if the model was fitted with such.

        Returns
        -------
        p : ndarray of shape (n_graphs, n_classes)
        """
        check_is_fitted(self)
        p: Floats = self.model_.predict_proba(X, covariates, n_jobs=effective_n_jobs(self.n_jobs))
        return p

    def score(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, covariates: Any = None
    ) -> float:
        """Return the part of graphs whose class is told rightly.

        Parameters
        ----------
        X : GraphSet or list of graphs
        y : array-like of shape (n_graphs,)
        sample_weight : array-like of shape (n_graphs,), optional
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Your own, if the model was fitted with such.
        """
        return float(accuracy_score(y, self.predict(X, covariates), sample_weight=sample_weight))

    def _loss(self) -> Loss:
        return Logistic() if self.loss == "logistic" else SquaredHinge()

    def _learn_targets(
        self, graphs: GraphSet, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> Sample:
        values = check_targets(y, len(graphs))
        check_classification_targets(values)
        weight = check_sample_weight(sample_weight, len(graphs))
        classes, codes = np.unique(values, return_inverse=True)
        present = np.unique(codes[weight > 0.0])
        if len(present) < 2:
            raise ValueError(
                f"{type(self).__name__} needs graphs of at least two classes in y (with a positive "
                f"weight). Got one class, {classes[present].tolist()}, instead."
            )
        self.classes_ = classes
        return self._sample(graphs, codes, weight)

    def _known_targets(
        self, graphs: GraphSet, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Sample:
        values = check_targets(y, len(graphs))
        unknown = [value for value in values.tolist() if value not in self.classes_.tolist()]
        if unknown:
            raise ValueError(
                f"validation holds the class {unknown[0]!r}, but y holds {self.classes_.tolist()}; "
                "give validation graphs of those classes only."
            )
        weight = check_sample_weight(sample_weight, len(graphs))
        return self._sample(graphs, np.searchsorted(self.classes_, values), weight)

    def _sample(self, graphs: GraphSet, codes: NDArray[np.intp], weight: Floats) -> Sample:
        outputs = np.arange(1, 2) if len(self.classes_) == 2 else np.arange(len(self.classes_))
        targets = np.where(codes == outputs[:, None], 1.0, -1.0)
        weighted = class_weights(codes, self.classes_, self.class_weight, weight)
        return Sample(graphs, targets, weight, weighted)


class LagraForNumbers(RegressorMixin, BaseLagra):  # type: ignore[misc]
    """y is one number per graph."""

    _conditions: ClassVar[Mapping[str, Condition]] = {
        **BaseLagra._conditions,
        "loss": one_of("squared", "huber"),
        "epsilon": floats(0.0),
    }

    def predict(self, X: Any, covariates: Any = None) -> Floats:
        """Estimate the number of each graph.

        Parameters
        ----------
        X : GraphSet or list of graphs
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Your own, if the model was fitted with such.

        Returns
        -------
        y : ndarray of shape (n_graphs,)
        """
        check_is_fitted(self)
        y: Floats = self.model_.predict(X, covariates, n_jobs=effective_n_jobs(self.n_jobs))
        return y

    def score(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, covariates: Any = None
    ) -> float:
        """Return the coefficient of determination R².

        Parameters
        ----------
        X : GraphSet or list of graphs
        y : array-like of shape (n_graphs,)
        sample_weight : array-like of shape (n_graphs,), optional
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Your own, if the model was fitted with such.
        """
        return float(r2_score(y, self.predict(X, covariates), sample_weight=sample_weight))

    def _loss(self) -> Loss:
        return Huber(self.epsilon) if self.loss == "huber" else Squared()

    def _learn_targets(
        self, graphs: GraphSet, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> Sample:
        return self._known_targets(graphs, y, sample_weight)

    def _known_targets(
        self, graphs: GraphSet, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Sample:
        values = check_targets(y, len(graphs))
        try:
            numbers = values.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{type(self).__name__} needs numbers in y. Got values such as "
                f"{values[0]!r} instead."
            ) from error
        bad = np.flatnonzero(~np.isfinite(numbers))
        if bad.size:
            raise ValueError(
                f"y must be finite. Got {numbers[bad[0]]} for graph {int(bad[0])} instead, "
                "which is NaN or infinity."
            )
        weight = check_sample_weight(sample_weight, len(graphs))
        return Sample(graphs, numbers[None, :], weight, weight)

    def _keep(self, model: LagraModel) -> None:
        super()._keep(model)
        self.coef_ = self.coef_[0]
        self.covariate_coef_ = self.covariate_coef_[0]
        self.intercept_ = float(self.intercept_[0])
