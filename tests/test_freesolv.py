"""Hydration free energies from SMILES: the regressor against counts of atoms and bonds."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold

from aglets import GraphSet, LagraRegressor


def counts_of(graphs: GraphSet) -> np.ndarray:
    """How often each element and each bond order occurs."""
    n_labels, n_edge_labels = len(graphs.vocabulary), len(graphs.edge_vocabulary)
    counts = np.zeros((len(graphs), n_labels + n_edge_labels))
    nodes = np.repeat(np.arange(len(graphs)), graphs.n_nodes)
    edges = np.repeat(np.arange(len(graphs)), graphs.n_edges)
    np.add.at(counts, (nodes, graphs.labels), 1.0)
    np.add.at(counts, (edges, n_labels + graphs.edge_labels), 1.0)
    return counts


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::UserWarning")  # folds lack rare elements
def test_regression_beats_a_ridge_on_counts_of_atoms_and_bonds(data_folder):
    with open(data_folder / "FreeSolv" / "SAMPL.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    graphs = GraphSet.from_smiles([row["smiles"] for row in rows])
    y = np.array([float(row["expt"]) for row in rows])
    counts = counts_of(graphs)
    ours, ridge = [], []
    for train, test in KFold(5, shuffle=True, random_state=0).split(counts):
        model = LagraRegressor(lambda_ratio=0.01).fit(graphs[train], y[train])
        ours.append(r2_score(y[test], model.predict(graphs[test])))
        linear = RidgeCV(np.logspace(-3, 3, 13)).fit(counts[train], y[train])
        ridge.append(r2_score(y[test], linear.predict(counts[test])))
    assert min(np.subtract(ours, ridge)) > 0.1, (ours, ridge)
