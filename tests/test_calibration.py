"""Probabilities: curves against scikit-learn's, and what estimators and files make of them."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

import aglets
from aglets import LagraClassifier, LagraClassifierCV, LagraRegressor, average_models, datasets
from aglets.model.calibration import (
    ISOTONIC_FROM,
    Calibration,
    Isotonic,
    Sigmoid,
    fit_curve,
    fit_isotonic,
    fit_sigmoid,
)
from aglets.model.compacting import compact
from aglets.model.losses import Logistic, SquaredHinge
from aglets.model.outputs import Outputs

QUICK = {"maxpat": 2, "n_lambdas": 8}
GRID = {"maxpats": (1, 2), "rhos": (0.1,), "n_lambdas": 8, "random_state": 0}


def drawn(n, seed, slope=1.5, offset=-1.0):
    """Decisions whose true probabilities are a sigmoid, with classes and weights."""
    rng = np.random.default_rng(seed)
    f = rng.normal(size=n).round(2)  # with ties
    positive = rng.random(n) < 1 / (1 + np.exp(-slope * f - offset))
    return f, positive, rng.integers(1, 4, size=n).astype(float)


@pytest.fixture(scope="module")
def planted():
    graphs, y, _ = datasets.make_planted(80, random_state=0)
    return graphs, y


@pytest.mark.parametrize("n", [4, 30, 300, 3000])
def test_the_sigmoid_is_that_of_scikit_learn(n):
    f, positive, weight = drawn(n, seed=n)
    for w in (np.ones(n), weight):
        mine, judge = fit_sigmoid(f, positive, w), _SigmoidCalibration().fit(f, positive, w)
        grid = np.linspace(-3, 3, 7)
        np.testing.assert_allclose(mine(grid)[1], judge.predict(grid), atol=2e-4)


@pytest.mark.parametrize("n", [5, 60, 2000])
def test_the_isotonic_curve_is_that_of_scikit_learn(n):
    f, positive, weight = drawn(n, seed=n)
    mine = fit_isotonic(f, positive, weight)
    judge = IsotonicRegression(out_of_bounds="clip").fit(f, positive, weight)
    grid = np.concatenate([f, [-9.0, 9.0]])
    low = 1 / (weight.sum() + 2)
    np.testing.assert_allclose(mine(grid)[1], np.clip(judge.predict(grid), low, 1 - low), atol=1e-9)


def test_f_of_no_use_gives_the_base_rate_and_one_class_alone_gives_no_certainty():
    f = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    against = fit_sigmoid(f, f < 0.0, np.ones(5))
    assert against.slope == 0.0
    assert against(f)[1] == pytest.approx([0.44] * 5, abs=0.02)
    alone = fit_sigmoid(f, np.ones(5, dtype=bool), np.ones(5))
    assert alone(f)[1] == pytest.approx([6 / 7] * 5)
    constant = fit_sigmoid(np.full(5, 2.0), f > 0.0, np.ones(5))
    assert constant.slope == 0.0


def test_few_graphs_give_a_sigmoid_and_many_an_isotonic_curve():
    for n, kind in ((ISOTONIC_FROM - 1, Sigmoid), (ISOTONIC_FROM, Isotonic)):
        f = np.arange(3.0 * n)
        assert isinstance(fit_curve(f, f >= 2.0 * n, np.ones(3 * n)), kind)


@pytest.mark.parametrize("curve", [fit_sigmoid, fit_isotonic])
def test_probabilities_never_fall_with_f_and_sum_to_one(curve):
    f, positive, weight = drawn(500, seed=1)
    outputs = Outputs.of_classes(["no", "yes"])
    calibration = Calibration([curve(f, positive, weight)])
    grid = np.linspace(-9, 9, 1001)[:, None]
    [p] = calibration.probabilities(outputs, grid)
    assert (np.diff(p[:, 1]) >= 0.0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-15)
    assert ((p > 0.0) & (p < 1.0)).all()


def test_weights_of_classes_are_undone_in_the_odds_of_the_logistic_loss():
    f, positive, _ = drawn(4000, seed=2, offset=-2.0)
    X, y = f[:, None], np.where(positive, 1.0, -1.0)
    outputs = Outputs.of_classes([0, 1], Logistic())
    ones = np.ones(len(y))
    weight = outputs.weights(y[None], ones, "balanced")[0]
    balanced = LogisticRegression(C=1e9).fit(X, y, weight)
    plain = LogisticRegression(C=1e9).fit(X, y)
    calibration = Calibration.of_losses(outputs, y[None], ones, weight)
    decision = balanced.decision_function(X)[:, None]
    [p] = calibration.probabilities(outputs, decision)
    np.testing.assert_allclose(p[:, 1], plain.predict_proba(X)[:, 1], atol=0.02)
    assert p[:, 1].mean() == pytest.approx(positive.mean(), abs=0.01)
    assert Calibration.of_losses(Outputs.of_classes([0, 1]), y[None], ones, weight) is None


def test_several_targets_are_calibrated_each_where_it_is_known():
    rng = np.random.default_rng(0)
    y = np.array([["a", 1.0], ["b", 2.0], ["c", None], [None, 4.0]] * 30, dtype=object)
    from aglets.model.losses import Squared

    outputs = Outputs.learn(y, [SquaredHinge(), Squared()], names=["kind", "size"])
    f = rng.normal(size=(120, 4))
    calibration = Calibration.learn(outputs, f, outputs.encode(y), np.ones(120))
    assert [curve is None for curve in calibration.curves] == [False, False, False, True]
    assert {curve.n_graphs for curve in calibration.curves[:3]} == {90}
    first, second = calibration.probabilities(outputs, f)
    assert first.shape == (120, 3)
    np.testing.assert_allclose(first.sum(axis=1), 1.0)
    assert second is None


@pytest.mark.parametrize("curve", [lambda: Sigmoid(-1.0, 0.0), lambda: Sigmoid(np.inf, 0.0)])
def test_a_sigmoid_does_not_fall(curve):
    with pytest.raises(ValueError, match="A sigmoid needs a finite offset and a finite slope"):
        curve()


def test_an_isotonic_curve_rises():
    with pytest.raises(ValueError, match="An isotonic curve needs points with increasing f"):
        Isotonic(np.array([1.0, 0.0]), np.array([0.1, 0.2]), 2)


@pytest.mark.parametrize(
    "estimator",
    [
        LagraClassifier(**QUICK),
        LagraClassifier(**QUICK, calibration=4, class_weight="balanced"),
        LagraClassifier(**QUICK, loss="logistic"),
        LagraClassifierCV(**GRID),
        LagraClassifierCV(**GRID, cv=2, rule="one_se"),
        LagraClassifierCV(**GRID, average="greedy", max_graphlets=3),
        LagraClassifierCV(**GRID, average="folds", cv=2),
        LagraClassifierCV(**GRID, refit=False),
    ],
    ids=repr,
)
def test_every_classifier_has_probabilities_that_survive_a_file(estimator, planted, tmp_path):
    graphs, y = planted
    p = estimator.fit(graphs, y).predict_proba(graphs)
    assert p.shape == (len(y), 2)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    order = np.argsort(estimator.decision_function(graphs))
    assert (np.diff(p[order, 1]) >= 0.0).all()
    estimator.save(tmp_path / "m.aglets")
    loaded = aglets.load(tmp_path / "m.aglets")
    assert (loaded.predict_proba(graphs) == p).all()
    assert (loaded.predict_set(graphs, alpha=0.2) == estimator.predict_set(graphs, alpha=0.2)).all()
    with zipfile.ZipFile(tmp_path / "m.aglets") as archive:
        assert json.loads(archive.read("model.json"))["format_version"] >= 5


def test_selection_calibrates_on_what_its_held_out_graphs_said(planted):
    graphs, y = planted
    fitted = LagraClassifierCV(**GRID, refit=False).fit(graphs, y)
    again = LagraClassifierCV(**GRID)
    sample = again._learn_targets(graphs, y, None)
    [(_, held_out)] = again._folds(sample)
    known = fitted.model_.calibrated(graphs[held_out], y[held_out])
    assert known.calibration.curves[0].n_graphs == len(held_out)
    np.testing.assert_allclose(
        known.predict_proba(graphs), fitted.predict_proba(graphs), rtol=0, atol=1e-9
    )


def test_validation_graphs_calibrate_a_single_fit(planted):
    graphs, y = planted
    fitted = LagraClassifier(**QUICK).fit(graphs[:50], y[:50], validation=(graphs[50:], y[50:]))
    known = fitted.model_.calibrated(graphs[50:], y[50:])
    assert fitted.model_.calibration.curves == known.calibration.curves


def test_calibration_changes_no_graphlet_and_no_coefficient(planted):
    graphs, y = planted
    bare, full = (LagraClassifier(**QUICK, calibration=c).fit(graphs, y) for c in (None, "auto"))
    assert (bare.coef_ == full.coef_).all()
    assert (bare.decision_function(graphs) == full.decision_function(graphs)).all()
    assert not hasattr(bare, "predict_proba")
    assert not hasattr(bare, "predict_set")
    with pytest.raises(AttributeError, match="predict_proba"):
        _ = bare.predict_proba
    reg = LagraRegressor(calibration=None)
    assert not hasattr(reg, "predict_interval")


def test_the_order_of_graphs_changes_no_probability(planted):
    graphs, y = planted
    order = np.random.default_rng(3).permutation(len(y))
    one = LagraClassifier(**QUICK).fit(graphs, y)
    other = LagraClassifier(**QUICK).fit(graphs[order], y[order])
    assert (one.predict_proba(graphs) == other.predict_proba(graphs)).all()


def test_probabilities_refer_to_the_base_rate_also_with_class_weights(planted):
    graphs, y = planted
    rare = np.concatenate([np.flatnonzero(y == -1), np.flatnonzero(y == 1)[:10]])
    for loss in ("squared_hinge", "logistic"):
        fitted = LagraClassifier(**QUICK, loss=loss, class_weight="balanced")
        p = fitted.fit(graphs[rare], y[rare]).predict_proba(graphs[rare])[:, 1]
        assert p.mean() == pytest.approx((y[rare] == 1).mean(), abs=0.05)


def test_three_classes_are_calibrated_and_normalised(planted):
    graphs, _ = planted
    y = np.array(["a", "b", "c", "c"] * 20)
    fitted = LagraClassifierCV(**GRID).fit(graphs, y)
    p = fitted.predict_proba(graphs)
    assert p.shape == (80, 3)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert p.mean(axis=0) == pytest.approx([0.25, 0.25, 0.5], abs=0.1)


def test_too_few_graphs_of_a_class_are_fitted_without_calibration(planted):
    graphs, y = planted
    few = np.concatenate([np.flatnonzero(y == -1), np.flatnonzero(y == 1)[:1]])
    fitted = LagraClassifier(**QUICK).fit(graphs[few], y[few])
    advice = r"has no calibration, .*call model\.calibrated\(graphs, y\)"
    with pytest.raises(ValueError, match=rf"This model with loss='squared_hinge' {advice}"):
        fitted.predict_proba(graphs)


def test_smaller_models_keep_the_calibration_and_averages_need_a_new_one(planted):
    graphs, y = planted
    fitted = LagraClassifier(maxpat=2, n_lambdas=8, lambda_ratio=0.02).fit(graphs, y)
    small = compact(fitted.model_, graphs, 3)
    assert small.calibration is fitted.model_.calibration
    mean = average_models([fitted.model_, fitted.model_at(5)])
    with pytest.raises(ValueError, match="has no calibration"):
        mean.predict_proba(graphs)
    assert mean.calibrated(graphs, y).predict_proba(graphs).shape == (80, 2)
    logistic = LagraClassifier(**QUICK, loss="logistic", class_weight={1: 3.0}).fit(graphs, y)
    mean = average_models([logistic.model_, logistic.model_at(5)])
    assert mean.calibration.curves == logistic.model_.calibration.curves
    assert logistic.model_.at_stop(1).calibration.curves == logistic.model_.calibration.curves


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda d: d.update(calibration=[]), "'calibration' in model.json should be 1 entries"),
        (lambda d: d.update(calibration=[3]), "should be objects with kind and n_graphs"),
        (lambda d: d["calibration"][0].update(kind="x"), "a curve of an unknown kind"),
        (lambda d: d.update(calibration=[None]), "needs a curve for each output that is of class"),
    ],
)
def test_a_damaged_calibration_is_refused(damage, message, planted, tmp_path):
    graphs, y = planted
    LagraClassifier(**QUICK).fit(graphs, y).save(tmp_path / "m.aglets")
    with zipfile.ZipFile(tmp_path / "m.aglets") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(members["model.json"])
    damage(document)
    members["model.json"] = json.dumps(document).encode()
    with zipfile.ZipFile(tmp_path / "n.aglets", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(ValueError, match=message):
        aglets.load(tmp_path / "n.aglets")
