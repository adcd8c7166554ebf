"""Edges of many graphs: their checks, and the canonical form a `GraphSet` stores.

As in `_checks`, all faults of one kind are collected before one message is raised.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.graphs.arrays import Codes, Floats, Ints
from aglets.graphs.checks import Vocabulary, capitalised, listing, offsets_of, used_only


def stack_edges(entries: Sequence[Any]) -> tuple[Ints, Ints]:
    """Return all edges as one (E, 2) array of local positions, and how many each graph has."""
    arrays, faults = [], []
    for i, entry in enumerate(entries):
        pairs = entry if isinstance(entry, np.ndarray) else _as_array(entry)
        if pairs is not None and pairs.size == 0:
            pairs = np.empty((0, 2), dtype=np.int64)
        if pairs is None or pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
            faults.append(f"graph {i}")
            continue
        arrays.append(pairs)
    if faults:
        raise ValueError(
            f"Expected the edges of a graph to be pairs of node positions (whole numbers), but not "
            f"so in {listing(faults)}; give each graph a list such as [(0, 1), (1, 2)], "
            "and put a single graph in a list of one."
        )
    counts = np.array([len(pairs) for pairs in arrays], dtype=np.int64)
    edges = np.concatenate(arrays) if arrays else np.empty((0, 2))
    return edges.astype(np.int64), counts


def _as_array(entry: Any) -> npt.NDArray[Any] | None:
    try:
        return np.asarray(list(entry))
    except (TypeError, ValueError):
        return None


def check_one_label_each(lists: list[list[Any]], n_edges: Ints) -> None:
    """Raise unless every graph has as many edge labels as edges."""
    faults = [
        f"graph {i} has {len(labels)} edge labels for {count} edges"
        for i, (labels, count) in enumerate(zip(lists, n_edges, strict=True))
        if len(labels) != count
    ]
    if faults:
        raise ValueError(
            f"{capitalised(listing(faults))}; give one label per edge, in the order of the edges."
        )


def check_edge_ends(edges: Ints, edge_graphs: Ints, n_nodes: Ints) -> None:
    """Raise if an edge ends at a node its graph does not have."""
    bad = ((edges < 0) | (edges >= n_nodes[edge_graphs, None])).any(axis=1)
    if not bad.any():
        return
    faults = [
        f"graph {graph} has edge ({u}, {v}) but only {n_nodes[graph]} nodes"
        for graph, (u, v) in zip(edge_graphs[bad], edges[bad], strict=True)
    ]
    raise ValueError(
        f"{capitalised(listing(faults))}; edges are pairs of node positions within their graph, "
        "counted from 0."
    )


def canonical_edges(
    node_offsets: Ints,
    edge_graphs: Ints,
    edges: Ints,
    codes: Codes | None,
    vocabulary: Vocabulary | None,
    attributes: Floats | None,
) -> tuple[Ints, Codes, Codes | None, Vocabulary | None, Floats | None]:
    """Bring edges to the form of a `GraphSet`: u < v, sorted in each graph, unique, no loops.

    Self-loops are dropped with one warning. An edge given several times becomes one: different
    labels are an error, different attributes are averaged with one warning (several formats list
    an undirected edge in both directions, and some measure it in both).

    Returns
    -------
    edge_offsets, edges, codes, vocabulary, attributes
        The vocabulary is cut to the labels still in use.
    """
    n_graphs = len(node_offsets) - 1
    loops = edges[:, 0] == edges[:, 1]
    if loops.any():
        warnings.warn(
            f"Dropped {loops.sum()} self-loops in {len(np.unique(edge_graphs[loops]))} graphs: "
            "subgraph patterns have none.",
            stacklevel=4,
        )
        edges, edge_graphs = edges[~loops], edge_graphs[~loops]
        codes = None if codes is None else codes[~loops]
        attributes = None if attributes is None else attributes[~loops]

    ends = np.sort(edges, axis=1)
    rows = ends + node_offsets[edge_graphs, None]
    key = rows[:, 0] * max(int(node_offsets[-1]), 1) + rows[:, 1]
    order = np.argsort(key, kind="stable")
    key, ends, edge_graphs = key[order], ends[order], edge_graphs[order]
    first = np.ones(len(key), dtype=bool)
    first[1:] = key[1:] != key[:-1]
    edge_offsets = offsets_of(np.bincount(edge_graphs[first], minlength=n_graphs))
    unique = ends[first].astype(np.int32)

    if codes is not None and vocabulary is not None:
        codes = codes[order]
        _check_one_label_per_edge(first, codes, vocabulary, edge_graphs, ends)
        codes, vocabulary = used_only(codes[first], vocabulary)
    if attributes is not None:
        attributes = _mean_of_repeats(attributes[order], first)
    return edge_offsets, unique, codes, vocabulary, attributes


def _check_one_label_per_edge(
    first: npt.NDArray[np.bool_], codes: Codes, vocabulary: Vocabulary, graphs: Ints, ends: Ints
) -> None:
    leader = np.maximum.accumulate(np.where(first, np.arange(len(first)), 0))
    conflicts = np.flatnonzero(codes != codes[leader])
    if not len(conflicts):
        return
    faults = [
        f"graph {graphs[j]} has edge ({ends[j, 0]}, {ends[j, 1]}) with labels "
        f"{vocabulary[codes[leader[j]]]!r} and {vocabulary[codes[j]]!r}"
        for j in conflicts
    ]
    raise ValueError(
        f"{capitalised(listing(faults))}; edges are undirected and carry one label each, "
        "so keep one of the two."
    )


def _mean_of_repeats(attributes: Floats, first: npt.NDArray[np.bool_]) -> Floats:
    if first.all() or attributes.shape[1] == 0:
        return np.ascontiguousarray(attributes[first])
    starts = np.flatnonzero(first)
    low = np.minimum.reduceat(attributes, starts)
    high = np.maximum.reduceat(attributes, starts)
    differ = (low != high).any(axis=1)
    merged: Floats = low
    if differ.any():
        repeats = np.diff(np.append(starts, len(first)))[:, None]
        mean = np.add.reduceat(attributes, starts) / repeats
        merged = np.where(low != high, mean, low)
        warnings.warn(
            f"Averaged the attributes of {differ.sum()} edges that were given several times with "
            "different values: edges are undirected.",
            stacklevel=5,
        )
    return merged
