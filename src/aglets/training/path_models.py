"""Which points of a path a model file keeps, and how."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aglets.graphlets import Graphlet
from aglets.graphs.arrays import Floats
from aglets.model.path_models import PathModels
from aglets.preprocessing.input_spec import InputSpec
from aglets.training.path_point import PathPoint
from aglets.training.point_graphlets import terms_of

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
    return len(point.z) + sum(len(p.labels) + 2 * len(p.edges) + 1 for p in point.patterns)


def _joined(
    chosen: list[int], stops: list[list[PathPoint]], input_spec: InputSpec, units: Floats
) -> PathModels:
    place: dict[tuple[object, ...], int] = {}
    graphlets: list[Graphlet] = []
    terms: list[tuple[int, int, int, float]] = []
    for stop, points in enumerate(stops):
        for output, point in enumerate(points):
            for term in terms_of(point, input_spec):
                key = (output, *term.key)
                if key not in place:
                    place[key] = len(graphlets)
                    graphlets.append(term.in_user_units(input_spec))
                terms.append((stop, output, place[key], term.coef))
    coefs = np.zeros((len(stops), len(stops[0]), len(graphlets)))
    for stop, output, j, coef in terms:
        coefs[stop, output, j] += coef
    return PathModels(
        points=np.array(chosen),
        graphlets=graphlets,
        coefs=coefs * units[:, None],
        intercepts=np.array([[point.beta0 for point in points] for points in stops]) * units,
        covariate_coefs=np.array([[point.gamma for point in points] for points in stops])
        * units[:, None],
    )
