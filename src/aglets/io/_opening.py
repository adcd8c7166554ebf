"""Open files, also packed ones, and standard input; damage is one sentence that says where."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

__all__ = [
    "STDIN",
    "is_readable",
    "opened_bytes",
    "opened_text",
    "parse_json",
    "read_text",
    "saying_where",
]

PathLike = str | os.PathLike[str]

#: The name of standard input.
STDIN = "-"
#: How a packed file begins.
GZIP_MAGIC = b"\x1f\x8b"
#: What a damaged file raises while it is unpacked.
GZIP_FAULTS = (EOFError, gzip.BadGzipFile, zlib.error)


@contextmanager
def opened_text(path: PathLike, newline: str | None = None) -> Iterator[IO[str]]:
    """Open a text in UTF-8, also one packed by gzip; a byte order mark is skipped.

    Parameters
    ----------
    path : path
        Packed if it ends in .gz; `-` is standard input, packed or not.
    newline : str, optional
        As in `open`.
    """
    try:
        with _unpacked(path, "rt", encoding="utf-8-sig", newline=newline) as lines:
            yield cast(IO[str], lines)
    except UnicodeDecodeError as error:
        raise ValueError(_not_utf8(Path(path), error)) from None
    except GZIP_FAULTS as error:
        raise ValueError(_damaged(Path(path), error)) from error


@contextmanager
def opened_bytes(path: PathLike) -> Iterator[IO[bytes]]:
    """Open a file as bytes, also one packed by gzip."""
    try:
        with _unpacked(path, "rb") as file:
            yield cast(IO[bytes], file)
    except (*GZIP_FAULTS, SystemError) as error:
        # RDKit wraps what the file that it reads from raises.
        cause = error.__cause__ if isinstance(error, SystemError) else error
        if not isinstance(cause, GZIP_FAULTS):
            raise
        raise ValueError(_damaged(Path(path), cause)) from error


def read_text(path: PathLike) -> str:
    """Return the whole text of a file, as `opened_text` reads it."""
    with opened_text(path) as file:
        return file.read()


def parse_json(text: str, name: str) -> Any:
    """Parse JSON, or say where it is broken.

    Examples
    --------
    >>> parse_json("[1, 2]", "two.json")
    [1, 2]
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text.strip() else ""
        fault = f"it breaks off at {line}column {error.colno} ({error.msg})"
    except RecursionError:
        fault = "its brackets are nested too deeply"
    except ValueError:  # Python reads no numbers of more than 4300 digits
        fault = "it holds a number of thousands of digits"
    raise ValueError(f"Expected JSON in {name}, but {fault}; correct the file or write it again.")


@contextmanager
def saying_where(path: PathLike) -> Iterator[None]:
    """Let errors that know only of graphs and nodes name the file as well."""
    try:
        yield
    except (TypeError, ValueError) as error:
        name = Path(path).name
        if name in str(error):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"In {name}: {error}") from error


def is_readable(path: PathLike) -> bool:
    """Whether there is such a file; `-` is standard input."""
    return os.fspath(path) == STDIN or Path(path).is_file()


@contextmanager
def _unpacked(path: PathLike, mode: Any, **options: Any) -> Iterator[IO[Any]]:
    if os.fspath(path) == STDIN:
        # Not closed: it is not ours.
        given: Any = sys.stdin.buffer
        file: Any = gzip.GzipFile(fileobj=given) if given.peek(2)[:2] == GZIP_MAGIC else given
        if mode == "rb":
            yield file
            return
        text = io.TextIOWrapper(file, **options)
        try:
            yield text
        finally:
            text.detach()
        return
    opening: Any = gzip.open if Path(path).suffix == ".gz" else open
    with opening(path, mode, **options) as file:
        yield file


def _damaged(path: Path, error: Exception) -> str:
    came = "it ends too early" if isinstance(error, EOFError) else "it is damaged"
    return (
        f"Expected a file packed by gzip, but {path.name} cannot be unpacked: {came}; "
        f"fetch or write it again ({path})."
    )


def _not_utf8(path: Path, error: UnicodeDecodeError) -> str:
    """Say where the text is not UTF-8; the error itself counts from the last block read."""
    byte, where = error.object[error.start], ""
    if os.fspath(path) == STDIN:  # cannot be read again
        return f"Expected text in UTF-8, but the byte 0x{byte:02x} of standard input is not."
    # A damaged file may be found to be so only behind this place.
    with _unpacked(path, "rb") as lines, suppress(*GZIP_FAULTS):
        for number, line in enumerate(lines, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as first:
                byte, where = first.object[first.start], f"line {number} of "
                break
    return (
        f"Expected text in UTF-8, but the byte 0x{byte:02x} in {where}{path.name} is not; "
        "save the file again in UTF-8."
    )
