"""The mining tree: patterns grown on demand and kept, searched with the bound of Theorem 2.1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aglets import _core
from aglets.graphs import GraphSet, as_graph_set
from aglets.graphs.arrays import Codes, Floats
from aglets.graphs.threads import n_threads
from aglets.mining.arguments import (
    checked_lam,
    checked_maxpat,
    checked_pooling,
    checked_rho,
    checked_scale,
    checked_sharing,
)
from aglets.mining.canonical import CanonicalTypes
from aglets.mining.growth import Growth
from aglets.mining.starts import Starts, check_starts, label_means

__all__ = ["Found", "Pattern", "Tree"]


#: While embeddings are in hand, descendants whose bound exceeds this share of lambda are expanded,
#: too. On trees and rings that saves growing embeddings again; dense graphs have too many of them.
LOOK_AHEAD = 0.15
DENSE_DEGREE = 2.6


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

    A node comes once for each channel in which it violates: `pooling[channels[j]]` is that of entry
    j. Of several residuals g and g_bar have a column per output, and `norms` is what is compared
    with lambda: the dual norm of the penalty, see `Tree.search`; of one residual it is |g|.
    """

    nodes: npt.NDArray[np.int64]
    g: Floats
    g_bar: Floats
    sizes: Codes
    n_visited: int
    n_made: int
    channels: Codes
    norms: Floats
    pooling: tuple[str, ...]


