"""What is to be predicted, as readers find it: one value per graph, of any plain type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Targets = npt.NDArray[Any]


def target_array(values: Sequence[Any]) -> Targets:
    """Return whole numbers as int64, other numbers as float64, anything else as strings.

    Examples
    --------
    >>> target_array([1, 0.5]), target_array(["yes", 1])
    (array([1. , 0.5]), array(['yes', '1'], dtype='<U3'))
    """
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    kinds = {type(value) for value in plain}
    if kinds <= {int, bool}:
        return np.array(plain, dtype=np.int64)
    if kinds <= {int, bool, float}:
        return np.array(plain, dtype=np.float64)
    return np.array([str(value) for value in plain])


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
