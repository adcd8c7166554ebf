"""The path as the slider shows it: at each lambda, the score and the graphlets of the model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.graphs import GraphSet
from aglets.model import LagraModel
from aglets.report._structure import drawn_graphlet

__all__ = ["path_table"]

#: Stops of the slider, and graphlets drawn at each.
N_STOPS, N_DRAWN = 40, 12


def path_table(
    estimator: Any,
    model: LagraModel,
    graphs: GraphSet,
    y: NDArray[Any] | None,
    molecule: bool,
    n_jobs: int,
) -> dict[str, Any] | None:
    """Return the columns of the path and, if the estimator is at hand, the models along it."""
    record = model.path
    if not record or not len(record.get("lam", ())):
        return None
    rows = np.flatnonzero(record["output"] == 0)
    n_points = len(rows)
    stops = np.unique(np.linspace(0, n_points - 1, min(N_STOPS, n_points)).round().astype(int))
    chosen = rows[stops]
    table: dict[str, Any] = {
        "stops": {
            "lam": record["lam"][chosen],
            "n": record["n_nonzero"][chosen],
            "train": record["train_score"][chosen],
            "validation": record["validation_score"][chosen],
        },
        "cost": {
            name: record[name][rows]
            for name in ("lam", "seconds", "seconds_search", "n_visited", "working_set_size")
            if name in record
        },
        "pictures": [],
        "models": [],
    }
    if hasattr(estimator, "model_at"):
        models = [estimator.model_at(int(stop)) for stop in stops]
        table["stops"]["n"] = [len(entry.graphlets) for entry in models]
        if y is not None:
            table["stops"]["here"] = [_score(entry, graphs, y, n_jobs) for entry in models]
        table["pictures"], table["models"] = _pictures(models, molecule)
    return table


def _score(model: LagraModel, graphs: GraphSet, y: NDArray[Any], n_jobs: int) -> float:
    told = model.predict(graphs, n_jobs=n_jobs)
    if model.classes is not None:
        pairs = zip(told.tolist(), y.tolist(), strict=True)
        return float(np.mean([one == other for one, other in pairs]))
    truth = y.astype(np.float64)
    spread = float(((truth - truth.mean()) ** 2).sum())
    return 1.0 - float(((truth - told) ** 2).sum()) / spread if spread > 0.0 else 0.0


def _pictures(
    models: list[LagraModel], molecule: bool
) -> tuple[list[dict[str, Any]], list[list[list[Any]]]]:
    """Draw every labelled structure once, and say which ones are in use at each stop."""
    place: dict[Any, int] = {}
    pictures: list[dict[str, Any]] = []
    used = []
    for model in models:
        ranked = sorted(
            range(len(model.graphlets)), key=lambda j: -abs(model.graphlets[j].coef or 0.0)
        )
        entries: list[list[Any]] = []
        for j in ranked[:N_DRAWN]:
            graphlet = model.graphlets[j]
            key = (graphlet.labels, graphlet.edges.tobytes(), graphlet.edge_labels)
            if key not in place:
                place[key] = len(pictures)
                pictures.append(drawn_graphlet(graphlet, molecule))
            entries.append([place[key], float(f"{graphlet.coef or 0.0:.4g}")])
        used.append(entries)
    return pictures, used
