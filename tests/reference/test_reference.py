"""The slow code itself, on graphs that can be counted by hand."""

from __future__ import annotations

from math import comb, exp
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import minimize

from reference.algorithm1 import Path, best_intercept
from reference.convex import Huber, Logistic, Squared, SquaredHinge, kkt_violation, solve
from reference.matching import embeddings, match, psi, shape
from reference.patterns import (
    Pattern,
    all_patterns,
    canonical,
    complete_edges,
    connected_edge_subsets,
    contains,
    counts,
    pattern_of,
)
from reference.plain import plain_graphs
from reference.search import (
    gradient,
    gradient_bound,
    initial_costs,
    label_means,
    lambda_max,
    violators,
)

TRIANGLE = [(0, 1), (0, 2), (1, 2)]
PATH = [(0, 1), (1, 2), (2, 3)]


class Columns(SimpleNamespace):
    """As much of a graph set as the slow code reads."""

    def __len__(self):
        return len(self.node_offsets) - 1


def graph(labels, edges, rows=None, edge_labels=None, edge_rows=None):
    made = nx.Graph()
    for v, label in enumerate(labels):
        made.add_node(v, label=label, row=() if rows is None else tuple(map(float, rows[v])))
    for e, (u, v) in enumerate(edges):
        made.add_edge(
            u,
            v,
            label=0 if edge_labels is None else edge_labels[e],
            row=() if edge_rows is None else tuple(map(float, edge_rows[e])),
        )
    return made


def test_a_triangle_has_four_patterns_and_seven_edge_subsets():
    triangle = graph([0, 0, 0], TRIANGLE)
    assert len(connected_edge_subsets(triangle, 3)) == 7
    assert counts(all_patterns([triangle], 3)) == {(1, 0): 1, (2, 1): 1, (3, 2): 1, (3, 3): 1}
    assert counts(all_patterns([triangle], 2)) == {(1, 0): 1, (2, 1): 1}


def test_a_path_of_four_labels_has_ten_patterns():
    path = graph([0, 1, 2, 3], PATH)
    assert len(all_patterns([path], 4)) == 4 + 3 + 2 + 1
    assert len(all_patterns([graph([0] * 4, PATH)], 4)) == 4


def test_a_star_has_one_pattern_for_every_number_of_leaves():
    star = graph([0] * 6, [(0, leaf) for leaf in range(1, 6)])
    assert counts(all_patterns([star], 6)) == {(k, k - 1): 1 for k in range(1, 7)}
    assert len(connected_edge_subsets(star, 4)) == sum(comb(5, r) for r in (1, 2, 3))


def test_connected_graphs_on_four_nodes_are_six():
    found = counts(all_patterns([graph([0] * 4, complete_edges(4))], 4))
    assert sum(n for (k, _), n in found.items() if k == 4) == 6


def test_supports_and_unknown_labels():
    supports = all_patterns([graph([0, 1], [(0, 1)]), graph([1, -1], [(0, 1)]), graph([], [])], 3)
    assert supports[Pattern((1,), ())] == (0, 1)
    assert supports[Pattern((0, 1), ((0, 1, 0),))] == (0,)
    assert len(supports) == 3


def test_edge_labels_distinguish_patterns():
    star = graph([0] * 3, [(0, 1), (0, 2)], edge_labels=[4, 5])
    assert counts(all_patterns([star], 3)) == {(1, 0): 1, (2, 1): 2, (3, 2): 1}


def test_two_types_of_one_label_give_every_assignment():
    edge = graph([0, 0], [(0, 1)])
    # nodes: A, B; edges: AA, AB, BB
    assert counts(all_patterns([edge], 2, type_labels=[0, 0])) == {(1, 0): 2, (2, 1): 3}


def test_canonical_forms_agree_with_networkx_isomorphism():
    rng = np.random.default_rng(0)
    shapes = []
    for _ in range(40):
        tree = [(int(rng.integers(v)), v) for v in range(1, 5)]
        extra = [e for e in complete_edges(5) if e not in tree and rng.random() < 0.3]
        shapes.append(graph(rng.integers(0, 2, 5).tolist(), sorted(tree + extra)))
    keys = [pattern_of([d["label"] for _, d in g.nodes(data=True)], list(g.edges)) for g in shapes]
    same_label = nx.algorithms.isomorphism.categorical_node_match("label", 0)
    for i, a in enumerate(shapes):
        for j, b in enumerate(shapes):
            assert (keys[i] == keys[j]) == nx.is_isomorphic(a, b, node_match=same_label)


