"""Skeletal formulas: what is drawn, what is marked, and where the molecules come from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("rdkit", reason="skeletal formulas need RDKit")
from rdkit import Chem

from aglets import Graphlet, GraphSet, LagraClassifier, datasets, load
from aglets.drawing.molecules import aligned_skeletons, mol_of_smiles, skeleton, written_smiles
from aglets.drawing.palette import CLASSES, NEGATIVE, POSITIVE, class_colours, label_colours
from aglets.drawing.skeletal import Mark, signed_marks, skeleton_svg
from aglets.graphlets.example import Example
from aglets.graphlets.skeletons import fragment_skeleton, graph_mol, skeletons_of
from aglets.model.examples import best_place
from aglets.model.training_graphs import MOST, TrainingGraphs

DRUGS = {
    "aspirin": "CC(=O)Oc1ccccc1C(=O)O",
    "nicotine": "CN1CCC[C@H]1c1cccnc1",
    "glycine zwitterion": "[NH3+]CC(=O)[O-]",
    "benzylpenicillin": "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O",
    "indole": "c1ccc2[nH]ccc2c1",
}


@pytest.fixture(scope="module")
def drugs():
    return GraphSet.from_smiles(list(DRUGS.values())).with_identity(
        names=list(DRUGS), smiles=list(DRUGS.values())
    )


@pytest.fixture(scope="module")
def demo():
    graphs, y = datasets.load_acids()
    return graphs, y, LagraClassifier(maxpat=3, n_lambdas=10).fit(graphs[:200], y[:200])


@pytest.mark.parametrize("smiles", DRUGS.values())
def test_every_bond_is_drawn_and_every_element_but_carbon_is_written(smiles):
    mol = mol_of_smiles(smiles)
    drawn = skeleton(mol)
    ends = np.array([[line.points[0], line.points[-1]] for line in drawn.lines])
    for bond in mol.GetBonds():
        place = drawn.atoms[[bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()]].mean(axis=0)
        assert np.linalg.norm(ends.mean(axis=1) - place, axis=1).min() < 6.0
    written = "".join(letter.text for letter in drawn.letters)
    for symbol in ("N", "O", "S"):
        assert written.count(symbol) == sum(a.GetSymbol() == symbol for a in mol.GetAtoms())
    assert "C" not in written
    assert written.count("+") == written.count("-") == smiles.count("+")


def test_everything_lies_within_the_picture():
    for smiles in [*DRUGS.values(), "C", "O", "[Na+].[Cl-]", "[2H]O[2H]"]:
        drawn = skeleton(mol_of_smiles(smiles))
        points = [point for line in drawn.lines for point in line.points]
        points += [(x, y) for x, y, _, _ in drawn.letters] + drawn.atoms.tolist()
        low, high = np.min(points, axis=0), np.max(points, axis=0)
        assert (low >= 0.0).all()
        assert (high <= (drawn.width, drawn.height)).all()


def test_molecules_of_one_scaffold_are_turned_alike():
    smiles = ["CN1C(=O)CN=C(c2ccccc2)c2cc(Cl)ccc21", "CCN1C(=O)CN=C(c2ccccc2)c2cc(Br)ccc21"]
    mols = [mol_of_smiles(text) for text in smiles]
    one, other = aligned_skeletons(mols)
    core = Chem.MolFromSmarts("O=C1CN=C(c2ccccc2)c2ccccc2N1")
    places = [
        drawn.atoms[list(mol.GetSubstructMatch(core))]
        for drawn, mol in zip((one, other), mols, strict=True)
    ]
    centred = [place - place.mean(axis=0) for place in places]
    assert np.allclose(*centred, atol=0.5)


def test_a_set_without_smiles_is_drawn_from_its_labels(drugs):
    bare = GraphSet.from_smiles(list(DRUGS.values())).with_identity(smiles=None)
    bare = replace(bare, smiles=None)
    for i, graph in enumerate(bare):
        assert graph.smiles is None
        mol = graph_mol(graph, bare.recipe)
        wanted = Chem.MolToSmiles(mol_of_smiles(list(DRUGS.values())[i]), isomericSmiles=False)
        assert Chem.MolToSmiles(mol, isomericSmiles=False) == wanted
    assert all(drawn is not None for drawn in skeletons_of(bare, bare.recipe))


def test_graphs_other_than_molecules_have_no_skeletal_formula():
    graphs, _, _ = datasets.make_planted(20, random_state=0)
    assert skeletons_of(graphs, graphs.recipe) == [None] * 20
    assert fragment_skeleton("AB", [(0, 1)], None, None) is None
    assert mol_of_smiles("not a molecule") is None


def test_hostile_names_stay_text():
    drawn = skeleton(mol_of_smiles("CCO"))
    name = "'><script>alert(1)</script>"
    picture = skeleton_svg(drawn, atoms={0: Mark(POSITIVE)}, name=name)
    assert "<script" not in picture
    assert "&lt;script&gt;" in picture


def test_marks_say_sign_by_colour_and_size_by_strength():
    atoms, bonds = signed_marks([2.0, -1.0, 0.0], [(0, 1), (1, 2)], [0.0, -3.0])
    assert atoms == {0: Mark(POSITIVE, 1.0), 1: Mark(NEGATIVE, 0.5)}
    assert bonds == {(1, 2): Mark(NEGATIVE, 1.0)}
    assert signed_marks([0.0], [], []) == ({}, {})


def test_one_colour_has_one_meaning():
    labels = set(label_colours([*range(50), "C", "N", "O", "Cl"]).values())
    assert labels.isdisjoint({POSITIVE, NEGATIVE, *CLASSES})
    assert {POSITIVE, NEGATIVE}.isdisjoint(class_colours(30))
    # Of two classes, what is evidence for the second is positive.
    assert class_colours(2) == (NEGATIVE, POSITIVE)


def test_a_graphlet_is_shown_in_the_training_molecule_that_it_fits_best(demo):
    graphs, _, clf = demo
    psi = clf.transform(graphs[:200])
    for j, graphlet in enumerate(clf.graphlets_):
        example = graphlet.example
        assert example.smiles in graphs.smiles[:200]
        assert example.psi >= psi[:, j].max() - 0.02
        query = Chem.MolFromSmarts(graphlet.smarts)
        matches = Chem.MolFromSmiles(example.smiles).GetSubstructMatches(query, uniquify=False)
        assert example.nodes in matches


def test_examples_do_not_depend_on_the_order_of_graphs(demo):
    graphs, _, clf = demo
    found = clf.model_.match(graphs)
    turned = clf.model_.match(graphs[np.arange(len(graphs))[::-1]])
    for j, graphlet in enumerate(clf.graphlets_):
        i, nodes, psi = best_place(graphlet, j, found)
        k, *rest = best_place(graphlet, j, turned)
        assert found.graphs[i] == turned.graphs[k]
        assert rest == [nodes, psi]


def test_a_molecule_without_smiles_is_written_with_its_atoms(drugs):
    mol = graph_mol(replace(drugs, smiles=None)[1], drugs.recipe)
    smiles, (nitrogen, last) = written_smiles(mol, (1, 9))
    again = Chem.MolFromSmiles(smiles)
    assert again.GetAtomWithIdx(nitrogen).GetSymbol() == "N"
    assert again.GetAtomWithIdx(last).GetSymbol() == mol.GetAtomWithIdx(9).GetSymbol()
    assert written_smiles(None, ()) is None


def test_examples_and_training_graphs_stay_in_the_model_file(demo, tmp_path):
    graphs, _, clf = demo
    clf.save(tmp_path / "demo.aglets")
    model = load(tmp_path / "demo.aglets")
    assert [g.example for g in model.graphlets] == [g.example for g in clf.graphlets_]
    assert model.training.n_graphs == 200
    assert model.training.seen(graphs).n_seen == clf.model_.training.seen(graphs).n_seen >= 200
    assert model.training.seen(graphs[200:]).n_seen == 0


def test_graphlets_are_equal_whatever_molecule_they_are_shown_in():
    one = Graphlet(labels="CO", edges=[(0, 1)])
    assert one == replace(one, example=Example("CO", (0, 1), 1.0))


def test_training_graphs_are_known_again_in_any_order_and_numbering(drugs):
    known = TrainingGraphs.of(drugs[:3])
    again = GraphSet.from_smiles(["OC(=O)c1ccccc1OC(C)=O", "CCC"])
    assert known.seen(again) == (2, 1)
    assert known.seen(drugs) == (5, 3)


def test_of_many_training_graphs_a_sample_is_kept():
    n = 3 * MOST
    graphs = GraphSet.from_lists(
        labels=[["a"]] * (2 * n),
        edges=[[]] * (2 * n),
        attributes=[[[float(i)]] for i in range(2 * n)],
    )
    known = TrainingGraphs.of(graphs[:n])
    assert len(known.hashes) == MOST
    looked_up, seen = known.seen(graphs)
    assert seen == MOST
    assert looked_up == pytest.approx(2 * MOST, rel=0.1)
    assert known.seen(graphs[n:]).n_seen == 0
