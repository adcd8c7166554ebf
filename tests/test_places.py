"""Graphlets that count: places, values, gradients and ties, on plain graphs and in the bank."""

from __future__ import annotations

import numpy as np
import path_tools
import pytest
from graph_edits import renumbered
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.channels import POOLINGS, SCALES, pooled, root_matches
from reference.matching import Shape, shape
from reference.plain import plain_graphs
from strategies import graph_sets, graphlets_for, renumberings_of, rows, starts_for
from tree_listing import listed

from aglets import Graphlet, GraphSet, _core, agis, mining
from aglets.graphlets.scores import places

EXAMPLES = settings(max_examples=50, deadline=None)
RHOS = st.sampled_from([2.0, 0.5, 0.1])
TABLE_BYTES = [16 << 20, 0]  # embeddings laid out in a table, and graphs searched one by one
CHANNELS = [("best", "raw")] + [(name, scale) for name in POOLINGS[1:] for scale in SCALES]


def written(graphlet: Graphlet, graphs: GraphSet) -> Shape:
    code = {value: i for i, value in enumerate(graphs.vocabulary)}
    labels = [code.get(label, -7) for label in graphlet.labels]
    if graphs.edge_vocabulary is None:
        return shape(labels, graphlet.edges)
    mark = {value: i for i, value in enumerate(graphs.edge_vocabulary)}
    return shape(labels, graphlet.edges, [mark.get(m, -7) for m in graphlet.edge_labels])


@st.composite
def problems(draw):
    graphs = draw(graph_sets(max_nodes=5))
    return graphs, [draw(graphlets_for(graphs)) for _ in range(draw(st.integers(1, 3)))]


def same_nodes(a, b) -> bool:
    return a is b if a is None or b is None else np.array_equal(a, b)


@EXAMPLES
@given(problem=problems(), pooling=st.sampled_from(POOLINGS), data=st.data())
def test_embeddings_of_some_graphs_are_those_of_all(problem, pooling, data):
    graphs, graphlets = problem
    rows = np.array(data.draw(st.lists(st.integers(0, len(graphs) - 1))), dtype=np.int64)
    _, found = agis(graphs, graphlets, 1.0, pooling=pooling, return_embeddings=True)
    assert found.taken(rows) == [found[i] for i in rows.tolist()]


@EXAMPLES
@given(
    problem=problems(),
    rho=RHOS,
    pooling=st.sampled_from(POOLINGS),
    scale=st.sampled_from(SCALES),
)
def test_agis_and_its_places_equal_networkx(problem, rho, pooling, scale):
    graphs, graphlets = problem
    options = {"pooling": pooling, "count_scale": scale}
    psi, embeddings = agis(graphs, graphlets, rho, return_embeddings=True, **options)
    listing = places(graphs, graphlets, rho, **options)
    for i, plain in enumerate(plain_graphs(graphs)):
        for j, graphlet in enumerate(graphlets):
            small = written(graphlet, graphs)
            by_root = root_matches(plain, small, graphlet.attributes, graphlet.edge_attributes)
            costs = [m.cost for m in by_root.values()]
            expected = pooled(costs, len(plain), rho, pooling, scale)
            assert psi[i, j] == pytest.approx(expected, rel=1e-10, abs=1e-300)
            assert same_nodes(embeddings.of(i, j), embeddings[i][j])
            assert embeddings.n_places(j)[i] == (
                1 if by_root and pooling == "best" else len(by_root)
            )
            own = listing[i][j]
            assert own.shares.sum() == pytest.approx(psi[i, j], rel=1e-12, abs=1e-300)
            assert len(own.embeddings) == (
                len(by_root) if pooling != "best" else min(len(by_root), 1)
            )
            if not by_root:
                assert embeddings[i][j] is None
                continue
            found = np.atleast_2d(embeddings[i][j])
            np.testing.assert_array_equal(found, own.embeddings)
            assert (np.diff(own.scores) <= 0.0).all()
            if pooling == "best":
                continue
            for nodes, score in zip(found.tolist(), own.scores, strict=True):
                best = by_root[nodes[0]]
                assert tuple(nodes) in best.chosen
                assert score == pytest.approx(np.exp(-rho * best.cost), rel=1e-10)


@EXAMPLES
@given(data=st.data(), problem=problems(), rho=RHOS, pooling=st.sampled_from(POOLINGS))
def test_renumbered_nodes_change_no_bit_of_a_value(data, problem, rho, pooling):
    graphs, graphlets = problem
    if pooling == "best":
        pooling = "sum"
    other = renumbered(graphs, data.draw(renumberings_of(graphs)))
    assert (
        agis(graphs, graphlets, rho, pooling=pooling).tobytes()
        == agis(other, graphlets, rho, pooling=pooling).tobytes()
    )


