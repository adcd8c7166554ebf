"""Losses: derivatives, bounds and intercepts hold by definition, not by stored numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from path_tools import CLASSIFICATION
from scipy.optimize import minimize_scalar

from aglets.model.losses import (
    LOSSES,
    Huber,
    Logistic,
    Squared,
    SquaredHinge,
    loss_names,
    make_loss,
)


@pytest.fixture(params=[make_loss(name) for name in loss_names()], ids=repr)
def loss(request):
    """Every loss of the registry: one in a new file is tested without a word here."""
    return request.param


def problem(loss, seed, n=60, scale=1.0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0) if loss.classification else rng.normal(size=n)
    return y, scale * rng.normal(size=n), rng.uniform(0.1, 3.0, size=n)


def by_bisection(loss, y, offset, w):
    """The root of the derivative, by the most patient method there is."""
    low, high = -1e4, 1e4
    for _ in range(200):
        middle = 0.5 * (low + high)
        if loss.residual(y, offset + middle, w).sum() > 0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def test_registry_holds_every_loss_under_its_name():
    assert set(LOSSES) >= {"squared_hinge", "logistic", "squared", "huber"}
    assert all(kind.name == name for name, kind in LOSSES.items())


def test_residual_is_minus_the_derivative(loss):
    y, f, w = problem(loss, 0)
    h = 1e-6
    for i in range(y.size):
        e = np.zeros(y.size)
        e[i] = h
        slope = (loss.value(y, f + e, w) - loss.value(y, f - e, w)) / (2 * h)
        assert loss.residual(y, f, w)[i] == pytest.approx(-slope, abs=1e-7)


def test_curvature_is_the_derivative_of_the_residual(loss):
    y, f, w = problem(loss, 1)
    h = 1e-7
    slope = -(loss.residual(y, f + h, w) - loss.residual(y, f - h, w)) / (2 * h)
    np.testing.assert_allclose(loss.curvature(y, f, w), slope, atol=1e-6)


def test_curvature_stays_under_its_bound(loss):
    for seed in range(5):
        y, f, w = problem(loss, seed, scale=5.0)
        assert (loss.curvature(y, f, w) >= 0).all()
        assert (loss.curvature(y, f, w) <= loss.curvature_bound(w) * (1 + 1e-15)).all()


def test_loss_is_convex_along_any_line(loss):
    y, f, w = problem(loss, 2, scale=3.0)
    _, direction, _ = problem(loss, 3, scale=3.0)
    line = [loss.value(y, f + t * direction, w) for t in np.linspace(-2, 2, 41)]
    assert (np.diff(line, 2) >= -1e-10).all()


def test_weights_count_as_repetition(loss):
    y, f, _ = problem(loss, 4, n=20)
    times = np.arange(20) % 4
    again, w = np.repeat(np.arange(20), times), times.astype(float)
    ones = np.ones(again.size)
    assert loss.value(y, f, w) == pytest.approx(loss.value(y[again], f[again], ones))
    assert loss.best_intercept(y, f, w) == pytest.approx(
        loss.best_intercept(y[again], f[again], ones), abs=1e-12
    )
    assert loss.score(y, f, w) == pytest.approx(loss.score(y[again], f[again], ones))


def test_half_the_logistic_loss_is_the_log_likelihood():
    y, f, w = problem(Logistic(), 5)
    p = 1 / (1 + np.exp(-f))
    likelihood = np.where(y > 0, np.log(p), np.log(1 - p))
    assert Logistic().value(y, f, w) == pytest.approx(-(w @ likelihood))


def test_no_loss_overflows_far_from_the_margin(loss):
    y, w = np.array([1.0, -1.0]), np.ones(2)
    for f in (np.array([1e4, -1e4]), np.array([-1e4, 1e4])):
        assert np.isfinite(loss.value(y, f, w))
        assert np.isfinite(loss.residual(y, f, w)).all()
        assert np.isfinite(loss.curvature(y, f, w)).all()


def test_huber_is_squared_when_epsilon_is_large():
    y, f, w = problem(Squared(), 6)
    wide = Huber(1e6)
    assert wide.value(y, f, w) == pytest.approx(Squared().value(y, f, w))
    np.testing.assert_allclose(wide.residual(y, f, w), Squared().residual(y, f, w))


@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
def test_best_intercept_is_the_minimiser(loss, scale):
    for seed in range(10):
        y, offset, w = problem(loss, seed, scale=scale)
        b = loss.best_intercept(y, offset, w, current=float(seed - 5))
        low, high = b - 100 * scale, b + 90 * scale
        found = minimize_scalar(
            lambda c, y=y, offset=offset, w=w: loss.value(y, offset + c, w),
            bounds=(low, high),
            method="bounded",
            options={"xatol": 1e-10},
        )
        assert loss.value(y, offset + b, w) <= found.fun * (1 + 1e-12) + 1e-14
        assert b == pytest.approx(by_bisection(loss, y, offset, w), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("loss", CLASSIFICATION, ids=repr)
def test_best_intercept_without_graphlets_is_known(loss):
    y, w = np.array([1.0] * 7 + [-1.0] * 3), np.ones(10)
    expected = {"squared_hinge": y.mean(), "logistic": np.log(7 / 3)}[loss.name]
    assert loss.best_intercept(y, np.zeros(10), w) == pytest.approx(expected, abs=1e-14)


def test_best_intercept_does_not_depend_on_where_it_starts(loss):
    y, offset, w = problem(loss, 7, scale=4.0)
    answers = [loss.best_intercept(y, offset, w, current=c) for c in (-1e3, -1.0, 0.0, 2.0, 1e3)]
    np.testing.assert_allclose(answers, answers[0], rtol=1e-12, atol=1e-12)


def test_best_intercept_stays_where_it_is(loss):
    y, offset, w = problem(loss, 8)
    b = loss.best_intercept(y, offset, w)
    assert loss.best_intercept(y, offset, w, current=b) == pytest.approx(b, rel=4e-16, abs=4e-16)


def test_best_intercept_is_the_nearest_point_where_no_hinge_is_active():
    y, offset, w = np.array([1.0, 1.0, -1.0]), np.array([3.0, 4.0, -5.0]), np.ones(3)
    loss = SquaredHinge()  # no hinge is active for b in [-2, 4]
    for current, expected in [(-7.0, -2.0), (-2.0, -2.0), (1.5, 1.5), (4.0, 4.0), (9.0, 4.0)]:
        assert loss.best_intercept(y, offset, w, current=current) == expected
        corners = y - offset
        assert loss._by_sorting(y, corners, w, current) == expected


def test_best_intercept_ignores_graphs_without_weight():
    y, offset = np.array([1.0, -1.0, 1.0, -1.0]), np.array([0.3, 0.1, -50.0, 50.0])
    w = np.array([1.0, 1.0, 0.0, 0.0])
    loss = SquaredHinge()
    expected = loss.best_intercept(y[:2], offset[:2], w[:2])
    assert loss.best_intercept(y, offset, w) == expected
    assert loss._by_sorting(y, y - offset, w, 0.0) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_best_intercept_of_one_class_costs_nothing(sign):
    y, offset, w = np.full(4, sign), np.array([0.0, 1.0, -2.0, 0.5]), np.ones(4)
    for loss in CLASSIFICATION:
        b = loss.best_intercept(y, offset, w)
        assert np.isfinite(b)
        assert loss.value(y, offset + b, w) < 1e-14


@given(
    st.lists(
        st.tuples(
            st.sampled_from([-1.0, 1.0]),
            st.sampled_from([-2.0, -1.5, -1.0, 0.0, 0.25, 0.5, 1.0, 3.0]),
            st.sampled_from([0.0, 0.5, 1.0, 2.0]),
        ),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from([-3.0, 0.0, 0.1, 2.0]),
)
@settings(max_examples=200, deadline=None)
def test_sorting_and_repeated_means_agree_on_tied_corners(rows, current):
    y, offset, w = map(np.array, zip(*rows, strict=True))
    loss = SquaredHinge()
    fast = loss.best_intercept(y, offset, w, current=current)
    slow = loss._by_sorting(y, y - offset, w, current)
    assert fast == pytest.approx(slow, abs=1e-12)
    assert abs(loss.residual(y, offset + fast, w).sum()) < 1e-12


def test_score_is_accuracy_for_classes_and_r2_for_numbers():
    y, f, w = np.array([1.0, -1.0, -1.0]), np.array([0.1, 0.1, 0.0]), np.array([1.0, 2.0, 1.0])
    assert SquaredHinge().score(y, f, w) == 0.5
    assert Squared().score(y, y, w) == 1.0
    assert Squared().score(y, np.full(3, w @ y / w.sum()), w) == pytest.approx(0.0)
    assert Squared().score(np.ones(3), np.zeros(3), w) == 0.0


def test_huber_refuses_an_epsilon_that_is_not_positive():
    with pytest.raises(ValueError, match=r"'epsilon' parameter of Huber .* Got 0 instead"):
        Huber(0)


def test_equal_losses_are_equal():
    assert Huber(1.0) == Huber(1.0) != Huber(2.0)
    assert SquaredHinge() == SquaredHinge() != Logistic()
    assert len({Huber(1.0), Huber(1.0), SquaredHinge()}) == 2
    assert repr(Huber(2)) == "Huber(epsilon=2.0)"
