"""Fits under one budget of work: asking for larger graphlets never gives less.

PROTEINS and SYNTHETIC are fitted with maxpat 4, 5, 6, 8 and 10, all under the same ``max_work``, a
hundredth of the default. The size that is reached must not fall as maxpat grows, nor may the
objective rise: it is compared at one lambda, because lambda_max differs between sizes. Then some of
the fits are repeated next to four processes that keep the machine busy: the file of the model must
have the same bytes.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from _common import Records, arguments, cpu_seconds, load, skip_without_data, table

from aglets import LagraClassifier

SETS = ("PROTEINS", "SYNTHETIC")
MAXPATS = (4, 5, 6, 8, 10)
#: Which of them are repeated on a busy machine.
BUSY = (4, 10)
N_BUSY = 4
MAX_WORK = 15 * 10**7
#: Objectives that differ by less than this part are the same: a lambda ends at tol=1e-4.
TOLERANCE = 1e-3


def main() -> int:
    options = arguments(__doc__).parse_args()
    skip_without_data(*SETS)
    work, n_busy = (MAX_WORK // 10000, 1) if options.quick else (MAX_WORK, N_BUSY)
    sets = SETS[:1] if options.quick else SETS
    records = Records("budgets", options)
    for name in sets:
        for maxpat in MAXPATS:
            for n in (0, n_busy) if maxpat in BUSY else (0,):
                case = f"{name} {maxpat}" + (" busy" if n else "")
                records.measure(case, fit, name=name, maxpat=maxpat, max_work=work, n_busy=n)
    faults = [fault for name in sets for fault in check(records.records, name)]
    write(records, sets, work, faults)
    return int(bool(faults))


def fit(name: str, maxpat: int, max_work: int, n_busy: int) -> dict[str, Any]:
    graphs, y = load(name)
    model = LagraClassifier(
        rho=0.3 / graphs.n_attributes,
        maxpat=maxpat,
        lambda_ratio=0.05,
        n_lambdas=30,
        max_work=max_work,
        n_jobs=2,
    )
    start = cpu_seconds()
    with warnings.catch_warnings(), busy_machine(n_busy):
        warnings.simplefilter("ignore", RuntimeWarning)
        model.fit(graphs, y)
        seconds = cpu_seconds() - start
    search = model.model_.search
    return {
        "reached": search.maxpat_reached,
        "lambda_ratio": search.lambda_ratio_reached,
        "work": search.work,
        "cpu": seconds,
        "graphlets": len(model.graphlets_),
        "lambdas": model.lambdas_,
        "objectives": [point.objective for point in model.path_],
        "bytes": digest(model),
    }


def digest(model: Any) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.aglets")
        model.save(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()


@contextmanager
def busy_machine(n: int) -> Iterator[None]:
    """Keep so many processes running in circles."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def objective_at(one: dict[str, Any], lam: float) -> float:
    """Interpolate the objective along a path."""
    return float(np.interp(np.log(lam), np.log(one["lambdas"][::-1]), one["objectives"][::-1]))


def common_lambda(records: dict[str, Any], name: str) -> float:
    """Return the smallest lambda that all paths of a set reached."""
    return max(records[f"{name} {maxpat}"]["lambdas"][-1] for maxpat in MAXPATS)


def check(records: dict[str, Any], name: str) -> list[str]:
    """List where a larger request gave less, or a busy machine something else."""
    faults = []
    lam = common_lambda(records, name)
    ordered = [records[f"{name} {maxpat}"] for maxpat in MAXPATS]
    for less, more, maxpat in zip(ordered, ordered[1:], MAXPATS[1:], strict=False):
        if more["reached"] < less["reached"]:
            faults.append(f"{name}, maxpat {maxpat}: reached {more['reached']} nodes only")
        if objective_at(more, lam) > (1.0 + TOLERANCE) * objective_at(less, lam):
            faults.append(f"{name}, maxpat {maxpat}: a worse objective")
    for maxpat in BUSY:
        if records[f"{name} {maxpat}"]["bytes"] != records[f"{name} {maxpat} busy"]["bytes"]:
            faults.append(f"{name}, maxpat {maxpat}: other bytes on a busy machine")
    return faults


def write(records: Records, sets: tuple[str, ...], work: int, faults: list[str]) -> None:
    rows = []
    for name in sets:
        lam = common_lambda(records.records, name)
        for maxpat in MAXPATS:
            one = records.records[f"{name} {maxpat}"]
            busy = records.records.get(f"{name} {maxpat} busy")
            same = "" if busy is None else "same" if busy["bytes"] == one["bytes"] else "OTHER"
            rows.append(
                [
                    *(name, maxpat, one["reached"], f"{one['lambda_ratio']:.3g}"),
                    *(f"{objective_at(one, lam):.4f}", one["graphlets"]),
                    *(f"{one['work'] / 1e6:.1f}", f"{one['cpu']:.1f}", same),
                ]
            )
    head = ["set", "maxpat asked", "reached", "of lambda_max", "objective", "graphlets"]
    head += ["million units on the path", "CPU s", f"bytes next to {N_BUSY} busy processes"]
    records.write(
        "Larger requests under one budget",
        f"`max_work={work}`, 30 lambdas to 0.05 lambda_max, rho = 0.3 / number of attributes, two "
        "threads. The objective is that at the smallest lambda that all fits of a set reached.",
        table(head, rows),
        "\n".join(f"- {fault}" for fault in faults)
        if faults
        else "No larger request reached less, or had a larger objective; all bytes are the same.",
    )


if __name__ == "__main__":
    sys.exit(main())
