"""Which graphs of a set are the same up to the numbering of their nodes.

Weisfeiler-Lehman colours, computed for all graphs at once, sort graphs into buckets: graphs in
different buckets differ. Within a bucket a search for a bijection decides.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from aglets.graphs.arrays import Ints
from aglets.graphs.graph_set import GraphSet

Hashes = npt.NDArray[np.uint64]

ROUNDS = 4
#: Steps of the search for a bijection after which the colours are believed.
PATIENCE = 20_000


def groups(graphs: GraphSet, *, attributes: bool = True) -> list[Ints]:
    """Return the positions of graphs that are the same, for every graph that occurs twice or more.

    Parameters
    ----------
    graphs : GraphSet
    attributes : bool
        Whether attributes must be equal as well, not only labels and edges.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(
    ...     labels=["CCO", "OCC", "COC"], edges=[[(0, 1), (1, 2)]] * 3
    ... )
    >>> groups(graphs)
    [array([0, 1])]
    """
    colours, edge_codes = _colours(graphs, attributes)
    totals = _totals(graphs, colours)
    order = np.argsort(totals, kind="stable")
    bounds = np.flatnonzero(np.diff(totals[order])) + 1
    found = []
    for bucket in np.split(order, bounds):
        if len(bucket) > 1:
            found += _split(graphs, bucket, colours, edge_codes)
    return sorted(found, key=lambda group: int(group[0]))


def content_hashes(graphs: GraphSet) -> Hashes:
    """Return a number per graph that depends on its content alone.

    It is the same for graphs that are the same up to the numbering of nodes, in whatever set they
    are and whatever codes their labels have there; attributes count to seven digits. Different
    graphs have different numbers, but for those that Weisfeiler-Lehman colours do not distinguish.

    Examples
    --------
    >>> one = GraphSet.from_lists(labels=["CCO", "N"], edges=[[(0, 1), (1, 2)], []])
    >>> other = GraphSet.from_lists(labels=["OCC"], edges=[[(0, 1), (1, 2)]])
    >>> bool(content_hashes(one)[0] == content_hashes(other)[0])
    True
    """
    labels = _value_codes(graphs.vocabulary)[graphs.labels]
    edges = None
    if graphs.edge_labels is not None and graphs.edge_vocabulary is not None:
        edges = _value_codes(graphs.edge_vocabulary)[graphs.edge_labels]
    colours, _ = _refined(graphs, labels, edges, attributes=True, digits=np.float32)
    return _totals(graphs, colours)


def _value_codes(values: Sequence[Hashable]) -> npt.NDArray[np.int64]:
    """Give values numbers by what they are; the last is for what is not in the vocabulary."""
    codes = [
        int.from_bytes(blake2b(repr(value).encode(), digest_size=6).digest(), "little")
        for value in values
    ]
    return np.array([*codes, 1], dtype=np.int64)


def _totals(graphs: GraphSet, colours: Hashes) -> Hashes:
    totals = _sums(_mixed(colours), graphs.node_offsets)
    return _mixed(totals + graphs.n_nodes.astype(np.uint64) * np.uint64(31))


def _colours(graphs: GraphSet, attributes: bool) -> tuple[Hashes, Hashes]:
    """Return a colour for every node and a code for every edge; equal parts have equal ones."""
    return _refined(graphs, graphs.labels, graphs.edge_labels, attributes=attributes)


def _refined(
    graphs: GraphSet,
    labels: npt.NDArray[np.integer],
    edge_labels: npt.NDArray[np.integer] | None,
    *,
    attributes: bool,
    digits: type[np.floating] = np.float64,
) -> tuple[Hashes, Hashes]:
    colours = _mixed(labels.astype(np.int64).astype(np.uint64) + np.uint64(7))
    edges = np.zeros(len(graphs.edges), dtype=np.uint64)
    if edge_labels is not None:
        edges = edge_labels.astype(np.int64).astype(np.uint64) + np.uint64(3)
    if attributes:
        colours = _with_rows(colours, _to_digits(graphs.attributes, digits))
        if graphs.edge_attributes is not None:
            edges = _with_rows(edges, _to_digits(graphs.edge_attributes, digits))
    edges = _mixed(edges)
    ends = graphs.ends
    for _ in range(ROUNDS):
        total = np.zeros(len(colours), dtype=np.uint64)
        for here, there in ((0, 1), (1, 0)):
            # A sum does not depend on the order of the neighbours.
            np.add.at(total, ends[:, here], _mixed(colours[ends[:, there]] ^ edges))
        colours = _mixed(colours * np.uint64(3) + total)
    return colours, edges


def _to_digits(rows: npt.NDArray[np.float64], digits: type[np.floating]) -> npt.NDArray[np.float64]:
    with np.errstate(over="ignore"):  # numbers that are too large are all infinite then
        return rows.astype(digits).astype(np.float64)


def _with_rows(colours: Hashes, rows: npt.NDArray[np.float64]) -> Hashes:
    for column in rows.T:
        bits = (column + 0.0).view(np.uint64)  # + 0.0 makes -0.0 and 0.0 one number
        colours = _mixed(colours ^ _mixed(bits))
    return colours


def _mixed(values: Hashes) -> Hashes:
    """Scramble 64-bit numbers (the finaliser of splitmix64)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(values ^ (values >> np.uint64(31)))


