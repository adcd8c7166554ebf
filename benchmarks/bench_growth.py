"""How the cost of a fit grows with the number of graphs: molecules of HIV, and generated graphs.

``--python OTHER/.venv/bin/python`` fits every set with the code that the other interpreter has
installed, too, right before this one's: before and after in one run. Every fit is a fresh process.
``--before-up-to N`` leaves larger sets to the new code. The default ``max_work`` is five minutes of
searching; sets of a million graphs are fitted with ``max_work=None``.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from _common import MB, Records, arguments, peak_memory, table

from aglets import GraphSet, LagraClassifier
from aglets.io.files import ReadOptions, read_file

HIV = (1000, 5000, 20000, 41127)
GENERATED = (10_000, 100_000, 1_000_000)
#: Making graphs takes longer than fitting them, so that large sets have copies of so many.
DISTINCT = 20_000
RATIOS = (0.1, 0.01)
#: From so many graphs on, searching for patterns of five nodes takes more than the default allows.
UNLIMITED_FROM = 1_000_000


def main() -> None:
    if len(sys.argv) > 1 and sys.argv[1] == "fit":
        print(json.dumps(fit(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))))
        return
    parser = arguments(__doc__)
    parser.add_argument("--python", metavar="PATH", help="interpreter with the old code installed")
    parser.add_argument("--before-up-to", type=int, default=10**9, metavar="N")
    parser.add_argument("--hiv", nargs="*", type=int, default=HIV, help="numbers of molecules")
    parser.add_argument("--generated", nargs="*", type=int, default=GENERATED)
    parser.add_argument("--ratios", nargs="+", type=float, default=RATIOS)
    options = parser.parse_args()
    hiv, generated, ratios = options.hiv, options.generated, options.ratios
    if options.quick:
        hiv, generated, ratios = (), (20, 40), (0.5,)
    if hiv and not Path(os.environ.get("AGLETS_DATA", "."), "HIV").is_dir():
        print("Skipped: AGLETS_DATA names no folder that holds HIV.")
        return
    codes = {"before": options.python} if options.python else {}
    codes["after"] = sys.executable
    records = Records("growth", options)
    cases = [("HIV", number, ratio) for ratio, number in product(ratios, hiv)]
    cases += [("generated", number, ratios[0]) for number in generated]
    for (kind, number, ratio), (code, python) in product(cases, codes.items()):
        if code == "before" and number > options.before_up_to:
            continue
        records.measure(
            f"{kind} {number}, ratio {ratio}, {code}",
            elsewhere,
            python=python,
            kind=kind,
            number=number,
            ratio=ratio,
        )
    write(records, cases, list(codes))


def elsewhere(python: str, kind: str, number: int, ratio: float) -> dict[str, Any]:
    """Fit with the code that an interpreter has installed."""
    command = [python, __file__, "fit", kind, str(number), str(ratio)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def fit(kind: str, number: int, ratio: float) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "HIV":
            graphs, y = molecules(number)
        else:
            graphs, y = generated(number)
        model = LagraClassifier(lambda_ratio=ratio, random_state=0)
        if number >= UNLIMITED_FROM:
            model.set_params(max_work=None)
        start = time.process_time()
        model.fit(graphs, y)
    return {
        "graphs": len(graphs),
        "cpu": time.process_time() - start,
        "peak": peak_memory(),
        "graphlets": len(model.graphlets_),
        "maxpat": int(model.maxpat_),
        "objective": float(model.objective_),
    }


def generated(number: int) -> tuple[GraphSet, np.ndarray]:
    """Make so many graphs; beyond `DISTINCT` they repeat, with attributes of their own."""
    from bench_scaling import make_molecules

    rng = np.random.default_rng(0)
    graphs, y = make_molecules(min(number, DISTINCT), rng)
    rows = np.arange(number) % len(graphs)
    graphs = graphs[rows]
    noise = rng.normal(scale=0.3, size=graphs.attributes.shape)
    return graphs.with_attributes(graphs.attributes + noise), y[rows]


def molecules(number: int) -> tuple[GraphSet, np.ndarray]:
    """Read so many molecules of HIV, drawn at random, and whether they are active."""
    with open(Path(os.environ["AGLETS_DATA"], "HIV", "HIV.csv"), newline="") as file:
        head, *rows = csv.reader(file)
    drawn = np.random.default_rng(0).permutation(len(rows))[:number]
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as part:
        csv.writer(part).writerows([head, *(rows[i] for i in drawn)])
        part.flush()
        options = ReadOptions(target="HIV_active", smiles="smiles", errors="skip")
        return read_file(part.name, options)


def write(records: Records, cases: list[tuple[str, int, float]], codes: list[str]) -> None:
    rows, slopes = [], []
    for kind, number, ratio in cases:
        found = found_of(records, (kind, number, ratio), codes)
        new = found[-1]
        rows.append(
            [
                *(kind, new["graphs"], ratio, " → ".join(str(one["graphlets"]) for one in found)),
                " → ".join(f"{one['cpu']:.1f}" for one in found),
                f"{1000 * new['cpu'] / new['graphs']:.2f}",
                f"{1e6 * new['cpu'] / new['graphs'] / max(new['graphlets'], 1):.0f}",
                " → ".join(f"{one['peak'] / MB:.0f}" for one in found),
            ]
        )
    for kind, ratio in dict.fromkeys((kind, ratio) for kind, _, ratio in cases):
        numbers = [number for one, number, own in cases if (one, own) == (kind, ratio)]
        for code in codes:
            own = [one for n in numbers for one in found_of(records, (kind, n, ratio), [code])]
            if len(own) < 2:
                continue
            sizes = [one["graphs"] for one in own]
            seconds = np.array([one["cpu"] for one in own])
            each = seconds / [max(one["graphlets"], 1) for one in own]
            name = f"{kind}, ratio {ratio}, {code}, {sizes[0]} to {sizes[-1]} graphs"
            slopes.append([name, slope(sizes, seconds), slope(sizes, each)])
    head = ["set", "graphs", "ratio", "graphlets", "CPU s", "ms per graph"]
    head += ["us per graph and graphlet", "peak MB"]
    records.write(
        "Growth with the number of graphs",
        "`LagraClassifier(lambda_ratio=...)`, else defaults, one thread; from a million graphs on "
        "`max_work=None`. " + " → ".join(codes) + ". Peak memory includes reading the graphs.",
        table(head, rows),
        "CPU seconds, and CPU seconds per graphlet, grow like the number of graphs to the power:",
        table(["set", "all", "per graphlet"], slopes),
    )


def found_of(
    records: Records, case: tuple[str, int, float], codes: list[str]
) -> list[dict[str, Any]]:
    """Return the records of a case that were measured."""
    kind, number, ratio = case
    names = [f"{kind} {number}, ratio {ratio}, {code}" for code in codes]
    return [records.records[name] for name in names if name in records.records]


def slope(numbers: list[int], seconds: np.ndarray) -> str:
    return f"{float(np.polyfit(np.log(numbers), np.log(seconds), 1)[0]):.2f}"


if __name__ == "__main__":
    main()
