"""Names of functional groups for graphlets, where they are true.

What a group is follows RDKit's own files: its hierarchy of functional groups and the SMARTS of its
fragment descriptors. Whether a graphlet deserves a group's name is looked up, not guessed: it gets
one only if at least `SHARE` of its matches in 2000 reference molecules (drawn at random from Tox21
and HIV, which are in the public domain) are matches of the group, and if there are at least
`FEWEST` of them.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple

__all__ = ["GroupName", "group_name", "groups_in"]

SHARE = 0.95
FEWEST = 10
#: Matches that are looked at; a share of .95 is known well enough from so many.
MOST = 200

Relation = Literal["is", "in", "with"]

#: Keys of RDKit's hierarchy (without fr_) and of its fragments, and what chemists call them.
#: Groups that are wider than their name (every halogen, every nitrogen) are left out.
_NAMES = {
    "AcidChloride": "acid chloride",
    "CarboxylicAcid": "carboxylic acid",
    "CarboxylicAcid.Aromatic": "aromatic carboxylic acid",
    "CarboxylicAcid.Aliphatic": "aliphatic carboxylic acid",
    "CarboxylicAcid.AlphaAmino": "alpha-amino acid",
    "SulfonylChloride": "sulfonyl chloride",
    "Amine": "amine",
    "Amine.Primary": "primary amine",
    "Amine.Primary.Aromatic": "primary aromatic amine",
    "Amine.Primary.Aliphatic": "primary aliphatic amine",
    "Amine.Secondary": "secondary amine",
    "Amine.Secondary.Aromatic": "secondary aromatic amine",
    "Amine.Secondary.Aliphatic": "secondary aliphatic amine",
    "Amine.Tertiary": "tertiary amine",
    "Amine.Tertiary.Aromatic": "tertiary aromatic amine",
    "Amine.Tertiary.Aliphatic": "tertiary aliphatic amine",
    "Amine.Aromatic": "aromatic amine",
    "Amine.Aliphatic": "aliphatic amine",
    "Amine.Cyclic": "cyclic amine",
    "BoronicAcid": "boronic acid",
    "Isocyanate": "isocyanate",
    "Alcohol": "alcohol",
    "Alcohol.Aromatic": "aromatic alcohol",
    "Alcohol.Aliphatic": "aliphatic alcohol",
    "Aldehyde": "aldehyde",
    "Halogen.Aromatic": "aryl halide",
    "Halogen.Aliphatic": "alkyl halide",
    "Azide": "azide",
    "Nitro": "nitro group",
    "Nitro.Aromatic": "aromatic nitro group",
    "Nitro.Aliphatic": "aliphatic nitro group",
    "fr_C=O": "carbonyl",
    "fr_methoxy": "methoxy",
    "fr_oxime": "oxime",
    "fr_ester": "ester",
    "fr_ketone": "ketone",
    "fr_ether": "ether",
    "fr_phenol": "phenol",
    "fr_aldehyde": "aldehyde",
    "fr_quatN": "quaternary nitrogen",
    "fr_Ar_N": "aromatic nitrogen",
    "fr_Ar_NH": "aromatic NH",
    "fr_aniline": "aniline",
    "fr_Imine": "imine",
    "fr_nitrile": "nitrile",
    "fr_hdrzine": "hydrazine",
    "fr_hdrzone": "hydrazone",
    "fr_nitroso": "nitroso group",
    "fr_N-O": "hydroxylamine",
    "fr_azo": "azo group",
    "fr_diazo": "diazo group",
    "fr_amide": "amide",
    "fr_priamide": "primary amide",
    "fr_amidine": "amidine",
    "fr_guanido": "guanidine",
    "fr_imide": "imide",
    "fr_isocyan": "isocyanate",
    "fr_isothiocyan": "isothiocyanate",
    "fr_thiocyan": "thiocyanate",
    "fr_alkyl_halide": "alkyl halide",
    "fr_sulfide": "thioether",
    "fr_SH": "thiol",
    "fr_C=S": "thiocarbonyl",
    "fr_sulfone": "sulfone",
    "fr_sulfonamd": "sulfonamide",
    "fr_prisulfonamd": "primary sulfonamide",
    "fr_barbitur": "barbiturate",
    "fr_urea": "urea",
    "fr_term_acetylene": "terminal alkyne",
    "fr_imidazole": "imidazole ring",
    "fr_furan": "furan ring",
    "fr_thiophene": "thiophene ring",
    "fr_thiazole": "thiazole ring",
    "fr_oxazole": "oxazole ring",
    "fr_pyridine": "pyridine ring",
    "fr_piperdine": "piperidine ring",
    "fr_piperzine": "piperazine ring",
    "fr_morpholine": "morpholine ring",
    "fr_lactam": "beta-lactam",
    "fr_lactone": "lactone",
    "fr_tetrazole": "tetrazole ring",
    "fr_epoxide": "epoxide",
    "fr_benzene": "benzene ring",
    "fr_phos_acid": "phosphoric acid",
    "fr_phos_ester": "phosphoric ester",
    "fr_alkyl_carbamate": "alkyl carbamate",
    "fr_unbrch_alkane": "unbranched alkane",
}
#: A match of the first is none of the group if it lies in the second: RDKit counts the oxygen of an
#: ester as an ether.
_UNLESS = {"fr_ether": ("fr_ester", "fr_lactone", "fr_C=O"), "fr_methoxy": ("fr_ester",)}
_HALIDES = {9: "fluoride", 17: "chloride", 35: "bromide", 53: "iodide"}


class GroupName(NamedTuple):
    """A functional group, and whether a graphlet is one, lies in one, or has one in it."""

    name: str
    relation: Relation


class _Group(NamedTuple):
    key: str
    name: str
    query: Any


class _Match(NamedTuple):
    molecule: int
    atoms: frozenset[int]


@lru_cache(maxsize=4096)
def group_name(smarts: str, *, hydrogens: bool = False) -> GroupName | None:
    """Name the functional group of a graphlet, given as SMARTS; None if there is no true name.

    Examples
    --------
    >>> group_name("[#6](=[#8])-[#7]")
    GroupName(name='amide', relation='is')
    >>> group_name("[#6]-[#6]") is None
    True
    """
    from rdkit import Chem

    query = Chem.MolFromSmarts(smarts)
    matches = list(_matches(query, hydrogens))
    if len(matches) < FEWEST:
        return None
    found: list[tuple[tuple[int, int, int, str], GroupName]] = []
    for group in _groups():
        relation, size = _relation(group, matches, hydrogens)
        if relation is not None:
            order = ("is", "in", "with").index(relation)
            # A graphlet is the largest group it can be, and lies in the smallest.
            ranked = size if relation == "in" else -size
            key = (order, ranked, _frequency(group.key), group.name)
            found.append((key, GroupName(_of_element(group, query), relation)))
    return min(found)[1] if found else None


def groups_in(mol: Any) -> list[str]:
    """Name the functional groups that an RDKit molecule has, sorted.

    Examples
    --------
    >>> from rdkit import Chem
    >>> groups_in(Chem.MolFromSmiles("CC(=O)N"))
    ['amide', 'carbonyl', 'primary amide']
    """
    queries = {group.key: group.query for group in _groups()}
    found = set()
    for group in _groups():
        unless = [queries[key] for key in _UNLESS.get(group.key, ())]
        if mol.HasSubstructMatch(group.query) and (not unless or _is_free(mol, group, unless)):
            found.add(group.name)
    return sorted(found)


def _is_free(mol: Any, group: _Group, unless: list[Any]) -> bool:
    """Whether a group lies somewhere where it is not a part of these others."""
    places = [frozenset(atoms) for atoms in mol.GetSubstructMatches(group.query)]
    barred = [frozenset(atoms) for query in unless for atoms in mol.GetSubstructMatches(query)]
    return any(all(len(place & other) < 2 for other in barred) for place in places)


def _of_element(group: _Group, query: Any) -> str:
    """Call an aryl halide an aryl fluoride where the graphlet has a fluorine."""
    numbers = {atom.GetAtomicNum() for atom in query.GetAtoms()} & set(_HALIDES)
    if group.name.endswith("halide") and len(numbers) == 1:
        return group.name.replace("halide", _HALIDES[numbers.pop()])
    return group.name


def _relation(group: _Group, matches: list[_Match], hydrogens: bool) -> tuple[Relation | None, int]:
    """Find how nearly all matches of a graphlet stand to a group, and how large the group is."""
    allowed = int((1.0 - SHARE) * len(matches))
    counts: dict[Relation, int] = {"is": 0, "in": 0, "with": 0}
    size = 0
    for looked_at, match in enumerate(matches, start=1):
        places = _places(group.key, match.molecule, hydrogens)
        related: set[Relation] = set()
        for atoms in places:
            if atoms <= match.atoms:
                size = max(size, len(atoms))
                related.add("with")
                if _is_attached(match, atoms, hydrogens):
                    related.add("is")
            elif match.atoms <= atoms:
                size = max(size, len(atoms))
                related.add("in")
        for relation in related:
            counts[relation] += 1
        if looked_at - max(counts.values()) > allowed:
            return None, 0
    needed = len(matches) - allowed
    kinds: tuple[Relation, ...] = ("is", "in", "with")
    return next(((kind, size) for kind in kinds if counts[kind] >= needed), (None, 0))


def _is_attached(match: _Match, atoms: frozenset[int], hydrogens: bool) -> bool:
    """Whether all that a match has beyond a group are the carbons that the group hangs on."""
    molecule = _reference(hydrogens)[match.molecule]
    for index in match.atoms - atoms:
        atom = molecule.GetAtomWithIdx(index)
        if atom.GetAtomicNum() != 6:
            return False
        if not any(other.GetIdx() in atoms for other in atom.GetNeighbors()):
            return False
    return True


def _matches(query: Any, hydrogens: bool) -> Iterator[_Match]:
    """Yield matches of a graphlet, at most five of each molecule."""
    count = 0
    for i, molecule in enumerate(_reference(hydrogens)):
        for atoms in molecule.GetSubstructMatches(query, maxMatches=5):
            yield _Match(i, frozenset(atoms))
            count += 1
        if count >= MOST:
            return


@cache
def _frequency(key: str) -> int:
    """Count a group in some of the molecules: of two true names, the rarer one says more."""
    return sum(len(_places(key, molecule, False)) for molecule in range(MOST))


@lru_cache(maxsize=100_000)
def _places(key: str, molecule: int, hydrogens: bool) -> tuple[frozenset[int], ...]:
    """Return the atoms of every match of a group in a reference molecule."""
    query = next(group.query for group in _groups() if group.key == key)
    found = _reference(hydrogens)[molecule].GetSubstructMatches(query)
    places = tuple(frozenset(atoms) for atoms in found)
    barred = [
        place for other in _UNLESS.get(key, ()) for place in _places(other, molecule, hydrogens)
    ]
    return tuple(place for place in places if not any(len(place & other) > 1 for other in barred))


@cache
def _reference(hydrogens: bool) -> list[Any]:
    from rdkit import Chem

    data = files("aglets.graphlets").joinpath("reference.smi.gz").read_bytes()
    molecules = [Chem.MolFromSmiles(line) for line in gzip.decompress(data).decode().split()]
    return [Chem.AddHs(molecule) for molecule in molecules] if hydrogens else molecules


@cache
def _groups() -> tuple[_Group, ...]:
    from rdkit import Chem, RDConfig

    patterns: dict[str, str] = {}
    for name, column in (("Functional_Group_Hierarchy.txt", 1), ("FragmentDescriptors.csv", 2)):
        for line in Path(RDConfig.RDDataDir, name).read_text(encoding="utf-8").splitlines():
            fields = [field.strip().strip('"') for field in line.split("\t") if field.strip()]
            if len(fields) > column and not line.startswith(("//", "#")):
                patterns[fields[0]] = fields[column]
    return tuple(
        _Group(key, name, Chem.MolFromSmarts(patterns[key]))
        for key, name in _NAMES.items()
        if key in patterns
    )
