"""Kill commands that write at random moments, and look at what is left of the files.

``python tools/kill_trials.py --trials 200 --seed 0`` starts a command on fresh inputs, ends it by
SIGKILL at a moment drawn at random (half of them just after the first change in its folder), and
checks that

- every input has the bytes it had,
- every output is the old file, or the new one, whole, and nothing in between,
- a killed fit goes on with ``--resume`` to the model of a fit that nobody killed,
- the same command, run again, succeeds.

Commands run in copies of this process, which has loaded the libraries, so that nearly all moments
are moments of their work. It prints one line, and one per violation; the exit code says whether
there was any. A run of 200 trials or more is recorded in docs/develop/quality.md.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from quality_page import origin, write_part

import aglets
from aglets.cli import main as command_line

FRESH = os.O_CREAT | os.O_TRUNC | os.O_WRONLY
OLD = b"what was there before"
RUN = "from aglets.cli import main; raise SystemExit(main())"
FIT = ["fit", "g.json", "--target", "y", "-o", "out.aglets", "--maxpat", "3", "--starts", "1"]
RHOS = ["--rho", "1.0", "--rho", "0.5", "--rho", "0.1", "-q"]
#: What commands import when they need it.
LOADED = ("aglets.estimators", "aglets.report", "aglets.cli.app", "pandas", "rich.progress")
LOADED += ("scipy.stats", "sklearn.isotonic", "sklearn.linear_model", "sklearn.model_selection")


@dataclass(frozen=True)
class Command:
    """What is run, what it writes, what may be left of it, and how it goes on after a kill."""

    words: list[str]
    output: str
    leftovers: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    old: bool = True


COMMANDS = {
    "fit": Command([*FIT, *RHOS], "out.aglets", ("out.aglets.checkpoint",), ("--resume",)),
    "fit in its checkpoint": Command(
        [*FIT, *RHOS, "--checkpoint", "kept"], "out.aglets", ("kept",), ("--resume",)
    ),
    "predict": Command(
        ["predict", "m.aglets", "g.json", "-q", "--explain", "-o", "out.csv"],
        "out.csv",
        ("out.csv.part",),
    ),
    "report": Command(["report", "m.aglets", "g.json", "-o", "out.html"], "out.html"),
    "convert": Command(["data", "convert", "g.json", "out.gspan"], "out.gspan"),
    "convert to a folder": Command(
        ["data", "convert", "g.json", "OUT", "--target", "y"], "OUT", old=False
    ),
}


class Trial(Protocol):
    """Can be killed once, at a moment that is drawn: says what became of it, and what is wrong."""

    def trial(self, number: int, draw: random.Random) -> tuple[str, list[str]]:
        """Run one trial."""


def main() -> int:
    """Run the trials that were asked for."""
    return run_trials(__doc__, Trials, n_trials=200)


def run_trials(description: str, make: Callable[[Path], Trial], n_trials: int) -> int:
    """Run as many trials as the command line says, count what became of them, and show faults.

    A run of at least ``n_trials`` is recorded.
    """
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--trials", type=int, default=n_trials)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    made_on, draw = origin(), random.Random(given.seed)
    counts: Counter[str] = Counter()
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="kill-trials-") as place:
        trials = make(Path(place))
        for number in range(given.trials):
            outcome, found = trials.trial(number, draw)
            counts[outcome] += 1
            faults += [f"trial {number}, {fault}" for fault in found]
    shown = ", ".join(f"{counts[outcome]} {outcome}" for outcome in sorted(counts))
    said = f"{given.trials} trials, seed {given.seed}: {shown}; {len(faults)} violations"
    print(said)
    print(*faults, sep="\n", end="\n" if faults else "")
    if given.trials >= n_trials:
        write_part(Path(sys.argv[0]).name, f"{said} ({made_on}).")
    return 1 if faults else 0


class Trials:
    """Inputs that all commands share, and what each of them gives if nobody kills it."""

    def __init__(self, place: Path) -> None:
        for name in LOADED:
            importlib.import_module(name)
        self.place = place
        self.template = place / "template"
        self.template.mkdir()
        graphs, y = aglets.datasets.load_acids()
        graphs[:150].to_json(self.template / "g.json", y=y[:150])
        words = ["fit", "acids", "-o", "m.aglets", "--maxpat", "2", "--starts", "1"]
        words += ["--rho", "0.5", "--n-lambdas", "20", "-q"]
        Copy(words, self.template).finish()
        self.inputs = state(self.template)
        self._wanted: dict[str, tuple[float, dict[str, bytes]]] = {}

    def fresh(self, command: Command, name: str) -> Path:
        """Return a folder with the inputs and an old output."""
        folder = self.place / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.template, folder)
        if command.old:
            (folder / command.output).write_bytes(OLD)
        return folder

    def wanted(self, name: str) -> tuple[float, dict[str, bytes]]:
        """Return how long a command takes, and all files after it."""
        if name not in self._wanted:
            folder = self.fresh(COMMANDS[name], "wanted")
            start = time.monotonic()
            Copy(COMMANDS[name].words, folder).finish()
            self._wanted[name] = (time.monotonic() - start, state(folder))
        return self._wanted[name]

    def trial(self, number: int, draw: random.Random) -> tuple[str, list[str]]:
        """Kill one of the commands."""
        name = draw.choice(list(COMMANDS))
        found, outcome = self.run(name, draw.random(), draw.random() < 0.5)
        return outcome, [f"{name}: {fault}" for fault in found]

    def run(self, name: str, moment: float, soon: bool) -> tuple[list[str], str]:
        """Kill a command once; return what is wrong then, and what became of its output."""
        command = COMMANDS[name]
        seconds, new = self.wanted(name)
        folder = self.fresh(command, "trial")
        copy = Copy(command.words, folder)
        if soon:
            copy.wait_for_change()
            time.sleep(0.03 * moment)
        else:
            time.sleep(1.1 * seconds * moment)
        copy.kill()
        found = state(folder)
        faults = self.changed_inputs(found) + torn(command, found, new)
        outcome = outcome_of(command, found)
        if outcome != "new" or command.old:
            try:
                Copy([*command.words, *command.again], folder).finish()
            except RuntimeError as error:
                return [*faults, str(error)], outcome
            found = state(folder)
            faults += self.changed_inputs(found) + torn(command, found, new)
            if outcome_of(command, found) != "new":
                faults.append("the command, run again, did not write its output")
            if any(part.startswith(place) for place in command.leftovers for part in found):
                faults.append("the command, run again, left its checkpoint or part behind")
        return faults, outcome

    def changed_inputs(self, found: dict[str, bytes]) -> list[str]:
        """Say which inputs are not what they were."""
        return [
            f"the input {name} changed"
            for name, data in self.inputs.items()
            if found.get(name) != data
        ]


class Copy:
    """A command in a folder, run by a copy of this process."""

    def __init__(self, words: list[str], folder: Path) -> None:
        self.words, self.folder, self.said = words, folder, folder.with_suffix(".said")
        context = multiprocessing.get_context("fork")
        self.process = context.Process(target=self._run)
        self.before = sorted(os.listdir(folder))
        self.process.start()

    def _run(self) -> None:
        os.chdir(self.folder)
        null, said = os.open(os.devnull, os.O_RDWR), os.open(self.said, FRESH)
        for target, source in enumerate((null, null, said)):
            os.dup2(source, target)
        raise SystemExit(command_line(self.words))

    def finish(self) -> None:
        """Wait for the end, which has to be a good one."""
        self.process.join()
        if self.process.exitcode:
            raise RuntimeError(f"{' '.join(self.words)} failed: {self.said.read_text()}")

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.join()

    def wait_for_change(self) -> None:
        """Wait until a file appears or goes, or the process ends."""
        while self.process.is_alive() and sorted(os.listdir(self.folder)) == self.before:
            time.sleep(0.0005)


def start_command(words: list[str], folder: Path) -> subprocess.Popen[str]:
    """Start a command in a folder, by a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", RUN, *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(words: list[str], folder: Path) -> None:
    """Run such a command to its end."""
    process = start_command(words, folder)
    _, said = process.communicate()
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)} failed: {said}")


