"""Who is better than whom, and what the numbers cannot show: sentences made from the records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _common import table
from scipy import stats

from . import published, tables
from .comparison import LEVEL, corrected_t, detectable
from .lagra import PAPER
from .tables import FOLDED, NAMES, OURS, Results

#: Splits that a comparison needs.
FEW = 5

#: The row with the paper's grid, whose maxpat 10 has a budget.
BUDGETED = "lagra-paper"

#: The paper's methods and the rows that do the same.
SAME = {
    **{"LAGRA": "lagra-paper", "GH": "gh-knn", "ML": "ml-knn", "PA": "pa-knn"},
    **{"DGCNN": "dgcnn", "GCN": "gcn", "GAT": "gat"},
}


@dataclass(frozen=True)
class Duel:
    """Accuracies of one of our rows and of a rival on the same splits of a set."""

    rival: str
    own: np.ndarray
    other: np.ndarray

    @property
    def verdict(self) -> str:
        if corrected_t(self.own, self.other) < LEVEL:
            return "better"
        return "worse" if corrected_t(self.other, self.own) < LEVEL else "level"


def hardest(results: Results, ours: str, name: str) -> Duel | None:
    """Return the duel with the rival that has the best mean on the splits of both."""
    duels = [
        Duel(rival, *results.paired(ours, rival, name))
        for rival in results.methods
        if rival not in OURS
    ]
    duels = [duel for duel in duels if len(duel.own) >= FEW]
    return max(duels, key=lambda duel: duel.other.mean()) if duels else None


def in_short(results: Results) -> list[str]:
    """Say who wins where."""
    rows, lines, found = [], [], []
    for ours in OURS:
        if ours not in results.methods or ours == "lagra-paper-5":
            continue
        duels = {name: hardest(results, ours, name) for name in results.sets}
        fought = {name: duel for name, duel in duels.items() if duel is not None}
        if not fought:
            continue
        found += fought.values()
        rows.append([NAMES[ours], *(duel_cell(duels[name]) for name in results.sets)])
        said = [
            f"{verdict} on {', '.join(names)}"
            for verdict in ("better", "level", "worse")
            if (names := [name for name, duel in fought.items() if duel.verdict == verdict])
        ]
        seen = " (it has seen the validation graphs, too)" if ours in FOLDED else ""
        lines.append(f"- **{NAMES[ours]}**{seen}: {'; '.join(said)}.")
    if not rows:
        return []
    smallest = np.median([100 * detectable(duel.own - duel.other) for duel in found])
    return [
        "Each row of LAGRA against the rival with the best test mean of each set. That rival is "
        "picked after the fact, on the same splits, so this is a strict comparison: nobody could "
        "have named it in advance. Verdicts by the corrected resampled t-test, "
        f"one-sided at {100 * LEVEL:g} %.",
        "\n".join(lines),
        "Points of accuracy to that rival, its name, and the number of splits:",
        table(["", *results.sets], rows),
        "Level means that no difference was found, not that there is none: half of these "
        f"comparisons would have missed a true difference of {smallest:.1f} points more often than "
        "not." + missing(results),
    ]


def duel_cell(duel: Duel | None) -> str:
    if duel is None:
        return "-"
    points = 100 * (duel.own.mean() - duel.other.mean())
    return f"{duel.verdict} {points:+.1f}<br>{NAMES[duel.rival]} ({len(duel.own)})"


def missing(results: Results) -> str:
    """Name the rivals that are not there to be the best, and our rows that are not there at all."""
    rivals = [method for method in NAMES if not method.startswith("lagra-")]
    without = {
        "Rivals that are left out here because they lack five splits": gaps(results, rivals, FEW),
        "Rows of LAGRA without records": gaps(results, OURS, 1),
    }
    return "".join(f" {title}: {said}." for title, said in without.items() if said)


def gaps(results: Results, methods: Sequence[str], smallest: int) -> str:
    """List the sets on which methods have fewer seeds than that."""
    said = []
    for method in methods:
        names = [name for name in results.sets if len(results.seeds(method, name)) < smallest]
        if names:
            where = "all sets" if len(names) == len(results.sets) else ", ".join(names)
            said.append(f"{NAMES[method]} on {where}")
    return "; ".join(said)


def against_paper(results: Results) -> str:
    """Show our means less the paper's, in points; bold where splits cannot explain them."""
    rows = []
    for method, ours in SAME.items():
        cells = []
        for name in results.sets:
            found = results.accuracy(ours, name, FEW)
            if len(found) < FEW or (method, name) == published.IMPOSSIBLE:
                cells.append("-")
                continue
            mean, deviation = published.ACCURACY[method][name]
            text = f"{100 * (found.mean() - mean):+.1f}"
            cells.append(f"**{text}**" if differs(found, mean, deviation) else text)
        rows.append([method, *cells])
    return table(["ours - paper's", *results.sets], rows)