def test_contains_is_subgraph_not_induced():
    triangle = canonical(Pattern((0, 0, 0), ((0, 1, 0), (0, 2, 0), (1, 2, 0))))
    path = canonical(Pattern((0, 0, 0), ((0, 1, 0), (1, 2, 0))))
    assert contains(triangle, path)
    assert not contains(path, triangle)
    assert contains(path, path)


def test_embeddings_are_not_induced():
    triangle = graph([0, 0, 0], TRIANGLE)
    assert len(embeddings(triangle, shape([0] * 3, [(0, 1), (1, 2)]))) == 6
    star = graph([0] * 5, [(0, v) for v in range(1, 5)])
    assert len(embeddings(star, shape([0] * 3, [(0, 1), (0, 2)]))) == 12
    assert embeddings(graph([-1], []), shape([-1], [])) == []


def test_minimum_cost_and_the_tie_rule():
    host = graph([0, 0, 0], [(0, 1), (1, 2)], rows=[[1], [0], [-1]])
    found = match(host, shape([0, 0], [(0, 1)]), [[0.0], [0.0]])
    assert found.cost == 1.0
    assert sorted(found.best) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    assert found.chosen == [(2, 1)]  # rows (-1, 0) come first
    assert psi(host, shape([0, 0], [(0, 1)]), [[0.0], [0.0]], 0.5) == exp(-0.5)
    assert psi(host, shape([1], []), [[0.0]], 0.5) == 0.0


def test_edge_attributes_join_the_cost():
    host = graph([0, 0], [(0, 1)], rows=[[0], [1]], edge_rows=[[3]])
    assert match(host, shape([0, 0], [(0, 1)]), [[0.0], [1.0]], [[1.0]]).cost == 4.0


def test_g_and_g_bar_by_hand():
    costs = {0: 0.0, 1: 1.0, 2: 0.0}
    residual = [2.0, -1.0, -1.0]
    assert gradient(costs, residual, 1.0) == pytest.approx(1.0 - exp(-1))
    assert gradient_bound(costs, residual, 1.0) == pytest.approx(2.0)


def test_lambda_max_leaves_no_violator():
    graphs = [graph([0, 1], [(0, 1)], [[0], [1]]), graph([0, 0], [(0, 1)], [[2], [3]])]
    table = initial_costs(graphs, label_means(graphs), 2)
    top = lambda_max(table, [1.0, -1.0], 0.1)
    assert not violators(table, [1.0, -1.0], 0.1, top)
    assert violators(table, [1.0, -1.0], 0.1, 0.999 * top)


def test_columns_become_plain_graphs():
    columns = Columns(
        node_offsets=np.array([0, 2, 2, 3]),
        labels=np.array([1, 0, 1]),
        attributes=np.array([[1.0], [2.0], [3.0]]),
        edge_offsets=np.array([0, 1, 1, 1]),
        edges=np.array([[0, 1]]),
        edge_labels=None,
        edge_attributes=None,
    )
    first, second, third = plain_graphs(columns)
    assert first.nodes[0] == {"label": 1, "row": (1.0,)}
    assert list(first.edges) == [(0, 1)]
    assert len(second) == 0
    assert third.nodes[0]["row"] == (3.0,)


@pytest.mark.parametrize("loss", [SquaredHinge(), Logistic(), Squared(), Huber(0.5)])
def test_slopes_and_curvatures_match_finite_differences(loss):
    f = np.linspace(-2.3, 2.6, 23)
    for y in (-1.0, 1.0):
        step = 1e-6
        slope = (loss.value(y, f + step) - loss.value(y, f - step)) / (2 * step)
        np.testing.assert_allclose(loss.slope(y, f), slope, atol=1e-6)
        curvature = (loss.slope(y, f + step) - loss.slope(y, f - step)) / (2 * step)
        np.testing.assert_allclose(loss.curvature(y, f), curvature, atol=1e-6)


