"""Classes and numbers: what y means to a classifier and to a regressor, and what they answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from aglets.estimators._base import BaseLagra
from aglets.estimators._losses import loss_for, losses_of
from aglets.estimators._parameters import Condition, either, in_range, one_of
from aglets.graphs.arrays import Floats
from aglets.graphs.threads import n_threads
from aglets.model import LagraModel
from aglets.model.losses import LOSSES, Huber, Loss
from aglets.model.target import is_known
from aglets.model.target_table import target_names, target_table

__all__ = ["LagraForClasses", "LagraForNumbers"]


def _gives_probabilities(estimator: Any) -> bool:
    asked = estimator.loss
    if isinstance(asked, Mapping):
        asked = [type(estimator)().loss, *asked.values()]
    each = asked if isinstance(asked, (list, tuple)) else [asked]
    kinds = [loss if isinstance(loss, Loss) else LOSSES.get(loss) for loss in each]
    direct = all(kind is not None and kind.probabilistic for kind in kinds)
    if not direct and _holds_out_nothing(estimator):
        raise AttributeError(
            "predict_proba needs held-out graphs, but this estimator has calibration=None; set "
            "calibration='auto', or loss='logistic'."
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


_CLASS_WEIGHT = either(
    Condition(lambda value: isinstance(value, Mapping), "a dict of weights by class"),
    one_of("balanced", None),
)


def _has_held_out(estimator: Any) -> bool:
    if _holds_out_nothing(estimator):
        raise AttributeError(
            "Prediction sets and intervals need held-out graphs, but this estimator has "
            "calibration=None; set calibration='auto'."
        )
    return True


def _holds_out_nothing(estimator: Any) -> bool:
    """Whether it is an estimator at one point without calibration; others hold out some graphs."""
    return hasattr(estimator, "calibration") and estimator.calibration is None


class LagraForClasses(ClassifierMixin, BaseLagra):  # type: ignore[misc]
    """Two classes are -1 and +1; more are one output each, that class against the rest."""

    _conditions: ClassVar[Mapping[str, Condition]] = {
        **BaseLagra._conditions,
        "loss": loss_for("classification"),
        "class_weight": either(
            _CLASS_WEIGHT,
            Condition(
                lambda value: isinstance(value, list) and all(map(_CLASS_WEIGHT.holds, value)),
                "a list with one of these for each target",
            ),
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
        f : ndarray of shape (n_graphs,) or (n_graphs, n_outputs)
            Positive for ``classes_[1]``; with more than two classes, one column per class. Several
            targets have their columns side by side: one each if all have two classes.
        """
        check_is_fitted(self)
        f: Floats = self.model_.decision_function(X, covariates, n_jobs=n_threads(self.n_jobs))
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
        y : ndarray of shape (n_graphs,), or (n_graphs, n_targets) if there are several
            A molecule in a list of SMILES or RDKit molecules that cannot be read keeps its row,
            with None, and a warning names it; so it is with NaN in ``decision_function``,
            ``predict_proba`` and ``transform``, and None in ``explain``.
        """
        check_is_fitted(self)
        y: NDArray[Any] = self.model_.predict(X, covariates, n_jobs=n_threads(self.n_jobs))
        return y

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, covariates: Any = None) -> Floats | list[Floats]:
        """Give the probability of each class.

        It is learned from graphs that were held out in the fit: by Platt's sigmoid, or by isotonic
        regression where there are at least 500 of every class. ``loss="logistic"`` gives it
        directly. It refers to the training graphs as they are, also with ``class_weight``:
        ``predict`` follows the sign of f, in which weights are, and may then name another class
        than the most probable one. More than two classes are calibrated one against the rest, and
        divided by their sum.

        Parameters
        ----------
        X : GraphSet or list of graphs
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Your own, if the model was fitted with such.

        Returns
        -------
        p : ndarray of shape (n_graphs, n_classes), or a list with one per target if several
            In the order of ``classes_``; rows sum to 1. None for a target of numbers.
        """
        check_is_fitted(self)
        jobs = n_threads(self.n_jobs)
        p: Floats | list[Floats] = self.model_.predict_proba(X, covariates, n_jobs=jobs)
        return p

    @available_if(_has_held_out)  # type: ignore[untyped-decorator]
    def predict_set(self, X: Any, covariates: Any = None, *, alpha: float = 0.1) -> Any:
        """Say which classes a graph may have, such that the true one is left out rarely.

        A conformal prediction set: of further graphs of any class at most about a share ``alpha``
        lack their class in it, if they are drawn like the training graphs. A set with all classes
        says that the model cannot decide; an empty one, that the graph is unlike the held-out
        graphs of every class.

        Parameters
        ----------
        X : GraphSet or list of graphs
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Your own, if the model was fitted with such.
        alpha : float, default=0.1
            The share of errors that is allowed.

        Returns
        -------
        ndarray of bool, shape (n_graphs, n_classes), or a list with one per target if several
            In the order of ``classes_``.

        Examples
        --------
        >>> from aglets import LagraClassifier, datasets
        >>> graphs, y = datasets.load_acids()
        >>> clf = LagraClassifier(maxpat=3).fit(graphs[:250], y[:250])
        >>> sets = clf.predict_set(graphs[250:], alpha=0.1)
        >>> sets.shape
        (50, 2)
        """
        check_is_fitted(self)
        jobs = n_threads(self.n_jobs)
        return self.model_.predict_set(X, covariates, alpha=alpha, n_jobs=jobs)

    def score(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, covariates: Any = None
    ) -> float:
        """Return the accuracy: the share of graphs that are classified correctly.

        Of several targets it is the mean of their scores, each over the graphs whose value is
        known.

        Parameters
        ----------
        X : GraphSet or list of graphs
        y : array-like or DataFrame of shape (n_graphs,) or (n_graphs, n_targets)
        sample_weight : array-like of shape (n_graphs,), optional
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Your own, if the model was fitted with such.
        """
        if self._has_gaps(y):
            return self._mean_score(X, y, sample_weight, covariates)
        found = _complete(self.predict(X, covariates))
        return float(accuracy_score(y, found, sample_weight=sample_weight))

    def _learn_targets(self, graphs: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Any:
        values = target_table(y, len(graphs))
        columns = [values] if values.ndim == 1 else list(values.T)
        losses = losses_of(self, target_names(y, len(columns)))
        for column, (loss, _) in zip(columns, losses, strict=True):
            known = column[is_known(column)]
            if loss.classification and len(known):
                _check_no_measurements(known)
        sample = super()._learn_targets(graphs, y, sample_weight)
        classes = [target.classes for target in self.outputs_.targets]
        if all(each is None for each in classes):
            raise ValueError(
                f"{type(self).__name__} needs a target of classes. Got losses for numbers only; "
                "take LagraRegressor or LagraRegressorCV instead."
            )
        self.classes_: Any = classes[0] if len(classes) == 1 else classes
        return sample

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _check_no_measurements(known: NDArray[Any]) -> None:
    """Raise for fractions: they are not classes."""
    plain = np.array(known.tolist()) if known.dtype.kind == "O" else known
    if plain.dtype.kind == "f":
        check_classification_targets(plain)


class LagraForNumbers(RegressorMixin, BaseLagra):  # type: ignore[misc]
    """y is one number per graph and target."""

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
        y : ndarray of shape (n_graphs,), or (n_graphs, n_targets) if there are several
            A molecule in a list of SMILES or RDKit molecules that cannot be read keeps its row,
            with NaN, and a warning names it.
        """
        check_is_fitted(self)
        y: Floats = self.model_.predict(X, covariates, n_jobs=n_threads(self.n_jobs))
        return y

    @available_if(_has_held_out)  # type: ignore[untyped-decorator]
    def predict_interval(self, X: Any, covariates: Any = None, *, alpha: float = 0.1) -> Any:
        """Give an interval around each prediction that mostly contains the true number.

        A conformal prediction interval: of further graphs at most about a share ``alpha`` lie
        outside, if they are drawn like the training graphs. All intervals have the same length.

        Parameters
        ----------
        X : GraphSet or list of graphs
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Your own, if the model was fitted with such.
        alpha : float, default=0.1
            The share of errors that is allowed.

        Returns
        -------
        ndarray of shape (n_graphs, 2), or a list with one per target if several
            Lower and upper ends; infinite where held-out graphs are too few to say.

        Examples
        --------
        >>> from aglets import GraphSet, LagraRegressor
        >>> graphs = GraphSet.from_lists(labels=["CO", "CN"] * 20, edges=[[(0, 1)]] * 40)
        >>> y = [2.0, 5.0] * 20
        >>> reg = LagraRegressor(lambda_ratio=0.01).fit(graphs, y)
        >>> low, high = reg.predict_interval(graphs[:1], alpha=0.1)[0]
        >>> bool(low <= 2.0 <= high)
        True
        """
        check_is_fitted(self)
        jobs = n_threads(self.n_jobs)
        return self.model_.predict_interval(X, covariates, alpha=alpha, n_jobs=jobs)

    def score(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, covariates: Any = None
    ) -> float:
        """Return the coefficient of determination R².

        Of several targets it is the mean of their scores, each over the graphs whose value is
        known.

        Parameters
        ----------
        X : GraphSet or list of graphs
        y : array-like or DataFrame of shape (n_graphs,) or (n_graphs, n_targets)
        sample_weight : array-like of shape (n_graphs,), optional
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Your own, if the model was fitted with such.
        """
        if self._has_gaps(y):
            return self._mean_score(X, y, sample_weight, covariates)
        found = _complete(self.predict(X, covariates))
        return float(r2_score(y, found, sample_weight=sample_weight))

    def _learn_targets(self, graphs: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Any:
        sample = super()._learn_targets(graphs, y, sample_weight)
        if all(target.classes is not None for target in self.outputs_.targets):
            raise ValueError(
                f"{type(self).__name__} needs a target of numbers. Got losses for classes only; "
                "take LagraClassifier or LagraClassifierCV instead."
            )
        return sample

    def _keep(self, model: LagraModel) -> None:
        super()._keep(model)
        if model.n_outputs > 1:
            return
        self.coef_ = self.coef_[0]
        self.covariate_coef_ = self.covariate_coef_[0]
        self.intercept_ = float(self.intercept_[0])
