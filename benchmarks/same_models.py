"""Same models before and after: twelve cases fitted by two checkouts in turn, and compared.

``python benchmarks/same_models.py --python OTHER/.venv/bin/python`` fits every case with the code
that the other interpreter has installed (old) and with this one's (new), alternating, each in a
fresh process. Models must have the same graphlets and coefficients equal to 1e-7; CPU seconds are
compared by medians. ``--record FILE`` keeps the records, ``--compare OLD NEW`` compares two kept
ones. The exit code is 1 if any model differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from _common import skip_without_data, table
from model_cases import CASES, MIN_SECONDS
from scipy.optimize import linear_sum_assignment

HERE = Path(__file__).resolve().parent
COEF_TOLERANCE = 1e-7
QUICK = ("MUTAG edge labels",)


def main(words: list[str] | None = None) -> int:
    options = _parser().parse_args(words)
    if options.compare:
        old, new = (json.loads(Path(name).read_text()) for name in options.compare)
    else:
        skip_without_data("BZR", "AIDS", "ENZYMES", "PROTEINS", "MUTAG")
        cases = options.cases or (QUICK if options.quick else list(CASES))
        old, new = alternate(
            options.python,
            sys.executable,
            cases,
            repeats=1 if options.quick else options.repeats,
            min_seconds=0.0 if options.quick else MIN_SECONDS,
        )
    for name, found in (("old", old), ("new", new)):
        if options.record:
            path = Path(f"{options.record}.{name}.json")
            path.write_text(json.dumps(found, indent=1) + "\n")
    compared = {case: compare(old[case], new[case]) for case in old if case in new}
    print(report(old, new, compared))
    return 0 if all(found.same for found in compared.values()) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--python",
        default=sys.executable,
        metavar="PATH",
        help="interpreter with the old code installed; this one unless given",
    )
    parser.add_argument("--cases", nargs="+", choices=list(CASES), help="only these")
    parser.add_argument("--repeats", type=int, default=5, help="processes per case and side")
    parser.add_argument("--quick", action="store_true", help="a small part, to see that it runs")
    parser.add_argument("--record", metavar="FILE", help="write FILE.old.json and FILE.new.json")
    parser.add_argument("--compare", nargs=2, metavar=("OLD", "NEW"), help="two kept records")
    return parser


def alternate(
    old: str, new: str, cases: list[str], *, repeats: int, min_seconds: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fit every case with both interpreters in turn; the record of a side has its median CPU."""
    found: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for case in cases:
        print(f"{case} ...", file=sys.stderr, flush=True)
        rounds: tuple[list[Any], list[Any]] = ([], [])
        for turn in range(repeats):
            sides = [(0, old), (1, new)]
            # Who comes first changes, so that a drift of the machine favours nobody.
            for side, python in sides if turn % 2 == 0 else sides[::-1]:
                rounds[side].append(run(python, case, min_seconds))
        for side in (0, 1):
            seconds = [one["cpu"] for one in rounds[side]]
            repeatable = all(compare(rounds[side][0], one).same for one in rounds[side])
            found[side][case] = {
                **rounds[side][0],
                "cpu": median(seconds),
                "cpu_of_each": seconds,
                "repeatable": repeatable,
            }
    return found


