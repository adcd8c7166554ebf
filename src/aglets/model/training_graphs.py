"""Which graphs a model was fitted on, remembered in few bytes.

A score on training graphs is too good to be true, and nothing in a file of graphs says that they
were trained on. So a model keeps hashes of its training graphs: all, or the smallest `MOST` of
them, which are a sample drawn at random. Graphs whose hash is small enough to be in that sample can
be looked up in it, and stand for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from aglets.graphs import GraphSet
from aglets.graphs.isomorphism import content_hashes

__all__ = ["MOST", "Seen", "TrainingGraphs"]

#: Hashes that are kept at most.
MOST = 2048


class Seen(NamedTuple):
    """How many graphs could be looked up, and how many of these the model was fitted on."""

    n_known: int
    n_seen: int


@dataclass(frozen=True, eq=False)
class TrainingGraphs:
    """The graphs of a fit.

    Parameters
    ----------
    n_graphs : int
    hashes : ndarray of uint64
        Of the content of graphs, sorted, each once; of more than `MOST` the smallest.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(labels=["CO", "CC", "OC"], edges=[[(0, 1)]] * 3)
    >>> TrainingGraphs.of(graphs[:1]).seen(graphs)
    Seen(n_known=3, n_seen=2)
    """

    n_graphs: int
    hashes: npt.NDArray[np.uint64]

    def __repr__(self) -> str:
        return f"TrainingGraphs({self.n_graphs} graphs)"

    @classmethod
    def of(cls, graphs: GraphSet) -> TrainingGraphs:
        """Remember graphs."""
        return cls(len(graphs), np.unique(content_hashes(graphs))[:MOST])

    def seen(self, graphs: GraphSet) -> Seen:
        """Look graphs up; those that are the same up to the numbering of nodes count as seen."""
        found = content_hashes(graphs)
        if len(self.hashes) >= MOST:
            found = found[found <= self.hashes[-1]]
        return Seen(len(found), int(np.isin(found, self.hashes).sum()))
