"""From which the default grid was chosen: ``python -m accuracy.grid --sets BZR --seeds 2``.

The lowest validation loss on the path of each cell of a grid wider than the default. Test graphs
are not looked at.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
from _common import cpu_seconds, load, table
from paper.protocol import SETS, Records, Split

from aglets import LagraClassifierCV

from .run import RESULTS

#: rho times the number of attributes.
UNITS = (6.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01)
CELLS = {1: (3, 5, 8), 4: (1, 2, 3), 8: (1, 2)}

#: Where patterns of eight nodes are too many to search.
DENSE = ("ENZYMES", "PROTEINS", "SYNTHETIC")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=["BZR", "COX2", "DHFR", "ENZYMES"])
    parser.add_argument("--seeds", type=int, default=2, help="use seeds 0 to this less one")
    parser.add_argument("--to", type=Path, default=RESULTS, help="the folder of the records")
    options = parser.parse_args()
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"
    records = Records(options.to)
    words = ["--sets", *options.sets, "--seeds", str(options.seeds)]
    run = records.begin_run(" ".join(["python -m accuracy.grid", *words]))
    for seed in range(options.seeds):
        for name in options.sets:
            if (name, seed) not in records.of("grid"):
                print(f"{name}, seed {seed}", flush=True)
                what = {"method": "grid", "set": name, "seed": seed, "run": run}
                records.add({**what, **losses(name, seed)})
    text = page(records)
    (options.to / "grid.md").write_text(text)
    print(text)


def losses(name: str, seed: int) -> dict:
    """Give the lowest validation loss per graph of every (starts, maxpat, rho unit)."""
    graphs, y = load(name)
    parts = Split.of(y, seed)
    starts = {
        k: tuple(m for m in sizes if m < 8 or name not in DENSE) for k, sizes in CELLS.items()
    }
    rhos = tuple(unit / graphs.n_attributes for unit in UNITS)
    start = cpu_seconds()
    model = LagraClassifierCV(starts=starts, rhos=rhos, n_jobs=1).fit(
        graphs[parts.train],
        y[parts.train],
        validation=(graphs[parts.validation], y[parts.validation]),
    )
    found = model.cv_results_
    least: dict[str, float] = {}
    for k, rho, maxpat, loss in zip(
        *(found[key] for key in ("starts", "rho", "maxpat", "mean_validation_loss")), strict=True
    ):
        key = f"{k} {maxpat} {UNITS[rhos.index(rho)]:g}"
        least[key] = min(least.get(key, np.inf), loss / len(parts.validation))
    return {"cpu": round(cpu_seconds() - start, 1), "least": least}


def page(records: Records) -> str:
    found = records.of("grid")
    runs = [records.runs()[run] for run in sorted({one["run"] for one in found.values()})]
    parts = [
        "# Validation loss over a wide grid",
        "\n".join(
            f"- `{one['command']}` at commit {one['commit']} on {one['date']}; {one['machine']}"
            for one in runs
        ),
        "Lowest validation loss per graph on the path, mean over splits; columns are rho times the "
        "number of attributes.",
    ]
    for name in SETS:
        of = [one["least"] for (on, _), one in found.items() if on == name]
        if not of:
            continue
        lines = [
            [f"{k} starts, maxpat {maxpat}"]
            + [f"{np.mean([one[f'{k} {maxpat} {unit:g}'] for one in of]):.3f}" for unit in UNITS]
            for k, sizes in CELLS.items()
            for maxpat in sizes
            if f"{k} {maxpat} 1" in of[0]
        ]
        parts += [f"## {name}, {len(of)} splits", table(["cell", *map(str, UNITS)], lines)]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
