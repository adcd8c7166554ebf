"""Read graphs from a file of any format, and write them; the name says which, or the user."""

from __future__ import annotations

import os
from pathlib import Path

from aglets.graphs import GraphSet
from aglets.io._opening import STDIN, is_readable
from aglets.io._rows import kind_of
from aglets.io._targets import Targets
from aglets.io.registry import FORMATS, ReadOptions

__all__ = ["ReadOptions", "format_of", "read_file", "write_file", "written_format"]

PathLike = str | os.PathLike[str]

#: The formats of folders: that of shards is known by a file in it.
FOLDER, SHARDS = "tu", "shards"
MANIFEST = "shards.json"


def format_of(path: PathLike, given: str | None = None) -> str:
    """Return the format of a file: the one given, else by its ending; folders are TU or shards.

    Examples
    --------
    >>> format_of("molecules.csv.gz"), format_of("graphs.txt", "gspan")
    ('csv', 'gspan')
    """
    if given is not None:
        if given not in FORMATS:
            raise ValueError(
                f"Expected a format among {', '.join(sorted(FORMATS))}, got {given!r}."
            )
        return given
    if Path(path).is_dir():
        return SHARDS if Path(path, MANIFEST).is_file() else FOLDER
    ending = kind_of(path)
    for name, form in FORMATS.items():
        if ending in form.suffixes:
            return name
    if os.fspath(path) == STDIN:
        raise ValueError(
            "Expected the format of standard input; name it with --format: "
            f"{', '.join(sorted(FORMATS))}."
        )
    known = ", ".join(suffix for name in sorted(FORMATS) for suffix in FORMATS[name].suffixes)
    raise ValueError(
        f"Expected a file that ends in {known}, got {os.fspath(path)!r}; "
        f"name its format: {', '.join(sorted(FORMATS))}."
    )


def read_file(path: PathLike, options: ReadOptions) -> tuple[GraphSet, Targets | None]:
    """Read graphs and, where the file has them, what is to be predicted.

    Parameters
    ----------
    path : path
        A file, or the folder of a TU data set.
    options : ReadOptions

    Returns
    -------
    graphs : GraphSet
    y : ndarray of shape (n_graphs,) or None
        None if no target was asked for; TU sets always have one.
    """
    form = FORMATS[format_of(path, options.format)]
    form.check(options)
    if form.suffixes and not is_readable(path):
        raise ValueError(f"Expected a file, but there is no {os.fspath(path)}.")
    read = form.read(Path(path), options)
    return read if isinstance(read, tuple) else (read, None)


def written_format(path: PathLike, given: str | None = None) -> str:
    """Return the format to write: the one given, else by the name; without an ending it is "tu".

    Examples
    --------
    >>> written_format("graphs.gspan"), written_format("MUTAG")
    ('gspan', 'tu')
    """
    is_folder = given is None and (Path(path).is_dir() or not Path(path).suffix)
    kind = FOLDER if is_folder else format_of(path, given)
    if FORMATS[kind].write is None:
        *most, last = (name for name in sorted(FORMATS) if FORMATS[name].write is not None)
        raise ValueError(
            f"Expected to write {', '.join(most)} or {last}, got {kind!r}; graphs have no SMILES."
        )
    return kind


def write_file(
    graphs: GraphSet, path: PathLike, y: Targets | None = None, *, format: str | None = None
) -> None:
    """Write graphs as JSON, JSON lines, gSpan text or a TU folder, by the name or as given.

    A name without an ending is the folder of a TU data set.
    """
    write = FORMATS[written_format(path, format)].write
    assert write is not None
    write(graphs, Path(path), y)
