"""The one seam between solvers and graphs."""

from __future__ import annotations

from aglets.training.engine.local import LocalEngine, LocalPlacement
from aglets.training.engine.protocol import Engine, Goal, MiningPlan, Placement
from aglets.training.engine.ray import RayEngine
from aglets.training.engine.sharded import ShardedEngine

__all__ = [
    "Engine",
    "Goal",
    "LocalEngine",
    "LocalPlacement",
    "MiningPlan",
    "Placement",
    "RayEngine",
    "ShardedEngine",
]
