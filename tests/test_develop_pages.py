"""The pages for those who change the package show its real code, and their example runs."""

from __future__ import annotations

import doctest
import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import include_code
import numpy as np
import pytest

from aglets.io.registry import FORMATS
from aglets.model.losses import LOSSES

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "docs" / "develop").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_on_a_page_is_the_code_of_the_package(page):
    text = page.read_text(encoding="utf-8")
    assert include_code.filled(text) == text, "run python tools/include_code.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_that_a_page_names_are_there(page):
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"`((?:src|cpp|tests|benchmarks|tools|docs)/[\w./-]+)`", text)
    made_by_the_reader = {"tests/test_log_cosh.py", "tests/test_lines.py"}
    for name in set(named) - made_by_the_reader:
        assert (ROOT / name).exists(), name


def imported(path: Path):
    spec = spec_from_file_location(path.stem, path)
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def walk(page: str, folder: Path, marks: dict[str, str]) -> list:
    """Follow a page: write its files, known by a mark in each, and import them."""
    text = (ROOT / "docs" / "develop" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)\n```", text, flags=re.DOTALL)
    modules = []
    for name, mark in marks.items():
        [block] = [block for block in blocks if mark in block]
        (folder / name).write_text(block + "\n", encoding="utf-8")
        modules.append(imported(folder / name))
        del sys.modules[Path(name).stem]
    return modules


def test_the_loss_of_the_page_passes_the_test_of_the_page(tmp_path):
    marks = {
        "log_cosh_page.py": '"""The log-cosh loss: numbers',
        "its_test.py": "def test_log_cosh",
    }
    module, test = walk("add-a-loss.md", tmp_path, marks)
    try:
        assert doctest.testmod(module).failed == 0
        for error in (1e-3, 50.0):
            test.test_log_cosh_is_a_square_nearby_and_linear_far_away(error)
        test.test_an_estimator_takes_log_cosh_by_name()
        loss, rng = module.LogCosh(), np.random.default_rng(0)
        y, f, w = rng.normal(size=(3, 20))
        slope = (loss.value(y, f + 1e-6, w) - loss.value(y, f - 1e-6, w)) / 2e-6
        assert -loss.residual(y, f, w).sum() == pytest.approx(slope, abs=1e-6)
    finally:
        LOSSES._things.pop("log_cosh")


def test_the_format_of_the_page_passes_the_test_of_the_page(tmp_path, capsys):
    marks = {
        "lines_page.py": '"""One graph per line: its class',
        "its_test.py": "def test_lines_that",
    }
    _, test = walk("add-a-format.md", tmp_path, marks)
    try:
        test.test_lines_that_are_written_and_read_again_are_the_same(tmp_path)
        test.test_a_line_that_is_too_short_is_named(tmp_path)
        test.test_commands_read_lines(tmp_path, capsys)
    finally:
        FORMATS._things.pop("lines")


def test_sources_are_found_by_name(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("@d\nclass A:\n    def f(self):\n        return 1\n\nx = 2\n")
    assert include_code.source_of(path, "A.f") == "def f(self):\n    return 1"
    assert include_code.source_of(path, "A").startswith("@d\nclass A:")
    with pytest.raises(ValueError, match="has no B"):
        include_code.source_of(path, "B")
    path = tmp_path / "a.cpp"
    path.write_text("// no\n\n  /// why\n  int f(int x) {\n    return g(x);\n  }\n  int g();\n")
    assert include_code.source_of(path, "f") == "/// why\nint f(int x) {\n  return g(x);\n}"
