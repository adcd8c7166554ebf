"""The solver's only door to graphs."""

from __future__ import annotations

from aglets.engine.local import LocalEngine

__all__ = ["LocalEngine"]
