"""The graphlets of path points: in the user's units for models, in the model's for scores."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import compress
from typing import NamedTuple

import numpy as np

from aglets.graphlets import Graphlet, agis
from aglets.graphs.arrays import Bools, Codes, Floats
from aglets.model.model import LagraModel
from aglets.preprocessing.input_spec import InputSpec
from aglets.training.engine.graphlet_names import CHANNELS
from aglets.training.path_point import PathPoint
from aglets.training.sample import Sample

__all__ = ["Term", "decision", "only_those_of", "terms_of", "used_rows"]


class Term(NamedTuple):
    """A coefficient that is not zero, and its graphlet in the units of the model."""

    labels: tuple[Hashable, ...]
    edges: Codes
    attributes: Floats
    edge_labels: tuple[Hashable, ...] | None
    edge_attributes: Floats | None
    coef: float
    pooling: str
    count_scale: str

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for terms of equal graphlets."""
        return content(self)

    def in_model_units(self) -> Graphlet:
        """Write out the graphlet as it was trained."""
        return Graphlet(**self._asdict())

    def in_user_units(self, input_spec: InputSpec) -> Graphlet:
        """Write out the graphlet for the user."""
        attributes, edge_attributes = input_spec.attributes_to_user_units(
            self.labels, self.attributes, self.edge_labels, self.edge_attributes
        )
        values = self._asdict() | {"attributes": attributes, "edge_attributes": edge_attributes}
        return Graphlet(
            **values, attribute_names=input_spec.attribute_names, recipe=input_spec.recipe
        )


def terms_of(point: PathPoint, input_spec: InputSpec) -> Iterator[Term]:
    """Give the terms of a point whose coefficient is not zero.

    Where outputs share graphlets, the coefficient of a term is the largest of its row.
    """
    d, de = input_spec.n_attributes, input_spec.n_edge_attributes
    position = 0
    for pattern, channel, coef in zip(
        point.patterns, point.channels.tolist(), largest_coefs(point), strict=True
    ):
        k, m = len(pattern.labels), len(pattern.edges)
        middle, end = position + k * d, position + k * d + m * de
        if coef != 0.0:
            yield Term(
                labels=tuple(input_spec.vocabulary[code] for code in pattern.labels),
                edges=pattern.edges,
                attributes=point.z[position:middle].reshape(k, d),
                edge_labels=(
                    None
                    if input_spec.edge_vocabulary is None
                    else tuple(input_spec.edge_vocabulary[code] for code in pattern.edge_labels)
                ),
                edge_attributes=point.z[middle:end].reshape(m, de) if de else None,
                coef=float(coef),
                **CHANNELS[int(channel)]._asdict(),
            )
        position = end


def content(graphlet: Term | Graphlet) -> tuple[object, ...]:
    """Structure, attributes and channel, without the coefficient, as something to look up."""
    arrays = (graphlet.edges, graphlet.attributes, graphlet.edge_attributes)
    rows = (b"" if array is None else array.tobytes() for array in arrays)
    return (graphlet.labels, graphlet.edge_labels, graphlet.pooling, graphlet.count_scale, *rows)


def only_those_of(
    model: LagraModel, points: Sequence[PathPoint], input_spec: InputSpec
) -> list[PathPoint]:
    """Leave in points the graphlets that are still in a model from which some were dropped.

    Parameters
    ----------
    model : LagraModel
        What is left of the model of these points.
    points : sequence of PathPoint
        One per output, or a single one that all share.
    input_spec : InputSpec
        The one of the model.
    """
    found, first = [], 0
    for point in points:
        served = np.flatnonzero(model.coef[first : first + point.n_outputs].any(axis=0))
        first += point.n_outputs
        kept = {content(model.graphlets[j]) for j in served.tolist()}
        terms = terms_of(point, input_spec)
        left = [content(term.in_user_units(input_spec)) in kept for term in terms]
        found.append(_restricted(point, np.array(left, dtype=np.bool_), input_spec))
    return found


def _restricted(point: PathPoint, left: Bools, input_spec: InputSpec) -> PathPoint:
    d, de = input_spec.n_attributes, input_spec.n_edge_attributes
    sizes = [len(p.labels) * d + len(p.edges) * de for p in point.patterns]
    return replace(
        point,
        beta=point.beta[left],
        patterns=list(compress(point.patterns, left)),
        channels=point.channels[left],
        z=point.z[np.repeat(left, np.array(sizes, dtype=np.int64))],
    )


def decision(points: Sequence[PathPoint], input_spec: InputSpec, sample: Sample) -> Floats:
    """Evaluate every output's f for graphs in scaled units, shape (n_graphs, n_outputs)."""
    graphs = sample.graphs
    f = np.tile(np.concatenate([point.intercepts for point in points]), (len(graphs), 1))
    first = 0
    for point in points:
        own = slice(first, first + point.n_outputs)
        terms = list(terms_of(point, input_spec))
        if terms:
            psi = agis(graphs, [term.in_model_units() for term in terms], rho=point.rho)
            f[:, own] += psi @ used_rows(point).T
        if sample.covariates is not None:
            f[:, own] += sample.covariates @ point.gamma_rows.T
        first = own.stop
    return f


def largest_coefs(point: PathPoint) -> Floats:
    """Return the coefficient of each graphlet, or the one that is largest over outputs."""
    if point.beta.ndim == 1:
        return point.beta
    return np.asarray(point.beta[np.arange(len(point.beta)), np.abs(point.beta).argmax(axis=1)])


def used_rows(point: PathPoint) -> Floats:
    """Return the coefficients of all terms, shape (n_outputs, n_terms)."""
    return point.coef_rows[:, largest_coefs(point) != 0.0]
