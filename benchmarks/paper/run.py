"""Run methods on data sets and seeds: ``python -m paper.run --methods wl-svm --sets BZR``.

Rows of LAGRA that ``accuracy.run`` makes (`shared`) are left to it on the paper's sets, unless the
records go to a folder of their own.

What is on record already is passed over, so a run that was ended goes on where it stopped. Each
(method, set) works in a fresh process; a seed that takes more CPU seconds than allowed is recorded
as capped.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from _common import cpu_seconds

from aglets import GraphSet

from .protocol import RESULTS, SETS, Method, Ready, Records, Split, outcome, write_splits
from .sets import load_set
from .shared import ROWS as SHARED
from .shared import made_there

#: Where the methods are, and how many seeds are run if none are named.
FAMILIES: dict[str, tuple[str, int]] = {
    "lagra-paper": ("lagra", 5),
    "lagra-paper-5": ("lagra", 20),
    "lagra-default": ("lagra", 20),
    "lagra-greedy": ("lagra", 20),
    "lagra-best": ("lagra", 20),
    "lagra-fixed": ("lagra", 5),
    "lagra-one-start": ("lagra", 20),
    "lagra-raw": ("lagra", 5),
    "majority": ("small", 20),
    "size": ("small", 20),
    "label-counts": ("small", 20),
    "statistics-forest": ("small", 20),
    "statistics-ebm": ("small", 20),
    "wl-svm": ("small", 20),
    "wl-oa-svm": ("small", 20),
    "gh-knn": ("kernels", 20),
    "gh-knn-stock": ("kernels", 5),
    "gh-svm": ("kernels", 20),
    "ml-knn": ("kernels", 20),
    "ml-svm": ("kernels", 20),
    "pa-knn": ("kernels", 20),
    "pa-svm": ("kernels", 20),
    "gcn": ("gnns", 5),
    "gat": ("gnns", 5),
    "gin": ("gnns", 5),
    "dgcnn": ("gnns", 5),
}

#: Exit codes of a process that used more CPU seconds than allowed: for what all seeds share, or for
#: one seed.
CAPPED_BEFORE, CAPPED_WITHIN = 101, 102


def main() -> None:
    options = arguments().parse_args()
    use_one_thread()
    records = Records(options.to)
    run = records.begin_run(command())
    jobs = [(method, name) for name in options.sets for method in options.methods]
    for method, name in jobs:
        if made_there(options.to, method, name):
            print(f"{method} on {name}: left to python -m accuracy.run --rows {SHARED[method]}")
    jobs = [job for job in jobs if not made_there(options.to, *job)]
    with ThreadPoolExecutor(options.jobs) as pool:
        failed = list(pool.map(lambda job: finish(records, run, *job, options), jobs))
    if any(failed):
        sys.exit("Failed: " + ", ".join(filter(None, failed)))


def use_one_thread() -> None:
    """Let CPU seconds compare, and keep processes from crowding each other out."""
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"


def command() -> str:
    """Say how this program was called, but for the folder it writes to."""
    words = sys.argv[1:]
    if "--to" in words:
        at = words.index("--to")
        words = words[:at] + words[at + 2 :]
    return " ".join([f"python -m paper.{Path(sys.argv[0]).stem}", *words])


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", default=list(FAMILIES), choices=list(FAMILIES))
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--seeds", type=int, help="use seeds 0 to this less one")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--max-seconds", type=int, default=3600, help="CPU seconds for one seed")
    parser.add_argument("--quick", action="store_true", help="2 seeds, few epochs, small grids")
    parser.add_argument("--to", type=Path, default=RESULTS, help="the folder of the records")
    return parser


def finish(records: Records, run: str, method: str, name: str, options: argparse.Namespace) -> str:
    """Bring one method on one set to its number of seeds; name the two if they failed."""
    seeds = range(options.seeds or (2 if options.quick else FAMILIES[method][1]))

    def missing() -> list[int]:
        done = records.of(method)
        return [seed for seed in seeds if (name, seed) not in done]

    while left := missing():
        print(f"{method} on {name}: {len(left)} seeds to go", flush=True)
        process = get_context("spawn").Process(
            target=work,
            args=(records, run, method, name, left, options.max_seconds, options.quick),
        )
        process.start()
        process.join()
        capped = {CAPPED_BEFORE: missing(), CAPPED_WITHIN: missing()[:1], 0: []}
        if process.exitcode not in capped:
            return f"{method} on {name}"
        for seed in capped[process.exitcode]:
            what = {"method": method, "set": name, "seed": seed, "run": run}
            records.add({**what, "capped": options.max_seconds})
    return ""


def work(
    records: Records, run: str, method: str, name: str, seeds: list[int], most: int, quick: bool
) -> None:
    """Write a record for each seed."""
    warnings.simplefilter("ignore")
    graphs, y = load_set(name)
    write_splits(records.folder / "splits", name, y, range(max(20, max(seeds) + 1)))
    prepare = method_named(method, quick)
    watchdog = Watchdog(most)
    ready, shared = made_ready(prepare, graphs, y)
    what = {"method": method, "set": name, "run": run, **shared}
    for seed in seeds:
        watchdog.begin(CAPPED_WITHIN)
        records.add({**what, "seed": seed, **outcome(ready, y, Split.of(y, seed))})


def made_ready(prepare: Method, graphs: GraphSet, y: np.ndarray) -> tuple[Ready, dict[str, Any]]:
    """Do what all splits share, and return what it cost."""
    start = cpu_seconds()
    ready = prepare(graphs, y)
    cpu = cpu_seconds() - start if ready.cpu_shared is None else ready.cpu_shared
    cost: dict[str, Any] = {"cpu_shared": round(cpu, 4)}
    if ready.extrapolated:
        cost["extrapolated"] = True
    return ready, cost


class Watchdog(threading.Thread):
    """Ends this process when it has used more CPU seconds than allowed since `begin`.

    Not the limit of the operating system: under it Linux reports CPU time in coarse steps.
    """

    def __init__(self, most: int) -> None:
        super().__init__(daemon=True)
        self.most = most
        self.begin(CAPPED_BEFORE)
        self.start()

    def begin(self, code: int) -> None:
        """Count from now on, and end with this exit code."""
        self.base, self.code = cpu_seconds(), code

    def run(self) -> None:
        """Look once a second."""
        while cpu_seconds() - self.base <= self.most:
            time.sleep(1)
        os._exit(self.code)


def method_named(method: str, quick: bool) -> Method:
    """Import a method, or its quick form if it has one."""
    module = importlib.import_module(f".{FAMILIES[method][0]}", __package__)
    small = getattr(module, "QUICK", {}) if quick else {}
    return small.get(method, module.METHODS[method])


if __name__ == "__main__":
    main()
