"""Axes to draw on, and graphs drawn on axes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.drawing.layout import positions
from aglets.drawing.palette import ink_on
from aglets.drawing.skeletal import BAND, DISC, Mark, Skeleton, opacity
from aglets.drawing.svg import bond_lines

__all__ = ["canvas", "draw_graph", "draw_skeleton", "panel", "shown_label"]

RADIUS, DOT = 0.31, 0.14
INK, FAINT = "#222222", "#8a8a8a"


def canvas(ax: Any, size: tuple[float, float]) -> Any:
    """Return the axes that were given, or those of a new figure."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "Figures need matplotlib. Install it with: pip install 'aglets[plot]'"
        ) from error
    if ax is None:
        figure = pyplot.figure(figsize=size)
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    return ax


def panel(ax: Any, left: float, bottom: float, width: float, height: float) -> Any:
    """Open axes inside of others, whose own frame is put away."""
    ax.set_axis_off()
    inner = ax.inset_axes((left, bottom, width, height))
    inner.tick_params(labelsize=7, width=0.6, length=2.5, colors=INK)
    for side in ("top", "right"):
        inner.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        inner.spines[side].set_linewidth(0.6)
    return inner


def shown_label(label: Hashable, limit: int = 4) -> str:
    """Return as much of a label as goes into a node."""
    text = str(label).replace("$", r"\$").replace("\n", " ")
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def draw_graph(
    ax: Any,
    labels: Sequence[Hashable],
    edges: npt.NDArray[np.integer],
    edge_labels: Sequence[Hashable] | None,
    fills: Sequence[str],
    *,
    edge_colours: Sequence[str] | None = None,
    edge_widths: Sequence[float] | None = None,
    numbered: bool = False,
    at: npt.ArrayLike | None = None,
    dots: bool = False,
) -> npt.NDArray[np.float64]:
    """Draw a graph that fills the axes; returns where its nodes are.

    ``at`` says where nodes are if that is known; nodes without a label are ``dots``.
    """
    from matplotlib.patches import Circle

    x = positions(len(labels), edges, at=at)
    radius = DOT if dots else RADIUS
    ax.set_axis_off()
    ax.set_aspect("equal")
    if not len(x):
        return x
    low, high = x.min(axis=0) - 0.45, x.max(axis=0) + 0.45
    # Small graphs do not become huge: three nodes side by side fill the axes at least.
    middle, half = (low + high) / 2.0, np.maximum((high - low) / 2.0, (1.5, 1.0))
    ax.set_xlim(middle[0] - half[0], middle[0] + half[0])
    ax.set_ylim(middle[1] - half[1], middle[1] + half[1])
    unit = _points_per_unit(ax, half)
    named = edge_labels is not None and any(
        not (isinstance(label, str) and label in "-=#$:") for label in edge_labels
    )
    for i, (u, v) in enumerate(edges.tolist()):
        colour = FAINT if edge_colours is None else edge_colours[i]
        width = max(0.5, 0.045 * unit) if edge_widths is None else edge_widths[i]
        label = None if edge_labels is None else edge_labels[i]
        for x1, y1, x2, y2, dashed in bond_lines(x[u], x[v], label):
            style: Any = (0, (2, 1.2)) if dashed else "solid"
            ax.plot([x1, x2], [y1, y2], color=colour, lw=width, ls=style, zorder=1)
        if named and unit > 22:
            place = (x[u] + x[v]) / 2.0
            text = shown_label(label, 3)
            box = {"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none"}
            size = min(7.0, 0.2 * unit)
            ax.text(*place, text, size=size, color=INK, ha="center", va="center", bbox=box)
    for i, label in enumerate(labels):
        ax.add_patch(Circle(x[i], radius, fc=fills[i], ec=INK, lw=max(0.3, 0.018 * unit), zorder=2))
        if dots:
            continue
        text, ink = shown_label(label), ink_on(fills[i])
        size = min(11.0, unit * (0.36 if len(text) < 3 else 0.21))
        if numbered and unit * 0.17 >= 3.0:
            ax.text(x[i, 0], x[i, 1] + 0.07, text, size=0.8 * size, color=ink, **_CENTRED)
            small = min(5.0, 0.15 * unit)
            ax.text(x[i, 0], x[i, 1] - 0.2, str(i), size=small, color=ink, **_CENTRED)
        elif size >= 2.0:
            ax.text(*x[i], text, size=size, color=ink, **_CENTRED)
    return x


def draw_skeleton(
    ax: Any,
    skeleton: Skeleton,
    atoms: Mapping[int, Mark],
    bonds: Mapping[tuple[int, int], Mark],
) -> None:
    """Draw a skeletal formula that fills the axes, with marks behind atoms and bonds."""
    from matplotlib.patches import Circle, PathPatch, Polygon
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Affine2D

    ax.set_axis_off()
    ax.set_aspect("equal")
    # Small molecules do not become huge: four bonds side by side fill the axes at least.
    middle = np.array([skeleton.width, skeleton.height]) / 2.0
    half = np.maximum(middle, (75.0, 50.0))
    ax.set_xlim(middle[0] - half[0], middle[0] + half[0])
    ax.set_ylim(middle[1] + half[1], middle[1] - half[1])
    unit = _points_per_unit(ax, half)
    for (u, v), mark in bonds.items():
        ends = skeleton.atoms[[u, v]].T
        ax.plot(
            *ends,
            color=mark.colour,
            alpha=opacity(mark),
            lw=BAND * unit,
            solid_capstyle="butt",
            zorder=0.5,
        )
    for i, mark in atoms.items():
        disc = Circle(skeleton.atoms[i], DISC, fc=mark.colour, ec="none", alpha=opacity(mark))
        disc.set_zorder(0.6)
        ax.add_patch(disc)
    for line in skeleton.lines:
        if line.filled:
            ax.add_patch(Polygon(line.points, fc=INK, ec="none", zorder=1))
        else:
            style: Any = (0, (2.5, 2.0)) if line.dashed else "solid"
            ax.plot(*np.transpose(line.points), color=INK, lw=1.6 * unit, ls=style, zorder=1)
    for x, y, size, text in skeleton.letters:
        # As outlines, letters keep their place and size whatever the size of the figure.
        outline = TextPath((0.0, 0.0), text.replace("$", r"\$"), size=size)
        upright = Affine2D().scale(1.0, -1.0).translate(x, y)
        ax.add_patch(PathPatch(upright.transform_path(outline), fc=INK, ec="none", zorder=2))


_CENTRED: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 3}


def _points_per_unit(ax: Any, half: npt.NDArray[np.float64]) -> float:
    figure = ax.figure
    box = ax.get_position() if ax.get_axes_locator() is None else ax.get_axes_locator()(ax, None)
    size = figure.get_size_inches()
    width, height = box.width * size[0] * 72.0, box.height * size[1] * 72.0
    return float(min(width / (2.0 * half[0]), height / (2.0 * half[1])))
