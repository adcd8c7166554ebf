"""Small parts of the solvers, each held against its own definition."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from types import SimpleNamespace

import numpy as np
import pytest
from path_tools import placed, random_set, targets

from aglets import mining
from aglets.model.losses import SquaredHinge
from aglets.training.engine import Goal
from aglets.training.optim import fast
from aglets.training.optim.extrapolation import Extrapolation
from aglets.training.optim.fast import (
    EXACT,
    KKT_TOLERANCE,
    MAX_ENTERING,
    is_twin,
    let_violators_enter,
    lowered,
    next_damping,
    solve_beta,
    step_lengths,
    step_z,
    worst_first,
)
from aglets.training.optim.penalty import L1, Shared
from aglets.training.optim.quadratic import (
    SharedModel,
    minimise_shared,
    newton_step,
    solved_on_support,
)
from aglets.training.optim.solver import Progress
from aglets.training.optim.state import Problem, empty_state
from aglets.training.path import Schedule, _Epochs, lagra_path, lambda_grid

# Quadratic functions -----------------------------------------------------------------------------


def quadratic(seed: int, n: int = 6, collinear: float = 0.0):
    """A convex quadratic with an L1 term, and one coefficient without a penalty."""
    rng = np.random.default_rng(seed)
    rows = collinear + (1.0 - collinear) * rng.normal(size=(n, 20))
    q = rows @ rng.normal(size=20)
    return rows @ rows.T, q, np.append(np.full(n - 1, 0.3 * np.abs(q).max()), 0.0)


def violation(Q, q, penalty, b) -> float:
    slope = q - Q @ b
    at_zero = np.maximum(np.abs(slope) - penalty, 0.0)
    return float(np.where(b != 0.0, np.abs(slope - penalty * np.sign(b)), at_zero).max())


@pytest.mark.parametrize("seed", range(20))
def test_mending_the_support_alone_arrives_at_the_minimum(seed):
    Q, q, penalty = quadratic(seed)
    for start in (np.zeros(6), np.random.default_rng(seed).normal(size=6)):
        b = solved_on_support(Q, q, penalty, start)
        assert violation(Q, q, penalty, b) <= 1e-12 * np.abs(q).max()


@pytest.mark.parametrize("seed", range(5))
def test_the_unit_of_a_quadratic_function_does_not_matter(seed):
    Q, q, penalty = quadratic(seed)
    small, start = 2.0**-20, np.ones(6)
    expected = solved_on_support(Q, q, penalty, start)
    found = solved_on_support(small * Q, small * q, small * penalty, start)
    np.testing.assert_array_equal(found, expected)


def test_equal_columns_leave_the_support_but_one():
    Q, q, penalty = quadratic(3)
    twice = np.append(np.repeat(np.arange(5), 2), 5)
    Q, q, penalty = Q[np.ix_(twice, twice)], q[twice], penalty[twice]
    b = solved_on_support(Q, q, penalty, np.ones(11))
    assert violation(Q, q, penalty, b) <= 1e-7 * np.abs(q).max()
    assert (b[:10].reshape(5, 2) != 0.0).sum(axis=1).max() <= 1


def test_a_newton_step_solves_its_equations_and_is_nothing_where_there_is_no_answer():
    Q, q, _ = quadratic(0)
    np.testing.assert_allclose(Q @ newton_step(Q, q), q)
    assert not newton_step(-np.eye(3), np.ones(3)).any()


@pytest.mark.parametrize("one_matrix", [True, False])
def test_without_a_penalty_several_outputs_solve_their_equations(one_matrix):
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.normal(size=(4, 30)), np.ones(30)])
    bends = rng.uniform(0.001, 0.02, (3, 30))  # the intercept then bends less than 1
    bends[1:] = bends[0] if one_matrix else bends[1:]
    Q = np.stack([(rows * bend) @ rows.T for bend in bends[: 1 if one_matrix else 3]], axis=2)
    scale, slopes = np.array([0.5, 1.0, 2.0]), rng.normal(size=(5, 3))
    change, change0 = minimise_shared(
        SharedModel.of(Q),
        np.arange(4, dtype=np.int32),
        scale,
        slopes,
        Shared(0.0, 1.0),
        np.zeros((4, 3)),
        1e-13,
    )
    for output in range(3):
        own = scale[output] * Q[:, :, 0 if one_matrix else output]
        found = np.append(change[:, output], change0[output])
        np.testing.assert_allclose(own @ found, slopes[:, output], atol=1e-8)


def test_intercepts_that_do_not_bend_stay():
    Q = np.zeros((2, 2, 1))
    Q[0, 0] = 1.0
    model, rows = SharedModel.of(Q), np.zeros(1, dtype=np.int32)
    found = minimise_shared(
        model, rows, np.ones(1), np.ones((2, 1)), Shared(0.0, 1.0), np.zeros((1, 1)), 1e-12
    )
    assert found[0].tolist() == [[1.0]]
    assert found[1].tolist() == [0.0]


# Steps -------------------------------------------------------------------------------------------


@dataclass
class Slope:
    """Stands for scores whose loss is a function of how far a step went."""

    value_at: object
    length: float = 0.0

    def at(self, length: float) -> Slope:
        return replace(self, length=length)

    def value(self) -> float:
        return self.value_at(self.length)


def test_a_step_is_shortened_until_it_lowers_the_objective_by_a_part_of_what_it_promised():
    def step(value_at):
        return lowered(Slope(value_at), np.zeros(1), np.ones(1), L1(0.0), 1.0, 1.0)

    assert step(lambda length: 1.0 + 1e-5 * length) is None  # it rises, by less than is asked for
    assert step(lambda length: 1.0 - 1e-5 * length) is None  # it falls, by less than is asked for
    assert step(lambda length: 1.0 - 1e-3 * length)[0] == 1.0
    assert step(lambda length: 1.0 - 1e-4 * length)[0] == 1.0
    assert step(lambda length: 1.0 if length > 0.25 else 1.0 - 2e-4)[0] == 0.25
    length, moved, _, reached = step(lambda length: 1.0 - length * (0.4 - length))
    assert (length, moved.tolist(), reached) == (0.25, [0.25], 1.0 - 0.25 * 0.15)


@pytest.mark.parametrize("promised", [0.01, 1.0, 100.0])
def test_the_part_is_one_of_what_was_promised_and_the_penalty_counts(promised):
    def step(fall, lam=0.0):
        penalty = L1(lam)
        line, value = Slope(lambda length: promised * (1.0 - fall * length)), promised
        value += penalty.value(np.ones(1))
        return lowered(line, np.ones(1), np.full(1, 0.5), penalty, value, promised)

    assert step(0.9e-4) is None
    assert step(1.1e-4)[0] == 1.0
    _, moved, _, reached = step(1.0, 0.25 * promised)
    assert moved.tolist() == [1.5]
    assert reached == pytest.approx(0.375 * promised)


def test_what_rounding_leaves_of_a_row_is_zero_and_a_row_with_one_entry_is_not():
    change = np.array([[1.0, 0.0], [1e-12, 1e-12]])
    found = lowered(Slope(lambda length: 0.0), np.zeros((2, 2)), change, Shared(0.0, 1.0), 1.0, 1.0)
    assert found[1].tolist() == [[1.0, 0.0], [0.0, 0.0]]
    sizes = 1e-3 * np.array([1.0, 5e-9, 1e-10, 9e-11])
    change = np.column_stack([np.zeros(4), sizes])
    found = lowered(Slope(lambda length: 0.0), np.zeros((4, 2)), change, Shared(0.0, 1.0), 1.0, 1.0)
    assert found[1][:, 1].tolist() == [*sizes[:2], 0.0, 0.0]


def test_damping_grows_after_cut_steps_and_goes_after_whole_ones():
    assert next_damping(0.0, 0.01) == 1e-6
    assert next_damping(1e-3, 0.01) == 1e-2
    assert next_damping(1e-3, 0.2) == 1e-3
    assert next_damping(1e-3, 1.0) == 1e-4
    assert next_damping(1e-6, 1.0) == 0.0


def test_steps_creep_if_they_do_not_halve_a_violation_that_is_small_enough():
    lam, several = 1e-3, Shared(1.0, 1.0)  # a violation of 1e-9 is small enough
    past = [np.inf, *[1e-9] * 8]
    assert fast._creeps(past, 0.9e-9, lam, several)
    assert not fast._creeps(past, 0.9e-9, lam, L1(1.0))
    assert not fast._creeps(past, 1.1e-9, lam, several)
    assert fast._creeps(past, KKT_TOLERANCE * lam, lam, several)
    assert not fast._creeps(past, 0.5e-9, lam, several)
    assert not fast._creeps(past[:8], 0.9e-9, lam, several)
    assert not fast._creeps([1e-9] * 8, 0.9e-9, lam, several)
    assert not fast._creeps([np.inf, 4e-9, *[1e-9] * 7], 0.9e-9, lam, several)


def test_what_is_left_of_a_minimum_is_the_violation_times_the_length_of_rows():
    beta, violations = np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([1e-9, 1.0])
    assert fast._is_near(Shared(1.0, 1.0), violations, beta, 1.0)  # 5e-9 of 1
    assert not fast._is_near(Shared(1.0, 1.0), violations, beta, 0.4)
    assert fast._is_near(L1(1.0), violations, beta[:, 0], 0.0)
    assert fast._is_near(Shared(1.0, 1.0), np.array([1e-8]), np.array([[1.0, 0.0]]), 1.0)


def test_extrapolation_sees_where_shrinking_steps_lead():
    ahead, x = Extrapolation(), np.array([1.0, 8.0, 0.0])
    found = []
    for _ in range(12):
        x = np.array([0.9, 0.5, 1.0]) * x
        found.append(ahead.after(x))
    assert [number for number, one in enumerate(found) if one is not None] == [5, 11]
    assert np.abs(found[5]).max() < 1e-3
    assert found[5][2] == 0.0
    # To where they lead, which need not be zero; but what is zero in the end stays zero.
    ahead, ends = Extrapolation(), np.array([3.0, -2.0, 0.0])
    for number in range(6):
        found = ahead.after(ends + np.array([0.9**number, 8.0 * 0.5**number, 0.0]))
    np.testing.assert_allclose(found, [3.0, -2.0, 0.0], atol=1e-3)
    ahead = Extrapolation()
    for number in range(6):
        found = ahead.after(np.array([1.0 + 0.9**number, 0.0 if number == 5 else 2.0]))
    assert found[1] == 0.0


def test_extrapolation_gives_nothing_where_nothing_moves_or_numbers_overflow():
    ahead = Extrapolation()
    assert [ahead.after(np.ones(2)) for _ in range(6)] == [None] * 6
    ahead, x = Extrapolation(), np.array([1.0, 8.0])
    found = []
    for _ in range(6):
        x = np.array([0.9, 0.5]) * x
        with np.errstate(over="ignore", invalid="ignore"):
            found.append(ahead.after(np.append(x, 1.7e308)))
    assert found == [None] * 6


# The working set ---------------------------------------------------------------------------------


def test_the_worst_come_first_and_of_equal_ones_the_largest():
    violations = np.array([1.0, 3.0, 3.0 + 1e-12, 3.0, 2.0])
    assert worst_first(violations, np.array([1, 2, 2, 3, 1])).tolist() == [3, 1, 2, 4, 0]
    assert worst_first(violations + 1e-6 * np.arange(5), np.ones(5)).tolist() == [3, 2, 1, 4, 0]


def test_a_twin_has_the_pattern_and_the_violation_of_the_one_before():
    names, violations = np.array([3, 4, 6, 7]), np.array([2.0, 2.0, 1.5, 1.4])
    assert is_twin(names, violations).tolist() == [False, True, False, False]
    assert not is_twin(np.array([0, 8, 16]), np.full(3, 2.0)).any()


def problem_of(*, rho=0.3):
    loss, graphs = SquaredHinge(), random_set(12, seed=4)
    tree = mining.Tree(graphs, maxpat=3)
    return Problem.of(placed(graphs, targets(graphs, loss, 1), tree), Goal(loss, rho, 3))


def test_nothing_enters_at_lambda_max_and_something_does_below():
    problem = problem_of()
    state = empty_state(problem)
    lam_max, size = problem.graphs.lambda_max(state.scores)
    none = let_violators_enter(problem, Progress(state), lam_max)
    assert (none.n_added, none.n_searches, none.reach) == (0, 1, 0)
    some = let_violators_enter(problem, none, lam_max * (1.0 - 1e-5))
    assert 0 < some.n_added <= MAX_ENTERING
    assert (some.n_searches, some.reach) == (2, size)
    assert len(some.state.names) == some.n_added
    many = let_violators_enter(problem, none, 0.01 * lam_max)
    assert many.n_added == MAX_ENTERING


def test_a_solver_that_did_nothing_cost_nothing():
    idle = Progress(None)
    assert not any(getattr(idle, one.name) for one in fields(idle)[1:])


def test_a_solution_is_left_as_it_is():
    problem = problem_of()
    state = empty_state(problem)
    lam = 0.3 * problem.graphs.lambda_max(state.scores)[0]
    solved = solve_beta(problem, let_violators_enter(problem, Progress(state), lam).state, lam)
    again = solve_beta(problem, solved, lam)
    np.testing.assert_array_equal(again.beta, solved.beta)
    g, slope0 = again.scores.gradient()
    assert again.penalty(lam).violation(g, again.beta).max() <= EXACT * lam
    assert abs(slope0) <= EXACT * lam


def test_rows_that_enter_at_once_grow_with_the_rows_in_use():
    beta = np.zeros((150, 2))
    beta[:100] = 1.0
    g = np.column_stack([np.linspace(2.0, 4.0, 150), np.zeros(150)])
    moving = Shared(1.0, 1.0).moving(g, beta)
    assert np.flatnonzero(~moving).tolist() == list(range(100, 130))  # 20 of 50, the worst


# Attributes --------------------------------------------------------------------------------------


def grown(problem):
    state = empty_state(problem)
    lam = 0.3 * problem.graphs.lambda_max(state.scores)[0]
    return solve_beta(problem, let_violators_enter(problem, Progress(state), lam).state, lam)


def test_first_lengths_are_the_reciprocal_of_the_bound_on_the_curvature():
    problem = problem_of(rho=1e-4)
    state = grown(problem)
    active = state.in_use
    z = state.z[state.z_of(active)]
    gradient = 1e-9 * np.ones(len(z))  # far too small to meet the bound on the distance
    lengths = step_lengths(problem, state, active, z, gradient)
    kappa = state.scores.z_curvature(active, state.beta[active])
    np.testing.assert_allclose(lengths, 1.0 / kappa)


def test_later_lengths_are_barzilai_and_borweins_within_their_range():
    problem = problem_of(rho=1e-4)
    state = grown(problem)
    active = state.in_use
    z = state.z[state.z_of(active)]
    first = 1.0 / state.scores.z_curvature(active, state.beta[active])
    wanted = np.resize([0.01, 2.0, 100.0], len(first)) * first
    moved = 1e-9 * np.ones(len(z))
    bent = moved / np.repeat(wanted, state.sizes[active])

    def full(values):
        whole = np.full(len(state.z), np.nan)
        whole[state.z_of(active)] = values
        return whole

    gradient = 2.0 * bent
    known = replace(state, z_before=full(z - moved), z_gradient_before=full(gradient - bent))
    lengths = step_lengths(problem, known, active, z, gradient)
    np.testing.assert_allclose(lengths / first, np.clip(wanted / first, 0.1, 30.0), rtol=1e-6)


def test_no_attribute_moves_farther_than_psi_is_wide():
    problem = problem_of(rho=4.0)
    state = grown(problem)
    moved = step_z(problem, replace(state, z_step=1.0))
    owner = np.repeat(np.arange(len(state.sizes)), state.sizes)
    far = np.sqrt(np.bincount(owner, weights=(moved.z - state.z) ** 2))
    assert far.max() > 0.0
    assert far.max() <= (1.0 + 1e-12) / np.sqrt(4.0)


def test_attributes_stay_where_no_step_lowers_the_loss(monkeypatch):
    problem = problem_of()
    state = grown(problem)
    value = state.scores.value()
    rise = SimpleNamespace(scores=SimpleNamespace(value=lambda: value * (1.0 + 1e-12)))
    monkeypatch.setattr(fast, "rematched", lambda *_: rise)
    moved = step_z(problem, state)
    np.testing.assert_array_equal(moved.z, state.z)
    assert moved.z_before is None


# When a lambda ends ------------------------------------------------------------------------------


def test_a_lambda_ends_when_the_objective_stands_still_nothing_entered_and_conditions_hold():
    problem = problem_of()
    state = grown(problem)
    lam = 0.3 * problem.graphs.lambda_max(empty_state(problem).scores)[0]

    def ends(before, now, *, tol=1e-4, n_added=0, state=state, lam=lam):
        epochs = _Epochs(problem, Schedule(tol=tol), None, None)
        return epochs._converged(Progress(state, n_added=n_added), lam, before, now)

    assert ends(100.0, 99.995)
    assert not ends(100.0, 99.98)
    assert not ends(100.0, 99.995, n_added=1)
    assert not ends(100.0, 99.995, lam=1.01 * lam)
    assert ends(100.0, 99.995, lam=lam * (1.0 + 1e-5))
    assert ends(100.0, 100.0, tol=0.0, state=empty_state(problem))


def test_lambdas_are_evenly_spaced_in_logarithm():
    np.testing.assert_allclose(lambda_grid(8.0, 4, 0.125), [8.0, 4.0, 2.0, 1.0])


def test_along_a_path_the_reach_is_the_largest_violator_met_so_far():
    noted, schedule = [], Schedule(n_lambdas=6, lambda_min_ratio=0.1, learn_attributes=False)
    points = list(lagra_path(problem_of(), schedule, note=noted.append))
    reaches = [resume.reach for resume in noted]
    assert [len(resume.points) for resume in noted] == list(range(1, 7))
    assert reaches == sorted(reaches)
    assert reaches[-1] == max(len(one.labels) for one in noted[-1].state.patterns)
    again = []
    rest = list(lagra_path(problem_of(), schedule, resume=noted[2], note=again.append))
    assert again[0] is noted[2]
    assert [resume.reach for resume in again[1:]] == reaches[3:]
    assert rest[:3] == points[:3]
