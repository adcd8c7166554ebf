"""Write rows of results as CSV, JSON lines or Parquet, a few at a time."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from enum import Enum
from gzip import GzipFile
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol

from aglets.drawing.text import visible
from aglets.writing import partial

__all__ = ["OutputFormat", "Writer", "check_format", "opened_writer"]

Row = Mapping[str, Any]

#: The ending of text that is packed.
PACKED = ".gz"


class OutputFormat(str, Enum):
    """The formats of results."""

    csv = "csv"
    jsonl = "jsonl"
    parquet = "parquet"


class Writer(Protocol):
    """Takes rows; a column that a row lacks is empty."""

    def write(self, rows: Sequence[Row]) -> None:
        """Write some rows."""
        ...


class _CsvWriter:
    def __init__(
        self, file: IO[str], columns: Mapping[str, type], copied: Container[str] = ()
    ) -> None:
        self._writer = csv.DictWriter(file, list(columns), restval="", lineterminator="\n")
        # A terminal must not obey what a file shall hold.
        self._on_terminal = file.isatty()
        self._write({name: name for name in columns})
        self._floats = [
            name for name, kind in columns.items() if kind is float and name not in copied
        ]

    def write(self, rows: Sequence[Row]) -> None:
        for row in rows:
            shown = dict(row)
            for name in self._floats:
                if shown.get(name) is not None:
                    shown[name] = f"{shown[name]:.6g}"
            self._write(shown)

    def _write(self, row: dict[str, Any]) -> None:
        if self._on_terminal:
            row = {name: visible(v) if isinstance(v, str) else v for name, v in row.items()}
        self._writer.writerow(row)


class _JsonWriter:
    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, rows: Sequence[Row]) -> None:
        # Columns of a Parquet file may hold what JSON lacks, such as dates.
        self._file.writelines(json.dumps(dict(row), default=str) + "\n" for row in rows)


class _ParquetWriter:
    def __init__(self, file: BinaryIO, columns: Mapping[str, type], stack: ExitStack) -> None:
        from aglets.graphs.optional import optional

        self._arrow = optional("pyarrow", "writing Parquet files")
        parquet = optional("pyarrow.parquet", "writing Parquet files")
        kinds = {
            int: self._arrow.int64(),
            float: self._arrow.float64(),
            bool: self._arrow.bool_(),
            str: self._arrow.string(),
        }
        self._kinds = dict(columns)
        self._schema = self._arrow.schema([(name, kinds[kind]) for name, kind in columns.items()])
        self._file = stack.enter_context(parquet.ParquetWriter(file, self._schema))

    def write(self, rows: Sequence[Row]) -> None:
        columns = [
            [_as_kind(row.get(name), self._kinds[name]) for row in rows]
            for name in self._schema.names
        ]
        self._file.write_table(self._arrow.table(columns, schema=self._schema))


def check_format(path: Path | None, to: OutputFormat | None) -> OutputFormat:
    """Return the format of results, given or by the ending, or raise if it cannot be written."""
    kind = to or _by_ending(path)
    if kind is OutputFormat.parquet and path is None:
        raise ValueError("Expected a file for Parquet; name it with --output.")
    return kind


@contextmanager
def opened_writer(
    path: Path | None,
    to: OutputFormat | None,
    columns: Mapping[str, type],
    copied: Container[str] = (),
) -> Iterator[Writer]:
    """Open a file of results, or the screen, by its ending or by the format given.

    Parameters
    ----------
    path : Path or None
    to : OutputFormat or None
    columns : mapping of str to type
        The columns in their order.
    copied : container of str
        Those whose numbers are written as they came.
    """
    kind = check_format(path, to)
    if path is None:
        yield _text_writer(sys.stdout, kind, columns, copied)
        return
    with partial(path) as file, ExitStack() as stack:
        if kind is OutputFormat.parquet:
            yield _ParquetWriter(file, columns, stack)
            return
        packed = None
        if path.suffix.lower() == PACKED:
            # No name and time in it: equal results are equal files.
            packed = stack.enter_context(GzipFile("", "wb", fileobj=file, mtime=0))
        target = packed or file
        text = TextIOWrapper(target, encoding="utf-8", newline="", write_through=True)
        yield _text_writer(text, kind, columns, copied)
        text.detach()


def _text_writer(
    file: IO[str], kind: OutputFormat, columns: Mapping[str, type], copied: Container[str]
) -> Writer:
    return _CsvWriter(file, columns, copied) if kind is OutputFormat.csv else _JsonWriter(file)


def _as_kind(value: Any, kind: type) -> Any:
    """Return a value as the column wants it; None stays."""
    return value if value is None or isinstance(value, kind) else kind(value)


def _by_ending(path: Path | None) -> OutputFormat:
    if path is None:
        return OutputFormat.csv
    endings = {
        ".csv": OutputFormat.csv,
        ".jsonl": OutputFormat.jsonl,
        ".ndjson": OutputFormat.jsonl,
        ".parquet": OutputFormat.parquet,
        ".pq": OutputFormat.parquet,
    }
    packed = path.suffix.lower() == PACKED
    ending = (path.with_suffix("") if packed else path).suffix.lower()
    kind = endings.get(ending)
    if kind is None or (packed and kind is OutputFormat.parquet):
        raise ValueError(
            f"Expected the output to end in {', '.join(endings)}, got {str(path)!r}; "
            "or name its format with --to."
        )
    return kind
