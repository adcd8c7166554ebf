"""All graphs in this process: search the tree, match trained graphlets, pull their attributes.

The solver names graphlets by *handles* and holds their attributes as one flat vector `z`: for each
handle in order its node attributes row by row, then its edge attributes row by row. Every method is
a function of its arguments; what was materialised for a graphlet is only a matter of speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aglets import _core
from aglets.graphs import GraphSet
from aglets.graphs.arrays import Codes, Floats
from aglets.mining import Found, Pattern, Tree

__all__ = ["GraphletStore", "HeldOut", "LocalEngine"]


#: Largest table of embedded attributes for one graphlet; beyond it graphs are searched anew.
TABLE_BYTES = 16 << 20


class GraphletStore:
    """Patterns of a tree that entered training, with their embeddings; all paths share it.

    Parameters
    ----------
    tree : Tree
    table_bytes : int
        Largest table of embedded attributes for one graphlet.
    """

    def __init__(self, tree: Tree, table_bytes: int = TABLE_BYTES) -> None:
        self.tree = tree
        self.table_bytes = table_bytes
        self.bank = _core.GraphletBank(tree.graphs.core, table_bytes)
        self.patterns: list[Pattern] = []
        self._handles: dict[int, int] = {}
        self._held_out: dict[int, HeldOut] = {}

    def handles(self, nodes: npt.NDArray[np.int64]) -> Codes:
        """Return the handle of each tree node, taking up those that are new."""
        return np.array([self._handle(int(node)) for node in nodes], dtype=np.int32)

    def held_out(self, graphs: GraphSet) -> HeldOut:
        """Return the same patterns on other graphs, kept for the next path that asks."""
        if id(graphs) not in self._held_out:
            self._held_out[id(graphs)] = HeldOut(self, graphs)
        return self._held_out[id(graphs)]

    def _handle(self, node: int) -> int:
        if node not in self._handles:
            pattern = self.tree.pattern(node)
            self._handles[node] = self.bank.add(core_pattern(pattern), self.tree.costs(node)[0])
            self.patterns.append(pattern)
        return self._handles[node]


class HeldOut:
    """Graphs outside of training, matched with graphlets that are in it.

    Label codes must be those of the training graphs (`GraphSet.with_vocabulary`).
    """

    def __init__(self, store: GraphletStore, graphs: GraphSet) -> None:
        self.graphs = graphs
        self._store = store
        self._bank = _core.GraphletBank(graphs.core, store.table_bytes)
        self._handles: dict[int, int] = {}

    def match(self, handles: Codes, z: Floats) -> Floats:
        """Costs D of shape (n_graphlets, n_graphs), infinite where psi = 0."""
        own = np.array([self._handle(h) for h in handles.tolist()], dtype=np.int32)
        costs: Floats = self._bank.match(own, z, None, self._store.tree.n_jobs)[0]
        return costs

    def _handle(self, handle: int) -> int:
        if handle not in self._handles:
            pattern = core_pattern(self._store.patterns[handle])
            self._handles[handle] = self._bank.add(pattern, self._bank.find_support(pattern))
        return self._handles[handle]


@dataclass(frozen=True)
class LocalEngine:
    """The graphs of one process, seen at one rho and maxpat.

    Parameters
    ----------
    store : GraphletStore
        Tree and embeddings.
    rho : float
    maxpat : int
    """

    store: GraphletStore
    rho: float
    maxpat: int

    @property
    def n_graphs(self) -> int:
        """Number of graphs."""
        return len(self.store.tree.graphs)

    def search(self, residual: Floats, lam: float) -> Found:
        """Find every untrained graphlet with |g| > lam (Algorithm 2)."""
        return self.store.tree.search(residual, lam=lam, rho=self.rho, maxpat=self.maxpat)

    def lambda_max(self, residual: Floats) -> tuple[float, int]:
        """Largest |g| of all untrained graphlets, and the size of the pattern that has it."""
        tree = self.store.tree
        value, node = tree.lambda_max(residual, rho=self.rho, maxpat=self.maxpat)
        return value, 0 if node < 0 else len(tree.pattern(node).types)

    def handles(self, nodes: npt.NDArray[np.int64]) -> Codes:
        """Return the handles of tree nodes, taking up those that are new."""
        return self.store.handles(nodes)

    def pattern(self, handle: int) -> Pattern:
        """Return the pattern behind a handle."""
        return self.store.patterns[handle]

    def nodes(self, patterns: Sequence[Pattern]) -> npt.NDArray[np.int64]:
        """Return the tree nodes of patterns that were in training before."""
        return np.array([self.store.tree.find(pattern) for pattern in patterns], dtype=np.int64)

    def start(self, handles: Codes) -> Floats:
        """Return the attributes at which these graphlets start, flat."""
        starts = self.store.tree.starts
        parts = [np.empty(0)]
        for handle in handles:
            pattern = self.store.patterns[handle]
            parts.append(starts.type_starts[pattern.types].ravel())
            parts.append(starts.edge_starts[pattern.edge_labels].ravel())
        return np.concatenate(parts)

    def sizes(self, handles: Codes) -> npt.NDArray[np.int64]:
        """Count the entries of z and of sites of each graphlet, shape (n_graphlets, 2)."""
        bank = self.store.bank
        sizes = [(bank.n_attributes(h), bank.n_sites(h)) for h in handles.tolist()]
        return np.array(sizes, dtype=np.int64).reshape(-1, 2)

    def match(self, handles: Codes, z: Floats, sites: Codes | None = None) -> tuple[Floats, Codes]:
        """Costs D of shape (n_graphlets, n_graphs), infinite where psi = 0, and best embeddings.

        `sites` holds the best embeddings of an earlier call for the same handles: ties go to them.
        """
        return self.store.bank.match(handles, z, sites, self.store.tree.n_jobs)

    def pull(self, handles: Codes, z: Floats, sites: Codes, weights: Floats) -> Floats:
        """sum_i w_iH (z_H - x_i) with x_i the attributes matched in graph i; flat as z.

        The z-gradient of sum_i c_iH psi_iH is this with w = -2 rho c psi.
        """
        return self.store.bank.pull(handles, z, sites, weights)


def core_pattern(pattern: Pattern) -> _core.Pattern:
    """Return the pattern as the compiled core takes it."""
    return _core.Pattern(pattern.labels, pattern.edges, pattern.edge_labels)
