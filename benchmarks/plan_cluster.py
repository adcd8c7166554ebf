"""What a fit to very many graphs would take on a cluster: rounds, bytes, seconds and memory.

``python benchmarks/plan_cluster.py`` walks a path on the demo molecules in eight pieces and records
for every search how many codes it asks for. These depend on patterns and lambda, not on the number
of graphs, and so do rounds and bytes; work and memory of a worker grow with its graphs. What a plan
needs to know of Ray and of graphs is an argument, with defaults measured by ``bench_ray.py`` on HIV
(results/ray.md). Nothing here was run on a cluster.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from _common import table

from aglets import LagraClassifier, ShardedEngine, datasets
from aglets.training.engine import joint_tree

PLANS = ((10**7, 10), (10**7, 100), (10**9, 100), (10**9, 1000))


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=float, default=ROUNDS, help="per lambda")
    parser.add_argument("--round-ms", type=float, default=3.0, help="one round of Ray, empty")
    parser.add_argument("--piece-kb", type=float, default=PIECE_KB, help="per lambda and piece")
    parser.add_argument("--cpu-us", type=float, default=CPU_US, help="per graph and lambda")
    parser.add_argument("--graph-kb", type=float, default=GRAPH_KB, help="of memory per graph")
    parser.add_argument("--link-mb", type=float, default=100.0, help="MB per second of the driver")
    parser.add_argument("--lambdas", type=int, default=100)
    parser.add_argument("--quick", action="store_true", help="the same: it takes a few seconds")
    options = parser.parse_args(words)
    codes = recorded()
    print(f"A search asks for {np.mean(codes):.0f} codes on average, {max(codes)} at most.\n")
    rows = []
    for n_graphs, n_workers in PLANS:
        sent = options.piece_kb * 1e3 * n_workers
        wire = options.rounds * options.round_ms / 1e3 + sent / (options.link_mb * 1e6)
        work = options.cpu_us * 1e-6 * n_graphs / n_workers
        rows.append(
            [
                *(f"{n_graphs:.0e}", n_workers, f"{options.rounds:.0f}", f"{sent / 1e6:.1f}"),
                *(f"{wire:.2f}", f"{work:.1f}", f"{options.lambdas * (wire + work) / 3600:.1f}"),
                f"{options.graph_kb * 1e3 * n_graphs / n_workers / 1e9:.1f}",
            ]
        )
    head = ["graphs", "workers", "rounds per lambda", "MB per lambda", "s between per lambda"]
    head += ["s of work per lambda", f"hours for {options.lambdas} lambdas", "GB per worker"]
    print(table(head, rows))
    return 0


def recorded() -> list[int]:
    """Codes that every search of a path asks for."""
    graphs, y = datasets.load_acids()
    rng = np.random.default_rng(0)
    y = np.where(rng.random(len(y)) < 0.2, rng.permutation(y), y)  # real classes follow no rule
    codes: list[int] = []
    gradients = joint_tree.JointTree._gradients

    def counted(tree, graphs, scores, wanted):
        codes.append(len(wanted))
        return gradients(tree, graphs, scores, wanted)

    joint_tree.JointTree._gradients = counted
    try:
        options = {"maxpat": 5, "lambda_ratio": 0.1, "n_lambdas": 30, "calibration": None}
        LagraClassifier(engine=ShardedEngine(8), **options).fit(graphs, y)
    finally:
        joint_tree.JointTree._gradients = gradients
    return codes


#: Measured by bench_ray.py, with eight pieces.
ROUNDS, PIECE_KB = 32.0, 35.0
#: 41,127 molecules of HIV in one piece, 100 lambdas to a tenth of lambda_max: 30 CPU s, 0.9 GB.
CPU_US, GRAPH_KB = 7.3, 22.0

if __name__ == "__main__":
    sys.exit(main())
