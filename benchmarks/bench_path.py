"""Whole paths of 100 lambdas: both solvers, a grid on one tree, and sets that are hard to mine.

Part 1 walks paths on one training set with `solver="fast"` (tol 1e-3) and with the paper's
Algorithm 1 (tol 1e-4). Part 2 walks the grid of 5 rhos and 2 maxpats with everything shared, and
the same ten paths each on its own. Part 3 fits sets with very many patterns under the default
budgets.
"""

from __future__ import annotations

import time
import warnings
from itertools import product
from statistics import median
from typing import Any

import numpy as np
from _common import (
    MB,
    Records,
    arguments,
    cpu_seconds,
    forget_peak,
    load,
    memory,
    peak_memory,
    skip_without_data,
    split,
    table,
)

from aglets import LagraClassifier, mining
from aglets.model.losses import SquaredHinge
from aglets.model.outputs import Outputs
from aglets.training.engine import Goal, LocalPlacement
from aglets.training.fitting import Settings, learn_input_spec
from aglets.training.grid_walks import evaluate_folds
from aglets.training.optim.state import Problem
from aglets.training.path import Schedule, lagra_path
from aglets.training.sample import Sample
from aglets.training.selection import Grid

SETS = ("BZR", "AIDS")
MAXPATS = (5, 10)
RHOS = (0.5, 0.1, 0.01)
GRID_RHOS = (1.0, 0.5, 0.1, 0.05, 0.01)
TOL = {"fast": 1e-3, "paper": 1e-4}
HARD = ("ENZYMES", "SYNTHETIC", "PROTEINS")
HARD_RHOS = (1.0, 0.1, 0.01)
HARD_SECONDS = 3600


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument(
        "--paper-seconds", type=float, default=300.0, help="CPU seconds after which a path is cut"
    )
    parser.add_argument("--hard", nargs="*", default=list(HARD), choices=HARD, help="hard sets")
    options = parser.parse_args()
    quick = options.quick
    sets, maxpats = (SETS[:1], MAXPATS[:1]) if quick else (SETS, MAXPATS)
    skip_without_data(*sets, *(() if quick else options.hard))
    records = Records("path", options)
    paths = list(product(sets, maxpats, RHOS[:1] if quick else RHOS))
    for name, maxpat, rho in paths:
        for solver in TOL:
            records.measure(
                f"{name}, maxpat {maxpat}, rho {rho}, {solver}",
                walk,
                name=name,
                maxpat=maxpat,
                rho=rho,
                solver=solver,
                n_lambdas=5 if quick else 100,
                cut=options.paper_seconds,
            )
    grids = list(sets)
    for name in grids:
        for shared in (True, False):
            records.measure(
                f"grid {name}, {'shared' if shared else 'alone'}",
                walk_grid,
                name=name,
                shared=shared,
                maxpats=maxpats,
                n_lambdas=5 if quick else 100,
            )
    for name, rho in [] if quick else product(options.hard, HARD_RHOS):
        records.measure(
            f"{name}, maxpat 10, rho {rho}", fit, max_seconds=HARD_SECONDS, name=name, rho=rho
        )
    hard = [
        (name, rho)
        for name, rho in product(HARD, HARD_RHOS)
        if f"{name}, maxpat 10, rho {rho}" in records.records
    ]
    write(records, paths, grids, hard)


def walk(
    name: str, maxpat: int, rho: float, solver: str, n_lambdas: int, cut: float
) -> dict[str, Any]:
    """Walk one path on raw attributes, as the paper does, without validation."""
    graphs, y = load(name)
    train, _, _ = split(y, 0)
    graphs, y = graphs[train], y[train]
    graphs.core  # noqa: B018 - not a part of the path
    forget_peak()
    loaded, start = memory(), cpu_seconds()
    tree = mining.Tree(graphs, maxpat=maxpat)
    weight = np.ones(len(graphs))
    placement = LocalPlacement(Sample(graphs, np.array([y], dtype=float), weight, weight), tree)
    problem = Problem.of(placement, Goal(SquaredHinge(), rho, maxpat))
    path = lagra_path(problem, Schedule(solver=solver, n_lambdas=n_lambdas, tol=TOL[solver]))
    seconds, points = [], []
    for point in path:
        points.append(point)
        seconds.append(cpu_seconds() - start)
        if seconds[-1] > cut:
            break
    return {
        "n_lambdas": n_lambdas,
        "objectives": [point.objective for point in points],
        "cpu": seconds,
        "visited": sum(point.n_visited for point in points),
        "visited_per_search": max(point.n_visited / max(point.n_searches, 1) for point in points),
        "tree_nodes": tree.n_nodes,
        "working_set": max(point.working_set_size for point in points),
        "nonzero": points[-1].n_nonzero,
        "added": peak_memory() - loaded,
        "peak": peak_memory(),
    }


