"""CPU seconds of `fit` against the number of graphs, on generated graphs like small molecules.

Graphs have 25 nodes: a random tree with at most four neighbours per node, closed to a few rings of
five and six, mostly of one label, with two attributes. Half of the graphs carry a group of three
nodes with its own attributes; the other half carry the same group with attributes of the other
sign, and one class in twenty is wrong.
"""

from __future__ import annotations

import time
from itertools import product
from typing import Any

import numpy as np
from _common import MB, Records, arguments, cpu_seconds, peak_memory, table

from aglets import GraphSet, LagraClassifier

N_NODES = 25
LABELS, SHARES = "CNOSF", (0.72, 0.11, 0.12, 0.03, 0.02)
GROUP = "NCO"
NUMBERS = (1000, 2000, 4000, 7000, 10000)
N_TEST = 1000
RATIOS = (0.1, 0.01)


def main() -> None:
    options = arguments(__doc__).parse_args()
    numbers = (20, 40) if options.quick else NUMBERS
    ratios, n_test = (RATIOS[:1], 50) if options.quick else (RATIOS, N_TEST)
    records = Records("scaling", options)
    for ratio, number in product(ratios, numbers):
        records.measure(
            f"{number} graphs, lambda_ratio {ratio}",
            fit,
            n_graphs=number,
            n_test=n_test,
            ratio=ratio,
            n_jobs=1,
        )
    for ratio in ratios:
        records.measure(
            f"{numbers[-1]} graphs, lambda_ratio {ratio}, 2 threads",
            fit,
            n_graphs=numbers[-1],
            n_test=n_test,
            ratio=ratio,
            n_jobs=2,
        )
    write(records, numbers, ratios)


def fit(n_graphs: int, n_test: int, ratio: float, n_jobs: int) -> dict[str, Any]:
    graphs, y = make_molecules(n_graphs + n_test, np.random.default_rng(0))
    model = LagraClassifier(lambda_ratio=ratio, n_jobs=n_jobs)
    start, wall = cpu_seconds(), time.perf_counter()
    model.fit(graphs[:n_graphs], y[:n_graphs])
    return {
        "graphs": n_graphs,
        "cpu": cpu_seconds() - start,
        "wall": time.perf_counter() - wall,
        "peak": peak_memory(),
        "nonzero": len(model.graphlets_),
        "accuracy": model.score(graphs[n_graphs:], y[n_graphs:]),
    }


def make_molecules(number: int, rng: np.random.Generator) -> tuple[GraphSet, np.ndarray]:
    """Make graphs and their classes, -1 and 1."""
    y = np.where(np.arange(number) % 2 == 0, 1, -1)
    labels, edges, attributes = [], [], []
    for sign in y:
        bonds = random_skeleton(rng)
        atoms = rng.choice(list(LABELS), size=N_NODES, p=SHARES)
        values = rng.normal(size=(N_NODES, 2))
        path = random_path(rng, bonds, len(GROUP))
        atoms[path] = list(GROUP)
        values[path] = sign * np.array([1.5, -1.5]) + 0.3 * rng.normal(size=(len(GROUP), 2))
        labels.append(atoms.tolist())
        edges.append(bonds)
        attributes.append(values)
    graphs = GraphSet.from_lists(labels=labels, edges=edges, attributes=attributes)
    wrong = rng.random(number) < 0.05
    return graphs, np.where(wrong, -y, y)


def random_skeleton(rng: np.random.Generator) -> list[tuple[int, int]]:
    """Make a tree that prefers to go on where it was, and rings closed along it."""
    edges: list[tuple[int, int]] = []
    degree = np.zeros(N_NODES, dtype=int)
    for v in range(1, N_NODES):
        free = np.flatnonzero(degree[:v] < 3)
        u = v - 1 if degree[v - 1] < 3 and rng.random() < 0.75 else int(rng.choice(free))
        edges.append((u, v))
        degree[[u, v]] += 1
    for size in rng.choice([5, 6], size=rng.integers(1, 4)):
        ends = [path[[0, -1]] for path in (random_path(rng, edges, size) for _ in range(8))]
        for u, v in (sorted(end.tolist()) for end in ends):
            if degree[u] < 4 and degree[v] < 4 and (u, v) not in edges:
                edges.append((u, v))
                degree[[u, v]] += 1
                break
    return edges


def random_path(rng: np.random.Generator, edges: list, size: int) -> np.ndarray:
    """Draw a walk of so many distinct nodes, trying until one is found."""
    neighbours: list[list[int]] = [[] for _ in range(N_NODES)]
    for u, v in edges:
        neighbours[u].append(v)
        neighbours[v].append(u)
    while True:
        path = [int(rng.integers(N_NODES))]
        while len(path) < size and (further := [v for v in neighbours[path[-1]] if v not in path]):
            path.append(int(rng.choice(further)))
        if len(path) == size:
            return np.array(path)


def write(records: Records, numbers: tuple[int, ...], ratios: tuple[float, ...]) -> None:
    parts, curves = [], {}
    for ratio in ratios:
        found = [records.records[f"{number} graphs, lambda_ratio {ratio}"] for number in numbers]
        together = records.records[f"{numbers[-1]} graphs, lambda_ratio {ratio}, 2 threads"]
        curves[ratio] = [one["cpu"] for one in found]
        slope = float(np.polyfit(np.log(numbers), np.log(curves[ratio]), 1)[0])
        rows = [
            [
                *(one["graphs"], f"{one['cpu']:.1f}", f"{1000 * one['cpu'] / one['graphs']:.2f}"),
                *(f"{one['peak'] / MB:.0f}", one["nonzero"], f"{one['accuracy']:.3f}"),
                f"{1e6 * one['cpu'] / one['graphs'] / one['nonzero']:.0f}",
            ]
            for one in found
        ]
        head = [
            *("graphs", "CPU s", "ms per graph", "MB in all", "graphlets", "accuracy"),
            "us per graph and graphlet",
        ]
        parts += [
            f"## Down to {ratio} lambda_max",
            table(head, rows),
            f"CPU seconds grow like the number of graphs to the power {slope:.2f} (target: at "
            f"most linear). With two threads {together['graphs']} graphs took "
            f"{together['wall']:.0f} s on the clock and {together['cpu']:.0f} CPU s (target: "
            "minutes).",
        ]
    draw(records, numbers, curves)
    records.write(
        "Scaling with the number of graphs",
        f"`LagraClassifier(lambda_ratio=...)`, 100 lambdas, else defaults, on generated graphs of "
        f"{N_NODES} nodes; accuracy on {N_TEST} further graphs, of which 5 % have the wrong class. "
        "0.1 is the estimator's default. At 0.01 the models of this noisy task are far too large, "
        "and the more graphs there are, the more graphlets fit their noise: the cost per graph and "
        "graphlet falls, that of the whole path grows faster than the number of graphs.",
        *parts,
        "![CPU seconds against number of graphs](scaling.png)",
    )


def draw(records: Records, numbers: tuple[int, ...], curves: dict[float, list[float]]) -> None:
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
    for ratio, seconds in curves.items():
        [line] = axes.loglog(numbers, seconds, "o-", label=f"fit down to {ratio} lambda_max")
        linear = [seconds[0] * number / numbers[0] for number in numbers]
        axes.loglog(numbers, linear, "--", color=line.get_color(), alpha=0.5, label="linear")
    axes.set(xlabel="number of graphs", ylabel="CPU seconds")
    figure.legend(loc="outside upper center", ncols=2, fontsize="small")
    figure.savefig(records.markdown.with_suffix(".png"), dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main()
