"""Averages of models: chosen greedily, united to one model, and explained like any other."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import ShuffleSplit

import aglets
from aglets import GraphSet, LagraClassifierCV, LagraRegressorCV, datasets, report
from aglets.cli import main
from aglets.model.average import average_models
from aglets.model.losses import Logistic, Squared, SquaredHinge
from aglets.model.outputs import Outputs
from aglets.model.target import Target
from aglets.training.averaging import greedy_weights

GRID = {"starts": {1: (3,), 3: (1,)}, "rhos": (1.0, 0.1), "n_lambdas": 12, "random_state": 0}


@pytest.fixture(scope="module")
def planted():
    # A set on which the average has members of both rho.
    graphs, y, _ = datasets.make_planted(80, random_state=3)
    return graphs, y


@pytest.fixture(scope="module", params=["greedy", "folds"])
def averaged(request, planted):
    graphs, y = planted
    cv = 3 if request.param == "folds" else "holdout"
    clf = LagraClassifierCV(**GRID, average=request.param, cv=cv, refit=request.param == "folds")
    return clf.fit(graphs, y)


def slow_greedy(f, y, loss, n_rounds):
    """Try everything in every round, and keep the best round."""
    chosen: list[int] = []
    best = (np.inf, [])
    for _ in range(n_rounds):
        values = []
        for candidate in range(len(f)):
            mean = np.mean([f[c] for c in [*chosen, candidate]], axis=0)
            pairs = zip(y, mean, strict=True)
            values.append(sum(loss.value(a, b, np.ones(len(a))) for a, b in pairs))
        chosen.append(int(np.argmin(values)))
        if min(values) < best[0]:
            best = (min(values), list(chosen))
    return np.bincount(best[1], minlength=len(f)) / len(best[1])


@pytest.mark.parametrize("loss", [SquaredHinge(), Logistic(), Squared()])
@pytest.mark.parametrize("seed", range(3))
def test_greedy_weights_equal_trying_everything(loss, seed):
    rng = np.random.default_rng(seed)
    y = np.sign(rng.normal(size=(2, 15)))
    f = y + 2.0 * rng.normal(size=(9, 2, 15))
    classes = [-1, 1] if loss.classification else None
    outputs = Outputs([Target(loss, classes, name) for name in ("one", "two")])
    weights = greedy_weights(f, y, np.ones(15), outputs, rng.integers(1, 9, size=9), 6)
    np.testing.assert_allclose(weights, slow_greedy(f, y, loss, 6))
    mean = np.tensordot(weights, f, 1)
    ours, *others = (
        sum(loss.value(a, b, np.ones(15)) for a, b in zip(y, g, strict=True)) for g in (mean, *f)
    )
    assert ours <= min(others)


def test_ties_go_to_the_sparser_candidate():
    f = np.array([[[1.0, 0.0]], [[0.0, 1.0]], [[1.0, 0.0]]])
    y = np.array([[1.0, 1.0]])
    weights = greedy_weights(f, y, np.ones(2), Outputs.of_numbers(), np.array([5, 3, 2]), 1)
    assert weights.tolist() == [0.0, 0.0, 1.0]
    weights = greedy_weights(f, y, np.ones(2), Outputs.of_numbers(), np.array([2, 2, 2]), 1)
    assert weights.tolist() == [1.0, 0.0, 0.0]


def test_a_greedy_average_is_at_least_as_good_on_held_out_graphs_as_the_best_point(planted):
    graphs, y = planted
    train, held_out = np.arange(60), np.arange(60, 80)
    clf = LagraClassifierCV(**GRID, average="greedy")
    clf.fit(graphs[train], y[train], validation=(graphs[held_out], y[held_out]))
    f = clf.decision_function(graphs[held_out])
    loss = 0.5 * (np.maximum(1 - y[held_out] * f, 0) ** 2).sum()
    assert loss <= clf.cv_results_["mean_validation_loss"].min() * (1 + 1e-9)
    assert sum(member.weight for member in clf.members_) == pytest.approx(1.0)


def test_the_decision_of_an_average_is_the_mean_of_its_members(planted):
    graphs, y = planted
    train, held_out = np.arange(60), np.arange(60, 80)
    validation = (graphs[held_out], y[held_out])
    clf = LagraClassifierCV(**GRID, average="greedy")
    clf.fit(graphs[train], y[train], validation=validation)
    assert len({member.cell for member in clf.members_}) > 1
    f = np.zeros(20)
    for member in clf.members_:
        starts, rho, maxpat, pooling, count_scale = member.cell
        channels = {"pooling": pooling, "count_scale": count_scale}
        alone = LagraClassifierCV(
            **GRID | {"starts": starts, "rhos": (rho,)} | channels, maxpats=(maxpat,), refit=False
        ).fit(graphs[train], y[train], validation=validation)
        f += member.weight * alone.model_at(member.index).decision_function(graphs[held_out])
    np.testing.assert_allclose(clf.decision_function(graphs[held_out]), f, rtol=1e-6, atol=1e-8)


def test_members_are_fitted_again_on_all_graphs(planted):
    graphs, y = planted
    kept = LagraClassifierCV(**GRID, average="greedy", refit=False).fit(graphs, y)
    again = LagraClassifierCV(**GRID, average="greedy").fit(graphs, y)
    assert kept.members_ == again.members_
    assert kept.graphlets_ != again.graphlets_


def test_folds_weigh_the_same(planted):
    clf = LagraClassifierCV(**GRID, average="folds", cv=3).fit(*planted)
    weights = np.zeros(3)
    for member in clf.members_:
        weights[member.fold] += member.weight
    np.testing.assert_allclose(weights, 1 / 3)


def test_an_average_does_not_depend_on_the_number_of_processes(planted):
    one = LagraClassifierCV(**GRID, average="folds", cv=2).fit(*planted)
    two = LagraClassifierCV(**GRID, average="folds", cv=2, n_jobs=2).fit(*planted)
    assert one.graphlets_ == two.graphlets_


def test_explanations_of_an_average_sum_to_its_decision(averaged, planted):
    graphs, _ = planted
    rho = averaged.model_.rho
    assert isinstance(rho, np.ndarray)
    f = averaged.decision_function(graphs)
    for i, why in enumerate(averaged.explain(graphs)):
        assert why.intercept + sum(e.contribution for e in why.contributions) == pytest.approx(
            f[i], abs=1e-12
        )
    psi = averaged.transform(graphs)
    scaled = averaged.model_.input_spec.to_model_units(graphs)
    for j in range(0, psi.shape[1], 7):
        one = [averaged.model_.scaled_graphlets[j]]
        np.testing.assert_allclose(psi[:, [j]], aglets.agis(scaled, one, rho=float(rho[j])))


def test_a_saved_average_predicts_the_same_and_can_be_shown(averaged, planted, tmp_path, capsys):
    graphs, y = planted
    averaged.save(tmp_path / "mean.aglets")
    again = aglets.load(tmp_path / "mean.aglets")
    np.testing.assert_array_equal(again.rho, averaged.model_.rho)
    np.testing.assert_allclose(
        again.decision_function(graphs), averaged.decision_function(graphs), rtol=1e-12
    )
    assert main(["show", str(tmp_path / "mean.aglets")]) == 0
    assert "rho 0.1 to 1," in capsys.readouterr().out
    assert main(["show", str(tmp_path / "mean.aglets"), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rho"]) == len(averaged.graphlets_)
    report.write(averaged, graphs, y, tmp_path / "mean.html")
    assert "0.1 to 1" in (tmp_path / "mean.html").read_text(encoding="utf-8")
    learned = averaged.explain_global()
    assert len(learned.rho) == len(learned.graphlets)


def test_an_average_has_no_path(averaged):
    assert not hasattr(averaged, "path_")
    with pytest.raises(ValueError, match="An average of models has no path"):
        averaged.model_at(0)


def test_a_fit_leaves_nothing_of_an_average_before_it(planted):
    graphs, y = planted
    clf = LagraClassifierCV(**GRID | {"starts": 1, "maxpats": (1,)}, average="greedy")
    assert clf.fit(graphs, y).members_
    clf.set_params(average="none").fit(graphs, y)
    assert not hasattr(clf, "members_")
    assert clf.path_
    assert not hasattr(clf.set_params(average="greedy").fit(graphs, y), "path_")


def test_equal_graphlets_become_one(planted):
    graphs, y = planted
    clf = LagraClassifierCV(
        **GRID | {"starts": 1, "maxpats": (3,)}, average="folds", cv=3, learn_attributes=False
    ).fit(graphs, y)
    rhos = np.broadcast_to(clf.model_.rho, len(clf.graphlets_))
    keys = {
        (h.labels, h.edges.tobytes(), h.attributes.tobytes(), h.unit, r)
        for h, r in zip(clf.graphlets_, rhos, strict=True)
    }
    assert len(keys) == len(clf.graphlets_)
    bare = GraphSet.from_lists(labels=["CO", "CN"] * 20, edges=[[(0, 1)]] * 40)
    clf = LagraClassifierCV(n_lambdas=10, average="folds", cv=4).fit(bare, ["a", "b"] * 20)
    names = [(graphlet.name, graphlet.unit) for graphlet in clf.graphlets_]
    assert len(names) == len(set(names))


def test_averages_of_three_classes_and_of_numbers():
    rng = np.random.default_rng(0)
    ends = rng.choice(["N", "O", "S"], size=60)
    graphs = GraphSet.from_lists(
        labels=[["C", "C", str(end)] for end in ends],
        edges=[[(0, 1), (1, 2)]] * 60,
        attributes=[rng.normal(size=(3, 1)) for _ in ends],
    )
    options = {**GRID, "starts": 1, "maxpats": (2,), "cv": 3}
    for average in ("greedy", "folds"):
        clf = LagraClassifierCV(**options, average=average).fit(graphs, ends)
        assert clf.score(graphs, ends) == 1.0
        y = np.where(ends == "N", 1.0, 2.0)
        numbers = LagraRegressorCV(**options, average=average).fit(graphs, y)
        assert numbers.score(graphs, y) > 0.9
        assert numbers.coef_.shape == (len(numbers.graphlets_),)


def test_covariates_are_averaged_too(planted):
    graphs, y = planted
    options = {**GRID, "starts": 1, "maxpats": (2,), "covariates": "size"}
    clf = LagraClassifierCV(**options, average="folds", cv=2).fit(graphs, y)
    f = clf.decision_function(graphs)
    assert clf.covariate_coef_.any()
    for value, why in zip(f, clf.explain(graphs), strict=True):
        parts = [entry.contribution for entry in (*why.contributions, *why.covariates)]
        assert why.intercept + sum(parts) == pytest.approx(value, abs=1e-12)


def test_folds_are_needed_for_their_average(planted):
    graphs, y = planted
    with pytest.raises(ValueError, match="average='folds' needs several folds. Got a cv with a"):
        LagraClassifierCV(**GRID, average="folds", cv=ShuffleSplit(1)).fit(graphs, y)
    with pytest.raises(ValueError, match="average='folds' needs folds of the training graphs"):
        LagraClassifierCV(**GRID, average="folds").fit(graphs, y, validation=(graphs, y))
    with pytest.raises(ValueError, match="'average' parameter .* 'none' or 'greedy' or 'folds'"):
        LagraClassifierCV(average="mean").fit(graphs, y)


def test_models_that_do_not_fit_together_are_not_averaged(averaged, planted):
    model = averaged.model_
    with pytest.raises(ValueError, match="at least one model"):
        average_models([])
    with pytest.raises(ValueError, match="one finite weight per model"):
        average_models([model, model], [1.0])
    with pytest.raises(ValueError, match="agree in their classes, but model 1 differs"):
        average_models([model, replace(model, outputs=Outputs.of_classes(["no", "yes"]))])
    with pytest.raises(ValueError, match="agree in their loss"):
        average_models(
            [model, replace(model, outputs=Outputs.of_classes(model.classes, "logistic"))]
        )


def test_rho_is_one_number_or_one_per_graphlet(averaged):
    model = averaged.model_
    n = len(model.graphlets)
    assert replace(model, rho=np.full(n, 0.5)).rho == 0.5
    with pytest.raises(ValueError, match="rho must be one number, or one per graphlet"):
        replace(model, rho=np.ones(n + 1))
    with pytest.raises(ValueError, match=r"rho must be in the range \(0, inf\)"):
        replace(model, rho=np.zeros(n))


def test_the_command_line_fits_averages(tmp_path, capsys):
    output = str(tmp_path / "m.aglets")
    quick = ["--n-lambdas", "10", "--rho", "1", "--rho", "0.1", "--maxpat", "2", "--starts", "1"]
    folds = [*quick, "--average", "folds", "--folds", "2"]
    assert main(["fit", "acids", "-o", output, *folds]) == 0
    assert "mean of" in capsys.readouterr().out
    assert main(["fit", "acids", "-o", output, *folds, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["members"] > 1
    assert summary["validation_score"] is None  # members were chosen by it
    assert main(["fit", "acids", "-o", output, *quick, "--average", "greedy", "-q"]) == 0