def _sums(values: Hashes, offsets: Ints) -> Hashes:
    cumulated = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(values, dtype=np.uint64)])
    return np.asarray(cumulated[offsets[1:]] - cumulated[offsets[:-1]])


def _split(graphs: GraphSet, bucket: Ints, colours: Hashes, edge_codes: Hashes) -> list[Ints]:
    """Divide graphs of one bucket into classes of equal ones, and drop single graphs."""
    parts = [_Coloured(graphs, int(i), colours, edge_codes) for i in bucket]
    classes: list[list[int]] = []
    for i, part in enumerate(parts):
        for members in classes:
            if parts[members[0]].same_as(part):
                members.append(i)
                break
        else:
            classes.append([i])
    return [np.sort(bucket[members]) for members in classes if len(members) > 1]


class _Coloured:
    """One graph with the colours of its nodes."""

    def __init__(self, graphs: GraphSet, i: int, colours: Hashes, edge_codes: Hashes) -> None:
        nodes = slice(graphs.node_offsets[i], graphs.node_offsets[i + 1])
        edges = slice(graphs.edge_offsets[i], graphs.edge_offsets[i + 1])
        self.colours: list[int] = colours[nodes].tolist()
        self.neighbours: list[dict[int, int]] = [{} for _ in self.colours]
        codes = edge_codes[edges].tolist()
        for (u, v), code in zip(graphs.edges[edges].tolist(), codes, strict=True):
            self.neighbours[u][v] = self.neighbours[v][u] = code

    def same_as(self, other: _Coloured) -> bool:
        """Whether some bijection keeps colours and edges; believes the colours if it takes long."""
        if sorted(self.colours) != sorted(other.colours):
            return False
        places: dict[int, list[int]] = {}
        for node, colour in enumerate(other.colours):
            places.setdefault(colour, []).append(node)
        # Nodes with few possible places first, else next to one that has a place already.
        order = self._search_order(places)
        image: dict[int, int] = {}
        taken: set[int] = set()
        tried = [iter(places[self.colours[order[0]]])] if order else []
        steps = 0
        while len(image) < len(order):
            steps += 1
            if steps > PATIENCE:
                return True
            node = order[len(image)]
            place = next((p for p in tried[-1] if self._fits(node, p, image, taken, other)), None)
            if place is not None:
                image[node] = place
                taken.add(place)
                if len(image) < len(order):
                    tried.append(iter(places[self.colours[order[len(image)]]]))
                continue
            tried.pop()
            if not tried:
                return False
            taken.remove(image.pop(order[len(image) - 1]))
        return True

    def _search_order(self, places: dict[int, list[int]]) -> list[int]:
        order: list[int] = []
        waiting = set(range(len(self.colours)))
        while waiting:
            near = {v for u in order[-1:] for v in self.neighbours[u]} & waiting
            best = min(near or waiting, key=lambda v: (len(places[self.colours[v]]), v))
            order.append(best)
            waiting.remove(best)
        return order

    def _fits(
        self, node: int, place: int, image: dict[int, int], taken: set[int], other: _Coloured
    ) -> bool:
        if place in taken:
            return False
        theirs = other.neighbours[place]
        mine = self.neighbours[node]
        if len(mine) != len(theirs):
            return False
        return all(
            theirs.get(image[neighbour]) == code
            for neighbour, code in mine.items()
            if neighbour in image
        )
