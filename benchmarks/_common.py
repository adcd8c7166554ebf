"""What all benchmarks share: where they run, what they cost, how they are written down.

A benchmark measures its cases in fresh processes, so that no case inherits the memory or the caches
of another. Times are CPU seconds, which foreign load disturbs little. Every case is one record,
kept in ``results/<name>.json`` as soon as it is measured: a killed run goes on where it stopped.
``results/<name>.md`` shows the same as tables. With ``--quick`` both go to ``results/quick/``, and
cases are run in one process: starting one takes longer than they do.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from datetime import datetime, timezone
from importlib import metadata
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from aglets import GraphSet, datasets

HERE = Path(__file__).resolve().parent
MB = 2**20
PROC = Path("/proc/self")

#: How the paper reads the data sets (see ``load``).
COMPONENTS = {"AIDS": "first", "ENZYMES": "largest"}


def arguments(description: str) -> argparse.ArgumentParser:
    """Make the parser of a benchmark with the options that all have."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small part, to see that it runs")
    parser.add_argument("--fresh", action="store_true", help="measure again what is on record")
    return parser


def load(name: str, *, whole: bool = False) -> tuple[GraphSet, np.ndarray]:
    """Load a data set as the paper reads it, or with all parts of its graphs; classes -1 and 1."""
    component = None if whole else COMPONENTS.get(name)
    graphs, y = datasets.load_tu(name, component=component)
    if name == "ENZYMES":
        two = np.isin(y, [1, 2])
        graphs, y = graphs[two], y[two]
    return graphs, np.where(y == y.min(), -1, 1)


def skip_without_data(*names: str) -> None:
    """End the script with a sentence, not an error, where the public data sets are missing."""
    for name in names:
        try:
            datasets.load_tu(name)
        except ValueError as error:
            print(f"Skipped: {error}")
            sys.exit(0)


def split(y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Split like the paper: per class floor(0.6 n) to train, floor(0.2 n) to validate, the rest."""
    rng = np.random.default_rng(seed)
    parts: tuple[list, list, list] = ([], [], [])
    for value in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == value))
        first, second = int(0.6 * len(rows)), int(0.6 * len(rows)) + int(0.2 * len(rows))
        for part, chosen in zip(parts, np.split(rows, [first, second]), strict=True):
            part.append(chosen)
    train, validation, test = (np.sort(np.concatenate(part)) for part in parts)
    return train, validation, test


def cpu_seconds() -> float:
    """CPU seconds of this process with all its threads, and of its ended children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def cpu_times(call: Callable[[], Any], repeats: int) -> list[float]:
    """CPU seconds of each of so many calls."""
    times = []
    for _ in range(repeats):
        start = cpu_seconds()
        call()
        times.append(cpu_seconds() - start)
    return times


def memory() -> int:
    """Resident bytes of this process now."""
    return _status("VmRSS")


def peak_memory() -> int:
    """Resident bytes of this process at its largest, or since `forget_peak`.

    Not ru_maxrss, which a process inherits from the one that started it.
    """
    return _status("VmHWM")


def forget_peak() -> None:
    """Let `peak_memory` start again."""
    if PROC.exists():
        (PROC / "clear_refs").write_text("5")


def _status(key: str) -> int:
    if not PROC.exists():  # the best that other systems report without more packages
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    for line in (PROC / "status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    raise LookupError(key)


def in_fresh_process(
    call: Callable[..., dict], max_seconds: int | None = None, **arguments: Any
) -> dict:
    """Return what a function of a script returns in a process of its own.

    A process that takes more than so many CPU seconds is ended, and the record says so.
    """
    with ProcessPoolExecutor(1, get_context("spawn"), _limit_seconds, (max_seconds,)) as pool:
        try:
            return pool.submit(call, **arguments).result()
        except BrokenProcessPool:
            if max_seconds is None:
                raise
            return {"ended": f"by hand after {max_seconds} CPU s"}


def _limit_seconds(most: int | None) -> None:
    # Only where asked for: under this limit Linux reads CPU time in steps of some milliseconds.
    if most is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))


