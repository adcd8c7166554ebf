"""The solver's only door to graphs."""

from __future__ import annotations

from aglets.training.engine.local import GraphletStore, HeldOut, LocalEngine

__all__ = ["GraphletStore", "HeldOut", "LocalEngine"]
