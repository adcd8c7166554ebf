"""From which the default grid of starts was chosen: ``python -m accuracy.grid --seeds 10``.

Test graphs are not looked at. A quarter of the training part is held out to choose on, and what
each grid arrives at is judged by its loss on the validation part.
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from _common import cpu_seconds, load, table
from paper.protocol import SETS, Records, Split

from aglets import LagraClassifierCV
from aglets.estimators._grids import FEW_ATTRIBUTES, grid_for

from .levers import Memory
from .run import FEWER, ORDER, RESULTS, command

#: Sizes of patterns to try with so many starts; one start goes with ``maxpats="auto"``.
SIZES = {4: (3,), 8: (1, 2), 16: (1, 2), 64: (1,)}
WITH_ONE = (
    (1,),
    (1, 4),
    (1, 8),
    (1, 16),
    (1, 64),
    (1, 4, 16),
    (1, 4, 64),
    (1, 8, 64),
    (1, 16, 64),
)
#: Where attributes are many, one start may not be worth the noise of one more cell to choose from.
WITHOUT_ONE = ((4,), (8,), (16,), (64,), (4, 16), (4, 64), (16, 64))
GRIDS = {", ".join(map(str, grid)): grid for grid in (*WITH_ONE, *WITHOUT_ONE)}
AVERAGES = ("none", "greedy")
HELD_OUT = 0.25


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=list(ORDER), choices=list(SETS))
    parser.add_argument("--seeds", type=int, default=10, help="use seeds 0 to this less one")
    parser.add_argument("--to", type=Path, default=RESULTS, help="the folder of the records")
    parser.add_argument("--quick", action="store_true", help="a few lambdas, to see that it runs")
    options = parser.parse_args()
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"
    warnings.simplefilter("ignore")
    records = Records(options.to)
    run = records.begin_run(command())
    for seed in range(options.seeds):
        for name in options.sets:
            if (name, seed) not in records.of("grid"):
                print(f"{name}, seed {seed}", flush=True)
                what = {"method": "grid", "set": name, "seed": seed, "run": run}
                records.add({**what, "judged": judged(name, seed, options.quick)})
    text = page(records)
    (options.to / "grid.md").write_text(text)
    print(text)


def judged(name: str, seed: int, quick: bool = False) -> dict[str, dict[str, list[float]]]:
    """Give [loss, accuracy, graphlets, CPU seconds] of each grid, single and averaged."""
    graphs, y = load(name)
    parts = Split.of(y, seed)
    train, held_out = divided(y, parts)
    alone = grid_for(graphs[train], starts=1, rhos="auto", maxpats="auto", scale="standard")
    fewer = FEWER if quick else {}
    memory = Memory()
    found: dict[str, dict[str, list[float]]] = {}
    for title, numbers in GRIDS.items():
        if numbers in WITHOUT_ONE and graphs.n_attributes <= FEW_ATTRIBUTES:
            continue
        starts = {k: SIZES.get(k, alone.maxpats[1]) for k in numbers}
        for average in AVERAGES:
            known = set(memory.paths)
            memory.asked.clear()
            start = cpu_seconds()
            model = LagraClassifierCV(starts=starts, average=average, n_jobs=1, **fewer).fit(
                graphs[train],
                y[train],
                validation=(graphs[held_out], y[held_out]),
                callback=memory,
            )
            cpu = cpu_seconds() - start
            cpu += sum(memory.cpu[task] for task in memory.asked if task in known)
            margins = y[parts.validation] * model.decision_function(graphs[parts.validation])
            found.setdefault(title, {})[average] = [
                round(float(np.mean(np.maximum(1.0 - margins, 0.0) ** 2)), 5),
                round(float(np.mean(margins > 0.0)), 5),
                len(model.graphlets_),
                round(cpu, 2),
            ]
    return found


def divided(y: np.ndarray, parts: Split) -> tuple[np.ndarray, np.ndarray]:
    """Hold out a quarter of the training part, by class."""
    rng = np.random.default_rng(parts.seed)
    held_out = [
        rng.permutation(rows)[: round(HELD_OUT * len(rows))]
        for rows in (parts.train[y[parts.train] == value] for value in np.unique(y))
    ]
    out = np.sort(np.concatenate(held_out))
    return np.setdiff1d(parts.train, out), out


def page(records: Records) -> str:
    """Show the loss of every grid next to that of one start."""
    found = records.of("grid")
    names = [name for name in SETS if any(name == key[0] for key in found)]
    made = [records.runs()[run] for run in sorted({one["run"] for one in found.values()})]
    parts = [
        "# Which numbers of starts to try",
        "\n".join(
            f"- `{one['command']}` at commit {one['commit']} on {one['date']}; {one['machine']}"
            for one in made
        ),
        "Each grid chooses on a quarter of the training part, and is judged on the validation "
        "part; test graphs play no part. First row: mean squared hinge loss, others: mean "
        "difference from it ± standard error (splits). Last columns: mean over sets of the "
        "loss as a part of that with one start, and of CPU seconds as a multiple. One start goes "
        "with patterns of five and eight nodes (five where graphs are dense), 4 with three, 8 and "
        "16 with one and two, 64 with one.",
    ]
    for average in AVERAGES:
        parts += [
            f"## {'Single model' if average == 'none' else 'Greedy average'}",
            table(["starts", *names, "loss", "CPU"], lines(found, names, average)),
        ]
    return "\n\n".join(parts) + "\n"


def lines(found: dict[Any, Any], names: list[str], average: str) -> list[list[str]]:
    """Give a line per grid."""
    values = {
        (name, title): np.array(
            [
                one["judged"][title][average]
                for (on, _), one in found.items()
                if on == name and title in one["judged"]
            ]
        )
        for name in names
        for title in GRIDS
    }  # split, figure
    first = {name: values[name, "1"] for name in names}
    rows = [["1", *(f"{of[:, 0].mean():.4f} ({len(of)})" for of in first.values()), "1", "1"]]
    for title in list(GRIDS)[1:]:
        there = [name for name in names if len(values[name, title])]
        if not there:
            continue
        cells = ["-"] * len(names)
        for name in there:
            change = values[name, title][:, 0] - first[name][:, 0]
            error = change.std(ddof=1) / np.sqrt(len(change)) if len(change) > 1 else np.nan
            cells[names.index(name)] = f"{change.mean():+.4f} ± {error:.4f}"
        ratios = [
            np.mean(
                [values[name, title][:, at].mean() / first[name][:, at].mean() for name in there]
            )
            for at in (0, 3)
        ]
        rows.append([title, *cells, *(f"{ratio:.3f}" for ratio in ratios)])
    return rows


if __name__ == "__main__":
    main()
