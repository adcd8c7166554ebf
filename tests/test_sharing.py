"""The parameter `sharing` of estimators: one list of graphlets for all outputs."""

from __future__ import annotations

import numpy as np
import pytest
from path_tools import random_set

from aglets import LagraClassifier, LagraClassifierCV, LagraRegressor, ShardedEngine, load
from aglets.model.average import average_models
from aglets.model.compacting import compact
from aglets.plot import PathDisplay
from aglets.training.checkpoint import Checkpoint

OPTIONS = {"maxpat": 2, "n_lambdas": 6, "lambda_ratio": 0.1, "max_epochs": 4, "calibration": None}


@pytest.fixture(scope="module")
def classes():
    graphs = random_set(45, seed=3)
    size = np.array([len(graph.labels) for graph in graphs])
    return graphs, np.array(["small", "middle", "large"])[np.digitize(size, [5, 7])]


@pytest.fixture(scope="module")
def fitted(classes):
    return LagraClassifier(sharing="group", **OPTIONS).fit(*classes)


def test_outputs_share_one_list_of_graphlets(classes, fitted):
    alone = LagraClassifier(sharing="none", **OPTIONS).fit(*classes)
    assert (np.count_nonzero(fitted.coef_, axis=0) > 1).all()
    assert (np.count_nonzero(alone.coef_, axis=0) == 1).all()
    assert isinstance(fitted.lambda_, float)
    assert fitted.coef_.shape == (3, len(fitted.graphlets_))
    assert fitted.score(*classes) > 0.5


def test_f_is_what_the_path_point_says(classes, fitted):
    graphs, _ = classes
    psi = fitted.transform(graphs)
    f = psi @ fitted.coef_.T + fitted.intercept_
    np.testing.assert_allclose(fitted.decision_function(graphs), f)
    last = fitted.path_[-1]
    np.testing.assert_allclose(np.sort(last.intercepts), np.sort(fitted.intercept_))
    assert last.objective == pytest.approx(fitted.objective_)


def test_a_number_lies_between(classes, fitted):
    mixed = LagraClassifier(sharing=0.3, **OPTIONS).fit(*classes)
    share = [np.mean(model.coef_ != 0.0) for model in (mixed, fitted)]
    assert share[0] <= share[1]


def test_softmax_probabilities_add_up(classes):
    graphs, y = classes
    model = LagraClassifier(loss="softmax", **OPTIONS).fit(graphs, y)
    f = model.decision_function(graphs)
    p = model.model_.outputs.single.probabilities(f)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    expected = np.exp(f)
    np.testing.assert_allclose(p, expected / expected.sum(axis=1, keepdims=True))
    assert (model.classes_[p.argmax(axis=1)] == model.predict(graphs)).all()


def test_softmax_of_two_classes_is_the_logistic_loss(classes):
    graphs, y = classes
    two = y != "middle"
    models = [
        LagraClassifier(loss=loss, **OPTIONS).fit(graphs[two], y[two])
        for loss in ("softmax", "logistic")
    ]
    np.testing.assert_array_equal(*[model.coef_ for model in models])


def test_softmax_does_not_go_with_separate_paths(classes):
    with pytest.raises(ValueError, match=r"loss='softmax' trains all classes together"):
        LagraClassifier(loss="softmax", sharing="none").fit(*classes)


@pytest.mark.parametrize(("n_classes", "n_paths"), [(10, 10), (11, 1)])
def test_more_than_ten_classes_share_one_path(n_classes, n_paths):
    graphs = random_set(3 * n_classes, seed=5)
    y = np.arange(len(graphs)) % n_classes
    model = LagraClassifier(**OPTIONS | {"n_lambdas": 2, "lambda_ratio": 0.9}).fit(graphs, y)
    paths = model.path_ if isinstance(model.path_[0], list) else [model.path_]
    assert len(paths) == n_paths


