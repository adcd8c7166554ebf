"""The graphlets of a model matched with graphs: scores, and where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from aglets.graphlets.scores import Embeddings
from aglets.graphs import GraphSet
from aglets.graphs.arrays import Bools, Floats, Rows

__all__ = ["Match"]


@dataclass(frozen=True, eq=False)
class Match:
    """Graphs, and how well and where a model's graphlets match in them.

    Parameters
    ----------
    graphs : GraphSet
        In the user's units.
    scaled : GraphSet
        The same graphs in the labels and units of the model.
    psi : ndarray of shape (n_graphs, n_graphlets)
        AGIS.
    embeddings : Embeddings
        Per graph and graphlet, the matched node of each graphlet node; None if there is no match.
    """

    graphs: GraphSet
    scaled: GraphSet
    psi: Floats
    embeddings: Embeddings

    @cached_property
    def occurs(self) -> Bools:
        """Whether each graphlet occurs in each graph, whatever the attributes are."""
        found = np.empty(self.psi.shape, dtype=bool)
        for column, own in enumerate(found.T):
            own[:] = self.embeddings.n_places(column) > 0
        return found

    def of_graphs(self, rows: Rows) -> Match:
        """Take some of the graphs."""
        part = self.embeddings.taken(rows)
        return Match(self.graphs[rows], self.scaled[rows], self.psi[rows], part)

    def of_graphlets(self, columns: Sequence[int]) -> Match:
        """Take some of the graphlets."""
        part = self.embeddings.of_graphlets(columns)
        return replace(self, psi=self.psi[:, columns], embeddings=part)
