"""Draw accuracy against the number of graphlets: ``python -m accuracy.figure``.

From one model along its path to averages, whole and compacted; ``results/curves.png``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from paper.figures import best_within, finish, numbers_of, panels
from paper.protocol import SETS, Records

from .curves import SIZES
from .levers import AVERAGES
from .run import RESULTS
from .tables import of_set

COLOURS = {"default": "#0072b2", "greedy": "#d55e00", "folds": "#009e73"}
LABELS = {
    "default": "one model along its path",
    "greedy": "greedy average, compacted",
    "folds": "average over folds, compacted",
}
TICKS = (1, 10, 100, 1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", type=Path, default=RESULTS, help="the folder of the records")
    options = parser.parse_args()
    mpl.use("Agg")
    draw(Records(options.to), options.to / "curves.png")


def draw(records: Records, path: Path) -> None:
    """Draw a panel per set; the largest point of an average is the whole of it."""
    single = records.of("default")
    names = [name for name in SETS if of_set(single, name)]
    figure, axes = panels(names)
    for name, ax in axes.items():
        paths = [one["along"] for one in of_set(single, name).values()]
        numbers = numbers_of(paths)
        means = [np.mean([best_within(path, number) for path in paths]) for number in numbers]
        plot(ax, "default", numbers, means)
        for row in AVERAGES:
            found = [one["curve"] for one in of_set(records.of(f"curve-{row}"), name).values()]
            if found:
                plot(ax, row, *means_of(found))
        ax.set_xticks(TICKS, [str(tick) for tick in TICKS], size=7)
    finish(figure, axes, path)


def plot(ax: Any, row: str, numbers: list[float], means: list[float]) -> None:
    ax.plot(numbers, means, "o-", color=COLOURS[row], ms=2.5, lw=1.1, label=LABELS[row])


def means_of(found: list[list[list[float]]]) -> tuple[list[float], list[float]]:
    """Mean size and accuracy at each size, with averages that are smaller as they are."""
    numbers, means = [], []
    for size in (*sorted(SIZES), np.inf):
        points = [max(point for point in curve if point[0] <= size) for curve in found]
        number, accuracy = np.mean(points, axis=0)
        if number not in numbers:
            numbers.append(float(number))
            means.append(float(accuracy))
    return numbers, means


if __name__ == "__main__":
    main()
