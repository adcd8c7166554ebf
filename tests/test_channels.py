"""Channels that count: their values, their bounds, and the search in all of them at once."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from graph_edits import renumbered
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.channels import POOLINGS, SCALES, penalty_norm, pooled, root_matches
from reference.matching import shape
from reference.plain import plain_graphs
from strategies import graph_sets, renumberings_of, residuals_for, starts_for
from tree_listing import listed

from aglets import GraphSet, mining

EXAMPLES = settings(max_examples=50, deadline=None)
RHOS = st.sampled_from([2.0, 0.5, 0.1, 0.01])
CHANNELS = st.sampled_from(
    [names for size in (1, 2, 3) for names in permutations(POOLINGS, size) if names != ("best",)]
)


@st.composite
def grown_trees(draw):
    """A tree with all its patterns, and the costs of each by graph and image of the root."""
    graphs = draw(graph_sets(max_graphs=4, max_nodes=5))
    starts = draw(starts_for(graphs)) if draw(st.booleans()) else None
    tree = mining.Tree(graphs, maxpat=draw(st.integers(1, 4)), starts=starts)
    plain = plain_graphs(graphs)
    table = {}
    for node in listed(tree, graphs).values():
        pattern = tree.pattern(node)
        small = shape(pattern.labels, pattern.edges, pattern.edge_labels)
        z = tree.starts.type_starts[pattern.types]
        z_edges = tree.starts.edge_starts[pattern.edge_labels]
        table[node] = [
            sorted(m.cost for m in root_matches(graph, small, z, z_edges).values())
            for graph in plain
        ]
    return graphs, tree, table


def values(graphs: GraphSet, costs: list, rho: float, pooling: str, scale: str) -> np.ndarray:
    sizes = graphs.n_nodes.tolist()
    return np.array(
        [pooled(own, n, rho, pooling, scale) for own, n in zip(costs, sizes, strict=True)]
    )


def sized(residual: np.ndarray, column: np.ndarray, sharing: float) -> tuple[float, float]:
    """The norms over outputs of g and of g_bar."""
    terms = np.atleast_2d(residual) * column
    g = terms.sum(axis=1)
    g_bar = np.maximum(np.maximum(terms, 0.0).sum(axis=1), -np.minimum(terms, 0.0).sum(axis=1))
    return penalty_norm(g, sharing), penalty_norm(g_bar, sharing)


@EXAMPLES
@given(grown=grown_trees())
def test_root_costs_equal_networkx(grown):
    _, tree, table = grown
    for node, expected in table.items():
        where, costs = tree.root_costs(node)
        for i, own in enumerate(expected):
            np.testing.assert_allclose(costs[where == i], own, rtol=1e-10, atol=1e-12)
        graphs, lowest = tree.costs(node)
        np.testing.assert_array_equal(np.unique(where), graphs)
        np.testing.assert_array_equal([costs[where == i].min() for i in graphs], lowest)


@EXAMPLES
@given(
    data=st.data(),
    grown=grown_trees(),
    rho=RHOS,
    pooling=CHANNELS,
    scale=st.sampled_from(SCALES),
    n_outputs=st.sampled_from([0, 1, 2, 3, 9]),
    sharing=st.sampled_from([0.0, 0.3, 0.9, 1.0]),
    share=st.sampled_from([0.0, 0.05, 0.3, 0.8, 1.0]),
)
def test_the_pruned_search_finds_what_the_definitions_say(
    data, grown, rho, pooling, scale, n_outputs, sharing, share
):
    graphs, tree, table = grown
    residual = data.draw(residuals_for(graphs))
    if n_outputs:
        residual = np.array([data.draw(residuals_for(graphs)) for _ in range(n_outputs)])
    columns = {
        (node, name): values(graphs, costs, rho, name, scale)
        for node, costs in table.items()
        for name in pooling
    }
    norms = {key: sized(residual, column, sharing)[0] for key, column in columns.items()}
    fresh = mining.Tree(graphs, maxpat=tree.maxpat, starts=tree.starts)
    options = {"rho": rho, "pooling": pooling, "count_scale": scale, "sharing": sharing}
    top, _ = fresh.lambda_max(residual, **options)
    assert top == pytest.approx(max(norms.values(), default=0.0), rel=1e-9, abs=1e-12)
    assert fresh.search(residual, lam=top, **options).nodes.size == 0
    lam = share * top
    said = tree.search(residual, lam=lam, **options)
    assert said.g.shape == (len(said.nodes),) + ((n_outputs,) if n_outputs else ())
    met = {}
    for j, node in enumerate(said.nodes.tolist()):
        key = (node, said.pooling[said.channels[j]])
        assert key not in met
        met[key] = said.norms[j]
        terms = np.atleast_2d(residual) * columns[key]
        up, down = np.maximum(terms, 0.0).sum(axis=1), np.minimum(terms, 0.0).sum(axis=1)
        np.testing.assert_allclose(np.atleast_1d(said.g[j]), up + down, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(
            np.atleast_1d(said.g_bar[j]), np.maximum(up, -down), rtol=1e-9, atol=1e-11
        )
    for key in met.keys() & norms.keys():
        assert met[key] == pytest.approx(norms[key], rel=1e-9, abs=1e-11)
    for key in met.keys() ^ {key for key, norm in norms.items() if norm > lam}:
        assert norms[key] == pytest.approx(lam, rel=1e-9, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(
    data=st.data(),
    grown=grown_trees(),
    rho=RHOS,
    name=st.sampled_from(POOLINGS),
    scale=st.sampled_from(SCALES),
    sharing=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_no_channel_grows_below_a_node_and_g_bar_bounds_all_of_them(
    data, grown, rho, name, scale, sharing
):
    graphs, tree, table = grown
    residual = np.array([data.draw(residuals_for(graphs)) for _ in range(2)])
    columns = {_code(tree, n): values(graphs, c, rho, name, scale) for n, c in table.items()}
    sizes = {code: sized(residual, column, sharing) for code, column in columns.items()}
    for code, low in columns.items():
        for length in range(1, len(code)):
            above = code[:length]
            assert (low <= columns[above] * (1.0 + 1e-12)).all()
            assert max(sizes[code]) <= sizes[above][1] * (1.0 + 1e-9) + 1e-12


def _code(tree: mining.Tree, node: int) -> tuple:
    """The DFS code: a node's ancestors have its prefixes."""
    pattern = tree.pattern(node)
    steps = [(0, 0, -1, int(pattern.types[0]))]
    for (u, v), label in zip(pattern.edges.tolist(), pattern.edge_labels.tolist(), strict=True):
        steps.append((u, v, label, int(pattern.types[v]) if u < v else -1))
    return tuple(steps)


