"""Which poolings, loss, weights and rule of choice a fit of molecules should have by default.

Nothing here sees the molecules that `bench_molecules.py` tests on with the same seed: its training
part (80 %) is parted again in the same way, at random or by scaffold, a fit on 80 % of that is
scored on the rest. Scores are ROC AUC. A candidate is a way to walk the grid; a fit on it ends at
the best point by the loss, by AUC, or by the log loss of calibrated probabilities on the part that
it holds out itself, as it is or with 60 graphlets left. The grid is walked once for all of these.
It is shorter than the default one: 50 lambdas, rho d of 1 and 0.3. Of Tox21, 2,500 molecules are
taken, of HIV 3,000, one in ten of them active. "default" walks the grid with best matches, and then
tries counts with the best cells; "best" does not; "averaged" is the mean of up to ten points
(``average="greedy"``), which are chosen by the loss. What others do on the same parts stands in the
first column.
"""

from __future__ import annotations

import csv
import os
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from _common import Records, arguments, cpu_seconds, table
from bench_molecules import MOST, forest, lasso, load, parts

from aglets import GraphSet, LagraClassifierCV, LagraRegressorCV, compact
from aglets.model.calibration import fit_sigmoid
from aglets.model.metrics import Answers, Metric
from aglets.training.grid_walks import _quoted as quoted

#: Name -> data set, kind of split, most molecules.
SETS = {
    "BBBP": ("BBBP", "random", 2050),
    "BBBP scaffold": ("BBBP", "scaffold", 2050),
    "Tox21 SR-MMP": ("Tox21 SR-MMP", "random", 2500),
    "HIV": ("HIV", "random", 3000),
    "FreeSolv": ("FreeSolv", "random", 642),  # small enough for --quick
}
ACTIVE_SHARE = 10
#: Ways to walk the grid: options of the estimator.
CANDIDATES: dict[str, dict[str, Any]] = {
    "default": {},
    "best": {"pooling": ("best",)},
    "square roots": {"pooling": ("best", "sum"), "count_scale": "sqrt"},
    "logistic": {"pooling": ("best",), "loss": "logistic"},
    "balanced": {"pooling": ("best",), "class_weight": "balanced"},
    # Means of up to ten points of the same grids.
    "default, averaged": {"average": "greedy"},
    "square roots, averaged": {
        "pooling": ("best", "sum"),
        "count_scale": "sqrt",
        "average": "greedy",
    },
}
#: What others do on the same parts.
OTHERS = {"L1 logistic, Morgan counts": lasso, "random forest, Morgan counts": forest}
#: The grid, shortened to save time; rho in units of the number of attributes.
SHORT: dict[str, Any] = {"n_lambdas": 50}
SHORT_RHOS = (1.0, 0.3)
ENDS: dict[str, dict[str, Any]] = {
    "loss": {},
    "AUC": {"scoring": "roc_auc"},
    # Any name: `once` puts another metric in its place.
    "log loss": {"scoring": "accuracy"},
}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--sets", nargs="+", default=list(SETS)[:-1], choices=SETS)
    known = [*CANDIDATES, *OTHERS]
    parser.add_argument("--candidates", nargs="+", default=known, choices=known)
    options = parser.parse_args()
    records = Records("molecule_choices", options)
    names = ["FreeSolv"] if options.quick else options.sets
    candidates = ["best"] if options.quick else options.candidates
    for seed in options.seeds[:1] if options.quick else options.seeds:
        for name in names:
            for candidate in candidates:
                case = f"{name}, {candidate}, {seed}"
                records.measure(case, run, name=name, candidate=candidate, seed=seed)
    write(records)


