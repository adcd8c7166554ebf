"""Small HTML tables for notebooks; every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


def escaped(value: Any) -> str:
    """Return a value as text that is safe in HTML.

    Examples
    --------
    >>> escaped("<C>")
    '&lt;C&gt;'
    """
    return escape(f"{value:.4g}" if isinstance(value, float) else str(value))


def table(head: Sequence[Any] | None, rows: Iterable[Sequence[Any]]) -> str:
    """Write a table; without a head, the first cell of every row is one.

    Examples
    --------
    >>> table(["a"], [[1]])
    '<table><tr><th>a</th></tr><tr><td>1</td></tr></table>'
    """
    lines = []
    if head is not None:
        lines.append("".join(f"<th>{escaped(cell)}</th>" for cell in head))
    for row in rows:
        cells = [f"<td style='text-align:left'>{escaped(cell)}</td>" for cell in row]
        if head is None:
            cells[0] = f"<th style='text-align:left'>{escaped(row[0])}</th>"
        else:
            cells = [f"<td>{escaped(cell)}</td>" for cell in row]
        lines.append("".join(cells))
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def details(summary: str, body: str) -> str:
    """Write what is shown at first, and what a click opens."""
    return f"<details><summary>{escaped(summary)}</summary>{body}</details>"


def graph_set_page(graphs: Any, n_shown: int = 5) -> str:
    """Write what a `GraphSet` holds, and its first graphs."""
    facts = [("labels", _preview(graphs.vocabulary))]
    if graphs.n_attributes:
        facts.append(("attributes", _preview(graphs.attribute_names or ["unnamed"])))
    if graphs.edge_vocabulary is not None:
        facts.append(("edge labels", _preview(graphs.edge_vocabulary)))
    if graphs.n_edge_attributes:
        facts.append(("edge attributes", _preview(graphs.edge_attribute_names or ["unnamed"])))
    first = [
        (f"graph {i}", f"{graph.n_nodes} nodes, {graph.n_edges} edges", _preview(graph.labels))
        for i, graph in enumerate(graphs[:n_shown])
    ]
    return (
        f"<p>{escaped(repr(graphs))}</p>{table(None, facts)}"
        f"{details('first graphs', table(None, first))}"
    )


def graph_page(
    graph: Any, names: Sequence[str] | None = None, edge_names: Sequence[str] | None = None
) -> str:
    """Write nodes and edges of a `Graph` or a `Graphlet` with their attributes."""
    edges = graph.edges.tolist()
    nodes_table = _parts("node", range(len(graph.labels)), graph.labels, graph.attributes, names)
    edges_table = _parts(
        "edge",
        [f"{u} - {v}" for u, v in edges],
        graph.edge_labels or [""] * len(edges),
        graph.edge_attributes,
        edge_names,
    )
    return (
        f"<p>{escaped(repr(graph))}</p>"
        f"{details('nodes', nodes_table)}{details('edges', edges_table)}"
    )


def _parts(
    what: str, keys: Sequence[Any], labels: Sequence[Any], rows: Any, names: Sequence[str] | None
) -> str:
    width = 0 if rows is None else rows.shape[1]
    head = [what, "label", *(names or [f"attribute {j}" for j in range(width)])]
    values = [[]] * len(labels) if rows is None else rows.tolist()
    return table(head, ([k, v, *row] for k, v, row in zip(keys, labels, values, strict=True)))


def _preview(values: Sequence[Any], limit: int = 12) -> str:
    shown = ", ".join(str(value) for value in values[:limit])
    return shown if len(values) <= limit else f"{shown}, ..."
