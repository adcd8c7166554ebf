"""networkx graphs, in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from aglets.graphs import GraphSet
from aglets.graphs.optional import optional
from aglets.io._keyed import (
    ATTRIBUTES,
    LABEL,
    KeyedGraph,
    Keys,
    OneOrMore,
    check_list,
    graph_set,
    keyed_graphs,
    keys_for,
    refuse,
    refuse_directed,
)

__all__ = ["from_networkx", "to_networkx"]


def from_networkx(
    graphs: Iterable[Any],
    *,
    label: OneOrMore = LABEL,
    attributes: OneOrMore = None,
    edge_label: OneOrMore = None,
    edge_attributes: OneOrMore = None,
) -> GraphSet:
    """Read networkx graphs; only the keys that are named here are read.

    Parameters
    ----------
    graphs : iterable of networkx.Graph
        Undirected. Nodes may be anything; their order is kept. Parallel edges are merged.
    label : str, sequence of str or None
        Key of the node label; several make tuples; None gives every node the label 0, as do graphs
        whose nodes carry nothing.
    attributes : str or sequence of str, optional
        Keys of node attributes, each a number or a vector. They become the attribute names.
    edge_label : str, sequence of str or None
        Key of the edge label; None leaves edges without labels.
    edge_attributes : str or sequence of str, optional
        Keys of edge attributes.

    Returns
    -------
    GraphSet

    Examples
    --------
    >>> import networkx as nx
    >>> from aglets import GraphSet
    >>> water = nx.Graph([("O", "H1"), ("O", "H2")])
    >>> nx.set_node_attributes(water, {"O": "O", "H1": "H", "H2": "H"}, "element")
    >>> nx.set_node_attributes(water, {"O": -0.8, "H1": 0.4, "H2": 0.4}, "charge")
    >>> graphs = GraphSet.from_networkx([water], label="element", attributes=["charge"])
    >>> graphs[0].labels, graphs.attribute_names
    (['O', 'H', 'H'], ('charge',))
    """
    check_list(graphs, "networkx", is_one=hasattr(graphs, "adj"))
    keys = Keys.of(label, attributes, edge_label, edge_attributes)
    keyed = list(_keyed(list(graphs)))
    return graph_set(keyed, keys_for(keys, (graph.nodes for graph in keyed)))


def _keyed(graphs: list[Any]) -> Iterator[KeyedGraph]:
    refuse(
        "networkx",
        [
            f"{type(graph).__name__} at position {i}"
            for i, graph in enumerate(graphs)
            if not hasattr(graph, "adj")
        ],
    )
    refuse_directed(
        [i for i, graph in enumerate(graphs) if graph.is_directed()],
        "call graph.to_undirected() first",
    )
    for graph in graphs:
        names = list(graph)
        position = {name: i for i, name in enumerate(names)}
        edges = list(graph.edges(data=True))
        yield KeyedGraph(
            nodes=[graph.nodes[name] for name in names],
            edges=[(position[u], position[v]) for u, v, _ in edges],
            edge_data=[data for _, _, data in edges],
            names=names,
        )


def to_networkx(
    graphs: GraphSet,
    *,
    label: str = LABEL,
    attributes: str = ATTRIBUTES,
    edge_label: str = LABEL,
    edge_attributes: str = ATTRIBUTES,
) -> list[Any]:
    """Write networkx graphs with nodes 0, 1, ...

    Parameters
    ----------
    graphs : GraphSet
    label, edge_label : str
        Under which key labels are written.
    attributes, edge_attributes : str
        Under which key attributes without names are written, as one list; named attributes are
        written under their names.

    Returns
    -------
    list of networkx.Graph

    Examples
    --------
    >>> from aglets import GraphSet
    >>> [graph] = GraphSet.from_lists(labels=["CO"], edges=[[(0, 1)]]).to_networkx()
    >>> graph.nodes(data=True)
    NodeDataView({0: {'label': 'C'}, 1: {'label': 'O'}})
    """
    nx = optional("networkx", "writing networkx graphs")
    written = []
    for keyed in keyed_graphs(
        graphs,
        label=label,
        attributes=attributes,
        edge_label=edge_label,
        edge_attributes=edge_attributes,
    ):
        graph = nx.Graph()
        graph.add_nodes_from(enumerate(keyed.nodes))
        graph.add_edges_from(
            (u, v, data) for (u, v), data in zip(keyed.edges, keyed.edge_data, strict=True)
        )
        written.append(graph)
    return written
