"""Symmetric graphs with astronomically many embeddings: right, in bounded time and memory.

Where every graph node can host every graphlet node (a clique, the leaves of a star), the cheapest
embedding is an assignment problem, and SciPy solves it independently.
"""

from __future__ import annotations

import contextlib
import os
import resource
import time

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import aglets
from aglets import Graphlet, GraphSet, mining

KINDS = ["random", "equal", "none"]
SIZES = range(3, 11)
# The sanitizers make everything about ten times slower.
SECONDS = 100.0 if os.environ.get("AGLETS_SANITIZED") else 10.0
MEGABYTES = 300.0


def star(k: int) -> list[tuple[int, int]]:
    return [(0, leaf) for leaf in range(1, k)]


def path(k: int) -> list[tuple[int, int]]:
    return [(v, v + 1) for v in range(k - 1)]


def cycle(k: int) -> list[tuple[int, int]]:
    return [*path(k), (0, k - 1)]


def clique(k: int) -> list[tuple[int, int]]:
    return [(u, v) for u in range(k) for v in range(u + 1, k)]


FORMS = {"star": star, "path": path, "cycle": cycle, "clique": clique}


def grid(side: int) -> list[tuple[int, int]]:
    right = [(r * side + c, r * side + c + 1) for r in range(side) for c in range(side - 1)]
    down = [(r * side + c, (r + 1) * side + c) for r in range(side - 1) for c in range(side)]
    return right + down


def rows(kind: str, n: int, seed: int) -> np.ndarray:
    if kind == "none":
        return np.zeros((n, 0))
    if kind == "equal":
        return np.full((n, 2), 0.25)
    return np.random.default_rng(seed).normal(size=(n, 2))


def one_label(n: int, edges, kind: str, seed: int = 0) -> GraphSet:
    return GraphSet.from_lists(labels=[["C"] * n], edges=[edges], attributes=[rows(kind, n, seed)])


def graphlet(form: str, k: int, kind: str) -> Graphlet:
    z = rows("random" if kind != "none" else "none", k, seed=k)
    return Graphlet(labels=["C"] * k, edges=FORMS[form](k), attributes=z)


def distances(graphs: GraphSet, small: Graphlet) -> np.ndarray:
    z, x = np.asarray(small.attributes), graphs.attributes
    return ((z[:, None, :] - x[None, :, :]) ** 2).sum(axis=2)


def assignment(table: np.ndarray) -> float:
    return float(table[linear_sum_assignment(table)].sum())


def checked(graphs: GraphSet, small: Graphlet, rho: float = 0.05) -> float:
    """The cost behind psi, after a look at time, memory and the embedding itself."""
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    psi, found = aglets.agis(graphs, [small], rho=rho, return_embeddings=True)
    assert time.perf_counter() - start < SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEGABYTES * 1024
    if found[0][0] is None:
        assert psi[0, 0] == 0.0
        return np.inf
    hosts = [int(v) for v in found[0][0]]
    assert len(set(hosts)) == len(hosts)
    present = {(int(u), int(v)) for u, v in graphs.edges}
    for u, v in small.edges:
        assert (min(hosts[u], hosts[v]), max(hosts[u], hosts[v])) in present
    cost = distances(graphs, small)[np.arange(len(hosts)), hosts].sum()
    assert psi[0, 0] == pytest.approx(np.exp(-rho * cost), rel=1e-9)
    return float(cost)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("k", SIZES)
def test_a_star_of_sixty_leaves(form, k, kind):
    graphs, small = one_label(61, star(61), kind), graphlet(form, k, kind)
    cost = checked(graphs, small)
    if form == "star" or (form == "path" and k == 3):
        table = distances(graphs, small)
        centre = 0 if form == "star" else 1
        leaves = [v for v in range(k) if v != centre]
        expected = table[centre, 0] + assignment(table[leaves, 1:])
        assert cost == pytest.approx(expected, rel=1e-9, abs=1e-12)
    else:
        assert cost == np.inf


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("k", SIZES)
def test_a_clique_of_twelve(form, k, kind):
    graphs, small = one_label(12, clique(12), kind), graphlet(form, k, kind)
    expected = assignment(distances(graphs, small))
    assert checked(graphs, small) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("k", SIZES)
