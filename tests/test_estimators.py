"""The estimators keep scikit-learn's contract and say what the model says."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
from graph_edits import renumbered
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

import aglets
from aglets import (
    GraphSet,
    LagraClassifier,
    LagraClassifierCV,
    LagraRegressor,
    LagraRegressorCV,
    mining,
)
from aglets.datasets import make_planted

QUICK = {"n_lambdas": 8, "maxpat": 2, "max_epochs": 10, "tol": 1e-2, "calibration": None}
QUICK_CV = {
    "starts": 1,
    "n_lambdas": 5,
    "maxpats": (1, 2),
    "rhos": (1.0, 0.1),
    "max_epochs": 5,
    "tol": 1e-2,
}
ALL = [
    LagraClassifier(**QUICK),
    LagraRegressor(**QUICK),
    LagraClassifierCV(**QUICK_CV, random_state=0),
    LagraRegressorCV(**QUICK_CV, random_state=0),
]


@pytest.fixture(scope="module")
def planted():
    graphs, y, _ = make_planted(60, motif_size=3, background_size=(3, 6), random_state=0)
    return graphs, y


@pytest.fixture(params=ALL, ids=lambda estimator: type(estimator).__name__)
def estimator(request):
    return clone(request.param)


def three_classes():
    """Graphs whose class is the label at their end."""
    rng = np.random.default_rng(0)
    ends = rng.choice(["N", "O", "S"], size=45)
    graphs = GraphSet.from_lists(
        labels=[["C", "C", str(end)] for end in ends],
        edges=[[(0, 1), (1, 2)]] * 45,
        attributes=[rng.normal(size=(3, 1)) for _ in ends],
    )
    return graphs, ends


# What scikit-learn asks of every estimator


@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_tags_renamed,
        estimator_checks.check_valid_tag_types,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
        estimator_checks.check_mixin_order,
        estimator_checks.check_do_not_raise_errors_in_init_or_set_params,
        estimator_checks.check_fit_score_takes_y,
    ],
    ids=lambda check: check.__name__,
)
def test_scikit_learns_own_checks_that_need_no_array(check, estimator):
    name = type(estimator).__name__
    if check is estimator_checks.check_fit_score_takes_y:
        for method in ("fit", "score"):
            arguments = list(inspect.signature(getattr(estimator, method)).parameters)
            assert arguments[:2] == ["X", "y"]
        return
    check(name, estimator)


def test_all_parameters_are_keyword_only(estimator):
    parameters = inspect.signature(type(estimator).__init__).parameters.values()
    assert all(p.kind is p.KEYWORD_ONLY for p in parameters if p.name != "self")


def test_fit_leaves_parameters_and_input_alone_and_returns_self(estimator, planted):
    graphs, y = planted
    weights = np.linspace(0.5, 1.5, len(y))
    before, copies = estimator.get_params(), (y.copy(), weights.copy(), graphs.attributes.copy())
    assert estimator.fit(graphs, y, sample_weight=weights) is estimator
    assert estimator.get_params() == before
    for array, copy in zip((y, weights, graphs.attributes), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_fitting_twice_gives_the_same(estimator, planted):
    graphs, y = planted
    first = estimator.fit(graphs, y).transform(graphs)
    np.testing.assert_array_equal(clone(estimator).fit(graphs, y).transform(graphs), first)
    np.testing.assert_array_equal(estimator.fit(graphs, y).transform(graphs), first)


def test_methods_of_an_unfitted_estimator_say_so(estimator, planted, tmp_path):
    graphs, _ = planted
    for call in (
        lambda: estimator.predict(graphs),
        lambda: estimator.transform(graphs),
        lambda: estimator.get_feature_names_out(),
        lambda: estimator.save(tmp_path / "m"),
    ):
        with pytest.raises(NotFittedError):
            call()


def test_a_pickled_estimator_predicts_the_same(estimator, planted):
    graphs, y = planted
    again = pickle.loads(pickle.dumps(estimator.fit(graphs, y)))
    np.testing.assert_array_equal(again.predict(graphs), estimator.predict(graphs))


def test_a_list_of_graphs_is_as_good_as_a_graph_set(estimator, planted):
    graphs, y = planted
    expected = estimator.fit(graphs, y).predict(graphs)
    listed = list(graphs)
    np.testing.assert_array_equal(
        clone(estimator).fit(listed, y.tolist()).predict(listed), expected
    )


def test_kinds_are_distinguished_by_tags():
    assert is_classifier(LagraClassifier())
    assert is_classifier(LagraClassifierCV())
    assert is_regressor(LagraRegressor())
    assert is_regressor(LagraRegressorCV())
    assert LagraClassifier().__sklearn_tags__().input_tags.two_d_array is False


# What is fitted


def test_decision_is_linear_in_the_transform(planted):
    graphs, y = planted
    model = LagraClassifier(**QUICK).fit(graphs, y)
    psi = model.transform(graphs)
    assert psi.shape == (len(graphs), len(model.graphlets_)) == (60, model.coef_.shape[1])
    f = psi @ model.coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(graphs), f, atol=1e-12)
    np.testing.assert_array_equal(model.predict(graphs), np.where(f > 0, 1, -1))
    assert [graphlet.coef for graphlet in model.graphlets_] == list(model.coef_[0])
    assert all(graphlet.coef != 0.0 for graphlet in model.graphlets_)


@pytest.mark.parametrize("scale", ["standard", "none", "label"])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_objective_is_what_the_fitted_model_costs(planted, scale, loss):
    graphs, y = planted
    model = LagraClassifier(**QUICK, scale=scale, loss=loss).fit(graphs, y)
    f = model.decision_function(graphs)
    margin = y * f
    losses = np.maximum(1 - margin, 0) ** 2 if loss == "squared_hinge" else None
    half = 0.5 * losses.sum() if losses is not None else np.logaddexp(0, -margin).sum()
    penalty = model.lambda_ * np.abs(model.coef_).sum()
    assert model.objective_ == pytest.approx(half + penalty, rel=1e-9)


def test_the_path_runs_from_lambda_max_to_the_ratio(planted):
    graphs, y = planted
    model = LagraClassifier(**QUICK, lambda_ratio=0.2).fit(graphs, y)
    assert len(model.path_) == len(model.lambdas_) == 8
    assert model.lambda_ == pytest.approx(0.2 * model.lambda_max_)
    assert np.all(np.diff(model.lambdas_) < 0)
    assert [point.lam for point in model.path_] == list(model.lambdas_)
    assert model.path_[-1].objective == model.objective_
    assert model.path_[-1].n_nonzero == len(model.graphlets_)
    assert model.n_iter_ == sum(point.n_epochs for point in model.path_)


def test_lambda_max_is_that_of_the_paper(planted):
    graphs, y = planted
    model = LagraClassifier(n_lambdas=2, maxpat=2, rho=0.3, scale="none").fit(graphs, y)
    expected = mining.lambda_max(graphs, y, maxpat=2, rho=0.3)
    assert model.lambda_max_ == pytest.approx(expected, rel=1e-12)


def test_the_model_is_empty_at_lambda_max(planted):
    graphs, y = planted
    model = LagraClassifier(**QUICK | {"n_lambdas": 1}, lambda_ratio=1.0).fit(graphs, y)
    assert model.graphlets_ == []
    assert model.transform(graphs).shape == (60, 0)
    assert len(set(model.predict(graphs))) == 1


def test_a_planted_motif_is_learned():
    graphs, y, _ = make_planted(120, motif_size=3, random_state=1)
    model = LagraClassifier(maxpat=3, n_lambdas=20, rho=0.5, lambda_ratio=0.05)
    assert model.fit(graphs[:80], y[:80]).score(graphs[80:], y[80:]) > 0.8


@pytest.mark.parametrize(
    "values",
    [
        np.array([0, 1]),
        np.array([False, True]),
        np.array(["inactive", "active"]),
        np.array(["a", "b"], dtype=object),
        np.array([1.0, 2.0]),
        np.array([7, 3], dtype=np.uint8),
    ],
    ids=lambda values: f"{values.dtype}",
)
def test_classes_may_be_of_any_type(planted, values):
    graphs, y = planted
    named = values[(y > 0).astype(int)]
    model = LagraClassifier(**QUICK).fit(graphs, named)
    answer = model.predict(graphs)
    assert answer.dtype == values.dtype
    assert set(answer) <= set(values)
    np.testing.assert_array_equal(model.classes_, np.sort(values))
    plain = LagraClassifier(**QUICK).fit(graphs, np.where(named == np.sort(values)[1], 1, -1))
    np.testing.assert_array_equal(answer == np.sort(values)[1], plain.predict(graphs) == 1)


def test_more_classes_have_one_output_each_on_one_tree():
    graphs, y = three_classes()
    model = LagraClassifier(**QUICK, lambda_ratio=0.05).fit(graphs, y)
    assert model.score(graphs, y) == 1.0
    assert model.decision_function(graphs).shape == (45, 3)
    assert model.coef_.shape == (3, len(model.graphlets_))
    assert (np.count_nonzero(model.coef_, axis=0) == 1).all()
    assert model.intercept_.shape == model.lambda_.shape == model.lambda_max_.shape == (3,)
    for k, name in enumerate(model.classes_):
        binary = LagraClassifier(**QUICK, lambda_ratio=0.05).fit(graphs, y == name)
        np.testing.assert_allclose(
            model.decision_function(graphs)[:, k], binary.decision_function(graphs), atol=1e-9
        )


def test_the_logistic_loss_gives_probabilities_directly(planted):
    graphs, y = planted
    model = LagraClassifier(**QUICK, loss="logistic").fit(graphs, y)
    p = model.predict_proba(graphs)
    np.testing.assert_allclose(p[:, 1], 1 / (1 + np.exp(-model.decision_function(graphs))))
    classes, names = three_classes()
    p = LagraClassifier(**QUICK, loss="logistic").fit(classes, names).predict_proba(classes)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)


def test_a_graph_of_weight_two_counts_as_the_same_graph_twice(planted):
    graphs, y = planted
    times = np.arange(len(y)) % 3
    again = np.repeat(np.arange(len(y)), times)
    for scale in ("standard", "none"):
        settings = QUICK | {"scale": scale, "tol": 1e-9, "learn_attributes": False}
        settings |= {"max_epochs": 500}
        weighted = LagraClassifier(**settings).fit(graphs, y, sample_weight=times)
        repeated = LagraClassifier(**settings).fit(graphs[again], y[again])
        assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-7)
        assert weighted.lambda_max_ == pytest.approx(repeated.lambda_max_, rel=1e-10)


def test_class_weight_is_a_weight_of_the_graphs_of_the_class(planted):
    graphs, y = planted
    by_class = LagraClassifier(**QUICK, scale="none", class_weight={1: 3.0}).fit(graphs, y)
    weights = np.where(y == 1, 3.0, 1.0)
    assert by_class.objective_ == pytest.approx(by_class.path_[-1].objective)
    f = by_class.decision_function(graphs)
    half = 0.5 * weights @ np.maximum(1 - y * f, 0) ** 2
    expected = half + by_class.lambda_ * np.abs(by_class.coef_).sum()
    assert by_class.objective_ == pytest.approx(expected, rel=1e-9)


def test_balanced_classes_move_the_decision_to_the_rare_one():
    graphs, y, _ = make_planted(80, motif_size=3, separation=0.5, noise=1.0, random_state=2)
    keep = np.r_[np.flatnonzero(y == -1), np.flatnonzero(y == 1)[:8]]
    plain = LagraClassifier(**QUICK).fit(graphs[keep], y[keep])
    balanced = LagraClassifier(**QUICK, class_weight="balanced").fit(graphs[keep], y[keep])
    assert (balanced.predict(graphs) == 1).sum() > (plain.predict(graphs) == 1).sum()


def test_validation_graphs_judge_but_are_not_trained_on(planted):
    graphs, y = planted
    model = LagraClassifier(**QUICK)
    model.fit(graphs[:40], y[:40], validation=(graphs[40:], y[40:]))
    last = model.path_[-1]
    f = model.decision_function(graphs[40:])
    assert last.validation_loss == pytest.approx(0.5 * (np.maximum(1 - y[40:] * f, 0) ** 2).sum())
    assert last.validation_score == pytest.approx(model.score(graphs[40:], y[40:]))


def test_regression_finds_numbers(planted):
    graphs, _ = planted
    rng = np.random.default_rng(0)
    y = 3.0 + np.array([sum(label == "A" for label in graph.labels) > 0 for graph in graphs])
    y = y + 0.01 * rng.normal(size=len(y))
    for loss in ("squared", "huber"):
        model = LagraRegressor(**QUICK, loss=loss, lambda_ratio=0.01).fit(graphs, y)
        assert model.score(graphs, y) > 0.9
        assert model.coef_.shape == (len(model.graphlets_),)
        assert isinstance(model.intercept_, float)
        f = model.transform(graphs) @ model.coef_ + model.intercept_
        np.testing.assert_allclose(model.predict(graphs), f, atol=1e-12)


def test_edge_labels_take_part_when_there_are_some():
    graphs = GraphSet.from_lists(
        labels=[["C", "C"]] * 20, edges=[[(0, 1)]] * 20, edge_labels=[["-"], ["="]] * 10
    )
    y = [0, 1] * 10
    model = LagraClassifier(**QUICK).fit(graphs, y)
    assert model.score(graphs, y) == 1.0
    assert all(graphlet.edge_labels is not None for graphlet in model.graphlets_)


def test_edge_attributes_take_part_when_there_are_some():
    rng = np.random.default_rng(0)
    y = np.array([0, 0, 0, 1] * 10)
    graphs = GraphSet.from_lists(
        labels=[["C", "C"]] * 40,
        edges=[[(0, 1)]] * 40,
        edge_attributes=[[[100.0 * c + rng.normal()]] for c in y],
    )
    model = LagraClassifier(**QUICK, rho=1.0, lambda_ratio=0.01).fit(graphs, y)
    assert model.score(graphs, y) == 1.0
    (used,) = {graphlet.edge_attributes.shape for graphlet in model.graphlets_}
    assert used == (1, 1)


def test_every_class_goes_on_with_smaller_graphlets(planted):
    graphs, _ = planted
    y = np.arange(len(graphs)) % 3
    budget = mining.count(graphs, maxpat=2).total
    model = LagraClassifier(maxpat=4, n_lambdas=5, max_nodes=budget)
    with pytest.warns(RuntimeWarning, match=f"instead of 4: the search needs more than .*{budget}"):
        model.fit(graphs, y)
    assert 1 <= model.maxpat_ < 4
    assert [len(path) for path in model.path_] == [5, 5, 5]


# Choosing over the grid


@pytest.mark.parametrize("cv", ["holdout", 3, KFold(2, shuffle=True, random_state=0)])
@pytest.mark.parametrize("select", ["loss", "score"])
def test_the_chosen_point_is_the_best_of_the_table(planted, cv, select):
    graphs, y = planted
    options = {**QUICK_CV, "pooling": ("best",)}
    model = LagraClassifierCV(**options, cv=cv, select=select, random_state=0).fit(graphs, y)
    table = model.cv_results_
    assert {len(column) for column in table.values()} == {2 * 2 * 5}
    name, sign = ("loss", 1) if select == "loss" else ("score", -1)
    column = sign * table[f"mean_validation_{name}"]
    best = np.flatnonzero(column <= column.min() * (1 + sign * 1e-12))
    assert model.best_index_ in best
    sparsest = table["mean_n_nonzero"][best].min()
    assert table["mean_n_nonzero"][model.best_index_] == sparsest
    row = {key: value[model.best_index_] for key, value in table.items()}
    assert (row["rho"], row["maxpat"]) == (model.rho_, model.maxpat_)
    assert row["lambda_ratio"] == pytest.approx(model.lambda_ratio_)
    assert model.lambda_ == pytest.approx(model.lambda_ratio_ * model.lambda_max_)


def test_refit_is_a_fit_on_all_graphs_at_the_chosen_point(planted):
    graphs, y = planted
    options = {**QUICK_CV, "lambda_min_ratio": 0.01}
    model = LagraClassifierCV(**options, random_state=0).fit(graphs, y)
    path = np.geomspace(1, 0.01, 5)
    index = int(np.argmin(np.abs(path - model.lambda_ratio_)))
    chosen = {"rhos": (model.rho_,), "maxpats": (model.maxpat_,), "pooling": model.pooling_}
    alone = LagraClassifierCV(**options | chosen, count_scale=model.count_scale_, random_state=0)
    alone.fit(graphs, y)
    assert alone.path_[: index + 1][-1].objective == pytest.approx(model.path_[index].objective)
    assert len(model.path_) == index + 1


def test_without_refit_the_held_out_part_is_not_trained_on(planted):
    graphs, y = planted
    model = LagraClassifierCV(**QUICK_CV, refit=False, random_state=0).fit(graphs, y)
    assert len(model.path_) == 5
    assert model.path_[0].validation_loss is not None


def test_validation_given_to_fit_is_the_hold_out(planted):
    graphs, y = planted
    model = LagraClassifierCV(**QUICK_CV)
    model.fit(graphs[:40], y[:40], validation=(graphs[40:], y[40:], np.ones(20)))
    f = model.decision_function(graphs[40:])
    loss = 0.5 * (np.maximum(1 - y[40:] * f, 0) ** 2).sum()
    assert model.cv_results_["mean_validation_loss"][model.best_index_] == pytest.approx(loss)


def test_refit_false_needs_one_hold_out(planted):
    graphs, y = planted
    with pytest.raises(ValueError, match="refit=False needs a single hold-out.* Got 3 folds"):
        LagraClassifierCV(**QUICK_CV, cv=3, refit=False).fit(graphs, y)


def test_more_classes_are_chosen_together():
    graphs, y = three_classes()
    for select in ("loss", "score"):
        model = LagraClassifierCV(**QUICK_CV, select=select, random_state=0).fit(graphs, y)
        assert model.score(graphs, y) == 1.0


@pytest.mark.parametrize("cv", [2, "holdout"])
def test_folds_and_cells_side_by_side_give_the_same(planted, cv):
    graphs, y = planted
    models = [
        LagraClassifierCV(**QUICK_CV, cv=cv, n_jobs=n_jobs, random_state=0).fit(graphs, y)
        for n_jobs in (1, 2)
    ]
    for name, column in models[0].cv_results_.items():
        np.testing.assert_array_equal(column, models[1].cv_results_[name])
    assert models[0].objective_ == models[1].objective_


def test_regression_is_chosen_over_the_grid(planted):
    graphs, _ = planted
    y = np.array([float("A" in graph.labels) for graph in graphs])
    for select in ("loss", "score"):
        model = LagraRegressorCV(**QUICK_CV, select=select, random_state=0).fit(graphs, y)
        assert model.score(graphs, y) > 0.8


# With scikit-learn's tools


def test_grid_search_and_cross_validation_slice_graph_sets(planted):
    graphs, y = planted
    search = GridSearchCV(LagraClassifier(**QUICK), {"rho": [1.0, 0.1], "maxpat": [1, 2]}, cv=2)
    search.fit(graphs, y)
    assert search.best_estimator_.rho in (1.0, 0.1)
    scores = cross_val_score(LagraClassifier(**QUICK), graphs, y, cv=3)
    assert scores.shape == (3,)
    assert cross_val_predict(LagraClassifier(**QUICK), list(graphs), y, cv=2).shape == y.shape


def test_calibration_gives_probabilities_to_the_squared_hinge(planted):
    graphs, y = planted
    calibrated = CalibratedClassifierCV(LagraClassifier(**QUICK), cv=2).fit(graphs, y)
    p = calibrated.predict_proba(graphs)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert p.shape == (60, 2)


def test_a_pipeline_can_go_on_from_the_transform(planted):
    graphs, y = planted
    pipeline = make_pipeline(LagraClassifier(**QUICK), LogisticRegression())
    assert pipeline.fit(graphs, y).score(graphs, y) > 0.5
    names = pipeline[:-1].get_feature_names_out()
    assert names.shape == pipeline[0].coef_.ravel().shape
    assert len(set(names)) == len(names)
    for name, graphlet in zip(names, pipeline[0].graphlets_, strict=True):
        assert name.startswith(graphlet.name)


def test_graphlets_are_sorted_by_weight_and_coefficients_with_them(planted):
    graphs, y = planted
    clf = LagraClassifier(**QUICK).fit(graphs, y)
    weights = np.abs([graphlet.coef for graphlet in clf.graphlets_])
    assert len(weights) > 2
    assert (np.diff(weights) <= 0.0).all()
    assert [graphlet.coef for graphlet in clf.graphlets_] == clf.coef_.ravel().tolist()
    assert clf.explain_global().to_frame()["index"].tolist() == list(range(len(weights)))
    np.testing.assert_allclose(
        clf.transform(graphs) @ clf.coef_.ravel() + clf.intercept_, clf.decision_function(graphs)
    )


def test_set_output_makes_named_columns(planted):
    pd = pytest.importorskip("pandas")
    graphs, y = planted
    model = LagraClassifier(**QUICK).set_output(transform="pandas").fit(graphs, y)
    frame = model.transform(graphs)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == list(model.get_feature_names_out())
    np.testing.assert_array_equal(model.predict(graphs), np.where(
        frame.to_numpy() @ model.coef_[0] + model.intercept_[0] > 0, 1, -1))  # fmt: skip


def test_a_saved_estimator_is_a_model_that_predicts_the_same(planted, tmp_path, estimator):
    graphs, y = planted
    estimator.fit(graphs, y).save(tmp_path / "m.aglets")
    model = aglets.load(tmp_path / "m.aglets")
    np.testing.assert_array_equal(model.predict(graphs), estimator.predict(graphs))
    np.testing.assert_array_equal(model.path["lam"], [point.lam for point in estimator.path_])


@pytest.mark.parametrize("solver", ["fast", "paper"])
def test_shuffling_graphs_and_numbering_nodes_otherwise_changes_nothing(solver):
    graphs, y, _ = make_planted(n_graphs=40, random_state=3)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(graphs))
    other = renumbered(graphs, [rng.permutation(k).tolist() for k in graphs.n_nodes])[order]
    options = {"solver": solver, "maxpat": 3, "n_lambdas": 10, "max_epochs": 20}
    here = LagraClassifier(**options).fit(graphs, y)
    there = LagraClassifier(**options).fit(other, y[order])
    assert here.objective_ == pytest.approx(there.objective_, rel=1e-11)
    np.testing.assert_allclose(here.coef_, there.coef_, rtol=1e-9)
    assert [h.name for h in here.graphlets_] == [h.name for h in there.graphlets_]


@pytest.mark.parametrize("kind", [LagraClassifier, LagraClassifierCV])
def test_parameters_are_checked_once_per_fit(kind, monkeypatch):
    from aglets.estimators import _base, _over_grid

    checks = []
    for module in (_base, _over_grid):
        monkeypatch.setattr(module, "check_parameters", lambda *_: checks.append(1))
    kind(n_lambdas=3).fit(*aglets.datasets.load_acids())
    assert len(checks) == 1