def walk_grid(name: str, shared: bool, maxpats: tuple[int, ...], n_lambdas: int) -> dict[str, Any]:
    """Walk a grid of paths with validation: together, or each with its own tree and tables."""
    graphs, y = load(name)
    train, validation, _ = split(y, 0)
    ones = np.ones(len(y))
    sample = Sample(graphs, y[None, :].astype(float), ones, ones)
    settings = Settings(
        outputs=Outputs.of_classes([-1, 1]),
        scale="none",
        solver="fast",
        learn_attributes=True,
        n_lambdas=n_lambdas,
        lambda_min_ratio=0.01,
        max_epochs=100,
        patience=5,
        tol=TOL["fast"],
    )
    grid = Grid(GRID_RHOS, {1: maxpats})
    grids = [grid] if shared else [Grid((c.rho,), {1: (c.maxpat,)}) for c in grid.cells]
    spec = learn_input_spec(sample[train], settings)
    forget_peak()
    loaded, start = memory(), cpu_seconds()
    losses = [
        evaluate_folds(
            [(sample[train], sample[validation])],
            one,
            settings,
            input_spec=spec,
            by_score=False,
            n_jobs=1,
        )[0].loss.ravel()
        for one in grids
    ]
    return {
        "cpu": cpu_seconds() - start,
        "added": peak_memory() - loaded,
        "best_loss": float(np.concatenate(losses).min()),
    }


def fit(name: str, rho: float) -> dict[str, Any]:
    """Fit a path with the defaults of the estimator, maxpat 10; report a budget that runs out."""
    graphs, y = load(name)
    train, _, _ = split(y, 0)
    model = LagraClassifier(maxpat=10, rho=rho, lambda_ratio=0.01)
    start, wall = cpu_seconds(), time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(graphs[train], y[train])
    cut = any("Went on" in str(warning.message) for warning in caught)
    return {
        "cpu": cpu_seconds() - start,
        "wall": time.perf_counter() - wall,
        "peak": peak_memory(),
        "maxpat": model.maxpat_,
        "lambdas": len(model.path_),
        "reached": model.path_[-1].lam / model.lambda_max_,
        "nonzero": model.path_[-1].n_nonzero,
        "budget": "ran out" if cut else "held",
    }


def write(records: Records, paths: list, grids: list[str], hard: list) -> None:
    compared, solvers = compare_solvers(records.records, paths)
    records.write(
        "Paths",
        "## Fast against paper\n\nCPU seconds for 100 lambdas from lambda_max to 0.01 lambda_max "
        "on 60 % of the graphs, raw attributes, no validation; `fast` stops at tol 1e-3, `paper` "
        "(Algorithm 1) at 1e-4, both after 100 epochs per lambda. Objective: sum over the path, "
        "`fast` as part of `paper`. A `paper` path that was cut (marked with the lambdas it "
        "reached) is compared on those lambdas.",
        compared,
        solvers_verdict(solvers),
        "## What a path takes\n\nVisited: tree nodes, in all searches of the path together and in "
        "the largest mean of one lambda per search. MB: added to the loaded graphs.",
        sizes(records.records, paths),
        "## A grid on one tree\n\n5 rhos and 2 maxpats with validation: tree, tables of embeddings "
        "and validation tables shared, against ten paths each with its own. CPU seconds. Target: "
        "at most 80 %.",
        shared_grids(records.records, grids),
        *([] if not hard else [hard_sets(records.records, hard)]),
    )


