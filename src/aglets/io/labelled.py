"""Graphs of a file with their targets, a few at a time, so that a file of any size can be read.

Tables, SMILES, SDF and JSON lines are read row by row; other formats as a whole, and then handed on
in parts. Making graphs of molecules takes nearly all the time, and can be left to other processes.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from aglets.graphs import GraphSet
from aglets.io._molecule_sets import Item, read_batch
from aglets.io._molecules import MoleculeFeatures
from aglets.io._rows import smiles_rows, table_rows
from aglets.io._targets import parsed
from aglets.io.failures import Failure
from aglets.io.files import ReadOptions, format_of, read_file
from aglets.io.registry import FORMATS
from aglets.io.stream import STREAMED, batches
from aglets.io.table import TABLES, target_value

__all__ = ["Labelled", "labelled_batches"]

#: Rows that are made graphs at a time.
BATCH = 1000


class Labelled(NamedTuple):
    """Graphs, their targets if any were asked for, and the rows that could not be read."""

    graphs: GraphSet
    y: list[Any] | None
    failures: list[Failure]
    n_rows: int


class _Row(NamedTuple):
    item: Item
    value: Any
    called: dict[str, str | None]


def labelled_batches(
    path: str | os.PathLike[str], options: ReadOptions, *, n_jobs: int = 1
) -> Iterator[Labelled]:
    """Yield the graphs of a file in its order.

    Parameters
    ----------
    path : path
        A file, or the folder of a data set.
    options : ReadOptions
    n_jobs : int
        Number of processes that make graphs of molecules.
    """
    kind = format_of(path, options.format)
    FORMATS[kind].check(options)
    _one_target(options)
    if kind not in STREAMED:
        yield from _whole(path, options)
        return
    if kind == "jsonl":
        yield from _json_lines(path, options)
        return
    features = MoleculeFeatures.of(**options.features)
    rows = _rows(Path(path), kind, options)
    chunks = iter(lambda: list(islice(rows, BATCH)), [])
    made = "block" if kind == "sdf" else "smiles"
    yield from _side_by_side(_read, chunks, (features, made, options.target is not None), n_jobs)


def _one_target(options: ReadOptions) -> str | None:
    if options.target is None or isinstance(options.target, str):
        return options.target
    raise ValueError(
        "Expected one target for a file that is read a part at a time. Got several, "
        f"{', '.join(map(repr, options.target))}; name one."
    )


def _rows(path: Path, kind: str, options: ReadOptions) -> Iterator[_Row]:
    target = _one_target(options)
    if kind in TABLES:
        smiles = options.smiles or "smiles"
        named = {"ids": options.id_column, "names": options.name_column}
        options_of = {"smiles": smiles, "target": target}
        options_of |= {"id_column": named["ids"], "name_column": named["names"]}
        wanted = {option: name for option, name in options_of.items() if name is not None}
        separator = options.separator or ("\t" if kind == "tsv" else None)
        for row in table_rows(path, wanted, separator=separator):
            value = None if target is None else target_value(row, target)
            lacks = target is not None and value is None
            fault = f"there is no value in column {target!r}" if lacks else None
            text = row.values[smiles]
            called = {key: _text(row.values[c]) for key, c in named.items() if c is not None}
            called["smiles"] = _text(text)
            yield _Row(Item(row.row, row.line, text, fault), value, called)
    elif kind == "smi":
        for row in smiles_rows(path):
            called = {"smiles": row.values["smiles"], "names": row.values["name"] or None}
            yield _Row(Item(row.row, row.line, row.values["smiles"]), None, called)
    else:
        for batch in batches(path, options, BATCH):
            for raw in batch:
                value = None if target is None else _property(raw.content, target)
                fault = None
                if target is not None and value is None:
                    fault = f"it has no property {target!r}"
                named = {"ids": options.id_column, "names": options.name_column}
                called = {k: _property(raw.content, c) for k, c in named.items() if c is not None}
                called.setdefault("names", raw.name or None)
                own = None if value is None else parsed(value)
                yield _Row(Item(raw.row, raw.line, raw.content, fault), own, called)


def _property(record: str, name: str) -> str | None:
    """Return a data item of an SDF record; None if there is none."""
    found = re.search(rf"^>.*<{re.escape(name)}>.*\n(.*)$", record, re.MULTILINE)
    text = found.group(1).strip() if found else ""
    return text or None


def _text(value: Any) -> str | None:
    missing = value is None or value == "" or value != value
    return None if missing else str(value)


def _read(
    rows: Sequence[_Row], features: MoleculeFeatures, made: str, has_target: bool
) -> Labelled:
    read = read_batch([row.item for row in rows], features, made)
    failed = {failure.row for failure in read.failures}
    kept = [row for row in rows if row.item.row not in failed]
    names = {name for row in kept for name in row.called}
    graphs = read.graphs.with_identity(
        **{name: [row.called.get(name) for row in kept] for name in names}
    )
    values = [row.value for row in kept] if has_target else None
    return Labelled(graphs, values, read.failures, len(rows))


def _json_lines(path: str | os.PathLike[str], options: ReadOptions) -> Iterator[Labelled]:
    from aglets.io._opening import parse_json

    for batch in batches(path, options, BATCH):
        parts: list[GraphSet] = []
        values: list[Any] = []
        failures: list[Failure] = []
        for raw in batch:
            try:
                document = parse_json(raw.content, "this row")
                from_json: Any = GraphSet.from_json  # whether y comes, too, depends on the target
                read = from_json([document], target=options.target, **options.keys)
                parts.append(read[0] if options.target else read)
                values += read[1].tolist() if options.target else []
            except (ValueError, TypeError) as error:
                failures.append(Failure(raw.row, str(error), raw.line))
        if parts or failures:
            graphs = GraphSet.concatenate(parts) if parts else GraphSet.from_lists([], [])
            yield Labelled(graphs, values if options.target else None, failures, len(batch))


def _whole(path: str | os.PathLike[str], options: ReadOptions) -> Iterator[Labelled]:
    graphs, y = read_file(path, options)
    if y is not None and y.ndim != 1:
        raise ValueError(
            f"Expected one target per graph, but {os.fspath(path)} has {y.shape[1]}; "
            "keep one of them in its file."
        )
    for start in range(0, len(graphs), BATCH):
        part = graphs[start : start + BATCH]
        values = None if y is None else y[start : start + BATCH].tolist()
        yield Labelled(part, values, [], len(part))


def _side_by_side(
    work: Callable[..., Labelled], chunks: Iterator[Any], further: tuple[Any, ...], n_jobs: int
) -> Iterator[Labelled]:
    """Let several processes work, hand results on in order, and read no further than needed."""
    if n_jobs == 1:
        yield from (work(chunk, *further) for chunk in chunks)
        return
    # Fresh processes: those forked off this one would share locks and threads that they lack.
    with ProcessPoolExecutor(n_jobs, get_context("spawn")) as pool:
        waiting: deque[Future[Labelled]] = deque()
        for chunk in chunks:
            waiting.append(pool.submit(work, chunk, *further))
            if len(waiting) > 2 * n_jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
