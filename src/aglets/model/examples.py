"""For every graphlet of a model of molecules, a training molecule to draw it in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aglets.drawing.molecules import written_smiles
from aglets.graphlets import Graphlet
from aglets.graphlets.atom_labels import label_options
from aglets.graphlets.example import Example
from aglets.graphlets.skeletons import graph_mol

if TYPE_CHECKING:
    from aglets.model.match import Match
    from aglets.model.model import LagraModel

__all__ = ["best_place", "with_examples"]

#: Of graphs that fit nearly as well as the best, the smallest shows a graphlet most clearly.
NEARLY = 0.02
#: So many nodes around a graphlet show where it belongs.
SURROUNDINGS = 4
#: Larger molecules are not kept: a model file stays small, and nobody reads such a molecule.
MAX_NODES = 100
#: Longer names are cut.
LONGEST = 200


def with_examples(model: LagraModel, found: Match) -> LagraModel:
    """Let graphlets know the molecule that they fit best, of molecules.

    Parameters
    ----------
    model : LagraModel
    found : Match
        Of this model, in training graphs.
    """
    if label_options(found.graphs.recipe) is None or not model.graphlets:
        return model
    graphlets = [
        replace(graphlet, example=_example(graphlet, j, found))
        for j, graphlet in enumerate(model.graphlets)
    ]
    return replace(model, graphlets=graphlets)


def best_place(
    graphlet: Graphlet, column: int, found: Match, *, among: NDArray[np.bool_] | None = None
) -> tuple[int, tuple[int, ...], float] | None:
    """Return the graph in which a graphlet is seen best, its nodes there, and how well it fits.

    A graphlet that counts fits as well as its places do on average. Of graphs that fit nearly as
    well as the best, it is the smallest; after that only their content decides, not their order.
    """
    rows = np.flatnonzero(found.occurs[:, column])
    rows = rows if among is None else rows[among[rows]]
    if not len(rows):
        return None
    fit = np.array([_fit(graphlet, found, int(i), column) for i in rows])
    near = rows[fit >= fit.max() - NEARLY]
    fits = dict(zip(rows.tolist(), fit.tolist(), strict=True))
    smiles = found.graphs.smiles

    def order(i: int) -> tuple[bool, int, float, str]:
        text = "" if smiles is None else smiles[i] or ""
        size = int(found.graphs.n_nodes[i])
        return size < graphlet.n_nodes + SURROUNDINGS, size, -round(fits[i], 9), text

    best = min(near.tolist(), key=order)
    embedding = np.atleast_2d(_known(found, best, column))[0]
    return best, tuple(embedding.tolist()), fits[best]


def _known(found: Match, i: int, column: int) -> NDArray[np.int32]:
    embedding = found.embeddings.of(i, column)
    assert embedding is not None
    return embedding


def _fit(graphlet: Graphlet, found: Match, i: int, column: int) -> float:
    psi = float(found.psi[i, column])
    if graphlet.pooling == "best":
        return psi
    n_places = len(np.atleast_2d(_known(found, i, column)))
    total = psi * int(found.graphs.n_nodes[i]) if graphlet.pooling == "mean" else psi
    return total / max(n_places, 1)


def _example(graphlet: Graphlet, column: int, found: Match) -> Example | None:
    place = best_place(graphlet, column, found, among=found.graphs.n_nodes <= MAX_NODES)
    if place is None:
        return None
    i, nodes, psi = place
    graph = found.graphs[i]
    name = None if graph.name is None else str(graph.name)[:LONGEST]
    if graph.smiles is not None:
        return Example(str(graph.smiles), nodes, psi, name)
    written = written_smiles(graph_mol(graph, graph.recipe), nodes)
    return None if written is None else Example(*written, psi, name)
