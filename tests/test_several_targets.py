"""Estimators with several targets: classes, numbers and both, with values that are unknown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from path_tools import random_set
from sklearn.metrics import accuracy_score, r2_score

import aglets
from aglets import (
    LagraClassifier,
    LagraClassifierCV,
    LagraRegressor,
    LagraRegressorCV,
    ShardedEngine,
    average_models,
    compact,
)
from aglets.model.compacting import MU, centred, copies
from aglets.model.losses import Huber
from aglets.plot import OutputsDisplay
from aglets.training.checkpoint import Checkpoint, fingerprint
from aglets.training.fitting import FitCallback

QUICK = {"n_lambdas": 8, "max_epochs": 10, "tol": 1e-2}
POINT = {**QUICK, "maxpat": 2, "lambda_ratio": 0.1}
GRID = {**QUICK, "maxpats": (2,), "rhos": (0.3,), "starts": 1, "random_state": 0}
COLOURS = np.array(["blue", "green", "red"])


@pytest.fixture(scope="module")
def graphs():
    return random_set(80, seed=2, d=1)


@pytest.fixture(scope="module")
def table(graphs):
    """Two classes as numbers, two as words, three classes, and a number, with gaps."""
    rng = np.random.default_rng(1)
    oxygen = np.array([list(graph.labels).count("O") for graph in graphs])
    nitrogen = np.array([list(graph.labels).count("N") for graph in graphs])
    frame = pd.DataFrame(
        {
            "toxic": (oxygen > 1).astype(float),
            "smells": np.where(nitrogen > 1, "yes", "no").astype(object),
            "colour": COLOURS[np.minimum(oxygen, 2)].astype(object),
            "melting": 1000.0 * (graphs.n_nodes + 0.1 * rng.normal(size=len(graphs))),
        }
    )
    return frame.mask(rng.random(frame.shape) < 0.2)


@pytest.fixture(scope="module")
def mixed(graphs, table):
    return LagraClassifier(**POINT, loss={"melting": "squared"}).fit(graphs, table)


def test_classes_and_predictions_follow_scikit_learn(graphs, table):
    classes = table[["toxic", "smells", "colour"]]
    clf = LagraClassifier(**POINT, loss="logistic").fit(graphs, classes)
    assert [each.tolist() for each in clf.classes_] == [[0, 1], ["no", "yes"], COLOURS.tolist()]
    assert clf.target_names_ == ["toxic", "smells", "colour"]
    predicted = clf.predict(graphs)
    assert predicted.shape == (80, 3)
    p = clf.predict_proba(graphs)
    assert [each.shape for each in p] == [(80, 2), (80, 2), (80, 3)]
    for k, (each, values) in enumerate(zip(p, clf.classes_, strict=True)):
        np.testing.assert_allclose(each.sum(axis=1), 1.0)
        assert (values[each.argmax(axis=1)] == predicted[:, k]).all()
    f = clf.decision_function(graphs)
    assert f.shape == (80, 5)
    assert clf.coef_.shape == (5, len(clf.graphlets_))
    assert clf.intercept_.shape == (5,)
    np.testing.assert_allclose(clf.transform(graphs) @ clf.coef_.T + clf.intercept_, f)


def test_two_classes_each_have_one_column_of_decisions(graphs, table):
    two = table[["toxic"]].assign(other=table["smells"].map({"no": 0, "yes": 1}))
    clf = LagraClassifier(**POINT).fit(graphs, two)
    f = clf.decision_function(graphs)
    assert f.shape == (80, 2)
    predicted = clf.predict(graphs)
    assert predicted.dtype.kind == "i"
    np.testing.assert_array_equal(predicted, (f > 0.0).astype(int))


def test_targets_share_graphlets_unless_asked_otherwise(graphs, mixed):
    used = mixed.coef_ != 0.0
    assert len(mixed.graphlets_) > 1
    assert used.all()
    assert len(mixed.path_) == POINT["n_lambdas"]


def test_without_sharing_each_target_is_the_model_of_its_own_known_graphs(graphs, table):
    mixed = LagraClassifier(**POINT, loss={"melting": "squared"}, sharing="none")
    mixed.fit(graphs, table)
    # Units of attributes come from all graphs: of one target the others count with weight 0.
    f = mixed.decision_function(graphs)
    for name, rows in zip(mixed.target_names_, mixed.outputs_.slices, strict=True):
        kind = LagraRegressor if name == "melting" else LagraClassifier
        alone = kind(**POINT, pooling=("best",)).fit(graphs, table[name])
        of_target = np.ptp(f[:, rows])
        expected = mixed.outputs_.as_table(f)[:, rows]
        found = (
            alone.predict(graphs) if name == "melting" else alone.decision_function(graphs)
        ).reshape(expected.shape)
        np.testing.assert_allclose(found, expected, atol=1e-6 * of_target)


def test_numbers_of_any_unit_count_alike(graphs, table):
    y = table[["melting"]].assign(size=graphs.n_nodes)
    in_kelvin, in_other = (
        LagraRegressorCV(**GRID).fit(graphs, y * units) for units in ([1.0, 1.0], [1e-6, 1e3])
    )
    assert in_kelvin.best_index_ == in_other.best_index_
    np.testing.assert_allclose(
        in_kelvin.predict(graphs) * [1e-6, 1e3], in_other.predict(graphs), rtol=1e-5
    )
    assert in_kelvin.coef_.shape == (2, len(in_kelvin.graphlets_))
    assert in_kelvin.score(graphs, y) > 0.5


def test_epsilon_of_huber_stays_in_the_units_of_y(graphs):
    y = np.column_stack([graphs.n_nodes, 100.0 * graphs.n_edges]).astype(float)
    y[:3] *= 30.0
    losses = [Huber(0.5), Huber(50.0)]
    both = LagraRegressor(**POINT, loss=losses, sharing="none").fit(graphs, y)
    alone = LagraRegressor(**POINT, loss=Huber(50.0)).fit(graphs, y[:, 1])
    np.testing.assert_allclose(both.predict(graphs)[:, 1], alone.predict(graphs), rtol=1e-4)


def test_the_score_is_the_mean_over_targets_of_what_is_known(graphs, table, mixed):
    predicted = mixed.predict(graphs)
    scores = []
    for k, name in enumerate(table):
        known = table[name].notna().to_numpy()
        score = r2_score if name == "melting" else accuracy_score
        truth = table[name][known].to_numpy()
        truth = truth if name in ("smells", "colour") else truth.astype(float)
        ours = predicted[known, k]
        scores.append(score(truth, ours if name in ("smells", "colour") else ours.astype(float)))
    assert mixed.score(graphs, table) == pytest.approx(np.mean(scores))


@pytest.mark.parametrize(
    "given",
    [
        lambda y: y.to_numpy(),
        lambda y: [[None if pd.isna(v) else v for v in row] for row in y.to_numpy()],
        lambda y: np.ma.masked_invalid(y.to_numpy().astype(float)),
        lambda y: y.astype("Int64"),
    ],
    ids=["array", "lists", "masked", "nullable"],
)
def test_gaps_may_be_nan_none_masked_or_na(graphs, table, given):
    y = table[["toxic"]].assign(small=(graphs.n_nodes < 6).astype(float))
    expected = LagraClassifier(**POINT).fit(graphs, y)
    found = LagraClassifier(**POINT).fit(graphs, given(y))
    np.testing.assert_array_equal(
        found.decision_function(graphs), expected.decision_function(graphs)
    )
    assert [each.tolist() for each in found.classes_] == [[0, 1], [0, 1]]


def test_a_single_target_may_have_gaps(graphs, table):
    clf = LagraClassifierCV(**GRID).fit(graphs, table["toxic"])
    assert clf.classes_.tolist() == [0.0, 1.0]
    assert clf.target_names_ == ["toxic"]
    known = table["toxic"].notna().to_numpy()
    assert clf.score(graphs, table["toxic"]) == pytest.approx(
        accuracy_score(table["toxic"][known], clf.predict(graphs)[known])
    )


def test_class_weights_may_be_given_for_each_target(graphs, table):
    y = table[["toxic", "smells"]]
    balanced = LagraClassifier(**POINT, class_weight="balanced").fit(graphs, y)
    listed = LagraClassifier(**POINT, class_weight=["balanced", "balanced"]).fit(graphs, y)
    np.testing.assert_array_equal(
        balanced.decision_function(graphs), listed.decision_function(graphs)
    )
    own = {**POINT, "sharing": "none"}
    other = LagraClassifier(**own, class_weight=[{1: 5.0}, None]).fit(graphs, y)
    plain = LagraClassifier(**own).fit(graphs, y)
    ours, theirs = other.decision_function(graphs), plain.decision_function(graphs)
    assert not np.allclose(ours[:, 0], theirs[:, 0])
    np.testing.assert_array_equal(ours[:, 1], theirs[:, 1])


@pytest.mark.parametrize(
    "options",
    [
        {"average": "greedy"},
        {"select": "score", "rule": "one_se"},
        {"cv": 3, "average": "folds", "max_graphlets": 6},
        {"covariates": "size", "covariate_penalty": 1.0},
        {"pooling": ("best", "sum"), "engine": ShardedEngine(2)},
    ],
    ids=str,
)
def test_every_way_to_fit_takes_several_targets(graphs, table, options):
    y = table[["toxic", "colour", "melting"]]
    clf = LagraClassifierCV(**{**GRID, "n_lambdas": 6}, loss={"melting": "huber"}, **options)
    clf.fit(graphs, y)
    assert clf.predict(graphs).shape == (80, 3)
    assert clf.score(graphs, y) > 0.3
    assert len(clf.graphlets_) <= options.get("max_graphlets", np.inf)


def test_a_saved_model_of_several_targets_is_the_same(graphs, table, mixed, tmp_path):
    mixed.save(tmp_path / "mixed.aglets")
    loaded = aglets.load(tmp_path / "mixed.aglets")
    np.testing.assert_array_equal(loaded.decision_function(graphs), mixed.decision_function(graphs))
    np.testing.assert_array_equal(loaded.predict(graphs), mixed.predict(graphs))
    np.testing.assert_array_equal(loaded.outputs.units, mixed.outputs_.units)
    assert loaded.outputs.same_as(mixed.outputs_)
    at_stop = loaded.at_stop(len(loaded.stops) - 1)
    np.testing.assert_allclose(
        at_stop.decision_function(graphs), mixed.decision_function(graphs), rtol=1e-9, atol=1e-9
    )


def test_an_average_shares_equal_graphlets_among_targets(graphs, table, mixed):
    models = [mixed.model_at(5), mixed.model_at(7)]
    both = average_models(models)
    f = np.mean([model.decision_function(graphs) for model in models], axis=0)
    np.testing.assert_allclose(both.decision_function(graphs), f, rtol=1e-9, atol=1e-9)
    keys = {(graphlet.structure_key, graphlet.attributes.tobytes()) for graphlet in both.graphlets}
    assert len(keys) == len(both.graphlets)


def test_compacting_drops_what_all_targets_together_miss_the_smallest_part_of(graphs, mixed):
    rng = np.random.default_rng(0)
    dense = rng.normal(size=mixed.coef_.shape) * mixed.outputs_.units[:, None]
    model = replace(mixed.model_, coef=dense, stops=None)
    n = len(model.graphlets)
    middle, rows = centred([model.agis(each) for each in (graphs, *copies(graphs))])
    quadratic = rows.T @ rows + MU * np.eye(n)
    relative = dense / mixed.outputs_.units[:, None]
    costs, best = [], []
    for j in range(n):
        # The minimum of (b - beta)' A (b - beta) with b_j = 0, for all outputs at once.
        others = np.arange(n) != j
        b = np.zeros_like(dense)
        b[:, others] = np.linalg.solve(quadratic[others][:, others], quadratic[others] @ dense.T).T
        change = relative - b / mixed.outputs_.units[:, None]
        costs.append(np.einsum("kj,jl,kl", change, quadratic, change))
        best.append(b)
    j = int(np.argmin(costs))
    small = compact(model, graphs, n - 1)
    others = np.arange(n) != j
    expected = best[j] @ (model.agis(graphs) - middle).T
    f = small.decision_function(graphs).T
    np.testing.assert_allclose(f - f.mean(axis=1, keepdims=True), expected, rtol=1e-6, atol=1e-6)


def test_a_checkpoint_hands_back_the_paths_of_all_targets(graphs, table, tmp_path):
    y = table[["toxic", "melting"]]
    clf = LagraClassifierCV(**GRID, loss={"melting": "squared"})
    key = fingerprint(graphs, y, clf.get_params())
    assert key != fingerprint(graphs, y.fillna({"toxic": 0.0}), clf.get_params())
    with Checkpoint(tmp_path / "kept", key) as kept:
        first = clf.fit(graphs, y, callback=kept).predict(graphs)

    class Refuses(FitCallback):
        def step(self, *_):
            raise AssertionError("walked again")

    with Checkpoint(tmp_path / "kept", key, resume=True) as kept:
        kept.step = Refuses().step
        np.testing.assert_array_equal(clf.fit(graphs, y, callback=kept).predict(graphs), first)


def test_stability_is_counted_over_all_targets(graphs, table, mixed):
    found = mixed.stability(graphs, table, n_rounds=2)
    assert found.shape == (len(mixed.graphlets_),)
    assert ((found >= 0.0) & (found <= 1.0)).all()
    assert found.any()


def test_explanations_of_each_target_sum_to_its_decision(graphs, table, mixed):
    f = mixed.decision_function(graphs)
    every = mixed.explain(graphs[4])
    assert list(every) == mixed.target_names_
    for name, rows in zip(mixed.target_names_, mixed.outputs_.slices, strict=True):
        why = every[name]
        assert why.target == name
        total = why.intercept + sum(entry.contribution for entry in why.contributions)
        assert total == pytest.approx(why.decision)
        assert why.decision == pytest.approx(f[4, rows].max())
        expected = mixed.predict(graphs[4:5])[0, mixed.target_names_.index(name)]
        # The order of a sum may show in the last digit of a number; classes are the same.
        number = name == "melting"
        assert why.prediction == (pytest.approx(expected, rel=1e-12) if number else expected)
        assert mixed.explain(graphs[4], output=name).to_dict() == why.to_dict()
    one = mixed.explain(graphs[:2], output=("colour", "red"))
    assert [why.output for why in one] == ["red", "red"]
    assert one[1].decision == pytest.approx(f[1, 4])
    assert "Predicted melting:" in str(every["melting"])
    with pytest.raises(ValueError, match=r"output must be a target, or \(target, class\).* 'pH'"):
        mixed.explain(graphs[0], output="pH")
    with pytest.raises(ValueError, match=r"Got \('colour', 'pink'\) instead"):
        mixed.explain(graphs[0], output=("colour", "pink"))


def test_the_global_explanation_says_which_outputs_a_graphlet_serves(graphs, table, mixed):
    found = mixed.explain_global()
    assert found.outputs == mixed.outputs_.names
    assert [target.name for target in found.targets] == mixed.target_names_
    assert [target.n_known for target in found.targets] == table.notna().sum().tolist()
    assert found.targets[2].class_counts == {
        colour: int((table["colour"] == colour).sum()) for colour in COLOURS
    }
    for entry in found.graphlets:
        column = mixed.coef_[:, entry.index]
        names = {role.output: role.coef for role in entry.roles}
        assert names == {
            mixed.outputs_.names[k]: column[k] for k in np.flatnonzero(column).tolist()
        }
        assert entry.output == entry.roles[0].output
        assert entry.coef == entry.roles[0].coef
    units = mixed.outputs_.units
    order = [entry.index for entry in found.graphlets]
    np.testing.assert_allclose(found.weights, (mixed.coef_ / units[:, None]).T[order])
    assert "; for melting" in str(found)
    assert repr(mixed.model_).startswith(
        "LagraModel(2 targets of 2 classes, 3 classes, regression, "
    )
    frame = found.to_frame()
    np.testing.assert_allclose(frame["coef melting"], mixed.coef_[5][order])
    # AUC is that of the graphs whose value is known.
    entry = next(entry for entry in found.graphlets if entry.output == "toxic")
    alone = LagraClassifier(**POINT).fit(graphs, table["toxic"])
    known = table["toxic"].notna().to_numpy()
    theirs = alone.explain_global(graphs[known], table["toxic"][known].to_numpy())
    match = next(e for e in theirs.graphlets if e.graphlet.name == entry.graphlet.name)
    assert entry.auc == pytest.approx(match.auc)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([[0, 1], [1, 1]] * 40, r"y for 'target 1' must hold at least two classes .* one class"),
        ([[0, None], [1, None]] * 40, r"y for 'target 1' .* Got no class, \[\], instead"),
        ([[0, np.nan], [1, np.nan]] * 40, r"y for 'target 1' .* Got no class"),
        ([[0, "a"], [1, 2]] * 40, r"y for 'target 1' mixes values that cannot be sorted"),
        (["a", 2] * 40, r"y mixes values that cannot be sorted, such as numbers and strings"),
        ([[0, 0.5], [1, 0.7]] * 40, "Unknown label type: continuous"),
        ([[0, 1]] * 79, r"y must hold one target per graph \(80\)\. Got 79"),
        ([[0, 1], [1]] * 40, "Got rows of different lengths instead"),
        (np.zeros((80, 2, 2)), r"\(n_graphs, n_targets\)\. Got shape \(80, 2, 2\) instead"),
        (np.zeros((80, 0)), r"Got shape \(80, 0\) instead"),
        (pd.DataFrame([[0, 1], [1, 0]] * 40, columns=["a", "a"]), "need different names"),
    ],
    ids=["one class", "None", "NaN", "mixed", "mixed one", "fractions", "too few", "ragged", "3-D",
         "no target", "same name"],
)  # fmt: skip
def test_targets_that_cannot_be_learned_are_refused_in_one_sentence(graphs, y, message):
    with pytest.raises(ValueError, match=message):
        LagraClassifier(**POINT).fit(graphs, y)


def test_numbers_that_cannot_be_learned_are_refused_in_one_sentence(graphs):
    unknown = np.column_stack([np.arange(80.0), np.full(80, np.nan)])
    with pytest.raises(ValueError, match=r"y for 'target 1' must hold at least one number"):
        LagraRegressor(**POINT).fit(graphs, unknown)
    words = pd.DataFrame({"logP": np.arange(80.0), "name": ["a", "b"] * 40})
    with pytest.raises(ValueError, match=r"y for 'name' must hold numbers\. Got .* 'a' instead"):
        LagraRegressor(**POINT).fit(graphs, words)
    infinite = np.where(np.arange(160.0) == 14, np.inf, 0.0).reshape(80, 2)
    with pytest.raises(ValueError, match=r"y for 'target 0' must be finite\. Got inf for graph 7"):
        LagraRegressor(**POINT).fit(graphs, infinite)


def test_losses_and_weights_must_fit_the_targets(graphs, table):
    y = table[["toxic", "smells"]]
    for parameters, message in [
        ({"loss": {"taste": "logistic"}}, r"which are 'toxic', 'smells'\. Got 'taste' instead"),
        ({"loss": ["logistic"]}, r"must hold one loss per target \(2\)\. Got 1 instead"),
        ({"loss": ["logistic", "hinge"]}, r"'loss' .* a list or dict with a loss for each target"),
        ({"loss": {}}, r"'loss' .* a list or dict with a loss for each target"),
        ({"class_weight": ["balanced"]}, r"class_weight must hold one entry per target \(2\)"),
        ({"class_weight": ["even", None]}, r"'class_weight' .* a list with one of these for each"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=message):
            LagraClassifier(**POINT, **parameters).fit(graphs, y)
    with pytest.raises(ValueError, match=r"needs a target of classes\. Got losses for numbers"):
        LagraClassifier(**POINT, loss=["squared"]).fit(graphs, table["melting"])
    with pytest.raises(ValueError, match=r"needs a target of numbers\. Got losses for classes"):
        LagraRegressor(**POINT, loss=["logistic"]).fit(graphs, table["toxic"])


def test_values_that_the_model_does_not_know_are_refused(graphs, table, mixed):
    y = table.replace({"red": "pink"})
    with pytest.raises(ValueError, match="y for 'colour' holds the class 'pink', but the model"):
        mixed.score(graphs, y)
    with pytest.raises(ValueError, match=r"y must have one column per target \(4\)\. Got 3"):
        mixed.score(graphs, y[["toxic", "smells", "colour"]])


def test_the_heat_map_shows_every_weight(graphs, table, mixed):
    pytest.importorskip("matplotlib")
    display = OutputsDisplay.from_estimator(mixed, max_graphlets=7).plot()
    assert display.weights.shape == (7, 6)
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == list(display.outputs)
    np.testing.assert_array_equal(display.ax_.images[0].get_array(), display.weights)
    empty = mixed.explain_global()
    with pytest.raises(ValueError, match="A heat map needs graphlets"):
        OutputsDisplay.from_explanation(replace(empty, graphlets=()))


@pytest.mark.parametrize(
    ("options", "tried"),
    [({}, {1}), ({"sharing": "none"}, {1, 4}), ({"starts": (1, 2)}, {1, 2})],
)
def test_targets_that_share_have_one_start_unless_asked_otherwise(graphs, table, options, tried):
    grid = {**GRID, "starts": "auto", "n_lambdas": 3, "pooling": ("best",), **options}
    clf = LagraClassifierCV(**grid).fit(graphs[:40], table[["toxic", "smells"]][:40])
    assert set(clf.cv_results_["starts"]) == tried
