"""Attributed graphlets, and how well graphs contain them.

A `Graphlet` is a small connected labelled graph with a vector of attributes per node. Its score in
a graph, AGIS, is psi = exp(-rho D), where D is the minimum sum of squared attribute distances over
all injections of its nodes into the graph's that keep labels and edges, and psi = 0 if there is
none. Injections are not induced: the graph may have further edges between the matched nodes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from aglets import _core
from aglets.drawing import html
from aglets.graphlets.residue import without_residue
from aglets.graphs import Graph, GraphSet, as_graph_set
from aglets.graphs.arrays import Codes, Floats
from aglets.graphs.threads import n_threads

__all__ = ["Graphlet", "agis"]

#: Sets of a graphlet's nodes are machine words in the core.
LARGEST_GRAPHLET = 64


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Graphlet:
    """A connected labelled graph with attributes per node, and its weight in a model.

    Parameters
    ----------
    labels : sequence of hashable
        The label of every node.
    edges : array-like of shape (n_edges, 2)
        Pairs of node positions.
    attributes : array-like of shape (n_nodes, n_attributes), optional
    edge_labels : sequence of hashable, optional
        In the order of `edges`.
    edge_attributes : array-like of shape (n_edges, n_edge_attributes), optional
        In the order of `edges`.
    coef : float, optional
        beta, the graphlet's weight in a model.

    Examples
    --------
    >>> Graphlet(labels=["C", "O"], edges=[(0, 1)], attributes=[[0.1], [0.9]])
    Graphlet(C-O)
    """

    labels: tuple[Hashable, ...]
    edges: Codes
    attributes: Floats
    edge_labels: tuple[Hashable, ...] | None
    edge_attributes: Floats | None
    coef: float | None

    def __init__(
        self,
        labels: Sequence[Hashable],
        edges: npt.ArrayLike,
        attributes: npt.ArrayLike | None = None,
        edge_labels: Sequence[Hashable] | None = None,
        edge_attributes: npt.ArrayLike | None = None,
        coef: float | None = None,
    ) -> None:
        labels = tuple(labels)
        for label in labels:
            if not isinstance(label, Hashable):
                raise TypeError(
                    f"Labels must be hashable (numbers, strings, tuples), but a graphlet has "
                    f"{label!r} ({type(label).__name__})."
                )
        pairs = _edge_array(edges)
        rows = _rows(attributes, len(labels), "attributes", "node")
        edge_rows = (
            None
            if edge_attributes is None
            else _rows(edge_attributes, len(pairs), "edge_attributes", "edge")
        )
        if edge_labels is not None and len(edge_labels) != len(pairs):
            raise ValueError(
                f"Expected one edge label per edge of the graphlet, that is {len(pairs)}. "
                f"Got {len(edge_labels)} instead."
            )
        _check_structure(len(labels), pairs)
        for name, value in {
            "labels": labels,
            "edges": pairs,
            "attributes": rows,
            "edge_labels": None if edge_labels is None else tuple(edge_labels),
            "edge_attributes": edge_rows,
            "coef": None if coef is None else float(coef),
        }.items():
            object.__setattr__(self, name, value)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.labels)

    @cached_property
    def pattern(self) -> Graph:
        """The labelled graph without its attributes: L(H) in the paper."""
        return Graph(self.labels, self.edges, edge_labels=self.edge_labels)

    @property
    def name(self) -> str:
        """A short name from labels and edges, such as C-C-O or C1-C-C-1 for a ring.

        Examples
        --------
        >>> Graphlet(labels="CCO", edges=[(0, 1), (1, 2), (0, 2)]).name
        'C1-C-O-1'
        >>> Graphlet(labels="CNO", edges=[(0, 1), (0, 2)]).name
        'C(-N)-O'
        """
        from aglets.graphlets.names import pattern_name

        return pattern_name(self.labels, self.edges, self.edge_labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graphlet):
            return NotImplemented
        same_edges = (self.edge_attributes is None) == (other.edge_attributes is None)
        return (
            self.labels == other.labels
            and self.edge_labels == other.edge_labels
            and self.coef == other.coef
            and np.array_equal(self.edges, other.edges)
            and np.array_equal(self.attributes, other.attributes)
            and same_edges
            and (
                self.edge_attributes is None
                or np.array_equal(self.edge_attributes, other.edge_attributes)  # type: ignore[arg-type]
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        weight = "" if self.coef is None else f", coef={self.coef:+.4g}"
        return f"Graphlet({self.name}{weight})"

    def _repr_html_(self) -> str:
        from aglets.drawing.svg import graph_svg

        picture = graph_svg(self.labels, self.edges, self.edge_labels)
        edges = self.edge_attributes
        shown = replace(
            self,
            attributes=without_residue(self.attributes),
            edge_attributes=None if edges is None else without_residue(edges),
        )
        return picture + html.graph_page(shown)


class Embeddings(Sequence[list["Codes | None"]]):
    """Best embeddings, by graph and then by graphlet: a sequence that is written out on demand.

    `embeddings[i][j]` is the node of graph i for each node of graphlet j, or None where graph i
    does not hold it.
    """

    def __init__(self, nodes: Codes, sizes: Sequence[int], n_graphs: int) -> None:
        ends = np.cumsum([size * n_graphs for size in sizes], dtype=np.int64)
        self._n_graphs = n_graphs
        self._blocks = [
            nodes[end - size * n_graphs : end].reshape(n_graphs, size)
            for end, size in zip(ends.tolist(), sizes, strict=True)
        ]

    def __len__(self) -> int:
        return self._n_graphs

    @overload
    def __getitem__(self, index: int) -> list[Codes | None]: ...
    @overload
    def __getitem__(self, index: slice) -> list[list[Codes | None]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"Graph {index} was asked for, but there are {len(self)}.")
        rows = [block[index] for block in self._blocks]
        return [None if row[0] < 0 else row for row in rows]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(
            len(ours) == len(theirs) and all(map(_same_nodes, ours, theirs))
            for ours, theirs in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Embeddings({len(self)} graphs, {len(self._blocks)} graphlets)"


@overload
def agis(
    graphs: Any,
    graphlets: Sequence[Graphlet],
    rho: float | Floats,
    *,
    return_embeddings: Literal[False] = False,
    n_jobs: int | None = 1,
    max_seconds: float | None = None,
) -> Floats: ...
@overload
def agis(
    graphs: Any,
    graphlets: Sequence[Graphlet],
    rho: float | Floats,
    *,
    return_embeddings: bool,
    n_jobs: int | None = 1,
    max_seconds: float | None = None,
) -> Floats | tuple[Floats, Embeddings]: ...
def agis(
    graphs: Any,
    graphlets: Sequence[Graphlet],
    rho: float | Floats,
    *,
    return_embeddings: bool = False,
    n_jobs: int | None = 1,
    max_seconds: float | None = None,
) -> Floats | tuple[Floats, Embeddings]:
    """Score how well each graph contains each graphlet: psi = exp(-rho D), exactly.

    Parameters
    ----------
    graphs : GraphSet or list of graphs
    graphlets : list of Graphlet
    rho : float, or ndarray of shape (n_graphlets,)
        Length scale; a larger rho asks for a closer match of attributes.
    return_embeddings : bool
        Also return the best embeddings. Of several that are equally good, the one whose matched
        attribute rows come first in lexicographic order.
    n_jobs : int
        Number of threads; -1 for all cores.
    max_seconds : float, optional
        Raise `mining.BudgetError` after this time.

    Returns
    -------
    psi : ndarray of shape (n_graphs, n_graphlets)
    embeddings : sequence (per graph) of lists (per graphlet) of ndarray or None
        The graph's node for each node of the graphlet; None where the labelled
        structure does not occur, so that psi is 0.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(
    ...     labels=["CO", "CC"], edges=[[(0, 1)], [(0, 1)]], attributes=[[[0], [1]], [[0], [1]]]
    ... )
    >>> bond = Graphlet(labels="OC", edges=[(0, 1)], attributes=[[1.0], [0.5]])
    >>> psi, embeddings = agis(graphs, [bond], rho=1.0, return_embeddings=True)
    >>> psi.round(3).ravel()
    array([0.779, 0.   ])
    >>> embeddings[0][0], embeddings[1][0]
    (array([1, 0], dtype=int32), None)
    """
    graphs = as_graph_set(graphs)
    if isinstance(graphlets, Graphlet):
        raise TypeError(
            "Expected a list of graphlets, got a single Graphlet; put it in a list: [graphlet]."
        )
    rhos = _checked_rho(rho, len(graphlets))
    patterns, z = [], []
    for i, graphlet in enumerate(graphlets):
        if not isinstance(graphlet, Graphlet):
            raise TypeError(
                f"Expected a list of Graphlet, got {type(graphlet).__name__} at position {i}."
            )
        _check_widths(graphlet, graphs, i)
        patterns.append(core_pattern(graphlet, graphs))
        z.append(flat_attributes(graphlet, graphs))
    costs, nodes = _core.match(graphs.core, patterns, z, n_threads(n_jobs), max_seconds=max_seconds)
    psi = np.ascontiguousarray(np.exp(-rhos * costs).T)
    if not return_embeddings:
        return psi
    return psi, Embeddings(nodes, [graphlet.n_nodes for graphlet in graphlets], len(graphs))


def core_pattern(graphlet: Graphlet, graphs: GraphSet) -> _core.Pattern:
    """Write the graphlet's labels as codes of these graphs; labels they lack match nothing."""
    code = {value: i for i, value in enumerate(graphs.vocabulary)}
    labels = np.array([code.get(label, -1) for label in graphlet.labels], dtype=np.int32)
    edge_labels = np.zeros(len(graphlet.edges), dtype=np.int32)
    if graphs.edge_vocabulary is not None and graphlet.edge_labels is not None:
        code = {value: i for i, value in enumerate(graphs.edge_vocabulary)}
        # -2, not -1: an unknown label of the graphlet must not meet an unknown one of the graph.
        edge_labels[:] = [code.get(label, -2) for label in graphlet.edge_labels]
    return _core.Pattern(labels, graphlet.edges, edge_labels)


