"""Rows that could not be read: collected, reported by number, never lost silently."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from aglets.graphs.checks import listing
from aglets.graphs.notes import note

Errors = Literal["raise", "skip"]


class Failure(NamedTuple):
    """A row of the source (from 0), its line in a text file (from 1), and what is wrong with it."""

    row: int
    reason: str
    line: int | None = None

    @property
    def place(self) -> str:
        """Where it is, as in 'row 3 (line 5)'."""
        return f"row {self.row}" if self.line is None else f"row {self.row} (line {self.line})"


def check_errors(errors: str) -> None:
    """Raise unless the option is one of the two there are."""
    if errors not in ("raise", "skip"):
        raise ValueError(f"Expected errors to be 'raise' or 'skip', got {errors!r}.")


def summary(failures: Sequence[Failure]) -> str:
    """Name every row, the first few with their reasons.

    Examples
    --------
    >>> summary([Failure(3, "it is empty", 5), Failure(7, "it is empty", 9)])
    'row 3 (line 5): it is empty; row 7 (line 9): it is empty'
    """
    listed = "; ".join(f"{failure.place}: {failure.reason}" for failure in failures[:3])
    rest = [str(failure.row) for failure in failures[3:]]
    also = f"; also {'row' if len(rest) == 1 else 'rows'} {listing(rest, limit=50)}" if rest else ""
    return listed + also


def report(failures: Sequence[Failure], n_rows: int, errors: Errors) -> None:
    """Raise one error for all failures, or warn once that their rows were left out."""
    if not failures:
        return
    counted = f"{len(failures)} of {n_rows} rows"
    if errors == "raise":
        raise ValueError(
            f"Could not read {counted}: {summary(failures)}; correct them, or leave them out with "
            "errors='skip'."
        )
    note(f"Left out {counted}: {summary(failures)}.")


def imputed_text(rows: Sequence[int], n_rows: int) -> str:
    """Say for which molecules a Gasteiger charge is not defined."""
    return (
        f"gasteiger_charge is not defined for all atoms of {len(rows)} of {n_rows} molecules (the "
        f"first is row {rows[0]}); the formal charge stands for it there."
    )


def note_unpredicted(failures: Sequence[Failure], n_rows: int) -> None:
    """Warn once of rows that keep their place, but without a prediction."""
    if failures:
        note(
            f"{len(failures)} of {n_rows} rows could not be read and have no prediction (NaN or "
            f"None): {summary(failures)}."
        )
