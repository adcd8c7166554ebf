"""Write the map of the house into ARCHITECTURE.md: its tree, its import graph, its longest parts.

``python tools/import_graph.py`` replaces what stands between the marks in ARCHITECTURE.md and draws
docs/images/rooms.svg; ``--check`` changes nothing, and ends with 1 if they are not up to date. An
import of a room further up ends both with 1.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from rooms_picture import rooms_svg

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "aglets"
MAP = ROOT / "ARCHITECTURE.md"
PICTURE = ROOT / "docs" / "images" / "rooms.svg"
BEGIN, END = "<!-- made by tools/import_graph.py: begin -->", "<!-- end -->"
LONGEST = 10

RULES = ROOT / "tests" / "test_architecture.py"

#: Why each of the longest modules and functions is one thing. A new one needs a line here.
REASONS = {
    "cli/evaluate.py: evaluate": "its signature is the list of options",
    "cli/fit.py": "one command: its options, the estimator they give, and what it prints",
    "serve/app.py: make_app": "one route after the other; each only calls a function",
    "cli/fit.py: fit": "its signature is the list of options; the body calls one function per step",
    "cli/frequent.py: frequent": "options of one command, and the table that it prints",
    "cli/show.py: print_model": "the lines of one printed page, in their order",
    "cli/sources.py: reads_graphs": "a decorator: the signature of options shared by commands",
    "estimators/_base.py": "the methods that all estimators share; mostly their docstrings",
    "estimators/_cv.py: LagraClassifierCV.__init__": "scikit-learn wants each parameter by name, "
    "stored as it is",
    "estimators/_cv.py: LagraRegressorCV.__init__": "as above",
    "estimators/_single.py: LagraClassifier.__init__": "as above",
    "estimators/_single.py: LagraRegressor.__init__": "as above",
    "evaluation.py": "one evaluation: its fields, how it is made, how it prints",
    "explain/_global.py": "one explanation: its fields, how they are computed, how it prints",
    "explain/_global.py: summarise": "one record per graphlet, filled field by field",
    "explain/_local.py": "one explanation: its fields, how they are computed, how it prints",
    "graphlets/graphlet.py: Graphlet.__init__": "one check per argument, in the order of arguments",
    "graphs/graph_set.py": "one class and its views; mechanics are in `_columns.py`",
    "graphs/graph_set.py: GraphSet.from_lists": "one check per argument, in the order of arguments",
    "io/shards.py": "one format: reader and writer together",
    "io/tu.py": "one format: reader and writer together",
    "model/file.py": "one format: what is written is read again next to it",
    "model/outputs.py": "one class: all that a model does with its targets, one or several",
    "model/target.py": "one column of y: all that depends on whether it is classes or numbers",
    "model/model.py": "one class; mostly docstrings of what users call",
    "plot/_axes.py: draw_graph": "one drawing: edges, then nodes, then labels",
    "report/_data.py: collect": "the data of the page as one dictionary, a line per key",
    "report/_view.py: view_of": "the data of one target as one dictionary, a line per key",
    "training/checkpoint.py": "one folder format: what is kept, found again and removed",
    "training/engine/local.py": "the engine of one shard: each class answers for one protocol",
    "training/engine/sharded.py": "the same protocols, each a sum over shards",
    "training/fitting.py": "from a sample to paths: budgets, outputs and callbacks in one walk",
}


@dataclass(frozen=True)
class Part:
    """A module or function with its number of lines; docstrings of functions are not counted."""

    name: str
    lines: int


def main(words: list[str]) -> int:
    """Write or check the map."""
    rooms = rooms_from_the_top()
    imports = imports_between(rooms)
    upward = [pair for pair in imports if rooms.index(pair[1]) < rooms.index(pair[0])]
    for source, target in upward:
        print(f"{source} imports {target}, a room further up.")
    made = {MAP: with_parts(MAP.read_text(encoding="utf-8")), PICTURE: rooms_svg(rooms, imports)}
    stale = [
        path
        for path, text in made.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if "--check" in words:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not up to date: run python tools/import_graph.py")
    else:
        for path in stale:
            path.write_text(made[path], encoding="utf-8")
    without = [part.name for part in [*longest_modules(), *longest_functions()]]
    without = [name for name in without if name not in REASONS]
    for name in without:
        print(f"{name} is among the longest: say in REASONS why it is one thing, or divide it.")
    return 1 if upward or without or ("--check" in words and stale) else 0


def doors() -> set[str]:
    """Return the tables of lazy names: they name rooms above their own and load nothing."""
    for node in ast.parse(RULES.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "DOORS":
            return set(ast.literal_eval(node.value))
    raise LookupError("DOORS")


def rooms_from_the_top() -> list[str]:
    """Read the rooms from the table in ARCHITECTURE.md, which lists them from the ground up."""
    # Not the tables of the longest parts below, which may name a room that is one module.
    text = MAP.read_text(encoding="utf-8").split("<!-- made by", 1)[0]
    table = re.findall(r"^\| `([a-z]+)(?:/|\.py)` \|", text, flags=re.MULTILINE)
    return [*reversed(table), "_core"]


def modules() -> dict[str, Path]:
    """Return all modules by dotted name below the package."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = path
    return found


