"""All connected labelled subgraphs of a set of graphs: count, list, search.

A *pattern* is a connected labelled graph of at most `maxpat` **nodes** that occurs in at least one
graph. Occurring means non-induced: the graph may have further edges between the matched nodes.
Single nodes are patterns. Edge labels take part when the `GraphSet` has them.

- `count` and `frequent` walk all patterns once and keep none that is not asked for.
- `Tree` grows the patterns on demand and keeps them for the learning layer: one tree serves every
  rho, maxpat, lambda, loss and class.
- `lambda_max` is the largest useful penalty of the paper's model.

Long calls answer Ctrl-C within a second. Where a budget (`max_nodes`, `max_bytes`, `max_seconds`)
runs out, `BudgetError` says which, and a tree stays usable.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aglets import _core
from aglets._core import BudgetError
from aglets._threads import n_threads
from aglets.graphs import GraphSet, as_graph_set

__all__ = [
    "BudgetError",
    "Counts",
    "Found",
    "FrequentPattern",
    "Pattern",
    "Starts",
    "Tree",
    "count",
    "frequent",
    "label_means",
    "lambda_max",
]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

#: Largest pattern the core can hold: sets of its nodes are machine words.
LARGEST_MAXPAT = 64

#: While embeddings are in hand, descendants whose bound exceeds this share of lambda are expanded,
#: too. On trees and rings that saves growing embeddings again; dense graphs have too many of them.
LOOK_AHEAD = 0.15
DENSE_DEGREE = 2.6


@dataclass(frozen=True)
class Starts:
    """Node types: labels with the attributes at which graphlets start.

    Parameters
    ----------
    type_labels : ndarray of shape (n_types,)
        Label code of each type, ascending; several types may share a label.
    type_starts : ndarray of shape (n_types, n_attributes)
    edge_starts : ndarray of shape (n_edge_labels, n_edge_attributes)
        Where the edge attributes of graphlets start, by edge label.
    """

    type_labels: Codes
    type_starts: Floats
    edge_starts: Floats

    @cached_property
    def core(self) -> _core.Starts:
        """The same in the compiled core."""
        return _core.Starts(
            np.ascontiguousarray(self.type_labels, dtype=np.int32),
            np.ascontiguousarray(self.type_starts, dtype=np.float64),
            np.ascontiguousarray(self.edge_starts, dtype=np.float64),
        )


def label_means(graphs: GraphSet) -> Starts:
    """One type per label, starting at the mean of the label's attributes: the paper's choice."""
    n_labels = len(graphs.vocabulary)
    n_edge_labels = 1 if graphs.edge_vocabulary is None else max(len(graphs.edge_vocabulary), 1)
    edge_rows = graphs.edge_attributes
    if edge_rows is None:
        edge_rows = np.empty((len(graphs.edges), 0))
    edge_codes = graphs.edge_labels
    if edge_codes is None:
        edge_codes = np.zeros(len(graphs.edges), dtype=np.int32)
    return Starts(
        np.arange(n_labels, dtype=np.int32),
        _means(graphs.attributes, graphs.labels, n_labels),
        _means(edge_rows, edge_codes, n_edge_labels),
    )


def _means(rows: Floats, codes: Codes, n_codes: int) -> Floats:
    """Mean row of each code, the same to the last bit in whatever order the rows come."""
    means = np.zeros((n_codes, rows.shape[1]))
    for code in range(n_codes) if rows.shape[1] else ():
        own = rows[codes == code]
        if len(own):
            means[code] = np.sort(own, axis=0).sum(axis=0) / len(own)
    return means


class Pattern(NamedTuple):
    """A pattern of a tree in DFS code order: type and label codes of its nodes, and its edges."""

    types: Codes
    labels: Codes
    edges: Codes
    edge_labels: Codes


@dataclass(frozen=True)
class Found:
    """What a search met: every tree node with |g| > lambda, in tree order.

    g = sum_i a_i psi_i is the negative derivative of the loss by the coefficient of the untrained
    graphlet; g_bar bounds |g| of everything below it in the tree; sizes are numbers of nodes.
    """

    nodes: npt.NDArray[np.int64]
    g: Floats
    g_bar: Floats
    sizes: Codes
    n_visited: int
    n_made: int


class Tree:
    """The mining tree of a training set: minimum DFS codes, grown on demand and kept.

    A node keeps, for each graph that holds its pattern, the least cost D of matching an *untrained*
    graphlet there. D does not depend on rho, so psi = exp(-rho D) is cheap for every rho, and since
    training never touches the tree, its bounds stay true below trained graphlets.

    Parameters
    ----------
    graphs : GraphSet
    maxpat : int
        Largest number of nodes of a pattern.
    starts : Starts, optional
        Node types; by default one per label at its mean (`label_means`).
    max_nodes, max_bytes : int, optional
        How large the tree may grow, working memory included.
    max_seconds : float, optional
        How long its searches may take together; `allow` grants more.
    n_jobs : int
        Number of threads; -1 for all cores. Results do not depend on it.
    look_ahead : float, optional
        Expand descendants whose bound exceeds look_ahead * lambda while their embeddings are in
        hand. The default looks at how dense the graphs are.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=["CCO", "CO"], edges=[[(0, 1), (1, 2)], [(0, 1)]])
    >>> tree = Tree(graphs, maxpat=3)
    >>> found = tree.search(np.array([1.0, -1.0]), lam=0.5, rho=1.0)
    >>> [[graphs.vocabulary[c] for c in tree.pattern(node).labels] for node in found.nodes]
    [['C', 'C'], ['C', 'C', 'O']]
    """

    def __init__(
        self,
        graphs: GraphSet,
        *,
        maxpat: int,
        starts: Starts | None = None,
        max_nodes: int | None = None,
        max_bytes: int | None = None,
        max_seconds: float | None = None,
        n_jobs: int | None = 1,
        look_ahead: float | None = None,
    ) -> None:
        self.graphs = as_graph_set(graphs)
        self.maxpat = _checked_maxpat(maxpat)
        self.starts = label_means(self.graphs) if starts is None else starts
        _check_starts(self.starts, self.graphs)
        self.n_jobs = n_threads(n_jobs)
        self.look_ahead = _look_ahead(self.graphs) if look_ahead is None else look_ahead
        self.max_nodes, self.max_bytes = max_nodes, max_bytes
        self.allow(max_seconds)
        self._core = _core.MiningTree(self.graphs.core, self.starts.core, self.maxpat)

    def allow(self, max_seconds: float | None) -> None:
        """Grant so many seconds to the searches from now on, all together; None for no limit."""
        self.max_seconds, self.seconds_spent = max_seconds, 0.0

    def search(
        self, residual: npt.ArrayLike, *, lam: float, rho: float, maxpat: int | None = None
    ) -> Found:
        """Find every pattern with |g| > lam, pruned by Theorem 2.1 (Algorithm 2).

        Parameters
        ----------
        residual : array-like of shape (n_graphs,)
            a_i, the negative derivative of the loss by f(G_i).
        lam, rho : float
        maxpat : int, optional
            At most that of the tree, which is the default.
        """
        asked = (self._residual(residual), _checked_rho(rho), _checked_lam(lam))
        size = self._limited(maxpat)
        with self._budget() as budget:
            return Found(*self._core.search(*asked, size, self.look_ahead, self.n_jobs, **budget))

    def lambda_max(
        self, residual: npt.ArrayLike, *, rho: float, maxpat: int | None = None
    ) -> tuple[float, int]:
        """Largest |g| over all patterns and the tree node that has it (-1 if all g are zero)."""
        asked = (self._residual(residual), _checked_rho(rho), self._limited(maxpat))
        with self._budget() as budget:
            value, node, _, _ = self._core.largest(*asked, **budget)
        return value, node

    def pattern(self, node: int) -> Pattern:
        """Return the pattern of a tree node."""
        types, edges, edge_labels = self._core.pattern(int(node))
        return Pattern(types, self.starts.type_labels[types], edges, edge_labels)

    def find(self, pattern: Pattern) -> int:
        """Return the tree node of a pattern that `pattern` gave, on this tree or one made alike."""
        node: int = self._core.find(pattern.types, pattern.edges, pattern.edge_labels)
        if node < 0:
            raise ValueError(
                "Expected a pattern of this tree, but none of its graphs holds it with at most "
                f"{self.maxpat} nodes; it must come from the same training graphs and starts."
            )
        return node

    def costs(self, node: int) -> tuple[Codes, Floats]:
        """Return the graphs that hold the node's pattern and D, its least initial cost there."""
        return self._core.supports(int(node))

    @property
    def n_nodes(self) -> int:
        """Number of tree nodes made so far."""
        return self._core.n_nodes

    @property
    def n_bytes(self) -> int:
        """Memory the tree holds."""
        return self._core.n_bytes

    def _residual(self, residual: npt.ArrayLike) -> Floats:
        array = np.ascontiguousarray(residual, dtype=np.float64)
        if array.shape != (len(self.graphs),):
            raise ValueError(
                f"Expected a residual with one number per graph, that is {len(self.graphs)}. "
                f"Got shape {array.shape} instead."
            )
        if not np.isfinite(array).all():
            raise ValueError(
                f"Expected a finite residual, but {(~np.isfinite(array)).sum()} of its numbers "
                "are NaN or infinite; the solver that made it has diverged."
            )
        return array

    def _limited(self, maxpat: int | None) -> int:
        if maxpat is None:
            return self.maxpat
        if _checked_maxpat(maxpat) > self.maxpat:
            raise ValueError(
                f"This tree was made with maxpat={self.maxpat}. Got maxpat={maxpat} instead; "
                "make a tree with the largest maxpat that will be asked for."
            )
        return maxpat

    @contextmanager
    def _budget(self) -> Iterator[dict[str, Any]]:
        """Give what a search may use, and note how long it took."""
        limit = self.max_seconds
        start = perf_counter()
        try:
            yield {
                "max_nodes": self.max_nodes,
                "max_bytes": self.max_bytes,
                "max_seconds": None if limit is None else max(limit - self.seconds_spent, 0.0),
            }
        finally:
            self.seconds_spent += perf_counter() - start