def rooted(tree: mining.Tree, node: int) -> tuple:
    """A pattern with its root marked, in label values, the same for all isomorphic ones."""
    pattern, graphs = tree.pattern(node), tree.graphs
    labels = [
        (graphs.vocabulary[label], *tree.starts.type_starts[t].tolist())
        for label, t in zip(pattern.labels, pattern.types, strict=True)
    ]
    marks = [
        "" if graphs.edge_vocabulary is None else graphs.edge_vocabulary[m]
        for m in pattern.edge_labels
    ]
    edges = [(int(u), int(v)) for u, v in pattern.edges]
    others = range(1, len(labels))
    forms = []
    for order in permutations(others):
        place = {0: 0, **{v: i + 1 for i, v in enumerate(order)}}
        written = sorted(
            (*sorted((place[u], place[v])), m) for (u, v), m in zip(edges, marks, strict=True)
        )
        forms.append((labels[0], tuple(labels[v] for v in order), tuple(written)))
    return min(forms)


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(max_graphs=3, max_nodes=5), rho=RHOS)
def test_roots_and_gradients_do_not_depend_on_any_order(data, graphs, rho):
    """Neither of graphs and nodes nor of the values in a vocabulary nor of the types of a label."""
    order = list(data.draw(st.permutations(range(len(graphs)))))
    other = renumbered(graphs, data.draw(renumberings_of(graphs)))
    marks = graphs.edge_vocabulary
    other = other.with_vocabulary(
        tuple(data.draw(st.permutations(graphs.vocabulary))),
        None if marks is None else tuple(data.draw(st.permutations(marks))),
    )
    starts = data.draw(starts_for(graphs))
    code = {value: i for i, value in enumerate(other.vocabulary)}
    moved_labels = np.array([code[graphs.vocabulary[c]] for c in starts.type_labels], dtype=int)
    shuffled = data.draw(st.permutations(range(len(moved_labels))))
    types = sorted(shuffled, key=lambda t: moved_labels[t])
    edge_order = [0] if marks is None else [marks.index(m) for m in other.edge_vocabulary]
    moved = mining.Starts(
        moved_labels[types].astype(np.int32),
        starts.type_starts[types],
        starts.edge_starts[edge_order or [0]],
    )
    residual = data.draw(residuals_for(graphs))
    found = []
    for one, own, a in ((graphs, starts, residual), (other[order], moved, residual[order])):
        tree = mining.Tree(one, maxpat=4, starts=own)
        said = tree.search(a, lam=0.0, rho=rho, pooling=("sum", "mean"))
        found.append({})
        for node, channel, g in zip(said.nodes, said.channels, said.g, strict=True):
            found[-1].setdefault((rooted(tree, node), int(channel)), []).append(g)
    for key in found[0].keys() | found[1].keys():
        # Types that start alike give equal forms; a g of zero in one order may round in the other.
        a, b = ([*one.get(key, [])] for one in found)
        a, b = (np.sort(own + [0.0] * (max(len(a), len(b)) - len(own))) for own in (a, b))
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(), rho=RHOS, pooling=CHANNELS)
def test_renumbered_nodes_change_no_bit(data, graphs, rho, pooling):
    other = renumbered(graphs, data.draw(renumberings_of(graphs)))
    starts = mining.label_means(graphs)
    residual = np.array([data.draw(residuals_for(graphs)) for _ in range(3)])
    said = [
        mining.Tree(one, maxpat=4, starts=starts).search(
            residual, lam=0.1, rho=rho, pooling=pooling
        )
        for one in (graphs, other)
    ]
    for name in ("g", "g_bar", "norms", "channels", "sizes"):
        assert getattr(said[0], name).tobytes() == getattr(said[1], name).tobytes()


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(), rho=RHOS, pooling=CHANNELS)
def test_what_was_searched_before_does_not_change_what_is_found(data, graphs, rho, pooling):
    """Other channels, outputs, scales and mixes leave traces in a tree, but not in results."""
    used, fresh = mining.Tree(graphs, maxpat=4), mining.Tree(graphs, maxpat=4)
    near = np.array([data.draw(residuals_for(graphs)) for _ in range(2)])
    for _ in range(data.draw(st.integers(1, 4))):
        used.search(
            near + data.draw(st.sampled_from([0.0, 1e-3])) if data.draw(st.booleans()) else near[0],
            lam=data.draw(st.sampled_from([0.0, 0.2, 1.0])),
            rho=data.draw(RHOS),
            maxpat=data.draw(st.integers(1, 4)),
            pooling=data.draw(CHANNELS | st.just(("best",))),
            count_scale=data.draw(st.sampled_from(SCALES)),
            sharing=data.draw(st.sampled_from([0.5, 1.0])),
        )
    options = {"lam": data.draw(st.sampled_from([0.1, 0.4, 1.0])), "rho": rho, "sharing": 0.5}
    residual = near if data.draw(st.booleans()) else near[1]
    now, then = (t.search(residual, pooling=pooling, **options) for t in (used, fresh))
    assert [_code(used, n) for n in now.nodes] == [_code(fresh, n) for n in then.nodes]
    for name in ("g", "g_bar", "norms", "channels"):
        np.testing.assert_array_equal(getattr(now, name), getattr(then, name))


