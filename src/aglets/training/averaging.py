"""Averages of models of the grid: which members, and with what weights.

Greedy ensemble selection (Caruana et al., 2004): members are added one by one, repeatedly from
all points of the grid, each time the one with which the mean of all members has the lowest loss on
held-out graphs. f is linear in coefficients, so the mean of LAGRA models is a LAGRA model: their
graphlets together, coefficients weighted. A single point that is chosen by few held-out graphs is
partly luck; the mean of several good ones is less so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from aglets.graphs.arrays import Floats
from aglets.model.outputs import Outputs
from aglets.training.fitting import Paths
from aglets.training.selection import ROUNDING, Cell, FoldResult, Grid
from aglets.training.stored import AnySample

__all__ = ["Member", "fold_members", "greedy_members"]


#: Members are added so often; more did not lower the loss on graphs that were held out from it.
N_ROUNDS = 10


@dataclass(frozen=True)
class Member:
    """A point of the grid in an average: where it lies, and its weight.

    Parameters
    ----------
    fold : int or None
        In which fold it was trained; None if on all graphs, or if there are no folds.
    cell : Cell
        Starts, rho and maxpat of its path.
    index : int
        Its position on the path.
    weight : float
    """

    fold: int | None
    cell: Cell
    index: int
    weight: float


def greedy_members(
    results: Sequence[FoldResult], held_out: Sequence[AnySample], grid: Grid, outputs: Outputs
) -> list[Member]:
    """Choose members by the loss on all held-out graphs together.

    A point that some fold's path did not reach is not a candidate. Ties go to the sparser point,
    then to the larger lambda.

    Parameters
    ----------
    results : sequence (per fold) of FoldResult
        With their paths.
    held_out : sequence (per fold) of Sample
        The graphs on which those were judged.
    grid : Grid
    outputs : Outputs
    """
    cells = grid.cells
    reached = np.logical_and.reduce([np.isfinite(result.loss) for result in results])
    places = [(row, k) for k, row in np.argwhere(reached.T).tolist()]
    f = np.concatenate(
        [np.stack([_held_f(result.paths[row], k) for row, k in places]) for result in results],
        axis=2,
    )
    n_nonzero = np.mean([result.n_nonzero for result in results], axis=0)
    weights = greedy_weights(
        f,
        np.concatenate([sample.targets for sample in held_out], axis=1),
        np.concatenate([sample.weights for sample in held_out], axis=1),
        outputs,
        np.array([n_nonzero[place] for place in places]),
    )
    chosen = np.flatnonzero(weights)
    return [Member(None, cells[places[c][0]], places[c][1], float(weights[c])) for c in chosen]


def fold_members(
    results: Sequence[FoldResult], held_out: Sequence[AnySample], grid: Grid, outputs: Outputs
) -> list[Member]:
    """Choose members in each fold by its own held-out graphs; every fold weighs the same.

    Together the folds are trained on all graphs, and what they were chosen by differs, too.
    """
    members = []
    for fold, (result, sample) in enumerate(zip(results, held_out, strict=True)):
        for member in greedy_members([result], [sample], grid, outputs):
            members.append(replace(member, fold=fold, weight=member.weight / len(results)))
    return members


def greedy_weights(
    f: Floats,
    targets: Floats,
    weight: Floats,
    outputs: Outputs,
    n_nonzero: Floats,
    n_rounds: int = N_ROUNDS,
) -> Floats:
    """Weigh candidates by how often they are chosen, in the best of the rounds.

    Parameters
    ----------
    f : ndarray of shape (n_candidates, n_outputs, n_graphs)
    targets : ndarray of shape (n_outputs, n_graphs)
    weight : ndarray of shape (n_outputs, n_graphs), or (n_graphs,) if all outputs share them
    outputs : Outputs
    n_nonzero : ndarray of shape (n_candidates,)
        Number of graphlets: among equals the smaller, then the first, is taken.
    n_rounds : int

    Examples
    --------
    >>> outputs = Outputs.of_numbers()
    >>> f = np.array([[[0.0, 3.0]], [[2.0, 1.0]], [[9.0, 9.0]]])
    >>> greedy_weights(f, np.array([[1.0, 2.0]]), np.ones(2), outputs, np.ones(3))
    array([0.5, 0.5, 0. ])
    """
    total = np.zeros(f.shape[1:])
    chosen: list[int] = []
    losses: list[float] = []
    for n in range(1, n_rounds + 1):
        values = outputs.loss_values(targets, np.moveaxis((total + f) / n, 1, 2), weight)
        tied = np.flatnonzero(values <= values.min() + ROUNDING * abs(values.min()))
        best = int(tied[n_nonzero[tied].argmin()])
        total += f[best]
        chosen.append(best)
        losses.append(float(values[best]))
    n_kept = int(np.argmin(losses)) + 1
    return np.bincount(chosen[:n_kept], minlength=len(f)) / n_kept


def _held_f(paths: Paths, k: int) -> Floats:
    return np.concatenate([path[k].held_rows for path in paths])
