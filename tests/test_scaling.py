"""Scaling of attributes: fitted on training nodes, undone for display, never a division by zero."""

from __future__ import annotations

import numpy as np
import pytest

from aglets import GraphSet
from aglets.preprocessing.scaling import SCALES, AttributeScaling, fit_scaling


def random_graphs(seed=0, n=12, d=3, **columns):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, size=n)
    return GraphSet.from_lists(
        labels=[rng.choice(["C", "N", "O"], size=k).tolist() for k in sizes],
        edges=[[(j, j + 1) for j in range(k - 1)] for k in sizes],
        attributes=[rng.normal(size=(k, d)) * [1e4, 1.0, 1e-5][:d] + 7.0 for k in sizes],
        edge_labels=[rng.choice([1, 2], size=k - 1).tolist() for k in sizes],
        edge_attributes=[rng.normal(size=(k - 1, 2)) * [50.0, 0.1] for k in sizes],
        **columns,
    )


def test_standard_gives_mean_zero_and_spread_one():
    graphs = random_graphs()
    scaled = fit_scaling(graphs, "standard").apply(graphs)
    np.testing.assert_allclose(scaled.attributes.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(scaled.attributes.std(axis=0), 1.0, rtol=1e-6)
    np.testing.assert_allclose(scaled.edge_attributes.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(scaled.edge_attributes.std(axis=0), 1.0)


def test_label_gives_mean_zero_and_spread_one_within_each_label():
    graphs = random_graphs()
    scaled = fit_scaling(graphs, "label").apply(graphs)
    for code in range(len(graphs.vocabulary)):
        rows = scaled.attributes[graphs.labels == code]
        np.testing.assert_allclose(rows.mean(axis=0), 0.0, atol=1e-9)
        np.testing.assert_allclose(rows.std(axis=0), 1.0, rtol=1e-6)
    for code in range(len(graphs.edge_vocabulary)):
        rows = scaled.edge_attributes[graphs.edge_labels == code]
        np.testing.assert_allclose(rows.std(axis=0), 1.0)


def test_none_leaves_graphs_alone():
    graphs = random_graphs()
    assert fit_scaling(graphs, "none") == AttributeScaling()
    assert fit_scaling(graphs, "none").apply(graphs) is graphs


@pytest.mark.parametrize("kind", ["standard", "label"])
def test_inverse_undoes_forward(kind):
    graphs = random_graphs()
    scaling = fit_scaling(graphs, kind)
    scaled = scaling.apply(graphs)
    np.testing.assert_allclose(
        scaling.nodes.inverse(scaled.attributes, graphs.labels), graphs.attributes, rtol=1e-13
    )
    np.testing.assert_allclose(
        scaling.edges.inverse(scaled.edge_attributes, graphs.edge_labels),
        graphs.edge_attributes,
        rtol=1e-12,
        atol=1e-12,
    )


@pytest.mark.parametrize("kind", SCALES)
def test_scaling_changes_nothing_but_attributes(kind):
    graphs = random_graphs(attribute_names=("x", "y", "z"))
    scaled = fit_scaling(graphs, kind).apply(graphs)
    assert scaled.with_attributes(graphs.attributes).with_edge_attributes(
        graphs.edge_attributes
    ) == (graphs)
    assert scaled.attribute_names == ("x", "y", "z")


@pytest.mark.parametrize("value", [0.0, 0.1, -3e149, 1e-300, 123456.789])
def test_constant_columns_are_divided_by_one(value):
    graphs = GraphSet.from_lists(
        labels=[["C"] * 7, ["O"] * 3],
        edges=[[], []],
        attributes=[np.full((7, 1), value), np.full((3, 1), value)],
    )
    for kind in ("standard", "label"):
        scaling = fit_scaling(graphs, kind)
        np.testing.assert_array_equal(scaling.nodes.factor, 1.0)
        assert np.isfinite(scaling.apply(graphs).attributes).all()


def test_a_label_with_one_node_uses_the_units_of_its_column():
    graphs = GraphSet.from_lists(
        labels=[["C", "C", "C", "Br"]], edges=[[]], attributes=[[[0.0], [2.0], [4.0], [100.0]]]
    )
    scaling = fit_scaling(graphs, "label")
    overall = graphs.attributes.std()
    np.testing.assert_allclose(scaling.nodes.factor.ravel(), [overall, np.std([0, 2, 4]), overall])


def test_a_spread_of_rounding_size_within_a_label_is_not_divided_by():
    graphs = GraphSet.from_lists(
        labels=[["C", "C", "O", "O"]],
        edges=[[]],
        attributes=[[[1.0], [1.0 + 1e-12], [0.0], [5.0]]],
    )
    assert np.abs(fit_scaling(graphs, "label").apply(graphs).attributes).max() < 10


def test_unknown_labels_are_scaled_by_their_column():
    graphs = random_graphs(1)
    scaling = fit_scaling(graphs, "label")
    stranger = GraphSet.from_lists(
        labels=[["C", "Xx"]], edges=[[(0, 1)]], attributes=[[[7.0] * 3, [7.0] * 3]]
    ).with_vocabulary(graphs.vocabulary)
    standard = fit_scaling(graphs, "standard")
    np.testing.assert_allclose(
        scaling.apply(stranger).attributes[1], standard.apply(stranger).attributes[1]
    )


def test_very_large_and_very_small_numbers_are_scaled_too():
    for unit in (1e-140, 1e140):
        graphs = GraphSet.from_lists(
            labels=[["C", "C", "C"]], edges=[[]], attributes=[[[unit], [2 * unit], [3 * unit]]]
        )
        scaled = fit_scaling(graphs, "standard").apply(graphs)
        np.testing.assert_allclose(scaled.attributes.std(), 1.0)


def test_graphs_without_attributes_or_nodes_pass_through():
    graphs = GraphSet.from_lists(labels=[["C"], []], edges=[[], []])
    assert fit_scaling(graphs, "standard").apply(graphs) == graphs


@pytest.mark.parametrize("kind", ["standard", "label"])
def test_weights_count_as_repetition(kind):
    graphs = random_graphs(2)
    times = np.arange(len(graphs)) % 3
    weighted = fit_scaling(graphs, kind, times.astype(float))
    again = fit_scaling(graphs[np.repeat(np.arange(len(graphs)), times)], kind)
    np.testing.assert_allclose(weighted.nodes.factor, again.nodes.factor, rtol=1e-12)
    np.testing.assert_allclose(weighted.nodes.shift, again.nodes.shift, rtol=1e-12)
    np.testing.assert_allclose(weighted.edges.factor, again.edges.factor, rtol=1e-12)


@pytest.mark.parametrize("kind", ["standard", "label"])
def test_the_order_of_graphs_changes_no_bit(kind):
    graphs = random_graphs(3, n=40)
    weight = np.random.default_rng(0).random(40)
    order = np.random.default_rng(1).permutation(40)
    assert fit_scaling(graphs[order], kind) == fit_scaling(graphs, kind)
    assert fit_scaling(graphs[order], kind, weight[order]) == fit_scaling(graphs, kind, weight)


def test_unknown_kind_is_refused():
    with pytest.raises(ValueError, match=r"scale must be one of standard, none, label\. Got 'x'"):
        fit_scaling(random_graphs(), "x")
