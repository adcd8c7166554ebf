"""The mining tree holds every connected labelled subgraph once, with its costs."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from graph_edits import padded, renumbered
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.patterns import all_patterns, counts, pattern_of
from reference.plain import plain_graphs
from reference.search import initial_costs
from strategies import graph_sets, renumberings_of, starts_for
from tree_listing import listed, node_pattern, reference_starts

from aglets import GraphSet, mining

EXAMPLES = settings(max_examples=60, deadline=None)


def maxpats(largest: int = 4) -> st.SearchStrategy[int]:
    return st.integers(1, largest)


def random_molecules(n: int, seed: int, n_nodes: int = 12, n_labels: int = 3) -> GraphSet:
    """Trees with a few rings and Gaussian attributes: enough patterns for budgets and threads."""
    rng = np.random.default_rng(seed)
    labels, edges, attributes = [], [], []
    for _ in range(n):
        tree = [(int(rng.integers(max(0, v - 3), v)), v) for v in range(1, n_nodes)]
        rings = {(0, 4), (2, 7), (5, 9)} - set(tree)
        labels.append([("C", "N", "O")[c] for c in rng.integers(0, n_labels, n_nodes)])
        edges.append(tree + sorted(rings))
        attributes.append(rng.normal(size=(n_nodes, 2)))
    return GraphSet.from_lists(labels=labels, edges=edges, attributes=attributes)


def contents(tree: mining.Tree, graphs: GraphSet, maxpat: int) -> list[tuple]:
    """Everything a tree says, in tree order, as bytes."""
    found = tree.search(np.ones(len(graphs)), lam=0.0, rho=1e-3, maxpat=maxpat)
    said = [(found.g.tobytes(), found.g_bar.tobytes())]
    for node in found.nodes:
        pattern, (where, costs) = tree.pattern(int(node)), tree.costs(int(node))
        said.append(tuple(np.asarray(x).tobytes() for x in (*pattern, where, costs)))
    return said


@EXAMPLES
@given(graphs=graph_sets(), maxpat=maxpats())
def test_the_tree_holds_every_connected_subgraph_once_with_its_support(graphs, maxpat):
    tree = mining.Tree(graphs, maxpat=maxpat)
    expected = all_patterns(
        plain_graphs(graphs), maxpat, reference_starts(None, plain_graphs(graphs)).type_labels
    )
    nodes = listed(tree, graphs)
    assert set(nodes) == set(expected)
    for pattern, node in nodes.items():
        assert tuple(tree.costs(node)[0]) == expected[pattern]


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(max_graphs=3), maxpat=maxpats(3), own=st.booleans())
def test_costs_equal_the_cheapest_networkx_monomorphism(data, graphs, maxpat, own):
    starts = data.draw(starts_for(graphs)) if own else None
    plain = plain_graphs(graphs)
    expected = initial_costs(plain, reference_starts(starts, plain), maxpat)
    tree = mining.Tree(graphs, maxpat=maxpat, starts=starts)
    nodes = listed(tree, graphs)
    assert set(nodes) == set(expected)
    for pattern, node in nodes.items():
        where, costs = tree.costs(node)
        assert list(where) == sorted(expected[pattern])
        wanted = [expected[pattern][int(i)] for i in where]
        np.testing.assert_allclose(costs, wanted, rtol=1e-12, atol=1e-12)


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(max_graphs=3), maxpat=maxpats(), own=st.booleans())
def test_a_code_without_its_last_edge_is_its_parent_in_the_tree(data, graphs, maxpat, own):
    starts = data.draw(starts_for(graphs)) if own else None
    tree = mining.Tree(graphs, maxpat=maxpat, starts=starts)
    nodes = listed(tree, graphs)
    codes = {tree_code(tree, node) for node in nodes.values()}
    type_labels = np.asarray(reference_starts(starts, plain_graphs(graphs)).type_labels)
    for node in nodes.values():
        pattern = tree.pattern(node)
        assert list(pattern.labels) == list(type_labels[pattern.types])
        assert len(pattern.edge_labels) == len(pattern.edges)
        if len(pattern.edges):
            types, edges = tree_code(tree, node)
            shorter = edges[:-1]
            n_left = max((max(u, v) for u, v, _ in shorter), default=0) + 1
            assert (types[:n_left], shorter) in codes


def tree_code(tree: mining.Tree, node: int) -> tuple:
    pattern = tree.pattern(node)
    edges = zip(pattern.edges, pattern.edge_labels, strict=True)
    return (
        tuple(int(t) for t in pattern.types),
        tuple((int(u), int(v), int(label)) for (u, v), label in edges),
    )


@EXAMPLES
@given(graphs=graph_sets(max_graphs=3, max_nodes=7), maxpat=maxpats(5))
def test_counts_equal_those_of_all_edge_subsets(graphs, maxpat):
    expected = counts(all_patterns(plain_graphs(graphs), maxpat))
    found = mining.count(graphs, maxpat=maxpat)
    assert found.total == sum(expected.values())
    assert {key: n for key, n in found.by_nodes_edges.items() if n} == expected
    for k in range(1, maxpat + 1):
        wanted = sum(n for (nodes, _), n in expected.items() if nodes == k)
        assert found.by_nodes.get(k, 0) == wanted


@EXAMPLES
@given(graphs=graph_sets(), maxpat=maxpats(), min_support=st.integers(1, 3))
def test_frequent_patterns_are_those_with_enough_graphs(graphs, maxpat, min_support):
    expected = {
        pattern: where
        for pattern, where in all_patterns(plain_graphs(graphs), maxpat).items()
        if len(where) >= min_support
    }
    found = mining.frequent(graphs, maxpat=maxpat, min_support=min_support)
    codes = {value: code for code, value in enumerate(graphs.vocabulary)}
    marks = {value: code for code, value in enumerate(graphs.edge_vocabulary or ())}
    said = {}
    for one in found:
        edge_labels = None if one.edge_labels is None else [marks[m] for m in one.edge_labels]
        pattern = pattern_of([codes[label] for label in one.labels], one.edges, edge_labels)
        said[pattern] = tuple(int(i) for i in one.graphs)
        assert one.support == len(one.graphs)
    assert said == expected
    assert len(found) == len(expected)


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(), small=maxpats(3))
def test_a_small_maxpat_on_a_big_tree_equals_a_small_tree(data, graphs, small):
    big, fresh = mining.Tree(graphs, maxpat=4), mining.Tree(graphs, maxpat=small)
    if data.draw(st.booleans(), label="grow the big tree first"):
        listed(big, graphs)
    assert contents(big, graphs, small) == contents(fresh, graphs, small)
    assert mining.count(graphs, maxpat=small).total == len(listed(fresh, graphs))


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(max_graphs=3), maxpat=maxpats())
def test_renumbering_nodes_and_reordering_graphs_changes_nothing(data, graphs, maxpat):
    order = data.draw(st.permutations(range(len(graphs))))
    starts = data.draw(starts_for(graphs))
    other = renumbered(graphs, data.draw(renumberings_of(graphs)))[list(order)]
    here, there = (mining.Tree(g, maxpat=maxpat, starts=starts) for g in (graphs, other))
    nodes, moved = listed(here, graphs), listed(there, other)
    assert list(nodes) == list(moved)
    for node, twin in zip(nodes.values(), moved.values(), strict=True):
        assert tree_code(here, node) == tree_code(there, twin)
        where, costs = here.costs(node)
        places, prices = there.costs(twin)
        again = dict(zip((order[i] for i in places), prices, strict=True))
        np.testing.assert_allclose([again[i] for i in where], costs, rtol=1e-12, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(data=st.data(), graphs=graph_sets(max_graphs=2), extra=st.sampled_from([60, 64, 255, 300]))
def test_isolated_nodes_of_another_label_add_one_pattern(data, graphs, extra):
    """Graphs of more than 64 or 255 nodes take other routes through the core than small ones."""
    big = padded(graphs, extra, label="Zn")
    tree, big_tree = mining.Tree(graphs, maxpat=4), mining.Tree(big, maxpat=4)
    nodes, big_nodes = listed(tree, graphs), listed(big_tree, big)
    zinc = pattern_of([len(graphs.vocabulary)], [])
    assert set(big_nodes) == set(nodes) | {zinc}
    for pattern, node in nodes.items():
        for small, large in zip(tree.costs(node), big_tree.costs(big_nodes[pattern]), strict=True):
            np.testing.assert_allclose(large, small, rtol=1e-12, atol=1e-12)


@EXAMPLES
@given(graphs=graph_sets(edge_labels=True), maxpat=maxpats())
def test_unknown_labels_of_nodes_and_edges_are_in_no_pattern(graphs, maxpat):
    few, fewer = graphs.vocabulary[1:], graphs.edge_vocabulary[1:]
    other = graphs.with_vocabulary(few, fewer)
    expected = all_patterns(plain_graphs(other), maxpat)
    nodes = listed(mining.Tree(other, maxpat=maxpat), other)
    assert set(nodes) == set(expected)
    assert mining.count(other, maxpat=maxpat).total == len(expected)


def test_patterns_of_a_complete_graph_are_all_connected_graphs():
    edges = [(u, v) for u in range(7) for v in range(u + 1, 7)]
    graphs = GraphSet.from_lists(labels=[["C"] * 7], edges=[edges])
    found = mining.count(graphs, maxpat=7).by_nodes
    assert found == {1: 1, 2: 1, 3: 2, 4: 6, 5: 21, 6: 112, 7: 853}  # OEIS A001349


@pytest.mark.parametrize("extra", [0, 60, 300])
def test_patterns_of_a_ring_of_different_labels_cost_the_sum_of_their_nodes(extra):
    """Patterns of up to 14 nodes, each with one embedding: arcs of the ring, and the ring."""
    n = 14
    rng = np.random.default_rng(0)
    ring = [(v, (v + 1) % n) for v in range(n)]
    graphs = GraphSet.from_lists(
        labels=[list("abcdefghijklmn")] * 3,
        edges=[ring] * 3,
        attributes=list(rng.normal(size=(3, n, 2))),
    )
    own = ((graphs.attributes - np.tile(mining.label_means(graphs).type_starts, (3, 1))) ** 2).sum(
        1
    )
    big = padded(graphs, extra, label="z")
    tree = mining.Tree(big, maxpat=n)
    nodes = listed(tree, big)
    assert len(nodes) == n * n + 1 + (extra > 0)
    for pattern, node in nodes.items():
        if n not in pattern.types:
            expected = own.reshape(3, n)[:, list(pattern.types)].sum(axis=1)
            np.testing.assert_allclose(tree.costs(node)[1], expected, rtol=1e-12)


def test_many_labels_are_mined():
    n = 400
    graphs = GraphSet.from_lists(
        labels=[list(range(n))], edges=[[(v, (v + 1) % n) for v in range(n)]]
    )
    assert mining.count(graphs, maxpat=3).by_nodes == {1: n, 2: n, 3: n}
    assert len(listed(mining.Tree(graphs, maxpat=3), graphs)) == 3 * n


def test_a_graph_of_more_than_65535_nodes_is_mined():
    n = 66_000
    labels = ["C"] * n
    labels[-2:] = ["N", "O"]
    graphs = GraphSet.from_lists(
        labels=[labels, ["C", "C"]],
        edges=[[(v, v + 1) for v in range(n - 1)], [(0, 1)]],
        attributes=[np.zeros((n, 1)), np.ones((2, 1))],
    )
    tree = mining.Tree(graphs, maxpat=3)
    nodes = listed(tree, graphs)
    c, nitrogen, oxygen = 0, 1, 2
    assert set(nodes) == {
        pattern_of([c], []),
        pattern_of([nitrogen], []),
        pattern_of([oxygen], []),
        pattern_of([c, c], [(0, 1)]),
        pattern_of([c, nitrogen], [(0, 1)]),
        pattern_of([nitrogen, oxygen], [(0, 1)]),
        pattern_of([c, c, c], [(0, 1), (1, 2)]),
        pattern_of([c, c, nitrogen], [(0, 1), (1, 2)]),
        pattern_of([c, nitrogen, oxygen], [(0, 1), (1, 2)]),
    }
    assert list(tree.costs(nodes[pattern_of([c, c], [(0, 1)])])[0]) == [0, 1]


def test_an_absent_type_is_never_mined():
    graphs = GraphSet.from_lists(
        labels=[["C", "N"], ["C"]], edges=[[(0, 1)], []], attributes=[[[0.0], [1.0]], [[2.0]]]
    )[[1]]
    assert graphs.vocabulary == ("C", "N")
    assert len(listed(mining.Tree(graphs, maxpat=3), graphs)) == 1


@pytest.mark.parametrize("n_jobs", [2, 3, 8])
def test_any_number_of_threads_gives_the_same_bytes(n_jobs):
    graphs = random_molecules(12, seed=0)
    one, many = (mining.Tree(graphs, maxpat=6, n_jobs=k) for k in (1, n_jobs))
    assert contents(one, graphs, 6) == contents(many, graphs, 6)
    assert one.n_nodes == many.n_nodes


def test_trees_may_be_searched_from_several_python_threads():
    graphs = random_molecules(12, seed=1)
    expected = contents(mining.Tree(graphs, maxpat=5), graphs, 5)
    trees = [mining.Tree(graphs, maxpat=5, n_jobs=2) for _ in range(4)]
    said: list = [None] * 4

    def say(k: int) -> None:
        said[k] = contents(trees[k], graphs, 5)

    workers = [threading.Thread(target=say, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(one == expected for one in said)


@pytest.mark.parametrize("budget", [{"max_nodes": 40}, {"max_bytes": 20_000}])
def test_a_spent_budget_leaves_the_tree_usable(budget):
    graphs = random_molecules(10, seed=2)
    tree, free = mining.Tree(graphs, maxpat=6, **budget), mining.Tree(graphs, maxpat=6)
    with pytest.raises(mining.BudgetError, match=next(iter(budget)).split("_")[1]):
        listed(tree, graphs)
    assert issubclass(mining.BudgetError, RuntimeError)
    residual = np.where(np.arange(10) % 2, 1.0, -1.0)
    for rho in (1.0, 0.5):
        top = free.lambda_max(residual, rho=rho)[0]
        found = tree.search(residual, lam=0.999 * top, rho=rho, maxpat=1)
        wanted = free.search(residual, lam=0.999 * top, rho=rho, maxpat=1)
        assert [node_pattern(tree, n) for n in found.nodes] == [
            node_pattern(free, n) for n in wanted.nodes
        ]
        np.testing.assert_array_equal(found.g, wanted.g)
    with pytest.raises(mining.BudgetError):
        listed(tree, graphs)


def test_a_time_budget_ends_a_search_that_would_not_end():
    graphs = GraphSet.from_lists(
        labels=[["C"] * 40],
        edges=[[(u, v) for u in range(40) for v in range(u + 1, 40)]],
        attributes=[np.arange(40.0)[:, None]],
    )
    tree = mining.Tree(graphs, maxpat=12, max_seconds=0.3)
    with pytest.raises(mining.BudgetError, match="second"):
        listed(tree, graphs)
    assert tree.search(np.ones(1), lam=0.0, rho=1e-3, maxpat=1).nodes.size == 1


def test_searches_share_their_time_until_more_is_allowed():
    graphs = random_molecules(60, seed=0)
    tree = mining.Tree(graphs, maxpat=7, max_seconds=60.0)
    residual = np.random.default_rng(0).normal(size=60)
    tree.search(residual, lam=1.0, rho=0.1, maxpat=3)
    spent = tree.seconds_spent
    assert 0.0 < spent < 60.0
    tree.allow(max_seconds=spent / 1e6)
    with pytest.raises(mining.BudgetError, match="second"):
        tree.search(residual, lam=1e-3, rho=0.1)
    with pytest.raises(mining.BudgetError, match="second"):
        tree.search(residual, lam=1e-3, rho=0.1)
    tree.allow()
    assert tree.search(residual, lam=1e-3, rho=0.1).nodes.size > 0


def test_a_tree_knows_its_size():
    graphs = random_molecules(5, seed=3)
    tree = mining.Tree(graphs, maxpat=4)
    listed(tree, graphs)
    assert tree.n_nodes == mining.count(graphs, maxpat=4).total
    assert tree.n_bytes > 0


@pytest.mark.parametrize("maxpat", [0, -3])
def test_maxpat_below_one_is_an_error(maxpat):
    graphs = random_molecules(2, seed=4)
    for call in (mining.Tree, mining.count):
        with pytest.raises(ValueError, match=rf"maxpat.*Got {maxpat}"):
            call(graphs, maxpat=maxpat)


@pytest.mark.parametrize("rho", [0.0, -1.0, float("nan"), float("inf")])
def test_rho_must_be_positive_and_finite(rho):
    graphs = random_molecules(2, seed=5)
    tree = mining.Tree(graphs, maxpat=2)
    with pytest.raises(ValueError, match="rho"):
        tree.search(np.ones(2), lam=0.1, rho=rho)
    with pytest.raises(ValueError, match="rho"):
        tree.lambda_max(np.ones(2), rho=rho)
    with pytest.raises(ValueError, match="rho"):
        mining.lambda_max(graphs, [0, 1], maxpat=2, rho=rho)


def test_a_residual_needs_one_number_per_graph():
    tree = mining.Tree(random_molecules(3, seed=6), maxpat=2)
    with pytest.raises(ValueError, match=r"residual.*3.*2"):
        tree.search(np.ones(2), lam=0.1, rho=1.0)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_residual_must_be_finite(value):
    """A NaN would compare false with every bound: nothing found, and the model looks optimal."""
    tree = mining.Tree(random_molecules(3, seed=6), maxpat=2)
    with pytest.raises(ValueError, match="residual"):
        tree.search(np.array([1.0, value, 0.0]), lam=0.1, rho=1.0)
    with pytest.raises(ValueError, match="residual"):
        tree.lambda_max(np.array([1.0, value, 0.0]), rho=1.0)


def test_a_search_beyond_the_maxpat_of_the_tree_is_an_error():
    tree = mining.Tree(random_molecules(3, seed=6), maxpat=2)
    with pytest.raises(ValueError, match="maxpat"):
        tree.search(np.ones(3), lam=0.1, rho=1.0, maxpat=3)


@pytest.mark.parametrize("node", [-1, 10**6])
def test_a_tree_node_that_is_not_there_is_an_error(node):
    tree = mining.Tree(random_molecules(3, seed=6), maxpat=2)
    with pytest.raises((ValueError, IndexError)):
        tree.pattern(node)
    with pytest.raises((ValueError, IndexError)):
        tree.costs(node)


def test_starts_that_do_not_fit_the_graphs_are_an_error():
    graphs = random_molecules(3, seed=7)
    good = mining.label_means(graphs)
    wide = mining.Starts(good.type_labels, np.zeros((3, 5)), good.edge_starts)
    with pytest.raises(ValueError, match=r"5.*2|2.*5"):
        mining.Tree(graphs, maxpat=2, starts=wide)


def test_a_single_graph_instead_of_a_list_is_an_error():
    graph = random_molecules(1, seed=8)[0]
    with pytest.raises((TypeError, ValueError), match="list"):
        mining.count(graph, maxpat=2)
    assert mining.count([graph], maxpat=2).total > 1


def test_min_support_below_one_is_an_error():
    with pytest.raises(ValueError, match=r"min_support.*Got 0"):
        mining.frequent(random_molecules(2, seed=9), maxpat=2, min_support=0)
