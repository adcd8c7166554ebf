"""How the parts of a sharded engine are asked: every call to a shard goes through here.

Shards in this process are called one after the other. Shards elsewhere would be called together;
nothing but this module and the making of shards would change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["ask", "ask_each"]


def ask(parts: Sequence[Any], method: str, *arguments: Any) -> list[Any]:
    """Call a method of every part with the same arguments; answers come in the order of parts."""
    return ask_each(parts, method, (arguments for _ in parts))


def ask_each(parts: Sequence[Any], method: str, arguments: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Call a method of every part, each with its own arguments."""
    return [getattr(part, method)(*own) for part, own in zip(parts, arguments, strict=True)]
