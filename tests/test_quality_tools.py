"""The tools that measure the tests: mutants differ in one thing, and coverage is added up."""

from __future__ import annotations

import ast
import importlib
import json
import sys

import coverage_table
import fuzz_table
import live_mutants
import mutant_results
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


LOADED = """from dataclasses import dataclass, field
from functools import cache

LIMIT = 5


def plain(x, y=2):
    return x + y * LIMIT


@cache
def kept(x):
    return plain(x) * 10


@dataclass(frozen=True)
class Pair:
    one: int
    two: int = 7
    three: tuple = field(default_factory=lambda: (8,))

    @property
    def both(self):
        return self.one + self.two

    @classmethod
    def of(cls, x):
        return cls(x - 1)


def answers():
    first, second = Pair(1), Pair.of(3)
    return plain(1), kept(2), first, first.both, second, second.both, first == second
"""


def test_a_mutant_in_place_of_a_loaded_module_does_what_it_does_when_imported(
    tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend(str(tmp_path))
    made = [one.source for one in mutants.mutants_of(LOADED)]
    assert len(made) > 10
    for number, source in enumerate(made):
        for name, text in ((f"loaded{number}", LOADED), (f"fresh{number}", source)):
            (tmp_path / f"{name}.py").write_text(text)
        loaded, fresh = (importlib.import_module(f"{name}{number}") for name in ("loaded", "fresh"))
        answers, before = loaded.answers, loaded.answers()
        loaded.kept.cache_clear()
        assert live_mutants.put_in_place(loaded, source, LOADED) > 0
        assert repr(answers()) == repr(fresh.answers())
        assert repr(answers()) != repr(before)


def test_a_constant_changes_where_it_was_imported_too(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "constants_of.py").write_text("LIMIT = 0.25\n")
    (tmp_path / "reads_constants.py").write_text("from constants_of import LIMIT\n")
    reader = importlib.import_module("reads_constants")
    module = sys.modules["constants_of"]
    assert live_mutants.put_in_place(module, "LIMIT = 1.25\n", "LIMIT = 0.25\n") == 1
    assert (module.LIMIT, reader.LIMIT) == (1.25, 1.25)
    assert live_mutants.put_in_place(module, "LIMIT = 0.25\n", "LIMIT = 0.25\n") == 0


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


def test_mutants_that_only_quick_tests_missed_are_tried_again_and_count_as_missed(tmp_path):
    results = mutant_results.Results(tmp_path / "results.json")
    outcomes = {"a": "killed", "b": "unsettled", "c": "survived"}
    for key, outcome in outcomes.items():
        results.add(key, outcome)
    assert [results.waits(key, again=False) for key in "abcd"] == [False, True, False, True]
    assert not results.waits("b", again=False, quick=True)
    assert [results.waits(key, again=True) for key in "abcd"] == [False, True, True, True]
    assert "1 were noticed: 33.3 %" in mutant_results.summary(list(outcomes.values()), 0, [])
    assert "a lower bound" in mutant_results.summary(list(outcomes.values()), 0, [])
    results.add("b", "killed")  # no test was added for it
    results.add("c", "killed")
    found = mutant_results.Results(tmp_path / "results.json")
    assert [found.of(key) for key in "abc"] == ["killed", "killed", "killed later"]
    assert "a lower bound" not in mutant_results.summary(["killed", "survived"], 0, [])