def flat_attributes(graphlet: Graphlet, graphs: GraphSet) -> Floats:
    """Node attributes row by row, then edge attributes row by row."""
    parts = [graphlet.attributes.ravel()]
    if graphs.n_edge_attributes and graphlet.edge_attributes is not None:
        parts.append(graphlet.edge_attributes.ravel())
    return np.concatenate(parts)


def _same_nodes(a: Codes | None, b: Codes | None) -> bool:
    return a is b if a is None or b is None else np.array_equal(a, b)


def _checked_rho(rho: float | Floats, n_graphlets: int) -> Floats:
    """Take one rho, or one per graphlet as a column."""
    is_numeric = isinstance(rho, (int, float, np.number, np.ndarray))
    values = np.asarray(rho if is_numeric else np.nan, dtype=np.float64)
    if not ((values > 0.0) & (values < np.inf)).all():
        raise ValueError(f"rho must be a float in the range (0, inf). Got {rho!r} instead.")
    if values.ndim and values.shape != (n_graphlets,):
        raise ValueError(
            f"rho must be one number, or one per graphlet ({n_graphlets}). "
            f"Got shape {values.shape} instead."
        )
    return values[:, None] if values.ndim else values


def _edge_array(edges: npt.ArrayLike) -> Codes:
    numbers = np.asarray(edges)
    array = numbers.astype(np.int32)
    if array.size == 0:
        return np.empty((0, 2), dtype=np.int32)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(
            f"Expected the edges of a graphlet as pairs of node positions. Got shape {array.shape}."
        )
    if numbers.dtype.kind not in "iu":
        raise TypeError(
            f"Expected the edges of a graphlet as whole numbers, got {numbers.dtype} numbers."
        )
    return array


