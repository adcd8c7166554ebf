"""What all estimators share: from the user's X and y to a sample, from path points to a model."""

from __future__ import annotations

import logging
import os
from abc import ABCMeta, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MultiOutputMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from aglets.estimators._losses import losses_of
from aglets.estimators._parameters import (
    Condition,
    check_parameters,
    either,
    floats,
    integers,
    many,
    one_of,
)
from aglets.estimators._relaxing import RELAX
from aglets.estimators._stability import stability_of
from aglets.explain import GlobalExplanation, explain_global, explain_local, summarise
from aglets.graphlets.graphlet import COUNT_SCALES, POOLINGS, graphlet_names
from aglets.graphs import GraphSet, as_graph_set
from aglets.graphs.arrays import Floats
from aglets.graphs.notes import Notices
from aglets.graphs.stored import StoredGraphs
from aglets.graphs.threads import MAX_THREADS, n_threads
from aglets.model import LagraModel, Match
from aglets.model.calibration import Calibration
from aglets.model.examples import with_examples
from aglets.model.outputs import Outputs
from aglets.model.search_record import SearchRecord
from aglets.model.target import is_known
from aglets.model.target_table import column_name, target_names, target_table
from aglets.model.training_graphs import TrainingGraphs
from aglets.model.training_record import TrainingRecord
from aglets.model.weights import check_sample_weight
from aglets.preprocessing.covariates import BUILT_IN, Covariates, learn_covariates
from aglets.preprocessing.input_spec import InputSpec
from aglets.preprocessing.node_labels import NodeLabels, label_nodes, lacks_labels
from aglets.preprocessing.scaling import SCALES
from aglets.training.assembly import model_of
from aglets.training.engine import Engine, LocalEngine
from aglets.training.fitting import FitCallback, Settings
from aglets.training.held_out import HeldOut, of_model
from aglets.training.path_point import PathPoint
from aglets.training.progress import watched
from aglets.training.sample import Sample
from aglets.training.stored import StoredSample

__all__ = ["DEFAULT_MAX_BYTES", "DEFAULT_MAX_WORK", "BaseLagra"]


#: Dense graphs have more patterns than memory: 2 GiB of them leave room for the rest.
DEFAULT_MAX_BYTES = 2**31
#: Graphs in shards from which examples and occurrences of graphlets are taken.
N_SHOWN = 2000
#: About five minutes of searching; benchmarks/bench_work.py measures units per second.
DEFAULT_MAX_WORK = 15 * 10**9

#: More classes than this share graphlets unless asked otherwise: models of their own for each would
#: be too many graphlets to read (`benchmarks/bench_outputs.py`).
MANY_CLASSES = 10

an_engine = Condition(
    lambda value: isinstance(value, Engine) and not isinstance(value, type),
    "an engine such as ShardedEngine(n_shards=2)",
)

a_function = Condition(callable, "a function of a Graph that returns a label per node")

#: (graphs, y), (graphs, y, sample_weight) or (graphs, y, sample_weight, covariates)
Validation = tuple[Any, ...]


logger = logging.getLogger("aglets")


@dataclass(frozen=True)
class LabelledTask:
    """What fit works on, with nodes labelled in one way."""

    node_labels: NodeLabels
    sample: Sample
    validation: Sample | None
    covariates: Covariates | None


