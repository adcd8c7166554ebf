"""Budgets of fits: counted in work, never less for a larger request, and recorded."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from path_tools import random_set

from aglets import LagraClassifier, LagraClassifierCV, LagraRegressor, load
from aglets.cli.app import app
from aglets.cli.fit import _smaller_than_asked

OPTIONS = {"n_lambdas": 12, "lambda_ratio": 0.02, "rho": 0.05, "calibration": None}


@pytest.fixture(scope="module")
def set_and_classes():
    graphs = random_set(30, 5)
    return graphs, np.arange(30) % 2


def fitted(set_and_classes, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return LagraClassifier(**{**OPTIONS, **options}).fit(*set_and_classes)


@cache
def without_limit(maxpat):
    return fitted((random_set(30, 5), np.arange(30) % 2), maxpat=maxpat, max_work=None)


def work_of(set_and_classes, maxpat):
    return without_limit(maxpat).model_.search.work


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 2.0, 20.0])
def test_a_larger_request_never_reaches_less(set_and_classes, share):
    budget = int(share * work_of(set_and_classes, 4))
    models = [fitted(set_and_classes, maxpat=size, max_work=budget) for size in range(1, 7)]
    reached = [model.model_.search.maxpat_reached for model in models]
    assert reached == sorted(reached)
    assert all(model.maxpat_ == size for model, size in zip(models, reached, strict=True))
    whole = [model for model in models if len(model.path_) == OPTIONS["n_lambdas"]]
    assert len(whole) == len(models) or share < 0.1
    for model in whole:
        size = model.maxpat_
        assert model.objective_ == without_limit(size).objective_


def test_a_budget_that_is_enough_changes_no_bit(set_and_classes):
    free = fitted(set_and_classes, maxpat=4, max_work=None)
    enough = fitted(set_and_classes, maxpat=4, max_work=100 * free.model_.search.work)
    np.testing.assert_array_equal(free.coef_, enough.coef_)
    assert free.model_.search == enough.model_.search


def test_work_and_what_it_allows_do_not_depend_on_threads(set_and_classes):
    budget = int(0.3 * work_of(set_and_classes, 5))
    one, three = (fitted(set_and_classes, maxpat=5, max_work=budget, n_jobs=n) for n in (1, 3))
    assert one.model_.search == three.model_.search
    np.testing.assert_array_equal(one.coef_, three.coef_)


def test_what_was_cut_is_said_once_and_kept(set_and_classes, tmp_path):
    budget = int(0.2 * work_of(set_and_classes, 5))
    with pytest.warns(RuntimeWarning) as caught:
        model = LagraClassifier(**OPTIONS, maxpat=5, max_work=budget).fit(*set_and_classes)
    assert len(caught) == 1
    search = model.model_.search
    assert search.maxpat_asked == 5
    assert search.maxpat_reached == model.maxpat_ < 5
    assert search.lambda_ratio_reached == pytest.approx(0.02)
    said = f"Graphlets have up to {model.maxpat_} nodes instead of 5"
    assert said in str(caught[0].message)
    assert f"max_work={budget:.6g}" in str(caught[0].message)
    model.save(tmp_path / "cut.aglets")
    assert load(tmp_path / "cut.aglets").search == search


def test_the_smallest_budget_still_allows_single_nodes(set_and_classes):
    for limit in ({"max_nodes": 1}, {"max_work": 1}, {"max_bytes": 1}):
        model = fitted(set_and_classes, maxpat=3, **limit)
        assert model.maxpat_ == 1
        assert len(model.path_) == model.n_lambdas


def test_show_says_how_far_the_search_went(set_and_classes, tmp_path):
    from typer.testing import CliRunner

    model = fitted(set_and_classes, maxpat=5, max_work=int(0.2 * work_of(set_and_classes, 5)))
    model.save(tmp_path / "cut.aglets")
    shown = CliRunner().invoke(app, ["show", str(tmp_path / "cut.aglets")]).output
    said = f"graphlets of up to {model.maxpat_} nodes (up to 5 were asked for)"
    assert said in " ".join(shown.split())


def test_the_grid_has_a_record_too(set_and_classes):
    graphs, y = set_and_classes
    grid = {"rhos": (0.1,), "maxpats": (2, 3), "starts": 1, "n_lambdas": 8, "random_state": 0}
    model = LagraClassifierCV(**grid).fit(graphs, y)
    search = model.model_.search
    assert (search.maxpat_asked, search.maxpat_reached) == (3, model.maxpat_)
    assert search.work > 0


@pytest.mark.parametrize("max_work", [0, -1, 0.5, "much"])
def test_a_budget_that_is_not_a_number_of_units_is_one_sentence(set_and_classes, max_work):
    graphs, _ = set_and_classes
    with pytest.raises((ValueError, TypeError), match="The 'max_work' parameter of LagraRegressor"):
        LagraRegressor(max_work=max_work).fit(graphs, np.arange(30.0))


@pytest.mark.parametrize(
    ("starts", "words"), [(4, "--starts 1 keeps to that size"), (1, "its budget was used up")]
)
def test_a_size_below_the_one_asked_for_is_said(starts, words):
    (said,) = _smaller_than_asked({"maxpat": 3, "starts": starts}, [5, 8])
    assert "3 nodes" in said
    assert words in said


@pytest.mark.parametrize(("reached", "asked"), [(5, [5, 8]), (3, []), (None, [5])])
def test_a_size_as_asked_for_needs_no_words(reached, asked):
    assert _smaller_than_asked({"maxpat": reached, "starts": 1}, asked) == []