@EXAMPLES
@given(data=st.data(), graphs=graph_sets(), rho=RHOS, sharing=st.sampled_from([0.0, 0.4, 1.0]))
def test_one_row_of_residuals_is_the_search_with_one_residual(data, graphs, rho, sharing):
    residual = data.draw(residuals_for(graphs))
    one, row = mining.Tree(graphs, maxpat=4), mining.Tree(graphs, maxpat=4)
    assert one.lambda_max(residual, rho=rho) == row.lambda_max(
        residual[None], rho=rho, sharing=sharing
    )
    a = one.search(residual, lam=0.3, rho=rho)
    b = row.search(residual[None], lam=0.3, rho=rho, sharing=sharing)
    assert a.g.tobytes() == b.g.tobytes()
    assert a.g_bar.tobytes() == b.g_bar.tobytes()
    np.testing.assert_array_equal(a.nodes, b.nodes)
    np.testing.assert_array_equal(a.norms, np.abs(a.g))


def many(seed: int) -> GraphSet:
    rng = np.random.default_rng(seed)
    ring = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (2, 6), (6, 7)]
    return GraphSet.from_lists(
        labels=[[*"NCCOCCCO"], [*"NCCNCCCO"]] * 10,
        edges=[ring] * 20,
        attributes=list(rng.normal(0.0, 0.5, (20, 8, 2))),
    )


