from __future__ import annotations

import doctest
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.stem)
def test_examples_run(path, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "agg", "COLUMNS": "120", "PYTHONUTF8": "1"},
    )
    assert done.returncode == 0, done.stderr


def test_the_demo_says_where_it_wrote_what(tmp_path):
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "demo.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "agg", "COLUMNS": "120", "PYTHONUTF8": "1"},
        check=True,
    )
    assert perf_counter() - start < 60
    assert "C(-O)=O" in done.stdout
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


def test_the_readme_is_true():
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried
    assert not failed
