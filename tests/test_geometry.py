"""Lengths of edges from coordinates: right, and the same however a graph is moved or turned."""

from __future__ import annotations

import numpy as np
import pytest
from path_tools import random_set
from scipy.spatial.transform import Rotation

from aglets import GraphSet, LagraClassifier


def turned(graphs, seed=0):
    """Every graph in a frame of its own."""
    rng = np.random.default_rng(seed)
    moved = graphs.attributes.copy()
    for start, end in zip(graphs.node_offsets, graphs.node_offsets[1:], strict=False):
        turn = Rotation.random(random_state=int(rng.integers(10**6))).as_matrix()
        moved[start:end] = moved[start:end] @ turn.T + 10.0 * rng.normal(size=3)
    return graphs.with_attributes(moved)


def test_lengths_are_distances_between_the_ends():
    for graph in random_set(10, 0, d=3, edge_labels=True, edge_attributes=True):
        one = GraphSet.from_lists(
            labels=[graph.labels],
            edges=[graph.edges],
            attributes=[graph.attributes],
            edge_attributes=[graph.edge_attributes],
        )
        [with_lengths] = one.with_edge_lengths([0, 2])
        for (u, v), row, old in zip(
            graph.edges, with_lengths.edge_attributes, graph.edge_attributes, strict=True
        ):
            gap = graph.attributes[u, [0, 2]] - graph.attributes[v, [0, 2]]
            assert row.tolist() == pytest.approx([*old, np.hypot(*gap)])
        np.testing.assert_array_equal(with_lengths.attributes, graph.attributes[:, [1]])


def test_a_model_of_lengths_does_not_see_how_graphs_are_turned():
    graphs = random_set(40, 1, d=3)
    lengths = graphs.with_edge_lengths()
    y = np.array([graph.edge_attributes.max() > 3.2 for graph in lengths])
    clf = LagraClassifier(maxpat=3, n_lambdas=10).fit(lengths, y)
    f = clf.decision_function(lengths)
    np.testing.assert_allclose(
        clf.decision_function(turned(graphs).with_edge_lengths()), f, atol=1e-6
    )
    assert clf.graphlets_[0].edge_attributes is not None


def test_coordinates_are_kept_if_asked_for_and_names_go_along():
    graphs = random_set(3, 2, d=3)
    kept = graphs.with_edge_lengths(keep=True)
    np.testing.assert_array_equal(kept.attributes, graphs.attributes)
    assert kept.edge_attribute_names == ("length",)
    twice = kept.with_edge_lengths([0], name="x gap")
    assert twice.edge_attribute_names == ("length", "x gap")


def test_columns_that_are_not_there_are_refused():
    graphs = random_set(3, 2, d=2)
    for columns in (["x"], [2], [-1], [True], [], [0, 0]):
        with pytest.raises(ValueError, match="Expected"):
            graphs.with_edge_lengths(columns)
    with pytest.raises(ValueError, match="a name that no edge attribute has"):
        graphs.with_edge_lengths(keep=True).with_edge_lengths()
    bare = GraphSet.from_lists(labels=["CO"], edges=[[(0, 1)]])
    with pytest.raises(ValueError, match="at least one column"):
        bare.with_edge_lengths()
