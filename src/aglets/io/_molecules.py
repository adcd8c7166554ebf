"""Which labels and attributes the atoms of a molecule get.

By default a node is a heavy atom labelled with its element, in lower case if it is aromatic, and
its formal charge; its attributes are the Gasteiger charge, the number of hydrogens, the degree
(number of neighbours among the nodes) and whether it is in a ring (0 or 1); an edge is a bond
labelled with its order as in SMILES: ``-``, ``=``, ``#`` or ``:`` (aromatic). Everything else is
asked for by name.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from aglets.graphlets.atom_labels import LABEL_WITH
from aglets.graphs.checks import listing

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["ATTRIBUTES", "FeatureOptions", "MoleculeFeatures"]

GASTEIGER = "gasteiger_charge"
#: All attributes that an atom can have.
ATTRIBUTES = (
    *(GASTEIGER, "crippen_logp", "crippen_mr", "tpsa"),
    *("n_hydrogens", "degree", "in_ring", "aromatic"),
    *("atomic_number", "formal_charge", "mass"),
)
#: Chosen on validation molecules: see docs/choices.md.
DEFAULT_LABEL_WITH: tuple[str, ...] = ("aromaticity", "charge")
DEFAULT_ATTRIBUTES: tuple[str, ...] = (GASTEIGER, "n_hydrogens", "degree", "in_ring")


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

    label_with: tuple[str, ...] = DEFAULT_LABEL_WITH
    attributes: tuple[str, ...] = DEFAULT_ATTRIBUTES
    coordinates: Literal["2d", "3d"] | None = None
    edge_labels: bool = True
    hydrogens: bool = False

    @classmethod
    def of(cls, **options: Unpack[FeatureOptions]) -> MoleculeFeatures:
        """Take the options as users write them: one name or several."""
        given: dict[str, Any] = dict(options)
        for key, known in (("label_with", LABEL_WITH), ("attributes", ATTRIBUTES)):
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
