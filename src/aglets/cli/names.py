"""Options whose values are names in a registry, pairs of a name and a value, or parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import typer

__all__ = ["a_part", "all_losses", "format_names", "named", "pairs"]

Names = Callable[[], Iterable[str]]


def named(
    flag: str,
    names: Names,
    *,
    metavar: str,
    help: str,
    rich_help_panel: str | None = None,
    show_default: bool | str = True,
) -> Any:
    """Make an option that takes one of the names, which are looked up when it is used."""

    def parse(text: str) -> str:
        known = list(names())
        if text not in known:
            listed = ", ".join(map(repr, known))
            raise typer.BadParameter(f"{text!r} is not one of {listed}.")
        return text

    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return typer.Option(
        flag,
        help=help,
        metavar=metavar,
        parser=parse,
        autocompletion=complete,
        rich_help_panel=rich_help_panel,
        show_default=show_default,
    )


def pairs(given: Iterable[str] | None, option: str) -> dict[str, str]:
    """Split NAME=VALUE.

    >>> pairs(["epsilon=2"], "--loss-option")
    {'epsilon': '2'}
    """
    found = {}
    for text in given or ():
        name, sign, value = text.partition("=")
        if not name or not sign:
            raise ValueError(f"Expected NAME=VALUE for {option}. Got {text!r} instead.")
        found[name] = value
    return found


def format_names() -> Iterable[str]:
    """List the formats of files."""
    from aglets.io.registry import FORMATS

    return sorted(FORMATS)


def all_losses() -> Iterable[str]:
    """List the losses."""
    from aglets.model.losses import loss_names

    return loss_names()


def a_part(value: float | None) -> float | None:
    """Refuse an option that must be a part of something, and is not between 0 and 1."""
    if value is not None and not 0.0 < value < 1.0:
        raise typer.BadParameter(f"{value:g} is not a part between 0 and 1.")
    return value
