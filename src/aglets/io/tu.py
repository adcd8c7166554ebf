"""The text format of the TU Dortmund collection, in both directions.

A folder NAME holds NAME_A.txt (edges, as pairs of node ids counted from 1 over all graphs),
NAME_graph_indicator.txt (the graph of every node), NAME_graph_labels.txt or
NAME_graph_attributes.txt (the class or target of every graph), and perhaps node_labels,
node_attributes, edge_labels and edge_attributes. Labels and attributes stay apart: labels must be
equal to match, attributes need only be near. The format has whole numbers for labels and no names;
a file NAME_names.json, written by `to_tu` where there is something to say, gives both.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Codes, Floats, Ints
from aglets.graphs.checks import (
    LARGEST_ATTRIBUTE,
    Vocabulary,
    encode,
    listing,
    offsets_of,
    vocabulary_of,
)
from aglets.graphs.edges import canonical_edges
from aglets.graphs.notes import note
from aglets.io._numbers import INEXACT_FROM, Numbers, line_number, read_numbers
from aglets.io._opening import parse_json, read_text
from aglets.io._targets import Targets
from aglets.io.registry import Format, register_format
from aglets.writing import new_folder, write_text

__all__ = ["from_tu", "read_tu", "to_tu"]


def read_tu(
    folder: str | Path, *, edge_labels: bool | None = None, edge_attributes: bool = False
) -> tuple[GraphSet, npt.NDArray[Any]]:
    """Read all graphs of a folder and what is to be predicted of them.

    Parameters
    ----------
    folder : path
        Holds NAME_A.txt and the files that belong to it.
    edge_labels : bool, optional
        Whether to read those of the edges, too; they are left out unless asked for, as in the
        paper, and if there are any a warning says so. False leaves them out without it.
    edge_attributes : bool
        Whether to read those of the edges, too.

    Returns
    -------
    graphs : GraphSet
        Without node labels, every node is labelled 0; labels of several columns become tuples.
    y : ndarray of shape (n_graphs,) or (n_graphs, n_targets)
        The graph labels as in the file; without them, the graph attributes as targets.
    """
    files = _Files.of(Path(folder))
    targets = files.targets()
    n_graphs = len(targets)
    graph_of = _graph_of_nodes(files, n_graphs)

    # Nodes come sorted by graph in every known file; the format does not promise it.
    order = np.argsort(graph_of, kind="stable")
    node_offsets = offsets_of(np.bincount(graph_of, minlength=n_graphs))
    position = np.empty(len(graph_of), dtype=np.int64)
    position[order] = np.arange(len(order)) - node_offsets[graph_of[order]]

    labels, vocabulary = _labels(files, "node_labels", "graph_indicator", len(graph_of))
    attributes = _attributes(files, "node_attributes", "graph_indicator", len(graph_of))

    ends = _edge_ends(files, graph_of)
    edge_codes, edge_vocabulary, edge_rows = None, None, None
    if edge_labels:
        files.require("edge_labels", "leave out edge_labels=True")
        edge_codes, edge_vocabulary = _labels(files, "edge_labels", "A", len(ends))
    elif edge_labels is None and files.path("edge_labels").is_file():
        note(
            f"{files.name} has edge labels, which are not used; read them with edge_labels=True, "
            "or leave them out without this note with edge_labels=False."
        )
    if edge_attributes:
        files.require("edge_attributes", "leave out edge_attributes=True")
        edge_rows = _attributes(files, "edge_attributes", "A", len(ends))
    edge_offsets, edges, edge_codes, edge_vocabulary, edge_rows = canonical_edges(
        node_offsets,
        graph_of[ends[:, 0]],
        position[ends],
        edge_codes,
        edge_vocabulary,
        edge_rows,
    )
    graphs = GraphSet(
        node_offsets=node_offsets,
        labels=labels[order],
        vocabulary=vocabulary,
        attributes=attributes[order],
        edge_offsets=edge_offsets,
        edges=edges,
        edge_labels=edge_codes,
        edge_vocabulary=edge_vocabulary,
        edge_attributes=edge_rows,
    )
    y = targets[:, 0] if targets.shape[1] == 1 else targets
    return _named(graphs, y, files) if files.names_path.is_file() else (graphs, y)


#: The same under the name that it has as a method of `GraphSet`.
from_tu = read_tu


@dataclass(frozen=True)
class _Files:
    """The files of one data set, by the part of their name after NAME_."""

    folder: Path
    name: str

    @classmethod
    def of(cls, folder: Path) -> _Files:
        if not folder.is_dir():
            raise ValueError(f"Expected a folder with a TU data set, but {folder} is none.")
        names = sorted(path.name.removesuffix("_A.txt") for path in folder.glob("*_A.txt"))
        if len(names) > 1 and folder.name not in names:
            raise ValueError(
                f"Expected one data set in {folder}, got {listing(names)}; "
                "put each in a folder of its own name."
            )
        return cls(folder, names[0] if len(names) == 1 else folder.resolve().name)

    def path(self, part: str) -> Path:
        return self.folder / f"{self.name}_{part}.txt"

    @property
    def names_path(self) -> Path:
        return self.folder / f"{self.name}_names.json"

    def file_name(self, part: str) -> str:
        return self.path(part).name

    def require(self, part: str, otherwise: str) -> None:
        if not self.path(part).is_file():
            raise ValueError(
                f"Expected a file {self.file_name(part)} in {self.folder}, but there is none; "
                f"{otherwise}."
            )

    def read(self, part: str) -> Numbers:
        self.require(part, "fetch the data set again")
        return read_numbers(self.path(part))

    def line(self, part: str, row: int) -> int:
        return line_number(self.path(part), int(row))

    def targets_part(self) -> str:
        for part in ("graph_labels", "graph_attributes"):
            if self.path(part).is_file():
                return part
        raise ValueError(
            f"Expected a file {self.file_name('graph_labels')} or "
            f"{self.file_name('graph_attributes')} in {self.folder}, but there is neither; "
            "it has the class or the target of every graph."
        )

    def targets(self) -> Numbers:
        part = self.targets_part()
        table = self.read(part)
        if not len(table):
            raise ValueError(
                f"Expected one line per graph in {self.file_name(part)}, got an empty file."
            )
        _check_finite(self, part, table)
        if part == "graph_attributes":
            return table.astype(np.float64)
        _check_distinct(self, part, table)
        return table


def _graph_of_nodes(files: _Files, n_graphs: int) -> Ints:
    """Return the graph (from 0) of every node; graphs without nodes are simply never named."""
    column = _whole(files, "graph_indicator", width=1)[:, 0]
    wrong = np.flatnonzero((column < 1) | (column > n_graphs))
    if len(wrong):
        faults = [
            f"line {files.line('graph_indicator', row)} puts node {row + 1} in graph {column[row]}"
            for row in wrong[:5]
        ]
        part = files.targets_part()
        raise ValueError(
            f"{files.file_name(part)} lists {n_graphs} graphs, but in "
            f"{files.file_name('graph_indicator')} {listing(faults, total=len(wrong))}; "
            "graphs are numbered from 1 in the order of that file."
        )
    return column - 1


def _edge_ends(files: _Files, graph_of: Ints) -> Ints:
    """Return both ends of every edge line as node rows (from 0), checked."""
    table = _whole(files, "A", width=2)
    outside = np.flatnonzero(((table < 1) | (table > len(graph_of))).any(axis=1))
    if len(outside):
        raise ValueError(
            f"{files.file_name('graph_indicator')} lists {len(graph_of)} nodes, but in "
            f"{files.file_name('A')} {_joins(files, table, outside)}; nodes are numbered from 1 "
            "over all graphs."
        )
    ends = table - 1
    across = np.flatnonzero(graph_of[ends[:, 0]] != graph_of[ends[:, 1]])
    if len(across):
        u, v = ends[across[0]]
        raise ValueError(
            f"Expected both ends of an edge in one graph, but in {files.file_name('A')} "
            f"{_joins(files, table, across)}; node {u + 1} is in graph {graph_of[u] + 1}, "
            f"node {v + 1} in graph {graph_of[v] + 1}, so correct one of the two files."
        )
    return ends


def _joins(files: _Files, table: Ints, rows: Ints) -> str:
    named = [
        f"line {files.line('A', row)} joins {table[row, 0]} and {table[row, 1]}" for row in rows[:5]
    ]
    return listing(named, total=len(rows))


def _labels(files: _Files, part: str, counted_in: str, count: int) -> tuple[Codes, Vocabulary]:
    """Return label codes and their vocabulary: plain numbers, or tuples of several columns."""
    if not files.path(part).is_file():
        return np.zeros(count, dtype=np.int32), (0,) if count else ()
    table = files.read(part)
    _check_count(files, part, counted_in, len(table), count)
    if not count:
        return np.zeros(0, dtype=np.int32), ()
    _check_finite(files, part, table)
    _check_distinct(files, part, table)
    distinct, codes = np.unique(table, axis=0, return_inverse=True)
    rows = distinct.tolist()
    vocabulary = tuple(row[0] for row in rows) if table.shape[1] == 1 else tuple(map(tuple, rows))
    return codes.reshape(-1).astype(np.int32), vocabulary


def _attributes(files: _Files, part: str, counted_in: str, count: int) -> Floats:
    if not files.path(part).is_file():
        return np.empty((count, 0))
    table = files.read(part).astype(np.float64)
    _check_count(files, part, counted_in, len(table), count)
    _check_finite(files, part, table)
    huge = np.flatnonzero((abs(table) > LARGEST_ATTRIBUTE).any(axis=1))
    if len(huge):
        named = [f"{abs(table[row]).max():g} in line {files.line(part, row)}" for row in huge[:5]]
        raise ValueError(
            f"Expected attributes of at most {LARGEST_ATTRIBUTE:g} in {files.file_name(part)}, so "
            f"that they can be squared, got {listing(named, total=len(huge))}; write them in "
            "another unit."
        )
    return table


def _whole(files: _Files, part: str, width: int) -> Ints:
    """Read a file of whole numbers with this many in a line."""
    table = files.read(part)
    if not len(table):
        return np.empty((0, width), dtype=np.int64)
    if table.shape[1] != width:
        raise ValueError(
            f"Expected {width} whole {'number' if width == 1 else 'numbers'} in every line of "
            f"{files.file_name(part)}, got {table.shape[1]}; fetch the data set again."
        )
    if table.dtype != np.int64:
        odd = (table != np.rint(table)) | (abs(table) >= INEXACT_FROM)
        row = int(np.flatnonzero(odd.any(axis=1))[0])
        raise ValueError(
            f"Expected whole numbers in {files.file_name(part)}, got {table[row].tolist()} in line "
            f"{files.line(part, row)}; correct the file or fetch it again."
        )
    return table


def _check_distinct(files: _Files, part: str, table: Numbers) -> None:
    """Raise where whole numbers are so large that different ones may have become one."""
    large = (abs(table) >= INEXACT_FROM).any(axis=1) if table.dtype != np.int64 else table[:0, 0]
    wrong = np.flatnonzero(large)
    if len(wrong):
        named = [f"{abs(table[row]).max():g} in line {files.line(part, row)}" for row in wrong[:5]]
        raise ValueError(
            f"Expected labels below 2**53 in {files.file_name(part)}, for larger numbers cannot be "
            f"distinguished, got {listing(named, total=len(wrong))}; give them other numbers."
        )


def _check_count(files: _Files, part: str, counted_in: str, came: int, expected: int) -> None:
    if came != expected:
        owner = "edge line" if counted_in == "A" else "node"
        raise ValueError(
            f"Expected one line per {owner} in {files.file_name(part)}, but it has {came} where "
            f"{files.file_name(counted_in)} has {expected}; fetch the data set again."
        )


def _check_finite(files: _Files, part: str, table: Numbers) -> None:
    wrong = np.flatnonzero(~np.isfinite(table).all(axis=1))
    if len(wrong):
        named = [
            f"{table[row][~np.isfinite(table[row])][0]} in line {files.line(part, row)}"
            for row in wrong[:5]
        ]
        raise ValueError(
            f"Expected finite numbers in {files.file_name(part)}, got "
            f"{listing(named, total=len(wrong))}; fill in or leave out missing values first."
        )


def to_tu(
    graphs: GraphSet,
    folder: str | os.PathLike[str],
    y: Sequence[Any] | Targets,
    *,
    name: str | None = None,
) -> None:
    """Write a data set in the format of the TU collection.

    Parameters
    ----------
    graphs : GraphSet
        Labels that are not whole numbers are written as codes, and spelled out in NAME_names.json.
    folder : path
        A new folder, or an empty one; its files appear together, when all are written.
    y : sequence of shape (n_graphs,)
        Numbers with a fraction become graph_attributes, all else graph_labels.
    name : str, optional
        NAME, the beginning of all file names; else that of the folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from aglets import GraphSet, datasets
    >>> graphs = GraphSet.from_lists(labels=["CO", "C"], edges=[[(0, 1)], []])
    >>> with TemporaryDirectory() as folder:
    ...     graphs.to_tu(Path(folder, "DUO"), y=[1, -1])
    ...     again, y = datasets.load_tu(Path(folder, "DUO"))
    >>> again == graphs, y.tolist()
    (True, [1, -1])
    """
    folder = Path(folder)
    values = np.asarray(y)
    if len(values) != len(graphs):
        raise ValueError(
            f"Expected y to hold one value for each of the {len(graphs)} graphs, "
            f"got shape {values.shape}."
        )
    if (graphs.labels < 0).any():
        raise ValueError("Expected graphs whose labels are all known, but some are -1.")
    with new_folder(folder) as aside:
        _write_parts(graphs, values, _Files(aside, name or folder.resolve().name))


def _write_parts(graphs: GraphSet, values: npt.NDArray[Any], files: _Files) -> None:
    names: dict[str, Any] = {}
    _write(files, "A", graphs.ends + 1)
    _write(files, "graph_indicator", np.repeat(np.arange(len(graphs)) + 1, graphs.n_nodes)[:, None])
    _write(files, "node_labels", _codes(graphs.labels, graphs.vocabulary, names, "labels"))
    if graphs.n_attributes:
        _write(files, "node_attributes", graphs.attributes)
    if graphs.edge_labels is not None and graphs.edge_vocabulary is not None:
        codes = _codes(graphs.edge_labels, graphs.edge_vocabulary, names, "edge_labels")
        _write(files, "edge_labels", codes)
    if graphs.edge_attributes is not None:
        _write(files, "edge_attributes", graphs.edge_attributes)
    if values.dtype.kind == "f":
        _write(files, "graph_attributes", values.reshape(len(graphs), -1))
    else:
        classes = vocabulary_of(values.tolist())
        coded = _codes(encode(values.tolist(), classes), classes, names, "classes")
        _write(files, "graph_labels", coded)
    for key in ("attribute_names", "edge_attribute_names"):
        if getattr(graphs, key) is not None:
            names[key] = getattr(graphs, key)
    if names:
        write_text(files.names_path, json.dumps(names) + "\n")


def _codes(codes: Codes, vocabulary: Vocabulary, names: dict[str, Any], key: str) -> Numbers:
    """Return a column of whole numbers; where labels are something else, note what they mean."""
    if all(type(value) is int for value in vocabulary):
        return np.array(vocabulary, dtype=np.int64)[codes][:, None]
    names[key] = list(vocabulary)
    return codes[:, None]


def _write(files: _Files, part: str, table: Numbers) -> None:
    lines = [", ".join(map(repr, row)) for row in table.tolist()]
    write_text(files.path(part), "".join(f"{line}\n" for line in lines))


def _named(graphs: GraphSet, y: Targets, files: _Files) -> tuple[GraphSet, Targets]:
    """Put names in the place of codes, as NAME_names.json gives them."""
    try:
        names = parse_json(read_text(files.names_path), files.names_path.name)
        known: dict[str, Any] = {key: _tuple(value) for key, value in names.items()}
        changes: dict[str, Any] = {}
        if "labels" in known:
            changes["vocabulary"] = _named_codes(known["labels"], graphs.vocabulary)
        if "edge_labels" in known and graphs.edge_vocabulary is not None:
            changes["edge_vocabulary"] = _named_codes(known["edge_labels"], graphs.edge_vocabulary)
        for key, count in (
            ("attribute_names", graphs.n_attributes),
            ("edge_attribute_names", graphs.n_edge_attributes),
        ):
            if key in known and count:
                changes[key] = known[key]
        if "classes" in known:
            y = np.array(_named_codes(known["classes"], y.tolist()))
        return replace(graphs, **changes), y
    except (AttributeError, IndexError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"Expected {files.names_path.name} to name the labels and attributes of this data set, "
            f"but it does not fit ({error}); write the data set again, or delete that file."
        ) from error


def _named_codes(names: Any, codes: Sequence[Any]) -> tuple[Any, ...]:
    """Take the names of codes, which count from 0."""
    if not isinstance(names, tuple) or min(codes, default=0) < 0:
        raise ValueError("a list with a name for every number is missing")
    named = tuple(names[code] for code in codes)
    hash(named)  # a TypeError if one cannot be a label
    return named


def _tuple(value: Any) -> Any:
    return tuple(map(_tuple, value)) if isinstance(value, list) else value


def _write_file(graphs: GraphSet, path: Path, y: Targets | None) -> None:
    if y is None:
        raise ValueError(
            "Expected a target for every graph, for a TU folder has to list them; "
            "name the target to read."
        )
    to_tu(graphs, path, y)


register_format(
    Format(
        "tu",
        (),
        lambda path, options: read_tu(path, edge_labels=options.edge_labels),
        ("edge_labels",),
        _write_file,
    )
)
