"""What the page shows, as plain data: computed once here, drawn in the browser.

A page has one view per target. Graphs, their names and their drawings are the same for all views,
and are kept once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets._version import __version__
from aglets.drawing.palette import CLASSES, NEGATIVE, NEUTRAL, POSITIVE, TWO_CLASSES, label_colours
from aglets.graphs.geometry import says_more_than_degree
from aglets.model import LagraModel
from aglets.model.calibration import Calibration
from aglets.model.outputs import Outputs
from aglets.model.target import is_known
from aglets.report._bounds import Bounds
from aglets.report._cards import noun_of
from aglets.report._gallery import drawn_graphs, group_index, identities
from aglets.report._header import origin
from aglets.report._view import answers_of, view_of

__all__ = ["collect"]


def collect(
    estimator: Any,
    graphs: Any,
    y: Any,
    *,
    max_graphs: int,
    n_jobs: int,
    stability: Any = None,
    covariates: Any = None,
    target: str | None = None,
) -> dict[str, Any]:
    """Compute everything that the page shows."""
    model: LagraModel = getattr(estimator, "model_", estimator)
    if not isinstance(model, LagraModel):
        raise TypeError(
            "Expected a fitted estimator or a LagraModel to report on. "
            f"Got {type(estimator).__name__} instead."
        )
    given = model.input_spec.read(graphs)
    if not len(given):
        raise ValueError("A report needs at least one graph. Got none.")
    n_targets = len(model.outputs.targets)
    bounds = Bounds(n_targets, max_graphs)
    found = model.match(given, n_jobs=n_jobs)
    extra = model.covariate_values(given, covariates)
    answers = [
        answers_of(part, found.of_graphlets(used), extra, column, bounds)
        for (part, used), column in zip(
            models_by_target(model), _columns(model, y, len(given)), strict=True
        )
    ]
    # Each graph once, those of the first target first.
    shown = list(dict.fromkeys(i for own in answers for i in own.shown))
    n_cards = sum(len(own.cards) for own in answers)
    listed = bounds.listed(len(given), shown, n_cards, model.n_outputs)
    views = [
        view_of(
            own,
            estimator if n_targets == 1 else own.model,
            listed,
            bounds,
            target=own.model.outputs.single.name or target or model.target_column,
            n_jobs=n_jobs,
            stability=stability,
        )
        for own in answers
    ]
    spec = model.input_spec
    return {
        "version": __version__,
        "n_graphs": len(given),
        "listed": listed,
        "noun": noun_of(model),
        "origin": origin(model, given),
        "attribute_names": views[0].attribute_names,
        "colours": {
            **{"positive": POSITIVE, "negative": NEGATIVE, "neutral": NEUTRAL},
            **{"two": TWO_CLASSES, "classes": CLASSES},
            "labels": {str(key): value for key, value in label_colours(spec.vocabulary).items()},
        },
        "dots": len(spec.vocabulary) == 1,
        "degrees": not says_more_than_degree(spec.vocabulary),
        "fitted": {
            "version": model.version,
            "rho": model.rho_text,
            "search": None if model.search is None else str(model.search),
        },
        **identities(given, listed),
        **group_index(given, listed),
        "graphs": drawn_graphs(given, shown),
        "views": [view.data for view in views],
        "weights": _weights(model),
    }


def _weights(model: LagraModel) -> dict[str, Any] | None:
    """Tabulate what each graphlet weighs for each output; None if there is one output only."""
    if model.n_outputs == 1 or not model.graphlets:
        return None
    return {
        "outputs": [str(name) for name in model.outputs.names],
        "names": [graphlet.name for graphlet in model.graphlets],
        "values": [[float(f"{v:.3g}") for v in column] for column in model.relative_coef.T],
    }


def models_by_target(model: LagraModel) -> list[tuple[LagraModel, list[int]]]:
    """Take a model apart into one per target, each with the graphlets that it uses, and which."""
    targets = model.outputs.targets
    if len(targets) == 1:
        return [(model, list(range(len(model.graphlets))))]
    parts = []
    for k, (one, rows) in enumerate(zip(targets, model.outputs.slices, strict=True)):
        strength = np.abs(model.relative_coef[rows]).max(axis=0, initial=0.0)
        order = np.argsort(-strength, kind="stable")
        used = order[strength[order] > 0.0].tolist()
        each = np.broadcast_to(model.rho, len(model.graphlets))
        parts.append(
            (
                replace(
                    model,
                    graphlets=[model.graphlets[j] for j in used],
                    coef=model.coef[rows][:, used],
                    intercept=model.intercept[rows],
                    covariate_coef=model.covariate_coef[rows],
                    rho=each[used] if used else float(each[0]) if len(each) else 1.0,
                    outputs=Outputs([one]),
                    stability=None if model.stability is None else model.stability[used],
                    path={},
                    stops=None,
                    calibration=(
                        None
                        if model.calibration is None
                        else Calibration(model.calibration.curves[rows])
                    ),
                    conformal=None,
                    record=(
                        None
                        if model.record is None
                        else replace(
                            model.record, base_rates=[model.record.base_rates[k]], neighbours=None
                        )
                    ),
                ),
                used,
            )
        )
    return parts


def _columns(model: LagraModel, y: Any, n_graphs: int) -> list[NDArray[Any] | None]:
    """Give every target its column of y; None where nothing of it is known."""
    targets = model.outputs.targets
    if y is None:
        return [None] * len(targets)
    if len(targets) == 1:
        return [targets[0].checked(np.asarray(y).reshape(len(y), -1)[:, 0], n_graphs)]
    table = np.asarray(y, dtype=object)
    if table.shape != (n_graphs, len(targets)):
        raise ValueError(
            f"y must have a row per graph and a column per target, shape "
            f"{(n_graphs, len(targets))}. Got shape {table.shape} instead."
        )
    columns = [table[:, k] for k in range(len(targets))]
    return [column if is_known(column).any() else None for column in columns]
