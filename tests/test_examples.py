from __future__ import annotations

import doctest
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.stem)
def test_examples_run(path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        capture_output=True,
        text=True,
        env={**os.environ, "MPLBACKEND": "agg", "COLUMNS": "120", "PYTHONUTF8": "1"},
    )
    assert done.returncode == 0, done.stderr


def test_the_demo_finds_the_planted_motif():
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "demo.py")],
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
