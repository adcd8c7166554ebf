"""The solver's door to the graphs: costs, best embeddings and z-gradients of trained graphlets."""

from __future__ import annotations

import numpy as np
import pytest
from graph_edits import renumbered
from hypothesis import given, settings
from hypothesis import strategies as st
from path_tools import held, sample_of
from reference.matching import match, matched_rows, shape
from reference.plain import plain_graphs
from strategies import graph_sets, renumberings_of, rows, starts_for
from tree_listing import listed

from aglets import GraphSet, mining
from aglets.model.losses import SquaredHinge
from aglets.training.engine import Goal, LocalPlacement
from aglets.training.engine.graphlet_names import named
from aglets.training.engine.local import LocalGraphs

EXAMPLES = settings(max_examples=60, deadline=None)
TABLE_BYTES = [16 << 20, 0]  # embeddings laid out in a table, and graphs searched again


def engine_of(graphs: GraphSet, *, maxpat: int = 3, starts=None, n_jobs: int = 1, table: int):
    """Graphs with every pattern of the graphs taken up."""
    tree = mining.Tree(graphs, maxpat=maxpat, starts=starts, n_jobs=n_jobs)
    placement = LocalPlacement(sample_of(graphs, np.ones(len(graphs))), tree, table)
    engine = placement.graphs_for(Goal(SquaredHinge(), 0.3, maxpat))
    nodes = np.array(list(listed(tree, graphs).values()), dtype=np.int64)
    return engine, placement.handles(named(nodes, 0)), nodes


def costs_and_embedding(engine, handles, z, previous=None):
    """Costs D of shape (n_graphlets, n_graphs), infinite where psi = 0, and best embeddings."""
    placement = engine.placement
    return placement.bank.match(handles, z, previous, placement.tree.n_jobs)


def pull(engine: LocalGraphs, handles, z, best, weights) -> np.ndarray:
    """The pull of weights of shape (n_graphlets, n_graphs)."""
    return engine.pull(handles, z, best, held(engine.placement.bank, handles, weights))


def start_of(engine: LocalGraphs, handles) -> np.ndarray:
    """Where the graphlets of these handles start."""
    return engine.start([engine.placement.entered[h][0] for h in handles.tolist()])[0]


def unpacked(engine: LocalGraphs, handles, z, costs, best):
    """(pattern, node attributes, edge attributes, graph, cost, embedding) of every match."""
    graphs = engine.placement.tree.graphs
    z_at = site_at = 0
    for j, handle in enumerate(handles.tolist()):
        pattern, _ = engine.placement.entered[handle]
        k, m = len(pattern.types), len(pattern.edges)
        n_node = k * graphs.n_attributes
        own = z[z_at : z_at + int(engine.start([pattern])[1][0])]
        z_at += len(own)
        nodes = own[:n_node].reshape(k, graphs.n_attributes)
        edges = own[n_node:].reshape(m, graphs.n_edge_attributes)
        for i in np.flatnonzero(np.isfinite(costs[j])).tolist():
            yield (
                pattern,
                nodes,
                edges,
                i,
                costs[j, i],
                tuple(best[site_at : site_at + k].tolist()),
            )
            site_at += k
    assert z_at == len(z)
    assert site_at == len(best)


def random_set(n: int, seed: int, *, d: int = 2, edge_attributes: bool = True) -> GraphSet:
    """Rings with tails, Gaussian attributes: no ties."""
    rng = np.random.default_rng(seed)
    ring = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (2, 5), (5, 6)]
    return GraphSet.from_lists(
        labels=[["C", "C", "N", "C", "C", "C", "O"]] * n,
        edges=[ring] * n,
        attributes=list(rng.normal(size=(n, 7, d))),
        edge_attributes=list(rng.normal(size=(n, 7, 1))) if edge_attributes else None,
    )


@pytest.mark.parametrize("table", TABLE_BYTES)
@EXAMPLES
@given(data=st.data(), graphs=graph_sets(max_nodes=5))
def test_costs_and_best_embeddings_equal_networkx(table, data, graphs):
    engine, handles, _ = engine_of(graphs, table=table)
    z = data.draw(rows(1, len(start_of(engine, handles))))[0]
    costs, best = costs_and_embedding(engine, handles, z)
    assert costs.shape == (len(handles), len(graphs))
    plain = plain_graphs(graphs)
    for pattern, nodes, edges, i, cost, embedding in unpacked(engine, handles, z, costs, best):
        small = shape(pattern.labels, pattern.edges, pattern.edge_labels)
        expected = match(plain[i], small, nodes, edges)
        assert cost == pytest.approx(expected.cost, rel=1e-10, abs=1e-12)
        assert embedding in expected.chosen


