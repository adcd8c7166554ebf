"""Nested evaluation: the same as a loop by hand, with errors as in the paper they come from."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, StratifiedKFold, StratifiedShuffleSplit
from sklearn.tree import DecisionTreeClassifier

from aglets import (
    GraphSet,
    LagraClassifier,
    LagraClassifierCV,
    LagraRegressorCV,
    datasets,
    evaluate,
)
from aglets.evaluation import Evaluation, Split
from aglets.graphs.leaks import LeakWarning, is_contiguous, order_leak, size_leak

QUICK = {"rhos": (0.1,), "maxpats": (2,), "starts": 1, "n_lambdas": 8}


@pytest.fixture(scope="module")
def demo():
    graphs, y = datasets.load_acids()
    rng = np.random.default_rng(0)
    # One class in eight is wrong, so that scores differ between splits.
    y = np.where(rng.random(len(y)) < 0.125, np.roll(np.unique(y), 1)[0], y)
    return graphs[:150], y[:150]


def test_it_is_the_loop_one_would_write_by_hand(demo):
    graphs, y = demo
    model = LagraClassifierCV(**QUICK, random_state=3)
    cv = StratifiedShuffleSplit(3, test_size=0.3, random_state=1)
    found = evaluate(model, graphs, y, cv=cv)
    for split, (train, test) in zip(found.splits, cv.split(np.zeros(150), y), strict=True):
        fitted = clone(model).fit(graphs[train], y[train])
        assert split.score == fitted.score(graphs[test], y[test])
        assert split.n_graphlets == len(fitted.graphlets_)
        assert split.chosen == {
            "starts": 1,
            "rho": 0.1,
            "maxpat": 2,
            "lambda_ratio": fitted.lambda_ratio_,
        }
        sizes = np.column_stack([graphs.n_nodes, graphs.n_edges])
        tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(sizes[train], y[train])
        assert split.size_score == tree.score(sizes[test], y[test])
        assert (split.n_train, split.n_test) == (len(train), len(test))


def test_it_can_be_repeated_and_run_side_by_side(demo):
    graphs, y = demo
    model = LagraClassifierCV(**QUICK)
    one = evaluate(model, graphs, y, cv=3, random_state=5)
    two = evaluate(model, graphs, y, cv=3, random_state=5, n_jobs=2)
    assert one.scores.tolist() == two.scores.tolist()
    assert len(evaluate(model, graphs, y, cv=2, n_repeats=2).scores) == 4
    assert model.random_state is None


def made(scores, n_train=80, n_test=20, parts="x", sizes=0.5):
    splits = [Split(n_train, n_test, s, sizes, 3, {}, 1.0) for s in scores]
    return Evaluation("e", "accuracy", tuple(splits), parts)


def test_the_interval_is_that_of_nadeau_and_bengio():
    scores = np.array([0.8, 0.9, 0.7, 0.85])
    found = made(scores).estimate(0.9)
    reach = t.ppf(0.95, 3) * np.sqrt((1 / 4 + 20 / 80) * scores.var(ddof=1))
    assert found.mean == pytest.approx(scores.mean())
    assert found.error == pytest.approx(scores.std(ddof=1) / 2)
    assert (found.low, found.high) == pytest.approx((scores.mean() - reach, scores.mean() + reach))
    assert np.isnan(made([0.5]).estimate().low)
    assert made([0.7, 1.0, 1.0]).estimate().high == 1.0
    assert made([0.3, 0.0, 0.0]).estimate().low == 0.0
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        made(scores).estimate(95)


def test_splits_without_a_score_are_left_out_and_counted():
    some, rest = made([0.8, np.nan, 0.9, np.nan]), made([0.8, 0.9])
    assert some.estimate() == rest.estimate()
    assert "defined in 2 of 4 splits" in str(some)
    assert "defined" not in str(rest)
    assert np.isnan(made([np.nan, np.nan]).estimate().mean)


def test_corrected_intervals_hold_what_they_promise_where_plain_ones_do_not():
    """Scores of folds share most of their training graphs: simulate means with that correlation."""
    rng = np.random.default_rng(0)
    n, level, held, plain = 10, 0.95, 0, 0
    for _ in range(2000):
        # The correction stands for a correlation of n_test / (n_test + n_train) between splits.
        common = 0.01 * rng.normal(scale=np.sqrt(0.1))
        scores = 0.5 + common + 0.01 * rng.normal(scale=np.sqrt(0.9), size=n)
        found = made(scores, n_train=90, n_test=10).estimate(level)
        held += found.low <= 0.5 <= found.high
        plain += abs(found.mean - 0.5) <= t.ppf(0.975, n - 1) * found.error
    assert abs(held / 2000 - level) < 0.02
    assert plain / 2000 < 0.92


def test_differences_are_taken_split_by_split(demo):
    one, two = made([0.8, 0.9, 0.7]), made([0.7, 0.8, 0.6])
    found = one.difference(two)
    assert found.mean == pytest.approx(0.1)
    assert found.high - found.low == pytest.approx(0.0, abs=1e-12)
    assert one.over_size().mean == pytest.approx(0.3)
    with pytest.raises(ValueError, match="the same splits"):
        one.difference(made([0.7, 0.8, 0.6], parts="y"))
    graphs, y = demo
    model = LagraClassifier(maxpat=1, n_lambdas=4)
    first = evaluate(model, graphs, y, cv=2)
    assert first.difference(evaluate(model, graphs, y, cv=2)).mean == 0.0


def test_it_prints_as_a_table_and_goes_into_frames_and_json(demo):
    found = evaluate(LagraClassifierCV(**QUICK), *demo, cv=3)
    for text in ("accuracy", "size of the graph only", "better than that by", "graphlets"):
        assert text in str(found)
        assert text in found._repr_html_()
    frame = found.to_frame()
    assert frame["score"].tolist() == found.scores.tolist()
    assert "lambda_ratio" in frame.columns
    assert json.loads(json.dumps(found.to_dict()))["splits"][0]["score"] == found.scores[0]


def test_regressors_and_covariates_of_ones_own_are_evaluated(demo):
    graphs, _ = demo
    rng = np.random.default_rng(0)
    own = pd.DataFrame({"a": rng.normal(size=150)})
    y = 2.0 * own["a"].to_numpy() + 0.1 * rng.normal(size=150)
    model = LagraRegressorCV(**QUICK)
    for given in (own, own.to_numpy(), own["a"].tolist()):
        found = evaluate(model, graphs, y, cv=3, covariates=given)
        assert found.score_name == "R²"
        assert found.scores.min() > 0.9
    assert evaluate(model, graphs, y, cv=3).scores.max() < 0.5


def test_any_estimator_of_graphs_will_do(demo):
    graphs, y = demo

    class Always(DummyClassifier):
        def fit(self, X, y):
            return super().fit(np.zeros((len(X), 1)), y)

        def predict(self, X):
            return super().predict(np.zeros((len(X), 1)))

        def score(self, X, y):
            return np.mean(self.predict(X) == y)

    found = evaluate(Always(), graphs, y, cv=3)
    assert found.n_graphlets.tolist() == [0, 0, 0]
    assert found.scores.mean() == pytest.approx(
        np.mean(y == max(y, key=y.tolist().count)), abs=0.02
    )


def chains(sizes):
    return GraphSet.from_lists(
        labels=["C" * n for n in sizes], edges=[[(i, i + 1) for i in range(n - 1)] for n in sizes]
    )


def test_it_warns_when_the_size_alone_decides():
    sizes = np.random.default_rng(0).integers(2, 12, 60)
    y = np.where(sizes > 6, "large", "small")
    with pytest.warns(LeakWarning, match=r"node count alone: it predicts .*covariates='size'"):
        evaluate(LagraClassifier(maxpat=1, n_lambdas=3), chains(sizes), y, cv=2)
    assert size_leak(chains(sizes), np.random.default_rng(1).permutation(y)) is None
    assert "correlation is 1.00" in size_leak(chains(sizes), sizes * 1.5)


def test_it_warns_of_file_order_only_where_parts_are_cut_from_the_file(demo):
    graphs, y = demo
    order = np.argsort(y, kind="stable")
    order[[0, 1, 2, -1, -2, -3]] = order[[-1, -2, -3, 0, 1, 2]]  # both classes at either end
    graphs, y = graphs[order], y[order]
    model = LagraClassifierCV(**QUICK, random_state=0)
    with pytest.warns(LeakWarning, match="File order predicts the class"):
        evaluate(model, graphs, y, cv=KFold(2))
    with pytest.warns(LeakWarning, match="never split contiguously"):
        clone(model).set_params(cv=KFold(2)).fit(graphs, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(model, graphs, y, cv=2)
        evaluate(model, graphs, y, cv=StratifiedKFold(2))
        clone(model).set_params(cv=3).fit(graphs, y)


def test_stretches_of_a_file_are_distinguished_from_other_parts():
    assert is_contiguous(np.array([5, 3, 4]))
    assert not is_contiguous(np.array([1, 3]))
    assert not is_contiguous(np.array([7]))
    assert order_leak(np.array([0, 1] * 30)) is None
    assert "stretches" in order_leak(np.repeat(np.random.default_rng(0).integers(0, 2, 60), 5))


def test_what_makes_no_sense_is_refused(demo):
    graphs, y = demo
    model = LagraClassifier()
    with pytest.raises(ValueError, match="one target per graph"):
        evaluate(model, graphs, y[:-1])
    with pytest.raises(ValueError, match="n_repeats is for a number of folds"):
        evaluate(model, graphs, y, cv=KFold(2), n_repeats=3)
