"""What users give as y, as one array: a column per target, with None or NaN where it is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.graphs.named_columns import NamedColumns
from aglets.model.target import is_known

__all__ = ["TargetTable", "column_name", "known_values", "target_names", "target_table"]

#: Shape (n_graphs,) for one target, else (n_graphs, n_targets).
TargetTable = NDArray[Any]


def target_table(y: Any, n_graphs: int | None = None) -> TargetTable:
    """Take y as an array of shape (n_graphs,) for one target, else (n_graphs, n_targets).

    Parameters
    ----------
    y : array-like, masked array, Series or DataFrame
        Of shape (n_graphs,) or (n_graphs, n_targets). NaN, None, pandas' NA or a mask is where a
        value is unknown. Columns of different kinds stay what they are.
    n_graphs : int, optional
        How many rows there must be.

    Examples
    --------
    >>> target_table([["yes", 1.5], ["no", None]]).tolist()
    [['yes', 1.5], ['no', None]]
    >>> target_table([[0, 1], [1, 1]]).dtype.kind
    'i'
    >>> target_table([0, 1], n_graphs=3)
    Traceback (most recent call last):
    ValueError: y must hold one target per graph (3). Got 2.
    """
    values = _array(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim not in (1, 2) or values.shape[1:] == (0,):
        raise _wrong_shape(f"shape {values.shape}")
    if any(isinstance(value, (list, tuple, np.ndarray)) for value in _objects(values)):
        raise _wrong_shape("rows of different lengths")
    if n_graphs is not None and len(values) != n_graphs:
        raise ValueError(f"y must hold one target per graph ({n_graphs}). Got {len(values)}.")
    return values


def target_names(y: Any, n_targets: int) -> list[str]:
    """Name the targets by the columns of a DataFrame or the name of a Series, else by number.

    >>> target_names([[0, 1], [1, 1]], 2)
    ['target 0', 'target 1']
    """
    if hasattr(y, "columns") and hasattr(y, "iloc"):
        return [str(name) for name in y.columns]
    if isinstance(y, NamedColumns) and len(y.names) == n_targets:
        return list(y.names)
    if n_targets == 1:
        return [column_name(y) or "y"]
    return [f"target {k}" for k in range(n_targets)]


def column_name(y: Any) -> str | None:
    """Name the column of a single target: that of a Series, or of a DataFrame of one column.

    >>> column_name([0, 1]) is None
    True
    """
    if not hasattr(y, "iloc"):
        return None
    columns = [getattr(y, "name", None)] if getattr(y, "ndim", 1) == 1 else list(y.columns)
    return None if len(columns) != 1 or columns[0] is None else str(columns[0])


def known_values(column: NDArray[Any]) -> NDArray[Any]:
    """Return the known values of a target, as numbers if they are.

    >>> known_values(np.array([1, None, 0], dtype=object))
    array([1, 0])
    """
    given = np.asarray(column)
    return np.array(given[is_known(given)].tolist())


def _array(y: Any) -> NDArray[Any]:
    if isinstance(y, np.ma.MaskedArray):
        gaps = np.ma.getmaskarray(y)
        values = np.asarray(y.data)
        if gaps.any():
            values = values.astype(object)
            values[gaps] = None
        return values
    if hasattr(y, "columns") and hasattr(y, "iloc"):
        return _side_by_side([np.asarray(y.iloc[:, j]) for j in range(y.shape[1])], len(y))
    if isinstance(y, (list, tuple)):
        return _listed(y)
    return np.asarray(y)


def _listed(y: Sequence[Any]) -> NDArray[Any]:
    """Take lists as they are: numbers next to strings would turn into strings."""
    try:
        plain = np.asarray(y)
    except ValueError as error:
        raise _wrong_shape("rows of different lengths") from error
    if plain.dtype.kind not in "US":
        return plain
    mixed = np.asarray(y, dtype=object)
    return plain if all(isinstance(value, str) for value in mixed.ravel().tolist()) else mixed


def _side_by_side(columns: list[NDArray[Any]], n_rows: int) -> NDArray[Any]:
    if len({column.dtype.kind for column in columns}) == 1:
        return np.column_stack(columns)
    table = np.empty((n_rows, len(columns)), dtype=object)
    for j, column in enumerate(columns):
        table[:, j] = column
    return table


def _objects(values: NDArray[Any]) -> list[Any]:
    objects: list[Any] = values.ravel().tolist() if values.dtype.kind == "O" else []
    return objects


def _wrong_shape(came: str) -> ValueError:
    return ValueError(
        f"y must have shape (n_graphs,) or (n_graphs, n_targets). Got {came} instead."
    )
