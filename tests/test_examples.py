from __future__ import annotations

import doctest
import os
import re
import runpy
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import pandas as pd
import pytest
from quick_words import quick_words

from aglets import datasets
from aglets.cli import main

ROOT = Path(__file__).parents[1]


GALLERY = sorted(ROOT.glob("examples/gallery/plot_*.py"))


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_scripts_of_the_gallery_run_and_draw(path, tmp_path, monkeypatch):
    from matplotlib import pyplot

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pyplot, "show", lambda: None)
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 100
    with drawing_without_a_screen():
        runpy.run_path(str(path), run_name="__main__")  # one process: imports take most of the time
        assert pyplot.get_fignums()


@contextmanager
def drawing_without_a_screen():
    """Draw without a screen, and leave nothing behind."""
    from matplotlib import pyplot

    before = pyplot.get_backend()
    pyplot.switch_backend("agg")
    try:
        yield
    finally:
        pyplot.close("all")
        pyplot.switch_backend(before)


def test_the_demo_says_where_it_wrote_what(tmp_path):
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / "demo.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "agg", "COLUMNS": "120", "PYTHONUTF8": "1"},
        check=True,
    )
    assert perf_counter() - start < 60
    assert "(with" in done.stdout
    assert "the AUC is 0.8" in done.stdout
    assert "Open demo_output/report.html in a browser." in done.stdout.replace("\\", "/")
    written = {path.name for path in (tmp_path / "demo_output").iterdir()}
    assert {"report.html", "demo.aglets", "graphlets.png", "explanation.png"} <= written


def test_the_hidden_motif_is_found():
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "hidden_motif.py")],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "120", "PYTHONUTF8": "1"},
        check=True,
    )
    assert "<- the motif" in done.stdout
    assert "is right for 100% of the graphs" in done.stdout


DOCS = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/how-to/*.md")]
PAGES = [ROOT / "README.md", *sorted(DOCS)]


def pages_with(mark: str) -> list[Path]:
    return [page for page in PAGES if mark in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", pages_with(">>> "), ids=lambda page: page.stem)
def test_what_python_says_on_a_page_is_true(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert tried
    assert not failed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_of_python_is_run(page):
    """Doctest runs what has a prompt; only what needs a cluster may be without."""
    pieces = re.split(r"^```", page.read_text(encoding="utf-8"), flags=re.M)
    blocks = [block for block in pieces[1::2] if block.startswith("python")]
    assert all(">>> " in block or "RayEngine" in block for block in blocks)


def commands(page: Path) -> list[str]:
    """The lines in a page's blocks of code that call aglets."""
    pieces = re.split(r"^```.*$", page.read_text(encoding="utf-8"), flags=re.M)
    lines = [line for block in pieces[1::2] for line in block.splitlines()]
    return [line for line in lines if line.startswith("aglets ")]


@pytest.mark.usefixtures("small_grid")
@pytest.mark.parametrize("page", [*filter(commands, PAGES)], ids=lambda page: page.stem)
def test_commands_on_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("uvicorn.run", lambda app, **options: None)  # it would run for ever
    lines = commands(page)
    assert lines
    # These need files from elsewhere, or Ray.
    public = re.compile(r"\b(BZR|MUTAG|AIDS)\b")
    table = pd.DataFrame({"smiles": datasets.load_acids()[0].smiles.tolist()[:40]})
    table["active"] = datasets.load_acids()[1][:40]
    for name in ("january", "february", "molecules"):
        table.to_csv(f"{name}.csv", index=False)
    for line in lines:
        if "--engine ray" in line:
            continue
        if not public.search(line) or "AGLETS_DATA" in os.environ:
            assert main(quick_words(line)) == 0, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_and_pictures_of_a_page_are_there(page):
    # What stands in code is not a link, even if it looks like one, as SMARTS do.
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if not target.startswith(("http", "#")):
            assert (page.parent / target.partition("#")[0]).exists(), target


def test_pictures_of_the_documentation_are_small():
    pictures = list((ROOT / "docs" / "images").iterdir())
    assert sum(picture.stat().st_size for picture in pictures) < 400_000
