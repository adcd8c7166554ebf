"""A table whose columns have names, as readers give several targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["NamedColumns"]


class NamedColumns(np.ndarray[Any, Any]):
    """An array of shape (n_rows, n_columns) with ``names``, which rows taken from it keep.

    Parameters
    ----------
    values : array-like of shape (n_rows, n_columns)
        None where a value is unknown.
    names : sequence of str

    Examples
    --------
    >>> y = NamedColumns([[1, None], [0, 2.5]], names=["toxic", "logP"])
    >>> y[[1]].names, y.T[0].tolist()
    (('toxic', 'logP'), [1, 0])
    """

    names: tuple[str, ...]

    def __new__(cls, values: Any, names: Sequence[str]) -> NamedColumns:
        """Take values as they are."""
        table = np.array(values, dtype=object).reshape(-1, len(names)).view(cls)
        table.names = tuple(names)
        return table

    def __array_finalize__(self, source: Any) -> None:
        """Let parts and copies keep the names."""
        self.names = getattr(source, "names", ())

    def __reduce__(self) -> Any:
        """Let other processes have the names, too."""
        return NamedColumns, (np.asarray(self).tolist(), self.names)
