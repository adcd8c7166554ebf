"""Graphlets: small subgraphs with attributes, and how well graphs contain them."""

from __future__ import annotations

from aglets.graphlets.graphlet import Graphlet
from aglets.graphlets.scores import agis

__all__ = ["Graphlet", "agis"]
