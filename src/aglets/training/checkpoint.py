"""Keep the paths of a fit on disk, so that a later run can go on from there.

A path follows from the graphs, y and the options alone. So a checkpoint is a folder with one file
per path and a fingerprint of all they follow from; a fit that is resumed walks only what is
missing, and ends with the same model. Files are written whole or not at all.
Only one process may use a checkpoint, and nothing but its own files is ever removed.

A finished path is kept as its points. One that is under way is kept with the solver's state, too,
after each lambda, but not more often than pays: if the process is killed, short lambdas are lost
together, long ones never. A fit that ends in any other way loses only the lambda it was at.

How far the mining tree had grown is kept as well: the work of searches depends on it, and with it
what a budget of work cuts off.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import struct
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from aglets._version import __version__
from aglets.graphs import GraphSet
from aglets.graphs.stored import StoredGraphs
from aglets.mining import Pattern
from aglets.mining.growth import Growth
from aglets.training.engine.crew import ShardLostError
from aglets.training.fitting import FitCallback, Paths, Task, TrainingSet
from aglets.training.optim.state import StoredState
from aglets.training.path_point import PathPoint
from aglets.training.resume import Resume
from aglets.writing import FolderLock, check_target, naming, write_bytes, write_text

__all__ = ["Checkpoint", "check_folder", "fingerprint"]

#: A path under way is written again after so many seconds, and so many times as long as it took.
EVERY_SECONDS, EVERY_TIMES = 1.0, 20.0

#: The file by which a checkpoint is recognised, what it says of itself, and the lock.
MARK, KIND, LOCK = "fit.json", "checkpoint of aglets fit", "aglets.lock"

#: Files of paths, finished or under way, and what a killed process left of one being written.
_OWN_FILE = re.compile(
    r"[a-z0-9-]+_starts-\d+_maxpat-\d+_rho-[0-9.e+-]+(_[a-z-]+)*\.npz(\.part)?"
    r"|\.([a-z0-9-]+_starts-.*|fit\.json)-[0-9a-f]{16}\.tmp"
)

#: What a damaged file can raise while it is unpacked and taken apart.
_DAMAGE = (
    *(BadZipFile, zlib.error, struct.error, EOFError, OSError, MemoryError, OverflowError),
    *(NotImplementedError, RuntimeError, ValueError, TypeError, KeyError, IndexError),
    *(AttributeError, SyntaxError, TokenError),
)

_ARRAYS = ("beta", "beta0", "channels", "z", "gamma", "held_f")
_SCALARS = [f.name for f in fields(PathPoint) if f.name not in (*_ARRAYS, "patterns")]
_STATE = [f.name for f in fields(StoredState) if f.name != "patterns"]
_STATE_SCALARS = {f.name for f in fields(StoredState) if f.type == "float"}
_WHOLE = {f.name for f in fields(PathPoint) if f.type == "int"}


def fingerprint(
    graphs: GraphSet | StoredGraphs, y: Any, parameters: Mapping[str, Any], covariates: Any = None
) -> str:
    """Return a text that differs between fits that would give different paths.

    Parameters
    ----------
    graphs : GraphSet
    y : array-like of shape (n_graphs,)
    parameters : mapping
        Those of the estimator; how much of the machine it may use plays no part. Of an engine,
        only to how many pieces it deals the graphs.
    covariates : array-like of shape (n_graphs, n_own), optional
        The user's own, if the fit has such.
    """
    digest = hashlib.sha256(__version__.encode())
    if isinstance(graphs, StoredGraphs):
        digest.update(graphs.fingerprint.encode())
        graphs = GraphSet.from_lists([], [])
    for column in ("node_offsets", "labels", "attributes", "edge_offsets", "edges"):
        digest.update(getattr(graphs, column).tobytes())
    for part in (graphs.edge_labels, graphs.edge_attributes):
        digest.update(b"none" if part is None else part.tobytes())
    spelled = [graphs.vocabulary, graphs.edge_vocabulary, np.asarray(y).tolist()]
    if covariates is not None:
        spelled.append(np.asarray(covariates).tolist())
    spelled.append(
        sorted(
            (name, repr(getattr(value, "n_pieces", value)))
            for name, value in parameters.items()
            if name not in ("n_jobs", "max_seconds", "max_bytes", "max_nodes", "verbose")
        )
    )
    digest.update(repr(spelled).encode())
    return digest.hexdigest()


class Checkpoint(FitCallback):
    """Writes every finished path to a folder, and hands back those that are there.

    The folder holds a mark by which a checkpoint is recognised, a lock, and a file per path; only
    these are ever removed. Close it, or use it in a ``with`` statement, so that others may go on.

    Parameters
    ----------
    folder : path
        A new folder, an empty one, or one that is a checkpoint.
    key : str
        The `fingerprint` of the fit.
    resume : bool
        Whether to use what is there; else it is deleted.
    every : float
        A path under way is written at most once in so many seconds.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        key: str,
        *,
        resume: bool = False,
        every: float = EVERY_SECONDS,
    ) -> None:
        self.folder = Path(folder)
        self.every = every
        self._next = time.monotonic() + every
        self._unwritten: tuple[Task, list[Resume | None], Growth | None] | None = None
        self._training_set: TrainingSet | None = None
        found = check_folder(folder)
        with naming(folder):
            self.folder.mkdir(exist_ok=True)
        self._lock = FolderLock(self.folder / LOCK, f"The checkpoint {self.folder}")
        try:
            # Whoever held the lock until now may have written, or removed, the mark.
            found = read_mark(self.folder)
            if resume and found not in (None, key):
                raise ValueError(
                    f"The checkpoint {self.folder} belongs to a fit of other graphs, targets or "
                    "options; leave out --resume to start again."
                )
            if not resume or found is None:
                self._remove_paths()
            if found != key:
                mark = {"kind": KIND, "aglets": __version__, "fingerprint": key}
                write_text(self.folder / MARK, json.dumps(mark))
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Checkpoint:
        """Return itself."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Let others use the folder; a fit that failed before its first lambda leaves nothing."""
        self._write_rest()
        if kind is not None and self._lock.is_held and not any(self._own_files()):
            self.delete()
        self.close()

    @property
    def n_paths(self) -> int:
        """How many finished paths there are."""
        return sum(path.suffix == ".npz" for path in self._own_files())

    def begin(self, task: Task, training_set: TrainingSet) -> Paths | None:
        """Return the paths of a task that was finished before; let a tree be what it was."""
        self._training_set = training_set
        whole, part = self._path(task), self._part(task)
        found = next((path for path in (whole, part) if path.is_file()), None)
        growth = None if found is None else read_growth(found)
        if growth is not None:
            training_set.placement.adopt(growth)
        return read_paths(whole) if whole.is_file() else None

    def resume(self, task: Task) -> list[Resume | None] | None:
        """Return where the paths of a task that was under way go on."""
        path = self._part(task)
        return read_resumes(path) if path.is_file() else None

    def snapshot(
        self, task: Task, training_set: TrainingSet, resumes: Sequence[Resume | None]
    ) -> None:
        """Write the paths of a task that is under way, if that is worth its time."""
        start = time.monotonic()
        growth = training_set.placement.growth()
        if start < self._next:
            self._unwritten = (task, list(resumes), growth)
            return
        self._unwritten = None
        write_resumes(self._part(task), resumes, growth)
        took = time.monotonic() - start
        self._next = start + took + max(self.every, EVERY_TIMES * took if self.every else 0.0)

    def end(self, task: Task, paths: Paths) -> None:
        """Write the paths of a task."""
        self._unwritten = None
        begun = self._training_set
        growth = None if begun is None else begun.placement.growth()
        # The next path has a budget of its own.
        write_paths(self._path(task), paths, growth and replace(growth, begun=0))
        self._part(task).unlink(missing_ok=True)

    def close(self) -> None:
        """Let others use the folder; what is in it stays."""
        self._write_rest()
        self._lock.release()

    def delete(self) -> None:
        """Remove the files of the checkpoint, and the folder if it holds nothing else."""
        self._unwritten = None
        with suppress(OSError):
            self._remove_paths()
            (self.folder / MARK).unlink()
        self._lock.release(remove=True)
        with suppress(OSError):  # it holds files of others, or is a link
            self.folder.rmdir()

    def _write_rest(self) -> None:
        """Write what was not worth its time before.

        On a full disk, or if graphs were lost, what is there has to do.
        """
        if self._unwritten is not None:
            (task, resumes, growth), self._unwritten = self._unwritten, None
            with suppress(OSError, ShardLostError):
                write_resumes(self._part(task), resumes, growth)

    def _remove_paths(self) -> None:
        for path in self._own_files():
            path.unlink(missing_ok=True)

    def _own_files(self) -> list[Path]:
        """Return the files of paths, by their names."""
        return [path for path in self.folder.glob("*") if _OWN_FILE.fullmatch(path.name)]

    def _path(self, task: Task) -> Path:
        stage = task.stage.replace(" ", "-")
        cell = f"starts-{task.starts}_maxpat-{task.maxpat}_rho-{task.rho!r}"
        return self.folder / f"{stage}_{cell}{_further(task)}.npz"

    def _part(self, task: Task) -> Path:
        whole = self._path(task)
        return whole.with_name(f"{whole.name}.part")


