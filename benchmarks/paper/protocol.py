"""What all methods share: data sets, splits, and one record per (method, set, seed).

A method is a function that looks at a whole data set once (without its test classes: features,
kernel matrices) and returns `Ready`: how to fit on a split. Everything is chosen on the validation
part, the model is trained on the training part alone (the row of LAGRA that averages over folds
makes them of both), and the test part is predicted once.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from _common import cpu_seconds, environment, split

from aglets import GraphSet

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"

#: The seven data sets of the paper, in its order.
SETS = ("AIDS", "BZR", "COX2", "DHFR", "ENZYMES", "PROTEINS", "SYNTHETIC")


@dataclass(frozen=True)
class Split:
    """Positions of the graphs to train on, to choose on, and to test on."""

    seed: int
    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray

    @staticmethod
    def of(y: np.ndarray, seed: int) -> Split:
        """Split as the paper very likely did: by class, 60 : 20 : 20."""
        return Split(seed, *split(y, seed))


@dataclass(frozen=True)
class Fitted:
    """A chosen model: how to predict graphs by position, and what else the record should say.

    ``along`` says how other models on the way to it do on given graphs; its time is not counted.
    """

    predict: Callable[[np.ndarray], np.ndarray]
    validation_accuracy: float | None
    chosen: dict[str, Any] = field(default_factory=dict)
    along: Callable[[np.ndarray], list[dict[str, float]]] | None = None


@dataclass(frozen=True)
class Ready:
    """A method that has seen a data set: how to fit a split.

    ``cpu_shared`` is what all splits share in CPU seconds, if it is not what making this took (a
    matrix from disk). ``extrapolated`` says that it was not measured in full.
    """

    fit: Callable[[Split], Fitted]
    cpu_shared: float | None = None
    extrapolated: bool = False


Method = Callable[[GraphSet, np.ndarray], Ready]


def outcome(ready: Ready, y: np.ndarray, parts: Split) -> dict[str, Any]:
    """Fit and test one split; CPU seconds of choosing and fitting, and of predicting one graph."""
    start = cpu_seconds()
    fitted = ready.fit(parts)
    middle = cpu_seconds()
    predicted = fitted.predict(parts.test)
    end = cpu_seconds()
    record = {
        "accuracy": float(np.mean(predicted == y[parts.test])),
        "validation_accuracy": fitted.validation_accuracy,
        "cpu_fit": round(middle - start, 4),
        "cpu_predict": round((end - middle) / len(parts.test), 7),
        "n_test": len(parts.test),
        "chosen": fitted.chosen,
    }
    if fitted.along is not None:
        record["along"] = fitted.along(parts.test)
    return record


def write_splits(folder: Path, name: str, y: np.ndarray, seeds: Iterable[int]) -> None:
    """Write one line per seed: 0 train, 1 validation, 2 test, one digit a graph in file order."""
    lines = []
    for seed in seeds:
        parts = Split.of(y, seed)
        digits = np.full(len(y), "0")
        digits[parts.validation], digits[parts.test] = "1", "2"
        lines.append("".join(digits) + "\n")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.txt").write_text("".join(lines))


class Records:
    """Records on disk: a line of JSON each, in a file per method; what is written stays written.

    A later line for the same (method, set, seed) replaces an earlier one. A line that was cut off
    when its process was ended is passed over.

    Parameters
    ----------
    folder : Path
        Holds ``records/<method>.jsonl`` and ``runs.jsonl``: the command, commit, machine and
        software of each run that a record names.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "records").mkdir(parents=True, exist_ok=True)

    def add(self, record: dict[str, Any]) -> None:
        """Append a record; safe with several processes at work."""
        _append(self.folder / "records" / f"{record['method']}.jsonl", record)

    def begin_run(self, command: str) -> str:
        """Write down where and how this run is made, and return the name of that entry."""
        here = {**environment(), "command": command}
        name = hashlib.sha256(json.dumps(here, sort_keys=True).encode()).hexdigest()[:8]
        if name not in self.runs():
            _append(self.folder / "runs.jsonl", {"run": name, **here})
        return name

    def runs(self) -> dict[str, dict[str, Any]]:
        """All runs by name."""
        return {line["run"]: line for line in _lines(self.folder / "runs.jsonl")}

    def of(self, method: str) -> dict[tuple[str, int], dict[str, Any]]:
        """Read the records of a method by (set, seed)."""
        path = self.folder / "records" / f"{method}.jsonl"
        return {(line["set"], line["seed"]): line for line in _lines(path)}

    def methods(self) -> list[str]:
        """All methods that have records."""
        return sorted(path.stem for path in (self.folder / "records").glob("*.jsonl"))


def _append(path: Path, entry: dict[str, Any]) -> None:
    """Append a line in one write, on a line of its own even after one that was cut off."""
    cut = path.exists() and path.stat().st_size and not path.read_bytes().endswith(b"\n")
    line = ("\n" if cut else "") + json.dumps(entry, default=_plain) + "\n"
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        for line in path.read_text().splitlines():
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                continue


def _plain(value: Any) -> Any:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(type(value))
