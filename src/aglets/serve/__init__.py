"""A local page for one model: type or draw a molecule, and see its prediction explained."""

from __future__ import annotations

from aglets.serve.app import make_app
from aglets.serve.limits import Limits

__all__ = ["Limits", "make_app"]
