from __future__ import annotations

from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aglets import GraphSet, agis, datasets
from aglets.datasets.components import keep_component
from aglets.datasets.tu import user_cache
from aglets.io import _numbers

pytestmark = pytest.mark.filterwarnings("ignore:TINY has edge labels")

# Three graphs: a path of 3 nodes, one node, an edge.
TINY = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n5, 6\n6, 5\n",
    "graph_indicator": "1\n1\n1\n2\n3\n3\n",
    "graph_labels": "1\n-1\n1\n",
    "node_labels": "7\n8\n7\n9\n8\n8\n",
    "node_attributes": "0.5, 1\n1.5, 2\n2.5, 3\n3.5, 4\n4.5, 5\n5.5, 6\n",
    "edge_labels": "4\n4\n5\n5\n4\n4\n",
    "edge_attributes": "0.1\n0.1\n0.2\n0.2\n0.3\n0.3\n",
}


@pytest.fixture
def tiny(tmp_path):
    """Write the tiny data set, with parts changed or left out (None), and return its folder."""

    def write(**changes: str | None) -> Path:
        folder = tmp_path / "TINY"
        folder.mkdir(exist_ok=True)
        for part, text in {**TINY, **changes}.items():
            if text is not None:
                (folder / f"TINY_{part}.txt").write_bytes(text.encode())
        return folder

    return write


def test_labels_attributes_and_edges_come_back_apart(tiny):
    graphs, y = datasets.load_tu(tiny(), edge_labels=True, edge_attributes=True)
    assert y.tolist() == [1, -1, 1]
    assert y.dtype == np.int64
    assert graphs == GraphSet.from_lists(
        labels=[[7, 8, 7], [9], [8, 8]],
        edges=[[(0, 1), (1, 2)], [], [(0, 1)]],
        attributes=[[[0.5, 1], [1.5, 2], [2.5, 3]], [[3.5, 4]], [[4.5, 5], [5.5, 6]]],
        edge_labels=[[4, 5], [], [4]],
        edge_attributes=[[[0.1], [0.2]], [], [[0.3]]],
    )
    plain, _ = datasets.load_tu(tiny())
    assert plain.edge_labels is None
    assert plain.edge_attributes is None


def test_line_ends_spaces_plus_signs_and_blank_lines_do_not_matter(tiny):
    expected, y = datasets.load_tu(tiny())
    messy = {part: "  " + text.replace("\n", " \r\n") for part, text in TINY.items()}
    messy["graph_labels"] = "+1\r\n-1\r\n+1"
    messy["A"] = "\n" + TINY["A"].replace(", ", ",") + "\n\n"
    messy["node_labels"] = "7.0\n8.0\n\n7.0\n9.0\n8\n8"
    graphs, targets = datasets.load_tu(tiny(**messy))
    assert graphs == expected
    assert graphs.vocabulary == (7, 8, 9)
    assert (targets == y).all()


def test_without_node_labels_all_nodes_share_one(tiny):
    graphs, _ = datasets.load_tu(tiny(node_labels=None))
    assert graphs.vocabulary == (0,)
    assert set(graphs.labels.tolist()) == {0}


def test_without_node_attributes_there_are_none(tiny):
    graphs, _ = datasets.load_tu(tiny(node_attributes=None))
    assert graphs.attributes.shape == (6, 0)


def test_labels_of_several_columns_become_tuples(tiny):
    graphs, _ = datasets.load_tu(tiny(node_labels="1, 0\n0, 1\n1, 0\n1, 1\n0, 1\n0, 1\n"))
    assert graphs.vocabulary == ((0, 1), (1, 0), (1, 1))
    assert graphs[0].labels == [(1, 0), (0, 1), (1, 0)]


def test_repeated_edge_lines_are_one_edge(tiny):
    repeated = TINY["A"] + "1, 2\n2, 1\n"
    graphs, _ = datasets.load_tu(tiny(A=repeated, edge_labels=None, edge_attributes=None))
    assert graphs.n_edges.tolist() == [2, 0, 1]


def test_graphs_without_nodes_are_empty(tiny):
    graphs, y = datasets.load_tu(
        tiny(graph_indicator="2\n2\n2\n3\n5\n5\n", graph_labels="0\n1\n2\n3\n4\n5\n")
    )
    assert graphs.n_nodes.tolist() == [0, 3, 1, 0, 2, 0]
    assert y.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_data_set_without_edges(tiny):
    graphs, _ = datasets.load_tu(tiny(A="", edge_labels="", edge_attributes=""), edge_labels=True)
    assert graphs.n_edges.tolist() == [0, 0, 0]
    assert graphs.edge_vocabulary == ()


