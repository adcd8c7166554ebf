"""The table of contents of the command line: every subcommand is named here."""

from __future__ import annotations

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


def _epilog(examples: tuple[str, ...]) -> str:
    return "\n\n".join(f"Example: {example}" for example in examples)


app.command(epilog=_epilog(fit.EXAMPLES))(fit.fit)
app.command(epilog=_epilog(evaluate.EXAMPLES))(evaluate.evaluate)
app.command(epilog=_epilog(show.EXAMPLES))(show.show)
app.command(epilog=_epilog(predict.EXAMPLES))(predict.predict)
app.command(epilog=_epilog(explain.EXAMPLES))(explain.explain)
app.command(epilog=_epilog(report.EXAMPLES))(report.report)
app.command(epilog=_epilog(serve.EXAMPLES))(serve.serve)
app.command(epilog=_epilog(count.EXAMPLES))(count.count)
app.command(epilog=_epilog(frequent.EXAMPLES))(frequent.frequent)
app.command(epilog=_epilog(bench.EXAMPLES))(bench.bench)
app.command(epilog=_epilog(demo.EXAMPLES))(demo.demo)
data_app.command("list", epilog=_epilog(data.LIST_EXAMPLES))(data.list_data)
data_app.command(epilog=_epilog(data.FETCH_EXAMPLES))(data.fetch)
data_app.command(epilog=_epilog(data.INFO_EXAMPLES))(data.info)
data_app.command(epilog=_epilog(data.CONVERT_EXAMPLES))(data.convert)
data_app.command(epilog=_epilog(data.SHARD_EXAMPLES))(data.shard)
app.add_typer(data_app, name="data")
