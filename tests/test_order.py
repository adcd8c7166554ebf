"""The order of graphs by content."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from aglets import GraphSet
from aglets.graphs.order import content_order


def random_graphs(rng, with_attributes):
    labels = [rng.integers(2, size=rng.integers(1, 4)).tolist() for _ in range(30)]
    edges = [[(0, 1)] if len(own) > 1 and rng.random() < 0.5 else [] for own in labels]
    attributes = None
    if with_attributes:
        attributes = [rng.integers(2, size=(len(own), 2)).astype(float) for own in labels]
    return GraphSet.from_lists(labels=labels, edges=edges, attributes=attributes)


def tuples_of(graphs, columns):
    """What each graph holds, to be compared entry by entry."""
    keys = []
    for i, (start, end) in enumerate(pairwise(graphs.node_offsets)):
        degrees = np.bincount(graphs.ends.ravel(), minlength=len(graphs.labels))
        rows = np.column_stack([graphs.labels, graphs.attributes, degrees])[start:end].tolist()
        flat = [entry for row in sorted(rows) for entry in row]
        own = [column[i] for column in columns]
        keys.append((*own, graphs.n_nodes[i], graphs.n_edges[i], *flat))
    return keys


@pytest.mark.parametrize("seed", range(12))
def test_graphs_are_sorted_as_the_tuples_of_what_they_hold(seed):
    rng = np.random.default_rng(seed)
    graphs = random_graphs(rng, seed % 2 == 1)
    columns = [rng.integers(2, size=len(graphs)) for _ in range(seed % 3)]
    keys = tuples_of(graphs, columns)
    expected = sorted(range(len(graphs)), key=keys.__getitem__)
    np.testing.assert_array_equal(content_order(graphs, *columns), expected)


def test_gaps_in_targets_are_equal_to_each_other():
    graphs = GraphSet.from_lists(labels=["CO", "CC", "CN"], edges=[[], [], []])
    gaps = np.full(3, np.nan)
    np.testing.assert_array_equal(content_order(graphs, gaps), content_order(graphs))
