"""SMILES, read into graphs: lists of them, and files with one per line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from aglets.graphs import GraphSet
from aglets.io._molecule_sets import Item, identified, read_molecules
from aglets.io._molecules import FeatureOptions, MoleculeFeatures
from aglets.io._rows import smiles_rows
from aglets.io.failures import Errors
from aglets.io.registry import MOLECULE_OPTIONS, Format, ReadOptions, register_format

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["from_smiles"]


def from_smiles(
    smiles: Iterable[str] | os.PathLike[str],
    *,
    errors: Errors = "raise",
    n_jobs: int | None = 1,
    **features: Unpack[FeatureOptions],
) -> GraphSet:
    """Read molecules from SMILES: atoms become nodes, bonds edges.

    Parameters
    ----------
    smiles : iterable of str, or Path
        A path is a file with one SMILES per line, perhaps followed by a blank and a name.
    errors : {"raise", "skip"}
        Whether SMILES that RDKit cannot read are an error, or are left out with a warning that
        lists their rows. ``graphs.rows`` says which rows were kept, so that ``y[graphs.rows]`` are
        their targets.
    n_jobs : int
        Number of processes; -1 for all cores. The graphs do not depend on it.
    label_with : str or sequence of str, default=("aromaticity", "charge")
        What the label of an atom says besides its element: "aromaticity" (c for an aromatic
        carbon), "charge" (N+), "hydrogens" (CH2), "ring" (C.ring), "hybridisation" (C.sp2),
        "stereo" (C.R or C.S for stereocentres, =E or =Z for double bonds, by CIP rules).
        ``[]`` adds nothing.
    attributes : sequence of str, default=("gasteiger_charge", "n_hydrogens", "degree", "in_ring")
        The attributes of an atom by name. There are also "crippen_logp" and "crippen_mr" (what it
        contributes to logP and molar refractivity), "tpsa" (to the polar surface), "formal_charge",
        "aromatic", "atomic_number" and "mass"; ``[]`` leaves atoms without attributes. Where a
        Gasteiger charge is not defined, the formal charge stands for it, with a warning.
    coordinates : {"2d", "3d"}, optional
        Adds attributes x, y (and z): those the molecule has, else computed ones.
    edge_labels : bool, default=True
        Whether bonds are labelled by their order: ``-``, ``=``, ``#`` or ``:`` (aromatic).
    hydrogens : bool, default=False
        Whether hydrogens are nodes, too.

    Returns
    -------
    GraphSet

    Examples
    --------
    >>> from aglets import GraphSet
    >>> graphs = GraphSet.from_smiles(["CCO", "c1ccccc1"])
    >>> graphs
    GraphSet(2 graphs, on average 4.5 nodes and 4.0 edges, 3 labels, 4 attributes, 2 edge labels)
    >>> graphs.attribute_names
    ('gasteiger_charge', 'n_hydrogens', 'degree', 'in_ring')
    >>> GraphSet.from_smiles(["c1ccoc1"], label_with="aromaticity")[0].labels
    ['c', 'c', 'c', 'o', 'c']
    """
    if isinstance(smiles, str):
        raise TypeError(
            f"Expected a list of SMILES, got the single string {smiles!r}; put it in a list, or "
            "give a file as a Path."
        )
    chosen = MoleculeFeatures.of(**features)
    names: list[str | None] = []
    if isinstance(smiles, os.PathLike):
        rows = list(smiles_rows(smiles))
        items = [Item(row.row, row.line, row.values["smiles"]) for row in rows]
        names = [row.values["name"] or None for row in rows]
    else:
        items = [Item(row, None, text) for row, text in enumerate(smiles)]
    graphs = read_molecules(items, chosen, errors, n_jobs=n_jobs)
    return identified(graphs, smiles=[item.content for item in items], names=names)


def _read_file(path: Path, options: ReadOptions) -> GraphSet:
    return from_smiles(path, errors=options.errors, **options.features)


register_format(Format("smi", (".smi", ".smiles"), _read_file, MOLECULE_OPTIONS))
