"""Graphs and graphlets of molecules as skeletal formulas, where they can be drawn so."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.drawing.molecules import (
    Atom,
    aligned_skeletons,
    mol_of_atoms,
    mol_of_smiles,
    skeleton,
)
from aglets.drawing.skeletal import Mark, Skeleton
from aglets.graphlets.atom_labels import AtomLabel, label_options
from aglets.graphlets.example import Example
from aglets.graphs import Graph

__all__ = ["example_skeleton", "fragment_skeleton", "graph_mol", "marks_of", "skeletons_of"]


def graph_mol(graph: Graph, recipe: str | None) -> Any:
    """Return the RDKit molecule of a graph, atoms in the order of its nodes; None if it has none.

    Parameters
    ----------
    graph : Graph
        From a set with this recipe.
    recipe : str or None
        How graphs were read; only what was read from molecules is one.

    Examples
    --------
    >>> from aglets import GraphSet
    >>> graphs = GraphSet.from_smiles(["OCC"])
    >>> graph_mol(graphs[0], graphs.recipe).GetAtomWithIdx(0).GetSymbol()
    'O'
    """
    said = label_options(recipe)
    if said is None:
        return None
    atoms = _atoms(graph.labels, said)
    if atoms is None:
        return None
    if graph.smiles is not None:
        mol = mol_of_smiles(graph.smiles, hydrogens=_has_hydrogens(recipe))
        elements = [] if mol is None else [atom.GetSymbol() for atom in mol.GetAtoms()]
        if elements == [atom.element for atom in atoms]:
            return mol
    names = tuple(graph.attribute_names or ())
    if "n_hydrogens" in names:
        column = graph.attributes[:, names.index("n_hydrogens")].round().astype(int).tolist()
        atoms = [atom._replace(hydrogens=n) for atom, n in zip(atoms, column, strict=True)]
    return mol_of_atoms(atoms, _bonds(graph.edges, graph.edge_labels))


def skeletons_of(graphs: Iterable[Graph], recipe: str | None) -> list[Skeleton | None]:
    """Draw the molecules of a gallery, those of one scaffold alike; None for other graphs."""
    return aligned_skeletons([graph_mol(graph, recipe) for graph in graphs])


def fragment_skeleton(
    labels: Sequence[Hashable],
    edges: npt.ArrayLike,
    edge_labels: Sequence[Hashable] | None,
    recipe: str | None,
) -> Skeleton | None:
    """Draw a graphlet of molecules by itself; None for other graphlets."""
    said = label_options(recipe)
    atoms = None if said is None else _atoms(labels, said)
    if atoms is None:
        return None
    return skeleton(mol_of_atoms(atoms, _bonds(edges, edge_labels), whole=False), fragment=True)


def example_skeleton(example: Example, recipe: str | None) -> Skeleton | None:
    """Draw the molecule that a graphlet is shown in."""
    return skeleton(mol_of_smiles(example.smiles, hydrogens=_has_hydrogens(recipe)))


def marks_of(
    edges: npt.ArrayLike, nodes: Sequence[int], mark: Mark
) -> tuple[dict[int, Mark], dict[tuple[int, int], Mark]]:
    """Mark the atoms and bonds on which a graphlet with these edges lies."""
    pairs = np.asarray(edges).reshape(-1, 2).tolist()
    return dict.fromkeys(nodes, mark), {(nodes[u], nodes[v]): mark for u, v in pairs}


def _has_hydrogens(recipe: str | None) -> bool:
    return bool(json.loads(recipe or "{}").get("molecule", {}).get("hydrogens"))


def _atoms(labels: Sequence[Hashable], said: tuple[str, ...]) -> list[Atom] | None:
    parsed = [AtomLabel.parse(label, said) for label in labels]
    known = [one for one in parsed if one is not None]
    if len(known) < len(parsed):
        return None
    return [Atom(one.element, bool(one.aromatic), one.charge or 0) for one in known]


def _bonds(
    edges: npt.ArrayLike, edge_labels: Sequence[Hashable] | None
) -> list[tuple[int, int, str | None]]:
    pairs = np.asarray(edges).reshape(-1, 2).tolist()
    orders = [None] * len(pairs) if edge_labels is None else [str(o)[:1] for o in edge_labels]
    return [(u, v, order) for (u, v), order in zip(pairs, orders, strict=True)]