def test_a_graphlet_is_scored_by_its_own_pooling_unless_another_is_given():
    graphs = GraphSet.from_lists(labels=["OCO", "CCO"], edges=[[(0, 1), (1, 2)]] * 2)
    kinds = [Graphlet(labels="OC", edges=[(0, 1)], pooling=name) for name in POOLINGS]
    np.testing.assert_allclose(agis(graphs, kinds, 1.0), [[1, 2, 2 / 3], [1, 1, 1 / 3]])
    np.testing.assert_allclose(agis(graphs, kinds, 1.0, pooling="sum"), [[2] * 3, [1] * 3])
    mixed = agis(graphs, kinds, np.array([1.0, 2.0, 3.0]), count_scale="sqrt")
    np.testing.assert_allclose(mixed, np.sqrt(agis(graphs, kinds, 1.0)))
    # The root is the first node: one C bears both O.
    assert agis(graphs, [Graphlet(labels="CO", edges=[(0, 1)])], 1.0, pooling="sum")[0, 0] == 1.0


def test_pooling_is_part_of_a_graphlet():
    once, often = (Graphlet(labels="CO", edges=[(0, 1)], pooling=p) for p in ("best", "sum"))
    assert once == Graphlet(labels="CO", edges=[(0, 1)])
    assert once != often
    assert repr(often) == "Graphlet(C-O, pooling='sum')"
    with pytest.raises(ValueError, match="'pooling' of a graphlet must be.*Got 'max'"):
        Graphlet(labels="C", edges=[], pooling="max")


def test_unknown_poolings_and_scales_are_an_error():
    graphs = GraphSet.from_lists(labels=["C"], edges=[[]])
    one = [Graphlet(labels="C", edges=[])]
    with pytest.raises(ValueError, match="pooling must be 'best', 'sum' or 'mean'. Got 'max'"):
        agis(graphs, one, 1.0, pooling="max")
    with pytest.raises(ValueError, match="count_scale must be 'raw' or 'sqrt'. Got 'log'"):
        agis(graphs, one, 1.0, count_scale="log")


@pytest.mark.parametrize("pooling", ["sum", "mean"])
def test_any_number_of_threads_gives_the_same_bytes(pooling):
    graphs = random_set(600, seed=0)
    graphlets = [Graphlet(labels="CC", edges=[(0, 1)], attributes=[[0, 0], [1, 1]])] * 2
    one, many = (agis(graphs, graphlets, 0.3, pooling=pooling, n_jobs=k) for k in (1, 3))
    assert one.tobytes() == many.tobytes()


def test_graphs_with_astronomically_many_embeddings_are_counted():
    """A clique of 24 nodes: 24! embeddings of a star, and as many places as it has nodes."""
    n = 24
    rng = np.random.default_rng(1)
    x = rng.normal(size=(n, 1))
    graphs = GraphSet.from_lists(
        labels=["C" * n], edges=[[(u, v) for u in range(n) for v in range(u)]], attributes=[x]
    )
    star = Graphlet(
        labels="C" * 8, edges=[(0, v) for v in range(1, 8)], attributes=np.zeros((8, 1))
    )
    own = places(graphs, [star], 0.1, pooling="sum")[0][0]
    squares = np.sort(x.ravel() ** 2)
    lowest = [
        x[u, 0] ** 2 + np.delete(squares, np.searchsorted(squares, x[u, 0] ** 2))[:7].sum()
        for u in own.embeddings[:, 0]
    ]
    assert len(own.scores) == n
    np.testing.assert_allclose(own.scores, np.exp(-0.1 * np.array(lowest)), rtol=1e-10)


def random_set(n: int, seed: int) -> GraphSet:
    """Rings with tails, Gaussian attributes: no ties."""
    rng = np.random.default_rng(seed)
    ring = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (2, 5), (5, 6)]
    return GraphSet.from_lists(
        labels=[["C", "C", "N", "C", "C", "C", "O"]] * n,
        edges=[ring] * n,
        attributes=list(rng.normal(size=(n, 7, 2))),
    )


