"""Starting vectors of graphlets from sums over shards: means of labels, and k-means.

What crosses has one row per label or per centre. With one start per label the result is that of
`starting_vectors` but for rounding. With several, k-means begins at rows far from each other,
because draws from all rows together would need them in one place: its centres may differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Codes, Floats
from aglets.mining import Starts
from aglets.training.engine.calls import ask
from aglets.training.engine.local import LocalPlacement, planted_tree
from aglets.training.engine.protocol import MiningPlan
from aglets.training.sample import Sample
from aglets.training.stored import StoredPiece

__all__ = ["Shard", "joint_starts", "loaded_shard"]

#: Rounds of k-means, and the change of centres, as a part of the spread, at which it ends.
MAX_ROUNDS, TOLERANCE = 100, 1e-4


class Shard:
    """A part of the training graphs, before its tree is planted.

    Parameters
    ----------
    sample : Sample
        In model units.
    """

    def __init__(self, sample: Sample) -> None:
        self._sample = sample
        graphs = sample.graphs
        self._node_weight = np.repeat(sample.sample_weight, graphs.n_nodes)

    def label_sums(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Weight and sum of attributes of the nodes of each label, then of the edges."""
        graphs = self._sample.graphs
        edge_weight = np.repeat(self._sample.sample_weight, graphs.n_edges)
        rows, codes = _edge_columns(graphs)
        nodes = _sums(graphs.attributes, graphs.labels, self._node_weight, len(graphs.vocabulary))
        return (*nodes, *_sums(rows, codes, edge_weight, _n_edge_labels(graphs)))

    def farthest(self, labels: Codes, centres: Floats) -> tuple[Floats, Floats]:
        """Return, per label, the row farthest from all its centres, and its squared distance.

        The distance is -1 where this shard has no row of a label.
        """
        graphs = self._sample.graphs
        n_labels = len(graphs.vocabulary)
        distance, row = np.full(n_labels, -1.0), np.zeros((n_labels, graphs.n_attributes))
        for label in range(n_labels):
            own = graphs.attributes[(graphs.labels == label) & (self._node_weight > 0.0)]
            theirs = centres[labels == label]
            if len(own) and len(theirs):
                squares = _squared_distances(own, theirs).min(axis=1)
                at = int(squares.argmax())
                distance[label], row[label] = squares[at], own[at]
        return distance, row

    def cluster_sums(self, labels: Codes, centres: Floats) -> tuple[Floats, Floats]:
        """Weight and sum of attributes of the nodes that are nearest to each centre."""
        graphs = self._sample.graphs
        nearest = np.full(len(graphs.labels), -1, dtype=np.int64)
        for label in np.unique(labels).tolist():
            own, theirs = graphs.labels == label, np.flatnonzero(labels == label)
            squares = _squared_distances(graphs.attributes[own], centres[theirs])
            nearest[own] = theirs[squares.argmin(axis=1)]
        return _sums(graphs.attributes, nearest, self._node_weight, len(centres))

    def plant(self, starts: Starts, plan: MiningPlan) -> LocalPlacement:
        """Plant the tree of these graphs."""
        return LocalPlacement(self._sample, planted_tree(self._sample.graphs, starts, plan))


def loaded_shard(piece: Sample | StoredPiece) -> Shard:
    """Make a shard of graphs that are here, or in a file."""
    return Shard(piece.load())


def joint_starts(shards: Sequence[Any], k: int) -> Starts:
    """Find up to k starting vectors per label from sums over shards."""
    parts = ask(shards, "label_sums")
    weight, total, edge_weight, edge_total = (sum(part[j] for part in parts) for j in range(4))
    means = _means(weight, total)
    labels = np.arange(len(means), dtype=np.int32)
    if k > 1 and means.shape[1]:
        labels, means = _clusters(shards, labels, means, k)
    return Starts(labels, means, _means(edge_weight, edge_total))


def _clusters(shards: Sequence[Any], labels: Codes, means: Floats, k: int) -> tuple[Codes, Floats]:
    """K-means per label, from rows that lie far from each other."""
    seeds = _farthest(shards, labels, means)
    spread = max(float(seeds[0].max(initial=0.0)), 0.0)
    seen = seeds[0] >= 0.0
    centres, owners = np.where(seen[:, None], seeds[1], means), labels
    for _ in range(k - 1):
        distance, rows = _farthest(shards, owners, centres)
        new = distance > 0.0
        if not new.any():
            break
        centres = np.concatenate([centres, rows[new]])
        owners = np.concatenate([owners, labels[new]])
    order = np.argsort(owners, kind="stable")
    centres, owners = centres[order], owners[order]
    for _ in range(MAX_ROUNDS):
        parts = ask(shards, "cluster_sums", owners, centres)
        weight, total = (sum(part[j] for part in parts) for j in range(2))
        moved = np.where(weight[:, None] > 0.0, _means(weight, total), centres)
        change = float(((moved - centres) ** 2).sum())
        centres = moved
        if change <= TOLERANCE * spread:
            break
    rows = np.unique(np.column_stack([owners, centres]), axis=0)
    return rows[:, 0].astype(np.int32), np.ascontiguousarray(rows[:, 1:])


def _farthest(shards: Sequence[Any], labels: Codes, centres: Floats) -> tuple[Floats, Floats]:
    parts = ask(shards, "farthest", labels, centres)
    distances = np.stack([distance for distance, _ in parts])
    best = distances.argmax(axis=0)
    each = np.arange(distances.shape[1])
    return distances[best, each], np.stack([rows for _, rows in parts])[best, each]


def _sums(rows: Floats, codes: Any, weight: Floats, n_codes: int) -> tuple[Floats, Floats]:
    """Weight, and weighted sum of rows, of each code; -1 is none."""
    seen = codes >= 0
    codes, weight = codes[seen], weight[seen]
    total = np.zeros((n_codes, rows.shape[1]))
    for j, column in enumerate(rows[seen].T):
        total[:, j] = np.bincount(codes, weights=weight * column, minlength=n_codes)
    return np.bincount(codes, weights=weight, minlength=n_codes).astype(np.float64), total


def _means(weight: Floats, total: Floats) -> Floats:
    return np.asarray(total / np.where(weight > 0.0, weight, 1.0)[:, None])


def _squared_distances(rows: Floats, centres: Floats) -> Floats:
    return np.asarray(((rows[:, None, :] - centres[None]) ** 2).sum(axis=2))


def _edge_columns(graphs: GraphSet) -> tuple[Floats, Codes]:
    rows, codes = graphs.edge_attributes, graphs.edge_labels
    if rows is None:
        rows = np.empty((len(graphs.edges), 0))
    return rows, np.zeros(len(graphs.edges), dtype=np.int32) if codes is None else codes


def _n_edge_labels(graphs: GraphSet) -> int:
    return 1 if graphs.edge_vocabulary is None else max(len(graphs.edge_vocabulary), 1)
