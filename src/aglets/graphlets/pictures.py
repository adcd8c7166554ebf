"""The door from graphlets and explanations to their pictures, which are drawn in a layer above."""

from __future__ import annotations

from typing import Any

__all__ = ["Drawable"]


class Drawable:
    """Something that :mod:`aglets.plot` has a display for."""

    def plot(self, **options: Any) -> Any:
        """Draw it with matplotlib; options such as ``ax`` go to the display's ``plot``.

        Returns
        -------
        The display, with ``ax_`` and ``figure_``.
        """
        from aglets.plot import display_of

        return display_of(self).plot(**options)
