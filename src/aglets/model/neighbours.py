"""Training graphs that a model remembers, to say which of them a new graph is near to.

Two graphs are near if the graphlets of the model occur in them alike: the distance is

    d(G, G') = sqrt(sum_H |beta_H|^2 (psi(G; H) - psi(G'; H))^2),

in units of f, with the norm of beta_H over outputs. Among equally near ones those of like size come
first. What is kept is psi, rounded, and what the graphs are called.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats

__all__ = ["MAX_GRAPHS", "Near", "Neighbours"]

#: Most graphs that a model keeps, and most scores; if there are more, they are thinned out evenly.
MAX_GRAPHS, MAX_NUMBERS = 10_000, 2**20
#: Scores are kept in steps of this: neighbours need no more, and files are small.
STEP = 1e-4

Texts = tuple[str | None, ...]


class Near(NamedTuple):
    """Positions among the graphs that were kept, the nearest first, and their distances."""

    positions: NDArray[np.intp]
    distances: Floats


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Some training graphs, or all of them.

    Parameters
    ----------
    rows : ndarray of shape (n_kept,)
        Their positions among the training graphs.
    steps : ndarray of int, shape (n_kept, n_graphlets)
        psi in units of `STEP`.
    n_nodes : ndarray of shape (n_kept,)
    targets : ndarray of shape (n_targets, n_kept)
        Positions of classes, or numbers; NaN where unknown.
    ids, names, smiles : tuple of str or None, or None
        What the graphs are called, if they came with it.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=["CO", "CN", "CC"], edges=[[(0, 1)]] * 3)
    >>> psi = np.array([[1.0], [0.2], [0.0]])
    >>> kept = Neighbours.of(graphs, psi, np.zeros((1, 3)))
    >>> kept.nearest(np.array([0.25]), np.array([2.0]), 2, k=2)
    Near(positions=array([1, 2]), distances=array([0.1, 0.5]))
    """

    rows: NDArray[np.int64]
    steps: NDArray[np.int32]
    n_nodes: NDArray[np.int32]
    targets: Floats
    ids: Texts | None = None
    names: Texts | None = None
    smiles: Texts | None = None

    def __post_init__(self) -> None:
        n = len(self.rows)
        texts = [text for text in (self.ids, self.names, self.smiles) if text is not None]
        shapes = (len(self.steps), len(self.n_nodes), self.targets.shape[1], *map(len, texts))
        if any(length != n for length in shapes):
            raise ValueError(f"Expected what is kept of {n} training graphs to be {n} rows each.")

    @classmethod
    def of(cls, graphs: GraphSet, psi: Floats, targets: Floats) -> Neighbours:
        """Keep training graphs, evenly thinned out if they are many.

        Parameters
        ----------
        graphs : GraphSet
        psi : ndarray of shape (n_graphs, n_graphlets)
        targets : ndarray of shape (n_targets, n_graphs)
        """
        most = min(MAX_GRAPHS, MAX_NUMBERS // max(psi.shape[1], 1))
        n = len(graphs)
        rows = np.arange(n) if n <= most else np.linspace(0, n - 1, most).round().astype(np.int64)
        limit = np.iinfo(np.int32).max
        return cls(
            rows=rows.astype(np.int64),
            steps=(psi[rows] / STEP).round().clip(max=limit).astype(np.int32),
            n_nodes=graphs.n_nodes[rows].astype(np.int32),
            targets=np.asarray(targets[:, rows], dtype=np.float64),
            ids=_texts(graphs.ids, rows),
            names=_texts(graphs.names, rows),
            smiles=_texts(graphs.smiles, rows),
        )

    def with_graphlets(self, columns: Sequence[int]) -> Neighbours:
        """Return the same graphs for a model with these of its graphlets, in this order."""
        return replace(self, steps=self.steps[:, list(columns)])

    def nearest(self, psi: Floats, weights: Floats, n_nodes: int, *, k: int) -> Near:
        """Find the k nearest graphs.

        Parameters
        ----------
        psi : ndarray of shape (n_graphlets,)
            Of the new graph.
        weights : ndarray of shape (n_graphlets,)
            |beta|.
        n_nodes : int
            Its size.
        k : int
        """
        gaps = (STEP * self.steps - psi) * weights
        distances = np.sqrt((gaps**2).sum(axis=1)).round(9)
        sizes = np.abs(self.n_nodes - n_nodes)
        order = np.lexsort((np.arange(len(self.rows)), sizes, distances))[:k]
        return Near(order, distances[order])


def _texts(column: NDArray[np.object_] | None, rows: NDArray[np.int64]) -> Texts | None:
    if column is None:
        return None
    return tuple(None if text is None else str(text) for text in column[rows].tolist())
