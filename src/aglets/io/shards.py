"""Graphs in a folder of shard files: columns that are mapped into memory, for sets of any size.

A shard file is self-contained: a header in JSON says what its columns are, which labels their codes
mean, and what the graphs add up to (`GraphFacts`); the columns follow, each as plain little-endian
numbers. Who opens the folder reads headers only. Graph i of the source is in file i modulo their
number, so that files are alike, and the order of the source is known.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zlib
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.graphs import GraphSet
from aglets.graphs.checks import vocabulary_of
from aglets.graphs.label_values import decode_value, encode_value
from aglets.graphs.moments import Moments
from aglets.graphs.stored import GraphFacts, GraphFile, StoredGraphs, TargetFacts
from aglets.io._targets import Targets
from aglets.io.registry import Format, ReadOptions, register_format
from aglets.writing import append_bytes, new_folder, replacing, write_text

__all__ = ["MANIFEST", "ShardSet", "ShardWriter", "is_shard_folder", "writing_shards"]

PathLike = str | os.PathLike[str]

MANIFEST, KIND, VERSION = "shards.json", "shards of aglets", 1
MAGIC = b"AGLSHARD"
#: Columns begin at multiples of this.
ALIGNED = 64
#: What is not yet written is at most this many bytes, over all files.
BUFFER_BYTES = 32 << 20
#: Rows of attributes that are summed up at a time.
BLOCK = 1 << 18
#: Targets with more different values than this are not counted one by one.
MAX_CLASSES = 10_000
#: Largest header that is read.
MAX_HEADER = 1 << 28

#: Column -> type and width; None is the number of attributes.
_COLUMNS: dict[str, tuple[str, int | str]] = {
    "n_nodes": ("<i4", 1),
    "labels": ("<i4", 1),
    "attributes": ("<f8", "n_attributes"),
    "n_edges": ("<i4", 1),
    "edges": ("<i4", 2),
    "edge_labels": ("<i4", 1),
    "edge_attributes": ("<f8", "n_edge_attributes"),
    "y": ("<f8", 1),
    "classes": ("<i4", 1),
    "texts": ("<u1", 1),
}
#: What the source calls each graph; texts of one shard are JSON lines.
_TEXTS = ("ids", "names", "smiles")


@dataclass(frozen=True)
class ShardFile(GraphFile):
    """One file: where its columns are, what they mean, what they add up to."""

    path: Path
    header: Mapping[str, Any]
    start: int
    facts: GraphFacts

    def read(self, *, identity: bool = False) -> tuple[GraphSet, Targets | None]:
        """Map the columns into memory; ``identity`` asks for names, ids and SMILES, too."""
        try:
            return self._read(identity)
        except (ValueError, KeyError, TypeError, IndexError, OSError, OverflowError) as error:
            raise ValueError(_damaged(self.path, error)) from error

    def _read(self, identity: bool) -> tuple[GraphSet, Targets | None]:
        columns = {name: self._column(name) for name in self.header["columns"]}
        n_nodes, n_edges = columns.pop("n_nodes"), columns.pop("n_edges")
        y, codes, texts = (columns.pop(name, None) for name in ("y", "classes", "texts"))
        vocabulary, edge_vocabulary = _vocabularies(self.header)
        graphs = GraphSet(
            node_offsets=_offsets(n_nodes),
            edge_offsets=_offsets(n_edges),
            vocabulary=vocabulary,
            edge_vocabulary=edge_vocabulary,
            attribute_names=_names(self.header["attribute_names"]),
            edge_attribute_names=_names(self.header["edge_attribute_names"]),
            recipe=self.header["recipe"],
            **columns,
        )
        _check(graphs)
        if identity and texts is not None:
            lines = bytes(texts).decode("utf-8").splitlines()
            called = [json.loads(line) for line in lines]
            graphs = graphs.with_identity(
                **{name: _present([own.get(name) for own in called]) for name in _TEXTS}
            )
        return graphs, self._targets(y, codes)

    def read_targets(self) -> Targets | None:
        """Read nothing but the targets."""
        try:
            has = [name in self.header["columns"] for name in ("y", "classes")]
            columns = [
                self._column(n) if h else None for n, h in zip(("y", "classes"), has, strict=True)
            ]
            return self._targets(*columns)
        except (ValueError, KeyError, TypeError, IndexError, OSError, OverflowError) as error:
            raise ValueError(_damaged(self.path, error)) from error

    def _targets(
        self, y: npt.NDArray[Any] | None, codes: npt.NDArray[Any] | None
    ) -> Targets | None:
        if codes is not None:
            return np.asarray(np.array([str(value) for value in self.header["classes"]])[codes])
        if y is not None and self.header["whole"]:
            return np.asarray(y, dtype=np.int64)
        return None if y is None else np.array(y)

    def _column(self, name: str) -> npt.NDArray[Any]:
        dtype, shape, offset, checksum = self.header["columns"][name]
        if dtype != _COLUMNS[name][0]:
            raise ValueError(f"the column {name} is of type {dtype}")
        column: npt.NDArray[Any] = np.empty(tuple(shape), dtype=dtype)
        if column.size:
            place = self.start + int(offset)
            column = np.memmap(self.path, dtype, "r", place, tuple(shape))
        if _checksum(column) != checksum:
            raise ValueError(f"the column {name} was changed")
        return column


@dataclass(frozen=True)
class ShardSet(StoredGraphs):
    """Graphs in a folder that ``aglets data shard`` wrote; none of them is in memory.

    Estimators take it in place of a `GraphSet`, and engines let their workers read the files.

    Parameters
    ----------
    folder : Path
    files : tuple of ShardFile

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> graphs = GraphSet.from_lists(labels=["CCO", "CO", "CN"], edges=[[(0, 1), (1, 2)], [], []])
    >>> with TemporaryDirectory() as place:
    ...     with writing_shards(Path(place, "shards"), 2) as writer:
    ...         writer.add(graphs, ["a", "b", "a"])
    ...     shards = ShardSet.open(Path(place, "shards"))
    ...     len(shards), len(shards.files), shards.vocabulary, shards.target.counts
    (3, 2, ('C', 'N', 'O'), {'a': 2, 'b': 1})
    """

    folder: Path
    files: tuple[ShardFile, ...]

    @classmethod
    def open(cls, folder: PathLike) -> ShardSet:
        """Read the headers of all files of a folder."""
        place = Path(folder)
        manifest = place / MANIFEST
        try:
            document = json.loads(manifest.read_text(encoding="utf-8"))
            if document["kind"] != KIND:
                raise ValueError("it is of another kind")
            if document["version"] != VERSION:
                raise ValueError(f"it is of version {document['version']}, not {VERSION}")
            names = [str(name) for name in document["files"]]
        except FileNotFoundError:
            raise ValueError(
                f"Expected a folder that `aglets data shard` wrote, but {place} has no {MANIFEST}."
            ) from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(_damaged(manifest, error)) from error
        return cls(place, tuple(_opened(place / name) for name in names))

    @property
    def header(self) -> Mapping[str, Any]:
        """What all files have in common."""
        return self.files[0].header

    @property
    def vocabulary(self) -> tuple[Hashable, ...]:
        """The node labels."""
        return _vocabularies(self.header)[0]

    @property
    def edge_vocabulary(self) -> tuple[Hashable, ...] | None:
        """The edge labels; None if edges have none."""
        return _vocabularies(self.header)[1]

    @property
    def attribute_names(self) -> tuple[str, ...] | None:
        """Names of node attributes."""
        return _names(self.header["attribute_names"])

    @property
    def edge_attribute_names(self) -> tuple[str, ...] | None:
        """Names of edge attributes."""
        return _names(self.header["edge_attribute_names"])

    @property
    def recipe(self) -> str | None:
        """How a reader made labels and attributes."""
        recipe: str | None = self.header["recipe"]
        return recipe

    @property
    def fingerprint(self) -> str:
        """The headers of all files, which hold checksums of their columns, in few letters."""
        digest = hashlib.sha256()
        for file in self.files:
            digest.update(json.dumps(file.header, sort_keys=True).encode())
        return digest.hexdigest()

    def targets(self) -> Targets:
        """Read the targets of all graphs, those of one file behind those of another."""
        _ = self.target  # says what is wrong if there are none
        found = [file.read_targets() for file in self.files]
        return np.concatenate([y for y in found if y is not None])

    @property
    def facts(self) -> GraphFacts:
        """What all graphs add up to."""
        parts = [file.facts for file in self.files]
        return GraphFacts(
            sum(part.n_graphs for part in parts),
            sum(part.n_nodes for part in parts),
            sum(part.n_edges for part in parts),
            Moments.total([part.nodes for part in parts]),
            Moments.total([part.edges for part in parts]),
            np.sum([part.graphs_with for part in parts], axis=0),
            None if any(part.target is None for part in parts) else self.target,
        )

    @property
    def target(self) -> TargetFacts:
        """What is known of all targets."""
        parts = [file.facts.target for file in self.files]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            raise ValueError(
                f"Expected targets in {self.folder}, but it was written without; "
                "write it again with --target."
            )
        counts: Counter[Any] | None = Counter()
        for part in known:
            counts = (
                None if counts is None or part.counts is None else counts + Counter(part.counts)
            )
        lowest = [part.lowest for part in known if part.lowest is not None]
        highest = [part.highest for part in known if part.highest is not None]
        return TargetFacts(
            None if counts is None or len(counts) > MAX_CLASSES else _sorted(counts),
            min(lowest) if lowest else None,
            max(highest) if highest else None,
        )

    def read(self) -> tuple[GraphSet, Targets | None]:
        """Read all graphs into memory, in the order of the source."""
        parts = [file.read(identity=True) for file in self.files]
        whole = GraphSet.concatenate([graphs for graphs, _ in parts])
        sizes = [len(graphs) for graphs, _ in parts]
        place = np.concatenate([np.arange(n) * len(parts) + k for k, n in enumerate(sizes)])
        order = np.argsort(place, kind="stable")
        targets = [y for _, y in parts if y is not None]
        return whole[order], np.concatenate(targets)[order] if len(targets) == len(parts) else None


@dataclass
class ShardWriter:
    """Deals graphs to files in one pass; only a few megabytes are in memory at any time.

    Parameters
    ----------
    folder : Path
        A folder that is being made.
    n_shards : int
    """

    folder: Path
    n_shards: int
    n_graphs: int = 0
    _codes: dict[Hashable, int] = field(default_factory=dict)
    _edge_codes: dict[Hashable, int] = field(default_factory=dict)
    _classes: dict[Any, int] = field(default_factory=dict)
    _first: GraphSet | None = None
    _has_y: bool = False
    _words: bool = False
    _whole: bool = True
    _waiting: dict[tuple[int, str], list[bytes]] = field(default_factory=dict)
    _n_waiting: int = 0

    def add(self, graphs: GraphSet, y: Sequence[Any] | None = None) -> None:
        """Take further graphs, with their targets if there are any."""
        if not len(graphs):
            return
        if self._first is None:
            self._first, self._has_y = graphs[:1], y is not None
        _check_alike(self._first, graphs)
        labels = _recoded(graphs.labels, graphs.vocabulary, self._codes)
        edge_labels = None
        if graphs.edge_labels is not None:
            edge_labels = _recoded(
                graphs.edge_labels, graphs.edge_vocabulary or (), self._edge_codes
            )
        numbers, codes = self._targets(y)
        node_shard = (np.arange(len(graphs)) + self.n_graphs) % self.n_shards
        for shard in range(min(self.n_shards, len(graphs))):
            shard = int(node_shard[shard])
            own = node_shard == shard
            nodes, edges = np.repeat(own, graphs.n_nodes), np.repeat(own, graphs.n_edges)
            columns: dict[str, npt.NDArray[Any] | None] = {
                "n_nodes": graphs.n_nodes[own],
                "labels": labels[nodes],
                "attributes": graphs.attributes[nodes],
                "n_edges": graphs.n_edges[own],
                "edges": graphs.edges[edges],
                "edge_labels": None if edge_labels is None else edge_labels[edges],
                "edge_attributes": (
                    None if graphs.edge_attributes is None else graphs.edge_attributes[edges]
                ),
                "y": None if numbers is None else numbers[own],
                "classes": None if codes is None else codes[own],
            }
            for name, column in columns.items():
                if column is not None:
                    self._keep(shard, name, column.astype(_COLUMNS[name][0]).tobytes())
            self._keep(shard, "texts", _texts(graphs, np.flatnonzero(own)))
        self.n_graphs += len(graphs)
        if self._n_waiting > BUFFER_BYTES:
            self._flush()

    @property
    def n_files(self) -> int:
        """Number of files that hold a graph."""
        return min(self.n_shards, self.n_graphs)

    def finish(self) -> None:
        """Put the columns of every file together, with what they add up to."""
        if self._first is None:
            raise ValueError("Expected graphs to write, but there are none.")
        self._flush()
        for shard in range(self.n_files):
            self._pack(shard)
        document = {
            "kind": KIND,
            "version": VERSION,
            "n_graphs": self.n_graphs,
            "files": [_file_name(shard) for shard in range(self.n_files)],
        }
        write_text(self.folder / MANIFEST, json.dumps(document, indent=1))

    def _targets(
        self, y: Sequence[Any] | None
    ) -> tuple[npt.NDArray[Any] | None, npt.NDArray[Any] | None]:
        if (y is not None) != self._has_y:
            raise ValueError("Expected targets in all inputs, or in none of them.")
        if y is None:
            return None, None
        values = [v.item() if isinstance(v, np.generic) else v for v in y]
        for value in values:
            if isinstance(value, (bool, int, float)):
                self._whole &= isinstance(value, int)
            else:
                self._words = True
        if self._words or len(self._classes) <= MAX_CLASSES:
            for value in values:
                self._classes.setdefault(value, len(self._classes))
            if self._words and len(self._classes) > MAX_CLASSES:
                raise ValueError(
                    f"Expected numbers or at most {MAX_CLASSES} classes to predict, but there are "
                    f"more different texts, such as {values[-1]!r}."
                )
        numbers = np.array(
            [v if isinstance(v, (bool, int, float)) else np.nan for v in values], float
        )
        return numbers, np.array([self._classes.get(v, -1) for v in values], dtype=np.int32)

    def _keep(self, shard: int, name: str, data: bytes) -> None:
        self._waiting.setdefault((shard, name), []).append(data)
        self._n_waiting += len(data)

    def _flush(self) -> None:
        for (shard, name), pieces in self._waiting.items():
            append_bytes(self._column_path(shard, name), b"".join(pieces))
        self._waiting, self._n_waiting = {}, 0

    def _column_path(self, shard: int, name: str) -> Path:
        return self.folder / f"{_file_name(shard)}.{name}"

    def _stored(self, shard: int, name: str) -> npt.NDArray[Any]:
        """Map a column that was appended to."""
        path, (dtype, width) = self._column_path(shard, name), _COLUMNS[name]
        assert self._first is not None
        columns = getattr(self._first, width) if isinstance(width, str) else width
        shape = (-1, columns) if columns != 1 or isinstance(width, str) else (-1,)
        if not path.is_file() or not path.stat().st_size:
            n_rows = 0
            if columns == 0:
                size = self._column_path(shard, "labels" if name == "attributes" else "edges")
                n_rows = size.stat().st_size // (4 if name == "attributes" else 8)
            return np.empty((n_rows, columns) if len(shape) == 2 else 0, dtype)
        return np.memmap(path, dtype, "r").reshape(shape)

    def _pack(self, shard: int) -> None:
        assert self._first is not None
        vocabulary, recode = _final(self._codes)
        edge_vocabulary, edge_recode = _final(self._edge_codes)
        has = {
            "edge_labels": self._first.edge_labels is not None,
            "edge_attributes": self._first.edge_attributes is not None,
            "y": self._has_y and not self._words,
            "classes": self._has_y and self._words,
        }
        columns = {n: self._stored(shard, n) for n in _COLUMNS if has.get(n, True)}
        columns["labels"] = recode[columns["labels"]]
        if "edge_labels" in columns:
            columns["edge_labels"] = edge_recode[columns["edge_labels"]]
        texts = sorted({str(value) for value in self._classes}) if self._words else []
        if "classes" in columns:
            at = np.array([texts.index(str(value)) for value in self._classes], dtype=np.int32)
            columns["classes"] = at[columns["classes"]]
        header = {
            "version": VERSION,
            "n_attributes": self._first.n_attributes,
            "n_edge_attributes": self._first.n_edge_attributes,
            "vocabulary": [encode_value(value) for value in vocabulary],
            "edge_vocabulary": (
                [encode_value(value) for value in edge_vocabulary] if has["edge_labels"] else None
            ),
            "attribute_names": self._first.attribute_names,
            "edge_attribute_names": self._first.edge_attribute_names,
            "recipe": self._first.recipe,
            "classes": texts,
            "whole": self._whole,
            "facts": _facts_document(
                columns, len(vocabulary), len(edge_vocabulary), texts, self._whole
            ),
        }
        _write(self.folder / _file_name(shard), header, columns)
        del columns  # Windows removes no file that is mapped
        for name in _COLUMNS:
            self._column_path(shard, name).unlink(missing_ok=True)


class writing_shards:  # noqa: N801 - used like a function
    """Make a folder of shards, whole or not at all; gives its `ShardWriter`."""

    def __init__(self, folder: PathLike, n_shards: int) -> None:
        if n_shards < 1:
            raise ValueError(f"Expected at least one shard. Got {n_shards} instead.")
        self._making = new_folder(folder)
        self._n_shards = n_shards

    def __enter__(self) -> ShardWriter:
        self._writer = ShardWriter(self._making.__enter__(), self._n_shards)
        return self._writer

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool | None:
        if kind is None:
            try:
                self._writer.finish()
            except BaseException as failed:
                if not self._making.__exit__(type(failed), failed, failed.__traceback__):
                    raise
        return self._making.__exit__(kind, error, trace)


def is_shard_folder(path: PathLike) -> bool:
    """Whether a folder is one of shards."""
    return Path(path, MANIFEST).is_file()


def _file_name(shard: int) -> str:
    return f"{shard:05d}.shard"


def _final(codes: Mapping[Hashable, int]) -> tuple[tuple[Hashable, ...], npt.NDArray[np.int32]]:
    """Order the labels that were met, and say what becomes of their first codes."""
    vocabulary = vocabulary_of(codes)
    place = {value: k for k, value in enumerate(vocabulary)}
    recode = np.full(len(codes) + 1, -1, dtype=np.int32)  # -1, no label, is the last
    for value, code in codes.items():
        recode[code] = place[value]
    return vocabulary, recode


def _recoded(
    codes: npt.NDArray[np.int32], vocabulary: Sequence[Hashable], known: dict[Hashable, int]
) -> npt.NDArray[np.int32]:
    used = np.unique(codes[codes >= 0])
    table = np.full(len(vocabulary) + 1, -1, dtype=np.int32)
    for code in used.tolist():
        table[code] = known.setdefault(vocabulary[code], len(known))
    return np.asarray(table[codes])


def _texts(graphs: GraphSet, rows: npt.NDArray[Any]) -> bytes:
    named = {name: getattr(graphs, name) for name in _TEXTS if getattr(graphs, name) is not None}
    if not named:
        return b""
    lines = [{name: texts[row] for name, texts in named.items()} for row in rows.tolist()]
    return "".join(json.dumps(line) + "\n" for line in lines).encode("ascii")


def _check_alike(first: GraphSet, graphs: GraphSet) -> None:
    for what, name in (("attributes", "n_attributes"), ("edge attributes", "n_edge_attributes")):
        one, two = getattr(first, name), getattr(graphs, name)
        if one != two:
            raise ValueError(
                f"Expected the same number of {what} in all inputs. Got {one}, and then {two}."
            )
    if (first.edge_labels is None) != (graphs.edge_labels is None):
        raise ValueError("Expected edge labels in all inputs, or in none of them.")
    if first.attribute_names != graphs.attribute_names:
        raise ValueError(
            f"Expected the same attributes in all inputs. Got {first.attribute_names}, and then "
            f"{graphs.attribute_names}."
        )


def _facts_document(
    columns: Mapping[str, npt.NDArray[Any]],
    n_labels: int,
    n_edge_labels: int,
    classes: Sequence[str],
    whole: bool,
) -> dict[str, Any]:
    graph_of = np.repeat(np.arange(len(columns["n_nodes"])), columns["n_nodes"])
    labels = columns["labels"]
    seen = np.unique(graph_of[labels >= 0] * max(n_labels, 1) + labels[labels >= 0])
    edge_labels = columns.get("edge_labels", np.zeros(len(columns["edges"]), dtype=np.int32))
    edge_rows = columns.get("edge_attributes", np.empty((len(edge_labels), 0)))
    target: dict[str, Any] | None = None
    if "classes" in columns:
        counts = np.bincount(columns["classes"], minlength=len(classes)).tolist()
        found = [[value, n] for value, n in zip(classes, counts, strict=True) if n]
        target = {"counts": found, "lowest": None, "highest": None}
    elif "y" in columns:
        values, numbers = np.unique(columns["y"], return_counts=True)
        listed = values.astype(np.int64).tolist() if whole else values.tolist()
        few = len(listed) <= MAX_CLASSES
        target = {
            "counts": [list(pair) for pair in zip(listed, numbers.tolist(), strict=True)]
            if few
            else None,
            "lowest": float(values.min(initial=np.inf)),
            "highest": float(values.max(initial=-np.inf)),
        }
    return {
        "n_graphs": len(columns["n_nodes"]),
        "n_nodes": len(labels),
        "n_edges": len(columns["edges"]),
        "nodes": _moments_document(columns["attributes"], labels, n_labels),
        "edges": _moments_document(edge_rows, edge_labels, max(n_edge_labels, 1)),
        "graphs_with": np.bincount(seen % max(n_labels, 1), minlength=n_labels).tolist(),
        "target": target,
    }


def _moments_document(rows: Any, groups: Any, n_groups: int) -> dict[str, Any]:
    starts = range(0, max(len(rows), 1), BLOCK)
    parts = [Moments.of(rows[i : i + BLOCK], groups[i : i + BLOCK], n_groups) for i in starts]
    whole = Moments.total(parts)
    return {name: getattr(whole, name).tolist() for name in ("count", "mean", "squares", "largest")}


def _write(path: Path, header: dict[str, Any], columns: Mapping[str, npt.NDArray[Any]]) -> None:
    placed, offset = {}, 0
    for name, column in columns.items():
        placed[name] = [_COLUMNS[name][0], list(column.shape), offset, _checksum(column)]
        offset += -(-column.nbytes // ALIGNED) * ALIGNED
    text = json.dumps(header | {"columns": placed}).encode("ascii")
    with replacing(path) as file:
        start = MAGIC + struct.pack("<Q", len(text)) + text
        file.write(start + b" " * (-len(start) % ALIGNED))
        for column in columns.values():
            for block in _blocks(column):
                file.write(block)
            file.write(b"\0" * (-column.nbytes % ALIGNED))


def _blocks(column: npt.NDArray[Any]) -> Iterator[bytes]:
    """Yield the bytes of a column, some at a time."""
    for i in range(0, len(column), BLOCK):
        yield np.ascontiguousarray(column[i : i + BLOCK]).tobytes()


def _checksum(column: npt.NDArray[Any]) -> int:
    checksum = 0
    for block in _blocks(column):
        checksum = zlib.crc32(block, checksum)
    return checksum


def _opened(path: Path) -> ShardFile:
    try:
        with path.open("rb") as file:
            magic, size = struct.unpack("<8sQ", file.read(16))
            if magic != MAGIC or size > MAX_HEADER:
                raise ValueError("it does not begin like one")
            header = json.loads(file.read(size).decode("ascii"))
        start = -(-(16 + size) // ALIGNED) * ALIGNED
        return ShardFile(path, header, start, _facts(header))
    except FileNotFoundError:
        raise ValueError(
            f"Expected the shard {path}, but it is missing; write the folder again."
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, struct.error, RecursionError) as error:
        raise ValueError(_damaged(path, error)) from error


def _facts(header: Mapping[str, Any]) -> GraphFacts:
    facts = header["facts"]
    vocabulary, edge_vocabulary = _vocabularies(header)
    target = facts["target"]
    return GraphFacts(
        int(facts["n_graphs"]),
        int(facts["n_nodes"]),
        int(facts["n_edges"]),
        _moments(facts["nodes"], len(vocabulary), int(header["n_attributes"])),
        _moments(facts["edges"], len(edge_vocabulary or ("",)), int(header["n_edge_attributes"])),
        np.array(facts["graphs_with"], dtype=np.float64).reshape(len(vocabulary)),
        None
        if target is None
        else TargetFacts(
            None if target["counts"] is None else dict(map(tuple, target["counts"])),
            target["lowest"],
            target["highest"],
        ),
    )


def _moments(document: Mapping[str, Any], n_groups: int, width: int) -> Moments:
    arrays = {name: np.array(values, dtype=np.float64) for name, values in document.items()}
    return Moments(
        arrays["count"].reshape(n_groups),
        arrays["mean"].reshape(n_groups, width),
        arrays["squares"].reshape(n_groups, width),
        arrays["largest"].reshape(width),
    )


def _vocabularies(
    header: Mapping[str, Any],
) -> tuple[tuple[Hashable, ...], tuple[Hashable, ...] | None]:
    edges = header["edge_vocabulary"]
    return (
        tuple(decode_value(value) for value in header["vocabulary"]),
        None if edges is None else tuple(decode_value(value) for value in edges),
    )


def _names(names: Any) -> tuple[str, ...] | None:
    return None if names is None else tuple(map(str, names))


def _present(texts: list[Any]) -> list[Any] | None:
    return texts if any(text is not None for text in texts) else None


def _offsets(sizes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    if (sizes < 0).any():
        raise ValueError("a size is negative")
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _check(graphs: GraphSet) -> None:
    """Raise unless codes and edges mean something: the core trusts them."""
    n_nodes, n_edges = int(graphs.node_offsets[-1]), int(graphs.edge_offsets[-1])
    if len(graphs.labels) != n_nodes or len(graphs.attributes) != n_nodes:
        raise ValueError("its columns of nodes are of other lengths")
    if len(graphs.edges) != n_edges:
        raise ValueError("its columns of edges are of other lengths")
    for codes, known, n in (
        (graphs.labels, graphs.vocabulary, n_nodes),
        (graphs.edge_labels, graphs.edge_vocabulary or (), n_edges),
    ):
        if codes is not None and (
            len(codes) != n or (n and (codes.min() < -1 or codes.max() >= len(known)))
        ):
            raise ValueError("it has labels that it does not name")
    if n_edges:
        u, v = graphs.edges.T
        if u.min() < 0 or (u >= v).any() or (v >= np.repeat(graphs.n_nodes, graphs.n_edges)).any():
            raise ValueError("it has edges to nodes that are not there")


def _sorted(counts: Mapping[Any, int]) -> dict[Any, int]:
    return {value: counts[value] for value in vocabulary_of(counts)}


def _damaged(path: Path, error: BaseException) -> str:
    reason = " ".join(str(error).split())[:120] or type(error).__name__
    return (
        f"Expected a file that `aglets data shard` wrote, but {path} is damaged ({reason}); "
        "write the folder again."
    )


def _read_file(path: Path, options: ReadOptions) -> Any:
    graphs, y = ShardSet.open(path).read()
    return graphs if y is None else (graphs, y)


register_format(Format("shards", (), _read_file))
