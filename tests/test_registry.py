"""A registry finds what lies in its package and what others add, and names what is there."""

from __future__ import annotations

import sys

import pytest

from aglets.graphs.registry import Registry

MODULE = """
from shop import THINGS
THINGS.add("{name}", "{name} itself")
"""


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """Make a package with a registry and two modules that nobody imports."""
    folder = tmp_path / "shop"
    folder.mkdir()
    lines = ["from aglets.graphs.registry import Registry"]
    lines += ["THINGS = Registry('thing', 'things', 'no.such.group', __name__)"]
    (folder / "__init__.py").write_text("\n".join(lines) + "\n")
    for name in ("bread", "milk"):
        (folder / f"{name}.py").write_text(MODULE.format(name=name))
    monkeypatch.syspath_prepend(tmp_path)
    import shop

    yield shop.THINGS
    for name in [name for name in sys.modules if name.split(".")[0] == "shop"]:
        del sys.modules[name]


def test_a_file_in_the_package_is_enough(shop):
    assert dict(shop) == {"bread": "bread itself", "milk": "milk itself"}


def test_an_unknown_name_lists_those_that_are_there(shop):
    with pytest.raises(ValueError, match=r"name of a thing. Got 'tea' instead; .*: bread, milk\."):
        shop["tea"]


def test_a_name_is_given_once():
    things: Registry[str] = Registry("thing", "things", "no.such.group")
    things.add("a", "one")
    things.add("a", "one")
    with pytest.raises(ValueError, match="There is a thing 'a' already"):
        things.add("a", "two")
    assert len(things) == 1
