"""Parts that keep the proportions of every target."""

from __future__ import annotations

import numpy as np
import pytest
from path_tools import random_set

from aglets import LagraClassifierCV
from aglets.training.stratify import marks_of, stratified_folds, stratified_parts


def targets(n, n_targets, rare, gaps, seed):
    rng = np.random.default_rng(seed)
    y = (rng.random((n, n_targets)) < rare).astype(object)
    y[rng.random(y.shape) < gaps] = None
    return y


@pytest.mark.parametrize("seed", range(5))
def test_every_fold_has_its_share_of_the_rare_positives_of_every_target(seed):
    y = targets(200, 6, rare=0.05, gaps=0.3, seed=seed)
    marks = marks_of(y, [True] * 6)
    folds = stratified_folds(marks, 4, seed)
    held_out = np.sort(np.concatenate([rows for _, rows in folds]))
    np.testing.assert_array_equal(held_out, np.arange(200))
    for train, held in folds:
        assert not set(train) & set(held)
        assert len(train) + len(held) == 200
        ideal = marks.sum(axis=0) / 4
        # Rare ones within one graph, the others roughly.
        allowed = np.where(ideal < 5, 1.0, 0.3 * ideal)
        assert (np.abs(marks[held].sum(axis=0) - ideal) <= allowed).all()
        assert abs(len(held) - 50) <= 5


def test_splits_at_random_miss_what_these_keep():
    y = targets(200, 12, rare=0.03, gaps=0.5, seed=0)
    marks = marks_of(y, [True] * 12)
    marks = marks[:, marks.sum(axis=0) >= 2]

    def missed(part):
        return sum(not marks[part == k, j].any() for k in (0, 1) for j in range(marks.shape[1]))

    assert missed(stratified_parts(marks, [0.5, 0.5], 0)) == 0
    rng = np.random.default_rng(0)
    assert any(missed(rng.permutation(np.arange(200) % 2)) for _ in range(5))


def test_the_seed_decides_and_parts_have_their_sizes():
    marks = marks_of(targets(100, 3, rare=0.2, gaps=0.2, seed=1), [True] * 3)
    first = stratified_parts(marks, [0.75, 0.25], 7)
    np.testing.assert_array_equal(first, stratified_parts(marks, [0.75, 0.25], 7))
    assert (first != stratified_parts(marks, [0.75, 0.25], 8)).any()
    assert abs((first == 1).sum() - 25) <= 2
    of_legacy = stratified_parts(marks, [0.75, 0.25], np.random.RandomState(0))
    np.testing.assert_array_equal(
        of_legacy, stratified_parts(marks, [0.75, 0.25], np.random.RandomState(0))
    )
    nothing = stratified_parts(np.zeros((10, 0), dtype=bool), [0.5, 0.5], 0)
    assert np.bincount(nothing).tolist() == [5, 5]


def test_marks_are_classes_and_known_numbers():
    y = np.array([[1, 2.5], [None, float("nan")], [0, 3.0]], dtype=object)
    assert marks_of(y, [True, False]).astype(int).tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 1]]


@pytest.mark.parametrize("cv", ["holdout", 3])
def test_a_target_that_no_split_can_learn_is_refused(cv):
    graphs = random_set(30, seed=0, d=0)
    y = np.zeros((30, 2), dtype=int)
    y[:15, 0] = 1
    y[4, 1] = 1
    options = {"maxpats": (1,), "n_lambdas": 4, "starts": 1, "cv": cv, "random_state": 0}
    clf = LagraClassifierCV(**options)
    if cv == "holdout":  # the only positive is trained on
        assert clf.fit(graphs, y).predict(graphs).shape == (30, 2)
    else:
        with pytest.raises(ValueError, match=r"of the target 'target 1' to hold out 3 parts .* 30"):
            clf.fit(graphs, y)
    own = [(np.arange(10), np.arange(10, 30))]
    with pytest.raises(ValueError, match="of the target 'target 0' to hold out a part"):
        LagraClassifierCV(**{**options, "cv": own}).fit(graphs, y)
