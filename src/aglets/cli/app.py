"""The table of contents of the command line: every subcommand is named here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from aglets.cli import (
    bench,
    count,
    data,
    demo,
    evaluate,
    explain,
    fit,
    frequent,
    predict,
    report,
    serve,
    show,
)

app = typer.Typer(
    help="Attributed graphlets: sparse, readable models of graphs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
data_app = typer.Typer(
    help="List, download, describe, convert and shard data sets.",
    no_args_is_help=True,
)


def _print_version(asked: bool) -> None:
    if asked:
        from aglets._version import __version__

        typer.echo(f"aglets {__version__}")
        raise typer.Exit


@app.callback()
def root(
    debug: Annotated[
        bool,
        typer.Option(
            "--debug", help="Show the traceback of an error. Works at any place of the line."
        ),
    ] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Attributed graphlets: sparse, readable models of graphs."""


#: Groups of commands in the help.
FIRST, MODELS, DATA = "First look", "Models", "Data and patterns"


def _add(
    place: typer.Typer,
    command: Callable[..., None],
    examples: tuple[str, ...],
    *,
    name: str | None = None,
    group: str | None = None,
) -> None:
    """Add a command; its docstring is its help, whose lines are as long as the terminal is wide."""
    paragraphs = (command.__doc__ or "").split("\n\n")
    place.command(
        name,
        help="\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs),
        epilog="\n\n".join(f"Example: {example}" for example in examples),
        rich_help_panel=group,
    )(command)


_add(app, demo.demo, demo.EXAMPLES, group=FIRST)
_add(app, fit.fit, fit.EXAMPLES, group=MODELS)
_add(app, evaluate.evaluate, evaluate.EXAMPLES, group=MODELS)
_add(app, show.show, show.EXAMPLES, group=MODELS)
_add(app, predict.predict, predict.EXAMPLES, group=MODELS)
_add(app, explain.explain, explain.EXAMPLES, group=MODELS)
_add(app, report.report, report.EXAMPLES, group=MODELS)
_add(app, serve.serve, serve.EXAMPLES, group=MODELS)
_add(app, count.count, count.EXAMPLES, group=DATA)
_add(app, frequent.frequent, frequent.EXAMPLES, group=DATA)
_add(app, bench.bench, bench.EXAMPLES, group=DATA)
_add(data_app, data.list_data, data.LIST_EXAMPLES, name="list")
_add(data_app, data.fetch, data.FETCH_EXAMPLES)
_add(data_app, data.info, data.INFO_EXAMPLES)
_add(data_app, data.convert, data.CONVERT_EXAMPLES)
_add(data_app, data.shard, data.SHARD_EXAMPLES)
app.add_typer(data_app, name="data", rich_help_panel=DATA)
