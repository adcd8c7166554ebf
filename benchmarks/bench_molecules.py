"""Graphlets next to what chemists use: AUC, size of the model and CPU time on held-out molecules.

Every method is fitted on 80 % of the molecules of a set and scored, once, on the other 20 %; both
parts are the same for all methods. Random parts keep the proportions of classes; parts by scaffold
have no Bemis-Murcko scaffold on both sides. All that a method chooses is chosen on the training
part. Size is the number of graphlets, of fingerprint bits with a weight, of functional groups in
use, or of leaves. CPU seconds are for features and fit, on one thread. Not
every method has five seeds, or any: the last column says how many. Compare those by the AUC of the
first seed, which all have.

The explainable boosting machine needs the package interpret-core: see `make bench-env`.
"""

from __future__ import annotations

import csv
import os
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from _common import Records, arguments, cpu_seconds, table, with_error

from aglets import GraphSet, LagraClassifierCV, compact, datasets

#: Data set -> file, column of targets.
SETS = {
    "BBBP": ("BBBP/BBBP.csv", "BBBP"),
    "Tox21 SR-MMP": ("Tox21/tox21.csv", "SR-MMP"),
    "HIV": ("HIV/HIV.csv", "HIV_active"),
}
CASES = (
    ("BBBP", "random"),
    ("BBBP", "scaffold"),
    ("Tox21 SR-MMP", "random"),
    ("HIV", "random"),
    ("HIV", "scaffold"),
)
METHODS = {
    "graphlets": "aglets, defaults",
    "forest": "random forest, Morgan counts",
    "lasso": "L1 logistic, Morgan counts",
    "ebm": "EBM, functional groups",
}
#: Graphlets that a chemist may want to read at most.
MOST = 60
#: What difference in AUC counts as none.
MARGIN = 0.01
#: HIV has 41,127 molecules: one cell of the grid, fewer trees and fewer bags.
LARGE = 20_000
LARGE_GRID: dict[str, Any] = {"starts": 1, "maxpats": (5,), "rhos": (0.25,), "n_lambdas": 50}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    options = parser.parse_args()
    records = Records("molecules", options)
    methods = [name for name in options.methods if name != "ebm" or find_spec("interpret")]
    cases = CASES[:1] if options.quick else [case for case in CASES if case[0] in options.sets]
    for seed in range(1 if options.quick else options.seeds):
        for name, kind in cases:
            for method in methods[:1] if options.quick else methods:
                case = f"{name}, {kind}, {method}, {seed}"
                records.measure(case, run, name=name, kind=kind, method=method, seed=seed)
    made = [*compared(records.records), *tables(records.records)]
    records.write("Molecules: next to what chemists use", *paragraphs(), *made)


def run(name: str, kind: str, method: str, seed: int) -> dict[str, Any]:
    from sklearn.metrics import average_precision_score, roc_auc_score

    smiles, y = load(name)
    train, test = parts(smiles, y, kind, seed)
    start = cpu_seconds()
    found = FITS[method]([smiles[i] for i in train], y[train], [smiles[i] for i in test], seed)
    score, size, smaller = found if len(found) == 3 else (*found, None)
    record = {
        "auc": float(roc_auc_score(y[test], score)),
        "average_precision": float(average_precision_score(y[test], score)),
        "size": size,
        "cpu": cpu_seconds() - start,
        "n_train": len(train),
        "n_test": len(test),
    }
    if smaller is not None:
        record["smaller_auc"] = float(roc_auc_score(y[test], smaller))
        record["smaller_size"] = min(size, MOST)
    return record


def load(name: str) -> tuple[list[str], np.ndarray]:
    """Return the SMILES that RDKit can read and that have a target."""
    from rdkit import Chem, rdBase

    file, column = SETS[name]
    with Path(os.environ["AGLETS_DATA"], file).open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row[column].strip()]
    with rdBase.BlockLogs():
        rows = [row for row in rows if Chem.MolFromSmiles(row["smiles"]) is not None]
    return [row["smiles"] for row in rows], np.array([int(float(row[column])) for row in rows])