class BaseLagra(MultiOutputMixin, TransformerMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Parameters, input, model and transform; classes and numbers are the business of others."""

    #: What ``pooling="auto"`` means.
    _default_pooling: ClassVar[tuple[str, ...]] = ("best",)

    model_: LagraModel

    _conditions: ClassVar[Mapping[str, Condition]] = {
        "n_lambdas": integers(1),
        "scale": one_of(*SCALES),
        "solver": one_of("fast", "paper"),
        "learn_attributes": one_of(True, False),
        "covariates": one_of(*BUILT_IN, None),
        "covariate_penalty": floats(0.0, closed="left"),
        "relax": RELAX,
        "max_epochs": integers(1),
        "patience": integers(1),
        "tol": floats(0.0, closed="left"),
        "max_nodes": either(integers(1), one_of(None)),
        "max_bytes": either(integers(1), one_of(None)),
        "max_work": either(integers(1), one_of(None)),
        "max_seconds": either(floats(0.0), one_of(None)),
        "engine": either(an_engine, one_of(None)),
        "pooling": either(one_of("auto"), many(one_of(*POOLINGS))),
        "sharing": either(one_of("auto", "group", "none"), floats(0.0, 1.0, closed="both")),
        "count_scale": one_of("auto", *COUNT_SCALES),
        "node_labels": either(one_of("auto", "degree", "none"), a_function),
        "n_jobs": either(integers(1, MAX_THREADS), integers(-MAX_THREADS, -1), one_of(None)),
        "verbose": either(integers(0), one_of(True, False)),
    }

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        validation: Validation | None = None,
        callback: FitCallback | None = None,
        covariates: Any = None,
    ) -> BaseLagra:
        """Learn graphlets and their coefficients.

        Parameters
        ----------
        X : GraphSet, list of graphs, or aglets.io.shards.ShardSet
            Graphs in shards bring their targets, and are read by those who train on them; see
            docs/scale.md.
        y : array-like or DataFrame of shape (n_graphs,) or (n_graphs, n_targets)
            Classes of any type, or numbers in regression. NaN, None or a mask is where a value is
            unknown; such a graph plays no part for that target. Columns of a DataFrame name the
            targets.
        sample_weight : array-like of shape (n_graphs,), optional
            A graph of weight 2 counts as the same graph given twice.
        validation : (graphs, y), (…, sample_weight) or (…, sample_weight, covariates), optional
            Graphs that are not trained on. Every lambda keeps the state that does best on them.
        callback : aglets.training.fitting.FitCallback, optional
            Called for every lambda; it may return paths that were walked before.
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Numbers of your own for every graph that are in the model in addition to the graphlets
            and the built-in ones. ``predict`` then needs them, too.

        Returns
        -------
        self
        """
        check_parameters(self, self._conditions)
        if isinstance(X, StoredGraphs):
            self._refuse_with_shards(y, sample_weight, validation, covariates)
            with self._collecting(), watched(int(self.verbose), callback) as progress:
                return self._on_shards(X, progress)
        if y is None:
            # The words scikit-learn's tools look for.
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        if validation is not None and (
            not isinstance(validation, Sequence) or len(validation) not in (2, 3, 4)
        ):
            raise TypeError(
                "validation must be a tuple (graphs, y), (graphs, y, sample_weight) or "
                "(graphs, y, sample_weight, covariates). "
                f"Got {type(validation).__name__} instead."
            )
        given = as_graph_set(X)
        ways = self._labellings(given)
        tasks = [
            self._labelled_task(how, given, y, sample_weight, validation, covariates)
            for how in ways
        ]
        with (
            self._collecting(),
            self._engine.session(),
            watched(int(self.verbose), callback) as progress,
        ):
            task, held = self._fit_tasks(tasks, progress)
        if "degree" in ways:
            logger.info(
                "All nodes have the same label: %s",
                "their degrees are the labels instead."
                if self.node_labels_ == "degree"
                else "degrees were tried as labels, and did worse.",
            )
        self._complete(task.sample, held, given, y)
        return self

    def adopt(
        self,
        model: LagraModel,
        X: Any,
        y: ArrayLike,
        *,
        held_out: Sample | None = None,
        covariates: Any = None,
    ) -> BaseLagra:
        """Take a model of a fit that a callback has ended as the fitted one.

        Parameters
        ----------
        model : LagraModel
            One that :meth:`fit` was about to compare with others.
        X : GraphSet or list of graphs
            What was given to :meth:`fit`.
        y : array-like or DataFrame of shape (n_graphs,) or (n_graphs, n_targets)
        held_out : Sample, optional
            Graphs that the model was not trained on, as the callback saw them: probabilities and
            intervals are learned from them.
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
        """
        given, how = as_graph_set(X), model.input_spec.node_labels
        task = self._labelled_task(how, given, y, None, None, covariates)
        self._take(task)
        self._keep(model)
        n_jobs = n_threads(self.n_jobs)
        held = None if held_out is None else of_model(model, held_out, n_jobs)
        self._complete(task.sample, held, given, y)
        return self

    def _complete(self, sample: Sample, held: HeldOut | None, given: GraphSet, y: Any) -> None:
        """Add to the fitted model what the training graphs and those held out say of it."""
        self.held_out_metrics_ = {} if held is None else held.metrics(self.outputs_)
        found = self.model_.match(given, n_jobs=n_threads(self.n_jobs))
        training = TrainingGraphs.of(found.graphs)
        shown = with_examples(self.model_, found)
        self._keep(replace(shown, training=training, target_column=column_name(y)))
        self._keep_trust(sample, held, found)
        self.global_explanation_ = summarise(self.model_, found, target_table(y))

    @contextmanager
    def _collecting(self) -> Iterator[None]:
        """Warn at the end, once of each kind, of what happens to the paths of a fit."""
        try:
            with Notices() as self._notices:
                yield
        finally:
            del self._notices

    def _labellings(self, graphs: GraphSet) -> list[NodeLabels]:
        """Return the ways to label nodes among which to choose."""
        if self.node_labels != "auto":
            return [self.node_labels]
        if not lacks_labels(graphs):
            return ["none"]
        return ["none"] if graphs.n_attributes else ["degree"]

    def _labelled_task(
        self,
        how: NodeLabels,
        graphs: GraphSet,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        validation: Validation | None,
        covariates: Any,
    ) -> LabelledTask:
        """Take what was given to fit, with nodes labelled in one way."""
        sample = self._learn_targets(label_nodes(graphs, how), y, sample_weight)
        known = learn_covariates(self.covariates, sample.graphs, covariates, sample.sample_weight)
        if not len(sample.graphs.labels):
            raise ValueError(
                f"{type(self).__name__} needs graphs with nodes. Got {len(sample.graphs)} graphs "
                "without any node instead."
            )
        held_out = None
        if validation is not None:
            others = label_nodes(as_graph_set(validation[0]), how)
            held_out = self._known_targets(others, *validation[1:3])
        if known is not None:
            sample = replace(sample, covariates=known.centered(sample.graphs, covariates))
            if validation is not None and held_out is not None:
                values = known.centered(held_out.graphs, *validation[3:])
                held_out = replace(held_out, covariates=values)
        return LabelledTask(how, sample, held_out, known)

    def _take(self, task: LabelledTask) -> None:
        """Fit with these labels from now on."""
        self.node_labels_, self.covariates_ = task.node_labels, task.covariates

    @abstractmethod
    def _fit_tasks(
        self, tasks: Sequence[LabelledTask], callback: FitCallback
    ) -> tuple[LabelledTask, HeldOut | None]:
        """Choose among the ways to label nodes, fit, and keep the result with :meth:`_store`.

        Returns the way that was chosen, and decisions for held-out graphs.
        """

    def _on_shards(self, graphs: StoredGraphs, callback: FitCallback) -> BaseLagra:
        """Fit to graphs in files; what is shown of the model is taken from the first of them."""
        if self.node_labels not in ("auto", "none"):
            raise ValueError(
                "Graphs in shards are taken with the labels that they have. Got "
                f"node_labels={self.node_labels!r}; label them before they are written."
            )
        sample = self._learn_targets(graphs, graphs.targets(), None)
        assert isinstance(sample, StoredSample)
        self.covariates_, self.node_labels_ = None, "none"
        with self._engine.session():
            self._fit_stored(sample, callback)
        self.held_out_metrics_ = {}
        shown, y = graphs.first(N_SHOWN)
        found = self.model_.match(shown, n_jobs=n_threads(self.n_jobs))
        self._keep(with_examples(self.model_, found))
        own = Calibration.of_losses(
            self.outputs_, sample.targets, sample.sample_weight, sample.weights
        )
        self.model_ = replace(self.model_, calibration=own)
        self.global_explanation_ = summarise(self.model_, found, target_table(y))
        return self

    def _fit_stored(self, sample: StoredSample, callback: FitCallback) -> None:
        """Fit to graphs in files, and keep the result with :meth:`_store`."""
        raise ValueError(
            f"{type(self).__name__} chooses on graphs in memory. Got graphs in shards instead; "
            "read them with GraphSet, or fit LagraClassifier or LagraRegressor."
        )

    def _refuse_with_shards(self, *given: Any) -> None:
        names = ("y", "sample_weight", "validation", "covariates")
        found = [name for name, value in zip(names, given, strict=True) if value is not None]
        found += ["covariates"] if self.covariates is not None else []
        if found:
            raise ValueError(
                f"{type(self).__name__} on graphs in shards takes nothing but the graphs, with the "
                f"targets that are in them. Got {found[0]}= as well; leave it out."
            )

    def _keep_trust(self, sample: Sample, held: HeldOut | None, found: Match) -> None:
        """Let the model know its probabilities, its errors on held-out graphs, and its graphs."""
        own = Calibration.of_losses(
            self.outputs_, sample.targets, sample.sample_weight, sample.weights
        )
        known = np.where(sample.weights > 0.0, sample.targets, np.nan)
        known *= self.outputs_.units[:, None]
        record = TrainingRecord.learn(self.outputs_, found, known, sample.sample_weight)
        model = replace(self.model_, calibration=own, record=record)
        self.model_ = model if held is None else held.calibrate(model)

    def _learn_targets(self, graphs: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Any:
        """Turn the y of fit into targets; classes are learned here."""
        values = target_table(y, len(graphs))
        n_targets = 1 if values.ndim == 1 else values.shape[1]
        weight = check_sample_weight(sample_weight, len(graphs))
        self.target_names_ = target_names(y, n_targets)
        losses = losses_of(self, self.target_names_)
        self.outputs_ = Outputs.learn(
            values,
            [loss for loss, _ in losses],
            weight,
            names=None if n_targets == 1 else self.target_names_,
            unitless=[unitless for _, unitless in losses],
        )
        return self._sample(graphs, values, weight, "y")

    def _known_targets(
        self, graphs: GraphSet, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Sample:
        """Turn the y of validation graphs into targets, by what was learned."""
        weight = check_sample_weight(sample_weight, len(graphs))
        known: Sample = self._sample(graphs, target_table(y, len(graphs)), weight, "validation")
        return known

    def _sample(self, graphs: Any, values: NDArray[Any], weight: Floats, where: str) -> Any:
        """Put graphs, in memory or in files, together with their targets."""
        encoded = self.outputs_.encode(values, where)
        weights = self.outputs_.weights(encoded, weight, getattr(self, "class_weight", None))
        known = np.where(np.isnan(encoded), 0.0, encoded)
        if isinstance(graphs, StoredGraphs):
            return StoredSample(graphs, known / self.outputs_.units[:, None], weight, weights)
        return Sample(graphs, known / self.outputs_.units[:, None], weight, weights)

    @property
    def _engine(self) -> Engine:
        return LocalEngine() if self.engine is None else self.engine

    def _settings(
        self, *, lambda_min_ratio: float, callback: FitCallback, n_jobs: int | None = None
    ) -> Settings:
        return Settings(
            outputs=self.outputs_.in_training_units(),
            scale=self.scale,
            solver=self.solver,
            learn_attributes=self.learn_attributes,
            n_lambdas=int(self.n_lambdas),
            lambda_min_ratio=float(lambda_min_ratio),
            max_epochs=int(self.max_epochs),
            patience=int(self.patience),
            tol=float(self.tol),
            max_nodes=self.max_nodes,
            max_bytes=self.max_bytes,
            max_work=self.max_work,
            max_seconds=self.max_seconds,
            n_jobs=n_threads(self.n_jobs) if n_jobs is None else n_jobs,
            callback=callback,
            covariates=self.covariates_,
            covariate_penalty=float(self.covariate_penalty),
            engine=self._engine,
            pooling=self._default_pooling if self.pooling == "auto" else tuple(self.pooling),
            sharing=self._sharing(),
            count_scale="raw" if self.count_scale == "auto" else self.count_scale,
            node_labels=self.node_labels_,
            notices=self._notices,
        )

    def _sharing(self) -> float | None:
        """How much of the penalty outputs share; None if each has graphlets of its own."""
        outputs = self.outputs_
        together = any(t.loss.joint and t.n_outputs > 1 for t in outputs.targets)
        if self.sharing == "none" and together:
            raise ValueError(
                "loss='softmax' trains all classes together. Got sharing='none' instead of "
                "'auto', 'group' or a number; or set loss='logistic'."
            )
        if outputs.n_outputs == 1 or self.sharing == "none":
            return None
        if self.sharing == "auto":
            many = len(outputs.targets) > 1 or outputs.n_outputs > MANY_CLASSES
            return 1.0 if together or many else None
        return 1.0 if self.sharing == "group" else float(self.sharing)

    def _store(
        self, paths: list[list[PathPoint]], index: int, input_spec: InputSpec, asked: int
    ) -> None:
        """Keep the points at ``index`` of every output's path as the fitted model."""
        last = [path[min(index, len(path) - 1)] for path in paths]
        single = len(paths) == 1
        search = SearchRecord(
            maxpat_asked=asked,
            maxpat_reached=self.maxpat_,
            lambda_ratio_reached=max(_ratio(path[-1]) for path in paths),
            work=sum(point.work for path in paths for point in path),
        )
        self._keep(replace(model_of(last, paths, input_spec, self.outputs_), search=search))
        self.path_ = paths[0] if single else paths
        lambdas = [np.array([point.lam for point in path]) for path in paths]
        self.lambdas_ = lambdas[0] if single else lambdas
        self.lambda_ = last[0].lam if single else np.array([point.lam for point in last])
        largest = [point.lam_max for point in last]
        self.lambda_max_ = largest[0] if single else np.array(largest)
        self.objective_ = float(sum(point.objective for point in last))
        self.n_iter_ = int(sum(point.n_epochs for path in paths for point in path[: index + 1]))

    def _keep(self, model: LagraModel) -> None:
        """Take a model as the fitted one."""
        self.model_ = model
        self.graphlets_ = list(model.graphlets)
        self.coef_: Any = np.array(model.coef)
        self.intercept_: Any = np.array(model.intercept)
        self.covariate_coef_: Any = np.array(model.covariate_coef)

    def transform(self, X: Any) -> Floats:
        """Score how well each graphlet is contained in each graph.

        Covariates are not graphlets and have no columns here.

        Parameters
        ----------
        X : GraphSet or list of graphs

        Returns
        -------
        psi : ndarray of shape (n_graphs, n_graphlets)
            AGIS, in [0, 1].
        """
        check_is_fitted(self)
        psi: Floats = self.model_.transform(X, n_jobs=n_threads(self.n_jobs))
        return psi

    def model_at(self, index: int) -> LagraModel:
        """Return the model at another point of the path.

        Parameters
        ----------
        index : int
            Position in ``path_``: 0 is lambda_max. A path that ended before stays at its end.

        Returns
        -------
        LagraModel
            Without a record of the path, and without calibration, unless the loss gives it:
            held-out graphs were asked at the fitted point only.
        """
        check_is_fitted(self)
        if not hasattr(self, "path_"):
            raise ValueError("An average of models has no path; fit with average='none' for one.")
        paths: Any = self.path_ if isinstance(self.path_[0], list) else [self.path_]
        longest = max(len(path) for path in paths)
        if not 0 <= index < longest:
            raise ValueError(
                f"index must be from 0 to {longest - 1}, the points of the path. Got {index}."
            )
        points = [path[min(index, len(path) - 1)] for path in paths]
        model = model_of(points, [], self.model_.input_spec, self.model_.outputs)
        return replace(model, calibration=self.model_.calibration_of_losses)

    def _has_gaps(self, y: Any) -> bool:
        """Whether there are several targets, or values of one are unknown."""
        values = target_table(y)
        return values.ndim == 2 or not is_known(values).all()

    def _mean_score(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, covariates: Any
    ) -> float:
        """Accuracy or R² over known values, averaged over targets."""
        check_is_fitted(self)
        outputs = self.model_.outputs
        f = self.model_.decision_function(X, covariates, n_jobs=n_threads(self.n_jobs))
        weight = check_sample_weight(sample_weight, len(f))
        encoded = outputs.encode(target_table(y, len(f)))
        return outputs.score(encoded, outputs.as_table(f), weight)

    def explain(self, X: Any, covariates: Any = None, *, output: Any = None) -> Any:
        """Say why graphs get their predictions: what each graphlet adds, and where it matches.

        Parameters
        ----------
        X : Graph, or GraphSet, or list of graphs
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Your own, if the model was fitted with such.
        output : class, or name of a target, or (target, class), optional
            Whose decision to explain. With more than two classes it is that of the predicted
            class, unless one is given. Of several targets all are explained, unless one is given.

        Returns
        -------
        LocalExplanation, or a list of them if several graphs were given
            Its ``intercept`` and the ``contribution`` of its ``contributions`` and ``covariates``
            sum to f. Of several targets without ``output``, a dict from target to LocalExplanation
            for each graph.
            None stands for a molecule that cannot be read, with a warning.
        """
        check_is_fitted(self)
        return explain_local(
            self.model_, X, covariates, output=output, n_jobs=n_threads(self.n_jobs)
        )

    def stability(
        self,
        X: Any,
        y: ArrayLike,
        *,
        n_rounds: int = 50,
        fraction: float = 0.5,
        random_state: Any = 0,
        covariates: Any = None,
    ) -> Floats:
        """Count how often each graphlet is found again in models fitted on subsamples.

        Parameters
        ----------
        X : GraphSet or list of graphs
            The training graphs.
        y : array-like or DataFrame of shape (n_graphs,) or (n_graphs, n_targets)
        n_rounds : int
            Number of subsamples; they are fitted side by side, as many as ``n_jobs`` says.
        fraction : float
            Part of the graphs of each class in a subsample.
        random_state : int, Generator or None
            The same number draws the same subsamples.
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Your own, if the model was fitted with such.

        Returns
        -------
        ndarray of shape (n_graphlets,)
            For each of ``graphlets_``, the part of rounds in which its labelled structure, or one
            that contains it, was selected with the same sign, and counted if it counts.
        """
        check_is_fitted(self)
        graphs = as_graph_set(X)
        if n_rounds < 1 or not 0.0 < fraction < 1.0:
            raise ValueError(
                "stability needs n_rounds of at least 1 and a fraction between 0 and 1. "
                f"Got n_rounds={n_rounds} and fraction={fraction} instead."
            )
        return stability_of(
            self,
            graphs,
            target_table(y, len(graphs)),
            n_rounds=n_rounds,
            fraction=fraction,
            random_state=random_state,
            n_jobs=self.n_jobs,
            covariates=None if covariates is None else np.asarray(covariates),
        )

    def explain_global(
        self,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        stability: ArrayLike | None = None,
    ) -> GlobalExplanation:
        """Say which graphlets the model uses, how strongly, and where they occur.

        Parameters
        ----------
        X : GraphSet or list of graphs, optional
            The graphs to count in; those of fit unless given.
        y : array-like or DataFrame of shape (n_graphs,) or (n_graphs, n_targets), optional
            Their targets.
        stability : array-like of shape (n_graphlets,), optional
            What :meth:`stability` gave; it then stands in every table and picture.

        Returns
        -------
        GlobalExplanation
        """
        check_is_fitted(self)
        learned = self.global_explanation_
        if X is not None:
            learned = explain_global(self.model_, X, y, n_jobs=n_threads(self.n_jobs))
        return learned.with_stability(stability)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Name the columns of :meth:`transform` after their graphlets, each differently."""
        check_is_fitted(self)
        return np.array(graphlet_names(self.graphlets_), dtype=object)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that :func:`aglets.load` reads."""
        check_is_fitted(self)
        self.model_.save(path)

    def _html_repr(self) -> str:
        """Show in notebooks what scikit-learn shows, and the graphlets once there are any."""
        page = str(super()._html_repr())
        return page + self.global_explanation_._repr_html_() if hasattr(self, "model_") else page

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True  # a list of graphs
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _ratio(point: PathPoint) -> float:
    """Return lambda / lambda_max; 1 where no graphlet could enter at any lambda."""
    return point.lam / point.lam_max if point.lam_max > 0.0 else 1.0