@dataclass(frozen=True)
class Counts:
    """How many patterns there are: in all, by nodes, and by nodes and edges.

    There are at least so many if `complete` is False, because a budget ran out.
    """

    by_nodes_edges: dict[tuple[int, int], int]
    complete: bool = True

    @property
    def by_nodes(self) -> dict[int, int]:
        """Number of patterns by number of nodes."""
        totals: dict[int, int] = {}
        for (nodes, _), number in sorted(self.by_nodes_edges.items()):
            totals[nodes] = totals.get(nodes, 0) + number
        return totals

    @property
    def total(self) -> int:
        """Number of patterns."""
        return sum(self.by_nodes_edges.values())


def count(
    graphs: Any,
    maxpat: int,
    *,
    max_bytes: int | None = None,
    max_seconds: float | None = None,
    n_jobs: int | None = 1,
) -> Counts:
    """Count the connected labelled subgraphs with at most `maxpat` nodes (the paper's Table 2).

    Parameters
    ----------
    graphs : GraphSet or list of graphs
    maxpat : int
        Largest number of nodes of a pattern.
    max_bytes : int, optional
    max_seconds : float, optional
        When memory or time is over, what was counted until then is returned.
    n_jobs : int
        Number of threads; -1 for all cores.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=["CCO"], edges=[[(0, 1), (1, 2)]])
    >>> count(graphs, maxpat=3).by_nodes
    {1: 2, 2: 2, 3: 1}
    """
    graphs = as_graph_set(graphs)
    by_size, complete = _core.count_patterns(
        graphs.core,
        _free_types(graphs).core,
        _checked_maxpat(maxpat),
        n_threads(n_jobs),
        max_bytes=max_bytes,
        max_seconds=max_seconds,
    )
    return Counts(by_size, complete)


