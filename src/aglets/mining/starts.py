"""Node types: labels with the attributes at which graphlets start."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aglets import _core
from aglets.graphs import GraphSet
from aglets.graphs.arrays import Codes, Floats

__all__ = ["Starts", "check_starts", "free_types", "label_means"]


@dataclass(frozen=True)
class Starts:
    """Node types: labels with the attributes at which graphlets start.

    Parameters
    ----------
    type_labels : ndarray of shape (n_types,)
        Label code of each type, ascending; several types may share a label.
    type_starts : ndarray of shape (n_types, n_attributes)
    edge_starts : ndarray of shape (n_edge_labels, n_edge_attributes)
        Where the edge attributes of graphlets start, by edge label.
    """

    type_labels: Codes
    type_starts: Floats
    edge_starts: Floats

    @cached_property
    def core(self) -> _core.Starts:
        """The same in the compiled core."""
        return _core.Starts(
            np.ascontiguousarray(self.type_labels, dtype=np.int32),
            np.ascontiguousarray(self.type_starts, dtype=np.float64),
            np.ascontiguousarray(self.edge_starts, dtype=np.float64),
        )


def label_means(graphs: GraphSet) -> Starts:
    """One type per label, starting at the mean of the label's attributes: the paper's choice."""
    n_labels = len(graphs.vocabulary)
    n_edge_labels = 1 if graphs.edge_vocabulary is None else max(len(graphs.edge_vocabulary), 1)
    edge_rows = graphs.edge_attributes
    if edge_rows is None:
        edge_rows = np.empty((len(graphs.edges), 0))
    edge_codes = graphs.edge_labels
    if edge_codes is None:
        edge_codes = np.zeros(len(graphs.edges), dtype=np.int32)
    return Starts(
        np.arange(n_labels, dtype=np.int32),
        _means(graphs.attributes, graphs.labels, n_labels),
        _means(edge_rows, edge_codes, n_edge_labels),
    )


def _means(rows: Floats, codes: Codes, n_codes: int) -> Floats:
    """Mean row of each code, the same to the last bit in whatever order the rows come."""
    means = np.zeros((n_codes, rows.shape[1]))
    for code in range(n_codes) if rows.shape[1] else ():
        own = rows[codes == code]
        if len(own):
            means[code] = np.sort(own, axis=0).sum(axis=0) / len(own)
    return means


def free_types(graphs: GraphSet) -> Starts:
    """One type per label for walks that look at no costs."""
    n_labels = len(graphs.vocabulary)
    n_edge_labels = 1 if graphs.edge_vocabulary is None else max(len(graphs.edge_vocabulary), 1)
    return Starts(
        np.arange(n_labels, dtype=np.int32),
        np.zeros((n_labels, graphs.n_attributes)),
        np.zeros((n_edge_labels, graphs.n_edge_attributes)),
    )


def check_starts(starts: Starts, graphs: GraphSet) -> None:
    """Refuse starts that do not fit the graphs."""
    shapes = {
        "type_starts": (starts.type_starts.shape, (len(starts.type_labels), graphs.n_attributes)),
        "edge_starts": (
            starts.edge_starts.shape,
            (len(starts.edge_starts), graphs.n_edge_attributes),
        ),
    }
    for name, (came, expected) in shapes.items():
        if came != expected:
            raise ValueError(
                f"Expected {name} of shape {expected}, a row per type and a column per attribute. "
                f"Got shape {came} instead."
            )
    if np.any(np.diff(starts.type_labels) < 0):
        raise ValueError("Expected type_labels in ascending order; sort the types by label.")
