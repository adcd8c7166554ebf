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

# From the bottom up: a module may import its own layer and those above it in this table.
LAYERS: dict[str, set[str]] = {
    "core": {"_core"},
    "graphs": {
        "_checks",
        "_edges",
        "_columns",
        "_formats",
        "_html",
        "_threads",
        "_order",
        "graphs",
    },
    "describe": {"_isomorphism", "leaks", "geometry", "describe"},
    "graphlet": {"_names", "_palette", "_layout", "_residue", "_svg", "graphlet"},
    "mining": {"mining"},
    "io": {"io"},
    "datasets": {"datasets"},
    "input": {"scaling", "input_format", "covariates"},
    "starts": {"starts"},
    "engine": {"engine"},
    "optim": {"optim"},
    "path": {"path"},
    "fitting": {"fitting"},
    "checkpoint": {"checkpoint"},
    "selection": {"selection", "averaging", "judging"},
    "model": {"_archive", "_graphlet_columns", "stops", "model", "model_file", "model_average"},
    "explain": {"_pictures", "explain"},
    "compacting": {"compacting"},
    "estimators": {"estimators"},
    "evaluation": {"evaluation"},
    "plot": {"plot"},
    "report": {"report"},
    "cli": {"cli"},
}

LEARNING = {
    "mining",
    "starts",
    "engine",
    "optim",
    "path",
    "fitting",
    "selection",
    "compacting",
    "estimators",
}

# What a layer must not know although it lies below.
FORBIDDEN: dict[str, set[str]] = {
    **{layer: {"io", "datasets"} for layer in LEARNING | {"model", "explain"}},
    "plot": {"core", "optim"},
    "report": {"core", "optim"},
    "cli": {"core", "optim"},
}
FORBIDDEN["model"] |= LEARNING  # predicting needs no trainer
FORBIDDEN["explain"] |= LEARNING

OPTIONAL = {"rdkit", "torch", "torch_geometric", "matplotlib", "networkx", "pandas", "pyarrow"} | {
    "pooch",
    "ray",
    "igraph",
}

# Tables of lazy names: they point to layers above their own and load nothing by themselves.
DOORS = {"", "_formats", "_pictures"}

LAYER_OF = {module: layer for layer, modules in LAYERS.items() for module in modules}
ORDER = {layer: i for i, layer in enumerate(LAYERS)}


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def module_of(path: Path) -> str:
    """The part of the dotted name after `aglets.` that the table knows; "" for `__init__`."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py").replace("__init__", "")


def imported(tree: ast.AST, package: tuple[str, ...]) -> Iterator[str]:
    """Dotted names of all modules imported anywhere in the file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [] if node.level == 0 else list(package[: len(package) - node.level + 1])
            name = ".".join(base + ([node.module] if node.module else []))
            if name == "aglets":
                yield from (aglets._EXPORTS.get(a.name, f"aglets.{a.name}") for a in node.names)
            else:
                yield name


def inner_imports(path: Path) -> set[str]:
    package = ("aglets", *path.relative_to(PACKAGE).parts[:-1])
    names = imported(ast.parse(path.read_text(encoding="utf-8")), package)
    inner = {name.split(".")[1] for name in names if name.startswith("aglets.")}
    return inner - {"__version__", module_of(path)}


def test_every_module_has_a_place_in_the_table():
    unknown = {module_of(path) for path in sources()} - set(LAYER_OF) - {""}
    assert not unknown, f"name the layer of {unknown} in tests/test_architecture.py"


@pytest.mark.parametrize(
    "path", sources(), ids=lambda path: path.relative_to(PACKAGE).as_posix().removesuffix(".py")
)
def test_modules_import_only_from_the_layers_beneath(path):
    if module_of(path) in DOORS:
        return
    layer = LAYER_OF[module_of(path)]
    for name in inner_imports(path):
        other = LAYER_OF[name]
        assert ORDER[other] <= ORDER[layer], f"{layer} imports {name}, which lies above it"
        assert other not in FORBIDDEN.get(layer, set()), f"{layer} must not know {name}"


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.stem)
def test_optional_packages_are_imported_where_they_are_used(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    at_import = ast.Module(
        body=[node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))],
        type_ignores=[],
    )
    names = {name.split(".")[0] for name in imported(at_import, ("aglets",))}
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
