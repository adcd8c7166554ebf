"""From path points to a model in the user's units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aglets.graphlets import Graphlet
from aglets.graphs.arrays import Floats
from aglets.model.model import LagraModel
from aglets.model.outputs import Outputs
from aglets.preprocessing.input_spec import InputSpec
from aglets.training.path_models import stops_of
from aglets.training.path_point import PathPoint
from aglets.training.point_graphlets import terms_of, used_rows

__all__ = ["model_of"]


#: What of each path point a model keeps as the record of its fit.
PATH_COLUMNS = (
    *("lam", "objective", "train_loss", "train_score", "validation_loss", "validation_score"),
    *("n_nonzero", "working_set_size", "n_visited", "n_made", "n_epochs"),
    *("seconds", "seconds_search", "seconds_beta", "seconds_z"),
)


def model_of(
    points: Sequence[PathPoint],
    paths: Sequence[Sequence[PathPoint]],
    input_spec: InputSpec,
    outputs: Outputs,
) -> LagraModel:
    """Unite the points of all outputs to one model in the user's units, largest weights first.

    Several targets share a graphlet that is the same for them.
    """
    shared, units = len(outputs.targets) > 1, outputs.units
    place: dict[tuple[object, ...], int] = {}
    graphlets: list[Graphlet] = []
    terms: list[tuple[slice, int, Floats]] = []
    first = 0
    for point in points:
        own = slice(first, first + point.n_outputs)
        first = own.stop
        for term, column in zip(terms_of(point, input_spec), used_rows(point).T, strict=True):
            key = term.key if shared else (len(terms),)
            if key not in place:
                place[key] = len(graphlets)
                graphlets.append(term.in_user_units(input_spec))
            terms.append((own, place[key], column))
    coef = np.zeros((first, len(graphlets)))
    for own, j, column in terms:
        coef[own, j] = column * units[own]
    return LagraModel(
        graphlets=graphlets,
        coef=coef,
        intercept=np.concatenate([point.intercepts for point in points]) * units,
        rho=points[0].rho,
        outputs=outputs,
        input_spec=input_spec,
        path=path_record(paths),
        stops=stops_of(paths, input_spec, units),
        covariate_coef=np.concatenate([point.gamma_rows for point in points]) * units[:, None],
    ).sorted_by_weight()


def path_record(paths: Sequence[Sequence[PathPoint]]) -> dict[str, Floats]:
    """Tabulate the paths: one row per point, paths behind each other.

    A path that all outputs share stands under output 0.
    """
    rows = [(output, point) for output, path in enumerate(paths) for point in path]
    table = {"output": np.array([output for output, _ in rows], dtype=np.float64)}
    for name in PATH_COLUMNS:
        values = [getattr(point, name) for _, point in rows]
        table[name] = np.array([np.nan if value is None else value for value in values], float)
    return table
