"""Steps in z: which graphlets move, how far, and when a step is short enough."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from solver_problems import grown, noting, problem_of

from aglets.training.optim import fast
from aglets.training.optim.fast import most_promising, solve_beta, step_lengths, step_z


def test_the_fewest_are_chosen_that_promise_a_share():
    rng = np.random.default_rng(0)
    for _ in range(50):
        promised = rng.choice([0.0, 0.25, 0.5, 1.0, 4.0], 6)
        for share in (0.1, 0.5, 0.97, 2.0):
            chosen = most_promising(promised, share)
            left_out = promised[~chosen]
            assert (promised[chosen] > 0.0).all()
            if promised.any():
                reached = promised[chosen].sum()
                assert reached >= min(share, 1.0) * promised.sum()
                assert reached - promised[chosen].min() < share * promised.sum()
                assert left_out.max(initial=0.0) <= promised[chosen].min()
    assert most_promising(np.array([2.0, 1.0, 1.0]), 0.5).tolist() == [True, False, False]


@pytest.mark.parametrize("size", [1e-9, 0.5, 1e9])
def test_no_step_in_z_is_longer_than_psi_is_wide(size):
    problem = problem_of(rho=1e-4)
    state = solve_beta(problem, *grown(problem))
    active = state.in_use
    z = state.z[state.z_of(active)]
    owner = np.repeat(np.arange(active.sum()), state.sizes[active])
    gradient = size * np.random.default_rng(0).normal(size=len(z))
    kappa = state.scores.z_curvature(active, state.beta[active])
    expected = [
        min(1.0 / kappa[j], 100.0 / np.linalg.norm(gradient[owner == j])) for j in range(len(kappa))
    ]
    np.testing.assert_allclose(step_lengths(problem, state, active, z, gradient), expected)
    # Where the gradient did not change, curvature says nothing: the longest step is taken.
    still = np.full(len(state.z), np.nan)
    still[state.z_of(active)] = gradient
    for shift in (0.0, 1e-3):
        before = replace(state, z_before=state.z - shift, z_gradient_before=still)
        lengths = step_lengths(problem, before, active, z, gradient)
        farthest = [100.0 / np.linalg.norm(gradient[owner == j]) for j in range(len(kappa))]
        np.testing.assert_allclose(lengths, np.minimum(30.0 / kappa, farthest))


class Falling:
    """Stands for `rematched`: F falls by so many parts of what was promised, per trial."""

    def __init__(self, state, parts, monkeypatch):
        self.state, self.parts, self.moved, self.promised = state, list(parts), [], []
        noting(monkeypatch, "most_promising", self.promised)
        monkeypatch.setattr(fast, "rematched", self)
        self.value = state.scores.value()

    def __call__(self, state, moving, z):
        self.moved.append((moving.copy(), z.copy()))
        promised = self.promised[0][0]
        decrease = promised[most_promising(promised, 0.97)].sum()
        fall = self.parts[len(self.moved) - 1] * decrease
        there = replace(state, z=state.z)
        there.__dict__["_scores"] = SimpleNamespace(value=lambda: self.value - fall)
        return there


@pytest.mark.parametrize("weight", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize(
    ("start", "parts", "end"),
    [
        (1.0, [2e-4], 1.0),
        (0.09, [1e-5], 0.3),
        (0.09, [0.0, 5e-6], 0.027),
        (1.0, [0.9e-4, 0.35e-4], 0.3),
        (1.0, [-1.0, 0.29e-4, 0.1e-4], 0.09),
        (1.0, [0.0] * 8, None),
    ],
)
def test_a_step_in_z_is_shortened_until_it_keeps_a_part_of_its_promise(
    start, parts, end, weight, monkeypatch
):
    problem = problem_of(weight=weight)
    state = replace(solve_beta(problem, *grown(problem)), z_step=start)
    falling = Falling(state, parts, monkeypatch)
    found = step_z(problem, state)
    assert len(falling.moved) == len(parts)
    if end is None:
        assert found.z_before is None
        return
    assert found.z_step == pytest.approx(end)
    # Steps are down the gradient, each so long as it is said, and shortened by 0.3.
    [(promised, share)] = falling.promised
    assert share == 0.97
    active = state.in_use
    gradient = fast.z_gradient(state, active)
    lengths = step_lengths(problem, state, active, state.z[state.z_of(active)], gradient)
    owner = np.repeat(np.arange(active.sum()), state.sizes[active])
    each = [lengths[j] * (gradient[owner == j] ** 2).sum() for j in range(active.sum())]
    np.testing.assert_allclose(promised, each)
    whole = np.zeros(len(state.z))
    whole[state.z_of(active)] = -lengths[owner] * gradient
    for trial, (moving, z) in enumerate(falling.moved):
        mask = state.z_of(moving)
        np.testing.assert_allclose(z, state.z[mask] + start * 0.3**trial * whole[mask])


def test_graphlets_that_promise_next_to_nothing_or_are_not_in_use_rest(monkeypatch):
    problem = problem_of()
    state = solve_beta(problem, *grown(problem))
    used = np.flatnonzero(state.in_use)
    assert len(used) > 3
    beta = state.beta.copy()
    beta[used[0]] = 0.0
    state, active = replace(state, beta=beta), used[1:]
    norms = [np.sum(g**2) for g in np.split(*split_at(state, active))]

    def lengths_of(*_):
        return np.array([1e-2] + [1e-5] * (len(active) - 1)) / norms

    monkeypatch.setattr(fast, "step_lengths", lengths_of)
    moved = step_z(problem, state)
    owner = np.repeat(np.arange(len(state.sizes)), state.sizes)
    far = np.bincount(owner, weights=(moved.z - state.z) ** 2)
    assert np.flatnonzero(far).tolist() == [active[0]]


def split_at(state, active):
    """The gradient of graphlets in use, and where that of the next one begins."""
    return fast.z_gradient(state, state.in_use), np.cumsum(state.sizes[active])[:-1]
