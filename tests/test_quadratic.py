"""Quadratic functions with an L1 term are minimised whatever their columns look like."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aglets.training.optim.quadratic import minimise_quadratic


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
