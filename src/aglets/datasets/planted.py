"""Graphs with planted motifs: data whose true graphlets are known.

A *motif* is a small connected graph with labels and attributes. Every graph carries copies of the
motifs, tied to a random background by single edges, and its class says which copies are whole:
graphs of class 1 hold a whole motif of theirs, graphs of class -1 one of theirs. All other copies
are near misses, so that only the whole motif distinguishes the classes:

- A *part* is a copy that lacks one edge. By default every graph holds, for every edge of every
  motif, a copy without it: then every proper part of a motif, with its attributes, is in every
  graph of both classes, and a model that stops at a part is wrong.
- A *decoy* is whole in labels and edges, but each of its nodes has attributes at some distance from
  the motif's, every time in another direction: labels alone cannot distinguish it from the
  motif. Decoys lie all around it, so that none of them draws a learned graphlet to one side.

Where there are parts, graphs of both classes hold the same number of copies: sizes predict nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aglets.graphlets import Graphlet
from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats

__all__ = ["make_planted"]

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def make_planted(
    n_graphs: int = 200,
    *,
    n_motifs: int = 1,
    motif_size: int = 4,
    background_size: tuple[int, int] = (8, 16),
    n_labels: int = 4,
    n_attributes: int = 2,
    separation: float = 2.0,
    noise: float = 0.3,
    parts: float = 1.0,
    decoys: float = 0.5,
    flip_y: float = 0.0,
    random_state: int | np.random.Generator | None = None,
) -> tuple[GraphSet, npt.NDArray[np.int64], list[Graphlet]]:
    """Make graphs of two classes with planted motifs.

    Parameters
    ----------
    n_graphs : int
        Half of them are of class 1.
    n_motifs : int
        Motifs 0, 2, ... belong to class 1, motifs 1, 3, ... to class -1. Every graph carries one
        motif of its class, if the class has any.
    motif_size : int
        Number of nodes of a motif; from three on it has one ring.
    background_size : (int, int)
        Minimum and maximum number of nodes around the planted ones.
    n_labels : int
        Node labels are "A", "B", ...; those of a motif are drawn from the same letters.
    n_attributes : int
        Background attributes are normal with unit variance about a centre for every label.
    separation : float
        Distance of a motif node's attributes from those of a decoy; half as far from the centre of
        its label.
    noise : float
        Standard deviation of planted attributes about the true ones.
    parts : float
        Share of the edges of each motif for which every graph carries a copy without that edge.
        With 1, only whole motifs distinguish the classes; with 0, the smallest part that happens to
        be rare elsewhere does, and a sparse model need not find more.
    decoys : float
        Probability that a motif which a graph does not hold is there as a decoy.
    flip_y : float
        Fraction of graphs whose class is changed in the end.
    random_state : int, Generator or None
        The same number gives the same data.

    Returns
    -------
    graphs : GraphSet
    y : ndarray of shape (n_graphs,)
        -1 and 1.
    motifs : list of Graphlet
        The truth; `coef` is 1 or -1, the class a motif belongs to.

    Examples
    --------
    >>> graphs, y, motifs = make_planted(100, random_state=0)
    >>> graphs
    GraphSet(100 graphs, on average ... nodes and ... edges, 4 labels, 2 attributes)
    >>> y.sum(), len(motifs), motifs[0].coef
    (np.int64(0), 1, 1.0)
    """
    _check(n_graphs=n_graphs, n_motifs=n_motifs, motif_size=motif_size, n_labels=n_labels)
    _check_fractions(parts=parts, decoys=decoys, flip_y=flip_y)
    if n_labels > len(_ALPHABET):
        raise ValueError(f"Expected n_labels of at most {len(_ALPHABET)}, got {n_labels}.")
    if not 1 <= background_size[0] <= background_size[1]:
        raise ValueError(
            f"Expected background_size to be (minimum, maximum) from 1 on, got {background_size}."
        )
    rng = np.random.default_rng(random_state)
    centres = rng.normal(size=(n_labels, n_attributes))
    motifs = [_Motif.random(rng, motif_size, centres, separation) for _ in range(n_motifs)]
    y = rng.permutation(np.where(np.arange(n_graphs) % 2 == 0, 1, -1).astype(np.int64))

    builders = []
    for target in y:
        builder = _Builder.background(
            rng, int(rng.integers(*background_size, endpoint=True)), centres
        )
        own = np.arange(0 if target == 1 else 1, n_motifs, 2)
        held = int(rng.choice(own)) if len(own) else None
        for i, motif in enumerate(motifs):
            for copy in _copies(rng, motif, i == held, parts, decoys):
                builder.plant(rng, copy, noise)
        builders.append(builder.shuffled(rng))

    flipped = rng.permutation(n_graphs)[: round(flip_y * n_graphs)]
    y[flipped] *= -1
    graphs = GraphSet.from_lists(
        labels=[[_ALPHABET[code] for code in builder.labels] for builder in builders],
        edges=[builder.edges for builder in builders],
        attributes=[builder.attributes for builder in builders],
    )
    truth = [motif.graphlet(1.0 if i % 2 == 0 else -1.0) for i, motif in enumerate(motifs)]
    return graphs, y, truth


@dataclass(frozen=True)
class _Copy:
    """What is planted: a motif, or something much like it."""

    labels: list[int]
    edges: list[tuple[int, int]]
    attributes: Floats


@dataclass(frozen=True)
class _Motif:
    whole: _Copy
    separation: float

    @classmethod
    def random(
        cls, rng: np.random.Generator, size: int, centres: Floats, separation: float
    ) -> _Motif:
        labels = rng.integers(len(centres), size=size)
        edges = _random_tree(rng, size)
        if size > 2:  # one ring, which a background tree does not have
            absent = [(u, v) for v in range(size) for u in range(v) if (u, v) not in edges]
            edges.append(absent[rng.integers(len(absent))])
        offset = 0.5 * separation * _directions(rng, (size, centres.shape[1]))
        return cls(_Copy(labels.tolist(), edges, centres[labels] + offset), separation)

    def decoy(self, rng: np.random.Generator) -> _Copy:
        """Return the motif with other attributes."""
        whole = self.whole
        offset = self.separation * _directions(rng, whole.attributes.shape)
        return _Copy(whole.labels, whole.edges, whole.attributes + offset)

    def without(self, edge: int) -> _Copy:
        """Return a part: the motif but for one edge."""
        edges = [pair for i, pair in enumerate(self.whole.edges) if i != edge]
        return _Copy(self.whole.labels, edges, self.whole.attributes)

    def graphlet(self, coef: float) -> Graphlet:
        return Graphlet(
            labels=[_ALPHABET[code] for code in self.whole.labels],
            edges=self.whole.edges,
            attributes=self.whole.attributes,
            coef=coef,
        )


def _copies(
    rng: np.random.Generator, motif: _Motif, held: bool, parts: float, decoys: float
) -> Iterator[_Copy]:
    """Yield the copies of one motif for one graph: parts, and the motif or what stands for it."""
    n_edges = len(motif.whole.edges)
    lacking = rng.permutation(n_edges)[: round(parts * n_edges)].tolist()
    for edge in lacking:
        yield motif.without(edge)
    if held:
        yield motif.whole
    elif rng.random() < decoys:
        yield motif.decoy(rng)
    elif lacking:
        yield motif.without(lacking[0])


@dataclass
class _Builder:
    """One graph in the making."""

    labels: list[int]
    edges: list[tuple[int, int]]
    attributes: Floats
    n_background: int

    @classmethod
    def background(cls, rng: np.random.Generator, size: int, centres: Floats) -> _Builder:
        labels = rng.integers(len(centres), size=size)
        attributes = centres[labels] + rng.normal(size=(size, centres.shape[1]))
        return cls(labels.tolist(), _random_tree(rng, size), attributes, size)

    def plant(self, rng: np.random.Generator, copy: _Copy, noise: float) -> None:
        """Add a copy, each of its connected pieces tied to the background by one edge.

        Copies are never tied to each other: parts could make a motif together.
        """
        start = len(self.labels)
        self.labels += copy.labels
        self.edges += [(start + u, start + v) for u, v in copy.edges]
        for piece in _pieces(len(copy.labels), copy.edges):
            node = piece[rng.integers(len(piece))]
            self.edges.append((int(rng.integers(self.n_background)), start + node))
        attributes = copy.attributes + noise * rng.normal(size=copy.attributes.shape)
        self.attributes = np.concatenate([self.attributes, attributes])

    def shuffled(self, rng: np.random.Generator) -> _Builder:
        """Renumber the nodes at random, so that position predicts nothing."""
        order = rng.permutation(len(self.labels))
        place = np.argsort(order)
        return _Builder(
            [self.labels[i] for i in order],
            [(int(place[u]), int(place[v])) for u, v in self.edges],
            self.attributes[order],
            self.n_background,
        )


def _pieces(size: int, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """List the nodes of each connected piece."""
    piece = list(range(size))
    for u, v in edges:
        old, new = piece[v], piece[u]
        piece = [new if name == old else name for name in piece]
    return [[v for v in range(size) if piece[v] == name] for name in sorted(set(piece))]


def _directions(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Draw a unit vector for each row."""
    rows = rng.normal(size=shape)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(length > 0, length, 1.0))


def _random_tree(rng: np.random.Generator, size: int) -> list[tuple[int, int]]:
    return [(int(rng.integers(v)), v) for v in range(1, size)]


def _check(**counts: int) -> None:
    for name, value in counts.items():
        minimum = 0 if name == "n_motifs" else 1
        if value < minimum:
            raise ValueError(f"Expected {name} to be at least {minimum}, got {value}.")


def _check_fractions(**fractions: float) -> None:
    for name, value in fractions.items():
        if not 0 <= value <= 1:
            raise ValueError(f"Expected {name} to be between 0 and 1, got {value}.")
