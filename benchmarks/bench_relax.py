"""Are small models shrunk too much? Coefficients solved for again with a part of the penalty.

Every set is divided into 60 % training, 20 % validation and 20 % test graphs. A path is walked; its
lambda is the one with the lowest loss on the validation graphs; where a size is given, graphlets
are then dropped until so many are left. The coefficients of these graphlets stay as they are, or
are solved for again with a part of the penalty. The part that is taken is the one with the lowest
loss on the validation graphs; tests are only reported. Losses are per graph.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from _common import Records, arguments, cpu_seconds, load, split, table
from bench_outputs import CLASSES, RHOS, TOX, divided, mean_auc

from aglets import GraphSet, LagraClassifierCV, LagraRegressorCV, datasets
from aglets.training.fitting import FitCallback, Paths, Task, TrainingSet

PARTS = (1.0, 0.3, 0.1, 0.01)
#: Sizes besides that of the path.
SIZES: dict[str, tuple[int, ...]] = {
    "ENZYMES, six classes, none": (60, 30),
    "ENZYMES, six classes, group": (60, 30),
    "BZR": (10, 5),
    "DHFR": (10, 5),
    "ENZYMES, two classes": (10, 5),
    "BBBP": (10, 5),
    "FreeSolv": (10, 5),
    "Tox21": (50,),
}
GRIDS: dict[str, dict[str, Any]] = {
    "BZR": {"maxpats": (5,), "rhos": (0.3,), "starts": 1},
    "DHFR": {"maxpats": (5,), "rhos": (0.3,), "starts": 1},
    "BBBP": {"maxpats": (5,), "rhos": (0.1,), "starts": 1},
    "FreeSolv": {"maxpats": (5,), "rhos": (0.1,), "starts": 1},
    "Tox21": {"maxpats": (TOX["maxpat"],), "rhos": RHOS, "starts": 1},
}
ENZYMES = {name + "s": (value,) for name, value in CLASSES["ENZYMES"].items() if name != "starts"}
ENZYMES["starts"] = CLASSES["ENZYMES"]["starts"]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--case", default="", help="measure the sets with this in their name")
    options = parser.parse_args()
    records = Records("relax", options)
    splits = 1 if options.quick else options.splits
    for name in SIZES:
        if options.case in name:
            given = {"name": name, "splits": 1 if name == "Tox21" else splits}
            records.measure(name, run, quick=options.quick, **given)
    records.write("Relaxed coefficients", *written(records.records))


def written(records: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Write a row per set and size: means over splits, and their standard errors."""
    yield (
        "Validation losses of coefficients as they are along the path or as compacting leaves "
        "them, and solved for again with parts of the penalty. Scores (accuracy; R² for FreeSolv, "
        "mean AUC for Tox21): as they are → with the lowest validation loss of all on each split."
    )
    parts = ["as it is", *(f"{part:g}" for part in PARTS)]
    rows = []
    for name, record in records.items():
        for size, by_part in record["sizes"].items():
            row = [name, size, f"{np.mean(by_part['as it is']['graphlets']):.0f}"]
            row += [_mean(by_part[part]["loss"]) for part in parts]
            for key in ("validation", "test"):
                both = (by_part[part][key] for part in ("as it is", "chosen"))
                row.append(" → ".join(map(_mean, both)))
            rows.append(row)
    losses = [f"loss, {part}" for part in parts]
    head = ["set", "size", "graphlets", *losses, "validation score", "test score"]
    yield table(head, rows)


def _mean(values: list[float]) -> str:
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{np.mean(values):.3f} ± {error:.3f}"


class Walked(FitCallback):
    """Keeps paths for further fits to the same graphs."""

    def __init__(self) -> None:
        self.paths: dict[Task, Paths] = {}

    def begin(self, task: Task, training_set: TrainingSet) -> Paths | None:
        return self.paths.get(task)

    def end(self, task: Task, paths: Paths) -> None:
        self.paths[task] = paths


