"""Molecules as chemists draw them, by RDKit, which is imported only when one is drawn.

A molecule comes as SMILES or as plain lists of atoms and bonds; what goes out is a `Skeleton`.
Molecules of one picture book that share a scaffold are turned alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from aglets.drawing.skeletal import BOND, Letter, Line, Skeleton

__all__ = [
    "Atom",
    "aligned_skeletons",
    "mol_of_atoms",
    "mol_of_smiles",
    "skeleton",
    "written_smiles",
]

#: Larger molecules are drawn as graphs: nobody reads so many atoms, and laying them out takes long.
MAX_ATOMS = 300
#: Smaller scaffolds, such as a single ring, are not worth turning a molecule for.
MIN_SCAFFOLD = 5

_BONDS = {"-": "SINGLE", "=": "DOUBLE", "#": "TRIPLE", ":": "AROMATIC", "$": "QUADRUPLE"}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class Atom(NamedTuple):
    """An atom of a molecule without SMILES; hydrogens fill its valence unless they are known."""

    element: str
    aromatic: bool = False
    charge: int = 0
    hydrogens: int | None = None


def mol_of_smiles(smiles: str, *, hydrogens: bool = False) -> Any:
    """Read SMILES, atoms in their order; None if RDKit is not there or refuses.

    Parameters
    ----------
    smiles : str
    hydrogens : bool
        Whether hydrogens are atoms of their own.

    Examples
    --------
    >>> mol_of_smiles("CCO").GetNumAtoms(), mol_of_smiles("no molecule")
    (3, None)
    """
    try:
        from rdkit import Chem, rdBase
    except ImportError:
        return None
    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(smiles)
    return Chem.AddHs(mol) if hydrogens and mol is not None else mol


def mol_of_atoms(
    atoms: Sequence[Atom], bonds: Iterable[tuple[int, int, str | None]], *, whole: bool = True
) -> Any:
    """Make a molecule of atoms and bonds ("-", "=", "#", ":", "$"); None without RDKit.

    Parameters
    ----------
    atoms : sequence of Atom
    bonds : iterable of (atom, atom, order)
    whole : bool
        Whether it is a molecule, whose open valences are hydrogens, and not a part of one.

    Examples
    --------
    >>> mol_of_atoms([Atom("C"), Atom("O")], [(0, 1, "=")]).GetNumBonds()
    1
    """
    try:
        from rdkit import Chem, rdBase
    except ImportError:
        return None
    mol = Chem.RWMol()
    for one in atoms:
        atom = Chem.Atom(one.element)
        atom.SetFormalCharge(one.charge)
        atom.SetIsAromatic(one.aromatic)
        atom.SetNoImplicit(not whole or one.hydrogens is not None)
        atom.SetNumExplicitHs((one.hydrogens or 0) if whole else 0)
        mol.AddAtom(atom)
    for u, v, order in bonds:
        mol.AddBond(int(u), int(v), getattr(Chem.BondType, _BONDS.get(order or "-", "SINGLE")))
        if order == ":":
            mol.GetBondBetweenAtoms(int(u), int(v)).SetIsAromatic(True)
            mol.GetAtomWithIdx(int(u)).SetIsAromatic(True)
            mol.GetAtomWithIdx(int(v)).SetIsAromatic(True)
    made = mol.GetMol()
    with rdBase.BlockLogs():
        # Labels may say too little (no charges): then it is drawn as it came.
        sane = Chem.Mol(made)
        if whole and not Chem.SanitizeMol(sane, catchErrors=True):
            return sane
        made.UpdatePropertyCache(strict=False)
        Chem.FastFindRings(made)
    return made


def written_smiles(mol: Any, nodes: Sequence[int]) -> tuple[str, tuple[int, ...]] | None:
    """Write SMILES of a molecule, and say which of its atoms there were these; None if it fails.

    Examples
    --------
    >>> written_smiles(mol_of_smiles("OCC"), [0])
    ('CCO', (2,))
    """
    if mol is None:
        return None
    from rdkit import Chem

    try:
        smiles = Chem.MolToSmiles(mol)
        again = mol_of_smiles(smiles)
        order = list(mol.GetPropsAsDict(True, True)["_smilesAtomOutputOrder"])
    except (ValueError, RuntimeError, KeyError):
        return None
    if again is None or again.GetNumAtoms() != mol.GetNumAtoms():
        return None
    return smiles, tuple(order.index(node) for node in nodes)


def skeleton(mol: Any, *, fragment: bool = False) -> Skeleton | None:
    """Draw a molecule; None if it is too large, or if RDKit cannot.

    Parameters
    ----------
    mol : RDKit molecule
        With coordinates in the plane, if it has any.
    fragment : bool
        Whether it is a part of a molecule: then all its ends are written out, and no hydrogens.

    Examples
    --------
    >>> [letter.text for letter in skeleton(mol_of_smiles("CCO")).letters]
    ['O', 'H']
    """
    if mol is None or not 0 < mol.GetNumAtoms() <= MAX_ATOMS:
        return None
    from rdkit import rdBase
    from rdkit.Chem import rdDepictor
    from rdkit.Chem.Draw import rdMolDraw2D

    with rdBase.BlockLogs():
        try:
            if fragment:
                mol = _with_ends(mol)
            if not mol.GetNumConformers():
                rdDepictor.Compute2DCoords(mol, useRingTemplates=True)
            drawer = rdMolDraw2D.MolDraw2DSVG(-1, -1, -1, -1, True)
            options: Any = drawer.drawOptions()
            _set_options(options)
            ready = rdMolDraw2D.PrepareMolForDrawing(
                mol, kekulize=not fragment, addChiralHs=False, wedgeBonds=not fragment
            )
            drawer.DrawMolecule(ready)
        except (ValueError, RuntimeError):  # RDKit's own errors are ValueErrors
            return None
    places = [drawer.GetDrawCoords(i) for i in range(mol.GetNumAtoms())]
    drawer.FinishDrawing()
    return _parsed(drawer.GetDrawingText(), np.array([(place.x, place.y) for place in places]))


def _set_options(options: Any) -> None:
    options.useBWAtomPalette()
    options.fixedBondLength = BOND
    options.clearBackground = False
    options.baseFontSize = 0.75
    options.padding = 0.04
    options.addStereoAnnotation = False
    options.prepareMolsBeforeDrawing = False


def _with_ends(mol: Any) -> Any:
    """Write out every end of a fragment, for a line that ends in nothing means a methyl group."""
    from rdkit import Chem

    copy = Chem.Mol(mol)
    for atom in copy.GetAtoms():
        if atom.GetDegree() < 2 and atom.GetAtomicNum() == 6:
            atom.SetProp("atomLabel", "c" if atom.GetIsAromatic() else "C")
    return copy


def _parsed(text: str, atoms: Any) -> Skeleton:
    """Take lines and letters out of what RDKit drew."""
    root = ElementTree.fromstring(text)
    width, height = (float(value) for value in root.attrib["viewBox"].split()[2:])
    lines, letters = [], []
    for part in root:
        kind, style = part.tag.rsplit("}", 1)[-1], part.get("style", "")
        if kind == "text":
            [size] = re.findall(r"font-size:(\d+)", style)
            x, y = float(part.attrib["x"]), float(part.attrib["y"])
            letters.append(Letter(x, y, float(size), "".join(part.itertext()).strip()))
        elif kind == "path" and "bond" in part.get("class", ""):
            numbers = [float(value) for value in _NUMBER.findall(part.attrib["d"])]
            points = tuple(zip(numbers[::2], numbers[1::2], strict=True))
            lines.append(Line(points, "fill:none" not in style, "dasharray" in style))
    # Atoms at the rim with the discs behind them, and letters, need some room.
    corners = [*(atoms - 11.0).tolist(), *(atoms + 11.0).tolist(), [0.0, 0.0], [width, height]]
    corners += [[x - 1.0, y - size] for x, y, size, _ in letters]
    corners += [[x + size, y + 0.3 * size] for x, y, size, _ in letters]
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    dx, dy = -low
    moved = tuple(
        line._replace(points=tuple((x + dx, y + dy) for x, y in line.points)) for line in lines
    )
    written = tuple(one._replace(x=one.x + dx, y=one.y + dy) for one in letters)
    width, height = (high - low).tolist()
    return Skeleton(width, height, atoms - low, moved, written)


def aligned_skeletons(mols: Sequence[Any]) -> list[Skeleton | None]:
    """Draw several molecules; those with the same scaffold have it at the same place and angle.

    Parameters
    ----------
    mols : sequence of RDKit molecules or None

    Examples
    --------
    >>> para, meta = aligned_skeletons([mol_of_smiles(s) for s in ("Clc1ccccc1", "Brc1ccccc1")])
    >>> bool(np.allclose(*(s.atoms[1:] - s.atoms[1] for s in (para, meta)), atol=0.2))
    True
    """
    templates: dict[str, Any] = {}
    return [None if mol is None else skeleton(_turned_alike(mol, templates)) for mol in mols]


def _turned_alike(mol: Any, templates: dict[str, Any]) -> Any:
    """Lay a molecule out on the scaffold of the first one that has the same."""
    if mol.GetNumAtoms() > MAX_ATOMS:
        return mol
    from rdkit import Chem, rdBase
    from rdkit.Chem import rdDepictor
    from rdkit.Chem.Scaffolds import MurckoScaffold

    scaffold_of: Any = MurckoScaffold.GetScaffoldForMol
    copy = Chem.Mol(mol)
    copy.RemoveAllConformers()
    with rdBase.BlockLogs():
        try:
            scaffold = scaffold_of(copy)
            if scaffold.GetNumAtoms() < MIN_SCAFFOLD:
                return copy
            key = Chem.MolToSmiles(scaffold, isomericSmiles=False)
            if key not in templates:
                scaffold.RemoveAllConformers()
                rdDepictor.Compute2DCoords(scaffold, useRingTemplates=True)
                rdDepictor.StraightenDepiction(scaffold)
                templates[key] = scaffold
            rdDepictor.GenerateDepictionMatching2DStructure(copy, templates[key])
        except (ValueError, RuntimeError):  # it is drawn by itself, then
            copy.RemoveAllConformers()
    return copy
