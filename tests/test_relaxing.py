"""Relaxed coefficients: the graphlets stay, the coefficients are solved for with less penalty."""

from __future__ import annotations

import numpy as np
import pytest
from path_tools import random_set
from scipy.optimize import minimize
from sklearn.model_selection import KFold

import aglets
from aglets import LagraClassifier, LagraClassifierCV, LagraRegressor, LagraRegressorCV, compact
from aglets.cli import main
from aglets.model.losses import JointLoss
from aglets.training.engine import ShardedEngine
from aglets.training.optim.penalty import Shared

N = 40
POINT = {"maxpat": 2, "rho": 0.3, "n_lambdas": 6, "lambda_ratio": 0.1, "calibration": None}
GRID = {"maxpats": (2,), "rhos": (0.3,), "starts": 1, "n_lambdas": 8, "random_state": 0}


@pytest.fixture(scope="module")
def graphs():
    return random_set(N, 3, d=1)


@pytest.fixture(scope="module")
def signal(graphs):
    return np.array([graph.attributes.sum() + len(graph.labels) for graph in graphs])


def noisy(signal: np.ndarray, seed: int) -> np.ndarray:
    return signal + np.random.default_rng(seed).normal(size=len(signal))


def as_classes(signal: np.ndarray, n_classes: int = 2) -> np.ndarray:
    return np.searchsorted(np.quantile(signal, np.arange(1, n_classes) / n_classes), signal)


class Columns:
    """The convex problem of a fitted model's coefficients, with its graphlets as given columns.

    Columns that come behind those of graphlets are free.
    """

    def __init__(self, model, graphs, y, *, weight=None, sharing=1.0, free=None) -> None:
        outputs = model.outputs_
        weight = np.ones(len(graphs)) if weight is None else weight
        y = outputs.encode(np.asarray(y))
        known = ~np.isnan(y)
        self.weights = np.where(known, weight, 0.0)
        if len(outputs.targets) > 1:  # each target has the same weight
            totals = self.weights.sum(axis=1, keepdims=True)
            self.weights *= totals.mean() / totals
        self.y = np.where(known, y, 0.0)
        pairs = zip(outputs.slices, outputs.targets, strict=True)
        self.loss = JointLoss([(rows, target.loss) for rows, target in pairs])
        self.free = np.empty((len(graphs), 0)) if free is None else free
        self.psi = np.hstack([model.transform(graphs), self.free])
        self.penalized = self.psi.shape[1] - self.free.shape[1]
        self.lam, self.sharing = model.relax_ * model.lambda_, sharing
        beta = np.atleast_2d(model.coef_).T
        gamma = np.empty((0, beta.shape[1]))
        if self.free.size:
            gamma = np.atleast_2d(model.covariate_coef_).T
        self.found = np.vstack([np.atleast_2d(model.intercept_).reshape(1, -1), beta, gamma])

    def smooth(self, coef: np.ndarray) -> tuple[float, np.ndarray]:
        f = coef[0][:, None] + (self.psi @ coef[1:]).T
        a = self.loss.residual(self.y, f, self.weights)
        gradient = np.vstack([a.sum(axis=1), (a @ self.psi).T])
        return self.loss.value(self.y, f, self.weights), -gradient

    def objective(self, coef: np.ndarray) -> float:
        rows = coef[1 : self.penalized + 1]
        return self.smooth(coef)[0] + Shared(self.lam, self.sharing).value(rows)

    def lowest(self) -> float:
        """Minimise with scipy; a coefficient is the difference of two that are not negative."""
        shape, n = self.found.shape, self.penalized
        pay = np.zeros(shape)
        pay[1 : n + 1] = self.lam * (1.0 - self.sharing if shape[1] > 1 else 1.0)
        together = self.lam * self.sharing if shape[1] > 1 else 0.0

        def both(x: np.ndarray) -> tuple[float, np.ndarray]:
            up, down = x.reshape(2, *shape)
            coef = up - down
            value, gradient = self.smooth(coef)
            rows = coef[1 : n + 1]
            size = np.sqrt((rows**2).sum(axis=1, keepdims=True) + 1e-24)
            gradient[1 : n + 1] += together * rows / size
            total = value + together * size.sum() + (pay * (up + down)).sum()
            return total, np.stack([gradient + pay, pay - gradient]).ravel()

        start = 0.5 * np.stack([np.maximum(self.found, 0.0), np.maximum(-self.found, 0.0)]) + 0.1
        options = {"maxiter": 20_000, "maxfun": 20_000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 50}
        bounds = [(0.0, None)] * start.size
        found = minimize(
            both, start.ravel(), jac=True, method="L-BFGS-B", bounds=bounds, options=options
        )
        up, down = found.x.reshape(2, *shape)
        return self.objective(up - down)

    def violation(self) -> float:
        """Largest violation of the conditions of an optimum, as a part of lambda."""
        _, gradient = self.smooth(self.found)
        n = self.penalized
        rows = Shared(self.lam, self.sharing).violation(-gradient[1 : n + 1], self.found[1 : n + 1])
        others = np.abs(np.vstack([gradient[:1], gradient[n + 1 :]]))
        return max(rows.max(initial=0.0), others.max()) / self.lam

    def check(self) -> None:
        ours, best = self.objective(self.found), self.lowest()
        assert ours <= best + 1e-8 * max(1.0, abs(best))
        assert self.violation() <= 1e-5


