"""`aglets explain`: why a model predicts what it predicts, graph by graph."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aglets.cli.show import Model
from aglets.cli.sources import STDIN, AsJson, Source, reads_graphs

if TYPE_CHECKING:
    from aglets import Graph
    from aglets.model import LagraModel

EXAMPLES = (
    "aglets explain demo.aglets new.smi",
    "aglets explain demo.aglets demo --row 7 --row 12 --json",
)


@reads_graphs
def explain(
    model: Model,
    source: Source,
    row: Annotated[
        list[int] | None,
        typer.Option(
            "--row",
            help="Which rows, counted from 0; several times for several rows.",
            show_default="0",
            min=0,
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", help="Which target or class to explain.", show_default="all targets"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain predictions: what every graphlet adds to the decision, and where it matches."""
    from aglets.explain import explain_local
    from aglets.model.file import load

    loaded = load(model)
    wanted = row or [0]
    graphs = dict(_graphs(source, loaded, set(wanted)))
    lacking = [str(number) for number in wanted if number not in graphs]
    if lacking:
        raise ValueError(
            f"Expected rows of {source.data}, counted from 0, but there is no row "
            f"{', '.join(lacking)}."
        )
    document = []
    for number in wanted:
        found = explain_local(loaded, graphs[number], output=_output(loaded, output))
        for explanation in found.values() if isinstance(found, dict) else [found]:
            document.append({"row": number, **explanation.to_dict()})
            if not as_json:
                typer.echo(f"row {number}: {explanation}")
    if as_json:
        typer.echo(json.dumps(document))


def _output(model: LagraModel, text: str | None) -> Any:
    """Return the output that a text names: classes need not be strings."""
    return next((name for name in model.outputs.names if str(name) == text), text)


def _graphs(source: Source, model: LagraModel, wanted: set[int]) -> Iterator[tuple[int, Graph]]:
    """Yield the wanted graphs, reading no further than the last of them."""
    from aglets.io.files import format_of
    from aglets.io.stream import STREAMED, batches, graphs_of

    spec = model.input_spec
    is_file = source.data == STDIN or Path(source.data).is_file()
    kind = format_of(source.data, source.options.format) if is_file else None
    if kind not in STREAMED:
        like = source.like(spec.recipe, edge_labels=spec.edge_vocabulary is not None)
        graphs, _ = like.load()
        yield from ((i, graphs[i]) for i in wanted if i < len(graphs))
        return
    for rows in batches(source.data, source.options):
        chosen = [raw for raw in rows if raw.row in wanted]
        batch = graphs_of(chosen, kind, spec.recipe)
        if batch.failures:
            failure = batch.failures[0]
            raise ValueError(f"Could not read {failure.place}: {failure.reason}.")
        if batch.graphs is not None:
            yield from ((chosen[i].row, graph) for i, graph in enumerate(batch.graphs))
        if rows[-1].row >= max(wanted):
            return
