"""Check what every text file of the tree must keep to: endings of lines, sizes, no conflict marks.

``python tools/check_files.py [FILE ...]`` looks at the files given, or at all that git tracks, and
prints one line per fault. ``--message FILE`` checks the message of a commit instead.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

LARGEST = 1_000_000
LONGEST_SUBJECT = 72
BINARY = {".png", ".npz", ".gz", ".aglets", ".ico", ".pdf"}
#: Formats whose bytes are the subject of a test may break any rule.
LEFT_ALONE = ("tests/corpus/",)


def faults(path: Path) -> list[str]:
    """Return a sentence for each rule that a file breaks."""
    data = path.read_bytes()
    found = []
    if len(data) > LARGEST:
        found.append(f"has {len(data):,} bytes; the limit is {LARGEST:,}")
    if path.suffix in BINARY or str(path).startswith(LEFT_ALONE):
        return found
    if b"\r" in data:
        found.append("has carriage returns; end lines with a line feed alone")
    if data and not data.endswith(b"\n"):
        found.append("does not end with a line feed")
    for number, line in enumerate(data.split(b"\n"), 1):
        if line != line.rstrip():
            found.append(f"has blanks at the end of line {number}")
        if re.match(rb"(<{7}|>{7})( |$)", line):
            found.append(f"has a conflict mark in line {number}")
    if path.suffix == ".json":
        try:
            json.loads(data)
        except ValueError as error:
            found.append(f"is not valid JSON: {error}")
    return found


def message_faults(text: str) -> list[str]:
    """Return a sentence for each rule that the message of a commit breaks."""
    subject = text.split("\n", 1)[0]
    if not subject.strip():
        return ["has no subject"]
    if len(subject) > LONGEST_SUBJECT:
        return [f"has a subject of {len(subject)} characters; the limit is {LONGEST_SUBJECT}"]
    return []


def tracked() -> list[Path]:
    """List the files that git tracks and that are there."""
    names = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True)
    return [path for name in names.stdout.split("\0") if name and (path := Path(name)).is_file()]


def main(words: list[str]) -> int:
    """Print all faults; return 1 if there are any."""
    if words[:1] == ["--message"]:
        lines = [f"The message {fault}." for fault in message_faults(Path(words[1]).read_text())]
    else:
        paths = [Path(word) for word in words] or tracked()
        lines = [f"{path} {fault}." for path in paths for fault in faults(path)]
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
