"""The columns of a set of graphs, and how rows of them are taken, joined, compared and pickled.

This is the storage beneath `aglets.graphs.graph_set.GraphSet`; users meet only that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from aglets.graphs.arrays import Codes, Floats, Ints, Texts
from aglets.graphs.checks import Vocabulary, capitalised, encode, listing, offsets_of, vocabulary_of

if TYPE_CHECKING:
    from typing_extensions import Self

_DTYPES: dict[str, npt.DTypeLike] = {
    "node_offsets": np.int64,
    "labels": np.int32,
    "attributes": np.float64,
    "edge_offsets": np.int64,
    "edges": np.int32,
    "edge_labels": np.int32,
    "edge_attributes": np.float64,
}
#: What the source called each graph.
_IDENTITY = ("ids", "names", "smiles")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GraphColumns:
    """Read-only arrays that hold many graphs; see `GraphSet` for what each one is."""

    node_offsets: Ints
    labels: Codes
    vocabulary: Vocabulary
    attributes: Floats
    edge_offsets: Ints
    edges: Codes
    edge_labels: Codes | None = None
    edge_vocabulary: Vocabulary | None = None
    edge_attributes: Floats | None = None
    attribute_names: tuple[str, ...] | None = None
    edge_attribute_names: tuple[str, ...] | None = None
    rows: Ints | None = None
    ids: Texts | None = None
    names: Texts | None = None
    smiles: Texts | None = None
    recipe: str | None = None

    def __post_init__(self) -> None:
        for name, dtype in _DTYPES.items():
            value = getattr(self, name)
            if value is not None:
                # A view, so that the caller's own array does not become read-only.
                array = np.ascontiguousarray(value, dtype=dtype).view()
                array.flags.writeable = False
                object.__setattr__(self, name, array)
        if self.rows is not None:
            rows = np.ascontiguousarray(self.rows, dtype=np.int64).view()
            rows.flags.writeable = False
            object.__setattr__(self, "rows", rows)
        for name in _IDENTITY:
            self._check_texts(name)
        self._check_names("attribute_names", self.n_attributes)
        self._check_names("edge_attribute_names", self.n_edge_attributes)

    def _check_texts(self, column: str) -> None:
        given = getattr(self, column)
        if given is None:
            return
        if len(given) != len(self):
            raise ValueError(
                f"Expected one of the {column} per graph, that is {len(self)}, got {len(given)}."
            )
        if isinstance(given, np.ndarray) and given.dtype == object:
            texts = given.view()  # from another set, where it was checked
        else:
            texts = np.empty(len(self), dtype=object)
            texts[:] = [None if value is None else str(value) for value in given]
        texts.flags.writeable = False
        object.__setattr__(self, column, texts)

    def _check_names(self, column: str, width: int) -> None:
        names = getattr(self, column)
        if names is None:
            return
        object.__setattr__(self, column, tuple(names))
        if len(names) != width:
            raise ValueError(
                f"Expected {width} {column}, one per attribute, got {len(names)}: {tuple(names)}."
            )

    def __len__(self) -> int:
        return len(self.node_offsets) - 1

    @property
    def n_nodes(self) -> Ints:
        """Number of nodes of every graph."""
        return np.diff(self.node_offsets)

    @property
    def n_edges(self) -> Ints:
        """Number of edges of every graph."""
        return np.diff(self.edge_offsets)

    @property
    def ends(self) -> Ints:
        """The two nodes of every edge, numbered through all graphs.

        Examples
        --------
        >>> from aglets import GraphSet
        >>> GraphSet.from_lists(labels=["CO", "CN"], edges=[[(0, 1)], [(0, 1)]]).ends.tolist()
        [[0, 1], [2, 3]]
        """
        return self.edges + np.repeat(self.node_offsets[:-1], self.n_edges)[:, None]

    @property
    def n_attributes(self) -> int:
        """Number of attributes of a node."""
        return int(self.attributes.shape[1])

    @property
    def n_edge_attributes(self) -> int:
        """Number of attributes of an edge; 0 if edges have none."""
        return 0 if self.edge_attributes is None else int(self.edge_attributes.shape[1])

    def with_vocabulary(
        self, vocabulary: Vocabulary, edge_vocabulary: Vocabulary | None = None
    ) -> Self:
        """Express the labels in another vocabulary; a value it lacks becomes -1.

        Examples
        --------
        >>> from aglets import GraphSet
        >>> graphs = GraphSet.from_lists(labels=[["C", "Br"]], edges=[[(0, 1)]])
        >>> graphs.with_vocabulary(("C", "N", "O")).labels
        array([ 0, -1], dtype=int32)
        """
        changes: dict[str, Any] = {}
        if vocabulary != self.vocabulary:
            changes["vocabulary"] = tuple(vocabulary)
            changes["labels"] = _recoded(self.labels, self.vocabulary, vocabulary)
        if (
            edge_vocabulary is not None
            and self.edge_labels is not None
            and self.edge_vocabulary is not None
            and edge_vocabulary != self.edge_vocabulary
        ):
            changes["edge_vocabulary"] = tuple(edge_vocabulary)
            changes["edge_labels"] = _recoded(
                self.edge_labels, self.edge_vocabulary, edge_vocabulary
            )
        return replace(self, **changes) if changes else self

    def with_edges_where(self, kept: npt.NDArray[np.bool_]) -> Self:
        """Return the same graphs with some of their edges only.

        Parameters
        ----------
        kept : ndarray of bool of shape (n_edges,)
            Over the edges of all graphs.

        Examples
        --------
        >>> from aglets import GraphSet
        >>> graphs = GraphSet.from_lists(labels=["CCO", "CN"], edges=[[(0, 1), (1, 2)], [(0, 1)]])
        >>> graphs.with_edges_where(np.array([False, True, True])).n_edges
        array([1, 1])
        """
        edge_offsets = offsets_of(kept.astype(np.int64))[self.edge_offsets]
        return self._taken(
            self.node_offsets, edge_offsets, slice(None), np.flatnonzero(kept), slice(None)
        )

    def _neighbouring(self, start: int, stop: int) -> Self:
        """Take graphs start to stop - 1 as views."""
        node_offsets = self.node_offsets[start : stop + 1]
        edge_offsets = self.edge_offsets[start : stop + 1]
        nodes = slice(node_offsets[0], node_offsets[-1])
        edges = slice(edge_offsets[0], edge_offsets[-1])
        return self._taken(
            node_offsets - nodes.start,
            edge_offsets - edges.start,
            nodes,
            edges,
            slice(start, stop),
        )

    def _gathered(self, positions: Ints) -> Self:
        """Take graphs in any order, as copies."""
        return self._taken(
            offsets_of(self.n_nodes[positions]),
            offsets_of(self.n_edges[positions]),
            _rows_of(self.node_offsets, positions),
            _rows_of(self.edge_offsets, positions),
            positions,
        )

    def _taken(
        self,
        node_offsets: Ints,
        edge_offsets: Ints,
        nodes: slice | Ints,
        edges: slice | Ints,
        graphs: slice | Ints,
    ) -> Self:
        per_graph: dict[str, Any] = {name: getattr(self, name) for name in ("rows", *_IDENTITY)}
        for name, column in per_graph.items():
            per_graph[name] = None if column is None else column[graphs]
        return replace(
            self,
            **per_graph,
            node_offsets=node_offsets,
            edge_offsets=edge_offsets,
            labels=self.labels[nodes],
            attributes=self.attributes[nodes],
            edges=self.edges[edges],
            edge_labels=None if self.edge_labels is None else self.edge_labels[edges],
            edge_attributes=None if self.edge_attributes is None else self.edge_attributes[edges],
        )

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same graphs in the same order, whatever vocabulary or source."""
        if not isinstance(other, GraphColumns):
            return NotImplemented
        vocabulary = _merged([self.vocabulary, other.vocabulary])
        edge_vocabulary = _merged([self.edge_vocabulary or (), other.edge_vocabulary or ()])
        mine = self.with_vocabulary(vocabulary, edge_vocabulary)
        theirs = other.with_vocabulary(vocabulary, edge_vocabulary)
        return (
            mine.attribute_names == theirs.attribute_names
            and mine.edge_attribute_names == theirs.edge_attribute_names
            and all(_equal(getattr(mine, name), getattr(theirs, name)) for name in _DTYPES)
        )

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        # Fields only: what is cached with them (the core's copy) is made again when needed.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.__post_init__()  # NumPy does not pickle that an array is read-only


