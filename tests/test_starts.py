"""Several starts per label: k-means, exact search over types, and the grid that tries them."""

from __future__ import annotations

import numpy as np
import pytest
from path_tools import sample_of
from sklearn.cluster import KMeans

from aglets import GraphSet, LagraClassifier, LagraClassifierCV, mining
from aglets.datasets import make_planted
from aglets.estimators._grids import grid_for
from aglets.model.losses import SquaredHinge
from aglets.preprocessing.starts import starting_vectors
from aglets.training.engine import Goal, LocalPlacement
from tests.graph_edits import renumbered
from tests.reference import search as reference
from tests.reference.plain import plain_graphs


@pytest.fixture(scope="module")
def kinds_of_carbon():
    """Atoms of two kinds of one label, equally far from its mean; the class is which kind."""
    rng = np.random.default_rng(3)
    y = np.arange(80) % 2
    return GraphSet.from_lists(
        labels=["CCC"] * 80,
        edges=[[(0, 1), (1, 2)]] * 80,
        attributes=[(2 * kind - 1) * 3.0 + 0.3 * rng.normal(size=(3, 1)) for kind in y],
    ), y


def random_graphs(seed: int) -> GraphSet:
    rng = np.random.default_rng(seed)
    labels = [rng.choice(list("AB"), size=rng.integers(3, 6)) for _ in range(12)]
    edges = [
        [(u, v) for v in range(len(row)) for u in range(v) if v - u == 1 or rng.random() < 0.3]
        for row in labels
    ]
    return GraphSet.from_lists(
        labels=[row.tolist() for row in labels],
        edges=edges,
        attributes=[rng.normal(size=(len(row), 2)) for row in labels],
    )


def shuffled(graphs: GraphSet) -> tuple[GraphSet, np.ndarray]:
    """The same graphs in another order, their nodes as well, and that order."""
    rng = np.random.default_rng(0)
    order = rng.permutation(len(graphs))
    moved = graphs[order]
    return renumbered(moved, [rng.permutation(n) for n in moved.n_nodes]), order


def test_starts_are_the_centres_of_k_means():
    graphs = random_graphs(0)
    starts = starting_vectors(graphs, 3)
    assert starts.type_labels.tolist() == [0, 0, 0, 1, 1, 1]
    for label in (0, 1):
        rows = graphs.attributes[graphs.labels == label]
        ours = starts.type_starts[starts.type_labels == label]
        nearest = ((rows[:, None] - ours) ** 2).sum(axis=2)
        # A fixed point of Lloyd's algorithm, and as good as another's best of many runs.
        for j, centre in enumerate(ours):
            np.testing.assert_allclose(rows[nearest.argmin(axis=1) == j].mean(axis=0), centre)
        best = KMeans(3, n_init=50, random_state=1).fit(rows).inertia_
        assert nearest.min(axis=1).sum() <= 1.1 * best


def test_one_start_is_the_mean_of_the_label():
    graphs = random_graphs(1)
    one = starting_vectors(graphs, 1)
    for label in (0, 1):
        mean = graphs.attributes[graphs.labels == label].mean(axis=0)
        np.testing.assert_allclose(one.type_starts[label], mean)


def test_a_label_with_few_different_nodes_has_no_more_starts_than_those():
    graphs = GraphSet.from_lists(
        labels=["CCO", "CCN"],
        edges=[[(0, 1), (1, 2)]] * 2,
        attributes=[[[1.0], [2.0], [5.0]], [[1.0], [2.0], [7.0]]],
    )
    starts = starting_vectors(graphs, 4)
    assert starts.type_labels.tolist() == [0, 0, 1, 2]
    assert starts.type_starts.ravel().tolist() == [1.0, 2.0, 7.0, 5.0]


def test_starts_do_not_depend_on_the_order_of_graphs_and_nodes():
    graphs = random_graphs(2)
    moved, _ = shuffled(graphs)
    one = starting_vectors(graphs, 3)
    two = starting_vectors(moved.with_vocabulary(graphs.vocabulary), 3)
    np.testing.assert_array_equal(one.type_starts, two.type_starts)


def test_a_graph_of_weight_two_counts_as_given_twice():
    graphs = random_graphs(3)
    weight = np.ones(len(graphs))
    weight[:4] = 2.0
    weight[-1] = 0.0
    twice = graphs[np.r_[:4, : len(graphs) - 1]]
    one, two = starting_vectors(graphs, 3, weight), starting_vectors(twice, 3)
    np.testing.assert_allclose(one.type_starts, two.type_starts, rtol=1e-12)


