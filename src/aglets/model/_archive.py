"""A zip of one JSON document and plain number arrays, read as if its author were hostile.

Nothing here runs code from a file: arrays are bare ``.npy`` blocks of numbers (no pickles), and
every size is checked before memory is asked for. Labels of any of the kinds str, int, float, bool,
None and tuples of them come back as exactly what they were (:func:`encode_value`).
"""

from __future__ import annotations

import errno
import io
import json
import math
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.graphs.label_values import decode_value, encode_value
from aglets.writing import replacing

__all__ = ["RefusedError", "decode_value", "encode_value", "read_archive", "write_archive"]

DOCUMENT = "model.json"
MAX_DOCUMENT_BYTES = 2**25
MAX_MEMBERS = 100
DTYPES = {np.dtype(code) for code in ("<f8", "<i8", "<i4")}

#: The one form of .npy header that is written here. NumPy's own reader evaluates the header as
#: Python, which is more than a stranger's file deserves.
HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(?P<dtype><f8|<i8|<i4)', 'fortran_order': False, "
    rb"'shape': \((?P<shape>\d{1,12},|\d{1,12}, \d{1,12})\), \} *\n",
    re.DOTALL,
)

#: Arrays in which a number may be unknown.
WITH_GAPS = ("path.npy", "record_targets.npy")

#: Zip entries carry a date; a fixed one makes equal models equal files.
DATE = (1980, 1, 1, 0, 0, 0)

#: What a damaged or forged zip can raise inside the standard library.
ZIP_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
    ValueError,
    IndexError,
)


def write_archive(
    path: str | os.PathLike[str], document: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write the archive whole or not at all: a reader sees the old file or the new one.

    Parameters
    ----------
    path : path-like
        Where the file shall be.
    document : mapping
        What goes to JSON.
    arrays : mapping of str to ndarray
        float64, int64 or int32 arrays.
    """
    members = {DOCUMENT: json.dumps(document, allow_nan=False, indent=1).encode("ascii")}
    members |= {f"{name}.npy": _npy(array) for name, array in arrays.items()}
    with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(_entry(name), content)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _npy(array: NDArray[Any]) -> bytes:
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    assert little.dtype in DTYPES, little.dtype
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, little, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def read_archive(
    path: str | os.PathLike[str],
    names: Iterable[str],
    *,
    max_bytes: int,
    accept: Callable[[dict[str, Any]], None],
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read what :func:`write_archive` wrote; a ValueError says in half a sentence what is wrong.

    Parameters
    ----------
    path : path-like
        The file.
    names : iterable of str
        The arrays that may be in it. Any other member is refused.
    max_bytes : int
        The most that file and unpacked content may take.
    accept : callable
        Sees the document before anything else is read, and raises if it is not to be read: a
        format to come may have members that are unknown now.
    """
    size = os.stat(path).st_size
    if size > max_bytes:
        raise ValueError(f"it has {size} bytes, more than the {max_bytes} allowed")
    allowed = {DOCUMENT, *(f"{name}.npy" for name in names)}
    try:
        with zipfile.ZipFile(path) as archive:
            entries = _checked_entries(archive, max_bytes)
            if DOCUMENT not in entries:
                raise RefusedError(f"it holds no {DOCUMENT}")
            document = _document(_content(archive, entries.pop(DOCUMENT)))
            accept(document)
            unknown = [name for name in entries if name not in allowed]
            if unknown:
                raise RefusedError(f"it holds an unknown member {unknown[0][:80]!r}")
            content = {name: _content(archive, entry) for name, entry in entries.items()}
    except RefusedError as refused:
        raise ValueError(str(refused)) from None
    except (*ZIP_FAULTS, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise ValueError("it is not a zip archive, or it is damaged or cut short") from error
    arrays = {name[: -len(".npy")]: _array(name, data) for name, data in content.items()}
    return document, arrays


class RefusedError(Exception):
    """What is wrong with the content of a zip that is itself in order."""


def _checked_entries(archive: zipfile.ZipFile, max_bytes: int) -> dict[str, zipfile.ZipInfo]:
    entries = archive.infolist()
    if len(entries) > MAX_MEMBERS:
        raise RefusedError(f"it holds {len(entries)} members, more than the {MAX_MEMBERS} allowed")
    seen: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        if entry.filename in seen:
            raise RefusedError(f"it holds {entry.filename[:80]!r} twice")
        if entry.flag_bits & 0x1:
            raise RefusedError(f"{entry.filename[:80]!r} is encrypted")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise RefusedError(f"{entry.filename[:80]!r} is packed in a way that is not used here")
        seen[entry.filename] = entry
    total = sum(entry.file_size for entry in entries)
    if total > max_bytes:
        raise RefusedError(f"it unpacks to {total} bytes, more than the {max_bytes} allowed")
    return seen


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    # Never more than declared: what is declared was counted, what is real may be a bomb.
    with archive.open(entry) as member:
        data = member.read(entry.file_size)
        if len(data) != entry.file_size or member.read(1):
            raise RefusedError(f"{entry.filename[:80]!r} is not as long as the archive says")
    return data


def _document(data: bytes) -> dict[str, Any]:
    if len(data) > MAX_DOCUMENT_BYTES:
        raise RefusedError(f"{DOCUMENT} has {len(data)} bytes, more than {MAX_DOCUMENT_BYTES}")
    try:
        document = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"{DOCUMENT} is not proper JSON") from error
    if not isinstance(document, dict):
        raise RefusedError(f"{DOCUMENT} is not a JSON object")
    return document


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _array(name: str, data: bytes) -> NDArray[Any]:
    """Read a ``.npy`` block; its header must account for every byte before any is given meaning."""
    header = HEADER.match(data)
    if header is None:
        raise ValueError(f"{name} is not a plain array of numbers")
    dtype = np.dtype(header["dtype"].decode())
    shape = tuple(int(length) for length in header["shape"].decode().split(",") if length.strip())
    rest = data[header.end() :]
    if math.prod(shape) * dtype.itemsize != len(rest):
        raise ValueError(f"{name} says shape {shape} but holds {len(rest)} bytes")
    array = np.frombuffer(rest, dtype=dtype).astype(dtype.newbyteorder("=")).reshape(shape)
    if array.dtype.kind == "f" and name not in WITH_GAPS and not np.isfinite(array).all():
        raise ValueError(f"{name} holds numbers that are not finite")
    return array