def joined(parts: Sequence[GraphColumns]) -> dict[str, Any]:
    """Return the columns of all parts behind each other, labels in one merged vocabulary."""
    _check_alike(parts, "attributes", [part.n_attributes for part in parts])
    _check_alike(parts, "edge attributes", [part.n_edge_attributes for part in parts])
    _check_alike(
        parts, "edge labels", ["none" if part.edge_labels is None else "some" for part in parts]
    )
    vocabulary = _merged([part.vocabulary for part in parts])
    edge_vocabulary = _merged([part.edge_vocabulary or () for part in parts])
    parts = [part.with_vocabulary(vocabulary, edge_vocabulary) for part in parts]

    def stacked(name: str) -> Any:
        pieces = [getattr(part, name) for part in parts]
        return None if any(piece is None for piece in pieces) else np.concatenate(pieces)

    return {
        "node_offsets": offsets_of(np.concatenate([part.n_nodes for part in parts])),
        "edge_offsets": offsets_of(np.concatenate([part.n_edges for part in parts])),
        "vocabulary": vocabulary,
        "edge_vocabulary": None if parts[0].edge_labels is None else edge_vocabulary,
        "attribute_names": _common_names(parts, "attribute_names"),
        "edge_attribute_names": _common_names(parts, "edge_attribute_names"),
        "recipe": parts[0].recipe if len({part.recipe for part in parts}) == 1 else None,
        **{
            name: stacked(name)
            for name in (
                *("labels", "attributes", "edges", "edge_labels", "edge_attributes"),
                *_IDENTITY,
            )
        },
    }


