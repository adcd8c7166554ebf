"""Random problems whose outputs share graphlets, against proximal gradient over all patterns.

``python tools/shared_optima.py --problems 500`` draws classes, softmax and several targets with
gaps in turn, with weights, and holds the objective of every point of their paths against the global
minimum, to 1e-8. The exit code is 1 if any differs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from shared_problems import differences


def main() -> int:
    """Compare so many problems."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--problems", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="seed of the first problem")
    options = parser.parse_args()
    n_wrong = 0
    for seed in range(options.first, options.first + options.problems):
        found = differences(seed)
        n_wrong += bool(found)
        for line in found:
            print(f"problem {seed}: {line}", flush=True)
    print(f"{options.problems} problems, {n_wrong} with an objective off by more than 1e-8")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