class Tree:
    """The mining tree of a training set: minimum DFS codes, grown on demand and kept.

    A node keeps, for each graph that holds its pattern, the minimum cost D of matching an
    *untrained* graphlet there. D does not depend on rho, so psi = exp(-rho D) is cheap for every
    rho, and since training never touches the tree, its bounds stay true below trained graphlets.

    Parameters
    ----------
    graphs : GraphSet
    maxpat : int
        Largest number of nodes of a pattern.
    starts : Starts, optional
        Node types; by default one per label at its mean (`label_means`).
    max_work : int, optional
        How much its searches may do together, in units that no clock knows: an embedding looked
        at or stored, a node of the tree visited, an edge of a code tested. They end in the same
        state on any machine and for any `n_jobs`; `allow` grants more.
    max_nodes, max_bytes : int, optional
        How large the tree may grow, the working memory of one thread included.
    max_seconds : float, optional
        How long its searches may take together; what they reach depends on the machine.
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
        max_work: int | None = None,
        max_nodes: int | None = None,
        max_bytes: int | None = None,
        max_seconds: float | None = None,
        n_jobs: int | None = 1,
        look_ahead: float | None = None,
    ) -> None:
        self.graphs = as_graph_set(graphs)
        self.maxpat = checked_maxpat(maxpat)
        self.starts = label_means(self.graphs) if starts is None else starts
        check_starts(self.starts, self.graphs)
        self.n_jobs = n_threads(n_jobs)
        self.look_ahead = _look_ahead(self.graphs) if look_ahead is None else look_ahead
        self.max_nodes, self.max_bytes = max_nodes, max_bytes
        self._order = CanonicalTypes.of(self.graphs, self.starts)
        self._core = _core.MiningTree(self._order.graphs.core, self._order.starts.core, self.maxpat)
        self._work_elsewhere = 0
        self.allow(max_work=max_work, max_seconds=max_seconds)

    def allow(
        self, *, max_work: int | None = None, max_seconds: float | None = None, begun: int = 0
    ) -> None:
        """Grant so much to the searches from now on, all together; None for no limit.

        ``begun`` is how much of the work until now counts against it.
        """
        if max_work is not None and max_work < 0:
            raise ValueError(f"max_work must be a whole number of at least 0. Got {max_work}.")
        self.max_work, self._work_before = max_work, self.work_spent - begun
        self.max_seconds, self.seconds_spent = max_seconds, 0.0

    def charge(self, work: int, seconds: float) -> None:
        """Count as spent what was done in another process, on the same tree."""
        self._work_elsewhere += work
        self.seconds_spent += seconds

    @property
    def growth(self) -> Growth:
        """How far the tree has grown, and what that took."""
        work = self.work_spent
        return Growth(self._core.growth(), self._core.keeps_roots, work, work - self._work_before)

    def grow_as(self, growth: Growth) -> None:
        """Grow a new tree to where another one of the same graphs was.

        Searches then do the same work as on that one; what it spent is counted by `charge`.
        """
        try:
            self._core.grow_as(growth.counts, growth.keeps_roots)
        except ValueError as error:
            raise ValueError(
                "Expected the growth of a tree of the same graphs and starts, for a tree that has "
                f"not grown yet ({error})."
            ) from error

    def search(
        self,
        residual: npt.ArrayLike,
        *,
        lam: float,
        rho: float,
        maxpat: int | None = None,
        pooling: Sequence[str] = ("best",),
        count_scale: str = "raw",
        sharing: float = 1.0,
    ) -> Found:
        """Find every pattern with |g| > lam, pruned by Theorem 2.1 (Algorithm 2).

        Parameters
        ----------
        residual : array-like of shape (n_graphs,) or (n_outputs, n_graphs)
            a_i, the negative derivative of the loss by f(G_i); a row per output if there are
            several.
        lam, rho : float
        maxpat : int, optional
            At most that of the tree, which is the default.
        pooling : sequence of {"best", "sum", "mean"}
            Channels in which a pattern may enter. With s_u the best score exp(-rho cost) among
            embeddings that put the root of the pattern (the first node of its code) on node u:
            the largest s_u, their sum, and their sum over the number of nodes of the graph.
        count_scale : {"raw", "sqrt"}
            Take sums and means as they are, or their square roots.
        sharing : float
            With several outputs, the penalty of a pattern with coefficients b is
            lam * (sharing * |b|_2 + (1 - sharing) * |b|_1): it enters if
            |S(g, (1 - sharing) lam)|_2 > sharing lam with S the soft threshold.

        Examples
        --------
        >>> graphs = GraphSet.from_lists(labels=["CCO", "CO"], edges=[[(0, 1), (1, 2)], [(0, 1)]])
        >>> tree = Tree(graphs, maxpat=1)
        >>> found = tree.search([1.0, -0.5], lam=0.6, rho=1.0, pooling=("best", "sum"))
        >>> [(tree.pattern(n).labels.tolist(), found.pooling[c]) for n, c in zip(
        ...     found.nodes, found.channels)]
        [([0], 'sum')]
        >>> found.g
        array([1.5])
        """
        array = self._residual(residual)
        asked = (np.atleast_2d(array), checked_rho(rho), checked_lam(lam), self._limited(maxpat))
        names = checked_pooling(pooling)
        channels = (_core_channels(names), checked_scale(count_scale), checked_sharing(sharing))
        with self._budget() as budget:
            met = self._core.search(*asked, *channels, self.look_ahead, self.n_jobs, **budget)
        nodes, g, g_bar, sizes, n_visited, n_made, places, norms = met
        if array.ndim == 1:
            g, g_bar = g[:, 0], g_bar[:, 0]
        return Found(nodes, g, g_bar, sizes, n_visited, n_made, places, norms, names)

    def lambda_max(
        self,
        residual: npt.ArrayLike,
        *,
        rho: float,
        maxpat: int | None = None,
        pooling: Sequence[str] = ("best",),
        count_scale: str = "raw",
        sharing: float = 1.0,
    ) -> tuple[float, int]:
        """Smallest lam at which `search` finds nothing, and the node that goes last (-1 for none).

        With one residual and channel that is the largest |g| over all patterns.
        """
        array = np.atleast_2d(self._residual(residual))
        names = checked_pooling(pooling)
        channels = (_core_channels(names), checked_scale(count_scale), checked_sharing(sharing))
        size = self._limited(maxpat)
        with self._budget() as budget:
            value, node, _, _ = self._core.largest(
                array, checked_rho(rho), size, *channels, **budget
            )
        return value, node

    @property
    def order(self) -> CanonicalTypes:
        """The order of types and edge labels in which codes are minimum."""
        return self._order

    def roots(self) -> tuple[npt.NDArray[np.int64], Codes]:
        """Return the tree nodes of patterns of one node, and their types in canonical order."""
        return self._core.roots

    def children(
        self, nodes: npt.NDArray[np.int64], *, maxpat: int | None = None
    ) -> tuple[Codes, npt.NDArray[np.int64], Codes, Codes]:
        """Return the children of tree nodes for walks of a maxpat, grown if need be.

        With `signed_sums`, this is one round of a search that several trees make together, each of
        them with a part of the graphs.

        Returns
        -------
        parents : ndarray of shape (n_children,)
            Positions in `nodes`.
        nodes : ndarray of shape (n_children,)
        edges : ndarray of shape (n_children, 3)
            The last edge of each code: from, to, label.
        to_types : ndarray of shape (n_children,)
            Type of the node that the edge leads to. Labels and types are in canonical order.
        """
        size = self._limited(maxpat)
        with self._budget() as budget:
            return self._core.children(nodes, size, **budget)

    def signed_sums(
        self,
        nodes: npt.NDArray[np.int64],
        residual: npt.ArrayLike,
        *,
        rho: float,
        pooling: Sequence[str] = ("best",),
        count_scale: str = "raw",
    ) -> tuple[Floats, Floats]:
        """Split g of tree nodes by the sign of the residual, so that parts of the graphs add up.

        With (up, down) summed over all graphs, g = up - down and g_bar = max(up, down).

        Returns
        -------
        up, down : ndarray of shape (n_nodes, n_channels, n_outputs)
            Arguments are those of `search`.
        """
        array = np.atleast_2d(self._residual(residual))
        channels = (_core_channels(checked_pooling(pooling)), checked_scale(count_scale))
        with self._budget() as budget:
            return self._core.signed_sums(nodes, array, checked_rho(rho), *channels, **budget)

    def pattern(self, node: int) -> Pattern:
        """Return the pattern of a tree node; its first node is its root."""
        types, edges, edge_labels = self._core.pattern(int(node))
        types = self._order.types[types]
        labels = self.starts.type_labels[types]
        return Pattern(types, labels, edges, self._order.edge_labels[edge_labels])

    def find(self, pattern: Pattern) -> int:
        """Return the tree node of a pattern that `pattern` gave, on this tree or one made alike."""
        types = _places(pattern.types, self._order.types)
        edge_labels = _places(pattern.edge_labels, self._order.edge_labels)
        node: int = self._core.find(types, pattern.edges, edge_labels)
        if node < 0:
            raise ValueError(
                "Expected a pattern of this tree, but none of its graphs holds it with at most "
                f"{self.maxpat} nodes; it must come from the same training graphs and starts."
            )
        return node

    def costs(self, node: int) -> tuple[Codes, Floats]:
        """Return the graphs that hold the node's pattern and D, its minimum initial cost there."""
        return self._core.supports(int(node))

    def root_costs(self, node: int) -> tuple[Codes, Floats]:
        """Return for each image of the node's root its graph and the minimum initial cost there.

        Costs ascend within a graph. A tree that was grown without them looks them up once.
        """
        return self._core.root_costs(int(node))

    @property
    def n_nodes(self) -> int:
        """Number of tree nodes made so far."""
        return self._core.n_nodes

    @property
    def work_spent(self) -> int:
        """Work of all searches since the tree was made, see `max_work`."""
        return self._core.work_spent + self._work_elsewhere

    @property
    def n_bytes(self) -> int:
        """Memory the tree holds."""
        return self._core.n_bytes

    def _residual(self, residual: npt.ArrayLike) -> Floats:
        array = np.ascontiguousarray(residual, dtype=np.float64)
        if array.ndim not in (1, 2) or array.shape[-1] != len(self.graphs) or not len(array):
            raise ValueError(
                f"Expected a residual with one number per graph, that is {len(self.graphs)}, "
                f"or a row of them per output. Got shape {array.shape} instead."
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
        if checked_maxpat(maxpat) > self.maxpat:
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
            spent = self.work_spent - self._work_before
            yield {
                "max_work": None if self.max_work is None else max(self.max_work - spent, 0),
                "max_nodes": self.max_nodes,
                "max_bytes": self.max_bytes,
                "max_seconds": None if limit is None else max(limit - self.seconds_spent, 0.0),
            }
        finally:
            self.seconds_spent += perf_counter() - start


def _core_channels(names: tuple[str, ...]) -> list[_core.Pooling]:
    return [_core.Pooling[name] for name in names]


def _places(names: Codes, order: Codes) -> Codes:
    """Find each name in an order; -1 if it is not there."""
    place = np.full(int(max(names.max(initial=0), order.max(initial=0))) + 1, -1, dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return place[names]


def _look_ahead(graphs: GraphSet) -> float:
    n_nodes = max(len(graphs.labels), 1)
    return LOOK_AHEAD if 2.0 * len(graphs.edges) / n_nodes < DENSE_DEGREE else 1.0