def _check_alike(parts: Sequence[GraphColumns], what: str, values: Sequence[Any]) -> None:
    first, starts = values[0], offsets_of([len(part) for part in parts])
    faults = [
        f"graph {start} has {value} {what}"
        for start, value in zip(starts, values, strict=False)
        if value != first
    ]
    if faults:
        raise ValueError(
            f"{capitalised(listing(faults))}, but graph 0 has {first}; "
            "graphs in one set need the same kind of attributes and labels."
        )


def _common_names(parts: Sequence[GraphColumns], column: str) -> tuple[str, ...] | None:
    """Return the names all named parts agree on; a part without names follows the others."""
    named = list(dict.fromkeys(getattr(part, column) for part in parts if getattr(part, column)))
    if len(named) > 1:
        raise ValueError(
            f"Expected the same {column} in every part, got {listing([repr(n) for n in named])}; "
            "rename or reorder the columns first."
        )
    return named[0] if named else None


def _merged(vocabularies: Sequence[Vocabulary]) -> Vocabulary:
    distinct = list(dict.fromkeys(vocabularies))
    return distinct[0] if len(distinct) == 1 else vocabulary_of(chain.from_iterable(distinct))


def _recoded(codes: Codes, old: Vocabulary, new: Vocabulary) -> Codes:
    # The -1 at the end is where the code -1 looks.
    return np.append(encode(old, new), np.int32(-1))[codes]


def _rows_of(offsets: Ints, positions: Ints) -> Ints:
    """Return the rows of the graphs at these positions, one graph after the other."""
    counts = np.diff(offsets)[positions]
    shift = offsets[positions] - offsets_of(counts)[:-1]
    rows: Ints = np.arange(counts.sum()) + np.repeat(shift, counts)
    return rows


def _equal(a: npt.NDArray[Any] | None, b: npt.NDArray[Any] | None) -> bool:
    if a is None or b is None:
        return a is b
    return bool(np.array_equal(a, b))
