"""Data sets: the TU collection by name, and graphs with planted motifs whose truth is known."""

from __future__ import annotations

from aglets.datasets.planted import make_planted
from aglets.datasets.tu import load_tu

__all__ = ["load_tu", "make_planted"]