def _rows(rows: npt.ArrayLike | None, count: int, name: str, owner: str) -> Floats:
    if rows is None:
        return np.empty((count, 0))
    array = np.array(rows, dtype=np.float64)
    if array.ndim == 1 and array.size == 0:
        array = array.reshape(count, 0)
    if array.ndim != 2 or len(array) != count:
        raise ValueError(
            f"Expected {name} of a graphlet with one row per {owner}, that is {count}. "
            f"Got shape {array.shape}."
        )
    if not np.isfinite(array).all():
        raise ValueError(f"The {name} of a graphlet must be finite, but some are NaN or infinite.")
    return array


def _check_structure(n_nodes: int, edges: Codes) -> None:
    if not 1 <= n_nodes <= LARGEST_GRAPHLET:
        raise ValueError(
            f"A graphlet must have from 1 to {LARGEST_GRAPHLET} nodes. Got {n_nodes} instead."
        )
    for u, v in edges.tolist():
        if not (0 <= u < n_nodes and 0 <= v < n_nodes):
            raise ValueError(
                f"Edge ({u}, {v}) of a graphlet names a node that is not there: its {n_nodes} "
                f"nodes are 0 to {n_nodes - 1}."
            )
        if u == v:
            raise ValueError(f"Edge ({u}, {v}) of a graphlet is a loop; graphlets have none.")
    pairs = [tuple(sorted(pair)) for pair in edges.tolist()]
    if len(set(pairs)) < len(pairs):
        repeated = next(pair for pair in pairs if pairs.count(pair) > 1)
        raise ValueError(f"Edge {repeated} of a graphlet came twice; give each edge once.")
    _core.Pattern(np.zeros(n_nodes, dtype=np.int32), edges, np.zeros(len(edges), dtype=np.int32))


def _check_widths(graphlet: Graphlet, graphs: GraphSet, i: int) -> None:
    if graphlet.attributes.shape[1] != graphs.n_attributes:
        raise ValueError(
            f"Graphlet {i} has {graphlet.attributes.shape[1]} attributes per node, but the graphs "
            f"have {graphs.n_attributes}. Both need the same attributes in the same order."
        )
    if (graphlet.edge_labels is None) != (graphs.edge_vocabulary is None):
        has, lacks = (
            ("graphs", "graphlet") if graphlet.edge_labels is None else ("graphlet", "graphs")
        )
        raise ValueError(
            f"Graphlet {i}: the {has} has edge labels and the {lacks} has none. "
            "Give both edge labels, or neither."
        )
    width = 0 if graphlet.edge_attributes is None else graphlet.edge_attributes.shape[1]
    if width != graphs.n_edge_attributes:
        raise ValueError(
            f"Graphlet {i} has {width} attributes per edge, but the graphs have "
            f"{graphs.n_edge_attributes}. Both need the same attributes in the same order."
        )
