"""How much each node and edge of a graph matters: contributions spread over all occurrences.

The rule: what a graphlet contributes is divided among its occurrences by their Shapley values, and
each share equally among the occurrence's nodes (or edges). The score of a graphlet is the largest
psi of its occurrences, so that the Shapley values are those of a maximum: all m occurrences share
equally what the worst of them has, m - 1 of them what the next one has more than that, and so on.
A graphlet that counts is simpler: each of its places has the part that it adds.
Importances then sum to what all graphlets contribute, equal occurrences get equal shares, and one
that is much worse than the best gets little: the prediction hardly needs it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aglets.graphlets import Graphlet
from aglets.graphs.arrays import Floats
from aglets.graphs.graph_set import Graph

if TYPE_CHECKING:
    from aglets.explain._local import Contribution

__all__ = ["edge_rows", "importances", "matched_edges", "shapley_values"]


def importances(graph: Graph, contributions: Sequence[Contribution]) -> tuple[Floats, Floats]:
    """Return the importance of each node and of each edge."""
    nodes: list[list[float]] = [[] for _ in range(graph.n_nodes)]
    edges: list[list[float]] = [[] for _ in range(graph.n_edges)]
    row = edge_rows(graph)
    for entry in contributions:
        for embedding, share in _shares(entry):
            for node in embedding:
                nodes[node].append(share / len(embedding))
            touched = matched_edges(entry.graphlet, embedding)
            for pair in touched:
                edges[row[pair]].append(share / len(touched))
    # fsum is rounded once, whatever the order: no sum here depends on how graphs came in.
    return np.array(list(map(math.fsum, nodes))), np.array(list(map(math.fsum, edges)))


def _shares(entry: Contribution) -> Iterator[tuple[tuple[int, ...], float]]:
    if entry.graphlet.pooling != "best":
        yield from ((place.embedding, place.contribution) for place in entry.places)
        return
    values = shapley_values([occurrence.psi for occurrence in entry.occurrences])
    total = math.fsum(values)
    if total > 0.0:
        for occurrence, value in zip(entry.occurrences, values, strict=True):
            yield occurrence.embedding, entry.contribution * (value / total)


def shapley_values(psi: Sequence[float]) -> list[float]:
    """Divide the largest of several numbers among them by their Shapley values.

    Examples
    --------
    >>> shapley_values([1.0, 0.5, 0.5])
    [0.6666666666666666, 0.16666666666666666, 0.16666666666666666]
    """
    values = [0.0] * len(psi)
    reached = below = 0.0
    for rank, index in enumerate(sorted(range(len(psi)), key=lambda i: psi[i])):
        reached += (psi[index] - below) / (len(psi) - rank)
        values[index], below = reached, psi[index]
    return values


def edge_rows(graph: Graph) -> dict[tuple[int, int], int]:
    """Return the position of each edge by its ends."""
    return {(u, v): i for i, (u, v) in enumerate(graph.edges.tolist())}


def matched_edges(graphlet: Graphlet, embedding: Any) -> list[tuple[int, int]]:
    """Name the graph's edge for each edge of the graphlet."""
    ends = [(int(embedding[u]), int(embedding[v])) for u, v in graphlet.edges.tolist()]
    return [(min(pair), max(pair)) for pair in ends]
