"""Tables with a column of SMILES: CSV, TSV, Parquet, and pandas' DataFrame."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats
from aglets.io._molecule_sets import Item, identified, read_molecules
from aglets.io._molecules import FeatureOptions, MoleculeFeatures
from aglets.io._rows import Row, table_rows
from aglets.io._targets import Targets, chosen_names, parsed, target_array, target_columns
from aglets.io.failures import Errors, Failure, summary
from aglets.io.registry import MOLECULE_OPTIONS, Format, ReadOptions, register_format

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["from_table"]


@overload
def from_table(
    source: str | os.PathLike[str] | Any,
    *,
    smiles: str = ...,
    target: None = ...,
    id_column: str | None = ...,
    name_column: str | None = ...,
    separator: str | None = ...,
    errors: Errors = ...,
    n_jobs: int | None = ...,
    **features: Unpack[FeatureOptions],
) -> GraphSet: ...
@overload
def from_table(
    source: str | os.PathLike[str] | Any,
    *,
    smiles: str = ...,
    target: str | Sequence[str],
    id_column: str | None = ...,
    name_column: str | None = ...,
    separator: str | None = ...,
    errors: Errors = ...,
    n_jobs: int | None = ...,
    **features: Unpack[FeatureOptions],
) -> tuple[GraphSet, Targets]: ...
def from_table(
    source: str | os.PathLike[str] | Any,
    *,
    smiles: str = "smiles",
    target: str | Sequence[str] | None = None,
    id_column: str | None = None,
    name_column: str | None = None,
    separator: str | None = None,
    errors: Errors = "raise",
    n_jobs: int | None = 1,
    **features: Unpack[FeatureOptions],
) -> GraphSet | tuple[GraphSet, Targets]:
    r"""Read molecules from a table with a column of SMILES.

    Parameters
    ----------
    source : path or DataFrame
        A file that ends in .csv, .tsv, .parquet (or the first two with .gz), or a pandas table.
    smiles : str
        The column of SMILES.
    target : str or sequence of str, optional
        The column to predict. A row without a value there counts as a failure. A sequence names
        several, also by patterns such as ``"NR-*"``; then a row may lack some of them, but not all.
    id_column, name_column : str, optional
        Columns that say what each molecule is called: ``graphs.ids`` and ``graphs.names``, which
        explanations, the report and predictions show.
    separator : str, optional
        What separates columns of a text file; else a tab for .tsv and a comma for others.
    errors : {"raise", "skip"}
        Whether a row that cannot be read is an error, or is left out with a warning.
        ``graphs.rows`` says which rows (from 0, the header not counted) were kept.
    n_jobs : int
        Number of processes; -1 for all cores. The graphs do not depend on it.
    **features
        Labels and attributes of atoms, as in `GraphSet.from_smiles`.

    Returns
    -------
    graphs : GraphSet
    y : ndarray of shape (n_graphs,) or (n_graphs, n_targets)
        Only if `target` is given, and only for rows that were kept. Of several targets, None is
        where a value is unknown, and ``y.names`` are their columns.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from aglets import GraphSet
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "molecules.csv")
    ...     _ = path.write_text("smiles,active\nCCO,1\nCCN,0\n")
    ...     graphs, y = GraphSet.from_table(path, target="active")
    >>> len(graphs), y
    (2, array([1, 0]))
    """
    chosen = MoleculeFeatures.of(**features)
    wanted = {
        "smiles": smiles,
        "target": target if isinstance(target, str) else None,
        "id_column": id_column,
        "name_column": name_column,
    }
    columns = {option: name for option, name in wanted.items() if name is not None}
    items: list[Item] = []
    values: list[dict[str, Any]] = []
    names = [target] if isinstance(target, str) else []
    called: dict[str, list[str | None]] = {"smiles": [], "ids": [], "names": []}
    for row in table_rows(source, columns, separator=separator):
        if target is not None and not names:
            names = chosen_names(target, list(row.values), _name(source))
        values.append({name: target_value(row, name) for name in names})
        lacks = bool(names) and all(value is None for value in values[-1].values())
        where = f"column {names[0]!r}" if len(names) == 1 else f"any of {len(names)} target columns"
        fault = f"there is no value in {where}" if lacks else None
        items.append(Item(row.row, row.line, row.values[smiles], fault))
        for key, column in zip(called, (smiles, id_column, name_column), strict=True):
            called[key].append(None if column is None else _text(row.values[column]))
    graphs = identified(read_molecules(items, chosen, errors, n_jobs=n_jobs), **called)
    if target is None:
        return graphs
    assert graphs.rows is not None
    kept = [values[row] for row in graphs.rows.tolist()]
    # A table without rows has not said which columns a pattern stands for.
    return graphs, target_columns(kept, names or list(target), _name(source))


def _text(value: Any) -> str | None:
    missing = value is None or value == "" or value != value
    return None if missing else str(value)


def _name(source: Any) -> str:
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else "the table"


def target_value(row: Row, target: str) -> Any:
    """Return the target of a row as a plain value, None if it is missing."""
    value = row.values[target]
    if isinstance(value, str):
        value = parsed(value)
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    return value.item() if hasattr(value, "item") else value


def has_values(
    path: str | os.PathLike[str], columns: Sequence[str], *, separator: str | None = None
) -> bool:
    """Say whether a table in a file has all these columns, and a value in one of them."""
    for row in table_rows(path, {}, separator=separator):
        if not set(columns) <= set(row.values):
            return False
        if any(target_value(row, name) is not None for name in columns):
            return True
    return False


def number_in(values: Mapping[str, Any], column: str) -> float | str:
    """Return the number that a row has in a column, or what is wrong with it.

    Examples
    --------
    >>> number_in({"mass": "46.07"}, "mass"), number_in({"mass": "heavy"}, "mass")
    (46.07, "expected a number in column 'mass', got 'heavy'")
    """
    if column not in values:
        return f"there is no column {column!r}, a covariate of the model"
    text = _text(values[column])
    if text is None:
        return f"there is no number in column {column!r}"
    try:
        number = float(text)
    except ValueError:
        return f"expected a number in column {column!r}, got {text!r}"
    return number if math.isfinite(number) else f"the number in column {column!r} is not finite"


@dataclass(frozen=True)
class NumberTable:
    """Numbers with a name per column, as a DataFrame has; made of columns of a file.

    Parameters
    ----------
    columns : tuple of str
    values : ndarray of shape (n_rows, n_columns)
    """

    columns: tuple[str, ...]
    values: Floats

    def __array__(self, dtype: Any = None, copy: Any = None) -> Floats:
        """Give the numbers alone."""
        return np.array(self.values, dtype=dtype, copy=True)

    def __getitem__(self, rows: Any) -> NumberTable:
        """Take some rows."""
        return replace(self, values=self.values[rows])


def read_column(
    path: str | os.PathLike[str],
    column: str,
    graphs: GraphSet,
    *,
    option: str,
    separator: str | None = None,
) -> Targets:
    """Read a column for graphs that came from the same table: numbers, or else text.

    Parameters
    ----------
    path, graphs, separator
        As in `read_numbers_of`.
    column : str
    option : str
        Which option named the column.
    """
    wanted = set([] if graphs.rows is None else graphs.rows.tolist())
    rows = table_rows(path, {option: column}, separator=separator)
    found = {row.row: (row, target_value(row, column)) for row in rows if row.row in wanted}
    failures = [
        Failure(row.row, f"there is no value in column {column!r}", row.line)
        for row, value in found.values()
        if value is None
    ]
    if failures:
        raise ValueError(f"Expected a value in every row of {_name(path)}: {summary(failures)}.")
    return target_array([value for _, value in found.values()], _name(path))


def read_numbers_of(
    path: str | os.PathLike[str],
    columns: Sequence[str],
    graphs: GraphSet,
    *,
    separator: str | None = None,
) -> NumberTable:
    """Read columns of numbers for graphs that came from the same table.

    Parameters
    ----------
    path : path
        A table in a file.
    columns : sequence of str
    graphs : GraphSet
        Their ``rows`` say which rows of the table are wanted.
    separator : str, optional
        As in `from_table`.
    """
    wanted = {f"covariate_columns[{j}]": name for j, name in enumerate(columns)}
    rows = set([] if graphs.rows is None else graphs.rows.tolist())
    found: list[list[float | str]] = []
    failures = []
    for row in table_rows(path, wanted, separator=separator):
        if row.row in rows:
            found.append([number_in(row.values, name) for name in columns])
            faults = [value for value in found[-1] if isinstance(value, str)]
            failures += [Failure(row.row, fault, row.line) for fault in faults[:1]]
    if failures:
        raise ValueError(
            f"Expected a number in every covariate of {_name(path)}: {summary(failures)}; fill the "
            "gaps, or leave those rows out."
        )
    return NumberTable(tuple(columns), np.array(found, dtype=np.float64))


#: Formats of tables -> endings of their files.
TABLES = {"csv": (".csv",), "tsv": (".tsv", ".tab"), "parquet": (".parquet", ".pq")}


def _read_file(path: Path, options: ReadOptions) -> Any:
    read: Any = from_table  # whether y comes, too, depends on the target
    return read(
        path,
        smiles=options.smiles or "smiles",
        target=options.target,
        id_column=options.id_column,
        name_column=options.name_column,
        separator=options.separator,
        errors=options.errors,
        **options.features,
    )


def _read_tabs(path: Path, options: ReadOptions) -> Any:
    return _read_file(path, replace(options, separator=options.separator or "\t"))


_OPTIONS = ("target", "smiles", "id_column", "name_column", "separator", *MOLECULE_OPTIONS)
register_format(Format("csv", TABLES["csv"], _read_file, _OPTIONS))
register_format(Format("tsv", TABLES["tsv"], _read_tabs, _OPTIONS))
register_format(Format("parquet", TABLES["parquet"], _read_file, _OPTIONS))
