"""The inclusion score by listing every monomorphism with networkx (section 2.1.2 of the paper).

An embedding is a tuple: entry v is the graph node that hosts node v of the graphlet. It keeps node
labels, edges and edge labels; the graph may have further edges among the hosts (not induced).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import networkx as nx
import numpy as np

from .plain import squared_distance

Embedding = tuple[int, ...]
ROUNDING = 1e-9  # two costs closer than this, relative to 1 + cost, are a tie


class Shape(NamedTuple):
    """A graphlet without attributes: label codes, edges in the order of their attributes."""

    labels: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    edge_labels: tuple[int, ...]


def shape(labels, edges, edge_labels=None) -> Shape:
    """A shape from any sequences; without edge labels every edge has label 0."""
    pairs = tuple((int(u), int(v)) for u, v in edges)
    marks = (0,) * len(pairs) if edge_labels is None else tuple(int(x) for x in edge_labels)
    return Shape(tuple(int(x) for x in labels), pairs, marks)


def embeddings(graph: nx.Graph, graphlet: Shape) -> list[Embedding]:
    """Every label and edge preserving injection of the graphlet into the graph."""
    small = nx.Graph()
    for v, label in enumerate(graphlet.labels):
        small.add_node(v, label=label)
    for (u, v), label in zip(graphlet.edges, graphlet.edge_labels, strict=True):
        small.add_edge(u, v, label=label)
    matcher = nx.algorithms.isomorphism.GraphMatcher(
        graph,
        small,
        # An unknown label (-1) matches nothing, not even another unknown one.
        node_match=lambda a, b: a["label"] == b["label"] and a["label"] >= 0,
        edge_match=lambda a, b: a["label"] == b["label"] and a["label"] >= 0,
    )
    found = []
    for host_to_small in matcher.subgraph_monomorphisms_iter():
        small_to_host = {v: host for host, v in host_to_small.items()}
        found.append(tuple(small_to_host[v] for v in range(len(graphlet.labels))))
    return sorted(found)


def matched_rows(
    graph: nx.Graph, graphlet: Shape, embedding: Embedding
) -> tuple[tuple[float, ...], ...]:
    """The attribute rows an embedding meets: nodes in graphlet order, then edges in edge order."""
    nodes = tuple(graph.nodes[host]["row"] for host in embedding)
    edges = tuple(graph.edges[embedding[u], embedding[v]]["row"] for u, v in graphlet.edges)
    return nodes + edges


def cost(graph: nx.Graph, graphlet: Shape, z: np.ndarray, z_edges, embedding: Embedding) -> float:
    """sum_v |z_v - x_m(v)|^2 over nodes, and the same over edges."""
    k = len(graphlet.labels)
    wanted = [np.asarray(z)[v] for v in range(k)]
    if z_edges is None:
        rows = matched_rows(graph, graphlet, embedding)[:k]
    else:
        rows = matched_rows(graph, graphlet, embedding)
        wanted += [np.asarray(z_edges)[e] for e in range(len(graphlet.edges))]
    return sum(squared_distance(a, b) for a, b in zip(wanted, rows, strict=True))


class Match(NamedTuple):
    """The minimum cost (inf without an embedding) and the embeddings that reach it."""

    cost: float
    best: list[Embedding]  # all within rounding of the minimum cost
    chosen: list[Embedding]  # of those, the ones with the smallest sequence of matched rows


def match(graph: nx.Graph, graphlet: Shape, z, z_edges=None) -> Match:
    """The minimum cost over all embeddings, and the embeddings that the tie rule allows.

    ``chosen`` holds several embeddings only where their matched rows are all the same, so that
    nothing but the numbering of the nodes distinguishes them.
    """
    priced = [(cost(graph, graphlet, z, z_edges, m), m) for m in embeddings(graph, graphlet)]
    if not priced:
        return Match(float("inf"), [], [])
    lowest = min(price for price, _ in priced)
    best = [m for price, m in priced if price <= lowest + ROUNDING * (1.0 + lowest)]
    smallest = min(matched_rows(graph, graphlet, m) for m in best)
    return Match(lowest, best, [m for m in best if matched_rows(graph, graphlet, m) == smallest])


def psi(graph: nx.Graph, graphlet: Shape, z, rho: float, z_edges=None) -> float:
    """The inclusion score: exp(-rho * minimum cost), and 0 without an embedding."""
    return float(np.exp(-rho * match(graph, graphlet, z, z_edges).cost))


def psi_matrix(graphs: Sequence[nx.Graph], graphlets: Sequence[tuple], rho: float) -> np.ndarray:
    """psi of every graph and every ``(shape, z, z_edges)``."""
    table = np.zeros((len(graphs), len(graphlets)))
    for i, graph in enumerate(graphs):
        for j, (small, z, z_edges) in enumerate(graphlets):
            table[i, j] = psi(graph, small, z, rho, z_edges)
    return table
