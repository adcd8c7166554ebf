"""`aglets fit --test`: graphs that are kept aside, and what the finished model says of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aglets.cli.sources import Source

if TYPE_CHECKING:
    from aglets import GraphSet
    from aglets.graphs.arrays import Floats, Rows
    from aglets.model import LagraModel

__all__ = ["SplitKind", "TestPart", "target_columns", "test_part"]


class SplitKind(str, Enum):
    """How graphs to test on are taken."""

    random = "random"
    scaffold = "scaffold"
    time = "time"


@dataclass(frozen=True)
class TestPart:
    """Positions of the graphs to train on and to test on.

    Parameters
    ----------
    train, test : ndarray of int
    kind : SplitKind
    """

    # Not a class of tests, whatever its name begins with.
    __test__ = False

    train: Rows
    test: Rows
    kind: SplitKind

    def decisions(self, model: LagraModel, graphs: GraphSet, own: Any) -> Floats:
        """Let the model decide on the graphs, once."""
        values = None if own is None else own[self.test]
        return model.outputs.as_table(model.decision_function(graphs[self.test], values))

    def result(self, model: LagraModel, f: Floats, y: Any) -> dict[str, Any]:
        """Say how good its decisions are."""
        from aglets.model.metrics import target_metrics

        outputs = model.outputs
        rows = outputs.encode(y[self.test])
        found = {
            target.name: target_metrics(target, rows[at], f[:, at])
            for target, at in zip(outputs.targets, outputs.slices, strict=True)
        }
        return {
            "split": self.kind.value,
            "n_train": len(self.train),
            "n_test": len(self.test),
            "metrics": next(iter(found.values())) if len(found) == 1 else found,
        }

    def write(self, path: Path, model: LagraModel, f: Floats, graphs: GraphSet, y: Any) -> None:
        """List the graphs with what is known and what is predicted of them."""
        from aglets.cli.tables import opened_writer

        part = graphs[self.test]
        predicted, known = model.outputs.decode(f), y[self.test]
        rows = self.test if graphs.rows is None else graphs.rows[self.test]
        columns: dict[str, Any] = {"row": rows.tolist()}
        for name, values in (("id", part.ids), ("name", part.names), ("smiles", part.smiles)):
            columns |= {} if values is None else {name: list(values)}
        columns |= dict(zip(target_columns(model), _columns_of(known), strict=True))
        copied = dict.fromkeys(columns, str)
        own = _prediction_columns(model)
        columns |= dict(zip(own, _columns_of(predicted), strict=True))
        kinds = [str if t.classes is not None else float for t in model.outputs.targets]
        numbers = model.outputs.values(f, model.probabilities_from_decision(f))
        names = model.outputs.value_names(model.probabilistic)
        columns |= dict(zip(names, numbers.T.tolist(), strict=True))
        wanted = copied | dict(zip(own, kinds, strict=True)) | dict.fromkeys(names, float)
        with opened_writer(path, None, wanted, copied) as writer:
            writer.write(
                [
                    dict(zip(columns, row, strict=True))
                    for row in zip(*columns.values(), strict=True)
                ]
            )


def target_columns(model: LagraModel) -> list[str]:
    """Name the columns of what is known: as in the table that the model was fitted to.

    The list can then be read as that table was. What has no name there, or that of another column
    of the list, is called a target.
    """
    outputs = model.outputs
    taken = {"row", "id", "name", "smiles", *_prediction_columns(model)}
    taken |= set(outputs.value_names(model.probabilistic))
    if len(outputs.targets) == 1:
        name = outputs.single.name or model.target_column
        return [name if name is not None and name not in taken else "target"]
    return [f"target_{name}" if name in taken else str(name) for name in outputs.target_names]


def _prediction_columns(model: LagraModel) -> list[str]:
    outputs = model.outputs
    if len(outputs.targets) == 1:
        return ["prediction"]
    return [f"prediction_{name}" for name in outputs.target_names]


def _columns_of(values: Any) -> list[list[Any]]:
    """Return the values of each target."""
    return [column.tolist() for column in values.reshape(len(values), -1).T]


def test_part(
    source: Source,
    graphs: GraphSet,
    y: Any,
    fraction: float,
    kind: SplitKind,
    *,
    time_column: str | None,
    classes: bool,
    seed: int,
) -> TestPart:
    """Choose the graphs to test on; random parts keep the proportions of classes."""
    import numpy as np

    from aglets.datasets.splits import scaffold_holdout, time_holdout

    if kind is SplitKind.time:
        train, test = time_holdout(source.times(time_column, graphs), fraction)
    elif kind is SplitKind.scaffold:
        train, test = scaffold_holdout(graphs, fraction)
    else:
        from sklearn.model_selection import train_test_split

        positions = np.arange(len(graphs))
        alike = y if classes and y.ndim == 1 else None
        train, test = train_test_split(
            positions, test_size=fraction, stratify=alike, random_state=seed
        )
        train, test = np.sort(train), np.sort(test)
    return TestPart(train, test, kind)


test_part.__test__ = False  # type: ignore[attr-defined]
