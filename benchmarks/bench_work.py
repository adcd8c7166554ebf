"""Units of work per CPU second of searches, as along a path, and of counting.

A path searches one tree repeatedly with a smaller lambda and another residual. Here lambda falls
from lambda_max in 30 steps, each with three residuals, until so many seconds are over. Work is what
`Tree.work_spent` counts; a default budget is worth some minutes on a machine like this.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from _common import Records, arguments, cpu_seconds, load, skip_without_data, table

from aglets import mining

SETS = {"BZR": (10, 1.0), "AIDS": (10, 1.0), "PROTEINS": (6, 1.0), "SYNTHETIC": (6, 1.0)}
MAX_SECONDS = 40.0
MINUTES = 5


def main() -> None:
    options = arguments(__doc__).parse_args()
    skip_without_data(*SETS)
    seconds = 0.2 if options.quick else MAX_SECONDS
    records = Records("work", options)
    for name, (maxpat, rho) in SETS.items():
        records.measure(name, searches, name=name, maxpat=maxpat, rho=rho, max_seconds_cpu=seconds)
    write(records)


def searches(name: str, maxpat: int, rho: float, max_seconds_cpu: float) -> dict[str, Any]:
    graphs, y = load(name)
    rows = graphs.attributes
    graphs = graphs.with_attributes((rows - rows.mean(0)) / np.maximum(rows.std(0), 1e-12))
    rho = rho / max(graphs.n_attributes, 1)
    rng = np.random.default_rng(0)
    tree = mining.Tree(graphs, maxpat=maxpat, max_seconds=max_seconds_cpu)
    residual = y * (1.0 - y * y.mean())
    start, reached = cpu_seconds(), 1.0
    try:
        top, _ = tree.lambda_max(residual, rho=rho)
        for ratio in np.geomspace(0.9, 0.02, 30):
            for _ in range(3):
                near = residual * rng.uniform(0.9, 1.0, len(y))
                tree.search(near, lam=ratio * top, rho=rho)
            reached = float(ratio)
            if cpu_seconds() - start > max_seconds_cpu:
                break
    except mining.BudgetError:
        pass
    return {
        "maxpat": maxpat,
        "cpu": cpu_seconds() - start,
        "work": tree.work_spent,
        "nodes": tree.n_nodes,
        "reached": reached,
    }


def write(records: Records) -> None:
    rows, rates = [], []
    for name, one in records.records.items():
        rate = one["work"] / max(one["cpu"], 1e-9)
        rates.append(rate)
        rows.append(
            [
                *(name, one["maxpat"], f"{one['reached']:.2f}", one["nodes"]),
                *(f"{one['cpu']:.1f}", f"{one['work'] / 1e6:.0f}", f"{rate / 1e6:.0f}"),
            ]
        )
    middle = float(np.exp(np.mean(np.log(rates))))
    head = ["set", "maxpat", "of lambda_max", "tree nodes", "CPU s", "million units"]
    records.write(
        "Work of searches",
        "Attributes in standard deviations, rho = 1 / number of attributes, one thread.",
        table([*head, "million units per CPU s"], rows),
        f"The geometric mean is {middle / 1e6:.0f} million units per CPU second; {MINUTES} minutes "
        f"are worth {60 * MINUTES * middle / 1e9:.1f} thousand million units, between "
        f"{60 * MINUTES * min(rates) / 1e9:.1f} and {60 * MINUTES * max(rates) / 1e9:.1f} by set.",
    )


if __name__ == "__main__":
    main()
