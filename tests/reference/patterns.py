"""Every connected labelled subgraph of a list of graphs, by listing edge subsets.

A pattern is a connected, not necessarily induced, subgraph with its attributes taken away: a single
node, or the nodes touched by a connected set of edges. Two patterns are one if some renumbering of
the nodes makes them equal; `canonical` tries them all. Patterns are written over *types*: a type is
a label with a starting vector, and where a label has several types each node of a pattern may wear
any of them. With one type per label a type is a label under another name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, permutations, product
from typing import NamedTuple

import networkx as nx


class Pattern(NamedTuple):
    """A connected graph with a type on every node and a label on every edge."""

    types: tuple[int, ...]
    edges: tuple[tuple[int, int, int], ...]  # (u, v, edge label) with u < v, sorted

    @property
    def n_nodes(self) -> int:
        return len(self.types)


@lru_cache(maxsize=1 << 20)
def canonical(pattern: Pattern) -> Pattern:
    """The smallest of all renumberings of a pattern: equal for isomorphic patterns only."""
    # The smallest renumbering has its types in ascending order, so only those need be tried.
    nodes = sorted(range(len(pattern.types)), key=lambda v: pattern.types[v])
    classes = [[v for v in nodes if pattern.types[v] == t] for t in sorted(set(pattern.types))]
    best = None
    for parts in product(*(permutations(members) for members in classes)):
        place = {v: i for i, v in enumerate(v for part in parts for v in part)}
        edges = tuple(sorted(_edge(place[u], place[v], label) for u, v, label in pattern.edges))
        best = edges if best is None or edges < best else best
    assert best is not None
    return Pattern(tuple(sorted(pattern.types)), best)


def _edge(u: int, v: int, label: int) -> tuple[int, int, int]:
    return (min(u, v), max(u, v), label)


def pattern_of(
    types: Sequence[int], edges: Sequence[Sequence[int]], edge_labels: Sequence[int] | None = None
) -> Pattern:
    """The canonical pattern of arrays as `mining.Tree.pattern` gives them."""
    marks = [0] * len(edges) if edge_labels is None else [int(label) for label in edge_labels]
    written = (_edge(int(u), int(v), m) for (u, v), m in zip(edges, marks, strict=True))
    return canonical(Pattern(tuple(int(t) for t in types), tuple(sorted(written))))


def connected_edge_subsets(graph: nx.Graph, maxpat: int) -> set[frozenset[tuple[int, int]]]:
    """Every non-empty connected set of edges that touches at most ``maxpat`` nodes."""
    edges = [(min(e), max(e)) for e in graph.edges]
    found: set[frozenset[tuple[int, int]]] = set()
    layer = {frozenset([e]) for e in edges} if maxpat >= 2 else set()
    while layer:
        found |= layer
        grown = set()
        for subset in layer:
            touched = {v for e in subset for v in e}
            for e in edges:
                if e not in subset and touched & set(e) and len(touched | set(e)) <= maxpat:
                    grown.add(subset | {e})
        layer = grown
    return found


def patterns_of_graph(graph: nx.Graph, maxpat: int) -> set[Pattern]:
    """The patterns of one graph, with label codes as types. Label -1 is unknown: in no pattern."""
    nodes = [v for v, data in graph.nodes(data=True) if data["label"] >= 0]
    known = nx.Graph(graph.subgraph(nodes))
    known.remove_edges_from([(u, v) for u, v, data in known.edges(data=True) if data["label"] < 0])
    found = {Pattern((data["label"],), ()) for _, data in known.nodes(data=True)}
    for subset in connected_edge_subsets(known, maxpat):
        nodes = sorted({v for e in subset for v in e})
        place = {v: i for i, v in enumerate(nodes)}
        edges = tuple(sorted((place[u], place[v], known.edges[u, v]["label"]) for u, v in subset))
        found.add(canonical(Pattern(tuple(known.nodes[v]["label"] for v in nodes), edges)))
    return found


def with_types(pattern: Pattern, type_labels: Sequence[int]) -> set[Pattern]:
    """A pattern over labels, with every choice of a type of the right label at every node."""
    choices = [
        [t for t, label in enumerate(type_labels) if int(label) == wanted]
        for wanted in pattern.types
    ]
    return {canonical(Pattern(types, pattern.edges)) for types in product(*choices)}


def all_patterns(
    graphs: Sequence[nx.Graph], maxpat: int, type_labels: Sequence[int] | None = None
) -> dict[Pattern, tuple[int, ...]]:
    """Every pattern of at most ``maxpat`` nodes with the graphs that contain it.

    Without ``type_labels`` the types of a pattern are label codes. A graph supports a typed pattern
    if it contains the labelled pattern beneath: a node may host any type of its label.
    """
    supports: dict[Pattern, list[int]] = {}
    for i, graph in enumerate(graphs):
        for pattern in patterns_of_graph(graph, maxpat):
            typed = {pattern} if type_labels is None else with_types(pattern, type_labels)
            for one in typed:
                supports.setdefault(one, []).append(i)
    return {pattern: tuple(where) for pattern, where in supports.items()}


def counts(supports: Mapping[Pattern, Sequence[int]]) -> dict[tuple[int, int], int]:
    """How many patterns have so many nodes and so many edges."""
    table: dict[tuple[int, int], int] = {}
    for pattern in supports:
        key = (pattern.n_nodes, len(pattern.edges))
        table[key] = table.get(key, 0) + 1
    return table


def sub_patterns(pattern: Pattern) -> Iterator[Pattern]:
    """Every connected pattern strictly inside a pattern, itself as a graph (with repeats)."""
    graph = nx.Graph()
    for v, t in enumerate(pattern.types):
        graph.add_node(v, label=t)
    graph.add_edges_from((u, v, {"label": label}) for u, v, label in pattern.edges)
    for smaller in patterns_of_graph(graph, pattern.n_nodes):
        if smaller != pattern:
            yield smaller


def contains(bigger: Pattern, smaller: Pattern) -> bool:
    """Whether a pattern lies in another one: in itself, or in a part of it."""
    return smaller == bigger or smaller in set(sub_patterns(bigger))


def complete_edges(n_nodes: int) -> list[tuple[int, int]]:
    """The edges of the complete graph, the densest input of these tests."""
    return list(combinations(range(n_nodes), 2))
