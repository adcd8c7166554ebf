"""Molecules inside the package, so that everything can be tried without the network.

Where they come from and under which terms is in DATA.md next to this file.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from io import BytesIO

import numpy as np
import numpy.typing as npt

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats

__all__ = ["demo_smiles", "load_acids", "load_demo", "load_hydration", "load_toxicity"]

#: How `GraphSet.from_smiles` read the acids; the file was made before files said it.
_ACIDS_RECIPE = (
    '{"molecule": {"label_with": [], "attributes": ["gasteiger_charge", "n_hydrogens", "degree", '
    '"in_ring"], "coordinates": null, "edge_labels": true, "hydrogens": false}}'
)


def load_demo() -> tuple[GraphSet, npt.NDArray[np.str_]]:
    """Load 400 drugs and other molecules; half of them cross the blood-brain barrier.

    The classes are measured ones, a part of the public set BBBP (CC0). The graphs are those of
    `GraphSet.from_smiles`; RDKit is not needed.

    Returns
    -------
    graphs : GraphSet
    y : ndarray of shape (400,)
        "blocked" or "crosses".

    See Also
    --------
    load_hydration : Numbers in place of classes.
    load_toxicity : Twelve targets with gaps.
    load_acids : Classes by a rule that is known exactly.

    Examples
    --------
    >>> from aglets import datasets
    >>> graphs, y = datasets.load_demo()
    >>> graphs
    GraphSet(400 graphs, on average ... nodes and ... edges, 13 labels, ...)
    >>> (y == "crosses").mean()
    np.float64(0.5)
    """
    with _opened("demo.npz") as columns:
        graphs = _graphs(columns, str(columns["recipe"]))
        return graphs, np.where(columns["crosses"], "crosses", "blocked")


def demo_smiles() -> list[str]:
    """Return the SMILES of the molecules of `load_demo`, in its order.

    Examples
    --------
    >>> len(demo_smiles())
    400
    """
    with _opened("demo.npz") as columns:
        smiles: list[str] = columns["smiles"].tolist()
        return smiles


def load_acids() -> tuple[GraphSet, npt.NDArray[np.str_]]:
    """Load 300 small molecules that are acidic or not by a rule, so that the truth is known.

    They are made, not measured. A molecule is "acidic" if it has a carboxylic acid or a phenol; the
    others carry esters, ethers, amides and alcohols instead. Attributes and edge labels are those
    of `GraphSet.from_smiles`, labels are elements (``label_with=[]``); RDKit is not needed.

    Returns
    -------
    graphs : GraphSet
    y : ndarray of shape (300,)
        "acidic" or "neutral".

    Examples
    --------
    >>> from aglets import datasets
    >>> graphs, y = datasets.load_acids()
    >>> graphs
    GraphSet(300 graphs, on average ... nodes and ... edges, 6 labels, 4 attributes, 4 edge labels)
    >>> (y == "acidic").mean()
    np.float64(0.5)
    """
    with _opened("acids.npz") as columns:
        graphs = _graphs(columns, _ACIDS_RECIPE)
        return graphs, np.where(columns["acidic"], "acidic", "neutral")


def load_hydration() -> tuple[GraphSet, Floats]:
    """Load 642 small molecules with their measured free energy of hydration, in kcal/mol.

    This is the public set FreeSolv (CC0). The lower the number, the better water takes the molecule
    up. Needs RDKit (``pip install 'aglets[chem]'``).

    Returns
    -------
    graphs : GraphSet
        With names.
    y : ndarray of shape (642,)

    Examples
    --------
    >>> from aglets import datasets
    >>> graphs, y = datasets.load_hydration()
    >>> str(graphs.names[2]), float(y[2])
    ('3-methylbut-1-ene', 1.83)
    """
    from aglets.io.table import from_table

    with as_file(files("aglets.datasets").joinpath("hydration.csv")) as path:
        graphs, y = from_table(path, target="kcal_per_mol", name_column="name")
    return graphs, np.asarray(y, dtype=np.float64)


def load_toxicity() -> tuple[GraphSet, npt.NDArray[np.float64]]:
    """Load 500 molecules tested in twelve assays for toxicity, with gaps.

    This is a part of the public set Tox21 (CC0). ``y.names`` are the assays. Needs RDKit (``pip
    install 'aglets[chem]'``).

    Returns
    -------
    graphs : GraphSet
        With ids.
    y : ndarray of shape (500, 12)
        1 is active, 0 is not, NaN was not tested.

    Examples
    --------
    >>> from aglets import datasets
    >>> graphs, y = datasets.load_toxicity()
    >>> y.shape, y.names[:2]
    ((500, 12), ('NR-AR', 'NR-AR-LBD'))
    """
    from aglets.io.table import from_table

    with as_file(files("aglets.datasets").joinpath("toxicity.csv")) as path:
        graphs, y = from_table(path, target=["NR-*", "SR-*"], id_column="id")
    return graphs, y.astype(np.float64)


def _graphs(columns: np.lib.npyio.NpzFile, recipe: str) -> GraphSet:
    graphs = GraphSet(
        node_offsets=columns["node_offsets"],
        labels=columns["labels"],
        vocabulary=tuple(columns["vocabulary"].tolist()),
        attributes=columns["attributes"],
        attribute_names=tuple(columns["attribute_names"].tolist()),
        edge_offsets=columns["edge_offsets"],
        edges=columns["edges"],
        edge_labels=columns["edge_labels"],
        edge_vocabulary=tuple(columns["edge_vocabulary"].tolist()),
        recipe=recipe,
    )
    return graphs.with_identity(smiles=columns["smiles"].tolist())


def _opened(name: str) -> np.lib.npyio.NpzFile:
    data = files("aglets.datasets").joinpath(name).read_bytes()
    opened: np.lib.npyio.NpzFile = np.load(BytesIO(data), allow_pickle=False)
    return opened
