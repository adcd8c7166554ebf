"""The tools that measure the tests: mutants differ in one thing, and coverage is added up."""

from __future__ import annotations

import ast
import json

import coverage_table
import fuzz_table
import mutants
import pytest
import quality_page

SOURCE = '''"""A text with 1 + 1."""
__all__ = ["f"]
LIMIT = 5


def f(x: int = 3) -> int:
    """Another text."""
    if x < 2 and x != 7:
        raise ValueError(f"got {x + 1}")
    while not x:
        break
    print(max(x, -1))
    return x * 2
'''


def changes():
    return [(one.line, one.change) for one in mutants.mutants_of(SOURCE)]


def test_every_mutant_is_valid_and_differs_from_the_source():
    same = ast.unparse(ast.parse(SOURCE))
    made = [one.source for one in mutants.mutants_of(SOURCE)]
    assert len(set(made)) == len(made)
    assert same not in made
    for source in made:
        compile(source, "mutant", "exec")


def test_operators_numbers_calls_and_conditions_are_changed():
    expected = {
        (3, "5 to 6"),
        (6, "3 to 4"),
        (8, "Lt to LtE"),
        (8, "NotEq to Eq"),
        (8, "And to Or"),
        (8, "condition negated"),
        (11, "break to continue"),
        (12, "max to min"),
        (12, "call removed"),
        (12, "USub to UAdd"),
        (13, "Mult to Div"),
        (13, "2 to 3"),
    }
    assert expected <= set(changes())


def test_texts_messages_and_names_are_left_alone():
    assert not [line for line, _ in changes() if line in (1, 2, 7, 9)]


def test_lines_and_branches_are_added_up_by_room(tmp_path):
    def file(lines, reached, branches, taken):
        names = ("num_statements", "covered_lines", "num_branches", "covered_branches")
        return {"summary": dict(zip(names, (lines, reached, branches, taken), strict=True))}

    files = {
        "src/aglets/io/a.py": file(10, 10, 4, 4),
        "src/aglets/io/b.py": file(30, 20, 6, 1),
        "src/aglets/evaluation.py": file(5, 5, 0, 0),
    }
    path = tmp_path / "coverage.json"
    path.write_text(json.dumps({"files": files}))
    found = coverage_table.read(path)
    rooms = coverage_table.by_room(found)
    assert rooms["io"] == coverage_table.Reach(40, 30, 10, 5)
    assert rooms["io"].line_share == 75.0
    assert rooms["evaluation.py"].branch_share == 100.0
    text = coverage_table.table(found)
    assert "| all | 45 | 77.8 % | 10 | 50.0 % |" in text
    assert "| `io/b.py` | 30 | 66.7 % | 6 | 16.7 % |" in text
    assert "`io/a.py`" not in text


def test_executions_and_coverage_are_read_from_what_fuzzers_print():
    said = "#9 NEW cov: 7 ft: 8\n#99 DONE cov: 12 ft: 20\nDone 99 runs in 3 second(s)\n"
    expected = {"executions": "99", "seconds": "3", "coverage": "12 edges"}
    assert fuzz_table.numbers(said) == expected
    said = "500 cases in 20 seconds, nothing found\n"
    assert fuzz_table.numbers(said) == {"executions": "500", "seconds": "20"}


def test_a_tool_writes_between_its_marks_only(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- made by tools/x.py: begin -->old<!-- made by tools/x.py: end -->\nb\n")
    quality_page.write_part("x.py", "new", page)
    assert "old" not in page.read_text()
    assert page.read_text().split("\n\n") == [
        "a\n<!-- made by tools/x.py: begin -->",
        "new",
        "<!-- made by tools/x.py: end -->\nb\n",
    ]
    with pytest.raises(SystemExit, match="needs the marks"):
        quality_page.write_part("y.py", "new", page)


def test_a_share_of_few_is_less_sure_than_one_of_many():
    low, high = quality_page.interval(90, 100)
    assert (round(low, 2), round(high, 2)) == (82.56, 94.48)  # Wilson, as in textbooks
    assert quality_page.interval(9, 10)[0] < low < 90 < high < quality_page.interval(9, 10)[1]
