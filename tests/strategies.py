"""Hypothesis strategies for small attributed labelled graphs, with ties on purpose.

Attributes are small multiples of 1/2, 1/10 or 1/3, so that costs are far apart or equal up to the
order of summation, and ties between embeddings are common. Graphs may be empty, disconnected, or
have isolated nodes; label values are strings, so that a test which mixes up values and codes fails.
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
    """A matrix of small multiples of 1/2, exact in binary, or of 1/10 or 1/3, which are not."""
    flat = draw(st.lists(st.integers(-4, 4), min_size=n_rows * width, max_size=n_rows * width))
    unit = draw(st.sampled_from([0.5, 0.1, 1.0 / 3.0])) if flat else 1.0
    return np.array(flat, dtype=float).reshape(n_rows, width) * unit


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
    """A connected graphlet: cut out of one of the graphs, or free and perhaps in none of them.

    Its attributes are drawn row by row, or the same row for all, so that symmetric nodes tie.
    """
    sized = [i for i in range(len(graphs)) if graphs.n_nodes[i]]
    if sized and draw(st.integers(0, 3)):
        labels, edges, marks = draw(_cuttings(graphs[draw(st.sampled_from(sized))], max_nodes))
    else:
        labels, edges, marks = draw(_free_shapes(max_nodes))
    same = draw(st.booleans())
    z = draw(rows(1 if same else len(labels), graphs.n_attributes))
    return Graphlet(
        labels=labels,
        edges=edges,
        attributes=np.repeat(z, len(labels), axis=0) if same else z,
        edge_labels=None if graphs.edge_labels is None else marks,
        edge_attributes=(
            None
            if graphs.edge_attributes is None
            else draw(rows(len(edges), graphs.n_edge_attributes))
        ),
    )


@st.composite
def _cuttings(draw, graph, max_nodes: int) -> tuple[list, list, list]:
    """A connected piece of a graph: labels, edges in any order, edge labels."""
    edges = [(int(u), int(v)) for u, v in graph.edges]
    nodes = [draw(st.integers(0, len(graph.labels) - 1))]
    kept: list[int] = []
    for _ in range(draw(st.integers(0, 2 * max_nodes))):
        full = len(nodes) == max_nodes
        ways = [
            e
            for e, ends in enumerate(edges)
            if e not in kept and sum(v in nodes for v in ends) >= 1 + full
        ]
        if not ways:
            break
        kept.append(draw(st.sampled_from(ways)))
        nodes += [v for v in edges[kept[-1]] if v not in nodes]
    kept = draw(st.permutations(kept))
    place = {v: p for p, v in enumerate(draw(st.permutations(nodes)))}
    marks = ["single"] * len(edges) if graph.edge_labels is None else graph.edge_labels
    return (
        [graph.labels[v] for v in place],
        [(place[edges[e][0]], place[edges[e][1]]) for e in kept],
        [marks[e] for e in kept],
    )


@st.composite
def _free_shapes(draw, max_nodes: int) -> tuple[list, list, list]:
    """A random tree with at most one edge more."""
    k = draw(st.integers(1, max_nodes))
    tree = [(draw(st.integers(0, v - 1)), v) for v in range(1, k)]
    others = [pair for pair in combinations(range(k), 2) if pair not in tree]
    extra = draw(st.lists(st.sampled_from(others), max_size=1)) if others else []
    edges = draw(st.permutations(tree + extra))
    m = len(edges)
    return (
        draw(st.lists(st.sampled_from(LABELS), min_size=k, max_size=k)),
        edges,
        draw(st.lists(st.sampled_from(EDGE_LABELS), min_size=m, max_size=m)),
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
