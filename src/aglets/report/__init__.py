"""One HTML page about a model: what it learned, how good it is, and why each graph got its answer.

The page is a single file without any address outside of it: it opens from disk, can be sent by
mail, and stays readable in print, in the dark and on a phone.
"""

from __future__ import annotations

from aglets.report._page import html, write

__all__ = ["html", "write"]
