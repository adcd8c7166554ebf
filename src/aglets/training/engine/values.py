"""What graphlets are worth on graphs: one number per graphlet and graph that holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aglets import _core
from aglets.graphs.arrays import Array, Bools, Codes, Floats, Ints

__all__ = ["Values", "dealt", "matched_values", "parts_of", "replaced", "unpacked"]

#: What has a number per value is computed for some graphlets at a time, whose values are about so
#: many per thread: for all at once it would take as much memory as all else.
MANY_VALUES = 2**20


@dataclass(frozen=True)
class Values:
    """Values of graphlets, and the scores exp(-rho cost) of all their places if they may count.

    Parameters
    ----------
    rows : SparseRows
        psi, a row per graphlet.
    places : tuple of ndarray, optional
        An array per graphlet.
    """

    rows: _core.SparseRows
    places: tuple[Floats, ...] | None = None

    @classmethod
    def none(cls, n_graphs: int, counts: bool) -> Values:
        """Return those of no graphlets."""
        return cls(_core.SparseRows(n_graphs), () if counts else None)

    def joined(self, more: Values) -> Values:
        """Append those of further graphlets."""
        rows = self.rows.joined(more.rows)
        if self.places is None or more.places is None:
            return Values(rows)
        return Values(rows, self.places + more.places)

    def changed(self, chosen: Bools, new: Values) -> Values:
        """Give the chosen graphlets other values."""
        rows = self.rows.changed(chosen, new.rows)
        if self.places is None or new.places is None:
            return Values(rows)
        return Values(rows, replaced(self.places, chosen, new.places))

    def places_of(self, chosen: Bools) -> Floats:
        """Take the scores of the places of chosen graphlets, flat."""
        assert self.places is not None
        own = [self.places[i] for i in np.flatnonzero(chosen).tolist()]
        return np.concatenate(own) if own else np.empty(0)


def dealt(lengths: Ints, n_jobs: int = 1) -> Ints:
    """Deal graphlets with so many values to parts that are taken one after the other.

    Examples
    --------
    >>> dealt(np.array([500_000, 400_000, 300_000, 900_000]))
    array([0, 0, 1, 2])
    """
    parts = np.cumsum(lengths) // (MANY_VALUES * n_jobs)
    if not len(parts) or not parts[-1]:
        return parts
    return np.asarray(np.unique(parts, return_inverse=True)[1])


def unpacked(parts: Sequence[Codes]) -> Codes:
    """Return embeddings of some graphlets flat, as the core takes them."""
    return np.concatenate(parts, dtype=np.int32) if len(parts) else np.empty(0, dtype=np.int32)


def parts_of(flat: Array, lengths: Ints) -> tuple[Array, ...]:
    """Divide a flat array; the parts own their memory, so that one does not keep the others."""
    return tuple(part.copy() for part in np.split(flat, np.cumsum(lengths)[:-1])[: len(lengths)])


def replaced(parts: Sequence[Array], chosen: Bools, by: Sequence[Array]) -> tuple[Array, ...]:
    """Put others in the place of the chosen parts."""
    found, new = list(parts), iter(by)
    for i in np.flatnonzero(chosen).tolist():
        found[i] = next(new)
    return tuple(found)


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
    rows = bank.pool(handles, scores, n_jobs)
    if not counts:
        return Values(rows), embedding
    lengths = [bank.n_places(handle) for handle in handles.tolist()]
    return Values(rows, parts_of(scores, np.array(lengths, dtype=np.int64))), embedding
