"""What is written to another format and read again is the same: structure, labels, names."""

from __future__ import annotations

import json
from pathlib import Path

import grakel
import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from named_graphs import named_graph_sets

from aglets import GraphSet, datasets
from aglets.graphs import as_graph_set

INTS = {"C": 6, "N": 7, "O": -8}
MIXED = {"C": 6, "N": ("N", 1), "O": None}
ANY = ({}, INTS, MIXED)
few = settings(max_examples=40)


def keys_of(graphs: GraphSet) -> dict:
    """The keys that a reader must name to get everything back."""
    return {
        "attributes": graphs.attribute_names or ("attributes" if graphs.n_attributes else None),
        "edge_label": None if graphs.edge_labels is None else "label",
        "edge_attributes": (
            graphs.edge_attribute_names or ("attributes" if graphs.n_edge_attributes else None)
        ),
    }


@few
@given(named_graph_sets(labels=ANY))
def test_networkx_keeps_everything(graphs):
    written = graphs.to_networkx()
    assert all(type(graph) is nx.Graph for graph in written)
    assert GraphSet.from_networkx(written, **keys_of(graphs)) == graphs


@few
@given(named_graph_sets(labels=ANY))
def test_networkx_through_its_own_node_link_data_keeps_everything(graphs):
    documents = [nx.node_link_data(graph, edges="edges") for graph in graphs.to_networkx()]
    read = GraphSet.from_json(json.loads(json.dumps(documents)), **keys_of(graphs))
    assert read == graphs


@few
@given(named_graph_sets(labels=ANY), st.randoms(use_true_random=False))
def test_names_of_networkx_nodes_do_not_matter(graphs, random):
    written = graphs.to_networkx()
    names = [f"node {i}" for i in range(100)]
    random.shuffle(names)
    renamed = [nx.relabel_nodes(graph, dict(enumerate(names))) for graph in written]
    assert GraphSet.from_networkx(renamed, **keys_of(graphs)) == graphs


@few
@given(named_graph_sets(labels=ANY))
def test_igraph_keeps_everything(graphs):
    written = graphs.to_igraph()
    assert all(type(graph) is igraph.Graph for graph in written)
    assert GraphSet.from_igraph(written, **keys_of(graphs)) == graphs


@few
@given(named_graph_sets(labels=ANY))
def test_json_keeps_everything_and_names_its_own_keys(graphs):
    document = json.loads(json.dumps(graphs.to_json()))
    assert GraphSet.from_json(document) == graphs


@few
@given(named_graph_sets(labels=ANY, edge_labels=False, edge_attributes=False))
def test_grakel_keeps_labels_and_attributes_of_nodes(graphs):
    written = graphs.to_grakel(nodes="both")
    read = GraphSet.from_grakel(written, nodes="both", attribute_names=graphs.attribute_names)
    assert read == graphs


@few
@given(named_graph_sets(labels=ANY, edge_labels=True, edge_attributes=True))
def test_grakel_keeps_labels_and_attributes_of_edges(graphs):
    written = graphs.to_grakel(nodes="both", edges="both")
    read = GraphSet.from_grakel(
        written,
        nodes="both",
        edges="both",
        attribute_names=graphs.attribute_names,
        edge_attribute_names=graphs.edge_attribute_names,
    )
    assert read == graphs


@few
@given(named_graph_sets(edge_labels=True, edge_attributes=False))
def test_grakel_graph_objects_keep_structure_and_labels(graphs):
    bare = graphs.with_attributes(np.empty((len(graphs.labels), 0)))
    written = [grakel.Graph(*graph) for graph in graphs.to_grakel(edges="labels")]
    assert GraphSet.from_grakel(written, edges="labels") == bare


def test_grakel_kernels_take_what_is_written():
    graphs = GraphSet.from_lists(
        labels=["CCO", "CO"],
        edges=[[(0, 1), (1, 2)], [(0, 1)]],
        attributes=[[[0.0], [1.0], [2.0]], [[0.0], [2.0]]],
    )
    by_labels = grakel.WeisfeilerLehman(n_iter=1).fit_transform(graphs.to_grakel())
    by_numbers = grakel.GraphHopper(kernel_type="linear").fit_transform(
        graphs.to_grakel(nodes="attributes")
    )
    assert by_labels.shape == by_numbers.shape == (2, 2)
    assert by_labels[0, 0] > by_labels[0, 1] > 0


@few
@given(named_graph_sets(labels=({}, INTS, {"C": "6", "N": "7", "O": "x_1"})))
def test_gspan_text_keeps_everything(tmp_path_factory, graphs):
    path = tmp_path_factory.mktemp("gspan") / "graphs.gspan"
    graphs.to_gspan(path, y=[i % 2 * 2 - 1 for i in range(len(graphs))])
    read, y = GraphSet.from_gspan(path, target=True)
    assert read == graphs
    assert y.tolist() == [i % 2 * 2 - 1 for i in range(len(graphs))]
    assert GraphSet.from_gspan(path) == graphs