def _further(task: Task) -> str:
    """Write what few paths have: channels that count, labels of degrees."""
    counts = "" if task.pooling == ("best",) else f"_{'-'.join(task.pooling)}"
    scale = "" if task.count_scale == "raw" else f"_{task.count_scale}"
    labels = "" if task.node_labels == "none" else f"_labels-{task.node_labels}"
    return counts + scale + labels


def check_folder(folder: str | os.PathLike[str]) -> str | None:
    """Raise unless a folder is a checkpoint, is empty, or can be made.

    Returns
    -------
    str or None
        The fingerprint of the fit it belongs to, if it is a checkpoint.
    """
    path = Path(folder)
    if not path.is_dir():
        check_target(path, folder=True, what="the checkpoint")
        return None
    found = read_mark(path)
    # A process that was killed at its start leaves the lock, and no mark yet.
    foreign = [name for name in os.listdir(path) if name != LOCK and not _OWN_FILE.fullmatch(name)]
    if found is None and foreign:
        raise ValueError(
            f"Expected an empty folder, a new one or a checkpoint, but {path} holds something else "
            f"({min(foreign)}); name a folder of its own."
        )
    return found


def read_mark(folder: Path) -> str | None:
    """Return the fingerprint by which a folder is known as a checkpoint, or None if it is not."""
    try:
        mark = json.loads((folder / MARK).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError, RecursionError):
        return None
    if not isinstance(mark, dict) or mark.get("kind") != KIND:
        return None
    found = mark.get("fingerprint")
    return found if isinstance(found, str) else None


