"""Jobs side by side: default cross-validated fits with one process and with several.

Wall time on an idle machine, and where the machine is busy the balance: CPU seconds of all
processes, divided by those of the longest chain, which is this process and then the busiest of the
others. Models must be the same to the last bit for any number of jobs.
"""

from __future__ import annotations

import hashlib
import os
import time
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from _common import Records, arguments, load, skip_without_data, table
from joblib.externals.loky import get_reusable_executor

from aglets import GraphSet, LagraClassifierCV
from aglets.io.files import ReadOptions, read_file

SETS = ("AIDS", "BBBP", "PROTEINS")
JOBS = (1, 2, 3)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS, help="only these")
    parser.add_argument("--jobs", nargs="+", type=int, default=JOBS, help="numbers of jobs")
    options = parser.parse_args()
    skip_without_data("AIDS", "PROTEINS")
    sets = options.sets[:1] if options.quick else options.sets
    jobs = options.jobs[:2] if options.quick else options.jobs
    records = Records("jobs", options)
    for name, n_jobs in product(sets, jobs):
        key = f"{name}, {n_jobs} jobs"
        records.measure(key, fit, name=name, n_jobs=n_jobs, quick=options.quick)
    write(records, sets, jobs)


def fit(name: str, n_jobs: int, quick: bool) -> dict[str, Any]:
    graphs, y = molecules() if name == "BBBP" else load(name, whole=True)
    if quick:
        graphs, y = graphs[::20], y[::20]
    parameters = {"n_lambdas": 5, "max_epochs": 3} if quick else {}
    model = LagraClassifierCV(n_jobs=n_jobs, random_state=0, **parameters)
    load_before = os.getloadavg()[0]
    start, wall = time.process_time(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(graphs, y)
    own = time.process_time() - start
    wall = time.perf_counter() - wall
    others = cpu_of_children()
    chain = own + max(others, default=0.0)
    # Idle workers would keep this process, which is a child itself, for five minutes.
    get_reusable_executor().shutdown(wait=True)
    return {
        "graphs": len(graphs),
        "wall": wall,
        "cpu": own + sum(others),
        "balance": (own + sum(others)) / chain,
        "load": load_before,
        "graphlets": len(model.graphlets_),
        "bytes": digest(model),
    }


def molecules() -> tuple[GraphSet, np.ndarray]:
    folder = Path(os.environ.get("AGLETS_DATA", "."), "BBBP")
    options = ReadOptions(target="BBBP", smiles="smiles", errors="skip")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_file(folder / "BBBP.csv", options)


def cpu_of_children() -> list[float]:
    """CPU seconds of every process that this one started and that is still there."""
    tick, found = os.sysconf("SC_CLK_TCK"), []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[1]) == os.getpid():
            found.append((int(fields[11]) + int(fields[12])) / tick)
    return found


def digest(model: LagraClassifierCV) -> str:
    parts = [np.asarray(model.coef_), np.asarray(model.intercept_)]
    parts += [graphlet.attributes for graphlet in model.graphlets_]
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:12]


def write(records: Records, sets: tuple[str, ...], jobs: tuple[int, ...]) -> None:
    rows, same = [], True
    for name in sets:
        found = [records.records[f"{name}, {n_jobs} jobs"] for n_jobs in jobs]
        same = same and len({one["bytes"] for one in found}) == 1
        for n_jobs, one in zip(jobs, found, strict=True):
            rows.append(
                [
                    *(name, one["graphs"], n_jobs, f"{one['wall']:.1f}", f"{one['cpu']:.1f}"),
                    *(f"{found[0]['wall'] / one['wall']:.2f}", f"{one['balance']:.2f}"),
                    *(f"{one['load']:.1f}", one["graphlets"], one["bytes"]),
                ]
            )
    head = ["set", "graphs", "jobs", "wall s", "CPU s", "times sooner", "balance", "load before"]
    records.write(
        "Jobs side by side",
        "`LagraClassifierCV(n_jobs=..., random_state=0)`, else defaults. Balance is the CPU time "
        "of all processes over that of the longest chain of work: what the wall time would gain "
        "on an idle machine. The load of the machine before each fit is noted.",
        table([*head, "graphlets", "model"], rows),
        "The models are the same to the last bit." if same else "MODELS DIFFER.",
    )


if __name__ == "__main__":
    main()
