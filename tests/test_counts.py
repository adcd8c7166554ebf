"""Models that count: sums and means of places, from the path to the file."""

from __future__ import annotations

import numpy as np
import pytest
from path_tools import random_set

from aglets import Graphlet, GraphSet, LagraClassifier, LagraRegressor, ShardedEngine, agis, load
from aglets.model.losses import Squared
from aglets.training.engine import Goal, LocalEngine, MiningPlan
from aglets.training.optim.state import Problem, empty_state, enlarged
from aglets.training.sample import Sample

POOLINGS = [("sum",), ("mean",), ("best", "sum"), ("best", "mean"), ("best", "sum", "mean")]


def carbons_with(n_fluorines, n_others=3):
    """A chain of carbons, the first of which bear a fluorine each."""
    n = n_fluorines + n_others
    labels = ["C"] * n + ["F"] * n_fluorines
    edges = [(i, i + 1) for i in range(n - 1)] + [(i, n + i) for i in range(n_fluorines)]
    return labels, edges


@pytest.fixture(scope="module")
def fluorinated():
    numbers = np.array([0, 1, 2, 3, 4, 5] * 4)
    parts = [carbons_with(k, n_others=3 + i % 4) for i, k in enumerate(numbers)]
    return GraphSet.from_lists([p[0] for p in parts], [p[1] for p in parts]), numbers.astype(float)


@pytest.fixture(scope="module")
def attributed():
    rng = np.random.default_rng(3)
    graphs = random_set(24, 3)
    return graphs, rng.normal(size=24) + [len(g.labels) for g in graphs]


def test_a_sum_learns_a_number_of_places_that_the_best_match_cannot(fluorinated):
    graphs, y = fluorinated
    counting = LagraRegressor(pooling=("sum",), lambda_ratio=1e-3, maxpat=2).fit(graphs, y)
    once = LagraRegressor(pooling=("best",), lambda_ratio=1e-3, maxpat=2).fit(graphs, y)
    assert counting.score(graphs, y) > 0.999
    assert once.score(graphs, y) < 0.6
    assert counting.graphlets_[0].pooling == "sum"


def test_numbers_are_counted_by_default_and_classes_are_not(fluorinated):
    graphs, y = fluorinated
    numbers = LagraRegressor(lambda_ratio=0.05, maxpat=2).fit(graphs, y)
    assert any(graphlet.pooling == "sum" for graphlet in numbers.graphlets_)
    classes = LagraClassifier(lambda_ratio=0.05, maxpat=2).fit(graphs, y > 2)
    assert all(graphlet.pooling == "best" for graphlet in classes.graphlets_)


@pytest.mark.parametrize("pooling", POOLINGS, ids="-".join)
def test_predictions_are_the_sum_of_coefficients_times_agis(attributed, pooling):
    graphs, y = attributed
    model = LagraRegressor(pooling=pooling, lambda_ratio=0.05, rho=0.3, scale="none", maxpat=3)
    model.fit(graphs, y)
    psi = agis(graphs, model.graphlets_, rho=0.3)
    f = psi @ model.coef_.ravel() + model.intercept_
    np.testing.assert_allclose(model.predict(graphs), f, rtol=1e-12)
    assert {graphlet.pooling for graphlet in model.graphlets_} <= set(pooling)


@pytest.mark.parametrize("pooling", POOLINGS, ids="-".join)
@pytest.mark.parametrize("n_shards", [2, 3])
def test_shards_count_like_one_piece(attributed, pooling, n_shards):
    graphs, y = attributed
    options = {"pooling": pooling, "lambda_ratio": 0.2, "n_lambdas": 8, "maxpat": 3}
    one = LagraRegressor(**options).fit(graphs, y)
    several = LagraRegressor(**options, engine=ShardedEngine(n_shards)).fit(graphs, y)
    assert several.objective_ == pytest.approx(one.objective_, rel=1e-9)
    assert [g.pooling for g in several.graphlets_] == [g.pooling for g in one.graphlets_]


@pytest.mark.parametrize("pooling", POOLINGS, ids="-".join)
def test_saved_models_count_the_same(tmp_path, attributed, pooling):
    graphs, y = attributed
    model = LagraRegressor(pooling=pooling, lambda_ratio=0.1, maxpat=3).fit(graphs, y)
    model.save(tmp_path / "counts.aglets")
    loaded = load(tmp_path / "counts.aglets")
    assert [g.pooling for g in loaded.graphlets] == [g.pooling for g in model.graphlets_]
    np.testing.assert_array_equal(loaded.predict(graphs), model.predict(graphs))


@pytest.mark.parametrize("pooling", POOLINGS, ids="-".join)
@pytest.mark.parametrize("solver", ["fast", "paper"])
def test_threads_change_no_bit_of_counts(attributed, pooling, solver):
    graphs, y = attributed
    options = {"pooling": pooling, "lambda_ratio": 0.2, "n_lambdas": 6, "solver": solver}
    one, three = (LagraRegressor(**options, n_jobs=n).fit(graphs, y) for n in (1, 3))
    np.testing.assert_array_equal(one.predict(graphs), three.predict(graphs))


