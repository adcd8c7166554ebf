"""Any number of shards gives the same model, and what that costs.

``python benchmarks/bench_shards.py`` fits BZR, AIDS and FreeSolv in one piece and with 1, 2, 3 and
7 shards in this process, down to lambda_max / 10, the default. Graphlets must be the same and
objectives equal to 1e-9; the exit code is 1 if they are not. ``--deep`` goes on to the small
lambdas of ``same_models.py`` instead. Learning attributes is not a convex problem, and a long path
makes rounding grow: the last row of each case is one piece whose attributes were changed in their
last bit, and says how much of a difference is that.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np
from _common import cpu_seconds, skip_without_data, table
from model_cases import CASES

from aglets import GraphSet, ShardedEngine

SHARDS = (1, 2, 3, 7)
OBJECTIVE_TOLERANCE = 1e-9
LAMBDA_RATIO = 0.1


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--deep", action="store_true", help="go down to small lambdas")
    parser.add_argument("--quick", action="store_true", help="a few graphs, to see that it runs")
    options = parser.parse_args(words)
    skip_without_data("BZR", "AIDS")
    rows, same = [], True
    for name in ("BZR", "AIDS", "FreeSolv"):
        graphs, y = CASES[name].load()
        if options.quick:
            graphs, y = graphs[:30], y[:30]
        ratio = {} if options.deep else {"lambda_ratio": 0.5 if options.quick else LAMBDA_RATIO}
        alone, seconds = fitted(name, graphs, y, **ratio)
        for n_shards in SHARDS:
            model, took = fitted(name, graphs, y, engine=ShardedEngine(n_shards), **ratio)
            same &= structures(model) == structures(alone)
            same &= apart(model, alone) <= OBJECTIVE_TOLERANCE
            rows.append([name, f"{n_shards} shards", *compared(model, alone), took / seconds])
        model, took = fitted(name, nudged(graphs), y, **ratio)
        rows.append([name, "one piece, last bits", *compared(model, alone), took / seconds])
    head = ["case", "graphs in", "graphlets", "structures", "objective", "CPU / one piece"]
    print(table(head, [[*row[:-1], f"{row[-1]:.2f}"] for row in rows]))
    return 0 if same or options.deep or options.quick else 1


def fitted(name: str, graphs: GraphSet, y: np.ndarray, **parameters: Any) -> tuple[Any, float]:
    """Fit one of the cases, and measure the CPU seconds."""
    model = CASES[name].estimator().set_params(**parameters)
    start = cpu_seconds()
    model.fit(graphs, y)
    return model, cpu_seconds() - start


def nudged(graphs: GraphSet) -> GraphSet:
    """Change every attribute by at most one unit in the last place."""
    rng = np.random.default_rng(0)
    towards = rng.choice([-np.inf, np.inf], graphs.attributes.shape)
    return graphs.with_attributes(np.nextafter(graphs.attributes, towards))


def compared(model: Any, alone: Any) -> list[str]:
    """Describe how a model differs from that of one piece."""
    equal = structures(model) == structures(alone)
    return [str(len(model.graphlets_)), "same" if equal else "other", f"{apart(model, alone):.1e}"]


def apart(model: Any, alone: Any) -> float:
    """Relative difference of the objectives."""
    return float(abs(model.objective_ - alone.objective_) / abs(alone.objective_))


def structures(model: Any) -> list[Any]:
    """Write out the graphlets of a model without their numbers."""
    return [(h.labels, h.edges.tolist(), h.edge_labels) for h in model.graphlets_]


if __name__ == "__main__":
    sys.exit(main())