@dataclass(frozen=True)
class FrequentPattern:
    """A pattern with the graphs that contain it; `support` is their number."""

    labels: list[Hashable]
    edges: Codes
    edge_labels: list[Hashable] | None
    graphs: Codes

    @property
    def support(self) -> int:
        """Number of graphs that contain the pattern."""
        return len(self.graphs)


def frequent(
    graphs: Any,
    maxpat: int,
    min_support: int,
    *,
    max_bytes: int | None = None,
    max_seconds: float | None = None,
    n_jobs: int | None = 1,
) -> list[FrequentPattern]:
    """List the patterns that at least `min_support` graphs contain, most frequent first.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=["CCO", "CO"], edges=[[(0, 1), (1, 2)], [(0, 1)]])
    >>> [(pattern.labels, pattern.support) for pattern in frequent(graphs, 3, min_support=2)]
    [(['C'], 2), (['C', 'O'], 2), (['O'], 2)]
    """
    graphs = as_graph_set(graphs)
    whole = isinstance(min_support, (int, np.integer)) and not isinstance(min_support, bool)
    if not whole or min_support < 1:
        raise ValueError(
            f"min_support must be a whole number of at least 1. Got {min_support!r} instead."
        )
    rows = _core.frequent_patterns(
        graphs.core,
        _free_types(graphs).core,
        _checked_maxpat(maxpat),
        min_support,
        n_threads(n_jobs),
        max_bytes=max_bytes,
        max_seconds=max_seconds,
    )
    named = graphs.edge_vocabulary
    found = [
        FrequentPattern(
            [graphs.vocabulary[code] for code in labels],
            edges,
            None if named is None else [named[code] for code in edge_labels],
            where,
        )
        for labels, edges, edge_labels, where, _ in rows
    ]
    return sorted(found, key=lambda pattern: -pattern.support)


