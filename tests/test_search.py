"""The pruned search finds exactly what looking at every pattern finds (Theorem 2.1)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from graph_edits import renumbered
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reference.patterns import Pattern, pattern_of, sub_patterns
from reference.plain import plain_graphs
from reference.search import (
    gradient,
    gradient_bound,
    initial_costs,
    lambda_max,
    paper_residual,
    violators,
)
from strategies import graph_sets, renumberings_of, residuals_for, starts_for
from tree_listing import listed, node_pattern, reference_starts

from aglets import GraphSet, mining

EXAMPLES = settings(max_examples=60, deadline=None)
RHOS = st.sampled_from([2.0, 0.5, 0.1, 0.01])
MAXPATS = st.integers(1, 3)


@st.composite
def problems(draw):
    """A tree, a residual and rho, with the reference's costs of every pattern."""
    graphs = draw(graph_sets(max_graphs=4, max_nodes=5))
    starts = draw(starts_for(graphs)) if draw(st.booleans()) else None
    maxpat = draw(MAXPATS)
    plain = plain_graphs(graphs)
    table = initial_costs(plain, reference_starts(starts, plain), maxpat)
    tree = mining.Tree(graphs, maxpat=maxpat, starts=starts)
    return graphs, tree, table, draw(residuals_for(graphs)), draw(RHOS)


def agrees(tree: mining.Tree, found: mining.Found, expected: dict[Pattern, float], lam: float):
    """The same patterns with the same g, save those with |g| = lam to rounding."""
    said = {node_pattern(tree, int(n)): g for n, g in zip(found.nodes, found.g, strict=True)}
    assert len(said) == len(found.nodes)
    for pattern in set(said) ^ set(expected):
        g = said.get(pattern, expected.get(pattern))
        assert abs(abs(g) - lam) <= 1e-10 * (1.0 + lam), f"{pattern} with g = {g}"
    for pattern in set(said) & set(expected):
        assert said[pattern] == pytest.approx(expected[pattern], rel=1e-10, abs=1e-12)


@EXAMPLES
@given(problem=problems(), share=st.sampled_from([0.0, 0.05, 0.3, 0.5, 0.8, 0.95, 1.5]))
def test_the_pruned_search_finds_what_the_exhaustive_one_finds(problem, share):
    _, tree, table, residual, rho = problem
    lam = share * lambda_max(table, residual, rho)
    found = tree.search(residual, lam=lam, rho=rho)
    agrees(tree, found, violators(table, residual, rho, lam), lam)
    assert (np.abs(found.g) > lam).all()


@EXAMPLES
@given(problem=problems())
def test_g_and_g_bar_equal_their_definitions(problem):
    _, tree, table, residual, rho = problem
    found = tree.search(residual, lam=0.0, rho=rho)
    for node, g, g_bar in zip(found.nodes, found.g, found.g_bar, strict=True):
        costs = table[node_pattern(tree, int(node))]
        assert g == pytest.approx(gradient(costs, residual, rho), rel=1e-10, abs=1e-12)
        assert g_bar == pytest.approx(gradient_bound(costs, residual, rho), rel=1e-10, abs=1e-12)
        assert abs(g) <= g_bar * (1.0 + 1e-12)


@EXAMPLES
@given(problem=problems())
def test_lambda_max_equals_the_exhaustive_maximum(problem):
    _, tree, table, residual, rho = problem
    assume(table)
    value, node = tree.lambda_max(residual, rho=rho)
    assert value == pytest.approx(lambda_max(table, residual, rho), rel=1e-10, abs=1e-12)
    if value > 0.0:
        g = gradient(table[node_pattern(tree, int(node))], residual, rho)
        assert abs(g) == pytest.approx(value, rel=1e-10)
    assert tree.search(residual, lam=value, rho=rho).nodes.size == 0


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(max_graphs=3), own=st.booleans())
def test_psi_never_grows_from_parent_to_child(data, graphs, own):
    tree = mining.Tree(graphs, maxpat=4, starts=data.draw(starts_for(graphs)) if own else None)
    nodes = listed(tree, graphs)
    for node in nodes.values():
        pattern = tree.pattern(node)
        if not len(pattern.edges):
            continue
        shorter = pattern.edges[:-1]
        k = int(shorter.max(initial=0)) + 1
        parent = nodes[pattern_of(pattern.types[:k], shorter, pattern.edge_labels[:-1])]
        above = dict(zip(*tree.costs(parent), strict=True))
        for i, cost in zip(*tree.costs(node), strict=True):
            assert cost >= above[i] - 1e-12


