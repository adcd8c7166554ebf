"""`aglets count`: how many labelled subgraph patterns a data set has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from aglets.cli.sources import AsJson, Jobs, Source, reads_graphs

if TYPE_CHECKING:
    from aglets.mining import Counts

EXAMPLES = ("aglets count demo --maxpat 4",)

Maxpat = Annotated[int, typer.Option("--maxpat", help="Maximum number of nodes.")]
Seconds = Annotated[
    float | None,
    typer.Option(
        "--time-limit", min=0.0, help="Stop after so many seconds; the count is then a lower bound."
    ),
]


@reads_graphs
def count(
    source: Source,
    maxpat: Maxpat,
    time_limit: Seconds = None,
    jobs: Jobs = 1,
    as_json: AsJson = False,
) -> None:
    """Count the connected labelled subgraphs of up to MAXPAT nodes, each pattern once."""
    from aglets import mining

    graphs, _ = source.load()
    counts = mining.count(graphs, maxpat=maxpat, max_seconds=time_limit, n_jobs=jobs)
    if as_json:
        typer.echo(_as_json(counts))
    else:
        _print(counts, n_graphs=len(graphs), maxpat=maxpat)


def _as_json(counts: Counts) -> str:
    return json.dumps(
        {
            "total": counts.total,
            "complete": counts.complete,
            "by_nodes": {str(nodes): number for nodes, number in counts.by_nodes.items()},
            "by_nodes_edges": [
                {"nodes": nodes, "edges": edges, "patterns": number}
                for (nodes, edges), number in sorted(counts.by_nodes_edges.items())
            ],
        }
    )


def _print(counts: Counts, *, n_graphs: int, maxpat: int) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("nodes", justify="right")
    table.add_column("patterns", justify="right")
    for nodes, number in counts.by_nodes.items():
        table.add_row(str(nodes), str(number))
    console = Console(highlight=False, emoji=False)
    console.print(table)
    start = "" if counts.complete else "The time is over: at least "
    console.print(
        f"{start}[bold]{counts.total}[/bold] patterns of up to {maxpat} nodes in {n_graphs} graphs"
    )
