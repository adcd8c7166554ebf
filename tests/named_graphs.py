"""Graph sets with names and labels of several types, for round trips through other formats."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume
from hypothesis import strategies as st
from strategies import graph_sets

from aglets import GraphSet

NAMES = ("charge", "n hydrogens", "x[0]", "größe")


def relabelled(graphs: GraphSet, labels: dict) -> GraphSet:
    """The same graphs with other label values, looked up by the old ones."""
    return GraphSet.from_lists(
        labels=[[labels[label] for label in graph.labels] for graph in graphs],
        edges=[graph.edges for graph in graphs],
        attributes=[graph.attributes for graph in graphs],
        edge_labels=(
            None if graphs.edge_labels is None else [graph.edge_labels for graph in graphs]
        ),
        edge_attributes=(
            None if graphs.edge_attributes is None else [graph.edge_attributes for graph in graphs]
        ),
        attribute_names=graphs.attribute_names,
        edge_attribute_names=graphs.edge_attribute_names,
    )


@st.composite
def named_graph_sets(draw, *, labels: tuple[dict, ...] = ({},), **options) -> GraphSet:
    """Graphs that any format can store the width of: with a node, and an edge if edges have rows.

    `labels` are maps from the labels "C", "N", "O" to others; one of them is drawn.
    """
    graphs = draw(graph_sets(**options))
    assume(len(graphs.labels))
    assume(len(graphs.edges) or graphs.edge_attributes is None)
    named, edge_named = draw(st.booleans()), draw(st.booleans())
    graphs = replace(
        graphs,
        attribute_names=(
            draw(st.permutations(NAMES))[: graphs.n_attributes]
            if named and graphs.n_attributes
            else None
        ),
        edge_attribute_names=("length",) if edge_named and graphs.n_edge_attributes else None,
    )
    values = {label: label for label in "CNO"} | draw(st.sampled_from(labels))
    return relabelled(graphs, values)
