"""What a model expects of graphs, and how graphs get from the user's units to the model's.

This is for graphs what ``feature_names_in_`` is for tables: the width and names of attributes must
agree, labels are looked up in the vocabulary of the training graphs, and attributes are scaled by
what was learned from those.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.graphlets import Graphlet
from aglets.graphs import GraphSet, as_graph_set
from aglets.graphs.arrays import Floats
from aglets.graphs.notes import note
from aglets.graphs.stored import StoredGraphs
from aglets.preprocessing.covariates import Covariates
from aglets.preprocessing.node_labels import NodeLabels, label_nodes
from aglets.preprocessing.scaling import AttributeScaling, ColumnScaling, fit_scaling, scaling_of

__all__ = ["InputSpec", "UnknownLabels"]


@dataclass(frozen=True)
class InputSpec:
    """Labels, attributes, units and covariates of the graphs seen in fit.

    All training sets of a fit share one. Folds see the attributes of all graphs of the fit only
    through it, and nothing of their targets, so graphlets of different folds can be compared, and
    united to one model.

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
    scaling : AttributeScaling
        How attributes are scaled before they are compared.
    covariates : Covariates or None
        Numbers of the whole graph that the model has next to graphlets.
    node_labels : {"none", "degree"} or callable
        How nodes get their labels, if not from the graphs themselves: see `label_nodes`.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(
    ...     labels=[["C", "O"], ["N"]], edges=[[(0, 1)], []], attributes=[[[3.0], [5.0]], [[9.0]]]
    ... )
    >>> spec = InputSpec.of(graphs[[0]], "standard")
    >>> spec.vocabulary
    ('C', 'O')
    >>> spec.to_model_units(graphs[[0]]).attributes.ravel()
    array([-1.,  1.])
    """

    vocabulary: tuple[Hashable, ...]
    n_attributes: int
    attribute_names: tuple[str, ...] | None = None
    edge_vocabulary: tuple[Hashable, ...] | None = None
    n_edge_attributes: int = 0
    edge_attribute_names: tuple[str, ...] | None = None
    recipe: str | None = None
    scaling: AttributeScaling = field(default_factory=AttributeScaling)
    covariates: Covariates | None = None
    node_labels: NodeLabels = "none"

    @classmethod
    def of(
        cls,
        graphs: GraphSet,
        scale: str = "none",
        sample_weight: Floats | None = None,
        covariates: Covariates | None = None,
        node_labels: NodeLabels = "none",
    ) -> InputSpec:
        """Learn labels and units from training graphs.

        Parameters
        ----------
        graphs : GraphSet
            Labels of a larger set that do not occur in these graphs are left out.
        scale : {"none", "standard", "label"}
            As in :func:`aglets.preprocessing.scaling.fit_scaling`.
        sample_weight : ndarray of shape (n_graphs,), optional
            A graph of weight 2 counts as the same graph given twice.
        covariates : Covariates, optional
            What was learned of them.
        node_labels : {"none", "degree"} or callable
            How these graphs were labelled (`label_nodes`).
        """
        edge_vocabulary = None
        if graphs.edge_labels is not None and graphs.edge_vocabulary is not None:
            edge_vocabulary = _used(graphs.edge_labels, graphs.edge_vocabulary)
        spec = cls(
            vocabulary=_used(graphs.labels, graphs.vocabulary),
            n_attributes=graphs.n_attributes,
            attribute_names=graphs.attribute_names,
            edge_vocabulary=edge_vocabulary,
            n_edge_attributes=graphs.n_edge_attributes,
            edge_attribute_names=graphs.edge_attribute_names,
            recipe=graphs.recipe,
            covariates=covariates,
            node_labels=node_labels,
        )
        weight = None if sample_weight is None or (sample_weight == 1.0).all() else sample_weight
        return replace(spec, scaling=fit_scaling(spec._in_vocabulary(graphs), scale, weight))

    @classmethod
    def of_stored(cls, graphs: StoredGraphs, scale: str = "none") -> InputSpec:
        """Learn labels and units from what graphs in files add up to."""
        facts = graphs.facts
        return cls(
            vocabulary=graphs.vocabulary,
            n_attributes=graphs.n_attributes,
            attribute_names=graphs.attribute_names,
            edge_vocabulary=graphs.edge_vocabulary,
            n_edge_attributes=graphs.n_edge_attributes,
            edge_attribute_names=graphs.edge_attribute_names,
            recipe=graphs.recipe,
            scaling=scaling_of(scale, facts.nodes, facts.edges, graphs.edge_vocabulary is not None),
        )

    def read(self, graphs: Any) -> GraphSet:
        """Take graphs as a GraphSet in the user's units; what is not one is read as in fit.

        Nodes are labelled as in fit.
        """
        return label_nodes(as_graph_set(graphs, self.recipe), self.node_labels)

    def to_model_units(self, graphs: Any, *, warn: bool = True) -> GraphSet:
        """Express graphs in the labels of fit, with attributes in the units that are compared.

        Labels and attributes are checked first. Edge labels and attributes that the model does not
        use are left out.

        Parameters
        ----------
        graphs : GraphSet or list of graphs
            In the user's units.
        warn : bool
            Whether to warn of labels that fit never saw: their nodes can match no graphlet, the
            rest of the graph still can. Parts of one data set may lack each other's labels.
        """
        given = self.read(graphs)
        scaled = self._in_vocabulary(given)
        if warn:
            for text in self._unknown(given, scaled).sentences():
                note(text)
        return self.scaling.apply(scaled)

    def unknown_labels(self, graphs: GraphSet) -> UnknownLabels:
        """Find the labels of graphs that fit never saw."""
        return self._unknown(graphs, self._in_vocabulary(graphs))

    def _unknown(self, given: GraphSet, scaled: GraphSet) -> UnknownLabels:
        nodes = _first_graphs(scaled.labels, given.labels, given.vocabulary, given.node_offsets)
        if scaled.edge_labels is None or given.edge_labels is None:
            return UnknownLabels(nodes)
        vocabulary = given.edge_vocabulary or ()
        return UnknownLabels(
            nodes,
            _first_graphs(scaled.edge_labels, given.edge_labels, vocabulary, given.edge_offsets),
        )

    def graphlet_to_model_units(self, graphlet: Graphlet) -> Graphlet:
        """Scale the attributes of a graphlet as those of graphs."""
        attributes, edge_attributes = self._rescaled(
            ColumnScaling.forward,
            graphlet.labels,
            graphlet.attributes,
            graphlet.edge_labels,
            graphlet.edge_attributes,
        )
        return replace(graphlet, attributes=attributes, edge_attributes=edge_attributes)

    def attributes_to_user_units(
        self,
        labels: Sequence[Hashable],
        attributes: Floats,
        edge_labels: Sequence[Hashable] | None = None,
        edge_attributes: Floats | None = None,
    ) -> tuple[Floats, Floats | None]:
        """Undo the scaling of the attributes of labelled nodes and edges."""
        return self._rescaled(
            ColumnScaling.inverse, labels, attributes, edge_labels, edge_attributes
        )

    def label_codes(self, labels: Sequence[Hashable]) -> NDArray[np.intp]:
        """Look up node labels in the vocabulary; -1 where they are not in it."""
        return _codes(labels, self.vocabulary)

    def _rescaled(
        self,
        way: Callable[[ColumnScaling, Floats, NDArray[np.intp] | None], Floats],
        labels: Sequence[Hashable],
        attributes: Floats,
        edge_labels: Sequence[Hashable] | None,
        edge_attributes: Floats | None,
    ) -> tuple[Floats, Floats | None]:
        if self.scaling.nodes is not None:
            attributes = way(self.scaling.nodes, attributes, self.label_codes(labels))
        if self.scaling.edges is not None and edge_attributes is not None:
            codes = None if edge_labels is None else _codes(edge_labels, self.edge_vocabulary or ())
            edge_attributes = way(self.scaling.edges, edge_attributes, codes)
        return attributes, edge_attributes

    def _in_vocabulary(self, graphs: GraphSet) -> GraphSet:
        self._check_attributes(graphs)
        _check_recipe(graphs.recipe, self.recipe)
        return self._check_edges(graphs).with_vocabulary(self.vocabulary, self.edge_vocabulary)

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


def _codes(labels: Sequence[Hashable], vocabulary: Sequence[Hashable]) -> NDArray[np.intp]:
    position = {value: code for code, value in enumerate(vocabulary)}
    return np.array([position.get(label, -1) for label in labels], dtype=np.intp)


@dataclass(frozen=True)
class UnknownLabels:
    """Labels that fit never saw, each with the first graph that has it.

    Examples
    --------
    >>> one = UnknownLabels(nodes={"Xe": 3})
    >>> one.sentences()
    ["Label 'Xe' in graph 3 was never seen in fit; its nodes can match no graphlet."]
    """

    nodes: Mapping[Hashable, int] = field(default_factory=dict)
    edges: Mapping[Hashable, int] = field(default_factory=dict)

    def sentences(self, where: str = "graph") -> list[str]:
        """Say so, in one sentence for nodes and one for edges, if there are any."""
        parts = ((self.nodes, "Label", "nodes"), (self.edges, "Edge label", "edges"))
        return [_unknown_text(found, what, of, where) for found, what, of in parts if found]


def _unknown_text(found: Mapping[Hashable, int], what: str, parts: str, where: str) -> str:
    named = [f"{value!r} in {where} {graph}" for value, graph in list(found.items())[:5]]
    if len(found) > 5:
        named.append(f"{len(found) - 5} more")
    several = len(found) > 1
    return (
        f"{what}{'s' if several else ''} {', '.join(named)} "
        f"{'were' if several else 'was'} never seen in fit; "
        f"{'their' if several else 'its'} {parts} can match no graphlet."
    )


def _first_graphs(
    found: NDArray[np.int32],
    codes: NDArray[np.int32],
    vocabulary: tuple[Hashable, ...],
    offsets: NDArray[np.int64],
) -> dict[Hashable, int]:
    """Return each value of ``codes`` that became -1, with the first graph that has it."""
    rows = np.flatnonzero((found < 0) & (codes >= 0))
    unknown, first = np.unique(codes[rows], return_index=True)
    graphs = np.searchsorted(offsets, rows[first], side="right") - 1
    return {vocabulary[code]: int(graph) for code, graph in zip(unknown, graphs, strict=True)}
