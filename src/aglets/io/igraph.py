"""igraph graphs, in both directions."""

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

__all__ = ["from_igraph", "to_igraph"]


def from_igraph(
    graphs: Iterable[Any],
    *,
    label: OneOrMore = LABEL,
    attributes: OneOrMore = None,
    edge_label: OneOrMore = None,
    edge_attributes: OneOrMore = None,
) -> GraphSet:
    """Read igraph graphs; only the attributes that are named here are read.

    Parameters
    ----------
    graphs : iterable of igraph.Graph
        Undirected. Parallel edges are merged.
    label : str, sequence of str or None
        Vertex attribute that is the label; several make tuples; None gives every node the label 0,
        as do graphs whose nodes carry nothing.
    attributes : str or sequence of str, optional
        Vertex attributes that are numbers or vectors. They become the attribute names.
    edge_label : str, sequence of str or None
        Edge attribute that is the edge label; None leaves edges without labels.
    edge_attributes : str or sequence of str, optional
        Edge attributes that are numbers or vectors.

    Returns
    -------
    GraphSet

    Examples
    --------
    >>> import igraph
    >>> from aglets import GraphSet
    >>> water = igraph.Graph(edges=[(0, 1), (0, 2)])
    >>> water.vs["element"] = ["O", "H", "H"]
    >>> water.vs["charge"] = [-0.8, 0.4, 0.4]
    >>> graphs = GraphSet.from_igraph([water], label="element", attributes=["charge"])
    >>> graphs[0].labels, graphs.attribute_names
    (['O', 'H', 'H'], ('charge',))
    """
    check_list(graphs, "igraph", is_one=hasattr(graphs, "vs"))
    keys = Keys.of(label, attributes, edge_label, edge_attributes)
    keyed = list(_keyed(list(graphs)))
    return graph_set(keyed, keys_for(keys, (graph.nodes for graph in keyed)))


def _keyed(graphs: list[Any]) -> Iterator[KeyedGraph]:
    refuse(
        "igraph",
        [
            f"{type(graph).__name__} at position {i}"
            for i, graph in enumerate(graphs)
            if not hasattr(graph, "vs")
        ],
    )
    refuse_directed(
        [i for i, graph in enumerate(graphs) if graph.is_directed()],
        "call graph.as_undirected() first",
    )
    for graph in graphs:
        yield KeyedGraph(
            nodes=_dictionaries(graph.vs, graph.vcount()),
            edges=graph.get_edgelist(),
            edge_data=_dictionaries(graph.es, graph.ecount()),
            names=range(graph.vcount()),
        )


def _dictionaries(sequence: Any, count: int) -> list[dict[str, Any]]:
    columns = {name: sequence[name] for name in sequence.attributes()}
    return [{name: column[j] for name, column in columns.items()} for j in range(count)]


def to_igraph(
    graphs: GraphSet,
    *,
    label: str = LABEL,
    attributes: str = ATTRIBUTES,
    edge_label: str = LABEL,
    edge_attributes: str = ATTRIBUTES,
) -> list[Any]:
    """Write igraph graphs.

    Parameters
    ----------
    graphs : GraphSet
    label, edge_label : str
        Name of the vertex or edge attribute that holds labels.
    attributes, edge_attributes : str
        Name of the one that holds attributes without names, as lists; named attributes keep their
        names.

    Returns
    -------
    list of igraph.Graph

    Examples
    --------
    >>> from aglets import GraphSet
    >>> [graph] = GraphSet.from_lists(labels=["CO"], edges=[[(0, 1)]]).to_igraph()
    >>> graph.vs["label"], graph.get_edgelist()
    (['C', 'O'], [(0, 1)])
    """
    igraph = optional("igraph", "writing igraph graphs")
    written = []
    for keyed in keyed_graphs(
        graphs,
        label=label,
        attributes=attributes,
        edge_label=edge_label,
        edge_attributes=edge_attributes,
    ):
        graph = igraph.Graph(n=len(keyed.nodes), edges=keyed.edges)
        for sequence, items in ((graph.vs, keyed.nodes), (graph.es, keyed.edge_data)):
            for key in items[0] if items else ():
                sequence[key] = [item[key] for item in items]
        written.append(graph)
    return written
