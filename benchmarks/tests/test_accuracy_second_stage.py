"""Training a chosen model further (benchmarks/accuracy/second_stage.py)."""

from __future__ import annotations

import numpy as np
import pytest
from accuracy import second_stage

from aglets import LagraClassifier, datasets


@pytest.fixture(scope="module")
def begun():
    graphs, y, _ = datasets.make_planted(80, random_state=2)
    clf = LagraClassifier(maxpat=2, lambda_ratio=0.1, n_lambdas=10, max_epochs=3).fit(graphs, y)
    data = second_stage.Labelled(clf.model_.input_spec.to_model_units(graphs), y)
    start = second_stage.members_of(clf.model_, data.graphs)
    np.testing.assert_allclose(start.f(data.graphs), clf.decision_function(graphs))
    return start, data, clf.lambda_


@pytest.mark.parametrize("weigh", [False, True])
def test_further_rounds_lower_the_objective(begun, weigh):
    start, data, lam = begun
    best = second_stage.trained_further(start, data, data, lam, weigh=weigh)
    assert best.objective(data, lam) < start.objective(data, lam)
    assert best.log_weights.any() == weigh


def test_slopes_are_those_of_the_objective(begun, monkeypatch):
    start, data, lam = begun
    found = []

    def compare(value, first, **_):
        rng = np.random.default_rng(0)
        here = first + 0.01 * rng.normal(size=len(first))
        way = rng.normal(size=len(first))
        near = (value(here + 1e-6 * way)[0] - value(here - 1e-6 * way)[0]) / 2e-6
        found.append((value(here)[1] @ way, near))
        return type("Found", (), {"x": first})

    monkeypatch.setattr(second_stage, "minimize", compare)
    second_stage.lowered(start, data, lam, weigh=True)
    single = [m for m in start.members if m.graphlet.n_nodes == 1]
    assert single
    fewer = second_stage.Trained(single, start.beta0, start.log_weights)
    second_stage.annealed(fewer, data, lam)
    assert len(found) == 1 + len(second_stage.SHARPNESS)
    for slope, near in found:
        assert slope == pytest.approx(near, rel=1e-5)


def test_starting_again_never_raises_the_objective(begun):
    start, data, lam = begun
    again = second_stage.restarted(start, data, lam)
    assert again.objective(data, lam) <= start.objective(data, lam)


def test_halves_of_a_graphlet_lie_on_both_sides_of_it(begun):
    start, data, _ = begun
    halves = second_stage.split(start, data).members
    assert len(halves) == 2 * len(start.members)
    for whole, left, right in zip(start.members, halves[::2], halves[1::2], strict=True):
        np.testing.assert_allclose(0.5 * (left.z + right.z), whole.z)
        assert left.beta == right.beta == 0.5 * whole.beta