def lambda_max(
    graphs: Any,
    y: npt.ArrayLike,
    *,
    maxpat: int,
    rho: float,
    max_nodes: int | None = None,
    max_bytes: int | None = None,
    max_seconds: float | None = None,
) -> float:
    """Smallest lambda at which the paper's model is empty, on raw attributes.

    lambda_max = max_H |sum_i a_i psi(G_i; H)| with a_i = y_i (1 - y_i mean(y)) (appendix C): the
    residual of the squared hinge loss when all coefficients are zero.

    Parameters
    ----------
    graphs : GraphSet or list of graphs
    y : array-like of shape (n_graphs,)
        Any two values; the smaller is taken as -1.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=["CO", "CC"], edges=[[(0, 1)], [(0, 1)]])
    >>> lambda_max(graphs, ["yes", "no"], maxpat=2, rho=1.0)
    1.0
    """
    graphs = as_graph_set(graphs)
    signs = _signs(y, len(graphs))
    residual = signs * (1.0 - signs * signs.mean())
    tree = Tree(
        graphs, maxpat=maxpat, max_nodes=max_nodes, max_bytes=max_bytes, max_seconds=max_seconds
    )
    return tree.lambda_max(residual, rho=rho)[0]


def _signs(y: npt.ArrayLike, n_graphs: int) -> Floats:
    y = np.asarray(y)
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError("Expected y to name a class for every graph, but some are NaN.")
    values, codes = np.unique(y, return_inverse=True)
    if len(codes) != n_graphs:
        raise ValueError(f"Expected one y per graph, that is {n_graphs}. Got {len(codes)} instead.")
    if len(values) != 2:
        raise ValueError(
            f"Expected y to have two different values. Got {len(values)}: {values[:5].tolist()}."
        )
    return np.where(codes.reshape(-1) == 1, 1.0, -1.0)


def _free_types(graphs: GraphSet) -> Starts:
    """One type per label for walks that look at no costs."""
    n_labels = len(graphs.vocabulary)
    n_edge_labels = 1 if graphs.edge_vocabulary is None else max(len(graphs.edge_vocabulary), 1)
    return Starts(
        np.arange(n_labels, dtype=np.int32),
        np.zeros((n_labels, graphs.n_attributes)),
        np.zeros((n_edge_labels, graphs.n_edge_attributes)),
    )


def _check_starts(starts: Starts, graphs: GraphSet) -> None:
    shapes = {
        "type_starts": (starts.type_starts.shape, (len(starts.type_labels), graphs.n_attributes)),
        "edge_starts": (
            starts.edge_starts.shape,
            (len(starts.edge_starts), graphs.n_edge_attributes),
        ),
    }
    for name, (came, expected) in shapes.items():
        if came != expected:
            raise ValueError(
                f"Expected {name} of shape {expected}, a row per type and a column per attribute. "
                f"Got shape {came} instead."
            )
    if np.any(np.diff(starts.type_labels) < 0):
        raise ValueError("Expected type_labels in ascending order; sort the types by label.")


def _look_ahead(graphs: GraphSet) -> float:
    n_nodes = max(len(graphs.labels), 1)
    return LOOK_AHEAD if 2.0 * len(graphs.edges) / n_nodes < DENSE_DEGREE else 1.0


def _checked_maxpat(maxpat: int) -> int:
    if isinstance(maxpat, bool) or not isinstance(maxpat, (int, np.integer)):
        raise TypeError(f"maxpat must be a whole number of nodes. Got {maxpat!r} instead.")
    if not 1 <= maxpat <= LARGEST_MAXPAT:
        raise ValueError(
            f"maxpat must be a number of nodes in the range [1, {LARGEST_MAXPAT}]. "
            f"Got {maxpat} instead."
        )
    return int(maxpat)


def _checked_lam(lam: float) -> float:
    if not 0.0 <= lam < np.inf:
        raise ValueError(f"lam must be a float in the range [0, inf). Got {lam!r} instead.")
    return float(lam)


def _checked_rho(rho: float) -> float:
    if not isinstance(rho, (int, float, np.number)) or not 0.0 < rho < np.inf:
        raise ValueError(f"rho must be a float in the range (0, inf). Got {rho!r} instead.")
    return float(rho)
