"""Names of graphlets of molecules: SMARTS, functional groups and words that are true."""

from __future__ import annotations

import numpy as np
import pytest
from rdkit import Chem

from aglets import Graphlet, GraphSet, LagraClassifier, datasets
from aglets.graphlets.atom_labels import LABEL_WITH, AtomLabel
from aglets.graphlets.groups import FEWEST, SHARE, group_name
from aglets.graphlets.occurrences import occurrences

FEATURES = {
    "elements": {"label_with": (), "attributes": ("n_hydrogens", "in_ring")},
    "aromatic, hydrogens and charge": {
        "label_with": ("aromaticity", "hydrogens", "charge"),
        "attributes": ("gasteiger_charge",),
    },
    "everything that SMARTS can say": {
        "label_with": ("aromaticity", "hydrogens", "charge", "ring", "hybridisation"),
        "attributes": (),
    },
    "bonds of any kind": {"label_with": ("charge",), "attributes": (), "edge_labels": False},
    "hydrogens as nodes": {"label_with": (), "attributes": (), "hydrogens": True},
}
RECIPE = '{"molecule": {"label_with": %s}}'


@pytest.mark.data
@pytest.mark.parametrize("features", FEATURES.values(), ids=list(FEATURES))
@pytest.mark.filterwarnings("ignore:gasteiger_charge is not defined")
def test_smarts_match_exactly_where_graphlets_do(bbbp_smiles, features):
    some = bbbp_smiles[:: 10 if features.get("hydrogens") else 5]
    graphs = GraphSet.from_smiles(some, **features)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, len(graphs))  # noise: graphlets of many kinds
    clf = LagraClassifier(maxpat=6, n_lambdas=30, lambda_ratio=0.2).fit(graphs, y)
    assert len(clf.graphlets_) > 15
    mols = [Chem.MolFromSmiles(text) for text in some]
    if features.get("hydrogens"):
        mols = [Chem.AddHs(mol) for mol in mols]
    scaled = clf.model_.input_spec.to_model_units(graphs)
    kept = clf.transform(graphs) > 0.0
    for j, graphlet in enumerate(clf.graphlets_):
        query = Chem.MolFromSmarts(graphlet.to_smarts())
        ours = occurrences(scaled, clf.model_.scaled_graphlets[j], rho=1.0)
        for i, (mol, listed) in enumerate(zip(mols, ours, strict=True)):
            theirs = mol.GetSubstructMatches(query, maxMatches=100_000)
            assert {frozenset(atoms) for atoms in theirs} == {
                frozenset(one.embedding) for one in listed.found
            }, (graphlet.to_smarts(), some[i])
            assert listed.complete
            assert kept[i, j] == bool(theirs)


@pytest.mark.parametrize("element", ["C", "N", "Cl", "Se", "H", "*", "Fe"])
@pytest.mark.parametrize("hydrogens", [None, 0, 1, 3])
@pytest.mark.parametrize("charge", [None, 0, 1, -2])
def test_labels_are_read_as_they_were_written(element, hydrogens, charge):
    for aromatic in (None, False, True):
        if aromatic and element in ("H", "*", "Fe", "Cl"):
            continue
        label = AtomLabel(element, aromatic, hydrogens, charge, True, "sp2", "R")
        said = [
            *(["aromaticity"] if aromatic is not None else []),
            *(["hydrogens"] if hydrogens is not None else []),
            *(["charge"] if charge is not None else []),
            *("ring", "hybridisation", "stereo"),
        ]
        assert AtomLabel.parse(label.text, said) == label


def test_labels_of_other_graphs_have_no_smarts():
    with pytest.raises(ValueError, match="only graphlets of molecules have SMARTS"):
        Graphlet(labels=[1, 2], edges=[(0, 1)]).to_smarts()
    with pytest.raises(ValueError, match="SMARTS has no R and S"):
        Graphlet(labels=["CH.R"], edges=[]).to_smarts()
    with pytest.raises(ValueError, match="Expected bonds that SMARTS can write"):
        Graphlet(labels="CC", edges=[(0, 1)], edge_labels=["dative"]).to_smarts()


@pytest.mark.parametrize(
    ("labels", "bonds", "name"),
    [
        (["C", "O", "OH"], "=-", "carboxylic acid"),
        (["c", "F"], "-", "aryl fluoride"),
        (["C", "N"], "#", "nitrile"),
        (["C", "O", "NH"], "=-", "amide"),
        (["C", "CH2"], "-", "[CH0]-[CH2]"),
        (["OH"], "", "[OH]"),
    ],
)
def test_functional_groups_are_named_where_they_are_true(labels, bonds, name):
    graphlet = Graphlet(
        labels=labels,
        edges=[(0, i) for i in range(1, len(labels))],
        edge_labels=list(bonds),
        recipe=RECIPE % '["aromaticity", "hydrogens"]',
    )
    assert graphlet.name == name


