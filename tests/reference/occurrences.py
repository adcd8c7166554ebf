"""Initial costs of every pattern from one listing of all edge subsets, without any matching.

With one type per label a node costs c_v = |x_v - start of its label|^2 whichever node of a pattern
it hosts, and an edge likewise. So an *occurrence* of a pattern (a connected set of edges, or a
node) has one cost however the pattern is laid over it, and D(H, G) is the minimum cost of an
occurrence. This is `search.initial_costs` for graphs that are too large to match with networkx.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import networkx as nx
import numpy as np

from .patterns import Pattern, canonical, connected_edge_subsets
from .plain import squared_distance
from .search import Starts


def occurrence_costs(
    graphs: Sequence[nx.Graph], starts: Starts, maxpat: int
) -> dict[Pattern, dict[int, float]]:
    """D(H, G) of every pattern and every graph that supports it; one type per label."""
    type_of = {int(label): t for t, label in enumerate(starts.type_labels)}
    assert len(type_of) == len(starts.type_labels), "one type per label only"
    table: dict[Pattern, dict[int, float]] = {}
    for i, graph in enumerate(graphs):
        types = {v: type_of[data["label"]] for v, data in graph.nodes(data=True)}
        price = {
            v: squared_distance(starts.type_starts[types[v]], data["row"])
            for v, data in graph.nodes(data=True)
        }
        edge_price = {
            (min(u, v), max(u, v)): squared_distance(starts.edge_starts[data["label"]], data["row"])
            for u, v, data in graph.edges(data=True)
        }
        for v in graph.nodes:
            _lower(table, Pattern((types[v],), ()), i, price[v])
        for subset in connected_edge_subsets(graph, maxpat):
            nodes = sorted({v for edge in subset for v in edge})
            place = {v: k for k, v in enumerate(nodes)}
            edges = sorted((place[u], place[v], graph.edges[u, v]["label"]) for u, v in subset)
            pattern = canonical(Pattern(tuple(types[v] for v in nodes), tuple(edges)))
            cost = sum(price[v] for v in nodes) + sum(edge_price[edge] for edge in subset)
            _lower(table, pattern, i, cost)
    return table


def _lower(table: dict[Pattern, dict[int, float]], pattern: Pattern, i: int, cost: float) -> None:
    costs = table.setdefault(pattern, {})
    costs[i] = min(cost, costs.get(i, np.inf))


def initial_psi(
    table: Mapping[Pattern, Mapping[int, float]], n_graphs: int, rho: float
) -> tuple[list[Pattern], np.ndarray]:
    """All patterns, and psi of the untrained graphlets as a column each."""
    patterns = sorted(table)
    psi = np.zeros((n_graphs, len(patterns)))
    for j, pattern in enumerate(patterns):
        for i, cost in table[pattern].items():
            psi[i, j] = np.exp(-rho * cost)
    return patterns, psi
