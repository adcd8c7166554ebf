"""Keep one connected component of every graph."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from aglets.graphs import GraphSet
from aglets.graphs.checks import offsets_of

__all__ = ["keep_component"]


def keep_component(graphs: GraphSet, which: Literal["largest", "first"]) -> GraphSet:
    """Return the graphs cut to one connected component each.

    Parameters
    ----------
    graphs : GraphSet
    which : "largest" or "first"
        The largest component (of equal ones the one with the smallest node), or the one
        that holds the first node.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=["ABC", "A"], edges=[[(1, 2)], []])
    >>> [graph.labels for graph in keep_component(graphs, "largest")]
    [['B', 'C'], ['A']]
    >>> [graph.labels for graph in keep_component(graphs, "first")]
    [['A'], ['A']]
    """
    if which not in ("largest", "first"):
        raise ValueError(f"Expected component to be 'largest', 'first' or None, got {which!r}.")
    n, n_nodes = len(graphs.labels), graphs.n_nodes
    rows = graphs.ends
    adjacency = coo_array((np.ones(len(rows), dtype=np.int8), (rows[:, 0], rows[:, 1])), (n, n))
    n_components, component = connected_components(adjacency, directed=False)

    _, first_node = np.unique(component, return_index=True)
    graph_of = np.repeat(np.arange(len(graphs)), n_nodes)
    size = np.bincount(component, minlength=n_components)
    # Components by graph, the wanted one first in each.
    rank = -size if which == "largest" else np.zeros(n_components, dtype=np.int64)
    order = np.lexsort((first_node, rank, graph_of[first_node]))
    _, leader = np.unique(graph_of[first_node][order], return_index=True)
    wanted = np.zeros(n_components, dtype=bool)
    wanted[order[leader]] = True

    keep = wanted[component]
    keep_edge = keep[rows[:, 0]]
    position = np.cumsum(keep) - 1
    node_offsets = offsets_of(np.bincount(graph_of[keep], minlength=len(graphs)))
    edge_graphs = np.repeat(np.arange(len(graphs)), graphs.n_edges)[keep_edge]
    edge_labels, edge_attributes = graphs.edge_labels, graphs.edge_attributes
    return replace(
        graphs,
        node_offsets=node_offsets,
        labels=graphs.labels[keep],
        attributes=graphs.attributes[keep],
        edge_offsets=offsets_of(np.bincount(edge_graphs, minlength=len(graphs))),
        edges=position[rows[keep_edge]] - node_offsets[edge_graphs, None],
        edge_labels=None if edge_labels is None else edge_labels[keep_edge],
        edge_attributes=None if edge_attributes is None else edge_attributes[keep_edge],
    )
