"""Warnings that name the user's line, however deep inside the package they arise.

What happens many times in one call, for each fold or each path, is collected by `Notices` and said
once, with the number of cases and the first of them.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["AtOnce", "Notices", "note", "recorded"]

_INSIDE = re.compile(r"(aglets|sklearn|joblib|contextlib)(\.|$)")
_COUNT = re.compile(r" \(This is the first of (\d+) such cases\.\)$")
_NUMBER = re.compile(r"\d+(\.\d*)?(e[+-]?\d+)?")


def note(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called into this package."""
    warnings.warn(text, category, stacklevel=_level_of_the_caller())


def _level_of_the_caller() -> int:
    """Find how far up the stack of `note` the code is that called into this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _INSIDE.match(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    return level


class Notices:
    """What there is to say at the end of a long call: each kind once, with its number of cases.

    Texts that differ in numbers only are of one kind.

    Examples
    --------
    >>> notices = Notices()
    >>> for fold in range(3):
    ...     notices.add(f"Fold {fold} is too small.")
    >>> notices.sentences()
    ['Fold 0 is too small. (This is the first of 3 such cases.)']
    """

    def __init__(self) -> None:
        self._found: dict[tuple[type[Warning], str], tuple[str, int]] = {}

    def add(self, text: str, category: type[Warning] = UserWarning, count: int = 1) -> None:
        """Note that something happened."""
        kind = category, _NUMBER.sub("#", text)
        first, before = self._found.get(kind, (text, 0))
        self._found[kind] = first, before + count

    def extend(self, other: Notices) -> None:
        """Take in what another part of the call has to say."""
        for (category, _), (first, count) in other._found.items():
            self.add(first, category, count)

    def but(self, category: type[Warning]) -> Notices:
        """Return an object that adds to this one, but nothing of one category."""
        return _But(self, category)

    def sentences(self) -> list[str]:
        """Say each kind once."""
        return [_counted(first, count) for first, count in self._found.values()]

    def warn(self) -> None:
        """Warn once of each kind."""
        for (category, _), (first, count) in self._found.items():
            note(_counted(first, count), category)
        self._found.clear()

    def __enter__(self) -> Notices:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        """Warn at the end, unless there is an error, which says more."""
        if error is None:
            self.warn()


class AtOnce(Notices):
    """Collects nothing: every case is a warning."""

    def add(self, text: str, category: type[Warning] = UserWarning, count: int = 1) -> None:
        """Warn at once."""
        note(_counted(text, count), category)


class _But(Notices):
    def __init__(self, whole: Notices, category: type[Warning]) -> None:
        super().__init__()
        self._whole, self._category = whole, category

    def add(self, text: str, category: type[Warning] = UserWarning, count: int = 1) -> None:
        if not issubclass(category, self._category):
            self._whole.add(text, category, count)


def _counted(first: str, count: int) -> str:
    end = "" if first.endswith((".", "!", "?")) else "."
    return first if count == 1 else f"{first}{end} (This is the first of {count} such cases.)"


@contextmanager
def recorded() -> Iterator[Notices]:
    """Collect what code inside warns of, in order to warn of it together with other parts."""
    notices = Notices()
    with warnings.catch_warnings(record=True) as caught:
        for category in (UserWarning, RuntimeWarning):
            warnings.simplefilter("always", category)
        yield notices
    for each in caught:
        text = str(each.message)
        count = _COUNT.search(text)
        notices.add(_COUNT.sub("", text), each.category, int(count[1]) if count else 1)
