"""The inclusion score of attributed graphlets, against networkx and against assignment problems."""

from __future__ import annotations

import numpy as np
import pytest
from graph_edits import padded, renumbered
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.matching import match, matched_rows, shape
from reference.plain import plain_graph, plain_graphs
from strategies import graph_sets, graphlets_for, renumberings_of

import aglets
from aglets import Graphlet, GraphSet

EXAMPLES = settings(max_examples=80, deadline=None)
RHOS = st.sampled_from([2.0, 0.5, 0.01])


def reference_shape(graphs: GraphSet, graphlet: Graphlet):
    """A graphlet in the label codes of a graph set; -1 where the set does not know the label."""
    codes = {value: code for code, value in enumerate(graphs.vocabulary)}
    marks = {value: code for code, value in enumerate(graphs.edge_vocabulary or ())}
    return shape(
        [codes.get(label, -1) for label in graphlet.labels],
        graphlet.edges,
        None
        if graphlet.edge_labels is None
        else [marks.get(label, -1) for label in graphlet.edge_labels],
    )


def reference_match(graphs: GraphSet, i: int, graphlet: Graphlet):
    return match(
        plain_graph(graphs, i),
        reference_shape(graphs, graphlet),
        graphlet.attributes,
        graphlet.edge_attributes,
    )


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(), rho=RHOS)
def test_psi_and_best_embeddings_equal_networkx(data, graphs, rho):
    graphlets = [data.draw(graphlets_for(graphs)) for _ in range(data.draw(st.integers(1, 3)))]
    psi, found = aglets.agis(graphs, graphlets, rho=rho, return_embeddings=True)
    assert psi.shape == (len(graphs), len(graphlets))
    np.testing.assert_array_equal(psi, aglets.agis(graphs, graphlets, rho=rho))
    for i in range(len(graphs)):
        for j, graphlet in enumerate(graphlets):
            expected = reference_match(graphs, i, graphlet)
            assert psi[i, j] == pytest.approx(np.exp(-rho * expected.cost), rel=1e-10, abs=0)
            if expected.chosen:
                assert tuple(int(v) for v in found[i][j]) in expected.chosen
            else:
                assert found[i][j] is None
                assert psi[i, j] == 0.0


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(), rho=RHOS)
def test_renumbering_nodes_changes_neither_psi_nor_the_matched_rows(data, graphs, rho):
    graphlets = [data.draw(graphlets_for(graphs)) for _ in range(2)]
    other = renumbered(graphs, data.draw(renumberings_of(graphs)))
    psi, here = aglets.agis(graphs, graphlets, rho=rho, return_embeddings=True)
    moved, there = aglets.agis(other, graphlets, rho=rho, return_embeddings=True)
    np.testing.assert_allclose(moved, psi, rtol=1e-12, atol=0)
    plain, twin = plain_graphs(graphs), plain_graphs(other)
    for i in range(len(graphs)):
        for j, graphlet in enumerate(graphlets):
            if here[i][j] is not None:
                small = reference_shape(graphs, graphlet)
                assert matched_rows(plain[i], small, tuple(here[i][j])) == matched_rows(
                    twin[i], small, tuple(there[i][j])
                )


@settings(max_examples=20, deadline=None)
@given(data=st.data(), graphs=graph_sets(), extra=st.sampled_from([60, 255, 300]))
def test_isolated_nodes_of_another_label_change_nothing(data, graphs, extra):
    graphlets = [data.draw(graphlets_for(graphs)) for _ in range(3)]
    big = padded(graphs, extra, label="Zn")
    psi, here = aglets.agis(graphs, graphlets, rho=0.5, return_embeddings=True)
    same, there = aglets.agis(big, graphlets, rho=0.5, return_embeddings=True)
    np.testing.assert_allclose(same, psi, rtol=1e-12, atol=0)
    for i in range(len(graphs)):
        for j, graphlet in enumerate(graphlets):
            if here[i][j] is not None:
                expected = reference_match(big, i, graphlet)
                assert tuple(int(v) for v in there[i][j]) in expected.chosen


