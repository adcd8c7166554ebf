"""Rows of text and Parquet tables, one after the other, so that a table need not fit in memory."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from aglets.graphs.checks import listing
from aglets.graphs.optional import optional
from aglets.io._opening import opened_text

PathLike = str | os.PathLike[str]

#: Option of a reader -> the column that it names.
WantedColumns = Mapping[str, str]

#: What columns are often called that an option asks for.
_ALIKE = {"smiles": ("smi", "mol", "structure")}

_SEPARATORS = {".tsv": "\t", ".tab": "\t"}


class Row(NamedTuple):
    """A row (from 0) of a table, its line in a text file (from 1), and its values by column."""

    row: int
    line: int | None
    values: Mapping[str, Any]


def kind_of(path: PathLike) -> str:
    """Return the ending that names the format, whether or not the file is packed."""
    path = Path(path)
    return Path(path.stem).suffix.lower() if path.suffix == ".gz" else path.suffix.lower()


def smiles_rows(path: PathLike) -> Iterator[Row]:
    """Yield every line of a SMILES file: columns "smiles" and "name"."""
    with opened_text(path, newline="") as lines:
        row = 0
        for number, line in enumerate(lines, 1):
            smiles, _, name = line.strip().partition(" ")
            if "\t" in smiles:
                smiles, _, name = line.strip().partition("\t")
            if smiles and not smiles.startswith("#"):
                yield Row(row, number, {"smiles": smiles, "name": name.strip()})
                row += 1


def table_rows(
    source: Any, columns: WantedColumns, *, separator: str | None = None
) -> Iterator[Row]:
    """Yield the rows of a CSV, TSV or Parquet file, or of a DataFrame, after checking its columns.

    Parameters
    ----------
    source : path or DataFrame
    columns : mapping of str to str
        The columns that must be there, by the option that names them.
    separator : str, optional

    Yields
    ------
    Row
        Values of text files are strings; an empty field is "".
    """
    if hasattr(source, "columns") and hasattr(source, "itertuples"):
        return _frame_rows(source, columns)
    if kind_of(source) in (".parquet", ".pq"):
        return _parquet_rows(Path(source), columns)
    return _text_rows(Path(source), columns, separator)


def _text_rows(path: Path, columns: WantedColumns, separator: str | None) -> Iterator[Row]:
    with opened_text(path, newline="") as lines:
        reader = csv.reader(lines, delimiter=separator or _SEPARATORS.get(kind_of(path), ","))
        try:
            header = [name.strip() for name in next(reader, [])]
            _check_columns(header, columns, path.name)
            row = 0
            for fields in reader:
                if not fields:
                    continue  # a blank line
                if len(fields) < len(header):
                    fields = fields + [""] * (len(header) - len(fields))
                yield Row(row, reader.line_num, dict(zip(header, fields, strict=False)))
                row += 1
        except csv.Error as error:
            raise ValueError(
                f"Expected a text table in {path.name}, but line {reader.line_num} cannot be read "
                f"({error}); save it again as CSV."
            ) from None


def _parquet_rows(path: Path, columns: WantedColumns) -> Iterator[Row]:
    parquet = optional("pyarrow.parquet", "reading Parquet files")
    try:
        file = parquet.ParquetFile(path)
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise ValueError(
            f"Expected a Parquet file, but {path.name} is none ({error}); "
            "give its format, or write it again."
        ) from None
    with file:
        _check_columns(file.schema_arrow.names, columns, path.name)
        row = 0
        for batch in file.iter_batches(batch_size=4096):
            for values in batch.to_pylist():
                yield Row(row, None, values)
                row += 1


def _frame_rows(frame: Any, columns: WantedColumns) -> Iterator[Row]:
    names = [str(name) for name in frame.columns]
    _check_columns(names, columns, "the table")
    for row, values in enumerate(frame.itertuples(index=False, name=None)):
        yield Row(row, None, dict(zip(names, values, strict=True)))


def _check_columns(header: Sequence[str], wanted: WantedColumns, name: str) -> None:
    missing = {option: column for option, column in wanted.items() if column not in header}
    lacking = [repr(column) for column in missing.values()]
    if not lacking:
        return
    if not header:
        raise ValueError(f"Expected a table with a line of column names, but {name} is empty.")
    hint = ""
    if len(header) == 1 and any(mark in header[0] for mark in ";\t|"):
        mark = next(mark for mark in ";\t|" if mark in header[0])
        hint = f", or say how columns are separated: separator={mark!r}"
    raise ValueError(
        f"Expected a column {listing(lacking)} in {name}, but its columns are "
        f"{listing([repr(column) for column in header], limit=20)}; name the right one with "
        f"{_named(next(iter(missing)), [] if hint else header)}{hint}."
    )


def _named(option: str, header: Sequence[str]) -> str:
    """Spell an option with the column that was probably meant, if one looks like it."""
    alike = [name for name in header for word in _ALIKE.get(option, ()) if word in name.lower()]
    return f"{option}={alike[0]!r}" if alike else f"{option}=COLUMN"