class Bank:
    """Every pattern of a tree in a bank, in one channel."""

    def __init__(self, graphs, channel, *, table: int, maxpat: int = 3, starts=None):
        self.tree = mining.Tree(graphs, maxpat=maxpat, starts=starts)
        self.core = _core.GraphletBank(self.tree.graphs.core, table)
        scale = {"raw": _core.CountScale.raw, "sqrt": _core.CountScale.root}[channel[1]]
        self.nodes = list(listed(self.tree, graphs).values())
        self.patterns = [self.tree.pattern(node) for node in self.nodes]
        self.handles = np.array(
            [
                self.core.add(
                    _core.Pattern(p.labels, p.edges, p.edge_labels),
                    self.tree.costs(node)[0],
                    _core.Pooling[channel[0]],
                    scale,
                )
                for p, node in zip(self.patterns, self.nodes, strict=True)
            ],
            dtype=np.int32,
        )

    def start(self) -> np.ndarray:
        starts = self.tree.starts
        parts = [np.empty(0)]
        for p in self.patterns:
            parts += [
                starts.type_starts[p.types].ravel(),
                starts.edge_starts[p.edge_labels].ravel(),
            ]
        return np.concatenate(parts)

    def values(self, z, rho, previous=None):
        costs, sites = self.core.match_places(self.handles, z, previous)
        scores = np.exp(-rho * costs)
        return path_tools.dense(self.core.pool(self.handles, scores)), scores, sites

    def held(self, weights: np.ndarray) -> np.ndarray:
        """A number per graphlet and supporting graph, flat, out of one per graphlet and graph."""
        return path_tools.held(self.core, self.handles, weights)


@pytest.mark.parametrize("table", TABLE_BYTES)
@EXAMPLES
@given(data=st.data(), graphs=graph_sets(max_nodes=5), rho=RHOS, channel=st.sampled_from(CHANNELS))
def test_the_bank_counts_what_networkx_counts(table, data, graphs, rho, channel):
    bank = Bank(graphs, channel, table=table)
    z = data.draw(rows(1, len(bank.start())))[0]
    values, _, sites = bank.values(z, rho)
    at = site_at = 0
    for j, pattern in enumerate(bank.patterns):
        k, m = len(pattern.types), len(pattern.edges)
        own = z[at : at + k * graphs.n_attributes + m * graphs.n_edge_attributes]
        at += len(own)
        nodes = own[: k * graphs.n_attributes].reshape(k, graphs.n_attributes)
        edges = own[k * graphs.n_attributes :].reshape(m, graphs.n_edge_attributes)
        small = shape(pattern.labels, pattern.edges, pattern.edge_labels)
        where = bank.core.place_graphs(int(bank.handles[j]))
        matches = [root_matches(g, small, nodes, edges) for g in plain_graphs(graphs)]
        for i, by_root in enumerate(matches):
            costs = [match.cost for match in by_root.values()]
            expected = pooled(costs, int(graphs.n_nodes[i]), rho, *channel)
            assert values[j, i] == pytest.approx(expected, rel=1e-10, abs=1e-300)
        for i in where.tolist():
            embedding = tuple(sites[site_at : site_at + k].tolist())
            site_at += k
            if channel[0] != "best":
                assert embedding in matches[i][embedding[0]].chosen
    assert site_at == len(sites)


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(max_nodes=5), rho=RHOS, own=st.booleans())
def test_untrained_graphlets_count_what_the_tree_says(data, graphs, rho, own):
    starts = data.draw(starts_for(graphs)) if own else None
    bank = Bank(graphs, ("sum", "raw"), table=TABLE_BYTES[0], starts=starts)
    values, _, _ = bank.values(bank.start(), rho)
    for row, node in zip(values, bank.nodes, strict=True):
        where, costs = bank.tree.root_costs(node)
        expected = np.bincount(where, np.exp(-rho * costs), minlength=len(graphs))
        np.testing.assert_allclose(row, expected, rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize("table", TABLE_BYTES)
@pytest.mark.parametrize("channel", CHANNELS)
def test_z_gradients_of_all_channels_match_finite_differences(table, channel):
    bank = Bank(random_set(4, seed=1), channel, table=table, maxpat=5)
    rng = np.random.default_rng(2)
    z = bank.start() + rng.normal(0.0, 0.5, len(bank.start()))
    rho = 0.3
    values, scores, sites = bank.values(z, rho)
    c = rng.normal(size=values.shape)
    weights = bank.held(-2.0 * rho * c)
    gradient = bank.core.pull_places(bank.handles, z, sites, scores, weights)
    step = 1e-6
    for k in rng.choice(len(z), 60, replace=False):
        e = np.zeros_like(z)
        e[k] = step
        slope = (
            (c * bank.values(z + e, rho)[0]).sum() - (c * bank.values(z - e, rho)[0]).sum()
        ) / (2 * step)
        assert gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("unit", [0.5, None])
def test_threads_and_shared_columns_change_no_bit(channel, unit):
    """With attributes of few values many embeddings share a column of the table; without, none."""
    graphs = path_tools.random_set(400, seed=3, unit=unit)
    tables = [Bank(graphs, channel, table=table) for table in TABLE_BYTES]
    rng = np.random.default_rng(0)
    z = rng.normal(size=len(tables[0].start()))
    weights = rng.normal(size=(len(tables[0].handles), len(graphs)))
    found = []
    for bank in tables:
        for jobs in (1, 2, 3):
            costs, sites = bank.core.match_places(bank.handles, z, None, jobs)
            again = bank.core.match_places(bank.handles, z, sites, jobs)[1]
            scores = np.exp(-0.1 * costs)
            values = path_tools.dense(bank.core.pool(bank.handles, scores, jobs))
            own = bank.held(weights)
            pull = bank.core.pull_places(bank.handles, z, sites, scores, own, jobs)
            found.append([costs, sites, again, values, pull])
    for one in found:
        np.testing.assert_array_equal(one[1:3], found[0][1:3])
        np.testing.assert_allclose(one[0], found[0][0], rtol=1e-12, atol=1e-12)
    written = [[array.tobytes() for array in one] for one in found]
    assert written[0] == written[1] == written[2]
    assert written[3] == written[4] == written[5]


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(max_nodes=5), rho=RHOS, channel=st.sampled_from(CHANNELS))
def test_renumbered_nodes_change_no_bit_of_values_and_gradients(data, graphs, rho, channel):
    other = renumbered(graphs, data.draw(renumberings_of(graphs)))
    starts = mining.label_means(graphs)
    z = weights = None
    results = []
    for one in (graphs, other):
        bank = Bank(one, channel, table=TABLE_BYTES[0], starts=starts)
        if z is None:
            z = data.draw(rows(1, len(bank.start())))[0]
            weights = data.draw(rows(len(bank.handles), len(graphs)))
        values, scores, sites = bank.values(z, rho)
        pull = bank.core.pull_places(bank.handles, z, sites, scores, bank.held(weights))
        results.append((values.tobytes(), pull.tobytes()))
    assert results[0] == results[1]


