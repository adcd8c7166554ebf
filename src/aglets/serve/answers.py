"""From a question to an answer as plain data: one graph explained, or many rows predicted."""

from __future__ import annotations

import csv
import json
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import chain
from typing import Any

import numpy as np

from aglets.explain import LocalExplanation, explain_local
from aglets.graphlets import Graphlet
from aglets.graphlets.drawings import explained_svg, graphlet_svg
from aglets.graphs import GraphSet
from aglets.io.failures import Failure
from aglets.io.files import ReadOptions
from aglets.io.stream import Raw, batches, graphs_of
from aglets.model import LagraModel
from aglets.serve.limits import Limits, RefusedError

__all__ = ["describe", "explained", "predicted_table", "reads_molecules"]

#: Rows of a table that are predicted at a time.
BATCH = 500
#: An atom written in a SMILES: in brackets, or one of the organic subset.
_ATOM = re.compile(r"\[[^\]]*\]|Br|Cl|[BCNOPSFIbcnops]")


def reads_molecules(model: LagraModel) -> bool:
    """Whether the model was fitted on molecules, so that SMILES can be read."""
    return "molecule" in json.loads(model.input_spec.recipe or "{}")


def describe(model: LagraModel) -> dict[str, Any]:
    """Say what the model is: targets, and its graphlets with names, weights and pictures."""
    outputs = model.outputs
    return {
        "molecules": reads_molecules(model),
        "targets": [
            {
                "name": None if target.name is None else str(target.name),
                "classes": None if target.classes is None else [str(c) for c in target.classes],
            }
            for target in outputs.targets
        ],
        "outputs": [None if name is None else str(name) for name in outputs.names],
        "intercept": np.asarray(model.intercept).tolist(),
        "graphlets": [_graphlet(model, j, graphlet) for j, graphlet in enumerate(model.graphlets)],
    }


def _graphlet(model: LagraModel, index: int, graphlet: Graphlet) -> dict[str, Any]:
    return {
        "index": index,
        "name": graphlet.name,
        "weights": model.coef[:, index].tolist(),
        "picture": graphlet_svg(graphlet),
    }


def explained(
    model: LagraModel, smiles: str | None, graph: Any, limits: Limits
) -> list[dict[str, Any]]:
    """Explain the prediction of one molecule or graph, once per target."""
    graphs = _one_graph(model, smiles, graph, limits)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = explain_local(model, graphs)[0]
    notes = list(dict.fromkeys(str(one.message) for one in caught))
    several = found.values() if isinstance(found, dict) else [found]
    return [_answer(why, notes) for why in several]


def _answer(why: LocalExplanation, notes: Sequence[str]) -> dict[str, Any]:
    plain = why.to_dict()
    for entry, contribution in zip(plain["contributions"], why.contributions, strict=True):
        entry["name"] = contribution.graphlet.name
    return plain | {
        "text": str(why),
        "picture": explained_svg(why.graph, why.node_importance, why.edge_importance),
        "notes": list(notes),
    }


def _one_graph(model: LagraModel, smiles: str | None, graph: Any, limits: Limits) -> GraphSet:
    if (smiles is None) == (graph is None):
        raise RefusedError(422, "Expected either 'smiles' or 'graph'. Send one of the two.")
    if smiles is not None:
        if not reads_molecules(model):
            raise RefusedError(
                422, "This model was not fitted on molecules; send a graph as node-link JSON."
            )
        _check_nodes(len(_ATOM.findall(smiles)), limits)
        rows = [Raw(0, None, smiles, smiles, {})]
        batch = graphs_of(rows, "smi", model.input_spec.recipe)
    else:
        nodes = graph.get("nodes") if isinstance(graph, dict) else None
        _check_nodes(len(nodes) if isinstance(nodes, list) else 0, limits)
        rows = [Raw(0, None, "", json.dumps(graph), {})]
        batch = graphs_of(rows, "jsonl", model.input_spec.recipe)
    if batch.graphs is None:
        raise RefusedError(422, f"This could not be read: {batch.failures[0].reason}.")
    _check_nodes(len(batch.graphs.labels), limits)
    return batch.graphs


def _check_nodes(count: int, limits: Limits) -> None:
    if count > limits.max_nodes:
        raise RefusedError(
            413,
            f"Expected a graph of at most {limits.max_nodes} nodes. Got {count}. "
            "Start the server with a larger --max-nodes, or use `aglets predict`.",
        )


def predicted_table(
    model: LagraModel, path: str | os.PathLike[str], smiles: str | None, limits: Limits
) -> Iterator[str]:
    """Predict a table of molecules; yields CSV text, one line per row, in order.

    What is wrong with the whole table is raised before the first piece is yielded.
    """
    if not reads_molecules(model):
        raise RefusedError(422, "This model was not fitted on molecules, so it reads no SMILES.")
    found = batches(path, ReadOptions(format="csv", smiles=smiles), BATCH)
    try:
        first = next(found, None)
    except ValueError as error:
        raise RefusedError(422, str(error)) from error
    if first is None:
        raise RefusedError(422, "Expected a table with a header and rows. Got none.")
    own = list(first[0].columns)
    names = ["prediction", *model.outputs.value_names(model.probabilistic), "error"]
    header = own + [f"aglets_{name}" if name in own else name for name in names]

    def pieces() -> Iterator[str]:
        yield _csv([header])
        for rows in chain([first], found):
            values = _row_values(model, rows, limits)
            yield _csv(
                [
                    [*(raw.columns.get(name, "") for name in own), *more]
                    for raw, more in zip(rows, values, strict=True)
                ]
            )

    return pieces()


def _row_values(model: LagraModel, rows: list[Raw], limits: Limits) -> list[list[Any]]:
    """Prediction, numbers and error of each row."""
    n_values = len(model.outputs.value_names(model.probabilistic))
    small = [raw for raw in rows if len(_ATOM.findall(str(raw.content))) <= limits.max_nodes]
    batch = graphs_of(small, "csv", model.input_spec.recipe) if small else None
    failures = [] if batch is None else list(batch.failures)
    large = {raw.row for raw in rows} - {raw.row for raw in small}
    failures += [Failure(row, f"has more than {limits.max_nodes} atoms") for row in large]
    found: dict[int, list[Any]] = {
        failure.row: ["", *[""] * n_values, failure.reason] for failure in failures
    }
    if batch is not None and batch.graphs is not None:
        scaled = model.input_spec.to_model_units(batch.graphs, warn=False)
        psi = model.agis_scaled(scaled)
        covariates = model.covariate_values(batch.graphs, None)
        f = model.outputs.as_table(model.decision_from_agis(psi, covariates))
        values = model.outputs.values(f, model.probabilities_from_decision(f)).tolist()
        predictions = model.outputs.decode(f).tolist()
        for position, prediction, numbers in zip(batch.kept, predictions, values, strict=True):
            shown = "; ".join(map(str, prediction)) if isinstance(prediction, list) else prediction
            found[small[position].row] = [shown, *numbers, ""]
    return [found[raw.row] for raw in rows]


def _csv(rows: Sequence[Sequence[Any]]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