def parts(smiles: list[str], y: np.ndarray, kind: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.model_selection import train_test_split

    if kind == "scaffold":
        return datasets.scaffold_holdout(smiles, 0.2, random_state=seed)
    train, test = train_test_split(np.arange(len(y)), test_size=0.2, stratify=y, random_state=seed)
    return np.sort(train), np.sort(test)


def graphlets(
    train: list[str], y: np.ndarray, test: list[str], seed: int
) -> tuple[np.ndarray, int, np.ndarray]:
    """Fit with defaults; if that takes more than 60 graphlets, also drop all but 60."""
    options = LARGE_GRID if len(y) > LARGE else {}
    model = LagraClassifierCV(random_state=seed, n_jobs=1, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # charges that are not defined, rare labels
        graphs = GraphSet.from_smiles(train)
        model.fit(graphs, y)
        tested = GraphSet.from_smiles(test)
        f = model.decision_function(tested)
        few = model.model_
        if len(few.graphlets) > MOST:
            few = compact(few, graphs, MOST)
        return f, len(model.graphlets_), few.decision_function(tested)


def forest(train: list[str], y: np.ndarray, test: list[str], seed: int) -> tuple[np.ndarray, int]:
    from sklearn.ensemble import RandomForestClassifier

    trees = 100 if len(y) > LARGE else 300
    model = RandomForestClassifier(trees, class_weight="balanced_subsample", random_state=seed)
    model.fit(morgan(train), y)
    leaves = sum(tree.get_n_leaves() for tree in model.estimators_)
    return model.predict_proba(morgan(test))[:, 1], int(leaves)


def lasso(train: list[str], y: np.ndarray, test: list[str], seed: int) -> tuple[np.ndarray, int]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss
    from sklearn.model_selection import train_test_split

    X = morgan(train)
    first, held = train_test_split(np.arange(len(y)), test_size=0.25, stratify=y, random_state=seed)

    def fitted(C: float, rows: np.ndarray) -> Any:
        model = LogisticRegression(C=C, l1_ratio=1.0, solver="liblinear", random_state=seed)
        return model.fit(X[rows], y[rows])

    def loss(C: float) -> float:
        return log_loss(y[held], fitted(C, first).predict_proba(X[held])[:, 1])

    best = fitted(min(np.geomspace(0.01, 10.0, 7), key=loss), np.arange(len(y)))
    return best.decision_function(morgan(test)), int(np.count_nonzero(best.coef_))


def ebm(train: list[str], y: np.ndarray, test: list[str], seed: int) -> tuple[np.ndarray, int]:
    from interpret.glassbox import ExplainableBoostingClassifier

    X = groups(train)
    bags = 4 if len(y) > LARGE else 14
    model = ExplainableBoostingClassifier(outer_bags=bags, n_jobs=1, random_state=seed).fit(X, y)
    return model.predict_proba(groups(test))[:, 1], int((X != 0).any(axis=0).sum())


FITS = {
    "graphlets": graphlets,
    "forest": forest,
    "lasso": lasso,
    "ebm": ebm,
}


def morgan(smiles: list[str]) -> Any:
    """Count circular neighbourhoods of radius 2 in 2048 places."""
    from rdkit import Chem, rdBase
    from rdkit.Chem import rdFingerprintGenerator
    from scipy.sparse import csr_array

    make = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    with rdBase.BlockLogs():
        counts = [
            make.GetCountFingerprint(Chem.MolFromSmiles(text)).GetNonzeroElements()
            for text in smiles
        ]
    indices = [sorted(row) for row in counts]
    data = [row[j] for row, places in zip(counts, indices, strict=True) for j in places]
    # Trees take no 64-bit positions.
    ends = np.cumsum([0, *map(len, indices)]).astype(np.int32)
    flat = np.array([j for places in indices for j in places], dtype=np.int32)
    return csr_array((np.array(data, float), flat, ends), shape=(len(smiles), 2048))


def groups(smiles: list[str]) -> np.ndarray:
    """Count the functional groups of RDKit's catalogue of fragments."""
    from rdkit import Chem, rdBase
    from rdkit.Chem import Fragments

    counts = [getattr(Fragments, name) for name in sorted(dir(Fragments)) if name[:3] == "fr_"]
    with rdBase.BlockLogs():
        molecules = [Chem.MolFromSmiles(text) for text in smiles]
    return np.array([[count(mol) for count in counts] for mol in molecules], dtype=float)


def tables(records: dict[str, dict[str, Any]]) -> list[str]:
    """Make a table of every set and kind of split, each with its title before it."""

    def found(name: str, kind: str, method: str, key: str) -> list[float]:
        start = f"{name}, {kind}, {method}, "
        return [records[case][key] for case in sorted(records) if case.startswith(start)]

    def row(title: str, auc: list[float], precision: str, size: float, cpu: str) -> list[Any]:
        spread = f" ± {np.std(auc, ddof=1):.3f}" if len(auc) > 1 else ""
        shown = f"{np.mean(auc):.3f}{spread}"
        return [title, shown, f"{auc[0]:.3f}", precision, f"{size:.0f}", cpu, len(auc)]

    sections = []
    for name, kind in CASES:
        rows = []
        for method, title in METHODS.items():
            auc = found(name, kind, method, "auc")
            if not auc:
                continue
            precision, size, cpu = (
                float(np.mean(found(name, kind, method, key)))
                for key in ("average_precision", "size", "cpu")
            )
            rows.append(row(title, auc, f"{precision:.3f}", size, f"{cpu:.1f}"))
            if method == "graphlets":
                few = found(name, kind, method, "smaller_auc")
                kept = float(np.mean(found(name, kind, method, "smaller_size")))
                rows.append(row(f"aglets, at most {MOST} graphlets", few, "", kept, ""))
        if rows:
            head = ["method", "AUC", "first seed", "average precision", "size", "CPU s", "seeds"]
            sections += [f"{name}, {kind} split:", table(head, rows)]
    return sections


def compared(records: dict[str, dict[str, Any]]) -> list[str]:
    """Make a table of aglets next to the best other method, over the seeds that both have."""
    rows = []
    for name, kind in CASES:
        others = [
            paired
            for method in METHODS
            if method != "graphlets" and (paired := _paired(records, name, kind, method))
        ]
        if not others:
            continue
        # A method with fewer seeds may have had the easier ones.
        best = max(others, key=lambda found: (len(found["other"]), np.mean(found["other"])))
        full, few = (np.subtract(best[size], best["other"]) for size in ("defaults", "few"))
        rows.append(
            [
                f"{name}, {kind}",
                METHODS[best["method"]],
                len(best["other"]),
                f"{np.mean(best['other']):.3f}",
                *(f"{np.mean(best[size]):.3f}" for size in ("defaults", "few")),
                *map(with_error, (full, few)),
                "yes" if few.mean() >= -MARGIN else "no",
            ]
        )
    if not rows:
        return []
    head = ["set and split", "best other method", "seeds", "its AUC", "defaults"]
    head += [f"at most {MOST}", "difference", f"difference, at most {MOST}", f"within {MARGIN}"]
    title = (
        "aglets next to the best of the others that share most seeds with it; ± is the standard "
        f"error of a paired difference, and the last column is about at most {MOST} graphlets:"
    )
    return [title, table(head, rows)]


def _paired(
    records: dict[str, dict[str, Any]], name: str, kind: str, method: str
) -> dict[str, Any] | None:
    """Take the AUC of aglets and of another method for the seeds that both have."""
    pairs = [
        (own, records[f"{start}{method}, {seed}"])
        for start in [f"{name}, {kind}, "]
        for seed in range(100)
        if (own := records.get(f"{start}graphlets, {seed}"))
        and f"{start}{method}, {seed}" in records
    ]
    if not pairs:
        return None
    return {
        "method": method,
        "other": [other["auc"] for _, other in pairs],
        "defaults": [own["auc"] for own, _ in pairs],
        "few": [own["smaller_auc"] for own, _ in pairs],
    }


def paragraphs() -> list[str]:
    text, _, note = __doc__.partition("\n\nThe explainable")
    large = (
        f"Sets with more than {LARGE:,} molecules to train on: aglets with "
        f"{', '.join(f'{name}={value}' for name, value in LARGE_GRID.items())}, the forest with "
        "100 trees instead of 300, EBM with 4 bags instead of 14."
    )
    return [" ".join(text.split()), large, "The explainable " + " ".join(note.split())]


if __name__ == "__main__":
    main()
