"""Write what a tool measured into its part of docs/develop/quality.md.

A part stands between two marks that name the tool; the tool alone writes there.
"""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import datetime, timezone
from math import sqrt
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: What measures depend on.
CODE = (":/src", ":/cpp", ":/bindings", ":/tests")
PAGE = ROOT / "docs" / "develop" / "quality.md"


def write_part(tool: str, text: str, page: Path = PAGE) -> None:
    """Replace what stands between the marks of a tool."""
    begin, end = (f"<!-- made by tools/{tool}: {word} -->" for word in ("begin", "end"))
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{page} needs the marks {begin!r} and {end!r}.")
    page.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")


def origin(*files: Path) -> str:
    """Say of which code, when and on what machine something is measured.

    The code is named by its commit, with a + if it was changed since; if only some files matter, by
    the last commit that changed them.
    """
    names = [str(path) for path in files]
    changed = _git("status", "--porcelain", "--", *(names or CODE))
    commit = _git("log", "-1", "--format=%h", "--abbrev=10", "--", *names) or "unknown"
    day = datetime.now(timezone.utc).date().isoformat()
    return (
        f"commit {commit}{'+' if changed else ''}, {day}, Python {platform.python_version()}, "
        f"{os.cpu_count()} cores"
    )


def _git(*command: str) -> str:
    done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def interval(part: int, whole: int) -> tuple[float, float]:
    """Return the 95 % interval (Wilson) of a share, in percent."""
    z = 1.96
    share, room = part / whole, z * z / whole
    middle = (share + room / 2) / (1 + room)
    half = z * sqrt(share * (1 - share) / whole + room / (4 * whole)) / (1 + room)
    return 100 * (middle - half), 100 * (middle + half)
