"""Write src/aglets/datasets/acids.npz: small molecules put together from fragments, and a rule.

A molecule is a core with one or two groups at its ends. It is "acidic" if one of its groups is a
carboxylic acid or a phenol, else "neutral"; esters, ethers, amides and alcohols must be
distinguished from those. Run it with `python tools/make_acids.py` (it needs RDKit);
nothing else writes the file.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
from make_demo import columns_of
from rdkit import Chem, rdBase

from aglets import GraphSet

TARGET = Path(__file__).parents[1] / "src" / "aglets" / "datasets" / "acids.npz"
N_MOLECULES = 300

CORES = [
    "c1ccc({0})cc1{1}",
    "c1cc({0})cc({1})c1",
    "c1cc({0})cnc1{1}",
    "C1CCC({0})CC1{1}",
    "C1CN(CC{0})CCC1{1}",
    "c1ccc2c({0})cccc2c1{1}",
    "CC({0})CC{1}",
    "C({0})COCC{1}",
    "c1cc({0})sc1{1}",
    "C({0})CN(C)CC{1}",
]
ACIDIC = ["C(=O)O", "CC(=O)O"]
PHENOL = "O"
NEUTRAL = [
    *("C(=O)OC", "C(=O)N", "OC", "N", "NC", "Cl", "F", "C", "CO", "C#N", "C(C)=O", "N1CCOCC1"),
]
ACID = Chem.MolFromSmarts("[CX3](=O)[OX2H1]")
ACIDIC_PHENOL = Chem.MolFromSmarts("[OX2H1]c")
# What would not keep in a bottle: bonds between heteroatoms, two of them on one chain carbon.
UNSTABLE = [Chem.MolFromSmarts(text) for text in ("[N,O][N,O,F,Cl]", "[CX4]([N,O,F,Cl])[N,O,F,Cl]")]


def is_acidic(mol: Chem.Mol) -> bool:
    """Say whether it has a carboxylic acid or a phenol: the rule."""
    return mol.HasSubstructMatch(ACID) or mol.HasSubstructMatch(ACIDIC_PHENOL)


def molecules() -> dict[str, bool]:
    """List all combinations that are molecules, as canonical SMILES with their class."""
    groups = [*ACIDIC, PHENOL, *NEUTRAL]
    found = {}
    for core, first, second in product(CORES, groups, groups):
        mol = Chem.MolFromSmiles(core.format(first, second))
        if mol is not None and not any(map(mol.HasSubstructMatch, UNSTABLE)):
            found[Chem.MolToSmiles(mol)] = is_acidic(mol)
    return found


def main() -> None:
    """Draw as many of both classes, read them as graphs, and store the columns."""
    rng = np.random.default_rng(0)
    with rdBase.BlockLogs():
        found = molecules()
    smiles: list[str] = []
    for target in (True, False):
        members = sorted(text for text, acidic in found.items() if acidic is target)
        smiles += [members[i] for i in rng.permutation(len(members))[: N_MOLECULES // 2]]
    smiles = [smiles[i] for i in rng.permutation(len(smiles))]
    graphs = GraphSet.from_smiles(smiles)
    np.savez_compressed(
        TARGET,
        smiles=np.array(smiles),
        acidic=np.array([found[text] for text in smiles]),
        **columns_of(graphs),
    )
    print(f"{len(found)} molecules, {len(smiles)} kept; {TARGET.stat().st_size} bytes written")


if __name__ == "__main__":
    main()
