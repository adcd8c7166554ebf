"""Warnings that name the user's line, however deep inside the package they arise."""

from __future__ import annotations

import re
import sys
import warnings

__all__ = ["note"]

_INSIDE = re.compile(r"(aglets|sklearn|joblib)(\.|$)")


def note(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called into this package."""
    warnings.warn(text, category, stacklevel=_level_of_the_caller())


def _level_of_the_caller() -> int:
    """Find how far up the stack of `note` the code is that called into this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _INSIDE.match(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    return level
