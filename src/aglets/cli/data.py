"""How commands are told which graphs to take: options they share, and loading."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import numpy.typing as npt
import typer

if TYPE_CHECKING:
    from aglets import GraphSet


class Component(str, Enum):
    """Which connected component of every graph to keep."""

    first = "first"
    largest = "largest"


Data = Annotated[
    str, typer.Argument(metavar="DATA", help="Name of a TU data set, or the path of its folder.")
]
ComponentOption = Annotated[
    Component | None,
    typer.Option("--component", help="Keep only one connected component of every graph."),
]
EdgeLabels = Annotated[bool, typer.Option("--edge-labels", help="Tell edges apart by label.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Number of threads; -1 takes all.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def load(
    data: str, *, component: Component | None = None, edge_labels: bool = False
) -> tuple[GraphSet, npt.NDArray[Any]]:
    """Load graphs and targets by the name or path given on the command line."""
    from aglets import datasets

    return datasets.load_tu(
        data, edge_labels=edge_labels, component=None if component is None else component.value
    )
