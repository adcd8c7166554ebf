"""Counts, degrees as labels and larger patterns by default: before and after, on the same splits.

Each set is divided into 60 % training, 20 % validation and 20 % test graphs. "before" is the best
match alone, labels as they are, patterns of 5 and 8 nodes; "after" is the default, in which the
validation graphs choose. Next to them a random forest on statistics, and Weisfeiler-Lehman counts
with a linear support vector machine or ridge regression, chosen on the same validation graphs.
Test graphs are only reported. Accuracy for classes, root mean squared error for numbers.

In the file of QM7, targets of rows from about 5,500 on belong to molecules two to four rows away
(``python benchmarks/bench_counts_sets.py --rows`` shows it by a linear fit on numbers of atoms and
bonds), so that "QM7" is followed by its first 5,000 rows alone.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from _common import Records, arguments, cpu_seconds, split, table, with_error
from bench_counts import TABLES, _molecules
from paper.protocol import Split
from paper.small import (
    MAX_ROUNDS,
    counts_of_labels,
    stacked,
    statistics,
    statistics_forest,
    weisfeiler_lehman,
    weisfeiler_lehman_counts,
)
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge

from aglets import LagraClassifierCV, LagraRegressorCV, datasets
from aglets.mining.tree import DENSE_DEGREE
from aglets.model.compacting import compact
from aglets.preprocessing.node_labels import label_nodes, lacks_labels

NUMBERS = ("FreeSolv", "QM7", "QM7 rows 1-5000")
CLASSES = ("IMDB-BINARY", "ENZYMES 1 v 2", "ENZYMES", "PROTEINS", "Letter-low", "NCI109")
METHODS = ("before", "after", "forest", "WL")
N_SPLITS, N_MOLECULES, N_ALIGNED = 5, 2000, 5000
PENALTIES = tuple(10.0**power for power in range(-3, 4))


def main() -> None:
    if "--rows" in sys.argv:
        print(table(["rows of QM7", "RMSE of a linear fit"], aligned_rows()))
        return
    parser = arguments(__doc__)
    parser.add_argument("--sets", nargs="*", default=[*NUMBERS, *CLASSES])
    parser.add_argument("--splits", type=int, default=N_SPLITS)
    options = parser.parse_args()
    records = Records("counts_sets", options)
    for seed in range(1 if options.quick else options.splits):
        for name in options.sets:
            for method in METHODS:
                case = f"{name}, {method}, split {seed}"
                records.measure(case, run, name=name, method=method, seed=seed)
    records.write("Counts and labels by default", *tables(records.records))


def run(name: str, method: str, seed: int) -> dict[str, Any]:
    """Fit one method on one split."""
    graphs, y = _load(name)
    numbers = name in NUMBERS
    order = np.random.default_rng(seed).permutation(len(y))
    cuts = [int(0.6 * len(y)), int(0.8 * len(y))]
    parts = Split(seed, *np.split(order, cuts)) if numbers else Split(seed, *split(y, seed))
    start = cpu_seconds()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if method in ("before", "after"):
            record, predict = _lagra(graphs, y, parts, numbers, method == "after")
        else:
            plain = label_nodes(graphs, "degree") if lacks_labels(graphs) else graphs
            record, predict = {}, _rival(plain, y, parts, numbers, method)
    record |= {"cpu": round(cpu_seconds() - start, 1)}
    for part in ("validation", "test"):
        rows = getattr(parts, part)
        found = predict(rows)
        error = float(np.sqrt(np.mean((found - y[rows]) ** 2))) if numbers else None
        record[part] = error if numbers else float(np.mean(found == y[rows]))
    return record


def _load(name: str) -> tuple[Any, np.ndarray]:
    if name in NUMBERS:
        table_name = name.split()[0]
        graphs, y = _molecules(table_name, TABLES[table_name][3] if name == "FreeSolv" else 10_000)
        if name == "FreeSolv":
            return graphs, y
        rows = np.arange(len(y) if name == "QM7" else N_ALIGNED)
        rows = np.sort(np.random.default_rng(0).permutation(rows)[:N_MOLECULES])
        return graphs[rows], y[rows]
    graphs, y = datasets.load_tu(name.split()[0])
    y = np.asarray(y)
    if name == "ENZYMES 1 v 2":
        rows = np.flatnonzero((y == 1) | (y == 2))
        graphs, y = graphs[rows], y[rows]
    return graphs, y


def _lagra(graphs: Any, y: np.ndarray, parts: Split, numbers: bool, after: bool) -> Any:
    options: dict[str, Any] = {}
    if not after:
        sparse = 2.0 * len(graphs.edges) / len(graphs.labels) < DENSE_DEGREE
        options = {
            "pooling": ("best",),
            "node_labels": "none",
            "maxpats": (5, 8) if sparse else (5,),
        }
        if lacks_labels(graphs) and not graphs.n_attributes:
            options |= {"maxpats": (3,)}  # dense graphs of equal nodes would use up any budget
    estimator = (LagraRegressorCV if numbers else LagraClassifierCV)(**options)
    held_out = (graphs[parts.validation], y[parts.validation])
    model = estimator.fit(graphs[parts.train], y[parts.train], validation=held_out)
    record: dict[str, Any] = {
        "graphlets": len(model.graphlets_),
        "chosen": [model.starts_, model.rho_, model.maxpat_, "+".join(model.pooling_)],
        "count_scale": model.count_scale_,
        "node_labels": model.node_labels_,
    }
    if after:
        test, truth = graphs[parts.test], y[parts.test]
        for size in (30, 60):
            found = compact(model.model_, graphs[parts.train], size).predict(test)
            error = float(np.sqrt(np.mean((found - truth) ** 2))) if numbers else None
            record[f"test at {size}"] = error if numbers else float(np.mean(found == truth))
    return record, lambda rows: model.predict(graphs[rows])


def _rival(graphs: Any, y: np.ndarray, parts: Split, numbers: bool, method: str) -> Any:
    if not numbers:
        ready = statistics_forest if method == "forest" else weisfeiler_lehman
        return ready(graphs, y).fit(parts).predict
    if method == "forest":
        features = statistics(graphs)
        forest = RandomForestRegressor(200, random_state=parts.seed)
        forest.fit(features[parts.train], y[parts.train])
        return lambda rows: forest.predict(features[rows])
    best: Any = (np.inf, None)
    by_rounds = stacked(weisfeiler_lehman_counts(graphs))
    for rounds in range(MAX_ROUNDS + 1):
        columns = by_rounds[rounds].astype(float)
        for penalty in PENALTIES:
            ridge = Ridge(penalty).fit(columns[parts.train], y[parts.train])
            found = ridge.predict(columns[parts.validation])
            error = np.mean((found - y[parts.validation]) ** 2)
            if error < best[0]:
                best = error, lambda rows, m=ridge, c=columns: m.predict(c[rows])
    return best[1]


def tables(records: dict[str, Any]) -> list[str]:
    kept: dict[tuple[str, str], dict[int, dict[str, Any]]] = {}
    for case, record in records.items():
        name, method, seed = case.split(", ")
        kept.setdefault((name, method), {})[int(seed.split()[1])] = record
    rows = []
    for name in dict.fromkeys(name for name, _ in kept):
        of = {method: kept.get((name, method), {}) for method in METHODS}
        seeds = sorted(set.intersection(*(set(found) for found in of.values())))
        if not seeds:
            continue
        value = {m: np.array([of[m][s]["test"] for s in seeds]) for m in METHODS}
        change = value["after"] - value["before"]
        digits = 1 if name.startswith("QM7") else 3
        rows.append(
            [name, len(seeds), *(f"{value[m].mean():.{digits}f}" for m in METHODS)]
            + [with_error(change, digits)]
            + [
                f"{np.mean([of['after'][s][f'test at {n}'] for s in seeds]):.{digits}f}"
                for n in (30, 60)
            ]
            + [f"{np.mean([of[m][s]['graphlets'] for s in seeds]):.0f}" for m in METHODS[:2]]
            + [f"{np.mean([of[m][s]['cpu'] for s in seeds]):.0f}" for m in METHODS[:2]]
        )
    head = ["set", "splits", "before", "after", "forest", "WL", "after - before"]
    head += ["after, 30 graphlets", "60", "graphlets before", "after", "CPU s before", "after"]
    return ["Errors for FreeSolv and QM7, accuracies for the others.", table(head, rows)]


def aligned_rows() -> list[list[str]]:
    """Fit QM7 by numbers of atoms and bonds: rows that do not fit have other molecules' targets."""
    graphs, y = _molecules("QM7", 10_000)
    hydrogens = np.add.reduceat(graphs.attributes[:, 1], graphs.node_offsets[:-1])
    bonds = np.zeros((len(y), len(graphs.edge_vocabulary)))
    np.add.at(bonds, (np.repeat(np.arange(len(y)), graphs.n_edges), graphs.edge_labels), 1.0)
    design = np.column_stack([hydrogens, counts_of_labels(graphs), bonds, np.ones(len(y))])
    first = slice(0, N_ALIGNED)
    weights = np.linalg.lstsq(design[first], y[first], rcond=None)[0]
    errors = y - design @ weights
    return [
        [f"{a + 1} to {min(a + 500, len(y))}", f"{np.sqrt(np.mean(errors[a : a + 500] ** 2)):.1f}"]
        for a in range(0, len(y), 500)
    ]


if __name__ == "__main__":
    main()
