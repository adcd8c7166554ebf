"""The first look at a data set, and what notebooks show."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from networkx.algorithms.isomorphism import categorical_edge_match, categorical_node_match
from strategies import graph_sets

from aglets import Graph, Graphlet, GraphSet, datasets
from aglets.graphs.isomorphism import groups


def chains(*labels: str, **options) -> GraphSet:
    edges = [[(i, i + 1) for i in range(len(word) - 1)] for word in labels]
    return GraphSet.from_lists(labels=labels, edges=edges, **options)


@settings(max_examples=60)
@given(graph_sets(max_graphs=8, max_nodes=4, max_edges=4))
def test_duplicates_are_those_of_networkx(graphs):
    written = graphs.to_networkx()
    for attributes in (True, False):
        keys = ["label", "attributes"] if attributes else ["label"]
        for graph in written:
            for _, data in graph.nodes(data=True):
                data.setdefault("attributes", None)
                data["attributes"] = str(data["attributes"])
            for *_, data in graph.edges(data=True):
                data["attributes"] = str(data.get("attributes"))
        nodes = categorical_node_match(keys, [None] * len(keys))
        edges = categorical_edge_match(keys, [None] * len(keys))
        found = {tuple(group) for group in groups(graphs, attributes=attributes)}
        for i, one in enumerate(written):
            same = [
                j
                for j, other in enumerate(written)
                if nx.is_isomorphic(one, other, node_match=nodes, edge_match=edges)
            ]
            assert (tuple(same) in found) == (len(same) > 1)
            assert i in same


def test_regular_graphs_that_colours_cannot_separate_are_distinguished():
    two_rings = [(i, (i + 1) % 3) for i in range(3)] + [(3 + i, 3 + (i + 1) % 3) for i in range(3)]
    one_ring = [(i, (i + 1) % 6) for i in range(6)]
    graphs = GraphSet.from_lists(
        labels=["C" * 6] * 3, edges=[two_rings, one_ring, [(5 - u, 5 - v) for u, v in one_ring]]
    )
    assert [group.tolist() for group in groups(graphs)] == [[1, 2]]


def test_minus_zero_is_zero():
    graphs = chains("C", "C", attributes=[[[0.0]], [[-0.0]]])
    assert len(groups(graphs)) == 1


def test_a_description_counts():
    graphs = GraphSet.from_lists(
        labels=["CCO", "OCC", "CO", ""],
        edges=[[(0, 1), (1, 2)], [(0, 1), (1, 2)], [], []],
        attributes=[np.zeros((3, 1)), np.zeros((3, 1)), np.ones((2, 1)), []],
        edge_labels=[["-", "="], ["=", "-"], [], []],
        attribute_names=["charge"],
    )
    found = graphs.describe()
    assert found.labels == {"C": 5, "O": 3}
    assert found.edge_labels == {"-": 2, "=": 2}
    assert found.n_empty == 1
    assert found.n_disconnected == 1
    assert found.n_isolated_nodes == 2
    assert found.duplicates == [[0, 1]]
    assert found.attributes["charge"].maximum == 1
    assert found.n_nodes.mean == 2.0
    assert "attribute charge" in str(found)
    assert "1 graphs have no nodes" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["attributes"]["charge"]["minimum"] == 0


def test_it_warns_when_the_size_predicts_the_class():
    sizes = np.random.default_rng(0).permutation(np.repeat([3, 4, 8, 9], 10))
    graphs = chains(*["C" * size for size in sizes])
    warnings = graphs.describe(np.where(sizes > 5, "big", "small")).warnings
    assert warnings[-1].startswith("The class follows the node count alone: it predicts 100.0%")
    assert graphs.describe().warnings == []


def test_it_warns_when_the_order_predicts_the_class():
    graphs = chains(*["CO"] * 40)
    warnings = graphs.describe([0] * 20 + [1] * 20).warnings
    assert any(text.startswith("File order predicts the class: it predicts 9") for text in warnings)
    assert any("different classes in 1 cases" in text for text in warnings)


def test_it_warns_when_the_size_predicts_the_number():
    sizes = np.arange(2, 42)
    warnings = chains(*["C" * size for size in sizes]).describe(sizes * 1.5).warnings
    assert warnings == [
        "The target follows the node count alone: the correlation is 1.00. "
        "Compare every model with that, and with covariates='size'."
    ]


def test_it_does_not_warn_without_reason():
    graphs, y = datasets.load_acids()
    found = graphs.describe(y)
    assert found.warnings == []
    assert found.classes == {"acidic": 150, "neutral": 150}


def test_odd_targets_are_accepted():
    graphs = chains(*["CO"] * 12)
    assert "All graphs are of one class." in graphs.describe(["a"] * 12).warnings
    assert graphs.describe(np.array([None, "a"] * 6, dtype=object)).classes == {"None": 6, "a": 6}
    assert graphs.describe(np.linspace(0, 1, 12)).target.maximum == 1.0
    with pytest.raises(ValueError, match=r"one value for each of the 12 graphs, got shape \(2,\)"):
        graphs.describe([1, 2])


def test_empty_sets_are_described():
    assert GraphSet.from_lists(labels=[], edges=[]).describe().n_graphs == 0


@pytest.mark.data
def test_known_traits_of_public_data(load_tu):
    graphs, y = load_tu("AIDS")
    found = graphs.describe(y)
    assert any("node count alone" in text for text in found.warnings)
    assert not any("File order" in text for text in found.warnings)
    assert found.n_disconnected == 189
    graphs, y = load_tu("SYNTHETIC")
    found = graphs.describe(y)
    assert found.n_same_structure == 299
    assert any("File order predicts the class: it predicts 99" in text for text in found.warnings)
    graphs, y = load_tu("DHFR")
    assert any("193 stretches of one class" in text for text in graphs.describe(y).warnings)


def test_notebooks_show_tables_with_every_text_escaped():
    nasty = "<script>alert(1)</script>"
    graphs = GraphSet.from_lists(
        labels=[[nasty, "O"]],
        edges=[[(0, 1)]],
        attributes=[[[0.5], [1.0]]],
        edge_labels=[[nasty]],
        edge_attributes=[[[2.0]]],
        attribute_names=[nasty],
        edge_attribute_names=[nasty],
    )
    graphlet = Graphlet(labels=[nasty], edges=[], attributes=[[0.25]], coef=-1.0)
    for shown in (graphs, graphs[0], graphlet, graphs.describe(), Graph("CO", [(0, 1)])):
        page = shown._repr_html_()
        assert "<table>" in page
        assert "<script>" not in page
    assert "&lt;script&gt;" in graphs._repr_html_()
    assert "0.5" in graphs[0]._repr_html_()
    assert "0.25" in graphlet._repr_html_()
