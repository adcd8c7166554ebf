"""Estimators at one point of the grid: given rho, maxpat and lambda / lambda_max."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from aglets.estimators._base import (
    DEFAULT_MAX_BYTES,
    DEFAULT_MAX_WORK,
    BaseLagra,
    LabelledTask,
)
from aglets.estimators._folds import folds_by_content
from aglets.estimators._parameters import Condition, either, floats, integers, one_of
from aglets.estimators._relaxing import parts_of
from aglets.estimators._targets import LagraForClasses, LagraForNumbers
from aglets.mining.arguments import LARGEST_MAXPAT
from aglets.model.losses import Loss
from aglets.preprocessing.node_labels import NodeLabels
from aglets.training.deepening import Deepened, walk_deepening
from aglets.training.engine import Engine
from aglets.training.fitting import FitCallback, Paths, Settings, Walk
from aglets.training.grid_walks import total_loss
from aglets.training.held_out import N_LAMBDAS, HeldOut, of_model, out_of_fold
from aglets.training.path import Validation
from aglets.training.relaxing import relaxed
from aglets.training.sample import Sample
from aglets.training.selection import Cell
from aglets.training.stored import AnySample, StoredSample

__all__ = ["LagraClassifier", "LagraRegressor"]

POINT: Mapping[str, Condition] = {
    "lambda_ratio": floats(0.0, 1.0, closed="right"),
    "rho": floats(0.0),
    "starts": integers(1),
    "maxpat": integers(1, LARGEST_MAXPAT),
    "calibration": either(one_of("auto"), integers(2), one_of(None)),
}

#: Folds of ``calibration="auto"``.
N_FOLDS = 3


class _OnePoint(BaseLagra):
    """Walks the path from lambda_max down to ``lambda_ratio`` times it, and stays there."""

    def _fit_tasks(
        self, tasks: Sequence[LabelledTask], callback: FitCallback
    ) -> tuple[LabelledTask, HeldOut | None]:
        """Fit with the first way to label nodes: there is no grid to judge others."""
        task = tasks[0]
        self._take(task)
        settings = self._settings(lambda_min_ratio=self.lambda_ratio, callback=callback)
        n_lambdas = settings.n_lambdas
        callback.expect([n_lambdas] + self._n_folds(task.validation) * [min(N_LAMBDAS, n_lambdas)])
        self._walk(task.sample, task.validation, settings)
        return task, self._held_out(task.sample, task.validation, settings)

    def _fit_stored(self, sample: StoredSample, callback: FitCallback) -> None:
        settings = self._settings(lambda_min_ratio=self.lambda_ratio, callback=callback)
        callback.expect([settings.n_lambdas])
        self._walk(sample, None, settings)

    def _walk(self, sample: AnySample, validation: Sample | None, settings: Settings) -> None:
        reached = walk_deepening(
            sample,
            settings,
            rho=float(self.rho),
            maxpat=int(self.maxpat),
            starts=int(self.starts),
            validation=validation,
        )
        self.maxpat_, self.relax_ = reached.maxpat, 1.0
        paths, input_spec = reached.paths, reached.training_set.input_spec
        if parts := parts_of(self.relax):
            paths = self._relaxed(reached, validation, settings, parts)
        self._store(paths, settings.n_lambdas - 1, input_spec, asked=int(self.maxpat))

    def _relaxed(
        self,
        reached: Deepened,
        validation: Sample | None,
        settings: Settings,
        parts: tuple[float, ...],
    ) -> Paths:
        """Solve for the coefficients along the paths again, with the part that does best."""
        if validation is None and len(parts) > 1:
            raise ValueError(
                f"relax={self.relax!r} is chosen on held-out graphs. Got none; give one number, as "
                f"relax=0.1, or fit(..., validation=(graphs, y)), or take {type(self).__name__}CV."
            )
        held_out, input_spec = None, reached.training_set.input_spec
        if validation is not None:
            held_out = Validation(validation.to_model_units(input_spec))
        plan = Walk(float(self.rho), reached.maxpat, held_out)
        found = relaxed(reached.training_set, settings, plan, reached.paths, parts)
        best = 0
        if held_out is not None:
            losses = [total_loss([path[-1] for path in paths]) for paths in found]
            best = int(np.argmin(losses))
        self.relax_ = parts[best]
        return found[best]

    def _n_folds(self, validation: Sample | None) -> int:
        """How many folds calibration takes."""
        if self.calibration == "auto":
            return N_FOLDS if validation is None else 0
        return 0 if self.calibration is None else int(self.calibration)

    def _held_out(
        self, sample: Sample, validation: Sample | None, settings: Settings
    ) -> HeldOut | None:
        """Decide on graphs that were held out: the user's, or those of a few folds."""
        if self.calibration == "auto" and validation is not None:
            return of_model(self.model_, validation, settings.n_jobs)
        n_folds = self._n_folds(validation)
        folds = folds_by_content(sample, self.outputs_, n_folds) if n_folds else []
        if not folds:
            return None
        cell = Cell(int(self.starts), float(self.rho), self.maxpat_)
        input_spec = self.model_.input_spec
        return out_of_fold(
            sample, folds, settings, cell, self.outputs_, input_spec, relax=self.relax_
        )


