"""Graphlets as columns of a model file, and back, with every number checked.

Graphlets lie behind each other like the graphs of a GraphSet: graphlet j owns rows
``node_offsets[j]`` to ``node_offsets[j + 1]`` of ``labels`` (positions in the vocabulary) and
``attributes``, and likewise for its edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.graphlets import Graphlet
from aglets.graphlets.graphlet import COUNT_SCALES, POOLINGS
from aglets.preprocessing.input_spec import InputSpec

__all__ = [
    "COLUMNS",
    "Arrays",
    "checked_array",
    "checked_offsets",
    "graphlet_columns",
    "offsets",
    "read_graphlets",
]

Arrays = dict[str, NDArray[Any]]

COLUMNS = (
    *("node_offsets", "labels", "attributes"),
    *("edge_offsets", "edges", "edge_labels", "edge_attributes", "pooling", "count_scale"),
)


def graphlet_columns(
    graphlets: Sequence[Graphlet], input_spec: InputSpec, *, prefix: str = ""
) -> Arrays:
    """Write graphlets as arrays, whose names begin with the prefix."""
    arrays: Arrays = {
        "node_offsets": offsets([len(h.labels) for h in graphlets]),
        "labels": _encoded([label for h in graphlets for label in h.labels], input_spec.vocabulary),
        "attributes": _stacked([h.attributes for h in graphlets], input_spec.n_attributes),
        "edge_offsets": offsets([len(h.edges) for h in graphlets]),
        "edges": _stacked([h.edges for h in graphlets], 2).astype(np.int32),
    }
    if input_spec.edge_vocabulary is not None:
        labels = [label for h in graphlets for label in (h.edge_labels or ())]
        arrays["edge_labels"] = _encoded(labels, input_spec.edge_vocabulary)
    if input_spec.n_edge_attributes:
        rows = [h.edge_attributes for h in graphlets if h.edge_attributes is not None]
        arrays["edge_attributes"] = _stacked(rows, input_spec.n_edge_attributes)
    if any(h.pooling != "best" for h in graphlets):
        arrays["pooling"] = np.array([POOLINGS.index(h.pooling) for h in graphlets], np.int32)
    if any(h.count_scale != "raw" for h in graphlets):
        codes = [COUNT_SCALES.index(h.count_scale) for h in graphlets]
        arrays["count_scale"] = np.array(codes, np.int32)
    return {prefix + name: array for name, array in arrays.items()}


def read_graphlets(
    arrays: Arrays, count: int, input_spec: InputSpec, *, prefix: str = ""
) -> list[Graphlet]:
    """Read so many graphlets; a ValueError says in half a sentence what is wrong."""
    node_offsets = checked_offsets(arrays, f"{prefix}node_offsets", count)
    edge_offsets = checked_offsets(arrays, f"{prefix}edge_offsets", count)
    n_nodes, n_edges = int(node_offsets[-1]), int(edge_offsets[-1])
    labels = _labels(arrays, f"{prefix}labels", n_nodes, input_spec.vocabulary)
    attributes = checked_array(
        arrays, f"{prefix}attributes", "f", (n_nodes, input_spec.n_attributes)
    )
    edges = checked_array(arrays, f"{prefix}edges", "i", (n_edges, 2))
    edge_labels = edge_attributes = None
    if input_spec.edge_vocabulary is not None:
        edge_labels = _labels(arrays, f"{prefix}edge_labels", n_edges, input_spec.edge_vocabulary)
    if input_spec.n_edge_attributes:
        shape = (n_edges, input_spec.n_edge_attributes)
        edge_attributes = checked_array(arrays, f"{prefix}edge_attributes", "f", shape)
    pooling = _chosen(arrays, f"{prefix}pooling", count, POOLINGS)
    count_scale = _chosen(arrays, f"{prefix}count_scale", count, COUNT_SCALES)
    graphlets = []
    for j in range(count):
        nodes = slice(int(node_offsets[j]), int(node_offsets[j + 1]))
        rows = slice(int(edge_offsets[j]), int(edge_offsets[j + 1]))
        graphlets.append(
            Graphlet(
                labels=labels[nodes],
                edges=edges[rows],
                attributes=attributes[nodes],
                edge_labels=None if edge_labels is None else edge_labels[rows],
                edge_attributes=None if edge_attributes is None else edge_attributes[rows],
                attribute_names=input_spec.attribute_names,
                recipe=input_spec.recipe,
                pooling=pooling[j],
                count_scale=count_scale[j],
            )
        )
    return graphlets


def offsets(lengths: Sequence[int]) -> NDArray[np.int64]:
    """Say where each of several pieces of these lengths begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)


def checked_array(
    arrays: Arrays, name: str, kind: str, shape: tuple[int | None, ...]
) -> NDArray[Any]:
    """Take an array of float ("f") or int ("i") numbers of the shape; None fits any length."""
    array = arrays.get(name)
    if array is None:
        raise ValueError(f"{name}.npy is missing")
    fits = len(array.shape) == len(shape) and all(
        expected is None or came == expected
        for came, expected in zip(array.shape, shape, strict=True)
    )
    if array.dtype.kind != kind or not fits:
        wanted = "(" + ", ".join("any" if n is None else str(n) for n in shape) + ")"
        raise ValueError(f"{name}.npy has shape {array.shape}, expected {wanted} of kind {kind!r}")
    return array


def checked_offsets(arrays: Arrays, name: str, count: int) -> NDArray[Any]:
    """Take what :func:`offsets` gave for so many pieces."""
    starts = checked_array(arrays, name, "i", (count + 1,))
    if starts[0] != 0 or (starts[1:] < starts[:-1]).any():
        raise ValueError(f"{name}.npy does not count upwards from 0")
    return starts


def _encoded(labels: Sequence[Any], vocabulary: Sequence[Any]) -> NDArray[np.int32]:
    position = {value: code for code, value in enumerate(vocabulary)}
    return np.array([position[label] for label in labels], dtype=np.int32)


def _stacked(rows: Sequence[Any], width: int) -> NDArray[Any]:
    return np.concatenate([np.empty((0, width)), *(np.reshape(r, (len(r), width)) for r in rows)])


def _chosen(arrays: Arrays, name: str, count: int, values: tuple[str, ...]) -> list[str]:
    """Read one of some values for each graphlet; a file without them means the first."""
    if name not in arrays:
        return [values[0]] * count
    codes = checked_array(arrays, name, "i", (count,))
    if count and not (codes.min() >= 0 and codes.max() < len(values)):
        raise ValueError(f"{name}.npy holds numbers other than 0 to {len(values) - 1}")
    return [values[code] for code in codes]


def _labels(arrays: Arrays, name: str, count: int, vocabulary: Sequence[Any]) -> list[Any]:
    codes = checked_array(arrays, name, "i", (count,))
    if count and not (codes.min() >= 0 and codes.max() < len(vocabulary)):
        raise ValueError(f"{name}.npy points outside of the vocabulary")
    return [vocabulary[code] for code in codes]
