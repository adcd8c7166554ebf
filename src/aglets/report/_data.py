"""What the page shows, as plain data: computed once here, drawn in the browser."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets._version import __version__
from aglets.drawing.palette import CLASSES, NEGATIVE, NEUTRAL, POSITIVE, label_colours
from aglets.explain import (
    GlobalExplanation,
    GraphletSummary,
    is_molecule,
    summarise,
)
from aglets.explain.covariates import contributions_of
from aglets.explain.importance import shapley_values
from aglets.explain.plain import NO_GRAPHLETS
from aglets.graphlets.occurrences import Occurrences, occurrences
from aglets.graphlets.scores import Places
from aglets.graphs import Graph, GraphSet
from aglets.graphs.arrays import Floats
from aglets.model import LagraModel
from aglets.model.target import Target
from aglets.report._quality import quality
from aglets.report._slider import path_table
from aglets.report._structure import drawn_graphlet, structure

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
) -> dict[str, Any]:
    """Compute everything that the page shows."""
    model: LagraModel = getattr(estimator, "model_", estimator)
    if not isinstance(model, LagraModel):
        raise TypeError(
            "Expected a fitted estimator or a LagraModel to report on. "
            f"Got {type(estimator).__name__} instead."
        )
    input_spec = model.input_spec
    given = input_spec.read(graphs)
    if not len(given):
        raise ValueError("A report needs at least one graph. Got none.")
    target = model.outputs.single
    truth = None if y is None else target.checked(y, len(given))
    found = model.match(given, n_jobs=n_jobs)
    psi = found.psi
    learned = summarise(model, found, truth).with_stability(stability)
    covariate_values = model.covariate_values(given, covariates)
    f = model.outputs.as_table(model.decision_from_agis(psi, covariate_values))
    predictions = target.decode(f)
    wrong = _wrong(target, truth, f)
    shown = np.argsort(-wrong, kind="stable")[:max_graphs]
    p = model.probabilities_from_decision(f)[0]
    result = None if truth is None else quality(target, given, f, truth, p)
    classes = None if target.classes is None else [str(value) for value in target.classes]
    molecule = is_molecule(input_spec.recipe)
    columns = [entry.index for entry in learned.graphlets]
    return {
        "version": __version__,
        "classes": classes,
        "n_outputs": model.n_outputs,
        "intercepts": model.intercept,
        "rho": model.rho_text,
        "loss": model.loss,
        "n_graphs": len(given),
        "attribute_names": learned.attribute_names,
        "sentences": _sentences(model, learned, result),
        "colours": {
            **{"positive": POSITIVE, "negative": NEGATIVE, "neutral": NEUTRAL},
            "classes": CLASSES,
            "labels": {
                str(label): colour for label, colour in label_colours(input_spec.vocabulary).items()
            },
        },
        "graphlets": [_graphlet(entry, psi[:, entry.index]) for entry in learned.graphlets],
        "quality": result,
        "y": None if truth is None else [str(value) for value in truth.tolist()],
        "predictions": [_shown(value) for value in predictions.tolist()],
        "decisions": f.round(5),
        "wrong": [] if truth is None else np.flatnonzero(wrong > 0.0) if classes else [],
        "psi": [[_short(value) for value in row] for row in psi[:, columns].tolist()],
        "gallery": [
            {
                **_drawn(given[int(i)], int(i), place, psi[i, columns], molecule),
                "covariates": _covariates(model, covariate_values[i]),
            }
            for i, place in zip(shown, _places(model, found.scaled[shown], columns), strict=True)
        ],
        "covariates": [entry.to_dict() for entry in learned.covariates],
        "path": path_table(estimator, model, found, covariate_values, truth, molecule, n_jobs),
    }


def _wrong(target: Target, truth: NDArray[Any] | None, f: Floats) -> Floats:
    """How wrong each prediction is; 0 or less where it is right."""
    if truth is None:
        return np.zeros(len(f))
    if target.classes is None:
        return np.asarray(np.abs(truth.astype(np.float64) - f[:, 0]))
    margin = target.margin(f)
    # Surest mistakes first, and after them what was nearly a mistake.
    return np.where(target.codes(truth) == target.decided(f), -margin, margin + 1e-9)


def _sentences(
    model: LagraModel, learned: GlobalExplanation, result: dict[str, Any] | None
) -> list[str]:
    n = len(learned.graphlets)
    if n == 0 and learned.covariates:
        sentences = [
            "The model has no graphlets: its answer follows from the covariates alone.",
            NO_GRAPHLETS,
        ]
    elif n == 0:
        sentences = [
            "The model has no graphlets: its answer is the same for every graph.",
            NO_GRAPHLETS,
        ]
    else:
        largest = max(entry.graphlet.n_nodes for entry in learned.graphlets)
        what = _task(model.outputs.single)
        many = f"{n} graphlet{'s' if n > 1 else ''} of up to {largest} node{'s'[: largest > 1]}"
        signs: dict[
            bool, str
        ] = {}  # by the sign of the weight; the graphlet of largest weight comes first
        for entry in learned.graphlets:
            up = entry.coef > 0.0
            meaning = entry.evidence_for
            if meaning is None:
                meaning = "high values" if up else "low values"
            signs.setdefault(up, f"{entry.graphlet.name} is the strongest evidence for {meaning}")
        sentences = [f"The model {what} by {many}; {', and '.join(signs.values())}."]
        if learned.covariates:
            names = ", ".join(dict.fromkeys(entry.name for entry in learned.covariates))
            sentences.append(f"It also uses covariates, which are not graphlets: {names}.")
    if result is not None and result["score"] is not None:
        name = result["score_name"]
        baselines = " and ".join(
            f"{_percent(row['score'], name)} by {_by(row['name'])}" for row in result["baselines"]
        )
        sentences.append(
            f"On the {learned.n_graphs} graphs of this report its {name} is "
            f"{_percent(result['score'], name)}, against {baselines}."
        )
    return sentences


def _by(name: str) -> str:
    return name.replace("always", "always answering").replace("size", "the size")


def _task(target: Target) -> str:
    if target.classes is None:
        return "estimates a number"
    names = [str(value) for value in target.classes]
    return "distinguishes " + (" from " if target.binary else ", ").join(names)


def _percent(score: float, name: str) -> str:
    return f"{score:.1%}" if name == "accuracy" else f"{score:.2f}"


def _graphlet(entry: GraphletSummary, psi: Floats) -> dict[str, Any]:
    order = np.argsort(-psi, kind="stable")
    firing = order[psi[order] > 0.0]
    return {
        **drawn_graphlet(entry.graphlet, entry.molecule),
        "smarts": entry.graphlet.smarts,
        "words": entry.graphlet.node_words,
        "coef": entry.coef,
        "evidence_for": None if entry.evidence_for is None else str(entry.evidence_for),
        "output": None if entry.output is None else str(entry.output),
        "attributes": _rounded(entry.shown_attributes),
        "mean": _rounded(entry.label_mean),
        "spread": _rounded(entry.label_spread),
        "support": {str(key): value for key, value in entry.support.items()},
        "n_support": entry.n_support,
        "mean_psi": {str(key): value for key, value in entry.mean_psi.items()},
        "auc": entry.auc,
        "stability": entry.stability,
        "correlation": entry.correlation,
        "best": firing[:5],
        "worst": firing[5:][-3:],
    }


def _places(
    model: LagraModel, scaled: GraphSet, columns: list[int]
) -> list[list[list[dict[str, Any]]]]:
    """List for each graph and graphlet the nodes of all occurrences, and the share of each."""
    rho = np.broadcast_to(model.rho, len(model.graphlets)).tolist()
    found = {
        j: occurrences(scaled, model.scaled_graphlets[j], rho[j])
        for j in columns
        if model.graphlets[j].pooling == "best"
    }
    counted = model.places(scaled)
    return [
        [_shared(found[j][i]) if j in found else _counted(counted[i][j]) for j in columns]
        for i in range(len(scaled))
    ]


def _counted(found: Places) -> list[dict[str, Any]]:
    """Write the places of a graphlet that counts; the share of each is its part of the sum."""
    total = float(found.shares.sum()) or 1.0
    return [
        {"nodes": row, "share": _short(share / total)}
        for row, share in zip(found.embeddings.tolist(), found.shares.tolist(), strict=True)
        if share > 1e-4 * total
    ]


def _shared(listed: Occurrences) -> list[dict[str, Any]]:
    values = shapley_values([one.psi for one in listed.found])
    total = sum(values) or 1.0
    return [
        {"nodes": one.embedding, "share": _short(value / total)}
        for one, value in zip(listed.found, values, strict=True)
        if value > 1e-4 * total
    ]


def _drawn(
    graph: Graph, i: int, places: list[list[dict[str, Any]]], psi: Floats, molecule: bool
) -> dict[str, Any]:
    """Write one graph of the gallery, with the nodes on which each graphlet lies."""
    return {
        "id": i,
        **structure(graph.labels, graph.edges, graph.edge_labels, molecule),
        "places": {
            str(rank): place for rank, place in enumerate(places) if place and psi[rank] > 1e-4
        },
    }


def _covariates(model: LagraModel, centered: Floats) -> list[list[dict[str, Any]]]:
    """List what the covariates of a graph add, for every output."""
    return [
        [
            {"name": entry.name, "value": _short(entry.value), "adds": entry.contribution}
            for entry in contributions_of(model, row, centered)
        ]
        for row in range(model.n_outputs)
    ]


def _short(value: float) -> float | int:
    rounded = float(f"{value:.4g}")
    return int(rounded) if rounded in (0.0, 1.0) else rounded


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _rounded(values: Floats) -> list[list[float | None]]:
    return [
        [float(f"{value:.4g}") if np.isfinite(value) else None for value in row]
        for row in values.tolist()
    ]
