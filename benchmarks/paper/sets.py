"""Data sets by name: the paper's seven, and those beyond."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from _common import load

from aglets import GraphSet

UNIQUE = "-unique"


def load_set(name: str) -> tuple[GraphSet, np.ndarray]:
    """Load a set by name; classes are -1 and 1.

    ``BZR-unique`` is BZR without the graphs whose labels and edges an earlier graph has already.
    ``BBBP`` is read from its table of SMILES; rows that are not molecules are left out.
    """
    if name.endswith(UNIQUE):
        graphs, y = load_set(name.removesuffix(UNIQUE))
        kept = first_of_each_structure(graphs)
        return graphs[kept], y[kept]
    if name == "BBBP":
        path = Path(os.environ.get("AGLETS_DATA", "."), "BBBP", "BBBP.csv")
        graphs, y = GraphSet.from_table(path, target="BBBP", errors="skip")
        return graphs, np.where(np.asarray(y).astype(float) > 0, 1, -1)
    return load(name)


def first_of_each_structure(graphs: GraphSet) -> np.ndarray:
    """Positions of graphs that are not isomorphic to an earlier one as labelled graphs."""
    bare = graphs.with_attributes(np.empty((len(graphs.labels), 0)))
    again = [i for group in bare.describe().duplicates for i in sorted(group)[1:]]
    return np.setdiff1d(np.arange(len(graphs)), again)
