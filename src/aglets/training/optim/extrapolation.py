"""Where steps lead that go nearly the same way repeatedly (Anderson's extrapolation)."""

from __future__ import annotations

import numpy as np

from aglets.graphs.arrays import Floats

__all__ = ["Extrapolation"]

#: Steps between two extrapolations.
WINDOW = 5
#: Part of the trace that is added to the diagonal of their Gram matrix.
LIFT = 1e-10


class Extrapolation:
    """Notes where steps ended, and says now and then where they lead.

    Examples
    --------
    >>> ahead, x = Extrapolation(), np.array([1.0, 8.0])
    >>> for _ in range(6):
    ...     x = np.array([0.9, 0.5]) * x
    ...     found = ahead.after(x)
    >>> bool(np.abs(found).max() < 1e-3)
    True
    """

    def __init__(self) -> None:
        self._past: list[Floats] = []

    def after(self, x: Floats) -> Floats | None:
        """Note a place; after some, return the combination whose last changes nearly cancel.

        What is zero at the last place stays zero.
        """
        self._past.append(x)
        if len(self._past) <= WINDOW:
            return None
        past, self._past = np.array(self._past), []
        changes = np.diff(past, axis=0).reshape(WINDOW, -1)
        gram = changes @ changes.T
        lift = LIFT * float(np.trace(gram))
        if not lift > 0.0:
            return None
        weights = np.linalg.solve(gram + lift * np.eye(WINDOW), np.ones(WINDOW))
        found = np.tensordot(weights / weights.sum(), past[1:], axes=1)
        return np.where(x == 0.0, 0.0, found) if np.isfinite(found).all() else None
