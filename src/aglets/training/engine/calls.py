"""How the parts of a sharded engine are asked: every call to a shard goes through here.

Shards in this process are called one after the other. Parts that lie in other processes are
`Elsewhere`, and are asked together, by one message to each process.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["Elsewhere", "ask", "ask_each", "lay_next_to"]


class Elsewhere(ABC):
    """Stands for a part that lies in another process."""

    @abstractmethod
    def ask_together(
        self, parts: Sequence[Any], method: str, arguments: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        """Call a method of every part, each with its own arguments, all at the same time."""

    @abstractmethod
    def lay_together(self, parts: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        """Send a value to where each part lies; what stands for it is good as an argument."""


def ask(parts: Sequence[Any], method: str, *arguments: Any) -> list[Any]:
    """Call a method of every part with the same arguments; answers come in the order of parts."""
    return ask_each(parts, method, (arguments for _ in parts))


def ask_each(parts: Sequence[Any], method: str, arguments: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Call a method of every part, each with its own arguments."""
    if parts and isinstance(parts[0], Elsewhere):
        return parts[0].ask_together(parts, method, list(arguments))
    return [getattr(part, method)(*own) for part, own in zip(parts, arguments, strict=True)]


def lay_next_to(parts: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Load a value next to each of the first parts, once, for calls that will want it again."""
    if parts and isinstance(parts[0], Elsewhere):
        return parts[0].lay_together(parts[: len(values)], values)
    return [value.load() for value in values]
