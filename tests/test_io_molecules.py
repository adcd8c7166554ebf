"""Molecules: what their atoms become, and which rows could not be read."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest
from rdkit import Chem, rdBase
from rdkit.Chem import AllChem, rdMolDescriptors, rdPartialCharges

from aglets import Graphlet, GraphSet
from aglets.graphs import as_graph_set
from aglets.model import LagraModel
from aglets.model.file import load
from aglets.model.outputs import Outputs
from aglets.preprocessing.input_spec import InputSpec

SMILES = ["CCO", "c1ccccc1", "C[N+](C)(C)C", "CC(=O)O", "C#N"]
BAD = ["CCO", "C1CC", "", "CN(C)(C)C", "CCN"]


def test_the_default_is_elements_four_numbers_and_bond_orders():
    graphs = GraphSet.from_smiles(["CC(=O)O"])
    graph = graphs[0]
    assert graph.labels == ["C", "C", "O", "O"]
    assert graph.edges.tolist() == [[0, 1], [1, 2], [1, 3]]
    assert graph.edge_labels == ["-", "=", "-"]
    assert graphs.attribute_names == ("gasteiger_charge", "n_hydrogens", "degree", "in_ring")
    assert graphs.attributes[:, 1:].tolist() == [[3, 1, 0], [0, 3, 0], [0, 1, 0], [1, 1, 0]]
    assert graphs.attributes[1, 0] > 0 > graphs.attributes[3, 0]


def test_rings_and_aromatic_bonds():
    graphs = GraphSet.from_smiles(["c1ccccc1C"])
    assert set(graphs[0].edge_labels) == {":", "-"}
    assert graphs.attributes[:, 3].tolist() == [1, 1, 1, 1, 1, 1, 0]


@pytest.mark.parametrize(
    ("extra", "labels"),
    [
        ("aromaticity", ["C", "N", "c"]),
        (["charge"], ["C", "N+", "C"]),
        (["charge", "aromaticity"], ["C", "N+", "c"]),
        ("hybridisation", ["C.sp3", "N.sp3", "C.sp2"]),
    ],
)
def test_labels_say_more_when_asked(extra, labels):
    [graph] = GraphSet.from_smiles(["C[NH2+]c1ccccc1"], label_with=extra)
    assert graph.labels[:3] == labels


def test_attributes_are_chosen_by_name():
    graphs = GraphSet.from_smiles(["[NH4+]"], attributes=["formal_charge", "atomic_number"])
    assert graphs.attributes.tolist() == [[1.0, 7.0]]
    assert graphs.attribute_names == ("formal_charge", "atomic_number")
    assert GraphSet.from_smiles(["CC"], attributes=[]).n_attributes == 0
    assert GraphSet.from_smiles(["CC"], edge_labels=False).edge_labels is None


def test_hydrogens_become_nodes_when_asked():
    assert GraphSet.from_smiles(["C"], hydrogens=True)[0].labels == ["C", "H", "H", "H", "H"]


@pytest.mark.parametrize(("kind", "width"), [("2d", 2), ("3d", 3)])
def test_coordinates_keep_atoms_a_bond_apart(kind, width):
    graphs = GraphSet.from_smiles(["CC"], attributes=[], coordinates=kind)
    assert graphs.attribute_names == ("x", "y", "z")[:width]
    assert 1.3 < np.linalg.norm(graphs.attributes[0] - graphs.attributes[1]) < 1.7
    assert graphs == GraphSet.from_smiles(["CC"], attributes=[], coordinates=kind)


def test_molecules_and_their_smiles_give_the_same_graphs():
    molecules = [Chem.MolFromSmiles(text) for text in SMILES]
    assert GraphSet.from_rdkit(molecules) == GraphSet.from_smiles(SMILES)
    assert as_graph_set(molecules) == as_graph_set(SMILES) == GraphSet.from_smiles(SMILES)
    assert as_graph_set(pd.Series(SMILES)) == as_graph_set(np.array(SMILES)) == as_graph_set(SMILES)


def test_failures_are_raised_with_their_rows_and_reasons():
    with pytest.raises(ValueError) as error:
        GraphSet.from_smiles(BAD)
    assert str(error.value) == (
        "Could not read 3 of 5 rows: row 1: 'C1CC' is not a valid SMILES; row 2: there is no "
        "SMILES; row 3: 'CN(C)(C)C' is not a molecule (Explicit valence for atom # 1 N, 4, is "
        "greater than permitted); correct them, or leave them out with errors='skip'."
    )


def test_failures_can_be_skipped_and_the_kept_rows_are_known():
    with pytest.warns(UserWarning, match=r"Left out 3 of 5 rows: row 1: 'C1CC' is not a valid"):
        graphs = GraphSet.from_smiles(BAD, errors="skip")
    assert graphs.rows.tolist() == [0, 4]
    y = np.array([10, 11, 12, 13, 14])
    assert y[graphs.rows].tolist() == [10, 14]
    assert graphs[[1]].rows.tolist() == [4]
    assert graphs[1:].rows.tolist() == [4]


def test_rdkit_prints_nothing_of_its_own(capfd):
    with pytest.warns(UserWarning):
        GraphSet.from_smiles(BAD, errors="skip")
    assert capfd.readouterr() == ("", "")


def test_all_rows_are_listed_by_number():
    with pytest.warns(UserWarning, match="also rows 3, 4, 5, 6, 7, 8 and 9"):
        GraphSet.from_smiles(["("] * 10 + ["C"], errors="skip")


def test_a_charge_that_is_not_defined_is_the_formal_one_with_one_note():
    molecules = ["CCO", "C[Se]C", "[O-]C(=O)C[Fe+2]", "CCN"]
    with pytest.warns(UserWarning) as notes:
        graphs = GraphSet.from_smiles(molecules, attributes=["gasteiger_charge", "formal_charge"])
    assert [str(note.message) for note in notes] == [
        "gasteiger_charge is not defined for all atoms of 2 of 4 molecules (the first is row 1); "
        "the formal charge stands for it there."
    ]
    assert len(graphs) == 4
    assert np.isfinite(graphs.attributes).all()
    assert graphs[1].attributes[:, 0].tolist() == graphs[1].attributes[:, 1].tolist()
    assert len(GraphSet.from_smiles(["C[Se]C"], attributes=["degree"])) == 1


def slowly_read(smiles, label_with):
    """Labels, edges and numbers by one call of RDKit per atom and property."""
    mol = Chem.MolFromSmiles(smiles)
    crippen = rdMolDescriptors._CalcCrippenContribs(mol)
    rdPartialCharges.ComputeGasteigerCharges(mol)
    labels, rows = [], []
    for atom in mol.GetAtoms():
        label = atom.GetSymbol().lower() if atom.GetIsAromatic() else atom.GetSymbol()
        n = atom.GetTotalNumHs(includeNeighbors=True)
        label += "" if n == 0 else "H" if n == 1 else f"H{n}"
        if atom.GetFormalCharge():
            label += f"{atom.GetFormalCharge():+d}".replace("+1", "+").replace("-1", "-")
        labels.append(label + (".ring" if atom.IsInRing() else ""))
        charge = atom.GetDoubleProp("_GasteigerCharge")
        charge = charge if np.isfinite(charge) else atom.GetFormalCharge()
        rows.append([charge, *crippen[atom.GetIdx()], atom.GetDegree()])
    names = {"SINGLE": "-", "DOUBLE": "=", "TRIPLE": "#", "AROMATIC": ":"}
    bonds = sorted(
        (*sorted((b.GetBeginAtomIdx(), b.GetEndAtomIdx())), str(b.GetBondType()))
        for b in mol.GetBonds()
    )
    return (
        labels,
        [[u, v] for u, v, _ in bonds],
        [names.get(kind, kind.lower()) for _, _, kind in bonds],
        rows,
    )


SPECIAL = [
    "N->[Fe]",
    "C[Mg]Br",
    "[2H]OC",
    "[H][H]",
    "[Na+].[Cl-]",
    "*CC",
    "[O-][n+]1cccc2[nH]ccc12",
]
SPECIAL += ["C[Se]C", "[NH4+]", "O=S(=O)(O)c1ccsc1", "B1OC1", "C#CC=C", "[Ca+2].[O-]C(=O)C"]


@pytest.mark.filterwarnings("ignore:gasteiger_charge is not defined")
def test_fast_reading_gives_what_slow_reading_gives(bbbp_smiles):
    label_with = ("aromaticity", "hydrogens", "charge", "ring")
    attributes = ["gasteiger_charge", "crippen_logp", "crippen_mr", "degree"]
    molecules = SPECIAL + bbbp_smiles
    graphs = GraphSet.from_smiles(molecules, label_with=label_with, attributes=attributes)
    for text, graph in zip(molecules, graphs, strict=True):
        labels, edges, orders, rows = slowly_read(text, label_with)
        assert graph.labels == labels, text
        assert graph.edges.tolist() == edges, text
        assert graph.edge_labels == orders, text
        assert graph.attributes.tolist() == rows, text
    mols = [Chem.MolFromSmiles(text) for text in molecules]
    assert GraphSet.from_rdkit(mols, label_with=label_with, attributes=attributes) == graphs


@pytest.mark.filterwarnings("ignore:gasteiger_charge is not defined")
def test_several_processes_read_the_same(bbbp_smiles):
    several = [*bbbp_smiles, "C1CC", "[Fe]CC"] * 3
    with pytest.warns(UserWarning, match=r"Left out 3 of .*C1CC"):
        alone = GraphSet.from_smiles(several, errors="skip")
    with pytest.warns(UserWarning, match=r"Left out 3 of .*C1CC"):
        graphs = GraphSet.from_smiles(several, errors="skip", n_jobs=2)
    assert graphs == alone
    assert graphs.rows.tolist() == alone.rows.tolist()
    assert graphs.recipe == alone.recipe
    assert graphs.vocabulary == alone.vocabulary


def write(path, text):
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_a_csv_file_gives_graphs_and_targets_that_fit(tmp_path):
    path = write(
        tmp_path / "table.csv", '\ufeffid,smiles,active\r\na,CCO,1\r\n"b\r\nb",C1CC,0\r\nc,CC,0\r\n'
    )
    with pytest.warns(UserWarning, match=r"row 1 \(line 4\): 'C1CC' is not a valid SMILES"):
        graphs, y = GraphSet.from_table(path, target="active", errors="skip")
    assert graphs == GraphSet.from_smiles(["CCO", "CC"])
    assert graphs.rows.tolist() == [0, 2]
    assert y.tolist() == [1, 0]
    assert y.dtype == np.int64


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (["1", "0"], "i", [1, 0]),
        (["1", "0.5"], "f", [1.0, 0.5]),
        (["yes", "no"], "U", ["yes", "no"]),
        (["1", "no"], "U", ["1", "no"]),
    ],
)
def test_targets_are_whole_numbers_numbers_or_words(tmp_path, values, kind, expected):
    path = write(tmp_path / "t.csv", f"smiles,y\nC,{values[0]}\nCC,{values[1]}\n")
    _, y = GraphSet.from_table(path, target="y")
    assert y.dtype.kind == kind
    assert y.tolist() == expected


def test_a_missing_target_is_a_failure(tmp_path):
    path = write(tmp_path / "t.csv", "smiles,y\nC,1\nCC,\n")
    with pytest.raises(ValueError, match=r"row 1 \(line 3\): there is no value in column 'y'"):
        GraphSet.from_table(path, target="y")


@pytest.mark.parametrize(("target", "shape"), [("a", (0,)), (["a"], (0,)), (["a", "b"], (0, 2))])
def test_a_table_without_rows_has_no_graphs_and_no_targets(tmp_path, target, shape):
    path = write(tmp_path / "t.csv", "smiles,a,b\n")
    graphs, y = GraphSet.from_table(path, target=target)
    assert (len(graphs), y.shape) == (0, shape)


def test_an_sdf_file_without_molecules_has_no_properties_to_choose_from(tmp_path):
    path = write(tmp_path / "t.sdf", "")
    with pytest.raises(ValueError, match=r"target 'a' in t\.sdf, but there are none"):
        GraphSet.from_sdf(path, target=["a", "b"])


def test_tables_of_every_kind_are_the_same(tmp_path):
    frame = pd.DataFrame({"smiles": SMILES, "y": range(5)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "t.tsv", index=False, sep="\t")
    frame.to_csv(tmp_path / "semicolon.csv", index=False, sep=";")
    frame.to_csv(tmp_path / "t.csv.gz", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    expected = GraphSet.from_smiles(SMILES)
    for source in ("t.csv", "t.tsv", "t.csv.gz", "t.parquet", frame):
        source = tmp_path / source if isinstance(source, str) else source
        graphs, y = GraphSet.from_table(source, target="y")
        assert graphs == expected
        assert y.tolist() == [0, 1, 2, 3, 4]
        assert GraphSet.from_table(source) == expected
    assert GraphSet.from_table(tmp_path / "semicolon.csv", separator=";") == expected


def test_plain_csv_needs_no_pandas(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    assert len(GraphSet.from_table(write(tmp_path / "t.csv", "smiles\nC\n"))) == 1


def test_a_smiles_file_has_names_and_comments(tmp_path):
    path = write(tmp_path / "new.smi", "CCO ethanol\n# a comment\n\nCC\tethane\nC\n")
    assert GraphSet.from_smiles(path) == GraphSet.from_smiles(["CCO", "CC", "C"])


@pytest.fixture
def sdf(tmp_path):
    """Ethanol and methane in 3-D with a property, and a record that RDKit refuses."""
    path = tmp_path / "three.sdf"
    with Chem.SDWriter(str(path)) as writer:
        for text, value in (("CCO", 1.5), ("C", 2.5)):
            mol = Chem.AddHs(Chem.MolFromSmiles(text))
            AllChem.EmbedMolecule(mol, randomSeed=1)
            mol = Chem.RemoveHs(mol)
            mol.SetDoubleProp("value", value)
            writer.write(mol)
    text = path.read_text()
    first, second, _ = text.split("$$$$\n")
    broken = second.replace(" C  ", " Xx ")
    path.write_text("$$$$\n".join([first, broken, second, ""]))
    return path


def test_sdf_files_give_coordinates_and_properties(sdf):
    with pytest.warns(UserWarning, match="Left out 1 of 3 rows: row 1: RDKit could not read it"):
        graphs, y = GraphSet.from_sdf(sdf, target="value", errors="skip", coordinates="3d")
    assert [graph.labels for graph in graphs] == [["C", "C", "O"], ["C"]]
    assert graphs.rows.tolist() == [0, 2]
    assert y.tolist() == [1.5, 2.5]
    first = Chem.MolFromMolBlock(sdf.read_text())
    assert np.allclose(graphs[0].attributes[:, -3:], first.GetConformer().GetPositions())


def test_sdf_files_may_be_packed(sdf):
    packed = sdf.with_suffix(".sdf.gz")
    packed.write_bytes(gzip.compress(sdf.read_bytes()))
    with pytest.warns(UserWarning):
        assert len(GraphSet.from_sdf(packed, errors="skip")) == 2


def test_a_missing_property_is_a_failure(sdf):
    with pytest.raises(ValueError, match=r"it has no property 'pIC50' \(its properties: value\)"):
        GraphSet.from_sdf(sdf, target="pIC50")


def test_a_model_reads_smiles_as_its_training_molecules_were_read(tmp_path):
    graphs = GraphSet.from_smiles(SMILES, label_with="aromaticity", attributes=["degree"])
    model = LagraModel(
        graphlets=[
            Graphlet(labels="cc", edges=[(0, 1)], attributes=[[2.0], [2.0]], edge_labels=[":"])
        ],
        coef=np.array([[2.0]]),
        intercept=np.array([-1.0]),
        rho=1.0,
        outputs=Outputs.of_classes(["open", "aromatic"]),
        input_spec=InputSpec.of(graphs),
    )
    model.save(tmp_path / "rings.aglets")
    again = load(tmp_path / "rings.aglets")
    assert again.predict(["c1ccccc1O", "CCCC"]).tolist() == ["aromatic", "open"]
    with pytest.raises(ValueError, match=r"labelled with label_with=\['aromaticity'\] in fit"):
        again.predict(GraphSet.from_smiles(["CC"], attributes=["degree"]))


@pytest.mark.data
@pytest.mark.filterwarnings("ignore:gasteiger_charge is not defined", "ignore:Left out")
def test_no_molecule_of_tox21_that_rdkit_reads_is_refused(data_folder):
    path = data_folder / "Tox21" / "tox21.csv"
    graphs = GraphSet.from_table(path, errors="skip")
    with rdBase.BlockLogs():
        read = [Chem.MolFromSmiles(text) is not None for text in pd.read_csv(path)["smiles"]]
    assert graphs.rows.tolist() == np.flatnonzero(read).tolist()
    assert len(graphs) > 7800
    assert np.isfinite(graphs.attributes).all()


def test_a_recipe_of_an_earlier_version_reads_as_it_did():
    recipe = (
        '{"molecule": {"label_with": [], "attributes": ["gasteiger_charge", "n_hydrogens", '
        '"degree", "in_ring"], "coordinates": null, "edge_labels": true, "hydrogens": false}}'
    )
    [graph] = as_graph_set(["C[NH2+]c1ccccc1"], recipe)
    assert graph.labels == ["C", "N", *"CCCCCC"]
    assert GraphSet.from_smiles(["C[NH2+]c1ccccc1"])[0].labels == ["C", "N+", *"cccccc"]


@pytest.mark.data
def test_bbbp_reads_but_for_eleven_rows(data_folder):
    with pytest.warns(UserWarning, match="Left out 11 of 2050 rows"):
        graphs, y = GraphSet.from_table(
            data_folder / "BBBP" / "BBBP.csv", target="BBBP", errors="skip"
        )
    assert len(graphs) == len(y) == 2039
    gone = sorted(set(range(2050)) - set(graphs.rows.tolist()))
    assert gone == [59, 61, 391, 614, 642, 645, 646, 647, 648, 649, 685]
