from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split
from strategies import graph_sets

from aglets.graphs import Graph, GraphSet, as_graph_set

VALUES = ["C", "O", 1, 2.5, None, ("C", 1), (), frozenset({1, 2}), frozenset({3})]


def small_set() -> GraphSet:
    return GraphSet.from_lists(
        labels=[["C", "C", "O"], [], ["N"], ["O", "N"]],
        edges=[[(2, 1), (0, 1)], [], [], [(0, 1)]],
        attributes=[[[1, 2], [3, 4], [5, 6]], [], [[7, 8]], [[9, 10], [11, 12]]],
        edge_labels=[["=", "-"], [], [], ["-"]],
        edge_attributes=[[[0.5], [1.5]], [], [], [[2.5]]],
        attribute_names=["x", "y"],
        edge_attribute_names=["length"],
    )


@st.composite
def lists(draw, values=VALUES, max_graphs=6):
    """Lists as a user would give them: edges in any order and direction, some repeated."""
    width, edge_width = draw(st.integers(0, 2)), draw(st.integers(0, 1))
    number = st.floats(-9, 9, width=16)
    out = {"labels": [], "edges": [], "attributes": [], "edge_labels": [], "edge_attributes": []}
    for _ in range(draw(st.integers(0, max_graphs))):
        k = draw(st.integers(0, 5))
        out["labels"].append(draw(st.lists(st.sampled_from(values), min_size=k, max_size=k)))
        pairs = [(u, v) for u in range(k) for v in range(k) if u != v]
        edges = draw(st.lists(st.sampled_from(pairs), max_size=6)) if pairs else []
        # What belongs to an undirected edge must not depend on how often it is listed.
        mark = {frozenset(e): draw(st.sampled_from(values)) for e in edges}
        row = {frozenset(e): [draw(number) for _ in range(edge_width)] for e in edges}
        out["edges"].append(edges)
        out["edge_labels"].append([mark[frozenset(e)] for e in edges])
        out["edge_attributes"].append([row[frozenset(e)] for e in edges])
        out["attributes"].append(np.array([[draw(number) for _ in range(width)] for _ in range(k)]))
    return out


def as_lists(graph: Graph) -> tuple:
    return (
        graph.labels,
        graph.edges.tolist(),
        graph.attributes.tolist(),
        graph.edge_labels,
        graph.edge_attributes.tolist(),
    )


@given(lists())
def test_a_set_gives_back_the_graphs_it_was_built_from(data):
    graphs = GraphSet.from_lists(**data)
    assert len(graphs) == len(data["labels"])
    for i, graph in enumerate(graphs):
        by_edge = {
            tuple(sorted(edge)): (label, list(row))
            for edge, label, row in zip(
                data["edges"][i], data["edge_labels"][i], data["edge_attributes"][i], strict=True
            )
        }
        assert graph.labels == data["labels"][i]
        assert [tuple(edge) for edge in graph.edges.tolist()] == sorted(by_edge)
        assert graph.edge_labels == [by_edge[edge][0] for edge in sorted(by_edge)]
        assert graph.edge_attributes.tolist() == [by_edge[edge][1] for edge in sorted(by_edge)]
        assert graph.attributes.size == data["attributes"][i].size
        assert (graph.attributes.ravel() == data["attributes"][i].ravel()).all()


@given(lists(), st.data())
def test_slicing_takes_what_numpy_would_take(data, draw):
    graphs = GraphSet.from_lists(**data)
    n = len(graphs)
    position = st.integers(-n, n - 1) if n else st.nothing()
    index = draw.draw(
        st.one_of(
            st.lists(position) if n else st.just([]),
            st.lists(st.booleans(), min_size=n, max_size=n).map(lambda m: np.array(m, dtype=bool)),
            st.slices(n),
            st.permutations(range(n)).map(lambda p: np.array(p, dtype=np.int64)),
        )
    )
    expected = np.arange(n)[index if isinstance(index, slice) else _as_index(index)]
    part = graphs[index]
    assert isinstance(part, GraphSet)
    assert part.vocabulary == graphs.vocabulary
    assert [as_lists(graph) for graph in part] == [as_lists(graphs[int(i)]) for i in expected]


def _as_index(index):
    array = np.asarray(index)
    return array if array.size else array.astype(bool if array.dtype == bool else int)


@given(lists())
def test_pickle_and_copy_keep_everything(data):
    graphs = GraphSet.from_lists(**data)
    for twin in (pickle.loads(pickle.dumps(graphs)), copy.deepcopy(graphs)):
        assert twin == graphs
        assert twin.vocabulary == graphs.vocabulary
        assert not twin.labels.flags.writeable
    for graph in graphs:
        assert pickle.loads(pickle.dumps(graph)) == graph


