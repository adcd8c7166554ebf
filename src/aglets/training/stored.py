"""Training graphs that lie in files, with what is known of them: only targets are in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aglets.graphs.arrays import Floats, Ints
from aglets.graphs.checks import offsets_of
from aglets.graphs.stored import GraphFile, StoredGraphs
from aglets.preprocessing.input_spec import InputSpec
from aglets.training.sample import Sample

__all__ = ["AnySample", "StoredPiece", "StoredSample"]


@dataclass(frozen=True)
class StoredPiece:
    """What a process needs to make the `Sample` of one file, or of some graphs of it."""

    file: GraphFile
    rows: Ints | None
    targets: Floats
    sample_weight: Floats
    weights: Floats
    input_spec: InputSpec

    def load(self) -> Sample:
        """Read the file."""
        graphs, _ = self.file.read()
        graphs = graphs if self.rows is None else graphs[self.rows]
        sample = Sample(graphs, self.targets, self.sample_weight, self.weights)
        return sample.to_model_units(self.input_spec)


@dataclass(frozen=True)
class StoredSample:
    """A `Sample` whose graphs are in files, in the order of files.

    Parameters
    ----------
    graphs : StoredGraphs
    targets, sample_weight, weights
        As in `Sample`.
    rows : ndarray of shape (n_graphs,) or None
        Which of all graphs; None for all.
    input_spec : InputSpec or None
        In whose units the graphs will be read.
    """

    graphs: StoredGraphs
    targets: Floats
    sample_weight: Floats
    weights: Floats
    rows: Ints | None = None
    input_spec: InputSpec | None = None
    covariates: None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", np.broadcast_to(self.weights, self.targets.shape))

    def __getitem__(self, rows: NDArray[np.intp]) -> StoredSample:
        rows = np.sort(rows)
        return replace(
            self,
            targets=self.targets[:, rows],
            sample_weight=self.sample_weight[rows],
            weights=self.weights[:, rows],
            rows=rows if self.rows is None else self.rows[rows],
        )

    def to_model_units(self, input_spec: InputSpec) -> StoredSample:
        """Note in whose units the graphs will be read."""
        return replace(self, input_spec=input_spec)

    def pieces(self) -> list[StoredPiece]:
        """Return a piece per file."""
        assert self.input_spec is not None
        files = self.graphs.files
        ends = offsets_of([file.facts.n_graphs for file in files])
        rows = np.arange(ends[-1]) if self.rows is None else self.rows
        bounds = np.searchsorted(rows, ends)
        pieces = []
        for k, file in enumerate(files):
            own = slice(bounds[k], bounds[k + 1])
            some = None if self.rows is None else rows[own] - ends[k]
            columns = (self.targets[:, own], self.sample_weight[own], self.weights[:, own])
            pieces.append(StoredPiece(file, some, *columns, self.input_spec))
        return pieces

    def load(self) -> Sample:
        """Read all files into memory."""
        samples = [piece.load() for piece in self.pieces()]
        return Sample(
            type(samples[0].graphs).concatenate([sample.graphs for sample in samples]),
            self.targets,
            self.sample_weight,
            self.weights,
        )


#: Graphs in memory or in files.
AnySample = Sample | StoredSample
