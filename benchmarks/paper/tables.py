"""Tables from records: accuracy, graphlets, CPU seconds, who is better than whom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _common import table

from . import published
from .comparison import LEVEL, corrected_t, paired_t
from .protocol import SETS
from .shared import records_of

NAMES = {
    "lagra-paper": "LAGRA, the paper's grid",
    "lagra-paper-5": "LAGRA, the paper's grid, maxpat 5",
    "lagra-default": "LAGRA, aglets' defaults",
    "lagra-greedy": "LAGRA, aglets' best: greedy average",
    "lagra-best": "LAGRA, average over folds",
    "lagra-fixed": "LAGRA, attributes not learned",
    "lagra-one-start": "LAGRA, one start per label",
    "lagra-raw": "LAGRA, attributes as they are",
    "gh-knn": "GraphHopper, k-NN",
    "gh-svm": "GraphHopper, SVM",
    "ml-knn": "Multiscale Laplacian, k-NN",
    "ml-svm": "Multiscale Laplacian, SVM",
    "pa-knn": "Propagation, k-NN",
    "pa-svm": "Propagation, SVM",
    "dgcnn": "DGCNN",
    "gcn": "GCN",
    "gat": "GAT",
    "gin": "GIN",
    "majority": "majority class",
    "size": "tree on numbers of nodes and edges",
    "label-counts": "logistic regression on label counts",
    "statistics-forest": "random forest on statistics",
    "statistics-ebm": "explainable boosting machine on statistics",
    "wl-svm": "Weisfeiler-Lehman, linear SVM",
    "wl-oa-svm": "Weisfeiler-Lehman assignment, SVM",
}
OURS = ("lagra-paper", "lagra-paper-5", "lagra-default", "lagra-greedy", "lagra-best")
OPTIONS = ("lagra-fixed", "lagra-one-start", "lagra-raw")

#: Folds are made of training and validation graphs together, so these models have seen both.
FOLDED = ("lagra-best",)


class Results:
    """Records of all methods, as arrays over seeds.

    Parameters
    ----------
    folder : Path
    sets : sequence of str
    """

    def __init__(self, folder: Path, sets: Sequence[str] = SETS) -> None:
        self.folder, self.sets = folder, sets
        self.by_method = {name: records_of(folder, name) for name in [*NAMES, "gh-knn-stock"]}
        self.methods = [
            method
            for method in NAMES
            if method not in OPTIONS and any(name in sets for name, _ in self.by_method[method])
        ]

    def seeds(self, method: str, name: str) -> list[int]:
        """Seeds that a method finished on a set."""
        found = self.by_method[method]
        return sorted(s for (n, s), record in found.items() if n == name and "accuracy" in record)

    def capped(self, method: str, name: str) -> int | None:
        """CPU seconds after which some seed was ended, if one was."""
        found = self.by_method[method]
        caps = [record.get("capped") for (n, _), record in found.items() if n == name]
        return next((cap for cap in caps if cap), None)

    def column(self, method: str, name: str, seeds: Sequence[int], *path: str) -> np.ndarray:
        """One number of the records, over seeds."""
        values: list[Any] = [self.by_method[method][name, seed] for seed in seeds]
        for key in path:
            values = [value[key] for value in values]
        return np.array(values, dtype=float)

    def accuracy(self, method: str, name: str, most: int | None = None) -> np.ndarray:
        """Test accuracies of seeds 0, 1, ... (of the first so many)."""
        seeds = [seed for seed in self.seeds(method, name) if most is None or seed < most]
        return self.column(method, name, seeds, "accuracy")

    def paired(
        self, one: str, other: str, name: str, most: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Accuracies of two methods on the seeds that both finished (of the first so many)."""
        both = set(self.seeds(one, name)) & set(self.seeds(other, name))
        seeds = sorted(seed for seed in both if most is None or seed < most)
        return tuple(self.column(m, name, seeds, "accuracy") for m in (one, other))  # type: ignore[return-value]


def accuracy_table(results: Results, most: int | None) -> str:
    """Mean and standard deviation, as the paper's Table 1.

    Underlined: the best mean of a set. Bold: not worse than it by the paper's one-sided t-test.
    """
    best = {name: best_method(results, name, most) for name in results.sets}
    rows = []
    for method in results.methods:
        if most is None and all(len(results.accuracy(method, name)) < 6 for name in results.sets):
            continue
        cells = [accuracy_cell(results, method, name, best[name], most) for name in results.sets]
        rows.append([NAMES[method], *cells])
    return table(["method", *results.sets], rows)


def accuracy_cell(
    results: Results, method: str, name: str, best: str | None, most: int | None
) -> str:
    found = results.accuracy(method, name, most)
    if not len(found):
        cap = results.capped(method, name)
        return f"ended after {cap} CPU s" if cap else "-"
    deviation = f" ± {found.std():.4f}" if len(found) > 1 else ""
    text = f"{found.mean():.4f}{deviation}"
    wanted = most or 20
    if len(found) < wanted:
        text += f" ({len(found)})"
    if best is None:
        return text
    leader, own = results.paired(best, method, name, most)
    test = paired_t if most is not None else corrected_t
    if method == best:
        return f"<u>**{text}**</u>"
    return f"**{text}**" if len(own) > 1 and test(leader, own) > LEVEL else text


def best_method(results: Results, name: str, most: int | None) -> str | None:
    """Return the method with the best mean on a set, of those that have all seeds asked for."""
    wanted = most or 20
    means = {
        method: results.accuracy(method, name, most).mean()
        for method in results.methods
        if len(results.accuracy(method, name, most)) >= wanted
    }
    return max(means, key=means.__getitem__) if means else None