def test_a_grid_of_thirty_by_thirty(form, k, kind):
    graphs, small = one_label(900, grid(30), kind), graphlet(form, k, kind)
    fits = {
        "star": k <= 5,  # no node has more than four neighbours
        "path": True,
        "cycle": k % 2 == 0,  # a grid has no odd cycle
        "clique": False,
    }[form]
    cost = checked(graphs, small)
    if not fits:
        assert cost == np.inf
    elif kind != "random":
        # Every embedding costs the same, so any embedding has the cost.
        assert cost == pytest.approx(distances(graphs, small)[:, 0].sum(), rel=1e-9, abs=1e-12)
    elif form == "star":
        table, neighbours = distances(graphs, small), adjacency(graphs)
        expected = min(
            table[0, v] + assignment(table[1:, near])
            for v, near in enumerate(neighbours)
            if len(near) >= k - 1
        )
        assert cost == pytest.approx(expected, rel=1e-9)
    elif k <= 6:
        assert cost == pytest.approx(cheapest_walk(graphs, small, closed=form == "cycle"), rel=1e-9)


def adjacency(graphs: GraphSet) -> list[list[int]]:
    near: list[list[int]] = [[] for _ in range(int(graphs.n_nodes[0]))]
    for u, v in graphs.edges:
        near[u].append(int(v))
        near[v].append(int(u))
    return near


def cheapest_walk(graphs: GraphSet, small: Graphlet, *, closed: bool) -> float:
    """The cheapest path or cycle by walking all of them."""
    table, near = distances(graphs, small).tolist(), adjacency(graphs)
    k, best = len(table), np.inf
    stack = [((v,), table[0][v]) for v in range(len(near))]
    while stack:
        walk, cost = stack.pop()
        if len(walk) == k:
            if cost < best and (not closed or walk[0] in near[walk[-1]]):
                best = cost
            continue
        prices = table[len(walk)]
        stack += [((*walk, v), cost + prices[v]) for v in near[walk[-1]] if v not in walk]
    return best


@pytest.mark.parametrize("form", ["path", "cycle"])
def test_a_planted_graphlet_is_found_in_a_grid(form):
    graphs = one_label(900, grid(30), "random", seed=7)
    row, column = 13, 17
    around = [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 4), (1, 3), (1, 2), (1, 1), (1, 0)]
    hosts = [(row + r) * 30 + column + c for r, c in around]
    planted = Graphlet(
        labels=["C"] * 10, edges=FORMS[form](10), attributes=graphs.attributes[hosts]
    )
    psi, found = aglets.agis(graphs, [planted], rho=1.0, return_embeddings=True)
    assert psi[0, 0] == 1.0
    assert [int(v) for v in found[0][0]] == hosts


@pytest.mark.parametrize(
    ("n", "edges"), [(61, star(61)), (12, clique(12)), (900, grid(30))], ids=["star", "K12", "grid"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_mining_symmetric_graphs_ends_or_says_why(n, edges, kind):
    graphs = one_label(n, edges, kind)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    tree = mining.Tree(graphs, maxpat=10, max_seconds=1.0, max_bytes=100_000_000)
    with contextlib.suppress(mining.BudgetError):
        tree.search(np.ones(1), lam=0.0, rho=1e-3)
    assert time.perf_counter() - start < 5.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEGABYTES * 1024
    # What was made stays good: the root level, and an edge.
    found = tree.search(np.ones(1), lam=0.0, rho=1e-3, maxpat=2)
    assert len(found.nodes) == 2
