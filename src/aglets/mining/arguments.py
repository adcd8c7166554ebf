"""Checks of what the functions of this room are given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aglets import _core

__all__ = [
    "LARGEST_MAXPAT",
    "checked_lam",
    "checked_maxpat",
    "checked_pooling",
    "checked_rho",
    "checked_scale",
    "checked_sharing",
]

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


def checked_pooling(pooling: Sequence[str]) -> tuple[str, ...]:
    """Return the names of channels, each at most once."""
    names = (pooling,) if isinstance(pooling, str) or not isinstance(pooling, Sequence) else pooling
    known = all(isinstance(name, str) and name in _core.Pooling.__members__ for name in names)
    if not known or not names or len(set(names)) < len(names):
        raise ValueError(
            "pooling must name one or more of 'best', 'sum' and 'mean', each once. "
            f"Got {pooling!r} instead."
        )
    return tuple(names)


def checked_scale(count_scale: str) -> _core.CountScale:
    """Return a scale of counts by its name."""
    scales = {"raw": _core.CountScale.raw, "sqrt": _core.CountScale.root}
    if count_scale not in scales:
        raise ValueError(f"count_scale must be 'raw' or 'sqrt'. Got {count_scale!r} instead.")
    return scales[count_scale]


def checked_sharing(sharing: float) -> float:
    """Return a share of the group penalty."""
    if not isinstance(sharing, (int, float, np.number)) or not 0.0 <= sharing <= 1.0:
        raise ValueError(f"sharing must be a float in the range [0, 1]. Got {sharing!r} instead.")
    return float(sharing)
