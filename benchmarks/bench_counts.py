"""Do graphlets that count predict numbers better? FreeSolv, QM7, and the number of amides.

Each set is divided into 60 % training, 20 % validation and 20 % test graphs, five times for
FreeSolv and QM7. A path is walked per pooling; its lambda is the one with the lowest loss on the
validation graphs. The default is chosen by the column of validation errors; test errors are only
reported. The number of amides (iBenchmark) has a test file of its own.
"""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np
from _common import Records, arguments, cpu_seconds, table

from aglets import GraphSet, LagraRegressor

POOLINGS = (("best",), ("sum",), ("best", "sum"), ("best", "mean"))
#: File, column of SMILES, column of the number; and how many rows at most, drawn once.
TABLES = {
    "FreeSolv": ("FreeSolv/SAMPL.csv", "smiles", "expt", 10_000),
    "QM7": ("QM7/qm7.csv", "smiles", "u0_atom", 2_000),
}
OPTIONS: dict[str, Any] = {"rho": 0.1, "maxpat": 4, "lambda_ratio": 1e-3, "n_lambdas": 50}


def main() -> None:
    options = arguments(__doc__).parse_args()
    records = Records("counts", options)
    splits = 1 if options.quick else 5
    for name in TABLES:
        for pooling in POOLINGS:
            key = f"{name} {'+'.join(pooling)}"
            records.measure(
                key, run, name=name, pooling=pooling, splits=splits, quick=options.quick
            )
    for pooling in POOLINGS:
        key = f"amides {'+'.join(pooling)}"
        records.measure(key, run_amides, pooling=pooling, most=200 if options.quick else 3000)
    rows = [[key, *_written(record)] for key, record in records.records.items()]
    head = ["set, pooling", "validation RMSE", "test RMSE", "test R²", "graphlets", "CPU s"]
    records.write("Graphlets that count", table(head, rows))


def _written(record: dict[str, Any]) -> list[str]:
    def mean(name: str) -> str:
        values = np.array(record[name])
        error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
        return f"{values.mean():.3f} ± {error:.3f}" if len(values) > 1 else f"{values.mean():.3f}"

    graphlets = f"{np.mean(record['graphlets']):.0f}"
    return [mean("validation"), mean("test"), mean("r2"), graphlets, f"{record['cpu']:.1f}"]


def run(name: str, pooling: tuple[str, ...], splits: int, quick: bool) -> dict[str, Any]:
    """Fit the path of one pooling on every split."""
    graphs, y = _molecules(name, 200 if quick else TABLES[name][3])
    record: dict[str, Any] = {"validation": [], "test": [], "r2": [], "graphlets": []}
    start = cpu_seconds()
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(graphs))
        train, validation, test = np.split(order, [int(0.6 * len(order)), int(0.8 * len(order))])
        parts = [(graphs[rows], y[rows]) for rows in (train, validation, test)]
        _add(record, pooling, *parts)
    return record | {"cpu": cpu_seconds() - start}


def run_amides(pooling: tuple[str, ...], most: int) -> dict[str, Any]:
    """Learn the number of amides from the training file; the last fifth of it is held out."""
    record: dict[str, Any] = {"validation": [], "test": [], "r2": [], "graphlets": []}
    start = cpu_seconds()
    graphs, y = _amides("train", most)
    cut = int(0.8 * len(graphs))
    held = (graphs[cut:], y[cut:])
    _add(record, pooling, (graphs[:cut], y[:cut]), held, _amides("test", most // 2))
    return record | {"cpu": cpu_seconds() - start}


def _add(
    record: dict[str, Any], pooling: tuple[str, ...], train: Any, held: Any, test: Any
) -> None:
    """Walk a path, take its best lambda on held-out graphs, and note how good it is."""
    model = LagraRegressor(pooling=pooling, **OPTIONS)
    model.fit(*train, validation=held)
    losses = [point.validation_loss for point in model.path_]
    best = model.model_at(int(np.argmin(losses)))
    errors = [best.predict(graphs) - y for graphs, y in (held, test)]
    record["validation"].append(float(np.sqrt(np.mean(errors[0] ** 2))))
    record["test"].append(float(np.sqrt(np.mean(errors[1] ** 2))))
    record["r2"].append(float(1.0 - np.mean(errors[1] ** 2) / np.var(test[1])))
    record["graphlets"].append(len(best.graphlets))


def _molecules(name: str, most: int) -> tuple[GraphSet, np.ndarray]:
    file_name, smiles, number, _ = TABLES[name]
    with open(Path(os.environ["AGLETS_DATA"], file_name), newline="") as file:
        rows = list(csv.DictReader(file))
    if len(rows) > most:
        chosen = np.random.default_rng(0).permutation(len(rows))[:most]
        rows = [rows[i] for i in sorted(chosen.tolist())]
    graphs = GraphSet.from_smiles([row[smiles] for row in rows], errors="skip")
    kept = range(len(rows)) if graphs.rows is None else graphs.rows
    return graphs, np.array([float(rows[i][number]) for i in kept])


def _amides(part: str, most: int) -> tuple[GraphSet, np.ndarray]:
    from rdkit import Chem

    path = Path(os.environ["AGLETS_DATA"], "iBenchmark", f"amide_{part}_lbl.sdf.gz")
    molecules, y = [], []
    with gzip.open(path) as file:
        for molecule in Chem.ForwardSDMolSupplier(file):
            if molecule is not None and len(molecules) < most:
                molecules.append(molecule)
                y.append(float(molecule.GetProp("activity")))
    return GraphSet.from_rdkit(molecules), np.array(y)


if __name__ == "__main__":
    main()