def published_table() -> str:
    """Show the paper's own numbers."""
    rows = [
        [f"{method} (paper)"]
        + [
            f"{mean:.4f} ± {deviation:.4f}"
            + (" (impossible)" if (method, name) == published.IMPOSSIBLE else "")
            for name, (mean, deviation) in by_set.items()
        ]
        for method, by_set in published.ACCURACY.items()
    ]
    rows.append(
        ["graphlets (paper)"] + [f"{mean} ± {sd}" for mean, sd in published.GRAPHLETS.values()]
    )
    return table(["method", *published.SETS], rows)


def duel_table(results: Results, ours: str) -> str:
    """Difference of means to each rival on common seeds, and what the corrected test says of it."""
    rows = [
        [NAMES[method], *(difference(*results.paired(ours, method, n)) for n in results.sets)]
        for method in results.methods
        if method != ours
    ]
    return table(["against", *results.sets], rows)


def difference(own: np.ndarray, other: np.ndarray) -> str:
    """Write the difference of means in points, with a sign where the corrected test finds it."""
    if len(own) < 2:
        return "-"
    sign = ""
    if corrected_t(own, other) < LEVEL:
        sign = " **+**"
    elif corrected_t(other, own) < LEVEL:
        sign = " **-**"
    return f"{100 * (own.mean() - other.mean()):+.1f}{sign} ({len(own)})"


def graphlet_table(results: Results) -> str:
    """Show the numbers of graphlets in the chosen models."""
    rows = []
    for method in results.methods:
        if method in OURS:
            cells = []
            for name in results.sets:
                seeds = results.seeds(method, name)
                found = results.column(method, name, seeds, "chosen", "graphlets")
                cells.append(f"{found.mean():.1f} ± {found.std():.1f}" if len(found) else "-")
            rows.append([NAMES[method], *cells])
    return table(["method", *results.sets], rows)


def budget_table(results: Results, method: str, maxpat: int, n_rhos: int) -> str:
    """Show how many paths of a maxpat the budget left out, and all that it cut short or left out.

    Every split has a path of that maxpat for each rho.
    """
    titles = ("grid", f"maxpat {maxpat} left out", "paths cut in all")
    rows: dict[str, list[str]] = {title: [] for title in titles}
    capped, left_out, cut = rows.values()
    for name in results.sets:
        chosen = [results.by_method[method][name, s]["chosen"] for s in results.seeds(method, name)]
        missing = sum(one["left_out"].get(str(maxpat), 0) for one in chosen)
        warned = sum(one["cut"] for one in chosen)
        capped.append("-" if not chosen else "capped" if warned else "whole")
        left_out.append(f"{missing} of {n_rhos * len(chosen)}" if chosen else "-")
        cut.append(str(warned) if chosen else "-")
    return table([NAMES[method], *results.sets], [[title, *row] for title, row in rows.items()])


def cost_table(results: Results) -> str:
    """Show CPU seconds for one split: choosing and fitting, with its share of what splits share."""

    def cell(method: str, name: str) -> str:
        seeds = results.seeds(method, name)
        if not seeds:
            return "-"
        fit = results.column(method, name, seeds, "cpu_fit").mean()
        shared = results.column(method, name, seeds, "cpu_shared").mean()
        return f"{_seconds(fit)} + {_seconds(shared)}" if shared >= 0.05 else _seconds(fit)

    return _by_method(results, cell)


def prediction_table(results: Results) -> str:
    """Show CPU milliseconds for predicting one graph whose features are at hand."""

    def cell(method: str, name: str) -> str:
        seeds = results.seeds(method, name)
        if not seeds:
            return "-"
        return f"{1000 * results.column(method, name, seeds, 'cpu_predict').mean():.3f}"

    return _by_method(results, cell)


def five_split_table(results: Results) -> str:
    """Compare CPU seconds of full selection on five splits: LAGRA, GCN and GraphHopper."""
    rows = []
    for method, title in (
        ("lagra-paper", "LAGRA, the paper's grid (maxpat 5 and 10)"),
        ("lagra-paper-5", "LAGRA, the paper's grid (maxpat 5)"),
        ("lagra-default", "LAGRA, aglets' defaults"),
        ("gcn", "GCN, hidden 64, 128, 256"),
        ("gh-knn-stock", "GraphHopper with k-NN, GraKeL (extrapolated)"),
        ("gh-knn", "GraphHopper with k-NN, our computation"),
    ):
        cells = []
        for name in results.sets:
            seeds = [seed for seed in results.seeds(method, name) if seed < 5]
            if not seeds:
                cap = results.capped(method, name)
                cells.append(f"more than {5 * cap}" if cap else "-")
                continue
            fit = results.column(method, name, seeds, "cpu_fit").mean()
            shared = results.column(method, name, seeds, "cpu_shared").mean()
            note = f" ({len(seeds)})" if len(seeds) < 5 else ""
            cells.append(_seconds(5 * fit + shared) + note)
        rows.append([title, *cells])
    return table(["CPU s", *results.sets], rows)


def noise_table(results: Results) -> str:
    """Show how much better chosen models are on validation than on test graphs, in points."""

    def cell(method: str, name: str) -> str:
        seeds = results.seeds(method, name)
        if not seeds:
            return "-"
        validation = results.column(method, name, seeds, "validation_accuracy")
        gap = validation - results.column(method, name, seeds, "accuracy")
        return f"{100 * gap.mean():+.1f}" if np.isfinite(gap).all() else "-"

    return _by_method(results, cell)


def _by_method(results: Results, cell: Callable[[str, str], str]) -> str:
    rows = [
        [NAMES[method], *(cell(method, name) for name in results.sets)]
        for method in results.methods
    ]
    return table(["method", *results.sets], rows)


def _seconds(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 0.1 else f"{value:.2f}"
