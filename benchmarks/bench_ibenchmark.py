"""Do explanations mark the atoms that are the reason? iBenchmark: molecules with amides.

In `amide_class` a molecule is active if it has an amide, and the file says which atoms are those of
amides (the carbonyl carbon, its oxygen, the nitrogen). A model is fitted on the training file,
which does not say so to it, and the importances of the atoms of every active test molecule are
compared with the truth: the chance that an atom of an amide matters more than another atom
(ROC AUC), averaged over molecules and over all atoms at once.
"""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np
from _common import Records, arguments, cpu_seconds, table
from sklearn.metrics import roc_auc_score

from aglets import GraphSet, LagraClassifier

FEATURES: dict[str, Any] = {
    "defaults": {},
    "elements and bonds alone": {"label_with": (), "attributes": ()},
}
#: Large enough a lambda that one graphlet is left.
LAMBDA_RATIO = 0.5


def main() -> None:
    options = arguments(__doc__).parse_args()
    records = Records("ibenchmark", options)
    most = 300 if options.quick else 10_000
    for name in FEATURES:
        records.measure(name, run, name=name, most=most)
    rows = [
        [
            name,
            record["graphlets"],
            record["name"],
            f"{record['accuracy']:.3f}",
            f"{record['one']:.3f} ({record['n_one']})",
            f"{record['all']:.3f} ({record['n_all']})",
            f"{record['pooled']:.3f}",
            f"{record['best_only']:.3f}",
            f"{record['cpu']:.1f}",
        ]
        for name, record in records.records.items()
    ]
    head = [
        "features",
        "graphlets",
        "the first",
        "accuracy",
        "atom AUC, one amide",
        "atom AUC, all",
    ]
    head += ["all atoms at once", "atom AUC, best match only", "CPU s"]
    records.write("Atoms that are the reason: iBenchmark, amide_class", table(head, rows))


def run(name: str, most: int) -> dict[str, Any]:
    train, y, _ = read("amide_class_train_lbl.sdf.gz", most, FEATURES[name])
    test, truth, atoms = read("amide_class_test_lbl.sdf.gz", most, FEATURES[name])
    start = cpu_seconds()
    clf = LagraClassifier(maxpat=3, lambda_ratio=LAMBDA_RATIO, n_lambdas=10).fit(train, y)
    seconds = cpu_seconds() - start
    active = [i for i in range(len(test)) if atoms[i].any() and not atoms[i].all()]
    spread, best = [], []
    for why in clf.explain(test[active]):
        sign = 1.0 if clf.classes_[1] == 1 else -1.0
        spread.append(sign * why.node_importance)
        only = np.zeros(why.graph.n_nodes)
        for entry in why.contributions:
            only[list(entry.embedding or ())] += sign * entry.contribution
        best.append(only)
    marks = [atoms[i] for i in active]
    each = np.array([roc_auc_score(m, s) for m, s in zip(marks, spread, strict=True)])
    one = np.array([m.sum() == 3 for m in marks])
    return {
        "graphlets": len(clf.graphlets_),
        "name": clf.graphlets_[0].name,
        "accuracy": float(clf.score(test, truth)),
        "one": float(each[one].mean()),
        "n_one": int(one.sum()),
        "all": float(each.mean()),
        "n_all": len(each),
        "pooled": float(roc_auc_score(np.concatenate(marks), np.concatenate(spread))),
        "best_only": float(
            np.mean([roc_auc_score(m, s) for m, s in zip(marks, best, strict=True)])
        ),
        "cpu": seconds,
    }


def read(
    file: str, most: int, features: dict[str, Any]
) -> tuple[GraphSet, np.ndarray, list[np.ndarray]]:
    """Read molecules, their classes, and which of their atoms are the reason."""
    from rdkit import Chem

    path = Path(os.environ["AGLETS_DATA"], "iBenchmark", file)
    with gzip.open(path) as lines:
        mols = [mol for mol in Chem.ForwardSDMolSupplier(lines) if mol is not None][:most]
    atoms = []
    for mol in mols:
        ids = mol.GetProp("ids")
        marked = np.zeros(mol.GetNumAtoms(), dtype=bool)
        if ids != "NA":
            marked[[int(i) - 1 for i in ids.replace(",", " ").split()]] = True
        atoms.append(marked)
    y = np.array([int(float(mol.GetProp("activity"))) for mol in mols])
    return GraphSet.from_rdkit(mols, **features), y, atoms


if __name__ == "__main__":
    main()
