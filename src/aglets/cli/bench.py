"""`aglets bench`: what counting, training and predicting cost on your data and machine."""

from __future__ import annotations

import json
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aglets.cli.sources import AsJson, Jobs, Source, reads_graphs

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = ("aglets bench demo --maxpat 4",)

Maxpat = Annotated[int, typer.Option("--maxpat", help="Maximum number of nodes.")]


@reads_graphs
def bench(source: Source, maxpat: Maxpat = 5, jobs: Jobs = 1, as_json: AsJson = False) -> None:
    """Measure how long it takes to count all patterns of DATA, to fit a path, and to predict."""
    from aglets import LagraClassifier, LagraRegressor, mining

    graphs, y = source.load()
    rows = [_timed("count", lambda: f"{mining.count(graphs, maxpat, n_jobs=jobs).total} patterns")]
    if y is not None:
        kind = LagraRegressor if y.dtype.kind == "f" else LagraClassifier
        model = kind(maxpat=maxpat, lambda_ratio=0.01, n_jobs=jobs)
        rows.append(
            _timed("fit", lambda: f"{len(model.fit(graphs, y).graphlets_)} graphlets, 100 lambdas")
        )
        rows.append(_timed("predict", lambda: f"{len(model.predict(graphs))} graphs"))
    typer.echo(json.dumps(rows)) if as_json else _print(rows)


def _timed(task: str, action: Callable[[], str]) -> dict[str, Any]:
    cpu, wall = process_time(), perf_counter()
    result = action()
    return {
        "task": task,
        "result": result,
        "cpu_seconds": round(process_time() - cpu, 4),
        "wall_seconds": round(perf_counter() - wall, 4),
    }


def _print(rows: list[dict[str, Any]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for name in ("task", "result"):
        table.add_column(name)
    for name in ("CPU s", "wall s"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            row["task"], row["result"], f"{row['cpu_seconds']:.3f}", f"{row['wall_seconds']:.3f}"
        )
    Console(highlight=False, emoji=False).print(table)
