"""Accuracy of compacted averages: ``python -m accuracy.curves --models FOLDER``.

Averages that ``accuracy.run --models FOLDER`` kept are compacted on the graphs that they were made
from, without their classes, and tested. Records go to ``curve-<row>.jsonl``; a later run replaces
an earlier one.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from _common import cpu_seconds, load
from paper.protocol import SETS, Records, Split

from aglets import GraphSet, LagraModel
from aglets import load as load_model
from aglets.model.compacting import compacted

from .levers import AVERAGES
from .run import RESULTS, command, model_name

#: Sizes to which averages are compacted.
SIZES = (240, 120, 90, 60, 40, 30, 20, 15, 10, 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=Path, required=True, help="the folder of the averages")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--seeds", type=int, default=20, help="use seeds 0 to this less one")
    parser.add_argument("--to", type=Path, default=RESULTS, help="the folder of the records")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)  # some labels are rare
    records = Records(options.to)
    run = records.begin_run(command())
    for name in options.sets:
        graphs, y = load(name)
        for seed in range(options.seeds):
            parts = Split.of(y, seed)
            for row in AVERAGES:
                path = options.models / model_name(row, name, seed)
                if path.exists():
                    start = cpu_seconds()
                    made = curve(load_model(path), graphs, y, parts)
                    what = {"method": f"curve-{row}", "set": name, "seed": seed, "run": run}
                    cpu = round(cpu_seconds() - start, 3)
                    records.add({**what, "curve": made, "cpu": cpu})
                    print(f"{row}, {name}, seed {seed}: {made}", flush=True)


def curve(
    model: LagraModel,
    graphs: GraphSet,
    y: np.ndarray,
    parts: Split,
    sizes: Sequence[int] = SIZES,
) -> list[list[float]]:
    """List [number of graphlets, test accuracy], first of the whole model."""
    known = graphs[np.sort(np.concatenate([parts.train, parts.validation]))]
    whole = len(model.graphlets)
    points = []
    for small in compacted(model, known, [whole, *(size for size in sizes if size < whole)]):
        right = small.predict(graphs[parts.test]) == y[parts.test]
        points.append([len(small.graphlets), float(np.mean(right))])
    return points


if __name__ == "__main__":
    main()
