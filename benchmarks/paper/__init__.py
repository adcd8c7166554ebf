"""The paper's evaluation, and what goes beyond it. See README.md."""

from __future__ import annotations
