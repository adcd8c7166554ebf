"""Checks of what the functions of this room are given."""

from __future__ import annotations

import numpy as np

__all__ = ["LARGEST_MAXPAT", "checked_lam", "checked_maxpat", "checked_rho"]

#: Largest pattern the core can hold: sets of its nodes are machine words.
LARGEST_MAXPAT = 64


def checked_maxpat(maxpat: int) -> int:
    """Return a number of nodes that a pattern may have."""
    if isinstance(maxpat, bool) or not isinstance(maxpat, (int, np.integer)):
        raise TypeError(f"maxpat must be a whole number of nodes. Got {maxpat!r} instead.")
    if not 1 <= maxpat <= LARGEST_MAXPAT:
        raise ValueError(
            f"maxpat must be a number of nodes in the range [1, {LARGEST_MAXPAT}]. "
            f"Got {maxpat} instead."
        )
    return int(maxpat)


def checked_lam(lam: float) -> float:
    """Return a penalty."""
    if not 0.0 <= lam < np.inf:
        raise ValueError(f"lam must be a float in the range [0, inf). Got {lam!r} instead.")
    return float(lam)


def checked_rho(rho: float) -> float:
    """Return a rho."""
    if not isinstance(rho, (int, float, np.number)) or not 0.0 < rho < np.inf:
        raise ValueError(f"rho must be a float in the range (0, inf). Got {rho!r} instead.")
    return float(rho)
