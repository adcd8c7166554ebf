"""Labelled, attributed, undirected graphs: `GraphSet` holds many of them, `Graph` one.

A graph has nodes 0 to n - 1. Every node carries a *label* (any hashable value; only equal labels
match) and a row of *attributes* (numbers; they match by distance). Edges may carry both as well.
Labels are stored as codes into a vocabulary that is shared by the whole set and survives slicing,
so that parts of a data set agree on their codes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from aglets.drawing import html
from aglets.graphs import checks
from aglets.graphs import edges as edge_lists
from aglets.graphs._columns import GraphColumns, joined
from aglets.graphs._formats import Formats, read_objects
from aglets.graphs.arrays import Codes, Floats, Ints

if TYPE_CHECKING:
    from aglets import _core

__all__ = ["Graph", "GraphSet", "as_graph_set"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GraphSet(Formats, GraphColumns):
    """Many graphs as a few arrays; immutable, and indexed like a NumPy array.

    Build one with `GraphSet.from_lists` or a reader; the constructor takes finished columns.

    Parameters
    ----------
    node_offsets : ndarray of shape (n_graphs + 1,)
        Rows node_offsets[i] to node_offsets[i + 1] of `labels` and `attributes` are graph i.
    labels : ndarray of shape (n_nodes,)
        Codes into `vocabulary`; -1 is a label outside of it, which matches nothing.
    vocabulary : tuple of hashable
    attributes : ndarray of shape (n_nodes, n_attributes)
    edge_offsets : ndarray of shape (n_graphs + 1,)
    edges : ndarray of shape (n_edges, 2)
        Node positions within the graph, u < v, sorted in each graph, no repeats, no loops.
    edge_labels : ndarray of shape (n_edges,) or None
        Codes into `edge_vocabulary`.
    edge_vocabulary : tuple of hashable or None
    edge_attributes : ndarray of shape (n_edges, n_edge_attributes) or None
    attribute_names, edge_attribute_names : tuple of str or None
    rows : ndarray of shape (n_graphs,) or None
        Which row of its source (from 0) each graph came from, if a reader left rows out or might
        have: `y[graphs.rows]` are the targets of these graphs.
    ids, names, smiles : ndarray of str of shape (n_graphs,) or None
        What the source calls each graph, and the SMILES it was read from: pictures, explanations
        and predictions show them. Equality of sets does not look at them.
    recipe : str or None
        How a reader made labels and attributes, so that it can read further graphs alike.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(
    ...     labels=[["C", "C", "O"], ["C", "O"]],
    ...     edges=[[(0, 1), (1, 2)], [(0, 1)]],
    ...     attributes=[[[0.1], [0.2], [1.0]], [[0.0], [0.9]]],
    ... )
    >>> graphs
    GraphSet(2 graphs, on average 2.5 nodes and 1.5 edges, 2 labels, 1 attribute)
    >>> graphs[1].labels
    ['C', 'O']
    >>> len(graphs[[1, 0, 1]])
    3
    """

    @classmethod
    def from_lists(
        cls,
        labels: Sequence[Any],
        edges: Sequence[Any],
        attributes: Sequence[Any] | None = None,
        edge_labels: Sequence[Any] | None = None,
        edge_attributes: Sequence[Any] | None = None,
        *,
        attribute_names: Sequence[str] | None = None,
        edge_attribute_names: Sequence[str] | None = None,
    ) -> GraphSet:
        """Build a set from lists with one entry per graph.

        Parameters
        ----------
        labels : list of lists of hashable
            The label of every node; their number is the number of nodes.
        edges : list of lists of (int, int)
            Pairs of node positions, undirected. Repeated edges are merged, self-loops dropped with
            a warning.
        attributes : list of array-like of shape (n_nodes, n_attributes), optional
        edge_labels : list of lists of hashable, optional
            In the order of `edges`.
        edge_attributes : list of array-like of shape (n_edges, n_edge_attributes), optional
            In the order of `edges`.
        attribute_names, edge_attribute_names : sequence of str, optional

        Examples
        --------
        >>> GraphSet.from_lists(labels=["CCO"], edges=[[(0, 1), (1, 2)]], edge_labels=[["-", "="]])
        GraphSet(1 graph, on average 3.0 nodes and 2.0 edges, 2 labels, 0 attributes, 2 edge labels)
        """
        checks.check_one_entry_per_graph(
            labels=labels,
            edges=edges,
            attributes=attributes,
            edge_labels=edge_labels,
            edge_attributes=edge_attributes,
        )
        lists = checks.lists_per_graph(labels, "labels")
        n_nodes = np.array([len(entry) for entry in lists], dtype=np.int64)
        codes, vocabulary = checks.encode_lists(lists, "node")
        rows = np.empty((len(codes), 0))
        if attributes is not None:
            rows = checks.stack_rows(attributes, n_nodes, "attributes", "node")

        pairs, n_edges = edge_lists.stack_edges(edges)
        edge_graphs = np.repeat(np.arange(len(n_edges)), n_edges)
        edge_lists.check_edge_ends(pairs, edge_graphs, n_nodes)
        edge_codes, edge_vocabulary, edge_rows = None, None, None
        if edge_labels is not None:
            lists = checks.lists_per_graph(edge_labels, "edge_labels")
            edge_lists.check_one_label_each(lists, n_edges)
            edge_codes, edge_vocabulary = checks.encode_lists(lists, "edge")
        if edge_attributes is not None:
            edge_rows = checks.stack_rows(edge_attributes, n_edges, "edge_attributes", "edge")

        node_offsets = checks.offsets_of(n_nodes)
        edge_offsets, unique, edge_codes, edge_vocabulary, edge_rows = edge_lists.canonical_edges(
            node_offsets, edge_graphs, pairs, edge_codes, edge_vocabulary, edge_rows
        )
        return cls(
            node_offsets=node_offsets,
            labels=codes,
            vocabulary=vocabulary,
            attributes=rows,
            edge_offsets=edge_offsets,
            edges=unique,
            edge_labels=edge_codes,
            edge_vocabulary=edge_vocabulary,
            edge_attributes=edge_rows,
            attribute_names=None if attribute_names is None else tuple(attribute_names),
            edge_attribute_names=(
                None if edge_attribute_names is None else tuple(edge_attribute_names)
            ),
        )

    @staticmethod
    def concatenate(parts: Sequence[GraphSet]) -> GraphSet:
        """Join several sets into one, merging their vocabularies.

        Examples
        --------
        >>> one = GraphSet.from_lists(labels=["CO"], edges=[[(0, 1)]])
        >>> two = GraphSet.from_lists(labels=["CN"], edges=[[]])
        >>> GraphSet.concatenate([one, two]).vocabulary
        ('C', 'N', 'O')
        """
        if not len(parts):
            raise ValueError("Expected at least one GraphSet to concatenate, got none.")
        return GraphSet(**joined(parts))

    def with_attributes(
        self, attributes: npt.ArrayLike, names: Sequence[str] | None = None
    ) -> GraphSet:
        """Return the same graphs with another attribute matrix, of shape (n_nodes, d).

        Names are kept if none are given and the number of attributes stays the same.
        """
        matrix = checks.new_rows(attributes, self.node_offsets, "attributes", "node")
        kept = self.attribute_names if matrix.shape[1] == self.n_attributes else None
        names = kept if names is None else tuple(names)
        return replace(self, attributes=matrix, attribute_names=names, recipe=None)

    def with_edge_attributes(
        self, edge_attributes: npt.ArrayLike, names: Sequence[str] | None = None
    ) -> GraphSet:
        """Return the same graphs with another matrix of edge attributes, of shape (n_edges, d).

        Names are kept if none are given and the number of attributes stays the same.
        """
        matrix = checks.new_rows(edge_attributes, self.edge_offsets, "edge_attributes", "edge")
        kept = self.edge_attribute_names if matrix.shape[1] == self.n_edge_attributes else None
        names = kept if names is None else tuple(names)
        return replace(self, edge_attributes=matrix, edge_attribute_names=names, recipe=None)

    def with_identity(
        self,
        *,
        ids: Sequence[str | None] | None = None,
        names: Sequence[str | None] | None = None,
        smiles: Sequence[str | None] | None = None,
    ) -> GraphSet:
        """Return the same graphs with other ids, names or SMILES; what is not given stays.

        Examples
        --------
        >>> graphs = GraphSet.from_lists(labels=["CO"], edges=[[(0, 1)]])
        >>> graphs.with_identity(names=["methanol"])[0].name
        'methanol'
        """
        given: dict[str, Any] = {"ids": ids, "names": names, "smiles": smiles}
        return replace(self, **{name: value for name, value in given.items() if value is not None})

    @cached_property
    def core(self) -> _core.GraphSet:
        """The same graphs in the compiled core; made when first asked for."""
        from aglets import _core

        return _core.GraphSet(
            self.node_offsets,
            self.labels,
            self.attributes,
            self.edge_offsets,
            self.edges,
            self.edge_labels,
            self.edge_attributes,
        )

    @property
    def shape(self) -> tuple[int]:
        """(number of graphs,): with it scikit-learn's splitters slice a set as they do an array."""
        return (len(self),)

    def __iter__(self) -> Iterator[Graph]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, index: int | np.integer[Any]) -> Graph: ...
    @overload
    def __getitem__(self, index: Any) -> GraphSet: ...
    def __getitem__(self, index: Any) -> Graph | GraphSet:
        if isinstance(index, tuple) and len(index) == 2 and index[1] is Ellipsis:
            index = index[0]  # how scikit-learn's splitters take rows
        if isinstance(index, (int, np.integer)) and not isinstance(index, bool):
            i = int(index)
            if not -len(self) <= i < len(self):
                raise IndexError(f"Graph {i} was asked for, but the set has {len(self)} graphs.")
            i %= len(self)
            return Graph._of(self._neighbouring(i, i + 1))
        if isinstance(index, slice) and index.step in (None, 1):
            start, stop, _ = index.indices(len(self))
            return self._neighbouring(start, max(start, stop))
        return self._gathered(self._positions(index))

    def _positions(self, index: Any) -> Ints:
        """Turn what NumPy takes as an index of one axis into positions, with NumPy's checks."""
        array = index if isinstance(index, slice) else np.asarray(index)
        if isinstance(array, np.ndarray) and array.size == 0 and array.dtype.kind == "f":
            array = array.astype(np.int64)  # an empty list
        positions: Ints = np.arange(len(self))[array]
        if positions.ndim != 1:
            raise IndexError(
                "A GraphSet is indexed by a whole number, a slice, a list of positions "
                f"or a boolean mask, got {type(index).__name__} {index!r}."
            )
        return positions

    def __repr__(self) -> str:
        parts = [_counted(len(self), "graph")]
        if len(self):
            nodes, edges = self.n_nodes.mean(), self.n_edges.mean()
            parts.append(f"on average {nodes:.1f} nodes and {edges:.1f} edges")
        parts.append(_counted(len(self.vocabulary), "label"))
        parts.append(_counted(self.n_attributes, "attribute"))
        if self.edge_vocabulary is not None:
            parts.append(_counted(len(self.edge_vocabulary), "edge label"))
        if self.edge_attributes is not None:
            parts.append(_counted(self.n_edge_attributes, "edge attribute"))
        return f"GraphSet({', '.join(parts)})"

    def _repr_html_(self) -> str:
        return html.graph_set_page(self)


