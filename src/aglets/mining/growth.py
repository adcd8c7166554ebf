"""How far a mining tree has grown, so that another one can be grown to the same state."""

from __future__ import annotations

from dataclasses import dataclass

from aglets.graphs.arrays import Codes

__all__ = ["Growth"]


@dataclass(frozen=True)
class Growth:
    """The state of a tree on which the work of further searches depends.

    Parameters
    ----------
    counts : ndarray of shape (n_nodes, 2)
        Numbers of backward and of forward children of each node plus one, 0 if they were not made;
        in tree order, parents before children.
    keeps_roots : bool
        Whether the tree keeps costs by image of the root, as channels that count need them.
    work : int
        Work of all searches until then.
    begun : int
        Part of it that counts against what was last granted.
    """

    counts: Codes
    keeps_roots: bool
    work: int
    begun: int
