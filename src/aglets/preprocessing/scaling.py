"""Attributes on a common scale: what ``scale="standard" | "none" | "label"`` does.

AGIS compares attributes by squared distance, so a column in large units would decide alone, and a
score exp(-rho D) of raw attributes is often zero to hundreds of digits. Scaling is learned from the
nodes of the training graphs, applied to every graph that comes after, and undone for display:
graphlets are shown in the user's units.

- ``"standard"``: every column is shifted and divided by its mean and standard deviation.
- ``"label"``: the same within each node label (edge label, for edge attributes). A graphlet's nodes
  only ever meet nodes of their own label, so each label may have units of its own.
- ``"none"``: attributes as they came, which is the paper's reading.

A column that is constant in training is divided by 1; within a label it is divided by what the
column is divided by over all labels, as are nodes whose label was never seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aglets.graphs.arrays import Floats
from aglets.graphs.moments import Moments

if TYPE_CHECKING:
    from aglets.graphs import GraphSet

__all__ = ["SCALES", "AttributeScaling", "ColumnScaling", "fit_scaling", "scaling_of"]

IntArray = NDArray[np.integer]

SCALES = ("standard", "none", "label")

#: Below this part of a column's spread over all labels, a spread within one label is rounding or
#: repeated measurement, and dividing by it would let one label drown all others.
MIN_SPREAD = 1e-6


@dataclass(frozen=True, eq=False)
class ColumnScaling:
    """One shift and one factor per column: of one row, or of a row per label and one for the rest.

    Parameters
    ----------
    shift, factor : ndarray of shape (1, d) or (n_labels + 1, d)
        A value x becomes (x - shift) / factor.
    """

    shift: Floats
    factor: Floats

    def forward(self, values: Floats, codes: IntArray | None = None) -> Floats:
        """Go from the user's units to scaled ones; ``codes`` are label codes, -1 for unknown."""
        rows = self._rows(codes)
        return np.asarray((values - self.shift[rows]) / self.factor[rows])

    def inverse(self, values: Floats, codes: IntArray | None = None) -> Floats:
        """Go back to the user's units."""
        rows = self._rows(codes)
        return np.asarray(values * self.factor[rows] + self.shift[rows])

    def usual(self, codes: IntArray | None = None) -> Floats:
        """Say how large values usually are, in the user's units."""
        rows = self._rows(codes)
        return np.asarray(np.abs(self.shift[rows]) + self.factor[rows])

    def _rows(self, codes: IntArray | None) -> IntArray | slice:
        if len(self.shift) == 1:
            return slice(None)
        assert codes is not None
        return codes  # -1, an unknown label, is the last row

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ColumnScaling)
            and np.array_equal(self.shift, other.shift)
            and np.array_equal(self.factor, other.factor)
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class AttributeScaling:
    """How node and edge attributes are scaled; None leaves them as they are.

    Codes are positions in the vocabulary of the training graphs: bring other graphs to it with
    ``graphs.with_vocabulary(...)`` before they are scaled.

    Examples
    --------
    >>> from aglets import GraphSet
    >>> graphs = GraphSet.from_lists(
    ...     labels=[["C", "O"], ["C"]], edges=[[(0, 1)], []], attributes=[[[0.0], [10.0]], [[2.0]]]
    ... )
    >>> scaling = fit_scaling(graphs, "standard")
    >>> scaling.apply(graphs).attributes.std()
    np.float64(1.0)
    >>> scaling.nodes.inverse(scaling.apply(graphs).attributes).ravel()
    array([ 0., 10.,  2.])
    """

    kind: str = "none"
    nodes: ColumnScaling | None = None
    edges: ColumnScaling | None = None

    def apply(self, graphs: GraphSet) -> GraphSet:
        """Give the same graphs with scaled attributes."""
        if self.nodes is not None:
            graphs = graphs.with_attributes(self.nodes.forward(graphs.attributes, graphs.labels))
        if self.edges is not None and graphs.edge_attributes is not None:
            graphs = graphs.with_edge_attributes(
                self.edges.forward(graphs.edge_attributes, graphs.edge_labels)
            )
        return graphs


