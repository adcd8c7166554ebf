"""What is to be predicted, as readers find it: one value per graph, of any plain type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.graphs.checks import listing
from aglets.graphs.named_columns import NamedColumns

Targets = npt.NDArray[Any]


def target_array(values: Sequence[Any], source: str) -> Targets:
    """Return whole numbers as int64, other numbers as float64, anything else as strings.

    Parameters
    ----------
    values : sequence
        One per graph.
    source : str
        Where they come from, for messages.

    Examples
    --------
    >>> target_array([1, 0.5], "a.csv"), target_array(["yes", 1], "a.csv")
    (array([1. , 0.5]), array(['yes', '1'], dtype='<U3'))
    """
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    kinds = {type(value) for value in plain}
    _check_sizes(plain, source)
    if kinds <= {int, bool}:
        return np.array(plain, dtype=np.int64)
    if kinds <= {int, bool, float}:
        return np.array(plain, dtype=np.float64)
    return np.array([str(value) for value in plain])


def _check_sizes(values: Sequence[Any], source: str) -> None:
    """Raise for whole numbers that 64 bits cannot distinguish, and for what is not finite."""
    faults = [
        f"{str(value)[:40]} for graph {i}"
        for i, value in enumerate(values)
        if (isinstance(value, int) and not -(2**63) <= value < 2**63)
        or (isinstance(value, float) and not np.isfinite(value))
    ]
    if faults:
        raise ValueError(
            f"Expected targets in {Path(source).name} to be finite numbers of 64 bits, got "
            f"{listing(faults)}; write classes as words, and leave out graphs without a target."
        )


def chosen_names(wanted: Sequence[str], known: Sequence[str], source: str) -> list[str]:
    """Return the targets that names and patterns such as ``"NR-*"`` stand for, in the order given.

    Examples
    --------
    >>> chosen_names(["SR-*", "logP"], ["id", "SR-ARE", "logP", "SR-p53"], "a.csv")
    ['SR-ARE', 'SR-p53', 'logP']
    """
    if ",".join(wanted) in known:
        return [",".join(wanted)]
    names: dict[str, None] = {}
    for word in wanted:
        found = [word] if word in known else [name for name in known if fnmatchcase(name, word)]
        if not found:
            what = "targets that match" if set(word) & set("*?[") else "the target"
            raise ValueError(
                f"Expected {what} {word!r} in {Path(source).name}, but there are "
                f"{listing([repr(name) for name in known], limit=20)}; name the right ones with "
                "target=COLUMN."
            )
        names |= dict.fromkeys(found)
    return list(names)


def target_columns(rows: Sequence[Mapping[str, Any]], names: Sequence[str], source: str) -> Targets:
    """Make a table of several targets, None where a row has no value; of one, a column.

    Examples
    --------
    >>> target_columns([{"a": 1, "b": "x"}, {"a": 0}], ["a", "b"], "a.csv").tolist()
    [[1, 'x'], [0, None]]
    """
    table = np.full((len(rows), len(names)), None, dtype=object)
    for j, name in enumerate(names):
        known = [i for i, row in enumerate(rows) if row.get(name) is not None]
        table[known, j] = target_array([rows[i][name] for i in known], source)
    return (
        NamedColumns(table, names) if len(names) > 1 else target_array(table[:, 0].tolist(), source)
    )


def parsed(text: str) -> Any:
    """Return the number a text stands for, or the text itself.

    Examples
    --------
    >>> parsed(" 1 "), parsed("0.5"), parsed("active"), parsed("1_000")
    (1, 0.5, 'active', '1_000')
    """
    text = text.strip()
    if "_" in text:  # Python reads 1_000 as a number, which no data file means
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def check_target_count(y: Sequence[Any] | Targets, n_graphs: int) -> list[Any]:
    """Return y as a list of plain values, one per graph, or raise."""
    values = np.asarray(y)
    if values.ndim != 1 or len(values) != n_graphs:
        raise ValueError(
            f"Expected y to hold one value for each of the {n_graphs} graphs, "
            f"got shape {values.shape}."
        )
    plain: list[Any] = values.tolist()
    return plain
