"""An order of graphs that depends on what they hold, not on how they came.

Sums over graphs round differently in another order, and a long descent makes rounding grow.
Training on graphs in this order gives the same model, to the last bit, however they were shuffled
or their nodes numbered.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

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
    offsets = graphs.node_offsets
    numbers = np.empty((len(graphs), len(columns)))
    for j, column in enumerate(columns):
        numbers[:, j] = column
    keys = [
        (*numbers[i].tolist(), graphs.n_nodes[i], graphs.n_edges[i], *rows[start:end].ravel())
        for i, (start, end) in enumerate(pairwise(offsets))
    ]
    return np.array(sorted(range(len(graphs)), key=keys.__getitem__), dtype=np.intp)


def _degrees(graphs: GraphSet) -> npt.NDArray[np.int64]:
    return np.bincount(graphs.ends.ravel(), minlength=len(graphs.labels))
