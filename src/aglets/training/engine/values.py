"""What graphlets are worth on graphs: one number per graphlet and graph, made of places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aglets import _core
from aglets.graphs.arrays import Bools, Codes, Floats, Ints

__all__ = ["Places", "Values", "matched_values"]


@dataclass(frozen=True)
class Places:
    """Scores exp(-rho cost) of all places of some graphlets, flat, and the number of each."""

    scores: Floats
    lengths: Ints

    def of(self, chosen: Bools) -> Places:
        """Take the places of chosen graphlets."""
        return Places(self.scores[np.repeat(chosen, self.lengths)], self.lengths[chosen])


@dataclass(frozen=True)
class Values:
    """psi of shape (n_graphlets, n_graphs); places only where graphlets may count."""

    psi: Floats
    places: Places | None = None

    @classmethod
    def none(cls, n_graphs: int, counts: bool) -> Values:
        """Return those of no graphlets."""
        places = Places(np.empty(0), np.empty(0, dtype=np.int64)) if counts else None
        return cls(np.empty((0, n_graphs)), places)

    def joined(self, more: Values) -> Values:
        """Append those of further graphlets."""
        psi = np.concatenate([self.psi, more.psi])
        if self.places is None or more.places is None:
            return Values(psi)
        scores = np.concatenate([self.places.scores, more.places.scores])
        return Values(
            psi, Places(scores, np.concatenate([self.places.lengths, more.places.lengths]))
        )

    def changed(self, chosen: Bools, new: Values) -> Values:
        """Give the chosen graphlets other values."""
        psi = np.empty_like(self.psi)
        psi[~chosen] = self.psi[~chosen]
        psi[chosen] = new.psi
        if self.places is None or new.places is None:
            return Values(psi)
        scores = self.places.scores.copy()
        scores[np.repeat(chosen, self.places.lengths)] = new.places.scores
        return Values(psi, Places(scores, self.places.lengths))


def matched_values(
    bank: _core.GraphletBank,
    handles: Codes,
    z: Floats,
    previous: Codes | None,
    *,
    rho: float,
    counts: bool,
    n_jobs: int,
) -> tuple[Values, Codes]:
    """Match graphlets of a bank at attributes z; ties go to the previous embeddings."""
    costs, embedding = bank.match_places(handles, z, previous, n_jobs)
    scores = np.exp(-rho * costs)
    psi = bank.pool(handles, scores, n_jobs)
    if not counts:
        return Values(psi), embedding
    lengths = [bank.n_places(handle) for handle in handles.tolist()]
    return Values(psi, Places(scores, np.array(lengths, dtype=np.int64))), embedding
