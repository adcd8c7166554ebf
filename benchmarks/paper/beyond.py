"""What the paper did not ask: cost against size, and a regression. ``python -m paper.beyond``.

Costs: CPU seconds of one path on DHFR against the number of training graphs and against maxpat;
where graphs are dense, what lambda_max alone takes.
FreeSolv: hydration free energies from SMILES, 60 : 20 : 20, five seeds. Numbers go to
``beyond.json``. Other sets and what each option adds are rows of ``paper.run``.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from _common import cpu_seconds, environment, table
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import r2_score, root_mean_squared_error

from aglets import GraphSet, LagraClassifier, LagraRegressorCV
from aglets.mining import Tree

from .protocol import RESULTS, Split
from .sets import load_set
from .small import statistics

COST_SET = "DHFR"
SHARES = (0.125, 0.25, 0.5, 1.0)
MAXPATS = (2, 3, 4, 5, 6, 8, 10)

#: Where the paper's grid cannot be walked in full, its smallest rho, and how far we looked.
DENSE_SETS, DENSE_RHO, DENSE_MAXPATS = ("PROTEINS", "SYNTHETIC"), 0.01, (4, 5, 6, 7)


def cost(share: float, maxpat: int) -> dict[str, Any]:
    """Time one path of 100 lambdas."""
    graphs, y = load_set(COST_SET)
    rows = np.random.default_rng(0).permutation(len(graphs))[: int(share * len(graphs))]
    model = LagraClassifier(maxpat=maxpat, lambda_ratio=0.01, n_jobs=1)
    start = cpu_seconds()
    model.fit(graphs[rows], y[rows])
    return {"graphs": len(rows), "maxpat": maxpat, "cpu": round(cpu_seconds() - start, 2)}


def growth(name: str, maxpat: int) -> dict[str, Any]:
    """Time the search for lambda_max on raw attributes: of a path, all before its first lambda."""
    graphs, y = load_set(name)
    rows = Split.of(y, 0).train
    tree = Tree(graphs[rows], maxpat=maxpat)
    start = cpu_seconds()
    tree.lambda_max(y[rows] - y[rows].mean(), rho=DENSE_RHO)
    cpu = cpu_seconds() - start
    return {"set": name, "maxpat": maxpat, "patterns": tree.n_nodes, "cpu": round(cpu, 2)}


def freesolv(seed: int) -> dict[str, Any]:
    """Root mean squared error of the mean, a random forest on statistics, and LAGRA."""
    with open(Path(os.environ.get("AGLETS_DATA", "."), "FreeSolv", "SAMPL.csv")) as file:
        entries = list(csv.DictReader(file))
    graphs = GraphSet.from_smiles([entry["smiles"] for entry in entries])
    y = np.array([float(entry["expt"]) for entry in entries])
    rows = np.random.default_rng(seed).permutation(len(y))
    train, validation, test = np.split(rows, [int(0.6 * len(y)), int(0.8 * len(y))])
    features = statistics(graphs)
    forest = RandomForestRegressor(200, random_state=seed).fit(features[train], y[train])
    model = LagraRegressorCV(refit=False, n_jobs=1)
    start = cpu_seconds()
    model.fit(graphs[train], y[train], validation=(graphs[validation], y[validation]))
    cpu = cpu_seconds() - start
    guesses = {
        "mean": np.full(len(test), y[train].mean()),
        "random forest": forest.predict(features[test]),
        "LAGRA": model.predict(graphs[test]),
    }
    return {
        "rmse": {name: root_mean_squared_error(y[test], guess) for name, guess in guesses.items()},
        "r2": {name: r2_score(y[test], guess) for name, guess in guesses.items()},
        "graphlets": len(model.graphlets_),
        "cpu": round(cpu, 1),
    }


def cost_tables(folder: Path) -> str:
    """Show costs by number of graphs and by maxpat."""
    costs = [one for key, one in _read(folder).items() if key.startswith("cost")]
    whole = max(one["graphs"] for one in costs)
    by_graphs = [one for one in costs if one["maxpat"] == 5]
    by_maxpat = [one for one in costs if one["graphs"] == whole]
    by_maxpat.sort(key=lambda one: one["maxpat"])
    return "\n\n".join(
        [
            table(
                ["graphs (maxpat 5)", *(one["graphs"] for one in by_graphs)],
                [["CPU s", *(one["cpu"] for one in by_graphs)]],
            ),
            table(
                [f"maxpat ({whole} graphs)", *(one["maxpat"] for one in by_maxpat)],
                [["CPU s", *(one["cpu"] for one in by_maxpat)]],
            ),
        ]
    )


def growth_table(folder: Path) -> str:
    """Show how the search for lambda_max grows with maxpat."""
    found = [one for key, one in _read(folder).items() if key.startswith("growth")]
    maxpats = sorted({one["maxpat"] for one in found})
    rows = [
        [f"{name}, {title}"]
        + [one[key] for m in maxpats for one in found if (one["set"], one["maxpat"]) == (name, m)]
        for name in DENSE_SETS
        for key, title in (("patterns", "patterns in the tree"), ("cpu", "CPU s"))
    ]
    return table(["maxpat", *maxpats], rows)


def freesolv_table(folder: Path) -> str:
    """Show errors on FreeSolv."""
    found = [one for key, one in _read(folder).items() if key.startswith("FreeSolv")]
    rows = []
    for name in found[0]["rmse"]:
        errors = np.array([one["rmse"][name] for one in found])
        shares = np.array([one["r2"][name] for one in found])
        own = f"{np.mean([one['graphlets'] for one in found]):.1f}" if name == "LAGRA" else "-"
        error = f"{errors.mean():.2f} ± {errors.std():.2f}"
        rows.append([name, error, f"{shares.mean():.3f}", own])
    return table(["FreeSolv", "RMSE, kcal/mol", "R²", "graphlets"], rows)


def _read(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "beyond.json").read_text())["cases"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", type=Path, default=RESULTS)
    parser.add_argument("--quick", action="store_true", help="fewer cases")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    seeds, largest = (1, 5) if options.quick else (5, 10)
    cases: dict[str, tuple[Any, tuple[Any, ...]]] = {
        **{f"cost {share} of the graphs": (cost, (share, 5)) for share in SHARES},
        **{f"cost maxpat {m}": (cost, (1.0, m)) for m in MAXPATS if m != 5 and m <= largest},
        **{
            f"growth {name} {m}": (growth, (name, m))
            for name in DENSE_SETS
            for m in DENSE_MAXPATS
            if m <= largest
        },
        **{f"FreeSolv {seed}": (freesolv, (seed,)) for seed in range(seeds)},
    }
    options.to.mkdir(parents=True, exist_ok=True)
    path = options.to / "beyond.json"
    found = json.loads(path.read_text())["cases"] if path.exists() else {}
    for key, (call, arguments) in cases.items():
        if key not in found:
            print(f"{key} ...", flush=True)
            found[key] = call(*arguments)
            words = " --quick" if options.quick else ""
            about = {**environment(), "command": f"python -m paper.beyond{words}"}
            path.write_text(json.dumps({**about, "cases": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
