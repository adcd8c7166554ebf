"""The penalty of several outputs: its parts agree with its definition, and with L1 for one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from reference import shared
from reference.channels import penalty_norm
from scipy.optimize import minimize

from aglets import _core
from aglets.training.optim.penalty import L1, Shared

SHARINGS = (0.0, 0.4, 1.0)


@pytest.mark.parametrize("sharing", SHARINGS)
def test_prox_is_the_minimiser_of_its_definition(sharing):
    rng = np.random.default_rng(0)
    penalty = Shared(0.7, sharing)
    for _ in range(10):
        beta = 2.0 * rng.normal(size=(1, 3))
        found = penalty.prox(beta, 0.8)

        def cost(b, beta=beta):
            return 0.5 * ((b - beta[0]) ** 2).sum() + 0.8 * penalty.value(b[None])

        best = minimize(cost, found[0] + 0.1, method="Nelder-Mead", options={"fatol": 1e-12})
        assert cost(found[0]) <= best.fun + 1e-9


@pytest.mark.parametrize("sharing", SHARINGS)
def test_parts_equal_slow_code(sharing):
    rng = np.random.default_rng(1)
    beta, g = rng.normal(size=(2, 8, 3))
    beta[[0, 3]] = 0.0
    beta[5, 1] = 0.0
    penalty = Shared(0.6, sharing)
    assert penalty.value(beta) == pytest.approx(shared.penalty(beta, 0.6, sharing))
    np.testing.assert_allclose(penalty.prox(beta, 0.5), shared.prox(beta, 0.3, sharing))
    expected = shared.violations(g, beta, 0.6, sharing)
    np.testing.assert_allclose(penalty.violation(g, beta), expected, atol=1e-12)
    norms = [penalty_norm(row, sharing) for row in g]
    np.testing.assert_allclose(penalty.dual_norm(g), norms)
    np.testing.assert_array_equal(
        penalty.moving(g, beta), (beta != 0.0).any(axis=1) | (np.array(norms) > 0.6)
    )


@pytest.mark.parametrize("sharing", SHARINGS)
def test_with_one_output_it_is_the_l1_penalty(sharing):
    rng = np.random.default_rng(2)
    beta, g, change = rng.normal(size=(3, 9))
    beta[:3] = 0.0
    lam = rng.uniform(0.1, 1.0, 9)
    one, many = L1(lam), Shared(lam, sharing)
    assert many.value(beta[:, None]) == pytest.approx(one.value(beta))
    np.testing.assert_allclose(many.prox(beta[:, None], 0.5)[:, 0], one.prox(beta, 0.5))
    np.testing.assert_allclose(many.violation(g[:, None], beta[:, None]), one.violation(g, beta))
    np.testing.assert_array_equal(many.moving(g[:, None], beta[:, None]), one.moving(g, beta))
    promised = many.promise(g[:, None], beta[:, None], change[:, None])
    assert promised == pytest.approx(one.promise(g, beta, change))


@pytest.mark.parametrize("sharing", SHARINGS)
def test_the_promise_of_a_step_is_exact_next_to_an_optimum(sharing):
    rng = np.random.default_rng(3)
    lam, beta = 0.7, np.array([[2.0, -1.5, 0.5], [0.3, 0.4, 0.0], [0.0, 0.0, 0.0]])
    length = np.sqrt((beta**2).sum(axis=1, keepdims=True))
    unit = np.divide(beta, length, out=np.zeros_like(beta), where=length > 0.0)
    optimal = lam * (sharing * unit + (1.0 - sharing) * np.sign(beta))
    for scale in (1.0, 1e-3, 1e-6):
        change = scale * rng.normal(size=(3, 3))
        change[2] = 0.0
        g = optimal + scale * rng.normal(size=(3, 3))
        exact = Fraction(0)
        for b, c, s in zip(beta, change, g, strict=True):
            pairs = [(Fraction(x), Fraction(y)) for x, y in zip(b, c, strict=True)]
            exact += sum(y * Fraction(z) for (_, y), z in zip(pairs, s, strict=True))
            grown = sum(abs(x + y) - abs(x) for x, y in pairs)
            longer = _root(sum((x + y) ** 2 for x, y in pairs)) - _root(sum(x**2 for x, _ in pairs))
            exact -= Fraction(lam) * (Fraction(1 - sharing) * grown + Fraction(sharing) * longer)
        assert Shared(lam, sharing).promise(g, beta, change) == pytest.approx(
            float(exact), rel=1e-6
        )


def _root(value: Fraction) -> Fraction:
    """Take a square root to 40 digits."""
    if value == 0:
        return value
    root = Fraction(float(value) ** 0.5)
    for _ in range(3):
        root = ((root + value / root) / 2).limit_denominator(10**60)
    return root


@pytest.mark.parametrize("one_matrix", [True, False])
@pytest.mark.parametrize("sharing", SHARINGS)
def test_quadratic_functions_are_minimised_where_columns_are_nearly_equal(one_matrix, sharing):
    rng = np.random.default_rng(4)
    for n_rows, apart in ((5, 1.0), (12, 0.05)):
        rows = rng.normal(size=40) + apart * rng.normal(size=(n_rows, 40))
        bends = rng.uniform(0.2, 1.0, (3, 40))
        if one_matrix:
            scale = np.array([0.5, 1.0, 2.0])
            each = [factor * (rows @ rows.T) for factor in scale]
            Q = (rows @ rows.T)[:, :, None]
        else:
            each = [(rows * bend) @ rows.T for bend in bends]
            Q, scale = np.stack(each, axis=2), np.ones(3)
        q = rows @ rng.normal(size=(40, 3))
        lam = np.full(n_rows, 0.2 * np.abs(q).max())
        all_rows, start = np.arange(n_rows, dtype=np.int32), np.zeros((n_rows, 3))
        B, sweeps = _core.group_lasso(Q, all_rows, scale, q, lam, sharing, start, 1e-10, 5000)
        assert sweeps < 5000
        slopes = q - np.column_stack([own @ b for own, b in zip(each, B.T, strict=True)])
        assert shared.violations(slopes, B, lam[0], sharing).max() < 1e-6


def test_sizes_that_do_not_agree_are_refused():
    rows, two, table = np.arange(2, dtype=np.int32), np.ones(2), np.ones((2, 2))
    Q = np.eye(2)[:, :, None]
    with pytest.raises(ValueError, match="must agree in size"):
        _core.group_lasso(Q, rows, two, np.ones((3, 2)), two, 1.0, table, 1e-9, 10)
    with pytest.raises(ValueError, match="positions in Q"):
        _core.group_lasso(Q, rows + 1, two, table, two, 1.0, table, 1e-9, 10)
    with pytest.raises(ValueError, match="rows and weights must agree"):
        _core.grams(np.ones((2, 3)), np.ones((1, 4)))
    with pytest.raises(ValueError, match="square"):
        _core.without_last(np.ones((2, 3, 1)))


def test_rows_that_violate_move_a_few_at_a_time_the_worst_first():
    g = np.column_stack([np.linspace(2.0, 4.0, 60), np.zeros(60)])
    beta = np.zeros((60, 2))
    moving = Shared(1.0, 1.0).moving(g, beta)
    assert np.flatnonzero(moving).tolist() == list(range(50, 60))
    beta[:50] = 1.0  # rows in use move, whatever their gradient is
    assert Shared(5.0, 1.0).moving(g, beta).tolist() == [True] * 50 + [False] * 10
    assert Shared(1.0, 1.0).moving(g, beta).all()


def test_a_row_is_in_use_with_one_entry_and_takes_no_place_of_those_that_violate():
    g = np.column_stack([np.linspace(1.1, 1.5, 40), np.zeros(40)])
    beta = np.zeros((40, 2))
    g[:15, 0], beta[:15, 1] = 0.0, 1.0
    moving = Shared(1.0, 1.0).moving(g, beta)
    assert np.flatnonzero(moving).tolist() == [*range(15), *range(30, 40)]
    edge = np.array([[3.0, 4.0], [3.0, 4.1]])  # the first row is where it may stay zero
    assert Shared(5.0, 1.0).moving(edge, np.zeros((2, 2))).tolist() == [False, True]


def test_a_penalty_is_restricted_to_some_of_its_rows():
    chosen = np.array([True, False, True])
    assert Shared(np.array([1.0, 2.0, 3.0]), 0.5)[chosen].lam.tolist() == [1.0, 3.0]
    assert Shared(2.0, 0.5)[chosen] == Shared(2.0, 0.5)
    assert L1(np.array([1.0, 2.0, 3.0]))[chosen].lam.tolist() == [1.0, 3.0]
    assert L1(2.0)[chosen] == L1(2.0)
