"""Try mutants: each in a copy of a process that has loaded the tests, until one of them fails."""

from __future__ import annotations

import ast
import contextlib
import importlib
import os
import resource
import signal
import time
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from live_mutants import put_in_place
from mutant_results import Results, key_of
from mutants import Mutant
from quality_page import ROOT

SOURCE = ROOT / "src"
#: A mutant with which a test takes so many times as long as without, and so many seconds of the
#: processor more, is noticed; and one that only waits, so many times longer.
PATIENCE, SECONDS, WAITING = 5.0, 10.0, 10.0
#: Tests below so many seconds are run for every constant.
QUICK = 0.01
#: So many tests that noticed mutants of lines nearby come first.
FIRST = 5
#: How a child ends: no test failed, one did, or the module could not be changed.
SURVIVED, KILLED, UNCHANGED = 0, 1, 2


def tests_for(base: dict[str, Any], path: Path, line: int) -> list[str]:
    """Return the tests that run a line, the fastest first.

    A constant, a field or a default is set when the module is loaded: there it is the tests that
    run a line which reads it, and those that take next to no time, which may read it themselves.
    """
    lines, seconds = base["lines"].get(path.name, {}), base["seconds"]
    names = set(lines.get(str(line), ()))
    if not names:
        readers = lines_that_read(path.read_text(encoding="utf-8"), line)
        names = {name for reader in readers for name in lines.get(str(reader), ())}
        names = names or {name for found in lines.values() for name in found}
        names |= {name for name, used in seconds.items() if used < QUICK}
    return sorted((name for name in names if seconds[name] < 1e9), key=lambda n: (seconds[n], n))


@cache
def lines_that_read(source: str, line: int) -> list[int]:
    """List the lines that read what is named at a line."""
    nodes = list(ast.walk(ast.parse(source)))
    here = [node for node in nodes if getattr(node, "lineno", 0) == line]
    named = {node.arg for node in here if isinstance(node, ast.arg)}
    named |= {n.id for n in here if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return sorted(
        node.lineno
        for node in nodes
        if (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in named)
        or (isinstance(node, ast.Attribute) and node.attr in named)
    )


@dataclass
class Running:
    """A child process that tries a mutant."""

    path: Path
    mutant: Mutant
    deadline: float
    #: Where the child writes which test failed.
    report: int


class Trials:
    """A plugin of pytest: instead of all tests, it runs those that may notice, for every mutant."""

    def __init__(
        self,
        base: dict[str, Any],
        waiting: list[tuple[Path, Mutant]],
        results: Results,
        *,
        jobs: int,
        seconds: float,
        not_noticed: str,
    ) -> None:
        self.base, self.waiting, self.results = base, waiting, results
        self.jobs, self.seconds, self.not_noticed = jobs, seconds, not_noticed
        self.running: dict[int, Running] = {}
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
        names, _ = self._order(path, nothing.line)
        child = os.fork()
        if child == 0:
            run_in_child(session, [items[name] for name in names], self.base["seconds"])
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
            chosen = [items[name] for name in names]
            run_in_child(session, chosen, self.base["seconds"], change, writing)
        os.close(writing)
        self.running[child] = Running(path, mutant, time.time() + WAITING * seconds, reading)

    def _order(self, path: Path, line: int) -> tuple[list[str], float]:
        """Return which tests to run in which order, and how many seconds they may take."""
        names, seconds = tests_for(self.base, path, line), self.base["seconds"]
        reaching, total = set(names), 0.0
        near = sorted(self.noticed[path.name], key=lambda one: abs(one[0] - line))
        first = [name for name in dict.fromkeys(name for _, name in near) if name in reaching]
        ordered: list[str] = []
        for name in dict.fromkeys(first[:FIRST] + names):
            if total + seconds[name] > self.seconds and ordered:
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
        outcome = self.not_noticed if code == SURVIVED else "killed"
        self.results.add(key_of(path.name, mutant.source), outcome)
        if outcome != "killed":
            print(f"{place}: {outcome}", flush=True)


def run_in_child(
    session: pytest.Session,
    items: list[pytest.Item],
    seconds: dict[str, float],
    change: tuple[Path, Mutant] | None = None,
    report: int | None = None,
) -> None:
    """Change a module and run tests until one fails or is too slow; ends the process."""
    code = KILLED
    try:
        null = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(null, number)
        if change is not None:
            path, mutant = change
            name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
            original = path.read_text(encoding="utf-8")
            if not put_in_place(importlib.import_module(name), mutant.source, original):
                code = UNCHANGED
                return
        code = SURVIVED
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        for item, following in zip(items, [*items[1:], None], strict=True):
            # Seconds of the processor: a busy machine makes no mutant slower.
            last = time.process_time() + PATIENCE * seconds[item.nodeid] + SECONDS
            resource.setrlimit(resource.RLIMIT_CPU, (int(last) + 1, hard))
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
