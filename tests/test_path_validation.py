"""Validation: the best state of every lambda is kept, and patience ends a lambda."""

from __future__ import annotations

import numpy as np
import pytest
from path_tools import Visit, decision, graphlets_of, random_set, targets, walked_path, watched_path

from aglets import GraphSet, agis, mining
from aglets.model.losses import SquaredHinge
from aglets.training.optim.state import State

RHO = 0.3
KINDS = {
    "attributes": {},
    "labels only": {"d": 0},
    "edges": {"edge_labels": True, "edge_attributes": True},
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


def held_out_loss(state: State, visit: Visit, graphs: GraphSet, y, weight) -> float:
    """1/2 sum of losses of a state on other graphs, by `agis` alone."""
    problem = visit.problem
    train = problem.graphs.placement.tree.graphs
    used = state.beta != 0.0
    f = np.full(len(graphs), state.beta0)
    if used.any():
        patterns = [state.patterns[i] for i in np.flatnonzero(used)]
        graphlets = graphlets_of(train, patterns, state.z[state.z_of(used)])
        f = f + agis(graphs, graphlets, rho=problem.goal.rho) @ state.beta[used]
    return problem.goal.loss.value(np.asarray(y), f, weight)


def test_the_point_is_the_best_validation_state_of_its_lambda(solver, loss, kind):
    graphs, held = random_set(16, seed=0, **kind), random_set(10, seed=1, **kind)
    y, held_y = targets(graphs, loss, 0), targets(held, loss, 1)
    weight = np.random.default_rng(2).uniform(0.5, 2.0, 10)
    points, visits = watched_path(
        graphs,
        y,
        loss=loss,
        solver=solver,
        tree=mining.Tree(graphs, maxpat=3),
        rho=RHO,
        n_lambdas=5,
        lambda_min_ratio=0.05,
        max_epochs=15,
        patience=4,
        tol=-1.0,
        validation=(held, held_y, weight),
    )
    early = 0
    for point, visit in zip(points, visits, strict=True):
        states = [*visit.epochs, visit.final]
        values = [held_out_loss(state, visit, held, held_y, weight) for state in states]
        assert point.validation_loss == pytest.approx(min(values), rel=1e-10)
        f = decision(point, graphs, held)
        assert point.validation_loss == pytest.approx(loss.value(held_y, f, weight), rel=1e-10)
        assert point.validation_score == pytest.approx(loss.score(held_y, f, weight), abs=1e-9)
        f = decision(point, graphs, graphs)
        assert point.train_loss == pytest.approx(loss.value(y, f, np.ones(16)), rel=1e-10)
        penalty = point.lam * np.abs(point.beta).sum()
        assert point.objective == pytest.approx(point.train_loss + penalty, rel=1e-10)
        early += values[-1] > min(values) * (1.0 + 1e-9)
    # Without attributes the fast solver is done after one epoch: its only state is the best.
    assert early > 0 or (solver == "fast" and not graphs.n_attributes)


@pytest.mark.parametrize("patience", [1, 3])
def test_patience_ends_a_lambda(patience, solver, loss):
    graphs, held = random_set(16, seed=3), random_set(10, seed=4)
    y = targets(graphs, loss, 3)
    # Targets that have nothing to do with the graphs: what is learned does not carry over.
    held_y = np.roll(targets(held, loss, 4), 3)
    weight = np.ones(10)
    points, visits = watched_path(
        graphs,
        y,
        loss=loss,
        solver=solver,
        tree=mining.Tree(graphs, maxpat=3),
        rho=RHO,
        n_lambdas=5,
        lambda_min_ratio=0.05,
        max_epochs=40,
        patience=patience,
        tol=-1.0,  # the objective ends nothing
        validation=(held, held_y, weight),
    )
    ended = 0
    for point, visit in zip(points, visits, strict=True):
        values = np.array([held_out_loss(s, visit, held, held_y, weight) for s in visit.epochs])
        assert point.n_epochs == len(values)
        slack = 1e-9 * values.min()
        since_best = len(values) - 1 - int(np.argmax(values <= values.min() + slack))
        if point.n_epochs < 40:
            ended += 1
            assert since_best >= patience
        # No earlier epoch was the last of `patience` ones without an improvement.
        for last in range(patience, len(values) - 1):
            window = values[last - patience + 1 : last + 1]
            assert window.min() < values[: last - patience + 1].min() + slack
    assert ended >= 3


def test_without_patience_running_out_epochs_go_on(solver):
    graphs, held = random_set(16, seed=3), random_set(10, seed=4)
    y, held_y = targets(graphs, SquaredHinge(), 3), np.roll(targets(held, SquaredHinge(), 4), 3)
    epochs = []
    for patience in (1, 5, 1000):
        points = walked_path(
            graphs,
            y,
            loss=SquaredHinge(),
            solver=solver,
            tree=mining.Tree(graphs, maxpat=3),
            rho=RHO,
            lambdas=[1.0],
            max_epochs=12,
            patience=patience,
            tol=-1.0,
            validation=(held, held_y, None),
        )
        epochs.append(next(points).n_epochs)
    assert epochs[0] < epochs[1] < epochs[2] == 12


def test_a_small_decrease_of_the_objective_ends_a_lambda(solver):
    graphs = random_set(16, seed=5)
    y = targets(graphs, SquaredHinge(), 5)
    epochs = []
    for tol in (1e-1, 1e-3, 1e-5):
        points, visits = watched_path(
            graphs,
            y,
            loss=SquaredHinge(),
            solver=solver,
            tree=mining.Tree(graphs, maxpat=3),
            rho=RHO,
            n_lambdas=4,
            lambda_min_ratio=0.3,
            max_epochs=2000,
            tol=tol,
        )
        epochs.append(sum(point.n_epochs for point in points))
        for visit in visits:
            states = [visit.before, *visit.epochs]
            values = [visit.problem.objective(state, visit.lam) for state in states]
            assert values[-2] - values[-1] <= tol * values[-2]
    assert epochs[0] < epochs[1] < epochs[2]


def test_validation_weights_equal_repetition(solver):
    graphs, held = random_set(16, seed=6), random_set(9, seed=7)
    y, held_y = (targets(some, SquaredHinge()) for some in (graphs, held))
    times = np.arange(9) % 3
    again = np.repeat(np.arange(9), times)
    paths = []
    for validation in ((held, held_y, times), (held[again], held_y[again], None)):
        points = walked_path(
            graphs,
            y,
            loss=SquaredHinge(),
            solver=solver,
            tree=mining.Tree(graphs, maxpat=3),
            rho=RHO,
            n_lambdas=4,
            validation=validation,
            max_epochs=15,
        )
        paths.append([(p.validation_loss, p.validation_score, p.objective) for p in points])
    np.testing.assert_allclose(paths[0], paths[1], rtol=1e-9)


def test_labels_that_training_never_saw_match_nothing(solver):
    graphs = random_set(12, seed=8)
    held = GraphSet.from_lists(
        labels=[["Br", "Br"], ["C", "Br"], ["C", "C"]],
        edges=[[(0, 1)]] * 3,
        attributes=[np.zeros((2, 2))] * 3,
    )
    y, held_y = targets(graphs, SquaredHinge()), np.array([1.0, -1.0, 1.0])
    points = walked_path(
        graphs,
        y,
        loss=SquaredHinge(),
        solver=solver,
        tree=mining.Tree(graphs, maxpat=3),
        rho=RHO,
        n_lambdas=4,
        validation=(held.with_vocabulary(graphs.vocabulary), held_y, None),
        max_epochs=10,
    )
    for point in points:
        f = decision(point, graphs, held)
        assert f[0] == point.beta0
        expected = SquaredHinge().value(held_y, f, np.ones(3))
        assert point.validation_loss == pytest.approx(expected, rel=1e-10)
