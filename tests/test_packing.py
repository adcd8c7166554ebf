"""What keeps large fits small: embeddings in few bytes, and sums over some graphlets at a time."""

from __future__ import annotations

import numpy as np
import pytest
from path_tools import sample_of
from solver_problems import grown, problem_of

from aglets import GraphSet, mining
from aglets.model.losses import SquaredHinge
from aglets.training.engine import Goal, LocalPlacement, values
from aglets.training.engine.graphlet_names import named


def placed_path(n_nodes: int):
    """One path whose only oxygen is its last node, and every pattern that it holds."""
    labels = ["C"] * (n_nodes - 1) + ["O"]
    edges = [(v, v + 1) for v in range(n_nodes - 1)]
    values = np.random.default_rng(0).normal(size=(n_nodes, 1))
    graphs = GraphSet.from_lists(labels=[labels], edges=[edges], attributes=[values])
    tree = mining.Tree(graphs, maxpat=2)
    tree.search(np.ones(1), lam=0.0, rho=0.3)
    placement = LocalPlacement(sample_of(graphs, np.ones(1)), tree)
    placed = placement.graphs_for(Goal(SquaredHinge(), 0.3, 2))
    return placed, named(tree.search(np.ones(1), lam=0.0, rho=0.3).nodes, 0)


@pytest.mark.parametrize(("n_nodes", "n_bytes"), [(3, 1), (256, 1), (257, 4), (300, 4)])
def test_embeddings_keep_their_nodes_in_as_few_bytes_as_the_largest_graph_needs(n_nodes, n_bytes):
    graphs, names = placed_path(n_nodes)
    z = graphs.start(graphs.patterns(names))[0]
    handles = graphs.handles(names, None)
    _, expected = graphs.match(handles, z)
    found = graphs.nothing_matched().entered(names, z)
    assert expected.max() == n_nodes - 1
    assert found.embedding().dtype == np.int32
    np.testing.assert_array_equal(found.embedding(), expected)
    lengths = graphs.embedding_lengths(handles)
    assert [part.nbytes for part in graphs.packed(graphs.embedding_lengths(handles), expected)] == (
        n_bytes * lengths
    ).tolist()


@pytest.mark.parametrize("many", [1, 20, 10**6])
def test_slopes_and_curvatures_do_not_depend_on_how_many_are_taken_at_a_time(monkeypatch, many):
    problem = problem_of()
    state, _ = grown(problem)
    draw = np.random.default_rng(0)
    beta = draw.normal(size=len(state.beta))
    scores = state.with_coef(beta).scores
    chosen = draw.random(len(beta)) < 0.7
    assert 1 < chosen.sum() < len(chosen)
    z, own = state.z[state.z_of(chosen)], beta[chosen]
    expected = scores.z_gradient(chosen, z, own), scores.z_curvature(chosen, own)
    monkeypatch.setattr(values, "MANY_VALUES", many)
    found = scores.z_gradient(chosen, z, own), scores.z_curvature(chosen, own)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("many", [1, 20, 10**6])
def test_matches_do_not_depend_on_how_many_graphlets_are_matched_at_a_time(monkeypatch, many):
    state, _ = grown(problem_of())
    chosen = np.random.default_rng(1).random(len(state.beta)) < 0.7
    z = state.z[state.z_of(chosen)] + 0.1
    expected = state.matched.moved(chosen, z)
    monkeypatch.setattr(values, "MANY_VALUES", many)
    found = state.matched.moved(chosen, z)
    assert found.psi.tobytes() == expected.psi.tobytes()
    assert found.embedding().tobytes() == expected.embedding().tobytes()


def test_no_graphlets_have_no_slopes():
    state, _ = grown(problem_of())
    none = np.zeros(len(state.beta), dtype=bool)
    empty = np.empty(0)
    assert len(state.scores.z_gradient(none, empty, empty)) == 0
    assert len(state.scores.z_curvature(none, empty)) == 0
