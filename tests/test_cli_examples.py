"""Every command shows an example in its --help, and every example runs."""

from __future__ import annotations

import re

import pandas as pd
import pytest
import typer
from quick_words import quick_words

from aglets import datasets
from aglets.cli import main
from aglets.cli.app import app

OFFLINE = {"aglets data fetch MUTAG"}


def commands(group=None, path: tuple[str, ...] = ()):
    group = typer.main.get_command(app) if group is None else group
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


ALL = {" ".join(path): command for path, command in commands()}
EXAMPLES = [
    example
    for command in ALL.values()
    for example in re.findall(r"Example: (aglets .*)", command.epilog or "")
]


@pytest.mark.parametrize("name", ALL)
def test_every_help_has_an_example(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert main([*name.split(), "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"Example: aglets {name}" in shown


def test_every_command_says_what_it_does():
    assert all(command.help for command in ALL.values())


@pytest.mark.parametrize("name", ALL)
def test_nothing_in_a_help_is_lost_as_markup(name):
    command = ALL[name]
    texts = [command.help, *(parameter.help or "" for parameter in command.params)]
    assert not [text for text in texts if "[" in text]


def test_a_help_fills_the_lines_of_a_narrow_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["predict", "--help"]) == 0
    above = capsys.readouterr().out.split("Arguments")[0].splitlines()
    lines = [line.strip() for line in above if line.strip() and not set(line) & set("╭─")]
    ended = [line for line in lines if line.endswith(".") or line.startswith("Usage")]
    assert all(len(line) > 60 for line in lines if line not in ended)


def test_defaults_that_are_found_later_are_in_the_help(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["fit", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "[default: (DATA.aglets)]" in shown
    assert "[default: (smiles)]" in shown


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the examples take for granted: a table, new molecules, and the models they write."""
    place = tmp_path_factory.mktemp("examples")
    _, y = datasets.load_acids()
    smiles = datasets.load_acids()[0].smiles.tolist()[:100]
    table = pd.DataFrame({"smiles": smiles, "active": (y[:100] == "acidic").astype(int)})
    table["NR-AR"], table["SR-p53"] = table["active"], (y[:100] != "acidic") * 1.0
    table.loc[::4, "SR-p53"] = None
    table.to_csv(place / "molecules.csv", index=False)
    (place / "new.smi").write_text("CCO ethanol\nCC(=O)O\n")
    return place


@pytest.mark.usefixtures("small_grid")
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_runs(example, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("uvicorn.run", lambda app, **options: None)  # it would run for ever
    if example in OFFLINE:
        monkeypatch.setenv("AGLETS_DATA", str(folder))
        graphs, y = datasets.load_acids()
        graphs.to_tu(folder / "MUTAG", y)
    if "demo.aglets" in example and "fit" not in example and not (folder / "demo.aglets").exists():
        assert main(quick_words("aglets fit demo -o demo.aglets -q")) == 0
    assert main(quick_words(example)) == 0, capsys.readouterr().err
