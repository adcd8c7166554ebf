"""Which small changes to the trainer do the tests notice? ``python tools/mutate.py``.

Every mutant of the modules below (`mutants.py`) is tried in a process of its own, with the tests
that run its line, until one fails: first those that failed for mutants of lines nearby, then the
fastest. Processes are copies of one that has loaded the tests (`live_mutants.py`). ``--modules``
takes some of the modules, ``--sample`` draws so many mutants at random with a ``--seed``,
``--jobs`` says how many processes. Results go to build/mutants/results.json as they come, so that a
run can be ended and continued; the table in docs/develop/quality.md is made from them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter, defaultdict
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from mutant_results import OUTCOMES, Results, is_enough, key_of, summary
from mutant_trials import SOURCE, Trials
from mutants import Mutant, mutants_of
from quality_page import ROOT, write_part

WORK = ROOT / "build" / "mutants"
ASKED = 90.0

MODULES = [
    *sorted((SOURCE / "aglets" / "training" / "optim").glob("[a-z]*.py")),
    SOURCE / "aglets" / "training" / "path.py",
    SOURCE / "aglets" / "training" / "selection.py",
]
#: Tests of the trainer; those of files, plots and commands would find little more.
TESTS = ("blocks", "quadratic", "penalty", "loss", "fitting", "selection", "judging", "averaging")
TESTS += ("path*", "trainer*", "shared_*", "random_fits", "solver_*", "notices")
#: Seconds of tests per mutant; the tests that are left out are the slowest.
MAX_TEST_SECONDS = 8.0

#: Why a survivor is not a gap in the tests, by module, line as text, and change.
REASONS_FILE = ROOT / "tools" / "mutants_reasons.json"


def main() -> int:
    """Try mutants, and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--modules", nargs="+", help="names such as path.py; all unless given")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--sample", type=int, help="try only so many mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--again", action="store_true", help="try survivors again")
    help_text = "run so many seconds of tests; what they do not notice is unsettled"
    parser.add_argument("--quick", type=float, help=help_text)
    parser.add_argument("--table", action="store_true", help="only write the table")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    results = Results(WORK / "results.json")
    modules = [path for path in MODULES if not options.modules or path.name in options.modules]
    if not options.table:
        try_all(modules, results, options)
    return write_table(results, options)


# The baseline: which tests run which line, and how long they take --------------------------------


def test_files() -> list[str]:
    """List the files of tests to run."""
    found = {path for name in TESTS for path in (ROOT / "tests").glob(f"test_{name}.py")}
    return [str(path) for path in sorted(found)]


def baseline() -> dict[str, Any]:
    """Run the tests once under coverage.py, each as a context; again only files that changed."""
    path = WORK / "baseline.json"
    kept: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    modules = b"".join(module.read_bytes() for module in MODULES)
    stamps = {name: sha256(modules + Path(name).read_bytes()).hexdigest() for name in test_files()}
    changed = [name for name in stamps if kept.get(name, {}).get("stamp") != stamps[name]]
    if changed:
        print(f"Running {len(changed)} files of tests once ...", flush=True)
        child = os.fork()
        if child == 0:
            _measure(path, kept, {name: stamps[name] for name in changed})
            os._exit(0)
        os.waitpid(child, 0)
        kept = json.loads(path.read_text())
    merged: dict[str, Any] = {"seconds": {}, "lines": defaultdict(lambda: defaultdict(list))}
    for name in stamps:
        merged["seconds"].update(kept[name]["seconds"])
        for module, lines in kept[name]["lines"].items():
            for line, tests in lines.items():
                merged["lines"][module][line] += tests
    return merged


def _measure(path: Path, kept: dict[str, Any], stamps: dict[str, str]) -> None:
    """Run files of tests, and keep the seconds and the lines of each test."""
    from coverage import Coverage

    cover = Coverage(data_file=None, config_file=False, include=[str(name) for name in MODULES])
    timer = _Timer(cover)
    cover.start()
    pytest.main([*_pytest_words(), *stamps], plugins=[timer])
    cover.stop()
    data = cover.get_data()
    for name, stamp in stamps.items():
        own = f"{Path(name).relative_to(ROOT).as_posix()}::"
        seconds = {test: used for test, used in timer.seconds.items() if test.startswith(own)}
        kept[name] = {"stamp": stamp, "seconds": seconds, "lines": defaultdict(dict)}
        for module in data.measured_files():
            for line, tests in data.contexts_by_lineno(module).items():
                found = [test for test in tests if test.startswith(own)]
                if found:
                    kept[name]["lines"][Path(module).name][line] = found
    path.write_text(json.dumps(kept))


