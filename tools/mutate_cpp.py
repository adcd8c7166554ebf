"""Small changes of the core's code, one at a time: the C++ tests must notice each.

Takes the canonical form of patterns, the bound of the search and the order of ties; builds a copy
of the core with each change and runs the C++ tests on it. A change that makes no difference is
listed in EQUAL with the reason. A run over all files writes the table of docs/develop/quality.md;
``--files`` takes some of them, and only prints. ``--sample`` draws so many changes at random.

    python tools/mutate_cpp.py --build build/mutate [--files dfs_code.cpp] [--sample 50 --seed 1]
"""

from __future__ import annotations

import argparse
import re
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random

from mutant_results import OUTCOMES, Results, is_enough, key_of, summary
from quality_page import ROOT, write_part

CORE = ROOT / "cpp" / "aglets"
FILES = ("dfs_code.cpp", "tie_order.cpp", "tie_order.hpp", "gradients.cpp", "gradients.hpp")
ASKED = 90.0
FILE_PATHS = [CORE / name for name in FILES]
SHOWN = [name for name in OUTCOMES if name not in ("unsettled", "not reached")]
#: Seconds of the processor for the tests of the unchanged code; with a change, so many times as
#: long as without.
FIRST_SECONDS, PATIENCE = 300, 5.0

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
EQUAL: list[tuple[str, str, str]] = [
    ("dfs_code.cpp", "if (number <= lowest)", "sets a number that it has already"),
    ("dfs_code.cpp", "return lowest <= edge.to", "the two are not equal there"),
    ("dfs_code.cpp", "return label <= edge.label", "the two are not equal there"),
]


@dataclass(frozen=True)
class Mutant:
    """One change: in which file, at which line, from what to what."""

    file: str
    line: int
    before: str
    after: str

    @property
    def key(self) -> str:
        """A name that other code has not."""
        lines = (CORE / self.file).read_text().splitlines()
        lines[self.line - 1] = self.after
        return key_of(self.file, "\n".join(lines))

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
    parser.add_argument("--sample", type=int, help="try only so many changes, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--again", action="store_true", help="try survivors again")
    options = parser.parse_args()
    mutants = every = [mutant for name in options.files for mutant in mutants_of(name)]
    if options.sample is not None and options.sample < len(every):
        mutants = Random(options.seed).sample(every, options.sample)
    workshop = Workshop(options.build)
    if not workshop.passes():
        sys.exit("The tests fail before anything is changed.")
    results = Results(options.build / "results.json")
    waiting = [one for one in mutants if results.waits(one.key, options.again)]
    for number, mutant in enumerate(waiting, 1):
        noticed = workshop.notices(mutant)
        word = "noticed" if noticed else "equal" if mutant.reason else "SURVIVED"
        print(f"{number}/{len(waiting)} {word} {mutant}", flush=True)
        results.add(mutant.key, "killed" if noticed else "survived")
    outcomes = [results.of(mutant.key) for mutant in every]
    print(summary(outcomes, options.seed, FILE_PATHS))
    if options.files == FILES:
        write_part("mutate_cpp.py", table(every, outcomes, options.seed))
    return 0 if is_enough(outcomes, ASKED) else 1


def table(mutants: list[Mutant], outcomes: list[str], seed: int) -> str:
    """Show what became of the changes of each file, and list those that no test notices."""
    rows = []
    for name in FILES:
        own = [out for one, out in zip(mutants, outcomes, strict=True) if one.file == name]
        rows.append(f"| `{name}` | {len(own)} | {' | '.join(str(own.count(o)) for o in SHOWN)} |")
    listed = [
        f"| `{one.file}`:{one.line} | `{one.after.strip().replace('|', chr(92) + '|')}` "
        f"| {one.reason} |"
        for one, outcome in zip(mutants, outcomes, strict=True)
        if outcome == "survived"
    ]
    return "\n".join(
        [
            summary(outcomes, seed, FILE_PATHS),
            "",
            f"| file | changes | {' | '.join(SHOWN)} |",
            "| --- | ---: | ---: | ---: | ---: | ---: |",
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
    lines = (CORE / name).read_text().splitlines()
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
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        limit = (self.seconds, self.seconds)
        ran = subprocess.run(
            [self.build / "aglets_tests"],
            capture_output=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limit),
        )
        if self.seconds == FIRST_SECONDS:
            used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            self.seconds = 1 + int(PATIENCE * used)
        return ran.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
