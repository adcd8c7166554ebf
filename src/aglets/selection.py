"""Choosing rho, maxpat and lambda on held-out graphs: the whole grid on one tree per training set.

Points of different training sets are compared at the same position of their lambda grids, that is
at the same lambda / lambda_max. Among points that do equally well the sparser model is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from aglets.fitting import Prepared, Sample, Settings, Watch, decision, prepare, walk_maxpats
from aglets.path import PathPoint

__all__ = ["Choice", "FoldResult", "Grid", "choose", "evaluate_folds"]

FloatArray = NDArray[np.float64]
Rows = NDArray[np.intp]

#: Means over folds that differ by less than this part are the same number.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Grid:
    """The values among which to choose; lambda runs over the path of each pair."""

    rhos: tuple[float, ...]
    maxpats: tuple[int, ...]

    @property
    def pairs(self) -> list[tuple[float, int]]:
        """All (rho, maxpat), small patterns first, so that ties go to them."""
        return [(rho, maxpat) for maxpat in sorted(self.maxpats) for rho in self.rhos]


@dataclass(frozen=True)
class FoldResult:
    """What one training set and its held-out graphs gave, over (pairs, lambdas).

    ``loss`` and ``score`` are infinite (worst) where a path ended before that lambda. ``paths``
    holds, per pair and output, the path points; it is empty if they were not asked for.
    """

    loss: FloatArray
    score: FloatArray
    n_nonzero: FloatArray
    paths: list[list[list[PathPoint]]]
    prepared: Prepared | None


@dataclass(frozen=True)
class Choice:
    """The chosen point of the grid."""

    pair: int
    index: int
    rho: float
    maxpat: int


def evaluate_folds(
    sample: Sample,
    folds: Sequence[tuple[Rows, Rows]],
    grid: Grid,
    settings: Settings,
    *,
    by_score: bool,
    n_jobs: int | None = None,
) -> list[FoldResult]:
    """Evaluate the grid on every (training rows, held-out rows), folds side by side.

    Folds are evaluated one after the other if somebody watches.
    """
    if len(folds) == 1:
        train, held_out = folds[0]
        return [evaluate(sample[train], sample[held_out], grid, settings, by_score=by_score)]
    watched = type(settings.watch) is not Watch
    results: list[FoldResult] = Parallel(n_jobs=1 if watched else n_jobs)(
        delayed(evaluate)(
            sample[train],
            sample[held_out],
            grid,
            settings,
            by_score=by_score,
            keep=False,
            stage=f"fold {i}",
        )
        for i, (train, held_out) in enumerate(folds)
    )
    return results


def evaluate(
    train: Sample,
    held_out: Sample,
    grid: Grid,
    settings: Settings,
    *,
    by_score: bool,
    keep: bool = True,
    stage: str = "holdout",
) -> FoldResult:
    """Walk the paths of all pairs of the grid on one tree; judge each point on held-out graphs.

    Parameters
    ----------
    train, held_out : Sample
    grid : Grid
    settings : Settings
    by_score : bool
        Whether scores will be needed. With several outputs they take extra work: accuracy is then
        that of the class with the largest f.
    keep : bool
        Keep the path points and the prepared graphs.
    stage : str
        What the training graphs are, for whoever watches.
    """
    prepared = prepare(train, settings, maxpat=max(grid.maxpats))
    held_out = prepared.bring(held_out)
    shape = (len(grid.pairs), settings.n_lambdas)
    loss, score = np.full(shape, np.inf), np.full(shape, -np.inf)
    n_nonzero = np.full(shape, np.inf)
    walked = {
        rho: walk_maxpats(
            prepared, settings, rho=rho, maxpats=grid.maxpats, validation=held_out, stage=stage
        )
        for rho in grid.rhos
    }
    kept = []
    for row, (rho, maxpat) in enumerate(grid.pairs):
        paths = walked[rho][maxpat]
        for k, points in enumerate(zip(*paths, strict=False)):
            loss[row, k] = sum(float(point.validation_loss or 0.0) for point in points)
            n_nonzero[row, k] = sum(point.n_nonzero for point in points)
            score[row, k] = _score(points, prepared, held_out) if by_score else np.nan
        if keep:
            kept.append(paths)
    return FoldResult(loss, score, n_nonzero, kept, prepared if keep else None)


def _score(points: Sequence[PathPoint], prepared: Prepared, held_out: Sample) -> float:
    if len(points) == 1:
        return float(points[0].validation_score or 0.0)
    f = decision(points, prepared, held_out.graphs)
    right = f.argmax(axis=1) == held_out.targets.argmax(axis=0)
    return float(held_out.weight @ right) / float(held_out.weight.sum())


def choose(results: Sequence[FoldResult], grid: Grid, *, by_score: bool) -> Choice:
    """Take the point with the best mean over folds; ties go to the sparser model.

    Ties that remain go to the larger lambda, then to the pair that comes first in the grid.
    """
    if by_score:
        cost = -np.mean([result.score for result in results], axis=0)
    else:
        cost = np.mean([result.loss for result in results], axis=0)
    n_nonzero = np.mean([result.n_nonzero for result in results], axis=0)
    best = cost.min()
    tied = cost <= best + ROUNDING * abs(best)
    tied &= n_nonzero == n_nonzero[tied].min()
    index = int(np.flatnonzero(tied.any(axis=0))[0])
    pair = int(np.flatnonzero(tied[:, index])[0])
    return Choice(pair, index, *grid.pairs[pair])