def state(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder but those that were temporary."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.relative_to(folder).parts[0].endswith(".tmp")
    }


def outcome_of(command: Command, found: dict[str, bytes]) -> str:
    """Return whether the output is absent, old or new."""
    parts = {name: data for name, data in found.items() if name.startswith(command.output)}
    own = {name for name in parts if not name.startswith(command.leftovers or "\0")}
    if not own:
        return "absent"
    return "old" if parts.get(command.output) == OLD else "new"


def torn(command: Command, found: dict[str, bytes], new: dict[str, bytes]) -> list[str]:
    """Say what is neither old nor new."""
    outcome = outcome_of(command, found)
    if outcome != "new":
        return ["the old output is gone"] if outcome == "absent" and command.old else []
    wanted = {name for name in new if name == command.output or name.startswith("OUT/")}
    return [
        f"the output {name} is torn"
        for name in wanted
        if name not in found or not is_same(name, found[name], new[name])
    ]


def is_same(name: str, data: bytes, new: bytes) -> bool:
    """Whether two files are equal; models may say how long they took, so they are read."""
    if not name.endswith(".aglets"):
        return data == new
    with tempfile.TemporaryDirectory() as place:
        paths = [Path(place, "a"), Path(place, "b")]
        for path, content in zip(paths, (data, new), strict=True):
            path.write_bytes(content)
        try:
            one, two = (aglets.load(path) for path in paths)
        except ValueError:
            return False
    return one.graphlets == two.graphlets and np.array_equal(one.intercept, two.intercept)


if __name__ == "__main__":
    raise SystemExit(main())
