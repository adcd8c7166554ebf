"""Check what `make wheel` built, and try it in an environment of its own.

``python tools/check_wheel.py dist`` checks metadata (twine), the stable ABI if the wheel claims it
(abi3audit), the size, and runs the demo with nothing but the wheel and what it needs.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

LARGEST = 3_000_000


def main() -> None:
    """Run all checks; the first that fails ends with its message."""
    folder = Path(sys.argv[1])
    [wheel], [sdist] = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size:,} bytes; {sdist.name}: {sdist.stat().st_size:,} bytes")
    if size > LARGEST:
        sys.exit(f"The wheel has {size:,} bytes; the limit is {LARGEST:,}.")
    if "abi3" in wheel.name:
        run(sys.executable, "-m", "abi3audit", "--strict", wheel)
    with tempfile.TemporaryDirectory() as place:
        run(sys.executable, "-m", "venv", place)
        python = Path(place) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        run(python, "-m", "pip", "install", "-q", wheel)
        run(python, "-c", "import aglets; print('aglets', aglets.__version__)", cwd=place)
        run(python.with_name("aglets"), "demo", cwd=place, capture_output=True)
    print("The wheel works by itself.")


def run(*command: object, **options: object) -> None:
    """Run a command; exit with its status if it fails."""
    done = subprocess.run([str(part) for part in command], **options)  # type: ignore[call-overload]
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}.")


if __name__ == "__main__":
    main()
