"""Labels for graphs whose nodes have none: how many neighbours a node has.

Patterns of nodes that all look alike say little and are many. The degree of a node makes the
difference. Degrees below `EXACT` are labels of their own; from there on a label stands for a range
that grows by a quarter of its lower end each time, and from `CAP` on all are one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from aglets.graphs import Graph, GraphSet
from aglets.graphs.arrays import Codes, Ints

__all__ = ["NodeLabels", "label_nodes", "labelling_text", "lacks_labels"]

#: "none" takes labels as they are, "degree" makes them of degrees; a function gives the labels of
#: the nodes of a graph.
NodeLabels = str | Callable[[Graph], Sequence[Hashable]]

EXACT, CAP = 16, 128


def _bounds() -> list[int]:
    """Lower ends of the ranges of degrees."""
    ends = list(range(EXACT + 1))
    while ends[-1] < CAP:
        ends.append(min(ends[-1] + max(1, ends[-1] // 4), CAP))
    return ends


BOUNDS = _bounds()
#: Labels of all ranges, by position in `BOUNDS`.
DEGREES = (
    *(f"d{low}" if high == low + 1 else f"d{low}..{high - 1}" for low, high in pairwise(BOUNDS)),
    f"d{CAP}+",
)


def lacks_labels(graphs: GraphSet) -> bool:
    """Whether all nodes have the same label, so that labels say nothing; atoms always have theirs.

    Examples
    --------
    >>> lacks_labels(GraphSet.from_lists(labels=[[0, 0]], edges=[[(0, 1)]]))
    True
    """
    if graphs.recipe is not None and '"molecule"' in graphs.recipe:
        return False
    return len(graphs.labels) > 0 and bool((graphs.labels == graphs.labels[0]).all())


def label_nodes(graphs: GraphSet, how: NodeLabels) -> GraphSet:
    """Return the graphs with labels of another making.

    Parameters
    ----------
    graphs : GraphSet
    how : {"none", "degree"} or callable
        A function is called with each `Graph` and returns one label per node. It should not look at
        the labels of the graph, so that it may be called again for graphs that have its labels.

    Examples
    --------
    >>> star = GraphSet.from_lists(labels=[[0] * 4], edges=[[(0, 1), (0, 2), (0, 3)]])
    >>> label_nodes(star, "degree")[0].labels
    ['d3', 'd1', 'd1', 'd1']
    """
    if how == "none":
        return graphs
    if how == "degree":
        codes = np.searchsorted(BOUNDS, _degrees(graphs), side="right") - 1
        return replace(graphs, labels=codes.astype(np.int32), vocabulary=DEGREES)
    if isinstance(how, str):
        raise ValueError(f"node_labels must be 'none', 'degree' or a function. Got {how!r}.")
    return _labelled_by(graphs, how)


def labelling_text(how: NodeLabels) -> str:
    """Name a way to make labels; "function" for all functions."""
    return how if isinstance(how, str) else "function"


def _degrees(graphs: GraphSet) -> Ints:
    return np.bincount(graphs.ends.ravel(), minlength=len(graphs.labels))


def _labelled_by(graphs: GraphSet, function: Callable[[Graph], Sequence[Hashable]]) -> GraphSet:
    labels: list[list[Any]] = []
    for i, graph in enumerate(graphs):
        own = list(function(graph))
        if len(own) != graph.n_nodes:
            raise ValueError(
                f"Expected the function of node_labels to return one label per node, that is "
                f"{graph.n_nodes} for graph {i}. Got {len(own)} instead."
            )
        labels.append(own)
    made = GraphSet.from_lists(labels=labels, edges=[[] for _ in labels])
    codes: Codes = made.labels
    return replace(graphs, labels=codes, vocabulary=made.vocabulary)
