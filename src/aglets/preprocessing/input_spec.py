"""What graphs a model was fitted on, and how other graphs are brought to the same form.

This is for graphs what ``feature_names_in_`` is for tables: the width and names of attributes must
agree, and labels are looked up in the vocabulary of the training graphs.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.graphs import GraphSet

__all__ = ["InputFormat"]

_INSIDE = re.compile(r"(aglets|sklearn)(\.|$)")


@dataclass(frozen=True)
class InputFormat:
    """Labels and attributes of the graphs seen in fit.

    Parameters
    ----------
    vocabulary : tuple
        The node labels that occur.
    n_attributes : int
        Number of attributes of a node.
    attribute_names : tuple of str or None
    edge_vocabulary : tuple or None
        The edge labels that occur; None if edges have no labels.
    n_edge_attributes : int
        Number of attributes of an edge.
    edge_attribute_names : tuple of str or None
    recipe : str or None
        How a reader made labels and attributes, as in ``GraphSet.recipe``.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=[["C", "O"], ["N"]], edges=[[(0, 1)], []])
    >>> InputFormat.of(graphs[[0]]).vocabulary
    ('C', 'O')
    """

    vocabulary: tuple[Hashable, ...]
    n_attributes: int
    attribute_names: tuple[str, ...] | None = None
    edge_vocabulary: tuple[Hashable, ...] | None = None
    n_edge_attributes: int = 0
    edge_attribute_names: tuple[str, ...] | None = None
    recipe: str | None = None

    @classmethod
    def of(cls, graphs: GraphSet) -> InputFormat:
        """Describe training graphs; labels of a larger set that do not occur are left out."""
        edge_vocabulary = None
        if graphs.edge_labels is not None and graphs.edge_vocabulary is not None:
            edge_vocabulary = _used(graphs.edge_labels, graphs.edge_vocabulary)
        return cls(
            vocabulary=_used(graphs.labels, graphs.vocabulary),
            n_attributes=graphs.n_attributes,
            attribute_names=graphs.attribute_names,
            edge_vocabulary=edge_vocabulary,
            n_edge_attributes=graphs.n_edge_attributes,
            edge_attribute_names=graphs.edge_attribute_names,
            recipe=graphs.recipe,
        )

    def bring(self, graphs: GraphSet) -> GraphSet:
        """Express graphs in this vocabulary, after checking that their attributes are the same.

        A label that fit never saw is a warning: its nodes can match no graphlet, the rest of the
        graph still can. Edge labels and attributes that the model does not use are left out.
        """
        self._check_attributes(graphs)
        _check_recipe(graphs.recipe, self.recipe)
        graphs = self._check_edges(graphs)
        brought = graphs.with_vocabulary(self.vocabulary, self.edge_vocabulary)
        _warn_unknown(
            brought.labels, graphs.labels, graphs.vocabulary, graphs.node_offsets, "Label", "nodes"
        )
        if brought.edge_labels is not None and graphs.edge_labels is not None:
            _warn_unknown(
                brought.edge_labels,
                graphs.edge_labels,
                graphs.edge_vocabulary or (),
                graphs.edge_offsets,
                "Edge label",
                "edges",
            )
        return brought

    def _check_attributes(self, graphs: GraphSet) -> None:
        _check_width(graphs.n_attributes, self.n_attributes, self.attribute_names, "node")
        _check_names(graphs.attribute_names, self.attribute_names, "Attributes")

    def _check_edges(self, graphs: GraphSet) -> GraphSet:
        if self.edge_vocabulary is None:
            if graphs.edge_labels is not None:
                graphs = replace(graphs, edge_labels=None, edge_vocabulary=None)
        elif graphs.edge_labels is None:
            raise ValueError(
                "Expected graphs with edge labels, as in fit, but these have none; "
                "give edge labels, or fit on graphs without them."
            )
        if self.n_edge_attributes == 0:
            if graphs.edge_attributes is not None:
                graphs = replace(graphs, edge_attributes=None, edge_attribute_names=None)
            return graphs
        _check_width(
            graphs.n_edge_attributes, self.n_edge_attributes, self.edge_attribute_names, "edge"
        )
        _check_names(graphs.edge_attribute_names, self.edge_attribute_names, "Edge attributes")
        return graphs


def _used(codes: NDArray[np.int32], vocabulary: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    used = np.unique(codes)
    return tuple(vocabulary[code] for code in used[used >= 0])


def _check_width(came: int, expected: int, names: tuple[str, ...] | None, owner: str) -> None:
    if came != expected:
        known = "" if names is None else f" ({', '.join(names)})"
        raise ValueError(
            f"Expected {expected} attributes per {owner}{known}, as in fit, but these graphs have "
            f"{came}; give the same attributes in the same order."
        )


def _check_names(came: tuple[str, ...] | None, expected: tuple[str, ...] | None, what: str) -> None:
    if came is not None and expected is not None and came != expected:
        raise ValueError(
            f"{what} were named {', '.join(expected)} in fit, but these graphs have "
            f"{', '.join(came)}; give the same attributes in the same order."
        )


def _check_recipe(came: str | None, expected: str | None) -> None:
    """Raise if molecules were read with other labels than in fit: they look alike but are not."""
    label_with = [
        json.loads(recipe).get("molecule", {}).get("label_with")
        for recipe in (came or "{}", expected or "{}")
    ]
    if None not in label_with and sorted(label_with[0]) != sorted(label_with[1]):
        raise ValueError(
            f"Atoms were labelled with label_with={label_with[1]} in fit, but these with "
            f"label_with={label_with[0]}; read both alike."
        )


def _warn_unknown(
    brought: NDArray[np.int32],
    codes: NDArray[np.int32],
    vocabulary: tuple[Hashable, ...],
    offsets: NDArray[np.int64],
    what: str,
    parts: str,
) -> None:
    """Warn once, naming each value of ``codes`` that became -1 and the first graph that has it."""
    rows = np.flatnonzero((brought < 0) & (codes >= 0))
    if not rows.size:
        return
    unknown, first = np.unique(codes[rows], return_index=True)
    graphs = np.searchsorted(offsets, rows[first], side="right") - 1
    named: list[Any] = [
        f"{vocabulary[code]!r} in graph {graph}"
        for code, graph in zip(unknown[:5], graphs, strict=False)
    ]
    if len(unknown) > 5:
        named.append(f"{len(unknown) - 5} more")
    several = len(unknown) > 1
    warnings.warn(
        f"{what}{'s' if several else ''} {', '.join(named)} "
        f"{'were' if several else 'was'} never seen in fit; "
        f"{'their' if several else 'its'} {parts} can match no graphlet.",
        stacklevel=_level_of_the_caller(),
    )


def _level_of_the_caller() -> int:
    """Find how far up the stack the code is that called into this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _INSIDE.match(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    return level
