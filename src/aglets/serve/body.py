"""The body of a request, taken piece by piece, so that no more than the limit is ever held."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from aglets.serve.limits import RefusedError

__all__ = ["take_body"]


async def take_body(
    pieces: AsyncIterator[bytes], most: int, keep: Callable[[bytes], object]
) -> int:
    """Hand the pieces of a body to `keep`; refuse one that is longer than `most` bytes."""
    size = 0
    async for piece in pieces:
        size += len(piece)
        if size > most:
            raise RefusedError(
                413, f"Expected at most {most:,} bytes. Got more; send less at a time."
            )
        keep(piece)
    return size
