"""What a model knows of its errors and its training graphs, as columns of a file, and back.

Curves of a calibration lie behind each other: ``model.json`` has kind and number of graphs of each,
``calibration_offsets`` says which rows of ``calibration_points`` are whose. A sigmoid has one row
(slope, offset), an isotonic curve a row (f, p) per point. Likewise the scores of held-out graphs:
``conformal_offsets`` cuts ``conformal_scores``, whose rows are (score, weight). Of the training
graphs ``model.json`` has number, base rates, ids, names and SMILES, and ``record_...`` the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aglets.graphs.arrays import Floats
from aglets.model._graphlet_columns import Arrays, checked_array, checked_offsets, offsets
from aglets.model.calibration import Calibration, Curve, Isotonic, Sigmoid
from aglets.model.conformal import Conformal, HeldOutScores
from aglets.model.neighbours import Neighbours, Texts
from aglets.model.outputs import Outputs
from aglets.model.training_record import TrainingRecord

if TYPE_CHECKING:
    from aglets.model.model import LagraModel

__all__ = ["TRUST_COLUMNS", "read_calibration", "read_conformal", "read_record", "trust_columns"]

TRUST_COLUMNS = (
    *("calibration_offsets", "calibration_points"),
    *("conformal_offsets", "conformal_scores"),
    *("record_surroundings", "record_rows", "record_psi", "record_n_nodes"),
    "record_targets",
)


def trust_columns(model: LagraModel) -> tuple[dict[str, Any], Arrays]:
    """Write all as entries of the document and as arrays; nothing for what there is not."""
    calibration, conformal = model.calibration, model.conformal
    document: dict[str, Any] = {}
    arrays: Arrays = {}
    if calibration is not None:
        document["calibration"] = [_curve_document(curve) for curve in calibration.curves]
        points = [_points(curve) for curve in calibration.curves]
        arrays["calibration_offsets"] = offsets([len(rows) for rows in points])
        arrays["calibration_points"] = _stacked(points)
    if conformal is not None:
        each = [scores for target in conformal.targets for scores in target]
        arrays["conformal_offsets"] = offsets([len(one.scores) for one in each])
        arrays["conformal_scores"] = _stacked(
            [np.column_stack([one.scores, one.weights]) for one in each]
        )
    if model.record is not None:
        document["record"], columns = _record_columns(model.record)
        arrays |= columns
    return document, arrays


def _record_columns(record: TrainingRecord) -> tuple[dict[str, Any], Arrays]:
    document: dict[str, Any] = {
        "n_graphs": record.n_graphs,
        "base_rates": [rates.tolist() for rates in record.base_rates],
    }
    arrays: Arrays = {}
    if record.surroundings is not None:
        arrays["record_surroundings"] = record.surroundings
    if (kept := record.neighbours) is not None:
        for name in ("ids", "names", "smiles"):
            texts = getattr(kept, name)
            document[name] = None if texts is None else list(texts)
        arrays |= {
            "record_rows": kept.rows,
            "record_psi": kept.steps,
            "record_n_nodes": kept.n_nodes,
            "record_targets": kept.targets,
        }
    return document, arrays


def read_calibration(
    document: dict[str, Any], arrays: Arrays, outputs: Outputs
) -> Calibration | None:
    """Read the curves; a ValueError says in half a sentence what is wrong."""
    if document.get("calibration") is None:
        return None
    entries = document["calibration"]
    if not isinstance(entries, list) or len(entries) != outputs.n_outputs:
        raise ValueError(f"'calibration' in model.json should be {outputs.n_outputs} entries")
    ends = checked_offsets(arrays, "calibration_offsets", len(entries))
    points = checked_array(arrays, "calibration_points", "f", (int(ends[-1]), 2))
    rows = np.split(points, ends[1:-1])
    return Calibration([_curve(entry, own) for entry, own in zip(entries, rows, strict=True)])


def read_conformal(arrays: Arrays, outputs: Outputs) -> Conformal | None:
    """Read the scores of held-out graphs; a ValueError says in half a sentence what is wrong."""
    if "conformal_offsets" not in arrays:
        return None
    counts = [1 if t.classes is None else len(t.classes) for t in outputs.targets]
    ends = checked_offsets(arrays, "conformal_offsets", sum(counts))
    table = checked_array(arrays, "conformal_scores", "f", (int(ends[-1]), 2))
    each = iter(HeldOutScores(rows[:, 0], rows[:, 1]) for rows in np.split(table, ends[1:-1]))
    return Conformal([[next(each) for _ in range(count)] for count in counts])


def read_record(
    document: dict[str, Any], arrays: Arrays, outputs: Outputs, n_graphlets: int
) -> TrainingRecord | None:
    """Read the record of training graphs; a ValueError says in half a sentence what is wrong."""
    entry = document.get("record")
    if entry is None:
        return None
    counts = [1 if t.classes is None else len(t.classes) for t in outputs.targets]
    rates: Any = entry.get("base_rates") if isinstance(entry, dict) else None
    if not _is_table(rates, counts) or type(entry.get("n_graphs")) is not int:
        raise ValueError("'record' in model.json should have n_graphs, and a base rate per class")
    known = None
    if "record_surroundings" in arrays:
        known = checked_array(arrays, "record_surroundings", "i", (None,))
    kept = None
    if "record_rows" in arrays:
        rows = checked_array(arrays, "record_rows", "i", (None,))
        n = len(rows)
        kept = Neighbours(
            rows=rows,
            steps=checked_array(arrays, "record_psi", "i", (n, n_graphlets)),
            n_nodes=checked_array(arrays, "record_n_nodes", "i", (n,)),
            targets=_checked_targets(arrays, outputs, n),
            **{name: _texts(entry, name, n) for name in ("ids", "names", "smiles")},
        )
    return TrainingRecord(entry["n_graphs"], [np.array(rate) for rate in rates], known, kept)


def _checked_targets(arrays: Arrays, outputs: Outputs, n_graphs: int) -> Floats:
    targets = checked_array(arrays, "record_targets", "f", (len(outputs.targets), n_graphs))
    for target, values in zip(outputs.targets, targets, strict=True):
        known = values[~np.isnan(values)]
        if target.classes is not None and not np.isin(known, np.arange(len(target.classes))).all():
            raise ValueError("record_targets.npy holds numbers that are not positions of classes")
    return targets


def _is_table(value: Any, counts: list[int]) -> bool:
    return (
        isinstance(value, list)
        and len(value) == len(counts)
        and all(
            isinstance(row, list)
            and len(row) == count
            and all(type(number) in (int, float) for number in row)
            for row, count in zip(value, counts, strict=True)
        )
    )


def _texts(entry: dict[str, Any], name: str, count: int) -> Texts | None:
    texts = entry.get(name)
    if texts is None:
        return None
    if not isinstance(texts, list) or not all(isinstance(t, (str, type(None))) for t in texts):
        raise ValueError(f"{name!r} of 'record' in model.json should be {count} texts")
    return tuple(texts)


def _curve_document(curve: Curve | None) -> dict[str, Any] | None:
    if curve is None:
        return None
    kind = "isotonic" if isinstance(curve, Isotonic) else "sigmoid"
    return {"kind": kind, "n_graphs": curve.n_graphs}


def _points(curve: Curve | None) -> Floats:
    if curve is None:
        return np.empty((0, 2))
    if isinstance(curve, Isotonic):
        return np.column_stack([curve.f, curve.p])
    return np.array([[curve.slope, curve.offset]])


def _curve(entry: Any, rows: Floats) -> Curve | None:
    if entry is None:
        return None
    if not isinstance(entry, dict) or type(entry.get("n_graphs")) is not int:
        raise ValueError("'calibration' in model.json should be objects with kind and n_graphs")
    if entry.get("kind") == "isotonic":
        return Isotonic(rows[:, 0], rows[:, 1], entry["n_graphs"])
    if entry.get("kind") != "sigmoid" or len(rows) != 1:
        raise ValueError("'calibration' in model.json holds a curve of an unknown kind")
    return Sigmoid(float(rows[0, 0]), float(rows[0, 1]), entry["n_graphs"])


def _stacked(rows: Sequence[Floats]) -> Floats:
    return np.vstack([np.empty((0, 2)), *rows])
