"""The grid that is tried when the user leaves it to us, and what it is made of otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from aglets.estimators._parameters import Condition, either, floats, integers, many, one_of
from aglets.graphs import GraphSet
from aglets.mining.arguments import LARGEST_MAXPAT
from aglets.mining.tree import DENSE_DEGREE
from aglets.training.selection import Channels, Grid

__all__ = ["GRID_PARAMETERS", "ChannelOptions", "grid_for"]

#: Starts in addition to one per label, and the sizes of patterns of so many kinds, chosen without
#: test graphs (benchmarks/accuracy/grid.py). Up to FEW_ATTRIBUTES a few kinds of a label fill their
#: space.
FEW_ATTRIBUTES = 3
FURTHER_STARTS = {4: (3,)}
MORE_STARTS = {64: (1,)}

#: rho d of the default grid, with d attributes that were scaled to a spread of 1. A distance sums
#: over d attributes, so that these mean the same for any d.
RHO_UNITS = (3.0, 1.0, 0.3, 0.1, 0.03)

#: rho of the default grid for attributes in the user's own units.
RAW_RHOS = (1.0, 0.5, 0.1, 0.05, 0.01)

#: On sparse graphs, such as molecules, patterns of eight nodes can be searched and may pay; without
#: attributes, where patterns have to say all, of LARGER nodes, too, if the budget allows them.
SPARSE_MAXPATS, DENSE_MAXPATS, LARGER = (5, 8), (5,), 12
#: Where nodes have so many neighbours on average, no budget allows more than a few nodes.
CROWDED_DEGREE, CROWDED_MAXPATS = 8.0, (2, 3)

#: Channels to try in addition to those of the grid, by the poolings of the grid, and those alone
#: where only the scale of counts is left open. docs/choices.md says what they bring and cost.
FURTHER_CHANNELS: Mapping[tuple[str, ...], tuple[Channels, ...]] = {
    ("best",): ((("best", "sum"), "raw"), (("best", "sum"), "sqrt")),
    ("best", "sum"): ((("best", "sum"), "sqrt"),),
}

_MAXPATS = many(integers(1, LARGEST_MAXPAT))

GRID_PARAMETERS: Mapping[str, Condition] = {
    "starts": either(
        one_of("auto"),
        integers(1),
        many(integers(1)),
        Condition(
            lambda value: (
                isinstance(value, Mapping)
                and many(integers(1)).holds(list(value))
                and all(map(_MAXPATS.holds, value.values()))
            ),
            "a dict from numbers of starts to lists of maxpat",
        ),
    ),
    "rhos": either(one_of("auto"), many(floats(0.0))),
    "maxpats": either(one_of("auto"), _MAXPATS),
}


def grid_for(
    graphs: GraphSet,
    *,
    starts: str | int | Sequence[int] | Mapping[int, Sequence[int]],
    rhos: str | Sequence[float],
    maxpats: str | Sequence[int],
    scale: str,
    channels: ChannelOptions | None = None,
) -> Grid:
    """Spell out the grid for training graphs; arguments as in :class:`LagraClassifierCV`.

    Without ``channels``, there is the best match alone.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=["CO"], edges=[[(0, 1)]], attributes=[[[0], [1]]])
    >>> grid_for(graphs, starts="auto", rhos="auto", maxpats="auto", scale="standard")
    Grid(rhos=(3.0, 1.0, 0.3, 0.1, 0.03), maxpats={1: (5, 8), 4: (3,)})
    """
    d = graphs.n_attributes
    tentative: tuple[int, ...] = ()
    if isinstance(maxpats, str):
        degree = 2.0 * len(graphs.edges) / max(len(graphs.labels), 1)
        dense = DENSE_MAXPATS if degree < CROWDED_DEGREE else CROWDED_MAXPATS
        maxpats = SPARSE_MAXPATS if degree < DENSE_DEGREE else dense
        if degree < DENSE_DEGREE and d + graphs.n_edge_attributes == 0:
            tentative = (LARGER,)
    by_starts = _by_starts(starts, (*maxpats, *tentative), d)
    channels = ChannelOptions() if channels is None else channels
    return Grid(
        rhos=_rhos(d + graphs.n_edge_attributes, rhos, scale),
        maxpats={k: tuple(map(int, sizes)) for k, sizes in by_starts.items()},
        pooling=channels.first[0],
        count_scale=channels.first[1],
        further=channels.further,
        tentative=tentative,
    )


@dataclass(frozen=True)
class ChannelOptions:
    """What the user asks of channels.

    Parameters
    ----------
    pooling : tuple of str
        The user's own, or the default of the estimator.
    open_pooling : bool
        Whether others are to be tried.
    count_scale : {"auto", "raw", "sqrt"}
    """

    pooling: tuple[str, ...] = ("best",)
    open_pooling: bool = False
    count_scale: str = "raw"

    @property
    def first(self) -> Channels:
        """The channels of the whole grid."""
        scale = "raw" if self.count_scale == "auto" else self.count_scale
        return self.pooling, scale

    @property
    def further(self) -> tuple[Channels, ...]:
        """Other channels to try."""
        if self.open_pooling:
            found = FURTHER_CHANNELS[self.pooling]
        else:
            found = ((self.pooling, "sqrt"),) if self.pooling != ("best",) else ()
        if self.count_scale == "auto":
            return found
        # With the scale given, the same poolings with another scale are nothing new.
        fixed = dict.fromkeys((pooling, self.count_scale) for pooling, _ in found)
        return tuple(channels for channels in fixed if channels != self.first)


def _rhos(d: int, rhos: str | Sequence[float], scale: str) -> tuple[float, ...]:
    if not isinstance(rhos, str):
        return tuple(map(float, rhos))
    if d == 0:
        return (1.0,)  # no distances: psi is 0 or 1
    return RAW_RHOS if scale == "none" else tuple(unit / d for unit in RHO_UNITS)


def _by_starts(starts: Any, maxpats: Sequence[int], d: int) -> Mapping[int, Sequence[int]]:
    if isinstance(starts, Mapping):
        return {int(k): sizes for k, sizes in starts.items()}
    if isinstance(starts, Integral):
        return {int(starts): maxpats}
    if not isinstance(starts, str):
        return {int(k): maxpats for k in starts}
    if d == 0:
        return {1: maxpats}
    # Patterns of k kinds of each label are many more; they say as much with fewer nodes.
    further = FURTHER_STARTS if d <= FEW_ATTRIBUTES else {**FURTHER_STARTS, **MORE_STARTS}
    most = max(maxpats)
    return {1: maxpats, **{k: [min(size, most) for size in sizes] for k, sizes in further.items()}}