@pytest.mark.data
def test_a_name_holds_for_molecules_that_it_was_not_looked_up_in(bbbp_smiles):
    """RDKit's own definition of an amide, on molecules of another source."""
    graphs = GraphSet.from_smiles(bbbp_smiles[:500], label_with=("aromaticity", "hydrogens"))
    clf = LagraClassifier(maxpat=4, n_lambdas=20).fit(graphs, np.arange(500) % 2)
    named = [h for h in clf.graphlets_ if h.smarts and group_name(h.smarts)]
    assert any(h.name == group_name(h.smarts).name for h in named)
    from aglets.graphlets.groups import _groups

    patterns = {}
    for group in _groups():
        patterns.setdefault(group.name, []).append(group.query)
    mols = [Chem.MolFromSmiles(text) for text in bbbp_smiles]
    held, total = 0, 0
    for graphlet in named:
        group = group_name(graphlet.smarts)
        if group.relation != "is" or "ide" in group.name[-3:]:
            continue
        query = Chem.MolFromSmarts(graphlet.smarts)
        for mol in mols:
            sites = [set(m) for p in patterns[group.name] for m in mol.GetSubstructMatches(p)]
            for match in mol.GetSubstructMatches(query):
                total += 1
                held += any(site <= set(match) for site in sites)
    assert total > FEWEST
    assert held > (SHARE - 0.05) * total


def test_words_never_say_what_cannot_exist():
    rng = np.random.default_rng(0)
    names = ("n_hydrogens", "formal_charge", "in_ring", "gasteiger_charge", "tpsa", "crippen_mr")
    for row in rng.normal(0.0, 20.0, (200, len(names))):
        graphlet = Graphlet(
            labels=["N"], edges=[], attributes=[row], attribute_names=names, recipe=RECIPE % "[]"
        )
        [text] = graphlet.node_words
        atom, *numbers = text.split(", ")
        assert "N" in atom
        assert "." not in atom
        values = {part.split()[0]: float(part.split()[1]) for part in numbers}
        assert -1.0 <= values["charge"] <= 1.0
        assert 0.0 <= values["TPSA"] <= 35.0
        assert 0.0 <= values["MR"] <= 14.02


def test_an_oxygen_on_a_carbon_has_no_room_for_two_hydrogens():
    graphlet = Graphlet(
        labels="CO",
        edges=[(0, 1)],
        edge_labels="=",
        attributes=[[3.7], [1.9]],
        attribute_names=["n_hydrogens"],
        recipe=RECIPE % "[]",
    )
    assert graphlet.node_words == ["CH₂", "O"]


def test_what_has_no_molecule_has_no_words():
    graphlet = Graphlet(labels="CO", edges=[(0, 1)], attributes=[[1.0], [2.0]])
    assert graphlet.node_words is None
    assert graphlet.smarts is None
    assert graphlet.name == "C-O"


def test_tables_and_feature_names_say_what_graphlets_are_called():
    graphs, y = datasets.load_acids()
    clf = LagraClassifier(maxpat=4, n_lambdas=20).fit(graphs, y)
    names = clf.get_feature_names_out().tolist()
    assert len(set(names)) == len(names) == len(clf.graphlets_)
    assert clf.explain_global().to_frame()["graphlet"].tolist() == [h.name for h in clf.graphlets_]
    entry = clf.explain_global().to_dict()["graphlets"][0]["graphlet"]
    assert Chem.MolFromSmarts(entry["smarts"]) is not None
    assert len(entry["words"]) == clf.graphlets_[0].n_nodes
    assert clf.graphlets_[0].plot().figure_.axes


def test_every_part_of_a_label_can_be_asked_for():
    [graph] = GraphSet.from_smiles(["C[C@H](N)c1ccccc1"], label_with=LABEL_WITH)
    assert graph.labels[:4] == ["CH3.sp3", "CH.sp3.S", "NH2.sp3", "c.ring.sp2"]


def test_names_leave_out_that_atoms_have_no_charge():
    recipe = RECIPE % '["aromaticity", "charge"]'
    pieces = {"recipe": recipe, "edges": [(0, 1)], "edge_labels": ["-"]}
    plain = Graphlet(labels=["N", "c"], **pieces)
    assert (plain.name, plain.to_smarts()) == ("N-c", "[N+0]-[c+0]")
    charged = Graphlet(labels=["N+", "c"], **pieces)
    assert charged.name.startswith("[N+]-c")
    metal = Graphlet(labels=["C", "Sn"], **pieces)
    assert (metal.name, metal.to_smarts()) == ("C-[Sn]", "[C+0]-[#50&A+0]")
