"""What shards on Ray cost: CPU, wall time, bytes, rounds and memory, and how fast graphs are dealt.

``python benchmarks/bench_ray.py`` deals the molecules of HIV to eight shard files, once and twice
over, and fits a classifier to parts of them: in one piece, and on two local shards of Ray. Needs
``pip install 'aglets[ray]'``. Bytes and rounds are those between driver and workers; a worker's CPU
and peak memory are read from /proc. ``--large`` adds a million molecules.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from _common import MB, Records, arguments, cpu_seconds, peak_memory, table

from aglets import LagraClassifier, RayEngine
from aglets.cli import main as aglets
from aglets.io.shards import ShardSet, writing_shards
from aglets.training.fitting import FitCallback

FIT = {"maxpat": 4, "lambda_ratio": 0.2, "n_lambdas": 15, "calibration": None}
SIZES = (2_000, 8_000, 41_127)
COPIES = (1, 2)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--large", action="store_true", help="a million molecules, too")
    options = parser.parse_args()
    hiv = Path(os.environ.get("AGLETS_DATA", ""), "HIV", "HIV.csv")
    if not hiv.is_file():
        print("Skipped: needs HIV/HIV.csv under $AGLETS_DATA.")
        return
    records = Records("ray", options)
    copies = (*COPIES, 24) if options.large else COPIES
    for n in (1,) if options.quick else copies:
        rows = 300 if options.quick else None
        records.measure(f"deal x{n}", dealt, path=str(hiv), copies=n, rows=rows)
    sizes = (*SIZES, 10**5, 10**6) if options.large else SIZES
    for size in (100,) if options.quick else sizes:
        for engine in ("one piece", "2 shards"):
            records.measure(f"fit {size}, {engine}", fitted, path=str(hiv), n=size, engine=engine)
    write(records)


def table_of(path: str, copies: int, rows: int | None, folder: str) -> str:
    """Write the rows of a table several times."""
    with open(path) as file:
        header, *lines = file.readlines()
    target = Path(folder, "many.csv")
    with target.open("w") as file:
        file.write(header)
        for _ in range(copies):
            file.writelines(lines[:rows])
    return str(target)


def dealt(path: str, copies: int, rows: int | None) -> dict[str, Any]:
    """Run `aglets data shard`, and measure it."""
    with tempfile.TemporaryDirectory() as folder:
        source = table_of(path, copies, rows, folder)
        start, wall = cpu_seconds(), time.perf_counter()
        words = ["data", "shard", source, "--target", "HIV_active", "--shards", "8", "-q"]
        if aglets([*words, "-o", f"{folder}/shards"]):
            raise RuntimeError("aglets data shard failed")
        took = cpu_seconds() - start, time.perf_counter() - wall
        shards = ShardSet.open(f"{folder}/shards")
        size = sum(file.path.stat().st_size for file in shards.files)
        peak = peak_memory()
        return {"graphs": len(shards), "cpu": took[0], "wall": took[1], "bytes": size, "peak": peak}


class Watch(FitCallback):
    """Notes what crossed at every lambda, and what the workers used at the last one."""

    def __init__(self) -> None:
        self.crossed: list[tuple[int, int]] = []
        self.cpu = self.peak = 0.0

    def step(self, task, training_set, paths):
        part = getattr(training_set.placement, "parts", [None])[0]
        if part is None:
            return
        traffic = part.crew.traffic
        self.crossed.append((traffic.rounds, traffic.sent + traffic.received))
        used = [usage(place.pid) for place in part.crew._link._places if place is not None]
        self.cpu = sum(cpu for cpu, _ in used)
        self.peak = max(peak for _, peak in used)


def usage(pid: int) -> tuple[float, float]:
    """CPU seconds and peak bytes of a process of this machine."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    ticks = int(fields[11]) + int(fields[12])
    status = Path(f"/proc/{pid}/status").read_text()
    peak = re.search(r"VmHWM:\s+(\d+)", status)
    return ticks / os.sysconf("SC_CLK_TCK"), 1024.0 * float(peak.group(1) if peak else 0)


def fitted(path: str, n: int, engine: str) -> dict[str, Any]:
    """Fit to the first molecules of a table, dealt to eight shard files."""
    from aglets.io.files import ReadOptions
    from aglets.io.labelled import labelled_batches

    os.environ.setdefault("RAY_AUTH_MODE", "disabled")
    with tempfile.TemporaryDirectory() as folder:
        n_lines = Path(path).read_bytes().count(b"\n") - 1
        source = table_of(path, -(-n // n_lines), n, folder)
        reading = ReadOptions(target="HIV_active", errors="skip")
        with writing_shards(f"{folder}/shards", 8) as writer:
            for part in labelled_batches(source, reading):
                writer.add(part.graphs, part.y)
        shards = ShardSet.open(f"{folder}/shards")
        watch, ray_engine = Watch(), None if engine == "one piece" else RayEngine(2)
        start, wall = time.process_time(), time.perf_counter()
        model = LagraClassifier(engine=ray_engine, **FIT).fit(shards, callback=watch)
        driver = time.process_time() - start
        lambdas = np.diff(np.array(watch.crossed or [(0, 0)]), axis=0)
        rounds, crossed = lambdas.mean(axis=0) if len(lambdas) else (0.0, 0.0)
        return {
            "graphs": len(shards),
            "graphlets": len(model.graphlets_),
            "objective": model.objective_,
            "wall": time.perf_counter() - wall,
            "cpu_driver": driver,
            "cpu_workers": watch.cpu,
            "peak_driver": peak_memory(),
            "peak_worker": watch.peak,
            "rounds": float(rounds),
            "bytes": float(crossed),
        }


def write(records: Records) -> None:
    deals, fits = [], []
    for case, one in records.records.items():
        if case.startswith("deal"):
            rate = f"{one['graphs'] / one['cpu']:.0f}"
            per_graph = f"{one['bytes'] / one['graphs']:.0f}"
            cells = [f"{one['cpu']:.1f}", f"{one['wall']:.1f}", rate, f"{one['peak'] / MB:.0f}"]
            deals.append([one["graphs"], *cells, per_graph])
        else:
            fits.append(
                [
                    *(one["graphs"], case.split(", ")[1], one["graphlets"]),
                    *(f"{one['objective']:.9g}", f"{one['wall']:.1f}", f"{one['cpu_driver']:.1f}"),
                    *(f"{one['cpu_workers']:.1f}", f"{one['peak_driver'] / MB:.0f}"),
                    *(f"{one['peak_worker'] / MB:.0f}", f"{one['rounds']:.0f}"),
                    f"{one['bytes'] / 1e3:.0f}",
                ]
            )
    head = ["graphs", "graphs in", "graphlets", "objective", "wall s", "CPU s driver"]
    head += ["CPU s workers", "peak MB driver", "peak MB worker", "rounds per lambda"]
    records.write(
        "Shards on Ray",
        "Dealing SMILES to eight shard files, one process:",
        table(["graphs", "CPU s", "wall s", "per CPU s", "peak MB", "bytes per graph"], deals),
        f"Fitting HIV with {FIT}, from shard files:",
        table([*head, "kB per lambda"], fits),
    )


if __name__ == "__main__":
    main()
