"""Whether probabilities, prediction sets and intervals keep what they promise on further molecules.

Of every set 80 % are given to a fit, which chooses on part of them as usual, and 20 % are judged.
The expected calibration error (ECE) is the mean distance between predicted probability and observed
share over ten equal intervals of probability, weighted by their numbers of molecules. Coverage is
the share of molecules whose true class is in the set, or whose true number is in the interval; the
nominal one is 1 - alpha. Paths are short to save time: 40 lambdas, one maxpat, two rho; 20 lambdas
and one rho on HIV, of which 20,000 molecules are taken at random. The last table shows why
curves are sigmoids where graphs are few: curves learned from so many of the judged molecules, and
their loss on the others.
"""

from __future__ import annotations

import csv
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from _common import Records, arguments, cpu_seconds, table

from aglets import GraphSet, LagraClassifierCV, LagraRegressorCV
from aglets.model.calibration import fit_isotonic, fit_sigmoid

#: Data set -> file, column of targets, most molecules, splits.
SETS = {
    "BBBP": ("BBBP/BBBP.csv", "BBBP", 2050, 20),
    "BBBP, balanced": ("BBBP/BBBP.csv", "BBBP", 2050, 5),
    "BBBP, logistic": ("BBBP/BBBP.csv", "BBBP", 2050, 5),
    "FreeSolv": ("FreeSolv/SAMPL.csv", "expt", 642, 20),
    "HIV": ("HIV/HIV.csv", "HIV_active", 20_000, 2),
    "HIV, balanced": ("HIV/HIV.csv", "HIV_active", 20_000, 2),
}
NUMBERS = ("FreeSolv",)
ALPHAS = (0.1, 0.2)
GRID = {"maxpats": (5,), "rhos": (0.3, 0.1), "starts": 1, "n_lambdas": 40}
LARGE = {**GRID, "rhos": (0.1,), "n_lambdas": 20, "lambda_min_ratio": 0.03}
#: Numbers of molecules from which curves are learned in the last table.
CURVES = (250, 500, 1000, 2000, 3000)


def main() -> None:
    options = arguments(__doc__).parse_args()
    records = Records("trust", options)
    names = ("FreeSolv",) if options.quick else tuple(SETS)
    for name in names:
        for seed in range(1 if options.quick else SETS[name][3]):
            records.measure(f"{name}, {seed}", run, name=name, seed=seed)
    write(records, names)


def run(name: str, seed: int) -> dict[str, Any]:
    graphs, y = load(name, seed)
    first = int(0.8 * len(y))
    options = {**(LARGE if "HIV" in name else GRID), "random_state": seed}
    if "balanced" in name:
        options["class_weight"] = "balanced"
    if "logistic" in name:
        options["loss"] = "logistic"
    kind = LagraRegressorCV if name in NUMBERS else LagraClassifierCV
    start = cpu_seconds()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # labels that are only in the judged part
        model = kind(**options).fit(graphs[:first], y[:first])
        seconds = cpu_seconds() - start
        found = judged(model, graphs[first:], y[first:], name)
    return {**found, "graphlets": len(model.graphlets_), "cpu": seconds}


