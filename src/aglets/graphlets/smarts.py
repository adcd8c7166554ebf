"""Graphlets of molecules as SMARTS, the language in which chemists search for substructures."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence

import numpy.typing as npt

from aglets.graphlets.atom_labels import AtomLabel, label_options
from aglets.graphlets.elements import ATOMIC_NUMBER
from aglets.graphlets.names import BONDS, line_notation

__all__ = ["pattern_smarts", "short_smarts"]

_UNCHARGED = re.compile(r"\+0(?=[\];&])")
_SYMBOL = {number: symbol for symbol, number in ATOMIC_NUMBER.items()}
_OTHER = re.compile(r"\[#(\d+)(?:&A)?(?=[\]H+R^-])")
_BARE = re.compile(r"\[(B|C|N|O|P|S|F|Cl|Br|I|b|c|n|o|p|s)\]")


def pattern_smarts(
    labels: Sequence[Hashable],
    edges: npt.ArrayLike,
    edge_labels: Sequence[Hashable] | None = None,
    recipe: str | None = None,
) -> str:
    """Write a pattern of atoms and bonds as SMARTS that matches what the pattern matches.

    Parameters
    ----------
    labels, edges, edge_labels
        As in `Graphlet`.
    recipe : str, optional
        How the molecules were read, which says what their labels leave open.

    Examples
    --------
    >>> pattern_smarts(["C", "O"], [(0, 1)], ["="])
    '[#6]=[#8]'
    >>> pattern_smarts(["c", "OH"], [(0, 1)], ["-"],
    ...     recipe='{"molecule": {"label_with": ["aromaticity", "hydrogens"]}}')
    '[cH0]-[OH]'
    """
    said = label_options(recipe) or ()
    atoms = [AtomLabel.parse(label, said) for label in labels]
    unknown = [repr(label) for label, atom in zip(labels, atoms, strict=True) if atom is None]
    if unknown:
        raise ValueError(
            f"Expected a graphlet of atoms, got the label {unknown[0]}; only graphlets of "
            "molecules have SMARTS."
        )
    texts = [atom.smarts() for atom in atoms if atom is not None]
    if edge_labels is None:
        return line_notation(len(labels), edges, texts.__getitem__, lambda _: "~")
    strange = [label for label in edge_labels if label not in BONDS]
    if strange:
        raise ValueError(
            f"Expected bonds that SMARTS can write ({', '.join(BONDS)}), got {strange[0]!r}."
        )
    bonds = [str(label) for label in edge_labels]
    return line_notation(len(labels), edges, texts.__getitem__, bonds.__getitem__)


def short_smarts(smarts: str) -> str:
    """Write SMARTS as chemists name things: an atom of which no charge is named has none.

    Where labels do not say whether atoms are aromatic, C is any carbon.

    Examples
    --------
    >>> short_smarts("[N+0]-[c+0]"), short_smarts("[nH+0]"), short_smarts("[N+]-[O-]")
    ('N-c', '[nH]', '[N+]-[O-]')
    >>> short_smarts("[C+0]-[#50&A+0]")
    'C-[Sn]'
    >>> short_smarts("[#6](-[#8])=[#8]"), short_smarts("[#6H2]:[#5&a]")
    ('C(-O)=O', '[CH2]:[#5&a]')
    """
    named = _OTHER.sub(lambda found: f"[{_SYMBOL[int(found[1])]}", _UNCHARGED.sub("", smarts))
    return _BARE.sub(r"\1", named)
