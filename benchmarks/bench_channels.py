"""What counting costs in mining: best and sum together, against best alone.

A lasso path of 30 lambdas down to 1 % of lambda_max on untrained graphlets: at every lambda the
tree is searched, the worst violators enter, and the lasso is solved on them, until there is none.
CPU seconds are those of the tree alone (lambda_max and all searches, in all channels at once), the
ways take turns in one process, and the ratio is that of medians. Attributes are standardised.

All patterns once: a search at lambda 0 in a new tree, which prunes nothing, so that every way grows
and evaluates the same patterns. Attributes, turns and ratios as above.

``--before PYTHON`` names an interpreter with an earlier version of the library: then the path of
the best alone is timed with both, in turns, each in processes of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from _common import MB, Records, arguments, load, skip_without_data, table
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from aglets import GraphSet, mining

MAXPAT = {"BZR": 8, "AIDS": 8, "BBBP": 8}
RHO = 0.1
N_LAMBDAS = 30
SMALLEST = 0.01
ENTERING = 10
WAYS = {"best": ("best",), "best and sum": ("best", "sum"), "best and mean": ("best", "mean")}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--before", metavar="PYTHON", help="interpreter with an earlier version")
    parser.add_argument("--walk", metavar="SET", help="time one path of the best alone, and end")
    options = parser.parse_args()
    if options.walk:
        print(json.dumps(walk(options.walk, None)))
        return
    names = ["BZR"] if options.quick else list(MAXPAT)
    skip_without_data(*[name for name in names if name != "BBBP"])
    repeats = 1 if options.quick else 5
    records = Records("channels", options)
    for name in names:
        records.measure(f"channels {name}", all_ways, name=name, repeats=repeats)
        records.measure(f"all patterns {name}", all_patterns, name=name, repeats=repeats)
        if options.before:
            records.measure(
                f"before {name}", before_and_now, name=name, before=options.before, repeats=repeats
            )
    write(records, names)


def standardised(name: str) -> tuple[GraphSet, np.ndarray]:
    if name == "BBBP":
        path = Path(os.environ.get("AGLETS_DATA", "."), "BBBP", "BBBP.csv")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # rows that are not molecules are left out
            graphs, y = GraphSet.from_table(path, target="BBBP", errors="skip")
        y = np.where(np.asarray(y, dtype=float) > 0.5, 1.0, -1.0)
    else:
        graphs, y = load(name)
    x = graphs.attributes
    if graphs.n_attributes:
        x = (x - x.mean(axis=0)) / x.std(axis=0)
    return replace(graphs, attributes=x), np.asarray(y, dtype=float)


def walk(name: str, pooling: tuple[str, ...] | None) -> dict[str, Any]:
    """Walk the path once; without `pooling` in the words of a version that knows none."""
    graphs, y = standardised(name)
    channels = {} if pooling is None else {"pooling": pooling}
    graphs.core  # noqa: B018 - built before the clock starts
    start = time.process_time()
    tree = mining.Tree(graphs, maxpat=MAXPAT[name])
    top, _ = tree.lambda_max(y - y.mean(), rho=RHO, **channels)
    seconds = time.process_time() - start
    residual, columns, held = y - y.mean(), np.empty((len(y), 0)), set()
    n_visited = 0
    for lam in top * np.geomspace(1.0, SMALLEST, N_LAMBDAS):
        for _ in range(10):
            start = time.process_time()
            found = tree.search(residual, lam=lam, rho=RHO, **channels)
            seconds += time.process_time() - start
            n_visited += found.n_visited
            new = [key for key in by_violation(found) if key not in held][:ENTERING]
            if not new:
                break
            held.update(new)
            columns = np.column_stack([columns, *(column(tree, *key) for key in new)])
            residual = lasso_residual(columns, y, lam)
    return {
        "cpu": seconds,
        "visited": n_visited,
        "patterns": tree.n_nodes,
        "bytes": tree.n_bytes,
        "columns": columns.shape[1],
    }


def by_violation(found: mining.Found) -> list[tuple[int, str]]:
    order = np.argsort(-np.abs(found.g), kind="stable")
    names = getattr(found, "pooling", ("best",))
    channels = getattr(found, "channels", np.zeros(len(order), dtype=int))
    return [(int(found.nodes[j]), names[channels[j]]) for j in order]


def column(tree: mining.Tree, node: int, pooling: str) -> np.ndarray:
    n = len(tree.graphs)
    if pooling == "best":
        where, costs = tree.costs(node)
        values = np.zeros(n)
        values[where] = np.exp(-RHO * costs)
        return values
    where, costs = tree.root_costs(node)
    values = np.bincount(where, np.exp(-RHO * costs), minlength=n)
    return values / np.maximum(tree.graphs.n_nodes, 1) if pooling == "mean" else values


def lasso_residual(columns: np.ndarray, y: np.ndarray, lam: float) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = Lasso(alpha=lam / len(y), max_iter=300, tol=1e-4).fit(columns, y)
    return y - model.predict(columns)


def all_ways(name: str, repeats: int) -> dict[str, Any]:
    record: dict[str, Any] = {way: {"cpu": []} for way in WAYS}
    for _ in range(repeats):
        for way, pooling in WAYS.items():
            once = walk(name, pooling)
            seconds = once.pop("cpu")
            record[way].update(once)
            record[way]["cpu"].append(seconds)
    return record


def all_patterns(name: str, repeats: int) -> dict[str, Any]:
    graphs, y = standardised(name)
    graphs.core  # noqa: B018 - built before the clock starts
    record: dict[str, Any] = {way: {"cpu": []} for way in WAYS}
    for _ in range(repeats):
        for way, pooling in WAYS.items():
            start = time.process_time()
            tree = mining.Tree(graphs, maxpat=MAXPAT[name] - 1)
            tree.search(y - y.mean(), lam=0.0, rho=RHO, pooling=pooling)
            record[way]["cpu"].append(time.process_time() - start)
            record[way].update(patterns=tree.n_nodes, bytes=tree.n_bytes)
    return record


def before_and_now(name: str, before: str, repeats: int) -> dict[str, Any]:
    record: dict[str, Any] = {"before": [], "now": []}
    for _ in range(repeats):
        for when, python in (("before", before), ("now", sys.executable)):
            done = subprocess.run(
                [python, __file__, "--walk", name], capture_output=True, text=True, check=True
            )
            record[when].append(json.loads(done.stdout.splitlines()[-1])["cpu"])
    return record


def write(records: Records, names: list[str]) -> None:
    found = records.records
    paths = [found[f"channels {name}"] for name in names]
    grown = [found[f"all patterns {name}"] for name in names]
    ratios = [ratio_of(record, "best and sum") for record in paths + grown]
    verdict = "met" if max(ratios) <= 1.6 else "missed"
    along, once = (" ".join(part.split()) for part in __doc__.split("\n\n")[1:3])
    parts = [
        f"Target: best and sum at most 1.6 times the CPU of best alone; {verdict}, "
        f"{min(ratios):.2f} to {max(ratios):.2f} times.",
        f"## Along a path\n\n{along}",
        table(
            ["set", "best s", "median s", "ratio", "patterns", "MB", "visits", "columns"],
            [
                [*row, own[way]["visited"], own[way]["columns"]]
                for name, own in zip(names, paths, strict=True)
                for way, row in rows_of(name, own)
            ],
        ),
        f"## All patterns once\n\n{once}",
        table(
            ["set", "best s", "median s", "ratio", "patterns", "MB"],
            [row for name, own in zip(names, grown, strict=True) for _, row in rows_of(name, own)],
        ),
    ]
    earlier = [name for name in names if f"before {name}" in found]
    if earlier:
        parts += [
            "## Best alone, before channels were there and now\n\nCPU seconds of the same path.",
            table(
                ["set", "before best s", "now best s", "before median s", "now median s", "ratio"],
                [
                    [
                        name,
                        f"{min(record['before']):.3f}",
                        f"{min(record['now']):.3f}",
                        f"{median(record['before']):.3f}",
                        f"{median(record['now']):.3f}",
                        f"{median(record['now']) / median(record['before']):.2f}",
                    ]
                    for name in earlier
                    for record in [found[f"before {name}"]]
                ],
            ),
        ]
    records.write("Channels", *parts)


def ratio_of(record: dict[str, Any], way: str) -> float:
    return median(record[way]["cpu"]) / median(record["best"]["cpu"])


def rows_of(name: str, record: dict[str, Any]) -> list[tuple[str, list[Any]]]:
    """Return the way and the first columns of its row, for every way."""
    return [
        (
            way,
            [
                f"{name}, {way}",
                f"{min(record[way]['cpu']):.3f}",
                f"{median(record[way]['cpu']):.3f}",
                f"{ratio_of(record, way):.2f}",
                record[way]["patterns"],
                f"{record[way]['bytes'] / MB:.1f}",
            ],
        )
        for way in WAYS
    ]


if __name__ == "__main__":
    main()
