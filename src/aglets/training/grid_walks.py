"""Walking the paths of a grid on every fold, side by side, and judging them on held-out graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce

import numpy as np
from joblib import Parallel, delayed

from aglets.graphs.notes import Notices
from aglets.graphs.threads import n_threads
from aglets.mining import BudgetError
from aglets.model.metrics import Metric, answers_of
from aglets.model.outputs import Outputs
from aglets.preprocessing.input_spec import InputSpec
from aglets.training.engine import LocalEngine
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
from aglets.training.selection import Cell, FoldResult, Grid
from aglets.training.stored import AnySample

__all__ = [
    "evaluate_folds",
    "is_over",
    "is_stale",
    "is_too_long",
    "score_of",
    "total_loss",
    "walk_cells",
]


#: A path ends when lambda has fallen to this part of where the validation loss was lowest ...
STALE_RATIO = 0.3
#: ... and so many points have not been better ...
STALE_POINTS = 10
#: ... though this part of the training loss is left: before that, graphlets may still come in.
STALE_LOSS = 0.5
#: A path of outputs that share graphlets ends with so many, or so many times their number: every
#: graphlet serves all outputs, nobody reads more of them, and those models take most of the time.
MOST_SHARED, MOST_PER_OUTPUT = 200, 2


#: Part of the budget of the search for sizes of patterns that nobody asked for.
TENTATIVE_SHARE = 0.25


@dataclass(frozen=True)
class _PartResult:
    """What some cells gave: rows as in `FoldResult`, and what was too large for the budget."""

    cells: list[Cell]
    result: FoldResult
    refused: BudgetError | None


def _n_side_by_side(n_folds: int, grid: Grid, settings: Settings, n_jobs: int | None) -> int:
    """How many processes evaluate folds and parts of the grid; 1 for this one alone.

    A callback sees all paths in order, and other engines have processes of their own.
    """
    if type(settings.callback) is not FitCallback or type(settings.engine) is not LocalEngine:
        return 1
    return min(n_threads(n_jobs), n_folds * len(grid.parts))


def evaluate_folds(
    folds: Sequence[tuple[AnySample, AnySample]],
    grid: Grid,
    settings: Settings,
    *,
    input_spec: InputSpec,
    by_score: bool,
    metric: Metric | None = None,
    keep_f: bool = True,
    required: bool = True,
    n_jobs: int | None = None,
) -> list[FoldResult]:
    """Walk the paths of all cells of the grid; judge each point on held-out graphs.

    Parameters
    ----------
    folds : sequence of (training sample, held-out sample)
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
    required : bool
        Whether it is an error if all cells are too large for the budget.
    n_jobs : int, optional
        How many processes evaluate folds and parts of the grid side by side (`_n_side_by_side`).
    """
    parts = grid.parts
    n_jobs = _n_side_by_side(len(folds), grid, settings, n_jobs)
    if n_jobs > 1:  # each with a core of its own
        settings = replace(settings, n_jobs=1)
    found: list[_PartResult] = Parallel(n_jobs=n_jobs)(
        delayed(_evaluate)(
            train,
            held_out,
            part,
            grid.tentative,
            settings,
            input_spec=input_spec,
            by_score=by_score,
            metric=metric,
            keep_f=keep_f,
            stage="holdout" if len(folds) == 1 else f"fold {i}",
        )
        for i, (train, held_out) in enumerate(folds)
        for part in parts
    )
    n = len(parts)
    return [_united(found[k : k + n], grid, required) for k in range(0, len(found), n)]


def _united(parts: Sequence[_PartResult], grid: Grid, required: bool) -> FoldResult:
    """Put the parts of a grid together, cells in its order."""
    refused = next((part.refused for part in parts if part.refused is not None), None)
    whole = reduce(FoldResult.joined, [part.result for part in parts])
    notices = Notices()
    for part in parts:
        notices.extend(part.result.notices)
    if refused is not None:
        if required and not any(whole.paths):
            raise refused
        notices.add(f"Part of the grid was left out, because {refused}", RuntimeWarning)
    cells = [cell for part in parts for cell in part.cells]
    order = [cells.index(cell) for cell in grid.cells]
    return FoldResult(
        whole.loss[order],
        whole.score[order],
        whole.n_nonzero[order],
        [whole.paths[row] for row in order],
        notices,
    )


def _evaluate(
    train: AnySample,
    held_out: AnySample,
    cells: list[Cell],
    tentative: Sequence[int],
    settings: Settings,
    *,
    input_spec: InputSpec,
    by_score: bool,
    metric: Metric | None,
    keep_f: bool,
    stage: str,
) -> _PartResult:
    """Evaluate cells that share a tree."""
    settings = replace(settings, notices=Notices())
    if isinstance(held_out, Sample):
        settings.callback.hold_out(stage, held_out)
    held_out = held_out.to_model_units(input_spec)
    shape = (len(cells), settings.n_lambdas)
    loss, score = np.full(shape, np.inf), np.full(shape, -np.inf)
    n_nonzero = np.full(shape, np.inf)
    kept: list[Paths] = [[] for _ in cells]
    keep_f = keep_f or metric is not None or settings.callback.keeps_paths
    validation = Validation(held_out, keep_f=keep_f)
    refused: BudgetError | None = None
    planted = _Planted(
        partial(prepare, train, settings, starts=cells[0].starts, input_spec=input_spec), cells
    )
    for first in dict.fromkeys(cell._replace(maxpat=0) for cell in cells):
        maxpats = [cell.maxpat for cell in cells if cell._replace(maxpat=0) == first]
        plan = Walk(first.rho, max(maxpats), validation, done=is_over, stage=stage)
        try:
            walked = planted.walk(plan, first.settings(settings), maxpats, tentative)
        except BudgetError as error:
            refused = error
            continue
        for size, paths in walked.items():
            row = cells.index(first._replace(maxpat=size))
            kept[row] = paths
            for k, points in enumerate(zip(*paths, strict=False)):
                loss[row, k] = total_loss(points)
                n_nonzero[row, k] = sum(point.n_nonzero for point in points)
                score[row, k] = np.nan
                if by_score:
                    outputs = settings.outputs
                    score[row, k] = score_of(points, outputs, input_spec, held_out, metric)
    return _PartResult(cells, FoldResult(loss, score, n_nonzero, kept, settings.notices), refused)


class _Planted:
    """The tree of one training set and part of the grid, which all their paths share."""

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
        return paths if whole or is_over(paths) else None


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


def is_over(paths: Paths) -> bool:
    """Whether going on does not pay: it was best long ago, or nobody would read the model."""
    return is_stale(paths) or is_too_long(paths)


def is_too_long(paths: Paths) -> bool:
    """Whether outputs that share graphlets have as many of them as a path may have."""
    last = paths[0][-1]
    if last.beta.ndim == 1:
        return False
    return bool(last.n_nonzero >= max(MOST_SHARED, MOST_PER_OUTPUT * last.beta.shape[1]))


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


def score_of(
    points: Sequence[PathPoint],
    outputs: Outputs,
    input_spec: InputSpec,
    held_out: AnySample,
    metric: Metric | None,
) -> float:
    """Return a metric on held-out graphs, whose f the points kept; or accuracy or R²."""
    if metric is not None:
        return _quoted(metric, points, outputs, held_out)
    if len(points) == 1:
        return float(points[0].validation_score or 0.0)
    f = decision(points, input_spec, held_out.load())
    return outputs.score(held_out.targets, f, held_out.weights)


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
