"""What a card says of a graphlet: where it occurs, what it does, and what its nodes are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from aglets.explain import GlobalExplanation, GraphletSummary, is_molecule
from aglets.graphs.arrays import Floats, Rows
from aglets.model import LagraModel
from aglets.model.calibration import Sigmoid
from aglets.report._structure import drawn_graphlet, example_drawing

__all__ = ["card", "effect_sentence", "evidence_text", "noun_of", "occurrence_parts"]

#: More classes than this are not listed one by one.
FEW_CLASSES = 4

#: One graphlet alone may be as common in either class.
REST = "if all other graphlets stay the same"

#: A text, and if it is a number to click, which graphs it counts: a graphlet and maybe a class.
Part = tuple[str, dict[str, Any] | None]


def card(
    model: LagraModel,
    learned: GlobalExplanation,
    entry: GraphletSummary,
    rank: int,
    number: int,
    graphs: Rows,
    psi: Floats,
) -> dict[str, Any]:
    """Write one card; best and worst matches are among these graphs, which have these psi.

    ``rank`` is its place among the cards, ``number`` that among all graphlets, from 1.
    """
    order = np.argsort(-psi, kind="stable")
    firing = graphs[order[psi[order] > 0.0]]
    graphlet = entry.graphlet
    return {
        **drawn_graphlet(graphlet),
        "number": number,
        "example": example_drawing(graphlet),
        "smarts": graphlet.smarts,
        "words": graphlet.node_words,
        "labels": [str(label) for label in graphlet.labels],
        "pooling": graphlet.pooling,
        "coef": entry.coef,
        "coefs": model.coef[:, entry.index],
        "evidence_for": None if entry.evidence_for is None else str(entry.evidence_for),
        "evidence": evidence_text(model, entry),
        "output": None if entry.output is None else str(entry.output),
        "attributes": _rounded(entry.shown_attributes),
        "mean": _rounded(entry.label_mean),
        "spread": _rounded(entry.label_spread),
        "occurs": occurrence_parts(learned, entry, rank),
        "effect": effect_sentence(model, entry),
        "n_support": entry.n_support,
        "mean_psi": entry.mean_psi_all,
        "auc": entry.auc,
        "stability": entry.stability,
        "correlation": entry.correlation,
        "best": firing[:5],
        "worst": firing[5:][-3:],
    }


def evidence_text(model: LagraModel, entry: GraphletSummary) -> str:
    """Say what a graphlet is evidence for, or against."""
    if entry.evidence_for is None:
        return f"evidence for {'high' if entry.coef > 0.0 else 'low'} values"
    if model.n_outputs > 1 and entry.coef < 0.0:
        return f"evidence against class {entry.output}"
    return f"evidence for class {entry.evidence_for}"


def occurrence_parts(learned: GlobalExplanation, entry: GraphletSummary, rank: int) -> list[Part]:
    """Say in how many graphs it occurs: "in 175 of 691 actives, 92 of 822 inactives"."""
    counts = learned.class_counts
    if not counts:
        share = f"{entry.n_support} of {learned.n_graphs}"
        noun = "molecule" if entry.molecule else "graph"
        return [("In ", None), (share, {"graphlet": rank}), (f" {noun}s.", None)]
    if len(counts) <= FEW_CLASSES:
        named = list(counts)
        # The class that it is evidence for comes first.
        named.sort(key=lambda value: value != entry.evidence_for)
    else:
        named = [value for value in counts if value == entry.output]
    parts: list[Part] = [("In ", None)]
    for k, value in enumerate(named):
        n, total = entry.support[value], counts[value]
        parts.append((", " if k else "", None))
        parts.append((f"{n} of {total}", {"graphlet": rank, "truth": str(value)}))
        parts.append((f" of class {value}{_share(n, total)}", None))
    if len(named) < len(counts):
        n = entry.n_support - sum(entry.support[value] for value in named)
        total = learned.n_graphs - sum(counts[value] for value in named)
        parts.append((f", and in {n} of {total} others{_share(n, total)}", None))
    parts.append((".", None))
    return parts


def _odds_slope(model: LagraModel, entry: GraphletSummary) -> float | None:
    """Say by how much the logarithm of the odds grows with f; None where that is not a line."""
    if model.calibration is not None:
        curve = model.calibration.curves[int(model.output[entry.index])]
        return curve.slope if isinstance(curve, Sigmoid) else None
    return 1.0 if model.outputs.single.loss.probabilistic else None


def noun_of(model: LagraModel) -> str:
    """Say what graphs are called on the page of a model."""
    return "molecule" if is_molecule(model.input_spec.recipe) else "graph"


def _share(n: int, total: int) -> str:
    return f" ({n / total:.0%})" if total else ""


def effect_sentence(model: LagraModel, entry: GraphletSummary) -> str:
    """Say what a match does to the prediction, in odds where there are probabilities."""
    target = model.outputs.single
    rooted = entry.graphlet.count_scale == "sqrt"
    subject = {
        "best": "A full match",
        "sum": "One place where it fits fully" if rooted else "Each place where it fits fully",
        "mean": "If every node were such a place, it",
    }[entry.graphlet.pooling]
    more = " (four places by twice as much)" if rooted and entry.graphlet.pooling == "sum" else ""
    if target.classes is None:
        verb = "raises" if entry.coef > 0.0 else "lowers"
        return f"{subject} {verb} the prediction by {abs(entry.coef):.3g}{more}, {REST}."
    slope = _odds_slope(model, entry)
    if slope is not None:
        factor = f"{math.exp(min(abs(slope * entry.coef), 7.0)):.3g}"
        if abs(slope * entry.coef) > math.log(1000.0):
            factor = "more than 1000"
        against = str(entry.evidence_for).removeprefix("not ")
        verb = "lowers" if str(entry.evidence_for) != against else "raises"
        return f"{subject} {verb} the odds of class {against} by a factor of {factor}, {REST}."
    side = str(entry.evidence_for)
    towards = f"away from class {entry.output}" if side.startswith("not ") else f"to class {side}"
    return f"{subject} moves the decision by {abs(entry.coef):.3g}{more} {towards}, {REST}."


def _rounded(values: Floats) -> list[list[float | None]]:
    return [
        [float(f"{value:.4g}") if np.isfinite(value) else None for value in row]
        for row in values.tolist()
    ]
