"""Attributes of atoms in words: what is discrete is said as chemists say it, the rest in numbers.

The attributes of a graphlet are trained, and so rarely whole: 1.93 hydrogens are shown as CH2, 1.5
as "CH or CH2", -0.4 as none. A value outside of what atoms can have is shown as the nearest that
they can, given their bonds within the graphlet: an oxygen on a carbon carries no two hydrogens.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from aglets.graphlets.atom_labels import AtomLabel, label_options
from aglets.graphs.arrays import Floats

__all__ = ["bond_orders", "node_words"]

#: How far from a whole number a value may be and still be called by it.
CLEAR = 0.3


class _Number(NamedTuple):
    """How a number is called, between which bounds it lies, and how many decimals it gets."""

    name: str
    low: float
    high: float
    decimals: int


_NUMBERS = {
    "gasteiger_charge": _Number("charge", -1.0, 1.0, 2),
    "crippen_logp": _Number("logP", -3.0, 0.89, 2),
    "crippen_mr": _Number("MR", 0.0, 14.02, 1),
    "tpsa": _Number("TPSA", 0.0, 35.0, 0),
}
#: Attributes that atoms have in whole numbers, and the largest there is.
_WHOLE = {"n_hydrogens": (0, 4), "degree": (0, 10), "formal_charge": (-5, 8)}
#: How many bonds the atoms have that carry hydrogens.
_VALENCES = {"C": 4, "N": 3, "O": 2, "F": 1, "Cl": 1, "Br": 1, "I": 1}
_ORDERS = {"=": 2.0, "#": 3.0, "$": 4.0, ":": 1.5}
_FLAGS = ("in_ring", "aromatic")
#: What the element says already.
_NEEDLESS = ("atomic_number", "mass")


def node_words(
    labels: Sequence[Hashable],
    attributes: Floats,
    names: Sequence[str] | None,
    recipe: str | None,
    orders: Sequence[float] | None = None,
) -> list[str] | None:
    """Describe the nodes of a graphlet of molecules in words; None for other graphs.

    Parameters
    ----------
    labels : sequence
    attributes : ndarray of shape (n_nodes, n_attributes)
        In the user's units.
    names : sequence of str or None
        Names of the attributes.
    recipe : str or None
        How the molecules were read.
    orders : sequence of float, optional
        The sum of the bond orders of each node, as `bond_orders` gives it.

    Examples
    --------
    >>> import numpy as np
    >>> recipe = '{"molecule": {"label_with": []}}'
    >>> names = ("n_hydrogens", "in_ring", "gasteiger_charge")
    >>> node_words(["C", "N"], np.array([[1.1, 0.9, -0.05], [2.6, -0.4, -1.8]]), names, recipe)
    ['ring CH, charge -0.05', 'NH₂ or NH₃, charge -1.00']
    >>> node_words(["N+"], np.zeros((1, 0)), (), '{"molecule": {"label_with": ["charge"]}}')
    ['positive nitrogen']
    >>> aromatic = '{"molecule": {"label_with": ["aromaticity"]}}'
    >>> node_words(["c", "n"], np.array([[1.5], [0.5]]), ("n_hydrogens",), aromatic)
    ['aromatic CH', 'aromatic N or NH']
    """
    said = label_options(recipe)
    if said is None:
        return None
    words = []
    used = [0.0] * len(labels) if orders is None else orders
    for label, row, order in zip(labels, attributes.tolist(), used, strict=True):
        atom = AtomLabel.parse(label, said)
        if atom is None:
            return None
        known = dict(zip(names or (), row, strict=False))
        words.append(", ".join([_kinds(atom, known, order), *_numbers(known)]))
    return words


def bond_orders(
    n_nodes: int, edges: npt.ArrayLike, edge_labels: Sequence[Hashable] | None
) -> list[float]:
    """Sum up the orders of the bonds of each node; bonds without a label count as single ones.

    Examples
    --------
    >>> bond_orders(3, [(0, 1), (0, 2)], ["=", "-"])
    [3.0, 2.0, 1.0]
    """
    sums = [0.0] * n_nodes
    for i, ends in enumerate(np.asarray(edges, dtype=np.int64).reshape(-1, 2).tolist()):
        for node in ends:
            sums[node] += 1.0 if edge_labels is None else _ORDERS.get(str(edge_labels[i]), 1.0)
    return sums


def _most_hydrogens(atom: AtomLabel, order: float) -> int:
    """Return how many hydrogens an atom has room for, besides bonds of this order.

    An aromatic atom has two bonds in its ring, also where the graphlet does not hold them.
    """
    low, high = _WHOLE["n_hydrogens"]
    if atom.aromatic:
        return int(atom.element in ("C", "N") and order <= 3.0)
    if atom.element not in _VALENCES:
        return high
    room = _VALENCES[atom.element] + max(atom.charge or 0, 0) - order
    return min(max(int(room), low), high)


def _kinds(atom: AtomLabel, known: dict[str, float], order: float) -> str:
    """Say what kind of atom it is, with "or" where a number lies between two."""
    atoms = [atom]
    if "n_hydrogens" in known and atom.hydrogens is None:
        counts = _whole(known["n_hydrogens"], 0, _most_hydrogens(atom, order))
        atoms = [one._replace(hydrogens=count) for one in atoms for count in counts]
    if "formal_charge" in known and atom.charge is None:
        charges = _whole(known["formal_charge"], *_WHOLE["formal_charge"])
        atoms = [one._replace(charge=charge) for one in atoms for charge in charges]
    if "in_ring" in known and atom.ring is None:
        atoms = [one._replace(ring=_flag(known["in_ring"])) for one in atoms]
    if "aromatic" in known and atom.aromatic is None:
        atoms = [one._replace(aromatic=_flag(known["aromatic"])) for one in atoms]
    text = _joined([atom.words() for atom in atoms])
    if "degree" in known and atoms[0].hydrogens is None:
        degrees = " or ".join(map(str, _whole(known["degree"], *_WHOLE["degree"])))
        text += f" with {degrees} neighbours"
    return text


def _joined(texts: list[str]) -> str:
    """Join by "or" what differs in its last word only.

    Examples
    --------
    >>> _joined(["ring CH", "ring CH2"])
    'ring CH or CH2'
    """
    first, *rest = [text.rsplit(" ", 1) for text in texts]
    same = all(parts[:-1] == first[:-1] for parts in rest)
    return " or ".join([texts[0], *(parts[-1] if same else " ".join(parts) for parts in rest)])


def _whole(value: float, low: int, high: int) -> list[int]:
    """Return the whole number that a value stands for, or the two that it lies between."""
    value = min(max(value, low), high)
    nearest = round(value)
    if abs(value - nearest) <= CLEAR:
        return [nearest]
    return [int(value // 1), int(value // 1) + 1]


def _flag(value: float) -> bool | None:
    """Return whether a value stands for yes or no, None if it lies between."""
    found = _whole(value, 0, 1)
    return bool(found[0]) if len(found) == 1 else None


def _numbers(known: dict[str, float]) -> list[str]:
    texts = []
    for name, value in known.items():
        if name in _WHOLE or name in _FLAGS or name in _NEEDLESS:
            continue
        number = _NUMBERS.get(name, _Number(name, float("-inf"), float("inf"), 2))
        clipped = min(max(value, number.low), number.high)
        text = f"{clipped:.{number.decimals}f}"
        # A zero has no sign.
        texts.append(f"{number.name} {text.lstrip('-') if float(text) == 0.0 else text}")
    return texts
