"""Text that is safe on a terminal: labels may hold anything, and a terminal obeys some of it."""

from __future__ import annotations

import unicodedata
from typing import Any

__all__ = ["visible"]

#: Kinds of characters that steer rather than show: controls, marks of direction, line ends.
_STEERING = ("Cc", "Cf", "Zl", "Zp", "Cs")


def visible(value: Any, *, keep: str = "") -> str:
    r"""Write a value with escapes in the place of characters that a terminal would obey.

    Parameters
    ----------
    value : object
        Its `str` is taken.
    keep : str
        Characters to leave as they are, such as line ends between lines of ours.

    Examples
    --------
    >>> print(visible("C\x1b[31m"), visible("two\nlines"), visible("é ☃"))
    C\x1b[31m two\nlines é ☃
    """
    text = str(value)
    if text.isprintable():
        return text
    return "".join(
        character
        if character in keep or unicodedata.category(character) not in _STEERING
        else character.encode("unicode_escape", "surrogatepass").decode("ascii")
        for character in text
    )
