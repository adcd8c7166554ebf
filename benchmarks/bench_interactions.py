"""Would products of two graphlets help? An experiment on top of fitted models.

A path is walked on 60 % of the graphs, and its lambda chosen on 20 %. Its columns (psi of every
graphlet) then go to four second stages, each with its options chosen on the same 20 %: a linear
model of the columns, the same with up to ten products of two columns, taken one after the other by
how well what the columns leave of them explains what is left of y, the model itself, and a random
forest on the columns. The last 20 % are only reported: accuracy, or RMSE for FreeSolv.
"""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

import numpy as np
from _common import Records, arguments, load, split, table
from bench_counts import _molecules
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge

from aglets import LagraClassifier, LagraRegressor

SETS = ("BZR", "COX2", "DHFR", "ENZYMES", "PROTEINS", "FreeSolv")
N_SPLITS, MOST = 5, 10
PENALTIES = tuple(10.0**power for power in range(-2, 4))
STAGES = ("model", "columns", "with products", "forest")
OPTIONS: dict[str, Any] = {"maxpat": 3, "rho": 0.1, "n_lambdas": 50}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS)
    options = parser.parse_args()
    records = Records("interactions", options)
    for name in ("BZR",) if options.quick else options.sets:
        for seed in range(1 if options.quick else N_SPLITS):
            records.measure(f"{name}, split {seed}", run, name=name, seed=seed)
    rows = []
    for name in dict.fromkeys(case.split(",")[0] for case in records.records):
        own = [r for case, r in records.records.items() if case.startswith(f"{name},")]
        change = np.array([r["with products"] - r["columns"] for r in own])
        error = change.std(ddof=1) / np.sqrt(len(own)) if len(own) > 1 else 0.0
        means = [f"{np.mean([r[stage] for r in own]):.3f}" for stage in STAGES]
        products = f"{np.mean([r['products'] for r in own]):.1f}"
        rows.append([name, *means, f"{change.mean():+.3f} ± {error:.3f}", products])
    head = ["set", *STAGES, "products - columns", "products taken"]
    records.write("Products of two graphlets", table(head, rows))


def run(name: str, seed: int) -> dict[str, Any]:
    numbers = name == "FreeSolv"
    graphs, y = _molecules(name, 10_000) if numbers else load(name)
    if numbers:
        order = np.random.default_rng(seed).permutation(len(y))
        parts = np.split(order, [int(0.6 * len(y)), int(0.8 * len(y))])
    else:
        parts = list(split(y, seed))
    train, held, test = parts
    kind = LagraRegressor if numbers else LagraClassifier
    ratio = 1e-3 if numbers else 1e-2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = kind(lambda_ratio=ratio, **OPTIONS)
        fitted.fit(graphs[train], y[train], validation=(graphs[held], y[held]))
        best = int(np.argmin([point.validation_loss for point in fitted.path_]))
        model = fitted.model_at(best)
        psi = model.transform(graphs)
        spread = psi[train].std(axis=0)
        psi = (psi - psi[train].mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)

    def score(found: np.ndarray, rows: np.ndarray) -> float:
        error = float(np.sqrt(np.mean((found - y[rows]) ** 2)))
        return error if numbers else float(np.mean(found == y[rows]))

    def chosen(tables: list[np.ndarray], models: list[Any]) -> tuple[float, int]:
        sign = 1.0 if numbers else -1.0
        tried = []
        for k, columns in enumerate(tables):
            for one in models:
                one.fit(columns[train], y[train])
                cost = sign * score(one.predict(columns[held]), held)
                tried.append((cost, k, score(one.predict(columns[test]), test)))
        cost, k, value = min(tried)
        return value, k

    linear = [Ridge(p) if numbers else LogisticRegression(C=1.0 / p) for p in PENALTIES]
    grown = growing(psi, y.astype(float), train)
    forest = RandomForestRegressor if numbers else RandomForestClassifier
    with_products, n_products = chosen(grown, linear)
    return {
        "model": score(model.predict(graphs[test]), test),
        "columns": chosen(grown[:1], linear)[0],
        "with products": with_products,
        "products": n_products,
        "forest": chosen(grown[:1], [forest(200, random_state=seed)])[0],
        "graphlets": psi.shape[1],
    }


def growing(psi: np.ndarray, y: np.ndarray, train: np.ndarray) -> list[np.ndarray]:
    """Add products one by one: that whose part outside of the columns explains most of the rest."""
    pairs = list(combinations(range(psi.shape[1]), 2))
    products = np.column_stack([psi[:, i] * psi[:, j] for i, j in pairs]) if pairs else psi[:, :0]
    tables = [psi]
    for _ in range(min(MOST, len(pairs))):
        base = np.column_stack([np.ones(len(train)), tables[-1][train]])
        q, _ = np.linalg.qr(base)
        rest = y[train] - q @ (q.T @ y[train])
        outside = products[train] - q @ (q.T @ products[train])
        lengths = np.linalg.norm(outside, axis=0)
        usable = lengths > 1e-6 * np.sqrt(len(train))
        gain = np.where(usable, np.abs(rest @ outside) / np.where(usable, lengths, 1.0), 0.0)
        tables.append(np.column_stack([tables[-1], products[:, int(gain.argmax())]]))
    return tables


if __name__ == "__main__":
    main()
