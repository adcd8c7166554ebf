"""Graph sets rebuilt from scratch with a change that should not matter, or matter little."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aglets import GraphSet


def as_lists(graphs: GraphSet) -> dict[str, list | None]:
    """The arguments of `GraphSet.from_lists` that make the same graphs."""
    columns: dict[str, list | None] = {
        "labels": [list(graph.labels) for graph in graphs],
        "edges": [[(int(u), int(v)) for u, v in graph.edges] for graph in graphs],
        "attributes": [np.array(graph.attributes) for graph in graphs],
        "edge_labels": None,
        "edge_attributes": None,
    }
    if graphs.edge_labels is not None:
        columns["edge_labels"] = [list(graph.edge_labels) for graph in graphs]
    if graphs.edge_attributes is not None:
        columns["edge_attributes"] = [np.array(graph.edge_attributes) for graph in graphs]
    return columns


def renumbered(graphs: GraphSet, orders: Sequence[Sequence[int]]) -> GraphSet:
    """The same graphs with their nodes in another order, and their edges back to front."""
    columns = as_lists(graphs)
    for i, order in enumerate(orders):
        new = {old: position for position, old in enumerate(order)}
        columns["labels"][i] = [columns["labels"][i][old] for old in order]
        columns["attributes"][i] = columns["attributes"][i][list(order)]
        columns["edges"][i] = [(new[v], new[u]) for u, v in reversed(columns["edges"][i])]
        for name in ("edge_labels", "edge_attributes"):
            if columns[name] is not None:
                columns[name][i] = columns[name][i][::-1]
    return GraphSet.from_lists(**columns)


def padded(graphs: GraphSet, n_nodes: int, label: str) -> GraphSet:
    """Every graph with ``n_nodes`` isolated nodes of a new label put before its own nodes.

    The old nodes get high numbers, so that any limit on the size of a graph is met.
    """
    columns = as_lists(graphs)
    for i, _ in enumerate(graphs):
        columns["labels"][i] = [label] * n_nodes + columns["labels"][i]
        columns["attributes"][i] = np.vstack(
            [np.zeros((n_nodes, graphs.n_attributes)), columns["attributes"][i]]
        )
        columns["edges"][i] = [(u + n_nodes, v + n_nodes) for u, v in columns["edges"][i]]
    return GraphSet.from_lists(**columns)