@given(lists(), lists())
def test_equality_means_the_same_graphs(one, two):
    first, second = GraphSet.from_lists(**one), GraphSet.from_lists(**two)
    same = [as_lists(graph) for graph in first] == [as_lists(graph) for graph in second]
    widths = first.attributes.shape[1:] == second.attributes.shape[1:] and (
        first.edge_attributes.shape[1:] == second.edge_attributes.shape[1:]
    )
    assert (first == second) == (same and widths)


@given(lists(max_graphs=4), st.integers(0, 4))
def test_concatenate_undoes_a_cut(data, cut):
    graphs = GraphSet.from_lists(**data)
    assert GraphSet.concatenate([graphs[:cut], graphs[cut:]]) == graphs
    # Built apart, the two halves have vocabularies of their own.
    halves = [
        GraphSet.from_lists(**{name: column[part] for name, column in data.items()})
        for part in (slice(cut), slice(cut, None))
    ]
    widths = {(half.n_attributes, half.n_edge_attributes) for half in halves}
    if len(widths) == 1:
        whole = GraphSet.concatenate(halves)
        assert whole == graphs
        assert whole.vocabulary == graphs.vocabulary


@given(lists())
def test_a_list_of_its_graphs_is_the_set(data):
    graphs = GraphSet.from_lists(**data)
    if len(graphs):
        assert as_graph_set(list(graphs)) == graphs
        assert as_graph_set(tuple(graphs)) == graphs
    assert as_graph_set(graphs) is graphs


@given(lists())
def test_edges_are_stored_canonically(data):
    graphs = GraphSet.from_lists(**data)
    assert graphs.node_offsets.dtype == graphs.edge_offsets.dtype == np.int64
    assert graphs.labels.dtype == graphs.edges.dtype == graphs.edge_labels.dtype == np.int32
    for graph in graphs:
        pairs = [tuple(edge) for edge in graph.edges.tolist()]
        assert pairs == sorted(set(pairs))
        assert all(u < v for u, v in pairs)


def test_names_travel_through_slicing_pickle_and_concatenate():
    graphs = small_set()
    for twin in (graphs[::2], pickle.loads(pickle.dumps(graphs)), graphs[[0]]):
        assert twin.attribute_names == ("x", "y")
        assert twin.edge_attribute_names == ("length",)
    nameless = GraphSet.from_lists(["C"], [[]], [[[0, 0]]], [[]], [np.empty((0, 1))])
    assert GraphSet.concatenate([nameless, graphs]).attribute_names == ("x", "y")
    assert nameless != GraphSet.from_lists(
        ["C"], [[]], [[[0, 0]]], [[]], [np.empty((0, 1))], attribute_names="xy"
    )


def test_the_vocabulary_holds_only_used_values_in_order():
    graphs = small_set()
    assert graphs.vocabulary == ("C", "N", "O")
    assert graphs.edge_vocabulary == ("-", "=")
    assert GraphSet.from_lists([[3, 1, 2]], [[]]).vocabulary == (1, 2, 3)
    mixed = GraphSet.from_lists([["b", 2, None, "a", 10]], [[]])
    assert mixed.vocabulary == (None, 10, 2, "a", "b")


def test_a_partial_order_does_not_decide_the_vocabulary():
    values = [frozenset({3}), frozenset({1, 2}), frozenset({1})]
    orders = {
        GraphSet.from_lists([[values[i] for i in order]], [[]]).vocabulary
        for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2))
    }
    assert len(orders) == 1


def test_numpy_labels_are_plain_values():
    graphs = GraphSet.from_lists([np.array([1, 2]), [np.int64(2), np.str_("a")]], [[], []])
    assert graphs[1].labels == [2, "a"]
    assert [type(value) for value in graphs.vocabulary] == [int, int, str]


def test_labels_of_dropped_loops_leave_the_vocabulary():
    with pytest.warns(UserWarning, match="Dropped 1 self-loops"):
        graphs = GraphSet.from_lists(["CC"], [[(0, 0), (0, 1)]], edge_labels=[["loop", "bond"]])
    assert graphs.edge_vocabulary == ("bond",)
    assert graphs.edge_labels.tolist() == [0]


