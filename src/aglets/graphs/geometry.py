"""Coordinates as lengths of edges, which stay the same when a graph is moved or turned.

Coordinates of nodes mean something only where all graphs lie in one frame, as ligands that were
aligned beforehand. Distances between neighbours need no frame.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence

import numpy as np

from aglets.graphs.arrays import Floats
from aglets.graphs.graph_set import Graph, GraphSet

__all__ = ["attribute_positions", "position_columns", "says_more_than_degree", "with_edge_lengths"]

#: The label of a node that is named after its degree: d3, d10..12, d64+.
_DEGREE = re.compile(r"d\d+(\.\.\d+|\+)?")


def says_more_than_degree(labels: Sequence[Hashable]) -> bool:
    """Whether any of some labels is not just the degree of its node, which a drawing shows anyway.

    Examples
    --------
    >>> says_more_than_degree(["d1", "d10..12"]), says_more_than_degree(["d1", "C"])
    (False, True)
    """
    return any(not (isinstance(v, str) and _DEGREE.fullmatch(v)) for v in labels)


def position_columns(
    names: Sequence[str] | None, n_attributes: int, *, labelled: bool
) -> tuple[int, int] | None:
    """Say which attributes are a place in the plane; None if none are.

    These are attributes named x and y, or the two nameless attributes of graphs without labels,
    such as drawings of letters.

    Examples
    --------
    >>> position_columns(["charge", "x", "y"], 3, labelled=True)
    (1, 2)
    >>> position_columns(None, 2, labelled=False), position_columns(None, 2, labelled=True)
    ((0, 1), None)
    """
    if names is None:
        return (0, 1) if n_attributes == 2 and not labelled else None
    lower = [name.lower() for name in names]
    if "x" in lower and "y" in lower and "z" not in lower:
        return lower.index("x"), lower.index("y")
    return None


def attribute_positions(graph: Graph) -> Floats | None:
    """Return where the nodes of a graph are if its attributes say so, else None.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=["ab"], edges=[[(0, 1)]],
    ...     attributes=[[[0.0, 0.0], [3.0, 4.0]]], attribute_names=["x", "y"])
    >>> attribute_positions(graphs[0]).tolist()
    [[0.0, 0.0], [3.0, 4.0]]
    """
    columns = position_columns(
        graph.attribute_names,
        graph.attributes.shape[1],
        labelled=graph.is_labelled and says_more_than_degree(graph.labels),
    )
    return None if columns is None else graph.attributes[:, list(columns)]


def with_edge_lengths(
    graphs: GraphSet,
    columns: Sequence[int | str] | None = None,
    *,
    name: str = "length",
    keep: bool = False,
) -> GraphSet:
    """Turn coordinates of nodes into lengths of edges, which no rotation or shift changes.

    Parameters
    ----------
    graphs : GraphSet
    columns : sequence of int or str, optional
        Which node attributes are coordinates, by position or name; all of them unless given.
    name : str
        Of the new edge attribute, which comes after those there are.
    keep : bool
        Whether to keep the coordinates among the node attributes, too.

    Returns
    -------
    GraphSet

    Examples
    --------
    >>> graphs = GraphSet.from_lists(
    ...     labels=["CO"], edges=[[(0, 1)]], attributes=[[[0.0, 0.0, 1.0], [3.0, 4.0, 1.0]]],
    ...     attribute_names=["x", "y", "charge"],
    ... )
    >>> lengths = graphs.with_edge_lengths(["x", "y"])
    >>> lengths.edge_attributes, lengths.edge_attribute_names, lengths.attribute_names
    (array([[5.]]), ('length',), ('charge',))
    """
    chosen = _positions(graphs, columns)
    here, there = graphs.attributes[:, chosen][graphs.ends.T]
    lengths = np.sqrt(((here - there) ** 2).sum(axis=1))
    old, old_names = graphs.edge_attributes, graphs.edge_attribute_names
    attributes = lengths[:, None] if old is None else np.column_stack([old, lengths])
    names = (name,) if old is None else None if old_names is None else (*old_names, name)
    if names is not None and len(set(names)) < len(names):
        raise ValueError(
            f"Expected a name that no edge attribute has yet. Got {name!r}; give another name=."
        )
    changed = graphs.with_edge_attributes(attributes, names)
    if keep:
        return changed
    rest = [j for j in range(graphs.n_attributes) if j not in chosen]
    all_names = graphs.attribute_names
    return changed.with_attributes(
        graphs.attributes[:, rest], None if all_names is None else [all_names[j] for j in rest]
    )


def _positions(graphs: GraphSet, columns: Sequence[int | str] | None) -> list[int]:
    names = graphs.attribute_names or ()
    width = graphs.n_attributes
    found: list[int] = []
    for column in range(width) if columns is None else columns:
        if isinstance(column, str) and column in names:
            found.append(names.index(column))
        elif not isinstance(column, (str, bool)) and 0 <= column < width:
            found.append(int(column))
        else:
            listed = f" ({', '.join(names)})" if names else ""
            raise ValueError(
                f"Expected columns among the {width} node attributes{listed}. Got {column!r}."
            )
    if not found or len(set(found)) < len(found):
        raise ValueError(
            f"Expected at least one column of coordinates, each of them once. Got {columns!r} for "
            f"graphs with {width} node attributes."
        )
    return found
