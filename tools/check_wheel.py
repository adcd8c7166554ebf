"""Check what `make wheel` built, and try it in environments of their own.

``python tools/check_wheel.py dist [PYTHON ...]`` checks metadata (twine), what a Linux wheel needs
of the system (auditwheel), the stable ABI if a wheel claims it (abi3audit) and sizes. For each
Python given, in an environment that has nothing else: the demo with the bare wheel; then README,
gallery and the tests of graphs and data sets with the extras.
"""

from __future__ import annotations

import doctest
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 3_000_000
TESTS = ("test_graphs.py", "test_datasets.py")


def main() -> None:
    """Run all checks; the first that fails ends with its message."""
    folder, pythons = Path(sys.argv[1]), sys.argv[2:] or [sys.executable]
    wheels, [sdist] = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    run(sys.executable, "-m", "twine", "check", "--strict", *wheels, sdist)
    print(f"{sdist.name}: {sdist.stat().st_size:,} bytes")
    for wheel in wheels:
        check(wheel)
    for python in pythons:
        try_in_clean_environment(python, wheels)


def check(wheel: Path) -> None:
    """Check the size of a wheel, and what it asks of system and Python."""
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size:,} bytes")
    if size > LARGEST:
        sys.exit(f"The wheel has {size:,} bytes; the limit is {LARGEST:,}.")
    if "linux" in wheel.name:
        run(sys.executable, "-m", "auditwheel", "show", wheel)
    if "abi3" in wheel.name:
        run(sys.executable, "-m", "abi3audit", "--strict", wheel)


def try_in_clean_environment(python: str, wheels: list[Path]) -> None:
    """Install the wheel that suits a Python, and use it as a newcomer would."""
    asked = "import sys; print('cp%d%d-' % sys.version_info[:2])"
    tag = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=True).stdout
    own = [wheel for wheel in wheels if tag.strip() in wheel.name]
    [wheel] = own or [wheel for wheel in wheels if "abi3" in wheel.name]
    with tempfile.TemporaryDirectory() as place:
        run(python, "-m", "venv", place)
        inside = Path(place) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        run(inside, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel)
        run(inside.with_name("aglets"), "--version", cwd=place)
        run(inside.with_name("aglets"), "demo", cwd=place, stdout=subprocess.DEVNULL)
        extras = [f"{wheel}[chem,plot]", "pytest", "hypothesis"]
        run(inside, "-m", "pip", "install", "-q", "--disable-pip-version-check", *extras)
        run(inside, __file__, "--pages", cwd=place, env={**os.environ, "MPLBACKEND": "agg"})
        tests = [ROOT / "tests" / name for name in TESTS]
        run(inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, cwd=place)
    print(f"{wheel.name} works by itself under {python}.")


def try_pages() -> None:
    """Run the README and the gallery with the package that is installed."""
    import aglets

    if ROOT in Path(aglets.__file__).parents:
        sys.exit("This is the package of the clone, not that of the wheel.")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, tried = doctest.testfile(
        str(ROOT / "README.md"), module_relative=False, optionflags=flags
    )
    if failed or not tried:
        sys.exit(f"{failed} of {tried} examples of the README failed.")
    scripts = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))
    for script in scripts:
        runpy.run_path(str(script), run_name="__main__")
    print(f"README: {tried} examples, gallery: {len(scripts)} scripts.")


def run(*command: object, **options: object) -> None:
    """Run a command; exit with its status if it fails."""
    done = subprocess.run([str(part) for part in command], **options)  # type: ignore[call-overload]
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}.")


if __name__ == "__main__":
    if sys.argv[1:] == ["--pages"]:
        try_pages()
    else:
        main()
