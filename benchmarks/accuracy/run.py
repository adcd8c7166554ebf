"""Run rows on data sets and seeds: ``python -m accuracy.run --sets BZR --seeds 20``.

What is on record already is passed over, so a run that was ended goes on where it stopped. Each
(set, seed) works in a fresh process; ``python -m accuracy.tables`` writes the tables.
"""

from __future__ import annotations

import argparse
import os
import sys
from multiprocessing import get_context
from pathlib import Path

from _common import load
from paper.protocol import SETS, Records, Split

from .levers import ROWS, Memory, outcome

RESULTS = Path(__file__).resolve().parent / "results"

#: Cheap sets first.
ORDER = ("SYNTHETIC", "BZR", "COX2", "ENZYMES", "AIDS", "DHFR", "PROTEINS")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=list(ORDER), choices=list(SETS))
    parser.add_argument("--seeds", type=int, default=20, help="use seeds 0 to this less one")
    parser.add_argument("--rows", nargs="+", default=list(ROWS), choices=list(ROWS))
    parser.add_argument("--to", type=Path, default=RESULTS, help="the folder of the records")
    options = parser.parse_args()
    # One thread a process, so that CPU seconds compare.
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"
    records = Records(options.to)
    words = [word for word in sys.argv[1:] if word not in ("--to", str(options.to))]
    run = records.begin_run(" ".join(["python -m accuracy.run", *words]))
    for seed in range(options.seeds):
        for name in options.sets:
            left = [row for row in options.rows if (name, seed) not in records.of(row)]
            if left:
                print(f"{name}, seed {seed}: {', '.join(left)}", flush=True)
                process = get_context("spawn").Process(
                    target=work, args=(options.to, run, name, seed, left)
                )
                process.start()
                process.join()
                if process.exitcode:
                    sys.exit(f"Failed: {name}, seed {seed}")


def work(folder: Path, run: str, name: str, seed: int, rows: list[str]) -> None:
    """Write a record for each row; those of the same walk one after the other."""
    records = Records(folder)
    graphs, y = load(name)
    parts = Split.of(y, seed)
    for walk in dict.fromkeys(ROWS[row].walk for row in rows):
        memory = Memory()
        for row in rows:
            if ROWS[row].walk == walk:
                what = {"method": row, "set": name, "seed": seed, "run": run}
                records.add({**what, **outcome(ROWS[row], memory, graphs, y, parts)})


if __name__ == "__main__":
    main()
