"""Draw which room imports which: a column of rooms with an arc for every pair, as SVG text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

STEP, BOX_WIDTH, BOX_HEIGHT = 46, 150, 28
MIDDLE, TOP = 380, 24
SPREAD = 19
COLOURS = ("#1f6fb4", "#b4541f", "#2f7d4f", "#7a4fa3", "#a3324f", "#4d6b7a")
UPWARD = "#ff0000"


def rooms_svg(rooms: Sequence[str], imports: Mapping[tuple[str, str], int]) -> str:
    """Return the picture.

    Parameters
    ----------
    rooms : sequence of str
        From the top of the house to its ground: each imports only from rooms further down.
    imports : mapping of (str, str) to int
        Number of modules of the first room that import the second.
    """
    place = {room: i for i, room in enumerate(rooms)}
    height = 2 * TOP + STEP * (len(rooms) - 1) + BOX_HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * MIDDLE} {height}" '
        f'width="{2 * MIDDLE}" height="{height}" font-family="sans-serif" font-size="14">',
        "<title>Which room imports which: all arrows point down</title>",
        f'<rect width="{2 * MIDDLE}" height="{height}" fill="#ffffff"/>',
    ]
    # Long arcs first: short ones then lie on top of them.
    for (source, target), count in sorted(
        imports.items(), key=lambda item: -abs(place[item[0][0]] - place[item[0][1]])
    ):
        parts.append(_arc(place[source], place[target], count, f"{source} imports {target}"))
    parts += [_box(room, i) for room, i in place.items()]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _box(room: str, i: int) -> str:
    x, y = MIDDLE - BOX_WIDTH / 2, TOP + STEP * i
    return (
        f'<rect x="{x:g}" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6" '
        f'fill="#f4f4f0" stroke="{_colour(i)}" stroke-width="2"/>'
        f'<text x="{MIDDLE}" y="{y + 19}" text-anchor="middle" fill="#222222">{escape(room)}</text>'
    )


def _arc(source: int, target: int, count: int, title: str) -> str:
    """Draw an arc on the side of its source: rooms take turns, so that neighbours differ."""
    side = 1 if source % 2 == 0 else -1
    colour = _colour(source) if target > source else UPWARD
    distance = abs(target - source)
    width = min(4.0, 0.8 + 0.25 * count)
    start = MIDDLE + side * BOX_WIDTH / 2
    reach = start + side * (14 + SPREAD * distance)
    y1 = TOP + STEP * source + 0.7 * BOX_HEIGHT
    y2 = TOP + STEP * target + 0.35 * BOX_HEIGHT
    tip = start + side * 2
    head = f"M{tip + side * 8:g},{y2 - 4:g}L{tip:g},{y2:g}L{tip + side * 8:g},{y2 + 4:g}Z"
    curve = f"M{start:g},{y1:g}C{reach:g},{y1:g} {reach:g},{y2:g} {tip + side * 6:g},{y2:g}"
    return (
        f"<g><title>{escape(title)} ({count})</title>"
        f'<path d="{curve}" fill="none" stroke="{colour}" stroke-width="{width:g}" '
        f'stroke-opacity="0.65"/><path d="{head}" fill="{colour}"/></g>'
    )


def _colour(i: int) -> str:
    return COLOURS[i % len(COLOURS)]
