"""Sets of classes, and intervals, that hold the truth as often as is asked for.

Conformal prediction (Vovk et al., 2005): how strange held-out graphs were under their true class,
or how far off their predictions were, says how strange a further graph may be. If held-out and
further graphs are drawn alike, sets and intervals miss the truth with probability alpha or less,
whatever the model is worth; a poor model has large sets.

Classes are held against held-out graphs of the same class, so that this is true of every class by
itself, also of rare ones (called class-conditional, or Mondrian). How well a graph conforms to a
class is the margin of f for it: f of that class minus the largest f of the others. For numbers it
is the distance |y - f|.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aglets.graphs.arrays import Floats

if TYPE_CHECKING:
    from aglets.model.outputs import Outputs
    from aglets.model.target import Target

__all__ = ["Conformal", "HeldOutScores", "check_alpha"]

#: Most numbers that are kept per class or target; more are thinned out evenly.
MAX_SCORES = 10_000
#: Scores that differ by less than this part are ties.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class HeldOutScores:
    """Scores of held-out graphs in increasing order, each with the weight of its graph.

    Parameters
    ----------
    scores, weights : ndarray of shape (n,)

    Examples
    --------
    >>> nine = HeldOutScores(np.arange(9.0), np.ones(9))
    >>> nine.share_up_to(np.array([-1.0, 4.0, 9.0]))
    array([0.1, 0.6, 1. ])
    >>> nine.bound(0.1), nine.bound(0.05)
    (8.0, inf)
    """

    scores: Floats
    weights: Floats

    def __post_init__(self) -> None:
        scores, weights = (np.asarray(a, dtype=np.float64) for a in (self.scores, self.weights))
        if scores.shape != weights.shape or scores.ndim != 1:
            raise ValueError("Held-out scores need one weight each.")
        if not (np.isfinite(scores).all() and (np.diff(scores) >= 0.0).all()):
            raise ValueError("Held-out scores must be finite and in increasing order.")
        if not (np.isfinite(weights).all() and (weights > 0.0).all()):
            raise ValueError("Weights of held-out scores must be positive and finite.")
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "weights", weights)

    @classmethod
    def of(cls, scores: Floats, weights: Floats) -> HeldOutScores:
        """Sort scores of graphs with a positive weight, and thin them out if they are many."""
        used = weights > 0.0
        scores, weights = scores[used], weights[used]
        order = np.lexsort((weights, scores))
        scores, weights = scores[order], weights[order]
        if len(scores) > MAX_SCORES:
            total = float(weights.sum())
            middles = (np.arange(MAX_SCORES) + 0.5) * (total / MAX_SCORES)
            scores = scores[np.searchsorted(np.cumsum(weights), middles).clip(0, len(scores) - 1)]
            weights = np.full(MAX_SCORES, total / MAX_SCORES)
        return cls(scores, weights)

    def share_up_to(self, values: Floats) -> Floats:
        """Return the share of graphs with at most these scores, each new graph counted in."""
        sums = np.concatenate([[0.0], np.cumsum(self.weights)])
        slack = ROUNDING * (1.0 + np.abs(values))
        below = sums[np.searchsorted(self.scores, values + slack, side="right")]
        return np.asarray((below + 1.0) / (sums[-1] + 1.0))

    def bound(self, alpha: float) -> float:
        """Return what a further score exceeds with probability alpha or less; infinite if few."""
        sums = np.cumsum(self.weights)
        total = float(sums[-1]) if len(sums) else 0.0
        needed = (1.0 - alpha) * (total + 1.0) * (1.0 - 1e-12)  # no rounding up of whole numbers
        place = int(np.searchsorted(sums, needed))
        return float(self.scores[place]) if place < len(self.scores) else np.inf


@dataclass(frozen=True, eq=False)
class Conformal:
    """What held-out graphs say of the errors of a model.

    Parameters
    ----------
    targets : sequence (per target) of sequences of HeldOutScores
        One per class, in the order of classes; a single one for numbers.

    Examples
    --------
    >>> from aglets.model.outputs import Outputs
    >>> outputs = Outputs.of_numbers()
    >>> y = np.linspace(-1.0, 1.0, 19)
    >>> held_out = Conformal.learn(outputs, np.zeros((19, 1)), y[None], np.ones(19))
    >>> held_out.intervals(outputs, np.array([[5.0]]), alpha=0.1)
    [array([[4., 6.]])]
    """

    targets: Sequence[Sequence[HeldOutScores]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "targets", tuple(tuple(each) for each in self.targets))

    @classmethod
    def learn(
        cls, outputs: Outputs, f: Floats, encoded: Floats, sample_weight: Floats
    ) -> Conformal:
        """Take scores from graphs that were not trained on.

        The arguments are those of `aglets.model.calibration.Calibration.learn`.
        """
        targets = []
        for target, rows in zip(outputs.targets, outputs.slices, strict=True):
            known = ~np.isnan(encoded[rows.start])
            own, truth, weight = f[known, rows], encoded[rows, known], sample_weight[known]
            if target.classes is None:
                targets.append([HeldOutScores.of(np.abs(truth[0] - own[:, 0]), weight)])
                continue
            codes, margins = target.decided(truth.T), _margins(target, own)
            targets.append(
                [
                    HeldOutScores.of(margins[codes == c, c], weight[codes == c])
                    for c in range(len(target.classes))
                ]
            )
        return cls(targets)

    def p_values(self, outputs: Outputs, f: Floats) -> list[Floats | None]:
        """Return how well each graph conforms to each class, per target; None for numbers.

        The share of held-out graphs of that class with a margin as small or smaller. Of graphs of
        the class it is alpha or less with probability alpha or less.
        """
        found: list[Floats | None] = []
        for target, rows, scores in zip(outputs.targets, outputs.slices, self.targets, strict=True):
            if target.classes is None:
                found.append(None)
                continue
            margins = _margins(target, f[:, rows])
            columns = [one.share_up_to(m) for one, m in zip(scores, margins.T, strict=True)]
            found.append(np.column_stack(columns))
        return found

    def sets(self, outputs: Outputs, f: Floats, alpha: float) -> list[NDArray[np.bool_] | None]:
        """Say which classes belong to each graph's set, per target; None for numbers."""
        check_alpha(alpha)
        return [None if p is None else p > alpha for p in self.p_values(outputs, f)]

    def intervals(self, outputs: Outputs, f: Floats, alpha: float) -> list[Floats | None]:
        """Give the interval of each graph, shape (n_graphs, 2), per target; None for classes."""
        check_alpha(alpha)
        found: list[Floats | None] = []
        for target, rows, scores in zip(outputs.targets, outputs.slices, self.targets, strict=True):
            if target.classes is not None:
                found.append(None)
                continue
            reach = scores[0].bound(alpha)
            found.append(f[:, rows] + np.array([[-reach, reach]]))
        return found


def _margins(target: Target, f: Floats) -> Floats:
    """Return f of each class minus the largest f of the others, shape (n_graphs, n_classes)."""
    if target.binary:
        return np.column_stack([-f[:, 0], f[:, 0]])
    two = np.sort(f, axis=1)[:, -2:]
    others = np.where(f == two[:, 1:], two[:, :1], two[:, 1:])
    return np.asarray(f - others)


def check_alpha(alpha: float) -> None:
    """Raise unless alpha is a share between 0 and 1."""
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float, np.number)):
        raise TypeError(f"alpha must be a number between 0 and 1. Got {alpha!r} instead.")
    if not 0.0 < alpha < 1.0:
        raise ValueError(
            f"alpha, the share of errors that is allowed, must be between 0 and 1. Got {alpha}."
        )
