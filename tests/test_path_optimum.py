"""Where paths end: the global optimum with fixed attributes, and the KKT conditions always."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from path_tools import (
    ALL_LOSSES,
    Everything,
    random_set,
    reference_loss,
    targets,
    walked_path,
    watched_path,
)
from reference import convex
from reference.occurrences import occurrence_costs
from reference.plain import plain_graphs
from reference.search import initial_costs, label_means
from strategies import graph_sets

from aglets import mining
from aglets.model.losses import SquaredHinge

RHO = 0.3
KINDS = {
    "attributes": {},
    "ties": {"unit": 0.5},
    "labels only": {"d": 0},
    "edges": {"edge_labels": True, "edge_attributes": True},
}
#: Data set, how it is read, maxpat, rho. Raw attributes, which is what scale="none" means.
REAL = {
    "BZR": ("BZR", {}, 4, 0.5),
    "MUTAG": ("MUTAG", {}, 4, 1.0),
    "MUTAG with edge labels": ("MUTAG", {"edge_labels": True}, 4, 1.0),
    "ENZYMES": ("ENZYMES", {"component": "largest"}, 3, 0.02),
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.fixture(scope="module")
def real_sets(load_tu):
    """40 graphs of each real data set in the order of a seed, with all their patterns."""
    made = {}

    def subset(name):
        if name not in made:
            folder, options, maxpat, rho = REAL[name]
            graphs, y = load_tu(folder, **options)
            two = np.flatnonzero(np.isin(y, np.unique(y)[:2]))  # the two classes of the paper
            chosen = np.random.default_rng(1).permutation(two)[:40]
            graphs, y = graphs[chosen], np.where(y[chosen] == y[two].max(), 1.0, -1.0)
            made[name] = graphs, y, maxpat, rho, Everything.of(graphs, maxpat, rho)
        return made[name]

    return subset


@settings(max_examples=60, deadline=None)
@given(graphs=graph_sets(max_nodes=5))
def test_listing_occurrences_gives_the_costs_that_matching_gives(graphs):
    """The slow code of this file against the slower code of the others."""
    plain = plain_graphs(graphs)
    starts = label_means(plain)
    assume(len(starts.type_labels))
    expected = initial_costs(plain, starts, 3)
    found = occurrence_costs(plain, starts, 3)
    assert set(found) == set(expected)
    for pattern, costs in expected.items():
        assert found[pattern] == pytest.approx(costs, rel=1e-12, abs=1e-12)


def objectives(graphs, y, loss, maxpat, rho, **options) -> tuple[np.ndarray, np.ndarray]:
    """Lambdas and objectives of a path with fixed attributes."""
    points = walked_path(
        graphs,
        y,
        loss=loss,
        tree=mining.Tree(graphs, maxpat=maxpat),
        rho=rho,
        learn_attributes=False,
        **options,
    )
    lams, values = zip(*[(point.lam, point.objective) for point in points], strict=True)
    return np.array(lams), np.array(values)


def test_with_fixed_attributes_the_fast_path_is_the_global_optimum(loss, kind):
    for seed in range(3):
        graphs = random_set(24, seed, **kind)
        y = targets(graphs, loss, seed)
        weight = np.random.default_rng(seed).uniform(0.2, 3.0, 24)
        lams, values = objectives(
            graphs, y, loss, 4, RHO, n_lambdas=8, sample_weight=weight, lambda_min_ratio=0.02
        )
        everything = Everything.of(graphs, 4, RHO)
        minima = [everything.minimum(y, lam, loss, weight).objective for lam in lams]
        np.testing.assert_allclose(values, minima, rtol=1e-8)


@settings(max_examples=40, deadline=None)
@given(
    data=st.data(), graphs=graph_sets(max_graphs=6, max_nodes=5), rho=st.sampled_from([2.0, RHO])
)
def test_with_fixed_attributes_any_small_set_ends_at_the_global_optimum(data, graphs, rho):
    loss = data.draw(st.sampled_from(ALL_LOSSES))
    n = len(graphs)
    values = [-1.0, 1.0] if loss.classification else [-2.0, -0.5, 0.0, 1.0, 3.0]
    y = np.array(data.draw(st.lists(st.sampled_from(values), min_size=n, max_size=n)))
    assume(len(np.unique(y)) > 1)
    assume(graphs.n_nodes.any())
    everything = Everything.of(graphs, 3, rho)
    lams, values = objectives(graphs, y, loss, 3, rho, n_lambdas=4, lambda_min_ratio=0.1)
    assume(lams[0] > 1e-6)
    for lam, value in zip(lams, values, strict=True):
        assert value == pytest.approx(everything.minimum(y, lam, loss).objective, rel=1e-8)


@pytest.mark.data
@pytest.mark.parametrize("name", REAL)
def test_on_real_graphs_the_fast_path_is_the_global_optimum(name, real_sets):
    graphs, y, maxpat, rho, everything = real_sets(name)
    for loss in ALL_LOSSES:
        lams, values = objectives(graphs, y, loss, maxpat, rho, n_lambdas=8)
        minima = [everything.minimum(y, lam, loss).objective for lam in lams]
        np.testing.assert_allclose(values, minima, rtol=1e-8)


def test_with_fixed_attributes_the_papers_path_ends_at_the_global_optimum(loss, kind):
    graphs = random_set(20, seed=1, **kind)
    y = targets(graphs, loss, 1)
    lams, values = objectives(
        graphs,
        y,
        loss,
        4,
        RHO,
        solver="paper",
        lambda_min_ratio=0.3,
        n_lambdas=4,
        max_epochs=1500,
        tol=1e-12,
    )
    everything = Everything.of(graphs, 4, RHO)
    minima = [everything.minimum(y, lam, loss).objective for lam in lams]
    np.testing.assert_allclose(values, minima, rtol=1e-8)


@pytest.mark.data
@pytest.mark.parametrize("name", REAL)
def test_on_real_graphs_the_papers_path_ends_at_the_global_optimum(name, real_sets):
    graphs, y, maxpat, rho, everything = real_sets(name)
    loss = SquaredHinge()
    lams, values = objectives(
        graphs,
        y,
        loss,
        maxpat,
        rho,
        solver="paper",
        n_lambdas=8,
        lambda_min_ratio=0.1,
        max_epochs=1500,
        tol=1e-12,
    )
    minima = [everything.minimum(y, lam, loss).objective for lam in lams]
    np.testing.assert_allclose(values, minima, rtol=1e-8)


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_where_the_papers_path_is_not_at_the_optimum_its_short_steps_are_the_reason(seed):
    """Small lambdas: the working set is already that of the optimum, and ISTA on it is slow."""
    loss = SquaredHinge()
    graphs = random_set(24, seed)
    y = targets(graphs, loss)
    everything = Everything.of(graphs, 4, RHO)
    theirs, weight = reference_loss(loss, y)
    gaps = []
    for max_epochs in (50, 200, 800):
        points, visits = watched_path(
            graphs,
            y,
            loss=loss,
            solver="paper",
            tree=mining.Tree(graphs, maxpat=4),
            rho=RHO,
            n_lambdas=5,
            lambda_min_ratio=0.1,
            max_epochs=max_epochs,
            tol=1e-12,
            learn_attributes=False,
        )
        lam = points[-1].lam
        best = everything.minimum(y, lam, loss).objective
        within = convex.solve(visits[-1].final.matched.psi.T, y, lam, theirs, weight).objective
        assert within == pytest.approx(best, rel=1e-10)
        gaps.append(points[-1].objective / best - 1.0)
    assert gaps[0] > 1e-3
    # Four times the epochs: ISTA's gap falls as 1 / epochs at worst, at last geometrically.
    assert gaps[1] <= gaps[0] / 3.0
    assert gaps[2] <= gaps[1] / 4.0


@pytest.mark.parametrize("learn", [False, True], ids=["fixed", "learned"])
def test_kkt_conditions_hold_for_every_candidate(solver, learn, loss, kind):
    """Candidates in W stand at their trained attributes, those outside at the starting ones."""
    tol = 1e-4
    for seed in (0, 1):
        graphs = random_set(18, seed, **kind)
        y = targets(graphs, loss, seed)
        everything = Everything.of(graphs, 4, RHO)
        points, visits = watched_path(
            graphs,
            y,
            loss=loss,
            solver=solver,
            tree=mining.Tree(graphs, maxpat=4),
            rho=RHO,
            n_lambdas=4,
            lambda_min_ratio=0.2,
            max_epochs=2000,
            tol=tol,
            learn_attributes=learn,
        )
        assert all(point.n_epochs < 2000 for point in points)
        for visit in visits:
            in_beta, in_beta0 = everything.violations(visit, y, loss)
            assert in_beta <= tol * visit.lam
            # Algorithm 1 moves z after beta_0, which is then exact for the z before.
            assert in_beta0 <= tol * visit.lam or (learn and solver == "paper")
        assert visits[-1].final.names.size < len(everything.patterns)


@pytest.mark.data
@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("learn", [False, True], ids=["fixed", "learned"])
def test_kkt_conditions_hold_on_real_graphs(name, learn, solver, real_sets):
    graphs, y, maxpat, rho, everything = real_sets(name)
    loss, tol = SquaredHinge(), 1e-4
    points, visits = watched_path(
        graphs,
        y,
        loss=loss,
        solver=solver,
        tree=mining.Tree(graphs, maxpat=maxpat),
        rho=rho,
        n_lambdas=4,
        lambda_min_ratio=0.2,
        max_epochs=2000,
        tol=tol,
        learn_attributes=learn,
    )
    assert all(point.n_epochs < 2000 for point in points)
    for visit in visits:
        assert everything.violations(visit, y, loss)[0] <= tol * visit.lam


def test_the_model_is_empty_at_lambda_max_and_not_just_below(solver, loss, kind):
    graphs = random_set(20, seed=5, **kind)
    y = targets(graphs, loss, 5)
    everything = Everything.of(graphs, 4, RHO)
    tree = mining.Tree(graphs, maxpat=4)
    top = next(walked_path(graphs, y, loss=loss, tree=tree, rho=RHO)).lam_max
    # That the data can show it: an optimum just below has a graphlet and lowers the objective.
    below = everything.minimum(y, 0.99 * top, loss)
    constant = everything.minimum(y, 2.0 * top, loss).objective
    assert np.count_nonzero(below.beta) > 0
    assert below.objective < constant * (1.0 - 1e-9)
    lambdas = [2.0 * top, top, 0.99 * top]
    points = list(
        walked_path(graphs, y, loss=loss, tree=tree, rho=RHO, lambdas=lambdas, solver=solver)
    )
    assert [point.n_nonzero > 0 for point in points] == [False, False, True]
    assert [point.working_set_size > 0 for point in points] == [False, False, True]
    assert points[1].objective == pytest.approx(constant, rel=1e-12)


@pytest.mark.data
@pytest.mark.parametrize("name", REAL)
def test_real_models_are_empty_at_lambda_max_and_not_just_below(name, solver, real_sets):
    graphs, y, maxpat, rho, everything = real_sets(name)
    for loss in ALL_LOSSES:
        tree = mining.Tree(graphs, maxpat=maxpat)
        top = next(walked_path(graphs, y, loss=loss, tree=tree, rho=rho)).lam_max
        assert np.count_nonzero(everything.minimum(y, 0.99 * top, loss).beta) > 0
        points = walked_path(
            graphs, y, loss=loss, tree=tree, rho=rho, lambdas=[top, 0.99 * top], solver=solver
        )
        assert [point.n_nonzero > 0 for point in points] == [False, True]
