"""Ties between embeddings: node rows decide, then edge rows, and never the numbering of nodes."""

from __future__ import annotations

import numpy as np
import pytest
from graph_edits import renumbered
from test_matching_stress import FORMS, clique

import aglets
from aglets import Graphlet, GraphSet
from aglets._core import GraphletBank
from aglets.graphlets.graphlet import core_pattern

N = 11


def dense_graph(seed: int, *, node_rows: str, unit: float | None) -> GraphSet:
    """A clique of eleven nodes with a number on every edge; rounded to `unit`, numbers repeat."""
    rng = np.random.default_rng(seed)
    edges = clique(N)
    numbers = rng.normal(size=(len(edges), 1))
    nodes = {"equal": np.full((N, 1), 0.25), "none": np.empty((N, 0)), "two": np.ones((N, 1))}
    nodes["two"][: N // 2] = -1.0
    return GraphSet.from_lists(
        labels=[["C"] * N],
        edges=[edges],
        attributes=[nodes[node_rows]],
        edge_attributes=[numbers if unit is None else np.round(numbers / unit) * unit],
    )


def untrained(form: str, k: int, d: int) -> Graphlet:
    """A graphlet whose nodes are all alike, and its edges, too: every symmetry of it is a tie."""
    edges = FORMS[form](k)
    return Graphlet(
        labels=["C"] * k,
        edges=edges,
        attributes=np.zeros((k, d)),
        edge_attributes=np.zeros((len(edges), 1)),
    )


def matched_rows(graphs: GraphSet, small: Graphlet, nodes) -> list[tuple[float, ...]]:
    """The rows of an embedding in the order in which ties are settled."""
    [graph] = list(graphs)
    rows = {
        tuple(sorted(map(int, ends))): row
        for ends, row in zip(graph.edges, graph.edge_attributes, strict=True)
    }
    of_edges = [rows[tuple(sorted((int(nodes[u]), int(nodes[v]))))] for u, v in small.edges]
    return [tuple(graph.attributes[int(v)]) for v in nodes] + [tuple(row) for row in of_edges]


@pytest.mark.parametrize("node_rows", ["equal", "none", "two"])
@pytest.mark.parametrize(("form", "k"), [("path", 8), ("cycle", 7), ("star", 6), ("clique", 5)])
@pytest.mark.parametrize("unit", [None, 0.5])
def test_renumbering_a_clique_moves_no_matched_edge(node_rows, form, k, unit):
    graphs = dense_graph(0, node_rows=node_rows, unit=unit)
    small = untrained(form, k, graphs.n_attributes)
    expected = None
    for seed in range(6):
        order = np.random.default_rng(seed).permutation(N).tolist()
        other = renumbered(graphs, [order])
        _, found = aglets.agis(other, [small], rho=0.1, return_embeddings=True)
        rows = matched_rows(other, small, found[0][0])
        expected = expected or rows
        assert rows == expected


@pytest.mark.parametrize("form", ["path", "cycle"])
def test_a_table_of_embeddings_and_a_search_choose_the_same_edges(form):
    """A path of five in eleven has 55,440 embeddings: a table holds them, a search gives up."""
    graphs = dense_graph(1, node_rows="equal", unit=0.5)
    small = untrained(form, 5, 1)
    z = np.zeros(5 + len(small.edges))
    chosen = []
    for table_bytes in (0, 1 << 26):
        bank = GraphletBank(graphs.core, table_bytes)
        handle = bank.add(core_pattern(small, graphs), np.zeros(1, dtype=np.int32))
        assert bank.has_table(handle) == (table_bytes > 0)
        _, nodes = bank.match(np.array([handle], dtype=np.int32), z, None, 1)
        chosen.append(matched_rows(graphs, small, nodes))
    assert chosen[0] == chosen[1]


def test_equal_rows_of_one_node_leave_the_others_their_choice():
    """Two hubs are alike; only one of them has the leaves that come first."""
    leaves = 12
    edges = [(0, leaf) for leaf in range(2, 2 + leaves)]
    edges += [(1, leaf) for leaf in range(2 + leaves, 2 + 2 * leaves)]
    far, near = np.full(leaves, 1.0), np.full(leaves, -1.0)
    for first, second in ((far, near), (near, far)):
        graphs = GraphSet.from_lists(
            labels=[["H", "H", *["C"] * (2 * leaves)]],
            edges=[edges],
            attributes=[np.concatenate([[0.0, 0.0], first, second])[:, None]],
        )
        small = Graphlet(labels="HCCCCCC", edges=FORMS["star"](7), attributes=np.zeros((7, 1)))
        _, found = aglets.agis(graphs, [small], rho=0.1, return_embeddings=True)
        assert graphs.attributes[found[0][0], 0].tolist() == [0.0] + [-1.0] * 6