def judged(model: Any, graphs: GraphSet, y: np.ndarray, name: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if name in NUMBERS:
        for alpha in ALPHAS:
            low, high = model.predict_interval(graphs, alpha=alpha).T
            found[f"coverage {alpha}"] = float(((low <= y) & (y <= high)).mean())
            found[f"size {alpha}"] = float((high - low).mean())
        return found
    p, f = model.predict_proba(graphs)[:, 1], model.decision_function(graphs)
    found |= {"ece": ece(p, y > 0), "log loss": log_loss(p, y > 0), "base rate": float(y.mean())}
    found["curve"] = model.model_.calibration.curves[0].method
    for alpha in ALPHAS:
        sets = model.predict_set(graphs, alpha=alpha)
        inside = sets[np.arange(len(y)), y.astype(int)]
        found[f"coverage {alpha}"] = float(inside.mean())
        found[f"of class 0, {alpha}"] = float(inside[y == 0].mean())
        found[f"of class 1, {alpha}"] = float(inside[y == 1].mean())
        found[f"size {alpha}"] = float(sets.sum(axis=1).mean())
    if name.startswith("HIV"):
        found["curves"] = curves(f, y > 0)
    return found


def curves(f: np.ndarray, positive: np.ndarray) -> list[list[float]]:
    """Return the number of positives, and the log loss of both kinds of curves, by number."""
    rng, rows = np.random.default_rng(0), []
    for n in CURVES:
        found = []
        for _ in range(10):
            order = rng.permutation(len(f))
            own, others = order[:n], order[CURVES[-1] :]
            losses = [
                log_loss(fit(f[own], positive[own], np.ones(n))(f[others])[1], positive[others])
                for fit in (fit_sigmoid, fit_isotonic)
            ]
            found.append([n, float(positive[own].sum()), *losses])
        rows.append(np.mean(found, axis=0).tolist())
    return rows


def ece(p: np.ndarray, positive: np.ndarray, n_bins: int = 10) -> float:
    bins = np.minimum((p * n_bins).astype(int), n_bins - 1)
    gaps = [abs(float((p - positive)[bins == b].sum())) for b in range(n_bins)]
    return sum(gaps) / len(p)


def log_loss(p: np.ndarray, positive: np.ndarray) -> float:
    return float(-np.log(np.where(positive, p, 1.0 - p).clip(1e-15)).mean())


def load(name: str, seed: int) -> tuple[GraphSet, np.ndarray]:
    """Read the molecules of a set in the order of a permutation."""
    file, column, most, _ = SETS[name]
    with Path(os.environ["AGLETS_DATA"], file).open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row[column].strip()]
    rows = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))[:most]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # unreadable SMILES, charges that are not defined
        graphs = GraphSet.from_smiles([row["smiles"] for row in rows], errors="skip")
    return graphs, np.array([float(rows[row][column]) for row in graphs.rows])


def write(records: Records, names: tuple[str, ...]) -> None:
    def of(name: str, key: str) -> np.ndarray:
        cases = [record for case, record in records.records.items() if _set_of(case) == name]
        return np.array([record[key] for record in cases])

    classes = [name for name in names if name not in NUMBERS]
    parts = []
    if classes:
        rows = [
            [
                name,
                len(of(name, "ece")),
                *(f"{of(name, key).mean():.3f}" for key in ("base rate", "ece")),
                f"{of(name, 'ece').max():.3f}",
                ", ".join(sorted(set(of(name, "curve").tolist()))),
                f"{of(name, 'graphlets').mean():.0f}",
                f"{of(name, 'cpu').mean():.0f}",
            ]
            for name in classes
        ]
        head = ["set", "splits", "base rate", "ECE", "largest ECE", "curve", "graphlets", "CPU s"]
        parts += ["Probabilities, means over splits:", table(head, rows)]
    rows = []
    for name in names:
        for alpha in ALPHAS:
            covered = of(name, f"coverage {alpha}")
            each = (
                [f"{of(name, f'of class {c}, {alpha}').mean():.3f}" for c in (0, 1)]
                if name in classes
                else ["", ""]
            )
            rows.append(
                [
                    name,
                    len(covered),
                    f"{1 - alpha:.1f}",
                    f"{covered.mean():.3f}",
                    f"{covered.std(ddof=1) if len(covered) > 1 else 0.0:.3f}",
                    *each,
                    f"{of(name, f'size {alpha}').mean():.2f}",
                ]
            )
    head = ["set", "splits", "nominal", "coverage", "spread", "class 0", "class 1", "mean size"]
    parts += ["Sets of classes, and intervals, means over splits:", table(head, rows)]
    large = [name for name in classes if name.startswith("HIV")]
    if large:
        found = np.mean([one for name in large for one in of(name, "curves")], axis=0)
        head = ["molecules", "active ones", "sigmoid", "isotonic"]
        rows = [[f"{n:.0f}", f"{k:.0f}", f"{a:.4f}", f"{b:.4f}"] for n, k, a, b in found]
        parts += ["Log loss of curves by the number of molecules, HIV:", table(head, rows)]
    records.write("Probabilities, sets and intervals", " ".join(__doc__.split()), *parts)


def _set_of(case: str) -> str:
    return case.rpartition(", ")[0]


if __name__ == "__main__":
    main()
