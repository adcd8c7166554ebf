"""The paper's figures, drawn by aglets' own displays: ``python -m paper.figures``.

Time and work along the path (AIDS, ENZYMES), selected graphlets (DHFR, BZR, AIDS), scatter plots of
test graphs (AIDS, DHFR). All on split 0; graphlets and scatters from the model that validation
chooses on the paper's grid. Numbers behind the pictures go to ``figures.json``.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from _common import commit, environment

from aglets import LagraClassifier, LagraClassifierCV
from aglets.plot import GraphletGridDisplay, ScatterDisplay, SearchDisplay

from .lagra import PAPER
from .protocol import RESULTS, Split
from .sets import load_set
from .tables import NAMES, Results

SEARCHED = ("AIDS", "ENZYMES")
LISTED = ("DHFR", "BZR", "AIDS")
SCATTERED = ("AIDS", "DHFR")
RHO = 0.01
CURVED = "lagra-default"
NUMBERS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120)
IN_A_ROW = 4
RIVALS = {"wl-oa-svm": "--", "statistics-forest": ":", "gcn": "-."}


def search(name: str, folder: Path, quick: bool) -> dict[str, Any]:
    """Draw what each lambda of a path costs, on raw attributes as in the paper."""
    graphs, y = load_set(name)
    parts = Split.of(y, 0)
    options: dict[str, Any] = {"maxpat": 5, "n_lambdas": 20} if quick else {"maxpat": 10}
    model = LagraClassifier(scale="none", rho=RHO, lambda_ratio=0.01, n_jobs=1, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        held_out = (graphs[parts.validation], y[parts.validation])
        model.fit(graphs[parts.train], y[parts.train], validation=held_out)
    display = SearchDisplay.from_estimator(model).plot()
    save(display, folder / f"search_{name}.png")
    searches = np.array([max(point.n_searches, 1) for point in model.path_])
    return {
        **options,
        "rho": RHO,
        "lambdas": len(model.path_),
        "seconds": round(float(display.seconds.sum()), 1),
        "seconds_search": round(float(display.seconds_search.sum()), 1),
        "most_visited_by_a_search": round(float((display.n_visited / searches).max())),
        "largest_working_set": int(display.working_set_size.max()),
    }


def graphlets(name: str, folder: Path, quick: bool) -> dict[str, Any]:
    """Draw the two graphlets with the largest coefficients of either sign."""
    model, graphs, y, parts = chosen(name, quick)
    display = GraphletGridDisplay.from_estimator(model, graphs[parts.train], y[parts.train])
    save(display.plot(n_each=2), folder / f"graphlets_{name}.png")
    return {
        "rho": model.rho_,
        "graphlets": [
            {"name": graphlet.name, "coef": round(float(graphlet.coef), 4)}
            for graphlet in sorted(model.graphlets_, key=lambda one: -abs(one.coef))
        ],
    }


def scatter(name: str, folder: Path, quick: bool) -> dict[str, Any]:
    """Draw test graphs in the plane of the most positive and the most negative graphlet."""
    model, graphs, y, parts = chosen(name, quick)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some labels are rare
        display = ScatterDisplay.from_estimator(model, graphs[parts.test], y[parts.test])
    save(display.plot(), folder / f"scatter_{name}.png")
    return {"names": display.names, "auc": display.auc}


def chosen(name: str, quick: bool) -> tuple[Any, Any, np.ndarray, Split]:
    """Return the model that validation chooses on the paper's grid, and its data."""
    if name not in _MODELS:
        graphs, y = load_set(name)
        parts = Split.of(y, 0)
        grid = {**PAPER, "rhos": (0.5, 0.1), "maxpats": (3,), "n_lambdas": 30} if quick else PAPER
        model = LagraClassifierCV(**grid, refit=False, n_jobs=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            held_out = (graphs[parts.validation], y[parts.validation])
            model.fit(graphs[parts.train], y[parts.train], validation=held_out)
        _MODELS[name] = (model, graphs, y, parts)
    return _MODELS[name]


#: Several figures show the same model.
_MODELS: dict[str, tuple[Any, Any, np.ndarray, Split]] = {}


def save(display: Any, path: Path) -> None:
    display.figure_.savefig(path, dpi=130, bbox_inches="tight")
    display.figure_.clear()


def curve(results: Results, folder: Path) -> None:
    """Draw test accuracy against the number of graphlets, from the records."""
    names = [name for name in results.sets if results.seeds(CURVED, name)]
    if not names:
        return
    figure, axes = panels(names)
    for name, ax in axes.items():
        paths = [results.by_method[CURVED][name, s]["along"] for s in results.seeds(CURVED, name)]
        numbers = numbers_of(paths)
        means = [np.mean([best_within(path, number) for path in paths]) for number in numbers]
        ax.plot(numbers, means, "o-", color="#0072b2", ms=3, lw=1.2, label="LAGRA")
        for rival, style in RIVALS.items():
            _, found = results.paired(CURVED, rival, name)
            if len(found):
                ax.axhline(found.mean(), color="#555555", ls=style, lw=0.9, label=NAMES[rival])
        ax.set_xticks(numbers[::2], [str(number) for number in numbers[::2]], size=7)
    finish(figure, axes, folder / "curve.png")


def panels(names: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    """Make a figure with a panel per set, for test accuracy against the number of graphlets."""
    import matplotlib.pyplot as plt

    rows = -(-len(names) // IN_A_ROW)
    figure, grid = plt.subplots(rows, IN_A_ROW, figsize=(2.4 * IN_A_ROW, 2.2 * rows), squeeze=False)
    for ax in grid.ravel()[len(names) :]:
        ax.set_axis_off()
    axes = dict(zip(names, grid.ravel(), strict=False))
    for name, ax in axes.items():
        ax.margins(y=0.08)  # a line on the frame could not be seen
        ax.set_xscale("log")
        ax.minorticks_off()
        ax.tick_params(labelsize=7)
        ax.set_title(name, size=9)
        ax.set_xlabel("graphlets", size=8)
        ax.set_ylabel("test accuracy", size=8)
    return figure, axes


def finish(figure: Any, axes: dict[str, Any], path: Path) -> None:
    """Give the panels one legend, and write them."""
    import matplotlib.pyplot as plt

    shown: dict[str, Any] = {}
    for ax in axes.values():
        handles, labels = ax.get_legend_handles_labels()
        shown = dict(zip(labels, handles, strict=True)) | shown
    figure.legend(shown.values(), shown, loc="lower center", ncols=4, fontsize=7, frameon=False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, dpi=130)
    plt.close(figure)


def numbers_of(paths: Sequence[list[dict[str, float]]]) -> list[int]:
    """List the numbers of graphlets to show: up to the most that a path has."""
    most = max(point["graphlets"] for path in paths for point in path)
    return [number for number in NUMBERS if number <= most]


def best_within(path: list[dict[str, float]], number: int) -> float:
    """Test accuracy of the point with the lowest validation loss among those with few graphlets."""
    allowed = [point for point in path if point["graphlets"] <= number]
    return min(allowed, key=lambda point: point["validation_loss"])["accuracy"]


def drawn(path: Path) -> dict[str, Any]:
    """Read what this commit has drawn; figures of other code are drawn again."""
    record = json.loads(path.read_text()) if path.exists() else {}
    return record["figures"] if record.get("commit") == commit() else {}


FIGURES: list[tuple[Callable[[str, Path, bool], dict[str, Any]], tuple[str, ...]]] = [
    (scatter, SCATTERED),
    (graphlets, LISTED),
    (search, SEARCHED),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", type=Path, default=RESULTS)
    parser.add_argument("--quick", action="store_true", help="a small grid")
    options = parser.parse_args()
    mpl.use("Agg")
    folder = options.to / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    path = options.to / "figures.json"
    found = drawn(path)
    for draw, names in FIGURES:
        for name in names:
            key = f"{draw.__name__} {name}"
            if key not in found:
                print(f"{key} ...", flush=True)
                found[key] = draw(name, folder, options.quick)
                words = " --quick" if options.quick else ""
                about = {**environment(), "command": f"python -m paper.figures{words}"}
                path.write_text(json.dumps({**about, "figures": found}, indent=1) + "\n")
    curve(Results(options.to), folder)


if __name__ == "__main__":
    main()