@few
@given(named_graph_sets(labels=ANY), st.sampled_from(["ints", "floats", "words"]))
def test_tu_folders_keep_everything(tmp_path_factory, graphs, kind):
    folder = tmp_path_factory.mktemp("tu") / "SET"
    y = {
        "ints": np.arange(len(graphs)) % 2,
        "floats": np.linspace(0.0, 1.0, len(graphs)),
        "words": np.array(["no", "yes"])[np.arange(len(graphs)) % 2],
    }[kind]
    graphs.to_tu(folder, y)
    read, targets = datasets.load_tu(
        folder,
        edge_labels=graphs.edge_labels is not None,
        edge_attributes=graphs.edge_attributes is not None,
    )
    assert read == graphs
    assert GraphSet.from_tu(folder, edge_labels=False)[0].labels.tolist() == graphs.labels.tolist()
    assert targets.dtype.kind == y.dtype.kind
    assert targets.tolist() == y.tolist()


def test_json_files_and_json_lines_hold_the_targets(tmp_path):
    graphs = GraphSet.from_lists(labels=["CO", "C"], edges=[[(0, 1)], []])
    for name in ("graphs.json", "graphs.jsonl"):
        graphs.to_json(tmp_path / name, y=["a", "b"])
        read, y = GraphSet.from_json(tmp_path / name, target="y")
        assert read == graphs
        assert y.tolist() == ["a", "b"]
    assert len(Path(tmp_path / "graphs.jsonl").read_text().splitlines()) == 2


@few
@given(named_graph_sets())
def test_what_carries_only_labels_and_attributes_is_read_without_naming_keys(graphs):
    assume(len(graphs.edges))
    nameless = GraphSet.from_networkx(graphs.to_networkx(), **keys_of(graphs))
    if graphs.attribute_names is None and graphs.edge_attribute_names is None:
        assert as_graph_set(graphs.to_networkx()) == nameless
        assert as_graph_set(graphs.to_igraph()) == nameless


@few
@given(named_graph_sets(labels=ANY))
def test_a_recipe_reads_further_graphs_alike(graphs):
    read = GraphSet.from_networkx(graphs.to_networkx(), **keys_of(graphs))
    assert as_graph_set(graphs.to_networkx(), read.recipe) == graphs
    assert as_graph_set(graphs.to_igraph(), read.recipe) == graphs


def test_parallel_edges_are_merged_and_several_keys_make_tuples():
    graph = nx.MultiGraph()
    graph.add_node("a", kind="x", ring=True)
    graph.add_node("b", kind="y", ring=False)
    graph.add_edge("a", "b")
    graph.add_edge("b", "a")
    [read] = GraphSet.from_networkx([graph], label=["kind", "ring"])
    assert read.labels == [("x", True), ("y", False)]
    assert read.n_edges == 1


def test_vectors_get_numbered_names():
    graph = nx.Graph()
    graph.add_node(0, pos=np.array([1.0, 2.0]), mass=12)
    graphs = GraphSet.from_networkx([graph], label=None, attributes=["pos", "mass"])
    assert graphs.attribute_names == ("pos[0]", "pos[1]", "mass")
    assert graphs.attributes.tolist() == [[1.0, 2.0, 12.0]]
    assert graphs[0].labels == [0]


@pytest.mark.parametrize(
    "edges",
    [
        {(0, 1), (1, 2)},
        [(0, 1), (1, 2, 0.5)],
        {(0, 1): 1.0, (1, 2): 1.0},
        {0: [1], 1: [2], 2: []},
        {0: {1: 1.0}, 1: {2: 1.0}},
        np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]),
    ],
)
def test_grakel_edges_come_in_many_forms(edges):
    [graph] = GraphSet.from_grakel([(edges, {0: "a", 1: "b", 2: "c"})])
    assert graph.edges.tolist() == [[0, 1], [1, 2]]


def test_gspan_text_of_other_programs(tmp_path):
    path = tmp_path / "plain.txt"
    path.write_text("t # 0\r\nv 0 2\r\nv 1 3\r\ne 0 1 1\r\n\r\nt # 1\r\nv 0 2\r\nt # -1\r\n")
    graphs = GraphSet.from_gspan(path)
    assert [graph.labels for graph in graphs] == [[2, 3], [2]]
    assert graphs.edge_vocabulary == (1,)
    assert GraphSet.from_gspan(path, edge_labels=False).edge_labels is None
