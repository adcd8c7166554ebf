"""The blocks of Algorithm 1: each is its equation, lowers the objective, and changes no state."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from path_tools import ALL_LOSSES, graphlets_of, placed, random_set, reference_loss, targets
from reference import convex
from reference.plain import plain_graphs
from reference.search import initial_costs, label_means, violators
from strategies import graph_sets, rows
from tree_listing import node_pattern

from aglets import agis, mining
from aglets.training.engine import Goal
from aglets.training.engine.graphlet_names import patterns_of
from aglets.training.optim import blocks
from aglets.training.optim.fast import (
    MAX_ENTERING,
    FastSolver,
    let_violators_enter,
    solve_beta,
    step_z,
)
from aglets.training.optim.paper import PaperSolver
from aglets.training.optim.solver import Progress
from aglets.training.optim.state import Problem, State, empty_state

EXAMPLES = settings(max_examples=100, deadline=None)
LOSS = st.sampled_from(ALL_LOSSES)

BLOCKS = {
    "update_beta": blocks.update_beta,
    "update_beta0": lambda problem, state, lam: blocks.update_beta0(problem, state),
    "update_z": lambda problem, state, lam: blocks.update_z(problem, state),
    "solve_beta": solve_beta,
    "step_z": lambda problem, state, lam: step_z(problem, state),
    "grow_working_set": lambda problem, state, lam: blocks.grow_working_set(problem, state, lam)[0],
    "an epoch of Algorithm 1": lambda problem, state, lam: (
        PaperSolver().epoch(problem, state, lam, learn=True).state
    ),
    "an epoch of the fast solver": lambda problem, state, lam: (
        FastSolver().epoch(problem, state, lam, learn=True).state
    ),
    "the close of the fast solver": lambda problem, state, lam: (
        FastSolver().close(problem, state, lam).state
    ),
}


def problem_of(graphs, y, loss, *, weight=None, rho=0.3, maxpat=3) -> Problem:
    tree = mining.Tree(graphs, maxpat=maxpat)
    return Problem.of(placed(graphs, y, tree, weight=weight), Goal(loss, rho, maxpat))


def value_of(problem: Problem, f) -> float:
    """1/2 sum of losses at any f."""
    return problem.goal.loss.value(problem.graphs.y, f, problem.graphs.weight)


def residual_of(problem: Problem, f) -> np.ndarray:
    """a_i at any f."""
    return problem.goal.loss.residual(problem.graphs.y, f, problem.graphs.weight)


def grown(problem: Problem, share: float) -> tuple[State, float]:
    """The state after the first growth at a share of lambda_max, and that lambda."""
    state = empty_state(problem)
    lam = share * problem.graphs.lambda_max(state.scores)[0]
    return blocks.grow_working_set(problem, state, lam)[0], lam


@st.composite
def situations(draw) -> tuple[Problem, State, float]:
    """A problem, and any state of it: drawn coefficients, intercept and attributes."""
    graphs = draw(graph_sets(max_graphs=5, max_nodes=5))
    n, loss = len(graphs), draw(LOSS)
    values = [-1.0, 1.0] if loss.classification else [-2.0, -0.5, 0.0, 1.0, 3.0]
    y = draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))
    weight = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=n, max_size=n))
    assume(any(weight))
    problem = problem_of(
        graphs, y, loss, weight=weight, rho=draw(st.sampled_from([2.0, 0.3, 0.05]))
    )
    state, lam = grown(problem, draw(st.sampled_from([0.9, 0.5, 0.1])))
    if lam == 0.0:  # no pattern has any use; some penalty there must be
        lam = 0.1
    if len(state.names):
        z = state.z + draw(rows(1, len(state.z)))[0]
        state = blocks.rematched(state, np.ones(len(state.names), dtype=bool), z)
        state = replace(state, beta=draw(rows(1, len(state.names)))[0])
    return problem, replace(state, beta0=draw(st.sampled_from([state.beta0, -1.0, 0.25]))), lam


@pytest.fixture(params=[False, True], ids=["nodes", "nodes and edges"])
def generic(request, loss) -> tuple[Problem, State, float]:
    """Gaussian attributes, trained for a few epochs: no ties, all blocks have something to do."""
    graphs = random_set(12, seed=4, edge_labels=request.param, edge_attributes=request.param)
    weight = np.random.default_rng(5).uniform(0.5, 2.0, 12)
    problem = problem_of(graphs, targets(graphs, loss, 1), loss, weight=weight, maxpat=4)
    state, lam = grown(problem, 0.5)
    for _ in range(3):
        state = PaperSolver().epoch(problem, state, lam, learn=True).state
    assert np.count_nonzero(state.beta) >= 2
    return problem, state, lam


@EXAMPLES
@given(situation=situations())
def test_every_block_lowers_the_objective(situation):
    problem, state, lam = situation
    before = problem.objective(state, lam)
    for name, block in BLOCKS.items():
        after = problem.objective(block(problem, state, lam), lam)
        assert after <= before + 1e-12 * (1.0 + abs(before)), name


@pytest.mark.parametrize("name", ["update_beta", "update_z", "solve_beta", "step_z"])
def test_blocks_make_progress_where_there_is_some_to_make(name, generic):
    problem, state, lam = generic
    state = replace(state, beta=1.1 * state.beta)
    before = problem.objective(state, lam)
    assert problem.objective(BLOCKS[name](problem, state, lam), lam) < before - 1e-6 * before


@EXAMPLES
@given(situation=situations())
def test_growing_the_working_set_changes_no_prediction(situation):
    problem, state, lam = situation
    larger, _ = blocks.grow_working_set(problem, state, lam)
    np.testing.assert_allclose(larger.scores.f, state.scores.f, rtol=1e-13, atol=1e-13)
    n = len(state.names)
    assert (larger.beta[n:] == 0.0).all()
    for name in ("names", "sizes", "beta"):
        np.testing.assert_array_equal(getattr(larger, name)[:n], getattr(state, name))
    np.testing.assert_array_equal(larger.matched.psi[:n], state.matched.psi)
    np.testing.assert_array_equal(larger.z[: len(state.z)], state.z)
    kept = state.matched.embedding()
    np.testing.assert_array_equal(larger.matched.embedding()[: len(kept)], kept)


@EXAMPLES
@given(situation=situations())
def test_the_working_set_grows_by_the_exhaustive_violators(situation):
    problem, state, lam = situation
    tree, rho = problem.graphs.placement.tree, problem.goal.rho
    plain = plain_graphs(tree.graphs)
    table = initial_costs(plain, label_means(plain), problem.goal.maxpat)
    residual = state.scores.residual
    expected = violators(table, residual, rho, lam)
    inside = {node_pattern(tree, int(node)) for node in patterns_of(state.names)}
    larger, found = blocks.grow_working_set(problem, state, lam)
    assert len(set(larger.names.tolist())) == len(larger.names)
    nodes = patterns_of(larger.names).tolist()
    entered = {node_pattern(tree, node): j for j, node in enumerate(nodes)}
    for pattern in (set(entered) - inside) ^ (set(expected) - inside):
        g = sum(residual[i] * np.exp(-rho * cost) for i, cost in table[pattern].items())
        assert abs(abs(g) - lam) <= 1e-10 * (1.0 + lam), f"{pattern} with g = {g}"
    assert found.n_visited >= len(found.nodes)
    for pattern in set(entered) - inside:
        psi = np.zeros(len(plain))
        for i, cost in table[pattern].items():
            psi[i] = np.exp(-rho * cost)
        np.testing.assert_allclose(
            larger.matched.psi[entered[pattern]], psi, rtol=1e-10, atol=1e-12
        )


@EXAMPLES
@given(situation=situations())
def test_the_fast_solver_lets_the_worst_violators_enter(situation):
    problem, state, lam = situation
    everyone, found = blocks.grow_working_set(problem, state, lam * (1.0 + 1e-6))
    progress = let_violators_enter(problem, Progress(state), lam)
    size = {int(node): abs(g) for node, g in zip(found.nodes, found.g, strict=True)}
    outside = set(everyone.names.tolist()) - set(state.names.tolist())
    entered = progress.state.names[len(state.names) :].tolist()
    assert len(entered) == progress.n_added == min(len(outside), MAX_ENTERING)
    assert set(entered) <= outside
    left_out = outside - set(entered)
    if left_out:
        assert min(size[node] for node in entered) >= max(size[node] for node in left_out)


@EXAMPLES
@given(situation=situations())
def test_beta0_is_the_minimiser(situation):
    problem, state, _ = situation
    after = blocks.update_beta0(problem, state)
    value = value_of(problem, after.scores.f)
    for t in (1e-4, 1e-2, 1.0, 10.0):
        for sign in (-1.0, 1.0):
            assert value <= value_of(problem, after.scores.f + sign * t) + 1e-12 * (1.0 + value)
    scale = problem.graphs.curvature_bound() * (1.0 + abs(after.beta0))
    assert abs(after.scores.residual.sum()) <= 1e-10 * scale
    assert after.beta is state.beta
    assert after.z is state.z


def soft_threshold(x: np.ndarray, t: float) -> np.ndarray:
    return np.sign(x) * np.maximum(np.abs(x) - t, 0.0)


def test_update_beta_is_a_proximal_gradient_step(generic):
    problem, state, lam = generic
    after = blocks.update_beta(problem, state, lam)
    g = state.matched.psi @ residual_of(problem, state.beta0 + state.beta @ state.matched.psi)
    np.testing.assert_allclose(
        after.beta,
        soft_threshold(state.beta + after.beta_step * g, after.beta_step * lam),
        rtol=1e-13,
        atol=1e-15,
    )
    assert after.beta0 == state.beta0

    def under_its_model(t: float) -> bool:
        moved = soft_threshold(state.beta + t * g, t * lam)
        change = moved - state.beta
        model = value_of(problem, state.scores.f) - g @ change + change @ change / (2.0 * t)
        return value_of(problem, state.beta0 + moved @ state.matched.psi) <= model

    # The longest of 2, 1, 1/2, ... times the last length under whose model the loss lies.
    halvings = np.log2(blocks.LENGTHEN * state.beta_step / after.beta_step)
    assert halvings == round(halvings) >= 0
    assert under_its_model(after.beta_step)
    assert halvings == 0 or not under_its_model(2.0 * after.beta_step)


def test_update_z_is_a_gradient_step_of_the_graphlets_in_use(generic):
    problem, state, _ = generic
    state = replace(state, beta=np.where(np.arange(len(state.beta)) == 0, 0.0, state.beta))
    active = state.beta != 0.0
    after = blocks.update_z(problem, state)
    moving = state.z_of(active)
    expected = state.z[moving] - after.z_step * blocks.z_gradient(state, active)
    np.testing.assert_allclose(after.z[moving], expected, rtol=1e-13, atol=1e-15)
    assert np.abs(after.z[moving] - state.z[moving]).max() > 0.0
    np.testing.assert_array_equal(after.z[~moving], state.z[~moving])
    np.testing.assert_array_equal(after.matched.psi[~active], state.matched.psi[~active])
    np.testing.assert_array_equal(after.beta, state.beta)
    assert after.beta0 == state.beta0


@pytest.mark.parametrize("name", ["update_z", "step_z", "an epoch of the fast solver"])
def test_psi_and_embeddings_follow_the_attributes(name, generic):
    problem, state, lam = generic
    after = BLOCKS[name](problem, state, lam)
    local = problem.graphs
    graphs = local.placement.tree.graphs
    psi = agis(graphs, graphlets_of(graphs, after.patterns, after.z), rho=local.rho)
    np.testing.assert_allclose(after.matched.psi.T, psi, rtol=1e-12, atol=1e-15)
    _, embedding = local.match(after.matched.handles, after.z)
    np.testing.assert_array_equal(embedding, after.matched.embedding())


def test_z_gradient_matches_finite_differences(generic):
    _, state, _ = generic
    active = state.beta != 0.0
    rng = np.random.default_rng(0)
    z = state.z[state.z_of(active)] + rng.normal(0.0, 0.2, int(state.z_of(active).sum()))
    state = blocks.rematched(state, active, z)
    gradient = blocks.z_gradient(state, active)
    step = 1e-6
    for k in range(len(z)):
        e = np.zeros_like(z)
        e[k] = step
        up, down = (blocks.rematched(state, active, z + sign * e) for sign in (1, -1))
        # No embedding may change in between: F is smooth only away from ties.
        np.testing.assert_array_equal(up.matched.embedding(), down.matched.embedding())
        slope = (up.scores.value() - down.scores.value()) / (2.0 * step)
        assert gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-7)
    assert np.abs(gradient).max() > 1e-2


def test_step_z_takes_no_step_beyond_the_reach_of_psi(generic):
    problem, state, lam = generic
    for _ in range(4):
        after = step_z(problem, solve_beta(problem, state, lam))
        moved = (after.z - state.z) ** 2
        ends = np.cumsum(state.sizes)
        for first, last in zip(ends - state.sizes, ends, strict=True):
            assert np.sqrt(moved[first:last].sum()) <= (1.0 + 1e-12) / np.sqrt(problem.goal.rho)
        idle = state.z_of(after.beta == 0.0)
        np.testing.assert_array_equal(after.z[idle], state.z[idle])
        state = after


@EXAMPLES
@given(situation=situations())
def test_kkt_violation_is_the_distance_to_the_subdifferential(situation):
    problem, state, lam = situation
    state = blocks.update_beta0(problem, state)
    theirs, weight = reference_loss(problem.goal.loss, problem.graphs.y, problem.graphs.weight)
    expected = convex.kkt_violation(
        state.matched.psi.T, problem.graphs.y, lam, theirs, state.beta, state.beta0, weight
    )
    scale = 1.0 + problem.graphs.curvature_bound() * (1.0 + abs(state.beta0))
    assert blocks.kkt_violation(state, lam) == pytest.approx(expected, rel=1e-9, abs=1e-9 * scale)


@pytest.mark.parametrize("seed", range(5))
def test_solve_beta_reaches_the_minimum_over_the_working_set(seed, loss):
    graphs = random_set(14, seed=seed)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, len(graphs))
    problem = problem_of(graphs, targets(graphs, loss, seed), loss, weight=weight, maxpat=4)
    state, lam = grown(problem, 0.3)
    lam *= 0.3
    solved = solve_beta(problem, state, lam)
    theirs, weight = reference_loss(loss, problem.graphs.y, weight)
    best = convex.solve(state.matched.psi.T, problem.graphs.y, lam, theirs, weight)
    assert problem.objective(solved, lam) == pytest.approx(best.objective, rel=1e-9)
    assert blocks.kkt_violation(solved, lam) <= 1e-5 * lam


def arrays_of(state: State) -> dict[str, bytes | float | None]:
    values = {field.name: getattr(state, field.name) for field in fields(state)}
    matched = values.pop("matched")
    values |= {"psi": matched.psi, "embedding": matched.embedding()}
    values["patterns"] = [tuple(part.tobytes() for part in p) for p in state.patterns]
    return {
        name: (value.dtype.str, value.shape, value.tobytes())
        if isinstance(value, np.ndarray)
        else value
        for name, value in values.items()
    }


@EXAMPLES
@given(situation=situations())
def test_blocks_change_no_state_and_depend_on_nothing_else(situation):
    """What an engine has seen before is only a matter of speed."""
    problem, state, lam = situation
    before, f = arrays_of(state), state.scores.f.copy()
    for name, block in BLOCKS.items():
        after = block(problem, state, lam)
        first = arrays_of(after)
        block(problem, after, lam)
        assert arrays_of(state) == before, name
        assert arrays_of(after) == first, name
        assert arrays_of(block(problem, state, lam)) == first, name
    np.testing.assert_array_equal(state.scores.f, f)


@pytest.mark.parametrize("solver", [PaperSolver(), FastSolver()], ids=["paper", "fast"])
def test_graphlets_without_attributes_stand_by_while_others_learn(solver, loss):
    """With attributes on edges only, a graphlet of one node has nothing to learn."""
    graphs = random_set(12, seed=2, d=0, edge_attributes=True)
    problem = problem_of(graphs, targets(graphs, loss), loss)
    state, lam = grown(problem, 0.2)
    for _ in range(4):
        before = problem.objective(state, lam)
        state = solver.epoch(problem, state, lam, learn=True).state
        assert problem.objective(state, lam) <= before * (1.0 + 1e-12)
    used = state.beta != 0.0
    assert (state.sizes[used] == 0).any()
    assert (state.z != problem.graphs.start(state.patterns)[0]).any()
