"""Node-link JSON, the form networkx and D3 share, in both directions.

A graph is ``{"nodes": [{"id": 0, "label": "C"}, ...], "edges": [{"source": 0, "target": 1}, ...]}``
(or "links" for "edges"). A file holds one such graph, a list of them, a document
``{"graphs": [...]}``, or one graph per line (JSON lines, ``.jsonl``). What `to_json` writes says
which keys hold what, so that it can be read without naming them again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast, overload

from aglets.graphs import GraphSet
from aglets.graphs.checks import listing
from aglets.io._keyed import (
    ATTRIBUTES,
    LABEL,
    KeyedGraph,
    Keys,
    OneOrMore,
    graph_set,
    keyed_graphs,
    refuse,
    refuse_directed,
)
from aglets.io._opening import opened_text, parse_json, read_text, saying_where
from aglets.io._targets import (
    Targets,
    check_target_count,
    chosen_names,
    target_array,
    target_columns,
)
from aglets.io.registry import Format, ReadOptions, register_format
from aglets.writing import write_text

__all__ = ["from_json", "to_json"]

PathLike = str | os.PathLike[str]

#: Labels may be lists of lists; deeper ones are damage, and could not even be printed.
MAX_DEPTH = 20


@overload
def from_json(
    source: PathLike | Sequence[Any] | dict[str, Any],
    *,
    label: OneOrMore = ...,
    attributes: OneOrMore = ...,
    edge_label: OneOrMore = ...,
    edge_attributes: OneOrMore = ...,
    target: None = ...,
) -> GraphSet: ...
@overload
def from_json(
    source: PathLike | Sequence[Any] | dict[str, Any],
    *,
    label: OneOrMore = ...,
    attributes: OneOrMore = ...,
    edge_label: OneOrMore = ...,
    edge_attributes: OneOrMore = ...,
    target: str | Sequence[str],
) -> tuple[GraphSet, Targets]: ...
def from_json(
    source: PathLike | Sequence[Any] | dict[str, Any],
    *,
    label: OneOrMore = LABEL,
    attributes: OneOrMore = None,
    edge_label: OneOrMore = None,
    edge_attributes: OneOrMore = None,
    target: str | Sequence[str] | None = None,
) -> GraphSet | tuple[GraphSet, Targets]:
    """Read graphs from node-link JSON.

    Parameters
    ----------
    source : path, list or dict
        A file, or what it holds.
    label, attributes, edge_label, edge_attributes : str, sequence of str or None
        Keys to read, as in `from_networkx`. Left out, those that the file itself names.
    target : str or sequence of str, optional
        A key of the graph (or of its "graph" entry) that holds what is to be predicted. A sequence
        names several, also by patterns such as ``"NR-*"``, of which a graph may lack some.

    Returns
    -------
    graphs : GraphSet
    y : ndarray of shape (n_graphs,) or (n_graphs, n_targets)
        Only if `target` is given.

    Examples
    --------
    >>> from aglets import GraphSet
    >>> water = {
    ...     "nodes": [{"id": "O", "label": "O"}, {"id": "H", "label": "H"}],
    ...     "edges": [{"source": "O", "target": "H"}],
    ... }
    >>> GraphSet.from_json([water])[0].labels
    ['O', 'H']
    """
    keys = Keys.of(label, attributes, edge_label, edge_attributes)
    if isinstance(source, (str, os.PathLike)):
        with saying_where(source):
            return _read(source, keys, target)
    return _read(source, keys, target)


def _read(
    source: Any, keys: Keys, target: str | Sequence[str] | None
) -> GraphSet | tuple[GraphSet, Targets]:
    items, header = _opened(source)
    if header is not None and keys == Keys():
        keys = _keys_in(header)
    refuse(
        "node-link",
        [
            f"{type(item).__name__} without a list of 'nodes' at position {i}"
            for i, item in enumerate(items)
            if not isinstance(item, dict) or not isinstance(item.get("nodes"), list)
        ],
    )
    refuse_directed(
        [i for i, item in enumerate(items) if item.get("directed")],
        'give each edge once, and set "directed" to false',
    )
    graphs = graph_set(_keyed(items), keys)
    return graphs if target is None else (graphs, _targets(items, target))


def _keys_in(header: dict[str, Any]) -> Keys:
    """Take the keys that a document names for its graphs."""

    def fits(value: Any) -> bool:
        several = value if isinstance(value, (list, tuple)) else [value]
        return value is None or all(isinstance(key, str) for key in several)

    if not header.keys() <= asdict(Keys()).keys() or not all(map(fits, header.values())):
        raise ValueError(
            f"Expected 'keys' of the document to name some of {', '.join(asdict(Keys()))}, got "
            f"{str(header)[:200]}; name them yourself, or write the file again."
        )
    return Keys.of(**{"label": LABEL, **header})


def _opened(source: Any) -> tuple[list[Any], dict[str, Any] | None]:
    """Return the graphs, and the keys the source names for them."""
    document = source
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        if path.suffix in (".jsonl", ".ndjson"):
            return list(json_lines(path)), None
        document = parse_json(read_text(path), path.name)
    if isinstance(document, dict) and isinstance(document.get("graphs"), list):
        header = document.get("keys")
        return document["graphs"], header if isinstance(header, dict) else None
    if isinstance(document, dict):
        return [document], None
    if isinstance(document, Iterable) and not isinstance(document, str):
        return list(document), None
    raise TypeError(f"Expected node-link JSON to be a graph or a list of graphs, got {document!r}.")


def json_lines(path: Path) -> Iterator[Any]:
    """Yield what every line that is not blank holds."""
    with opened_text(path) as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield parse_json(line, f"line {number} of {path.name}")


def _keyed(items: list[dict[str, Any]]) -> Iterator[KeyedGraph]:
    for i, item in enumerate(items):
        nodes = [_frozen(node) for node in item["nodes"]]
        links = item.get("edges", item.get("links", []))
        if not isinstance(links, (list, tuple)):
            raise ValueError(
                f"Expected a list of edges in graph {i}, got {links!r}; write [] if there are none."
            )
        names = [node.get("id", j) for j, node in enumerate(nodes)]
        position = {_id(name, i): j for j, name in enumerate(names)}
        if len(position) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(
                f"Expected every node of a graph to have an id of its own, but {twice!r} came "
                f"twice in graph {i}; give them different ids."
            )
        edges, edge_data, faults = [], [], []
        for link in map(_frozen, links):
            ends = [_id(link.get(end), i) for end in ("source", "target")]
            if ends[0] in position and ends[1] in position:
                edges.append((position[ends[0]], position[ends[1]]))
                edge_data.append(link)
            else:
                faults.append(f"graph {i} has an edge from {ends[0]!r} to {ends[1]!r}")
        if faults:
            raise ValueError(
                "Expected 'source' and 'target' of every edge to be ids of nodes, but "
                f"{listing(faults)}; add the node or correct the edge."
            )
        yield KeyedGraph(nodes, edges, edge_data, names)


def _frozen(item: Any) -> dict[str, Any]:
    """Turn lists into tuples, for JSON has no others and a label must be hashable."""
    if not isinstance(item, dict):
        raise ValueError(
            f"Expected every node and edge of a node-link graph to be an object, got {item!r}."
        )
    return {key: _tuple(value) for key, value in item.items()}


def _id(value: Any, graph: int) -> Hashable:
    try:
        hash(value)
    except TypeError:
        raise ValueError(
            f"Expected ids of nodes to be numbers or strings, got {value!r} in graph {graph}."
        ) from None
    return cast(Hashable, value)


def _tuple(value: Any, depth: int = 0) -> Any:
    if not isinstance(value, list):
        return value
    if depth == MAX_DEPTH:
        raise ValueError(
            f"Expected lists of at most {MAX_DEPTH} levels as labels and attributes, got a deeper "
            "one; give such labels a name."
        )
    return tuple(_tuple(entry, depth + 1) for entry in value)


def _targets(items: list[dict[str, Any]], target: str | Sequence[str]) -> Targets:
    if not isinstance(target, str):
        records = [_values(item) for item in items]
        known = list(dict.fromkeys(name for record in records for name in record))
        return target_columns(records, chosen_names(target, known, "the graphs"), "the graphs")
    values, faults = [], []
    for i, item in enumerate(items):
        inner = item.get("graph")
        value = item.get(target, inner.get(target) if isinstance(inner, dict) else None)
        if value is None or isinstance(value, (list, dict)):
            faults.append(f"graph {i}")
        values.append(value)
    if faults:
        raise ValueError(
            f"Expected the target {target!r} in every graph, but not so in {listing(faults)}; "
            "add it, or leave those graphs out."
        )
    return target_array(values, "the graphs")


def _values(item: dict[str, Any]) -> dict[str, Any]:
    """Return what a graph says of itself, besides nodes and edges."""
    inner = item.get("graph")
    both = (inner if isinstance(inner, dict) else {}) | item
    return {name: v for name, v in both.items() if not isinstance(v, (list, dict, type(None)))}


def to_json(
    graphs: GraphSet, path: PathLike | None = None, *, y: Sequence[Any] | Targets | None = None
) -> dict[str, Any]:
    """Write graphs as node-link JSON, to a file if a path is given.

    Parameters
    ----------
    graphs : GraphSet
        Labels must be numbers, strings, None, or tuples of those.
    path : path, optional
        A name that ends in ``.jsonl`` gives one graph per line.
    y : sequence of shape (n_graphs,), optional
        Written as "y" of every graph.

    Returns
    -------
    dict
        The document.

    Examples
    --------
    >>> from aglets import GraphSet
    >>> graphs = GraphSet.from_lists(labels=["CO"], edges=[[(0, 1)]])
    >>> graphs.to_json(y=[1])["graphs"][0]["nodes"]
    [{'id': 0, 'label': 'C'}, {'id': 1, 'label': 'O'}]
    >>> GraphSet.from_json(graphs.to_json()) == graphs
    True
    """
    _check_labels(graphs)
    targets = None if y is None else check_target_count(y, len(graphs))
    keyed = keyed_graphs(
        graphs, label=LABEL, attributes=ATTRIBUTES, edge_label=LABEL, edge_attributes=ATTRIBUTES
    )
    items = [
        {
            "directed": False,
            "multigraph": False,
            "graph": {} if targets is None else {"y": targets[i]},
            "nodes": [{"id": j, **node} for j, node in enumerate(graph.nodes)],
            "edges": [
                {"source": u, "target": v, **data}
                for (u, v), data in zip(graph.edges, graph.edge_data, strict=True)
            ],
        }
        for i, graph in enumerate(keyed)
    ]
    document = {"format": "aglets-graphs", "keys": asdict(_keys_of(graphs)), "graphs": items}
    if path is not None:
        lines = Path(path).suffix in (".jsonl", ".ndjson")
        text = "\n".join(map(json.dumps, items)) if lines else json.dumps(document)
        write_text(path, text + "\n")
    return document


def _keys_of(graphs: GraphSet) -> Keys:
    names, edge_names = graphs.attribute_names, graphs.edge_attribute_names
    return Keys.of(
        LABEL,
        names or (ATTRIBUTES if graphs.n_attributes else None),
        None if graphs.edge_labels is None else LABEL,
        edge_names or (ATTRIBUTES if graphs.n_edge_attributes else None),
    )


def _check_labels(graphs: GraphSet) -> None:
    def plain(value: Any) -> bool:
        if isinstance(value, tuple):
            return all(map(plain, value))
        return value is None or isinstance(value, (bool, int, float, str))

    values = [*graphs.vocabulary, *(graphs.edge_vocabulary or ())]
    odd = [f"{value!r} ({type(value).__name__})" for value in values if not plain(value)]
    if odd:
        raise TypeError(
            "Labels in JSON must be numbers, strings, None or tuples of those, "
            f"got {listing(odd)}; give these nodes or edges other labels."
        )


def _read_file(path: Path, options: ReadOptions) -> Any:
    read: Any = from_json  # whether y comes, too, depends on the target
    return read(path, target=options.target, **options.keys)


def _write_file(graphs: GraphSet, path: Path, y: Targets | None) -> None:
    to_json(graphs, path, y=y)


_OPTIONS = ("target", "label", "attributes", "edge_label", "edge_attributes")
register_format(Format("json", (".json",), _read_file, _OPTIONS, _write_file))
register_format(Format("jsonl", (".jsonl", ".ndjson"), _read_file, _OPTIONS, _write_file))
