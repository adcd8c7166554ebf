"""Table 2 and the data sets: candidates counted, sets described, into ``results/sets.json``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from _common import cpu_seconds, environment, table

from aglets import mining

from . import published
from .protocol import RESULTS, SETS
from .sets import first_of_each_structure, load_set

LARGEST = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", type=Path, default=RESULTS)
    parser.add_argument("--max-seconds", type=float, default=300.0, help="for one count")
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    sets_file(options.to, options.max_seconds)


def counted(name: str, max_seconds: float) -> dict[str, Any]:
    """Count the candidates of at most 10 nodes, or as many of them as there is time for.

    Graphs with the same structure have the same patterns, so one of them is enough.
    """
    graphs, _ = load_set(name)
    start = cpu_seconds()
    found = mining.count(graphs[first_of_each_structure(graphs)], LARGEST, max_seconds=max_seconds)
    cpu = round(cpu_seconds() - start, 1)
    return {"candidates": found.total, "complete": found.complete, "cpu_count": cpu}


def described(name: str) -> dict[str, Any]:
    """Describe a set in the paper's terms, and what may mislead in it."""
    graphs, y = load_set(name)
    what = graphs.describe(y)
    return {
        "graphs": len(graphs),
        "nodes": round(float(graphs.n_nodes.mean()), 2),
        "edges": round(float(graphs.n_edges.mean()), 2),
        "attributes": graphs.n_attributes,
        "labels": len(graphs.vocabulary),
        "positive": int((y > 0).sum()),
        "structures": len(first_of_each_structure(graphs)),
        "duplicates": what.n_duplicates,
        "warnings": what.warnings,
    }


def sets_file(folder: Path, max_seconds: float) -> None:
    """Write ``sets.json``: description and candidate counts of every set, and where it was made."""
    path = folder / "sets.json"
    found = json.loads(path.read_text())["sets"] if path.exists() else {}
    for name in SETS:
        if name not in found:
            print(f"{name} ...", flush=True)
            found[name] = {**described(name), **counted(name, max_seconds)}
            command = f"python -m paper.candidates --max-seconds {max_seconds:g}"
            document = {**environment(), "command": command, "sets": found}
            path.write_text(json.dumps(document, indent=1) + "\n")


def candidates_table(folder: Path) -> str:
    """Show the paper's Table 2 next to ours."""
    found = json.loads((folder / "sets.json").read_text())["sets"]

    def shown(name: str) -> str:
        one = found[name]
        return ("" if one["complete"] else "> ") + f"{one['candidates']:,}"

    def printed(name: str) -> str:
        return ("> " if name in published.ONLY_BOUNDED else "") + f"{published.CANDIDATES[name]:,}"

    rows = [
        ["aglets", *map(shown, found)],
        ["paper", *map(printed, found)],
        ["CPU s", *(one["cpu_count"] for one in found.values())],
    ]
    return table(["candidates", *found], rows)


def statistics_table(folder: Path) -> str:
    """Describe the data sets."""
    found = json.loads((folder / "sets.json").read_text())["sets"]
    keys = (
        "graphs",
        "nodes",
        "edges",
        "labels",
        "attributes",
        "positive",
        "structures",
        "duplicates",
    )
    return table(["set", *keys], [[name, *(found[name][key] for key in keys)] for name in found])


if __name__ == "__main__":
    main()
