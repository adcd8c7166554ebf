"""From one molecule of RDKit to labels, attributes and bonds.

Reading is most of the time of a prediction, and a call into RDKit per atom and property most of
reading. So atoms of the same kind are described once, bonds come from one matrix, and numbers stay
in lists until all molecules are put together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from aglets.graphlets.atom_labels import AtomLabel
from aglets.graphs.arrays import Codes, Floats
from aglets.graphs.optional import optional
from aglets.io._molecules import GASTEIGER, MoleculeFeatures

__all__ = ["BONDS", "Molecule", "MoleculeReader", "is_gap"]

#: Names of the bond orders that RDKit's matrix of bonds distinguishes.
BONDS = {1.0: "-", 2.0: "=", 3.0: "#", 1.5: ":", 4.0: "$"}
_BOND_NAMES = {"SINGLE": "-", "DOUBLE": "=", "TRIPLE": "#", "AROMATIC": ":", "QUADRUPLE": "$"}
#: Atoms between which RDKit makes no bonds but those of `BONDS`: H, C, N, O, F, P, S, Cl, Br, I.
_COMMON = frozenset((1, 6, 7, 8, 9, 15, 16, 17, 35, 53))

#: The method of an RDKit atom that gives an attribute.
_PER_ATOM = {
    "n_hydrogens": "GetTotalNumHs",
    "degree": "GetDegree",
    "in_ring": "IsInRing",
    "aromatic": "GetIsAromatic",
    "atomic_number": "GetAtomicNum",
    "formal_charge": "GetFormalCharge",
    "mass": "GetMass",
}
#: A hydrogen that SMILES list as an atom of its own: [H], [2H], [H+].
_HYDROGEN = re.compile(r"\[\d*H")


class Molecule(NamedTuple):
    """One molecule: edges as pairs u < v in order, columns of attributes, and labels as text.

    `orders` are the keys of `BONDS`, or else the labels of bonds themselves. `imputed` says whether
    a property of its atoms was not defined, so that another number stands for it.
    """

    labels: list[str]
    columns: list[Sequence[float]]
    edges: Codes
    orders: Floats | list[str]
    imputed: bool


class MoleculeReader:
    """Turns RDKit molecules and SMILES into graphs."""

    def __init__(self, features: MoleculeFeatures) -> None:
        self.features = features
        self.chem = optional("rdkit.Chem", "reading molecules")
        self._rd = optional("rdkit.rdBase", "reading molecules")
        self._charges = optional("rdkit.Chem.rdPartialCharges", "reading molecules")
        self._descriptors = optional("rdkit.Chem.rdMolDescriptors", "reading molecules")
        wanted = features.label_with
        self._stereo = "stereo" in wanted
        # What of an atom its label depends on, in the order of the arguments of `_label`.
        self._said = (
            "aromaticity" in wanted,
            "hydrogens" in wanted,
            "charge" in wanted,
            "ring" in wanted,
            "hybridisation" in wanted,
            self._stereo,
        )
        self._texts: dict[Any, str] = {}
        self._methods = {
            name: getattr(self.chem.Atom, method) for name, method in _PER_ATOM.items()
        }
        self._unchecked = self.chem.SmilesParserParams()
        self._unchecked.sanitize = self._unchecked.removeHs = False
        # Stereo is a fifth of parsing, and only these look at it.
        self._needs_stereo = self._stereo or features.coordinates is not None

    def quiet(self) -> Any:
        """Keep RDKit from printing, for its complaints are in the report."""
        return self._rd.BlockLogs()

    def of_smiles(self, smiles: Any) -> Molecule | str:
        """Read SMILES; return what is wrong with it if that fails."""
        if not isinstance(smiles, str):
            return "there is no SMILES" if is_gap(smiles) else f"expected SMILES, got {smiles!r}"
        if not smiles.strip():
            return "there is no SMILES"
        mol = self._parsed(smiles)
        if mol is None:
            return self._reason(smiles)
        # Only SMILES with arrows have bonds between common atoms that are not in `BONDS`.
        return self._of_mol(mol, plain_bonds=">" not in smiles and "<" not in smiles)

    def _parsed(self, smiles: str) -> Any:
        """Parse SMILES, without what only stereo labels and coordinates need; None if it fails."""
        if self._needs_stereo or _HYDROGEN.search(smiles):
            return self.chem.MolFromSmiles(smiles)
        mol = self.chem.MolFromSmiles(smiles, self._unchecked)
        if mol is None or self.chem.SanitizeMol(mol, catchErrors=True):
            return None
        return mol

    def of_block(self, block: str) -> Molecule | str:
        """Read a record of an SDF file; return what is wrong with it if that fails."""
        return self.of_mol(self.chem.MolFromMolBlock(block))

    def _reason(self, smiles: str) -> str:
        """Say why RDKit refuses."""
        mol = self.chem.MolFromSmiles(smiles, sanitize=False)
        problems = [] if mol is None else self.chem.DetectChemistryProblems(mol)
        if not problems:
            return f"{smiles!r} is not a valid SMILES"
        return f"{smiles!r} is not a molecule ({problems[0].Message()})"

    def of_mol(self, mol: Any) -> Molecule | str:
        """Read an RDKit molecule; return what is wrong with it if that fails."""
        if is_gap(mol):
            return "RDKit could not read it"
        if not hasattr(mol, "GetAtoms"):
            return f"expected an RDKit molecule, got {type(mol).__name__}"
        return self._of_mol(mol, plain_bonds=False)

    def _of_mol(self, mol: Any, *, plain_bonds: bool) -> Molecule | str:
        if mol.GetNumAtoms() == 0:
            return "it has no atoms"
        if self.features.hydrogens:
            mol = self.chem.AddHs(mol)
        if self._stereo:
            mol = self._with_stereo(mol)
        # By number: RDKit's own iteration checks at every step whether the molecule has changed.
        get = mol.GetAtomWithIdx
        atoms = [get(i) for i in range(mol.GetNumAtoms())]
        numbers = list(map(self._methods["atomic_number"], atoms))
        columns, imputed = self._columns(mol, atoms)
        if self.features.coordinates is not None:
            positions = self._positions(mol)
            if isinstance(positions, str):
                return positions
            columns += list(positions.T)
        plain_bonds = plain_bonds and not self._stereo and _COMMON.issuperset(numbers)
        edges, orders = self._matrix_bonds(mol) if plain_bonds else self._listed_bonds(mol)
        return Molecule(self._labels(atoms, numbers), columns, edges, orders, imputed)

    def _labels(self, atoms: list[Any], numbers: list[int]) -> list[str]:
        """Name atoms; the name of each kind is made once."""
        aromaticity, hydrogens, charge, ring, hybridisation, stereo = self._said
        properties = [
            *([map(self._methods["aromatic"], atoms)] if aromaticity else []),
            *([[atom.GetTotalNumHs(True) for atom in atoms]] if hydrogens else []),
            *([map(self._methods["formal_charge"], atoms)] if charge else []),
            *([map(self._methods["in_ring"], atoms)] if ring else []),
            *([[str(atom.GetHybridization()).lower() for atom in atoms]] if hybridisation else []),
            *([[_centre(atom) for atom in atoms]] if stereo else []),
        ]
        kinds: list[Any] = list(zip(numbers, *properties, strict=True)) if properties else numbers
        texts = self._texts
        for kind in set(kinds).difference(texts):
            texts[kind] = self._text(atoms[kinds.index(kind)])
        return [texts[kind] for kind in kinds]

    def _text(self, atom: Any) -> str:
        aromaticity, hydrogens, charge, ring, hybridisation, stereo = self._said
        return AtomLabel(
            element=atom.GetSymbol(),
            aromatic=atom.GetIsAromatic() if aromaticity else None,
            # With hydrogens that are nodes, as SMARTS counts them.
            hydrogens=atom.GetTotalNumHs(True) if hydrogens else None,
            charge=atom.GetFormalCharge() if charge else None,
            ring=atom.IsInRing() if ring else None,
            hybridisation=str(atom.GetHybridization()).lower() if hybridisation else None,
            stereo=_centre(atom) if stereo else None,
        ).text

    def _columns(self, mol: Any, atoms: list[Any]) -> tuple[list[Sequence[float]], bool]:
        """Return the attributes, one list each, and whether one was not defined."""
        columns: list[Sequence[float]] = []
        imputed = False
        for name in self.features.attributes:
            if name in ("crippen_logp", "crippen_mr"):
                contributions = self._descriptors._CalcCrippenContribs(mol)
                part = 0 if name == "crippen_logp" else 1
                columns.append([pair[part] for pair in contributions])
            elif name == "tpsa":
                columns.append(self._descriptors._CalcTPSAContribs(mol))
            elif name == GASTEIGER:
                charges, imputed = self._gasteiger(mol, atoms)
                columns.append(charges)
            else:
                columns.append(list(map(self._methods[name], atoms)))
        return columns, imputed

    def _gasteiger(self, mol: Any, atoms: list[Any]) -> tuple[list[float], bool]:
        """Return partial charges; where they are not defined, formal charges."""
        self._charges.ComputeGasteigerCharges(mol)
        charges = [atom.GetDoubleProp("_GasteigerCharge") for atom in atoms]
        if math.isfinite(sum(charges)):
            return charges, False
        return [
            charge if math.isfinite(charge) else float(atom.GetFormalCharge())
            for charge, atom in zip(charges, atoms, strict=True)
        ], True

    def _matrix_bonds(self, mol: Any) -> tuple[Codes, Floats]:
        matrix = self.chem.GetAdjacencyMatrix(mol, useBO=True)
        u, v = matrix.nonzero()
        upper = u < v
        u, v = u[upper], v[upper]
        return np.array((u, v)).T, matrix[u, v]

    def _listed_bonds(self, mol: Any) -> tuple[Codes, list[str]]:
        """List bonds of any kind, sorted by their ends."""
        bonds = [mol.GetBondWithIdx(i) for i in range(mol.GetNumBonds())]
        listed = sorted(
            (*sorted((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())), self._bond(bond))
            for bond in bonds
        )
        edges = np.array([(u, v) for u, v, _ in listed], dtype=np.int32).reshape(-1, 2)
        return edges, [label for _, _, label in listed]

    def _bond(self, bond: Any) -> str:
        kind = str(bond.GetBondType())
        label = _BOND_NAMES.get(kind, kind.lower())
        if self._stereo and bond.HasProp("_CIPCode"):
            return f"{label}{bond.GetProp('_CIPCode')}"
        return label

    def _with_stereo(self, mol: Any) -> Any:
        """Name stereocentres and double bonds by the rules of Cahn, Ingold and Prelog."""
        mol = self.chem.Mol(mol)
        optional("rdkit.Chem.rdCIPLabeler", "stereo labels").AssignCIPLabels(mol)
        return mol

    def _positions(self, mol: Any) -> Any:
        """Return the coordinates the molecule has, or make them."""
        if self.features.coordinates == "2d":
            if not mol.GetNumConformers() or mol.GetConformer().Is3D():
                optional("rdkit.Chem.rdDepictor", "2-D coordinates").Compute2DCoords(mol)
            return mol.GetConformer().GetPositions()[:, :2]
        if mol.GetNumConformers() and mol.GetConformer().Is3D():
            return mol.GetConformer().GetPositions()
        full = mol if self.features.hydrogens else self.chem.AddHs(mol)
        geometry = optional("rdkit.Chem.rdDistGeom", "3-D coordinates")
        settings = geometry.ETKDGv3()
        settings.randomSeed = 0  # the same molecule always gets the same coordinates
        if geometry.EmbedMolecule(full, settings) < 0:
            return "no 3-D coordinates could be made for it"
        return full.GetConformer().GetPositions()[: mol.GetNumAtoms()]


def is_gap(value: Any) -> bool:
    """Whether a value stands for a missing one: None, NaN or pandas' NA."""
    nothing = value is None or type(value).__name__ == "NAType"
    return nothing or (isinstance(value, float) and value != value)


def _centre(atom: Any) -> str | None:
    """Return R, S, pR or pS, or None for an atom that is not a stereocentre."""
    if not atom.HasProp("_CIPCode"):
        return None
    code: str = atom.GetProp("_CIPCode")
    return code if code.isupper() else f"p{code.upper()}"