def fit_scaling(
    graphs: GraphSet, kind: str, sample_weight: Floats | None = None
) -> AttributeScaling:
    """Learn the scaling of kind "standard", "none" or "label" from training graphs.

    With ``sample_weight``, a graph of weight 2 counts as the same graph given twice.
    """
    if kind not in SCALES:
        raise ValueError(f"scale must be one of {', '.join(SCALES)}. Got {kind!r} instead.")
    if kind == "none":
        return AttributeScaling()
    by_label = kind == "label"
    weight = np.ones(len(graphs)) if sample_weight is None else sample_weight
    nodes = edges = None
    if graphs.n_attributes:
        codes = graphs.labels if by_label else None
        rows = np.repeat(weight, graphs.n_nodes)
        nodes = _fit_columns(graphs.attributes, rows, codes, len(graphs.vocabulary))
    if graphs.edge_attributes is not None and graphs.n_edge_attributes:
        codes = graphs.edge_labels if by_label else None
        rows = np.repeat(weight, graphs.n_edges)
        edges = _fit_columns(graphs.edge_attributes, rows, codes, len(graphs.edge_vocabulary or ()))
    return AttributeScaling(kind, nodes, edges)


def scaling_of(kind: str, nodes: Moments, edges: Moments, edge_labels: bool) -> AttributeScaling:
    """Learn the scaling from what graphs add up to, by label, instead of from the graphs.

    It is that of `fit_scaling` but for rounding. ``edge_labels`` says whether edges have labels.
    """
    if kind == "none":
        return AttributeScaling()
    by_label = kind == "label"
    return AttributeScaling(
        kind,
        _columns_of(nodes, by_label) if nodes.mean.shape[1] else None,
        _columns_of(edges, by_label and edge_labels) if edges.mean.shape[1] else None,
    )


def _columns_of(moments: Moments, by_label: bool) -> ColumnScaling:
    shift, factor = _spread_of(moments.ungrouped)
    factor = np.where(factor > 0.0, factor, 1.0)
    if not by_label:
        return ColumnScaling(shift, factor)
    label_shift, label_factor = _spread_of(moments)
    label_shift = np.where(moments.count[:, None] > 0, label_shift, shift)
    label_factor = np.where(label_factor > MIN_SPREAD * factor, label_factor, factor)
    return ColumnScaling(np.vstack([label_shift, shift]), np.vstack([label_factor, factor]))


def _spread_of(moments: Moments) -> tuple[Floats, Floats]:
    """Mean and standard deviation of each column in each group; constant columns have exactly 0."""
    rounding = float(np.finfo(np.float64).eps) * moments.count[:, None]
    variance = moments.squares / np.maximum(moments.count, 1.0)[:, None]
    constant = variance <= rounding * variance + (rounding * moments.mean) ** 2
    return moments.mean, np.where(constant, 0.0, np.sqrt(variance))


def _fit_columns(
    values: Floats, weight: Floats, codes: IntArray | None, n_labels: int
) -> ColumnScaling:
    counted = weight > 0.0
    values, weight = values[counted], weight[counted]
    shift, factor = _spread(values, weight, np.zeros(len(values), dtype=np.intp), 1)
    factor = np.where(factor > 0.0, factor, 1.0)
    if codes is None:
        return ColumnScaling(shift, factor)
    codes = codes[counted]
    known = codes >= 0
    label_shift, label_factor = _spread(values[known], weight[known], codes[known], n_labels)
    seen = np.bincount(codes[known], minlength=n_labels)[:, None] > 0
    label_shift = np.where(seen, label_shift, shift)
    label_factor = np.where(label_factor > MIN_SPREAD * factor, label_factor, factor)
    return ColumnScaling(np.vstack([label_shift, shift]), np.vstack([label_factor, factor]))


def _spread(
    values: Floats, weight: Floats, codes: IntArray, n_groups: int
) -> tuple[Floats, Floats]:
    """Mean and standard deviation of each column in each group; constant columns have exactly 0.

    Sums run in the order of the values, so that the order of graphs and nodes changes no bit.
    """
    shift = np.zeros((n_groups, values.shape[1]))
    spread = np.zeros_like(shift)
    sizes = np.bincount(codes, minlength=n_groups)
    rounding = float(np.finfo(np.float64).eps) * sizes
    for j, unordered in enumerate(values.T):
        # Squares of very large or small numbers leave the range of doubles: work in units of 1.
        unit = float(np.abs(unordered).max(initial=0.0))
        if unit == 0.0:
            continue
        order = np.lexsort((weight, unordered, codes))
        column, w, group = unordered[order] / unit, weight[order], codes[order]
        total = np.bincount(group, weights=w, minlength=n_groups)
        total[sizes == 0] = 1.0
        mean = np.bincount(group, weights=w * column, minlength=n_groups) / total
        squares = w * (column - mean[group]) ** 2
        variance = np.bincount(group, weights=squares, minlength=n_groups) / total
        constant = variance <= rounding * variance + (rounding * mean) ** 2
        shift[:, j] = mean * unit
        spread[:, j] = np.where(constant, 0.0, np.sqrt(variance)) * unit
    return shift, spread
