"""Graphs of a large file a few at a time, in constant memory.

The parent process only splits the file into raw rows; making graphs of them, which takes nearly all
the time, can be left to other processes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from io import TextIOWrapper
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, NamedTuple

from aglets.graphs import GraphSet
from aglets.io._molecule_sets import Item, read_batch
from aglets.io._molecules import MoleculeFeatures
from aglets.io._opening import is_readable, opened_bytes, opened_text, parse_json
from aglets.io._rows import smiles_rows, table_rows
from aglets.io.failures import Failure
from aglets.io.files import ReadOptions, format_of
from aglets.io.table import TABLES

__all__ = ["STREAMED", "Batch", "Raw", "batches", "graphs_of"]

#: Formats that can be read row by row.
STREAMED = (*TABLES, "smi", "sdf", "jsonl")


#: The line of an SDF file that names a property, as in "> 25 <logP>".
_PROPERTY = re.compile(r">.*<([^<>]+)>")


class Raw(NamedTuple):
    """A row (from 0) as it stands in the file, its line (from 1), and what it is called.

    `columns` are what else the file says of it, by name.
    """

    row: int
    line: int | None
    name: str
    content: Any
    columns: Mapping[str, Any]


class Batch(NamedTuple):
    """Graphs of some rows, which rows could not be read, and which have imputed attributes."""

    graphs: GraphSet | None
    kept: list[int]
    failures: list[Failure]
    imputed: list[int]


def batches(
    path: str | os.PathLike[str], options: ReadOptions, size: int = 1000
) -> Iterator[list[Raw]]:
    """Yield the rows of a file, so many at a time."""
    kind = format_of(path, options.format)
    if not is_readable(path):
        raise ValueError(f"Expected a file, but there is no {os.fspath(path)}.")
    rows = _raw_rows(Path(path), kind, options)
    while batch := list(islice(rows, size)):
        yield batch


def _raw_rows(path: Path, kind: str, options: ReadOptions) -> Iterator[Raw]:
    if kind == "smi":
        for row in smiles_rows(path):
            name = row.values["name"] or row.values["smiles"]
            yield Raw(row.row, row.line, name, row.values["smiles"], row.values)
    elif kind == "sdf":
        yield from _records(path)
    elif kind == "jsonl":
        with opened_text(path, newline="") as lines:
            filled = ((n, line) for n, line in enumerate(lines, 1) if line.strip())
            for count, (number, line) in enumerate(filled):
                yield Raw(count, number, "", line, {})
    else:
        column = options.smiles or "smiles"
        separator = options.separator or ("\t" if kind == "tsv" else None)
        for row in table_rows(path, {"smiles": column}, separator=separator):
            yield Raw(row.row, row.line, str(row.values[column]), row.values[column], row.values)


def _records(path: Path) -> Iterator[Raw]:
    """Yield the records of an SDF file as text."""
    with opened_bytes(path) as file:
        lines = TextIOWrapper(file, encoding="utf-8", errors="replace")
        row, start = 0, 1
        record: list[str] = []
        for number, line in enumerate(lines, 1):
            if line.startswith("$$$$"):
                yield _record(row, start, record)
                row, start, record = row + 1, number + 1, []
            else:
                record.append(line)
        if "".join(record).strip():
            yield _record(row, start, record)


def _record(row: int, line: int, lines: list[str]) -> Raw:
    """Take a record of an SDF file: its first line is its name, and properties come last."""
    name = lines[0].strip() if lines else ""
    columns = {"name": name}
    for number, text in enumerate(lines):
        found = _PROPERTY.match(text)
        if found is not None:
            value = takewhile(str.strip, lines[number + 1 :])
            columns[found[1]] = "\n".join(line.rstrip("\r\n") for line in value)
    return Raw(row, line, name, "".join(lines), columns)


def graphs_of(rows: Sequence[Raw], kind: str, recipe: str | None) -> Batch:
    """Make graphs of raw rows, read as the recipe says.

    Parameters
    ----------
    rows : sequence of Raw
    kind : str
        The format they came from.
    recipe : str or None
        That of the graphs a model was fitted on; None reads with default features.

    Returns
    -------
    Batch
        `kept` are the positions in `rows` that became graphs.
    """
    known = json.loads(recipe or "{}")
    if kind == "jsonl":
        return _node_link_batch(rows, known.get("keys", {}))
    features = MoleculeFeatures.of(**known.get("molecule", {}))
    items = [Item(raw.row, raw.line, raw.content) for raw in rows]
    read = read_batch(items, features, "block" if kind == "sdf" else "smiles")
    failed = {failure.row for failure in read.failures}
    kept = [position for position, raw in enumerate(rows) if raw.row not in failed]
    if not kept:
        return Batch(None, kept, read.failures, [])
    named = [rows[position].name for position in kept]
    smiles = None if kind == "sdf" else [rows[position].content for position in kept]
    graphs = read.graphs.with_identity(names=named, smiles=smiles)
    return Batch(graphs, kept, read.failures, read.imputed)


def _node_link_batch(rows: Sequence[Raw], keys: dict[str, Any]) -> Batch:
    parts, kept, failures = [], [], []
    for position, raw in enumerate(rows):
        try:
            parts.append(GraphSet.from_json([parse_json(raw.content, "this row")], **keys))
            kept.append(position)
        except (ValueError, TypeError) as error:
            failures.append(Failure(raw.row, str(error), raw.line))
    return Batch(GraphSet.concatenate(parts) if parts else None, kept, failures, [])