@settings(max_examples=40, deadline=None)
@given(data=st.data(), graphs=graph_sets(max_graphs=4, max_nodes=5), rho=RHOS)
def test_g_bar_bounds_every_pattern_that_contains_it(data, graphs, rho):
    residual = data.draw(residuals_for(graphs))
    tree = mining.Tree(graphs, maxpat=4)
    found = tree.search(residual, lam=0.0, rho=rho)
    said = {
        node_pattern(tree, int(n)): (g, g_bar)
        for n, g, g_bar in zip(found.nodes, found.g, found.g_bar, strict=True)
    }
    for bigger, (g, g_bar) in said.items():
        for smaller in {*sub_patterns(bigger), bigger}:
            # A part whose g is exactly 0 is not a violator, not even at lam = 0: it is not listed.
            if smaller in said:
                assert max(abs(g), g_bar) <= said[smaller][1] + 1e-12


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(), rho=RHOS)
def test_what_was_searched_before_does_not_change_what_is_found(data, graphs, rho):
    used, fresh = mining.Tree(graphs, maxpat=4), mining.Tree(graphs, maxpat=4)
    for _ in range(data.draw(st.integers(1, 3))):
        lam = data.draw(st.sampled_from([0.0, 0.2, 1.0]))
        used.search(data.draw(residuals_for(graphs)), lam=lam, rho=data.draw(RHOS), maxpat=3)
    used.lambda_max(data.draw(residuals_for(graphs)), rho=rho)
    residual = data.draw(residuals_for(graphs))
    lam = data.draw(st.sampled_from([0.1, 0.4, 1.0]))
    now, then = (tree.search(residual, lam=lam, rho=rho) for tree in (used, fresh))
    assert [node_pattern(used, n) for n in now.nodes] == [
        node_pattern(fresh, n) for n in then.nodes
    ]
    np.testing.assert_array_equal(now.g, then.g)
    np.testing.assert_array_equal(now.g_bar, then.g_bar)


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(), rho=RHOS)
def test_reordered_graphs_with_renumbered_nodes_have_the_same_violators(data, graphs, rho):
    order = list(data.draw(st.permutations(range(len(graphs)))))
    other = renumbered(graphs, data.draw(renumberings_of(graphs)))[order]
    residual = data.draw(residuals_for(graphs))
    lam = data.draw(st.sampled_from([0.13, 0.41, 1.07]))
    here, there = mining.Tree(graphs, maxpat=3), mining.Tree(other, maxpat=3)
    found = here.search(residual, lam=lam, rho=rho)
    moved = there.search(residual[order], lam=lam, rho=rho)
    expected = {node_pattern(here, int(n)): g for n, g in zip(found.nodes, found.g, strict=True)}
    agrees(there, moved, expected, lam)


