"""What each lever brings: accuracy, graphlets and cost. See README.md."""

from __future__ import annotations
