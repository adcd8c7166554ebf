"""Which labels and attributes the atoms of a molecule get.

By default a node is a heavy atom labelled with its element; its attributes are the Gasteiger
charge, the number of hydrogens, the degree (number of neighbours among the nodes) and whether it is
in a ring (0 or 1); an edge is a bond labelled with its order as in SMILES: ``-``, ``=``, ``#`` or
``:`` (aromatic). Everything else is asked for by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

import numpy as np

from aglets.graphs import GraphSet
from aglets.graphs.checks import listing
from aglets.io.failures import Errors, Failure, check_errors, report
from aglets.io.optional import optional

if TYPE_CHECKING:
    from typing_extensions import Unpack

GASTEIGER = "gasteiger_charge"
DEFAULT_ATTRIBUTES = (GASTEIGER, "n_hydrogens", "degree", "in_ring")
LABEL_WITH = ("aromaticity", "charge", "hybridisation")

_ATTRIBUTES: dict[str, Callable[[Any], float]] = {
    GASTEIGER: lambda atom: atom.GetDoubleProp("_GasteigerCharge"),
    "n_hydrogens": lambda atom: atom.GetTotalNumHs(),
    "degree": lambda atom: atom.GetDegree(),
    "in_ring": lambda atom: atom.IsInRing(),
    "aromatic": lambda atom: atom.GetIsAromatic(),
    "atomic_number": lambda atom: atom.GetAtomicNum(),
    "formal_charge": lambda atom: atom.GetFormalCharge(),
    "mass": lambda atom: atom.GetMass(),
}
_BONDS = {"SINGLE": "-", "DOUBLE": "=", "TRIPLE": "#", "AROMATIC": ":", "QUADRUPLE": "$"}


class FeatureOptions(TypedDict, total=False):
    """The options of `MoleculeFeatures`, as every reader of molecules takes them."""

    label_with: str | Sequence[str]
    attributes: str | Sequence[str]
    coordinates: Literal["2d", "3d"] | None
    edge_labels: bool
    hydrogens: bool


@dataclass(frozen=True)
class MoleculeFeatures:
    """What to read of a molecule; see `aglets.GraphSet.from_smiles` for the options."""

    label_with: tuple[str, ...] = ()
    attributes: tuple[str, ...] = DEFAULT_ATTRIBUTES
    coordinates: Literal["2d", "3d"] | None = None
    edge_labels: bool = True
    hydrogens: bool = False

    @classmethod
    def of(cls, **options: Unpack[FeatureOptions]) -> MoleculeFeatures:
        """Take the options as users write them: one name or several."""
        given: dict[str, Any] = dict(options)
        for key, known in (("label_with", LABEL_WITH), ("attributes", tuple(_ATTRIBUTES))):
            if key in given:
                names = (given[key],) if isinstance(given[key], str) else tuple(given[key])
                unknown = [repr(name) for name in names if name not in known]
                if unknown:
                    raise ValueError(
                        f"Expected {key} to name some of {', '.join(known)}, "
                        f"got {listing(unknown)}."
                    )
                given[key] = names
        if given.get("coordinates") not in (None, "2d", "3d"):
            raise ValueError(
                f"Expected coordinates to be '2d', '3d' or None, got {given['coordinates']!r}."
            )
        return cls(**given)

    @classmethod
    def from_recipe(cls, recipe: str) -> MoleculeFeatures | None:
        """Return the features that a recipe stands for, or None if it is of another kind."""
        options = json.loads(recipe).get("molecule")
        return None if options is None else cls.of(**options)

    @property
    def recipe(self) -> str:
        """The features as text, to be kept with the graphs."""
        return json.dumps({"molecule": asdict(self)})

    @property
    def attribute_names(self) -> tuple[str, ...]:
        """The names of all attributes, coordinates last."""
        return (
            self.attributes + {None: (), "2d": ("x", "y"), "3d": ("x", "y", "z")}[self.coordinates]
        )


class Molecule(NamedTuple):
    """One molecule as lists."""

    labels: list[str]
    edges: list[tuple[int, int]]
    rows: Any
    edge_labels: list[str]


class MoleculeReader:
    """Turns RDKit molecules and SMILES into graphs."""

    def __init__(self, features: MoleculeFeatures) -> None:
        self.features = features
        self.chem = optional("rdkit.Chem", "reading molecules")
        self._rd = optional("rdkit.rdBase", "reading molecules")
        self._charges = optional("rdkit.Chem.rdPartialCharges", "reading molecules")
        self._getters = [_ATTRIBUTES[name] for name in features.attributes]

    def quiet(self) -> Any:
        """Keep RDKit from printing, for its complaints are in the report."""
        return self._rd.BlockLogs()

    def of_smiles(self, smiles: Any) -> Molecule | str:
        """Read SMILES; return what is wrong with it if that fails."""
        if not isinstance(smiles, str):
            return f"expected SMILES, got {smiles!r}"
        if not smiles.strip():
            return "there is no SMILES"
        with self.quiet():
            mol = self.chem.MolFromSmiles(smiles)
            if mol is None:
                return self._reason(smiles)
            return self.of_mol(mol)

    def of_block(self, block: str) -> Molecule | str:
        """Read a record of an SDF file; return what is wrong with it if that fails."""
        with self.quiet():
            return self.of_mol(self.chem.MolFromMolBlock(block))

    def _reason(self, smiles: str) -> str:
        """Say why RDKit refuses."""
        mol = self.chem.MolFromSmiles(smiles, sanitize=False)
        problems = [] if mol is None else self.chem.DetectChemistryProblems(mol)
        if not problems:
            return f"{smiles!r} is no valid SMILES"
        return f"{smiles!r} is no molecule ({problems[0].Message()})"

    def of_mol(self, mol: Any) -> Molecule | str:
        """Read an RDKit molecule; return what is wrong with it if that fails."""
        features = self.features
        if mol is None:
            return "RDKit could not read it"
        if not hasattr(mol, "GetAtoms"):
            return f"expected an RDKit molecule, got {type(mol).__name__}"
        if mol.GetNumAtoms() == 0:
            return "it has no atoms"
        if features.hydrogens:
            mol = self.chem.AddHs(mol)
        # By number: RDKit's own iteration checks at every step whether the molecule has changed.
        atoms = [mol.GetAtomWithIdx(i) for i in range(mol.GetNumAtoms())]
        if GASTEIGER in features.attributes:
            fault = self._charge(mol, atoms)
            if fault:
                return fault
        rows = np.array(
            [[getter(atom) for getter in self._getters] for atom in atoms], dtype=np.float64
        ).reshape(len(atoms), -1)
        if features.coordinates is not None:
            positions = self._positions(mol)
            if isinstance(positions, str):
                return positions
            rows = np.concatenate([rows, positions], axis=1)
        bonds = [mol.GetBondWithIdx(i) for i in range(mol.GetNumBonds())]
        return Molecule(
            [self._label(atom) for atom in atoms],
            [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds],
            rows,
            [_bond(bond) for bond in bonds] if features.edge_labels else [],
        )

    def _label(self, atom: Any) -> str:
        label: str = atom.GetSymbol()
        wanted = self.features.label_with
        if not wanted:
            return label
        if "aromaticity" in wanted and atom.GetIsAromatic():
            label = label.lower()
        charge = atom.GetFormalCharge()
        if "charge" in wanted and charge:
            sign = "+" if charge > 0 else "-"
            label += sign if abs(charge) == 1 else f"{sign}{abs(charge)}"
        if "hybridisation" in wanted:
            label += f".{str(atom.GetHybridization()).lower()}"
        return label

    def _charge(self, mol: Any, atoms: list[Any]) -> str | None:
        self._charges.ComputeGasteigerCharges(mol)
        if np.isfinite([atom.GetDoubleProp("_GasteigerCharge") for atom in atoms]).all():
            return None
        elements = listing(list(dict.fromkeys(atom.GetSymbol() for atom in atoms)), limit=8)
        return (
            f"Gasteiger charges are not defined for all of its elements ({elements}); "
            f"choose attributes without {GASTEIGER!r} to read it"
        )

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


def _bond(bond: Any) -> str:
    kind = str(bond.GetBondType())
    return _BONDS.get(kind, kind.lower())


def molecule_set(
    molecules: Sequence[Molecule], features: MoleculeFeatures, rows: Sequence[int]
) -> GraphSet:
    """Put molecules together; `rows` says which row of the source each is."""
    names = features.attribute_names
    graphs = GraphSet.from_lists(
        labels=[molecule.labels for molecule in molecules],
        edges=[molecule.edges for molecule in molecules],
        attributes=[molecule.rows for molecule in molecules] if names else None,
        edge_labels=(
            [molecule.edge_labels for molecule in molecules] if features.edge_labels else None
        ),
        attribute_names=names if names and molecules else None,
    )
    return replace(graphs, rows=np.array(rows, dtype=np.int64), recipe=features.recipe)


def read_molecules(
    items: Iterable[tuple[int, int | None, Molecule | str]],
    features: MoleculeFeatures,
    errors: Errors,
) -> GraphSet:
    """Gather what was read, each as (row, line, molecule or what is wrong), and report failures."""
    check_errors(errors)
    molecules, rows, failures = [], [], []
    for row, line, molecule in items:
        if isinstance(molecule, str):
            failures.append(Failure(row, molecule, line))
        else:
            molecules.append(molecule)
            rows.append(row)
    report(failures, len(rows) + len(failures), errors)
    return molecule_set(molecules, features, rows)