@pytest.mark.parametrize("loss", [SquaredHinge(), Logistic(), Squared(), Huber(0.5)])
@pytest.mark.parametrize("lam", [0.05, 0.5, 3.0])
def test_convex_solution_is_certified_and_no_other_solver_does_better(loss, lam):
    rng = np.random.default_rng(1)
    n, p = 30, 12
    psi_matrix = rng.random((n, p)) * (rng.random((n, p)) < 0.6)
    psi_matrix[:, 3] = psi_matrix[:, 5]  # a twin: the minimiser is not unique, the minimum is
    y = np.sign(rng.normal(size=n))
    weights = rng.uniform(0.5, 2.0, n)
    found = solve(psi_matrix, y, lam, loss, weights)
    assert found.kkt <= 1e-8

    def split(x):
        beta = x[1 : p + 1] - x[p + 1 :]
        f = x[0] + psi_matrix @ beta
        slope = 0.5 * weights * loss.slope(y, f)
        value = 0.5 * weights @ loss.value(y, f) + lam * x[1:].sum()
        in_beta = psi_matrix.T @ slope
        return value, np.concatenate([[slope.sum()], lam + in_beta, lam - in_beta])

    bounds = [(None, None)] + [(0, None)] * (2 * p)
    rival = minimize(
        split,
        np.zeros(2 * p + 1),
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000},
    )
    assert found.objective <= rival.fun + 1e-9 * max(1.0, rival.fun)
    assert found.objective == pytest.approx(rival.fun, rel=1e-6)


def test_convex_solution_is_empty_at_lambda_max():
    rng = np.random.default_rng(2)
    psi_matrix, y = rng.random((20, 5)), np.repeat([-1.0, 1.0], 10)
    top = np.abs(psi_matrix.T @ (y * (1 - y * y.mean()))).max()
    assert not solve(psi_matrix, y, 1.0001 * top, SquaredHinge()).beta.any()
    below = solve(psi_matrix, y, 0.999 * top, SquaredHinge())
    assert below.beta.any()
    assert kkt_violation(psi_matrix, y, 0.999 * top, SquaredHinge(), below.beta, 0.3) > 1e-3


def test_best_intercept_is_the_minimiser():
    rng = np.random.default_rng(3)
    for _ in range(50):
        n = int(rng.integers(1, 9))
        y, scores = np.sign(rng.normal(size=n)), rng.normal(size=n) * 2
        b = best_intercept(y, scores, 0.1)
        loss = [(np.maximum(1 - y * (scores + b + s), 0) ** 2).sum() for s in (0, -1e-3, 1e-3)]
        assert loss[0] <= min(loss) + 1e-12


def test_algorithm1_lowers_the_objective_and_separates_two_classes():
    rng = np.random.default_rng(4)
    graphs = [graph([0, 0], [(0, 1)], rng.normal(0, 0.1, (2, 1)) + 2 * (i % 2)) for i in range(8)]
    y = [1.0 if i % 2 else -1.0 for i in range(8)]
    path = Path(graphs, y, maxpat=2, rho=0.5)
    top = path.lambda_max()
    points = path.run([0.5 * top, 0.1 * top, 0.02 * top], max_epochs=30)
    assert points[0].objective > points[1].objective > points[2].objective
    assert (path.scores() * path.y > 0).all()
    assert path.validation_loss((graphs, y)) == pytest.approx(
        (np.maximum(1 - path.y * path.scores(), 0) ** 2).sum()
    )


def test_algorithm1_without_attribute_learning_reaches_the_convex_minimum():
    rng = np.random.default_rng(5)
    graphs = [
        graph(rng.integers(0, 2, 3).tolist(), [(0, 1), (1, 2)], rng.normal(size=(3, 1)))
        for _ in range(10)
    ]
    y = np.repeat([-1.0, 1.0], 5)
    path = Path(graphs, y, maxpat=3, rho=0.3, learn_attributes=False)
    lam = 0.2 * path.lambda_max()
    (point,) = path.run([lam], max_epochs=3000, tol=1e-13)
    psi_matrix = np.column_stack(list(path.initial_psi.values()))
    best = solve(psi_matrix, y, lam, SquaredHinge())
    assert point.objective == pytest.approx(best.objective, rel=1e-6)
    assert point.objective >= best.objective - 1e-9