def write_paths(
    path: Path, paths: Sequence[Sequence[PathPoint]], growth: Growth | None = None
) -> None:
    """Write path points as arrays: numbers, and the graphlets behind each other with offsets."""
    _write_columns(path, _columns_of(paths) | _growth_columns(growth), np.savez_compressed)


def write_resumes(
    path: Path, resumes: Sequence[Resume | None], growth: Growth | None = None
) -> None:
    """Write where the paths of all outputs go on, with their points."""
    columns = _columns_of([[] if resume is None else resume.points for resume in resumes])
    for output, resume in enumerate(resumes):
        if resume is None:
            continue
        state = resume.state
        state = state if isinstance(state, StoredState) else StoredState.of(state)
        columns[f"{output}_resume"] = np.array([resume.reach, resume.lam_max])
        columns |= _pattern_columns(f"{output}_state", state.patterns)
        for name in _STATE:
            value = getattr(state, name)
            if value is not None:
                columns[f"{output}_state_{name}"] = np.asarray(value)
    _write_columns(path, columns | _growth_columns(growth), np.savez)


def read_paths(path: Path) -> Paths:
    """Read what `write_paths` wrote."""
    with _opened(path) as columns:
        return _paths(columns)


def read_resumes(path: Path) -> list[Resume | None]:
    """Read what `write_resumes` wrote."""
    with _opened(path) as columns:
        return [_resume(columns, output, points) for output, points in enumerate(_paths(columns))]


def read_growth(path: Path) -> Growth | None:
    """Read how far the tree had grown, if the file says so."""
    with _opened(path) as columns:
        if "growth" not in columns:
            return None
        keeps_roots, work, begun = map(int, columns["growth_numbers"])
        counts = columns["growth"].astype(np.int32, casting="safe", copy=False)
        if counts.ndim != 2 or counts.shape[1] != 2:
            raise ValueError("the growth of its tree has another shape")
        return Growth(np.ascontiguousarray(counts), bool(keeps_roots), work, begun)


def _growth_columns(growth: Growth | None) -> dict[str, NDArray[Any]]:
    if growth is None:
        return {}
    numbers = np.array([growth.keeps_roots, growth.work, growth.begun], dtype=np.int64)
    return {"growth": growth.counts, "growth_numbers": numbers}


