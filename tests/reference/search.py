"""What the pruned search must find, by looking at every pattern.

Starts: type t is a label with the vector ``type_starts[t]``, an edge label l starts at
``edge_starts[l]``. Before training a graphlet's attributes are the starts of its types, so its cost
D(H, G) is fixed, and with the residual a_i = -dloss/df

    g_H = sum_i a_i psi(G_i; H),
    g_bar_H = max(sum of the positive terms, -sum of the negative ones).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import networkx as nx
import numpy as np

from .matching import Shape, match, shape
from .patterns import Pattern, all_patterns
from .plain import mean_rows


class Starts(NamedTuple):
    """Where training starts: types in ascending order of label, and edge labels."""

    type_labels: np.ndarray  # (T,)
    type_starts: np.ndarray  # (T, d)
    edge_starts: np.ndarray  # (L, de)


def label_means(graphs: Sequence[nx.Graph]) -> Starts:
    """One type per label that occurs, at the mean attributes of its nodes; edge labels likewise."""
    nodes = mean_rows((d["label"], d["row"]) for graph in graphs for _, d in graph.nodes(data=True))
    edges = mean_rows(
        (d["label"], d["row"]) for graph in graphs for _, _, d in graph.edges(data=True)
    )
    labels = sorted(label for label in nodes if label >= 0)
    marks = range(max(edges, default=-1) + 1)  # a mark that does not occur starts at zero
    node_width = len(next(iter(nodes.values()), ()))
    width = len(next(iter(edges.values()), ()))
    return Starts(
        np.array(labels, dtype=np.int32),
        np.array([nodes[label] for label in labels], dtype=float).reshape(len(labels), node_width),
        np.array([edges.get(m, np.zeros(width)) for m in marks], dtype=float).reshape(
            len(marks), width
        ),
    )


class Candidate(NamedTuple):
    """A pattern with its untrained attributes."""

    graphlet: Shape
    z: np.ndarray
    z_edges: np.ndarray


def candidate(pattern: Pattern, starts: Starts) -> Candidate:
    """The untrained graphlet of a pattern."""
    small = shape(
        [starts.type_labels[t] for t in pattern.types],
        [(u, v) for u, v, _ in pattern.edges],
        [label for _, _, label in pattern.edges],
    )
    z = np.array([starts.type_starts[t] for t in pattern.types], dtype=float)
    width = starts.edge_starts.shape[1]
    rows = [starts.edge_starts[m] if width else () for m in small.edge_labels]
    return Candidate(small, z, np.array(rows, dtype=float).reshape(len(small.edges), width))


def initial_costs(
    graphs: Sequence[nx.Graph], starts: Starts, maxpat: int
) -> dict[Pattern, dict[int, float]]:
    """D(H, G) of every pattern and every graph that supports it."""
    table = {}
    for pattern, support in all_patterns(graphs, maxpat, starts.type_labels).items():
        start = candidate(pattern, starts)
        table[pattern] = {i: match(graphs[i], *start).cost for i in support}
    return table


def gradient(costs: dict[int, float], residual: Sequence[float], rho: float) -> float:
    """g of one pattern from its costs."""
    return float(sum(residual[i] * np.exp(-rho * cost) for i, cost in costs.items()))


def gradient_bound(costs: dict[int, float], residual: Sequence[float], rho: float) -> float:
    """g_bar of one pattern: Theorem 2.1, split by the sign of the residual."""
    terms = [residual[i] * np.exp(-rho * cost) for i, cost in costs.items()]
    return float(max(sum(t for t in terms if t > 0), -sum(t for t in terms if t < 0)))


def violators(
    table: dict[Pattern, dict[int, float]], residual, rho: float, lam: float
) -> dict[Pattern, float]:
    """Every pattern with |g| > lam, and its g."""
    found = {pattern: gradient(costs, residual, rho) for pattern, costs in table.items()}
    return {pattern: g for pattern, g in found.items() if abs(g) > lam}


def lambda_max(table: dict[Pattern, dict[int, float]], residual, rho: float) -> float:
    """The largest |g| of all patterns, 0 if there are none."""
    return max((abs(gradient(costs, residual, rho)) for costs in table.values()), default=0.0)


def paper_residual(y: Iterable[float]) -> np.ndarray:
    """a_i at beta = 0 for the squared hinge: beta0 = mean(y), a_i = y_i (1 - y_i beta0)."""
    signs = np.asarray(list(y), dtype=float)
    return signs * (1.0 - signs * signs.mean())