@pytest.mark.parametrize("table", TABLE_BYTES)
@EXAMPLES
@given(data=st.data(), graphs=graph_sets(max_nodes=5))
def test_ties_go_to_the_previous_embedding_while_it_is_still_best(table, data, graphs):
    engine, handles, _ = engine_of(graphs, table=table)
    z = data.draw(rows(1, len(start_of(engine, handles))))[0]
    costs, best = costs_and_embedding(engine, handles, z)
    plain = plain_graphs(graphs)
    previous, still_best = [], []
    for pattern, nodes, edges, i, _, embedding in unpacked(engine, handles, z, costs, best):
        small = shape(pattern.labels, pattern.edges, pattern.edge_labels)
        elsewhere = match(plain[i], small, np.roll(nodes, 1, axis=0), edges).chosen[0]
        equal = match(plain[i], small, nodes, edges).best
        kept = data.draw(st.sampled_from([*equal, elsewhere])) if len(equal) > 1 else elsewhere
        previous += kept
        still_best.append((kept, True) if kept in equal else (embedding, False))
    again, moved = costs_and_embedding(engine, handles, z, np.array(previous, dtype=np.int32))
    np.testing.assert_allclose(again, costs, rtol=1e-12, atol=1e-12)
    matches = zip(unpacked(engine, handles, z, again, moved), still_best, strict=True)
    for (pattern, _, _, i, _, embedding), (expected, is_kept) in matches:
        small = shape(pattern.labels, pattern.edges, pattern.edge_labels)
        assert matched_rows(plain[i], small, embedding) == matched_rows(plain[i], small, expected)
        assert embedding == expected or not is_kept


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(max_nodes=5), own=st.booleans())
def test_untrained_graphlets_cost_what_the_tree_says(data, graphs, own):
    starts = data.draw(starts_for(graphs)) if own else None
    engine, handles, nodes = engine_of(graphs, starts=starts, table=TABLE_BYTES[0])
    patterns = [engine.placement.tree.pattern(node) for node in nodes.tolist()]
    costs, _ = costs_and_embedding(engine, handles, engine.start(patterns)[0])
    for row, node in zip(costs, nodes.tolist(), strict=True):
        where, expected = engine.placement.tree.costs(node)
        np.testing.assert_array_equal(np.flatnonzero(np.isfinite(row)), where)
        np.testing.assert_allclose(row[where], expected, rtol=1e-12, atol=1e-12)


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(max_nodes=5))
def test_the_pull_of_renumbered_graphs_is_the_same(data, graphs):
    """Attributes move by the pull: if it is the same, training is blind to the numbering."""
    other = renumbered(graphs, data.draw(renumberings_of(graphs)))
    pulls = []
    weights = None
    for one in (graphs, other):
        starts = mining.label_means(graphs)
        engine, handles, _ = engine_of(one, starts=starts, table=TABLE_BYTES[0])
        z = start_of(engine, handles)
        _, best = costs_and_embedding(engine, handles, z)
        if weights is None:
            weights = data.draw(rows(len(handles), len(graphs)))
        pulls.append(pull(engine, handles, z, best, weights))
    np.testing.assert_allclose(pulls[1], pulls[0], rtol=1e-12, atol=1e-12)


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(max_nodes=5))
def test_the_pull_is_the_weighted_sum_of_differences(data, graphs):
    engine, handles, _ = engine_of(graphs, table=TABLE_BYTES[0])
    z = data.draw(rows(1, len(start_of(engine, handles))))[0]
    weights = data.draw(rows(len(handles), len(graphs)))
    costs, best = costs_and_embedding(engine, handles, z)
    found = pull(engine, handles, z, best, weights)
    expected = np.zeros_like(z)
    patterns = [engine.placement.entered[handle][0] for handle in handles.tolist()]
    offsets = np.concatenate([[0], np.cumsum(engine.start(patterns)[1])])
    by_row = [(j, i) for j in range(len(handles)) for i in np.flatnonzero(np.isfinite(costs[j]))]
    plain = plain_graphs(graphs)
    matches = unpacked(engine, handles, z, costs, best)
    for (j, _), (pattern, nodes, edges, i, _, embedding) in zip(by_row, matches, strict=True):
        small = shape(pattern.labels, pattern.edges, pattern.edge_labels)
        x = [value for row in matched_rows(plain[i], small, embedding) for value in row]
        here = np.concatenate([nodes.ravel(), edges.ravel()])
        expected[offsets[j] : offsets[j + 1]] += weights[j, i] * (here - np.array(x))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("table", TABLE_BYTES)