def test_self_loops_are_dropped_with_one_warning_that_counts_them():
    with pytest.warns(UserWarning) as caught:
        graphs = GraphSet.from_lists(
            ["CC", "C", "CC"],
            [[(0, 0), (0, 1), (1, 1)], [], [(1, 1)]],
            edge_attributes=[[[1], [2], [3]], [], [[4]]],
        )
    assert [str(w.message) for w in caught] == [
        "Dropped 3 self-loops in 2 graphs: subgraph patterns have none."
    ]
    assert graphs.n_edges.tolist() == [1, 0, 0]
    assert graphs.edge_attributes.tolist() == [[2]]


def test_repeated_edges_with_different_attributes_are_averaged_with_one_warning():
    with pytest.warns(UserWarning, match="Averaged the attributes of 1 edges"):
        graphs = GraphSet.from_lists(
            ["CCC"], [[(0, 1), (1, 0), (1, 2)]], edge_attributes=[[[1, 5], [2, 5], [7, 7]]]
        )
    assert graphs.edge_attributes.tolist() == [[1.5, 5], [7, 7]]


def test_unknown_labels_become_minus_one_and_stay_so():
    graphs = small_set().with_vocabulary(("O", "C"), ("=",))
    assert graphs.labels.tolist() == [1, 1, 0, -1, 0, -1]
    assert graphs.edge_labels.tolist() == [-1, 0, -1]
    assert graphs[3].labels == ["O", None]
    assert as_graph_set(list(graphs)) == graphs
    assert graphs.with_vocabulary(("C", "N", "O")).labels.tolist() == [0, 0, 2, -1, 2, -1]
    assert graphs != small_set()


def test_with_attributes_changes_only_attributes():
    graphs = small_set()
    new = graphs.with_attributes(graphs.attributes * 2)
    assert new.attribute_names == ("x", "y")
    assert new.with_attributes(graphs.attributes) == graphs
    assert graphs.with_attributes(np.zeros((6, 1))).attribute_names is None
    assert graphs.with_attributes(np.zeros((6, 1)), names=["z"]).attribute_names == ("z",)
    edges = graphs.with_edge_attributes(np.ones((3, 1)))
    assert edges.edge_attribute_names == ("length",)
    assert edges.with_edge_attributes([[1.5], [0.5], [2.5]]) == graphs
    with pytest.raises(
        ValueError, match=r"Expected attributes of shape \(6, d\).*got shape \(5, 2\)"
    ):
        graphs.with_attributes(np.zeros((5, 2)))
    with pytest.raises(ValueError, match=r"nan in graph 3 at node 1, column 0"):
        graphs.with_attributes([[0.0]] * 5 + [[np.nan]])


def test_with_attributes_does_not_share_memory_with_the_caller():
    graphs, matrix = small_set(), np.zeros((6, 2))
    new = graphs.with_attributes(matrix)
    matrix[:] = 1
    assert new.attributes.sum() == 0


def test_a_set_is_immutable():
    graphs = small_set()
    with pytest.raises(AttributeError):
        graphs.labels = np.zeros(6)
    for column in (graphs.labels, graphs.attributes, graphs.edges, graphs[0].attributes):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0
    with pytest.raises(TypeError, match="unhashable"):
        hash(graphs)


def test_a_single_graph_by_position():
    graphs = small_set()
    graph = graphs[-1]
    assert graph == graphs[3] == graphs[np.int32(3)]
    assert (graph.n_nodes, graph.n_edges) == (2, 1)
    assert GraphSet.from_lists(["C", "ON"], [[], [(0, 1)]])[1] == Graph("ON", [(1, 0)])
    assert repr(graph) == "Graph(2 nodes, 1 edge)"
    assert graph != graphs[0]
    assert graph != "graph"
    for i in (4, -5):
        with pytest.raises(IndexError, match=f"Graph {i} was asked for, but the set has 4 graphs"):
            graphs[i]


def test_odd_indices_are_refused_as_by_numpy():
    graphs = small_set()
    for index in ([4], [-5], [True, False], [0.5], np.zeros((2, 2), dtype=int), True, "a", None):
        with pytest.raises(IndexError):
            graphs[index]


def test_repr_says_what_is_inside():
    assert repr(small_set()) == (
        "GraphSet(4 graphs, on average 1.5 nodes and 0.8 edges, 3 labels, 2 attributes, "
        "2 edge labels, 1 edge attribute)"
    )
    assert repr(GraphSet.from_lists([], [])) == "GraphSet(0 graphs, 0 labels, 0 attributes)"


def test_scikit_learn_splits_a_set_into_sets():
    graphs = small_set()
    train, test = train_test_split(graphs, test_size=1, random_state=0)
    assert isinstance(train, GraphSet)
    assert (len(train), len(test)) == (3, 1)


