"""Lines of the compiled core that the C++ tests reach, per file, and those that they do not.

Reads what a build with AGLETS_COVERAGE left behind, by gcov. Ends with an error if less than
95 % of the lines of cpp/aglets were reached.

    python tools/coverage_cpp.py build/coverage-cpp
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "cpp" / "aglets"
MIN_SHARE = 0.95

#: By file name: how often each line ran.
Hits = dict[str, dict[int, int]]


def main() -> int:
    """Print the table; say whether enough was reached."""
    hits = read_hits(Path(sys.argv[1]))
    reached = total = 0
    for name, lines in sorted(hits.items()):
        missed = sorted(line for line, count in lines.items() if count == 0)
        reached, total = reached + len(lines) - len(missed), total + len(lines)
        share = 1.0 - len(missed) / len(lines)
        print(f"{name:28} {len(lines):5} lines {100 * share:6.1f} %  {runs(missed)}")
    print(f"{'all':28} {total:5} lines {100 * reached / total:6.1f} %")
    return 0 if reached >= MIN_SHARE * total else 1


def read_hits(folder: Path) -> Hits:
    """Add up what all objects say of each line; templates and headers come several times."""
    hits: Hits = defaultdict(lambda: defaultdict(int))
    # Notes are there for every object, counts only for those of which something ran.
    for notes in sorted(folder.resolve().rglob("*.gcno")):
        command = ["gcov", "--json-format", "--stdout", str(notes)]
        found = subprocess.run(command, capture_output=True, check=True, cwd=folder)
        for text in found.stdout.splitlines():
            for file in json.loads(text)["files"]:
                path = (folder.resolve() / file["file"]).resolve()
                if path.parent == CORE:
                    for line in file["lines"]:
                        hits[path.name][line["line_number"]] += line["count"]
    return hits


def runs(numbers: list[int]) -> str:
    """Write line numbers as runs.

    >>> runs([1, 2, 3, 7])
    '1-3 7'
    """
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return " ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in parts)


if __name__ == "__main__":
    sys.exit(main())
