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
    made_by_the_reader = {"tests/test_log_cosh.py"}
    for name in set(named) - made_by_the_reader:
        assert (ROOT / name).exists(), name


def imported(path: Path):
    spec = spec_from_file_location(path.stem, path)
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def walked(tmp_path):
    """Follow the page on losses: write both of its files and import them."""
    text = (ROOT / "docs" / "develop" / "add-a-loss.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)\n```", text, flags=re.DOTALL)
    [code] = [block for block in blocks if '"""The log-cosh loss: numbers' in block]
    [test] = [block for block in blocks if "def test_log_cosh" in block]
    paths = tmp_path / "log_cosh_page.py", tmp_path / "test_log_cosh_page.py"
    for path, block in zip(paths, (code, test), strict=True):
        path.write_text(block + "\n", encoding="utf-8")
    yield [imported(path) for path in paths]
    LOSSES._things.pop("log_cosh")
    for path in paths:
        del sys.modules[path.stem]


def test_the_loss_of_the_page_passes_the_test_of_the_page(walked):
    module, test = walked
    assert doctest.testmod(module).failed == 0
    for error in (1e-3, 50.0):
        test.test_log_cosh_is_a_square_nearby_and_linear_far_away(error)
    test.test_an_estimator_takes_log_cosh_by_name()
    loss, rng = module.LogCosh(), np.random.default_rng(0)
    y, f, w = rng.normal(size=(3, 20))
    slope = (loss.value(y, f + 1e-6, w) - loss.value(y, f - 1e-6, w)) / 2e-6
    assert -loss.residual(y, f, w).sum() == pytest.approx(slope, abs=1e-6)


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
