"""Graphlets and graphs as SVG, for notebooks: skeletal formulas where they are molecules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aglets.drawing.molecules import skeleton
from aglets.drawing.palette import NEGATIVE, POSITIVE, signed_colours
from aglets.drawing.skeletal import Mark, signed_marks, skeleton_svg
from aglets.drawing.svg import graph_svg
from aglets.graphlets.skeletons import example_skeleton, fragment_skeleton, graph_mol, marks_of
from aglets.graphs import Graph
from aglets.graphs.arrays import Floats
from aglets.graphs.geometry import attribute_positions

if TYPE_CHECKING:
    from aglets.graphlets.graphlet import Graphlet

__all__ = ["explained_svg", "graphlet_svg"]


def graphlet_svg(graphlet: Graphlet, *, scale: float = 0.8) -> str:
    """Draw a graphlet, marked in the training molecule that it fits best if there is one.

    Examples
    --------
    >>> from aglets import Graphlet
    >>> graphlet_svg(Graphlet(labels="<>", edges=[(0, 1)])).count("&lt;")
    2
    """
    name = f"graphlet {graphlet.name}"
    if graphlet.example is not None:
        whole = example_skeleton(graphlet.example, graphlet.recipe)
        if whole is not None:
            colour = NEGATIVE if (graphlet.coef or 0.0) < 0.0 else POSITIVE
            atoms, bonds = marks_of(graphlet.edges, graphlet.example.nodes, Mark(colour))
            return skeleton_svg(whole, atoms=atoms, bonds=bonds, name=name, scale=scale)
    part = fragment_skeleton(graphlet.labels, graphlet.edges, graphlet.edge_labels, graphlet.recipe)
    if part is not None:
        return skeleton_svg(part, name=name)
    return graph_svg(
        graphlet.labels,
        graphlet.edges,
        graphlet.edge_labels,
        at=graphlet.positions,
        dots=not graphlet.is_labelled,
    )


def explained_svg(graph: Graph, nodes: Sequence[float] | Floats, edges: Floats) -> str:
    """Draw a graph with its nodes and edges coloured by what they add: blue up, orange down."""
    drawn = skeleton(graph_mol(graph, graph.recipe))
    if drawn is not None:
        atoms, bonds = signed_marks(nodes, graph.edges, edges)
        return skeleton_svg(drawn, atoms=atoms, bonds=bonds, name=graph.name or "molecule")
    return graph_svg(
        graph.labels,
        graph.edges,
        graph.edge_labels,
        fills=signed_colours(nodes),
        at=attribute_positions(graph),
        dots=not graph.is_labelled,
    )
