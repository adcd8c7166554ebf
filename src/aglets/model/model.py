"""A fitted LAGRA model: f(G) = beta_0 + sum_H beta_H psi(G; H), and nothing of how it was found.

With covariates, numbers c_j of the whole graph, sum_j gamma_j (c_j(G) - mean of c_j) is added.
Predicting needs the graphs, the matcher and this file; no solver, no scikit-learn.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aglets._version import __version__
from aglets.graphlets import Graphlet, agis
from aglets.graphlets.scores import Embeddings, Places, places
from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats
from aglets.model._aligned_rows import keeps_rows
from aglets.model.calibration import Calibration
from aglets.model.conformal import Conformal
from aglets.model.match import Match
from aglets.model.outputs import Outputs
from aglets.model.path_models import PathModels
from aglets.model.search_record import SearchRecord
from aglets.model.target_table import target_table
from aglets.model.training_graphs import TrainingGraphs
from aglets.model.training_record import TrainingRecord, for_graphlets
from aglets.model.weights import check_sample_weight
from aglets.preprocessing.covariates import Covariates
from aglets.preprocessing.input_spec import InputSpec
from aglets.preprocessing.scaling import AttributeScaling

__all__ = ["LagraModel", "usual_attributes"]

#: What to do about a model without calibration.
CALIBRATE = (
    "fit it again with this version of aglets, or call model.calibrated(graphs, y) with graphs "
    "that it was not trained on"
)


@dataclass(frozen=True, eq=False)
class LagraModel:
    """Graphlets with their coefficients, and everything that applies them to new graphs.

    There is one output for two classes and for regression, and one per class (class against the
    rest) for more classes; several targets have theirs side by side, and ``outputs`` says which.

    Parameters
    ----------
    graphlets : sequence of Graphlet
        In the user's units. Their ``coef`` is set from ``coef``.
    coef : ndarray of shape (n_outputs, n_graphlets)
        beta; zero where a graphlet says nothing of an output.
    intercept : ndarray of shape (n_outputs,)
        beta_0.
    rho : float, or ndarray of shape (n_graphlets,)
        The length scale of psi = exp(-rho D), with D in scaled units; one per graphlet in an
        average of models that differ in it.
    outputs : Outputs
        What is predicted: classes or numbers, and the loss of each.
    input_spec : InputSpec
        Labels, attributes, units and covariates of the training graphs.
    path : mapping of str to ndarray
        Columns of the regularisation path, one row per point, as a record of the fit.
    stops : PathModels, optional
        The models at some points of that path.
    stability : ndarray of shape (n_graphlets,), optional
        How often each graphlet is found again in subsamples of the training graphs.
    version : str
        The version of aglets that fitted it.
    covariate_coef : ndarray of shape (n_outputs, n_covariates)
        gamma, per unit of each covariate.
    search : SearchRecord, optional
        How far the search for graphlets went, of a model from a single path.
    training : TrainingGraphs, optional
        Which graphs it was fitted on, so that scores on these are known for what they are.
    calibration : Calibration, optional
        Probabilities of classes by f, as held-out graphs or the loss give them.
    conformal : Conformal, optional
        How wrong the model was on held-out graphs: for :meth:`predict_set` and
        :meth:`predict_interval`.
    record : TrainingRecord, optional
        Base rates of the training graphs, the surroundings of their nodes, and the graphs nearest
        to which a new graph may be.
    target_column : str, optional
        The column that a single target was read from, by which a table has the truth.

    Examples
    --------
    >>> from aglets import GraphSet, Graphlet
    >>> graphs = GraphSet.from_lists(labels=[["C", "O"], ["C"]], edges=[[(0, 1)], []])
    >>> model = LagraModel(
    ...     graphlets=[Graphlet(labels=["C", "O"], edges=[(0, 1)], attributes=[[], []])],
    ...     coef=np.array([[2.0]]), intercept=np.array([-1.0]), rho=1.0,
    ...     outputs=Outputs.of_classes(["no", "yes"]), input_spec=InputSpec.of(graphs),
    ... )
    >>> model.decision_function(graphs)
    array([ 1., -1.])
    >>> model.predict(graphs)
    array(['yes', 'no'], dtype='<U3')
    """

    graphlets: Sequence[Graphlet]
    coef: Floats
    intercept: Floats
    rho: float | Floats
    outputs: Outputs
    input_spec: InputSpec
    path: Mapping[str, Floats] = field(default_factory=dict)
    stops: PathModels | None = None
    stability: Floats | None = None
    version: str = __version__
    covariate_coef: Floats = field(default_factory=lambda: np.empty(0))
    search: SearchRecord | None = None
    training: TrainingGraphs | None = None
    calibration: Calibration | None = None
    conformal: Conformal | None = None
    record: TrainingRecord | None = None
    target_column: str | None = None

    def __post_init__(self) -> None:
        coef = np.array(self.coef, dtype=np.float64, ndmin=2)
        intercept = np.array(self.intercept, dtype=np.float64, ndmin=1)
        n_outputs = self.outputs.n_outputs
        if coef.shape != (n_outputs, len(self.graphlets)) or intercept.shape != (n_outputs,):
            raise ValueError(
                f"A model with {n_outputs} outputs and {len(self.graphlets)} graphlets needs "
                f"coef of shape {(n_outputs, len(self.graphlets))} and one intercept per output. "
                f"Got shapes {coef.shape} and {intercept.shape} instead."
            )
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise ValueError("The coefficients and intercepts of a model must be finite.")
        object.__setattr__(self, "rho", _one_or_each(self.rho, len(self.graphlets)))
        n_covariates = 0 if self.covariates is None else len(self.covariates.names)
        if self.stops is not None and self.stops.n_outputs != n_outputs:
            raise ValueError(
                f"The stops of a model with {n_outputs} outputs must have as many. "
                f"Got {self.stops.n_outputs} instead."
            )
        if self.stops is not None and self.stops.n_covariates != n_covariates:
            raise ValueError(
                f"The stops of a model with {n_covariates} covariates must have as many. "
                f"Got {self.stops.n_covariates} instead."
            )
        if self.stability is not None:
            object.__setattr__(self, "stability", _parts(self.stability, len(self.graphlets)))
        self._check_trust()
        gamma = np.array(self.covariate_coef, dtype=np.float64)
        gamma = gamma if gamma.size else np.zeros((n_outputs, 0))
        if gamma.shape != (n_outputs, n_covariates) or not np.isfinite(gamma).all():
            raise ValueError(
                f"A model with {n_outputs} outputs and {n_covariates} covariates needs finite "
                f"covariate_coef of shape {(n_outputs, n_covariates)}. Got shape {gamma.shape}."
            )
        coef.flags.writeable = intercept.flags.writeable = gamma.flags.writeable = False
        graphlets = tuple(
            _described(graphlet, _largest(column, self.outputs.units), self.input_spec)
            for graphlet, column in zip(self.graphlets, coef.T, strict=True)
        )
        object.__setattr__(self, "coef", coef)
        object.__setattr__(self, "intercept", intercept)
        object.__setattr__(self, "covariate_coef", gamma)
        object.__setattr__(self, "graphlets", graphlets)

    @property
    def scaling(self) -> AttributeScaling:
        """How attributes are scaled before they are compared."""
        return self.input_spec.scaling

    @property
    def covariates(self) -> Covariates | None:
        """Numbers of the whole graph that the model has next to graphlets."""
        return self.input_spec.covariates

    @property
    def n_outputs(self) -> int:
        """One for two classes and for regression, else the number of classes."""
        return self.outputs.n_outputs

    @property
    def classes(self) -> Any:
        """The class values, None for regression; of several targets, a list of those."""
        found = [target.classes for target in self.outputs.targets]
        return found[0] if len(found) == 1 else found

    @property
    def loss(self) -> str:
        """Name of the loss it was trained with."""
        return ", ".join(dict.fromkeys(loss.name for loss in self.outputs.losses))

    @property
    def rho_text(self) -> str:
        """Write rho: a number, or the range of the graphlets' numbers."""
        low, high = np.min(self.rho), np.max(self.rho)
        return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"

    @property
    def relative_coef(self) -> Floats:
        """Weights to compare: beta, with numbers among several targets in units of their spread."""
        return np.asarray(self.coef / self.outputs.units[:, None])

    @property
    def output(self) -> NDArray[np.intp]:
        """The output for which each graphlet has its largest weight."""
        if not self.graphlets:
            return np.zeros(0, np.intp)
        return np.asarray(np.abs(self.relative_coef).argmax(axis=0))

    def agis(self, graphs: Any, *, return_embeddings: bool = False, n_jobs: int = 1) -> Any:
        """Score how well each graphlet is contained in each graph.

        Parameters
        ----------
        graphs : GraphSet or list of graphs
            In the user's units.
        return_embeddings : bool
            Also give the best embedding of each graphlet in each graph.
        n_jobs : int
            Number of threads.

        Returns
        -------
        psi : ndarray of shape (n_graphs, n_graphlets)
            In [0, 1]; 0 where the graphlet's labelled structure does not occur.
        embeddings : Embeddings
            Only if asked for: per graph and graphlet, the matched node of each graphlet node.
        """
        scaled = self.input_spec.to_model_units(graphs)
        return self.agis_scaled(scaled, return_embeddings=return_embeddings, n_jobs=n_jobs)

    def match(self, graphs: Any, *, n_jobs: int = 1) -> Match:
        """Find the best match of every graphlet in every graph.

        Parameters
        ----------
        graphs : GraphSet or list of graphs
            In the user's units.
        n_jobs : int
            Number of threads.

        Returns
        -------
        Match
        """
        given = self.input_spec.read(graphs)
        scaled = self.input_spec.to_model_units(given)
        psi, embeddings = self.agis_scaled(scaled, return_embeddings=True, n_jobs=n_jobs)
        return Match(given, scaled, psi, embeddings)

    def agis_scaled(
        self, scaled: GraphSet, *, return_embeddings: bool = False, n_jobs: int = 1
    ) -> Any:
        """Score graphs in the units of the model, as :meth:`agis` does in those of the user."""
        if not self.graphlets:
            psi = np.zeros((len(scaled), 0))
            return (psi, Embeddings([], len(scaled))) if return_embeddings else psi
        return agis(
            scaled,
            list(self.scaled_graphlets),
            rho=self.rho,
            return_embeddings=return_embeddings,
            n_jobs=n_jobs,
        )

    def places(self, scaled: GraphSet, *, n_jobs: int = 1) -> list[list[Places]]:
        """List the places of all graphlets in graphs in the units of the model.

        Of a graphlet that does not count that is its best match.
        """
        if not self.graphlets:
            return [[] for _ in range(len(scaled))]
        return places(scaled, list(self.scaled_graphlets), rho=self.rho, n_jobs=n_jobs)

    @keeps_rows
    def transform(self, graphs: Any, *, n_jobs: int = 1) -> Floats:
        """Score how well each graphlet is contained in each graph (:meth:`agis`)."""
        return np.asarray(self.agis(graphs, n_jobs=n_jobs))

    def covariate_values(self, graphs: GraphSet, covariates: Any = None) -> Floats:
        """Take the covariates of graphs, counted from their means in training.

        Parameters
        ----------
        graphs : GraphSet
            As the user gave them.
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            The user's own columns, if the model was fitted with such.

        Returns
        -------
        ndarray of shape (n_graphs, n_covariates)
        """
        if self.covariates is None:
            if covariates is not None:
                raise ValueError("This model was fitted without covariates; leave them out.")
            return np.zeros((len(graphs), 0))
        return self.covariates.centered(graphs, covariates)

    @keeps_rows
    def decision_function(self, graphs: Any, covariates: Any = None, *, n_jobs: int = 1) -> Floats:
        """Evaluate f: shape (n_graphs,), or (n_graphs, n_classes) for more than two classes.

        The user's own ``covariates`` are needed if the model was fitted with such.
        """
        given = self.input_spec.read(graphs)
        values = self.covariate_values(given, covariates)
        return self.decision_from_agis(self.transform(given, n_jobs=n_jobs), values)

    def decision_from_agis(self, psi: Floats, covariates: Floats | None = None) -> Floats:
        """Evaluate f where psi and :meth:`covariate_values` are known already."""
        f = psi @ self.coef.T + self.intercept
        if self.covariates is not None:
            if covariates is None:
                raise ValueError("This model has covariates; give what covariate_values returns.")
            f = f + covariates @ self.covariate_coef.T
        return np.asarray(f[:, 0] if self.n_outputs == 1 else f)

    @keeps_rows
    def predict(self, graphs: Any, covariates: Any = None, *, n_jobs: int = 1) -> NDArray[Any]:
        """Predict the class of each graph, or its value in regression.

        Shape (n_graphs,), or (n_graphs, n_targets) for several targets. A molecule that cannot be
        read keeps its row, with NaN for a number and None for a class, and with a warning.
        """
        f = self.decision_function(graphs, covariates, n_jobs=n_jobs)
        return self.predict_from_decision(f)

    def predict_from_decision(self, f: Floats) -> NDArray[Any]:
        """Name the classes, or the values, where f is known already."""
        return self.outputs.decode(self.outputs.as_table(f))

    @keeps_rows
    def predict_proba(self, graphs: Any, covariates: Any = None, *, n_jobs: int = 1) -> Any:
        """Give the probability of each class, shape (n_graphs, n_classes).

        Probabilities come from ``calibration``; without one, from the loss if it gives them. They
        refer to the training graphs as they were, without weights of classes. For more than two
        classes those of "class against the rest" are divided by their sum. Several targets have a
        list of such arrays, with None for numbers.
        """
        self.check_probabilistic()
        f = self.decision_function(graphs, covariates, n_jobs=n_jobs)
        found = self.probabilities_from_decision(f)
        return found[0] if len(found) == 1 else found

    @property
    def probabilistic(self) -> tuple[bool, ...]:
        """Whether there are probabilities, per target."""
        if self.calibration is None:
            return tuple(target.loss.probabilistic for target in self.outputs.targets)
        return tuple(map(self.calibration.covers, self.outputs.slices))

    def check_probabilistic(self) -> None:
        """Raise unless there are probabilities for all targets that are classes."""
        targets = self.outputs.targets
        if all(target.classes is None for target in targets):
            raise ValueError(
                "Probabilities need classes, but this model predicts numbers; predict_interval "
                "says how far off they may be."
            )
        for target, known in zip(targets, self.probabilistic, strict=True):
            if target.classes is not None and not known:
                raise ValueError(
                    f"This model with loss={target.loss.name!r} has no calibration, which "
                    f"probabilities need; {CALIBRATE}."
                )

    def probabilities_from_decision(self, f: Floats) -> list[Floats | None]:
        """Give probabilities per target where f is known already; None where there are none."""
        table = self.outputs.as_table(f)
        if self.calibration is None:
            return self.outputs.probabilities(table)
        return self.calibration.probabilities(self.outputs, table)

    @keeps_rows
    def predict_set(
        self, graphs: Any, covariates: Any = None, *, alpha: float = 0.1, n_jobs: int = 1
    ) -> Any:
        """Say which classes a graph may have, such that the true one is left out rarely.

        Of further graphs of any class, drawn like the held-out graphs of the fit, at most about a
        share ``alpha`` lack their class in the set (:mod:`aglets.model.conformal`). A set with all
        classes says that the model cannot decide; an empty one, that the graph is unlike the
        held-out graphs of every class.

        Parameters
        ----------
        graphs : GraphSet or list of graphs
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            The user's own, if the model was fitted with such.
        alpha : float
            The share of errors that is allowed.
        n_jobs : int
            Number of threads.

        Returns
        -------
        ndarray of bool, shape (n_graphs, n_classes)
            In the order of ``classes``. Several targets have a list, with None for numbers.
        """
        conformal = self._known_conformal("predict_set", classes=True)
        f = self.decision_function(graphs, covariates, n_jobs=n_jobs)
        found = conformal.sets(self.outputs, self.outputs.as_table(f), alpha)
        return found[0] if len(found) == 1 else found

    @keeps_rows
    def predict_interval(
        self, graphs: Any, covariates: Any = None, *, alpha: float = 0.1, n_jobs: int = 1
    ) -> Any:
        """Give an interval around each prediction that mostly contains the true number.

        Of further graphs, drawn like the held-out graphs of the fit, at most about a share
        ``alpha`` lie outside (:mod:`aglets.model.conformal`). All intervals have the same length;
        they are infinite where held-out graphs are too few to say.

        Parameters
        ----------
        graphs, covariates, alpha, n_jobs
            As in :meth:`predict_set`.

        Returns
        -------
        ndarray of shape (n_graphs, 2)
            Lower and upper ends. Several targets have a list, with None for classes.
        """
        conformal = self._known_conformal("predict_interval", classes=False)
        f = self.decision_function(graphs, covariates, n_jobs=n_jobs)
        found = conformal.intervals(self.outputs, self.outputs.as_table(f), alpha)
        return found[0] if len(found) == 1 else found

    def calibrated(
        self,
        graphs: Any,
        y: Any,
        covariates: Any = None,
        *,
        sample_weight: Any = None,
        n_jobs: int = 1,
    ) -> LagraModel:
        """Return the same model with probabilities, sets and intervals learned from these graphs.

        Estimators do this with graphs that they hold out. It is for models of old files, averages
        of your own, and for graphs of another source than those of training.

        Parameters
        ----------
        graphs : GraphSet or list of graphs
            Graphs that the model was not trained on: on others it looks too sure of itself.
        y : array-like of shape (n_graphs,) or (n_graphs, n_targets)
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            The user's own, if the model was fitted with such.
        sample_weight : array-like of shape (n_graphs,), optional
        n_jobs : int
            Number of threads.

        Examples
        --------
        >>> from aglets import LagraClassifier, datasets
        >>> graphs, y = datasets.load_acids()
        >>> model = LagraClassifier(calibration=None).fit(graphs[:200], y[:200]).model_
        >>> model = model.calibrated(graphs[200:], y[200:])
        >>> model.predict_proba(graphs[:1]).sum().round(6)
        np.float64(1.0)
        """
        given = self.input_spec.read(graphs)
        values = target_table(y, len(given))
        weight = check_sample_weight(sample_weight, len(given))
        f = self.outputs.as_table(self.decision_function(given, covariates, n_jobs=n_jobs))
        encoded = self.outputs.encode(values)
        return replace(self, calibration=None).with_held_out(f, encoded, weight)

    def with_held_out(self, f: Floats, encoded: Floats, sample_weight: Floats) -> LagraModel:
        """Return the same model with what decisions for held-out graphs say of its errors.

        If there is a calibration already, it stays.

        Parameters
        ----------
        f : ndarray of shape (n_graphs, n_outputs)
        encoded : ndarray of shape (n_outputs, n_graphs)
        sample_weight : ndarray of shape (n_graphs,)
        """
        calibration = self.calibration
        if calibration is None and any(loss.classification for loss in self.outputs.losses):
            calibration = Calibration.learn(self.outputs, f, encoded, sample_weight)
        conformal = Conformal.learn(self.outputs, f, encoded, sample_weight)
        return replace(self, calibration=calibration, conformal=conformal)

    def _known_conformal(self, method: str, *, classes: bool) -> Conformal:
        if not any((target.classes is not None) == classes for target in self.outputs.targets):
            needs, other = ("classes", "interval") if classes else ("numbers", "set")
            raise ValueError(f"{method} is for models of {needs}; predict_{other} is for this one.")
        if self.conformal is None:
            raise ValueError(
                f"This model has no record of its errors on held-out graphs, which {method} needs; "
                f"{CALIBRATE}."
            )
        return self.conformal

    def _check_trust(self) -> None:
        """Raise unless calibration, conformal and training have the outputs of the model."""
        if self.calibration is not None:
            kinds = [curve is not None for curve in self.calibration.curves]
            if kinds != [loss.classification for loss in self.outputs.losses]:
                raise ValueError(
                    "The calibration of a model needs a curve for each output that is of classes, "
                    f"and none for numbers. Got {len(kinds)} curves for {self.n_outputs} outputs."
                )
        if self.conformal is not None:
            counts = [1 if t.classes is None else len(t.classes) for t in self.outputs.targets]
            if [len(scores) for scores in self.conformal.targets] != counts:
                raise ValueError(
                    "The conformal scores of a model must be of its targets and classes."
                )
        if self.record is not None:
            counts = [1 if t.classes is None else len(t.classes) for t in self.outputs.targets]
            if [len(rates) for rates in self.record.base_rates] != counts:
                raise ValueError("The base rates of a model must be of its targets and classes.")
            near = self.record.neighbours
            if near is not None and near.steps.shape[1] != len(self.graphlets):
                # Scores of other graphlets say nothing about these.
                object.__setattr__(self, "record", self.record.with_graphlets(None))

    def score(
        self,
        graphs: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        covariates: Any = None,
        *,
        n_jobs: int = 1,
    ) -> float:
        """Return the accuracy for classes, R² for numbers; of several targets the mean.

        Parameters
        ----------
        graphs : GraphSet or list of graphs
        y : array-like of shape (n_graphs,) or (n_graphs, n_targets)
        sample_weight : array-like of shape (n_graphs,), optional
        covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
            Your own, if the model was fitted with such.
        n_jobs : int
            Number of threads.
        """
        given = self.input_spec.read(graphs)
        f = self.outputs.as_table(self.decision_function(given, covariates, n_jobs=n_jobs))
        weight = check_sample_weight(sample_weight, len(f))
        return self.outputs.score(self.outputs.encode(y), f, weight)

    def at_stop(self, stop: int) -> LagraModel:
        """Return the model at one of its ``stops``, by position: the sparsest come first."""
        if self.stops is None or not 0 <= stop < len(self.stops):
            n_stops = 0 if self.stops is None else len(self.stops)
            raise ValueError(f"Expected one of the model's {n_stops} stops. Got {stop} instead.")
        coef = self.stops.coefs[stop]
        used = np.flatnonzero(coef.any(axis=0)).tolist()
        return replace(
            self,
            graphlets=[self.stops.graphlets[j] for j in used],
            coef=coef[:, used],
            intercept=self.stops.intercepts[stop],
            covariate_coef=self.stops.covariate_coefs[stop],
            path={},
            stops=None,
            stability=None,
            calibration=self.calibration_of_losses,
            conformal=None,
            record=for_graphlets(self.record, None),
        ).sorted_by_weight()

    @property
    def calibration_of_losses(self) -> Calibration | None:
        """The calibration, if it holds for other coefficients of the same fit, too."""
        kept = self.calibration
        return kept if kept is not None and kept.from_losses else None

    def sorted_by_weight(self) -> LagraModel:
        """Return the same model with the graphlets of the largest coefficients first."""
        order = np.argsort(-np.abs(self.relative_coef).max(axis=0), kind="stable")
        if (order == np.arange(len(order))).all():
            return self
        return replace(
            self,
            graphlets=[self.graphlets[j] for j in order.tolist()],
            coef=self.coef[:, order],
            rho=self.rho if isinstance(self.rho, float) else self.rho[order],
            stability=None if self.stability is None else self.stability[order],
            record=for_graphlets(self.record, order.tolist()),
        )

    def without_training_graphs(self) -> LagraModel:
        """Return the same model without any training graph, so that none goes into a file.

        There are then no nearest training graphs in explanations, and no example molecules of
        graphlets. Base rates and the numbers of nodes' surroundings stay.
        """
        bare = [replace(graphlet, example=None) for graphlet in self.graphlets]
        return replace(self, graphlets=bare, record=for_graphlets(self.record, None))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that :func:`aglets.load` reads."""
        from aglets.model.file import save

        save(self, path)

    @cached_property
    def scaled_graphlets(self) -> tuple[Graphlet, ...]:
        """The graphlets with their attributes in the units that are compared."""
        return tuple(map(self.input_spec.graphlet_to_model_units, self.graphlets))

    def __repr__(self) -> str:
        kinds = Counter(target.kind for target in self.outputs.targets)
        kind = ", ".join(f"{n} targets of {one}" if n > 1 else one for one, n in kinds.items())
        more = "" if self.covariates is None else f", {len(self.covariates.names)} covariates"
        return f"LagraModel({kind}, {len(self.graphlets)} graphlets{more}, rho={self.rho_text})"


def usual_attributes(model: LagraModel, graphlet: Graphlet) -> Floats:
    """Return how large attributes of a graphlet's nodes usually are.

    Training knows it from the scaling; without one, the largest among the model's graphlets do.
    """
    if model.scaling.nodes is None:
        rows = [one.attributes for one in (graphlet, *model.graphlets)]
        return np.asarray(np.abs(np.vstack(rows)).max(axis=0))
    return model.scaling.nodes.usual(model.input_spec.label_codes(graphlet.labels))


def _parts(values: Floats, count: int) -> Floats:
    """Take one number from 0 to 1 per graphlet."""
    parts = np.array(values, dtype=np.float64)
    if parts.shape != (count,) or not ((parts >= 0.0) & (parts <= 1.0)).all():
        raise ValueError(
            f"stability must be one number from 0 to 1 for each of the {count} graphlets. "
            f"Got an array of shape {parts.shape} instead."
        )
    parts.flags.writeable = False
    return parts


def _one_or_each(rho: float | Floats, n_graphlets: int) -> float | Floats:
    """Take one rho, or one per graphlet; if these are all the same, one."""
    values = np.array(rho, dtype=np.float64)
    if not ((values > 0.0) & (values < np.inf)).all():
        raise ValueError(f"rho must be in the range (0, inf). Got {rho!r} instead.")
    if not values.ndim:
        return float(values)
    if values.shape != (n_graphlets,) or not n_graphlets:
        raise ValueError(
            f"rho must be one number, or one per graphlet ({n_graphlets}). "
            f"Got shape {values.shape} instead."
        )
    if (values == values[0]).all():
        return float(values[0])
    values.flags.writeable = False
    return values


def _largest(column: Floats, units: Floats) -> float:
    return float(column[np.abs(column / units).argmax()])


def _described(graphlet: Graphlet, coef: float, spec: InputSpec) -> Graphlet:
    """Set the coefficient and what attributes are; a graphlet that has both is kept as it is."""
    names, recipe = spec.attribute_names, spec.recipe
    if (graphlet.coef, graphlet.attribute_names, graphlet.recipe) == (coef, names, recipe):
        return graphlet
    return replace(graphlet, coef=coef, attribute_names=names, recipe=recipe)
