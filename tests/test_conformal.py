"""Sets and intervals hold the truth as often as they say."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aglets
from aglets import LagraClassifier, LagraRegressor, LagraRegressorCV, datasets
from aglets.model.conformal import MAX_SCORES, Conformal, HeldOutScores, check_alpha
from aglets.model.losses import Logistic, SquaredHinge
from aglets.model.outputs import Outputs


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("n", [20, 100])
def test_intervals_of_exchangeable_errors_cover_as_theory_says(n, alpha):
    """Coverage is ceil((n + 1)(1 - alpha)) / (n + 1) on average, for any continuous errors."""
    rng = np.random.default_rng(n)
    outputs = Outputs.of_numbers()
    expected = min(np.ceil((n + 1) * (1 - alpha) - 1e-9) / (n + 1), 1.0)
    covered = []
    for _ in range(400):
        y = rng.standard_cauchy(n + 50)
        held_out = Conformal.learn(outputs, np.zeros((n, 1)), y[None, :n], np.ones(n))
        [ends] = held_out.intervals(outputs, np.zeros((50, 1)), alpha)
        covered.append(np.mean((ends[:, 0] <= y[n:]) & (y[n:] <= ends[:, 1])))
    assert np.mean(covered) == pytest.approx(expected, abs=0.015)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sets_of_exchangeable_graphs_cover_every_class_by_itself(n_classes):
    rng = np.random.default_rng(0)
    classes = np.arange(n_classes)
    outputs = Outputs.of_classes(classes, SquaredHinge())
    alpha, covered = 0.2, []
    for _ in range(200):
        y = rng.choice(classes, size=300, p=[0.1, *[0.9 / (n_classes - 1)] * (n_classes - 1)])
        encoded = outputs.encode(y)
        f = 0.7 * encoded.T + rng.normal(size=encoded.T.shape)
        held_out = Conformal.learn(outputs, f[:200], encoded[:, :200], np.ones(200))
        [sets] = held_out.sets(outputs, f[200:], alpha)
        right = sets[np.arange(100), y[200:]]
        covered.append([right[y[200:] == c].mean() for c in classes if (y[200:] == c).any()])
    whole = [row for row in covered if len(row) == n_classes]
    assert np.mean(whole, axis=0) == pytest.approx([0.8] * n_classes, abs=0.05)
    assert min(np.mean(whole, axis=0)) > 0.79


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.floats(0.01, 0.99))
def test_the_bound_is_the_rank_that_the_definition_says(values, alpha):
    scores = np.array(values, dtype=float)
    rank = int(np.ceil((len(scores) + 1) * (1 - alpha) - 1e-9))
    found = HeldOutScores.of(scores, np.ones(len(scores))).bound(alpha)
    assert found == (np.sort(scores)[rank - 1] if rank <= len(scores) else np.inf)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3)), min_size=1, max_size=20),
    st.floats(0.01, 0.99),
)
def test_a_graph_of_weight_two_counts_as_two(pairs, alpha):
    scores, times = np.array(pairs, dtype=float).T
    weighted = HeldOutScores.of(scores, times)
    again = np.repeat(scores, times.astype(int))
    repeated = HeldOutScores.of(again, np.ones(len(again)))
    assert weighted.bound(alpha) == repeated.bound(alpha)
    grid = np.arange(-4.0, 5.0)
    np.testing.assert_allclose(weighted.share_up_to(grid), repeated.share_up_to(grid))


def test_many_scores_are_thinned_out_and_say_the_same():
    scores = np.random.default_rng(0).normal(size=3 * MAX_SCORES)
    thin = HeldOutScores.of(scores, np.ones(len(scores)))
    assert len(thin.scores) == MAX_SCORES
    assert thin.weights.sum() == pytest.approx(len(scores))
    for alpha in (0.01, 0.1, 0.5):
        assert thin.bound(alpha) == pytest.approx(np.quantile(scores, 1 - alpha), abs=0.01)


def test_a_set_at_a_smaller_alpha_holds_that_at_a_larger_one():
    graphs, y, _ = datasets.make_planted(60, random_state=0)
    fitted = LagraClassifier(maxpat=2, n_lambdas=8).fit(graphs, y)
    sets = [fitted.predict_set(graphs, alpha=alpha) for alpha in (0.02, 0.1, 0.3, 0.6)]
    for larger, smaller in pairwise(sets):
        assert (larger | ~smaller).all()
    assert sets[0].all()  # 30 graphs of each class cannot exclude any at this level


def test_classes_without_held_out_graphs_are_in_every_set():
    outputs = Outputs.of_classes([0, 1], Logistic())
    held_out = Conformal.learn(outputs, np.ones((30, 1)), np.ones((1, 30)), np.ones(30))
    [sets] = held_out.sets(outputs, np.array([[-9.0], [9.0]]), 0.1)
    assert sets.tolist() == [[True, False], [True, True]]


def test_intervals_survive_a_file_and_lie_around_predictions(tmp_path):
    graphs, _, _ = datasets.make_planted(60, random_state=0)
    y = np.asarray(graphs.n_nodes) + np.random.default_rng(0).normal(size=60)
    for fitted in (
        LagraRegressor(maxpat=1, n_lambdas=5).fit(graphs, y),
        LagraRegressorCV(maxpats=(1,), rhos=(0.1,), n_lambdas=5, random_state=0).fit(graphs, y),
    ):
        ends = fitted.predict_interval(graphs, alpha=0.2)
        np.testing.assert_allclose(ends.mean(axis=1), fitted.predict(graphs))
        assert np.ptp(ends[:, 1] - ends[:, 0]) < 1e-9
        fitted.save(tmp_path / "m.aglets")
        loaded = aglets.load(tmp_path / "m.aglets")
        assert (loaded.predict_interval(graphs, alpha=0.2) == ends).all()
        with pytest.raises(ValueError, match="predict_set is for models of classes; predict_inter"):
            loaded.predict_set(graphs)
        with pytest.raises(ValueError, match="Probabilities need classes, but this model predicts"):
            loaded.predict_proba(graphs)
        assert np.isinf(fitted.predict_interval(graphs, alpha=0.001)).all()


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5])
def test_alpha_lies_between_0_and_1(alpha):
    with pytest.raises(ValueError, match="must be between 0 and 1"):
        check_alpha(alpha)


@pytest.mark.parametrize("alpha", [True, "0.1", None])
def test_alpha_is_a_number(alpha):
    with pytest.raises(TypeError, match="alpha must be a number between 0 and 1"):
        check_alpha(alpha)


@pytest.mark.parametrize(
    ("scores", "weights", "message"),
    [
        ([1.0], [1.0, 1.0], "one weight each"),
        ([2.0, 1.0], [1.0, 1.0], "in increasing order"),
        ([np.nan], [1.0], "finite"),
        ([1.0], [0.0], "must be positive"),
    ],
)
def test_scores_in_disorder_are_refused(scores, weights, message):
    with pytest.raises(ValueError, match=message):
        HeldOutScores(np.array(scores), np.array(weights))
