"""The table of contents of the command line: every subcommand is named here."""

from __future__ import annotations

from typing import Annotated

import typer

from aglets.cli.count import count

app = typer.Typer(
    help="Attributed graphlets: sparse, readable models of graphs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def root(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; may stand anywhere.")
    ] = False,
) -> None:
    """Attributed graphlets: sparse, readable models of graphs."""


app.command()(count)
