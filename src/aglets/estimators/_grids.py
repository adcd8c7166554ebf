"""The grid that is tried when the user leaves it to us, and what it is made of otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

from aglets.estimators._parameters import Condition, either, floats, integers, many, one_of
from aglets.graphs import GraphSet
from aglets.mining.arguments import LARGEST_MAXPAT
from aglets.mining.tree import DENSE_DEGREE
from aglets.training.selection import Grid

__all__ = ["GRID_PARAMETERS", "grid_for"]

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

#: On sparse graphs, such as molecules, patterns of eight nodes can be searched and may pay.
SPARSE_MAXPATS, DENSE_MAXPATS = (5, 8), (5,)

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
) -> Grid:
    """Spell out the grid for training graphs; arguments as in :class:`LagraClassifierCV`.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=["CO"], edges=[[(0, 1)]], attributes=[[[0], [1]]])
    >>> grid_for(graphs, starts="auto", rhos="auto", maxpats="auto", scale="standard")
    Grid(rhos=(3.0, 1.0, 0.3, 0.1, 0.03), maxpats={1: (5, 8), 4: (3,)})
    """
    d = graphs.n_attributes
    if isinstance(maxpats, str):
        degree = 2.0 * len(graphs.edges) / max(len(graphs.labels), 1)
        maxpats = SPARSE_MAXPATS if degree < DENSE_DEGREE else DENSE_MAXPATS
    return Grid(
        rhos=_rhos(d + graphs.n_edge_attributes, rhos, scale),
        maxpats={k: tuple(map(int, sizes)) for k, sizes in _by_starts(starts, maxpats, d).items()},
    )


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
