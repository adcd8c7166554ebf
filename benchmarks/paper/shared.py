"""Rows of LAGRA that are also rows of ``accuracy.run``: run there, on the same splits, and once.

The committed results take their records on the paper's sets from the folder of ``accuracy.run``.
Other folders (``--quick``) and other sets hold records of their own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .protocol import HERE, RESULTS, SETS, Records

ACCURACY = HERE.parent / "accuracy" / "results"

#: The same fit by its name here and by its name there.
ROWS = {
    "lagra-paper-5": "paper-grid",
    "lagra-default": "default",
    "lagra-greedy": "greedy",
    "lagra-best": "folds",
    "lagra-one-start": "one-start",
}


def made_there(folder: Path, method: str, name: str) -> bool:
    """Say whether ``accuracy.run`` makes the records of a method on a set."""
    return folder.resolve() == RESULTS and method in ROWS and name in SETS


def records_of(folder: Path, method: str) -> dict[tuple[str, int], dict[str, Any]]:
    """Read the records of a method by (set, seed), wherever they were made."""
    found = {
        (name, seed): record
        for (name, seed), record in Records(folder).of(method).items()
        if not made_there(folder, method, name)
    }
    if folder.resolve() == RESULTS and method in ROWS:
        found |= Records(ACCURACY).of(ROWS[method])
    return found


def runs_of(folder: Path) -> dict[str, dict[str, Any]]:
    """Read the runs that made those records, by name."""
    there = Records(ACCURACY).runs() if folder.resolve() == RESULTS else {}
    return {**Records(folder).runs(), **there}
