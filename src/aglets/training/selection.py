"""Choosing starts, rho, maxpat and lambda on held-out graphs.

One tree per training set and number of starts serves the whole grid. Points of different training
sets are compared at the same position of their lambda grids, that is at the same lambda /
lambda_max. Among points that do equally well the sparser model is taken.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from aglets.graphs.arrays import Floats, Rows
from aglets.mining import BudgetError
from aglets.model.outputs import Outputs
from aglets.preprocessing.input_spec import InputSpec
from aglets.training.fitting import (
    FitCallback,
    Paths,
    Settings,
    Walk,
    prepare,
    walk,
    walk_maxpats,
)
from aglets.training.path import Validation
from aglets.training.path_point import PathPoint
from aglets.training.point_graphlets import decision
from aglets.training.stored import AnySample

__all__ = [
    "Cell",
    "Choice",
    "FoldResult",
    "Grid",
    "choose",
    "evaluate",
    "evaluate_folds",
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


class Cell(NamedTuple):
    """What a path of the grid is walked with."""

    starts: int
    rho: float
    maxpat: int


@dataclass(frozen=True)
class Grid:
    """The values among which to choose; lambda runs over the path of each cell.

    Parameters
    ----------
    rhos : tuple of float
    maxpats : mapping of int to tuple of int
        For each number of starts, the largest patterns to try with it.
    """

    rhos: tuple[float, ...]
    maxpats: Mapping[int, tuple[int, ...]]

    @property
    def cells(self) -> list[Cell]:
        """All combinations, few starts and small patterns first, so that ties go to them."""
        return [
            Cell(starts, rho, maxpat)
            for starts in sorted(self.maxpats)
            for maxpat in sorted(self.maxpats[starts])
            for rho in self.rhos
        ]


@dataclass(frozen=True)
class FoldResult:
    """What one training set and its held-out graphs gave, over (cells, lambdas).

    ``loss`` is infinite and ``score`` minus infinity where a path ended before that lambda.
    ``paths`` holds, per cell and output, the path points.
    """

    loss: Floats
    score: Floats
    n_nonzero: Floats
    paths: list[Paths] = field(default_factory=list)


@dataclass(frozen=True)
class Choice:
    """The chosen point of the grid: a position among its cells, and one on the path."""

    position: int
    index: int
    cell: Cell


def evaluate_folds(
    sample: AnySample,
    folds: Sequence[tuple[Rows, Rows]],
    grid: Grid,
    settings: Settings,
    *,
    input_spec: InputSpec,
    by_score: bool,
    keep_f: bool,
    n_jobs: int | None = None,
) -> list[FoldResult]:
    """Evaluate the grid on every (training rows, held-out rows), folds side by side.

    Folds are evaluated one after the other if there is a callback.
    """
    in_order = type(settings.callback) is not FitCallback
    alone = len(folds) == 1
    results: list[FoldResult] = Parallel(n_jobs=1 if in_order or alone else n_jobs)(
        delayed(evaluate)(
            sample[train],
            sample[held_out],
            grid,
            settings,
            input_spec=input_spec,
            by_score=by_score,
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
    keep_f : bool
        Whether path points keep f of all held-out graphs.
    stage : str
        What the training graphs are, for callbacks.
    """
    held_out = held_out.to_model_units(input_spec)
    cells = grid.cells
    shape = (len(cells), settings.n_lambdas)
    loss, score = np.full(shape, np.inf), np.full(shape, -np.inf)
    n_nonzero = np.full(shape, np.inf)
    kept: list[Paths] = [[] for _ in cells]
    validation = Validation(held_out, keep_f=keep_f or settings.callback.keeps_paths)
    for cell, paths in _walked(train, validation, grid, settings, input_spec, stage):
        row = cells.index(cell)
        kept[row] = paths
        for k, points in enumerate(zip(*paths, strict=False)):
            loss[row, k] = total_loss(points)
            n_nonzero[row, k] = sum(point.n_nonzero for point in points)
            score[row, k] = (
                _score(points, settings.outputs, input_spec, held_out) if by_score else np.nan
            )
    return FoldResult(loss, score, n_nonzero, kept)


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
    for starts, maxpats in grid.maxpats.items():
        training_set = prepare(
            train, settings, maxpat=max(maxpats), starts=starts, input_spec=input_spec
        )
        for rho in grid.rhos:
            try:
                plan = Walk(rho, max(maxpats), validation, done=is_stale, stage=stage)
                walked = walk_maxpats(training_set, settings, plan, maxpats)
            except BudgetError as error:
                refused = error
                continue
            some = True
            yield from ((Cell(starts, rho, maxpat), paths) for maxpat, paths in walked.items())
    if refused is None:
        return
    if not some:
        raise refused
    warnings.warn(f"Part of the grid was left out, because {refused}", RuntimeWarning, stacklevel=2)


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
            walked[cell] = walk(training_set, settings, plan)
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


def choose(
    results: Sequence[FoldResult], grid: Grid, *, by_score: bool, slack: float = 0.0
) -> Choice:
    """Take the sparsest point whose mean over folds is within ``slack`` of the best.

    Ties go to the better mean, then to the larger lambda, then to the cell that comes first.
    """
    if by_score:
        cost = -np.mean([result.score for result in results], axis=0)
    else:
        cost = np.mean([result.loss for result in results], axis=0)
    n_nonzero = np.mean([result.n_nonzero for result in results], axis=0)
    best = cost.min()
    tied = cost <= best + max(slack, ROUNDING * abs(best))
    tied &= n_nonzero == n_nonzero[tied].min()
    lowest = cost[tied].min()
    tied &= cost <= lowest + ROUNDING * abs(lowest)
    index = int(np.flatnonzero(tied.any(axis=0))[0])
    position = int(np.flatnonzero(tied[:, index])[0])
    return Choice(position, index, grid.cells[position])