class Records:
    """The records of one benchmark, by case; written to its JSON file as they come.

    Parameters
    ----------
    name : str
        Of the files ``results/<name>.json`` and ``results/<name>.md``.
    options : Namespace
        With ``quick`` and ``fresh``.
    """

    def __init__(self, name: str, options: argparse.Namespace) -> None:
        folder = HERE / "results" / ("quick" if options.quick else ".")
        folder.mkdir(parents=True, exist_ok=True)
        self.json = folder / f"{name}.json"
        self.markdown = folder / f"{name}.md"
        self.quick: bool = options.quick
        self.records: dict[str, dict[str, Any]] = {}
        if self.json.exists() and not (options.fresh or options.quick):
            self.records = json.loads(self.json.read_text())["records"]

    def measure(
        self,
        case: str,
        call: Callable[..., dict],
        *,
        max_seconds: int | None = None,
        **arguments: Any,
    ) -> dict[str, Any]:
        """Return the record of a case, measured in a fresh process if it is not there yet."""
        if case not in self.records:
            print(f"{case} ...", flush=True)
            if self.quick:
                record = call(**arguments)
            else:
                record = in_fresh_process(call, max_seconds, **arguments)
            self.records[case] = {**record, "commit": commit(), "date": today()}
            self._save()
        return self.records[case]

    def _save(self) -> None:
        text = json.dumps({**environment(), "records": self.records}, indent=1, default=_plain)
        partial = self.json.with_suffix(".partial")
        partial.write_text(text + "\n")
        partial.replace(self.json)

    def write(self, title: str, *parts: str) -> None:
        """Write the Markdown file: where it ran, then paragraphs and tables; and show it."""
        here = environment()
        commits = sorted({record["commit"] for record in self.records.values()})
        origin = (
            f"`{here['command']}` at commit {', '.join(commits)} on {here['date']}; "
            f"{here['machine']}; {here['software']}."
        )
        text = "\n\n".join([f"# {title}", origin, *parts]) + "\n"
        self.markdown.write_text(text)
        self._save()
        print("\n" + text)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Format a Markdown table; the first column is text, the others are numbers."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def with_error(differences: np.ndarray, digits: int = 3) -> str:
    """Write the mean of paired differences, and its standard error if there are several."""
    text = f"{differences.mean():+.{digits}f}"
    if len(differences) < 2:
        return text
    return f"{text} ± {differences.std(ddof=1) / np.sqrt(len(differences)):.{digits}f}"


def environment() -> dict[str, str]:
    """Describe command, commit, machine and software of this run; no names of hosts or people."""
    names = ("numpy", "scipy", "scikit-learn", "rdkit", "networkx", "gspan-mining")
    names += ("torch", "torch-geometric", "grakel", "interpret-core")
    versions = ", ".join(f"{name} {version}" for name in names if (version := _version(name)))
    script = Path(sys.argv[0])
    return {
        "command": " ".join(["python", f"benchmarks/{script.name}", *sys.argv[1:]]),
        "commit": commit(),
        "date": today(),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {_installed_memory()} GB",
        "software": f"{platform.system()}, Python {platform.python_version()}, {versions}",
    }


def today() -> str:
    """Return the date in UTC."""
    return datetime.now(timezone.utc).date().isoformat()


def commit() -> str:
    """Return the commit of the sources, with a + if they were changed since."""
    changed = _git("status", "--porcelain", "--", ":/src", ":/cpp", ":/bindings")
    return (_git("rev-parse", "--short=10", "HEAD") or "unknown") + ("+" if changed else "")


def _git(*command: str) -> str:
    done = subprocess.run(["git", *command], cwd=HERE, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _processor() -> str:
    if PROC.exists():
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _installed_memory() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(type(value))