class _Timer:
    """Says to coverage.py which test runs, and notes how long it takes and whether it passes."""

    def __init__(self, cover: Any) -> None:
        self.cover = cover
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        self.cover.switch_context(item.nodeid)
        start = time.process_time()
        yield
        self.seconds.setdefault(item.nodeid, time.process_time() - start)
        self.cover.switch_context("")

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.seconds[report.nodeid] = float("inf")  # cannot notice anything


def _pytest_words() -> list[str]:
    words = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0"]
    words += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis is there already
    return [*words, f"--rootdir={ROOT}", "-c", str(ROOT / "pyproject.toml")]


# Trying mutants ----------------------------------------------------------------------------------


def try_all(modules: list[Path], results: Results, options: argparse.Namespace) -> None:
    """Try every mutant that was not tried yet, in copies of a process that has loaded the tests."""
    base = baseline()
    waiting = []
    for path, mutant in chosen(modules, options):
        key = key_of(path.name, mutant.source)
        if results.waits(key, options.again, quick=bool(options.quick)):
            waiting.append((path, mutant))
    print(f"{len(waiting)} mutants to try", flush=True)
    if options.quick:
        waiting.sort(key=lambda one: str(one[1].line) not in base["lines"].get(one[0].name, {}))
    if waiting:
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(WORK / "hypothesis")
        seconds = options.quick or MAX_TEST_SECONDS
        trials = Trials(
            base,
            waiting,
            results,
            jobs=options.jobs,
            seconds=seconds,
            not_noticed="unsettled" if options.quick else "survived",
        )
        # What tests print is not caught, which would catch what is printed here, too.
        code = pytest.main([*_pytest_words(), "-x", "-s", *test_files()], plugins=[trials])
        if trials.fault or code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            sys.exit(trials.fault or f"pytest ended with {code!r}.")


def chosen(modules: list[Path], options: argparse.Namespace) -> list[tuple[Path, Mutant]]:
    """List the mutants to try: all, or a sample that depends on the seed and the code alone."""
    found = [(p, mutant) for p in modules for mutant in mutants_of(p.read_text(encoding="utf-8"))]
    if options.sample is None or options.sample >= len(found):
        return found
    return Random(options.seed).sample(found, options.sample)


# The table ---------------------------------------------------------------------------------------


def write_table(results: Results, options: argparse.Namespace) -> int:
    """Write what became of the mutants of the present code."""
    reasons = json.loads(REASONS_FILE.read_text()) if REASONS_FILE.exists() else {}
    rows, listed, total = [], [], Counter[str]()
    for path in MODULES:
        text = path.read_text(encoding="utf-8").splitlines()
        counts: Counter[str] = Counter()
        for mutant in mutants_of("\n".join(text)):
            outcome = results.of(key_of(path.name, mutant.source))
            line = text[mutant.line - 1].strip()
            reason = reason_for(reasons, path.name, line, mutant.change)
            counts[outcome] += 1
            if outcome in ("survived", "unsettled", "not reached"):
                cell = line.replace("|", "\\|")
                place = f"`{path.name}`:{mutant.line}"
                listed.append(f"| {place} | `{cell}` | {mutant.change} | {outcome} | {reason} |")
        if counts:
            rows.append(f"| `{path.name}` | {counts_text(counts)} |")
        total += counts
    outcomes = list(total.elements())
    made = [
        summary(outcomes, options.seed, MODULES),
        "\n".join(
            [
                f"| module | mutants | {' | '.join(OUTCOMES)} |",
                "| --- |" + " ---: |" * (1 + len(OUTCOMES)),
                *rows,
                f"| all | {counts_text(total)} |",
            ]
        ),
        "The others:",
        "\n".join(
            [
                "| place | line | change | outcome | reason |",
                "| --- | --- | --- | --- | --- |",
                *listed,
            ]
        ),
    ]
    write_part("mutate.py", "\n\n".join(made))
    print(made[0])
    return 0 if is_enough(outcomes, ASKED) else 1


def reason_for(reasons: dict[str, str], name: str, line: str, change: str) -> str:
    """Return why a survivor is not a gap: of this change, of its line, or of the constant there."""
    constant = line.split(" = ")[0]
    keys = (f"{name}: {line}: {change}", f"{name}: {line}", f"{name}: {constant}")
    return next((reasons[key] for key in keys if key in reasons), "")


def counts_text(counts: Counter[str]) -> str:
    """Show the numbers of a row."""
    return " | ".join(str(n) for n in (sum(counts.values()), *(counts[name] for name in OUTCOMES)))


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "tests")]
    sys.exit(main())
