"""Graphs and graphlets as the page draws them: lines and letters, or labels, edges and places."""

from __future__ import annotations

from typing import Any

import numpy as np

from aglets.drawing.layout import positions
from aglets.graphlets import Graphlet
from aglets.graphlets.skeletons import example_skeleton, fragment_skeleton

__all__ = ["drawn_graphlet", "example_drawing", "structure"]


def drawn_graphlet(graphlet: Graphlet) -> dict[str, Any]:
    """Write name and structure of a graphlet by itself."""
    name = graphlet.name if graphlet.unit is None else f"{graphlet.name}, {graphlet.unit}"
    part = fragment_skeleton(graphlet.labels, graphlet.edges, graphlet.edge_labels, graphlet.recipe)
    if part is not None:
        return {"name": name, "skeleton": part.to_plain(), "edges": graphlet.edges}
    return {
        "name": name,
        **structure(graphlet.labels, graphlet.edges, graphlet.edge_labels, at=graphlet.positions),
    }


def example_drawing(graphlet: Graphlet) -> dict[str, Any] | None:
    """Write the training molecule that a graphlet fits best, and its atoms there."""
    example = graphlet.example
    whole = None if example is None else example_skeleton(example, graphlet.recipe)
    if example is None or whole is None:
        return None
    return {
        "skeleton": whole.to_plain(),
        "edges": [],
        "nodes": example.nodes,
        "psi": float(f"{example.psi:.3g}"),
        "name": example.name,
        "smiles": example.smiles,
    }


def structure(labels: Any, edges: Any, edge_labels: Any, at: Any = None) -> dict[str, Any]:
    """Write labels, edges and the place of nodes."""
    x = positions(len(labels), edges, at=at) * (1.0, -1.0)
    return {
        "labels": [str(label) for label in labels],
        "edges": edges,
        "bonds": None if edge_labels is None else [str(label) for label in edge_labels],
        # Hundredths of an edge's length, as whole numbers, keep the page small.
        "xy": np.rint(100.0 * x).astype(int),
    }
