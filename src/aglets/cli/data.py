"""`aglets data`: list data sets, fetch or describe one, convert it to another format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from aglets.cli.names import format_names, named
from aglets.cli.outputs import check_output
from aglets.cli.sources import AsJson, Source, reads_graphs
from aglets.drawing.text import visible

LIST_EXAMPLES = ("aglets data list",)
FETCH_EXAMPLES = ("aglets data fetch MUTAG",)
INFO_EXAMPLES = ("aglets data info demo",)
CONVERT_EXAMPLES = ("aglets data convert demo demo.json",)


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
    table.add_row("demo", "300", "2", "4", "inside aglets")
    for entry in entries:
        numbers = [entry.n_graphs, entry.n_classes, entry.n_attributes]
        where = "aglets data fetch downloads it" if entry.folder is None else str(entry.folder)
        shown = ("" if n is None else str(n) for n in numbers)
        table.add_row(visible(entry.name), *shown, visible(where))
    Console(highlight=False, markup=False).print(table)


def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name in the TU collection.")],
) -> None:
    """Download a data set of the TU collection, unless it is at hand."""
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
    console = Console(highlight=False, markup=False)
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
            help="Format to write; else by the ending.",
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
