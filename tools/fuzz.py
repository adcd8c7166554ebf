"""Feed random files to a reader until it raises what it should not: ``fuzz.py TARGET SECONDS``.

Needs atheris (`make fuzz` installs it). Seeds are in tests/corpus/TARGET; what the fuzzer finds on
the way is kept in build/fuzz/TARGET, so that the next run goes on from there. A finding is written
to build/fuzz/found/TARGET-...: shrink it, add it to the corpus, and mend the reader.
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import shutil
import sys
import tempfile
from pathlib import Path

import atheris

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

# What readers look at, in the order in which they do: all modules, also those loaded when needed.
with atheris.instrument_imports(include=["aglets", "zipfile", "json", "csv", "gzip"]):
    import aglets

    for module in pkgutil.walk_packages(aglets.__path__, "aglets."):
        if module.name.split(".")[1] in ("graphs", "io", "datasets", "model", "training"):
            importlib.import_module(module.name)
    import fuzz_targets


def main() -> None:
    """Run one target."""
    name, seconds = sys.argv[1], sys.argv[2]
    target = fuzz_targets.TARGETS[name]
    kept, seeds = ROOT / "build" / "fuzz" / name, ROOT / "tests" / "corpus" / name
    found = ROOT / "build" / "fuzz" / "found"
    for folder in (kept, found):
        folder.mkdir(parents=True, exist_ok=True)
    memory = Path("/dev/shm")
    scratch = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))

    def one(data: bytes) -> None:
        target(data, scratch)

    options = [
        f"-max_total_time={seconds}",
        f"-artifact_prefix={found / name}-",
        "-max_len=20000",
        "-rss_limit_mb=4096",
        "-timeout=20",
        "-print_final_stats=1",
        "-verbosity=1",
    ]
    atheris.Setup([sys.argv[0], *options, str(kept), str(seeds)], one)
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, scratch, ignore_errors=True)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
