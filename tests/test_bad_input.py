"""A catalogue of bad input: for each, the sentence that the user sees."""

from __future__ import annotations

from pathlib import Path

import grakel
import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest

from aglets import Graph, GraphSet, datasets
from aglets.graphs import as_graph_set

CO = GraphSet.from_lists(labels=["CO"], edges=[[(0, 1)]])


def text(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def nx_graph(nodes: dict, *edges: tuple, **kind) -> nx.Graph:
    graph = kind.get("of", nx.Graph)()
    for name, data in nodes.items():
        graph.add_node(name, **data)
    graph.add_edges_from(edges)
    return graph


def ig_graph(labels: list, edges: list, **options) -> igraph.Graph:
    graph = igraph.Graph(n=len(labels), edges=edges, **options)
    graph.vs["label"] = labels
    return graph


LABELLED = {"a": {"label": "C", "q": 0.5}, "b": {"label": "O", "q": 1.0}}

# What is done (with a folder to write to), and the sentence it must end in; {} is the folder.
CASES: dict[str, tuple] = {
    # lists
    "lists: an edge to nowhere": (
        lambda _: GraphSet.from_lists(labels=["CO"], edges=[[(0, 2)]]),
        "Graph 0 has edge (0, 2) but only 2 nodes; edges are pairs of node positions within "
        "their graph, counted from 0.",
    ),
    "lists: lists of different length": (
        lambda _: GraphSet.from_lists(labels=["CO", "C"], edges=[[]]),
        "Every list needs one entry per graph, but labels has 2 and edges has 1; give an empty "
        "entry to a graph that has nothing to list.",
    ),
    "lists: an unhashable label": (
        lambda _: GraphSet.from_lists(labels=[[["C"]]], edges=[[]]),
        "Labels must be hashable (numbers, strings, tuples), but got ['C'] (list) in graph 0 at "
        "node 0; turn such a label into a tuple or a string.",
    ),
    "lists: an attribute that is not finite": (
        lambda _: GraphSet.from_lists(labels=["C"], edges=[[]], attributes=[[[np.nan]]]),
        "Expected finite attributes, but got nan in graph 0 at node 0, column 0; fill in or "
        "leave out missing values first.",
    ),
    "lists: ragged attributes": (
        lambda _: GraphSet.from_lists(
            labels=["C", "C"], edges=[[], []], attributes=[[[1.0]], [[1.0, 2.0]]]
        ),
        "Graph 1 has attributes of dimension 2, but graph 0 has 1. Every node of every graph "
        "needs the same number of attributes.",
    ),
    "lists: too many names": (
        lambda _: GraphSet.from_lists(
            labels=["C"], edges=[[]], attributes=[[[1.0]]], attribute_names=["a", "b"]
        ),
        "Expected 1 attribute_names, one per attribute, got 2: ('a', 'b').",
    ),
    "lists: one edge, two labels": (
        lambda _: GraphSet.from_lists(
            labels=["CO"], edges=[[(0, 1), (1, 0)]], edge_labels=[["-", "="]]
        ),
        "Graph 0 has edge (0, 1) with labels '-' and '='; edges are undirected and carry one "
        "label each, so keep one of the two.",
    ),
    "objects: nothing": (
        lambda _: as_graph_set([]),
        "Expected at least one graph, got an empty list.",
    ),
    "objects: a number": (
        lambda _: as_graph_set(3),
        "Expected a GraphSet or a list of graphs, got int; build a set with GraphSet.from_lists "
        "or another reader.",
    ),
    "objects: a single graph": (
        lambda _: as_graph_set(Graph("CO", [(0, 1)])),
        "Expected a list of graphs, got a single Graph; put it in a list: [graph].",
    ),
    "objects: of no kind": (
        lambda _: as_graph_set([{"a": 1}]),
        "Expected a GraphSet or a list of Graph, got dict at position 0; build a set with "
        "GraphSet.from_lists or another reader, and put graphs of one kind in a list.",
    ),
    "objects: of two kinds": (
        lambda _: as_graph_set(["CCO", nx.Graph()]),
        "Expected a GraphSet or a list of Graph, got Graph at position 1; build a set with "
        "GraphSet.from_lists or another reader, and put graphs of one kind in a list.",
    ),
    "objects: networkx with other keys": (
        lambda _: as_graph_set([nx_graph(LABELLED)]),
        "Nodes of these networkx graphs carry 'label' and 'q' and edges carry nothing; say which "
        "is the label and which are attributes with GraphSet.from_networkx(graphs, label=..., "
        "attributes=[...]).",
    ),
    "objects: GraKeL": (
        lambda _: as_graph_set([grakel.Graph({(0, 1): 1}, node_labels={0: "a", 1: "b"})]),
        "Graphs of grakel do not distinguish labels from attributes; say which is which with "
        "GraphSet.from_grakel(graphs, ...).",
    ),
    # networkx
    "networkx: a single graph": (
        lambda _: GraphSet.from_networkx(nx.Graph()),
        "Expected a list of networkx graphs, got a single one; put it in a list: [graph].",
    ),
    "networkx: no graphs": (
        lambda _: GraphSet.from_networkx(["CCO"]),
        "Expected a list of networkx graphs, got str at position 0.",
    ),
    "networkx: a directed graph": (
        lambda _: GraphSet.from_networkx([nx_graph(LABELLED, of=nx.DiGraph)]),
        "Expected undirected graphs, but graph 0 is directed; call graph.to_undirected() first.",
    ),
    "networkx: no label": (
        lambda _: GraphSet.from_networkx([nx_graph({"a": {"el": "C"}})]),
        "Node 'a' of graph 0 lacks 'label' (it has 'el'); name the keys to read with label=... "
        "and attributes=[...], or give label=None if there are no labels.",
    ),
    "networkx: no attribute": (
        lambda _: GraphSet.from_networkx([nx_graph(LABELLED)], attributes=["charge"]),
        "Node 'a' of graph 0 lacks 'charge' (it has 'label' and 'q') and node 'b' of graph 0 "
        "lacks 'charge' (it has 'label' and 'q'); name the keys to read with label=... and "
        "attributes=[...], or give label=None if there are no labels.",
    ),
    "networkx: a word as attribute": (
        lambda _: GraphSet.from_networkx([nx_graph(LABELLED)], attributes="label"),
        "Expected every attribute to be a number, or a vector of one length, got 'C' under "
        "'label' at node 'a' of graph 0; leave that key out of attributes, or read it as label.",
    ),
    "networkx: no edge label": (
        lambda _: GraphSet.from_networkx([nx_graph(LABELLED, ("a", "b"))], edge_label="bond"),
        "Edge ('a', 'b') of graph 0 lacks 'bond' (it has nothing); name the keys to read with "
        "edge_label=... and edge_attributes=[...], or give edge_label=None if there are no "
        "labels.",
    ),
    "networkx: vectors of different length": (
        lambda _: GraphSet.from_networkx(
            [nx_graph({"a": {"x": [1.0]}, "b": {"x": [1.0, 2.0]}})], label=None, attributes="x"
        ),
        "Expected every attribute to be a number, or a vector of one length, got [1.0, 2.0] "
        "under 'x' at node 'b' of graph 0; leave that key out of attributes, or read it as "
        "label.",
    ),
    "networkx: writing a name twice": (
        lambda _: CO.with_attributes([[1.0], [2.0]], names=["label"]).to_networkx(),
        "The key 'label' is meant for the label, but an attribute has it, too; write the label "
        "under another key.",
    ),
    # igraph
    "igraph: a single graph": (
        lambda _: GraphSet.from_igraph(ig_graph(["C"], [])),
        "Expected a list of igraph graphs, got a single one; put it in a list: [graph].",
    ),
    "igraph: no graphs": (
        lambda _: GraphSet.from_igraph([nx.Graph()]),
        "Expected a list of igraph graphs, got Graph at position 0.",
    ),
    "igraph: a directed graph": (
        lambda _: GraphSet.from_igraph([ig_graph(["C", "O"], [(0, 1)], directed=True)]),
        "Expected undirected graphs, but graph 0 is directed; call graph.as_undirected() first.",
    ),
    "igraph: no such attribute": (
        lambda _: GraphSet.from_igraph([ig_graph(["C"], [])], label="element"),
        "Node 0 of graph 0 lacks 'element' (it has 'label'); name the keys to read with "
        "label=... and attributes=[...], or give label=None if there are no labels.",
    ),
    # GraKeL
    "grakel: no node labels": (
        lambda _: GraphSet.from_grakel([[{(0, 1)}]]),
        "Expected every GraKeL graph to be a grakel.Graph or [edges, {node: value}], got list at "
        "position 0; node values are needed, for they name the nodes.",
    ),
    "grakel: an edge to nowhere": (
        lambda _: GraphSet.from_grakel([[{(0, 1)}, {0: "a"}]]),
        "Expected a value for every node, but graph 0 has an edge at 1, which the node values do "
        "not name.",
    ),
    "grakel: no edge labels": (
        lambda _: GraphSet.from_grakel([[{(0, 1)}, {0: "a", 1: "b"}]], edges="labels"),
        "Expected a value for every edge, but graph 0 has none for (0, 1); give edges=None to "
        "leave edge values unread.",
    ),
    "grakel: labels are not pairs": (
        lambda _: GraphSet.from_grakel([[set(), {0: "a"}]], nodes="both"),
        "Expected every node value to be a pair (label, vector), got 'a' in graph 0; say "
        "'labels' or 'attributes' if it is one of the two.",
    ),
    "grakel: an unknown kind": (
        lambda _: GraphSet.from_grakel([], nodes="label"),
        "Expected nodes to be 'labels', 'attributes' or 'both', got 'label'.",
    ),
    "grakel: nothing to write": (
        lambda _: CO.to_grakel(edges="labels"),
        "Expected graphs with edge labels to write, but these have none.",
    ),
    # JSON
    "json: torn": (
        lambda f: GraphSet.from_json(text(f, "a.json", '{"nodes": [')),
        "Expected JSON in a.json, but it breaks off at column 12 (Expecting value); correct the "
        "file or write it again.",
    ),
    "json: no graph": (
        lambda f: GraphSet.from_json(text(f, "a.json", '[{"n": 1}]')),
        "In a.json: Expected a list of node-link graphs, got dict without a list of 'nodes' at "
        "position 0.",
    ),
    "json: a number": (
        lambda f: GraphSet.from_json(text(f, "a.json", "3")),
        "In a.json: Expected node-link JSON to be a graph or a list of graphs, got 3.",
    ),
    "json: a torn line": (
        lambda f: GraphSet.from_json(text(f, "a.jsonl", "\n{")),
        "Expected JSON in line 2 of a.jsonl, but it breaks off at column 2 (Expecting property "
        "name enclosed in double quotes); correct the file or write it again.",
    ),
    "json: an edge to nowhere": (
        lambda _: GraphSet.from_json(
            [{"nodes": [{"id": 1, "label": "C"}], "edges": [{"source": 1, "target": 2}]}]
        ),
        "Expected 'source' and 'target' of every edge to be ids of nodes, but graph 0 has an "
        "edge from 1 to 2; add the node or correct the edge.",
    ),
    "json: an id twice": (
        lambda _: GraphSet.from_json([{"nodes": [{"id": 1, "label": "C"}] * 2}]),
        "Expected every node of a graph to have an id of its own, but 1 came twice in graph 0; "
        "give them different ids.",
    ),
    "json: directed": (
        lambda _: GraphSet.from_json([{"directed": True, "nodes": []}]),
        "Expected undirected graphs, but graph 0 is directed; give each edge once, and set "
        '"directed" to false.',
    ),
    "json: a node that is not an object": (
        lambda _: GraphSet.from_json([{"nodes": [1]}]),
        "Expected every node and edge of a node-link graph to be an object, got 1.",
    ),
    "json: no target": (
        lambda _: GraphSet.from_json([{"nodes": [{"label": "C"}]}], target="y"),
        "Expected the target 'y' in every graph, but not so in graph 0; add it, or leave those "
        "graphs out.",
    ),
    "json: a label it cannot hold": (
        lambda _: GraphSet.from_lists(labels=[[frozenset("C")]], edges=[[]]).to_json(),
        "Labels in JSON must be numbers, strings, None or tuples of those, got frozenset({'C'}) "
        "(frozenset); give these nodes or edges other labels.",
    ),
    "json: too few targets": (
        lambda _: CO.to_json(y=[1, 2]),
        "Expected y to hold one value for each of the 1 graphs, got shape (2,).",
    ),
    # gSpan
    "gspan: no graphs": (
        lambda f: GraphSet.from_gspan(text(f, "a.gspan", "\n")),
        "Expected graphs in a.gspan, but no line begins with 't'.",
    ),
    "gspan: other words": (
        lambda f: GraphSet.from_gspan(text(f, "a.gspan", "t # 0\nx 1\n")),
        "In a.gspan, expected a line that begins with t, v or e, got 'x 1' in line 2; correct "
        "the file.",
    ),
    "gspan: a node out of order": (
        lambda f: GraphSet.from_gspan(text(f, "a.gspan", "t # 0\nv 1 C\n")),
        "In a.gspan, expected node 0, got node 1 in line 2; correct the file.",
    ),
    "gspan: an edge to nowhere": (
        lambda f: GraphSet.from_gspan(text(f, "a.gspan", "t # 0\nv 0 C\ne 0 1 1\n")),
        "In a.gspan, expected an edge of nodes listed before it, got 'e 0 1 1' in line 3; "
        "correct the file.",
    ),
    "gspan: a node before the graph": (
        lambda f: GraphSet.from_gspan(text(f, "a.gspan", "v 0 C\n")),
        "In a.gspan, expected 't # 0' before the first node in line 1; correct the file.",
    ),
    "gspan: a torn line": (
        lambda f: GraphSet.from_gspan(text(f, "a.gspan", "t # 0\nv 0\n")),
        "In a.gspan, expected 'v NUMBER LABEL', got 'v 0' in line 2; correct the file.",
    ),
    "gspan: no target": (
        lambda f: GraphSet.from_gspan(text(f, "a.gspan", "t # 0\nv 0 C\n"), target=True),
        "Expected a class or target behind every graph's number, as in 't # 0 1', but not so in "
        "graph 0 of a.gspan.",
    ),
    "gspan: a header of another kind": (
        lambda f: GraphSet.from_gspan(text(f, "a.gspan", "# aglets 3\nt # 0\n")),
        "Expected names of attributes behind '# aglets' in a.gspan, got '# aglets 3'; write the "
        "file again, or delete the line.",
    ),
    "gspan: a label with a blank": (
        lambda f: GraphSet.from_lists(labels=[["C 1"]], edges=[[]]).to_gspan(f / "a.gspan"),
        "Labels in gSpan text must all be whole numbers, or all words without blanks, got 'C 1'; "
        "use to_json, which keeps any label.",
    ),
    # TU folders
    "tu: no folder": (
        lambda f: datasets.load_tu(f / "NOPE"),
        "Expected a folder with a TU data set, but {}/NOPE is none.",
    ),
    "tu: no files": (
        lambda f: ((f / "D").mkdir(), datasets.load_tu(f / "D")),
        "Expected a file D_graph_labels.txt or D_graph_attributes.txt in {}/D, but there is "
        "neither; it has the class or the target of every graph.",
    ),
    "tu: names of another set": (
        lambda f: (
            GraphSet.from_lists(labels=["CO"], edges=[[(0, 1)]]).to_tu(f / "D", y=[1]),
            text(f / "D", "D_names.json", '{"labels": ["C"]}'),
            datasets.load_tu(f / "D"),
        ),
        "Expected D_names.json to name the labels and attributes of this data set, but it does "
        "not fit (tuple index out of range); write the data set again, or delete that file.",
    ),
    "tu: too few targets": (
        lambda f: CO.to_tu(f / "D", y=[1, 2]),
        "Expected y to hold one value for each of the 1 graphs, got shape (2,).",
    ),
    # molecules
    "smiles: a single string": (
        lambda _: GraphSet.from_smiles("CCO"),
        "Expected a list of SMILES, got the single string 'CCO'; put it in a list, or give a "
        "file as a Path.",
    ),
    "smiles: no SMILES": (
        lambda _: GraphSet.from_smiles(["CCO", "xyz", 3]),
        "Could not read 2 of 3 rows: row 1: 'xyz' is not a valid SMILES; row 2: expected SMILES, "
        "got 3; correct them, or leave them out with errors='skip'.",
    ),
    "smiles: an unknown attribute": (
        lambda _: GraphSet.from_smiles(["C"], attributes=["charge"]),
        "Expected attributes to name some of gasteiger_charge, crippen_logp, crippen_mr, tpsa, "
        "n_hydrogens, degree, in_ring, aromatic, atomic_number, formal_charge, mass, got 'charge'.",
    ),
    "smiles: an unknown label": (
        lambda _: GraphSet.from_smiles(["C"], label_with="chirality"),
        "Expected label_with to name some of aromaticity, hydrogens, charge, ring, "
        "hybridisation, stereo, got 'chirality'.",
    ),
    "smiles: unknown coordinates": (
        lambda _: GraphSet.from_smiles(["C"], coordinates="4d"),
        "Expected coordinates to be '2d', '3d' or None, got '4d'.",
    ),
    "smiles: an unknown way with errors": (
        lambda _: GraphSet.from_smiles(["C"], errors="ignore"),
        "Expected errors to be 'raise' or 'skip', got 'ignore'.",
    ),
    "rdkit: a single molecule": (
        lambda _: GraphSet.from_rdkit(__import__("rdkit.Chem").Chem.MolFromSmiles("C")),
        "Expected a list of RDKit molecules, got a single one; put it in a list: [molecule].",
    ),
    "rdkit: nothing and something else": (
        lambda _: GraphSet.from_rdkit([None, "CCO"]),
        "Could not read 2 of 2 rows: row 0: RDKit could not read it; row 1: expected an RDKit "
        "molecule, got str; correct them, or leave them out with errors='skip'.",
    ),
    "table: no such column": (
        lambda f: GraphSet.from_table(text(f, "a.csv", "SMILES,y\nC,1\n")),
        "Expected a column 'smiles' in a.csv, but its columns are 'SMILES' and 'y'; name the "
        "right one with smiles='SMILES'.",
    ),
    "table: another separator": (
        lambda f: GraphSet.from_table(text(f, "a.csv", "smiles;y\nC;1\n")),
        "Expected a column 'smiles' in a.csv, but its columns are 'smiles;y'; name the right "
        "one with smiles=COLUMN, or say how columns are separated: separator=';'.",
    ),
    "table: empty": (
        lambda f: GraphSet.from_table(text(f, "a.csv", "")),
        "Expected a table with a line of column names, but a.csv is empty.",
    ),
    "table: no target column": (
        lambda f: GraphSet.from_table(text(f, "a.csv", "smiles,y\nC,1\n"), target="active"),
        "Expected a column 'active' in a.csv, but its columns are 'smiles' and 'y'; name the "
        "right one with target=COLUMN.",
    ),
    "table: an empty field": (
        lambda f: GraphSet.from_table(text(f, "a.csv", "smiles,y\n,1\n"), target="y"),
        "Could not read 1 of 1 rows: row 0 (line 2): there is no SMILES; correct them, or leave "
        "them out with errors='skip'.",
    ),
    "table: no Parquet": (
        lambda f: GraphSet.from_table(text(f, "a.parquet", "x")),
        "Expected a Parquet file, but a.parquet is none (...); give its format, or write it again.",
    ),
    "table: not UTF-8": (
        lambda f: (
            (f / "a.csv").write_bytes("smiles\nC\nGröße\n".encode("latin-1")),
            GraphSet.from_table(f / "a.csv"),
        ),
        "Expected text in UTF-8, but the byte 0xf6 in line 3 of a.csv is not; save the file again "
        "in UTF-8.",
    ),
    "table: a frame without the column": (
        lambda _: GraphSet.from_table(pd.DataFrame({"s": ["C"]})),
        "Expected a column 'smiles' in the table, but its columns are 's'; name the right one with "
        "smiles=COLUMN.",
    ),
    "sdf: no molecule": (
        lambda f: GraphSet.from_sdf(text(f, "a.sdf", "x\n$$$$\n")),
        "Could not read 1 of 1 rows: row 0: RDKit could not read it; correct them, or leave them "
        "out with errors='skip'.",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_sentence_for(name, tmp_path):
    act, sentence = CASES[name]
    with pytest.raises((ValueError, TypeError)) as error:
        act(tmp_path)
    check(str(error.value), sentence, tmp_path)


def check(said: str, sentence: str, folder: Path) -> None:
    said = said.replace(str(folder), "{}")
    print(repr(said))
    beginning, dots, end = sentence.partition("...")
    if dots:  # what another library says is left to it
        assert said.startswith(beginning)
        assert said.endswith(end)
    else:
        assert said == sentence
