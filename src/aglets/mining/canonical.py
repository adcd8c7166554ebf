"""An order of types and edge labels that depends on what they are, not on how they came.

The root of a pattern is the first node of its minimum DFS code, and minimum means: by the order of
types and edge labels. Sums and means are taken over images of the root, so that order must be the
same for the same labels. Label values are ordered as `GraphSet` orders a vocabulary; types of one
label by their starting vectors.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Codes
from aglets.graphs.checks import vocabulary_of
from aglets.mining.starts import Starts

__all__ = ["CanonicalTypes"]


@dataclass(frozen=True)
class CanonicalTypes:
    """A set of graphs and its starts in canonical order, and the way back.

    Parameters
    ----------
    graphs : GraphSet
    starts : Starts
    types, edge_labels : ndarray
        What the types and edge labels in canonical order are called outside.

    Examples
    --------
    >>> from aglets.mining import label_means
    >>> graphs = GraphSet.from_lists(labels=["CO"], edges=[[(0, 1)]]).with_vocabulary(("O", "C"))
    >>> found = CanonicalTypes.of(graphs, label_means(graphs))
    >>> found.graphs.vocabulary, found.types
    (('C', 'O'), array([1, 0], dtype=int32))
    """

    graphs: GraphSet
    starts: Starts
    types: Codes
    edge_labels: Codes

    @classmethod
    def of(cls, graphs: GraphSet, starts: Starts) -> CanonicalTypes:
        """Bring graphs and starts into canonical order."""
        rank, edge_rank = _ranks(graphs.vocabulary), _ranks(graphs.edge_vocabulary or ())
        labels = rank[starts.type_labels] if len(rank) else starts.type_labels
        types = np.lexsort((*starts.type_starts.T[::-1], labels)).astype(np.int32)
        n_edge_labels = max(len(edge_rank), len(starts.edge_starts), 1)
        edge_labels = np.arange(n_edge_labels, dtype=np.int32)
        edge_labels[: len(edge_rank)] = np.argsort(edge_rank)
        if _is_identity(types) and _is_identity(edge_labels):
            return cls(graphs, starts, types, edge_labels)
        canonical = graphs.with_vocabulary(
            vocabulary_of(graphs.vocabulary),
            None if graphs.edge_vocabulary is None else vocabulary_of(graphs.edge_vocabulary),
        )
        edge_starts = starts.edge_starts
        if len(edge_starts) == n_edge_labels:
            edge_starts = edge_starts[edge_labels]
        ordered = Starts(labels[types], starts.type_starts[types], edge_starts)
        return cls(canonical, ordered, types, edge_labels)


def _ranks(vocabulary: tuple[Hashable, ...]) -> Codes:
    """Return the place of each value among all, in canonical order."""
    place = {value: i for i, value in enumerate(vocabulary_of(vocabulary))}
    return np.array([place[value] for value in vocabulary], dtype=np.int32)


def _is_identity(order: Codes) -> bool:
    return bool(np.array_equal(order, np.arange(len(order))))
