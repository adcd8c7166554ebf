"""Where a command trains: in this process, or in worker processes of Ray."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

import typer

__all__ = ["Address", "EngineName", "EngineOption", "Shards", "engine_of"]

PANEL = "Where to train"


class EngineName(str, Enum):
    """Who holds the training graphs."""

    local = "local"
    sharded = "sharded"
    ray = "ray"


EngineOption = Annotated[
    EngineName,
    typer.Option(
        "--engine",
        help="Train in one piece, in shards of this process, or in worker processes of Ray.",
        rich_help_panel=PANEL,
    ),
]
Shards = Annotated[
    int | None,
    typer.Option(
        "--shards", help="Number of shards.", show_default="2", min=1, rich_help_panel=PANEL
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        help="Ray cluster to train on: HOST:PORT, or 'auto' for the one that runs on this machine. "
        "Otherwise Ray is started for this fit.",
        rich_help_panel=PANEL,
    ),
]


def engine_of(name: EngineName, shards: int | None, address: str | None) -> Any:
    """Return the engine that was asked for; None for one piece."""
    from aglets import RayEngine, ShardedEngine

    if name is not EngineName.ray and address is not None:
        raise ValueError("Expected --address only with --engine ray; leave it out.")
    if name is EngineName.local:
        if shards is not None:
            raise ValueError("Expected --shards only with --engine ray or sharded; name one.")
        return None
    if name is EngineName.sharded:
        return ShardedEngine(n_shards=shards or 2)
    return RayEngine(n_shards=shards or 2, address=address)
