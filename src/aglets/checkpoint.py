"""Keep the finished paths of a fit on disk, so that a later run can go on from there.

A path follows from the graphs, y and the options alone. So a checkpoint is a folder with one file
per finished path and a fingerprint of all they follow from; a fit that is resumed walks only the
paths that are missing, and ends with the same model. Files are written whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from aglets import __version__
from aglets.fitting import Prepared, Task, Watch
from aglets.graphs import GraphSet
from aglets.mining import Pattern
from aglets.path import PathPoint

__all__ = ["Checkpoint", "fingerprint"]

_ARRAYS = ("beta", "z", "gamma", "held_f")
_SCALARS = [f.name for f in fields(PathPoint) if f.name not in (*_ARRAYS, "patterns")]
_WHOLE = {f.name for f in fields(PathPoint) if f.type == "int"}


def fingerprint(
    graphs: GraphSet, y: Any, parameters: Mapping[str, Any], covariates: Any = None
) -> str:
    """Return a text that tells apart fits that would give different paths.

    Parameters
    ----------
    graphs : GraphSet
    y : array-like of shape (n_graphs,)
    parameters : mapping
        Those of the estimator; how much of the machine it may use plays no part.
    covariates : array-like of shape (n_graphs, n_own), optional
        The user's own, if the fit has such.
    """
    digest = hashlib.sha256(__version__.encode())
    for column in ("node_offsets", "labels", "attributes", "edge_offsets", "edges"):
        digest.update(getattr(graphs, column).tobytes())
    for part in (graphs.edge_labels, graphs.edge_attributes):
        digest.update(b"none" if part is None else part.tobytes())
    spelled = [graphs.vocabulary, graphs.edge_vocabulary, np.asarray(y).tolist()]
    if covariates is not None:
        spelled.append(np.asarray(covariates).tolist())
    spelled.append(
        sorted(
            (name, repr(value))
            for name, value in parameters.items()
            if name not in ("n_jobs", "max_seconds", "max_bytes", "max_nodes")
        )
    )
    digest.update(repr(spelled).encode())
    return digest.hexdigest()


class Checkpoint(Watch):
    """Writes every finished path to a folder, and hands back those that are there.

    Parameters
    ----------
    folder : path
    key : str
        The `fingerprint` of the fit.
    resume : bool
        Whether to use what is there; else it is deleted.
    """

    def __init__(self, folder: str | os.PathLike[str], key: str, *, resume: bool = False) -> None:
        self.folder = Path(folder)
        mark = self.folder / "fit.json"
        if mark.is_file() and resume:
            found = _fingerprint_in(mark)
            if found != key:
                raise ValueError(
                    f"The checkpoint {self.folder} belongs to a fit of other graphs, targets or "
                    "options; leave out --resume to start anew."
                )
            return
        if mark.is_file():
            self.delete()
        elif self.folder.exists() and any(self.folder.iterdir()):
            raise ValueError(
                f"Expected an empty folder, a new one or a checkpoint, but {self.folder} holds "
                "something else."
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        _write(mark, json.dumps({"aglets": __version__, "fingerprint": key}).encode())

    @property
    def n_paths(self) -> int:
        """How many finished paths there are."""
        return len(list(self.folder.glob("*.npz")))

    def begin(self, task: Task, prepared: Prepared) -> list[list[PathPoint]] | None:
        """Return the paths of a task that was finished before."""
        path = self._path(task)
        return read_paths(path) if path.is_file() else None

    def end(self, task: Task, paths: Sequence[list[PathPoint]]) -> None:
        """Write the paths of a task."""
        path = self._path(task)
        write_paths(path, paths)

    def delete(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, task: Task) -> Path:
        stage = task.stage.replace(" ", "-")
        cell = f"starts-{task.starts}_maxpat-{task.maxpat}_rho-{task.rho!r}"
        return self.folder / f"{stage}_{cell}.npz"


def _fingerprint_in(mark: Path) -> Any:
    try:
        return json.loads(mark.read_text(encoding="utf-8")).get("fingerprint")
    except (ValueError, AttributeError):
        return None


def write_paths(path: Path, paths: Sequence[list[PathPoint]]) -> None:
    """Write path points as arrays: numbers, and the graphlets behind each other with offsets."""
    columns: dict[str, NDArray[Any]] = {"n_outputs": np.array(len(paths))}
    for output, points in enumerate(paths):
        patterns = [pattern for point in points for pattern in point.patterns]
        parts: dict[str, list[Any]] = {
            **{name: [getattr(point, name) for point in points] for name in _ARRAYS},
            "types": [pattern.types for pattern in patterns],
            "labels": [pattern.labels for pattern in patterns],
            "edges": [np.reshape(pattern.edges, (-1, 2)) for pattern in patterns],
            "edge_labels": [pattern.edge_labels for pattern in patterns],
        }
        numbers = [[getattr(point, name) for name in _SCALARS] for point in points]
        columns[f"{output}_numbers"] = np.array(
            [[np.nan if value is None else value for value in row] for row in numbers]
        ).reshape(len(points), len(_SCALARS))
        for name, pieces in parts.items():
            columns[f"{output}_{name}"] = _joined(pieces, name)
            columns[f"{output}_{name}_lengths"] = np.array([len(p) for p in pieces], np.int64)
    temporary = path.with_suffix(".tmp")
    with temporary.open("wb") as file:
        np.savez_compressed(file, **columns)  # type: ignore[arg-type]
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _joined(pieces: list[Any], name: str) -> NDArray[Any]:
    shape = (0, 2) if name == "edges" else (0,)
    dtype = np.float64 if name in _ARRAYS else np.int32
    return np.concatenate([np.empty(shape, dtype), *pieces])


def read_paths(path: Path) -> list[list[PathPoint]]:
    """Read what `write_paths` wrote."""
    try:
        with np.load(path, allow_pickle=False) as columns:
            return [_points(columns, output) for output in range(int(columns["n_outputs"]))]
    except (BadZipFile, KeyError, ValueError, OSError) as error:
        raise ValueError(
            f"Expected the file {path} of a checkpoint, but it cannot be read ({error}); "
            "delete it, and its path will be walked again."
        ) from error


def _points(columns: Any, output: int) -> list[PathPoint]:
    def pieces(name: str) -> list[NDArray[Any]]:
        lengths = columns[f"{output}_{name}_lengths"]
        return (
            np.split(columns[f"{output}_{name}"], np.cumsum(lengths)[:-1]) if len(lengths) else []
        )

    patterns = [
        Pattern(*four)
        for four in zip(
            *(pieces(name) for name in ("types", "labels", "edges", "edge_labels")), strict=True
        )
    ]
    points, taken = [], 0
    rows = columns[f"{output}_numbers"].tolist()
    for row, *arrays in zip(rows, *map(pieces, _ARRAYS), strict=True):
        numbers: dict[str, Any] = {
            name: None if value != value else int(value) if name in _WHOLE else value
            for name, value in zip(_SCALARS, row, strict=True)
        }
        numbers |= dict(zip(_ARRAYS, arrays, strict=True))
        mine = patterns[taken : taken + len(numbers["beta"])]
        taken += len(mine)
        points.append(PathPoint(patterns=mine, **numbers))
    return points


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_suffix(".tmp")
    temporary.write_bytes(data)
    temporary.replace(path)
