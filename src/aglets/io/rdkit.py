"""RDKit molecules, read into graphs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from aglets.graphs import GraphSet
from aglets.io._molecule_sets import Item, read_molecules
from aglets.io._molecules import FeatureOptions, MoleculeFeatures
from aglets.io.failures import Errors

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["from_rdkit"]


def from_rdkit(
    molecules: Iterable[Any], *, errors: Errors = "raise", **features: Unpack[FeatureOptions]
) -> GraphSet:
    """Read RDKit molecules.

    Parameters
    ----------
    molecules : iterable of rdkit.Chem.Mol
        None, which RDKit gives for what it cannot parse, counts as a failure.
    errors : {"raise", "skip"}
        Whether a molecule that cannot be read is an error or is left out with a warning.
        ``graphs.rows`` says which ones were kept.
    **features
        Labels and attributes of atoms, as in `GraphSet.from_smiles`.

    Returns
    -------
    GraphSet

    Examples
    --------
    >>> from rdkit import Chem
    >>> from aglets import GraphSet
    >>> GraphSet.from_rdkit([Chem.MolFromSmiles("CC=O")])[0].edge_labels
    ['-', '=']
    """
    if hasattr(molecules, "GetAtoms"):
        raise TypeError(
            "Expected a list of RDKit molecules, got a single one; put it in a list: [molecule]."
        )
    chosen = MoleculeFeatures.of(**features)
    items = [Item(row, None, mol) for row, mol in enumerate(molecules)]
    return read_molecules(items, chosen, errors, kind="mol")
