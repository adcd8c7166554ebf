"""The steps of the fast solver: what each computes, when it is repeated, and when it ends."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from path_tools import random_set, targets
from shared_problems import SharedProblem
from solver_problems import grown, noting, off_by, problem_of

from aglets.model.losses import Logistic, Squared, SquaredHinge
from aglets.training.engine.graphlet_names import patterns_of
from aglets.training.optim import fast
from aglets.training.optim.blocks import kkt_violation
from aglets.training.optim.fast import (
    FastSolver,
    is_twin,
    let_violators_enter,
    lowered,
    newton_direction,
    solve_beta,
    step_z,
    worst_first,
)
from aglets.training.optim.penalty import L1, Shared
from aglets.training.optim.solver import Progress
from aglets.training.optim.state import empty_state


@pytest.fixture
def shared():
    """Several classes with the squared hinge loss, and many patterns that violate."""
    return SharedProblem.draw(9, "classes", 40).problem()


# Order of work -----------------------------------------------------------------------------------


def test_ten_graphlets_enter_at_a_time_and_thirty_for_several_outputs(shared):
    state, _ = grown(problem_of(), 0.01)
    assert len(state.names) == 10
    assert len(shared.graphs.search(empty_state(shared).scores, 1e-3).nodes) > 30
    assert len(grown(shared, 1e-4)[0].names) == 30


def tolerances(monkeypatch, problem, step, share=0.2):
    """What accuracy a solver asks for, relative to lambda, and where it arrives."""
    state, lam = grown(problem, share)
    asked = []
    noting(monkeypatch, "solve_beta", asked, lambda problem, state, lam, tolerance: tolerance)
    return asked, getattr(FastSolver(), step)(problem, state, lam, *[True] * (step == "epoch")), lam


def test_one_output_is_always_solved_exactly(monkeypatch):
    problem = problem_of()
    asked, progress, lam = tolerances(monkeypatch, problem, "epoch")
    assert asked == [pytest.approx(1e-7)] * 2
    assert off_by(problem, progress.state, lam) <= 1e-7
    asked, progress, lam = tolerances(monkeypatch, problem, "close")
    assert asked == [pytest.approx(1e-7)] * len(asked)
    assert progress.n_searches == len(asked)
    assert progress.n_added > 0
    assert off_by(problem, progress.state, lam) <= 1e-7
    again = FastSolver().close(problem, progress.state, lam)
    assert (again.n_searches, again.n_added) == (1, 0)


def test_one_epoch_ends_a_lambda_of_several_outputs_where_no_attribute_moves(shared):
    state, lam = grown(shared, 0.2)
    assert len(state.z)
    assert not FastSolver().epoch(shared, state, lam, True).is_final
    for problem, learn in ((shared, False), (_without_attributes(), True)):
        state, lam = grown(problem, 0.2)
        progress = FastSolver().epoch(problem, state, lam, learn)
        assert progress.is_final
        assert off_by(problem, progress.state, lam) <= 1e-6
        again = FastSolver().close(problem, progress.state, lam)
        assert again.n_added == 0
        np.testing.assert_array_equal(again.state.beta, progress.state.beta)
    one = problem_of()
    state, lam = grown(one, 0.2)
    assert not FastSolver().epoch(one, state, lam, False).is_final


def _without_attributes():
    drawn = SharedProblem.draw(9, "classes", 40)
    drawn.graphs = random_set(40, 9, d=0)
    return drawn.problem()


def test_scores_that_are_carried_on_are_those_of_the_coefficients(shared):
    state, lam = grown(shared, 0.2)
    solved = solve_beta(shared, state, lam)
    carried = solved.scores
    assert replace(solved, beta=solved.beta.copy()).scores is not carried
    np.testing.assert_allclose(carried.f, replace(solved).scores.f, rtol=0, atol=1e-9)
    assert solved.at_next_lambda().scores is not carried
    one = problem_of()
    state, _ = grown(one, 0.2)
    assert state.at_next_lambda() is state


def test_several_outputs_are_solved_exactly_only_once_nothing_enters(shared, monkeypatch):
    asked, _, _ = tolerances(monkeypatch, shared, "epoch")
    assert asked == [pytest.approx(1e-3)] * 2
    asked, progress, lam = tolerances(monkeypatch, shared, "close")
    first = asked.index(pytest.approx(1e-7))
    assert first > 0
    assert asked[:first] == [pytest.approx(1e-3)] * first
    assert asked[first:] == [pytest.approx(1e-7)] * len(asked[first:])
    assert progress.n_searches == len(asked)
    assert kkt_violation(progress.state, lam) <= 1e-7 * lam
    found = shared.graphs.search(progress.state.scores, lam * (1.0 + 1e-6))
    assert set(found.nodes.tolist()) <= set(progress.state.names.tolist())


def test_time_is_counted_where_it_is_spent():
    problem = problem_of()
    progress = Progress(empty_state(problem))
    for _ in range(2):  # something enters, and then nothing does
        progress = let_violators_enter(problem, progress, 0.9 * progress_lam(problem))
    progress = progress.improve_beta(solve_beta, problem, 1.0).improve_z(step_z, problem)
    progress = progress.improve_beta(solve_beta, problem, 1.0).improve_z(step_z, problem)
    for name in ("seconds_search", "seconds_beta", "seconds_z"):
        assert 0.0 < getattr(progress, name) < 30.0


def progress_lam(problem):
    return problem.graphs.lambda_max(empty_state(problem).scores)[0]


def test_costs_of_searches_add_up():
    found = [
        SimpleNamespace(n_visited=7, n_made=5, sizes=np.array([2, 3])),
        SimpleNamespace(n_visited=2, n_made=1, sizes=np.array([1])),
    ]
    states = [SimpleNamespace(names=range(n)) for n in (1, 4, 6)]
    progress = Progress(states[0]).after(found[0], 0.5, states[1]).after(found[1], 0.25, states[2])
    assert (progress.n_added, progress.n_searches, progress.n_visited) == (5, 2, 9)
    assert (progress.n_made, progress.seconds_search, progress.reach) == (6, 0.75, 3)
    assert progress.state is states[2]


# Which violators enter -----------------------------------------------------------------------


def test_violations_are_equal_relative_to_their_own_size():
    assert worst_first(np.array([1e3, 1e3 + 5e-7]), np.array([2, 1])).tolist() == [0, 1]
    assert worst_first(np.array([1e3, 1e3 + 5e-6]), np.array([2, 1])).tolist() == [1, 0]
    assert worst_first(np.array([1e6, 1.0005, 1.0]), np.array([1, 1, 2])).tolist() == [0, 1, 2]
    assert is_twin(np.array([3, 4]), np.array([1e3, 1e3 - 5e-7])).tolist() == [False, True]
    assert is_twin(np.array([3, 4]), np.array([1e3, 1e3 - 5e-6])).tolist() == [False, False]
    names = np.arange(40)
    same = [False] + [patterns_of(names)[i] == patterns_of(names)[i - 1] for i in range(1, 40)]
    assert is_twin(names, np.full(40, 2.0)).tolist() == same


# Solving for beta ----------------------------------------------------------------------------


def test_a_solution_is_looked_at_once_and_left(monkeypatch, shared):
    looked = []
    for problem in (problem_of(), shared):
        state, lam = grown(problem)
        solved = solve_beta(problem, state, lam)
        with monkeypatch.context() as patched:
            for name in ("newton_direction", "shared_direction"):
                patched.setattr(fast, name, None)
            noting(patched, "_largest", looked)
            again = solve_beta(problem, solved, lam)
        np.testing.assert_array_equal(again.beta, solved.beta)
        assert len(looked) == 1
        looked.clear()


@pytest.mark.parametrize("kind", [SquaredHinge(), Logistic(), Squared()], ids=repr)
@pytest.mark.parametrize("weight", [1e-9, 1.0, 1e9])
def test_a_common_weight_of_all_graphs_changes_no_solution(kind, weight):
    expected = solve_beta(*[problem_of(kind), *grown(problem_of(kind))])
    problem = problem_of(kind, weight=weight)
    state, lam = grown(problem)
    found = solve_beta(problem, state, lam)
    assert off_by(problem, found, lam) <= 1e-7
    np.testing.assert_allclose(found.beta, expected.beta, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("unit", [1e-12, 1e6])
def test_the_unit_of_a_target_is_the_unit_of_its_solution(unit):
    expected = solve_beta(*[problem_of(Squared()), *grown(problem_of(Squared()))])
    problem = problem_of(Squared(), unit=unit)
    found = solve_beta(problem, *grown(problem))
    assert (expected.beta != 0.0).sum() > 2
    np.testing.assert_allclose(found.beta / unit, expected.beta, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("beta0", [-5.0, 5.0])
def test_a_solution_does_not_depend_on_where_the_intercept_was(beta0):
    problem = problem_of()
    state, lam = grown(problem)
    found = solve_beta(problem, replace(state, beta0=beta0), lam)
    assert off_by(problem, found, lam) <= 1e-7


def test_a_step_that_is_cut_moves_all_coefficients_by_the_same_part(monkeypatch):
    problem = problem_of(Squared())
    state, lam = grown(problem)
    cut = []

    def half(line, beta, change, penalty, value, promised):
        if len(cut) < 2:
            there, moved = line.at(0.5), beta + 0.5 * change
            cut.append(value)
            return 0.5, moved, there, there.value() + penalty.value(moved)
        return lowered(line, beta, change, penalty, value, promised)

    monkeypatch.setattr(fast, "lowered", half)
    found = solve_beta(problem, replace(state, beta0=3.0), lam)
    assert off_by(problem, found, lam) <= 1e-7


def test_what_rounding_leaves_of_coefficients_is_zero():
    problem = problem_of()
    state, lam = grown(problem)
    for size in (1.0, 1e-3):
        beta = np.zeros(len(state.names))
        beta[:4] = size * np.array([1.0, 5e-11, 2e-10, 1e-10])
        found = solve_beta(problem, replace(state, beta=beta), lam, tolerance=1e9)
        np.testing.assert_array_equal(found.beta[:4], beta[:4] * np.array([1, 0, 1, 0]))


def test_an_exact_solution_of_several_outputs_is_near_the_minimum(shared, monkeypatch):
    state, lam = grown(shared)
    solved, steps = solve_beta(shared, state, lam), []
    assert solved.curved is not None
    noting(monkeypatch, "shared_direction", steps)
    monkeypatch.setattr(fast, "_is_near", lambda *_: False)
    solve_beta(shared, solved, lam, tolerance=fast.ROUGH)
    assert not steps  # it is not asked for where a rough solution will do
    solve_beta(shared, solved, lam)
    assert steps


def test_second_derivatives_are_taken_again_where_old_ones_help_little(monkeypatch):
    drawn = SharedProblem.draw(9, "softmax", 40)
    problem = drawn.problem()
    state, lam = grown(problem, 0.05)
    taken, steps, lengths = [], [], []
    noting(monkeypatch, "Curved", taken)
    noting(
        monkeypatch,
        "shared_direction",
        steps,
        lambda curved, moving, scores, here, part, lift, bend, accuracy: (
            len(taken),
            bool(curved.covers(moving)),
            moving,
            accuracy,
            bend,
        ),
    )
    plain = fast.lowered

    def cut_at_times(line, beta, change, penalty, value, promised):
        if len(lengths) in (1, 2, 5):
            there, moved = line.at(0.5), beta + 0.5 * change
            reached = there.value() + penalty.value(moved)
            lengths.append(0.5)
            return 0.5, moved, there, reached
        found = plain(line, beta, change, penalty, value, promised)
        lengths.append(0.0 if found is None else found[0])
        return found

    monkeypatch.setattr(fast, "lowered", cut_at_times)
    g, slope0 = state.scores.gradient()
    worst = max(state.penalty(lam).violation(g, state.beta).max(), np.abs(slope0).max())
    found = solve_beta(problem, state, lam)
    assert kkt_violation(found, lam) <= 1e-5 * lam
    violations = [10.0 * accuracy for _, _, _, accuracy, _ in steps]
    assert violations[0] == pytest.approx(worst)
    assert steps[0][0] == 1
    kept = 0
    for k in range(1, len(steps)):
        again = steps[k][0] > steps[k - 1][0]
        slow = violations[k] > 0.3 * violations[k - 1]
        new_rows = bool((steps[k][2] & ~rows_of(steps, k)).any())
        assert again == (slow or new_rows)
        kept += not again
    assert kept > 0
    # After a step that was cut second derivatives are doubled, then they go back.
    bend = 1.0
    assert len(steps) - len(lengths) in (0, 1)  # the last may promise nothing
    for (*_, own), length in zip(steps, lengths, strict=False):
        assert own == pytest.approx(bend)
        bend = 2.0 * bend if length < 1.0 else max(bend / 1.5, 1.0)


def rows_of(steps, k):
    """The rows of which second derivatives were known before step k."""
    last = max(j for j in range(k) if j == 0 or steps[j][0] > steps[j - 1][0])
    return steps[last][2]


def test_damping_of_covariates_grows_until_it_is_the_whole_curvature(monkeypatch):
    values = np.random.default_rng(0).normal(size=(14, 2))
    lifts = []
    noting(
        monkeypatch,
        "newton_direction",
        lifts,
        lambda scores, moving, here, beta0, lam, lift, min_bend: lift,
    )
    monkeypatch.setattr(fast, "lowered", lambda *_: None)
    problem = problem_of(covariates=values)
    state = replace(empty_state(problem), gamma=np.ones(2))
    solve_beta(problem, state, 1e-3)
    bound = problem.graphs.curvature_bound()
    expected = [0.0, *np.geomspace(1e-6, 1.0, 7)]
    assert [lift.tolist() for lift in lifts] == [
        pytest.approx([part * bound] * 2) for part in expected
    ]
    # Without covariates there is nothing to damp: the first failure is the minimum.
    lifts.clear()
    problem = problem_of()
    solve_beta(problem, *grown(problem))
    assert lifts == [None]


def test_covariates_of_a_quadratic_loss_need_one_step():
    values = np.random.default_rng(0).normal(size=(14, 3))
    problem = problem_of(Squared(), covariates=values)
    state = solve_beta(problem, empty_state(problem), 1e-3, max_steps=1)
    rows = np.column_stack([values, np.ones(14)])
    y = targets(random_set(14, seed=4), Squared(), 1)
    best = rows @ np.linalg.lstsq(rows, y, rcond=None)[0]
    np.testing.assert_allclose(state.scores.f, best, rtol=1e-7, atol=1e-9)
    assert state.curved is None


def test_the_largest_slope_of_all_intercepts_counts():
    assert fast._largest(2.0) == 2.0
    assert fast._largest(np.array([1.0, 3.0, 2.0])) == 3.0


# Directions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_a_direction_leads_to_the_minimum_of_the_damped_model(unit):
    problem = problem_of(Squared(), unit=unit)
    state, lam = grown(problem)
    moving, damping = np.ones(len(state.names), dtype=bool), np.linspace(0.0, 2.0, len(state.names))
    start = unit * np.random.default_rng(0).normal(size=len(moving))
    for lift in (None, damping):
        state = replace(state, beta=start)
        Q, slopes = state.scores.quadratic(moving, 0.0)
        Q = Q + np.diag(np.append(np.zeros(len(start)) if lift is None else lift, 0.0))
        change, change0 = newton_direction(state.scores, moving, start, state.beta0, lam, lift, 0.0)
        slope = slopes - Q @ np.append(change, change0)
        assert L1(lam).violation(slope[:-1], start + change).max() <= 1e-8 * lam
        assert abs(slope[-1]) <= 1e-8 * lam
        assert (start + change != 0.0).any()


def test_where_one_matrix_serves_all_outputs_each_has_its_multiple(monkeypatch):
    scales = []
    monkeypatch.setattr(
        fast, "minimise_shared", lambda model, rows, scale, *_: scales.append(scale)
    )
    bends = SimpleNamespace(
        gradient=lambda: (np.zeros((1, 4)), np.zeros(4)),
        bends=lambda min_bend: np.array([0.4, 4.0, 400.0, 1e-3]),
    )

    def scale_of(across, bend):
        model = SimpleNamespace(across=np.array(across))
        curved = SimpleNamespace(model=model, positions=lambda moving: np.zeros(1, dtype=np.int32))
        moving = np.ones(1, dtype=bool)
        fast.shared_direction(
            curved, moving, bends, np.zeros((1, 4)), Shared(1.0, 1.0), None, bend, 1e-9
        )
        return scales[-1].tolist()

    assert scale_of([4.0], 1.0) == pytest.approx([0.1, 1.0, 2.0, 0.01])
    assert scale_of([4.0], 1.5) == pytest.approx([0.15, 1.5, 2.0, 0.015])
    assert scale_of([4.0] * 4, 1.5) == [1.5] * 4
    assert scale_of([4.0] * 4, 9.0) == [2.0] * 4


class Ray:
    """F of several outputs that is drawn along a ray, as `leapt` sees it."""

    def __init__(self, values):
        self.values, self.asked = values, []
        self.matched = self

    def scores(self, coef, beta0):
        self.asked.append((coef.copy(), beta0.copy()))
        value = self.values[len(self.asked) - 1]
        return SimpleNamespace(value=lambda: value - PENALTY.value(coef))


PENALTY = Shared(0.5, 1.0)


@pytest.mark.parametrize(
    ("values", "n_asked", "taken"),
    [
        ([2.0, 1.0, 0.5, 0.25, 0.125], 5, 5),
        ([2.0, 1.0, 5.0, 0.25], 3, 2),
        ([2.0, 2.0], 2, 1),
        ([3.0], 1, 0),
    ],
)
def test_a_leap_goes_on_as_long_as_it_lowers_the_objective(values, n_asked, taken):
    beta, beta0 = np.array([[1.0, 2.0], [0.0, -1.0]]), np.array([0.5, 0.25])
    ahead = np.array([[2.0, 4.0], [0.5, -1.0], [0.75, 0.0]])
    ray, here = Ray(values), (beta, beta0, "scores", 3.0)
    steps = SimpleNamespace(after=lambda start: ahead)
    found = fast.leapt(ray, PENALTY, steps, here)
    start = np.vstack([beta, beta0])
    places = [start + length * (ahead - start) for length in (0.1, 0.3, 1.0, 3.0, 10.0)]
    assert len(ray.asked) == n_asked
    for (coef, intercept), place in zip(ray.asked, places, strict=False):
        np.testing.assert_allclose(np.vstack([coef, intercept]), place)
    if taken == 0:
        assert found is here
    else:
        np.testing.assert_allclose(np.vstack(found[:2]), places[taken - 1])
        assert found[3] == pytest.approx(values[taken - 1])
    assert fast.leapt(ray, PENALTY, SimpleNamespace(after=lambda start: None), here) is here
