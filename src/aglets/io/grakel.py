"""GraKeL's graphs, in both directions.

GraKeL has one value per node, which is a label for some kernels and a vector of attributes for
others. Which of the two it is has to be said; to keep both, values may be pairs (label, vector).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from aglets.graphs import GraphSet
from aglets.graphs.checks import listing

__all__ = ["from_grakel", "to_grakel"]

Values = Literal["labels", "attributes", "both"]


def from_grakel(
    graphs: Iterable[Any],
    *,
    nodes: Values = "labels",
    edges: Values | None = None,
    attribute_names: Sequence[str] | None = None,
    edge_attribute_names: Sequence[str] | None = None,
) -> GraphSet:
    """Read graphs as GraKeL takes them.

    Parameters
    ----------
    graphs : iterable of (edges, node values[, edge values]) or grakel.Graph
        Edges are pairs, a dictionary of pairs, a dictionary of neighbours, or an adjacency matrix.
        Node values are a dictionary that names every node, edge values one of pairs.
    nodes : {"labels", "attributes", "both"}
        What node values are: labels, vectors (then all nodes are labelled 0), or pairs of both.
    edges : {"labels", "attributes", "both"} or None
        What edge values are; None leaves them unread.
    attribute_names, edge_attribute_names : sequence of str, optional
        Names of the numbers in the vectors; GraKeL has no place for them.

    Returns
    -------
    GraphSet

    Examples
    --------
    >>> from aglets import GraphSet
    >>> water = [{(0, 1), (0, 2)}, {0: "O", 1: "H", 2: "H"}]
    >>> GraphSet.from_grakel([water])[0].labels
    ['O', 'H', 'H']
    """
    for name, value in {"nodes": nodes, "edges": edges}.items():
        if value not in ("labels", "attributes", "both") and (name == "nodes" or value is not None):
            raise ValueError(
                f"Expected {name} to be 'labels', 'attributes' or 'both', got {value!r}."
            )
    columns: dict[str, list[Any]] = {
        name: [] for name in ("labels", "edges", "attributes", "edge_labels", "edge_attributes")
    }
    for i, graph in enumerate(graphs):
        links, node_values, edge_values = _parts(graph, i)
        names = list(node_values)
        position = {name: j for j, name in enumerate(names)}
        pairs = _pairs(links, i)
        unknown = [repr(end) for pair in pairs for end in pair if end not in position]
        if unknown:
            raise ValueError(
                f"Expected a value for every node, but graph {i} has an edge at "
                f"{listing(list(dict.fromkeys(unknown)))}, which the node values do not name."
            )
        labels, rows = _split(list(node_values.values()), nodes, i, "node")
        columns["labels"].append(labels or [0] * len(names))
        columns["attributes"].append(rows)
        columns["edges"].append([(position[u], position[v]) for u, v in pairs])
        if edges is not None:
            values = _edge_values(pairs, edge_values, i)
            labels, rows = _split(values, edges, i, "edge")
            columns["edge_labels"].append(labels)
            columns["edge_attributes"].append(rows)
    return GraphSet.from_lists(
        labels=columns["labels"],
        edges=columns["edges"],
        attributes=None if nodes == "labels" else columns["attributes"],
        edge_labels=None if edges in (None, "attributes") else columns["edge_labels"],
        edge_attributes=None if edges in (None, "labels") else columns["edge_attributes"],
        attribute_names=attribute_names,
        edge_attribute_names=edge_attribute_names,
    )


def _parts(graph: Any, i: int) -> tuple[Any, Mapping[Any, Any], Mapping[Any, Any] | None]:
    """Return edges, node values and edge values of one graph."""
    if hasattr(graph, "edge_dictionary") and hasattr(graph, "index_node_labels"):
        if graph._format == "adjacency":
            return graph.adjacency_matrix, graph.index_node_labels, graph.index_edge_labels or None
        return graph.edge_dictionary, graph.node_labels, graph.edge_labels or None
    entries = list(graph) if isinstance(graph, (list, tuple)) else []
    if len(entries) not in (2, 3) or not isinstance(entries[1], Mapping):
        raise TypeError(
            "Expected every GraKeL graph to be a grakel.Graph or [edges, {node: value}], got "
            f"{type(graph).__name__} at position {i}; node values are needed, for they name the "
            "nodes."
        )
    edge_values = entries[2] if len(entries) == 3 else None
    return entries[0], entries[1], edge_values or None


def _pairs(edges: Any, i: int) -> list[tuple[Any, Any]]:
    """Return both ends of every edge, whichever way GraKeL was given them."""
    if hasattr(edges, "toarray"):
        edges = edges.toarray()
    if isinstance(edges, np.ndarray):
        if edges.ndim == 2 and edges.shape[0] == edges.shape[1]:
            return [(u, v) for u, v in np.argwhere(edges != 0).tolist()]
    elif isinstance(edges, Mapping):
        if all(isinstance(ends, (dict, list, set)) for ends in edges.values()):
            return [(u, v) for u, ends in edges.items() for v in ends]
        if all(isinstance(pair, tuple) and len(pair) == 2 for pair in edges):
            return list(edges)
    elif isinstance(edges, Iterable):
        pairs = [tuple(pair) for pair in edges if isinstance(pair, (tuple, list))]
        if all(len(pair) in (2, 3) for pair in pairs):
            return [(pair[0], pair[1]) for pair in pairs]
    raise ValueError(
        "Expected edges to be pairs, a dictionary of pairs or of neighbours, or a square matrix, "
        f"got {type(edges).__name__} in graph {i}."
    )


def _edge_values(
    pairs: list[tuple[Any, Any]], values: Mapping[Any, Any] | None, i: int
) -> list[Any]:
    values = values or {}
    lacking = [f"{pair!r}" for pair in pairs if pair not in values and pair[::-1] not in values]
    if lacking:
        raise ValueError(
            f"Expected a value for every edge, but graph {i} has none for {listing(lacking)}; "
            "give edges=None to leave edge values unread."
        )
    return [values[pair] if pair in values else values[pair[::-1]] for pair in pairs]


def _split(values: list[Any], kind: Values, i: int, owner: str) -> tuple[list[Any], list[Any]]:
    """Return labels and attribute rows."""
    if kind == "labels":
        return values, []
    if kind == "attributes":
        return [], [_row(value) for value in values]
    odd = [repr(value) for value in values if not isinstance(value, tuple) or len(value) != 2]
    if odd:
        raise ValueError(
            f"Expected every {owner} value to be a pair (label, vector), got {listing(odd)} in "
            f"graph {i}; say 'labels' or 'attributes' if it is one of the two."
        )
    return [label for label, _ in values], [_row(row) for _, row in values]


def _row(value: Any) -> Any:
    return [value] if np.ndim(value) == 0 else value


def to_grakel(
    graphs: GraphSet, *, nodes: Values = "labels", edges: Values | None = None
) -> list[list[Any]]:
    """Write graphs as GraKeL's kernels take them: lists [edges, node values, edge values].

    GraKeL itself is not needed.

    Parameters
    ----------
    graphs : GraphSet
    nodes : {"labels", "attributes", "both"}
        What to write as node values: labels, tuples of attributes, or pairs of both.
    edges : {"labels", "attributes", "both"} or None
        What to write as edge values.

    Returns
    -------
    list of [dict, dict, dict]
        Every edge is there in both directions, as the kernels expect.

    Examples
    --------
    >>> from aglets import GraphSet
    >>> GraphSet.from_lists(labels=["CO"], edges=[[(0, 1)]]).to_grakel()
    [[{(0, 1): 1.0, (1, 0): 1.0}, {0: 'C', 1: 'O'}, {}]]
    """
    if edges in ("labels", "both") and graphs.edge_labels is None:
        raise ValueError("Expected graphs with edge labels to write, but these have none.")
    if edges in ("attributes", "both") and graphs.edge_attributes is None:
        raise ValueError("Expected graphs with edge attributes to write, but these have none.")
    written = []
    for graph in graphs:
        pairs = [(u, v) for u, v in graph.edges.tolist()]
        both = pairs + [(v, u) for u, v in pairs]
        node_values = _joined(nodes, graph.labels, graph.attributes.tolist())
        edge_values: list[Any] = []
        if edges is not None:
            rows = [] if graph.edge_attributes is None else graph.edge_attributes.tolist()
            edge_values = _joined(edges, graph.edge_labels or [], rows)
        written.append(
            [
                dict.fromkeys(both, 1.0),
                dict(enumerate(node_values)),
                dict(zip(both, edge_values * 2, strict=bool(edge_values))),
            ]
        )
    return written


def _joined(kind: Values, labels: list[Any], rows: list[list[float]]) -> list[Any]:
    if kind == "labels":
        return labels
    vectors = [tuple(row) for row in rows]
    return vectors if kind == "attributes" else list(zip(labels, vectors, strict=True))
