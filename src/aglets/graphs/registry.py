"""Things by name, to which other packages may add: losses, formats."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import Any, Generic, TypeVar

__all__ = ["Registry"]

Thing = TypeVar("Thing")


class Registry(Mapping[str, Thing], Generic[Thing]):
    """Things by name, in the order in which they came.

    Every module of ``package`` adds its own when it is imported, which happens when something is
    looked up for the first time: a new file is enough. Other packages add theirs by calling `add`,
    or as entry points of a group.

    Parameters
    ----------
    what, plural : str
        What one and several of them are called.
    group : str
        The group of entry points.
    package : str, optional
        The package whose modules hold things of this kind.

    Examples
    --------
    >>> colours: Registry[int] = Registry("colour", "colours", "example.colours")
    >>> colours.add("red", 0xFF0000)
    >>> list(colours)
    ['red']
    >>> colours["blue"]
    Traceback (most recent call last):
    aglets.graphs.registry.UnknownNameError: Expected the name of a colour. Got 'blue' ...
    """

    def __init__(self, what: str, plural: str, group: str, package: str | None = None) -> None:
        self.what, self.plural, self.group, self.package = what, plural, group, package
        self._things: dict[str, Thing] = {}
        self._complete = False

    def add(self, name: str, thing: Thing) -> None:
        """Add a thing; a name that is taken is an error, unless by the same thing."""
        if self._things.setdefault(name, thing) is not thing:
            raise ValueError(f"There is a {self.what} {name!r} already; give yours another name.")

    def __getitem__(self, name: str) -> Thing:
        self._discover()
        if name not in self._things:
            raise UnknownNameError(
                f"Expected the name of a {self.what}. Got {name!r} instead; the {self.plural} are: "
                f"{', '.join(self._things)}."
            )
        return self._things[name]

    def __iter__(self) -> Iterator[str]:
        self._discover()
        return iter(self._things)

    def __len__(self) -> int:
        self._discover()
        return len(self._things)

    def _discover(self) -> None:
        if self._complete:
            return
        self._complete = True
        if self.package is not None:
            for module in iter_modules(import_module(self.package).__path__, f"{self.package}."):
                import_module(module.name)
        for point in entry_points(group=self.group):
            try:
                thing: Any = point.load()
                self.add(thing.name, thing)
            except Exception as error:  # whatever a stranger's module may raise
                warnings.warn(
                    f"The {self.what} {point.name!r} of {point.value} is left out, because it "
                    f"could not be loaded: {error}",
                    RuntimeWarning,
                    stacklevel=3,
                )


class UnknownNameError(ValueError, KeyError):
    """Nothing has this name."""

    def __str__(self) -> str:
        return str(self.args[0])
