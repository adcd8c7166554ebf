"""Which small changes to the trainer do the tests notice? ``python tools/mutate.py``.

Every mutant of the modules below (`mutants.py`) is tried in a process of its own, with the tests
that run its line, the fastest first, until one fails. ``--modules`` takes some of them,
``--sample`` draws so many at random with a ``--seed``, ``--jobs`` says how many processes. Results
go to build/mutants/results.json as they come, so that a run can be ended and continued; the table
in docs/develop/quality.md is made from them.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import signal
import sys
import time
from collections import Counter, defaultdict
from hashlib import sha256
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
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
    """Try every mutant that was not tried yet, several at a time."""
    base = baseline()
    check_unchanged(modules[0], base)
    waiting = []
    for path, mutant in chosen(modules, options):
        if results.waits(key_of(path.name, mutant.source), options.again):
            waiting.append((path, mutant))
    print(f"{len(waiting)} mutants to try", flush=True)
    running: dict[int, tuple[Path, Mutant, float]] = {}
    while waiting or running:
        while waiting and len(running) < options.jobs:
            path, mutant = waiting.pop(0)
            tests, seconds = tests_for(base, path, mutant.line)
            if not tests:
                results.add(key_of(path.name, mutant.source), "not reached")
                continue
            deadline = time.time() + WAITING * seconds
            running[start(path, mutant, tests, seconds)] = (path, mutant, deadline)
        time.sleep(0.05)
        for child in list(running):
            outcome = ended(child, running[child][2])
            if outcome is not None:
                path, mutant, _ = running.pop(child)
                results.add(key_of(path.name, mutant.source), outcome)
                if outcome != "killed":
                    print(f"{path.name}:{mutant.line}: {mutant.change}: {outcome}", flush=True)


def check_unchanged(path: Path, base: dict[str, Any]) -> None:
    """End if tests fail in such a process where nothing is changed: all would seem noticed."""
    same = Mutant(0, "nothing", path.read_text(encoding="utf-8"))
    tests, seconds = tests_for(base, path, same.line)
    child, outcome = start(path, same, tests, seconds), None
    while outcome is None:
        time.sleep(0.05)
        outcome = ended(child, time.time() + WAITING * seconds)
    if outcome != "survived":
        sys.exit("The tests fail before anything is changed.")


def chosen(modules: list[Path], options: argparse.Namespace) -> list[tuple[Path, Mutant]]:
    """List the mutants to try: all, or a sample that depends on the seed and the code alone."""
    found = [(p, mutant) for p in modules for mutant in mutants_of(p.read_text(encoding="utf-8"))]
    if options.sample is None or options.sample >= len(found):
        return found
    return Random(options.seed).sample(found, options.sample)


def tests_for(base: dict[str, Any], path: Path, line: int) -> tuple[list[str], float]:
    """Return the tests that run a line, the fastest first, and how long they may take."""
    lines = base["lines"].get(path.name, {})
    names = lines.get(str(line)) or sorted({name for found in lines.values() for name in found})
    seconds = base["seconds"]
    ordered = sorted((name for name in names if seconds[name] < 1e9), key=seconds.__getitem__)
    chosen, total = [], 0.0
    for name in ordered:
        if total + seconds[name] > MAX_TEST_SECONDS and chosen:
            break
        chosen.append(name)
        total += seconds[name]
    return chosen, PATIENCE * total + SECONDS


def start(path: Path, mutant: Mutant, tests: list[str], seconds: float) -> int:
    """Run tests on a mutant in a child process of so many seconds, and return its id."""
    child = os.fork()
    if child:
        return child
    code = 3
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        # Seconds of the processor: on a busy machine a mutant is not slower than on an idle one.
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(WORK / f"hypothesis-{os.getpid()}")
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        sys.meta_path.insert(0, _Instead(name, mutant.source, path))
        code = int(pytest.main([*_pytest_words(), "-x", *tests]))
    finally:
        os._exit(code)


class _Instead(MetaPathFinder, Loader):
    """Imports a module from changed source."""

    def __init__(self, name: str, source: str, path: Path) -> None:
        self.name, self.source, self.path = name, source, path

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        return ModuleSpec(fullname, self, origin=str(self.path))

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, str(self.path), "exec"), module.__dict__)


def ended(child: int, deadline: float) -> str | None:
    """Say what became of a mutant, or None if its tests still run; a late one is ended."""
    found, status = os.waitpid(child, os.WNOHANG)
    if found == 0:
        if time.time() < deadline:
            return None
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "killed"
    return "survived" if os.waitstatus_to_exitcode(status) == 0 else "killed"


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
    import hypothesis  # noqa: F401 - loaded once, before processes divide
    import networkx  # noqa: F401
    import numpy  # noqa: F401
    import scipy.optimize  # noqa: F401
    import sklearn.model_selection  # noqa: F401

    import aglets.model.outputs  # noqa: F401 - a room that knows nothing of the trainer

    sys.path[:0] = [str(ROOT / "tests")]
    sys.exit(main())
