"""Which points of a path a model file keeps, and how."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aglets.graphlets import Graphlet
from aglets.model.model import unscaled_graphlet
from aglets.model.path_models import Stops
from aglets.training.fitting import Frame, graphlets_of
from aglets.training.path import PathPoint

__all__ = ["MAX_NUMBERS", "MAX_STOPS", "stops_of"]

#: Most stops, and most numbers in their graphlets: half a megabyte.
MAX_STOPS, MAX_NUMBERS = 20, 2**16


def stops_of(paths: Sequence[Sequence[PathPoint]], frame: Frame) -> Stops | None:
    """Take points evenly spread over the paths of all outputs, first and last among them.

    There are at most ``MAX_STOPS``, and fewer where their graphlets would hold more than
    ``MAX_NUMBERS`` numbers; None if not even two fit.
    """
    longest = max((len(path) for path in paths), default=0)
    for n_stops in range(min(MAX_STOPS, longest), 1, -1):
        chosen = np.linspace(0, longest - 1, n_stops).round().astype(int)
        stops = [[path[min(i, len(path) - 1)] for path in paths] for i in chosen.tolist()]
        if sum(_n_numbers(point) for points in stops for point in points) <= MAX_NUMBERS:
            return _joined(chosen.tolist(), stops, frame)
    return None


def _n_numbers(point: PathPoint) -> int:
    """Count what one point adds to a file: attributes, labels and edges."""
    return len(point.z) + sum(len(p.labels) + 2 * len(p.edges) + 1 for p in point.patterns)


def _joined(chosen: list[int], stops: list[list[PathPoint]], frame: Frame) -> Stops:
    scaling, known = frame.scaling, frame.input_format
    place: dict[tuple[object, ...], int] = {}
    graphlets: list[Graphlet] = []
    terms: list[tuple[int, int, int, float]] = []
    for stop, points in enumerate(stops):
        for output, point in enumerate(points):
            for graphlet in graphlets_of(point, known):
                key = (output, graphlet.labels, graphlet.edge_labels, *_bytes(graphlet))
                if key not in place:
                    place[key] = len(graphlets)
                    graphlets.append(unscaled_graphlet(graphlet, scaling, known))
                terms.append((stop, output, place[key], graphlet.coef or 0.0))
    coefs = np.zeros((len(stops), len(stops[0]), len(graphlets)))
    for stop, output, j, coef in terms:
        coefs[stop, output, j] += coef
    return Stops(
        points=np.array(chosen),
        graphlets=graphlets,
        coefs=coefs,
        intercepts=np.array([[point.beta0 for point in points] for points in stops]),
        covariate_coefs=np.array([[point.gamma for point in points] for points in stops]),
    )


def _bytes(graphlet: Graphlet) -> tuple[bytes, ...]:
    arrays = (graphlet.edges, graphlet.attributes, graphlet.edge_attributes)
    return tuple(b"" if array is None else array.tobytes() for array in arrays)
