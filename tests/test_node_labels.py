"""Labels where there are none: degrees of nodes, or what a function says."""

from __future__ import annotations

import logging

import networkx as nx
import numpy as np
import pytest

from aglets import GraphSet, LagraClassifier, LagraClassifierCV, load
from aglets.preprocessing.node_labels import CAP, DEGREES, label_nodes, lacks_labels

QUICK = {"maxpat": 2, "n_lambdas": 10, "calibration": None}


@pytest.fixture(scope="module")
def stars_and_chains():
    graphs = [nx.star_graph(4 + i % 3) if i % 2 else nx.path_graph(5 + i % 3) for i in range(20)]
    return graphs, np.arange(20) % 2


def read(graphs):
    return GraphSet.from_networkx(graphs, label=None)


def test_degrees_are_labels_up_to_sixteen_then_ranges_then_one():
    sizes = [0, 1, 16, 17, 20, CAP, 2 * CAP]
    stars = [nx.star_graph(n) for n in sizes]
    found = [graph.labels[0] for graph in label_nodes(read(stars), "degree")]
    assert found == ["d0", "d1", "d16..19", "d16..19", "d20..24", "d128+", "d128+"]
    assert len(set(DEGREES)) == len(DEGREES)


def test_bare_networkx_graphs_are_learned_by_degree(stars_and_chains, caplog):
    graphs, y = stars_and_chains
    with caplog.at_level(logging.INFO, logger="aglets"):
        model = LagraClassifier(**QUICK).fit(graphs, y)
    assert [r.message for r in caplog.records if "degree" in r.message] == [
        "All nodes have the same label: their degrees are the labels instead."
    ]
    assert model.node_labels_ == "degree"
    assert model.score(graphs, y) == 1.0
    assert {label for h in model.graphlets_ for label in h.labels} <= set(DEGREES)
    assert model.explain(read(graphs)[0]).graph.labels[0] == "d1"


def test_new_graphs_are_labelled_alike_also_from_a_file(tmp_path, stars_and_chains):
    graphs, y = stars_and_chains
    model = LagraClassifier(**QUICK).fit(graphs, y)
    model.save(tmp_path / "degrees.aglets")
    loaded = load(tmp_path / "degrees.aglets")
    assert loaded.input_spec.node_labels == "degree"
    np.testing.assert_array_equal(loaded.predict(read(graphs)), y)
    np.testing.assert_array_equal(loaded.predict(graphs), y)


def test_nodes_with_labels_or_attributes_keep_what_they_have(stars_and_chains):
    graphs, y = stars_and_chains
    given = read(graphs)
    assert lacks_labels(given)
    attributed = given.with_attributes(np.ones((len(given.labels), 1)))
    assert LagraClassifier(**QUICK).fit(attributed, y).node_labels_ == "none"
    assert LagraClassifier(**QUICK, node_labels="none").fit(given, y).node_labels_ == "none"
    labelled = GraphSet.from_lists(["CO", "CN"] * 6, [[(0, 1)]] * 12)
    model = LagraClassifier(**QUICK).fit(labelled, [0, 1] * 6)
    assert model.node_labels_ == "none"
    asked = LagraClassifier(**QUICK, node_labels="degree").fit(labelled, [0, 1] * 6)
    assert asked.model_.input_spec.vocabulary == ("d1",)
    assert not lacks_labels(GraphSet.from_smiles(["CC", "CCC"], attributes=[]))


def test_validation_chooses_labels_next_to_attributes(stars_and_chains):
    graphs, y = stars_and_chains
    given = read(graphs)
    options = {"maxpats": (2,), "starts": 1, "rhos": (1.0,), "n_lambdas": 8, "random_state": 0}
    noise = given.with_attributes(np.random.default_rng(0).normal(size=(len(given.labels), 1)))
    assert LagraClassifierCV(**options).fit(noise, y).node_labels_ == "degree"
    signs = np.repeat(2.0 * y - 1.0, given.n_nodes)[:, None]
    shuffled = given.with_attributes(signs)
    chosen = LagraClassifierCV(**options).fit(shuffled, y)
    assert chosen.node_labels_ == "none"  # both are right: the simpler one is taken
    assert chosen.score(shuffled, y) == 1.0


def test_a_function_gives_labels_and_a_file_asks_for_them(tmp_path, stars_and_chains):
    graphs, y = stars_and_chains

    def in_ring_or_hub(graph):
        degrees = np.bincount(graph.edges.ravel(), minlength=graph.n_nodes)
        return ["hub" if degree > 2 else "other" for degree in degrees]

    model = LagraClassifier(**QUICK, node_labels=in_ring_or_hub).fit(graphs, y)
    assert model.score(graphs, y) == 1.0
    model.save(tmp_path / "own.aglets")
    labelled = label_nodes(read(graphs), in_ring_or_hub)
    np.testing.assert_array_equal(load(tmp_path / "own.aglets").predict(labelled), y)


def test_wrong_ways_to_label_are_one_sentence(stars_and_chains):
    graphs, y = stars_and_chains
    with pytest.raises(ValueError, match="'node_labels' parameter of LagraClassifier must be"):
        LagraClassifier(node_labels="colour").fit(graphs, y)
    with pytest.raises(ValueError, match="one label per node, that is 5 for graph 0. Got 1"):
        LagraClassifier(node_labels=lambda graph: ["x"]).fit(graphs, y)
    with pytest.raises(ValueError, match="node_labels must be 'none', 'degree' or a function"):
        label_nodes(read(graphs), "colour")


def test_the_command_line_says_in_a_note_that_degrees_are_labels(tmp_path, stars_and_chains):
    from typer.testing import CliRunner

    from aglets.cli.app import app

    graphs, y = stars_and_chains
    read(graphs).to_json(tmp_path / "g.json", y=y)
    asked = ["fit", str(tmp_path / "g.json"), "--target", "y", "-o", str(tmp_path / "m.aglets")]
    asked += ["--maxpat", "2", "--n-lambdas", "6"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    assert "their degrees are the labels" in done.output
    plain = CliRunner().invoke(app, [*asked, "--node-labels", "none"])
    assert "their degrees are the labels" not in plain.output
    shown = CliRunner().invoke(app, ["show", str(tmp_path / "m.aglets")])
    assert "degrees" not in shown.output
