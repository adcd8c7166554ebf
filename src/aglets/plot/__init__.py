"""Figures of models and explanations, each a display that holds its data and draws it on demand.

A display is made from data (an explanation, a model's path) or by ``from_estimator``; ``plot(ax=)``
draws it with matplotlib, which is imported only then, and returns the display with ``ax_`` and
``figure_``. No global style is touched.
"""

from __future__ import annotations

from typing import Any

from aglets.plot._graphlets import GraphletDisplay, GraphletGridDisplay
from aglets.plot._local import LocalDisplay
from aglets.plot._outputs import OutputsDisplay
from aglets.plot._path import PathDisplay, SearchDisplay
from aglets.plot._scatter import ScatterDisplay
from aglets.plot._structure import StructureDisplay

__all__ = [
    "GraphletDisplay",
    "GraphletGridDisplay",
    "LocalDisplay",
    "OutputsDisplay",
    "PathDisplay",
    "ScatterDisplay",
    "SearchDisplay",
    "StructureDisplay",
    "display_of",
]


def display_of(explanation: Any) -> Any:
    """Return the display that draws an explanation."""
    from aglets.explain import GlobalExplanation, GraphletSummary, LocalExplanation
    from aglets.graphlets import Graphlet

    if isinstance(explanation, LocalExplanation):
        return LocalDisplay(explanation)
    if isinstance(explanation, GlobalExplanation):
        return GraphletGridDisplay(explanation)
    if isinstance(explanation, GraphletSummary):
        return GraphletDisplay(explanation)
    if isinstance(explanation, Graphlet):
        return StructureDisplay(explanation)
    raise TypeError(
        "Expected a LocalExplanation, a GlobalExplanation, one of its graphlets, or a Graphlet. "
        f"Got {type(explanation).__name__} instead."
    )
