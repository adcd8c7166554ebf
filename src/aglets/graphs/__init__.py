"""Graphs with labels and attributes: sets of them, checks, a first look."""

from __future__ import annotations

from aglets.graphs.graph_set import Graph, GraphSet, as_graph_set

__all__ = ["Graph", "GraphSet", "as_graph_set"]
