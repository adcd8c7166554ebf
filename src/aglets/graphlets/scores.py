"""How well graphs contain graphlets: AGIS, for the best place or for all of them.

The score of a graphlet in a graph, AGIS, is psi = exp(-rho D), where D is the smallest sum of
squared attribute distances over all injections of its nodes into the graph's that keep labels and
edges, and psi = 0 if there is none. A graphlet that counts is anchored at its first node, its
root: every node of the graph on which an injection puts the root is a place, with a score s of its
own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from aglets import _core
from aglets.graphlets.graphlet import (
    COUNT_SCALES,
    POOLINGS,
    Graphlet,
    core_pattern,
    flat_attributes,
)
from aglets.graphs import GraphSet, as_graph_set
from aglets.graphs.arrays import Codes, Floats, Ints
from aglets.graphs.threads import n_threads

__all__ = ["Embeddings", "Places", "agis", "places"]


class Embeddings(Sequence[list["Codes | None"]]):
    """Best embeddings, by graph and then by graphlet: a sequence that is written out on demand.

    `embeddings[i][j]` is the node of graph i for each node of graphlet j, or None where graph i
    does not hold it. For a graphlet that counts it has a row per place, the best place first.
    """

    def __init__(self, blocks: Sequence[_Best | _All], n_graphs: int) -> None:
        self._n_graphs = n_graphs
        self._blocks = list(blocks)

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
        return [block.nodes(index % len(self)) for block in self._blocks]

    def of(self, graph: int, graphlet: int) -> Codes | None:
        """Return `embeddings[graph][graphlet]` without writing out the others."""
        return self._blocks[graphlet].nodes(graph)

    def n_places(self, graphlet: int) -> Ints:
        """Count the places of a graphlet in each graph; at most one unless it counts."""
        return self._blocks[graphlet].n_places()

    def taken(self, graphs: Ints) -> Embeddings:
        """Return those of some graphs."""
        return Embeddings([block.taken(graphs) for block in self._blocks], len(graphs))

    def of_graphlets(self, columns: Sequence[int]) -> Embeddings:
        """Return those of some graphlets."""
        return Embeddings([self._blocks[j] for j in columns], self._n_graphs)

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


@dataclass(frozen=True)
class _Best:
    """The best embedding of one graphlet in each graph: costs, and nodes in rows, -1 for none."""

    costs: Floats
    rows: Codes

    def nodes(self, graph: int) -> Codes | None:
        row: Codes = self.rows[graph]
        return None if row[0] < 0 else row

    def n_places(self) -> Ints:
        return (self.rows[:, 0] >= 0).astype(np.int64)

    def taken(self, graphs: Ints) -> _Best:
        return _Best(self.costs[graphs], self.rows[graphs])

    def values(self, rho: float) -> Floats:
        values: Floats = np.exp(-rho * self.costs)
        return values

    def places(self, rho: float) -> list[Places]:
        held = self.rows[:, 0] >= 0
        scores = self.values(rho)
        return [
            Places(self.rows[i : i + kept], own, own)
            for i, kept in enumerate(held.astype(int).tolist())
            for own in [scores[i : i + kept]]
        ]


@dataclass(frozen=True)
class _All:
    """All places of one graphlet, graph by graph: where each graph's begin, costs, and nodes."""

    offsets: Ints
    costs: Floats
    rows: Codes
    divisors: Floats
    takes_sqrt: bool

    def nodes(self, graph: int) -> Codes | None:
        own: Codes = self.rows[self.offsets[graph] : self.offsets[graph + 1]]
        return own if len(own) else None

    def n_places(self) -> Ints:
        return np.diff(self.offsets)

    def taken(self, graphs: Ints) -> _All:
        counts = self.n_places()[graphs]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        own = np.repeat(self.offsets[graphs] - offsets[:-1], counts) + np.arange(offsets[-1])
        divisors = self.divisors[graphs]
        return _All(offsets, self.costs[own], self.rows[own], divisors, self.takes_sqrt)

    def values(self, rho: float) -> Floats:
        held = np.diff(self.offsets) > 0
        values = np.zeros(len(held))
        if held.any():
            values[held] = np.add.reduceat(np.exp(-rho * self.costs), self.offsets[:-1][held])
        values /= self.divisors
        return np.sqrt(values) if self.takes_sqrt else values

    def places(self, rho: float) -> list[Places]:
        scores, values = np.exp(-rho * self.costs), self.values(rho)
        found = []
        for value, begin, end in zip(values, self.offsets[:-1], self.offsets[1:], strict=True):
            own = scores[begin:end]
            total = own.sum()
            shares = own * (value / total) if total else own
            found.append(Places(self.rows[begin:end], own, shares))
        return found