@pytest.mark.parametrize("relax", [0.3, 0.01])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "squared", "huber"])
def test_scipy_finds_nothing_better_on_the_same_columns(graphs, signal, loss, relax):
    weight = np.random.default_rng(0).uniform(0.2, 2.0, N)
    y = noisy(signal, 1)
    kind = LagraRegressor if loss in ("squared", "huber") else LagraClassifier
    y = y if kind is LagraRegressor else as_classes(y)
    model = kind(loss=loss, relax=relax, **POINT).fit(graphs, y, weight)
    assert len(model.graphlets_) > 1
    Columns(model, graphs, y, weight=weight).check()


@pytest.mark.parametrize("sharing", [1.0, 0.5])
@pytest.mark.parametrize("loss", ["squared_hinge", "softmax"])
def test_classes_that_share_graphlets_are_relaxed_together(graphs, signal, loss, sharing):
    y = as_classes(noisy(signal, 2), 3)
    model = LagraClassifier(loss=loss, sharing=sharing, relax=0.1, **POINT).fit(graphs, y)
    Columns(model, graphs, y, sharing=sharing).check()


def test_targets_with_gaps_are_relaxed_together(graphs, signal):
    y = np.stack([as_classes(noisy(signal, seed)) for seed in range(3)], axis=1).astype(float)
    y[np.random.default_rng(0).random(y.shape) < 0.3] = np.nan
    losses = ["squared_hinge", "logistic", "logistic"]
    model = LagraClassifier(loss=losses, sharing="group", relax=0.1, **POINT).fit(graphs, y)
    Columns(model, graphs, y).check()


def test_counts_and_free_covariates_are_relaxed_together(graphs, signal):
    y = noisy(signal, 3)
    own = np.random.default_rng(1).normal(size=(N, 2))
    model = LagraRegressor(pooling=("best", "sum"), relax=0.1, **POINT)
    model.fit(graphs, y, covariates=own)
    assert {graphlet.pooling for graphlet in model.graphlets_} == {"best", "sum"}
    Columns(model, graphs, y, free=own - own.mean(axis=0)).check()


