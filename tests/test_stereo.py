"""Stereo labels by the rules of Cahn, Ingold and Prelog, which no order of atoms changes."""

from __future__ import annotations

import numpy as np
import pytest
from rdkit import Chem

from aglets import Graphlet, GraphSet, agis

CHIRAL = ["C[C@H](N)C(=O)O", "C[C@@H](O)c1ccccc1", "C[C@]1(F)CCCO1", "N[C@@H](CS)C(=O)O"]
DOUBLE = [r"C/C=C/C", r"C/C=C\C", r"F/C(Cl)=C(/Br)I", r"C/C=C/C=C\C"]


def canonical(smiles):
    """Labels and bonds of a graph, whatever the order of its atoms."""
    [graph] = GraphSet.from_smiles([smiles], label_with=("aromaticity", "stereo"), attributes=[])
    ends = np.array(graph.labels, dtype=object)[graph.edges]
    bonds = [(*sorted(pair), label) for pair, label in zip(ends, graph.edge_labels, strict=True)]
    return sorted(graph.labels), sorted(bonds)


@pytest.mark.parametrize("smiles", [*CHIRAL, *DOUBLE, "C[C@H](O)[C@@H](O)[C@H](C)O"])
def test_stereo_labels_do_not_depend_on_the_order_of_atoms(smiles):
    mol = Chem.MolFromSmiles(smiles)
    written = {Chem.MolToSmiles(mol, doRandom=True) for _ in range(40)}
    assert len(written) > 1
    assert all(canonical(text) == canonical(smiles) for text in written)


@pytest.mark.parametrize("smiles", CHIRAL)
def test_enantiomers_are_distinguished_only_when_asked(smiles):
    mirrored = smiles.replace("@@", "?").replace("@", "@@").replace("?", "@")
    assert canonical(mirrored) != canonical(smiles)
    one, other = (GraphSet.from_smiles([text]) for text in (smiles, mirrored))
    assert one.labels.tolist() == other.labels.tolist()
    assert one.vocabulary == other.vocabulary


def test_double_bonds_are_e_or_z_when_asked():
    graphs = GraphSet.from_smiles([r"C/C=C/C", r"C/C=C\C", "CC=CC"], label_with="stereo")
    assert [graph.edge_labels[1] for graph in graphs] == ["=E", "=Z", "="]


def test_a_graphlet_matches_one_enantiomer():
    graphs = GraphSet.from_smiles(
        ["C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O"], label_with="stereo", attributes=[]
    )
    centre = Graphlet(labels=["C.S"], edges=[], edge_labels=[], recipe=graphs.recipe)
    assert agis(graphs, [centre], rho=1.0).ravel().tolist() == [1.0, 0.0]
    assert centre.name == "C.S"
    assert centre.node_words == ["(S) carbon"]
