"""Throughput and memory of `aglets predict` on a file of SMILES, 1,000,000 of them in full.

Molecules are put together from fragments at random, about 20 heavy atoms each. The model is one of
BBBP if that is at hand, else one of the data set inside the package. Memory must not grow with the
file: the parent reads it a thousand rows at a time.
"""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from _common import MB, Records, arguments, cpu_seconds, table

from aglets import GraphSet, LagraClassifierCV, datasets

COMMAND = "from aglets.cli import main; raise SystemExit(main())"
HEADS = ["C", "CC", "CC(C)", "O", "N", "Cl", "F", "c1ccccc1", "c1ccncc1", "COC", "N#C", "C1CCCC1"]
MIDDLES = ["C", "CC", "C(=O)N", "c1ccc(cc1)", "C(C)", "N(C)C", "COC", "C1CCN(CC1)", "C=CC", "CS"]
TAILS = ["O", "N", "Cl", "C(=O)O", "c1ccncc1", "S(=O)(=O)N", "C(F)(F)F", "C#N", "c1ccsc1", "CBr"]


def main() -> None:
    options = arguments(__doc__).parse_args()
    numbers = (200,) if options.quick else (10_000, 100_000, 1_000_000)
    records = Records("predict", options)
    for number in numbers:
        for jobs in (1, 2):
            records.measure(
                f"{number} SMILES, {jobs} processes",
                run,
                number=number,
                jobs=jobs,
                quick=options.quick,
            )
    write(records)


def run(number: int, jobs: int, quick: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        model, lines, output = (Path(folder, name) for name in ("m.aglets", "new.smi", "out.csv"))
        graphlets = fit(model, quick)
        with lines.open("w") as file:
            file.writelines(f"{text}\n" for text in smiles(number))
        start, wall = cpu_seconds(), time.perf_counter()
        words = ["predict", str(model), str(lines), "-o", str(output), "--jobs", str(jobs), "-q"]
        process = subprocess.Popen([sys.executable, "-c", COMMAND, *words])
        peak = 0
        while process.poll() is None:
            peak = max(peak, resident(process.pid))
            time.sleep(0.2)
        assert process.returncode == 0
        wall = time.perf_counter() - wall
        with output.open() as file:
            assert sum(1 for _ in file) == number + 1
        return {
            "smiles": number,
            "jobs": jobs,
            "graphlets": graphlets,
            "cpu": cpu_seconds() - start,
            "wall": wall,
            "peak": peak,
        }


def resident(pid: int) -> int:
    """Resident bytes of a process and its children; pages that they share count for each."""
    total = 0
    with contextlib.suppress(OSError, IndexError):
        folder = Path("/proc", str(pid))
        total = int((folder / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        children = (folder / "task" / str(pid) / "children").read_text().split()
        total += sum(resident(int(child)) for child in children)
    return total


def fit(path: Path, quick: bool) -> int:
    """Write a model, and return how many graphlets it has."""
    table_path = Path(os.environ.get("AGLETS_DATA", "."), "BBBP", "BBBP.csv")
    if table_path.exists() and not quick:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            graphs, y = GraphSet.from_table(table_path, target="BBBP", errors="skip")
    else:
        graphs, y = datasets.load_acids()
    small = {"n_lambdas": 5, "starts": 1, "maxpats": (2,)} if quick else {"n_lambdas": 50}
    estimator = LagraClassifierCV(rhos=(0.01,), **small, random_state=0).fit(graphs, y)
    estimator.save(path)
    return len(estimator.graphlets_)


def smiles(number: int) -> Any:
    """Yield SMILES, always the same ones."""
    rng = random.Random(0)
    for _ in range(number):
        middle = "".join(rng.choices(MIDDLES, k=rng.randint(2, 4)))
        yield rng.choice(HEADS) + middle + rng.choice(TAILS)


def write(records: Records) -> None:
    rows = [
        [
            *(f"{record['smiles']:,}", record["jobs"], f"{record['cpu']:.0f}"),
            *(f"{record['smiles'] / record['cpu']:.0f}", f"{record['wall']:.0f}"),
            f"{record['peak'] / MB:.0f}",
        ]
        for record in records.records.values()
    ]
    graphlets = next(iter(records.records.values()))["graphlets"]
    records.write(
        "Predicting molecules from a stream",
        f"`aglets predict --jobs ...` with a model of {graphlets} graphlets on SMILES of about 20 "
        "heavy atoms, results as CSV. Memory is that of all processes together at its largest. "
        "Target: 1,000,000 SMILES in less than 1 GB. Seconds on the clock depend on what else the "
        "machine does, CPU seconds hardly.",
        table(["SMILES", "processes", "CPU s", "SMILES per CPU s", "s", "MB"], rows),
    )


if __name__ == "__main__":
    main()
