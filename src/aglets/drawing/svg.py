"""Small pictures of graphs as SVG text, for notebooks: labels in circles, bonds as chemists do."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from html import escape

import numpy as np
import numpy.typing as npt

from aglets.drawing.layout import positions
from aglets.drawing.palette import ink_on, label_colours

__all__ = ["bond_lines", "graph_svg"]

_RADIUS, _DOT = 0.3, 0.13
_STYLES = {"=": 2, "=E": 2, "=Z": 2, "#": 3, "$": 4, ":": 2}


def bond_lines(
    start: npt.ArrayLike, end: npt.ArrayLike, label: Hashable, gap: float = 0.07
) -> list[tuple[float, float, float, float, bool]]:
    """Return the lines of an edge as (x1, y1, x2, y2, dashed): two for "=", three for "#".

    Examples
    --------
    >>> len(bond_lines((0, 0), (1, 0), "=")), len(bond_lines((0, 0), (1, 0), "any"))
    (2, 1)
    """
    a, b = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    along = b - a
    length = float(np.hypot(*along)) or 1.0
    normal = np.array([-along[1], along[0]]) / length
    count = _STYLES.get(label, 1) if isinstance(label, str) else 1
    lines = []
    for i in range(count):
        shift = normal * gap * (2 * i - (count - 1))
        lines.append((*(a + shift).tolist(), *(b + shift).tolist(), label == ":" and i == 1))
    return lines


def graph_svg(
    labels: Sequence[Hashable],
    edges: npt.NDArray[np.integer],
    edge_labels: Sequence[Hashable] | None = None,
    *,
    fills: Sequence[str] | None = None,
    at: npt.ArrayLike | None = None,
    dots: bool = False,
    unit: float = 46.0,
) -> str:
    """Draw a graph; every text in it is escaped.

    Parameters
    ----------
    labels, edges, edge_labels
        As in `Graph`.
    fills : sequence of str, optional
        The colour of every node; by label unless given.
    at : array-like of shape (n_nodes, 2), optional
        Where nodes are, if that is known.
    dots : bool
        Whether nodes are drawn as dots, because their labels say nothing.
    unit : float
        The length of an edge in pixels, in graphs that are not too large.

    Examples
    --------
    >>> graph_svg(["<b>"], np.zeros((0, 2), int)).count("&lt;b&gt;")
    2
    """
    x = positions(len(labels), edges, at=at) * (1.0, -1.0)
    radius = _DOT if dots else _RADIUS
    if not len(x):
        return "<svg role='img' aria-label='graph without nodes' width='1' height='1'></svg>"
    low, high = x.min(axis=0) - 0.5, x.max(axis=0) + 0.5
    size = high - low
    unit = min(unit, 640.0 / float(size[0]))
    colours = label_colours(labels)
    parts = []
    for i, (u, v) in enumerate(edges.tolist()):
        label = None if edge_labels is None else edge_labels[i]
        for x1, y1, x2, y2, dashed in bond_lines(x[u], x[v], label):
            dash = " stroke-dasharray='.12 .08'" if dashed else ""
            parts.append(
                f"<line x1='{x1:.3f}' y1='{y1:.3f}' x2='{x2:.3f}' y2='{y2:.3f}' "
                f"stroke='#777' stroke-width='.05'{dash}/>"
            )
    for i, label in enumerate(labels):
        fill = colours[label] if fills is None else fills[i]
        text = str(label)
        shown = "" if dots else text if len(text) <= 4 else f"{text[:3]}…"
        font = 0.36 if len(shown) < 3 else 0.22
        parts.append(
            f"<g><title>{escape(f'node {i}: {text}')}</title>"
            f"<circle cx='{x[i, 0]:.3f}' cy='{x[i, 1]:.3f}' r='{radius}' fill='{fill}' "
            f"stroke='#777' stroke-width='.03'/>"
            f"<text x='{x[i, 0]:.3f}' y='{x[i, 1]:.3f}' font-size='{font}' "
            f"text-anchor='middle' dominant-baseline='central' fill='{ink_on(fill)}' "
            f"font-family='sans-serif'>{escape(shown)}</text></g>"
        )
    box = f"{low[0]:.3f} {low[1]:.3f} {size[0]:.3f} {size[1]:.3f}"
    name = escape(f"graph with {len(labels)} nodes", quote=True)
    return (
        f"<svg role='img' aria-label='{name}' viewBox='{box}' width='{size[0] * unit:.0f}' "
        f"height='{size[1] * unit:.0f}'>{''.join(parts)}</svg>"
    )
