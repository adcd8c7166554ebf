"""Graphs and graphlets as the page draws them: labels, edges, and where nodes lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from aglets.drawing.layout import positions
from aglets.graphlets import Graphlet

__all__ = ["drawn_graphlet", "structure"]


def drawn_graphlet(graphlet: Graphlet, molecule: bool) -> dict[str, Any]:
    """Write names, structure and place of nodes of a graphlet."""
    return {
        "name": graphlet.name,
        **structure(graphlet.labels, graphlet.edges, graphlet.edge_labels, molecule),
    }


def structure(labels: Any, edges: Any, edge_labels: Any, molecule: bool) -> dict[str, Any]:
    """Write labels, edges and the place of nodes."""
    x = positions(len(labels), edges, molecule=molecule) * (1.0, -1.0)
    return {
        "labels": [str(label) for label in labels],
        "edges": edges,
        "bonds": None if edge_labels is None else [str(label) for label in edge_labels],
        # Hundredths of an edge's length, as whole numbers, keep the page small.
        "xy": np.rint(100.0 * x).astype(int),
    }
