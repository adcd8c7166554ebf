"""Graph-level numbers next to graphlets: built-in ones such as the size, or the user's own columns.

They are not graphlets: they match nowhere in a graph, and are named and shown for what they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats

__all__ = ["BUILT_IN", "Covariates", "learn_covariates"]


#: What a model can count by itself.
BUILT_IN = ("size",)

#: Labels are counted that occur in this part of the training graphs or more: the count of a rarer
#: one would do little but name single graphs, and its weight learn their targets by heart.
MIN_SHARE = 0.05


@dataclass(frozen=True, eq=False)
class Covariates:
    """Which covariates a model has, where their values come from, and what is usual for them.

    Parameters
    ----------
    names : tuple of str
        Built-in ones first, then the user's.
    center, spread : ndarray of shape (n_covariates,)
        Mean and standard deviation over the training graphs. What a covariate adds to a decision
        counts from its mean, so that it adds nothing for the average graph.
    built_in : str or None
        "size" for numbers of nodes, edges and nodes of each label that is not rare.
    labels : tuple
        The labels that are counted.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=["CCO", "CO"], edges=[[(0, 1), (1, 2)], [(0, 1)]])
    >>> known = learn_covariates("size", graphs)
    >>> known.names
    ('number of nodes', 'number of edges', 'number of C', 'number of O')
    >>> known.raw(graphs)
    array([[3., 2., 2., 1.],
           [2., 1., 1., 1.]])
    """

    names: tuple[str, ...]
    center: Floats
    spread: Floats
    built_in: str | None = None
    labels: tuple[Hashable, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.names)
        if self.built_in not in (None, *BUILT_IN):
            raise ValueError(f"The covariates {self.built_in!r} are not known.")
        if n < self.n_built_in or (self.labels and self.built_in is None):
            raise ValueError(f"Covariates need a name each. Got {n} names.")
        for name in ("center", "spread"):
            values = np.array(getattr(self, name), dtype=np.float64)
            if values.shape != (n,) or not np.isfinite(values).all():
                raise ValueError(f"The {name} of {n} covariates must be {n} finite numbers.")
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        if (self.spread < 0.0).any():
            raise ValueError("The spread of covariates must not be negative.")

    @property
    def n_built_in(self) -> int:
        """How many are counted by the model itself."""
        return 0 if self.built_in is None else 2 + len(self.labels)

    @property
    def own(self) -> tuple[str, ...]:
        """Names of those that the user gives."""
        return self.names[self.n_built_in :]

    def raw(self, graphs: GraphSet, own: Any = None) -> Floats:
        """Take the covariates of graphs, shape (n_graphs, n_covariates), as they are.

        Parameters
        ----------
        graphs : GraphSet
        own : array-like or DataFrame of shape (n_graphs, n_own)
            The user's columns; of a DataFrame, those with the names of fit.
        """
        parts = [] if self.built_in is None else [_sizes(graphs, self.labels)]
        if self.own:
            if own is None:
                raise ValueError(
                    f"This model was fitted with the covariates {_listed(self.own)}; "
                    "give covariates=, one row per graph."
                )
            parts.append(_table(own, len(graphs), self.own)[1])
        elif own is not None:
            raise ValueError(
                "This model was fitted without covariates of your own; leave covariates= out."
            )
        return np.hstack(parts)

    def centered(self, graphs: GraphSet, own: Any = None) -> Floats:
        """Take the covariates of graphs, counted from the mean of the training graphs."""
        return self.raw(graphs, own) - self.center


def learn_covariates(
    built_in: str | None,
    graphs: GraphSet,
    own: Any = None,
    sample_weight: Floats | None = None,
) -> Covariates | None:
    """Note names, means and spreads of the covariates of training graphs; None if there are none.

    Parameters
    ----------
    built_in : "size" or None
    graphs : GraphSet
    own : array-like or DataFrame of shape (n_graphs, n_own), optional
    sample_weight : ndarray of shape (n_graphs,), optional
        A graph of weight 2 counts as the same graph given twice.
    """
    names: tuple[str, ...] = ()
    labels: tuple[Hashable, ...] = ()
    parts = []
    if built_in is not None:
        labels = _frequent_labels(graphs)
        names = ("number of nodes", "number of edges", *(f"number of {value}" for value in labels))
        parts.append(_sizes(graphs, labels))
    if own is not None:
        given, table = _table(own, len(graphs))
        names += given
        parts.append(table)
    if not names:
        return None
    values = np.hstack(parts)
    weight = np.ones(len(graphs)) if sample_weight is None else sample_weight
    center = weight @ values / weight.sum()
    spread = np.sqrt(weight @ (values - center) ** 2 / weight.sum())
    return Covariates(names, center, spread, built_in, labels)


def _frequent_labels(graphs: GraphSet) -> tuple[Hashable, ...]:
    """Return the labels worth counting; none if there is but one, counted by the nodes already."""
    known = graphs.labels >= 0
    graph_of = np.repeat(np.arange(len(graphs)), graphs.n_nodes)
    pairs = np.unique(np.column_stack([graph_of, graphs.labels])[known], axis=0)
    in_graphs = np.bincount(pairs[:, 1], minlength=len(graphs.vocabulary))
    if np.count_nonzero(in_graphs) < 2:
        return ()
    frequent = np.flatnonzero(in_graphs >= max(1.0, MIN_SHARE * len(graphs)))
    return tuple(graphs.vocabulary[code] for code in frequent)


def _sizes(graphs: GraphSet, labels: Sequence[Hashable]) -> Floats:
    """Count nodes, edges and nodes of each label."""
    position = {value: j for j, value in enumerate(labels)}
    column = np.array([position.get(value, -1) for value in graphs.vocabulary] + [-1])
    at = column[graphs.labels]  # unknown labels, -1, are in the last place
    graph_of = np.repeat(np.arange(len(graphs)), graphs.n_nodes)
    counts = np.zeros((len(graphs), len(labels)))
    np.add.at(counts, (graph_of[at >= 0], at[at >= 0]), 1.0)
    return np.column_stack([graphs.n_nodes, graphs.n_edges, counts]).astype(np.float64)


def _table(
    own: Any, n_graphs: int, expected: tuple[str, ...] | None = None
) -> tuple[tuple[str, ...], Floats]:
    """Read the user's columns: their names, and their numbers with one row per graph."""
    names: tuple[str, ...] | None = None
    if hasattr(own, "columns"):
        names = tuple(str(name) for name in own.columns)
        if expected is not None:
            lacking = [name for name in expected if name not in names]
            if lacking:
                raise ValueError(
                    f"Expected the covariates {_listed(expected)}, as in fit, but the table lacks "
                    f"{_listed(lacking)}."
                )
            at = [names.index(name) for name in expected]
            own, names = own.iloc[:, at] if hasattr(own, "iloc") else own[:, at], expected
    try:
        values = np.asarray(own, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"covariates must be numbers, one row per graph ({n_graphs}); turn classes into "
            f"columns of 0 and 1 first. Got {type(own).__name__} that holds something else."
        ) from error
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or len(values) != n_graphs or not values.shape[1]:
        raise ValueError(
            f"covariates must have one row per graph ({n_graphs}) and at least one column. "
            f"Got shape {values.shape} instead."
        )
    if expected is not None and values.shape[1] != len(expected):
        raise ValueError(
            f"Expected {len(expected)} covariates ({_listed(expected)}), as in fit. "
            f"Got {values.shape[1]} instead."
        )
    names = names or expected or tuple(f"covariate {j}" for j in range(values.shape[1]))
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0].tolist()
        raise ValueError(
            f"covariates must be finite. Got {values[row, column]} for {names[column]!r} of graph "
            f"{row}."
        )
    return names, np.ascontiguousarray(values)


def _listed(names: Sequence[str]) -> str:
    shown = [repr(name) for name in names[:5]]
    return ", ".join(shown) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
