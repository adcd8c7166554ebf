from __future__ import annotations

import os

import pytest
from warm_process import WarmProcess

PROGRAM = """
import atexit, os, sys
atexit.register(print, "last")
print(sys.argv[1:], __name__, os.environ["COLOUR"], os.path.basename(os.getcwd()))
print("complaint", file=sys.stderr)
kind = sys.argv[1]
assert kind != "error", "wrong"
sys.exit({"nothing": None, "three": 3, "text": "a sentence"}[kind]) if kind != "end" else None
"""


@pytest.fixture(scope="module")
def warm():
    with WarmProcess("import decimal", {**os.environ, "COLOUR": "red"}) as process:
        yield process


@pytest.mark.parametrize(
    ("kind", "code", "said"),
    [("end", 0, ""), ("nothing", 0, ""), ("three", 3, ""), ("text", 1, "a sentence")],
)
@pytest.mark.parametrize("as_module", [False, True])
def test_a_program_runs_as_in_a_process_of_its_own(warm, tmp_path, kind, code, said, as_module):
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "program.py").write_text(PROGRAM)
    words = ["-m", "program"] if as_module else ["program.py"]
    done = warm.run([*words, kind, "2"], cwd=tmp_path / "place")
    assert done.returncode == code
    assert done.stdout == f"['{kind}', '2'] __main__ red place\nlast\n"
    assert done.stderr.split("\n") == ["complaint", *filter(None, [said]), ""]


def test_an_error_of_a_program_is_seen(warm, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = warm.run(["program.py", "error"], cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.endswith("AssertionError: wrong\n")


def test_programs_leave_nothing_to_the_next(warm, tmp_path):
    (tmp_path / "program.py").write_text("import decimal\nprint(vars(decimal).get('left'))\n")
    (tmp_path / "before.py").write_text("import decimal\ndecimal.left = 1\n")
    assert warm.run(["before.py"], cwd=tmp_path).returncode == 0
    assert warm.run(["program.py"], cwd=tmp_path).stdout == "None\n"
