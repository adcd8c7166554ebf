"""Graphs with planted motifs: data whose true graphlets are known.

A *motif* is a small connected graph with labels and attributes. Graphs of class 1 carry a copy of
a motif of their class with its attributes up to noise, hidden in a random background; graphs of
class -1 carry motifs of theirs. A *decoy* has the labels and edges of a motif of the other class,
but its attributes lie on the opposite side of the label's centre: who looks at labels only cannot
tell it from the motif.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.graphlet import Graphlet
from aglets.graphs import GraphSet

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
    noise: float = 0.1,
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
        Number of nodes of a motif.
    background_size : (int, int)
        Least and greatest number of nodes around the planted ones.
    n_labels : int
        Node labels are "A", "B", ...; those of a motif are drawn from the same letters.
    n_attributes : int
        Background attributes are normal with unit variance about a centre for every label.
    separation : float
        Distance of a motif node's attributes from those of its decoy.
    noise : float
        Standard deviation of planted attributes about the true ones.
    decoys : float
        Probability that a graph carries a decoy of a motif of the other class.
    flip_y : float
        Fraction of graphs whose class is turned over in the end.
    random_state : int, Generator or None
        The same number gives the same data.

    Returns
    -------
    graphs : GraphSet
    y : ndarray of shape (n_graphs,)
        -1 and 1.
    motifs : list of Graphlet
        The truth; `coef` is 1 or -1, the class a motif speaks for.

    Examples
    --------
    >>> graphs, y, motifs = make_planted(100, random_state=0)
    >>> graphs
    GraphSet(100 graphs, on average ... nodes and ... edges, 4 labels, 2 attributes)
    >>> y.sum(), len(motifs), motifs[0].coef
    (np.int64(0), 1, 1.0)
    """
    _check(n_graphs=n_graphs, n_motifs=n_motifs, motif_size=motif_size, n_labels=n_labels)
    _check_fractions(decoys=decoys, flip_y=flip_y)
    if n_labels > len(_ALPHABET):
        raise ValueError(f"Expected n_labels of at most {len(_ALPHABET)}, got {n_labels}.")
    if not 1 <= background_size[0] <= background_size[1]:
        raise ValueError(
            f"Expected background_size to be (least, greatest) from 1 on, got {background_size}."
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
        own, other = motifs[0 if target == 1 else 1 :: 2], motifs[1 if target == 1 else 0 :: 2]
        if own:
            motif = own[rng.integers(len(own))]
            builder.plant(rng, motif, motif.attributes, noise)
        if other and rng.random() < decoys:
            motif = other[rng.integers(len(other))]
            builder.plant(rng, motif, motif.decoy, noise)
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


@dataclass
class _Motif:
    labels: list[int]
    edges: list[tuple[int, int]]
    attributes: npt.NDArray[np.float64]
    decoy: npt.NDArray[np.float64]

    @classmethod
    def random(
        cls, rng: np.random.Generator, size: int, centres: npt.NDArray[Any], separation: float
    ) -> _Motif:
        labels = rng.integers(len(centres), size=size)
        edges = _random_tree(rng, size)
        if size > 2:  # one ring, which a background tree does not have
            absent = [(u, v) for v in range(size) for u in range(v) if (u, v) not in edges]
            edges.append(absent[rng.integers(len(absent))])
        direction = rng.normal(size=(size, centres.shape[1]))
        length = np.linalg.norm(direction, axis=1, keepdims=True)
        offset = 0.5 * separation * direction / np.where(length > 0, length, 1.0)
        return cls(labels.tolist(), edges, centres[labels] + offset, centres[labels] - offset)

    def graphlet(self, coef: float) -> Graphlet:
        return Graphlet(
            labels=[_ALPHABET[code] for code in self.labels],
            edges=self.edges,
            attributes=self.attributes,
            coef=coef,
        )


@dataclass
class _Builder:
    """One graph in the making."""

    labels: list[int]
    edges: list[tuple[int, int]]
    attributes: npt.NDArray[np.float64]

    @classmethod
    def background(cls, rng: np.random.Generator, size: int, centres: npt.NDArray[Any]) -> _Builder:
        labels = rng.integers(len(centres), size=size)
        attributes = centres[labels] + rng.normal(size=(size, centres.shape[1]))
        return cls(labels.tolist(), _random_tree(rng, size), attributes)

    def plant(
        self,
        rng: np.random.Generator,
        motif: _Motif,
        attributes: npt.NDArray[np.float64],
        noise: float,
    ) -> None:
        """Add a copy of the motif, tied to the rest by one edge."""
        start, size = len(self.labels), len(motif.labels)
        self.labels += motif.labels
        self.edges += [(start + u, start + v) for u, v in motif.edges]
        self.edges.append((int(rng.integers(start)), start + int(rng.integers(size))))
        copy = attributes + noise * rng.normal(size=attributes.shape)
        self.attributes = np.concatenate([self.attributes, copy])

    def shuffled(self, rng: np.random.Generator) -> _Builder:
        """Renumber the nodes at random, so that position tells nothing."""
        order = rng.permutation(len(self.labels))
        place = np.argsort(order)
        return _Builder(
            [self.labels[i] for i in order],
            [(int(place[u]), int(place[v])) for u, v in self.edges],
            self.attributes[order],
        )


def _random_tree(rng: np.random.Generator, size: int) -> list[tuple[int, int]]:
    return [(int(rng.integers(v)), v) for v in range(1, size)]


def _check(**counts: int) -> None:
    for name, value in counts.items():
        least = 0 if name == "n_motifs" else 1
        if value < least:
            raise ValueError(f"Expected {name} to be at least {least}, got {value}.")


def _check_fractions(**fractions: float) -> None:
    for name, value in fractions.items():
        if not 0 <= value <= 1:
            raise ValueError(f"Expected {name} to be between 0 and 1, got {value}.")
