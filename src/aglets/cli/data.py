"""`aglets data`: list, download, describe, convert and shard data sets."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aglets.cli.names import format_names, named
from aglets.cli.outputs import check_output
from aglets.cli.sources import AsJson, Jobs, Source, reads_graphs
from aglets.drawing.text import visible

if TYPE_CHECKING:
    from aglets.io.failures import Failure

LIST_EXAMPLES = ("aglets data list",)
FETCH_EXAMPLES = ("aglets data fetch MUTAG",)
INFO_EXAMPLES = ("aglets data info demo",)
CONVERT_EXAMPLES = ("aglets data convert demo demo.json",)
SHARD_EXAMPLES = (
    "aglets data shard molecules.csv --target active -o shards --shards 64",
    "aglets data shard demo -o demo-shards --shards 4",
)


def list_data(as_json: AsJson = False) -> None:
    """List the data sets that are known by name, and where they are."""
    from aglets import datasets

    entries = datasets.list_tu()
    if as_json:
        document = [
            {
                "name": entry.name,
                "graphs": entry.n_graphs,
                "classes": entry.n_classes,
                "attributes": entry.n_attributes,
                "folder": None if entry.folder is None else str(entry.folder),
            }
            for entry in entries
        ]
        typer.echo(json.dumps(document))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("name")
    for name in ("graphs", "classes", "attributes"):
        table.add_column(name, justify="right")
    table.add_column("where", overflow="fold")
    table.add_row("acids", "300", "2", "4", "inside aglets")
    table.add_row("demo", "400", "2", "4", "inside aglets")
    table.add_row("hydration", "642", "", "4", "inside aglets")
    table.add_row("toxicity", "500", "2", "4", "inside aglets")
    for entry in entries:
        numbers = [entry.n_graphs, entry.n_classes, entry.n_attributes]
        where = "aglets data fetch downloads it" if entry.folder is None else str(entry.folder)
        shown = ("" if n is None else str(n) for n in numbers)
        table.add_row(visible(entry.name), *shown, visible(where))
    Console(highlight=False, emoji=False, markup=False).print(table)


def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name in the TU collection.")],
) -> None:
    """Download a data set of the TU collection, unless it is already here."""
    from aglets import datasets

    graphs, _ = datasets.fetch_tu(name)
    [folder] = [entry.folder for entry in datasets.list_tu() if entry.name == name]
    typer.echo(f"{folder}: {len(graphs)} graphs")


@reads_graphs
def info(source: Source, as_json: AsJson = False) -> None:
    """Describe graphs: sizes, labels, attributes, duplicates, and what may mislead a model."""
    graphs, y = source.load()
    found = graphs.describe(y if y is not None and y.ndim == 1 else None)
    if as_json:
        typer.echo(json.dumps(found.to_dict()))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in found.rows():
        table.add_row(visible(name), visible(text))
    console = Console(highlight=False, emoji=False, markup=False)
    console.print(table)
    for text in found.warnings:
        console.print(f"Warning: {visible(text)}", style="yellow", soft_wrap=True)


@reads_graphs
def convert(
    source: Source,
    output: Annotated[
        str,
        typer.Argument(
            metavar="OUTPUT", help="A .json, .jsonl or .gspan file, or a new TU folder."
        ),
    ],
    to: Annotated[
        str | None,
        named(
            "--to",
            format_names,
            metavar="FORMAT",
            help="Format to write.",
            show_default="by the ending",
        ),
    ] = None,
) -> None:
    """Write graphs, and their targets if there are any, in another format."""
    from aglets.io.files import write_file, written_format

    kind = written_format(output, to)
    check_output(Path(output), source, what="the graphs", folder=kind == "tu")
    graphs, y = source.load()
    write_file(graphs, output, y, format=kind)
    typer.echo(f"{visible(output)}: {len(graphs)} graphs")


@reads_graphs
def shard(
    source: Source,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder of the shards, new or empty.")
    ],
    more: Annotated[
        list[str] | None,
        typer.Argument(metavar="[DATA]...", help="Further files, read in the same way."),
    ] = None,
    shards: Annotated[int, typer.Option("--shards", help="Number of files.", min=1)] = 16,
    jobs: Jobs = 1,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Distribute graphs over files that many processes or machines can train on, in one pass.

    Tables, SMILES, SDF and JSON lines may be larger than memory. See `aglets fit --engine ray`.
    """
    from aglets.graphs.threads import n_threads
    from aglets.io.failures import summary
    from aglets.io.shards import writing_shards

    sources = [source, *(replace(source, data=data) for data in more or [])]
    for each in sources:
        check_output(output, each, what="the shards", folder=True)
    n_rows = 0
    failures: list[Failure] = []
    with writing_shards(output, shards) as writer:
        for each in sources:
            for part in each.batches(n_jobs=n_threads(jobs)):
                writer.add(part.graphs, part.y)
                n_rows += part.n_rows
                failures += part.failures[: 1000 - len(failures)]
                if part.failures and source.options.errors == "raise":
                    raise ValueError(
                        f"Could not read some rows of {each.data}: {summary(part.failures)}; "
                        "correct them, or leave them out with --errors skip."
                    )
    if quiet:
        return
    left_out = n_rows - writer.n_graphs
    if left_out:
        shown = visible(summary(failures[:3]))
        typer.echo(f"Note: {left_out} of {n_rows} rows could not be read: {shown}.", err=True)
    typer.echo(f"{visible(str(output))}: {writer.n_graphs} graphs in {writer.n_files} files")
