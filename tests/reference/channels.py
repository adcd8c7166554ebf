"""Scores by image of the root, and what best, sum and mean make of them, from their definitions.

The root of a pattern is its first node. For a node u of a graph, s_u = exp(-rho cost) of the best
embedding that puts the root on u. best = max_u s_u, sum = sum_u s_u, mean = sum / number of nodes,
and the square root of a sum or mean where the scale says so.
"""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import numpy as np

from .matching import Embedding, Match, Shape, cost, embeddings, matched_rows

POOLINGS = ("best", "sum", "mean")
SCALES = ("raw", "sqrt")


def root_matches(graph: nx.Graph, graphlet: Shape, z, z_edges=None) -> dict[int, Match]:
    """The best embeddings for every image of the root."""
    by_root: dict[int, list[Embedding]] = {}
    for embedding in embeddings(graph, graphlet):
        by_root.setdefault(embedding[0], []).append(embedding)
    found = {}
    for root, own in by_root.items():
        priced = [(cost(graph, graphlet, z, z_edges, m), m) for m in own]
        lowest = min(price for price, _ in priced)
        best = [m for price, m in priced if price <= lowest + 1e-9 * (1.0 + lowest)]
        smallest = min(matched_rows(graph, graphlet, m) for m in best)
        chosen = [m for m in best if matched_rows(graph, graphlet, m) == smallest]
        found[root] = Match(lowest, best, chosen)
    return found


def pooled(costs: Sequence[float], n_nodes: int, rho: float, pooling: str, scale: str) -> float:
    """One number per graph from the costs by image of the root."""
    scores = np.exp(-rho * np.asarray(costs))
    if not len(scores):
        return 0.0
    if pooling == "best":
        return float(scores.max())
    count = float(scores.sum()) / (n_nodes if pooling == "mean" else 1)
    return count if scale == "raw" else float(np.sqrt(count))


def penalty_norm(g: np.ndarray, sharing: float) -> float:
    """Smallest lambda with |S(g, (1 - sharing) lambda)|_2 <= sharing lambda, by bisection."""
    sizes = np.abs(g)

    def enters(lam: float) -> bool:
        left = np.maximum(sizes - (1.0 - sharing) * lam, 0.0)
        return float(np.sqrt((left**2).sum())) > sharing * lam

    low, high = 0.0, float(sizes.sum())
    for _ in range(70):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if enters(middle) else (low, middle)
    return high


__all__ = ["POOLINGS", "SCALES", "penalty_norm", "pooled", "root_matches"]