def run(name: str, candidate: str, seed: int) -> dict[str, Any]:
    smiles, y = training_part(name, seed)
    train, judged = divided(smiles, y, SETS[name][1], seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # charges that are not defined, rare labels
        if candidate in OTHERS:
            return {"n": len(train), **others(OTHERS[candidate], smiles, y, train, judged, seed)}
        graphs = GraphSet.from_smiles(smiles)
        rhos = [unit / graphs.n_attributes for unit in SHORT_RHOS]
        options = {**SHORT, "rhos": rhos, **CANDIDATES[candidate]}
        return {"n": len(train), **ended(graphs, y, train, judged, seed, options)}


def others(
    fit: Any, smiles: list[str], y: np.ndarray, train: np.ndarray, judged: np.ndarray, seed: int
) -> dict[str, Any]:
    from sklearn.metrics import roc_auc_score

    start = cpu_seconds()
    parts = ([smiles[i] for i in rows] for rows in (train, judged))
    f, size = fit(next(parts), y[train].astype(int), next(parts), seed)
    end = {"score": float(roc_auc_score(y[judged], f)), "graphlets": size}
    return {"ends": {"loss": end}, "cpu": cpu_seconds() - start, "chosen": ""}


def ended(
    graphs: GraphSet,
    y: np.ndarray,
    train: np.ndarray,
    judged: np.ndarray,
    seed: int,
    options: dict[str, Any],
) -> dict[str, Any]:
    from sklearn.metrics import r2_score, roc_auc_score

    numbers = len(np.unique(y)) > 2
    estimator = once(LagraRegressorCV if numbers else LagraClassifierCV)
    ends: dict[str, Any] = {}
    chosen, walked = "", 0.0
    kept: list[Any] = []
    for end, further in ENDS.items():
        if end != "loss" and (numbers or "average" in options):
            continue
        start = cpu_seconds()
        model = estimator(random_state=seed, n_jobs=1, **options, **further)
        model.kept = kept
        model.fit(graphs[train], y[train])
        if end == "loss" and "average" not in options:
            cell = (model.starts_, round(model.rho_, 4), model.maxpat_, "+".join(model.pooling_))
            chosen = f"{cell} {model.count_scale_} {model.lambda_ratio_:.4f}"
        walked = walked or model.walked
        for name, most in ((end, None), (f"{end}, {MOST}", MOST)):
            few = model.model_
            if most is not None and len(few.graphlets) > most:
                few = compact(few, graphs[train], most)
            f = few.decision_function(graphs[judged])
            score = r2_score(y[judged], f) if numbers else roc_auc_score(y[judged], f)
            spent = cpu_seconds() - start - model.walked
            ends[name] = {"score": float(score), "graphlets": len(few.graphlets), "cpu": spent}
    return {"ends": ends, "cpu": walked, "chosen": chosen}


def once(base: type) -> Any:
    """Return an estimator that takes over the paths of another one of the same data."""

    class Once(base):  # type: ignore[misc]
        kept: list[Any]
        walked = 0.0

        def _judge(self, task: Any, folds: Any, callback: Any) -> Any:
            if not self.kept:
                start = cpu_seconds()
                scoring, self.scoring = self.scoring, None
                average, self.average = self.average, "greedy"  # keeps f of held-out graphs
                self.kept.append(super()._judge(task, folds, callback))
                self.scoring, self.average = scoring, average
                self.walked = cpu_seconds() - start
            found = self.kept[0]
            if self.scoring is None:
                return found
            metric = CALIBRATED if self.scoring == "accuracy" else self._metric()
            return replace(found, results=[scored(found, metric, self.outputs_)])

    return Once


def calibrated_log_loss(answers: Answers) -> float:
    """Log loss of the probabilities that a sigmoid of f gives: the unit of f does not matter."""
    positive, weight = answers.truth == 1, np.ones(len(answers.truth))
    rest, p = fit_sigmoid(answers.decision, positive, weight)(answers.decision)
    return -float(np.mean(np.log(np.where(positive, p, rest))))


CALIBRATED = Metric("log_loss", "log loss", True, calibrated_log_loss, less_is_better=True)


def scored(judged: Any, metric: Any, outputs: Any) -> Any:
    """Score all points by a metric."""
    [result], [held_out] = judged.results, judged.held_out
    score = np.full(result.loss.shape, -np.inf)
    for row, paths in enumerate(result.paths):
        for k, points in enumerate(zip(*paths, strict=True)):
            score[row, k] = quoted(metric, points, outputs, held_out)
    return replace(result, score=score)


def training_part(name: str, seed: int) -> tuple[list[str], np.ndarray]:
    """Return what `bench_molecules.py` trains on, or a part of it; FreeSolv as parted here."""
    data, kind, most = SETS[name]
    smiles, y = numbers() if name == "FreeSolv" else load(data)
    rows, _ = divided(smiles, y, kind, seed)
    if len(rows) > most:
        rows = np.random.default_rng(seed).permutation(rows)
        if data == "HIV":
            active = rows[y[rows] == 1][: most // ACTIVE_SHARE]
            rows = np.concatenate([active, rows[y[rows] == 0][: most - len(active)]])
        rows = np.sort(rows[:most])
    return [smiles[i] for i in rows], y[rows]


def divided(
    smiles: list[str], y: np.ndarray, kind: str, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Part molecules as `bench_molecules.py` does; numbers have no classes to keep."""
    few = len(np.unique(y)) == 2
    return parts(smiles, y if few else np.zeros(len(y), int), kind, seed)


def numbers() -> tuple[list[str], np.ndarray]:
    with Path(os.environ["AGLETS_DATA"], "FreeSolv/SAMPL.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    return [row["smiles"] for row in rows], np.array([float(row["expt"]) for row in rows])


def write(records: Records) -> None:
    rows = []
    for case, record in records.records.items():
        ends = record["ends"]
        shown = [
            f"{ends[end]['score']:.3f} ({ends[end]['graphlets']})" if end in ends else ""
            for each in ENDS
            for end in (each, f"{each}, {MOST}")
        ]
        rows.append([case, *shown, f"{record['cpu']:.0f}"])
    head = ["set, candidate, seed"]
    head += [title for end in ENDS for title in (f"by {end}", f"by {end}, {MOST} left")]
    records.write(
        "Choices for molecules, on validation molecules",
        " ".join(__doc__.split()),
        "Score (graphlets), and CPU seconds of walking the grid:",
        table([*head, "CPU s"], rows),
    )


if __name__ == "__main__":
    main()
