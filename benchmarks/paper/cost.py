"""What full selection costs LAGRA and two rivals, in one run: ``python -m paper.cost``.

CPU seconds on five splits of each set: LAGRA with the paper's grid and with the half of it that has
maxpat 5, which needs no cap anywhere, GCN with its hidden sizes, and GraphHopper with k-NN as
GraKeL ships it, whose kernel matrix, which all splits share, is extrapolated from some graphs and
pairs. One case after the other, each in a fresh process on one thread. Numbers go to
``cost.json``; what is there already is not measured again.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path
from typing import Any

from _common import environment, in_fresh_process, table

from .lagra import PAPER, row
from .protocol import RESULTS, SETS, Split, outcome
from .run import command, made_ready, method_named, use_one_thread
from .sets import load_set

OURS, HALF = "lagra-paper", "lagra-paper-5"
RIVALS = {"gcn": "GCN", "gh-knn-stock": "GraphHopper"}
TITLES = {
    OURS: "LAGRA, the paper's grid",
    HALF: "LAGRA, its half with maxpat 5",
    "gcn": "GCN, all its hidden sizes",
    "gh-knn-stock": "GraphHopper with k-NN, GraKeL (extrapolated)",
}
SPLITS, QUICK_SPLITS = 5, 1
#: More than the searches of any path need on sparse graphs: so only dense sets are capped here.
SEARCH_SECONDS = 10.0


def measured(method: str, name: str, quick: bool) -> dict[str, Any]:
    """Choose, fit and test on each split."""
    warnings.simplefilter("ignore")
    graphs, y = load_set(name)
    whole = row({**PAPER, "max_seconds": SEARCH_SECONDS})
    prepare = whole if method == OURS and not quick else method_named(method, quick)
    ready, shared = made_ready(prepare, graphs, y)
    seeds = range(QUICK_SPLITS if quick else SPLITS)
    found = [outcome(ready, y, Split.of(y, seed)) for seed in seeds]
    return {**shared, **{key: [one[key] for one in found] for key in ("cpu_fit", "chosen")}}


def in_all(case: dict[str, Any]) -> float:
    """CPU seconds of full selection on all splits."""
    return float(sum(case["cpu_fit"]) + case["cpu_shared"])


def is_capped(case: dict[str, Any]) -> bool:
    """Whether a path was ended by its budget on any split."""
    return any(chosen["cut"] > 0 for chosen in case["chosen"])


def verdict(ours: float, rivals: dict[str, float]) -> str:
    """Say whether ours takes no more than any rival, or which take less."""
    cheaper = [name for name, seconds in rivals.items() if seconds < ours]
    return f"missed: {', '.join(cheaper)}" if cheaper else "met"


def cost_table(folder: Path) -> str:
    """Show CPU seconds on all splits, how many times ours a rival takes, and who takes less."""
    cases = read(folder)["cases"]
    names = [name for name in SETS if all(key(method, name) in cases for method in TITLES)]
    seconds = {method: [in_all(cases[key(method, name)]) for name in names] for method in TITLES}
    capped = [is_capped(cases[key(OURS, name)]) for name in names]
    rows = [[title, *(f"{s:.0f}" for s in seconds[method])] for method, title in TITLES.items()]
    for method, title in RIVALS.items():
        ratios = [s / own for s, own in zip(seconds[method], seconds[OURS], strict=True)]
        rows.append([f"{title} / LAGRA", *(f"{ratio:.2g}" for ratio in ratios)])
    verdicts = []
    for i in range(len(names)):
        rivals = {title: seconds[method][i] for method, title in RIVALS.items()}
        said = f"capped; maxpat 5 {verdict(seconds[HALF][i], rivals)}"
        verdicts.append(said if capped[i] else verdict(seconds[OURS][i], rivals))
    return table(["CPU s", *names], [*rows, ["LAGRA takes no more", *verdicts]])


def n_splits(folder: Path) -> int:
    """Return on how many splits all cases were measured."""
    return min(len(case["cpu_fit"]) for case in read(folder)["cases"].values())


def read(folder: Path) -> dict[str, Any]:
    """Read how the costs were measured, and the cases so far."""
    path = folder / "cost.json"
    return json.loads(path.read_text()) if path.exists() else {"cases": {}}


def key(method: str, name: str) -> str:
    return f"{name} {method}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--to", type=Path, default=RESULTS)
    parser.add_argument("--quick", action="store_true", help="few epochs, small grids")
    options = parser.parse_args()
    use_one_thread()
    options.to.mkdir(parents=True, exist_ok=True)
    about = {**environment(), "command": command()}
    cases = read(options.to)["cases"]
    for name in options.sets:
        for method in TITLES:
            if key(method, name) in cases:
                continue
            print(f"{method} on {name} ...", flush=True)
            found = in_fresh_process(measured, method=method, name=name, quick=options.quick)
            cases[key(method, name)] = {**found, "commit": about["commit"]}
            commits = sorted({case["commit"] for case in cases.values()})
            text = json.dumps({**about, "commit": ", ".join(commits), "cases": cases}, indent=1)
            (options.to / "cost.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