def separable(n: int = 30, seed: int = 0) -> tuple[GraphSet, np.ndarray]:
    """Rings of six whose first node decides the class by its attribute."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    attributes = rng.normal(0.0, 0.3, (n, 8, 2))
    attributes[:, 0, 0] += 2.0 * y
    graphs = GraphSet.from_lists(
        labels=[["N", "C", "C", "O", "C", "C", "C", "O"]] * n,
        edges=[[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (2, 6), (6, 7)]] * n,
        attributes=list(attributes),
    )
    return graphs, y


def test_a_search_visits_fewer_nodes_for_a_larger_lam():
    graphs, y = separable()
    tree = mining.Tree(graphs, maxpat=8)
    top, _ = tree.lambda_max(y, rho=5.0)
    visited = [tree.search(y, lam=s * top, rho=5.0).n_visited for s in (0.9, 0.5, 0.1, 0.0)]
    assert all(a <= b for a, b in pairwise(visited))
    assert visited[0] < visited[-1] == mining.count(graphs, maxpat=8).total


def test_a_second_search_makes_no_new_nodes():
    graphs, y = separable()
    tree = mining.Tree(graphs, maxpat=6)
    first = tree.search(y, lam=0.5, rho=0.5)
    again = tree.search(y, lam=0.5, rho=0.5)
    assert first.n_made > 0
    assert again.n_made == 0
    np.testing.assert_array_equal(first.nodes, again.nodes)


@pytest.mark.parametrize("n_jobs", [2, 5])
def test_search_and_lambda_max_give_the_same_bytes_for_any_number_of_threads(n_jobs):
    graphs, y = separable(seed=1)
    one, many = (mining.Tree(graphs, maxpat=8, n_jobs=k) for k in (1, n_jobs))
    assert one.lambda_max(y, rho=0.3)[0] == many.lambda_max(y, rho=0.3)[0]
    for lam in (3.0, 1.0, 0.2):
        a, b = (tree.search(y, lam=lam, rho=0.3) for tree in (one, many))
        assert [tuple(one.pattern(n).types) for n in a.nodes] == [
            tuple(many.pattern(n).types) for n in b.nodes
        ]
        assert a.g.tobytes() == b.g.tobytes()
        assert a.g_bar.tobytes() == b.g_bar.tobytes()


@settings(max_examples=30, deadline=None)
@given(data=st.data(), graphs=graph_sets(max_nodes=5), rho=RHOS)
def test_lambda_max_of_a_training_set_takes_any_two_values(data, graphs, rho):
    assume(len(graphs) >= 2)
    n = len(graphs)
    y = np.array(
        [0, 1, *data.draw(st.lists(st.sampled_from([0, 1]), min_size=n - 2, max_size=n - 2))]
    )
    plain = plain_graphs(graphs)
    table = initial_costs(plain, reference_starts(None, plain), 3)
    expected = lambda_max(table, paper_residual(2.0 * y - 1.0), rho)
    names = np.array(["no", "yes"])[y]
    for labels in (y, 2 * y - 1, names, y.astype(bool), list(names)):
        value = mining.lambda_max(graphs, labels, maxpat=3, rho=rho)
        assert value == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("y", [[0, 1, 2], [1, 1, 1]])
def test_lambda_max_needs_two_classes(y):
    graphs, _ = separable(3)
    with pytest.raises(ValueError, match="two"):
        mining.lambda_max(graphs, y, maxpat=2, rho=1.0)


def test_lambda_max_needs_one_target_per_graph():
    graphs, _ = separable(3)
    with pytest.raises(ValueError, match=r"2.*3|3.*2"):
        mining.lambda_max(graphs, [0, 1], maxpat=2, rho=1.0)


def test_a_residual_of_zeros_finds_nothing():
    graphs, _y = separable(4)
    tree = mining.Tree(graphs, maxpat=3)
    assert tree.search(np.zeros(4), lam=0.0, rho=1.0).nodes.size == 0
    assert tree.lambda_max(np.zeros(4), rho=1.0)[0] == 0.0


def test_graphs_without_nodes_have_no_patterns():
    graphs = GraphSet.from_lists(labels=[[], []], edges=[[], []], attributes=None)
    tree = mining.Tree(graphs, maxpat=3)
    assert tree.search(np.ones(2), lam=0.0, rho=1.0).nodes.size == 0
    assert tree.lambda_max(np.ones(2), rho=1.0)[0] == 0.0
    assert mining.count(graphs, maxpat=3).total == 0
