"""Names, ids and SMILES of molecules travel with their graphs."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from aglets import GraphSet

SMILES = ["CCO", "c1ccccc1", "CC(=O)O"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "molecules.csv"
    path.write_text(
        "smiles,code,common,y\nCCO,A1,ethanol,1\nnonsense,A2,nothing,0\nc1ccccc1,A3,,1\n",
        encoding="utf-8",
    )
    return path


def test_smiles_travel_through_slices_copies_and_joins():
    graphs = GraphSet.from_smiles(SMILES)
    assert graphs.smiles.tolist() == SMILES
    assert graphs[1:].smiles.tolist() == SMILES[1:]
    assert graphs[[2, 0]].smiles.tolist() == ["CC(=O)O", "CCO"]
    assert graphs[2].smiles == "CC(=O)O"
    joined = GraphSet.concatenate([graphs[2:], graphs[:1]])
    assert joined.smiles.tolist() == ["CC(=O)O", "CCO"]
    assert pickle.loads(pickle.dumps(graphs)).smiles.tolist() == SMILES
    assert graphs[0].name is None
    assert graphs[0].id is None


def test_ids_and_names_of_a_table_stay_with_the_rows_that_were_kept(table):
    with pytest.warns(UserWarning, match="row 1"):
        graphs, y = GraphSet.from_table(
            table, target="y", id_column="code", name_column="common", errors="skip"
        )
    assert graphs.ids.tolist() == ["A1", "A3"]
    assert graphs.names.tolist() == ["ethanol", None]
    assert graphs.smiles.tolist() == ["CCO", "c1ccccc1"]
    assert y.tolist() == [1, 1]


def test_a_column_that_is_not_there_is_an_error(table):
    with pytest.raises(ValueError, match="column 'codes'"):
        GraphSet.from_table(table, id_column="codes")


def test_names_of_smiles_and_sdf_files_are_read(tmp_path):
    from rdkit import Chem

    lines = tmp_path / "some.smi"
    lines.write_text("CCO ethanol\nC\n", encoding="utf-8")
    assert GraphSet.from_smiles(lines).names.tolist() == ["ethanol", None]
    mol = Chem.MolFromSmiles("CCO")
    mol.SetProp("_Name", "ethanol")
    mol.SetProp("code", "7")
    with Chem.SDWriter(str(tmp_path / "one.sdf")) as writer:
        writer.write(mol)
    graphs = GraphSet.from_sdf(tmp_path / "one.sdf", id_column="code")
    assert (graphs[0].id, graphs[0].name) == ("7", "ethanol")


def test_equality_does_not_look_at_names():
    named = GraphSet.from_smiles(["CCO"])
    bare = GraphSet.from_lists(
        labels=[named[0].labels],
        edges=[named[0].edges],
        attributes=[named[0].attributes],
        edge_labels=[named[0].edge_labels],
        attribute_names=named.attribute_names,
    )
    assert bare.smiles is None
    assert bare == named


def test_as_many_names_as_graphs_are_expected():
    with pytest.raises(ValueError, match="one of the ids per graph, that is 3, got 1"):
        GraphSet.from_smiles(SMILES).with_identity(ids=["a"])
