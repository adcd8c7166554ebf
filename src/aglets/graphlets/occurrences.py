"""Where a graphlet lies in graphs: every distinct set of nodes, not only the best one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aglets import _core
from aglets.graphlets.graphlet import Graphlet, core_pattern, flat_attributes
from aglets.graphs import as_graph_set

__all__ = ["MAX_EMBEDDINGS", "Occurrence", "Occurrences", "occurrences"]

#: A graph with more embeddings of a graphlet than this lists only the best of them.
MAX_EMBEDDINGS = 20_000


class Occurrence(NamedTuple):
    """One set of nodes that holds a graphlet.

    `embedding` is the graph's node for each node of the graphlet, the best way on these nodes.
    """

    embedding: tuple[int, ...]
    psi: float


class Occurrences(NamedTuple):
    """All occurrences in one graph, the best first, and whether all of them are listed."""

    found: tuple[Occurrence, ...]
    complete: bool


def occurrences(graphs: Any, graphlet: Graphlet, rho: float) -> list[Occurrences]:
    """List where a graphlet occurs, graph by graph.

    Parameters
    ----------
    graphs : GraphSet or list of graphs
    graphlet : Graphlet
    rho : float
        As in :func:`agis`; the psi of the first occurrence is what that returns.

    Returns
    -------
    list of Occurrences

    Examples
    --------
    >>> from aglets import GraphSet
    >>> graphs = GraphSet.from_lists(labels=["OCCO"], edges=[[(0, 1), (1, 2), (2, 3)]])
    >>> [ends] = occurrences(graphs, Graphlet(labels="CO", edges=[(0, 1)]), rho=1.0)
    >>> [one.embedding for one in ends.found], ends.complete
    ([(1, 0), (2, 3)], True)
    """
    graphs = as_graph_set(graphs)
    offsets, costs, nodes, complete = _core.find_occurrences(
        graphs.core,
        core_pattern(graphlet, graphs),
        flat_attributes(graphlet, graphs),
        MAX_EMBEDDINGS,
    )
    psi = np.exp(-rho * costs).tolist()
    rows = nodes.reshape(-1, graphlet.n_nodes).tolist()
    listed = [Occurrence(tuple(row), value) for row, value in zip(rows, psi, strict=True)]
    return [
        Occurrences(tuple(listed[begin:end]), bool(whole))
        for begin, end, whole in zip(offsets[:-1], offsets[1:], complete, strict=True)
    ]
