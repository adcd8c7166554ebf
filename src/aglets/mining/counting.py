"""Walks through all patterns that keep none: count, frequent; and lambda_max."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets import _core
from aglets.graphs import as_graph_set
from aglets.graphs.arrays import Codes, Floats
from aglets.graphs.threads import n_threads
from aglets.mining.arguments import checked_maxpat
from aglets.mining.starts import free_types
from aglets.mining.tree import Tree

__all__ = ["Counts", "FrequentPattern", "count", "frequent", "lambda_max"]


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
    max_work: int | None = None,
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
    max_work : int, optional
        Units of work, see `Tree`.
    max_bytes : int, optional
        Memory.
    max_seconds : float, optional
        When one of these is spent, what was counted until then is returned. Unless it was the
        time, that does not depend on the machine or the number of threads.
    n_jobs : int
        Number of threads; -1 for all cores.

    Examples
    --------
    >>> from aglets import GraphSet
    >>> graphs = GraphSet.from_lists(labels=["CCO"], edges=[[(0, 1), (1, 2)]])
    >>> count(graphs, maxpat=3).by_nodes
    {1: 2, 2: 2, 3: 1}
    """
    graphs = as_graph_set(graphs)
    by_size, complete = _core.count_patterns(
        graphs.core,
        free_types(graphs).core,
        checked_maxpat(maxpat),
        n_threads(n_jobs),
        max_work=max_work,
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
    max_work: int | None = None,
    max_bytes: int | None = None,
    max_seconds: float | None = None,
    n_jobs: int | None = 1,
) -> list[FrequentPattern]:
    """List the patterns that at least `min_support` graphs contain, most frequent first.

    Raises `BudgetError` if it needs more work, memory or time than `max_work`, `max_bytes` and
    `max_seconds` allow.

    Examples
    --------
    >>> from aglets import GraphSet
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
        free_types(graphs).core,
        checked_maxpat(maxpat),
        min_support,
        n_threads(n_jobs),
        max_work=max_work,
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
    max_work: int | None = None,
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
    >>> from aglets import GraphSet
    >>> graphs = GraphSet.from_lists(labels=["CO", "CC"], edges=[[(0, 1)], [(0, 1)]])
    >>> lambda_max(graphs, ["yes", "no"], maxpat=2, rho=1.0)
    1.0
    """
    graphs = as_graph_set(graphs)
    signs = _signs(y, len(graphs))
    residual = signs * (1.0 - signs * signs.mean())
    tree = Tree(
        graphs,
        maxpat=maxpat,
        max_work=max_work,
        max_nodes=max_nodes,
        max_bytes=max_bytes,
        max_seconds=max_seconds,
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
