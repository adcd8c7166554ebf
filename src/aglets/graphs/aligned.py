"""Answers in the rows of what was asked: molecules that cannot be read keep their place.

A list of SMILES may hold some that are not molecules. Predictions for it then have a fill value
there, NaN for numbers and None for all else, so that every row still belongs to its molecule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aglets.graphs._formats import read_readable
from aglets.graphs.arrays import Rows
from aglets.graphs.graph_set import Graph, GraphSet, as_graph_set, is_list

__all__ = ["Aligned", "as_aligned"]


@dataclass(frozen=True)
class Aligned:
    """Graphs, and which of the rows that were given they are.

    Parameters
    ----------
    graphs : GraphSet
        What could be read.
    n_rows : int
        How many were given.
    rows : ndarray of shape (n_graphs,) or None
        The rows that could be read; None for all of them.

    Examples
    --------
    >>> one = GraphSet.from_lists(labels=["C"], edges=[[]])
    >>> part = Aligned(one, n_rows=3, rows=np.array([1]))
    >>> part.filled(np.array([0.5])), part.filled(np.array(["toxic"]))
    (array([nan, 0.5, nan]), array([None, 'toxic', None], dtype=object))
    """

    graphs: GraphSet
    n_rows: int
    rows: Rows | None = None

    def taken(self, table: Any) -> Any:
        """Take the rows of a table that has one per row that was given; None stays None."""
        if table is None or self.rows is None:
            return table
        if hasattr(table, "iloc"):
            return table.iloc[self.rows]
        values = np.asarray(table)
        # A table of another length is for the check behind to refuse.
        return values[self.rows] if len(values) == self.n_rows else table

    def filled(self, values: Any) -> Any:
        """Put answers in their rows, and NaN or None in the others.

        Parameters
        ----------
        values : ndarray with one row per graph, or a list
            A list of arrays (or None) is filled one by one, any other list as a whole.
        """
        if self.rows is None:
            return values
        if isinstance(values, list):
            if any(isinstance(part, np.ndarray) for part in values):
                return [None if part is None else self.filled(part) for part in values]
            listed: list[Any] = [None] * self.n_rows
            for row, value in zip(self.rows.tolist(), values, strict=True):
                listed[row] = value
            return listed
        numbers = values.dtype.kind == "f"
        fill: Any = np.nan if numbers else None
        whole = np.full(
            (self.n_rows, *values.shape[1:]), fill, dtype=values.dtype if numbers else object
        )
        whole[self.rows] = values
        return whole


def as_aligned(X: Any, recipe: str | None = None) -> Aligned:
    """Read what a model is asked about; molecules that cannot be read are left out with a warning.

    Parameters
    ----------
    X : GraphSet, or list of graphs, SMILES or RDKit molecules
        None and NaN in a list of molecules are molecules that cannot be read.
    recipe : str, optional
        As in `as_graph_set`.
    """
    if isinstance(X, GraphSet) or not is_list(X):
        graphs = as_graph_set(X, recipe)
        return Aligned(graphs, len(graphs))
    listed = X.to_numpy() if hasattr(X, "to_numpy") else X
    if not len(listed) or any(isinstance(item, Graph) for item in listed):
        graphs = as_graph_set(listed, recipe)
        return Aligned(graphs, len(graphs))
    graphs, complete = read_readable(listed, recipe)
    return Aligned(graphs, len(listed), None if complete else graphs.rows)
