"""Data sets by name, in the package and with a known truth; parts by scaffold and by time."""

from __future__ import annotations

from aglets.datasets.demo import (
    demo_smiles,
    load_acids,
    load_demo,
    load_hydration,
    load_toxicity,
)
from aglets.datasets.fetch import TuEntry, fetch_tu, list_tu
from aglets.datasets.planted import make_planted
from aglets.datasets.splits import (
    ScaffoldKFold,
    TimeFolds,
    scaffold_holdout,
    scaffolds,
    time_holdout,
)
from aglets.datasets.synthetic import make_synthetic
from aglets.datasets.tu import load_tu

__all__ = [
    "ScaffoldKFold",
    "TimeFolds",
    "TuEntry",
    "demo_smiles",
    "fetch_tu",
    "list_tu",
    "load_acids",
    "load_demo",
    "load_hydration",
    "load_toxicity",
    "load_tu",
    "make_planted",
    "make_synthetic",
    "scaffold_holdout",
    "scaffolds",
    "time_holdout",
]
