"""A graph set as a list of networkx graphs.

A node carries its label code as ``label`` and its attributes as ``row`` (a tuple of floats); an
edge likewise, with label 0 where the set has no edge labels and an empty row where it has no edge
attributes. Nodes are numbered from 0 in every graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import networkx as nx
import numpy as np


def plain_graph(graphs, i: int) -> nx.Graph:
    """Graph ``i`` of a graph set, as networkx."""
    first, last = int(graphs.node_offsets[i]), int(graphs.node_offsets[i + 1])
    graph = nx.Graph()
    for v in range(first, last):
        row = tuple(float(x) for x in graphs.attributes[v])
        graph.add_node(v - first, label=int(graphs.labels[v]), row=row)
    for e in range(int(graphs.edge_offsets[i]), int(graphs.edge_offsets[i + 1])):
        u, v = (int(x) for x in graphs.edges[e])
        label = 0 if graphs.edge_labels is None else int(graphs.edge_labels[e])
        row = () if graphs.edge_attributes is None else tuple(map(float, graphs.edge_attributes[e]))
        graph.add_edge(u, v, label=label, row=row)
    return graph


def plain_graphs(graphs) -> list[nx.Graph]:
    """Every graph of a graph set, as networkx."""
    return [plain_graph(graphs, i) for i in range(len(graphs))]


def squared_distance(a: Sequence[float], b: Sequence[float]) -> float:
    """The sum of squared differences of two rows."""
    return float(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)))


def mean_rows(rows_by_key: Iterable[tuple[int, Sequence[float]]]) -> dict[int, np.ndarray]:
    """The mean row of every key, as in line 15 of Algorithm 2."""
    gathered: dict[int, list[Sequence[float]]] = {}
    for key, row in rows_by_key:
        gathered.setdefault(key, []).append(row)
    return {key: np.mean(np.array(rows, dtype=float), axis=0) for key, rows in gathered.items()}
