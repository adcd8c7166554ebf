"""Along a path: patience, what points keep and count, and what every lambda begins with."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from path_tools import random_set, targets
from shared_problems import SharedProblem
from solver_problems import grown, problem_of
from threadpoolctl import threadpool_info, threadpool_limits

from aglets import LagraClassifier
from aglets.graphs.notes import Notices
from aglets.model.losses import Logistic, Squared, SquaredHinge
from aglets.training.optim import blocks
from aglets.training.optim.fast import FastSolver, solve_beta
from aglets.training.optim.quadratic import SharedModel
from aglets.training.optim.solver import Progress
from aglets.training.optim.state import Curved, State, empty_state
from aglets.training.path import SOLVERS, Patience, Schedule, Validation, _Epochs, lagra_path
from aglets.training.selection import Cell, FoldResult, Grid, choose

# Patience ------------------------------------------------------------------------------------


def judged(losses, patience):
    """Which states end the wait, and which is kept."""
    waiting = Patience(patience)
    spent = [waiting.spent(k, SimpleNamespace(loss=loss)) for k, loss in enumerate(losses)]
    return spent, None if waiting.best is None else waiting.best[0]


@pytest.mark.parametrize("seed", range(20))
def test_patience_is_over_when_none_of_the_last_losses_is_better_than_those_before(seed):
    losses = np.random.default_rng(seed).choice([1.0, 2.0, 3.0, np.inf], 12)
    for patience in (1, 2, 4):
        spent, best = judged(losses, patience)
        for k in range(len(losses)):
            before = min([np.inf, *losses[: max(0, k + 1 - patience)]])
            last = losses[max(0, k + 1 - patience) : k + 1]
            assert spent[k] == (k + 1 >= patience and last.min() >= before)
        if np.isfinite(losses).any():
            assert best == int(np.argmin(losses))  # the first of equal ones
    assert Patience(1).best_loss == np.inf


# Points --------------------------------------------------------------------------------------


def test_a_schedule_begins_with_what_users_get():
    given = signature(LagraClassifier).parameters
    schedule = Schedule()
    for name in ("n_lambdas", "solver", "learn_attributes", "max_epochs", "patience", "tol"):
        assert getattr(schedule, name) == given[name].default
    np.testing.assert_allclose(schedule.grid(2.0), np.geomspace(2.0, 0.02, 100))
    assert Schedule(lambdas=[3.0, 1.0]).grid(9.0).tolist() == [3.0, 1.0]


def test_where_notices_go_is_not_a_part_of_a_schedule_or_a_result():
    assert Schedule(notices=Notices()) == Schedule(notices=Notices())
    values = [np.ones((1, 2))] * 3
    assert FoldResult(*values, notices=Notices()) == FoldResult(*values, notices=Notices())


def test_points_count_the_work_and_the_time_of_their_lambda():
    problem, points, spent = problem_of(), [], []
    for point in lagra_path(problem, Schedule(n_lambdas=4, lambda_min_ratio=0.1)):
        points.append(point)
        spent.append(problem.graphs.work_spent())
    assert [point.work for point in points[1:]] == np.diff(spent).tolist()
    assert spent[-1] > spent[0] > points[0].work > 0
    for point in points:
        assert 0.0 < point.seconds < 30.0
        assert point.seconds_search + point.seconds_beta + point.seconds_z <= point.seconds
        assert point.held_f.shape == (0,)
        assert point.validation_loss is None


def test_the_time_of_algorithm_1_is_counted_too():
    schedule = Schedule(n_lambdas=3, lambda_min_ratio=0.3, solver="paper", max_epochs=3)
    for point in lagra_path(problem_of(), schedule):
        spent = point.seconds_search + point.seconds_beta + point.seconds_z
        assert 0.0 < spent <= point.seconds < 30.0


@pytest.mark.parametrize("keep_f", [None, True])
def test_points_keep_f_of_held_out_graphs_only_if_asked(keep_f):
    problem = problem_of()
    options = {} if keep_f is None else {"keep_f": keep_f}
    held = Validation(problem.graphs.placement.sample, **options)
    schedule = Schedule(n_lambdas=2, lambda_min_ratio=0.3)
    for point in lagra_path(problem, schedule, validation=held):
        assert point.held_f.size == (14 if keep_f else 0)


def test_linear_algebra_has_one_thread_while_a_path_is_walked(monkeypatch):
    seen = []

    class Watching(FastSolver):
        def epoch(self, *args):
            seen.extend(o["num_threads"] for o in threadpool_info() if o["user_api"] == "blas")
            return super().epoch(*args)

    monkeypatch.setitem(SOLVERS, "fast", Watching)
    with threadpool_limits(limits=3, user_api="blas"):
        list(lagra_path(problem_of(), Schedule(n_lambdas=1)))
    assert set(seen) == {1}


def test_no_lambda_begins_with_second_derivatives_of_another():
    problem, noted = SharedProblem.draw(9, "softmax", 40).problem(), []
    schedule = Schedule(n_lambdas=3, lambda_min_ratio=0.1, learn_attributes=False)
    list(lagra_path(problem, schedule, note=noted.append))
    assert [resume.state.curved for resume in noted] == [None] * 3
    assert all(len(resume.state.names) for resume in noted[1:])


@pytest.mark.parametrize("weight", [1e-6, 1.0, 1e6])
def test_when_a_lambda_ends_does_not_depend_on_the_unit_of_the_objective(weight):
    problem = problem_of(weight=weight)
    state, lam = grown(problem)
    state = solve_beta(problem, state, lam)

    def ends(before, now, lam):
        progress = SimpleNamespace(state=state, n_added=0)
        epochs = _Epochs(problem, Schedule(tol=1e-4), None, None)
        return epochs._converged(progress, lam, weight * before, weight * now)

    assert ends(100.0, 99.995, lam)
    assert not ends(100.0, 99.98, lam)
    assert not ends(100.0, 99.995, 1.0005 * lam)
    assert ends(0.0, 0.0, lam)  # where nothing is left to lower


def test_a_lambda_of_several_outputs_ends_with_a_rough_solution():
    problem = SharedProblem.draw(9, "classes", 40).problem()
    state, lam = grown(problem)
    progress = SimpleNamespace(state=solve_beta(problem, state, lam), n_added=0)
    epochs = _Epochs(problem, Schedule(tol=1e-4), None, None)
    assert epochs._converged(progress, 1.0005 * lam, 100.0, 99.995)
    assert not epochs._converged(progress, 1.01 * lam, 100.0, 99.995)


def test_what_the_close_of_a_lambda_reaches_is_judged_too():
    problem = problem_of()
    state, lam = grown(problem)
    solved = solve_beta(problem, state, lam)
    solver = SimpleNamespace(
        epoch=lambda problem, state, lam, learn: Progress(state),
        close=lambda problem, state, lam: Progress(solved),
    )

    def judge(matched, active, z, coef, beta0):
        return SimpleNamespace(loss=0.5 if active.any() else 1.0, score=0.0, f=np.empty(0))

    epochs = _Epochs(problem, Schedule(max_epochs=2), solver, SimpleNamespace(judge=judge))
    point = epochs.run(state, lam, lam).point
    assert point.n_nonzero == (solved.beta != 0.0).sum() > 0
    assert point.validation_loss == 0.5


# Covariates ----------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [1e-6, 1.0, 1e6])
def test_covariates_that_fit_alone_are_said_to_whatever_the_graphs_weigh(weight):
    y = targets(random_set(14, seed=4), Squared(), 1)
    problem = problem_of(Squared(), weight=weight, covariates=y[:, None])
    notices = Notices()
    list(lagra_path(problem, Schedule(n_lambdas=1, notices=notices)))
    [sentence] = notices.sentences()
    assert "The covariates alone fit the training graphs" in sentence


@pytest.mark.parametrize("weight", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("penalty", [0.0, 0.25, 4.0])
def test_the_weight_of_all_graphs_is_that_of_lambda_max(weight, penalty):
    values = np.random.default_rng(0).normal(size=(14, 2))
    notices = Notices()
    schedule = Schedule(n_lambdas=2, lambda_min_ratio=0.999, notices=notices)

    def points(loss, weight):
        problem = problem_of(loss, weight=weight, covariates=values, penalty=penalty)
        return list(lagra_path(problem, schedule)), problem

    for loss in (SquaredHinge(), Logistic()):
        (first, second), problem = points(loss, weight)
        assert first.lam / weight == pytest.approx(points(loss, 1.0)[0][0].lam, rel=1e-6)
        assert first.n_nonzero == 0
        if penalty:
            assert not first.gamma.any()
            g, _ = empty_state(problem).scores.gradient()
            of_covariates = np.abs(g).max() / penalty
            of_graphlets, _ = problem.graphs.lambda_max(empty_state(problem).scores)
            assert first.lam == pytest.approx(max(of_covariates, of_graphlets), rel=1e-9)
        assert second.n_nonzero or second.gamma.any()
    assert notices.sentences() == []


# The working set -----------------------------------------------------------------------------


def test_rows_of_which_second_derivatives_are_known_are_found():
    for known in product([False, True], repeat=3):
        if not any(known):
            continue
        curved = Curved(np.array(known), SharedModel.of(np.eye(sum(known) + 1)))
        for rows in product([False, True], repeat=4):
            asked = np.flatnonzero(rows).tolist()
            covered = set(asked) <= set(np.flatnonzero(known).tolist())
            assert curved.covers(np.array(rows)) == covered
            if covered:
                places = [sum(known[:row]) for row in asked]
                assert curved.positions(np.array(rows)).tolist() == places


def test_a_line_search_begins_at_twice_the_length_accepted_last():
    problem = problem_of()
    state, lam = grown(problem)
    state = solve_beta(problem, state, lam)
    short = replace(state, beta=1.1 * state.beta, beta_step=1e-3, z_step=1e-3)
    assert blocks.update_beta(problem, short, lam).beta_step == 2e-3
    assert blocks.update_z(problem, short).z_step == 2e-3
    begins = empty_state(problem)
    assert (begins.beta_step, begins.z_step) == (1.0, 1.0)


def test_a_state_without_covariates_has_no_coefficients_for_them():
    begins = empty_state(problem_of())
    needed = ("names", "patterns", "sizes", "z", "matched", "beta", "beta0")
    plain = State(**{name: getattr(begins, name) for name in needed})
    assert (plain.gamma.tolist(), plain.sharing) == ([], 1.0)
    assert plain.coef is plain.beta


# Choosing ------------------------------------------------------------------------------------


def test_a_grid_shows_what_a_user_chose():
    grid = Grid(rhos=(1.0, 0.1), maxpats={1: (5, 2)}, tentative=(5,), extra=(Cell(1, 1.0, 3),))
    assert repr(grid) == "Grid(rhos=(1.0, 0.1), maxpats={1: (5, 2)})"


def test_without_slack_the_best_wins_however_many_graphlets_it_has():
    cost = np.array([[1.0, 0.5], [2.0, 2.0]])
    found = FoldResult(cost, -cost, np.array([[0.0, 99.0], [0.0, 0.0]]))
    grid = Grid(rhos=(1.0,), maxpats={1: (2, 3)})
    assert choose([found], grid, by_score=False).index == 1


@pytest.mark.parametrize(("own", "position"), [(0.97, 2), (0.985, 0)])
def test_the_margin_of_further_cells_is_that_of_the_best_empty_model(own, position):
    grid = Grid(rhos=(1.0,), maxpats={1: (5, 6)}, extra=(Cell(1, 1.0, 5, ("sum",)),))
    cost = np.array([[2.0, 1.0, 1.0], [9.0, 1.0, 1.0], [9.0, own, 9.0]])
    found = FoldResult(cost, -cost, np.ones((3, 3)))
    assert choose([found], grid, by_score=False).position == position


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_costs_are_compared_relative_to_their_size(size):
    grid = Grid(rhos=(1.0,), maxpats={1: (2, 3)})
    for apart, index in ((0.5e-12, 0), (3e-12, 1)):
        cost = size * np.array([[1.0 + apart, 1.0], [2.0, 2.0]])
        found = FoldResult(cost, -cost, np.ones((2, 2)))
        assert choose([found], grid, by_score=False).index == index
        slack = choose([found], grid, by_score=False, slack=0.5 * size)
        assert slack.index == index
