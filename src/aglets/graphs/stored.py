"""Graphs that lie in files: what they add up to, and how one file of them is read.

Trainers know graphs in files by this alone; how a file is written is the business of a format.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.graphs.arrays import Floats
from aglets.graphs.graph_set import GraphSet
from aglets.graphs.moments import Moments

__all__ = ["GraphFacts", "GraphFile", "StoredGraphs", "TargetFacts"]


@dataclass(frozen=True)
class TargetFacts:
    """What targets add up to.

    Parameters
    ----------
    counts : mapping or None
        How often each value occurs; None if there are too many different numbers.
    lowest, highest : float or None
        Of numbers.
    """

    counts: Mapping[Any, int] | None
    lowest: float | None = None
    highest: float | None = None


@dataclass(frozen=True)
class GraphFacts:
    """What graphs add up to, so that nobody has to read them for it.

    Parameters
    ----------
    n_graphs, n_nodes, n_edges : int
    nodes, edges : Moments
        Of attributes, by label; of edges without labels, all are of one.
    graphs_with : ndarray of shape (n_labels,)
        In how many graphs each label occurs.
    target : TargetFacts or None
    """

    n_graphs: int
    n_nodes: int
    n_edges: int
    nodes: Moments
    edges: Moments
    graphs_with: Floats
    target: TargetFacts | None = None


class GraphFile(ABC):
    """One file; it goes to other processes by its name."""

    facts: GraphFacts

    @abstractmethod
    def read(self, *, identity: bool = False) -> tuple[GraphSet, npt.NDArray[Any] | None]:
        """Read the graphs and their targets; ``identity`` asks for names, ids and SMILES, too."""

    @abstractmethod
    def read_targets(self) -> npt.NDArray[Any] | None:
        """Read nothing but the targets."""


class StoredGraphs(ABC):
    """Graphs in several files, none of which is in memory."""

    files: Sequence[GraphFile]

    @property
    @abstractmethod
    def facts(self) -> GraphFacts:
        """What all graphs add up to."""

    @property
    @abstractmethod
    def vocabulary(self) -> tuple[Hashable, ...]:
        """The node labels."""

    @property
    @abstractmethod
    def edge_vocabulary(self) -> tuple[Hashable, ...] | None:
        """The edge labels; None if edges have none."""

    @property
    @abstractmethod
    def attribute_names(self) -> tuple[str, ...] | None:
        """Names of node attributes."""

    @property
    @abstractmethod
    def edge_attribute_names(self) -> tuple[str, ...] | None:
        """Names of edge attributes."""

    @property
    @abstractmethod
    def recipe(self) -> str | None:
        """How a reader made labels and attributes."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """A text that differs between different graphs or targets."""

    @abstractmethod
    def targets(self) -> npt.NDArray[Any]:
        """Read the targets of all graphs, those of one file behind those of another."""

    def __len__(self) -> int:
        return sum(file.facts.n_graphs for file in self.files)

    @property
    def n_attributes(self) -> int:
        """Number of attributes of a node."""
        return int(self.files[0].facts.nodes.mean.shape[1])

    @property
    def n_edge_attributes(self) -> int:
        """Number of attributes of an edge."""
        return int(self.files[0].facts.edges.mean.shape[1])

    def first(self, n: int) -> tuple[GraphSet, npt.NDArray[Any] | None]:
        """Read the first graphs of the first file, to show what they look like."""
        graphs, y = self.files[0].read(identity=True)
        return graphs[:n], None if y is None else np.asarray(y[:n])
