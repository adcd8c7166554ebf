"""`aglets frequent`: the subgraph patterns that many graphs share."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from aglets.cli.count import Maxpat
from aglets.cli.sources import AsJson, Jobs, Source, reads_graphs

EXAMPLES = ("aglets frequent demo --maxpat 4 --min-support 0.5",)


@reads_graphs
def frequent(
    source: Source,
    maxpat: Maxpat,
    min_support: Annotated[
        float,
        typer.Option(
            "--min-support",
            help="Minimum number of graphs; below 1, a share of all graphs.",
            min=0.0,
        ),
    ],
    limit: Annotated[
        int, typer.Option("--limit", help="How many to show; 0 shows all.", min=0)
    ] = 20,
    jobs: Jobs = 1,
    as_json: AsJson = False,
) -> None:
    """List the connected labelled subgraphs that MIN-SUPPORT graphs or more contain."""
    from aglets import mining
    from aglets.explain.plain import label_text
    from aglets.graphlets.names import pattern_name

    graphs, _ = source.load()
    minimum = min_support * len(graphs) if min_support < 1 else min_support
    patterns = mining.frequent(
        graphs, maxpat=maxpat, min_support=max(1, -int(-minimum // 1)), n_jobs=jobs
    )
    patterns.sort(key=lambda pattern: (-pattern.support, -len(pattern.labels)))
    shown = patterns[: limit or None]
    if as_json:
        document = [
            {
                "pattern": pattern_name(p.labels, p.edges, p.edge_labels),
                "labels": [label_text(label) for label in p.labels],
                "edges": p.edges.tolist(),
                "edge_labels": (
                    None if p.edge_labels is None else list(map(label_text, p.edge_labels))
                ),
                "support": p.support,
            }
            for p in shown
        ]
        typer.echo(json.dumps(document))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for name in ("graphs", "share", "nodes"):
        table.add_column(name, justify="right")
    table.add_column("pattern", overflow="fold")
    for p in shown:
        name = pattern_name(p.labels, p.edges, p.edge_labels)
        table.add_row(str(p.support), f"{p.support / len(graphs):.1%}", str(len(p.labels)), name)
    console = Console(highlight=False, emoji=False, markup=False)
    console.print(table)
    console.print(f"{len(patterns)} patterns, {len(shown)} shown")
