"""Whatever call to the system fails, inputs stay, outputs are old or new, and the file is named.

A sample is tried by default, every case with ``AGLETS_ALL_FAULTS=1``.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from faults import Fault, System, faults

import aglets
from aglets import datasets, report
from aglets.cli import main
from aglets.datasets._unpacking import unpack
from aglets.training.checkpoint import Checkpoint
from aglets.training.fitting import FitCallback, Task

ALL = os.environ.get("AGLETS_ALL_FAULTS") == "1"
SAMPLE = 12
QUICK = ["--rho", "0.1", "--maxpat", "2", "--n-lambdas", "3", "--starts", "1", "-q"]
TABLE = "smiles,y\n" + "CCO,1\nCCN,0\nCCCO,1\nCCCN,0\nCC(C)O,1\nCC(C)N,0\n" * 200
OLD = b"what was there before"


@dataclass(frozen=True)
class Writer:
    """Something that writes, what it writes, and what else may be there after a failure."""

    run: Callable[[], object]
    outputs: tuple[str, ...]
    leftovers: tuple[str, ...] = ()
    old: bool = True


def command(*words: str) -> Callable[[], object]:
    def run() -> None:
        if main(list(words)) != 0:
            raise SystemExit(1)

    return run


def model():
    return aglets.load("m.aglets")


def graphs():
    return datasets.load_acids()[0][:20]


def classes():
    return datasets.load_acids()[1][:20]


class Recorder(FitCallback):
    def __init__(self):
        self.paths = {}

    def end(self, task, paths):
        self.paths[task] = [list(path) for path in paths]


def walked() -> dict[Task, object]:
    recorder = Recorder()
    options = {"starts": 1, "rhos": (0.3,), "maxpats": (2,), "n_lambdas": 3, "random_state": 0}
    aglets.LagraClassifierCV(**options).fit(graphs(), classes(), callback=recorder)
    return recorder.paths


def keep_checkpoint() -> None:
    with Checkpoint("kept", "key") as kept:
        for task, paths in PATHS.items():
            kept.end(task, paths)


def drop_checkpoint() -> None:
    with Checkpoint("kept", "key") as kept:
        for task, paths in PATHS.items():
            kept.end(task, paths)
        kept.delete()


PATHS: dict = {}
FIT = ("fit", "g.json", "--target", "y", *QUICK)
KEPT = ("out.aglets.checkpoint",)

WRITERS = {
    "fit": Writer(command(*FIT, "-o", "out.aglets"), ("out.aglets",), KEPT),
    "fit --stability": Writer(
        command(*FIT, "-o", "out.aglets", "--stability", "2"), ("out.aglets",), KEPT
    ),
    "fit --resume": Writer(
        command(*FIT, "-o", "out.aglets", "--checkpoint", "kept.before", "--resume"),
        ("out.aglets",),
        ("kept.before",),
    ),
    "predict csv": Writer(
        command("predict", "m.aglets", "d.csv", "-o", "out.csv"), ("out.csv",), ("out.csv.part",)
    ),
    "predict jsonl": Writer(
        command("predict", "m.aglets", "g.json", "-o", "out.jsonl", "--explain"),
        ("out.jsonl",),
        ("out.jsonl.part",),
    ),
    "predict parquet": Writer(
        command("predict", "m.aglets", "d.csv", "-o", "out.parquet"),
        ("out.parquet",),
        ("out.parquet.part",),
    ),
    "report": Writer(
        command("report", "m.aglets", "g.json", "-o", "out.html", "--max-graphs", "3"),
        ("out.html",),
    ),
    "convert json": Writer(command("data", "convert", "g.json", "out.json"), ("out.json",)),
    "convert jsonl": Writer(command("data", "convert", "g.json", "out.jsonl"), ("out.jsonl",)),
    "convert gspan": Writer(command("data", "convert", "g.json", "out.gspan"), ("out.gspan",)),
    "convert tu": Writer(
        command("data", "convert", "g.json", "OUT", "--target", "y"), ("OUT",), old=False
    ),
    "LagraModel.save": Writer(lambda: model().save("out.aglets"), ("out.aglets",)),
    "report.write": Writer(
        lambda: report.write(model(), graphs(), classes(), "out.html", max_graphs=3), ("out.html",)
    ),
    "to_json": Writer(lambda: graphs().to_json("out.json"), ("out.json",)),
    "to_gspan": Writer(lambda: graphs().to_gspan("out.gspan"), ("out.gspan",)),
    "to_tu": Writer(lambda: graphs().to_tu("OUT", classes()), ("OUT",), old=False),
    "unpack": Writer(
        lambda: unpack(Path("OUT.zip"), "OUT", Path("OUT")), ("OUT",), ("unpacked",), old=False
    ),
    "Checkpoint": Writer(keep_checkpoint, (), ("kept",), old=False),
    "Checkpoint.delete": Writer(drop_checkpoint, (), ("kept",), old=False),
}


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """The inputs of all commands."""
    place = tmp_path_factory.mktemp("template")
    here = Path.cwd()
    os.chdir(place)
    try:
        Path("d.csv").write_text(TABLE)
        everything, y = datasets.load_acids()
        everything[:60].to_json("g.json", y=y[:60])
        everything[:5].to_tu("T", y[:5])
        with zipfile.ZipFile("OUT.zip", "w") as archive:
            for path in Path("T").iterdir():
                archive.write(path, path.name.replace("T_", "OUT_"))
        shutil.rmtree("T")
        assert main(["fit", "acids", "-o", "m.aglets", *QUICK]) == 0
        interrupted = [*FIT, "-o", "x.aglets", "--checkpoint", "kept.before", "--time-limit", "0"]
        assert main(interrupted) == 0
        Path("x.aglets").unlink()
        PATHS.update(walked())
    finally:
        os.chdir(here)
    return place


def state(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def is_of(name: str, places: tuple[str, ...]) -> bool:
    return any(name == place or name.startswith(f"{place}/") for place in places)


class Trial:
    """Runs one writer on fresh copies of the inputs, with and without a fault."""

    def __init__(self, writer: Writer, template: Path, place: Path) -> None:
        self.writer, self.template, self.place = writer, template, place
        self.n = 0

    def run(self, fault: Fault | None) -> tuple[System, BaseException | None, Path]:
        folder = self.place / str(self.n)
        self.n += 1
        shutil.copytree(self.template, folder)
        if self.writer.old:
            for name in self.writer.outputs:
                (folder / name).write_bytes(OLD)
        os.chdir(folder)
        system, failed = System(folder, fault), None
        try:
            with system.installed():
                self.writer.run()
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            failed = error
        return system, failed, folder


def same_output(name: str, data: bytes, new: bytes) -> bool:
    """Whether an output is new; models say how long they took, so they are read instead."""
    if not name.endswith(".aglets"):
        return data == new
    Path("look.aglets").write_bytes(data)
    aglets.load("look.aglets")
    Path("look.aglets").unlink()
    return True


@pytest.mark.parametrize("name", WRITERS)
def test_no_fault_of_the_system_tears_a_file(name, template, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "500")
    writer = WRITERS[name]
    trial = Trial(writer, template, tmp_path)
    system, failed, folder = trial.run(None)
    assert failed is None, capsys.readouterr().err
    capsys.readouterr()
    inputs, new = state(template), state(folder)
    assert {key for key in new if key not in inputs} == {
        key for key in new if is_of(key, (*writer.outputs, *writer.leftovers))
    }
    cases = faults(system.counts)
    if not ALL:
        cases = random.Random(name).sample(cases, min(SAMPLE, len(cases)))
    for fault in cases:
        system, failed, folder = trial.run(fault)
        said = capsys.readouterr().err
        found = state(folder)
        check_inputs(writer, inputs, found, fault)
        check_outputs(writer, new, found, fault, failed)
        check_leftovers(writer, inputs, found, fault)
        check_sentence(failed, said, folder, fault)
        shutil.rmtree(folder)
    print(f"{name}: {len(cases)} faults, calls {dict(system.counts)}")


def check_inputs(writer, inputs, found, fault):
    for key, data in inputs.items():
        if not is_of(key, writer.leftovers):
            assert found.get(key) == data, (fault, key)


def check_outputs(writer, new, found, fault, failed):
    for output in writer.outputs:
        parts = {key for key in found if is_of(key, (output,))}
        if writer.old:
            assert parts == {output}, fault
            if found[output] == OLD:
                assert failed is not None, fault
            else:
                assert same_output(output, found[output], new[output]), fault
        elif parts or failed is None:
            assert {key: found[key] for key in parts} == {
                key: data for key, data in new.items() if is_of(key, (output,))
            }, fault


def check_leftovers(writer, inputs, found, fault):
    known = (*writer.outputs, *writer.leftovers)
    others = [key for key in found if key not in inputs and not is_of(key, known)]
    # What is temporary is left only if it cannot be removed.
    assert not others or fault.call == "unlink", (fault, others)


def check_sentence(failed, said, folder, fault):
    assert "Traceback" not in said, fault
    if fault.is_harmless:
        assert failed is None, (fault, said)
    if fault.how == "interrupt":
        return
    if isinstance(failed, SystemExit):
        assert said.count("\n") == 1, (fault, said)
    elif isinstance(failed, Exception):
        said = str(failed)
        assert isinstance(failed, (OSError, ValueError)), fault
    if failed is not None:
        names = {path.name for path in folder.rglob("*")} | {"out", "OUT", "kept", "unpacked"}
        assert any(name in said for name in names), (fault, said)


def test_a_fault_is_a_fault(tmp_path):
    path = tmp_path / "a"
    for fault in (Fault("open", 1, "not allowed"), Fault("close", 1, "bad disk")):
        with System(tmp_path, fault).installed(), pytest.raises(OSError, match="denied|output"):
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    fd = os.open(path, os.O_WRONLY)
    os.close(fd)
    with System(tmp_path, Fault("write", 2, "short, then no space")).installed() as system:
        fd = os.open(path, os.O_WRONLY)
        assert os.write(fd, b"1234") == 4
        assert os.write(fd, b"5678") == 2
        with pytest.raises(OSError, match="No space left"):
            os.write(fd, b"78")
        os.close(fd)
    assert system.counts == {"open": 1, "write": 3, "close": 1}
    assert path.read_bytes() == b"123456"
    assert np.array_equal(len(faults(system.counts)), 4 + 3 * 6 + 4)


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_a_command_killed_at_any_moment_loses_nothing():
    script = Path(__file__).parents[1] / "tools" / "kill_trials.py"
    words = [sys.executable, str(script), "--trials", "3", "--seed", "1"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("; 0 violations\n")