class LagraClassifier(_OnePoint, LagraForClasses):
    """Classify graphs by a few attributed graphlets, each with a weight.

    f(G) = beta_0 + sum_H beta_H psi(G; H), where psi in [0, 1] says how well graph G contains
    graphlet H: 0 if H's labelled structure does not occur in it, else exp(-rho D) with D the
    squared distance between the attributes of H and of its best match. Graphlets come from all
    connected subgraphs of the training graphs with up to ``maxpat`` nodes; their attributes are
    learned, and the L1 penalty keeps only a few of them.

    Parameters
    ----------
    lambda_ratio : float, default=0.1
        Strength of the penalty as part of lambda_max, at and above which the model is empty.
        Smaller means more graphlets.
    n_lambdas : int, default=100
        Steps from lambda_max down to there, each starting from the one before.
    rho : float, default=0.1
        Length scale of psi: larger separates attributes more sharply.
    maxpat : int, default=5
        Largest number of *nodes* of a graphlet. Where the search runs out of its budget, the path
        goes on with smaller ones, with a warning.
    starts : int, default=1
        Maximum number of vectors per label at which the attributes of graphlets start: 1 starts at
        the mean of the label (the paper), more at that many kinds of it, found by k-means on the
        training nodes. Worth trying where attributes say more than labels; candidates are then
        many more, so use a small ``maxpat``, about 2.
    loss : {"squared_hinge", "logistic"} or Loss, default="squared_hinge"
        The paper's loss, or the one that gives probabilities by itself.
    scale : {"standard", "none", "label"}, default="standard"
        How attributes are scaled before they are compared: by training nodes, not at all (the
        paper), or within each label. Graphlets are always shown in your units.
    solver : {"fast", "paper"}, default="fast"
        "paper" is Algorithm 1 to the letter; "fast" reaches the same optimality conditions sooner.
    learn_attributes : bool, default=True
        False keeps all graphlet attributes at the mean of their label.
    covariates : {"size", None}, default=None
        Numbers of the whole graph that are in the model with the graphlets: "size" counts nodes,
        edges and nodes of each label (unless it is rare). Your own go to ``fit`` and ``predict`` as
        ``covariates=``.
    covariate_penalty : float, default=0.0
        Penalty on their coefficients as a multiple of lambda, on the scale of unit spread. With 0
        they are as free as the intercept, and lambda_max is that of their best model alone.
    relax : False, "auto", float or sequence of float, default=False
        A number solves for the coefficients of the chosen graphlets again, with this part of the
        penalty: the penalty that keeps graphlets few also makes coefficients small. Their number
        stays, or falls. "auto" takes, of 1, 0.3, 0.1 and 0.01, the part with the lowest loss on the
        ``validation`` graphs of ``fit``, and a list the best of its own.
    tol : float, default=1e-4
        Relative decrease of the objective at which a step of the path ends.
    max_epochs : int, default=100
        Maximum number of rounds of alternating updates at one lambda.
    patience : int, default=5
        With validation graphs: rounds without improvement on them before a step ends.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes in the loss.
    max_work, max_nodes, max_bytes : int or None, default=1.5e10, None, 2 GiB
        Budgets of the searches of a path: their work in units that are the same on every machine
        (1.5e10 are about five minutes), nodes and memory of the mining tree. If they do not allow
        ``maxpat``, the largest size that they allow is taken, with a warning; see
        ``model_.search``.
    max_seconds : float or None, default=None
        Seconds of all searches of a path. What they reach depends on the machine.
    n_jobs : int or None, default=None
        Threads; the result does not depend on their number. -1 takes all.
    verbose : int, default=0
        1 shows lambda, score, number of graphlets and time left on standard error: a bar in a
        terminal if rich is installed, else a line every ten seconds. 2 writes a line for every
        lambda. Parts of a grid and folds are then walked one after the other.
    engine : ShardedEngine or None, default=None
        Where the training graphs lie: in one piece unless given.
    pooling : "auto" or sequence of {"best", "sum", "mean"}, default="auto"
        What a graphlet may ask of a graph: how well it occurs once ("best", the paper), in how many
        places ("sum"), or in how many per node ("mean"). A pattern may be in the model with each of
        them. "auto" is ("best",) for classes and ("best", "sum") for numbers.
    sharing : {"auto", "group", "none"} or float, default="auto"
        With more than two classes or several targets: whether outputs share graphlets. "group"
        makes a graphlet cost the same for one output and for all of them, so that all are explained
        by one short list; "none" gives every output a path and graphlets of its own. A number
        between 0 and 1 lies between: the part of the penalty that a graphlet pays once, the rest is
        paid for every output that uses it. "auto" is "group" for several targets, for more
        than ten classes and for ``loss="softmax"``, else "none".
    count_scale : {"auto", "raw", "sqrt"}, default="auto"
        Whether sums and means are taken as they are, or their square roots. "auto" is "raw".
    node_labels : {"auto", "degree", "none"} or callable, default="auto"
        How nodes get their labels. "none" takes those that they have; "degree" gives every node the
        number of its neighbours as its label, ranges from 16 on; a function is called with each
        `Graph` and returns one label per node. "auto" is "degree" where all nodes have the same
        label and no attributes, else "none". Graphs to predict are labelled in the same way; a
        model file does not keep a function, so graphs must then have its labels already.
    random_state : int, RandomState or None, default=None
        Nothing is drawn at random; it is here for tools that set it everywhere.
    calibration : "auto", int or None, default="auto"
        Where probabilities and prediction sets come from: graphs that were not trained on. "auto"
        takes the ``validation`` graphs of ``fit``, else it holds every graph out once, in 3 folds
        (a number asks for so many), and trains on the others along a path of 5 lambdas, which
        takes extra time. None saves it: ``predict_proba`` then needs ``loss="logistic"``, and there
        is no ``predict_set``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes. With more than two, there is one output per class.
    graphlets_ : list of Graphlet
        The graphlets in use, with ``labels``, ``edges``, ``attributes`` and ``coef``.
    coef_ : ndarray of shape (1, n_graphlets) or (n_classes, n_graphlets)
        beta.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        beta_0.
    covariates_ : Covariates or None
        Names, means and spreads of the covariates.
    relax_ : float
        The part of the penalty with which the coefficients were solved for.
    covariate_coef_ : ndarray of shape (1, n_covariates) or (n_classes, n_covariates)
        Their coefficients, per unit of each, counted from its mean.
    lambda_, lambda_max_ : float, or ndarray of shape (n_classes,)
        The penalty in use and the smallest one for which the model is empty.
    maxpat_ : int
        ``maxpat``, or what of it the budget allowed at the end of the path.
    lambdas_ : ndarray, or list of ndarray (per class)
        The path's values of lambda.
    path_ : list of PathPoint, or list of those (per class)
        The whole path.
    objective_ : float
        1/2 sum of losses + lambda |beta|_1 at the end, summed over outputs; ``relax_`` times lambda
        where coefficients are relaxed.
    n_iter_ : int
        Rounds of updates in all.
    model_ : LagraModel
        What predicts; :meth:`save` writes it to a file.

    Examples
    --------
    >>> from aglets import GraphSet, LagraClassifier
    >>> graphs = GraphSet.from_lists(
    ...     labels=["CCO", "CO", "CCN", "CN"] * 5,
    ...     edges=[[(0, 1), (1, 2)], [(0, 1)]] * 10,
    ... )
    >>> y = ["alcohol", "alcohol", "amine", "amine"] * 5
    >>> model = LagraClassifier().fit(graphs, y)
    >>> model.predict(graphs[:4]).tolist()
    ['alcohol', 'alcohol', 'amine', 'amine']
    """

    _conditions: ClassVar[Mapping[str, Condition]] = {**LagraForClasses._conditions, **POINT}

    def __init__(
        self,
        *,
        lambda_ratio: float = 0.1,
        n_lambdas: int = 100,
        rho: float = 0.1,
        maxpat: int = 5,
        starts: int = 1,
        loss: str | Loss = "squared_hinge",
        scale: str = "standard",
        solver: str = "fast",
        learn_attributes: bool = True,
        covariates: str | None = None,
        covariate_penalty: float = 0.0,
        relax: bool | str | float | Sequence[float] = False,
        tol: float = 1e-4,
        max_epochs: int = 100,
        patience: int = 5,
        class_weight: Mapping[Any, float] | str | None = None,
        max_nodes: int | None = None,
        max_bytes: int | None = DEFAULT_MAX_BYTES,
        max_work: int | None = DEFAULT_MAX_WORK,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        engine: Engine | None = None,
        pooling: str | Sequence[str] = "auto",
        sharing: str | float = "auto",
        count_scale: str = "auto",
        node_labels: NodeLabels = "auto",
        random_state: Any = None,
        calibration: str | int | None = "auto",
    ) -> None:
        self.lambda_ratio = lambda_ratio
        self.n_lambdas = n_lambdas
        self.rho = rho
        self.maxpat = maxpat
        self.starts = starts
        self.loss = loss
        self.scale = scale
        self.solver = solver
        self.learn_attributes = learn_attributes
        self.covariates = covariates
        self.covariate_penalty = covariate_penalty
        self.relax = relax
        self.tol = tol
        self.max_epochs = max_epochs
        self.patience = patience
        self.class_weight = class_weight
        self.max_nodes = max_nodes
        self.max_bytes = max_bytes
        self.max_work = max_work
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.engine = engine
        self.pooling = pooling
        self.sharing = sharing
        self.count_scale = count_scale
        self.node_labels = node_labels
        self.random_state = random_state
        self.calibration = calibration


