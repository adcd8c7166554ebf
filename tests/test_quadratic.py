"""Quadratic functions with an L1 term are minimised whatever their columns look like."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aglets.training.optim import quadratic
from aglets.training.optim.penalty import Shared
from aglets.training.optim.quadratic import (
    SharedModel,
    minimise_quadratic,
    minimise_shared,
    newton_step,
    solved_on_support,
)


def problem(seed: int, n_columns: int, collinear: float) -> tuple[np.ndarray, ...]:
    """Make columns that share a direction with an unpenalised one, as psi near 1 do."""
    rng = np.random.default_rng(seed)
    columns = 1.0 + (1.0 - collinear) * rng.normal(size=(n_columns, 40))
    rows = np.vstack([columns, np.ones(40)])
    target = rng.normal(size=40)
    penalty = np.append(np.full(n_columns, 0.05 * (1.0 - collinear) * 40), 0.0)
    return rows @ rows.T, rows @ target, penalty, rng.normal(size=n_columns + 1)


def violation(Q: np.ndarray, q: np.ndarray, penalty: np.ndarray, b: np.ndarray) -> float:
    """Distance of the negative gradient from the subdifferential of the L1 term, at worst."""
    slope = q - Q @ b
    at_zero = np.maximum(np.abs(slope) - penalty, 0.0)
    return float(np.where(b != 0.0, np.abs(slope - penalty * np.sign(b)), at_zero).max())


@given(st.integers(0, 10**6), st.integers(1, 39), st.sampled_from([0.0, 0.9, 0.999]))
def test_the_subgradient_vanishes_at_the_minimum(seed, n_columns, collinear):
    Q, q, penalty, start = problem(seed, n_columns, collinear)
    b = minimise_quadratic(Q, q, penalty, start, 1e-11)
    assert violation(Q, q, penalty, b) <= 1e-7 * np.abs(q).max()


@pytest.mark.parametrize("n_copies", [2, 5])
def test_equal_columns_do_no_harm(n_copies):
    Q, q, penalty, start = problem(0, 6, 0.0)
    twice = np.tile(np.arange(7), n_copies)
    b = minimise_quadratic(
        Q[np.ix_(twice, twice)].copy(), q[twice], penalty[twice], start[twice], 1e-11
    )
    assert violation(Q[np.ix_(twice, twice)], q[twice], penalty[twice], b) <= 1e-7


def test_nothing_enters_where_the_penalty_is_large():
    Q, q, _, start = problem(1, 8, 0.0)
    assert not minimise_quadratic(Q, q, np.full(9, 2 * np.abs(q).max()), start, 1e-12).any()


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_a_singular_block_shares_its_step_and_one_that_is_not_is_solved_as_it_is(unit):
    np.testing.assert_allclose(newton_step(np.full((2, 2), unit), np.full(2, unit)), 0.5, rtol=1e-3)
    nearly = unit * np.array([1.0, 1e-9])
    np.testing.assert_allclose(newton_step(np.diag(nearly), nearly), [1.0, 1.0], rtol=1e-12)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_lifted_rows_bend_more_and_intercepts_follow(n_outputs):
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.normal(size=(5, 30)), np.ones(30)])
    Q = np.stack([(rows * bend) @ rows.T for bend in rng.uniform(0.1, 1.0, (n_outputs, 30))], 2)
    chosen, lift = np.array([0, 2, 3], dtype=np.int32), np.array([0.0, 3.0, 50.0])
    slopes, B = rng.normal(size=(4, n_outputs)), rng.normal(size=(3, n_outputs))
    change, change0 = minimise_shared(
        SharedModel.of(Q).lifted(chosen, lift),
        chosen,
        np.ones(n_outputs),
        slopes,
        Shared(0.0, 1.0),
        B,
        1e-12,
    )
    for output in range(n_outputs):
        block = Q[np.ix_([0, 2, 3, 5], [0, 2, 3, 5])][:, :, output] + np.diag([*lift, 0.0])
        found = np.append(change[:, output], change0[output])
        np.testing.assert_allclose(found, np.linalg.solve(block, slopes[:, output]), atol=1e-8)


def test_the_first_coefficient_to_reach_zero_leaves_the_support_alone(monkeypatch):
    monkeypatch.setattr(quadratic, "MAX_CHANGES", 1)
    # On the way from 1 to -1 and to -1/4: half of it leads the first one to zero.
    b = solved_on_support(np.eye(2), np.array([0.0, 0.75]), np.ones(2), np.ones(2))
    assert b.tolist() == [0.0, 0.375]


@pytest.mark.parametrize("seed", range(10))
def test_what_violates_most_enters_the_support_with_the_sign_of_its_slope(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(6, 20))
    Q, q = rows @ rows.T, 10.0 * rng.normal(size=6)
    penalty = np.append(rng.uniform(1.0, 8.0, 5), 0.0)
    alone = np.append(np.zeros(5), q[5] / Q[5, 5])
    slope = q - Q @ alone
    worst = int((np.abs(slope) - penalty)[:5].argmax())
    pair, sign = [worst, 5], np.sign(slope[worst])
    expected = np.zeros(6)
    expected[pair] = np.linalg.solve(Q[np.ix_(pair, pair)], q[pair] - [sign * penalty[worst], 0.0])
    assert abs(slope[worst]) > penalty[worst]
    monkeypatch.setattr(quadratic, "MAX_CHANGES", 2)
    np.testing.assert_allclose(solved_on_support(Q, q, penalty, np.zeros(6)), expected)


@pytest.mark.parametrize("times", [1.9, 3.0, 6.0])
def test_a_step_is_taken_only_if_it_lowers_the_function(times, monkeypatch):
    """Where rounding spoils a step it may lead too far; here it is so many times too long."""
    Q, q, penalty, start = np.eye(1), np.ones(1), np.full(1, 1.0 / 3.0), np.ones(1)

    def value(b):
        return float(0.5 * b @ Q @ b - q @ b + penalty @ np.abs(b))

    monkeypatch.setattr(quadratic, "MAX_CHANGES", 1)
    monkeypatch.setattr(quadratic, "newton_step", lambda block, slope: times * slope)
    b = solved_on_support(Q, q, penalty, start)
    assert (value(b) < value(start)) == (times < 2.0)
    assert (b == start).all() == (times > 2.0)
