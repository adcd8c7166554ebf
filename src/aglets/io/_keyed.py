"""Graphs whose nodes and edges carry dictionaries, as in networkx, igraph and node-link JSON.

A reader names the *keys* it wants: one (or several) for the label, any number for attributes. A key
may hold a number or a vector of numbers. Nothing is taken that was not named, and a node that lacks
a named key is an error. Writers put every named attribute under its name, and attributes without
names under one key as a vector.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats
from aglets.graphs.checks import capitalised, listing

#: The key of the label, and the one under which attributes without names are one vector.
LABEL, ATTRIBUTES = "label", "attributes"

OneOrMore = str | Sequence[str] | None
Items = Sequence[Mapping[str, Any]]


class KeyedGraph(NamedTuple):
    """One graph: dictionaries of nodes, pairs of node positions, dictionaries of edges.

    `names` are what the source calls its nodes, for messages.
    """

    nodes: Items
    edges: Sequence[tuple[int, int]]
    edge_data: Items
    names: Sequence[Any]


@dataclass(frozen=True)
class Keys:
    """The keys of labels and attributes; None or () where there are none."""

    label: str | tuple[str, ...] | None = LABEL
    attributes: tuple[str, ...] = ()
    edge_label: str | tuple[str, ...] | None = None
    edge_attributes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        label: OneOrMore,
        attributes: OneOrMore = None,
        edge_label: OneOrMore = None,
        edge_attributes: OneOrMore = None,
    ) -> Keys:
        """Take the options as users write them: one key, several, or None."""
        return cls(
            label if label is None or isinstance(label, str) else tuple(label),
            _several(attributes),
            edge_label if edge_label is None or isinstance(edge_label, str) else tuple(edge_label),
            _several(edge_attributes),
        )

    @property
    def recipe(self) -> str:
        """The keys as text, to be kept with the graphs."""
        return json.dumps({"keys": asdict(self)})


def keys_for(keys: Keys, nodes: Iterable[Items]) -> Keys:
    """Return the keys for graphs whose nodes may carry no labels, as those of a generator.

    Where the key of labels was not chosen, and no node has it, nor anything else that was not named
    as an attribute, all nodes get one label.
    """
    if keys.label != LABEL:
        return keys
    found = {key for items in nodes for item in items for key in item}
    return keys if found - set(keys.attributes) else replace(keys, label=None)


def _several(keys: OneOrMore) -> tuple[str, ...]:
    return () if keys is None else (keys,) if isinstance(keys, str) else tuple(keys)


def check_list(graphs: Any, kind: str, is_one: bool) -> None:
    """Raise unless graphs is a list of graphs, rather than one graph of this kind."""
    if is_one:
        raise TypeError(
            f"Expected a list of {kind} graphs, got a single one; put it in a list: [graph]."
        )
    if isinstance(graphs, (str, bytes, Mapping)) or not isinstance(graphs, Iterable):
        raise TypeError(f"Expected a list of {kind} graphs, got {type(graphs).__name__}.")


def refuse(kind: str, faults: Sequence[str]) -> None:
    """Raise if some entries of a list are not graphs of this kind."""
    if faults:
        raise TypeError(f"Expected a list of {kind} graphs, got {listing(faults)}.")


def refuse_directed(directed: Sequence[int], remedy: str) -> None:
    """Raise if some graphs are directed."""
    if directed:
        named = listing([f"graph {i}" for i in directed])
        are = "is" if len(directed) == 1 else "are"
        raise ValueError(f"Expected undirected graphs, but {named} {are} directed; {remedy}.")


def graph_set(keyed: Iterable[KeyedGraph], keys: Keys) -> GraphSet:
    """Read the named keys of all graphs."""
    nodes = _Columns("node", keys.label, keys.attributes)
    edges = _Columns("edge", keys.edge_label, keys.edge_attributes)
    pairs = []
    for graph in keyed:
        nodes.add(graph.nodes, lambda j, names=graph.names: repr(names[j]))
        edges.add(
            graph.edge_data,
            lambda j, g=graph: f"({g.names[g.edges[j][0]]!r}, {g.names[g.edges[j][1]]!r})",
        )
        pairs.append(graph.edges)
    nodes.check()
    edges.check()
    graphs = GraphSet.from_lists(
        labels=nodes.labels,
        edges=pairs,
        attributes=nodes.rows if keys.attributes else None,
        edge_labels=None if keys.edge_label is None else edges.labels,
        edge_attributes=edges.rows if keys.edge_attributes else None,
        attribute_names=nodes.names(),
        edge_attribute_names=edges.names(),
    )
    return replace(graphs, recipe=keys.recipe)


class _Columns:
    """Collects labels and attributes of all nodes, or of all edges, and every fault on the way."""

    def __init__(
        self, owner: str, label: str | tuple[str, ...] | None, attributes: tuple[str, ...]
    ) -> None:
        self.owner, self.label, self.attributes = owner, label, attributes
        self.labels: list[list[Any]] = []
        self.rows: list[Floats] = []
        self.widths: dict[str, int] = {}
        self.lacking: list[str] = []
        self.odd: list[str] = []

    def add(self, items: Items, name: Any) -> None:
        """Take one graph; `name` turns a position into what the source calls that item."""
        if self.label is None:
            self.labels.append([0] * len(items))
        elif isinstance(self.label, str):
            self.labels.append(self._values(self.label, items, name))
        else:
            columns = [self._values(key, items, name) for key in self.label]
            self.labels.append(list(zip(*columns, strict=False)))
        blocks = [self._block(key, items, name) for key in self.attributes]
        self.rows.append(np.concatenate(blocks, axis=1) if blocks else np.empty((len(items), 0)))

    def _values(self, key: str, items: Items, name: Any) -> list[Any]:
        lacking = [j for j, item in enumerate(items) if key not in item]
        for j in lacking[:5]:
            has = listing([repr(known) for known in items[j]]) if items[j] else "nothing"
            self.lacking.append(
                f"{self.owner} {name(j)} of graph {len(self.rows)} lacks {key!r} (it has {has})"
            )
        return [] if lacking else [item[key] for item in items]

    def _block(self, key: str, items: Items, name: Any) -> Floats:
        values = self._values(key, items, name)
        nothing: Floats = np.empty((len(items), 0))
        if not values:
            return nothing
        matrix = _matrix(values)
        if matrix is not None and self.widths.setdefault(key, matrix.shape[1]) == matrix.shape[1]:
            return matrix
        for j, value in enumerate(values):
            one = _matrix([value])
            if one is None or self.widths.setdefault(key, one.shape[1]) != one.shape[1]:
                where = f"{self.owner} {name(j)} of graph {len(self.rows)}"
                self.odd.append(f"{value!r} under {key!r} at {where}")
                break
        return nothing

    def check(self) -> None:
        """Raise with all that was missing or odd."""
        prefix = "" if self.owner == "node" else "edge_"
        if self.lacking:
            raise ValueError(
                f"{capitalised(listing(self.lacking))}; name the keys to read with "
                f"{prefix}label=... and {prefix}attributes=[...], or give {prefix}label=None "
                "if there are no labels."
            )
        if self.odd:
            raise ValueError(
                "Expected every attribute to be a number, or a vector of one length, got "
                f"{listing(self.odd)}; leave that key out of {prefix}attributes, or read it as "
                f"{prefix}label."
            )

    def names(self) -> list[str] | None:
        """Name the columns after their keys, the parts of a vector with [0], [1], ..."""
        if not self.widths or self.attributes == (ATTRIBUTES,):
            return None
        return [
            key if self.widths[key] == 1 else f"{key}[{j}]"
            for key in self.attributes
            for j in range(self.widths[key])
        ]


def _matrix(values: list[Any]) -> Floats | None:
    """Return numbers as a column and vectors as rows, or None if they are neither."""
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError):
        return None
    if array.dtype.kind not in "buif" or array.ndim not in (1, 2):
        return None
    return array.astype(np.float64).reshape(len(array), -1)


def keyed_graphs(
    graphs: GraphSet, *, label: str, attributes: str, edge_label: str, edge_attributes: str
) -> Iterator[KeyedGraph]:
    """Write every graph as dictionaries of plain Python values.

    Named attributes go under their names; without names, all as one vector under `attributes`.
    """
    node = _Writer(label, attributes, graphs.attribute_names)
    edge = _Writer(edge_label, edge_attributes, graphs.edge_attribute_names)
    for graph in graphs:
        yield KeyedGraph(
            nodes=node.dictionaries(graph.labels, graph.attributes, graph.n_nodes),
            edges=[(u, v) for u, v in graph.edges.tolist()],
            edge_data=edge.dictionaries(graph.edge_labels, graph.edge_attributes, graph.n_edges),
            names=range(graph.n_nodes),
        )


class _Writer:
    """Writes labels and attributes of nodes, or of edges."""

    def __init__(self, label: str, attributes: str, names: tuple[str, ...] | None) -> None:
        self.label, self.attributes, self.names = label, attributes, names
        if label in ((attributes,) if names is None else names):
            raise ValueError(
                f"The key {label!r} is meant for the label, but an attribute has it, too; "
                "write the label under another key."
            )

    def dictionaries(
        self, labels: Sequence[Any] | None, rows: Floats | None, count: int
    ) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = [{} for _ in range(count)]
        if labels is not None:
            for item, label in zip(items, labels, strict=True):
                item[self.label] = label
        if rows is not None and rows.shape[1]:
            for item, row in zip(items, rows.tolist(), strict=True):
                if self.names is None:
                    item[self.attributes] = row
                else:
                    item.update(zip(self.names, row, strict=True))
        return items