class Places(NamedTuple):
    """Where a graph holds a graphlet, the best place first: one place, or all if it counts.

    `embeddings` has a row of nodes per place, `scores` its s = exp(-rho cost), and `shares` what it
    adds to the value that `agis` gives.
    """

    embeddings: Codes
    scores: Floats
    shares: Floats


@overload
def agis(
    graphs: Any,
    graphlets: Sequence[Graphlet],
    rho: float | Floats,
    *,
    pooling: str | None = None,
    count_scale: str | None = None,
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
    pooling: str | None = None,
    count_scale: str | None = None,
    return_embeddings: bool,
    n_jobs: int | None = 1,
    max_seconds: float | None = None,
) -> Floats | tuple[Floats, Embeddings]: ...
def agis(
    graphs: Any,
    graphlets: Sequence[Graphlet],
    rho: float | Floats,
    *,
    pooling: str | None = None,
    count_scale: str | None = None,
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
    pooling : {"best", "sum", "mean"}, optional
        What is made of the scores s of all places, which are the nodes of a graph on which the
        first node of the graphlet can lie: the largest, their sum, or their sum over the number
        of nodes of the graph. Every graphlet's own `pooling` unless given.
    count_scale : {"raw", "sqrt"}, optional
        Take sums and means as they are, or their square roots. Every graphlet's own `count_scale`
        unless given.
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
        structure does not occur, so that psi is 0. A graphlet that counts has a row per place.

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
    >>> agis(graphs, [Graphlet(labels="C", edges=[], attributes=[[0]])], rho=1.0, pooling="sum")
    array([[1.        ],
           [1.36787944]])
    """
    graphs = as_graph_set(graphs)
    _check_graphlets(graphs, graphlets)
    rhos = _rhos(rho, len(graphlets))
    blocks = _matched(graphs, graphlets, pooling, count_scale, n_jobs, max_seconds)
    psi = np.empty((len(graphs), len(blocks)))
    for j, (block, one) in enumerate(zip(blocks, rhos.tolist(), strict=True)):
        psi[:, j] = block.values(one)
    return (psi, Embeddings(blocks, len(graphs))) if return_embeddings else psi


def places(
    graphs: Any,
    graphlets: Sequence[Graphlet],
    rho: float | Floats,
    *,
    pooling: str | None = None,
    count_scale: str | None = None,
    n_jobs: int | None = 1,
    max_seconds: float | None = None,
) -> list[list[Places]]:
    """List the places that make up each value of `agis`, by graph and then by graphlet.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=["OCO"], edges=[[(0, 1), (1, 2)]])
    >>> bond = Graphlet(labels="OC", edges=[(0, 1)], pooling="mean")
    >>> places(graphs, [bond], rho=1.0)[0][0].embeddings
    array([[0, 1],
           [2, 1]], dtype=int32)
    >>> places(graphs, [bond], rho=1.0)[0][0].shares.round(3)
    array([0.333, 0.333])
    """
    graphs = as_graph_set(graphs)
    _check_graphlets(graphs, graphlets)
    rhos = _rhos(rho, len(graphlets))
    blocks = _matched(graphs, graphlets, pooling, count_scale, n_jobs, max_seconds)
    columns = [block.places(one) for block, one in zip(blocks, rhos.tolist(), strict=True)]
    return [[column[i] for column in columns] for i in range(len(graphs))]


def _matched(
    graphs: GraphSet,
    graphlets: Sequence[Graphlet],
    pooling: str | None,
    count_scale: str | None,
    n_jobs: int | None,
    max_seconds: float | None,
) -> list[_Best | _All]:
    """Match every graphlet: its best place, or all of them if it counts."""
    if pooling is not None and pooling not in POOLINGS:
        raise ValueError(f"pooling must be 'best', 'sum' or 'mean'. Got {pooling!r} instead.")
    if count_scale is not None and count_scale not in COUNT_SCALES:
        raise ValueError(f"count_scale must be 'raw' or 'sqrt'. Got {count_scale!r} instead.")
    names = [graphlet.pooling if pooling is None else pooling for graphlet in graphlets]
    scales = [count_scale or graphlet.count_scale for graphlet in graphlets]
    best = [j for j, name in enumerate(names) if name == "best"]
    counting = [j for j, name in enumerate(names) if name != "best"]
    blocks: dict[int, _Best | _All] = {}
    threads = n_threads(n_jobs)
    own = [graphlets[j] for j in best]
    blocks |= zip(best, _best_blocks(graphs, own, threads, max_seconds), strict=True)
    own = [graphlets[j] for j in counting]
    sizes = np.maximum(graphs.n_nodes, 1)
    for j, found in zip(counting, _place_blocks(graphs, own, threads, max_seconds), strict=True):
        divisors = sizes if names[j] == "mean" else np.ones(len(graphs))
        blocks[j] = replace(found, divisors=divisors, takes_sqrt=scales[j] == "sqrt")
    return [blocks[j] for j in range(len(graphlets))]


def _best_blocks(
    graphs: GraphSet, graphlets: list[Graphlet], threads: int, max_seconds: float | None
) -> Iterator[_Best]:
    """Find the best embedding of every graphlet in each graph."""
    patterns = [core_pattern(graphlet, graphs) for graphlet in graphlets]
    z = [flat_attributes(graphlet, graphs) for graphlet in graphlets]
    costs, nodes = _core.match(graphs.core, patterns, z, threads, max_seconds=max_seconds)
    at = 0
    for row, graphlet in zip(costs, graphlets, strict=True):
        end = at + len(graphs) * graphlet.n_nodes
        yield _Best(row, nodes[at:end].reshape(len(graphs), graphlet.n_nodes))
        at = end


def _place_blocks(
    graphs: GraphSet, graphlets: list[Graphlet], threads: int, max_seconds: float | None
) -> Iterator[_All]:
    """Find all places of every graphlet, as sums."""
    if not graphlets:
        return
    patterns = [core_pattern(graphlet, graphs) for graphlet in graphlets]
    z = [flat_attributes(graphlet, graphs) for graphlet in graphlets]
    n_places, costs, nodes = _core.find_places(
        graphs.core, patterns, z, threads, max_seconds=max_seconds
    )
    at = node_at = 0
    for row, graphlet in zip(n_places, graphlets, strict=True):
        offsets = np.concatenate([[0], np.cumsum(row, dtype=np.int64)])
        end = at + int(offsets[-1])
        node_end = node_at + (end - at) * graphlet.n_nodes
        rows = nodes[node_at:node_end].reshape(-1, graphlet.n_nodes)
        yield _All(offsets, costs[at:end], rows, np.ones(len(graphs)), False)
        at, node_at = end, node_end


def _check_graphlets(graphs: GraphSet, graphlets: Sequence[Graphlet]) -> None:
    if isinstance(graphlets, Graphlet):
        raise TypeError(
            "Expected a list of graphlets, got a single Graphlet; put it in a list: [graphlet]."
        )
    for i, graphlet in enumerate(graphlets):
        if not isinstance(graphlet, Graphlet):
            raise TypeError(
                f"Expected a list of Graphlet, got {type(graphlet).__name__} at position {i}."
            )
        _check_widths(graphlet, graphs, i)


def _same_nodes(a: Codes | None, b: Codes | None) -> bool:
    return a is b if a is None or b is None else np.array_equal(a, b)


def _rhos(rho: float | Floats, n_graphlets: int) -> Floats:
    """Take one rho for all, or one per graphlet."""
    is_numeric = isinstance(rho, (int, float, np.number, np.ndarray))
    values = np.asarray(rho if is_numeric else np.nan, dtype=np.float64)
    if not ((values > 0.0) & (values < np.inf)).all():
        raise ValueError(f"rho must be a float in the range (0, inf). Got {rho!r} instead.")
    if values.ndim and values.shape != (n_graphlets,):
        raise ValueError(
            f"rho must be one number, or one per graphlet ({n_graphlets}). "
            f"Got shape {values.shape} instead."
        )
    return np.broadcast_to(values, (n_graphlets,))


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