@EXAMPLES
@given(data=st.data(), graphs=graph_sets())
def test_psi_is_one_where_the_attributes_match(data, graphs):
    sized = [i for i in range(len(graphs)) if graphs.n_nodes[i]]
    if not sized:
        return
    graph = graphs[data.draw(st.sampled_from(sized))]
    v = data.draw(st.integers(0, len(graph.labels) - 1))
    at = [e for e, pair in enumerate(graph.edges) if v in pair]
    nodes = [v] + [int(x) for e in at for x in graph.edges[e] if x != v]
    star = Graphlet(
        labels=[graph.labels[x] for x in nodes],
        edges=[(0, leaf) for leaf in range(1, len(nodes))],
        attributes=np.asarray(graph.attributes)[nodes],
        edge_labels=None if graph.edge_labels is None else [graph.edge_labels[e] for e in at],
        edge_attributes=(
            None if graph.edge_attributes is None else np.asarray(graph.edge_attributes)[at]
        ),
    )
    assert aglets.agis([graph], [star], rho=3.0)[0, 0] == 1.0


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(edge_labels=True))
def test_unknown_labels_of_nodes_and_edges_match_nothing(data, graphs):
    few, fewer = graphs.vocabulary[1:], graphs.edge_vocabulary[1:]
    other = graphs.with_vocabulary(few, fewer)
    graphlets = [data.draw(graphlets_for(graphs)) for _ in range(3)]
    psi = aglets.agis(other, graphlets, rho=0.5)
    for i in range(len(graphs)):
        for j, graphlet in enumerate(graphlets):
            expected = np.exp(-0.5 * reference_match(other, i, graphlet).cost)
            assert psi[i, j] == pytest.approx(expected, rel=1e-10, abs=0)


@pytest.mark.parametrize("far", [2.0**20, -(2.0**30)])
@settings(max_examples=30, deadline=None)
@given(data=st.data(), graphs=graph_sets(edge_attributes=False))
def test_moving_all_attributes_far_away_changes_nothing(far, data, graphs):
    """Distances are taken before they are squared: no digits are lost far from zero."""
    grid = np.round(graphs.attributes * 2.0) / 2.0  # multiples of 1/2 move by `far` exactly
    graphlet = data.draw(graphlets_for(graphs))
    z = np.round(graphlet.attributes * 2.0) / 2.0
    here, there = (
        aglets.agis(
            graphs.with_attributes(grid + shift),
            [replace_attributes(graphlet, z + shift)],
            rho=0.5,
        )
        for shift in (0.0, far)
    )
    np.testing.assert_array_equal(here, there)


def replace_attributes(graphlet: Graphlet, attributes: np.ndarray) -> Graphlet:
    return Graphlet(
        labels=graphlet.labels,
        edges=graphlet.edges,
        attributes=attributes,
        edge_labels=graphlet.edge_labels,
        edge_attributes=graphlet.edge_attributes,
    )


def triangles() -> GraphSet:
    return GraphSet.from_lists(
        labels=[["C", "N", "C"], ["C", "C"], []],
        edges=[[(0, 1), (1, 2), (0, 2)], [(0, 1)], []],
        attributes=[[[0.0], [1.0], [2.0]], [[5.0], [5.0]], np.zeros((0, 1))],
    )


def test_a_graph_node_with_an_unknown_label_matches_nothing():
    graphs = triangles().with_vocabulary(("C", "O"))
    carbon = Graphlet(labels=["C"], edges=[], attributes=[[2.0]])
    bond = Graphlet(labels=["C", "N"], edges=[(0, 1)], attributes=[[0.0], [1.0]])
    psi = aglets.agis(graphs, [carbon, bond], rho=1.0)
    np.testing.assert_allclose(psi, [[1.0, 0.0], [np.exp(-9.0), 0.0], [0.0, 0.0]])


def test_a_graphlet_with_a_label_the_graphs_lack_matches_nothing():
    bromine = Graphlet(labels=["C", "Br"], edges=[(0, 1)], attributes=[[0.0], [0.0]])
    psi, found = aglets.agis(triangles(), [bromine], rho=1.0, return_embeddings=True)
    assert not psi.any()
    assert all(row == [None] for row in found)


def test_no_graphlets_give_no_columns():
    psi, found = aglets.agis(triangles(), [], rho=1.0, return_embeddings=True)
    assert psi.shape == (3, 0)
    assert found == [[], [], []]


def test_labels_keep_their_kind():
    graphs = GraphSet.from_lists(labels=[[1, 2]], edges=[[(0, 1)]], attributes=[[[0.0], [0.0]]])
    number = Graphlet(labels=[1], edges=[], attributes=[[0.0]])
    text = Graphlet(labels=["1"], edges=[], attributes=[[0.0]])
    np.testing.assert_array_equal(aglets.agis(graphs, [number, text], rho=1.0), [[1.0, 0.0]])


