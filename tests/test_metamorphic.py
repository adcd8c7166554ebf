"""Changes of the input that must not change a model, or change it in a known way.

Attributes are Gaussian unless said otherwise, so that no two embeddings cost the same by chance;
factors are powers of two where rounding would else differ.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from graph_edits import as_lists, renumbered
from path_tools import random_set

from aglets import GraphSet, LagraClassifier, LagraRegressor, LagraRegressorCV
from aglets.model.losses import Huber, Loss

KINDS = {
    "attributes": {},
    "labels only": {"d": 0},
    "edges": {"edge_labels": True, "edge_attributes": True},
}
CLASS_LOSSES = ("squared_hinge", "logistic")
NUMBER_LOSSES = ("squared", "huber")
SMALL = {"maxpat": 3, "n_lambdas": 6, "lambda_ratio": 0.1, "rho": 0.25, "calibration": None}


@pytest.fixture(params=KINDS)
def graphs(request):
    return random_set(26, seed=3, **KINDS[request.param])


@pytest.fixture(params=[True, False], ids=["learned", "fixed"])
def learn(request):
    return request.param


def estimator(loss: str | Loss, **options):
    kind = LagraClassifier if loss in CLASS_LOSSES else LagraRegressor
    return kind(loss=loss, **{**SMALL, **options})


def targets(graphs: GraphSet, loss: str) -> np.ndarray:
    rng = np.random.default_rng(1)
    nitrogen = np.array([graph.labels.count("N") for graph in graphs])
    signal = nitrogen + 0.3 * graphs.n_nodes + rng.normal(size=len(graphs))
    return signal if loss in NUMBER_LOSSES else np.where(signal > np.median(signal), 1, -1)


def decision(fitted, graphs: GraphSet) -> np.ndarray:
    return fitted.model_.decision_function(graphs)


def assert_same(
    one, two, graphs: GraphSet, *, shift: float = 0.0, factor: float = 1.0, room: float = 1e-6
) -> None:
    """The second model answers shift + factor times what the first does, with as many graphlets.

    Without attributes, graphlets that occur in the same graphs may share their weight in any way.
    """
    expected = shift + factor * decision(one, graphs)
    assert len(one.graphlets_) > 0
    if graphs.n_attributes:
        assert len(two.graphlets_) == len(one.graphlets_)
    np.testing.assert_allclose(decision(two, graphs), expected, rtol=room, atol=room * abs(factor))


@pytest.mark.parametrize("solver", ["fast", "paper"])
@pytest.mark.parametrize("loss", CLASS_LOSSES + NUMBER_LOSSES)
def test_every_graph_twice_with_half_the_weight_is_the_same_problem(graphs, loss, learn, solver):
    y = targets(graphs, loss)
    weight = np.random.default_rng(2).uniform(0.5, 2.0, len(graphs))
    options = {"learn_attributes": learn, "solver": solver}
    once = estimator(loss, **options).fit(graphs, y, weight)
    both = GraphSet.concatenate([graphs, graphs])
    twice = estimator(loss, **options).fit(both, np.tile(y, 2), np.tile(weight / 2.0, 2))
    # Steps of the paper's solver end where the objective hardly falls, some way before its optimum.
    assert_same(once, twice, graphs, room=1e-6 if solver == "fast" else 1e-5)
    assert twice.objective_ == pytest.approx(once.objective_, rel=1e-8)


@pytest.mark.parametrize("loss", CLASS_LOSSES + NUMBER_LOSSES)
def test_weights_count_in_proportion_only(graphs, loss, learn):
    y = targets(graphs, loss)
    weight = np.random.default_rng(2).uniform(0.5, 2.0, len(graphs))
    one = estimator(loss, learn_attributes=learn).fit(graphs, y, weight)
    four = estimator(loss, learn_attributes=learn).fit(graphs, y, 4.0 * weight)
    assert_same(one, four, graphs)
    assert four.objective_ == pytest.approx(4.0 * one.objective_, rel=1e-8)


@pytest.mark.parametrize("loss", CLASS_LOSSES)
def test_flipping_the_classes_flips_the_decision(graphs, loss, learn):
    y = targets(graphs, loss)
    one = estimator(loss, learn_attributes=learn).fit(graphs, y)
    other = estimator(loss, learn_attributes=learn).fit(graphs, -y)
    assert_same(one, other, graphs, factor=-1.0)


def scaled(graphs: GraphSet, factor: float) -> GraphSet:
    graphs = graphs.with_attributes(factor * graphs.attributes)
    if graphs.edge_attributes is None:
        return graphs
    return graphs.with_edge_attributes(factor * graphs.edge_attributes)


@pytest.mark.parametrize("factor", [0.25, 8.0])
def test_rho_is_in_units_of_one_over_the_attributes_squared(graphs, factor):
    y = targets(graphs, "squared_hinge")
    options = {"scale": "none", "learn_attributes": False}
    rho = SMALL["rho"]
    one = estimator("squared_hinge", rho=rho, **options).fit(graphs, y)
    large = scaled(graphs, factor)
    other = estimator("squared_hinge", rho=rho / factor**2, **options).fit(large, y)
    assert decision(other, large).tolist() == decision(one, graphs).tolist()
    for mine, theirs in zip(one.graphlets_, other.graphlets_, strict=True):
        assert (factor * mine.attributes == theirs.attributes).all()


@pytest.mark.parametrize("scale", ["standard", "label"])
def test_standardised_attributes_have_no_unit(graphs, scale, learn):
    y = targets(graphs, "squared_hinge")
    options = {"scale": scale, "learn_attributes": learn}
    one = estimator("squared_hinge", **options).fit(graphs, y)
    large = scaled(graphs, 1024.0)
    other = estimator("squared_hinge", **options).fit(large, y)
    assert decision(other, large).tolist() == decision(one, graphs).tolist()


def test_a_label_that_nobody_has_changes_nothing(graphs, learn):
    y = targets(graphs, "squared_hinge")
    one = estimator("squared_hinge", learn_attributes=learn).fit(graphs, y)
    # The new label comes between the others, so that all codes behind it move.
    wider = graphs.with_vocabulary(("C", "F", "N", "O"))
    other = estimator("squared_hinge", learn_attributes=learn).fit(wider, y)
    assert decision(other, graphs).tolist() == decision(one, graphs).tolist()
    assert [h.name for h in other.graphlets_] == [h.name for h in one.graphlets_]


@pytest.mark.parametrize("loss", CLASS_LOSSES + NUMBER_LOSSES)
def test_no_order_of_graphs_nodes_or_edges_changes_a_bit(loss, learn):
    for unit in (None, 0.5):  # with ties, too
        graphs = random_set(26, seed=4, edge_labels=True, edge_attributes=True, unit=unit)
        y = targets(graphs, loss)
        weight = np.random.default_rng(2).uniform(0.5, 2.0, len(graphs))
        one = estimator(loss, learn_attributes=learn).fit(graphs, y, weight)
        rng = np.random.default_rng(5)
        moved = renumbered(graphs, [rng.permutation(n).tolist() for n in graphs.n_nodes])
        order = rng.permutation(len(graphs))
        other = estimator(loss, learn_attributes=learn).fit(moved[order], y[order], weight[order])
        assert decision(other, graphs).tolist() == decision(one, graphs).tolist()
        assert other.coef_.tolist() == one.coef_.tolist()


def test_the_order_and_names_of_attributes_do_not_matter(graphs):
    y = targets(graphs, "squared_hinge")
    one = estimator("squared_hinge", learn_attributes=False).fit(graphs, y)
    turned = replace(graphs, attributes=graphs.attributes[:, ::-1])
    other = estimator("squared_hinge", learn_attributes=False).fit(turned, y)
    np.testing.assert_allclose(decision(other, turned), decision(one, graphs), rtol=1e-9)


def test_other_names_of_labels_in_the_same_order_change_nothing(graphs, learn):
    y = targets(graphs, "squared_hinge")
    names = {"C": "carbon", "N": "nitrogen", "O": "oxygen"}
    columns = as_lists(graphs)
    columns["labels"] = [[names[label] for label in labels] for labels in columns["labels"]]
    renamed = GraphSet.from_lists(**columns)
    one = estimator("squared_hinge", learn_attributes=learn).fit(graphs, y)
    other = estimator("squared_hinge", learn_attributes=learn).fit(renamed, y)
    assert decision(other, renamed).tolist() == decision(one, graphs).tolist()


UNITS = [(0.0, 1e-6), (0.0, 1e12), (1e3, 1.0), (-7e6, -1e6)]


@pytest.mark.parametrize(("shift", "factor"), UNITS)
@pytest.mark.parametrize("solver", ["fast", "paper"])
@pytest.mark.parametrize("loss", NUMBER_LOSSES)
def test_neither_the_answer_nor_the_work_depends_on_the_unit_of_y(loss, solver, shift, factor):
    graphs = random_set(26, seed=3)
    y = targets(graphs, loss)
    one = estimator(loss, solver=solver).fit(graphs, y)
    other = estimator(loss, solver=solver).fit(graphs, shift + factor * y)
    assert_same(one, other, graphs, shift=shift, factor=factor)
    assert [h.name for h in other.graphlets_] == [h.name for h in one.graphlets_]
    assert [p.n_epochs for p in other.path_] == [p.n_epochs for p in one.path_]
    assert other.model_.search.work == pytest.approx(one.model_.search.work, rel=0.01)
    assert other.lambda_max_ == pytest.approx(abs(factor) * one.lambda_max_, rel=1e-8)
    assert other.objective_ == pytest.approx(factor**2 * one.objective_, rel=1e-8)


@pytest.mark.parametrize(("shift", "factor"), UNITS)
@pytest.mark.parametrize("average", ["none", "folds"])
def test_what_is_chosen_does_not_depend_on_the_unit_of_y(average, shift, factor):
    graphs = random_set(40, seed=3)
    y = targets(graphs, "huber")
    options = {"loss": "huber", "cv": 2, "maxpats": (1, 3), "rhos": (0.1, 1.0), "n_lambdas": 6}
    options |= {"average": average, "random_state": 0, "learn_attributes": False}
    one = LagraRegressorCV(**options).fit(graphs, y)
    other = LagraRegressorCV(**options).fit(graphs, shift + factor * y)
    assert_same(one, other, graphs, shift=shift, factor=factor)
    assert other.best_index_ == one.best_index_
    losses = "mean_validation_loss"
    np.testing.assert_allclose(
        other.cv_results_[losses], factor**2 * one.cv_results_[losses], rtol=1e-7
    )


def test_the_epsilon_of_an_estimator_is_in_units_of_the_spread_of_y():
    graphs = random_set(26, seed=3)
    y = targets(graphs, "huber")
    spread = 1.4826 * np.median(np.abs(y - np.median(y)))
    by_name = estimator("huber", epsilon=0.5).fit(graphs, y)
    assert by_name.outputs_.single.loss.epsilon == pytest.approx(0.5 * spread, rel=1e-12)
    as_object = estimator(Huber(0.5 * spread)).fit(graphs, y)
    assert_same(by_name, as_object, graphs)


def test_a_loss_that_knows_no_other_unit_is_trained_on_y_as_it_is():
    class Bowl(Huber):
        name = "bowl"

        def in_units_of(self, spread):
            return None

    graphs = random_set(26, seed=3)
    y = 100.0 * targets(graphs, "huber")
    bowl = estimator(Bowl(60.0)).fit(graphs, y)
    huber = estimator(Huber(60.0)).fit(graphs, y)
    assert bowl.objective_ == pytest.approx(huber.objective_, rel=1e-6)
    np.testing.assert_allclose(decision(bowl, graphs), decision(huber, graphs), rtol=1e-4)
