"""The script that draws the map of the package sees every room and every kind of import."""

from __future__ import annotations

import ast

import import_graph
from rooms_picture import UPWARD, rooms_svg


def test_no_arrow_points_upwards():
    rooms = import_graph.rooms_from_the_top()
    imports = import_graph.imports_between(rooms)
    assert len(imports) > 20
    assert all(rooms.index(source) < rooms.index(target) for source, target in imports)


def test_an_arrow_upwards_is_drawn_in_red():
    assert UPWARD not in rooms_svg(["top", "ground"], {("top", "ground"): 1})
    assert UPWARD in rooms_svg(["top", "ground"], {("ground", "top"): 1})


def test_imports_by_public_names_are_seen(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        "import aglets.io.tu\nfrom aglets import load\nfrom aglets.graphs import Graph\n"
    )
    assert import_graph.imported(path) == {"io.tu", "model.file", "graphs"}


def test_the_length_of_a_function_does_not_count_its_docstring():
    [node] = ast.parse('def f():\n    """One.\n\n    Two.\n    """\n    return 1\n').body
    assert import_graph.length(node) == 2