def test_nodes_need_not_be_sorted_by_graph(tiny):
    graphs, _ = datasets.load_tu(
        tiny(
            graph_indicator="3\n1\n1\n2\n1\n3\n",
            A="1, 6\n3, 5\n2, 3\n",
            edge_labels=None,
            edge_attributes=None,
        )
    )
    assert [graph.labels for graph in graphs] == [[8, 7, 8], [9], [7, 8]]
    assert [graph.edges.tolist() for graph in graphs] == [[[0, 1], [1, 2]], [], [[0, 1]]]


def test_graph_attributes_are_targets_of_a_regression(tiny):
    _, y = datasets.load_tu(tiny(graph_labels=None, graph_attributes="1\n2\n3\n"))
    assert y.tolist() == [1.0, 2.0, 3.0]
    assert y.dtype == np.float64
    _, several = datasets.load_tu(tiny(graph_labels=None, graph_attributes="1, 2\n2, 3\n3, 4\n"))
    assert several.shape == (3, 2)


def test_graph_labels_come_before_graph_attributes(tiny):
    _, y = datasets.load_tu(tiny(graph_attributes="0.5\n1.5\n2.5\n"))
    assert y.tolist() == [1, -1, 1]


def test_self_loops_are_dropped_with_a_warning(tiny):
    with pytest.warns(UserWarning, match="Dropped 1 self-loops in 1 graphs"):
        graphs, _ = datasets.load_tu(tiny(A="1, 1\n2, 3\n", edge_labels="1\n2\n"), edge_labels=True)
    assert graphs.edge_vocabulary == (2,)


def test_names_are_found_in_the_data_folder_then_in_the_cache(tiny, tmp_path, monkeypatch):
    folder = tiny()
    monkeypatch.setenv("AGLETS_DATA", str(folder.parent))
    assert len(datasets.load_tu("TINY")[0]) == 3
    monkeypatch.delenv("AGLETS_DATA")
    monkeypatch.setattr("aglets.datasets.tu.user_cache", lambda: folder.parent)
    assert len(datasets.load_tu("TINY")[0]) == 3
    monkeypatch.setenv("AGLETS_DATA", str(tmp_path / "elsewhere"))
    assert len(datasets.load_tu("TINY")[0]) == 3


