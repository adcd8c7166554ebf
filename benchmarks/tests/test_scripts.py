"""Every script of the benchmarks runs: on tiny data sets that stand in for the public ones."""

from __future__ import annotations

import ast
import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from warm_process import WarmProcess

from aglets import GraphSet, datasets

BENCHMARKS = Path(__file__).resolve().parents[1]
SETS = ("AIDS", "BZR", "COX2", "DHFR", "ENZYMES", "MUTAG", "PROTEINS", "SYNTHETIC")
N_GRAPHS = 60
#: Grids are small, for scripts that fit with the default one: what it chooses is not asked here.
LOADED = """
import matplotlib.pyplot, pandas, rdkit.Chem, scipy.optimize, scipy.stats
import sklearn.ensemble, sklearn.metrics, sklearn.svm
import aglets.cli.app, aglets.plot
from aglets.estimators import _grids
_grids.RHO_UNITS, _grids.FURTHER_STARTS, _grids.MORE_STARTS = (0.3,), {4: (1,)}, {}
_grids.SPARSE_MAXPATS = (2, 3)
"""

ALONE = [
    "bench_accuracy",
    "bench_budgets",
    "bench_channels",
    "bench_features",
    "bench_matching",
    "bench_mining",
]
ALONE += ["bench_path", "bench_predict", "bench_scaling", "bench_shards", "bench_work"]
ALONE += ["bench_growth", "same_models"]
#: Not a program, or one that needs packages or data of its own.
ELSEWHERE = {
    "model_cases",
    "paper.cost",
    "bench_counts",
    "bench_counts_sets",
    "bench_interactions",
    "bench_ibenchmark",
    "bench_molecule_choices",
    "bench_relax",
    "bench_molecules",
    "bench_outputs",
    "bench_reading",
    "bench_trust",
}
ELSEWHERE |= {"bench_jobs", "bench_ray", "plan_cluster"}

#: Scripts of a package in the order in which one needs what another wrote.
TO, MODELS = "--to HERE", "--models HERE/models"
CHAINS = {
    "accuracy": [
        f"accuracy.run --sets BZR --seeds 1 --rows default folds --quick {TO} {MODELS}",
        f"accuracy.curves --sets BZR --seeds 1 {TO} {MODELS}",
        f"accuracy.holding --seeds 1 {TO} {MODELS}",
        f"accuracy.figure {TO}",
        f"accuracy.tables {TO}",
    ],
    "choices": [
        f"accuracy.grid --sets BZR --seeds 1 --quick {TO}",
        f"accuracy.ideas --sets BZR --seeds 1 --ideas default {TO}",
    ],
    "paper": [
        f"paper.run --quick --sets BZR --seeds 1 --methods majority size lagra-one-start {TO}",
        f"paper.candidates --max-seconds 1 {TO}",
        f"paper.figures --quick {TO}",
        f"paper.page {TO}",
    ],
    "beyond": [f"paper.beyond --quick {TO}"],
}
if find_spec("torch_geometric") and find_spec("grakel"):
    CHAINS["cost"] = [f"paper.cost --quick --sets BZR {TO}"]


@pytest.fixture(scope="session")
def tiny_data(tmp_path_factory):
    """Make a folder like that of the public data sets, with 60 small graphs for each name."""
    folder = tmp_path_factory.mktemp("data")
    graphs, y = datasets.make_planted(
        N_GRAPHS, background_size=(2, 4), motif_size=3, n_attributes=3, flip_y=0.2, random_state=0
    )[:2]
    bonded = GraphSet.from_lists(
        labels=[list(graph.labels) for graph in graphs],
        edges=[graph.edges for graph in graphs],
        attributes=[graph.attributes for graph in graphs],
        edge_labels=[[int(u + v) % 2 for u, v in graph.edges] for graph in graphs],
    )
    for name in SETS:
        bonded.to_tu(folder / name, np.where(y == y.max(), 2, 1))
    (folder / "FreeSolv").mkdir()
    rows = [f"x,{'C' * (1 + i % 9)}{'O' * (i % 2)},{-i % 5},0" for i in range(N_GRAPHS)]
    table = "\n".join(["iupac,smiles,expt,calc", *rows])
    (folder / "FreeSolv" / "SAMPL.csv").write_text(table + "\n")
    return folder


@pytest.fixture(scope="session")
def run(tiny_data):
    """Run a script on the tiny data sets, in a process that has loaded the libraries."""
    environment = {**os.environ, "AGLETS_DATA": str(tiny_data), "MPLBACKEND": "agg"}
    with WarmProcess(LOADED, environment) as warm:

        def run_script(words):
            done = warm.run(words, cwd=BENCHMARKS)
            assert done.returncode == 0, done.stderr
            assert "Skipped" not in done.stdout

        yield run_script


@pytest.mark.parametrize("script", ALONE)
def test_a_benchmark_runs_quickly(script, run):
    run([f"{script}.py", "--quick"])


@pytest.mark.parametrize("script", sorted(ELSEWHERE - {"model_cases", "paper.cost"}))
def test_a_benchmark_with_data_of_its_own_at_least_starts(script, run):
    run([f"{script}.py", "--help"])


@pytest.mark.parametrize("chain", CHAINS)
def test_the_scripts_of_a_study_run_one_after_the_other(chain, run, tmp_path):
    for words in CHAINS[chain]:
        run(["-m", *words.replace("HERE", str(tmp_path)).split()])


def test_no_script_is_left_out():
    """A file with a main program is run above, or is a part of one that is."""
    run_here = {*ALONE, *(words.split()[0] for chain in CHAINS.values() for words in chain)}
    programs = {
        ".".join(path.relative_to(BENCHMARKS).with_suffix("").parts)
        for path in BENCHMARKS.rglob("*.py")
        if "tests" not in path.parts and _is_program(path)
    }
    assert programs - ELSEWHERE <= run_here


def _is_program(path):
    tree = ast.parse(path.read_text())
    return any(isinstance(node, ast.If) and "__main__" in ast.dump(node.test) for node in tree.body)