def differs(found: np.ndarray, mean: float, deviation: float) -> bool:
    """Say whether Welch's t-test, two-sided, finds a printed mean of as many runs different."""
    if found.std() == 0 and deviation == 0:
        return bool(abs(found.mean() - mean) > 5e-5)
    # The paper does not say which deviation it prints: take the kind that finds less.
    n = len(found)
    p = stats.ttest_ind_from_stats(
        *(found.mean(), found.std(ddof=1), n),
        *(mean, deviation * np.sqrt(n / (n - 1)), n),
        equal_var=False,
    ).pvalue
    return bool(p < LEVEL)


def budget(results: Results) -> list[str]:
    """Say where the paper's maxpat 10 was too much."""
    if BUDGETED not in results.methods:
        return []
    return [
        f"Where graphs are dense, patterns of 10 nodes are too many. In the row {NAMES[BUDGETED]} "
        f"the searches of one path have {PAPER['max_seconds']:g} wall seconds in all; a path that "
        "needs more ends early, and one that does not reach its first lambda is left out. So the "
        "row is capped on sets that have such paths, and there it says less about the paper's grid "
        "than elsewhere.",
        tables.budget_table(results, BUDGETED, max(PAPER["maxpats"]), len(PAPER["rhos"])),
    ]


def caveats(results: Results, folder: Path) -> list[str]:
    """Say what the numbers cannot show."""
    method, name = published.IMPOSSIBLE
    mean, deviation = published.ACCURACY[method][name]
    return [
        "## How to read these numbers",
        *decided_by_size(results),
        *of_structures(results, folder),
        f"**One cell of the paper's Table 1 is impossible.** {method} on {name}, {mean:.4f} ± "
        f"{deviation:.4f}, repeats its value for DHFR; a mean of five runs with 40 test graphs is "
        "a multiple of 0.005. Its bold face there has no meaning.",
        "**The paper's splits are not known.** Its means fit test parts of a stratified split, "
        "which is why we split so; other splits of the same sets move a method by several points, "
        "so smaller differences to the paper's numbers mean nothing.",
        f"**Choosing on few graphs is noisy.** {few_graphs(results)}Validation minus test accuracy "
        "of chosen models, in points; where it is above 0, they look better than they are:",
        tables.noise_table(results),
        "**Rivals had limits, too.** Networks were trained for fewer epochs than by their authors "
        "(60; 20 on AIDS and PROTEINS), on one CPU thread. GCN chooses among three hidden "
        "sizes, GAT and GIN between two, DGCNN between two learning rates. Kernels with k-NN are "
        "GraKeL's defaults on raw attributes; the paper does not say what it ran.",
    ]


def decided_by_size(results: Results) -> list[str]:
    size = results.accuracy("size", "AIDS")
    pairs = [
        results.paired(method, "size", "AIDS") for method in results.methods if method != "size"
    ]
    pairs = [pair for pair in pairs if len(pair[0]) >= FEW]
    if not len(size):
        return []
    lower = sum(own.mean() < tree.mean() for own, tree in pairs)
    return [
        "**On AIDS the size of a graph predicts the class.** A tree of depth at most four on the "
        "numbers of nodes and "
        f"edges has {size.mean():.4f} there; {lower} of the {len(pairs)} other methods that ran "
        "have a lower mean on the same splits. The set can only show that a method works at all."
    ]


def of_structures(results: Results, folder: Path) -> list[str]:
    """Say which sets have few structures, or the same ones again."""
    path = folder / "sets.json"
    about = json.loads(path.read_text())["sets"] if path.exists() else {}
    parts = []
    if "SYNTHETIC" in about:
        blind = results.accuracy("wl-oa-svm", "SYNTHETIC")
        seen = f" ({NAMES['wl-oa-svm']}: {blind.mean():.4f})" if len(blind) else ""
        parts.append(
            f"**SYNTHETIC has {about['SYNTHETIC']['structures']} structure.** All "
            f"{about['SYNTHETIC']['graphs']} graphs are the same labelled graph and differ in one "
            f"attribute only. Methods without attributes are at chance{seen}, and a perfect score "
            "says that attributes at a labelled place were found, not that structure was."
        )
    again = {
        name: about[name]["graphs"] - about[name]["structures"]
        for name in results.sets
        if name in about and name != "SYNTHETIC"
    }
    repeated = ", ".join(f"{name} {n} of {about[name]['graphs']}" for name, n in again.items() if n)
    if repeated:
        parts.append(
            f"**Structures repeat.** Graphs that repeat the structure of an earlier one: "
            f"{repeated}. Where one of them is trained on and another is tested, methods that "
            "remember whole graphs gain; further sets, among all tables, leave such graphs out."
        )
    return parts


def few_graphs(results: Results) -> str:
    """Say how many graphs models are chosen on, from the written splits."""
    paths = [results.folder / "splits" / f"{name}.txt" for name in results.sets]
    counts = [path.read_text().splitlines()[0].count("1") for path in paths if path.exists()]
    return f"Validation parts have {min(counts)} to {max(counts)} graphs. " if counts else ""