def test_the_cache_follows_the_custom_of_the_system(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache() == tmp_path / "aglets"
    monkeypatch.setattr("sys.platform", "darwin")
    assert user_cache().parts[-3:] == ("Library", "Caches", "aglets")
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert user_cache() == tmp_path / "aglets" / "Cache"


def test_clean_files_take_the_fast_path(tmp_path, monkeypatch):
    monkeypatch.setattr(_numbers, "_parsed_by_line", None)
    path = tmp_path / "numbers.txt"
    path.write_text(" 1, 2\r\n+3,-4\r\n")
    assert _numbers.read_numbers(path).tolist() == [[1, 2], [3, -4]]
    path.write_text("1.5, 2e3\n3,-4\n")
    assert _numbers.read_numbers(path).tolist() == [[1.5, 2000], [3, -4]]


# One connected component


@st.composite
def loose_graphs(draw):
    labels, edges = [], []
    for _ in range(draw(st.integers(1, 4))):
        k = draw(st.integers(0, 7))
        pairs = list(combinations(range(k), 2))
        labels.append(list(range(k)))
        edges.append(draw(st.lists(st.sampled_from(pairs), max_size=5)) if pairs else [])
    return GraphSet.from_lists(labels, edges, edge_labels=[[sum(e) for e in es] for es in edges])


@given(loose_graphs(), st.sampled_from(["largest", "first"]))
def test_components_equal_those_of_networkx(graphs, which):
    kept = keep_component(graphs, which)
    for graph, part in zip(graphs, kept, strict=True):
        whole = nx.Graph()
        whole.add_nodes_from(range(graph.n_nodes))
        whole.add_edges_from(graph.edges.tolist())
        components = sorted(map(sorted, nx.connected_components(whole)), key=lambda c: c[0])
        size = max(map(len, components), default=0)
        wanted = next((c for c in components if which == "first" or len(c) == size), [])
        # The label of a node is its number and that of an edge the sum of its ends.
        assert part.labels == wanted
        named = [(part.labels[u], part.labels[v]) for u, v in part.edges]
        assert named == [(u, v) for u, v in graph.edges.tolist() if u in wanted]
        assert part.edge_labels == [u + v for u, v in named]


def test_an_unknown_component_is_refused(tiny):
    with pytest.raises(ValueError, match="component to be 'largest', 'first' or None, got 'all'"):
        datasets.load_tu(tiny(), component="all")
    with pytest.raises(ValueError, match="component to be 'largest', 'first' or None, got 'all'"):
        keep_component(datasets.load_tu(tiny())[0], "all")


# Bad input


def test_an_unknown_name(monkeypatch, tmp_path):
    monkeypatch.setenv("AGLETS_DATA", str(tmp_path))
    with pytest.raises(ValueError, match="named 'NOPE', but found none in .*set AGLETS_DATA"):
        datasets.load_tu("NOPE")
    with pytest.raises(ValueError, match="Expected a folder with a TU data set, but .*nowhere"):
        datasets.load_tu(tmp_path / "nowhere")


@pytest.mark.parametrize("part", ["A", "graph_indicator"])
def test_a_missing_file(tiny, part):
    with pytest.raises(ValueError, match=f"Expected a file TINY_{part}.txt in .*; fetch the data"):
        datasets.load_tu(tiny(**{part: None}))


def test_missing_targets(tiny):
    with pytest.raises(
        ValueError, match="file TINY_graph_labels.txt or TINY_graph_attributes.txt in .*neither"
    ):
        datasets.load_tu(tiny(graph_labels=None))
    with pytest.raises(
        ValueError, match="one line per graph in TINY_graph_labels.txt, got an empty"
    ):
        datasets.load_tu(tiny(graph_labels="\n"))


@pytest.mark.parametrize("part", ["edge_labels", "edge_attributes"])
def test_missing_files_of_edges(tiny, part):
    with pytest.raises(ValueError, match=f"TINY_{part}.txt in .* is none; leave out {part}=True"):
        datasets.load_tu(tiny(**{part: None}), **{part: True})


def test_two_data_sets_in_one_folder(tiny, tmp_path):
    folder = tiny()
    (folder / "OTHER_A.txt").write_text("")
    assert len(datasets.load_tu(folder)[0]) == 3
    with pytest.raises(ValueError, match="one data set in .*, got OTHER and TINY; put each"):
        datasets.load_tu(folder.rename(tmp_path / "BOTH"))


def test_a_line_that_is_not_a_number(tiny):
    for part in ("A", "graph_indicator", "graph_labels", "node_labels", "node_attributes"):
        lines = TINY[part].splitlines()
        lines[1] = "oops"
        with pytest.raises(
            ValueError, match=f"only numbers in TINY_{part}.txt, got 'oops' in line 2; correct"
        ):
            datasets.load_tu(tiny(**{part: "\n".join(lines)}))


def test_all_lines_that_are_not_numbers_are_named(tiny):
    with pytest.raises(ValueError, match=r"got '\?, 1' in line 1 and '1, x' in line 3;"):
        datasets.load_tu(tiny(node_attributes="?, 1\n1, 2\n1, x\n1, 1\n1, 1\n1, 1\n"))


def test_lines_with_different_numbers_of_values(tiny):
    with pytest.raises(
        ValueError,
        match="every line of TINY_node_attributes.txt as in line 1, which has 2, but line 3 has 1",
    ):
        datasets.load_tu(tiny(node_attributes="1, 1\n1, 2\n1\n1, 1\n1, 1\n1, 1\n"))


def test_numbers_that_are_not_whole(tiny):
    with pytest.raises(
        ValueError, match=r"whole numbers in TINY_A.txt, got \[2.0, 1.5\] in line 3"
    ):
        datasets.load_tu(tiny(A="1, 2\n\n2, 1.5\n"))


def test_edge_lines_that_are_not_pairs(tiny):
    with pytest.raises(ValueError, match="2 whole numbers in every line of TINY_A.txt, got 3"):
        datasets.load_tu(tiny(A="1, 2, 3\n"))
    with pytest.raises(ValueError, match="1 whole number in every line of TINY_graph_ind.*, got 2"):
        datasets.load_tu(tiny(graph_indicator="1, 2\n"))


@pytest.mark.parametrize(
    ("part", "of", "owner", "expected"),
    [
        ("node_labels", "graph_indicator", "node", 6),
        ("node_attributes", "graph_indicator", "node", 6),
        ("edge_labels", "A", "edge line", 6),
        ("edge_attributes", "A", "edge line", 6),
    ],
)
def test_counts_that_do_not_match(tiny, part, of, owner, expected):
    with pytest.raises(
        ValueError,
        match=f"one line per {owner} in TINY_{part}.txt, but it has 2 where TINY_{of}.txt has "
        f"{expected}; fetch",
    ):
        datasets.load_tu(tiny(**{part: "1\n2\n"}), edge_labels=True, edge_attributes=True)


def test_node_ids_out_of_range(tiny):
    with pytest.raises(
        ValueError,
        match="TINY_graph_indicator.txt lists 6 nodes, but in TINY_A.txt line 1 joins 1 and 7 and "
        "line 3 joins 0 and 2; nodes are numbered from 1",
    ):
        datasets.load_tu(tiny(A="1, 7\n1, 2\n0, 2\n"))


def test_graph_ids_beyond_the_label_file(tiny):
    with pytest.raises(
        ValueError,
        match="TINY_graph_labels.txt lists 3 graphs, but in TINY_graph_indicator.txt line 5 puts "
        "node 5 in graph 4 and line 6 puts node 6 in graph 0; graphs are numbered from 1",
    ):
        datasets.load_tu(tiny(graph_indicator="1\n1\n1\n2\n4\n0\n"))


def test_an_edge_between_two_graphs(tiny):
    with pytest.raises(
        ValueError,
        match="both ends of an edge in one graph, but in TINY_A.txt line 2 joins 3 and 4; "
        "node 3 is in graph 1, node 4 in graph 2, so correct",
    ):
        datasets.load_tu(tiny(A="1, 2\n3, 4\n"))


def test_nan_or_infinite_attributes_in_a_file(tiny):
    rows = "0, 1\nnan, 2\n0, 3\n0, 4\n0, -inf\n0, 6\n"
    with pytest.raises(
        ValueError,
        match="finite numbers in TINY_node_attributes.txt, got nan in line 2 and -inf in line 5; ",
    ):
        datasets.load_tu(tiny(node_attributes=rows))


def test_two_labels_for_one_edge_in_a_file(tiny):
    with pytest.raises(ValueError, match=r"Graph 0 has edge \(0, 1\) with labels 4 and 6; edges"):
        datasets.load_tu(tiny(edge_labels="4\n6\n5\n5\n4\n4\n"), edge_labels=True)


# The public data sets, as counted in their own notes


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "n", "nodes", "edges", "width", "n_labels", "classes"),
    [
        ("AIDS", 2000, 15.69, 16.20, 4, 38, {0: 400, 1: 1600}),
        ("BZR", 405, 35.75, 38.36, 3, 10, {-1: 319, 1: 86}),
        ("COX2", 467, 41.22, 43.45, 3, 8, {-1: 365, 1: 102}),
        ("DHFR", 756, 42.43, 44.54, 3, 9, {-1: 295, 1: 461}),
        ("ENZYMES", 600, 32.63, 62.14, 18, 3, dict.fromkeys(range(1, 7), 100)),
        ("MUTAG", 188, 17.93, 19.79, 0, 7, {-1: 63, 1: 125}),
        ("PROTEINS", 1113, 39.06, 72.82, 1, 3, {1: 663, 2: 450}),
        ("SYNTHETIC", 300, 100.0, 196.0, 1, 8, {0: 150, 1: 150}),
    ],
)
def test_public_data_sets_have_their_known_counts(
    load_tu, name, n, nodes, edges, width, n_labels, classes
):
    graphs, y = load_tu(name)
    assert len(graphs) == n
    assert round(graphs.n_nodes.mean(), 2) == nodes
    assert round(graphs.n_edges.mean(), 2) == edges
    assert graphs.n_attributes == width
    assert len(graphs.vocabulary) == n_labels
    values, counts = np.unique(y, return_counts=True)
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == classes


