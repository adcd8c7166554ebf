"""Covariates in the path: optimality by slow code, an outside judge, and no effect when absent."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from path_tools import (
    ALL_LOSSES,
    Everything,
    decision,
    random_set,
    reference_loss,
    targets,
    walked_path,
    watched_path,
)
from scipy.optimize import minimize
from sklearn.linear_model import Lasso, LogisticRegression

from aglets import GraphSet, mining
from aglets.model import losses
from aglets.training.engine.covariate_design import CovariateDesign

RHO, MAXPAT = 0.3, 3


def training(loss, seed=0, n=40):
    """Graphs, targets, and covariates of which two say nearly the same and one nothing."""
    graphs = random_set(n, seed)
    rng = np.random.default_rng(seed)
    values = np.column_stack(
        [graphs.n_nodes, graphs.n_edges, rng.normal(size=n), np.ones(n), 2.0 * graphs.n_nodes]
    ).astype(float)
    return graphs, targets(graphs, loss, seed), values - values.mean(axis=0)


def path(graphs, y, loss, covariates=None, **options):
    tree = mining.Tree(graphs, maxpat=MAXPAT)
    given = {"rho": RHO, "n_lambdas": 6, "lambda_min_ratio": 0.1, "learn_attributes": False}
    return list(
        walked_path(graphs, y, loss=loss, tree=tree, covariates=covariates, **given | options)
    )


@pytest.mark.parametrize("factor", [0.0, 1.5])
@pytest.mark.parametrize("loss", ALL_LOSSES, ids=repr)
def test_a_path_with_covariates_ends_at_the_optimum(loss, factor):
    graphs, y, covariates = training(loss)
    points, visits = watched_path(
        graphs,
        y,
        solver="fast",
        loss=loss,
        tree=mining.Tree(graphs, maxpat=MAXPAT),
        rho=RHO,
        n_lambdas=4,
        lambda_min_ratio=0.03,
        learn_attributes=False,
        covariates=covariates,
        covariate_penalty=factor,
    )
    psi = Everything.of(graphs, MAXPAT, RHO).psi
    theirs, weights = reference_loss(loss, y)
    spread = covariates.std(axis=0)
    standard = covariates[:, spread > 0] / spread[spread > 0]
    for point, visit in zip(points, visits, strict=True):
        state = visit.final
        f, psi_of_w = state.scores.f, state.matched.psi
        np.testing.assert_allclose(
            f, point.beta0 + state.beta @ psi_of_w + covariates @ point.gamma, atol=1e-9
        )
        a = -0.5 * weights * theirs.slope(y, f)
        slack = 1e-5 * point.lam
        assert abs(a.sum()) <= slack
        assert np.abs(psi.T @ a).max() <= point.lam + slack
        g, gamma = standard.T @ a, (point.gamma * spread)[spread > 0]
        if factor == 0.0:
            assert np.abs(g).max() <= slack
        else:
            limit = factor * point.lam
            assert np.abs(g).max() <= limit + slack
            assert np.abs(g - limit * np.sign(gamma))[gamma != 0.0].max(initial=0.0) <= slack
        active = state.beta != 0.0
        inside = psi_of_w[active] @ a - point.lam * np.sign(state.beta[active])
        assert np.abs(inside).max(initial=0.0) <= slack
        penalty = np.abs(state.beta).sum() + factor * np.abs(gamma).sum()
        value = 0.5 * weights @ theirs.value(y, f) + point.lam * penalty
        assert point.objective == pytest.approx(value, rel=1e-9)
    assert points[-1].n_nonzero > 0


@pytest.mark.parametrize("factor", [0.0, 1.5])
@pytest.mark.parametrize("loss", ALL_LOSSES, ids=repr)
def test_algorithm_1_with_covariates_comes_near_the_same_optimum(loss, factor):
    graphs, y, covariates = training(loss)
    options = {"covariate_penalty": factor, "n_lambdas": 4, "lambda_min_ratio": 0.2}
    best = path(graphs, y, loss, covariates, **options)
    steps = path(
        *(graphs, y, loss, covariates), **options, solver="paper", tol=1e-7, max_epochs=500
    )
    for one, two in zip(best, steps, strict=True):
        assert one.lam == two.lam
        assert one.objective * (1 - 1e-7) <= two.objective <= one.objective * (1 + 5e-3)


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_free_covariates_of_few_graphs_do_not_lead_astray(seed):
    """Where no hinge is active the loss does not bend, and nothing else bounds a step."""
    loss, n = losses.SquaredHinge(), 400
    rng = np.random.default_rng(seed)
    graphs = GraphSet.from_lists(labels=["C"] * n, edges=[[]] * n)
    y = np.where(rng.random(n) < 0.2, -1.0, 1.0)
    size = 3.0 * y + rng.normal(size=n)
    rare = (rng.random((n, 40)) < 0.005) * rng.integers(1, 30, (n, 40))
    covariates = np.column_stack([size, size + 0.05 * rng.normal(size=n), rare])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some of these fit all graphs
        [point] = path(graphs, y, loss, covariates, n_lambdas=1)

    def cost(b):
        a = y * np.maximum(1.0 - y * (b[0] + covariates @ b[1:]), 0.0)
        return 0.5 * a @ a, -np.append(a.sum(), covariates.T @ a)

    start = np.append(point.beta0, point.gamma)
    judge = minimize(cost, start, jac=True, method="L-BFGS-B", options={"maxiter": 10**4})
    assert point.train_loss <= judge.fun + 1e-6


def test_free_covariates_are_projected_out_as_in_the_lasso_of_scikit_learn():
    loss = losses.Squared()
    graphs, y, covariates = training(loss, seed=1)
    psi = Everything.of(graphs, MAXPAT, RHO).psi
    fixed = np.column_stack([np.ones(len(y)), covariates])
    away = np.eye(len(y)) - fixed @ np.linalg.pinv(fixed)
    for point in path(graphs, y, loss, covariates)[1:]:
        judge = Lasso(alpha=point.lam / len(y), fit_intercept=False, tol=1e-12, max_iter=10**6)
        judge.fit(away @ psi, away @ y)
        left = away @ (y - psi @ judge.coef_)
        minimum = 0.5 * left @ left + point.lam * np.abs(judge.coef_).sum()
        assert point.objective == pytest.approx(minimum, rel=1e-7)


def test_lambda_max_is_that_of_the_best_model_of_covariates_alone():
    loss = losses.Logistic()
    graphs, y, covariates = training(loss, seed=2)
    psi = Everything.of(graphs, MAXPAT, RHO).psi
    alone = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10**5)
    rank = covariates[:, :3]  # the others add nothing
    p = alone.fit(rank, y).predict_proba(rank)[:, 1]
    residual = (y > 0) - p
    first, second = path(graphs, y, loss, covariates, n_lambdas=2, lambda_min_ratio=0.97)
    assert first.lam_max == pytest.approx(np.abs(psi.T @ residual).max(), rel=1e-5)
    assert (first.n_nonzero, second.n_nonzero > 0) == (0, True)
    f = first.beta0 + covariates @ first.gamma
    np.testing.assert_allclose(1.0 / (1.0 + np.exp(-f)), p, atol=1e-5)


def test_penalised_covariates_have_no_weight_at_lambda_max_and_some_below():
    loss = losses.SquaredHinge()
    graphs, y, covariates = training(loss)
    first, *_, last = path(graphs, y, loss, covariates, covariate_penalty=0.5)
    assert not first.gamma.any()
    assert not len(first.beta)
    assert last.gamma.any()


def test_covariates_that_say_the_same_share_their_weight_and_constants_get_none():
    loss = losses.Squared()
    graphs, y, covariates = training(loss)
    point = path(graphs, y, loss, covariates)[-1]
    # The fifth column is twice the first: on the scale of unit spread they are the same.
    assert point.gamma[0] == pytest.approx(2.0 * point.gamma[4], rel=1e-8)
    assert point.gamma[3] == 0.0


def test_shifting_or_stretching_a_free_covariate_leaves_f_alone():
    loss = losses.SquaredHinge()
    graphs, y, covariates = training(loss)
    other = covariates * [3.0, 0.1, 7.0, 1.0, 2.0] + [1.0, 0.0, -5.0, 2.0, 0.0]
    for one, two in zip(
        path(graphs, y, loss, covariates), path(graphs, y, loss, other), strict=True
    ):
        assert one.objective == pytest.approx(two.objective, rel=1e-6)
        np.testing.assert_allclose(
            one.beta0 + covariates @ one.gamma, two.beta0 + other @ two.gamma, atol=1e-3
        )


def test_covariates_that_predict_the_classes_leave_nothing_for_graphlets():
    loss = losses.SquaredHinge()
    graphs, y, _ = training(loss)
    with pytest.warns(UserWarning, match="leave nothing for graphlets"):
        points = path(graphs, y, loss, y[:, None])
    assert [point.n_nonzero for point in points] == [0] * 6
    assert points[-1].train_score == 1.0


def test_covariates_without_spread_change_no_path():
    loss = losses.SquaredHinge()
    graphs, y, _ = training(loss)
    plain = path(graphs, y, loss, learn_attributes=True)
    empty = path(graphs, y, loss, np.ones((len(y), 2)), learn_attributes=True)
    for one, two in zip(plain, empty, strict=True):
        for name in ("lam", "beta", "beta0", "z", "objective", "n_searches", "n_epochs"):
            np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=1e-9)
        assert (len(one.gamma), two.gamma.tolist()) == (0, [0.0, 0.0])


def test_each_lambda_is_judged_with_the_covariates_of_the_validation_graphs():
    loss = losses.SquaredHinge()
    graphs, y, covariates = training(loss, n=60)
    train, held = np.arange(40), np.arange(40, 60)
    tree = mining.Tree(graphs[train], maxpat=MAXPAT)
    options = {"loss": loss, "tree": tree, "rho": RHO, "n_lambdas": 4, "lambda_min_ratio": 0.2}
    points = list(
        walked_path(
            *(graphs[train], y[train]),
            **options,
            validation=(graphs[held], y[held], None),
            covariates=covariates[train],
            validation_covariates=covariates[held],
        )
    )
    for point in points:
        f = decision(point, graphs[train], graphs[held]) + covariates[held] @ point.gamma
        assert point.validation_loss == pytest.approx(loss.value(y[held], f, np.ones(20)))
        assert point.validation_score == loss.score(y[held], f, np.ones(20))


def test_columns_come_back_in_the_units_in_which_they_were_given():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 4)) @ rng.normal(size=(4, 4))
    for factor in (0.0, 2.0):
        design = CovariateDesign.of(values, factor)
        rows, gamma = design.rows(values), rng.normal(size=design.n_columns)
        np.testing.assert_allclose(gamma @ rows, values @ (design.back @ gamma))
        np.testing.assert_allclose(rows.std(axis=1), 1.0)