@pytest.mark.parametrize("sharing", ["some", -0.1, 1.5, None])
def test_other_values_are_refused(classes, sharing):
    with pytest.raises(ValueError, match=r"The 'sharing' parameter of LagraClassifier must be"):
        LagraClassifier(sharing=sharing).fit(*classes)


def test_with_one_output_it_changes_no_bit(classes):
    graphs, _ = classes
    y = np.array([graph.attributes.sum() for graph in graphs])
    one, other = (LagraRegressor(sharing=s, **OPTIONS).fit(graphs, y) for s in ("none", "group"))
    assert one.coef_.tobytes() == other.coef_.tobytes()


def test_files_keep_shared_models(classes, fitted, tmp_path):
    graphs, _ = classes
    fitted.save(tmp_path / "m.aglets")
    again = load(tmp_path / "m.aglets")
    np.testing.assert_array_equal(again.coef, fitted.model_.coef)
    assert again.stops is not None
    stop = again.at_stop(len(again.stops) - 1)
    np.testing.assert_allclose(
        stop.decision_function(graphs), fitted.decision_function(graphs), rtol=1e-6, atol=1e-8
    )
    assert len(PathDisplay.from_estimator(fitted, output=2).n_graphlets) == OPTIONS["n_lambdas"]


def test_averages_and_small_models_work(classes, fitted):
    graphs, _ = classes
    models = [fitted.model_at(k) for k in (3, 5)]
    both = average_models(models)
    mean = np.mean([model.decision_function(graphs) for model in models], axis=0)
    np.testing.assert_allclose(both.decision_function(graphs), mean)
    assert len(compact(fitted.model_, graphs, 2).graphlets) == 2


@pytest.mark.parametrize("average", ["none", "greedy"])
def test_the_grid_is_searched_with_shared_graphlets(classes, average):
    model = LagraClassifierCV(
        sharing="group",
        starts=1,
        rhos=(0.3,),
        maxpats=(1, 2),
        n_lambdas=5,
        max_epochs=3,
        average=average,
        rule="one_se",
        random_state=0,
    ).fit(*classes)
    assert model.score(*classes) >= 0.4
    assert model.coef_.shape[0] == 3


def test_covariates_have_a_row_per_output(classes):
    model = LagraClassifier(sharing="group", covariates="size", **OPTIONS).fit(*classes)
    assert model.covariate_coef_.shape[0] == 3
    assert model.score(*classes) == 1.0
    priced = LagraClassifier(
        sharing="group", covariates="size", covariate_penalty=1.0, **OPTIONS
    ).fit(*classes)
    assert priced.score(*classes) > 0.5


def test_counts_and_shards_work(classes):
    pooled = {"pooling": ("best", "sum")}
    one = LagraClassifier(sharing="group", learn_attributes=False, **pooled, **OPTIONS)
    two = LagraClassifier(
        sharing="group", learn_attributes=False, engine=ShardedEngine(2), **pooled, **OPTIONS
    )
    assert one.fit(*classes).objective_ == pytest.approx(two.fit(*classes).objective_, rel=1e-6)


def test_a_fit_goes_on_where_it_was_interrupted(classes, tmp_path):
    class StopError(Exception):
        pass

    class Interrupting(Checkpoint):
        n = 0

        def step(self, task, training_set, paths):
            self.n += 1
            if self.n == 4:
                raise StopError

    whole = LagraClassifier(sharing="group", **OPTIONS).fit(*classes)
    with pytest.raises(StopError), Interrupting(tmp_path / "c", "key", every=0.0) as kept:
        LagraClassifier(sharing="group", **OPTIONS).fit(*classes, callback=kept)
    with Checkpoint(tmp_path / "c", "key", resume=True) as kept:
        model = LagraClassifier(sharing="group", **OPTIONS).fit(*classes, callback=kept)
    assert model.coef_.tobytes() == whole.coef_.tobytes()


def test_stability_counts_graphlets_of_all_outputs(classes, fitted):
    found = fitted.stability(*classes, n_rounds=2)
    assert found.shape == (len(fitted.graphlets_),)
