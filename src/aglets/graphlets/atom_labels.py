"""What the label of an atom says: how it is written, read, put into SMARTS and into words.

The label of an atom begins with its element; whatever else it says is asked for by name
(`LABEL_WITH`): ``cH`` is an aromatic carbon with one hydrogen, ``N+`` a positive nitrogen,
``CH2.ring`` a CH2 in a ring, ``CH.R`` a stereocentre. A property that was not asked for may have
any value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from aglets.graphlets.elements import ATOMIC_NUMBER, ELEMENT_NAMES

__all__ = ["LABEL_WITH", "AtomLabel", "label_options"]

#: What the label of an atom can say besides its element.
LABEL_WITH = ("aromaticity", "hydrogens", "charge", "ring", "hybridisation", "stereo")

_LABEL = re.compile(
    r"(?P<symbol>\*|[A-Z][a-z]?|[a-z]{1,2})(?P<hydrogens>H\d*)?(?P<charge>[+-]\d*)?"
    r"(?P<rest>(?:\.\w+)*)"
)
_HYBRIDISATIONS = {"s": 0, "sp": 1, "sp2": 2, "sp3": 3, "sp3d": 4, "sp3d2": 5}
#: R and S by the rules of Cahn, Ingold and Prelog; pR and pS for what they write as r and s.
_STEREO = ("R", "S", "pR", "pS")
#: Elements that SMARTS writes without brackets; a capital letter means "not aromatic".
_PLAIN = ("B", "C", "N", "O", "P", "S", "F", "Cl", "Br", "I")
_PLAIN_AROMATIC = ("B", "C", "N", "O", "P", "S")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def label_options(recipe: str | None) -> tuple[str, ...] | None:
    """Return what the labels of molecules with this recipe say, None for other graphs.

    Examples
    --------
    >>> label_options('{"molecule": {"label_with": ["charge"]}}')
    ('charge',)
    """
    molecule = json.loads(recipe or "{}").get("molecule")
    return None if molecule is None else tuple(molecule.get("label_with", ()))


class AtomLabel(NamedTuple):
    """The parts of a label; None for a property that the label leaves open.

    Examples
    --------
    >>> label = AtomLabel.parse("nH", ("aromaticity", "hydrogens", "charge"))
    >>> label.element, label.aromatic, label.hydrogens, label.charge
    ('N', True, 1, 0)
    >>> label.text, label.smarts(), label.words()
    ('nH', '[nH+0]', 'aromatic NH')
    """

    element: str
    aromatic: bool | None = None
    hydrogens: int | None = None
    charge: int | None = None
    ring: bool | None = None
    hybridisation: str | None = None
    stereo: str | None = None

    @classmethod
    def parse(cls, text: object, label_with: Sequence[str]) -> AtomLabel | None:
        """Read a label that says these things; None if it is not the label of an atom."""
        found = _LABEL.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            return None
        symbol = found["symbol"]
        element = symbol if symbol in ATOMIC_NUMBER else symbol.capitalize()
        if element not in ATOMIC_NUMBER:
            return None
        rest = found["rest"].split(".")[1:]
        hydrogens, charge = found["hydrogens"], found["charge"]
        return cls(
            element=element,
            aromatic=symbol.islower() if "aromaticity" in label_with or symbol.islower() else None,
            hydrogens=_counted(hydrogens, "hydrogens" in label_with),
            charge=_charged(charge, "charge" in label_with),
            ring="ring" in rest if "ring" in label_with else None,
            hybridisation=next((part for part in rest if part not in ("ring", *_STEREO)), None),
            stereo=next((part for part in rest if part in _STEREO), None),
        )

    @property
    def text(self) -> str:
        """The label as it stands in graphs."""
        text = self.element.lower() if self.aromatic else self.element
        if self.hydrogens:
            text += "H" if self.hydrogens == 1 else f"H{self.hydrogens}"
        if self.charge:
            sign = "+" if self.charge > 0 else "-"
            text += sign if abs(self.charge) == 1 else f"{sign}{abs(self.charge)}"
        further = ("ring" if self.ring else None, self.hybridisation, self.stereo)
        return text + "".join(f".{part}" for part in further if part)

    def smarts(self) -> str:
        """Write the SMARTS of all atoms with this label, and no others."""
        if self.stereo is not None:
            raise ValueError(
                f"Expected a label that SMARTS can write, got {self.text!r}: SMARTS has no R and S."
            )
        parts = [self._element_smarts()]
        if self.hydrogens is not None:
            parts.append("H" if self.hydrogens == 1 else f"H{self.hydrogens}")
        if self.charge is not None:
            sign = "-" if self.charge < 0 else "+"
            parts.append(sign if abs(self.charge) == 1 else f"{sign}{abs(self.charge)}")
        if self.ring is not None:
            parts.append("R" if self.ring else "R0")
        if self.hybridisation is not None:
            if self.hybridisation not in _HYBRIDISATIONS:
                raise ValueError(
                    f"Expected a label that SMARTS can write, got {self.text!r}: SMARTS has no "
                    f"hybridisation {self.hybridisation!r}."
                )
            parts.append(f"^{_HYBRIDISATIONS[self.hybridisation]}")
        plain = len(parts) == 1 and not parts[0].startswith("#")
        return parts[0] if plain else f"[{''.join(parts)}]"

    def _element_smarts(self) -> str:
        number = f"#{ATOMIC_NUMBER[self.element]}"
        if self.aromatic is None:
            return number
        if self.aromatic:
            return self.element.lower() if self.element in _PLAIN_AROMATIC else f"{number}&a"
        return self.element if self.element in _PLAIN else f"{number}&A"

    def words(self) -> str:
        """Say it as a chemist would: "ring CH₂", "positive nitrogen", "aromatic CH"."""
        words = []
        if self.stereo is not None:
            words.append(f"({self.stereo})")
        if self.charge:
            kind = "positive" if self.charge > 0 else "negative"
            words.append(kind if abs(self.charge) == 1 else f"{abs(self.charge)}-fold {kind}")
        if self.aromatic:
            words.append("aromatic")
        elif self.ring:
            words.append("ring")
        if self.hybridisation is not None:
            words.append(self.hybridisation)
        if self.hydrogens is None:
            words.append(ELEMENT_NAMES.get(self.element, self.element))
        else:
            count = {0: "", 1: "H"}.get(self.hydrogens, f"H{self.hydrogens}")
            words.append(f"{self.element}{count.translate(_SUBSCRIPTS)}")
        return " ".join(words)


def _counted(text: str | None, is_said: bool) -> int | None:
    if text is None:
        return 0 if is_said else None
    return int(text[1:] or 1)


def _charged(text: str | None, is_said: bool) -> int | None:
    if text is None:
        return 0 if is_said else None
    return int(text if len(text) > 1 else f"{text}1")