def imports_between(rooms: list[str]) -> Counter[tuple[str, str]]:
    """Count, for each pair of rooms, the modules of the first that import the second."""
    found: Counter[tuple[str, str]] = Counter()
    left_out = doors()
    for name, path in modules().items():
        if name in left_out:
            continue
        source = name.split(".")[0]
        targets = {other.split(".")[0] for other in imported(path)}
        for target in targets & set(rooms) - {source}:
            if source in rooms:
                found[source, target] += 1
    return found


def imported(path: Path) -> set[str]:
    """Return what a file imports from the package, as dotted names below it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "aglets":
            found |= {f"aglets.{public_home(alias.name)}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module))
    return {name.removeprefix("aglets.") for name in found if name.startswith("aglets.")}


def public_home(name: str) -> str:
    """Return the module that holds a public name of the package."""
    text = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    known = dict(re.findall(r'^    "(\w+)": "aglets\.([\w.]+)",$', text, flags=re.MULTILINE))
    return known.get(name, name)


def longest_modules() -> list[Part]:
    """Return the modules with most lines."""
    parts = [
        Part(str(path.relative_to(PACKAGE)), len(path.read_text(encoding="utf-8").splitlines()))
        for path in modules().values()
    ]
    return sorted(parts, key=lambda part: (-part.lines, part.name))[:LONGEST]


def longest_functions() -> list[Part]:
    """Return the functions and methods with most lines, without their docstrings."""
    parts = []
    for path in modules().values():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for prefix, node in functions(tree, ""):
            parts.append(Part(f"{path.relative_to(PACKAGE)}: {prefix}{node.name}", length(node)))
    return sorted(parts, key=lambda part: (-part.lines, part.name))[:LONGEST]


def functions(tree: ast.AST, prefix: str) -> list[tuple[str, ast.FunctionDef]]:
    """List functions at the top level and methods, with the name of their class."""
    found = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            found += functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            found.append((prefix, node))
    return found


def length(node: ast.FunctionDef) -> int:
    """Count the lines of a function but those of its docstring."""
    first = node.body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    docstring = (first.end_lineno or 0) - first.lineno + 1 if is_text else 0
    return (node.end_lineno or 0) - node.lineno + 1 - docstring


def tree_text() -> str:
    """Show folders and files, several files to a line."""
    lines = ["src/aglets/"]
    top = sorted(path.name for path in PACKAGE.glob("*.py"))
    lines += ["    " + "  ".join(top)]
    folders = sorted({path.parent for path in PACKAGE.rglob("*.py")} - {PACKAGE})
    for folder in folders:
        depth = len(folder.relative_to(PACKAGE).parts)
        lines.append("    " * depth + f"{folder.name}/")
        names = sorted(path.name for path in folder.glob("*.py") if path.name != "__init__.py")
        lines += wrapped(names, "    " * (depth + 1))
    return "\n".join(lines)


def wrapped(names: list[str], indent: str, width: int = 100) -> list[str]:
    """Lay names out in lines of limited width."""
    lines: list[str] = []
    for name in names:
        if lines and len(lines[-1]) + 2 + len(name) <= width:
            lines[-1] += "  " + name
        else:
            lines.append(indent + name)
    return lines


def parts_table(parts: list[Part]) -> str:
    """Show parts, their lines and why each is one thing."""
    rows = [f"| `{part.name}` | {part.lines} | {REASONS.get(part.name, '')} |" for part in parts]
    return "\n".join(["| part | lines | why it is one thing |", "| --- | ---: | --- |", *rows])


def door_names() -> str:
    """List the files of lazy names."""
    names = sorted(name.replace(".", "/") or "__init__" for name in doors())
    return ", ".join(f"`{name}.py`" for name in names)


def with_parts(text: str) -> str:
    """Return the map with what stands between the marks made again."""
    made = "\n\n".join(
        [
            BEGIN,
            "```\n" + tree_text() + "\n```",
            'Arrows mean "imports" and all point down; wider ones stand for more modules. Tables '
            f"of lazy names load\nnothing by themselves and are left out: {door_names()}.",
            "![Which room imports which](docs/images/rooms.svg)",
            "The ten longest modules:",
            parts_table(longest_modules()),
            "The ten longest functions, without docstrings:",
            parts_table(longest_functions()),
            END,
        ]
    )
    before, found, rest = text.partition(BEGIN)
    if not found:
        before, rest = text.rstrip() + "\n\n## The tree\n\n", END + "\n"
    return before + made + rest.partition(END)[2]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
