"""The one-standard-error rule, against errors computed by hand from the models themselves."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from aglets import LagraClassifierCV, LagraRegressorCV, datasets
from aglets.model.outputs import Outputs
from aglets.training.selection import Cell, Choice, FoldResult
from aglets.training.standard_error import standard_error

GRID = {"pooling": ("best",), "rhos": (0.1,), "maxpats": (3,), "starts": 1, "n_lambdas": 12}


@pytest.fixture(scope="module")
def demo():
    graphs, y = datasets.load_acids()
    return graphs[:150], y[:150]


def hand_made_error(model, graphs, y, select):
    """Standard error at the best point of a hold-out, from predictions of its model."""
    costs = model.cv_results_[f"mean_validation_{select}"]
    best = int(costs.argmin() if select == "loss" else costs.argmax())
    chosen = model.model_at(best)
    f = chosen.decision_function(graphs)
    if chosen.classes is None:
        parts = (y - f) ** 2
        parts = 0.5 * parts if select == "loss" else parts / ((y - y.mean()) ** 2).sum()
    elif select == "score":
        parts = (chosen.predict(graphs) == y) / len(y)
    else:
        sign = np.where(y == chosen.classes[1], 1.0, -1.0)
        parts = 0.5 * np.maximum(1.0 - sign * f, 0.0) ** 2
    return parts.std(ddof=1) * np.sqrt(len(parts)), costs


@pytest.mark.parametrize("select", ["loss", "score"])
@pytest.mark.parametrize("kind", [LagraClassifierCV, LagraRegressorCV])
def test_of_a_hold_out_the_error_is_that_over_its_graphs(demo, kind, select):
    graphs, y = demo
    y = y if kind is LagraClassifierCV else graphs.n_nodes.astype(float)
    held = slice(100, 150)
    model = kind(**GRID, rule="one_se", select=select)
    model.fit(graphs[:100], y[:100], validation=(graphs[held], y[held]))
    best = kind(**GRID, select=select)
    best.fit(graphs[:100], y[:100], validation=(graphs[held], y[held]))
    error, costs = hand_made_error(best, graphs[held], y[held], select)
    assert model.standard_error_ == pytest.approx(error, rel=1e-6)
    sign = 1.0 if select == "loss" else -1.0
    within = sign * costs <= (sign * costs).min() + error
    n_nonzero = model.cv_results_["mean_n_nonzero"]
    assert within[model.best_index_]
    assert n_nonzero[model.best_index_] == n_nonzero[within].min()
    assert len(model.graphlets_) <= len(best.graphlets_)


@pytest.mark.parametrize("cv", ["holdout", 4])
def test_the_rule_refits_the_point_it_took(demo, cv):
    model = LagraClassifierCV(**GRID, rule="one_se", cv=cv, random_state=0).fit(*demo)
    best = LagraClassifierCV(**GRID, cv=cv, random_state=0).fit(*demo)
    assert model.lambda_ratio_ >= best.lambda_ratio_
    assert len(model.path_) == model.best_index_ + 1


def test_over_folds_the_error_is_that_of_their_mean():
    losses = [3.0, 5.0, 7.0]
    results = [FoldResult(np.full((1, 1), v), -np.full((1, 1), v), np.ones((1, 1))) for v in losses]
    choice = Choice(0, 0, Cell(1, 0.1, 3))
    for by_score in (False, True):
        error = standard_error(results, [], choice, Outputs.of_numbers(), by_score=by_score)
        assert error == pytest.approx(2.0 / np.sqrt(3.0))


def test_splitters_with_one_part_or_many_are_both_understood(demo):
    for cv in (StratifiedShuffleSplit(1, random_state=0), StratifiedKFold(3)):
        model = LagraClassifierCV(**GRID, rule="one_se", cv=cv).fit(*demo)
        assert model.standard_error_ > 0.0


def test_several_classes_are_judged_together(demo):
    graphs, _ = demo
    y = np.digitize(graphs.n_nodes, np.quantile(graphs.n_nodes, [0.3, 0.6]))
    for select in ("loss", "score"):
        model = LagraClassifierCV(**GRID, rule="one_se", select=select, random_state=0)
        assert model.fit(graphs, y).standard_error_ > 0.0
