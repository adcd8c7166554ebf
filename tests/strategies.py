"""Hypothesis strategies for small attributed labelled graphs, with ties on purpose.

Attributes are small multiples of 1/2, so that costs are equal exactly or far apart, and ties
between embeddings are common. Graphs may be empty, disconnected, or have isolated nodes; label
values are strings, so that a test which mixes up values and codes fails.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from aglets import Graphlet, GraphSet, mining

LABELS = ("C", "N", "O")
EDGE_LABELS = ("double", "single")


@st.composite
def rows(draw, n_rows: int, width: int) -> np.ndarray:
    """A matrix of small multiples of 1/2."""
    flat = draw(st.lists(st.integers(-4, 4), min_size=n_rows * width, max_size=n_rows * width))
    return np.array(flat, dtype=float).reshape(n_rows, width) / 2.0


@st.composite
def graph_sets(
    draw,
    *,
    max_graphs: int = 4,
    max_nodes: int = 6,
    max_edges: int = 7,
    edge_labels: bool | None = None,
    edge_attributes: bool | None = None,
) -> GraphSet:
    """A few small graphs; edge labels and edge attributes present, absent, or drawn (None).

    Half of the time the edges come from a seeded generator, which makes fuller graphs than drawing
    them one by one but cannot be shrunk.
    """
    labels = LABELS[: draw(st.integers(1, 3))]
    width = draw(st.integers(0, 2))
    with_labels = draw(st.booleans()) if edge_labels is None else edge_labels
    with_attributes = draw(st.booleans()) if edge_attributes is None else edge_attributes
    columns: dict[str, list] = {"labels": [], "edges": [], "attributes": []}
    marks, edge_rows = [], []
    seed = draw(st.none() | st.integers(0, 2**16))
    for i in range(draw(st.integers(1, max_graphs))):
        k = draw(st.integers(0, max_nodes)) if seed is None else max_nodes - i % 2
        pairs = list(combinations(range(k), 2))
        if seed is None or not pairs:
            edges = (
                draw(st.lists(st.sampled_from(pairs), max_size=max_edges, unique=True))
                if pairs
                else []
            )
        else:
            rng = np.random.default_rng((seed, i))
            kept = rng.permutation(len(pairs))[: rng.integers(k - 1, max_edges + 1)]
            edges = [pairs[e] for e in kept]
        columns["labels"].append(draw(st.lists(st.sampled_from(labels), min_size=k, max_size=k)))
        columns["edges"].append(edges)
        columns["attributes"].append(draw(rows(k, width)))
        m = len(edges)
        marks.append(draw(st.lists(st.sampled_from(EDGE_LABELS), min_size=m, max_size=m)))
        edge_rows.append(draw(rows(m, 1)))
    return GraphSet.from_lists(
        **columns,
        edge_labels=marks if with_labels else None,
        edge_attributes=edge_rows if with_attributes else None,
    )


@st.composite
def starts_for(draw, graphs: GraphSet, *, max_types: int = 2) -> mining.Starts:
    """One or more types for every label, at drawn vectors; edge labels start at drawn vectors."""
    type_labels = []
    for code in range(len(graphs.vocabulary)):
        type_labels += [code] * draw(st.integers(1, max_types))
    n_marks = max(1, len(graphs.edge_vocabulary or ()))
    return mining.Starts(
        type_labels=np.array(type_labels, dtype=np.int32),
        type_starts=draw(rows(len(type_labels), graphs.n_attributes)),
        edge_starts=draw(rows(n_marks, graphs.n_edge_attributes)),
    )


@st.composite
def graphlets_for(draw, graphs: GraphSet, *, max_nodes: int = 4) -> Graphlet:
    """A connected graphlet with drawn attributes: a random tree with a few edges more.

    Its labels may be absent from the graphs, its attributes lie on the grid of the graphs' own.
    """
    k = draw(st.integers(1, max_nodes))
    tree = [(draw(st.integers(0, v - 1)), v) for v in range(1, k)]
    others = [pair for pair in combinations(range(k), 2) if pair not in tree]
    extra = draw(st.lists(st.sampled_from(others), max_size=1, unique=True)) if others else []
    edges = draw(st.permutations(tree + extra))
    m = len(edges)
    labelled, attributed = graphs.edge_labels is not None, graphs.edge_attributes is not None
    return Graphlet(
        labels=draw(st.lists(st.sampled_from(LABELS), min_size=k, max_size=k)),
        edges=edges,
        attributes=draw(rows(k, graphs.n_attributes)),
        edge_labels=(
            draw(st.lists(st.sampled_from(EDGE_LABELS), min_size=m, max_size=m))
            if labelled
            else None
        ),
        edge_attributes=draw(rows(m, graphs.n_edge_attributes)) if attributed else None,
    )


@st.composite
def residuals_for(draw, graphs: GraphSet) -> np.ndarray:
    """A residual of both signs, with zeros."""
    n = len(graphs)
    return np.array(draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)), dtype=float) / 2.0


@st.composite
def renumberings_of(draw, graphs: GraphSet) -> list[list[int]]:
    """A new order of the nodes of every graph: entry p is the old number of new node p."""
    return [draw(st.permutations(range(int(k)))) for k in graphs.n_nodes]
