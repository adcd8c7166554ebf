"""Outputs that share graphlets: paths end at the global optimum, however they are computed."""

from __future__ import annotations

import numpy as np
import pytest
from path_tools import Everything
from shared_problems import KINDS, MAXPAT, RHO, SharedProblem, differences

from aglets.model.losses import JointLoss, Logistic, Squared, SquaredHinge
from aglets.training.engine import Goal, LocalPlacement, matched
from aglets.training.optim.quadratic import SharedModel
from aglets.training.optim.state import Curved, Problem, StoredState, empty_state
from aglets.training.path import Schedule, lagra_path


@pytest.mark.parametrize("seed", range(24))
def test_with_fixed_attributes_the_path_is_the_global_optimum(seed):
    assert differences(seed, n_lambdas=4) == []


def test_one_model_for_all_classes_ends_there_too(monkeypatch):
    monkeypatch.setattr(matched, "MANY_ENTRIES", 0)
    for seed in range(4):
        assert differences(seed, "classes", n_lambdas=4) == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_conditions_of_an_optimum_hold_for_every_pattern(kind):
    drawn = SharedProblem.draw(7, kind)
    psi = Everything.of(drawn.graphs, MAXPAT, RHO).psi
    noted = []
    schedule = Schedule(n_lambdas=3, lambda_min_ratio=0.1, learn_attributes=False)
    list(lagra_path(drawn.problem(), schedule, note=noted.append))
    for resume in noted:
        state, lam = resume.state, resume.points[-1].lam
        f = state.scores.f
        G = -(drawn.slow_loss.slope(drawn.targets, f, drawn.weights) @ psi).T
        # A pattern in use has the dual norm lambda at sharing 1, any other one less.
        assert state.penalty(lam).dual_norm(G).max() <= lam * (1.0 + 1e-5)
        g, slope0 = state.scores.gradient()
        assert state.penalty(lam).violation(g, state.coef).max(initial=0.0) <= 1e-5 * lam
        assert np.abs(slope0).max() <= 1e-5 * lam


@pytest.mark.parametrize("kind", KINDS)
def test_the_model_is_empty_at_lambda_max_and_not_just_below(kind):
    drawn = SharedProblem.draw(3, kind)
    first, second = drawn.path(n_lambdas=2, lambda_min_ratio=0.98)
    assert first.n_nonzero == 0
    assert second.n_nonzero > 0


@pytest.mark.parametrize("kind", KINDS)
def test_searches_that_prune_find_what_a_list_of_all_patterns_has(kind):
    drawn = SharedProblem.draw(5, kind)
    problem = drawn.problem()
    state = empty_state(problem)
    psi = Everything.of(drawn.graphs, MAXPAT, RHO).psi
    G = psi.T @ state.scores.residual.T
    norms = state.penalty(1.0).dual_norm(G)
    lam_max, _ = problem.graphs.lambda_max(state.scores)
    assert lam_max == pytest.approx(norms.max(), rel=1e-10)
    found = problem.graphs.search(state.scores, 0.5 * lam_max)
    assert len(found.nodes) == (norms > 0.5 * lam_max).sum()
    np.testing.assert_allclose(np.sort(found.norms), np.sort(norms[norms > 0.5 * lam_max]))


@pytest.mark.parametrize("kind", KINDS)
def test_threads_change_no_bit(kind):
    drawn = SharedProblem.draw(8, kind)
    schedule = {"learn_attributes": True, "n_lambdas": 4, "max_epochs": 5}
    one, two = (drawn.path(drawn.problem(n_jobs=n), **schedule)[-1] for n in (1, 2))
    assert one.beta.tobytes() == two.beta.tobytes()
    assert one.z.tobytes() == two.z.tobytes()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_shards", [2, 3])
def test_shards_give_the_same_path(kind, n_shards):
    drawn = SharedProblem.draw(9, kind)
    for learn, accuracy in ((False, 1e-9), (True, 1e-5)):
        schedule = {"learn_attributes": learn, "n_lambdas": 4, "max_epochs": 5}
        one, other = (drawn.path(drawn.problem(n_shards=n), **schedule) for n in (0, n_shards))
        for mine, theirs in zip(one, other, strict=True):
            assert theirs.objective == pytest.approx(mine.objective, rel=accuracy)
            assert theirs.train_score == pytest.approx(mine.train_score)