def compare_solvers(found: dict, paths: list) -> tuple[str, list[tuple[float, float]]]:
    rows, pairs = [], []
    for name, maxpat, rho in paths:
        fast, paper = (found[f"{name}, maxpat {maxpat}, rho {rho}, {solver}"] for solver in TOL)
        k = len(paper["objectives"])
        ratio = paper["cpu"][k - 1] / fast["cpu"][k - 1]
        objective = sum(fast["objectives"][:k]) / sum(paper["objectives"])
        pairs.append((ratio, objective))
        cut = "" if k == paper["n_lambdas"] else f" ({k} lambdas)"
        rows.append(
            [
                f"{name} {maxpat} {rho}",
                *(f"{fast['cpu'][-1]:.2f}", f"{paper['cpu'][-1]:.1f}{cut}", f"{ratio:.0f}"),
                *(f"{sum(fast['objectives']):.0f}", f"{objective:.3f}"),
            ]
        )
    head = ["set, maxpat, rho", "fast s", "paper s", "times less", "fast objective", "of paper's"]
    return table(head, rows), pairs


def solvers_verdict(pairs: list[tuple[float, float]]) -> str:
    ratios = [ratio for ratio, _ in pairs]
    worse = sum(objective > 1.02 for _, objective in pairs)
    verdict = "met" if median(ratios) >= 10 and not worse else "missed"
    return (
        "Target: at least 10 times less CPU in the median, objective at most 2 % above the "
        f"paper's; {verdict}: median {median(ratios):.0f} times ({min(ratios):.0f} to "
        f"{max(ratios):.0f}), objective {min(o for _, o in pairs):.3f} to "
        f"{max(o for _, o in pairs):.3f} of the paper's, above 1.02 in {worse} of {len(pairs)}."
    )


def sizes(found: dict, paths: list) -> str:
    rows = []
    for (name, maxpat, rho), solver in product(paths, TOL):
        one = found[f"{name}, maxpat {maxpat}, rho {rho}, {solver}"]
        rows.append(
            [
                f"{name} {maxpat} {rho} {solver}",
                *(one["visited"], round(one["visited_per_search"]), one["tree_nodes"]),
                *(one["working_set"], one["nonzero"], f"{one['added'] / MB:.0f}"),
            ]
        )
    head = [
        "path",
        "visited",
        "per search",
        "tree nodes",
        "largest W",
        "graphlets at the end",
        "MB",
    ]
    return table(head, rows)


def shared_grids(found: dict, grids: list[str]) -> str:
    rows = []
    for name in grids:
        shared, alone = (found[f"grid {name}, {how}"] for how in ("shared", "alone"))
        rows.append(
            [
                *(name, f"{shared['cpu']:.2f}", f"{alone['cpu']:.2f}"),
                f"{100 * shared['cpu'] / alone['cpu']:.0f} %",
                f"{shared['added'] / MB:.0f}",
            ]
        )
    return table(["set", "shared s", "alone s", "part", "MB"], rows)


def hard_sets(found: dict, hard: list) -> str:
    rows = []
    for name, rho in hard:
        one = found[f"{name}, maxpat 10, rho {rho}"]
        if "ended" in one:
            rows.append([f"{name} {rho}", *"-----", f"ended {one['ended']}"])
            continue
        rows.append(
            [
                *(f"{name} {rho}", f"{one['cpu']:.1f}", f"{one['peak'] / MB:.0f}", one["maxpat"]),
                *(f"{one['reached']:.3g}", one["nonzero"], one["budget"]),
            ]
        )
    head = [
        *("set, rho", "CPU s", "MB in all", "maxpat", "lambda / lambda_max reached", "graphlets"),
        "budget",
    ]
    return (
        "## Hard sets\n\n`LagraClassifier(maxpat=10, lambda_ratio=0.01)`, everything else at its "
        "default: standardised attributes, max_bytes 2 GiB, max_seconds 300 for all searches of a "
        "path. Where the search cannot afford maxpat 10, the path goes on with smaller graphlets; "
        "maxpat is what was left of it at the end. Target: at most 4 GB.\n\n" + table(head, rows)
    )


if __name__ == "__main__":
    main()