@pytest.mark.parametrize("rho", [0.1, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_pruned_search_over_k_means_types_finds_what_slow_enumeration_finds(seed, rho):
    graphs = random_graphs(seed)
    starts = starting_vectors(graphs, 2)
    slow_starts = reference.Starts(starts.type_labels, starts.type_starts, starts.edge_starts)
    costs = reference.initial_costs(plain_graphs(graphs), slow_starts, 3)
    residual = np.random.default_rng(seed).normal(size=len(graphs))
    every = np.array([reference.gradient(one, residual, rho) for one in costs.values()])
    lam = float(np.quantile(np.abs(every), 0.9))
    tree = mining.Tree(graphs, maxpat=3, starts=starts, look_ahead=1.0)
    found = tree.search(residual, lam=lam, rho=rho)
    slow = list(reference.violators(costs, residual, rho, lam).values())
    assert 0 < len(slow) < len(every)
    np.testing.assert_allclose(np.sort(found.g), np.sort(slow), rtol=1e-9)
    assert tree.lambda_max(residual, rho=rho)[0] == pytest.approx(np.abs(every).max())
    for node, g_bar in zip(found.nodes.tolist(), found.g_bar, strict=True):
        which, lowest = tree.costs(node)
        again = reference.gradient_bound(dict(zip(which, lowest, strict=True)), residual, rho)
        assert g_bar == pytest.approx(again)


def test_two_types_of_one_label_start_at_their_own_vectors_and_match_the_best_node():
    graphs = random_graphs(5)
    starts = starting_vectors(graphs, 2)
    tree = mining.Tree(graphs, maxpat=1, starts=starts)
    found = tree.search(np.ones(len(graphs)), lam=0.0, rho=1.0)
    placement = LocalPlacement(sample_of(graphs, np.ones(len(graphs))), tree)
    local = placement.graphs_for(Goal(SquaredHinge(), 1.0, 1))
    patterns = [tree.pattern(node) for node in found.nodes.tolist()]
    handles = placement.handles(local.names(patterns, np.zeros(4, dtype=np.int32)))
    assert len(set(handles.tolist())) == 2  # what differs in its start alone shares a table
    z = local.start(patterns)[0].reshape(4, 2)
    np.testing.assert_array_equal(z, starts.type_starts)
    costs, _ = placement.bank.match(handles, z.ravel())
    for j, (label, vector) in enumerate(zip(starts.type_labels, starts.type_starts, strict=True)):
        for i in range(len(graphs)):
            graph = graphs[i]
            own = [graphs.vocabulary.index(value) == label for value in graph.labels]
            distances = ((graph.attributes[own] - vector) ** 2).sum(axis=1)
            assert costs[j, i] == pytest.approx(distances.min(initial=np.inf))


def test_several_starts_find_kinds_that_the_mean_cannot_distinguish(kinds_of_carbon):
    graphs, y = kinds_of_carbon
    options = {"maxpat": 1, "rho": 1.0, "lambda_ratio": 0.05, "n_lambdas": 20}
    fixed = {**options, "learn_attributes": False}
    one = LagraClassifier(**fixed, starts=1).fit(graphs, y)
    many = LagraClassifier(**fixed, starts=2).fit(graphs, y)
    assert many.objective_ < 0.5 * one.objective_
    assert len({graphlet.attributes.tobytes() for graphlet in many.graphlets_}) > 1


def test_relabelling_nodes_changes_nothing_with_several_starts():
    graphs, y, _ = make_planted(40, random_state=2)
    moved, order = shuffled(graphs)
    options = {"maxpat": 2, "starts": 3, "n_lambdas": 8, "max_epochs": 10}
    one = LagraClassifier(**options).fit(graphs, y)
    two = LagraClassifier(**options).fit(moved, y[order])
    assert one.graphlets_ == two.graphlets_


def test_the_grid_is_spelled_out_for_the_graphs_at_hand():
    def grid(d, **options):
        graphs = GraphSet.from_lists(
            labels=["CCO"], edges=[[(0, 1), (1, 2)]], attributes=[np.zeros((3, d))]
        )
        auto = {"starts": "auto", "rhos": "auto", "maxpats": "auto", "scale": "standard"}
        return grid_for(graphs, **auto | options)

    assert grid(0).maxpats.keys() == {1}
    assert grid(0).rhos == (1.0,)
    assert grid(3).maxpats.keys() == {1, 4}
    assert grid(4).maxpats.keys() == {1, 4, 64}
    assert grid(10).rhos == pytest.approx([r / 10 for r in grid(1).rhos])
    assert grid(10, rhos=[0.5]).rhos == (0.5,)
    assert grid(10, maxpats=[2]).maxpats == {1: (2,), 4: (2,), 64: (1,)}
    assert grid(3, starts=2, maxpats=[3, 4]).maxpats == {2: (3, 4)}
    assert grid(3, starts=(1, 2), maxpats=[3]).maxpats == {1: (3,), 2: (3,)}
    assert grid(3, starts={1: [5], 2: [1, 2]}, maxpats=[3]).maxpats == {1: (5,), 2: (1, 2)}


def test_starts_are_chosen_on_held_out_graphs(kinds_of_carbon):
    graphs, y = kinds_of_carbon
    options = {"rhos": (1.0,), "maxpats": (1,), "n_lambdas": 10, "learn_attributes": False}
    model = LagraClassifierCV(starts=(1, 2), **options, random_state=0).fit(graphs, y)
    table = model.cv_results_
    assert sorted(set(table["starts"].tolist())) == [1, 2]
    assert table["starts"][model.best_index_] == model.starts_ == 2


@pytest.mark.parametrize("starts", [0, (), (1, 1), "many", {2: ()}, {0: (1,)}])
def test_starts_are_checked_at_fit(starts, kinds_of_carbon):
    with pytest.raises(ValueError, match="'starts' parameter of LagraClassifierCV must be 'auto'"):
        LagraClassifierCV(starts=starts).fit(*kinds_of_carbon)
