"""What a model remembers of its training graphs: how many, base rates, what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aglets.graphs.arrays import Floats
from aglets.model.neighbours import Neighbours
from aglets.model.surroundings import learn_surroundings

if TYPE_CHECKING:
    from aglets.model.match import Match
    from aglets.model.outputs import Outputs

__all__ = ["TrainingRecord", "for_graphlets"]


@dataclass(frozen=True, eq=False)
class TrainingRecord:
    """The training graphs, as far as predictions are compared with them.

    Parameters
    ----------
    n_graphs : int
    base_rates : sequence (per target) of ndarray
        The share of graphs of each class, or the mean of numbers alone; by the weights of graphs,
        but not those of classes.
    surroundings : ndarray of int64, or None
        Numbers of all surroundings of nodes (:mod:`aglets.model.surroundings`), sorted; None if
        they were too many.
    neighbours : Neighbours or None
        The graphs themselves, or some of them, if they are kept.
    """

    n_graphs: int
    base_rates: Sequence[Floats]
    surroundings: NDArray[np.int64] | None = None
    neighbours: Neighbours | None = None

    def __post_init__(self) -> None:
        rates = tuple(np.asarray(rate, dtype=np.float64) for rate in self.base_rates)
        if not all(rate.ndim == 1 and np.isfinite(rate).all() for rate in rates):
            raise ValueError("Base rates must be finite numbers.")
        known = self.surroundings
        if known is not None and (known.ndim != 1 or (known[1:] <= known[:-1]).any()):
            raise ValueError("The surroundings of training nodes must be sorted, each once.")
        object.__setattr__(self, "base_rates", rates)

    @classmethod
    def learn(
        cls, outputs: Outputs, found: Match, encoded: Floats, sample_weight: Floats
    ) -> TrainingRecord:
        """Take what is kept from training graphs in which graphlets were matched.

        Parameters
        ----------
        outputs : Outputs
        found : Match
        encoded : ndarray of shape (n_outputs, n_graphs)
            NaN where a target is unknown.
        sample_weight : ndarray of shape (n_graphs,)
        """
        values, rates = [], []
        for target, rows in zip(outputs.targets, outputs.slices, strict=True):
            own = encoded[rows]
            known = ~np.isnan(own[0])
            column = np.full(own.shape[1], np.nan)
            weight = sample_weight[known]
            total = float(weight.sum()) or 1.0
            if target.classes is None:
                column[known] = own[0, known]
                rates.append(np.array([float(weight @ column[known]) / total]))
            else:
                codes = target.decided(own[:, known].T)
                column[known] = codes
                counts = np.bincount(codes, weights=weight, minlength=len(target.classes))
                rates.append(counts / total)
            values.append(column)
        return cls(
            n_graphs=len(found.graphs),
            base_rates=rates,
            surroundings=learn_surroundings(found.scaled),
            neighbours=Neighbours.of(found.graphs, found.psi, np.array(values)),
        )

    def with_graphlets(self, columns: Sequence[int] | None) -> TrainingRecord:
        """Return the record for a model with these of its graphlets; None for one with others."""
        if self.neighbours is None:
            return self
        kept = None if columns is None else self.neighbours.with_graphlets(columns)
        return replace(self, neighbours=kept)


def for_graphlets(
    record: TrainingRecord | None, columns: Sequence[int] | None
) -> TrainingRecord | None:
    """Return a model's record, if it has one, for these of its graphlets; None for others."""
    return None if record is None else record.with_graphlets(columns)
