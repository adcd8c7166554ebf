"""How long it takes to read a molecule, compared with RDKit's parsing and with another checkout.

Microseconds of CPU per molecule of BBBP and of HIV: RDKit's `MolFromSmiles` alone, and
`GraphSet.from_smiles` with the features of earlier versions (elements; Gasteiger charge, number of
hydrogens, degree, ring) and with the defaults. With ``--before FOLDER``, the same with the package
of another checkout that is built there. All of one set are measured in turns, the fastest of
several rounds counts: a busy machine disturbs all alike. A molecule is refused if RDKit reads it
and `GraphSet.from_smiles` does not.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from _common import Records, arguments, table

SETS = {"BBBP": "BBBP/BBBP.csv", "HIV": "HIV/HIV.csv"}
#: Sets of which all molecules are read once, to see whether any is refused.
WHOLE = {**SETS, "Tox21": "Tox21/tox21.csv"}
EARLIER = {
    "label_with": [],
    "attributes": ["gasteiger_charge", "n_hydrogens", "degree", "in_ring"],
}
CODE = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
smiles, features, jobs = json.load(sys.stdin)
from aglets import GraphSet
more = {} if jobs == 1 else {"n_jobs": jobs}
GraphSet.from_smiles(smiles[:50], errors="skip", **features)
cpu, wall = time.process_time(), time.perf_counter()
GraphSet.from_smiles(smiles, errors="skip", **features, **more)
print(json.dumps([time.process_time() - cpu, time.perf_counter() - wall]))
"""


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--before", type=Path, help="another checkout with a .venv of its own")
    options = parser.parse_args()
    records = Records("reading", options)
    names = ["BBBP"] if options.quick else list(SETS)
    for name in ["BBBP"] if options.quick else list(WHOLE):
        records.measure(f"all of {name}", refused, name=name)
    for name in names:
        records.measure(
            name,
            run,
            name=name,
            before=None if options.before is None else str(options.before.absolute()),
            rounds=1 if options.quick else 5,
        )
    write(records)


def run(name: str, before: str | None, rounds: int) -> dict[str, Any]:
    with Path(os.environ["AGLETS_DATA"], SETS[name]).open(newline="") as lines:
        smiles = [row["smiles"] for row in csv.DictReader(lines)][:4000]
    best: dict[str, list[float]] = {}
    for _ in range(rounds):
        found = {"RDKit": parsing(smiles), "earlier features": read(smiles, EARLIER)}
        found["defaults"] = read(smiles, {})
        found["defaults, 2 processes"] = read(smiles * 5, {}, jobs=2)
        found["defaults, 2 processes"] = [t / 5 for t in found["defaults, 2 processes"]]
        if before is not None:
            python = Path(before, ".venv", "bin", "python")
            found["before"] = read(smiles, EARLIER, python=str(python), folder=before)
        for key, value in found.items():
            best[key] = [min(a, b) for a, b in zip(best.get(key, value), value, strict=True)]
    micro = {key: [1e6 * t / len(smiles) for t in value] for key, value in best.items()}
    return {"molecules": len(smiles), "microseconds": micro}


def refused(name: str) -> dict[str, Any]:
    """Count rows, molecules that RDKit reads, and those of them that are refused."""
    from rdkit import Chem, rdBase

    from aglets import GraphSet

    with Path(os.environ["AGLETS_DATA"], WHOLE[name]).open(newline="") as lines:
        smiles = [row["smiles"] for row in csv.DictReader(lines)]
    with rdBase.BlockLogs():
        readable = {row for row, text in enumerate(smiles) if Chem.MolFromSmiles(text) is not None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what could not be read, charges that are not defined
        graphs = GraphSet.from_smiles(smiles, errors="skip")
    kept = range(len(smiles)) if graphs.rows is None else graphs.rows.tolist()
    refused = len(readable.difference(kept))
    return {"rows": len(smiles), "readable": len(readable), "refused": refused}


def parsing(smiles: list[str]) -> list[float]:
    """CPU and wall seconds of RDKit's parsing."""
    from rdkit import Chem, rdBase

    with rdBase.BlockLogs():
        cpu, wall = time.process_time(), time.perf_counter()
        for text in smiles:
            Chem.MolFromSmiles(text)
        return [time.process_time() - cpu, time.perf_counter() - wall]


def read(
    smiles: list[str],
    features: dict[str, Any],
    *,
    jobs: int = 1,
    python: str = sys.executable,
    folder: str | None = None,
) -> list[float]:
    """CPU and wall seconds of reading in a fresh process."""
    done = subprocess.run(
        [python, "-c", CODE],
        input=json.dumps([smiles, features, jobs]),
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
    )
    return list(json.loads(done.stdout))


def write(records: Records) -> None:
    rows = []
    timed = {name: record for name, record in records.records.items() if "microseconds" in record}
    for name, record in timed.items():
        micro = record["microseconds"]
        for key, (cpu, wall) in micro.items():
            # The CPU time of other processes is not known here.
            several = "processes" in key
            beyond = "" if several else f"{cpu - micro['RDKit'][0]:.0f}"
            rows.append([f"{name}, {key}", "" if several else f"{cpu:.0f}", beyond, f"{wall:.0f}"])
    head = ["", "CPU µs per molecule", "beyond RDKit's parsing", "wall µs"]
    counts = [
        [name.removeprefix("all of "), record["rows"], record["readable"], record["refused"]]
        for name, record in records.records.items()
        if "refused" in record
    ]
    records.write(
        "Reading molecules",
        " ".join(__doc__.split()),
        table(head, rows),
        table(["all molecules of", "rows", "read by RDKit", "refused"], counts),
    )


if __name__ == "__main__":
    main()
