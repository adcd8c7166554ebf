"""The rows of the table, and how those that need the same paths share them.

A row is a set of parameters of `LagraClassifierCV`. Walking the paths is nearly all of the cost,
and rows of one *walk* differ only in which paths they may use, or in how points are chosen and
averaged. So every path is walked once per (set, seed) and kept in a `Memory`, a watch that hands it
to the next fit that asks for it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from _common import cpu_seconds
from paper.protocol import Split

from aglets import GraphSet, LagraClassifierCV, LagraModel
from aglets.compacting import size_curve
from aglets.fitting import Paths, Prepared, Task, Watch

#: Sizes to which averages are compacted for the curve of accuracy against graphlets.
SIZES = (240, 120, 90, 60, 40, 30, 20, 15, 10, 5)

#: Folds are those of `LagraClassifierCV`, which needs a seed for them.
FOLDS = {"cv": 5, "random_state": 0}

#: The paper's maxpat 10 takes hours where graphs are dense, and is no better than 5 elsewhere.
PAPER = {"scale": "none", "starts": 1, "rhos": (1.0, 0.5, 0.1, 0.05, 0.01), "maxpats": (5,)}


@dataclass(frozen=True)
class Row:
    """Parameters, and with which other rows they share paths.

    With folds, all that is not test is given to `fit`; else its training part, with the validation
    part to choose on.
    """

    walk: str
    parameters: dict[str, Any] = field(default_factory=dict)
    curve: bool = False

    @property
    def folded(self) -> bool:
        return "cv" in self.parameters


ROWS: dict[str, Row] = {
    "paper-grid": Row("paper", PAPER),
    "default": Row("default"),
    "one-start": Row("default", {"starts": 1}),
    "maxpat-5": Row("default", {"maxpats": (5,)}),
    "greedy": Row("default", {"average": "greedy"}, curve=True),
    "greedy-one-start": Row("default", {"average": "greedy", "starts": 1}),
    "greedy-maxpat-5": Row("default", {"average": "greedy", "maxpats": (5,)}),
    "size": Row("size", {"covariates": "size"}),
    "size-greedy": Row("size", {"covariates": "size", "average": "greedy"}),
    "folds": Row("folds", {**FOLDS, "average": "folds"}, curve=True),
    "folds-one-start": Row("folds", {**FOLDS, "average": "folds", "starts": 1}),
    "cv-refit": Row("folds", FOLDS),
    "cv-greedy-refit": Row("folds", {**FOLDS, "average": "greedy"}),
}

#: Which row shows what a lever brings, and against which.
LEVERS: dict[str, tuple[str, str]] = {
    "default grid against the paper's": ("default", "paper-grid"),
    "starts, single": ("default", "one-start"),
    "starts, greedy": ("greedy", "greedy-one-start"),
    "starts, folds": ("folds", "folds-one-start"),
    "maxpat 8, single": ("default", "maxpat-5"),
    "maxpat 8, greedy": ("greedy", "greedy-maxpat-5"),
    "greedy against single": ("greedy", "default"),
    "folds against single": ("folds", "default"),
    "folds against greedy": ("folds", "greedy"),
    "five folds and refit against hold-out": ("cv-refit", "default"),
    "size covariates, single": ("size", "default"),
    "size covariates, greedy": ("size-greedy", "greedy"),
}


class Memory(Watch):
    """Keeps walked paths, and what they cost.

    Paths of the last fit on all graphs are not kept: how far they go depends on the row.
    """

    def __init__(self) -> None:
        self.paths: dict[Task, Paths] = {}
        self.cpu: dict[Task, float] = {}
        self.asked: list[Task] = []
        self._start = 0.0

    def begin(self, task: Task, prepared: Prepared) -> Paths | None:
        self.asked.append(task)
        self._start = cpu_seconds()
        return self.paths.get(task)

    def end(self, task: Task, paths: Sequence[list[Any]]) -> None:
        if task.stage != "refit":
            self.paths[task] = list(paths)
            self.cpu[task] = cpu_seconds() - self._start


def outcome(
    row: Row, memory: Memory, graphs: GraphSet, y: np.ndarray, parts: Split
) -> dict[str, Any]:
    """Choose, fit and test one row; CPU seconds count what its paths took when they were walked."""
    given = np.sort(np.concatenate([parts.train, parts.validation]))
    known = set(memory.paths)
    memory.asked.clear()
    start = cpu_seconds()
    model = LagraClassifierCV(**row.parameters, n_jobs=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if row.folded:
            model.fit(graphs[given], y[given], watch=memory)
        else:
            held_out = (graphs[parts.validation], y[parts.validation])
            model.fit(graphs[parts.train], y[parts.train], validation=held_out, watch=memory)
    cpu = cpu_seconds() - start + sum(memory.cpu[task] for task in memory.asked if task in known)
    losses = model.cv_results_["mean_validation_loss"]
    n_held_out = len(given) / row.parameters["cv"] if row.folded else len(parts.validation)
    record = {
        "accuracy": accuracy(model.model_, graphs, y, parts.test),
        "n_test": len(parts.test),
        "graphlets": len(model.graphlets_),
        "cpu": round(cpu, 3),
        "validation_loss": float(losses[model.best_index_]) / n_held_out,
        "chosen": {
            "starts": model.starts_,
            "rho": model.rho_,
            "maxpat": model.maxpat_,
            "lambda_ratio": model.lambda_ratio_,
            "members": len(getattr(model, "members_", [None])),
        },
        "cut": sum(issubclass(warning.category, RuntimeWarning) for warning in caught),
    }
    if row.curve:
        start = cpu_seconds()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # some labels are rare
            curve = size_curve(model.model_, graphs[given], y[given], SIZES)
        record["cpu_compact"] = round(cpu_seconds() - start, 3)
        record["curve"] = [
            [point.n_graphlets, accuracy(point.model, graphs, y, parts.test)] for point in curve
        ]
    return record


def accuracy(model: LagraModel, graphs: GraphSet, y: np.ndarray, rows: np.ndarray) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some labels are rare
        return float(np.mean(model.predict(graphs[rows]) == y[rows]))
