"""Estimators that choose starts, rho, maxpat and lambda on held-out graphs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.model_selection import (
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)

from aglets.averaging import Member, fold_members, greedy_members
from aglets.compacting import compact
from aglets.estimators._assembly import model_of
from aglets.estimators._base import DEFAULT_MAX_BYTES, BaseLagra
from aglets.estimators._grids import GRID_PARAMETERS, grid_for
from aglets.estimators._parameters import (
    Condition,
    check_parameters,
    either,
    floats,
    integers,
    one_of,
)
from aglets.estimators._targets import LagraForClasses, LagraForNumbers
from aglets.fitting import Frame, Paths, Sample, Settings, Watch
from aglets.graphs import as_graph_set
from aglets.judging import standard_error
from aglets.leaks import LeakWarning, is_contiguous, order_leak
from aglets.model_average import average_models
from aglets.selection import (
    Cell,
    FoldResult,
    Grid,
    choose,
    evaluate,
    evaluate_folds,
    walk_cells,
)

__all__ = ["LagraClassifierCV", "LagraRegressorCV"]

FloatArray = NDArray[np.float64]
Folds = Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]

GRID: Mapping[str, Condition] = {
    **GRID_PARAMETERS,
    "lambda_min_ratio": floats(0.0, 1.0),
    "cv": either(
        one_of("holdout"),
        integers(2),
        Condition(
            lambda value: (
                not isinstance(value, str)
                and (hasattr(value, "split") or hasattr(value, "__iter__"))
            ),
            "a splitter or a list of (train, test) positions",
        ),
    ),
    "validation_fraction": floats(0.0, 1.0),
    "select": one_of("loss", "score"),
    "rule": one_of("best", "one_se"),
    "refit": one_of(True, False),
    "average": one_of("none", "greedy", "folds"),
    "max_graphlets": either(integers(1), one_of(None)),
}


class _OverGrid(BaseLagra):
    """Evaluates the grid on held-out graphs, takes the best point, fits it on all graphs."""

    def grid(self, X: Any) -> Grid:
        """Spell out the grid that :meth:`fit` will try on these graphs."""
        check_parameters(self, self._conditions)
        return grid_for(
            as_graph_set(X),
            starts=self.starts,
            rhos=self.rhos,
            maxpats=self.maxpats,
            scale=self.scale,
        )

    def _fit(self, sample: Sample, validation: Sample | None, watch: Watch) -> None:
        grid = self.grid(sample.graphs)
        if validation is not None and self.average == "folds":
            raise ValueError(
                "average='folds' needs folds of the training graphs. Got validation graphs "
                "instead; leave them out, or set average='greedy'."
            )
        by_score = self.select == "score"
        folds = [] if validation is not None else self._folds(sample)
        # Folds run side by side, else threads share the one tree.
        jobs = 1 if len(folds) > 1 else effective_n_jobs(self.n_jobs)
        settings = self._settings(lambda_min_ratio=self.lambda_min_ratio, watch=watch, n_jobs=jobs)
        frame = Frame.of(sample, settings)
        # With graphs held out by the user everything else was trained on already.
        keep = self.average == "folds" or validation is not None or not self.refit
        if validation is not None:
            held_out = [validation]
            results = [evaluate(sample, validation, grid, settings, frame=frame, by_score=by_score)]
        else:
            held_out = [sample[rows] for _, rows in folds]
            results = evaluate_folds(
                sample,
                folds,
                grid,
                settings,
                frame=frame,
                by_score=by_score,
                keep=keep or self.average == "greedy" or self.rule == "one_se",
                n_jobs=self.n_jobs,
            )
        choice = choose(results, grid, by_score=by_score)
        if self.rule == "one_se":
            self.standard_error_ = standard_error(
                results, held_out, choice, settings.loss, by_score=by_score
            )
            choice = choose(results, grid, by_score=by_score, slack=self.standard_error_)
        self.starts_, self.rho_, self.maxpat_ = choice.cell
        self.lambda_ratio_ = float(ratios(settings)[choice.index])
        self.cv_results_ = table(results, grid, settings)
        self.best_index_ = choice.position * settings.n_lambdas + choice.index
        if self.average == "none":
            members = [Member(None, choice.cell, choice.index, 1.0)]
        else:
            find = fold_members if self.average == "folds" else greedy_members
            members = find(results, held_out, grid, settings.loss)
        if keep:
            paths = [
                results[member.fold or 0].paths[grid.cells.index(member.cell)] for member in members
            ]
        else:
            paths = self._refitted(sample, members, frame, watch)
        if self.average == "none":
            self._store(paths[0], choice.index, frame)
        else:
            self._store_average(members, paths, frame, settings)
        if self.max_graphlets is not None and len(self.graphlets_) > self.max_graphlets:
            jobs = effective_n_jobs(self.n_jobs)
            self._keep(compact(self.model_, sample.graphs, self.max_graphlets, n_jobs=jobs))

    def _refitted(
        self, sample: Sample, members: Sequence[Member], frame: Frame, watch: Watch
    ) -> list[Paths]:
        settings = self._settings(lambda_min_ratio=self.lambda_min_ratio, watch=watch)
        stops: dict[Cell, int] = {}
        for member in members:
            stops[member.cell] = max(stops.get(member.cell, 0), member.index + 1)
        walked = walk_cells(sample, stops, settings, frame)
        return [walked[member.cell] for member in members]

    def _store_average(
        self, members: Sequence[Member], paths: Sequence[Paths], frame: Frame, settings: Settings
    ) -> None:
        """Keep the mean of the members as the fitted model, which has no path of its own."""
        for name in ("path_", "lambdas_", "lambda_", "lambda_max_", "objective_"):
            if hasattr(self, name):
                delattr(self, name)
        models = []
        self.n_iter_ = 0
        for member, of_outputs in zip(members, paths, strict=True):
            points = [path[min(member.index, len(path) - 1)] for path in of_outputs]
            classes = getattr(self, "classes_", None)
            models.append(model_of(points, [], frame, settings.loss.name, classes))
            self.n_iter_ += sum(p.n_epochs for path in of_outputs for p in path[: member.index + 1])
        self.members_ = list(members)
        self._keep(average_models(models, [member.weight for member in members]))

    def _folds(self, sample: Sample) -> Folds:
        codes = sample.targets.argmax(axis=0) if len(sample.targets) > 1 else sample.targets[0]
        stratify = hasattr(self, "classes_")
        rows = np.arange(len(sample.graphs))
        if isinstance(self.cv, str):
            hold_out = StratifiedShuffleSplit if stratify else ShuffleSplit
            splitter = hold_out(
                1, test_size=self.validation_fraction, random_state=self.random_state
            )
        elif isinstance(self.cv, (int, np.integer)):
            # Files are often sorted by class or by series: never cut them contiguously.
            k_fold = StratifiedKFold if stratify else KFold
            splitter = k_fold(int(self.cv), shuffle=True, random_state=self.random_state)
        else:
            splitter = check_cv(self.cv, codes, classifier=stratify)
        folds: Folds = list(splitter.split(rows, codes))
        if stratify and all(is_contiguous(np.asarray(held_out)) for _, held_out in folds):
            leak = order_leak(codes.astype(int))
            if leak is not None:
                warnings.warn(leak, LeakWarning, stacklevel=2)
        if len(folds) == 1 and self.average == "folds":
            raise ValueError(
                "average='folds' needs several folds. Got a single hold-out; set cv=5, or "
                "average='greedy'."
            )
        if len(folds) > 1 and not self.refit and self.average != "folds":
            raise ValueError(
                f"refit=False needs a single hold-out, for its model is then the answer. "
                f"Got {len(folds)} folds; set refit=True or cv='holdout'."
            )
        return folds


def ratios(settings: Settings) -> FloatArray:
    """List lambda / lambda_max along a path."""
    return np.geomspace(1.0, settings.lambda_min_ratio, settings.n_lambdas)


def table(results: Sequence[FoldResult], grid: Grid, settings: Settings) -> dict[str, FloatArray]:
    """Tabulate the grid: one row per (starts, maxpat, rho, lambda), means over folds."""
    starts, rho, maxpat = np.array(grid.cells, dtype=np.float64).T
    n = settings.n_lambdas

    def mean(name: str) -> FloatArray:
        return np.asarray(np.mean([getattr(result, name) for result in results], axis=0)).ravel()

    return {
        "starts": np.repeat(starts, n).astype(int),
        "rho": np.repeat(rho, n),
        "maxpat": np.repeat(maxpat, n).astype(int),
        "lambda_ratio": np.tile(ratios(settings), len(grid.cells)),
        "mean_validation_loss": mean("loss"),
        "mean_validation_score": mean("score"),
        "mean_n_nonzero": mean("n_nonzero"),
    }


class LagraClassifierCV(_OverGrid, LagraForClasses):
    """Classify graphs by a few attributed graphlets; all that matters is chosen for you.

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
        much with fewer nodes, 4 with patterns of 3 nodes (up to three attributes) or 8 with
        patterns of 1 and 2 nodes (more attributes). Without attributes there is one start.
    rhos : "auto" or sequence of float, default="auto"
        Length scales to try, see :class:`LagraClassifier`. Distances grow with the number d of
        attributes, so "auto" tries 3, 1, 0.3, 0.1 and 0.03 divided by d; with ``scale="none"``, 1,
        0.5, 0.1, 0.05 and 0.01; without attributes rho does not matter.
    maxpats : "auto" or sequence of int, default="auto"
        Largest numbers of nodes of a graphlet to try. "auto" tries 5 and 8 on sparse graphs such as
        molecules, 5 on denser ones.
    n_lambdas : int, default=100
        Values of lambda, evenly spaced in log lambda.
    lambda_min_ratio : float, default=0.01
        The last of them as part of lambda_max, the first.
    cv : "holdout", int, splitter or iterable, default="holdout"
        How graphs are held out: a single part (the paper), so many folds, or as a scikit-learn
        splitter says. Parts keep the proportions of classes.
    validation_fraction : float, default=0.25
        For "holdout": the part held out.
    select : {"loss", "score"}, default="loss"
        Choose by the loss or by the accuracy on held-out graphs.
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
        trained in its fold. Means predict better, but take several times as many graphlets. They
        are models like any other, without a path: see ``members_`` instead of ``path_``.
    max_graphlets : int or None, default=None
        Drop graphlets from the fitted model until so many are left, so that its predictions on the
        graphs of ``fit`` change least (:func:`aglets.compact`); made for averages.
    tol : float, default=1e-3
        As in :class:`LagraClassifier`, but ten times larger: half the epochs, and the loss on
        held-out graphs stays the same within what the choice of those graphs makes of it.
    loss, scale, solver, learn_attributes, max_epochs, patience, class_weight
        As in :class:`LagraClassifier`.
    covariates, covariate_penalty
        As in :class:`LagraClassifier`.
    max_nodes, max_bytes, max_seconds, n_jobs
        As in :class:`LagraClassifier`.
    random_state : int, RandomState or None, default=None
        Seed of the parts; set it for results that can be repeated.

    Attributes
    ----------
    starts_, rho_, maxpat_, lambda_ratio_ : int, float, int, float
        The chosen point.
    cv_results_ : dict of ndarray
        One row per point of the grid: starts, rho, maxpat, lambda_ratio, and means over folds of
        validation loss, score and number of graphlets.
    best_index_ : int
        The chosen row of it. With an average, this is the best single point.
    members_ : list of Member
        With an average: the fold (None after ``refit``), cell (starts, rho, maxpat) and index on
        the path of each member, and its weight. ``lambda_``, ``lambda_max_``, ``lambdas_``,
        ``path_`` and ``objective_`` are of a single path, and not there.
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
        lambda_min_ratio: float = 0.01,
        cv: Any = "holdout",
        validation_fraction: float = 0.25,
        select: str = "loss",
        rule: str = "best",
        refit: bool = True,
        average: str = "none",
        max_graphlets: int | None = None,
        loss: str = "squared_hinge",
        scale: str = "standard",
        solver: str = "fast",
        learn_attributes: bool = True,
        covariates: str | None = None,
        covariate_penalty: float = 0.0,
        tol: float = 1e-3,
        max_epochs: int = 100,
        patience: int = 5,
        class_weight: Mapping[Any, float] | str | None = None,
        max_nodes: int | None = None,
        max_bytes: int | None = DEFAULT_MAX_BYTES,
        max_seconds: float | None = 300.0,
        n_jobs: int | None = None,
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
        self.tol = tol
        self.max_epochs = max_epochs
        self.patience = patience
        self.class_weight = class_weight
        self.max_nodes = max_nodes
        self.max_bytes = max_bytes
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs
        self.random_state = random_state