@pytest.mark.parametrize("loss", [SquaredHinge(), Logistic(), Squared()], ids=repr)
@pytest.mark.parametrize("sharing", [0.0, 0.6, 1.0])
def test_with_one_output_it_is_the_l1_problem(loss, sharing):
    drawn = SharedProblem.draw(0, "classes")
    y = drawn.targets[:1]
    sample = type(drawn.sample)(drawn.graphs, y, np.ones(len(drawn.graphs)), drawn.weights[:1])
    tree = drawn.problem().graphs.placement.tree
    schedule = Schedule(n_lambdas=5, lambda_min_ratio=0.05, learn_attributes=False)
    goals = [
        Goal(loss, RHO, MAXPAT, 0),
        Goal(JointLoss([(slice(0, 1), loss)]), RHO, MAXPAT, None, sharing=sharing),
    ]
    alone, shared_path = (
        list(lagra_path(Problem.of(LocalPlacement(sample, tree), goal), schedule)) for goal in goals
    )
    for one, other in zip(alone, shared_path, strict=True):
        assert other.lam == pytest.approx(one.lam, rel=1e-12)
        assert other.objective == pytest.approx(one.objective, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_every_epoch_lowers_the_objective(kind):
    drawn = SharedProblem.draw(4, kind)
    problem = drawn.problem()
    points = drawn.path(problem, learn_attributes=True, n_lambdas=3, max_epochs=8)
    fixed = drawn.path(n_lambdas=3)
    assert points[-1].objective <= fixed[-1].objective * (1.0 + 1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_paper_solver_reaches_nearly_the_same_objective(kind):
    drawn = SharedProblem.draw(6, kind)
    fast = drawn.path(n_lambdas=2, lambda_min_ratio=0.3)
    paper = drawn.path(n_lambdas=2, lambda_min_ratio=0.3, solver="paper", tol=1e-9, max_epochs=2000)
    assert paper[-1].objective == pytest.approx(fast[-1].objective, rel=1e-4)


def test_a_stored_state_is_revived_to_the_last_bit():
    drawn = SharedProblem.draw(2)
    problem = drawn.problem()
    noted = []
    schedule = Schedule(n_lambdas=3, lambda_min_ratio=0.1, max_epochs=4)
    list(lagra_path(problem, schedule, note=noted.append))
    state = noted[-1].state
    again = StoredState.of(state).revived(problem)
    assert again.scores.value() == state.scores.value()
    assert again.penalty(1.0).value(again.coef) == state.penalty(1.0).value(state.coef)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_in_attributes_match_finite_differences(kind):
    drawn = SharedProblem.draw(11 if kind != "tasks" else 12, kind)
    problem = drawn.problem()
    noted = []
    schedule = Schedule(n_lambdas=2, lambda_min_ratio=0.3, max_epochs=2)
    list(lagra_path(problem, schedule, note=noted.append))
    state = noted[-1].state
    active = state.in_use
    z = state.z[state.z_of(active)]
    gradient = state.scores.z_gradient(active, z, state.beta[active])
    for j in range(min(len(z), 6)):
        values = []
        for sign in (-1.0, 1.0):
            moved = z.copy()
            moved[j] += sign * 1e-6
            there = state.matched.moved(active, moved).scores(state.coef, state.beta0)
            values.append(there.value())
        slope = (values[1] - values[0]) / 2e-6
        assert gradient[j] == pytest.approx(slope, rel=1e-4, abs=1e-6)


def test_second_derivatives_from_before_serve_rows_that_they_are_of():
    known = Curved(np.array([True, False, True, True]), SharedModel.of(np.eye(4)))
    assert known.covers(np.array([True, False, False, True]))
    assert known.covers(np.array([True, False, False, True, False]))  # one came behind
    assert not known.covers(np.array([False, True, False, False]))
    assert not known.covers(np.array([True, False, False, True, True]))
    # The rows of the model are coefficients 0, 2 and 3.
    assert known.positions(np.array([True, False, False, True])).tolist() == [0, 2]