@pytest.mark.data
@pytest.mark.parametrize(("name", "isolated"), [("AIDS", 210), ("ENZYMES", 106), ("PROTEINS", 5)])
def test_isolated_nodes_are_kept(load_tu, name, isolated):
    graphs, _ = load_tu(name)
    rows = graphs.edges + np.repeat(graphs.node_offsets[:-1], graphs.n_edges)[:, None]
    assert len(graphs.labels) - len(np.unique(rows)) == isolated


@pytest.mark.data
@pytest.mark.parametrize(("name", "n_edge_labels"), [("AIDS", 3), ("MUTAG", 4)])
def test_edge_labels_of_public_data_sets(load_tu, name, n_edge_labels):
    graphs, _ = load_tu(name, edge_labels=True)
    assert len(graphs.edge_vocabulary) == n_edge_labels


@pytest.mark.data
def test_largest_components_of_two_enzyme_classes_are_those_of_the_paper(load_tu):
    graphs, y = load_tu("ENZYMES", component="largest")
    graphs = graphs[np.isin(y, [1, 2])]
    assert len(graphs) == 200
    assert graphs.n_nodes.mean() == pytest.approx(32.575, abs=1e-12)
    assert graphs.n_edges.mean() == pytest.approx(60.775, abs=1e-12)


