"""The L1 penalty, the line search and the weights of graphs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from aglets.model.losses import SquaredHinge
from aglets.model.weights import check_sample_weight, class_weights
from aglets.training.optim.line_search import backtracking
from aglets.training.optim.penalty import L1


def test_prox_is_the_minimiser_of_its_definition():
    penalty = L1(0.7)
    for beta in np.linspace(-3, 3, 13):
        for step in (0.1, 1.0, 2.5):
            found = minimize_scalar(
                lambda b, beta=beta, step=step: (
                    0.5 * (b - beta) ** 2 + step * penalty.value(np.array([b]))
                ),
                bounds=(-5, 5),
                method="bounded",
                options={"xatol": 1e-10},
            )
            assert penalty.prox(np.array([beta]), step)[0] == pytest.approx(found.x, abs=1e-6)


def test_prox_takes_one_step_length_per_coefficient():
    beta, steps = np.array([1.0, 1.0, -1.0]), np.array([0.1, 0.5, 2.0])
    np.testing.assert_allclose(L1(1.0).prox(beta, steps), [0.9, 0.5, 0.0])


def test_violation_vanishes_exactly_at_an_optimum():
    penalty = L1(2.0)
    g = np.array([1.9, -2.0, 2.0, -2.0, 2.5, -3.0, 1.0])
    beta = np.array([0.0, 0.0, 0.3, -0.3, 0.0, 1.0, 1.0])
    np.testing.assert_allclose(penalty.violation(g, beta), [0, 0, 0, 0, 0.5, 5.0, 1.0])


def lasso(seed):
    """A small hinge problem: psi, y, w, and its smooth part as the line search wants it."""
    rng = np.random.default_rng(seed)
    psi, y, w = rng.random((40, 8)), np.sign(rng.normal(size=40)), np.ones(40)
    loss = SquaredHinge()

    def smooth(beta):
        f = psi @ beta
        return loss.value(y, f, w), f

    def descent(f):
        return psi.T @ loss.residual(y, f, w)

    return smooth, descent


def test_backtracked_proximal_steps_lower_the_objective_to_an_optimum():
    smooth, descent = lasso(0)
    penalty = L1(0.5)
    beta = np.zeros(8)
    value, f = smooth(beta)
    objective = value
    for _ in range(3000):
        step = backtracking(smooth, beta, value, descent(f), 1.0, prox=penalty.prox)
        assert step is not None
        beta, value, f = step.x, step.value, step.carried
        assert value + penalty.value(beta) <= objective + 1e-12
        objective = value + penalty.value(beta)
    assert penalty.violation(descent(f), beta).max() < 1e-6
    assert np.count_nonzero(beta) < 8


def test_backtracking_without_prox_obeys_armijo():
    smooth, descent = lasso(1)
    beta = np.zeros(8)
    value, f = smooth(beta)
    direction = descent(f)
    step = backtracking(smooth, beta, value, direction, 10.0)
    assert step is not None
    assert step.length < 10.0
    assert step.value <= value - 0.5 * step.length * float(direction @ direction) + 1e-12


def test_backtracking_gives_up_where_no_step_helps():
    x = np.array([1.0])
    uphill = np.array([1.0])
    assert backtracking(lambda x: (float(x @ x), None), x, 1.0, uphill, 1.0, max_trials=20) is None


def test_balanced_classes_weigh_the_same():
    codes, classes = np.array([0, 0, 0, 1, 2, 2]), np.array(["a", "b", "c"])
    weights = class_weights(codes, classes, "balanced", np.ones(6))
    totals = np.bincount(codes, weights=weights)
    np.testing.assert_allclose(totals, 2.0)


def test_balance_counts_a_weight_as_repetition():
    codes, classes = np.array([0, 1, 1]), np.array([-1, 1])
    weights = class_weights(codes, classes, "balanced", np.array([2.0, 1.0, 1.0]))
    again = class_weights(np.array([0, 0, 1, 1]), classes, "balanced", np.ones(4))
    np.testing.assert_allclose(weights, [again[0] + again[1], again[2], again[3]])


def test_class_weight_multiplies_sample_weight():
    codes, classes = np.array([0, 1]), np.array([3, 7])
    np.testing.assert_allclose(
        class_weights(codes, classes, {7: 5.0}, np.array([2.0, 3.0])), [2.0, 15.0]
    )


def test_class_weight_names_only_classes():
    with pytest.raises(ValueError, match=r"class_weight must name classes .* Got 'x' instead"):
        class_weights(np.array([0]), np.array(["a"]), {"x": 1.0}, np.ones(1))
    with pytest.raises(ValueError, match="class_weight must hold finite numbers"):
        class_weights(np.array([0]), np.array(["a"]), {"a": -1.0}, np.ones(1))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 2.0], r"one number per graph \(3\)\. Got shape \(2,\) instead"),
        ([1.0, -2.0, 1.0], r"not negative\. Got -2\.0 for graph 1 instead"),
        ([1.0, 2.0, np.nan], r"Got nan for graph 2 instead"),
        ([0.0, 0.0, 0.0], r"positive for at least one graph"),
        (["a", "b", "c"], r"one number per graph \(3\)\. Got list instead"),
    ],
)
def test_sample_weight_is_checked(weights, message):
    with pytest.raises(ValueError, match=message):
        check_sample_weight(weights, 3)


def test_sample_weight_may_be_one_number_for_all():
    np.testing.assert_array_equal(check_sample_weight(2.0, 3), [2.0, 2.0, 2.0])


def test_the_promise_of_a_step_is_exact_next_to_an_optimum():
    rng = np.random.default_rng(0)
    lam = 0.7
    for scale in (1.0, 1e-3, 1e-8):
        beta = np.array([2.0, -1.5, 0.0, 0.0, 1e-9])
        g = lam * np.array([1.0, -1.0, 1.0, -1.0, 1.0]) + scale * rng.normal(size=5)
        change = scale * rng.normal(size=5)
        exact = sum(
            Fraction(c) * Fraction(s)
            - Fraction(lam) * (abs(Fraction(b) + Fraction(c)) - abs(Fraction(b)))
            for s, b, c in zip(g, beta, change, strict=True)
        )
        assert L1(lam).promise(g, beta, change) == pytest.approx(float(exact), rel=1e-7)
        assert L1(np.full(5, lam)).promise(g, beta, change) == pytest.approx(float(exact), rel=1e-7)


def test_coefficients_at_rest_move_only_if_they_violate():
    g, beta = np.array([1.0, -1.0, 1.1, 0.2]), np.array([0.0, 0.0, 0.0, 0.5])
    assert L1(1.0).moving(g, beta).tolist() == [False, False, True, True]


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_line_search_allows_for_the_rounding_of_sums_of_this_size(size):
    """Where a step of nearly no length raises a sum by its rounding, it may be taken."""
    eps = np.finfo(np.float64).eps

    def step(rise):
        return backtracking(
            lambda x: (size * (1.0 + rise * eps), None), np.ones(1), size, np.zeros(1), 1.0
        )

    assert step(4.0).length == 1.0
    assert step(40.0) is None


@pytest.mark.parametrize("curvature", [0.25, 1.0, 4.0])
def test_a_step_is_taken_if_it_is_no_longer_than_the_curvature_allows(curvature):
    def bowl(x):
        return 0.5 * curvature * float(x @ x), None

    x = np.array([1.0, -2.0])
    for length, taken in ((0.9, 0.9), (1.1, 0.55)):
        step = backtracking(bowl, x, bowl(x)[0], -curvature * x, length / curvature)
        assert step.length == taken / curvature