def run(name: str, splits: int, quick: bool) -> dict[str, Any]:
    """Fit the models of one set."""
    graphs, y = read(name)
    sizes: dict[str, dict[str, Any]] = {}
    start = cpu_seconds()
    for seed in range(splits):
        train, validation, test = parts_of(name, graphs, y, seed)
        if quick:
            train = train[::5]
        walked = Walked()
        for size in (None, *SIZES[name]):
            by_part = sizes.setdefault("path's" if size is None else str(size), {})
            fits = {}
            for relax in (False, *PARTS):
                model = estimator(name, relax, size, quick)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    held_out = (graphs[validation], y[validation])
                    model.fit(graphs[train], y[train], validation=held_out, callback=walked)
                fits["as it is" if relax is False else f"{relax:g}"] = {
                    "graphlets": len(model.graphlets_),
                    "loss": _loss(model.model_, graphs[validation], y[validation]),
                    "validation": _score(name, model, graphs[validation], y[validation]),
                    "test": _score(name, model, graphs[test], y[test]),
                }
            fits["chosen"] = min(fits.values(), key=lambda fit: fit["loss"])
            for part, fit in fits.items():
                found = by_part.setdefault(part, {key: [] for key in fit})
                for key, value in fit.items():
                    found[key].append(value)
    return {"sizes": sizes, "cpu": cpu_seconds() - start}


def estimator(name: str, relax: Any, size: int | None, quick: bool) -> Any:
    """Choose lambda on a path; the grid has no other dimension."""
    options: dict[str, Any] = {"n_lambdas": 4 if quick else 30, "random_state": 0}
    options |= {"relax": relax, "max_graphlets": size, "max_work": None}
    options |= GRIDS.get(name, ENZYMES)
    if name == "FreeSolv":
        return LagraRegressorCV(pooling=["best"], **options)
    options |= {"sharing": name.rsplit(", ", 1)[1]} if "six" in name else {}
    options |= {"class_weight": "balanced"} if name == "Tox21" else {}
    return LagraClassifierCV(pooling=["best"], **options)


def read(name: str) -> tuple[GraphSet, np.ndarray]:
    if "six" in name:
        return datasets.load_tu("ENZYMES")
    if name not in ("BBBP", "FreeSolv", "Tox21"):
        return load(name.split(",")[0])
    import pandas as pd
    from rdkit import Chem, RDLogger

    RDLogger.DisableLog("rdApp.*")
    file = {"BBBP": "BBBP.csv", "FreeSolv": "SAMPL.csv", "Tox21": "tox21.csv"}[name]
    frame = pd.read_csv(Path(os.environ["AGLETS_DATA"], name, file))
    molecules = frame["smiles"].map(Chem.MolFromSmiles)
    frame = frame[[m is not None and m.GetNumAtoms() > 0 for m in molecules]]
    graphs = GraphSet.from_smiles(frame["smiles"].tolist())
    if name == "Tox21":
        assays = [column for column in frame if column.startswith(("NR-", "SR-"))]
        return graphs, frame[assays].to_numpy(dtype=float)
    return graphs, frame[{"BBBP": "BBBP", "FreeSolv": "expt"}[name]].to_numpy()


def parts_of(
    name: str, graphs: GraphSet, y: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Training, validation and test rows."""
    if name == "Tox21":
        assert graphs.smiles is not None
        return divided(list(graphs.smiles), "random", seed)
    return split(np.zeros(len(y)) if name == "FreeSolv" else y, seed)


def _loss(model: Any, graphs: GraphSet, y: np.ndarray) -> float:
    f = model.outputs.as_table(model.decision_function(graphs))
    value: float = model.outputs.loss_value(model.outputs.encode(y), f, np.ones(len(f)))
    return value / len(f)


def _score(name: str, model: Any, graphs: GraphSet, y: np.ndarray) -> float:
    if name == "Tox21":
        return mean_auc(y, model.decision_function(graphs))
    return float(model.score(graphs, y))


if __name__ == "__main__":
    main()
