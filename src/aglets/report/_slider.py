"""The path as the slider shows it: at each lambda, the score and the graphlets of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.graphlets import Graphlet
from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats
from aglets.model import LagraModel, Match
from aglets.report._refit import refitted
from aglets.report._structure import drawn_graphlet

__all__ = ["path_table"]


#: Stops of the slider, and graphlets drawn at each.
N_STOPS, N_DRAWN = 40, 12


def path_table(
    estimator: Any,
    model: LagraModel,
    found: Match,
    covariate_values: Floats,
    y: NDArray[Any] | None,
    n_jobs: int,
) -> dict[str, Any] | None:
    """Return the columns of the path and the models along it, so far as they are known.

    With more than two classes, each has a path of its own, walked side by side: a stop is then the
    share of each path's largest lambda, and scores along one path, which are of one class against
    the rest, are left out.
    """
    record = model.path
    if not record or not len(record.get("lam", ())):
        again = _again(model, found.psi, y)
        return None if again is None else {"cost": None, **again}
    rows = np.flatnonzero(record["output"] == 0)
    points, models = _along(estimator, model, len(rows))
    chosen = rows[np.minimum(points, len(rows) - 1)]
    single = model.n_outputs == 1
    stops: dict[str, Any] = {
        "lam": record["lam"][chosen] / (1.0 if single else record["lam"][rows[0]]),
        "n": record["n_nonzero"][chosen],
    }
    if single:
        stops["train"] = record["train_score"][chosen]
        stops["validation"] = record["validation_score"][chosen]
    table: dict[str, Any] = {
        "stops": stops,
        "lambda_name": "lambda" if single else "lambda / largest lambda",
        "score_name": model.outputs.single.score_name,
        "cost": _cost(record, model.n_outputs),
        "pictures": [],
        "models": [],
    }
    if not models:
        return table | (_again(model, found.psi, y) or {})
    table["stops"]["n"] = [len(entry.graphlets) for entry in models]
    if y is not None:
        table["stops"]["here"] = [
            _score(entry, found.scaled, covariate_values, y, n_jobs) for entry in models
        ]
    table["pictures"], table["models"] = _pictures([list(entry.graphlets) for entry in models])
    return table


def _along(
    estimator: Any, model: LagraModel, n_points: int
) -> tuple[NDArray[np.int64], list[LagraModel]]:
    """Return points of the path and the models there, if they are known.

    An estimator has them all; of a model file's path some are kept, or none if it is an old one.
    """
    if model.stops is not None and not hasattr(estimator, "model_at"):
        return model.stops.points, [model.at_stop(stop) for stop in range(len(model.stops))]
    points = np.linspace(0, n_points - 1, min(N_STOPS, n_points)).round().astype(np.int64)
    if not hasattr(estimator, "model_at"):
        return points, []
    return points, [estimator.model_at(point) for point in points.tolist()]


def _cost(record: Mapping[str, Floats], n_outputs: int) -> dict[str, Floats]:
    """Add up what the paths of all outputs cost at each step."""
    names = (
        *("seconds", "seconds_search", "seconds_beta", "seconds_z"),
        *("n_visited", "working_set_size"),
    )
    parts = [record["output"] == output for output in range(n_outputs)]
    n_steps = max(int(part.sum()) for part in parts)
    first = record["lam"][parts[0]]
    lam = first if n_outputs == 1 else first / first[0]
    cost = {"lam": np.pad(lam, (0, n_steps - len(lam)), mode="edge")}
    for name in names:
        if name in record:
            columns = [record[name][part] for part in parts]
            cost[name] = np.sum([np.pad(c, (0, n_steps - len(c))) for c in columns], axis=0)
    return cost


def _again(model: LagraModel, psi: Floats, y: NDArray[Any] | None) -> dict[str, Any] | None:
    """Make stops from the model's own graphlets, with weights fitted again."""
    if y is None or model.covariates is not None:
        return None  # weights would make up for covariates that are not there
    stops = refitted(psi, y, model.outputs.single)
    if not stops:
        return None
    weighted = [
        [
            _with_coef(graphlet, coef)
            for graphlet, coef in zip(model.graphlets, stop.coef.tolist(), strict=True)
            if coef != 0.0
        ]
        for stop in stops
    ]
    pictures, models = _pictures(weighted)
    return {
        "stops": {
            "lam": [stop.lam for stop in stops],
            "n": [len(graphlets) for graphlets in weighted],
            "here": [stop.score for stop in stops],
        },
        "refitted": True,
        "lambda_name": "lambda",
        "score_name": model.outputs.single.score_name,
        "pictures": pictures,
        "models": models,
    }


def _with_coef(graphlet: Graphlet, coef: float) -> Graphlet:
    """Return the labelled structure with another weight."""
    return Graphlet(
        labels=graphlet.labels,
        edges=graphlet.edges,
        edge_labels=graphlet.edge_labels,
        coef=coef,
        recipe=graphlet.recipe,
    )


def _score(
    model: LagraModel, scaled: GraphSet, covariate_values: Floats, y: NDArray[Any], n_jobs: int
) -> float:
    psi = model.agis_scaled(scaled, n_jobs=n_jobs)
    f = model.outputs.as_table(model.decision_from_agis(psi, covariate_values))
    return model.outputs.score(model.outputs.encode(y), f, np.ones(len(f)))


def _pictures(
    models: list[list[Graphlet]],
) -> tuple[list[dict[str, Any]], list[list[list[Any]]]]:
    """Draw every labelled structure once, and say which ones are in use at each stop."""
    place: dict[Any, int] = {}
    pictures: list[dict[str, Any]] = []
    used = []
    for graphlets in models:
        ranked = sorted(graphlets, key=lambda graphlet: -abs(graphlet.coef or 0.0))
        entries: list[list[Any]] = []
        for graphlet in ranked[:N_DRAWN]:
            key = graphlet.structure_key
            if key not in place:
                place[key] = len(pictures)
                pictures.append(drawn_graphlet(graphlet))
            entries.append([place[key], float(f"{graphlet.coef or 0.0:.4g}")])
        used.append(entries)
    return pictures, used
