"""Estimators that choose starts, rho, maxpat and lambda on held-out graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from aglets.estimators._base import DEFAULT_MAX_BYTES, DEFAULT_MAX_WORK
from aglets.estimators._over_grid import GRID, OverGrid
from aglets.estimators._parameters import Condition
from aglets.estimators._targets import LagraForClasses, LagraForNumbers
from aglets.model.losses import Loss
from aglets.preprocessing.node_labels import NodeLabels
from aglets.training.engine import Engine

__all__ = ["LagraClassifierCV", "LagraRegressorCV"]


class LagraClassifierCV(OverGrid, LagraForClasses):
    """Classify graphs by a few attributed graphlets, with parameters chosen on held-out graphs.

    The whole grid of starts × ``rhos`` × ``maxpats`` × lambdas is trained on one part of the graphs
    (one mining tree per number of starts serves it) and judged on the rest. The best point, among
    equals the sparsest, is then fitted on all graphs. The units of attributes are learned once from
    all graphs given to ``fit``, without their targets.

    Parameters
    ----------
    starts : "auto", int, sequence of int or dict, default="auto"
        Numbers of starting vectors per label to try, see :class:`LagraClassifier`. A dict gives
        each number its own ``maxpats``, as in ``{1: (5, 8), 8: (1, 2)}``. "auto" tries 1 with
        ``maxpats``, and, because patterns of several kinds of each label are many more but say as
        much with fewer nodes, 4 with patterns of 3 nodes; with more than three attributes also 64
        with single nodes. Without attributes there is one start, and so there is where several
        targets share graphlets.
    rhos : "auto" or sequence of float, default="auto"
        Length scales to try, see :class:`LagraClassifier`. Distances grow with the number d of
        attributes, so "auto" tries 3, 1, 0.3, 0.1 and 0.03 divided by d; with ``scale="none"``, 1,
        0.5, 0.1, 0.05 and 0.01; without attributes rho does not matter.
    maxpats : "auto" or sequence of int, default="auto"
        Largest numbers of nodes of a graphlet to try. "auto" tries 5 and 8 on sparse graphs such as
        molecules, 5 on denser ones, 2 and 3 where nodes have 8 or more neighbours on average. On
        sparse graphs without attributes 12 are tried, too, if a quarter of the budget allows them.
    n_lambdas : int, default=100
        Values of lambda, evenly spaced in log lambda.
    lambda_min_ratio : "auto" or float, default="auto"
        The last of them as part of lambda_max, the first. A path ends before it where the loss on
        held-out graphs was lowest long ago. "auto" is 0.01, and 0.001 where graphlets count.
    cv : "holdout", int, splitter or iterable, default="holdout"
        How graphs are held out: a single part (the paper), so many folds, or as a scikit-learn
        splitter says. Parts keep the proportions of classes.
    validation_fraction : float, default=0.25
        For "holdout": the part held out.
    select : {"loss", "score"}, default="loss"
        Choose by the loss or by the accuracy on held-out graphs.
    scoring : str, optional
        Choose by this score on held-out graphs instead, named as in scikit-learn: "roc_auc",
        "average_precision", "accuracy", "balanced_accuracy" or "matthews_corrcoef". The loss sees
        how sure a model is, and is the better choice unless one of these is what counts.
    rule : {"best", "one_se"}, default="best"
        Take the best point, or the sparsest that is worse by no more than one standard error of the
        best, over folds, or over the graphs of a single part. Averages have rules of their own.
    refit : bool, default=True
        Whether to fit the chosen point again on all graphs. False keeps the model trained without
        the held-out part. Graphs given to ``fit`` as ``validation`` are never trained on.
    average : {"none", "greedy", "folds"}, default="none"
        "none" is one point of the grid: the model that is easiest to read. "greedy" is a mean of up
        to ten points, chosen one after the other such that the loss of the mean on held-out graphs
        is lowest (of all folds together, if there are several); with ``refit``, each of them is
        fitted again on all graphs. "folds" is the mean of the folds' own greedy means, each as
        trained in its fold; with ``cv="holdout"`` there are five. Means predict better, but take
        several times as many graphlets. They are models like any other, without a path: see
        ``members_`` instead of ``path_``.
    max_graphlets : int or None, default=None
        Drop graphlets from the fitted model until so many are left, so that its predictions on the
        graphs of ``fit`` change as little as possible (:func:`aglets.compact`); made for averages.
    tol : float, default=1e-3
        As in :class:`LagraClassifier`, but ten times larger, for speed: a grid has many paths.
    loss, scale, solver, learn_attributes, max_epochs, patience, class_weight
        As in :class:`LagraClassifier`.
    covariates, covariate_penalty
        As in :class:`LagraClassifier`.
    relax : False, "auto", float or sequence of float, default=False
        As in :class:`LagraClassifier`, after the point of the grid was chosen, and after
        ``max_graphlets`` has dropped graphlets: a small model may be shrunk too much. "auto" or a
        list is chosen by what the folds say of the same graphlets on the graphs they hold out.
        Needs ``average="none"``.
    max_nodes, max_bytes, max_work, max_seconds, n_jobs, verbose, engine, sharing
        As in :class:`LagraClassifier`.
    pooling : "auto" or sequence of {"best", "sum", "mean"}, default="auto"
        As in :class:`LagraClassifier`, but "auto" is chosen on held-out graphs. The whole grid is
        tried with ("best",) for classes and ("best", "sum") for numbers; then, for each number of
        starts, what did best is tried with ("best", "sum") and both scales of counts. Among
        these, what is not of the whole grid is taken only if it lowers the loss by a hundredth of
        that of a model without graphlets.
    count_scale : {"auto", "raw", "sqrt"}, default="auto"
        As in :class:`LagraClassifier`, but "auto" is chosen in the same way.
    node_labels : {"auto", "degree", "none"} or callable, default="auto"
        As in :class:`LagraClassifier`, but where nodes have attributes and all the same label,
        "auto" tries the grid with both "none" and "degree".
    random_state : int, RandomState or None, default=None
        Seed of the parts; set it for results that can be repeated.

    Attributes
    ----------
    starts_, rho_, maxpat_, lambda_ratio_ : int, float, int, float
        The chosen point.
    pooling_, count_scale_, node_labels_ : tuple of str, str, str or callable
        What was chosen of these.
    cv_results_ : dict of ndarray
        One row per point of the grid: starts, rho, maxpat, pooling (as in "best+sum"),
        count_scale, lambda_ratio, and means over folds of
        validation loss, score and number of graphlets; the loss is infinite where a path had ended.
    best_index_ : int
        The chosen row of it. With an average, this is the best single point.
    members_ : list of Member
        With an average: the fold (None after ``refit``), cell (starts, rho, maxpat) and index on
        the path of each member, and its weight. ``lambda_``, ``lambda_max_``, ``lambdas_``,
        ``path_`` and ``objective_`` are of a single path, and not there.
    relax_ : float
        The part of the penalty with which the coefficients were solved for.
    standard_error_ : float
        With ``rule="one_se"``: by how much the chosen point may be worse than the best.
    classes_, graphlets_, coef_, intercept_, lambda_, lambda_max_, lambdas_, path_, objective_
        As in :class:`LagraClassifier`, of the final fit.
    n_iter_, model_, covariates_, covariate_coef_
        As in :class:`LagraClassifier`, of the final fit.

    Examples
    --------
    >>> from aglets import GraphSet, LagraClassifierCV
    >>> graphs = GraphSet.from_lists(
    ...     labels=["CCO", "CO", "CCN", "CN"] * 5,
    ...     edges=[[(0, 1), (1, 2)], [(0, 1)]] * 10,
    ... )
    >>> y = ["alcohol", "alcohol", "amine", "amine"] * 5
    >>> model = LagraClassifierCV(random_state=0).fit(graphs, y)
    >>> model.predict(graphs[:4]).tolist()
    ['alcohol', 'alcohol', 'amine', 'amine']
    """

    _conditions: ClassVar[Mapping[str, Condition]] = {**LagraForClasses._conditions, **GRID}

    def __init__(
        self,
        *,
        starts: str | int | Sequence[int] | Mapping[int, Sequence[int]] = "auto",
        rhos: str | Sequence[float] = "auto",
        maxpats: str | Sequence[int] = "auto",
        n_lambdas: int = 100,
        lambda_min_ratio: str | float = "auto",
        cv: Any = "holdout",
        validation_fraction: float = 0.25,
        select: str = "loss",
        scoring: str | None = None,
        rule: str = "best",
        refit: bool = True,
        average: str = "none",
        max_graphlets: int | None = None,
        loss: str | Loss = "squared_hinge",
        scale: str = "standard",
        solver: str = "fast",
        learn_attributes: bool = True,
        covariates: str | None = None,
        covariate_penalty: float = 0.0,
        relax: bool | str | float | Sequence[float] = False,
        tol: float = 1e-3,
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
    ) -> None:
        self.starts = starts
        self.rhos = rhos
        self.maxpats = maxpats
        self.n_lambdas = n_lambdas
        self.lambda_min_ratio = lambda_min_ratio
        self.cv = cv
        self.validation_fraction = validation_fraction
        self.select = select
        self.scoring = scoring
        self.rule = rule
        self.refit = refit
        self.average = average
        self.max_graphlets = max_graphlets
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


class LagraRegressorCV(OverGrid, LagraForNumbers):
    """Predict a number for each graph, with parameters chosen on held-out graphs.

    Parameters
    ----------
    starts, rhos, maxpats, n_lambdas, lambda_min_ratio, cv, validation_fraction, refit, average,
    max_graphlets
        As in :class:`LagraClassifierCV`.
    random_state
        As in :class:`LagraClassifierCV`.
    select : {"loss", "score"}, default="loss"
        Choose by the loss or by R² on held-out graphs.
    scoring : str, optional
        Choose by this score on held-out graphs instead: "r2", "neg_root_mean_squared_error",
        "neg_mean_absolute_error" or "spearman".
    rule : {"best", "one_se"}, default="best"
        As in :class:`LagraClassifierCV`.
    tol
        As in :class:`LagraClassifierCV`.
    loss, epsilon, scale, solver, learn_attributes, max_epochs, patience
        As in :class:`LagraRegressor`.
    covariates, covariate_penalty
        As in :class:`LagraClassifier`.
    relax
        As in :class:`LagraClassifierCV`.
    max_nodes, max_bytes, max_work, max_seconds, n_jobs, verbose, engine, sharing
        As in :class:`LagraClassifier`.
    pooling, count_scale, node_labels
        As in :class:`LagraClassifierCV`.

    Attributes
    ----------
    starts_, rho_, maxpat_, lambda_ratio_, pooling_, count_scale_, node_labels_, cv_results_,
    best_index_, members_, relax_
        As in :class:`LagraClassifierCV`.
    graphlets_, coef_, intercept_, lambda_, lambda_max_, lambdas_, path_, objective_, n_iter_
        As in :class:`LagraRegressor`, of the final fit.

    Examples
    --------
    >>> from aglets import GraphSet, LagraRegressorCV
    >>> graphs = GraphSet.from_lists(
    ...     labels=["CCO", "CO", "CCN", "CN"] * 5,
    ...     edges=[[(0, 1), (1, 2)], [(0, 1)]] * 10,
    ... )
    >>> y = [2.0, 2.0, 5.0, 5.0] * 5
    >>> LagraRegressorCV(random_state=0).fit(graphs, y).predict(graphs[:4]).round(1)
    array([2., 2., 5., 5.])
    """

    _conditions: ClassVar[Mapping[str, Condition]] = {**LagraForNumbers._conditions, **GRID}

    def __init__(
        self,
        *,
        starts: str | int | Sequence[int] | Mapping[int, Sequence[int]] = "auto",
        rhos: str | Sequence[float] = "auto",
        maxpats: str | Sequence[int] = "auto",
        n_lambdas: int = 100,
        lambda_min_ratio: str | float = "auto",
        cv: Any = "holdout",
        validation_fraction: float = 0.25,
        select: str = "loss",
        scoring: str | None = None,
        rule: str = "best",
        refit: bool = True,
        average: str = "none",
        max_graphlets: int | None = None,
        loss: str | Loss = "squared",
        epsilon: float = 1.35,
        scale: str = "standard",
        solver: str = "fast",
        learn_attributes: bool = True,
        covariates: str | None = None,
        covariate_penalty: float = 0.0,
        relax: bool | str | float | Sequence[float] = False,
        tol: float = 1e-3,
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
    ) -> None:
        self.starts = starts
        self.rhos = rhos
        self.maxpats = maxpats
        self.n_lambdas = n_lambdas
        self.lambda_min_ratio = lambda_min_ratio
        self.cv = cv
        self.validation_fraction = validation_fraction
        self.select = select
        self.scoring = scoring
        self.rule = rule
        self.refit = refit
        self.average = average
        self.max_graphlets = max_graphlets
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
