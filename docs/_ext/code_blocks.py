"""Code without the blank line at its end, by which doctest knows where an output ends."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def strip_ends(app: Sphinx, doctree: nodes.document) -> None:
    """Take blank lines from the end of every block of code."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext()
        if block.rawsource == text:  # else it is markup, not code
            block.rawsource = text.rstrip()
            block[:] = [nodes.Text(block.rawsource)]


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect to Sphinx."""
    app.connect("doctree-read", strip_ends)
    return {"version": "1", "parallel_read_safe": True}
