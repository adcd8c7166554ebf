"""The graphs of a page: their names, their drawings, and which functional groups they have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aglets.graphlets.groups import groups_in
from aglets.graphlets.skeletons import graph_mol, skeletons_of
from aglets.graphs import GraphSet
from aglets.graphs.arrays import Rows
from aglets.graphs.geometry import attribute_positions
from aglets.report._structure import structure

__all__ = ["by_graph", "drawn_graphs", "group_index", "identities"]

#: Functional groups are looked up in no more molecules than this.
MAX_SEARCHED = 3000


def by_graph(values: Sequence[Any], listed: Rows) -> Sequence[Any] | dict[str, Any]:
    """Write values of all graphs in a row, or those of some by number.

    >>> import numpy as np
    >>> by_graph([5, 6, 7], np.array([0, 2]))
    {'0': 5, '2': 7}
    """
    if len(listed) == len(values):
        return values
    return {str(i): values[i] for i in listed.tolist()}


def identities(graphs: GraphSet, listed: Rows) -> dict[str, Any]:
    """Write names, ids and SMILES of these graphs; None for what the source lacks."""
    return {
        name: (
            None
            if column is None
            else by_graph([None if v is None else str(v) for v in column], listed)
        )
        for name, column in (
            ("names", graphs.names),
            ("ids", graphs.ids),
            ("smiles", graphs.smiles),
        )
    }


def group_index(graphs: GraphSet, listed: Rows) -> dict[str, Any]:
    """Say which functional groups each molecule has, so that they can be searched by name."""
    found: list[list[str]] = []
    for i in listed[:MAX_SEARCHED].tolist():
        mol = graph_mol(graphs[i], graphs.recipe)
        if mol is None:
            break
        found.append(groups_in(mol))
    names = sorted({name for row in found for name in row})
    place = {name: k for k, name in enumerate(names)}
    groups = [[place[name] for name in row] for row in found]
    if len(listed) == len(graphs):
        return {"groups": names, "graph_groups": groups}
    pairs = zip(listed.tolist(), groups, strict=False)
    return {"groups": names, "graph_groups": {str(i): row for i, row in pairs}}


def drawn_graphs(graphs: GraphSet, shown: Sequence[int]) -> dict[str, Any]:
    """Write the drawings of these graphs by number; molecules of one scaffold are turned alike."""
    chosen = [graphs[i] for i in shown]
    drawings: dict[str, Any] = {}
    for i, graph, skeleton in zip(shown, chosen, skeletons_of(chosen, graphs.recipe), strict=True):
        if skeleton is not None:
            drawings[str(i)] = {"skeleton": skeleton.to_plain(), "edges": graph.edges}
        else:
            drawings[str(i)] = structure(
                graph.labels, graph.edges, graph.edge_labels, at=attribute_positions(graph)
            )
    return drawings
