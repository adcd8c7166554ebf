"""Colours that people with any colour vision can distinguish (Okabe and Ito), for all pictures."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

__all__ = [
    "CLASSES",
    "NEGATIVE",
    "NEUTRAL",
    "POSITIVE",
    "ink_on",
    "label_colours",
    "signed_colours",
]

#: For weights and contributions; orange and blue differ in brightness, too.
POSITIVE, NEGATIVE, NEUTRAL = "#0072b2", "#d55e00", "#e8e8e8"

#: For the classes of a data set, in order.
CLASSES = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777", "#b8a800")

#: Tints behind the text of a node.
_TINTS = ("#56b4e9", "#e69f00", "#4fc3a1", "#f0e442", "#e2a6c8", "#c9b79c", "#ff9e6b", "#9db7d5")
_ELEMENTS = {
    **{"C": "#d9d9d9", "N": "#8ec5ee", "O": "#ff9e6b", "S": "#f0e442", "P": "#e69f00"},
    **{"F": "#8fdcc2", "Cl": "#6fcfae", "Br": "#c9b79c", "I": "#e2a6c8", "H": "#f7f7f7"},
}


def label_colours(labels: Iterable[Hashable]) -> dict[Hashable, str]:
    """Choose a colour for every label: chemists' for elements, else one that depends on it alone.

    Examples
    --------
    >>> label_colours(["C", 0, 1])
    {'C': '#d9d9d9', 0: '#56b4e9', 1: '#e69f00'}
    """
    return {label: _colour(label) for label in labels}


def _colour(label: Hashable) -> str:
    if isinstance(label, str) and label in _ELEMENTS:
        return _ELEMENTS[label]
    number = label if isinstance(label, int) else crc32(str(label).encode("utf-8", "replace"))
    return _TINTS[number % len(_TINTS)]


def signed_colours(values: ArrayLike, largest: float | None = None) -> list[str]:
    """Go from orange (negative) over grey to blue (positive).

    Examples
    --------
    >>> signed_colours([-1.0, 0.0, 1.0])
    ['#d55e00', '#e8e8e8', '#0072b2']
    """
    numbers = np.asarray(values, dtype=np.float64)
    largest = float(np.abs(numbers).max(initial=0.0)) if largest is None else largest
    shares = numbers / largest if largest > 0.0 else np.zeros_like(numbers)
    return [_between(NEUTRAL, POSITIVE if s > 0 else NEGATIVE, abs(s)) for s in shares.tolist()]


def ink_on(colour: str) -> str:
    """Choose black or white text, whichever reads better on a colour.

    Examples
    --------
    >>> ink_on("#ffffff"), ink_on("#0072b2")
    ('#000000', '#ffffff')
    """
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (part / 255.0 for part in _parts(colour))
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if (luminance + 0.05) ** 2 > 0.05 * 1.05 else "#ffffff"


def _between(one: str, other: str, share: float) -> str:
    share = min(share, 1.0)
    mixed: Sequence[int] = [
        round(a + share * (b - a)) for a, b in zip(_parts(one), _parts(other), strict=True)
    ]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _parts(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