class LagraRegressorCV(_OverGrid, LagraForNumbers):
    """Estimate a number for each graph; all that matters is chosen for you.

    Parameters
    ----------
    starts, rhos, maxpats, n_lambdas, lambda_min_ratio, cv, validation_fraction, refit, average,
    max_graphlets
        As in :class:`LagraClassifierCV`.
    random_state
        As in :class:`LagraClassifierCV`.
    select : {"loss", "score"}, default="loss"
        Choose by the loss or by R² on held-out graphs.
    rule : {"best", "one_se"}, default="best"
        As in :class:`LagraClassifierCV`.
    tol
        As in :class:`LagraClassifierCV`.
    loss, epsilon, scale, solver, learn_attributes, max_epochs, patience
        As in :class:`LagraRegressor`.
    covariates, covariate_penalty
        As in :class:`LagraClassifier`.
    max_nodes, max_bytes, max_seconds, n_jobs
        As in :class:`LagraClassifier`.

    Attributes
    ----------
    starts_, rho_, maxpat_, lambda_ratio_, cv_results_, best_index_, members_
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
        lambda_min_ratio: float = 0.01,
        cv: Any = "holdout",
        validation_fraction: float = 0.25,
        select: str = "loss",
        rule: str = "best",
        refit: bool = True,
        average: str = "none",
        max_graphlets: int | None = None,
        loss: str = "squared",
        epsilon: float = 1.35,
        scale: str = "standard",
        solver: str = "fast",
        learn_attributes: bool = True,
        covariates: str | None = None,
        covariate_penalty: float = 0.0,
        tol: float = 1e-3,
        max_epochs: int = 100,
        patience: int = 5,
        max_nodes: int | None = None,
        max_bytes: int | None = DEFAULT_MAX_BYTES,
        max_seconds: float | None = 300.0,
        n_jobs: int | None = None,
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
        self.tol = tol
        self.max_epochs = max_epochs
        self.patience = patience
        self.max_nodes = max_nodes
        self.max_bytes = max_bytes
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs
        self.random_state = random_state
