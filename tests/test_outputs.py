"""What commands write: never over what they read, never where it was not asked for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aglets.cli import main

QUICK = ["--rho", "0.1", "--maxpat", "2", "--n-lambdas", "5", "-q"]
LONG = [word for rho in (1.0, 0.5, 0.1, 0.02) for word in ("--rho", str(rho))]
LONG += ["--starts", "1", "--maxpat", "4", "--n-lambdas", "50"]
TABLE = "smiles,y\n" + "CCO,1\nCCN,0\nCCCO,1\nCCCN,0\nCC(C)O,1\nCC(C)N,0\n" * 4


@pytest.fixture(scope="module")
def model_bytes(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.aglets"
    assert main(["fit", "acids", "-o", str(path), *QUICK]) == 0
    return path.read_bytes()


@pytest.fixture
def folder(tmp_path, model_bytes, monkeypatch):
    """A current folder with a table, graphs, a TU set and a model."""
    (tmp_path / "m.aglets").write_bytes(model_bytes)
    (tmp_path / "d.csv").write_text(TABLE)
    assert main(["data", "convert", "acids", str(tmp_path / "g.json")]) == 0
    assert main(["data", "convert", "acids", str(tmp_path / "TU")]) == 0
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def said(capsys) -> str:
    return " ".join(capsys.readouterr().err.split())


# --- checkpoints -----------------------------------------------------------------------------


def test_a_model_inside_its_checkpoint_folder_survives(folder):
    (folder / "run1").mkdir()
    assert main(["fit", "acids", "-o", "run1/model.aglets", "--checkpoint", "run1", *QUICK]) == 0
    assert [path.name for path in (folder / "run1").iterdir()] == ["model.aglets"]


@pytest.mark.parametrize("name", [".", "TU"])
@pytest.mark.parametrize("mark", [None, "{}", '{"fingerprint": "mine"}', "not JSON"])
def test_a_folder_of_other_things_is_not_a_checkpoint(folder, name, mark, capsys):
    if mark is not None:
        (folder / name / "fit.json").write_text(mark)
    before = contents(folder)
    for extra in ([], ["--resume"]):
        assert main(["fit", "acids", "-o", "new.aglets", "--checkpoint", name, *QUICK, *extra]) == 1
        assert "holds something else" in said(capsys)
        assert contents(folder) == before


def interrupted_fit(folder: Path, *words: str) -> None:
    """Leave a checkpoint with at least one path."""
    process = start("fit", "acids", "-o", "new.aglets", *LONG, *words, cwd=folder)
    wait_for(lambda: list((folder / "kept").glob("*.npz")))
    process.kill()
    process.communicate(timeout=60)


def start(*words: str, **options) -> subprocess.Popen:
    code = "from aglets.cli import main; raise SystemExit(main())"
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def wait_for(condition) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
@pytest.mark.parametrize("extra", [[], ["--resume"]])
def test_a_checkpoint_deletes_only_its_own_files(folder, extra):
    interrupted_fit(folder, "--checkpoint", "kept")
    mine = {"thesis.tex": "do not delete", "a.npz": "data", ".b-0123456789abcdef.tmp": "x"}
    for name, text in mine.items():
        (folder / "kept" / name).write_text(text)
    (folder / "kept" / "inner").mkdir()
    words = ["fit", "acids", "-o", "new.aglets", "--checkpoint", "kept", "-q", *LONG, *extra]
    assert main(words) == 0
    assert sorted(path.name for path in (folder / "kept").iterdir()) == sorted([*mine, "inner"])


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_a_second_run_on_one_checkpoint_is_refused(folder, capsys):
    words = ["fit", "acids", "-o", "new.aglets", *LONG, "--checkpoint", "kept"]
    first = start(*words, cwd=folder)
    try:
        wait_for(lambda: list((folder / "kept").glob("*.npz")))
        first.send_signal(signal.SIGSTOP)
        before = contents(folder)
        for extra in ([], ["--resume"]):
            assert main([*words, "-q", *extra]) == 1
            text = said(capsys)
            assert f"The checkpoint kept is in use by process {first.pid} on " in text
            assert contents(folder) == before
    finally:
        first.send_signal(signal.SIGCONT)
        first.kill()
        first.communicate(timeout=60)
    # What it left behind holds nobody up.
    assert main([*words, "-q", "--resume"]) == 0
    assert not (folder / "kept").exists()


# --- inputs ----------------------------------------------------------------------------------

OVERWRITING = {
    "predictions over data": ["predict", "m.aglets", "d.csv", "-o", "{d.csv}"],
    "predictions over the model": ["predict", "m.aglets", "d.csv", "-o", "{m.aglets}", "--to=csv"],
    "predictions over a TU file": ["predict", "m.aglets", "TU", "-o", "{TU/TU_A.txt}", "--to=csv"],
    "a model over data": ["fit", "d.csv", "--target", "y", "-o", "{d.csv}", *QUICK],
    "a model over a TU file": ["fit", "TU", "-o", "{TU/TU_node_labels.txt}", *QUICK],
    "a page over the model": ["report", "m.aglets", "g.json", "-o", "{m.aglets}"],
    "a page over data": ["report", "m.aglets", "g.json", "-o", "{g.json}"],
    "graphs over graphs": ["data", "convert", "g.json", "{g.json}", "--to", "gspan"],
    "graphs over a TU set": ["data", "convert", "TU", "{TU}"],
}


def as_itself(path: Path) -> Path:
    return path


def as_a_long_way_round(path: Path) -> Path:
    return Path("..", Path.cwd().name) / path


def as_a_symbolic_link(path: Path) -> Path:
    link = Path("link").with_suffix(path.suffix)
    link.symlink_to(path)
    return link


def as_a_hard_link(path: Path) -> Path:
    link = Path("link").with_suffix(path.suffix)
    os.link(path, link)
    return link


@pytest.mark.parametrize("case", OVERWRITING)
@pytest.mark.parametrize(
    "how", [as_itself, as_a_long_way_round, as_a_symbolic_link, as_a_hard_link]
)
def test_an_output_that_is_an_input_is_refused(folder, case, how, capsys):
    words = list(OVERWRITING[case])
    [place] = [i for i, word in enumerate(words) if word.startswith("{")]
    target = Path(words[place].strip("{}"))
    if target.is_dir() and how is as_a_hard_link:
        pytest.skip("folders have none")
    words[place] = str(how(target))
    before = contents(folder)
    assert main(words) == 1
    text = said(capsys)
    assert "is read by this command; name another." in text
    assert words[place] in text
    assert contents(folder) == before


def test_a_partial_output_is_not_an_input_either(folder, capsys):
    (folder / "p.csv.part").write_text(TABLE)
    before = contents(folder)
    assert main(["predict", "m.aglets", "p.csv.part", "--format", "csv", "-o", "p.csv"]) == 1
    assert "is read by this command" in said(capsys)
    assert contents(folder) == before


# --- before any work -------------------------------------------------------------------------

WRITING = {
    "fit": ["fit", "TU", *QUICK, "-o"],
    "fit: checkpoint": ["fit", "TU", *QUICK, "-o", "new.aglets", "--checkpoint"],
    "predict": ["predict", "m.aglets", "d.csv", "--to", "csv", "-o"],
    "report": ["report", "m.aglets", "TU", "-o"],
    "convert": ["data", "convert", "TU", "--to", "json"],
    "convert to a folder": ["data", "convert", "TU", "--to", "tu"],
}
PLACES = {
    "no/such.x": "there is no no; make it first",
    "no/such/folder.x": "there is no no/such; make it first",
    "d.csv/such.x": "d.csv is a file",
    "closed/x": "its folder is read-only",
}


@pytest.mark.parametrize("command", WRITING)
@pytest.mark.parametrize("place", PLACES)
def test_outputs_are_checked_before_any_work(folder, command, place, capsys, monkeypatch):
    def work(*_, **__):
        raise AssertionError("graphs are read before the output is checked")

    if place.startswith("closed"):
        (folder / "closed").mkdir()
        allowed = os.access
        # The superuser may write anywhere: permissions cannot be taken from the tests themselves.
        monkeypatch.setattr(
            "os.access", lambda path, mode: Path(path).name != "closed" and allowed(path, mode)
        )
    monkeypatch.setattr("aglets.cli.sources.Source.load", work)
    before = contents(folder)
    assert main([*WRITING[command], place]) == 1
    text = said(capsys)
    assert PLACES[place] in text
    assert contents(folder) == before
    assert not (folder / "no").exists()


@pytest.mark.parametrize("command", ["fit", "predict", "report", "convert"])
def test_a_folder_is_not_a_file_to_write(folder, command, capsys):
    (folder / "empty").mkdir()
    assert main([*WRITING[command], "empty"]) == 1
    assert "but empty is a folder" in said(capsys)


def test_a_data_set_is_written_to_a_new_folder_only(folder, capsys):
    (folder / "mine").mkdir()
    (folder / "mine" / "notes.txt").write_text("")
    assert main(["data", "convert", "acids", "mine", "--to", "tu"]) == 1
    assert "Expected a new or an empty folder, but mine holds notes.txt" in said(capsys)
    (folder / "empty").mkdir()
    assert main(["data", "convert", "acids", "empty"]) == 0
    assert main(["data", "info", "empty", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])
