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
from aglets.estimators._parameters import Condition, either, in_range, loss_for, one_of
from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats
from aglets.model import LagraModel
from aglets.model.losses import LOSSES, Huber, Loss
from aglets.model.target import is_known
from aglets.training.sample import Sample

__all__ = ["LagraForClasses", "LagraForNumbers"]


def _gives_probabilities(estimator: Any) -> bool:
    kind = estimator.loss if isinstance(estimator.loss, Loss) else LOSSES.get(estimator.loss)
    if kind is None or not kind.probabilistic:
        raise AttributeError(
            f"predict_proba needs loss='logistic', got loss={estimator.loss!r}; "
            "or wrap the estimator in CalibratedClassifierCV."
        )
    return True


def _complete(predictions: NDArray[Any]) -> NDArray[Any]:
    """Return predictions after checking that none is missing: a score needs all."""
    missing = np.flatnonzero(~is_known(predictions.reshape(len(predictions), -1)[:, 0]))
    if missing.size:
        raise ValueError(
            f"Expected graphs that can all be read, to score predictions, but {missing.size} of "
            f"{len(predictions)} cannot, the first in row {missing[0]}; leave them out first: "
            "graphs = GraphSet.from_smiles(smiles, errors='skip'), with y[graphs.rows]."
        )
    return predictions


class LagraForClasses(ClassifierMixin, BaseLagra):  # type: ignore[misc]
    """Two classes are -1 and +1; more are one output each, that class against the rest."""

    _conditions: ClassVar[Mapping[str, Condition]] = {
        **BaseLagra._conditions,
        "loss": loss_for("classification"),
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
            A molecule in a list of SMILES or RDKit molecules that cannot be read keeps its row,
            with None, and a warning names it; so it is with NaN in ``decision_function``,
            ``predict_proba`` and ``transform``, and None in ``explain``.
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
        jobs = effective_n_jobs(self.n_jobs)
        p: Floats = self.model_.predict_proba(X, covariates, n_jobs=jobs)
        return p

    def score(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, covariates: Any = None
    ) -> float:
        """Return the accuracy: the share of graphs that are classified correctly.

        Parameters
        ----------
        X : GraphSet or list of graphs
        y : array-like of shape (n_graphs,)
        sample_weight : array-like of shape (n_graphs,), optional
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Your own, if the model was fitted with such.
        """
        found = _complete(self.predict(X, covariates))
        return float(accuracy_score(y, found, sample_weight=sample_weight))

    def _learn_targets(
        self, graphs: GraphSet, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> Sample:
        check_classification_targets(check_targets(y, len(graphs)))
        sample = super()._learn_targets(graphs, y, sample_weight)
        self.classes_ = self.outputs_.single.classes
        return sample


class LagraForNumbers(RegressorMixin, BaseLagra):  # type: ignore[misc]
    """y is one number per graph."""

    # Amounts add up in most numbers that are measured of graphs: see docs/choices.md.
    _default_pooling: ClassVar[tuple[str, ...]] = ("best", "sum")

    _conditions: ClassVar[Mapping[str, Condition]] = {
        **BaseLagra._conditions,
        "loss": loss_for("regression"),
        "epsilon": in_range(Huber.options["epsilon"]),
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
            A molecule in a list of SMILES or RDKit molecules that cannot be read keeps its row,
            with NaN, and a warning names it.
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
        found = _complete(self.predict(X, covariates))
        return float(r2_score(y, found, sample_weight=sample_weight))

    def _keep(self, model: LagraModel) -> None:
        super()._keep(model)
        self.coef_ = self.coef_[0]
        self.covariate_coef_ = self.covariate_coef_[0]
        self.intercept_ = float(self.intercept_[0])
