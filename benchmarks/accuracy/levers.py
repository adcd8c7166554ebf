"""The rows of the table, and how those that need the same paths share them.

A row is a set of parameters of `LagraClassifierCV`. Walking the paths is nearly all of the cost,
and rows of one *walk* differ only in which paths they may use, or in how points are chosen and
averaged. So every path is walked once per (set, seed) and kept in a `Memory`, a callback that gives
it to the next fit that asks for it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from _common import cpu_seconds
from paper.lagra import PAPER_5, choice, curve, cut
from paper.protocol import Split

from aglets import GraphSet, LagraClassifierCV
from aglets.training.fitting import FitCallback, Paths, Task, TrainingSet

#: Folds are those of `LagraClassifierCV`, which needs a seed for them.
FOLDS = {"cv": 5, "random_state": 0}


@dataclass(frozen=True)
class Row:
    """Parameters, and with which other rows they share paths.

    With folds, all that is not test is given to `fit`; else its training part, with the validation
    part to choose on. With ``refitted``, the chosen point is then fitted to both, as
    `LagraClassifierCV` does by default. With ``sized``, sizes of the whole graphs are
    covariates: the paper reads AIDS as the first part of each molecule, and the size of a part
    says less.
    """

    walk: str
    parameters: dict[str, Any] = field(default_factory=dict)
    sized: bool = False
    refitted: bool = False

    @property
    def folded(self) -> bool:
        return "cv" in self.parameters

    @property
    def sees_both(self) -> bool:
        """Whether the model is trained on the validation part, too."""
        return self.folded or self.refitted


ROWS: dict[str, Row] = {
    "paper-grid": Row("paper", PAPER_5),
    "default": Row("default"),
    "one-start": Row("default", {"starts": 1}),
    "maxpat-5": Row("default", {"maxpats": (5,)}),
    "greedy": Row("default", {"average": "greedy"}),
    "greedy-one-start": Row("default", {"average": "greedy", "starts": 1}),
    "greedy-maxpat-5": Row("default", {"average": "greedy", "maxpats": (5,)}),
    "refit": Row("refit", refitted=True),
    "size": Row("size", sized=True),
    "size-greedy": Row("size", {"average": "greedy"}, sized=True),
    "folds": Row("folds", {**FOLDS, "average": "folds"}),
    "folds-one-start": Row("folds", {**FOLDS, "average": "folds", "starts": 1}),
    "cv-refit": Row("folds", FOLDS),
}

#: Rows of averages, whose accuracy against the number of graphlets is drawn.
AVERAGES = ("greedy", "folds")

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
    "refit on both parts": ("refit", "default"),
    "size covariates, single": ("size", "default"),
    "size covariates, greedy": ("size-greedy", "greedy"),
}


class Memory(FitCallback):
    """Keeps walked paths, and what they cost.

    Paths of the last fit on all graphs are not kept: how far they go depends on the row.
    """

    keeps_paths = True

    def __init__(self) -> None:
        self.paths: dict[Task, Paths] = {}
        self.cpu: dict[Task, float] = {}
        self.asked: list[Task] = []
        self._start = 0.0

    def begin(self, task: Task, training_set: TrainingSet) -> Paths | None:
        self.asked.append(task)
        self._start = cpu_seconds()
        return self.paths.get(task)

    def end(self, task: Task, paths: Sequence[list[Any]]) -> None:
        if task.stage != "refit":
            self.paths[task] = list(paths)
            self.cpu[task] = cpu_seconds() - self._start


@dataclass(frozen=True)
class Data:
    """A data set: graphs, classes, and the sizes of the whole graphs, a row each."""

    graphs: GraphSet
    y: np.ndarray
    sizes: np.ndarray


def outcome(
    row: Row, memory: Memory, data: Data, parts: Split
) -> tuple[dict[str, Any], LagraClassifierCV]:
    """Choose, fit and test one row; CPU seconds count what its paths took when they were walked."""
    known = set(memory.paths)
    memory.asked.clear()
    start = cpu_seconds()
    model = LagraClassifierCV(**row.parameters, n_jobs=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if row.sees_both:
            given = np.sort(np.concatenate([parts.train, parts.validation]))
            if row.refitted:
                one = [np.searchsorted(given, part) for part in (parts.train, parts.validation)]
                model.set_params(cv=[tuple(one)])
            model.fit(data.graphs[given], data.y[given], callback=memory)
        else:
            held_out = (data.graphs[parts.validation], data.y[parts.validation])
            own = {}
            if row.sized:
                held_out = (*held_out, None, data.sizes[parts.validation])
                own = {"covariates": data.sizes[parts.train]}
            model.fit(
                data.graphs[parts.train],
                data.y[parts.train],
                validation=held_out,
                callback=memory,
                **own,
            )
    cpu = cpu_seconds() - start + sum(memory.cpu[task] for task in memory.asked if task in known)
    predicted, cpu_predict = predictions(model, row, data, parts.test)
    known_y, _ = predictions(model, row, data, parts.validation)
    hit = float(np.mean(known_y == data.y[parts.validation]))
    record: dict[str, Any] = {
        "accuracy": float(np.mean(predicted == data.y[parts.test])),
        "validation_accuracy": None if row.sees_both else hit,
        "cpu_fit": round(cpu, 3),
        "cpu_predict": round(cpu_predict / len(parts.test), 7),
        "cpu_shared": 0.0,
        "n_test": len(parts.test),
        "chosen": {
            **choice(model),
            "members": len(getattr(model, "members_", [None])),
            "cut": cut(caught),
        },
    }
    if not row.sized and not row.sees_both and hasattr(model, "path_"):
        record["along"] = curve(model, data.graphs[parts.test], data.y[parts.test])
    return record, model


def predictions(
    model: LagraClassifierCV, row: Row, data: Data, rows: np.ndarray
) -> tuple[np.ndarray, float]:
    """Predict graphs, and return how many CPU seconds that took."""
    own = {"covariates": data.sizes[rows]} if row.sized else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some labels are rare
        start = cpu_seconds()
        predicted = model.predict(data.graphs[rows], **own)
        return predicted, cpu_seconds() - start
