"""Where `.ci/run` cannot get a browser or npm: it fails in CI, else says what is left out."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "run"
pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("bash") is None, reason="needs bash"
)


def ran(folder, ci, missing):
    """Run the script among programs that do nothing, of which some fail; `make lint` ends it."""
    (folder / ".ci").mkdir()
    shutil.copy(SCRIPT, folder / ".ci" / "run")
    (folder / "bin").mkdir()
    for name in ("npm", "apt-get", "make", "chromium"):
        if name == missing == "chromium":
            continue
        code = 7 if name == "make" else 1 if name in (missing, "apt-get") else 0
        program = folder / "bin" / name
        program.write_text(f"#!/bin/sh\nexit {code}\n")
        program.chmod(0o755)
    for name in ("bash", "dirname"):
        (folder / "bin" / name).symlink_to(shutil.which(name))
    environment = {key: value for key, value in os.environ.items() if key != "CI"}
    return subprocess.run(
        ["bash", str(folder / ".ci" / "run")],
        env={**environment, "PATH": str(folder / "bin"), **({"CI": ci} if ci else {})},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("missing", ["npm", "chromium"])
@pytest.mark.parametrize("ci", ["true", "1", "", "false"])
def test_what_cannot_be_had_fails_in_ci_and_is_a_notice_elsewhere(tmp_path, ci, missing):
    done = ran(tmp_path, ci, missing)
    assert done.returncode == (1 if ci in ("true", "1") else 7)  # 7: it went on to make
    assert ("No Chromium" if missing == "chromium" else "No prettier") in done.stderr


def test_where_all_is_there_nothing_is_said(tmp_path):
    done = ran(tmp_path, "true", None)
    assert (done.returncode, done.stderr) == (7, "")
