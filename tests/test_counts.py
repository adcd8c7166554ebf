"""Models that count: sums and means of places, from the path to the file."""

from __future__ import annotations

import numpy as np
import pytest
from path_tools import random_set

from aglets import (
    Graphlet,
    GraphSet,
    LagraClassifier,
    LagraClassifierCV,
    LagraRegressor,
    LagraRegressorCV,
    ShardedEngine,
    agis,
    load,
)
from aglets.model.average import average_models
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


@pytest.mark.parametrize("scale", ["raw", "sqrt"])
def test_the_z_gradient_of_counts_is_that_of_finite_differences(attributed, scale):
    graphs, y = attributed
    ones = np.ones(len(graphs))
    sample = Sample(graphs, y[None], ones, ones)
    placement = LocalEngine().place(sample, MiningPlan(maxpat=3))
    goal = Goal(Squared(), 0.2, 3, pooling=("best", "sum", "mean"), count_scale=scale)
    problem = Problem.of(placement, goal)
    state = empty_state(problem)
    found = problem.graphs.search(state.scores, 0.0)
    chosen = np.random.default_rng(0).choice(len(found.nodes), size=9, replace=False)
    state = enlarged(problem, state, found.nodes[np.sort(chosen)])
    assert set(state.channels.tolist()) == ({0, 1, 2} if scale == "raw" else {0, 3, 4})
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
    asked = ["fit", str(tmp_path / "g.json"), "--target", "y", "-o", str(output)]
    asked += ["--rho", "0.1", "--maxpat", "2", "--n-lambdas", "10", "--pooling"]
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


@pytest.fixture(scope="module")
def rooted(attributed):
    graphs, y = attributed
    options = {"pooling": ("best", "sum", "mean"), "count_scale": "sqrt", "maxpat": 3}
    return LagraRegressor(**options, lambda_ratio=0.05, n_lambdas=20).fit(graphs, y)


def test_square_roots_of_counts_are_in_the_model_its_file_and_its_explanations(
    tmp_path, attributed, rooted
):
    graphs, _ = attributed
    counting = [h for h in rooted.graphlets_ if h.pooling != "best"]
    assert counting
    assert {h.count_scale for h in counting} == {"sqrt"}
    rooted.save(tmp_path / "roots.aglets")
    loaded = load(tmp_path / "roots.aglets")
    assert [h.count_scale for h in loaded.graphlets] == [h.count_scale for h in rooted.graphlets_]
    np.testing.assert_array_equal(loaded.predict(graphs), rooted.predict(graphs))
    for explanation, f in zip(rooted.explain(graphs), rooted.predict(graphs), strict=True):
        parts = [place.contribution for e in explanation.contributions for place in e.places]
        assert explanation.intercept + sum(parts) == pytest.approx(f, rel=1e-12, abs=1e-12)


def test_shards_take_the_same_square_roots(attributed, rooted):
    graphs, y = attributed
    options = rooted.get_params() | {"engine": ShardedEngine(2)}
    several = LagraRegressor(**options).fit(graphs, y)
    assert several.objective_ == pytest.approx(rooted.objective_, rel=1e-9)


def test_convex_models_of_square_roots_are_optimal(attributed):
    graphs, y = attributed
    options = {"learn_attributes": False, "rho": 0.5, "scale": "none", "maxpat": 3}
    model = LagraRegressor(
        pooling=("sum", "mean"), count_scale="sqrt", lambda_ratio=0.3, tol=1e-8, **options
    ).fit(graphs, y)
    psi = agis(graphs, model.graphlets_, rho=0.5)
    np.testing.assert_allclose(psi, np.sqrt(agis(graphs, model.graphlets_, 0.5, count_scale="raw")))
    g = psi.T @ (y - model.predict(graphs))
    np.testing.assert_allclose(g, model.lambda_ * np.sign(model.coef_.ravel()), rtol=1e-5)


def test_an_unknown_count_scale_is_one_sentence(fluorinated):
    with pytest.raises(ValueError, match="'count_scale' parameter of LagraRegressor must be"):
        LagraRegressor(count_scale="log").fit(*fluorinated)
    with pytest.raises(ValueError, match="The 'count_scale' of a graphlet must be 'raw' or"):
        Graphlet(labels="C", edges=[], pooling="sum", count_scale="log")


def test_validation_lets_classes_count_where_the_number_decides(fluorinated):
    graphs, y = fluorinated
    few = graphs[y > 0], (y[y > 0] > 2).astype(int)
    options = {"maxpats": (2,), "n_lambdas": 20, "random_state": 0}
    counting = LagraClassifierCV(**options).fit(*few)
    assert counting.pooling_ == ("best", "sum")
    assert counting.score(*few) == 1.0
    table = counting.cv_results_
    assert set(table["pooling"]) == {"best", "best+sum"}
    assert set(table["count_scale"]) == {"raw", "sqrt"}
    once = LagraClassifierCV(**options, pooling=("best",)).fit(*few)
    assert (once.pooling_, once.count_scale_) == (("best",), "raw")
    assert set(once.cv_results_["pooling"]) == {"best"}