@pytest.mark.parametrize("table", TABLE_BYTES)
@EXAMPLES
@given(data=st.data(), graphs=graph_sets(max_nodes=5))
def test_ties_of_a_place_go_to_the_previous_embedding_while_it_is_still_best(table, data, graphs):
    bank = Bank(graphs, ("sum", "raw"), table=table)
    z = data.draw(rows(1, len(bank.start())))[0]
    _, _, sites = bank.values(z, 1.0)
    plain = plain_graphs(graphs)
    previous = []
    at = site_at = 0
    for j, pattern in enumerate(bank.patterns):
        k, m = len(pattern.types), len(pattern.edges)
        own = z[at : at + k * graphs.n_attributes + m * graphs.n_edge_attributes]
        at += len(own)
        nodes = own[: k * graphs.n_attributes].reshape(k, graphs.n_attributes)
        edges = own[k * graphs.n_attributes :].reshape(m, graphs.n_edge_attributes)
        small = shape(pattern.labels, pattern.edges, pattern.edge_labels)
        for i in bank.core.place_graphs(int(bank.handles[j])).tolist():
            now = tuple(sites[site_at : site_at + k].tolist())
            site_at += k
            by_root = root_matches(plain[i], small, nodes, edges)
            previous += data.draw(st.sampled_from(by_root[now[0]].best))
    _, _, moved = bank.values(z, 1.0, np.array(previous, dtype=np.int32))
    np.testing.assert_array_equal(moved, np.array(previous, dtype=np.int32))


def test_a_bank_matches_graphlets_that_count_place_by_place_only():
    bank = Bank(random_set(2, seed=3), ("sum", "raw"), table=TABLE_BYTES[0])
    with pytest.raises(ValueError, match="several places"):
        bank.core.match(bank.handles, bank.start())
    with pytest.raises(ValueError, match="scores"):
        bank.core.pool(bank.handles, np.zeros(1))
    best = Bank(random_set(2, seed=3), ("best", "raw"), table=TABLE_BYTES[0])
    costs, sites = best.core.match(best.handles, best.start())
    values, scores, places_sites = best.values(best.start(), 0.7)
    assert values.tobytes() == np.exp(-0.7 * costs).tobytes()
    np.testing.assert_array_equal(sites, places_sites)
    c = np.random.default_rng(4).normal(size=values.shape)
    by_value, by_score = best.held(-1.4 * c * values), best.held(-1.4 * c)
    assert (
        best.core.pull(best.handles, best.start(), sites, by_value).tobytes()
        == best.core.pull_places(best.handles, best.start(), sites, scores, by_score).tobytes()
    )
