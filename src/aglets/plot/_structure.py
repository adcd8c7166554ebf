"""A graphlet by itself: its labelled graph, and what its nodes are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aglets.explain.plain import names_of, short_name
from aglets.graphlets import Graphlet
from aglets.graphlets.residue import without_residue
from aglets.plot._axes import INK, canvas, panel
from aglets.plot._graphlets import draw_graphlet, draw_words

__all__ = ["StructureDisplay"]


@dataclass
class StructureDisplay:
    """A graphlet drawn with its name, and a line per node: in words for molecules, else numbers.

    A graphlet of molecules is marked in the training molecule that it fits best.

    Parameters
    ----------
    graphlet : Graphlet

    Examples
    --------
    >>> from aglets import Graphlet
    >>> StructureDisplay(Graphlet(labels="CO", edges=[(0, 1)])).lines()
    ['C', 'O']
    >>> figure = Graphlet(labels="CO", edges=[(0, 1)]).plot().figure_  # doctest: +SKIP
    """

    graphlet: Graphlet

    def lines(self, *, numbers: bool = False) -> list[str]:
        """Describe every node; with ``numbers``, also those of molecules by their attributes."""
        graphlet = self.graphlet
        if not numbers and graphlet.node_words is not None:
            return graphlet.node_words
        names = names_of(graphlet.attribute_names, graphlet.attributes.shape[1])
        rows = without_residue(graphlet.attributes).tolist()
        return [
            ", ".join([str(label), *(f"{n} {v:.3g}" for n, v in zip(names, row, strict=True))])
            for label, row in zip(graphlet.labels, rows, strict=True)
        ]

    def plot(self, ax: Any = None, *, numbers: bool = False) -> StructureDisplay:
        """Draw it, on the given axes or in a new figure."""
        graphlet = self.graphlet
        ax = canvas(ax, (4.4, max(1.9, 0.22 * graphlet.n_nodes + 0.6)))
        self.ax_, self.figure_ = ax, ax.figure
        draw_graphlet(panel(ax, 0.02, 0.06, 0.46, 0.78), graphlet, numbered=True)
        weight = "" if graphlet.coef is None else f", weight {graphlet.coef:+.3g}"
        title = f"{short_name(graphlet.name, 60)}{weight}".replace("$", r"\$")
        ax.text(0.02, 0.97, title, size=8, color=INK, va="top", transform=ax.transAxes)
        draw_words(panel(ax, 0.5, 0.06, 0.48, 0.8), self.lines(numbers=numbers))
        return self
