"""Which labels and attributes of atoms to read by default, by accuracy and by how they read.

Every candidate is fitted with default settings on 60 % of the molecules of a set and scored on
20 % of them; the last 20 % are not looked at. Large sets are cut to the first molecules of the
permutation that splits them; of HIV, three in ten of these are active. Scores are ROC AUC for
classes and Spearman's correlation for numbers.
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

#: Data set -> file, column of targets, most molecules.
SETS = {
    "BBBP": ("BBBP/BBBP.csv", "BBBP", 2050),
    "HIV": ("HIV/HIV.csv", "HIV_active", 1500),
    "Tox21": ("Tox21/tox21.csv", "SR-MMP", 2000),
    "FreeSolv": ("FreeSolv/SAMPL.csv", "expt", 642),
    "QM7": ("QM7/qm7.csv", "u0_atom", 1000),
}
NUMBERS = ("FreeSolv", "QM7")
COUNTS = ("gasteiger_charge", "n_hydrogens", "degree", "in_ring")
FOUR = ("gasteiger_charge", "crippen_logp", "crippen_mr", "tpsa")
AHC = ("aromaticity", "hydrogens", "charge")
#: Labels and attributes; what is discrete is in the label or an attribute, never in both.
CANDIDATES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "element; charge, H, degree, ring": ((), COUNTS),
    "aromatic, charge; charge, H, degree, ring": (("aromaticity", "charge"), COUNTS),
    "aromatic, H, charge; none": (AHC, ()),
    "aromatic, H, charge; charge": (AHC, ("gasteiger_charge",)),
    "aromatic, H, charge; charge, logP, MR, TPSA": (AHC, FOUR),
    "aromatic, H, charge, ring; charge": ((*AHC, "ring"), ("gasteiger_charge",)),
}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--splits", type=int, default=1, help="how many splits of each set")
    options = parser.parse_args()
    records = Records("features", options)
    seeds = (0,) if options.quick else tuple(range(options.splits))
    names = ("FreeSolv",) if options.quick else tuple(SETS)
    candidates = list(CANDIDATES)[:2] if options.quick else list(CANDIDATES)
    for seed in seeds:
        for name in names:
            for candidate in candidates:
                case = f"{name}, {candidate}, {seed}"
                records.measure(case, run, name=name, candidate=candidate, seed=seed)
    write(records, names, candidates, seeds)


def run(name: str, candidate: str, seed: int) -> dict[str, Any]:
    label_with, attributes = CANDIDATES[candidate]
    graphs, y = load(name, seed, label_with=label_with, attributes=attributes)
    first, second = int(0.6 * len(y)), int(0.8 * len(y))
    kind = LagraRegressorCV if name in NUMBERS else LagraClassifierCV
    start = cpu_seconds()
    model = kind(random_state=seed).fit(graphs[:first], y[:first])
    seconds = cpu_seconds() - start
    f = model.model_.decision_function(graphs[first:second])
    return {
        "score": score(y[first:second], f, name),
        "graphlets": len(model.graphlets_),
        "nodes": float(np.mean([h.n_nodes for h in model.graphlets_] or [0])),
        "cpu": seconds,
    }


def score(y: np.ndarray, f: np.ndarray, name: str) -> float:
    from scipy.stats import spearmanr
    from sklearn.metrics import roc_auc_score

    return float(spearmanr(y, f).statistic if name in NUMBERS else roc_auc_score(y, f))


def load(name: str, seed: int, **features: Any) -> tuple[GraphSet, np.ndarray]:
    """Read the molecules of a set that have a target, in the order of a permutation."""
    file, column, most = SETS[name]
    with Path(os.environ["AGLETS_DATA"], file).open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row[column].strip()]
    rows = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    if name == "HIV":  # one in 28 is active: take three in ten, so that a score means something
        active = [row for row in rows if row[column] == "1"][: 3 * most // 10]
        rows = active + [row for row in rows if row[column] == "0"][: most - len(active)]
        rows = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    rows = rows[:most]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # unreadable SMILES, charges that are not defined
        graphs = GraphSet.from_smiles([row["smiles"] for row in rows], errors="skip", **features)
    return graphs, np.array([float(rows[row][column]) for row in graphs.rows])


def write(
    records: Records, names: tuple[str, ...], candidates: list[str], seeds: tuple[int, ...]
) -> None:
    def mean(name: str, candidate: str, key: str) -> float:
        cases = [records.records[f"{name}, {candidate}, {seed}"][key] for seed in seeds]
        return float(np.mean(cases))

    def rows(key: str, form: str) -> list[list[str]]:
        found = []
        for candidate in candidates:
            values = [mean(name, candidate, key) for name in names]
            found.append([candidate, *(form.format(v) for v in [*values, float(np.mean(values))])])
        return found

    head = ["label; attributes", *names, "mean"]
    records.write(
        "Labels and attributes of atoms, on validation molecules",
        " ".join(__doc__.split()) + f" Splits: {len(seeds)}.",
        "Score:",
        table(head, rows("score", "{:.3f}")),
        "Graphlets:",
        table(head, rows("graphlets", "{:.0f}")),
        "CPU seconds of the fit:",
        table(head, rows("cpu", "{:.1f}")),
    )


if __name__ == "__main__":
    main()