@pytest.mark.parametrize("n", [300, 70_000])
def test_large_graphs_work(n):
    path = [(i, i + 1) for i in range(n - 1)]
    graphs = GraphSet.from_lists([[0] * n, [0]], [path, []])
    assert graphs[0].edges[-1].tolist() == [n - 2, n - 1]
    assert graphs.n_nodes.tolist() == [n, 1]


def test_two_thousand_graphs_are_built_from_lists_in_well_under_a_second():
    import time

    labels = [["C", "N", "O", "C"] * 10] * 2000
    edges = [[(i, i + 1) for i in range(39)]] * 2000
    rows = [[[0.1, 0.2, 0.3]] * 40] * 2000
    best = min(_seconds(time.perf_counter, labels, edges, rows) for _ in range(3))
    assert best < 0.7


def _seconds(clock, labels, edges, rows) -> float:
    start = clock()
    GraphSet.from_lists(labels, edges, rows)
    return clock() - start


# Bad input: every message says what was expected, what came, in which graph, what to do.


def test_lists_of_different_length():
    with pytest.raises(
        ValueError, match="one entry per graph, but labels has 2, edges has 1 and attributes has 2"
    ):
        GraphSet.from_lists(["C", "C"], [[]], [[[1]], [[1]]])


def test_a_single_graph_instead_of_lists():
    with pytest.raises(
        TypeError, match=r"labels to hold one sequence per graph, but graph 0 has 1"
    ):
        GraphSet.from_lists([1, 2], [(0, 1), (1, 0)])
    with pytest.raises(ValueError, match=r"pairs of node positions.*graph 0.*list of one"):
        GraphSet.from_lists(["C"], [(0, 1)])
    with pytest.raises(TypeError, match="Expected labels to be a list .* got str; put a single"):
        GraphSet.from_lists("CC", [[], []])


def test_a_single_graph_instead_of_a_list():
    graph = small_set()[0]
    with pytest.raises(TypeError, match=r"got a single Graph; put it in a list: \[graph\]"):
        as_graph_set(graph)


def test_things_that_are_not_graphs():
    with pytest.raises(TypeError, match="Expected a GraphSet or a list of graphs, got int"):
        as_graph_set(3)
    with pytest.raises(TypeError, match="got str at position 1 and int at position 2"):
        as_graph_set([small_set()[0], "a", 3])
    with pytest.raises(ValueError, match="at least one graph, got an empty list"):
        as_graph_set([])


def test_labels_that_cannot_be_hashed():
    with pytest.raises(
        TypeError,
        match=r"Labels must be hashable .*\['a'\] \(list\) in graph 1 at node 0 and "
        r"\{\} \(dict\) in graph 1 at node 1; turn such a label into a tuple",
    ):
        GraphSet.from_lists([["a"], [["a"], {}]], [[], []])
    with pytest.raises(TypeError, match=r"\[1\] \(list\) in graph 0 at edge 0"):
        GraphSet.from_lists(["CC"], [[(0, 1)]], edge_labels=[[[1]]])


def test_nan_as_a_label():
    with pytest.raises(ValueError, match="NaN came in graph 0 at node 1; give missing labels"):
        GraphSet.from_lists([[1.0, float("nan")]], [[]])


def test_nan_or_infinite_attributes():
    rows = [[[1, 2], [3, np.nan]], [[-np.inf, 0]]]
    with pytest.raises(
        ValueError,
        match="Expected finite attributes, but got nan in graph 0 at node 1, column 1 and "
        "-inf in graph 1 at node 0, column 0; fill in",
    ):
        GraphSet.from_lists(["CC", "C"], [[], []], rows)
    with pytest.raises(
        ValueError, match="finite edge_attributes, but got inf in graph 0 at edge 0"
    ):
        GraphSet.from_lists(["CC"], [[(0, 1)]], edge_attributes=[[[np.inf]]])


def test_attribute_widths_that_differ_between_graphs():
    with pytest.raises(
        ValueError,
        match="Graph 1 has attributes of dimension 2 and graph 3 has attributes of dimension 1, "
        "but graph 0 has 3. Every node of every graph needs the same number of attributes.",
    ):
        GraphSet.from_lists(
            ["C", "C", "C", "C"], [[]] * 4, [[[1, 2, 3]], [[1, 2]], [[1, 2, 3]], [[1]]]
        )


