"""Warnings of long calls: each kind once, with a count, at the user's line."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone

from aglets import GraphSet, LagraClassifier, LagraClassifierCV, LagraRegressor, datasets
from aglets.evaluation import evaluate
from aglets.graphs.notes import AtOnce, Notices, recorded

QUICK = {"n_lambdas": 8, "random_state": 0, "starts": 1, "rhos": (1.0, 0.1), "maxpats": (2, 4)}


@pytest.fixture(scope="module")
def demo():
    graphs, y = datasets.load_acids()
    return graphs[:80], y[:80]


def warned(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert {warning.filename for warning in caught} <= {__file__}
    return [str(warning.message) for warning in caught]


def test_texts_that_differ_in_numbers_only_are_one_kind():
    notices = Notices()
    for ratio in (0.5, 1e-3, 12):
        notices.add(f"It ended at {ratio}, too early", RuntimeWarning)
    notices.add("Another thing.")
    assert notices.sentences() == [
        "It ended at 0.5, too early. (This is the first of 3 such cases.)",
        "Another thing.",
    ]


def test_the_same_text_of_another_category_is_another_kind():
    notices = Notices()
    notices.add("Again.", RuntimeWarning)
    notices.add("Again.", UserWarning)
    assert len(notices.sentences()) == 2


def test_parts_add_up_their_cases():
    whole, part = Notices(), Notices()
    for notices, fold in ((whole, 0), (part, 1), (part, 2)):
        notices.add(f"Fold {fold} is small.")
    whole.extend(part)
    assert whole.sentences() == ["Fold 0 is small. (This is the first of 3 such cases.)"]


def test_what_is_recorded_inside_keeps_its_count():
    with recorded() as inner, Notices() as notices:
        for fold in range(4):
            notices.add(f"Fold {fold} is small.")
    assert inner.sentences() == ["Fold 0 is small. (This is the first of 4 such cases.)"]


def test_nothing_is_said_next_to_an_error():
    def fails():
        with Notices() as notices:
            notices.add("It is slow.")
            raise KeyError

    with pytest.raises(KeyError):
        fails()


def test_one_category_can_be_left_out():
    notices = Notices()
    notices.but(RuntimeWarning).add("No.", RuntimeWarning)
    notices.but(RuntimeWarning).add("Yes.", UserWarning)
    assert notices.sentences() == ["Yes."]


def test_without_a_collection_every_case_is_a_warning():
    assert warned(lambda: [AtOnce().add("Now.") for _ in range(2)]) == ["Now.", "Now."]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_budget_that_cuts_many_paths_is_a_warning_per_kind(demo, n_jobs):
    model = LagraClassifierCV(**QUICK, max_nodes=30, cv=3, n_jobs=n_jobs)
    found = warned(lambda: model.fit(*demo))
    kinds = [text.split(" ")[0] for text in found]
    assert kinds == list(dict.fromkeys(kinds))
    ended = next(text for text in found if text.startswith("The path ended at"))
    assert "max_nodes=30" in ended
    assert "(This is the first of " in ended


def test_a_budget_of_work_is_named_as_it_was_given(demo):
    model = LagraClassifierCV(**QUICK, max_work=8_000)
    found = warned(lambda: model.fit(*demo))
    assert found
    assert all("max_work=8000 " in text for text in found)


def test_covariates_that_fit_alone_are_one_warning(demo):
    graphs, y = demo
    signs = np.where(y == y[0], 5.0, -5.0)[:, None]
    found = warned(lambda: LagraClassifierCV(**QUICK).fit(graphs, y, covariates=signs))
    assert len(found) == 1
    assert found[0].startswith("The covariates alone fit")


@pytest.mark.parametrize("kind", ["numbers", "two classes", "three classes", "two targets"])
def test_covariates_are_not_said_to_fit_where_graphlets_have_nothing_to_say(kind):
    """Graphs that are all alike leave nothing to graphlets, however badly covariates fit."""
    rng = np.random.default_rng(0)
    alike = GraphSet.from_lists(labels=["CO"] * 60, edges=[[(0, 1)]] * 60)
    y = {
        "numbers": rng.normal(size=60),
        "two classes": rng.permutation(60) % 2,
        "three classes": rng.permutation(60) % 3,
        "two targets": rng.normal(size=(60, 2)),
    }[kind]
    model = LagraRegressor(n_lambdas=3) if y.dtype.kind == "f" else LagraClassifier(n_lambdas=3)
    assert warned(lambda: model.fit(alike, y, covariates=rng.normal(size=(60, 3)))) == []
    assert not model.graphlets_
    # The same graphs with a covariate that is the answer.
    own = y if kind == "two targets" else y[:, None] == np.unique(y) if y.dtype.kind == "i" else y
    [said] = warned(lambda: clone(model).fit(alike, y, covariates=np.reshape(own, (60, -1)) * 5.0))
    assert said.startswith("The covariates alone fit")


def test_covariates_that_separate_some_graphs_are_one_warning(demo):
    graphs, y = demo
    only = np.where((y == y[0]) & (np.arange(len(y)) % 4 == 0), 1.0, 0.0)[:, None]
    model = LagraClassifier(loss="logistic", n_lambdas=4, maxpat=2, calibration=None)
    found = warned(lambda: model.fit(graphs, y, covariates=only))
    assert len(found) == 1
    assert found[0].startswith("The covariates separate the classes of some training graphs")
    # With a penalty there is a best model, and so there is for a loss that ends at zero.
    for options in ({"covariate_penalty": 0.1}, {"loss": "squared_hinge"}):
        other = clone(model).set_params(**options)
        assert warned(partial(other.fit, graphs, y, covariates=only)) == []


def test_rounds_of_stability_and_splits_of_an_evaluation_warn_together(demo):
    model = LagraClassifier(n_lambdas=5, max_nodes=12, maxpat=3, calibration=None)
    assert len(warned(lambda: model.fit(*demo))) == 1
    rounds = warned(lambda: model.stability(*demo, n_rounds=3))
    splits = warned(lambda: evaluate(model, *demo, cv=3))
    for found in (rounds, splits):
        assert len(found) == 1
        assert found[0].startswith("Graphlets have up to ")
        assert found[0].endswith("(This is the first of 3 such cases.)")


def test_many_bad_molecules_are_one_warning_of_each_kind():
    good = ["CCO", "CCN", "CCCl", "c1ccccc1O"] * 4
    graphs = GraphSet.from_smiles(good)
    model = LagraClassifier(n_lambdas=4, maxpat=2, calibration=None)
    model.fit(graphs, np.arange(16) % 2)
    found = warned(lambda: model.predict(["Q", "[Fe]", "CBr", "[Pt](Cl)Cl"] * 10))
    assert [text[:25] for text in found] == [
        "gasteiger_charge is not d",
        "10 of 40 rows could not b",
        "Labels 'Br' in graph 1, '",
    ]
