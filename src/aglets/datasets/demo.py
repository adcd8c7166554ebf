"""A small data set inside the package, so that everything can be tried without the network."""

from __future__ import annotations

from importlib.resources import files
from io import BytesIO

import numpy as np
import numpy.typing as npt

from aglets.graphs import GraphSet

__all__ = ["demo_smiles", "load_demo"]

#: How `GraphSet.from_smiles` reads molecules by default; the file was made with it.
_RECIPE = (
    '{"molecule": {"label_with": [], "attributes": ["gasteiger_charge", "n_hydrogens", "degree", '
    '"in_ring"], "coordinates": null, "edge_labels": true, "hydrogens": false}}'
)


def load_demo() -> tuple[GraphSet, npt.NDArray[np.str_]]:
    """Load 300 small molecules, half of them acidic.

    A molecule is "acidic" if it has a carboxylic acid or a phenol; the others carry esters, ethers,
    amides and alcohols instead. Attributes and edge labels are those of `GraphSet.from_smiles`,
    labels are elements (``label_with=[]``); RDKit is not needed.

    Returns
    -------
    graphs : GraphSet
    y : ndarray of shape (300,)
        "acidic" or "neutral".

    Examples
    --------
    >>> from aglets import datasets
    >>> graphs, y = datasets.load_demo()
    >>> graphs
    GraphSet(300 graphs, on average ... nodes and ... edges, 6 labels, 4 attributes, 4 edge labels)
    >>> (y == "acidic").mean()
    np.float64(0.5)
    """
    with _opened() as columns:
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
            recipe=_RECIPE,
        )
        graphs = graphs.with_identity(smiles=columns["smiles"].tolist())
        return graphs, np.where(columns["acidic"], "acidic", "neutral")


def demo_smiles() -> list[str]:
    """Return the SMILES of the molecules of `load_demo`, in its order.

    Examples
    --------
    >>> len(demo_smiles())
    300
    """
    with _opened() as columns:
        smiles: list[str] = columns["smiles"].tolist()
        return smiles


def _opened() -> np.lib.npyio.NpzFile:
    data = files("aglets.datasets").joinpath("demo.npz").read_bytes()
    opened: np.lib.npyio.NpzFile = np.load(BytesIO(data), allow_pickle=False)
    return opened