@pytest.mark.data
def test_some_aids_graphs_are_disconnected(load_tu):
    whole, _ = load_tu("AIDS")
    cut, _ = load_tu("AIDS", component="first")
    assert (whole.n_nodes != cut.n_nodes).sum() == 189


# Planted motifs


def test_every_graph_of_class_one_holds_the_motif_and_decoys_only_its_labels():
    graphs, y, motifs = datasets.make_planted(60, noise=0.0, decoys=1.0, random_state=1)
    (motif,) = motifs
    assert motif.coef == 1.0
    pattern = _as_networkx(motif.labels, motif.edges)
    for graph, target in zip(graphs, y, strict=True):
        matches = nx.isomorphism.GraphMatcher(
            _as_networkx(graph.labels, graph.edges),
            pattern,
            node_match=lambda a, b: a["label"] == b["label"],
        ).subgraph_monomorphisms_iter()
        costs = [
            sum(((graph.attributes[u] - motif.attributes[v]) ** 2).sum() for u, v in match.items())
            for match in matches
        ]
        assert costs  # the labels alone are in every graph
        assert (min(costs) < 1e-20) == (target == 1)


def _as_networkx(labels, edges) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from((i, {"label": label}) for i, label in enumerate(labels))
    graph.add_edges_from(np.asarray(edges).tolist())
    return graph


@pytest.mark.parametrize("options", [{}, {"parts": 0.0}, {"motif_size": 1}, {"motif_size": 2}])
def test_motifs_of_any_size_are_in_graphs_of_their_class_only(options):
    graphs, y, [motif] = datasets.make_planted(40, noise=0.0, random_state=2, **options)
    assert np.array_equal(agis(graphs, [motif], rho=1e6)[:, 0] > 0.5, y == 1)


def test_the_size_of_planted_graphs_predicts_nothing():
    graphs, y, _ = datasets.make_planted(2000, random_state=0)
    sizes = [graphs.n_nodes[y == target] for target in (1, -1)]
    assert abs(sizes[0].mean() - sizes[1].mean()) < 0.5
    assert sizes[0].min() == sizes[1].min()
    assert sizes[0].max() == sizes[1].max()


def test_planted_graphs_are_connected_and_balanced():
    graphs, y, motifs = datasets.make_planted(50, n_motifs=3, motif_size=3, random_state=0)
    assert (keep_component(graphs, "first").n_nodes == graphs.n_nodes).all()
    assert (y == 1).sum() == (y == -1).sum() == 25
    assert [motif.coef for motif in motifs] == [1.0, -1.0, 1.0]
    assert all(len(motif.labels) == 3 for motif in motifs)


def test_the_same_random_state_gives_the_same_data():
    first, y_first, _ = datasets.make_planted(20, random_state=3)
    again, y_again, _ = datasets.make_planted(20, random_state=3)
    other, _, _ = datasets.make_planted(20, random_state=4)
    assert first == again
    assert (y_first == y_again).all()
    assert first != other


def test_flip_y_turns_over_that_many_classes():
    _, clean, _ = datasets.make_planted(40, random_state=0)
    _, noisy, _ = datasets.make_planted(40, flip_y=0.25, random_state=0)
    assert (clean != noisy).sum() == 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_graphs": 0}, "n_graphs to be at least 1, got 0"),
        ({"motif_size": 0}, "motif_size to be at least 1, got 0"),
        ({"n_motifs": -1}, "n_motifs to be at least 0, got -1"),
        ({"n_labels": 27}, "n_labels of at most 26, got 27"),
        ({"parts": 2.0}, "parts to be between 0 and 1, got 2.0"),
        ({"decoys": 1.5}, "decoys to be between 0 and 1, got 1.5"),
        ({"flip_y": -0.5}, "flip_y to be between 0 and 1, got -0.5"),
        (
            {"background_size": (5, 3)},
            r"to be \(minimum, maximum\) .* got \(5, 3\)",
        ),
    ],
)
def test_planted_refuses_impossible_settings(options, message):
    with pytest.raises(ValueError, match=message):
        datasets.make_planted(**options)
