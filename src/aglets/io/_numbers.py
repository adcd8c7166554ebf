"""Read text files of comma-separated numbers: fast when they are clean, helpful when not."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.graphs.checks import listing

Numbers = npt.NDArray[Any]

#: From here on a float64 does not know its whole numbers apart.
INEXACT_FROM = 2**53
_LARGEST = np.iinfo(np.int64).max


def read_numbers(path: Path) -> Numbers:
    """Return the numbers of a file as a matrix, one row per line that is not blank.

    Whole numbers come back as int64 (also when written as `1.0` or `+1`), others as float64.
    Values are separated by commas, spaces or both; line ends may be CRLF.

    Parameters
    ----------
    path : Path

    Returns
    -------
    ndarray of shape (n_lines, n_values)
        Of shape (0, 0) for an empty file.
    """
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf").rstrip()
    if not data:
        return np.empty((0, 0), dtype=np.int64)
    for dtype in (np.int64, np.float64):
        table = _parsed_at_once(data, dtype)
        if table is not None:
            return _whole_if_possible(table)
    return _whole_if_possible(_parsed_by_line(data, path))


def line_number(path: Path, row: int) -> int:
    """Return the number (from 1) of the line that became this row of `read_numbers`."""
    filled = [i for i, line in enumerate(path.read_bytes().splitlines(), 1) if line.strip(b" ,\t")]
    return filled[row]


def _parsed_at_once(data: bytes, dtype: Any) -> Numbers | None:
    """Parse in one sweep, or return None if the lines are not all alike."""
    raw = np.frombuffer(data, dtype=np.uint8)
    line_ends = np.append(np.flatnonzero(raw == ord("\n")), len(raw))
    commas_so_far = np.searchsorted(np.flatnonzero(raw == ord(",")), line_ends)
    n_commas = np.diff(commas_so_far, prepend=0)
    width = int(n_commas[0]) + 1
    if (n_commas != width - 1).any():
        return None
    with warnings.catch_warnings():
        # Older NumPy only warns where it stops at something that is not a number.
        warnings.simplefilter("error", DeprecationWarning)
        try:
            flat = np.fromstring(data.replace(b",", b" ").decode("latin-1"), dtype=dtype, sep=" ")
        except (DeprecationWarning, ValueError):
            return None
    if len(flat) != width * len(line_ends):
        return None
    if dtype is np.int64 and len(flat) and (flat.max() == _LARGEST or flat.min() == -_LARGEST - 1):
        return None  # larger numbers were cut to the largest there are
    return flat.reshape(-1, width)


def _parsed_by_line(data: bytes, path: Path) -> Numbers:
    """Parse line by line, to accept blank lines and to name the lines that are wrong."""
    rows: list[list[float]] = []
    no_numbers, wrong_width, first_line = [], [], 0
    for number, line in enumerate(data.decode("latin-1").splitlines(), 1):
        fields = line.replace(",", " ").split()
        if not fields:
            continue
        try:
            row = [_number(field) for field in fields]
        except ValueError:
            no_numbers.append(f"{line.strip()!r} in line {number}")
            continue
        first_line = first_line or number
        if rows and len(row) != len(rows[0]):
            wrong_width.append(f"line {number} has {len(row)}")
            continue
        rows.append(row)
    if no_numbers:
        raise ValueError(
            f"Expected only numbers in {path.name}, got {listing(no_numbers)}; "
            f"correct the file or fetch it again ({path})."
        )
    if wrong_width:
        raise ValueError(
            f"Expected as many values in every line of {path.name} as in line {first_line}, which "
            f"has {len(rows[0])}, but {listing(wrong_width)}; "
            f"correct the file or fetch it again ({path})."
        )
    return np.array(rows)


def _number(field: str) -> float:
    if "_" in field:  # Python reads 1_000 as a number, which no data file means
        raise ValueError(field)
    try:
        whole = int(field)
    except ValueError:
        return float(field)
    return whole if abs(whole) < _LARGEST else float(field)


def _whole_if_possible(table: Numbers) -> Numbers:
    if table.dtype == np.int64:
        return table
    # What is not finite is not below the bound either.
    if (abs(table) < INEXACT_FROM).all() and (table == np.rint(table)).all():
        return table.astype(np.int64)
    return table.astype(np.float64)
