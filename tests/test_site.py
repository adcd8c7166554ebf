"""The site: every public name has its place, and broken links are found."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import check_links
import pytest

import aglets

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"\.\. public-names:: (\S+)\n((?:\n?   .*\n)*)")


def documented() -> set[object]:
    """All things that the pages of the API reference show."""
    things: set[object] = set()
    for page in DOCS.glob("api/*.md"):
        for module_name, listed in BLOCK.findall(page.read_text(encoding="utf-8")):
            module = importlib.import_module(module_name)
            names = listed.split() or module.__all__
            things |= {id(getattr(module, name)) for name in names}
    return things


def test_every_public_name_is_in_the_reference():
    shown = documented()
    modules = {"datasets", "explain", "mining", "plot", "report"}
    missing = [
        name
        for name in aglets.__all__
        if name not in modules and name != "__version__" and id(getattr(aglets, name)) not in shown
    ]
    assert not missing


@pytest.mark.parametrize("name", ["datasets", "explain", "mining", "plot", "report"])
def test_every_public_module_is_in_the_reference(name):
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("api/*.md"))
    assert f".. public-names:: aglets.{name}\n" in pages


def test_every_page_is_in_a_table_of_contents():
    listed = set()
    for page in DOCS.rglob("*.md"):
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text("utf-8"), re.S):
            entries = [line for line in block.splitlines() if line and not line.startswith(":")]
            listed |= {(page.parent / entry).resolve() for entry in entries}
    pages = {page.with_suffix("").resolve() for page in DOCS.rglob("*.md")}
    assert pages - listed == {DOCS / "index"}


def test_links_that_lead_nowhere_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here"></a><a href="b.html#gone"></a><a href="c.html"></a>'
        '<a href="https://example.org/x"></a><img src="p.png">'
    )
    (tmp_path / "b.html").write_text('<p id="here"></p>')
    assert check_links.broken_links(tmp_path) == [
        "a.html: b.html#gone has no such place",
        "a.html: c.html does not exist",
        "a.html: p.png does not exist",
    ]
