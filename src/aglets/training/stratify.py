"""Parts of a data set that keep the proportions of every target, rare classes first.

Iterative stratification (Sechidis, Tsoumakas and Vlahavas, 2011): graphs of the rarest class that
is left are dealt first, each to the part that still wants most of that class. So every part gets
its share of the few positives of every target, which a split at random, or by one target, misses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.graphs.arrays import Bools, Rows
from aglets.model.outputs import Outputs
from aglets.model.target import is_known
from aglets.training.sample import Sample

__all__ = ["marks_of", "marks_of_sample", "stratified_folds", "stratified_parts"]


def marks_of(y: npt.NDArray[Any], is_class: Sequence[bool]) -> Bools:
    """Mark what each graph has: a column for each class of each target, and for known numbers.

    Parameters
    ----------
    y : ndarray of shape (n_graphs, n_targets)
        None or NaN where a value is unknown.
    is_class : sequence (per target) of bool
        Whether its values are classes.

    Examples
    --------
    >>> y = np.array([["a", 1.5], ["b", None], [None, 2.0]], dtype=object)
    >>> marks_of(y, [True, False]).astype(int)
    array([[1, 0, 1],
           [0, 1, 0],
           [0, 0, 1]])
    """
    marks = []
    for column, classes in zip(y.T, is_class, strict=True):
        known = is_known(column)
        if not classes:
            marks.append(known)
            continue
        text = np.array([str(value) for value in column.tolist()])
        marks += [known & (text == value) for value in np.unique(text[known])]
    return np.stack(marks, axis=1)


def marks_of_sample(sample: Sample, outputs: Outputs) -> Bools:
    """Mark the known classes and numbers of graphs, as :func:`marks_of` does for y."""
    marks = []
    for target, rows in zip(outputs.targets, outputs.slices, strict=True):
        known = sample.weights[rows.start] > 0.0
        if target.classes is None:
            marks.append(known)
            continue
        codes = target.decided(sample.targets[rows].T)
        marks += [known & (codes == code) for code in range(len(target.classes))]
    return np.stack(marks, axis=1)


def stratified_folds(
    marks: Bools, n_folds: int, random_state: Any = None
) -> list[tuple[Rows, Rows]]:
    """List (training rows, held-out rows) of so many folds that are alike in every mark.

    Examples
    --------
    >>> rare = np.zeros((40, 2), dtype=bool)
    >>> rare[:4, 0] = rare[4:8, 1] = True
    >>> [rare[held_out].sum(axis=0).tolist() for _, held_out in stratified_folds(rare, 4, 0)]
    [[1, 1], [1, 1], [1, 1], [1, 1]]
    """
    part = stratified_parts(marks, [1.0 / n_folds] * n_folds, random_state)
    return [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in range(n_folds)]


def stratified_parts(
    marks: Bools, fractions: Sequence[float], random_state: Any = None
) -> npt.NDArray[np.intp]:
    """Deal graphs to parts of these sizes that are alike in every mark.

    Parameters
    ----------
    marks : ndarray of shape (n_graphs, n_marks)
        What each graph has.
    fractions : sequence (per part) of float
        With sum 1.
    random_state : int, RandomState, Generator or None
        Seed of the order in which graphs are dealt, and of ties.

    Returns
    -------
    ndarray of shape (n_graphs,)
        The part of each graph.
    """
    rng = _generator(random_state)
    n_graphs = len(marks)
    share = np.asarray(fractions, dtype=np.float64)
    room = share * n_graphs
    wanted = np.outer(share, marks.sum(axis=0))  # (n_parts, n_marks)
    part = np.full(n_graphs, -1, dtype=np.intp)
    left = marks.copy()

    def deal(graph: int, mark: int | None) -> None:
        # Largest wish for the mark, then most room, then chance.
        keys = [rng.random(len(share)), room]
        keys += [] if mark is None else [wanted[:, mark]]
        taker = int(np.lexsort([key.round(9) for key in keys])[-1])
        part[graph] = taker
        room[taker] -= 1.0
        wanted[taker] -= marks[graph]
        left[graph] = False

    while left.any():
        counts = left.sum(axis=0)
        rarest = int(np.where(counts > 0, counts, n_graphs + 1).argmin())
        for graph in rng.permutation(np.flatnonzero(left[:, rarest])).tolist():
            deal(graph, rarest)
    for graph in rng.permutation(np.flatnonzero(part < 0)).tolist():
        deal(graph, None)
    return part


def _generator(random_state: Any) -> np.random.Generator:
    """Take what scikit-learn takes as a seed."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, dtype=np.uint64))
    return np.random.default_rng(random_state)
