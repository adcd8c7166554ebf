"""A skeletal formula as plain lines and letters, and the same as SVG text with parts marked.

`aglets.drawing.molecules` makes a `Skeleton` with RDKit; pages, figures and notebooks draw it, each
in its own way, without RDKit. Lines take the colour of the text around them, so that a picture is
as readable in the dark as on paper; only marks have colours, and colours mean marks alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aglets.drawing.palette import NEGATIVE, POSITIVE

__all__ = ["BOND", "Letter", "Line", "Mark", "Skeleton", "signed_marks", "skeleton_svg"]

#: Length of a bond, in the unit of all coordinates.
BOND = 30.0
#: Radius of the disc behind a marked atom, and width of the band behind a marked bond.
DISC, BAND = 9.0, 11.0


class Line(NamedTuple):
    """A line through points; `filled` for wedges, `dashed` for aromatic and loose bonds."""

    points: tuple[tuple[float, float], ...]
    filled: bool = False
    dashed: bool = False


class Letter(NamedTuple):
    """A sign at the left end of its base line."""

    x: float
    y: float
    size: float
    text: str


class Mark(NamedTuple):
    """How a marked atom or bond is coloured: a colour, and from 0 to 1 how strongly."""

    colour: str
    strength: float = 1.0


class Skeleton(NamedTuple):
    """A drawn molecule.

    Parameters
    ----------
    width, height : float
    atoms : ndarray of shape (n_atoms, 2)
        Where atoms are; y grows downwards.
    lines : tuple of Line
    letters : tuple of Letter
        Whatever is written at atoms: elements but carbon, hydrogens, charges.
    """

    width: float
    height: float
    atoms: npt.NDArray[np.float64]
    lines: tuple[Line, ...]
    letters: tuple[Letter, ...]

    def to_plain(self) -> dict[str, Any]:
        """Write it as small lists of whole tenths, for pages."""
        return {
            "size": [round(self.width), round(self.height)],
            "atoms": np.rint(10.0 * self.atoms).astype(int).tolist(),
            "lines": [
                [int(line.filled) + 2 * int(line.dashed)]
                + [round(10.0 * value) for point in line.points for value in point]
                for line in self.lines
            ],
            "letters": [
                [round(10.0 * x), round(10.0 * y), round(10.0 * size), text]
                for x, y, size, text in self.letters
            ],
        }


def skeleton_svg(
    skeleton: Skeleton,
    *,
    atoms: Mapping[int, Mark] | None = None,
    bonds: Mapping[tuple[int, int], Mark] | None = None,
    name: str = "molecule",
    scale: float = 1.0,
    most: float = 640.0,
) -> str:
    """Write a skeletal formula as SVG, with discs behind marked atoms and bands behind bonds.

    Parameters
    ----------
    skeleton : Skeleton
    atoms : dict of atom to Mark, optional
    bonds : dict of (atom, atom) to Mark, optional
    name : str
        What a screen reader says; any text.
    scale, most : float
        Pixels per unit, and the widest that the picture may become.

    Examples
    --------
    >>> one = Skeleton(20.0, 20.0, np.array([[10.0, 10.0]]), (), (Letter(6.0, 14.0, 11.0, "O"),))
    >>> picture = skeleton_svg(one, atoms={0: Mark("#0072b2")}, name="<oxygen>")
    >>> picture.count("<circle"), picture.count("&lt;oxygen&gt;")
    (1, 1)
    """
    scale = min(scale, most / max(skeleton.width, 1.0))
    parts = [*_bands(skeleton, bonds or {}), *_discs(skeleton, atoms or {})]
    for line in skeleton.lines:
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in line.points)
        if line.filled:
            parts.append(f"<path d='{path}Z' fill='currentColor'/>")
        else:
            dash = " stroke-dasharray='4 3'" if line.dashed else ""
            parts.append(
                f"<path d='{path}' fill='none' stroke='currentColor' stroke-width='1.6' "
                f"stroke-linecap='round'{dash}/>"
            )
    parts += [
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size:.0f}' fill='currentColor' "
        f"font-family='sans-serif'>{escape(text)}</text>"
        for x, y, size, text in skeleton.letters
    ]
    return (
        f"<svg role='img' aria-label='{escape(name)}' xmlns='http://www.w3.org/2000/svg' "
        f"viewBox='0 0 {skeleton.width:.0f} {skeleton.height:.0f}' "
        f"width='{skeleton.width * scale:.0f}' height='{skeleton.height * scale:.0f}' "
        f"style='max-width:100%'>{''.join(parts)}</svg>"
    )


def _discs(skeleton: Skeleton, marks: Mapping[int, Mark]) -> Sequence[str]:
    return [
        f"<circle cx='{skeleton.atoms[i, 0]:.1f}' cy='{skeleton.atoms[i, 1]:.1f}' r='{DISC}' "
        f"fill='{mark.colour}' fill-opacity='{opacity(mark):.2f}'/>"
        for i, mark in marks.items()
    ]


def _bands(skeleton: Skeleton, marks: Mapping[tuple[int, int], Mark]) -> Sequence[str]:
    parts = []
    for (u, v), mark in marks.items():
        (x1, y1), (x2, y2) = skeleton.atoms[u].tolist(), skeleton.atoms[v].tolist()
        parts.append(
            f"<path d='M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}' stroke='{mark.colour}' "
            f"stroke-width='{BAND}' stroke-opacity='{opacity(mark):.2f}'/>"
        )
    return parts


def signed_marks(
    atoms: npt.ArrayLike, edges: npt.ArrayLike, bonds: npt.ArrayLike
) -> tuple[dict[int, Mark], dict[tuple[int, int], Mark]]:
    """Mark atoms and bonds by what they add: blue up, orange down, stronger for more.

    Parameters
    ----------
    atoms : array-like of shape (n_atoms,)
    edges : array-like of shape (n_bonds, 2)
    bonds : array-like of shape (n_bonds,)

    Examples
    --------
    >>> signed_marks([1.0, -0.5, 0.0], [(0, 1), (1, 2)], [0.5, 0.0])[1]
    {(0, 1): Mark(colour='#0072b2', strength=1.0)}
    """
    pairs = [(int(u), int(v)) for u, v in np.asarray(edges).reshape(-1, 2)]
    by_atom = {i: mark for i, mark in enumerate(_signed(atoms)) if mark is not None}
    by_bond = zip(pairs, _signed(bonds), strict=True)
    return by_atom, {pair: mark for pair, mark in by_bond if mark is not None}


def _signed(values: npt.ArrayLike) -> list[Mark | None]:
    numbers = np.asarray(values, dtype=np.float64)
    largest = float(np.abs(numbers).max(initial=0.0)) or 1.0
    return [
        Mark(POSITIVE if value > 0.0 else NEGATIVE, abs(value) / largest)
        if abs(value) > 1e-3 * largest
        else None
        for value in numbers.tolist()
    ]


def opacity(mark: Mark) -> float:
    """Say how opaque a mark is: never so much that a line on it is lost.

    Examples
    --------
    >>> opacity(Mark("#0072b2")), opacity(Mark("#0072b2", 0.0))
    (0.7, 0.0)
    """
    return 0.7 * min(max(mark.strength, 0.0), 1.0)
