"""Nodes with their neighbours, as numbers: those of training graphs, and those unlike them.

The surroundings of a node are its label, and the label of every edge at it together with the label
of the node at its other end. In a molecule that is an atom with its bonds. Two nodes with the same
surroundings have the same number of 64 bits; two with different ones have different numbers but
once in 2^64 pairs, so a set of numbers is as good as the set of surroundings itself, and small.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aglets.graphs import GraphSet

__all__ = ["MAX_SURROUNDINGS", "learn_surroundings", "surroundings", "unfamiliar_nodes"]

#: Most different surroundings that a model keeps: half a megabyte.
MAX_SURROUNDINGS = 2**16

Numbers = NDArray[np.uint64]


def surroundings(graphs: GraphSet) -> Numbers:
    """Return the number of every node's surroundings.

    Parameters
    ----------
    graphs : GraphSet
        In the labels of a model, whose codes the numbers are made of.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=["CCO", "OCC"], edges=[[(0, 1), (1, 2)]] * 2)
    >>> one, other = surroundings(graphs).reshape(2, 3)
    >>> bool((one == other[::-1]).all()), len(set(one.tolist()))
    (True, 3)
    """
    labels = graphs.labels.astype(np.int64).view(np.uint64)
    u, v = graphs.ends.T
    codes = np.zeros(len(u), dtype=np.int64) if graphs.edge_labels is None else graphs.edge_labels
    edges = _mixed(codes.astype(np.int64).view(np.uint64) + np.uint64(0x1000))
    around = np.zeros(len(labels), dtype=np.uint64)
    # A sum does not depend on the order of neighbours, and counts each as often as it is there.
    np.add.at(around, u, _mixed(edges ^ _mixed(labels[v])))
    np.add.at(around, v, _mixed(edges ^ _mixed(labels[u])))
    return _mixed(around ^ _mixed(labels + np.uint64(0x2000)))


def learn_surroundings(graphs: GraphSet) -> NDArray[np.int64] | None:
    """List all surroundings of training graphs, sorted; None if they are too many to keep."""
    found = np.unique(surroundings(graphs).view(np.int64))
    return found if len(found) <= MAX_SURROUNDINGS else None


def unfamiliar_nodes(graphs: GraphSet, known: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say of every node whether its surroundings are not among the known ones.

    A node with a label that the model does not know, or next to one, is among these.
    """
    numbers = surroundings(graphs).view(np.int64)
    places = np.searchsorted(known, numbers).clip(max=max(len(known) - 1, 0))
    return np.asarray(known[places] != numbers) if len(known) else np.ones(len(numbers), dtype=bool)


def _mixed(x: Numbers) -> Numbers:
    """Spread numbers over all 64 bits (the finaliser of splitmix64, Steele et al., 2014)."""
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(x ^ (x >> np.uint64(31)))
