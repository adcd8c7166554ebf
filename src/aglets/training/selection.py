"""Choosing starts, rho, maxpat, channels and lambda on held-out graphs.

Points of different training
sets are compared at the same position of their lambda grids, that is at the same lambda /
lambda_max. Among points that do equally well the sparser model is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from aglets.graphs.arrays import Floats
from aglets.graphs.notes import Notices
from aglets.training.fitting import Paths, Settings

__all__ = [
    "Cell",
    "Channels",
    "Choice",
    "FoldResult",
    "Grid",
    "choose",
    "costs",
    "further_cells",
]


#: Means over folds that differ by less than this part are the same number.
ROUNDING = 1e-12

#: By how much a cell in addition to the grid must be better, as part of the loss of an empty model:
#: counts are worth their words only then.
EXTRA_MARGIN = 0.01

#: Cells of one number of starts are dealt to so many trees, whatever the number of jobs, on which
#: no result may depend; with more of them, patterns are mined too often.
PARTS = 2

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
    def parts(self) -> list[list[Cell]]:
        """Cells that share a tree, so that parts can be walked side by side.

        They have the same number of starts. Tentative sizes that cost too much are to be tried once
        only: there all cells of one number of starts stay together.
        """
        found: dict[tuple[int, int], list[Cell]] = {}
        n_parts = 1 if self.tentative else PARTS
        walks: dict[int, list[Cell]] = {}
        for cell in self.cells:
            own = walks.setdefault(cell.starts, [])
            walk = cell._replace(maxpat=0)
            if walk not in own:
                own.append(walk)
            found.setdefault((cell.starts, own.index(walk) % n_parts), []).append(cell)
        return list(found.values())

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