@pytest.mark.parametrize("n_jobs", [2, 5])
def test_any_number_of_threads_gives_the_same_bytes(n_jobs):
    graphs = many(0)
    residual = np.random.default_rng(1).normal(size=(3, 20))
    options = {"rho": 0.3, "pooling": ("best", "sum", "mean"), "sharing": 0.7}
    one, several = (mining.Tree(graphs, maxpat=8, n_jobs=k) for k in (1, n_jobs))
    assert one.lambda_max(residual, **options)[0] == several.lambda_max(residual, **options)[0]
    for lam in (8.0, 3.0, 1.0):
        a, b = (tree.search(residual, lam=lam, **options) for tree in (one, several))
        assert len(a.nodes) > 0
        assert [_code(one, n) for n in a.nodes] == [_code(several, n) for n in b.nodes]
        for name in ("g", "g_bar", "norms", "channels"):
            assert getattr(a, name).tobytes() == getattr(b, name).tobytes()


def test_a_search_for_the_best_alone_keeps_nothing_of_the_roots():
    graphs = many(2)
    residual = np.random.default_rng(3).normal(size=20)
    plain, counting = mining.Tree(graphs, maxpat=6), mining.Tree(graphs, maxpat=6)
    plain.search(residual, lam=0.0, rho=0.3)
    before = plain.n_bytes
    counting.search(residual, lam=0.0, rho=0.3, pooling=("best", "sum"))
    assert counting.n_nodes == plain.n_nodes
    assert counting.n_bytes > before
    plain.search(residual, lam=0.0, rho=0.3)
    assert plain.n_bytes == before


def test_a_tree_that_runs_out_of_memory_for_roots_stays_as_it_was():
    graphs = many(4)
    residual = np.random.default_rng(5).normal(size=20)
    tree = mining.Tree(graphs, maxpat=6)
    first = tree.search(residual, lam=0.5, rho=0.3)
    size = tree.n_bytes
    tree.max_bytes = size + 1000
    with pytest.raises(mining.BudgetError):
        tree.search(residual, lam=0.5, rho=0.3, pooling=("sum",))
    assert tree.n_bytes == size
    again = tree.search(residual, lam=0.5, rho=0.3)
    np.testing.assert_array_equal(again.g, first.g)


@pytest.mark.parametrize("pooling", [(), ("max",), ("sum", "sum"), 3.0, (None,)])
def test_unknown_channels_are_an_error(pooling):
    tree = mining.Tree(many(6), maxpat=2)
    with pytest.raises((ValueError, TypeError), match="pooling"):
        tree.search(np.ones(20), lam=0.1, rho=1.0, pooling=pooling)


def test_unknown_scales_and_shares_are_an_error():
    tree = mining.Tree(many(7), maxpat=2)
    with pytest.raises(ValueError, match="count_scale must be 'raw' or 'sqrt'"):
        tree.search(np.ones(20), lam=0.1, rho=1.0, count_scale="log")
    with pytest.raises(ValueError, match=r"sharing must be a float in the range \[0, 1\]"):
        tree.lambda_max(np.ones((2, 20)), rho=1.0, sharing=1.5)
    with pytest.raises(ValueError, match=r"residual.*20.*row.*\(2, 3, 20\)"):
        tree.search(np.ones((2, 3, 20)), lam=0.1, rho=1.0)
    with pytest.raises(ValueError, match="residual"):
        tree.search(np.ones((0, 20)), lam=0.1, rho=1.0)
