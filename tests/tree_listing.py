"""Every node of a mining tree, by its pattern in the reference's canonical form."""

from __future__ import annotations

import numpy as np
from reference.patterns import Pattern, pattern_of
from reference.search import Starts, label_means

from aglets import GraphSet, mining


def node_pattern(tree: mining.Tree, node: int) -> Pattern:
    """The canonical form of a tree node's pattern."""
    found = tree.pattern(node)
    return pattern_of(found.types, found.edges, found.edge_labels)


def listed(tree: mining.Tree, graphs: GraphSet, maxpat: int | None = None) -> dict[Pattern, int]:
    """Tree node of every pattern: with a residual of ones and lam = 0 nothing is pruned."""
    # psi must not underflow to zero, hence the small rho.
    found = tree.search(np.ones(len(graphs)), lam=0.0, rho=1e-3, maxpat=maxpat)
    nodes = {node_pattern(tree, int(node)): int(node) for node in found.nodes}
    assert len(nodes) == len(found.nodes), "two tree nodes hold the same pattern"
    return nodes


def reference_starts(starts: mining.Starts | None, plain: list) -> Starts:
    """The starts of a tree as the reference takes them."""
    if starts is None:
        return label_means(plain)
    return Starts(starts.type_labels, starts.type_starts, starts.edge_starts)