def test_attribute_widths_that_differ_within_a_graph():
    with pytest.raises(
        ValueError, match=r"but not so in graph 1 \(row 1 has 1 values, row 0 has 2\); give each"
    ):
        GraphSet.from_lists(["C", "CC"], [[], []], [[[1, 2]], [[1, 2], [3]]])


def test_attributes_that_are_not_numbers():
    with pytest.raises(ValueError, match="Expected attributes to be numbers.*graph 0; give each"):
        GraphSet.from_lists(["C"], [[]], [[["a"]]])


def test_attribute_rows_that_do_not_fit_the_nodes():
    with pytest.raises(
        ValueError,
        match=r"Graph 0 has attributes of shape \(1, 1\) for 2 nodes and graph 1 has attributes of "
        r"shape \(1,\) for 1 nodes; expected one row per node",
    ):
        GraphSet.from_lists(["CC", "C"], [[], []], [[[1]], [1]])


def test_an_edge_to_a_missing_node():
    with pytest.raises(
        ValueError,
        match=r"Graph 0 has edge \(0, 2\) but only 2 nodes and graph 1 has edge \(-1, 0\) but only "
        r"1 nodes; edges are pairs of node positions within their graph, counted from 0",
    ):
        GraphSet.from_lists(["CC", "C"], [[(0, 1), (0, 2)], [(-1, 0)]])


def test_many_faults_are_counted_after_the_first_five():
    with pytest.raises(ValueError, match=r"graph 4 has edge \(0, 9\) but only 1 nodes and 3 more;"):
        GraphSet.from_lists(["C"] * 8, [[(0, 9)]] * 8)


def test_two_labels_for_one_edge():
    with pytest.raises(
        ValueError, match=r"Graph 1 has edge \(0, 1\) with labels '-' and '='; edges are undirected"
    ):
        GraphSet.from_lists(["C", "CC"], [[], [(0, 1), (1, 0)]], edge_labels=[[], ["-", "="]])


def test_edges_that_are_not_pairs():
    for edges in ([[(0, 1, 2)]], [[(0.5, 1)]], [["ab"]], [3], [[(0, 1), (1,)]]):
        with pytest.raises(ValueError, match="pairs of node positions .* not so in graph 0;"):
            GraphSet.from_lists(["CCC"], edges)


def test_edge_labels_and_attributes_that_do_not_fit_the_edges():
    with pytest.raises(ValueError, match="Graph 0 has 2 edge labels for 1 edges; give one label"):
        GraphSet.from_lists(["CC"], [[(0, 1)]], edge_labels=[["-", "-"]])
    with pytest.raises(ValueError, match=r"edge_attributes of shape \(2, 1\) for 1 edges"):
        GraphSet.from_lists(["CC"], [[(0, 1)]], edge_attributes=[[[1], [2]]])


def test_names_that_do_not_fit_the_attributes():
    with pytest.raises(ValueError, match=r"Expected 1 attribute_names, one per attribute, got 2"):
        GraphSet.from_lists(["C"], [[]], [[[1]]], attribute_names=["x", "y"])


def test_sets_that_do_not_go_together():
    graphs = small_set()
    plain = GraphSet.from_lists(["C"], [[]])
    with pytest.raises(ValueError, match="Graph 4 has 0 attributes, but graph 0 has 2; graphs in"):
        GraphSet.concatenate([graphs, plain])
    labelled = GraphSet.from_lists(["C"], [[]], edge_labels=[[]])
    with pytest.raises(ValueError, match="Graph 1 has some edge labels, but graph 0 has none"):
        GraphSet.concatenate([plain, labelled])
    with pytest.raises(ValueError, match="Expected at least one GraphSet"):
        GraphSet.concatenate([])
    one = plain.with_attributes([[1.0]], names=["x"])
    two = plain.with_attributes([[1.0]], names=["y"])
    with pytest.raises(
        ValueError, match=r"Expected the same attribute_names.*\('x',\) and \('y',\)"
    ):
        GraphSet.concatenate([one, two])


@given(graph_sets())
def test_graphs_lose_the_edges_that_are_not_kept_and_nothing_else(graphs):
    kept = np.random.default_rng(0).random(len(graphs.edges)) < 0.5
    for before, after, of in zip(
        graphs,
        graphs.with_edges_where(kept),
        np.split(kept, graphs.edge_offsets[1:-1]),
        strict=True,
    ):
        assert after.labels == before.labels
        np.testing.assert_array_equal(after.attributes, before.attributes)
        np.testing.assert_array_equal(after.edges, before.edges[of])
        if before.edge_labels is not None:
            assert after.edge_labels == [
                label for label, k in zip(before.edge_labels, of, strict=True) if k
            ]
