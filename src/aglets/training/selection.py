"""Choosing starts, rho, maxpat, channels and lambda on held-out graphs.

One tree per training set and number of starts serves the whole grid. Points of different training
sets are compared at the same position of their lambda grids, that is at the same lambda /
lambda_max. Among points that do equally well the sparser model is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from aglets.graphs.arrays import Floats, Rows
from aglets.graphs.notes import Notices
from aglets.mining import BudgetError
from aglets.model.metrics import Metric, answers_of
from aglets.model.outputs import Outputs
from aglets.preprocessing.input_spec import InputSpec
from aglets.training.fitting import (
    FitCallback,
    Paths,
    Settings,
    TrainingSet,
    Walk,
    prepare,
    walk,
    walk_maxpats,
)
from aglets.training.path import Validation
from aglets.training.path_point import PathPoint
from aglets.training.point_graphlets import decision
from aglets.training.sample import Sample
from aglets.training.stored import AnySample

__all__ = [
    "Cell",
    "Channels",
    "Choice",
    "FoldResult",
    "Grid",
    "choose",
    "costs",
    "evaluate",
    "evaluate_folds",
    "further_cells",
    "in_order",
    "walk_cells",
]


#: Means over folds that differ by less than this part are the same number.
ROUNDING = 1e-12

#: A path ends when lambda has fallen to this part of where the validation loss was lowest ...
STALE_RATIO = 0.3
#: ... and so many points have not been better ...
STALE_POINTS = 10
#: ... though this part of the training loss is left: before that, graphlets may still come in.
STALE_LOSS = 0.5


#: By how much a cell in addition to the grid must be better, as part of the loss of an empty model:
#: counts are worth their words only then.
EXTRA_MARGIN = 0.01

#: Part of the budget of the search for sizes of patterns that nobody asked for.
TENTATIVE_SHARE = 0.25

#: Poolings, and what is taken of sums and means.
Channels = tuple[tuple[str, ...], str]


class Cell(NamedTuple):
    """What a path of the grid is walked with."""

    starts: int
    rho: float
    maxpat: int
    pooling: tuple[str, ...] = ("best",)
    count_scale: str = "raw"

    def settings(self, settings: Settings) -> Settings:
        """Return the settings with its channels."""
        return replace(settings, pooling=self.pooling, count_scale=self.count_scale)


@dataclass(frozen=True)
class Grid:
    """The values among which to choose; lambda runs over the path of each cell.

    Parameters
    ----------
    rhos : tuple of float
    maxpats : mapping of int to tuple of int
        For each number of starts, the largest patterns to try with it.
    pooling, count_scale : tuple of str, str
        The channels of all these.
    further : tuple of (pooling, count_scale)
        Other channels, to be tried with the best cell of each number of starts.
    tentative : tuple of int
        Sizes of patterns that are tried with a part of the budget of the search, and left out
        without a warning where that is too little.
    extra : tuple of Cell
        Cells in addition to all combinations.
    """

    rhos: tuple[float, ...]
    maxpats: Mapping[int, tuple[int, ...]]
    pooling: tuple[str, ...] = field(default=("best",), repr=False)
    count_scale: str = field(default="raw", repr=False)
    further: tuple[Channels, ...] = field(default=(), repr=False)
    tentative: tuple[int, ...] = field(default=(), repr=False)
    extra: tuple[Cell, ...] = field(default=(), repr=False)

    @property
    def cells(self) -> list[Cell]:
        """All combinations, few starts and small patterns first, so that ties go to them."""
        return [
            Cell(starts, rho, maxpat, self.pooling, self.count_scale)
            for starts in sorted(self.maxpats)
            for maxpat in sorted(self.maxpats[starts])
            for rho in self.rhos
        ] + list(self.extra)

    @property
    def n_paths(self) -> int:
        """How many paths are walked on each training set, those of further channels included."""
        return len(self.cells) + len(self.further) * len(self.maxpats)


@dataclass(frozen=True)
class FoldResult:
    """What one training set and its held-out graphs gave, over (cells, lambdas).

    ``loss`` is infinite and ``score`` minus infinity where a path ended before that lambda.
    ``paths`` holds, per cell and output, the path points; ``notices`` what the user should know.
    """

    loss: Floats
    score: Floats
    n_nonzero: Floats
    paths: list[Paths] = field(default_factory=list)
    notices: Notices = field(default_factory=Notices, compare=False)

    def joined(self, other: FoldResult) -> FoldResult:
        """Append the cells of another result of the same graphs."""
        return FoldResult(
            np.concatenate([self.loss, other.loss]),
            np.concatenate([self.score, other.score]),
            np.concatenate([self.n_nonzero, other.n_nonzero]),
            self.paths + other.paths,
        )


@dataclass(frozen=True)
class Choice:
    """The chosen point of the grid: a position among its cells, and one on the path."""

    position: int
    index: int
    cell: Cell


def in_order(callback: FitCallback) -> bool:
    """Whether folds must be evaluated one after the other: a callback sees them all."""
    return type(callback) is not FitCallback


def evaluate_folds(
    sample: AnySample,
    folds: Sequence[tuple[Rows, Rows]],
    grid: Grid,
    settings: Settings,
    *,
    input_spec: InputSpec,
    by_score: bool,
    metric: Metric | None = None,
    keep_f: bool,
    n_jobs: int | None = None,
) -> list[FoldResult]:
    """Evaluate the grid on every (training rows, held-out rows), folds side by side.

    Folds are evaluated one after the other if there is a callback.
    """
    alone = len(folds) == 1
    results: list[FoldResult] = Parallel(
        n_jobs=1 if alone or in_order(settings.callback) else n_jobs
    )(
        delayed(evaluate)(
            sample[train],
            sample[held_out],
            grid,
            settings,
            input_spec=input_spec,
            by_score=by_score,
            metric=metric,
            keep_f=keep_f,
            stage="holdout" if alone else f"fold {i}",
        )
        for i, (train, held_out) in enumerate(folds)
    )
    return results


def evaluate(
    train: AnySample,
    held_out: AnySample,
    grid: Grid,
    settings: Settings,
    *,
    input_spec: InputSpec,
    by_score: bool,
    metric: Metric | None = None,
    keep_f: bool = True,
    stage: str = "holdout",
) -> FoldResult:
    """Walk the paths of all cells of the grid; judge each point on held-out graphs.

    Parameters
    ----------
    train, held_out : Sample
    grid : Grid
    settings : Settings
    input_spec : InputSpec
        Labels and units of attributes.
    by_score : bool
        Whether scores will be needed. With several outputs they take extra work: accuracy is then
        that of the class with the largest f.
    metric : Metric, optional
        What the score is; accuracy or R² unless given.
    keep_f : bool
        Whether path points keep f of all held-out graphs.
    stage : str
        What the training graphs are, for callbacks.
    """
    settings = replace(settings, notices=Notices())
    if isinstance(held_out, Sample):
        settings.callback.hold_out(stage, held_out)
    held_out = held_out.to_model_units(input_spec)
    cells = grid.cells
    shape = (len(cells), settings.n_lambdas)
    loss, score = np.full(shape, np.inf), np.full(shape, -np.inf)
    n_nonzero = np.full(shape, np.inf)
    kept: list[Paths] = [[] for _ in cells]
    keep_f = keep_f or metric is not None or settings.callback.keeps_paths
    validation = Validation(held_out, keep_f=keep_f)
    for cell, paths in _walked(train, validation, grid, settings, input_spec, stage):
        row = cells.index(cell)
        kept[row] = paths
        for k, points in enumerate(zip(*paths, strict=False)):
            loss[row, k] = total_loss(points)
            n_nonzero[row, k] = sum(point.n_nonzero for point in points)
            if metric is not None:
                score[row, k] = _quoted(metric, points, settings.outputs, held_out)
            elif by_score:
                score[row, k] = _score(points, settings.outputs, input_spec, held_out)
            else:
                score[row, k] = np.nan
    return FoldResult(loss, score, n_nonzero, kept, settings.notices)


def _walked(
    train: AnySample,
    validation: Validation,
    grid: Grid,
    settings: Settings,
    input_spec: InputSpec,
    stage: str,
) -> Iterator[tuple[Cell, Paths]]:
    """Walk the paths of all cells; those too large for the budget are left out, if not all are."""
    refused: BudgetError | None = None
    some = False
    for starts in dict.fromkeys(cell.starts for cell in grid.cells):
        own = [cell for cell in grid.cells if cell.starts == starts]
        planted = _Planted(
            partial(prepare, train, settings, starts=starts, input_spec=input_spec), own
        )
        for first in dict.fromkeys(cell._replace(maxpat=0) for cell in own):
            maxpats = [cell.maxpat for cell in own if cell._replace(maxpat=0) == first]
            plan = Walk(first.rho, max(maxpats), validation, done=is_stale, stage=stage)
            try:
                walked = planted.walk(plan, first.settings(settings), maxpats, grid.tentative)
            except BudgetError as error:
                refused = error
                continue
            some = True
            yield from ((first._replace(maxpat=size), paths) for size, paths in walked.items())
    if refused is None:
        return
    if not some:
        raise refused
    settings.notices.add(f"Part of the grid was left out, because {refused}", RuntimeWarning)


class _Planted:
    """The tree of one training set and number of starts, which all their paths share."""

    def __init__(self, make: Callable[..., TrainingSet], cells: Sequence[Cell]) -> None:
        self._make = make
        self._sizes = {cell.maxpat for cell in cells}
        self._training_set: TrainingSet | None = None

    def walk(
        self, plan: Walk, settings: Settings, maxpats: Sequence[int], tentative: Sequence[int]
    ) -> dict[int, Paths]:
        """Walk the paths of some maxpat; a tentative one that costs too much is left out."""
        walked: dict[int, Paths] = {}
        for size in self._sizes.intersection(maxpats, tentative):
            paths = self._tried(replace(plan, maxpat=size), _part(settings))
            if paths is None:
                self._sizes.remove(size)
                self._training_set = None  # it may have no room left for others
            else:
                walked[size] = paths
        if asked := [size for size in maxpats if size not in tentative]:
            walked |= walk_maxpats(self.training_set, settings, plan, asked)
        return walked

    @property
    def training_set(self) -> TrainingSet:
        if self._training_set is None:
            self._training_set = self._make(maxpat=max(self._sizes))
        return self._training_set

    def _tried(self, plan: Walk, settings: Settings) -> Paths | None:
        """Walk a path; None if the budget ended it."""
        quiet = replace(settings, notices=settings.notices.but(RuntimeWarning))
        try:
            paths = walk(self.training_set, quiet, plan)
        except BudgetError:
            return None
        whole = all(len(path) == settings.n_lambdas for path in paths)
        return paths if whole or is_stale(paths) else None


def _part(settings: Settings) -> Settings:
    work, seconds = settings.max_work, settings.max_seconds
    return replace(
        settings,
        max_work=None if work is None else int(TENTATIVE_SHARE * work),
        max_seconds=None if seconds is None else TENTATIVE_SHARE * seconds,
    )


def walk_cells(
    sample: AnySample, stops: Mapping[Cell, int], settings: Settings, input_spec: InputSpec
) -> dict[Cell, Paths]:
    """Walk the paths of some cells on all graphs, each to so many points."""
    walked = {}
    for starts in sorted({cell.starts for cell in stops}):
        cells = [cell for cell in stops if cell.starts == starts]
        maxpat = max(cell.maxpat for cell in cells)
        training_set = prepare(
            sample, settings, maxpat=maxpat, starts=starts, input_spec=input_spec
        )
        for cell in cells:
            plan = Walk(cell.rho, cell.maxpat, stop=stops[cell], stage="refit")
            walked[cell] = walk(training_set, cell.settings(settings), plan)
    return walked


def is_stale(paths: Paths) -> bool:
    """Whether the validation loss was lowest long ago, so that going on does not pay.

    Long is when lambda has fallen below `STALE_RATIO` times the best one, over `STALE_POINTS` or
    more points, and the model fits: its training loss is below `STALE_LOSS` of that at the start.
    The largest models of a path, which take most of its time, are not trained then.
    """
    losses = [total_loss(points) for points in zip(*paths, strict=False)]
    best, last = int(np.argmin(losses)), len(losses) - 1
    if last - best < STALE_POINTS or paths[0][last].lam >= STALE_RATIO * paths[0][best].lam:
        return False
    first, now = (sum(path[k].train_loss for path in paths) for k in (0, last))
    return now < STALE_LOSS * first


def total_loss(points: Sequence[PathPoint]) -> float:
    """Sum the validation loss over outputs."""
    return sum(float(point.validation_loss or 0.0) for point in points)


def _score(
    points: Sequence[PathPoint], outputs: Outputs, input_spec: InputSpec, held_out: AnySample
) -> float:
    if len(points) == 1:
        return float(points[0].validation_score or 0.0)
    f = decision(points, input_spec, held_out.load())
    return outputs.score(held_out.targets, f, held_out.weights)


def costs(results: Sequence[FoldResult], *, by_score: bool) -> Floats:
    """Return by what points are chosen, the lower the better, over (cells, lambdas)."""
    if by_score:
        return np.asarray(-np.mean([result.score for result in results], axis=0))
    return np.asarray(np.mean([result.loss for result in results], axis=0))


def further_cells(results: Sequence[FoldResult], grid: Grid, *, by_score: bool) -> tuple[Cell, ...]:
    """Return the best cell of each number of starts with the further channels of the grid."""
    cells, lowest = grid.cells, costs(results, by_score=by_score).min(axis=1)
    more = []
    for starts in dict.fromkeys(cell.starts for cell in cells):
        own = [row for row, cell in enumerate(cells) if cell.starts == starts]
        best = cells[min(own, key=lambda row: lowest[row])]
        more += [best._replace(pooling=names, count_scale=scale) for names, scale in grid.further]
    return tuple(more)


def _quoted(
    metric: Metric, points: Sequence[PathPoint], outputs: Outputs, held_out: AnySample
) -> float:
    """Return a metric on held-out graphs, more is better; the mean over targets it is for."""
    f = np.stack([point.held_f for point in points], axis=1)
    values = [
        metric.of(answers_of(target, held_out.targets[at], f[:, at], held_out.sample_weight))
        for target, at in zip(outputs.targets, outputs.slices, strict=True)
        if (target.classes is not None) == metric.classes
    ]
    known = [value for value in values if not np.isnan(value)]
    if not known:
        return -np.inf
    return float(-np.mean(known) if metric.less_is_better else np.mean(known))


def choose(
    results: Sequence[FoldResult], grid: Grid, *, by_score: bool, slack: float = 0.0
) -> Choice:
    """Take the sparsest point whose mean over folds is within ``slack`` of the best.

    Ties go to the better mean, then to the larger lambda, then to the cell that comes first. A cell
    in addition to the grid must be better than all of the grid by `EXTRA_MARGIN` of what it is at
    lambda_max.
    """
    cost = costs(results, by_score=by_score)
    if grid.extra:
        n_first = len(cost) - len(grid.extra)
        cost[n_first:] += EXTRA_MARGIN * abs(cost[:n_first, 0].min())
    n_nonzero = np.mean([result.n_nonzero for result in results], axis=0)
    best = cost.min()
    tied = cost <= best + max(slack, ROUNDING * abs(best))
    tied &= n_nonzero == n_nonzero[tied].min()
    lowest = cost[tied].min()
    tied &= cost <= lowest + ROUNDING * abs(lowest)
    index = int(np.flatnonzero(tied.any(axis=0))[0])
    position = int(np.flatnonzero(tied[:, index])[0])
    return Choice(position, index, grid.cells[position])