def test_classes_do_not_count_where_one_match_is_enough(fluorinated):
    graphs, y = fluorinated
    model = LagraClassifierCV(maxpats=(2,), n_lambdas=20, random_state=0).fit(graphs, y > 0)
    assert model.pooling_ == ("best",)


def test_three_classes_folds_and_averages_count(fluorinated):
    graphs, y = fluorinated
    classes = y // 2
    options = {"maxpats": (2,), "n_lambdas": 12, "cv": 2, "random_state": 0}
    model = LagraClassifierCV(**options, average="greedy").fit(graphs, classes)
    assert model.score(graphs, classes) > 0.9
    assert any(graphlet.pooling == "sum" for graphlet in model.graphlets_)
    small = LagraClassifierCV(**options, max_graphlets=4).fit(graphs, classes)
    assert len(small.graphlets_) <= 4


def test_an_average_keeps_graphlets_apart_that_count_in_different_ways(fluorinated):
    graphs, y = fluorinated
    models = [
        LagraRegressor(pooling=(name,), maxpat=1, lambda_ratio=0.1, n_lambdas=10)
        .fit(graphs, y)
        .model_
        for name in ("best", "sum", "mean")
    ]
    f = np.mean([model.predict(graphs) for model in models], axis=0)
    np.testing.assert_allclose(average_models(models).predict(graphs), f)


def test_tables_say_what_is_counted_and_how_often(fluorinated):
    graphs, y = fluorinated
    model = LagraRegressor(pooling=("sum",), lambda_ratio=0.1, maxpat=2).fit(graphs, y)
    text = str(model.explain_global(graphs, y))
    assert ", per F (in 20 graphs, 3 places each on average" in text
    first = model.explain_global(graphs, y).to_dict()["graphlets"][0]
    assert first["mean_places"] == 3.0
    assert first["graphlet"]["unit"] in ("per C", "per F")
    assert "times 5, nodes" in str(model.explain(graphs[5]))


def test_a_graphlet_that_counts_comes_back_only_if_it_counts_again(fluorinated):
    graphs, y = fluorinated
    model = LagraRegressor(pooling=("sum",), lambda_ratio=0.2, maxpat=1, n_lambdas=10)
    model.fit(graphs, y)
    assert model.stability(graphs, y, n_rounds=3).max() == 1.0
    model.set_params(pooling=("best",))
    assert model.stability(graphs, y, n_rounds=3).max() == 0.0


def test_the_smarts_of_a_graphlet_that_counts_match_at_its_places():
    chem = pytest.importorskip("rdkit.Chem")
    smiles = ["CC(=O)NC", "CC(=O)NCC(=O)NC", "CCN", "CCO", "NC(=O)CCC(=O)NC(=O)N", "CCC=O"] * 3
    graphs = GraphSet.from_smiles(smiles)
    amide = chem.MolFromSmarts("[#7]-[#6]=[#8]")
    molecules = [chem.MolFromSmiles(text) for text in smiles]
    y = np.array([len({m[1] for m in mol.GetSubstructMatches(amide)}) for mol in molecules])
    model = LagraRegressor(maxpat=3, lambda_ratio=0.01, rho=0.01).fit(graphs, y.astype(float))
    counting = [h for h in model.graphlets_ if h.pooling == "sum"]
    assert counting
    for h in counting:
        pattern = chem.MolFromSmarts(h.smarts)
        bare = Graphlet(labels=h.labels, edges=h.edges, edge_labels=h.edge_labels, pooling="sum")
        plain = graphs.with_attributes(np.empty((len(graphs.labels), 0)))
        counts = agis(plain, [bare], rho=1.0)[:, 0]
        found = [
            len({m[0] for m in mol.GetSubstructMatches(pattern, uniquify=False)})
            for mol in molecules
        ]
        np.testing.assert_array_equal(counts, found)


def test_larger_patterns_are_tried_where_the_budget_allows_and_left_out_quietly(fluorinated):
    graphs, y = fluorinated
    options = {"n_lambdas": 4, "random_state": 0, "pooling": ("sum",), "count_scale": "raw"}
    assert LagraRegressorCV(**options).grid(graphs).cells[-1].maxpat == 12
    loss = LagraRegressorCV(**options).fit(graphs, y).cv_results_["mean_validation_loss"]
    assert np.isfinite(loss[-4:]).any()
    eight = LagraRegressorCV(**options, maxpats=(8,), refit=False).fit(graphs, y)
    work = 2 * eight.model_.search.work  # a quarter of it is not even enough for eight
    tight = LagraRegressorCV(**options, max_work=work).fit(graphs, y).cv_results_
    largest = tight["maxpat"] == 12
    assert np.isinf(tight["mean_validation_loss"][largest]).all()
    assert np.isfinite(tight["mean_validation_loss"][~largest]).any()
    attributed = graphs.with_attributes(np.ones((len(graphs.labels), 1)))
    assert max(cell.maxpat for cell in LagraRegressorCV(**options).grid(attributed).cells) == 8
