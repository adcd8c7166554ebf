"""Run rows on data sets and seeds: ``python -m accuracy.run --sets BZR --seeds 20``.

What is on record already is passed over, so a run that was ended goes on where it stopped. Each
(set, seed) works in a fresh process; ``python -m accuracy.tables`` writes the tables.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from _common import load
from paper.protocol import SETS, Records, Split

from aglets.preprocessing.covariates import learn_covariates

from .levers import AVERAGES, ROWS, Data, Memory, outcome

RESULTS = Path(__file__).resolve().parent / "results"

#: With --quick.
FEWER: dict[str, Any] = {"n_lambdas": 5, "rhos": (0.1,)}

#: Cheap sets first.
ORDER = ("SYNTHETIC", "BZR", "COX2", "ENZYMES", "AIDS", "DHFR", "PROTEINS")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=list(ORDER), choices=list(SETS))
    parser.add_argument("--seeds", type=int, default=20, help="use seeds 0 to this less one")
    parser.add_argument("--rows", nargs="+", default=list(ROWS), choices=list(ROWS))
    parser.add_argument("--to", type=Path, default=RESULTS, help="the folder of the records")
    parser.add_argument("--models", type=Path, help="a folder to keep averages in, for the curves")
    parser.add_argument("--quick", action="store_true", help="a few lambdas, to see that it runs")
    options = parser.parse_args()
    # One thread per process, so that CPU seconds compare.
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"
    records = Records(options.to)
    run = records.begin_run(command())
    for seed in range(options.seeds):
        for name in options.sets:
            left = [row for row in options.rows if (name, seed) not in records.of(row)]
            if left:
                print(f"{name}, seed {seed}: {', '.join(left)}", flush=True)
                process = get_context("spawn").Process(
                    target=work,
                    args=(options.to, options.models, run, name, seed, left, options.quick),
                )
                process.start()
                process.join()
                if process.exitcode:
                    sys.exit(f"Failed: {name}, seed {seed}")


def command() -> str:
    """Say how this program was called, but for the folders it writes to."""
    words = sys.argv[1:]
    for option in ("--to", "--models"):
        if option in words:
            at = words.index(option)
            words = words[:at] + words[at + 2 :]
    return " ".join([f"python -m accuracy.{Path(sys.argv[0]).stem}", *words])


def work(
    folder: Path,
    models: Path | None,
    run: str,
    name: str,
    seed: int,
    rows: list[str],
    quick: bool = False,
) -> None:
    """Write a record for each row; those of the same walk one after the other."""
    fewer = FEWER if quick else {}
    records = Records(folder)
    data = load_data(name)
    parts = Split.of(data.y, seed)
    for walk in dict.fromkeys(ROWS[row].walk for row in rows):
        memory = Memory()
        for row in rows:
            if ROWS[row].walk == walk:
                asked = replace(ROWS[row], parameters={**ROWS[row].parameters, **fewer})
                record, model = outcome(asked, memory, data, parts)
                if models is not None and row in AVERAGES:
                    models.mkdir(parents=True, exist_ok=True)
                    model.save(models / model_name(row, name, seed))
                records.add({"method": row, "set": name, "seed": seed, "run": run, **record})


def model_name(row: str, name: str, seed: int) -> str:
    """File name of a kept model."""
    return f"{row}-{name}-{seed}.aglets"


def load_data(name: str) -> Data:
    """Load a set, with the sizes of its whole graphs."""
    graphs, y = load(name)
    whole, _ = load(name, whole=True)
    sizes = learn_covariates("size", whole)
    assert sizes is not None
    return Data(graphs, y, sizes.raw(whole))


if __name__ == "__main__":
    main()
