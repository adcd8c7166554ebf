"""The layers of ARCHITECTURE.md, checked by reading the imports."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import aglets

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "aglets"

# From the ground up: a room may import itself and the rooms above it in this table.
ROOMS = (
    "_version",
    "_core",
    "writing",
    "drawing",
    "graphs",
    "graphlets",
    "mining",
    "io",
    "datasets",
    "preprocessing",
    "model",
    "training",
    "explain",
    "estimators",
    "evaluation",
    "plot",
    "report",
    "serve",
    "cli",
)

LEARNING = {"mining", "training", "estimators"}
FILES = {"io", "datasets"}
SURFACE = ("plot", "report", "serve", "cli")

# What a room must not know although it lies below. "training.optim" is a part of a room.
FORBIDDEN: dict[str, set[str]] = {
    "writing": {"_core"},
    "drawing": {"_core"},
    "mining": FILES,
    "preprocessing": FILES | {"training"},
    "training": FILES,
    "model": FILES | LEARNING,  # predicting needs no trainer
    "explain": FILES | LEARNING,
    "estimators": FILES,
    **{room: {"_core", "training.optim"} for room in SURFACE},
}

OPTIONAL = {"rdkit", "torch", "torch_geometric", "matplotlib", "networkx", "pandas", "pyarrow"} | {
    "pooch",
    "ray",
    "igraph",
    "fastapi",
    "starlette",
    "uvicorn",
}

# Tables of lazy names: they point to rooms below their own and load nothing by themselves.
DOORS = {"", "graphs._formats", "graphlets.pictures"}


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def module_of(path: Path) -> str:
    """The dotted name below `aglets`; "" for the package itself."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def room_of(module: str) -> str:
    return module.split(".")[0]


def imported(tree: ast.AST) -> Iterator[str]:
    """Dotted names of all modules imported anywhere in the file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            if node.module == "aglets":
                yield from (aglets._EXPORTS.get(a.name, f"aglets.{a.name}") for a in node.names)
            else:
                yield str(node.module)
                # `from aglets.explain import plain` imports a module, too.
                yield from (f"{node.module}.{a.name}" for a in node.names if is_module(node, a))


def is_module(node: ast.ImportFrom, alias: ast.alias) -> bool:
    path = ROOT / "src" / str(node.module).replace(".", "/") / alias.name
    return path.is_dir() or path.with_suffix(".py").is_file()


def inner_imports(path: Path) -> set[str]:
    """What a file imports from aglets, as dotted names below it."""
    names = imported(ast.parse(path.read_text(encoding="utf-8")))
    return {name.removeprefix("aglets.") for name in names if name.startswith("aglets.")}


def test_every_room_has_a_place_in_the_table():
    unknown = {room_of(module_of(path)) for path in sources()} - set(ROOMS) - {""}
    assert not unknown, f"name the place of {unknown} in tests/test_architecture.py"


def test_at_the_top_level_there_are_only_rooms():
    modules = {path.name for path in PACKAGE.glob("*.py")}
    assert modules == {"__init__.py", "_version.py", "evaluation.py"}


def test_the_table_of_rooms_in_the_map_is_this_one():
    # The map below names long modules, too.
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("<!-- made by", 1)[0]
    table = re.findall(r"^\| `([a-z]+)(?:/|\.py)` \|", text, flags=re.MULTILINE)
    assert table == [room for room in ROOMS if not room.startswith("_")]


@pytest.mark.parametrize("path", sources(), ids=lambda path: module_of(path) or "aglets")
def test_modules_import_only_from_rooms_above_them(path):
    module = module_of(path)
    if module in DOORS:
        return
    room = room_of(module)
    for name in inner_imports(path):
        other = room_of(name)
        assert ROOMS.index(other) <= ROOMS.index(room), f"{room} imports {name}, a later room"
        for closed in FORBIDDEN.get(room, set()):
            assert not f"{name}.".startswith(f"{closed}."), f"{room} must not know {name}"


@pytest.mark.parametrize("path", sources(), ids=lambda path: module_of(path) or "aglets")
def test_what_begins_with_an_underscore_stays_in_its_room(path):
    module = module_of(path)
    if module in DOORS:
        return
    for name in inner_imports(path) - {"_core", "_version"}:
        room, *inside = name.split(".")
        private = any(part.startswith("_") for part in inside)
        assert not private or room == room_of(module), f"{module} imports {name}"


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.stem)
def test_optional_packages_are_imported_where_they_are_used(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    at_import = ast.Module(
        body=[node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))],
        type_ignores=[],
    )
    names = {name.split(".")[0] for name in imported(at_import)}
    assert not names & OPTIONAL, "import it inside the function that needs it"


def test_the_core_knows_nothing_of_python():
    files = [*ROOT.glob("cpp/aglets/*.cpp"), *ROOT.glob("cpp/aglets/*.hpp")]
    assert files
    for path in files:
        headers = re.findall(r'#include\s*[<"]([^>"]+)', path.read_text(encoding="utf-8"))
        outside = {h for h in headers if "/" in h and not h.startswith("aglets/")}
        assert not outside, f"{path.name} includes {outside}"
        assert "Python.h" not in headers


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_importing_aglets_is_quick():
    code = "import time; t = time.perf_counter(); import aglets; print(time.perf_counter() - t)"
    assert min(float(run(code)) for _ in range(3)) < 0.3


def test_importing_aglets_brings_in_nothing_heavy():
    heavy = sorted(OPTIONAL | {"scipy", "sklearn"})
    code = f"import aglets, sys; print([name for name in {heavy} if name in sys.modules])"
    assert run(code).strip() == "[]"


def test_counting_and_reading_need_no_optional_package():
    code = (
        "import sys; from aglets import Graph, GraphSet, datasets, mining;"
        f"print([name for name in {sorted(OPTIONAL)} if name in sys.modules])"
    )
    assert run(code).strip() == "[]"


def test_all_names_what_is_public():
    assert set(aglets.__all__) == {*aglets._EXPORTS, "__version__"}
    for name in aglets.__all__:
        assert getattr(aglets, name) is not None
    assert set(dir(aglets)) >= set(aglets.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'aglets' has no attribute 'Nope'"):
        aglets.Nope  # noqa: B018


def test_a_missing_core_is_said_in_a_sentence():
    code = (
        "import sys; sys.modules['aglets._core'] = None\n"
        "import aglets\n"
        "try:\n    aglets.mining.count\n"
        "except ImportError as error:\n    print(error)"
    )
    assert run(code).strip() == (
        "aglets's compiled core is missing. Build it with: pip install --no-build-isolation -ve ."
    )


WRITING = {"write_text", "write_bytes", "savefig", "rmtree", "fsync", "copyfile", "move"}


def writes(tree: ast.AST) -> Iterator[str]:
    """Calls that write files, other than those of the one writer."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in WRITING:
            yield ast.unparse(node)
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name == "open":
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            modes = [str(value.value) for value in given if isinstance(value, ast.Constant)]
            if any(re.fullmatch("[rwxabt+]*[wxa+][bt+]*", mode) for mode in modes):
                yield ast.unparse(node)


@pytest.mark.parametrize("path", sources(), ids=lambda path: module_of(path) or "aglets")
def test_only_the_one_writer_writes_files(path):
    if room_of(module_of(path)) == "writing":
        return
    found = list(writes(ast.parse(path.read_text(encoding="utf-8"))))
    assert not found, f"use aglets.writing instead of {found}"