def _columns_of(paths: Sequence[Sequence[PathPoint]]) -> dict[str, NDArray[Any]]:
    columns: dict[str, NDArray[Any]] = {"n_outputs": np.array(len(paths))}
    for output, points in enumerate(paths):
        numbers = [[getattr(point, name) for name in _SCALARS] for point in points]
        columns[f"{output}_numbers"] = np.array(
            [[np.nan if value is None else value for value in row] for row in numbers]
        ).reshape(len(points), len(_SCALARS))
        for name in _ARRAYS:
            pieces = [np.atleast_1d(getattr(point, name)) for point in points]
            columns |= _pieces(f"{output}_{name}", pieces)
        columns |= _pattern_columns(
            f"{output}", [pattern for point in points for pattern in point.patterns]
        )
    return columns


def _pattern_columns(prefix: str, patterns: Sequence[Pattern]) -> dict[str, NDArray[Any]]:
    columns: dict[str, NDArray[Any]] = {}
    for name in Pattern._fields:
        columns |= _pieces(f"{prefix}_{name}", [getattr(pattern, name) for pattern in patterns])
    return columns


def _pieces(name: str, pieces: Sequence[NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Put arrays behind each other, with their lengths."""
    return {
        name: np.concatenate(pieces) if len(pieces) else np.empty(0),
        f"{name}_lengths": np.array([len(piece) for piece in pieces], np.int64),
    }


def _write_columns(path: Path, columns: dict[str, NDArray[Any]], save: Callable[..., None]) -> None:
    buffer = io.BytesIO()
    save(buffer, **columns)
    write_bytes(path, buffer.getvalue())


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        with path.open("rb") as file:
            _check_packing(file)
            with np.load(file, allow_pickle=False) as columns:
                yield columns
    except _DAMAGE as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ValueError(
            f"Expected the file {path} of a checkpoint, but it cannot be read ({reason}); "
            "delete it, and its path will be walked again."
        ) from error


def _check_packing(file: BinaryIO) -> None:
    """Raise for ways of packing that NumPy does not write, each with faults of its own."""
    with ZipFile(file) as archive:
        if any(entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for entry in archive.filelist):
            raise ValueError("it is packed in another way")
    file.seek(0)


def _split(columns: Any, name: str) -> list[NDArray[Any]]:
    lengths = columns[f"{name}_lengths"]
    return np.split(columns[name], np.cumsum(lengths)[:-1]) if len(lengths) else []


def _patterns(columns: Any, prefix: str) -> list[Pattern]:
    parts = (_split(columns, f"{prefix}_{name}") for name in Pattern._fields)
    return [Pattern(*each) for each in zip(*parts, strict=True)]


def _paths(columns: Any) -> Paths:
    return [_points(columns, output) for output in range(int(columns["n_outputs"]))]


def _points(columns: Any, output: int) -> list[PathPoint]:
    patterns = _patterns(columns, f"{output}")
    points, taken = [], 0
    rows = columns[f"{output}_numbers"].tolist()
    arrays = (_split(columns, f"{output}_{name}") for name in _ARRAYS)
    for row, *own in zip(rows, *arrays, strict=True):
        numbers: dict[str, Any] = {
            name: None if value != value else int(value) if name in _WHOLE else value
            for name, value in zip(_SCALARS, row, strict=True)
        }
        numbers |= dict(zip(_ARRAYS, own, strict=True))
        if numbers["beta"].ndim == 1:
            numbers["beta0"] = float(numbers["beta0"][0])
        mine = patterns[taken : taken + len(numbers["beta"])]
        taken += len(mine)
        points.append(PathPoint(patterns=mine, **numbers))
    return points


def _resume(columns: Any, output: int, points: Sequence[PathPoint]) -> Resume | None:
    if f"{output}_resume" not in columns:
        return None
    reach, lam_max = columns[f"{output}_resume"].tolist()
    values: dict[str, Any] = {name: columns.get(f"{output}_state_{name}") for name in _STATE}
    values |= {name: float(values[name]) for name in _STATE_SCALARS}
    if values["beta"].ndim == 1:
        values["beta0"] = float(values["beta0"])
    state = StoredState(patterns=_patterns(columns, f"{output}_state"), **values)
    return Resume(tuple(points), state, int(reach), lam_max)