@pytest.mark.parametrize("edge_attributes", [False, True])
def test_z_gradients_match_finite_differences(table, edge_attributes):
    graphs = random_set(4, seed=1, edge_attributes=edge_attributes)
    engine, handles, _ = engine_of(graphs, maxpat=5, table=table)
    rng = np.random.default_rng(2)
    z = start_of(engine, handles) + rng.normal(0.0, 0.5, len(start_of(engine, handles)))
    c = rng.normal(size=(len(handles), len(graphs)))

    def psi(z):
        return np.exp(-engine.rho * costs_and_embedding(engine, handles, z)[0])

    _, best = costs_and_embedding(engine, handles, z)
    gradient = pull(engine, handles, z, best, -2.0 * engine.rho * c * psi(z))
    step = 1e-6
    for k in rng.choice(len(z), 60, replace=False):
        e = np.zeros_like(z)
        e[k] = step
        slope = ((c * psi(z + e)).sum() - (c * psi(z - e)).sum()) / (2 * step)
        assert gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_a_table_and_a_search_give_the_same_matches():
    graphs = random_set(6, seed=3)
    engines = [engine_of(graphs, maxpat=6, table=table) for table in TABLE_BYTES]
    rng = np.random.default_rng(4)
    z = rng.normal(size=len(start_of(*engines[0][:2])))
    (costs, best), (searched, found) = (
        costs_and_embedding(e, handles, z) for e, handles, _ in engines
    )
    np.testing.assert_allclose(searched, costs, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found, best)


@pytest.mark.parametrize("table", TABLE_BYTES)
@pytest.mark.parametrize("n_jobs", [2, 5])
def test_any_number_of_threads_gives_the_same_bytes(table, n_jobs):
    graphs = random_set(8, seed=5)
    results = []
    for jobs in (1, n_jobs):
        engine, handles, _ = engine_of(graphs, maxpat=5, n_jobs=jobs, table=table)
        z = np.random.default_rng(6).normal(size=len(start_of(engine, handles)))
        costs, best = costs_and_embedding(engine, handles, z)
        pulled = pull(engine, handles, z, best, np.exp(-costs))
        results.append((costs.tobytes(), best.tobytes(), pulled.tobytes()))
    assert results[0] == results[1]


def test_training_does_not_change_what_the_search_finds():
    """Theorem 2.1 speaks of untrained graphlets: bounds below a trained one must not move."""
    graphs = random_set(10, seed=7)
    residual = np.where(np.arange(10) % 2, 1.0, -1.0) * np.linspace(0.5, 1.5, 10)
    engine, handles, _ = engine_of(graphs, maxpat=5, table=TABLE_BYTES[0])
    tree, asked = engine.placement.tree, {"rho": engine.rho, "maxpat": engine.maxpat}
    before = tree.search(residual, lam=0.3, **asked)
    top = tree.lambda_max(residual, **asked)
    z = start_of(engine, handles)
    best = None
    for _ in range(3):
        costs, best = costs_and_embedding(engine, handles, z, best)
        z = z - 0.2 * pull(engine, handles, z, best, np.exp(-engine.rho * costs) * residual)
    after = tree.search(residual, lam=0.3, **asked)
    assert len(before.nodes) > 0
    for name in ("nodes", "g", "g_bar"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))
    assert tree.lambda_max(residual, **asked) == top


def test_handles_are_kept_for_nodes_seen_before():
    engine, handles, nodes = engine_of(random_set(2, seed=8), table=TABLE_BYTES[0])
    np.testing.assert_array_equal(engine.placement.handles(named(nodes, 0)[::-1]), handles[::-1])
    assert len(set(handles.tolist())) == len(nodes)


def test_no_graphlets_need_no_work():
    engine, _, _ = engine_of(random_set(3, seed=9), table=TABLE_BYTES[0])
    none = np.empty(0, dtype=np.int32)
    costs, best = costs_and_embedding(engine, none, np.empty(0))
    assert costs.shape == (0, 3)
    assert best.size == 0
    assert engine.start(())[0].size == 0
    assert pull(engine, none, np.empty(0), best, np.empty((0, 3))).size == 0


def test_attributes_of_the_wrong_length_are_an_error():
    engine, handles, _ = engine_of(random_set(3, seed=10), table=TABLE_BYTES[0])
    with pytest.raises(ValueError, match="z"):
        costs_and_embedding(engine, handles, np.zeros(len(start_of(engine, handles)) + 1))