class Graph:
    """One labelled, attributed graph; what iterating over a `GraphSet` yields.

    Parameters
    ----------
    labels : sequence of hashable
        The label of every node.
    edges : sequence of (int, int)
        Pairs of node positions.
    attributes : array-like of shape (n_nodes, n_attributes), optional
    edge_labels : sequence of hashable, optional
        In the order of `edges`.
    edge_attributes : array-like of shape (n_edges, n_edge_attributes), optional
        In the order of `edges`.

    Examples
    --------
    >>> graph = Graph(labels="CCO", edges=[(1, 2), (0, 1)])
    >>> graph
    Graph(3 nodes, 2 edges)
    >>> graph.labels
    ['C', 'C', 'O']
    >>> graph.edges.tolist()
    [[0, 1], [1, 2]]
    """

    __slots__ = ("_set",)
    _set: GraphSet

    def __init__(
        self,
        labels: Sequence[Hashable],
        edges: Sequence[Any] | npt.NDArray[Any],
        attributes: npt.ArrayLike | None = None,
        edge_labels: Sequence[Hashable] | None = None,
        edge_attributes: npt.ArrayLike | None = None,
    ) -> None:
        self._set = GraphSet.from_lists(
            labels=[labels],
            edges=[edges],
            attributes=None if attributes is None else [attributes],
            edge_labels=None if edge_labels is None else [edge_labels],
            edge_attributes=None if edge_attributes is None else [edge_attributes],
        )

    @classmethod
    def _of(cls, one: GraphSet) -> Graph:
        graph = cls.__new__(cls)
        graph._set = one
        return graph

    @property
    def labels(self) -> list[Hashable]:
        """The label of every node; None where it lies outside the vocabulary."""
        return _decoded(self._set.labels, self._set.vocabulary)

    @property
    def attributes(self) -> Floats:
        """The attributes, of shape (n_nodes, n_attributes)."""
        return self._set.attributes

    @property
    def edges(self) -> Codes:
        """The edges, of shape (n_edges, 2): u < v, sorted."""
        return self._set.edges

    @property
    def edge_labels(self) -> list[Hashable] | None:
        """The label of every edge, if edges have labels."""
        if self._set.edge_labels is None or self._set.edge_vocabulary is None:
            return None
        return _decoded(self._set.edge_labels, self._set.edge_vocabulary)

    @property
    def edge_attributes(self) -> Floats | None:
        """The attributes of the edges, of shape (n_edges, n_edge_attributes), if they have any."""
        return self._set.edge_attributes

    @property
    def id(self) -> str | None:
        """Its id in the source, if a column was named for it."""
        return None if self._set.ids is None else self._set.ids[0]

    @property
    def name(self) -> str | None:
        """The name it has in the source."""
        return None if self._set.names is None else self._set.names[0]

    @property
    def smiles(self) -> str | None:
        """The SMILES it was read from."""
        return None if self._set.smiles is None else self._set.smiles[0]

    @property
    def attribute_names(self) -> Sequence[str] | None:
        """The names of the attributes, if they have any."""
        return self._set.attribute_names

    @property
    def is_labelled(self) -> bool:
        """Whether labels say anything: not if all nodes of its set have the same."""
        return len(self._set.vocabulary) > 1

    @property
    def recipe(self) -> str | None:
        """How a reader made it, as in ``GraphSet.recipe``."""
        return self._set.recipe

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self._set.labels)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self._set.edges)

    def __eq__(self, other: object) -> bool:
        return self._set == other._set if isinstance(other, Graph) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Graph({_counted(self.n_nodes, 'node')}, {_counted(self.n_edges, 'edge')})"

    def _repr_html_(self) -> str:
        return html.graph_page(self, self._set.attribute_names, self._set.edge_attribute_names)