class LagraRegressor(_OnePoint, LagraForNumbers):
    """Predict a number for each graph from a few attributed graphlets, each with a weight.

    The same model as :class:`LagraClassifier`, with f(G) itself as the answer.

    Parameters
    ----------
    lambda_ratio, n_lambdas, rho, maxpat, starts, scale, solver, learn_attributes, tol, max_epochs
        As in :class:`LagraClassifier`.
    covariates, covariate_penalty, relax
        As in :class:`LagraClassifier`.
    patience, max_nodes, max_bytes, max_work, max_seconds, n_jobs, verbose, engine, pooling,
    sharing, count_scale, node_labels, random_state
        As in :class:`LagraClassifier`.
    calibration : "auto", int or None, default="auto"
        Where prediction intervals come from, as in :class:`LagraClassifier`; None gives none.
    loss : {"squared", "huber"} or Loss, default="squared"
        Squared error, or one that outliers pull less.
    epsilon : float, default=1.35
        For "huber": the error beyond which the loss grows in a straight line, in units of the
        spread of y (1.4826 times the median distance from the median). For units of y itself, set
        ``loss=aglets.model.losses.Huber(epsilon)``.

    Attributes
    ----------
    graphlets_ : list of Graphlet
        The graphlets in use, with ``labels``, ``edges``, ``attributes`` and ``coef``.
    coef_ : ndarray of shape (n_graphlets,)
        beta.
    intercept_ : float
        beta_0.
    covariates_, relax_, lambda_, lambda_max_, maxpat_, lambdas_, path_, objective_, n_iter_, model_
        As in :class:`LagraClassifier`.
    covariate_coef_ : ndarray of shape (n_covariates,)
        gamma.

    Examples
    --------
    >>> from aglets import GraphSet, LagraRegressor
    >>> graphs = GraphSet.from_lists(
    ...     labels=["CCO", "CO", "CCN", "CN"] * 5,
    ...     edges=[[(0, 1), (1, 2)], [(0, 1)]] * 10,
    ... )
    >>> model = LagraRegressor(lambda_ratio=0.01).fit(graphs, [2.0, 2.0, 5.0, 5.0] * 5)
    >>> model.predict(graphs[:4]).round(1)
    array([2., 2., 5., 5.])
    """

    _conditions: ClassVar[Mapping[str, Condition]] = {**LagraForNumbers._conditions, **POINT}

    def __init__(
        self,
        *,
        lambda_ratio: float = 0.1,
        n_lambdas: int = 100,
        rho: float = 0.1,
        maxpat: int = 5,
        starts: int = 1,
        loss: str | Loss = "squared",
        epsilon: float = 1.35,
        scale: str = "standard",
        solver: str = "fast",
        learn_attributes: bool = True,
        covariates: str | None = None,
        covariate_penalty: float = 0.0,
        relax: bool | str | float | Sequence[float] = False,
        tol: float = 1e-4,
        max_epochs: int = 100,
        patience: int = 5,
        max_nodes: int | None = None,
        max_bytes: int | None = DEFAULT_MAX_BYTES,
        max_work: int | None = DEFAULT_MAX_WORK,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        engine: Engine | None = None,
        pooling: str | Sequence[str] = "auto",
        sharing: str | float = "auto",
        count_scale: str = "auto",
        node_labels: NodeLabels = "auto",
        random_state: Any = None,
        calibration: str | int | None = "auto",
    ) -> None:
        self.lambda_ratio = lambda_ratio
        self.n_lambdas = n_lambdas
        self.rho = rho
        self.maxpat = maxpat
        self.starts = starts
        self.loss = loss
        self.epsilon = epsilon
        self.scale = scale
        self.solver = solver
        self.learn_attributes = learn_attributes
        self.covariates = covariates
        self.covariate_penalty = covariate_penalty
        self.relax = relax
        self.tol = tol
        self.max_epochs = max_epochs
        self.patience = patience
        self.max_nodes = max_nodes
        self.max_bytes = max_bytes
        self.max_work = max_work
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.engine = engine
        self.pooling = pooling
        self.sharing = sharing
        self.count_scale = count_scale
        self.node_labels = node_labels
        self.random_state = random_state
        self.calibration = calibration
