"""The places that make up what a graphlet adds, each with its part."""

from __future__ import annotations

from dataclasses import dataclass

from aglets.graphlets.scores import Places

__all__ = ["Place", "places_of"]


@dataclass(frozen=True)
class Place:
    """One place of a graphlet in a graph.

    Parameters
    ----------
    embedding : tuple of int
        The graph's node for each node of the graphlet.
    psi : float
        How well the graphlet fits there, from 0 to 1.
    contribution : float
        What this place adds to f. A graphlet that does not count has one place, its best.
    """

    embedding: tuple[int, ...]
    psi: float
    contribution: float


def places_of(found: Places, coef: float) -> tuple[Place, ...]:
    """Write out places, the best first."""
    rows = zip(found.embeddings.tolist(), found.scores.tolist(), found.shares.tolist(), strict=True)
    return tuple(Place(tuple(row), psi, coef * share) for row, psi, share in rows)
