"""An order of graphs that depends on what they hold, not on how they came.

Sums over graphs round differently in another order, and a long descent makes rounding grow.
Training on graphs in this order gives the same model, to the last bit, however they were shuffled
or their nodes numbered.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.graphs.arrays import Bools, Floats, Ints
from aglets.graphs.graph_set import GraphSet

__all__ = ["content_order"]


def content_order(graphs: GraphSet, *columns: npt.ArrayLike) -> npt.NDArray[np.intp]:
    """Sort graphs by their nodes' labels and attributes and by further numbers per graph.

    Graphs that agree in all of these keep their order; they are interchangeable in all but rare
    cases (same nodes, other edges).

    Parameters
    ----------
    graphs : GraphSet
    *columns : array-like of shape (n_graphs,)
        Compared first.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=["CO", "CC", "OC"], edges=[[], [], []])
    >>> content_order(graphs)
    array([1, 0, 2])
    """
    graph_of = np.repeat(np.arange(len(graphs)), graphs.n_nodes)
    rows = np.column_stack([graphs.labels, graphs.attributes, _degrees(graphs)])
    rows = rows[np.lexsort((*rows.T[::-1], graph_of))]
    sizes = graphs.n_nodes
    first = (*(np.asarray(column) for column in columns), sizes, graphs.n_edges)
    order = np.lexsort(first[::-1])
    starts = _starts_of_groups(*(column[order] for column in first))
    firsts = graphs.node_offsets[:-1] * rows.shape[1]
    return _refined(order, starts, rows.ravel(), firsts, sizes * rows.shape[1])


def _refined(
    order: npt.NDArray[np.intp], starts: Bools, entries: Floats, firsts: Ints, lengths: Ints
) -> npt.NDArray[np.intp]:
    """Sort within groups by one entry after the other; most groups are single after a few.

    Parameters
    ----------
    order : ndarray of shape (n_graphs,)
    starts : ndarray of shape (n_graphs,)
        Whether a group begins at each place of the order.
    entries : ndarray
        What all graphs hold, flat.
    firsts, lengths : ndarray of shape (n_graphs,)
        Which of the entries are those of each graph; lengths are the same within a group.
    """
    order, starts = order.copy(), starts.copy()
    places = np.arange(len(order))
    entry = 0
    while True:
        ends = np.append(starts[1:], True)
        places = places[~(starts & ends)[places]]
        places = places[lengths[order[places]] > entry]
        if not len(places):
            return order
        groups = np.cumsum(starts)[places]
        own = order[places]
        values = entries[firsts[own] + entry]
        sorting = np.lexsort((values, groups))
        order[places] = own[sorting]
        starts[places] = _starts_of_groups(groups, values[sorting])
        entry += 1


def _starts_of_groups(*columns: npt.NDArray[Any]) -> Bools:
    """Whether each row of some columns differs from the one before it; gaps (NaN) are equal."""
    starts = np.zeros(len(columns[0]), dtype=bool)
    starts[:1] = True
    for column in columns:
        missing = column != column
        both = missing[1:] & missing[:-1]
        starts[1:] |= (column[1:] != column[:-1]) & ~both
    return starts


def _degrees(graphs: GraphSet) -> npt.NDArray[np.int64]:
    return np.bincount(graphs.ends.ravel(), minlength=len(graphs.labels))
