"""Graphs together with what is known of them: targets, weights, covariates."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats
from aglets.preprocessing.input_spec import InputSpec

__all__ = ["Sample"]


@dataclass(frozen=True)
class Sample:
    """Graphs with what is known of them.

    Parameters
    ----------
    graphs : GraphSet
    targets : ndarray of shape (n_outputs, n_graphs)
        -1 or +1 for classes, numbers for regression; 0 where a target is unknown.
    sample_weight : ndarray of shape (n_graphs,)
        How often each graph counts: also in means and spreads of attributes.
    weights : ndarray of shape (n_outputs, n_graphs)
        The same times the weight of the graph's class: what the loss of each output is weighted
        by; 0 where its target is unknown. Shape (n_graphs,) if all outputs share them.
    covariates : ndarray of shape (n_graphs, n_covariates) or None
        As ``Covariates.centered`` gives them.
    """

    graphs: GraphSet
    targets: Floats
    sample_weight: Floats
    weights: Floats
    covariates: Floats | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", np.broadcast_to(self.weights, self.targets.shape))

    def __getitem__(self, rows: NDArray[np.intp]) -> Sample:
        return Sample(
            graphs=self.graphs[rows],
            targets=self.targets[:, rows],
            sample_weight=self.sample_weight[rows],
            weights=self.weights[:, rows],
            covariates=None if self.covariates is None else self.covariates[rows],
        )

    @property
    def has_gaps(self) -> bool:
        """Whether a target of some graph is unknown."""
        unknown = (self.targets == 0.0) & (self.weights == 0.0) & (self.sample_weight > 0.0)
        return bool(unknown.any())

    def load(self) -> Sample:
        """Return itself: it is in memory."""
        return self

    def to_model_units(self, input_spec: InputSpec) -> Sample:
        """Scale graphs; labels that the fit lacks match nothing."""
        # Parts of one data set may lack each other's labels: no news for the user.
        return replace(self, graphs=input_spec.to_model_units(self.graphs, warn=False))
