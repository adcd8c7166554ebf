"""Names of graphlets: the number of a pattern, and the channel in which it is counted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aglets.graphs.arrays import Codes, Ints

__all__ = ["CHANNELS", "Channel", "channels_of", "named", "patterns_of", "pooling_of"]


class Channel(NamedTuple):
    """What is made of the places of a pattern in a graph."""

    pooling: str
    count_scale: str = "raw"


#: All channels, by number.
CHANNELS = (
    *(Channel("best"), Channel("sum"), Channel("mean")),
    *(Channel("sum", "sqrt"), Channel("mean", "sqrt")),
)


def named(patterns: Ints, channels: Codes | Ints) -> Ints:
    """Name graphlets by pattern and channel; -1 stands for a pattern that is missing.

    Examples
    --------
    >>> names = named(np.array([5, -1]), np.array([1, 2]))
    >>> patterns_of(names), channels_of(names)
    (array([ 5, -1]), array([1, 2], dtype=int32))
    """
    return np.asarray(patterns * len(CHANNELS) + channels, dtype=np.int64)


def patterns_of(names: Ints) -> Ints:
    """Return the numbers of the patterns."""
    return names // len(CHANNELS)


def channels_of(names: Ints) -> Codes:
    """Return the channels, as positions in `CHANNELS`."""
    return (names % len(CHANNELS)).astype(np.int32)


def pooling_of(pooling: tuple[str, ...], count_scale: str = "raw") -> Codes:
    """Return the channels of some poolings; the best place has no scale of counts.

    Examples
    --------
    >>> pooling_of(("best", "mean"))
    array([0, 2], dtype=int32)
    >>> pooling_of(("best", "mean"), "sqrt")
    array([0, 4], dtype=int32)
    """
    scales = {"best": "raw"}
    channels = [Channel(name, scales.get(name, count_scale)) for name in pooling]
    return np.array([CHANNELS.index(channel) for channel in channels], dtype=np.int32)
