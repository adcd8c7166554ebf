"""Accuracy and R² as sums over graphs, so that parts of the graphs can be added."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from aglets.graphs.arrays import Floats
from aglets.model.losses import JointLoss, Loss

__all__ = ["JointScoreSums", "ScoreSums"]


@dataclass(frozen=True)
class ScoreSums:
    """What `Loss.score` is made of.

    Parameters
    ----------
    weight : float
        Sum of the weights.
    right : float
        Weight of the graphs that are classified correctly; 0 in regression.
    mean, spread, error : float
        In regression: weighted mean of y, sum of w (y - mean)² and of w (y - f)²; else 0.
    classification : bool

    Examples
    --------
    >>> import numpy as np
    >>> from aglets.model.losses import Squared
    >>> y, f, w = np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.5, 3.0]), np.ones(3)
    >>> parts = [ScoreSums.of(Squared(), y[k], f[k], w[k]) for k in ([0, 2], [1])]
    >>> whole = parts[0] + parts[1]
    >>> bool(np.isclose(whole.score, Squared().score(y, f, w)))
    True
    """

    weight: float
    right: float
    mean: float
    spread: float
    error: float
    classification: bool

    @classmethod
    def of(cls, loss: Loss, y: Floats, f: Floats, w: Floats) -> ScoreSums:
        """Sum up some graphs."""
        total = float(w.sum())
        if loss.classification:
            right = float(w @ ((f > 0.0) == (y > 0.0)))
            return cls(total, right, 0.0, 0.0, 0.0, True)
        mean = float(w @ y) / total if total else 0.0
        return cls(total, 0.0, mean, float(w @ (y - mean) ** 2), float(w @ (y - f) ** 2), False)

    def __add__(self, other: ScoreSums) -> ScoreSums:
        weight = self.weight + other.weight
        share = other.weight / weight if weight else 0.0
        apart = other.mean - self.mean
        return ScoreSums(
            weight,
            self.right + other.right,
            self.mean + share * apart,
            self.spread + other.spread + self.weight * share * apart**2,
            self.error + other.error,
            self.classification,
        )

    @property
    def score(self) -> float:
        """Weighted accuracy, or R²; NaN without weight."""
        if self.weight == 0.0:
            return math.nan
        if self.classification:
            return self.right / self.weight
        if self.spread == 0.0:
            return 1.0 if self.error == 0.0 else 0.0
        return 1.0 - self.error / self.spread


@dataclass(frozen=True)
class JointScoreSums:
    """Those of several targets, one after the other."""

    targets: tuple[ScoreSums, ...]

    @classmethod
    def of(cls, loss: JointLoss, y: Floats, f: Floats, w: Floats) -> JointScoreSums:
        """Sum up some graphs; of more than two classes, the one with the largest f counts."""
        return cls(
            tuple(
                ScoreSums.of(own, y[rows.start], f[rows.start], w[rows.start])
                if rows.stop - rows.start == 1
                else _of_classes(y[rows], f[rows], w[rows.start])
                for rows, own in loss.targets
            )
        )

    def __add__(self, other: JointScoreSums) -> JointScoreSums:
        pairs = zip(self.targets, other.targets, strict=True)
        return JointScoreSums(tuple(one + another for one, another in pairs))

    @property
    def score(self) -> float:
        """Mean over the targets of which some value is known."""
        found = [sums.score for sums in self.targets if sums.weight > 0.0]
        return sum(found) / len(found) if found else math.nan


def _of_classes(y: Floats, f: Floats, w: Floats) -> ScoreSums:
    right = float(w @ (y.argmax(axis=0) == f.argmax(axis=0)))
    return ScoreSums(float(np.sum(w)), right, 0.0, 0.0, 0.0, True)
