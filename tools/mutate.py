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
import ast
import contextlib
import importlib
import json
import os
import resource
import signal
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from live_mutants import put_in_place
from mutant_results import OUTCOMES, Results, is_enough, key_of, summary
from mutants import Mutant, mutants_of
from quality_page import ROOT, write_part

SOURCE = ROOT / "src"
WORK = ROOT / "build" / "mutants"
ASKED = 90.0

MODULES = [
    *sorted((SOURCE / "aglets" / "training" / "optim").glob("[a-z]*.py")),
    SOURCE / "aglets" / "training" / "path.py",
    SOURCE / "aglets" / "training" / "selection.py",
]
#: Tests of the trainer; those of files, plots and commands would find little more.
TESTS = ("blocks", "quadratic", "penalty", "loss", "fitting", "selection", "judging", "averaging")
TESTS += ("path*", "trainer*", "shared_*", "random_fits", "solver_parts", "notices")
#: A mutant that takes so many times as long as the original, and so many seconds of the processor,
#: is noticed; and one that only waits, so many times longer.
PATIENCE, SECONDS, WAITING = 5.0, 20.0, 10.0
#: Seconds of tests per mutant; the tests that are left out are the slowest.
MAX_TEST_SECONDS = 8.0
#: So many tests that noticed mutants of lines nearby come first.
FIRST = 5

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
    """Run all tests once under coverage.py, with each test as a context."""
    path = WORK / "baseline.json"
    stamp = sha256(b"".join(Path(name).read_bytes() for name in [*MODULES, *test_files()]))
    if path.exists():
        found: dict[str, Any] = json.loads(path.read_text())
        if found["stamp"] == stamp.hexdigest():
            return found
    print("Running the tests once ...", flush=True)
    child = os.fork()
    if child == 0:
        _measure(path, stamp.hexdigest())
        os._exit(0)
    os.waitpid(child, 0)
    measured: dict[str, Any] = json.loads(path.read_text())
    return measured


def _measure(path: Path, stamp: str) -> None:
    from coverage import Coverage

    cover = Coverage(data_file=None, config_file=False, include=[str(name) for name in MODULES])
    timer = _Timer(cover)
    cover.start()
    code = pytest.main([*_pytest_words(), *test_files()], plugins=[timer])
    cover.stop()
    data = cover.get_data()
    lines: dict[str, dict[int, list[str]]] = defaultdict(dict)
    for name in data.measured_files():
        for line, contexts in data.contexts_by_lineno(name).items():
            lines[Path(name).name][line] = [context for context in contexts if context]
    kept = {"stamp": stamp, "code": int(code), "seconds": timer.seconds, "lines": lines}
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
        if results.waits(key_of(path.name, mutant.source), options.again):
            waiting.append((path, mutant))
    print(f"{len(waiting)} mutants to try", flush=True)
    if waiting:
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(WORK / "hypothesis")
        trials = _Trials(base, waiting, results, options.jobs)
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


def tests_for(base: dict[str, Any], path: Path, line: int) -> list[str]:
    """Return the tests that run a line, the fastest first; of a line outside functions, all."""
    lines = base["lines"].get(path.name, {})
    names = lines.get(str(line)) or sorted({name for found in lines.values() for name in found})
    seconds = base["seconds"]
    return sorted((name for name in names if seconds[name] < 1e9), key=seconds.__getitem__)


@dataclass
class _Running:
    """A child process that tries a mutant."""

    path: Path
    mutant: Mutant
    deadline: float
    #: Where the child writes which test failed.
    report: int