def as_graph_set(X: Any, recipe: str | None = None) -> GraphSet:
    """Return X as a `GraphSet`: itself, or made from a list of graphs.

    Parameters
    ----------
    X : GraphSet, or list of Graph, SMILES, RDKit molecules, or graphs of another library
        Others' graphs are taken only where nothing has to be guessed; else an error says which
        reader to call.
    recipe : str, optional
        The `recipe` of other graphs, after which these are read alike.

    Examples
    --------
    >>> as_graph_set([Graph(labels="CO", edges=[(0, 1)])])
    GraphSet(1 graph, on average 2.0 nodes and 1.0 edges, 2 labels, 0 attributes)
    """
    if isinstance(X, GraphSet):
        return X
    if isinstance(X, Graph):
        raise TypeError("Expected a list of graphs, got a single Graph; put it in a list: [graph].")
    if hasattr(X, "to_numpy") and getattr(X, "ndim", 0) == 1:
        X = X.to_numpy()  # a column of a data frame
    if not is_list(X):
        raise TypeError(
            f"Expected a GraphSet or a list of graphs, got {type(X).__name__}; "
            "build a set with GraphSet.from_lists or another reader."
        )
    if not len(X):
        raise ValueError("Expected at least one graph, got an empty list.")
    if not any(isinstance(item, Graph) for item in X):
        return read_objects(X, recipe)
    faults = [
        f"{type(item).__name__} at position {i}"
        for i, item in enumerate(X)
        if not isinstance(item, Graph)
    ]
    if faults:
        raise TypeError(
            f"Expected a GraphSet or a list of Graph, got {checks.listing(faults)}; "
            "build a set with GraphSet.from_lists."
        )
    return GraphSet.concatenate([graph._set for graph in X])


def is_list(X: Any) -> bool:
    """Whether X is a list, an array or a column of a data frame."""
    column = hasattr(X, "to_numpy") and getattr(X, "ndim", 0) == 1
    return column or (isinstance(X, (Sequence, np.ndarray)) and not isinstance(X, (str, bytes)))


def _decoded(codes: Codes, vocabulary: Sequence[Hashable]) -> list[Hashable]:
    return [vocabulary[code] if code >= 0 else None for code in codes.tolist()]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
