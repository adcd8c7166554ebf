"""Small changes of the core's code, one at a time: the C++ tests must notice each.

Takes the canonical form of patterns, the bound of the search and the order of ties; builds a copy
of the core with each change and runs the C++ tests on it. A change that makes no difference is
listed in EQUAL with the reason. A run over all files writes the table of docs/develop/quality.md;
``--files`` takes some of them, and only prints.

    python tools/mutate_cpp.py --build build/mutate [--files dfs_code.cpp]
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from quality_page import ROOT, origin, write_part

FILES = ("dfs_code.cpp", "tie_order.cpp", "tie_order.hpp", "gradients.cpp", "gradients.hpp")
MIN_SHARE = 0.9
#: How long the unchanged tests may run; with a change, so many times as long as without.
FIRST_SECONDS, PATIENCE = 300.0, 10.0

#: Pattern and replacement; each match on a line of code is one change.
CHANGES = [
    (r"(?<![<>=!-])<=(?!=)", "<"),
    (r"(?<![<>=!-])>=(?!=)", ">"),
    (r" < ", " <= "),
    (r" > ", " >= "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r" \+ ", " - "),
    (r" - ", " + "),
    (r" & ~", " | ~"),
    (r"return true;", "return false;"),
    (r"return false;", "return true;"),
    (r"\bcontinue;", "break;"),
    (r"std::max\(", "std::min("),
    (r"std::min\(", "std::max("),
    (r"\b1e-9\b", "1e-1"),
    (r"\b1\.000001\b", "0.5"),
]

#: Changes that make no difference: file, part of the line after the change, and the reason.
EQUAL: list[tuple[str, str, str]] = []


@dataclass(frozen=True)
class Mutant:
    """One change: in which file, at which line, from what to what."""

    file: str
    line: int
    before: str
    after: str

    @property
    def reason(self) -> str:
        """Why the change makes no difference, if that is known."""
        known = [why for file, part, why in EQUAL if file == self.file and part in self.after]
        return known[0] if known else ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}\n  - {self.before.strip()}\n  + {self.after.strip()}"


def main() -> int:
    """Try all mutants; say whether enough were noticed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "mutate")
    parser.add_argument("--files", nargs="*", default=FILES)
    options = parser.parse_args()
    mutants = [mutant for name in options.files for mutant in mutants_of(name)]
    workshop = Workshop(options.build)
    if not workshop.passes():
        sys.exit("The tests fail before anything is changed.")
    made_on, survivors = origin(), []
    for number, mutant in enumerate(mutants, 1):
        noticed = workshop.notices(mutant)
        word = "noticed" if noticed else "equal" if mutant.reason else "SURVIVED"
        print(f"{number}/{len(mutants)} {word} {mutant}", flush=True)
        if not noticed:
            survivors.append(mutant)
    share = 1.0 - len(survivors) / len(mutants)
    print(f"\n{len(mutants)} changes, {100 * share:.1f} % noticed; survivors:")
    print(*survivors, sep="\n")
    if options.files == FILES:
        write_part("mutate_cpp.py", table(mutants, survivors, made_on))
    return 0 if share >= MIN_SHARE else 1


def table(mutants: list[Mutant], survivors: list[Mutant], made_on: str) -> str:
    """Show how many changes of each file were noticed, and list the others."""
    share = 100 * (1.0 - len(survivors) / len(mutants))
    rows = [
        f"| `{name}` | {sum(one.file == name for one in mutants)} "
        f"| {sum(one.file == name for one in survivors)} |"
        for name in FILES
    ]
    listed = [
        f"| `{one.file}`:{one.line} | `{one.after.strip().replace('|', chr(92) + '|')}` "
        f"| {one.reason} |"
        for one in survivors
    ]
    return "\n".join(
        [
            f"{len(mutants) - len(survivors)} of {len(mutants)} changes, which are all that the "
            f"tool can make, are noticed: {share:.1f} % ({made_on}).",
            "",
            "| file | changes | not noticed |",
            "| --- | ---: | ---: |",
            *rows,
            "",
            "| place | the line after the change | why no test can notice it |",
            "| --- | --- | --- |",
            *listed,
        ]
    )


def mutants_of(name: str) -> list[Mutant]:
    """List the changes of a file, comments and preprocessor aside."""
    found = []
    lines = (ROOT / "cpp" / "aglets" / name).read_text().splitlines()
    for number, line in enumerate(lines, 1):
        code = line.split("//")[0]
        if not code.strip() or code.startswith(("#", "template", "namespace")):
            continue
        for pattern, replacement in CHANGES:
            for match in re.finditer(pattern, code):
                after = code[: match.start()] + replacement + code[match.end() :]
                found.append(Mutant(name, number, line, after))
    return found


class Workshop:
    """A copy of the core and its tests in which changes are tried."""

    def __init__(self, folder: Path) -> None:
        self.source, self.build = folder / "source", folder / "build"
        self.source.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / "CMakeLists.txt", self.source)
        for part in ("cpp", "tests/cpp", "tests/corpus/core"):
            shutil.copytree(ROOT / part, self.source / part, dirs_exist_ok=True)
        options = ("-DAGLETS_BINDINGS=OFF", "-DAGLETS_TESTS=ON", "-DCMAKE_BUILD_TYPE=Debug")
        command = ["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        self.seconds = FIRST_SECONDS

    def notices(self, mutant: Mutant) -> bool:
        """Say whether a build or a test fails with the change."""
        path = self.source / "cpp" / "aglets" / mutant.file
        content = path.read_text()
        lines = content.splitlines(keepends=True)
        lines[mutant.line - 1] = mutant.after + "\n"
        path.write_text("".join(lines))
        try:
            return not self.passes()
        finally:
            path.write_text(content)

    def passes(self) -> bool:
        """Build and run the tests; a change that makes them run for ever is noticed, too."""
        built = subprocess.run(["cmake", "--build", self.build], capture_output=True, check=False)
        if built.returncode:
            return False
        start = time.monotonic()
        try:
            ran = subprocess.run(
                [self.build / "aglets_tests"],
                capture_output=True,
                check=False,
                timeout=self.seconds,
            )
        except subprocess.TimeoutExpired:
            return False
        if self.seconds == FIRST_SECONDS:
            self.seconds = PATIENCE * (time.monotonic() - start)
        return ran.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
