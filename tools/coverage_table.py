"""Write which lines and branches the Python tests reach into docs/develop/quality.md.

``python tools/coverage_table.py build/coverage/python.json`` replaces what stands between the marks
of that page: a row per room, and a row with a reason for each file with a gap. It ends with 1 if
less is reached than asked for, or if a file with a large gap has no reason.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from quality_page import origin, write_part

LINES, BRANCHES = 95.0, 90.0
#: Below this, a file must have a reason.
FILE_LINES = 90.0

#: Why lines of a file are not reached by the tests of every run.
REASONS: dict[str, str] = {
    "io/pyg.py": "its tests need PyTorch Geometric, which was not installed here",
    "writing/lock.py": "what Windows does, and a folder that goes while it is being locked",
}


@dataclass(frozen=True)
class Reach:
    """Numbers of lines and branches, in all and reached."""

    lines: int = 0
    lines_reached: int = 0
    branches: int = 0
    branches_reached: int = 0

    def __add__(self, other: Reach) -> Reach:
        return Reach(
            self.lines + other.lines,
            self.lines_reached + other.lines_reached,
            self.branches + other.branches,
            self.branches_reached + other.branches_reached,
        )

    @property
    def line_share(self) -> float:
        """Percentage of lines that are reached."""
        return 100.0 * self.lines_reached / self.lines if self.lines else 100.0

    @property
    def branch_share(self) -> float:
        """Percentage of branches that are reached."""
        return 100.0 * self.branches_reached / self.branches if self.branches else 100.0


def read(path: Path) -> dict[str, Reach]:
    """Read the report of coverage.py: reach by file below src/aglets."""
    found = {}
    for name, file in json.loads(path.read_text(encoding="utf-8"))["files"].items():
        counts = file["summary"]
        found[name.replace("\\", "/").partition("src/aglets/")[2]] = Reach(
            counts["num_statements"],
            counts["covered_lines"],
            counts["num_branches"],
            counts["covered_branches"],
        )
    return found


def by_room(files: dict[str, Reach]) -> dict[str, Reach]:
    """Add up the files of each room."""
    rooms: dict[str, Reach] = defaultdict(Reach)
    for name, reach in files.items():
        rooms[name.split("/")[0]] += reach
    return dict(sorted(rooms.items()))


def table(files: dict[str, Reach]) -> str:
    """Show rooms and files in Markdown."""
    total = sum(files.values(), Reach())
    rows = [f"| {name} | {numbers(reach)} |" for name, reach in by_room(files).items()]
    gaps = {
        name: reach
        for name, reach in files.items()
        if reach.line_share < 100.0 or reach.branch_share < 100.0
    }
    listed = [
        f"| `{name}` | {numbers(reach)} | {REASONS.get(name, '')} |"
        for name, reach in sorted(gaps.items(), key=lambda item: item[1].line_share)
    ]
    return "\n".join(
        [
            "| room | lines | reached | branches | reached |",
            "| --- | ---: | ---: | ---: | ---: |",
            *rows,
            f"| all | {numbers(total)} |",
            "",
            f"{len(files) - len(gaps)} of {len(files)} files are reached in full; the others:",
            "",
            "| file | lines | reached | branches | reached | reason |",
            "| --- | ---: | ---: | ---: | ---: | --- |",
            *listed,
        ]
    )


def numbers(reach: Reach) -> str:
    """Show the four numbers of a row."""
    return (
        f"{reach.lines} | {reach.line_share:.1f} % | {reach.branches} | {reach.branch_share:.1f} %"
    )


def main(words: list[str]) -> int:
    """Write the table, and say what is missing."""
    files = read(Path(words[0]))
    write_part("coverage_table.py", f"Measured on {origin()}.\n\n{table(files)}")
    total = sum(files.values(), Reach())
    faults = [
        f"{name} is reached to {reach.line_share:.1f} % and has no reason in REASONS."
        for name, reach in files.items()
        if reach.line_share < FILE_LINES and name not in REASONS
    ]
    if total.line_share < LINES or total.branch_share < BRANCHES:
        faults.append(f"Expected {LINES} % of lines and {BRANCHES} % of branches.")
    print(f"lines {total.line_share:.1f} %, branches {total.branch_share:.1f} %")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
