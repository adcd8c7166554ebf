"""Where the graphs of a page come from: training, or not."""

from __future__ import annotations

from typing import Any

from aglets.graphs import GraphSet
from aglets.model import LagraModel
from aglets.report._cards import noun_of

__all__ = ["origin"]

#: From what share of training graphs on a page is about training graphs.
MOSTLY = 0.5
#: Up to what share a few training graphs among others do no harm.
FEW = 0.02
#: Fewer graphs that can be looked up say nothing.
FEWEST = 5


def origin(model: LagraModel, graphs: GraphSet) -> dict[str, Any]:
    """Say whether the model was fitted on these graphs.

    ``kind`` is "training", "mixed", "test" or "unknown"; ``sentence`` says it in words.
    """
    training, n, nouns = model.training, len(graphs), f"{noun_of(model)}s"
    if training is None:
        sentence = (
            f"The model does not say which {nouns} it was fitted on. If it was fitted on these, "
            "its scores are too good."
        )
        return {"kind": "unknown", "n_training": None, "sentence": sentence}
    n_known, n_seen = training.seen(graphs)
    found = {"n_training": training.n_graphs, "n_known": n_known, "n_seen": n_seen}
    if n_known < min(FEWEST, n):
        sentence = f"Too few of these {nouns} can be looked up to say whether they were trained on."
        return {"kind": "unknown", "sentence": sentence, **found}
    about = "" if n_known == n else "about "
    seen = f"{about}{round(n_seen / n_known * n)}"
    if n_seen >= MOSTLY * n_known:
        some = "all" if n_seen == n_known else seen
        sentence = (
            f"The model was fitted on {some} of these {n} {nouns}: every score on this page is too "
            f"good. Make a report on {nouns} that were held back."
        )
        return {"kind": "training", "sentence": sentence, **found}
    if n_seen > FEW * n_known:
        sentence = (
            f"Of these {n} {nouns}, {seen} were also among the training {nouns}: scores are "
            "somewhat too good."
        )
        return {"kind": "mixed", "sentence": sentence, **found}
    number = seen if n_seen else "none"
    sentence = f"Of these {n} {nouns}, {number} is among the {training.n_graphs} of training."
    return {"kind": "test", "sentence": sentence, **found}
