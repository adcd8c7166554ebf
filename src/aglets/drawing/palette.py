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
    "TWO_CLASSES",
    "class_colours",
    "ink_on",
    "label_colours",
    "signed_colours",
]

#: For weights and contributions; orange and blue differ in brightness, too. Of two classes, what
#: is evidence for the second is positive: blue is the second class, and orange the first.
POSITIVE, NEGATIVE, NEUTRAL = "#0072b2", "#d55e00", "#e8e8e8"

#: For two classes, in order.
TWO_CLASSES = (NEGATIVE, POSITIVE)
#: For lines and for more than two classes, in order: neither blue nor orange, which are signs.
CLASSES = ("#009e73", "#cc79a7", "#333333", "#b8a800", "#8c5fbf", "#7f7f7f", "#7a4b1e", "#4fc3a1")

#: Pale tints behind the text of a node: no sign and no class has one of these.
_TINTS = ("#dcead2", "#e6dcf0", "#f3edc4", "#d3e7e4", "#f2d9e4", "#e3dccf", "#d5dbe3", "#eee6da")


def class_colours(n_classes: int) -> tuple[str, ...]:
    """Choose a colour for every class; beyond eight classes colours come again.

    Examples
    --------
    >>> class_colours(2), len(class_colours(30))
    (('#d55e00', '#0072b2'), 30)
    """
    if n_classes <= 2:
        return TWO_CLASSES[:n_classes]
    return tuple(CLASSES[c % len(CLASSES)] for c in range(n_classes))


def label_colours(labels: Iterable[Hashable]) -> dict[Hashable, str]:
    """Choose a pale tint for every label, which depends on it alone.

    Examples
    --------
    >>> label_colours(["C", 0, 1])
    {'C': '#eee6da', 0: '#dcead2', 1: '#e6dcf0'}
    """
    return {label: _colour(label) for label in labels}


def _colour(label: Hashable) -> str:
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