def test_the_z_gradient_of_counts_is_that_of_finite_differences(attributed):
    graphs, y = attributed
    ones = np.ones(len(graphs))
    sample = Sample(graphs, y[None], ones, ones)
    placement = LocalEngine().place(sample, MiningPlan(maxpat=3))
    problem = Problem.of(placement, Goal(Squared(), 0.2, 3, pooling=("best", "sum", "mean")))
    state = empty_state(problem)
    found = problem.graphs.search(state.scores, 0.0)
    chosen = np.random.default_rng(0).choice(len(found.nodes), size=9, replace=False)
    state = enlarged(problem, state, found.nodes[np.sort(chosen)])
    assert set(state.channels.tolist()) == {0, 1, 2}
    rng = np.random.default_rng(1)
    beta, everyone = rng.normal(size=9), np.ones(9, dtype=bool)
    z = state.z + rng.normal(scale=0.1, size=len(state.z))

    def value(z):
        return state.matched.moved(everyone, z).scores(beta, 0.1).value()

    gradient = state.matched.moved(everyone, z).scores(beta, 0.1).z_gradient(everyone, z, beta)
    steps = 1e-6 * np.eye(len(z))
    slow = [(value(z + step) - value(z - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(gradient, slow, rtol=1e-5, atol=1e-5)


def test_convex_models_that_count_are_optimal_over_all_patterns(attributed):
    """No column that could enter has a gradient above lambda, by counting every pattern."""
    graphs, y = attributed
    pooling = ("best", "sum", "mean")
    model = LagraRegressor(
        pooling=pooling, learn_attributes=False, lambda_ratio=0.3, rho=0.5, scale="none", maxpat=3
    ).fit(graphs, y)
    residual = y - model.predict(graphs)
    ones = np.ones(len(graphs))
    placement = LocalEngine().place(Sample(graphs, y[None], ones, ones), MiningPlan(maxpat=3))
    everything = placement.tree.search(np.ones(len(graphs)), lam=0.0, rho=0.5)
    largest = 0.0
    for node in everything.nodes:
        pattern = placement.tree.pattern(int(node))
        starts = placement.tree.starts.type_starts[pattern.types]
        labels = [graphs.vocabulary[code] for code in pattern.labels]
        graphlet = Graphlet(labels=labels, edges=pattern.edges, attributes=starts)
        for channel in pooling:
            column = agis(graphs, [graphlet], rho=0.5, pooling=channel)[:, 0]
            largest = max(largest, abs(column @ residual))
    assert largest == pytest.approx(model.lambda_, rel=1e-5)
    psi = agis(graphs, model.graphlets_, rho=0.5)
    np.testing.assert_allclose(
        psi.T @ residual, model.lambda_ * np.sign(model.coef_.ravel()), rtol=1e-5
    )


@pytest.mark.parametrize("pooling", ["most", (), ("sum", "sum"), ("best", "median"), 3])
def test_an_unknown_pooling_is_one_sentence(fluorinated, pooling):
    with pytest.raises((ValueError, TypeError), match="The 'pooling' parameter of LagraRegressor"):
        LagraRegressor(pooling=pooling).fit(*fluorinated)


def test_the_command_line_counts_as_asked(tmp_path, fluorinated):
    from typer.testing import CliRunner

    from aglets.cli.app import app

    graphs, y = fluorinated
    graphs.to_json(tmp_path / "g.json", y=y)
    output = tmp_path / "m.aglets"
    asked = ["fit", str(tmp_path / "g.json"), "--target", "y", "-o", str(output), "--pooling"]
    done = CliRunner().invoke(app, [*asked, "sum", "-q"])
    assert done.exit_code == 0, done.output
    assert {graphlet.pooling for graphlet in load(output).graphlets} == {"sum"}
    refused = CliRunner().invoke(app, [*asked, "most", "-q"])
    assert "best, sum and mean" in str(refused.exception)


@pytest.mark.parametrize("pooling", POOLINGS, ids="-".join)
def test_places_sum_to_the_contribution_and_importances_to_f(attributed, pooling):
    graphs, y = attributed
    model = LagraRegressor(pooling=pooling, lambda_ratio=0.05, maxpat=3).fit(graphs, y)
    for explanation, f in zip(model.explain(graphs), model.predict(graphs), strict=True):
        parts = [entry.contribution for entry in explanation.contributions]
        assert explanation.intercept + sum(parts) == pytest.approx(f, rel=1e-12, abs=1e-12)
        assert explanation.node_importance.sum() == pytest.approx(sum(parts), abs=1e-9)
        for entry in explanation.contributions:
            total = sum(place.contribution for place in entry.places)
            assert total == pytest.approx(entry.contribution, rel=1e-12, abs=1e-12)
            if entry.graphlet.pooling != "best" and entry.places:
                roots = [place.embedding[0] for place in entry.places]
                assert len(set(roots)) == len(roots)
                assert entry.places[0].embedding == entry.embedding


def test_a_place_is_one_fluorine_each(fluorinated):
    graphs, y = fluorinated
    model = LagraRegressor(pooling=("sum",), lambda_ratio=0.05, maxpat=2).fit(graphs, y)
    explanation = model.explain(graphs[5])
    first = explanation.contributions[0]
    assert len(first.places) == 5
    assert f"{len(first.places) - 1} more places" in str(explanation)