def run(python: str, case: str, min_seconds: float) -> dict[str, Any]:
    """Return the record of a case, fitted by another interpreter in a fresh process."""
    done = subprocess.run(
        [python, str(HERE / "model_cases.py"), case, str(min_seconds)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    if done.returncode:
        raise RuntimeError(f"{python} could not fit {case!r}:\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@dataclass(frozen=True)
class Comparison:
    """Whether two models have the same graphlets, and the largest differences of their numbers."""

    same_graphlets: bool
    coef: float
    attributes: float
    objective: float

    @property
    def same(self) -> bool:
        return self.same_graphlets and self.coef <= COEF_TOLERANCE


def compare(old: dict[str, Any], new: dict[str, Any]) -> Comparison:
    """Pair the graphlets of two models by structure, then by numbers, and measure differences."""
    groups = [_by_structure(one["graphlets"]) for one in (old, new)]
    objective = _relative(old["objective"], new["objective"])
    if {key: len(found) for key, found in groups[0].items()} != {
        key: len(found) for key, found in groups[1].items()
    }:
        return Comparison(False, np.inf, np.inf, objective)
    coef = [
        _largest(old["intercepts"], new["intercepts"]),
        _largest(old["covariate_coef"], new["covariate_coef"]),
    ]
    attributes = [0.0]
    for key, found in groups[0].items():
        for one, other in _paired(found, groups[1][key]):
            coef.append(_largest(one["coef"], other["coef"]))
            attributes.append(_largest(one["attributes"], other["attributes"]))
    return Comparison(True, max(coef), max(attributes), objective)


def _by_structure(graphlets: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for graphlet in graphlets:
        outputs = np.flatnonzero(graphlet["coef"]).tolist()
        groups[json.dumps([graphlet["labels"], graphlet["edges"], outputs])].append(graphlet)
    return groups


def _paired(
    old: list[dict[str, Any]], new: list[dict[str, Any]]
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Pair graphlets of one structure such that their differences are smallest in all."""
    cost = [
        [
            _largest(one["coef"], other["coef"]) + _largest(one["attributes"], other["attributes"])
            for other in new
        ]
        for one in old
    ]
    return [(old[i], new[j]) for i, j in zip(*linear_sum_assignment(cost), strict=True)]


def _largest(old: list[Any], new: list[Any]) -> float:
    """Largest difference, relative for numbers above 1 (targets may have any unit)."""
    a, b = np.asarray(old, dtype=float), np.asarray(new, dtype=float)
    if a.shape != b.shape:
        return float(np.inf)
    return float(np.max(np.abs(a - b) / np.maximum(1.0, np.abs(a)), initial=0.0))


def _relative(old: float | None, new: float | None) -> float:
    if old is None or new is None:
        return 0.0 if old is new else float(np.inf)
    return abs(old - new) / max(1.0, abs(old))


def report(old: dict[str, Any], new: dict[str, Any], compared: dict[str, Comparison]) -> str:
    """Show a line per case and a verdict, in Markdown."""
    rows = []
    for case, found in compared.items():
        seconds = old[case]["cpu"], new[case]["cpu"]
        rows.append(
            [
                case,
                f"{len(old[case]['graphlets'])}",
                "same" if found.same_graphlets else "DIFFERENT",
                f"{found.coef:.1e}",
                f"{found.attributes:.1e}",
                f"{found.objective:.1e}",
                f"{seconds[0]:.3f}",
                f"{seconds[1]:.3f}",
                f"{seconds[1] / seconds[0]:.3f}",
            ]
        )
    head = ["case", "graphlets", "structures", "coef", "attributes", "objective"]
    head += ["old s", "new s", "new / old"]
    ratios = [new[case]["cpu"] / old[case]["cpu"] for case in compared]
    in_all = sum(new[case]["cpu"] for case in compared) / sum(old[case]["cpu"] for case in compared)
    same = sum(found.same for found in compared.values())
    shaky = [case for case in compared if not _repeatable(old[case], new[case])]
    return "\n\n".join(
        [
            table(head, rows),
            f"{same} of {len(compared)} models are the same: graphlets, and coefficients to "
            f"{COEF_TOLERANCE:g}. CPU seconds new / old: median {median(ratios):.3f}, all cases "
            f"together {in_all:.3f}.",
            *([f"Not the same when fitted again: {', '.join(shaky)}."] if shaky else []),
        ]
    )


def _repeatable(old: dict[str, Any], new: dict[str, Any]) -> bool:
    return bool(old.get("repeatable", True) and new.get("repeatable", True))


if __name__ == "__main__":
    sys.exit(main())