class _Trials:
    """A plugin of pytest: instead of all tests, it runs those that may notice, for every mutant."""

    def __init__(
        self,
        base: dict[str, Any],
        waiting: list[tuple[Path, Mutant]],
        results: Results,
        jobs: int,
    ) -> None:
        self.base, self.waiting, self.results, self.jobs = base, waiting, results, jobs
        self.running: dict[int, _Running] = {}
        #: Tests that noticed mutants, by module: at which line, and which.
        self.noticed: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self.fault = ""

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try all mutants that wait, several at a time."""
        items = {item.nodeid: item for item in session.items}
        if not self._passes_unchanged(session, items):
            self.fault = "The tests fail before anything is changed."
            return True
        while self.waiting or self.running:
            while self.waiting and len(self.running) < self.jobs:
                self._begin(*self.waiting.pop(0), session, items)
            time.sleep(0.01)
            for child in list(self.running):
                self._look_after(child)
        return True

    def _passes_unchanged(self, session: pytest.Session, items: dict[str, pytest.Item]) -> bool:
        """Run tests where nothing is changed: if they fail, all mutants would seem noticed."""
        path = self.waiting[0][0]
        nothing = Mutant(0, "nothing", ast.unparse(ast.parse(path.read_text(encoding="utf-8"))))
        names, seconds = self._order(path, nothing.line)
        child = os.fork()
        if child == 0:
            run_in_child(session, [items[name] for name in names], seconds)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == SURVIVED

    def _begin(
        self, path: Path, mutant: Mutant, session: pytest.Session, items: dict[str, pytest.Item]
    ) -> None:
        names, seconds = self._order(path, mutant.line)
        if not names:
            self.results.add(key_of(path.name, mutant.source), "not reached")
            return
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            change = (path, mutant)
            run_in_child(session, [items[name] for name in names], seconds, change, writing)
        os.close(writing)
        self.running[child] = _Running(path, mutant, time.time() + WAITING * seconds, reading)

    def _order(self, path: Path, line: int) -> tuple[list[str], float]:
        """Return which tests to run in which order, and how many seconds they may take."""
        names, seconds = tests_for(self.base, path, line), self.base["seconds"]
        reaching, total = set(names), 0.0
        near = sorted(self.noticed[path.name], key=lambda one: abs(one[0] - line))
        first = [name for name in dict.fromkeys(name for _, name in near) if name in reaching]
        ordered: list[str] = []
        for name in dict.fromkeys(first[:FIRST] + names):
            if total + seconds[name] > MAX_TEST_SECONDS and ordered:
                break
            ordered.append(name)
            total += seconds[name]
        return ordered, PATIENCE * total + SECONDS

    def _look_after(self, child: int) -> None:
        """Note what became of a mutant, unless its tests still run; a late one is ended."""
        running = self.running[child]
        code = ended(child, running.deadline)
        if code is None:
            return
        path, mutant = running.path, running.mutant
        del self.running[child]
        with os.fdopen(running.report) as report:
            name = report.read()
        place = f"{path.name}:{mutant.line}: {mutant.change}"
        if code == UNCHANGED:
            print(f"{place}: cannot be put in place", flush=True)
            return
        if name:
            self.noticed[path.name].append((mutant.line, name))
        outcome = "survived" if code == SURVIVED else "killed"
        self.results.add(key_of(path.name, mutant.source), outcome)
        if outcome != "killed":
            print(f"{place}: {outcome}", flush=True)


#: How a child ends: no test failed, one did, or the module could not be changed.
SURVIVED, KILLED, UNCHANGED = 0, 1, 2


def run_in_child(
    session: pytest.Session,
    items: list[pytest.Item],
    seconds: float,
    change: tuple[Path, Mutant] | None = None,
    report: int | None = None,
) -> None:
    """Change a module and run tests until one fails, in so many seconds; ends the process."""
    code = KILLED
    try:
        null = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(null, number)
        # Seconds of the processor: on a busy machine a mutant is not slower than on an idle one.
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
        if change is not None:
            path, mutant = change
            name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
            original = path.read_text(encoding="utf-8")
            if not put_in_place(importlib.import_module(name), mutant.source, original):
                code = UNCHANGED
                return
        code = SURVIVED
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                code = KILLED
                if report is not None:
                    os.write(report, item.nodeid.encode())
                return
    finally:
        os._exit(code)


def ended(child: int, deadline: float) -> int | None:
    """Return how a child ended, or None if its tests still run; a late one is ended."""
    found, status = os.waitpid(child, os.WNOHANG)
    if found == 0:
        if time.time() < deadline:
            return None
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return KILLED
    return os.waitstatus_to_exitcode(status)


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
            if outcome in ("survived", "not reached"):
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
                "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
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
