"""CPU seconds of `fit` against the number of graphs, on generated graphs like small molecules.

Graphs have 25 nodes: a random tree with at most four neighbours per node, closed to a few rings of
five and six, mostly of one label, with two attributes. Half of the graphs carry a group of three
nodes with its own attributes; the other half carry the same group with attributes of the other
sign, and one class in twenty is wrong.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from _common import MB, Records, arguments, cpu_seconds, peak_memory, table

from aglets import GraphSet, LagraClassifier

N_NODES = 25
LABELS, SHARES = "CNOSF", (0.72, 0.11, 0.12, 0.03, 0.02)
GROUP = "NCO"
NUMBERS = (1000, 2000, 4000, 7000, 10000)
N_TEST = 1000


def main() -> None:
    options = arguments(__doc__).parse_args()
    numbers = (200, 400) if options.quick else NUMBERS
    records = Records("scaling", options)
    for number in numbers:
        records.measure(f"{number} graphs", fit, n_graphs=number, n_jobs=1)
    largest = f"{numbers[-1]} graphs, 2 threads"
    records.measure(largest, fit, n_graphs=numbers[-1], n_jobs=2)
    write(records, numbers, largest)


def fit(n_graphs: int, n_jobs: int) -> dict[str, Any]:
    graphs, y = make_molecules(n_graphs + N_TEST, np.random.default_rng(0))
    model = LagraClassifier(lambda_ratio=0.01, n_jobs=n_jobs)
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


def write(records: Records, numbers: tuple[int, ...], largest: str) -> None:
    found = [records.records[f"{number} graphs"] for number in numbers]
    seconds = [one["cpu"] for one in found]
    slope = float(np.polyfit(np.log(numbers), np.log(seconds), 1)[0])
    together = records.records[largest]
    draw(records, numbers, seconds, slope)
    records.write(
        "Scaling with the number of graphs",
        "`LagraClassifier(lambda_ratio=0.01)`: 100 lambdas, maxpat 5, on generated graphs of "
        f"{N_NODES} nodes; accuracy on {N_TEST} further graphs, of which 5 % have the wrong class.",
        table(
            ["graphs", "CPU s", "ms per graph", "MB in all", "graphlets", "accuracy"],
            [
                [
                    *(
                        one["graphs"],
                        f"{one['cpu']:.1f}",
                        f"{1000 * one['cpu'] / one['graphs']:.2f}",
                    ),
                    *(f"{one['peak'] / MB:.0f}", one["nonzero"], f"{one['accuracy']:.3f}"),
                ]
                for one in found
            ],
        ),
        f"CPU seconds grow like the number of graphs to the power {slope:.2f} (target: at most "
        f"linear). With two threads {together['graphs']} graphs took {together['wall']:.0f} s on "
        f"the clock and {together['cpu']:.0f} CPU s (target: minutes).",
        "![CPU seconds against number of graphs](scaling.png)",
    )


def draw(records: Records, numbers: tuple[int, ...], seconds: list[float], slope: float) -> None:
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
    axes.plot(numbers, seconds, "o-", label="fit")
    linear = [seconds[0] * number / numbers[0] for number in numbers]
    axes.plot(numbers, linear, "--", color="0.6", label="linear")
    axes.set(xlabel="number of graphs", ylabel="CPU seconds", ylim=(0, None), xlim=(0, None))
    axes.set_title(f"power {slope:.2f}")
    axes.legend()
    figure.savefig(records.markdown.with_suffix(".png"), dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main()