@pytest.mark.parametrize("sharing", ["none", "group"])
def test_the_whole_penalty_gives_the_same_model(graphs, signal, sharing):
    y = as_classes(noisy(signal, 2), 3)
    options = {**POINT, "sharing": sharing}
    plain = LagraClassifier(**options).fit(graphs, y)
    again = LagraClassifier(relax=1.0, **options).fit(graphs, y)
    assert plain.relax_ == again.relax_ == 1.0
    np.testing.assert_allclose(again.coef_, plain.coef_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(again.intercept_, plain.intercept_, rtol=1e-5, atol=1e-6)


def structures(model) -> set:
    return {(graphlet.name, graphlet.attributes.tobytes()) for graphlet in model.graphlets_}


def test_graphlets_stay_and_the_training_loss_falls(graphs, signal):
    y = as_classes(noisy(signal, 1))
    plain = LagraClassifier(**POINT).fit(graphs, y)
    free = LagraClassifier(relax=0.1, **POINT).fit(graphs, y)
    assert structures(free) <= structures(plain)
    assert len(free.path_) == len(plain.path_)
    for point, relaxed in zip(plain.path_[1:], free.path_[1:], strict=True):
        assert relaxed.lam == point.lam
        assert relaxed.train_loss < point.train_loss


def test_a_saved_model_decides_the_same(graphs, signal, tmp_path):
    model = LagraClassifier(relax=0.1, **POINT).fit(graphs, as_classes(noisy(signal, 1)))
    model.save(tmp_path / "model.aglets")
    loaded = aglets.load(tmp_path / "model.aglets")
    np.testing.assert_array_equal(loaded.decision_function(graphs), model.decision_function(graphs))


def test_graphs_in_shards_are_relaxed_alike(graphs, signal):
    y = as_classes(noisy(signal, 1))
    one = LagraClassifier(relax=0.1, **POINT).fit(graphs, y)
    two = LagraClassifier(relax=0.1, engine=ShardedEngine(n_shards=2), **POINT).fit(graphs, y)
    np.testing.assert_allclose(two.coef_, one.coef_, rtol=1e-6)


def test_the_part_is_chosen_by_the_loss_on_validation_graphs(graphs, signal):
    y = as_classes(noisy(signal, 1))
    train, held = np.arange(N) % 4 > 0, np.arange(N) % 4 == 0
    validation = graphs[held], y[held]
    parts = [1.0, 0.3, 0.1, 0.01]
    losses = []
    for part in parts:
        model = LagraClassifier(relax=part, **POINT).fit(graphs[train], y[train], None, validation)
        losses.append(model.path_[-1].validation_loss)
    model = LagraClassifier(relax="auto", **POINT).fit(graphs[train], y[train], None, validation)
    assert model.relax_ == parts[int(np.argmin(losses))]
    assert model.path_[-1].validation_loss == pytest.approx(min(losses), rel=1e-6)


@pytest.mark.parametrize("sharing", ["none", "group"])
def test_a_model_of_a_given_size_is_relaxed_after_its_graphlets_were_chosen(
    graphs, signal, sharing
):
    y = as_classes(noisy(signal, 2), 3)
    options = {**GRID, "sharing": sharing, "max_graphlets": 3}
    small = LagraClassifierCV(**options).fit(graphs, y)
    free = LagraClassifierCV(relax=0.1, **options).fit(graphs, y)
    assert 0 < len(free.graphlets_) <= 3
    assert structures(free) <= structures(small)
    assert free.relax_ == 0.1
    assert free.held_out_metrics_.keys() == small.held_out_metrics_.keys()


def test_selection_takes_the_part_that_does_best_on_held_out_graphs(graphs, signal):
    """Parts of equal size, so that the mean of their losses is that of all held-out graphs."""
    y, errors = noisy(signal, 3), {}
    cv = list(KFold(4).split(np.arange(N)))
    options = {**GRID, "cv": cv, "max_graphlets": 4, "pooling": ["best"]}
    for relax in (1.0, 0.1):
        model = LagraRegressorCV(relax=relax, **options).fit(graphs, y)
        errors[relax] = model.held_out_metrics_["RMSE"]
    model = LagraRegressorCV(relax=list(errors), **options).fit(graphs, y)
    best = min(errors.values())
    assert errors[model.relax_] == best == pytest.approx(model.held_out_metrics_["RMSE"], rel=1e-6)


def test_compacted_graphlets_are_found_again_among_those_of_the_path(graphs, signal):
    y = as_classes(noisy(signal, 1))
    model = LagraClassifierCV(relax=0.1, max_graphlets=2, **GRID).fit(graphs, y)
    plain = LagraClassifierCV(**GRID).fit(graphs, y)
    assert structures(model) == {
        (graphlet.name, graphlet.attributes.tobytes())
        for graphlet in compact(plain.model_, graphs, 2).graphlets
    }


def test_a_choice_without_held_out_graphs_is_refused(graphs, signal):
    y = as_classes(noisy(signal, 1))
    with pytest.raises(ValueError, match="relax='auto' is chosen on held-out graphs. Got none"):
        LagraClassifier(relax="auto", **POINT).fit(graphs, y)


def test_an_average_is_not_relaxed(graphs, signal):
    y = as_classes(noisy(signal, 1))
    with pytest.raises(ValueError, match="relax needs average='none'.*Got average='greedy'"):
        LagraClassifierCV(relax=0.1, average="greedy", **GRID).fit(graphs, y)


@pytest.mark.parametrize("relax", [0.0, 2.0, True, [], [0.1, 0.1], "all"])
def test_a_part_that_is_none_is_refused(graphs, signal, relax):
    with pytest.raises(ValueError, match="The 'relax' parameter of LagraClassifier must be"):
        LagraClassifier(relax=relax).fit(graphs, as_classes(signal))


def test_the_command_relaxes(tmp_path, capsys):
    out = str(tmp_path / "demo.aglets")
    quick = ["--rho", "0.1", "--maxpat", "1", "--starts", "1", "--n-lambdas", "5"]
    assert main(["fit", "acids", "-o", out, "--relax", "0.1", *quick]) == 0
    assert "relaxed to 0.1 of the penalty" in capsys.readouterr().out
    assert main(["fit", "acids", "-o", out, "--relax", "much", *quick]) != 0
    assert "Expected --relax with auto, or one or more numbers" in capsys.readouterr().err
