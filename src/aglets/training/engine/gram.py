"""Gram matrices of rows of which most values are zero, over blocks of graphs.

Blocks are fixed and their sums are added in order, so that threads change no bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from aglets import _core
from aglets.graphs.arrays import Floats

__all__ = ["gram", "grams"]


#: Graphs of a block.
BLOCK = 1 << 15
#: A product of two values of sparse rows takes the time of so many in a dense matrix.
DENSE_PER_SPARSE = 5.0


def gram(rows: _core.SparseRows, weights: Floats, n_jobs: int = 1) -> Floats:
    """sum_i w_i rows_i rows_i' over graphs with a weight.

    Examples
    --------
    >>> rows = _core.SparseRows.of(np.array([[1.0, 2.0], [3.0, 0.0]]))
    >>> gram(rows, np.array([1.0, 2.0]))
    array([[9., 3.],
           [3., 9.]])
    """
    return _over_blocks(lambda begin, end: _of_block(rows, weights, begin, end), weights, n_jobs)


def grams(rows: _core.SparseRows, weights: Floats, n_jobs: int = 1) -> Floats:
    """`gram` under the weights of several outputs, which are the last axis of the result."""
    return _over_blocks(
        lambda begin, end: _core.grams(
            rows.dense(begin, end), np.ascontiguousarray(weights[:, begin:end])
        ),
        weights,
        n_jobs,
    )


def _of_block(rows: _core.SparseRows, weights: Floats, begin: int, end: int) -> Floats:
    bent = np.flatnonzero(weights[begin:end] > 0.0)
    pairs = rows.n_pairs(weights, begin, end)
    if DENSE_PER_SPARSE * pairs < 0.5 * len(rows) ** 2 * len(bent):
        return rows.gram(weights, begin, end)
    columns = rows.dense(begin, end)[:, bent]
    return np.asarray((columns * weights[begin:end][bent]) @ columns.T)


def _over_blocks(sums: Callable[[int, int], Floats], weights: Floats, n_jobs: int) -> Floats:
    """Add up what blocks give, in their order."""
    starts = range(0, max(weights.shape[-1], 1), BLOCK)
    ends = [min(start + BLOCK, weights.shape[-1]) for start in starts]
    parts: Iterator[Floats]
    if n_jobs == 1 or len(starts) == 1:
        parts = map(sums, starts, ends)
        return sum(parts, start=next(parts))
    with ThreadPoolExecutor(n_jobs) as pool:
        parts = pool.map(sums, starts, ends)
        return sum(parts, start=next(parts))