def test_psi_of_far_attributes_is_zero_but_the_embedding_is_there():
    graphs = GraphSet.from_lists(labels=[["C"]], edges=[[]], attributes=[[[1e3]]])
    far = Graphlet(labels=["C"], edges=[], attributes=[[-1e3]])
    psi, found = aglets.agis(graphs, [far], rho=1.0, return_embeddings=True)
    assert psi[0, 0] == 0.0
    assert list(found[0][0]) == [0]


@pytest.mark.parametrize("n", [300, 70_000])
def test_graphlets_match_at_the_far_end_of_a_long_path(n):
    attributes = np.zeros((n, 1))
    attributes[-4:, 0] = [1.0, 2.0, 3.0, 4.0]
    graphs = GraphSet.from_lists(
        labels=[["C"] * n], edges=[[(v, v + 1) for v in range(n - 1)]], attributes=[attributes]
    )
    path = Graphlet(
        labels=["C"] * 4, edges=[(0, 1), (1, 2), (2, 3)], attributes=[[4.0], [3.0], [2.0], [1.0]]
    )
    psi, found = aglets.agis(graphs, [path], rho=1.0, return_embeddings=True)
    assert psi[0, 0] == 1.0
    assert [int(v) for v in found[0][0]] == [n - 1, n - 2, n - 3, n - 4]


@pytest.mark.parametrize("n_jobs", [2, 3, 8])
def test_any_number_of_threads_gives_the_same_bytes(n_jobs):
    rng = np.random.default_rng(0)
    edges = [(u, v) for u in range(9) for v in range(u + 1, 9) if rng.random() < 0.4]
    graphs = GraphSet.from_lists(
        labels=[["C"] * 9] * 20, edges=[edges] * 20, attributes=list(rng.normal(size=(20, 9, 2)))
    )
    graphlets = [
        Graphlet(
            labels=["C"] * k,
            edges=[(v, v + 1) for v in range(k - 1)],
            attributes=rng.normal(size=(k, 2)),
        )
        for k in range(1, 8)
    ]
    one, here = aglets.agis(graphs, graphlets, rho=0.3, return_embeddings=True, n_jobs=1)
    many, there = aglets.agis(graphs, graphlets, rho=0.3, return_embeddings=True, n_jobs=n_jobs)
    assert one.tobytes() == many.tobytes()
    for row, again in zip(here, there, strict=True):
        for a, b in zip(row, again, strict=True):
            assert (a is None and b is None) or a.tobytes() == b.tobytes()


@pytest.mark.parametrize("rho", [0.0, -0.1, float("nan"), float("inf")])
def test_rho_must_be_positive(rho):
    carbon = Graphlet(labels=["C"], edges=[], attributes=[[2.0]])
    with pytest.raises(ValueError, match=r"rho.*Got"):
        aglets.agis(triangles(), [carbon], rho=rho)


def test_a_single_graph_or_graphlet_instead_of_a_list_is_an_error():
    carbon = Graphlet(labels=["C"], edges=[], attributes=[[2.0]])
    with pytest.raises((TypeError, ValueError), match="list"):
        aglets.agis(triangles()[0], [carbon], rho=1.0)
    with pytest.raises((TypeError, ValueError), match="list"):
        aglets.agis(triangles(), carbon, rho=1.0)


def test_attribute_widths_must_agree():
    wide = Graphlet(labels=["C"], edges=[], attributes=[[2.0, 3.0]])
    with pytest.raises(ValueError, match=r"2.*1|1.*2"):
        aglets.agis(triangles(), [wide], rho=1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"labels": [], "edges": [], "attributes": np.zeros((0, 1))}, "node"),
        (
            {"labels": ["C"], "edges": [(0, 1)], "attributes": [[0.0]]},
            "names a node that is not there",
        ),
        ({"labels": ["C", "C"], "edges": [(0, 0)], "attributes": [[0.0], [0.0]]}, "loop"),
        ({"labels": ["C", "C"], "edges": [], "attributes": [[0.0], [0.0]]}, "connected"),
        ({"labels": ["C"], "edges": [], "attributes": [[0.0], [1.0]]}, "2.*1|1.*2"),
        ({"labels": ["C"], "edges": [], "attributes": [[float("nan")]]}, "finite|NaN|nan"),
        (
            {"labels": ["C"] * 2, "edges": [(0, 1)] * 2, "attributes": [[0.0], [0.0]]},
            "twice",
        ),
    ],
)
def test_a_malformed_graphlet_is_an_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        Graphlet(**arguments)
