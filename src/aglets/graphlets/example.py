"""A molecule in which a graphlet is shown: the training molecule that it fits best."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Example"]


class Example(NamedTuple):
    """A molecule that a graphlet is drawn in.

    Parameters
    ----------
    smiles : str
    nodes : tuple of int
        The atom for each node of the graphlet.
    psi : float
        How well it fits there, from 0 to 1.
    name : str or None
        What the molecule is called.
    """

    smiles: str
    nodes: tuple[int, ...]
    psi: float
    name: str | None = None
