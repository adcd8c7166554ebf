"""Which points of a path a model file keeps, and how."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aglets.graphlets import Graphlet
from aglets.graphs.arrays import Floats
from aglets.model.path_models import PathModels
from aglets.preprocessing.input_spec import InputSpec
from aglets.training.path_point import PathPoint
from aglets.training.point_graphlets import terms_of, used_rows

__all__ = ["MAX_NUMBERS", "MAX_STOPS", "stops_of"]

#: Most stops, and most numbers in their graphlets: half a megabyte.
MAX_STOPS, MAX_NUMBERS = 20, 2**16


def stops_of(
    paths: Sequence[Sequence[PathPoint]], input_spec: InputSpec, units: Floats
) -> PathModels | None:
    """Take points evenly spread over the paths of all outputs, first and last among them.

    There are at most ``MAX_STOPS``, and fewer where their graphlets would hold more than
    ``MAX_NUMBERS`` numbers; None if not even two fit. ``units`` says what each output was trained
    in.
    """
    longest = max((len(path) for path in paths), default=0)
    for n_stops in range(min(MAX_STOPS, longest), 1, -1):
        chosen = np.linspace(0, longest - 1, n_stops).round().astype(int)
        stops = [[path[min(i, len(path) - 1)] for path in paths] for i in chosen.tolist()]
        if sum(_n_numbers(point) for points in stops for point in points) <= MAX_NUMBERS:
            return _joined(chosen.tolist(), stops, input_spec, units)
    return None


def _n_numbers(point: PathPoint) -> int:
    """Count what one point adds to a file: attributes, labels and edges."""
    structure = sum(len(p.labels) + 2 * len(p.edges) for p in point.patterns)
    return len(point.z) + structure + point.beta.size


def _joined(
    chosen: list[int], stops: list[list[PathPoint]], input_spec: InputSpec, units: Floats
) -> PathModels:
    place: dict[tuple[object, ...], int] = {}
    graphlets: list[Graphlet] = []
    terms: list[tuple[int, slice, int, Floats]] = []
    n_outputs = 0
    for stop, points in enumerate(stops):
        n_outputs = 0
        for point in points:
            outputs = slice(n_outputs, n_outputs + point.n_outputs)
            n_outputs = outputs.stop
            found = zip(terms_of(point, input_spec), used_rows(point).T, strict=True)
            for term, coef in found:
                key = (outputs.start, *term.key)
                if key not in place:
                    place[key] = len(graphlets)
                    graphlets.append(term.in_user_units(input_spec))
                terms.append((stop, outputs, place[key], coef))
    coefs = np.zeros((len(stops), n_outputs, len(graphlets)))
    for stop, outputs, j, coef in terms:
        coefs[stop, outputs, j] += coef
    return PathModels(
        points=np.array(chosen),
        graphlets=graphlets,
        coefs=coefs * units[:, None],
        intercepts=np.array(
            [np.concatenate([point.intercepts for point in points]) for points in stops]
        )
        * units,
        covariate_coefs=np.array(
            [np.concatenate([point.gamma_rows for point in points]) for points in stops]
        )
        * units[:, None],
    )
