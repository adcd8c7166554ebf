"""Twelve fits that touch every part of the trainer, and a record of the model each one gives.

Only public names are used, so that the same file runs on the code of any commit: ``python
model_cases.py CASE`` prints the record of one case as JSON. ``same_models.py`` calls it.
"""

from __future__ import annotations

import csv
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from aglets import (
    GraphSet,
    LagraClassifier,
    LagraClassifierCV,
    LagraRegressor,
    datasets,
)

#: A case is fitted again until it has taken this long; its CPU seconds are of its fastest fit.
MIN_SECONDS = 2.0
MAX_FITS = 5


@dataclass(frozen=True)
class Case:
    """Graphs with their targets, an estimator, and further arguments of its ``fit``."""

    load: Callable[[], tuple[GraphSet, np.ndarray]]
    estimator: Callable[[], Any]
    fit: Callable[[GraphSet], dict[str, Any]] = lambda graphs: {}


def tu(name: str, *, classes: tuple[int, ...] | None = None, **options: Any) -> Callable[[], Any]:
    """Return a loader of a TU data set, or of those of its graphs that are in some classes."""

    def load() -> tuple[GraphSet, np.ndarray]:
        graphs, y = datasets.load_tu(name, **options)
        if classes is None:
            return graphs, y
        kept = np.isin(y, classes)
        return graphs[kept], y[kept]

    return load


def freesolv() -> tuple[GraphSet, np.ndarray]:
    """Read hydration free energies (kcal/mol) of small molecules."""
    folder = Path(os.environ.get("AGLETS_DATA", "."), "FreeSolv")
    with open(folder / "SAMPL.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    # Labels as they were before aromaticity and charge went into them: both codes know these.
    graphs = GraphSet.from_smiles([row["smiles"] for row in rows], label_with=())
    return graphs, np.array([float(row["expt"]) for row in rows])


def two_numbers(graphs: GraphSet) -> dict[str, Any]:
    """Return covariates of the user's own, which depend on the graphs only."""
    sizes = np.array([len(graph.labels) for graph in graphs], dtype=float)
    return {"covariates": np.column_stack([np.sqrt(sizes), np.arange(len(sizes)) % 7])}


def _as_before(kind: Any, parameters: dict[str, Any]) -> Callable[[], Any]:
    """Return how to make an estimator without what older code had not, where it is known."""
    newer = {"pooling": ("best",), "calibration": None}
    known = kind().get_params()
    off = {name: value for name, value in newer.items() if name in known}
    return lambda: kind(**{**SHARED, **parameters, **off})


def classifier(**parameters: Any) -> Callable[[], Any]:
    return _as_before(LagraClassifier, parameters)


def regressor(**parameters: Any) -> Callable[[], Any]:
    return _as_before(LagraRegressor, parameters)


def chosen(**parameters: Any) -> Callable[[], Any]:
    return _as_before(LagraClassifierCV, parameters)


#: One thread, for CPU seconds that can be compared; no limit in seconds, which load would move.
SHARED = {"n_jobs": 1, "max_seconds": None, "random_state": 0}

ENZYMES_PAIR = tu("ENZYMES", classes=(1, 2), component="largest")

CASES = {
    "BZR": Case(tu("BZR"), classifier(rho=0.1, maxpat=5, lambda_ratio=0.01)),
    "AIDS": Case(tu("AIDS", component="first"), classifier(rho=0.1, maxpat=5, lambda_ratio=0.01)),
    "ENZYMES": Case(ENZYMES_PAIR, classifier(rho=0.1, maxpat=4, lambda_ratio=0.05)),
    "PROTEINS maxpat 5": Case(
        tu("PROTEINS"), classifier(rho=0.1, maxpat=5, lambda_ratio=0.2, n_lambdas=30)
    ),
    "MUTAG edge labels": Case(
        tu("MUTAG", edge_labels=True), classifier(maxpat=6, lambda_ratio=0.02)
    ),
    "FreeSolv": Case(freesolv, regressor(rho=0.1, maxpat=4, lambda_ratio=0.002)),
    "ENZYMES six classes": Case(
        tu("ENZYMES"), classifier(rho=0.1, maxpat=3, lambda_ratio=0.2, n_lambdas=30)
    ),
    "starts": Case(tu("BZR"), classifier(rho=0.1, maxpat=2, starts=4, lambda_ratio=0.02)),
    "covariates": Case(
        freesolv,
        regressor(rho=0.1, maxpat=4, lambda_ratio=0.005, covariates="size", covariate_penalty=0.5),
        two_numbers,
    ),
    "folds": Case(
        tu("MUTAG"),
        chosen(cv=5, average="folds", starts=1, rhos=(0.1, 1.0), maxpats=(3, 5), n_lambdas=40),
    ),
    "paper solver": Case(
        tu("BZR"),
        classifier(solver="paper", rho=0.1, maxpat=4, lambda_ratio=0.05, n_lambdas=30),
    ),
    "logistic": Case(tu("BZR"), classifier(loss="logistic", rho=0.1, maxpat=4, lambda_ratio=0.02)),
}


def record(name: str, *, min_seconds: float = MIN_SECONDS) -> dict[str, Any]:
    """Fit a case, several times if it is short, and describe the model."""
    case = CASES[name]
    graphs, y = case.load()
    extra = case.fit(graphs)
    seconds: list[float] = []
    while not seconds or (sum(seconds) < min_seconds and len(seconds) < MAX_FITS):
        estimator = case.estimator()
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            estimator.fit(graphs, y, **extra)
        seconds.append(time.process_time() - start)
    coef = np.atleast_2d(estimator.coef_)
    return {
        "cpu": min(seconds),
        "objective": getattr(estimator, "objective_", None),
        "intercepts": np.ravel(estimator.intercept_).tolist(),
        "covariate_coef": np.ravel(estimator.covariate_coef_).tolist(),
        "graphlets": [
            {**canonical(graphlet), "coef": coef[:, j].tolist()}
            for j, graphlet in enumerate(estimator.graphlets_)
        ],
    }


def canonical(graphlet: Any) -> dict[str, Any]:
    """Describe a graphlet such that the numbering of its nodes does not matter.

    Of all numberings the one with the smallest labels and edges is taken, and of those that give
    the same, which are the symmetries of the structure, the one with the smallest attributes.
    """
    n = len(graphlet.labels)
    pairs = graphlet.edges.tolist()
    edge_labels = graphlet.edge_labels or [""] * len(pairs)
    best: tuple[Any, ...] | None = None
    for order in permutations(range(n)):
        labels = [repr(graphlet.labels[v]) for v in order]
        if best is not None and labels > best[0]:
            continue
        place = {v: position for position, v in enumerate(order)}
        edges = sorted(
            (*sorted((place[u], place[v])), repr(label))
            for (u, v), label in zip(pairs, edge_labels, strict=True)
        )
        rows = [graphlet.attributes[v].tolist() for v in order]
        key = (labels, edges, np.round(rows, 6).tolist(), rows)
        if best is None or key[:3] < best[:3]:
            best = key
    assert best is not None
    return {"labels": best[0], "edges": best[1], "attributes": best[3]}


if __name__ == "__main__":
    print(json.dumps(record(sys.argv[1], min_seconds=float(sys.argv[2]))))
