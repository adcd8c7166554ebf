"""`aglets report`: one HTML page about a model on a data set."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from aglets.cli.outputs import check_output
from aglets.cli.show import Model
from aglets.cli.sources import Jobs, Source, reads_graphs
from aglets.drawing.text import visible

EXAMPLES = ("aglets report demo.aglets demo -o report.html",)


@reads_graphs
def report(
    context: typer.Context,
    model: Model,
    source: Source,
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML file to write.")] = Path(
        "report.html"
    ),
    title: Annotated[str, typer.Option("--title", help="The headline of the page.")] = "",
    max_graphs: Annotated[
        int,
        typer.Option(
            "--max-graphs", help="Maximum number of graphs to draw, wrong predictions first.", min=0
        ),
    ] = 300,
    jobs: Jobs = 1,
) -> None:
    """Write a page to read and share: what the model learned, how good it is, and why.

    The page is one file that needs no network. If DATA has the targets, in the column that the
    model was fitted on or in that of --target, predictions are compared with them.
    """
    from aglets.model.file import load
    from aglets.report import write

    check_output(output, source, model, what="the page")
    loaded = load(model)
    spec = loaded.input_spec
    like = source.like(spec.recipe, edge_labels=spec.edge_vocabulary is not None)
    graphs, y = like.with_targets_of(loaded).load()
    page = write(
        loaded,
        graphs,
        y,
        output,
        title=title or f"{model.stem} on {Path(source.data).name}",
        max_graphs=max_graphs,
        n_jobs=jobs,
        source=Path(source.data).name,
        target=source.options.target if isinstance(source.options.target, str) else None,
        command=_command(context),
    )
    typer.echo(f"{visible(page)}: {page.stat().st_size / 1e6:.1f} MB, open it in any browser")


def _command(context: typer.Context) -> str:
    """Return the command that is running, as one would type it."""
    words: list[str] = context.find_root().obj or []
    return shlex.join(["aglets", *words])
