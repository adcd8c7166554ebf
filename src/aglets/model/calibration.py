"""Probabilities of classes from decisions: what held-out graphs say of f.

A curve p(f) never falls. It is a sigmoid with two numbers (Platt, 1999, with his targets, which
keep it away from 0 and 1) where held-out graphs are few, and any such curve (isotonic regression)
where they are many. Losses that give probabilities by themselves are taken at their word: there the
curve is the sigmoid of slope 1, moved only by what class weights did to the odds.

Class weights are left out of all this: probabilities refer to the data as they are, in which rare
classes are rare.
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

__all__ = ["Calibration", "Isotonic", "Sigmoid", "fit_curve", "fit_isotonic", "fit_sigmoid"]

#: From so many graphs of the rarer class on, the curve need not be a sigmoid. With a hundred of
#: them isotonic regression still has the higher loss on further graphs (benchmarks/bench_trust.py).
ISOTONIC_FROM = 500


@dataclass(frozen=True)
class Sigmoid:
    """p = 1 / (1 + exp(-(slope f + offset))).

    Parameters
    ----------
    slope, offset : float
        The slope is not negative.
    n_graphs : int
        From so many held-out graphs; 0 if from the loss itself.

    Examples
    --------
    >>> Sigmoid(2.0, 0.0)(np.array([0.0, 50.0]))[1]
    array([0.5, 1. ])
    """

    slope: float
    offset: float
    n_graphs: int = 0

    def __post_init__(self) -> None:
        if not (np.isfinite([self.slope, self.offset]).all() and self.slope >= 0.0):
            raise ValueError(
                "A sigmoid needs a finite offset and a finite slope that is not negative. "
                f"Got slope {self.slope} and offset {self.offset} instead."
            )

    @property
    def method(self) -> str:
        """Say how it was made."""
        return "sigmoid" if self.n_graphs else "loss"

    def __call__(self, f: Floats) -> tuple[Floats, Floats]:
        """Return 1 - p and p, neither overflowing nor losing the small one."""
        z = self.slope * f + self.offset
        small = np.exp(-np.abs(z))
        rest, p = (np.where(sign * z >= 0.0, 1.0, small) / (1.0 + small) for sign in (-1, 1))
        return rest, p


@dataclass(frozen=True, eq=False)
class Isotonic:
    """A curve through given points that never falls; straight between them, flat outside.

    Parameters
    ----------
    f, p : ndarray of shape (n_points,)
        Increasing, and not decreasing.
    n_graphs : int
        From so many held-out graphs.

    Examples
    --------
    >>> Isotonic(np.array([0.0, 1.0]), np.array([0.2, 0.8]), 10)(np.array([-1.0, 0.5, 9.0]))[1]
    array([0.2, 0.5, 0.8])
    """

    f: Floats
    p: Floats
    n_graphs: int

    method = "isotonic"

    def __post_init__(self) -> None:
        f, p = np.asarray(self.f, dtype=np.float64), np.asarray(self.p, dtype=np.float64)
        rises = len(f) == len(p) > 0 and (np.diff(f) > 0.0).all() and (np.diff(p) >= 0.0).all()
        if not (rises and np.isfinite(f).all() and p[0] >= 0.0 and p[-1] <= 1.0):
            raise ValueError(
                "An isotonic curve needs points with increasing f and probabilities that do not "
                "fall."
            )
        object.__setattr__(self, "f", f)
        object.__setattr__(self, "p", p)

    def __call__(self, f: Floats) -> tuple[Floats, Floats]:
        """Return 1 - p and p."""
        p = np.interp(f, self.f, self.p)
        return 1.0 - p, p


Curve = Sigmoid | Isotonic


@dataclass(frozen=True, eq=False)
class Calibration:
    """The curve of every output of a model; None for numbers.

    More than two classes have a curve each, "class against the rest", and what these give is
    divided by its sum.

    Parameters
    ----------
    curves : sequence (per output) of Sigmoid, Isotonic or None

    Examples
    --------
    >>> from aglets.model.outputs import Outputs
    >>> f, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([[-1.0, -1.0, 1.0, 1.0]])
    >>> outputs = Outputs.of_classes(["no", "yes"])
    >>> calibration = Calibration.learn(outputs, f, y, np.ones(4))
    >>> calibration.curves[0].method
    'sigmoid'
    >>> [p] = calibration.probabilities(outputs, f)
    >>> p.shape, bool((np.diff(p[:, 1]) > 0).all())
    ((4, 2), True)
    """

    curves: Sequence[Curve | None]

    def __post_init__(self) -> None:
        object.__setattr__(self, "curves", tuple(self.curves))

    @classmethod
    def learn(
        cls, outputs: Outputs, f: Floats, encoded: Floats, sample_weight: Floats
    ) -> Calibration:
        """Learn the curves of classes from graphs that were not trained on.

        Parameters
        ----------
        outputs : Outputs
        f : ndarray of shape (n_graphs, n_outputs)
        encoded : ndarray of shape (n_outputs, n_graphs)
            The truth; NaN where it is unknown.
        sample_weight : ndarray of shape (n_graphs,)
            Without weights of classes.
        """
        curves: list[Curve | None] = []
        for loss, column, y in zip(outputs.losses, f.T, encoded, strict=True):
            if not loss.classification:
                curves.append(None)
                continue
            known = ~np.isnan(y) & (sample_weight > 0.0)
            curves.append(fit_curve(column[known], y[known] > 0.0, sample_weight[known]))
        return cls(curves)

    @classmethod
    def of_losses(
        cls, outputs: Outputs, encoded: Floats, sample_weight: Floats, weight: Floats
    ) -> Calibration | None:
        """Take probabilities from the losses, if all of them that are for classes give some.

        Training with weights w of classes multiplies the odds by w of the class over the mean w of
        the others; this is undone.

        Parameters
        ----------
        outputs : Outputs
        encoded : ndarray of shape (n_outputs, n_graphs)
        sample_weight : ndarray of shape (n_graphs,)
        weight : ndarray of shape (n_graphs,) or (n_outputs, n_graphs)
            The same times the weight of the graph's class.
        """
        losses = [loss for loss in outputs.losses if loss.classification]
        if not losses or not all(loss.probabilistic for loss in losses):
            return None
        each = np.broadcast_to(weight, encoded.shape)
        curves = [
            Sigmoid(1.0, -_log_odds_of_weights(y, sample_weight, w))
            if loss.classification
            else None
            for y, loss, w in zip(encoded, outputs.losses, each, strict=True)
        ]
        return cls(curves)

    def covers(self, outputs: slice) -> bool:
        """Whether all outputs of a target have a curve."""
        return all(curve is not None for curve in self.curves[outputs])

    @property
    def from_losses(self) -> bool:
        """Whether it says nothing but what the losses say: true of any f they were trained for."""
        return all(curve is None or curve.method == "loss" for curve in self.curves)

    def probabilities(self, outputs: Outputs, f: Floats) -> list[Floats | None]:
        """Give the probability of each class per target; None for numbers.

        Parameters
        ----------
        outputs : Outputs
        f : ndarray of shape (n_graphs, n_outputs)
        """
        found: list[Floats | None] = []
        for target, rows in zip(outputs.targets, outputs.slices, strict=True):
            parts = [
                curve(column)
                for curve, column in zip(self.curves[rows], f[:, rows].T, strict=True)
                if curve is not None
            ]
            if not parts:
                found.append(None)
                continue
            rest, p = (np.column_stack(columns) for columns in zip(*parts, strict=True))
            found.append(target.normalised(rest, p))
        return found


def fit_curve(f: Floats, positive: NDArray[np.bool_], weight: Floats) -> Curve:
    """Fit a sigmoid to few graphs, an isotonic curve to many."""
    rarer = min(np.count_nonzero(positive), np.count_nonzero(~positive))
    return (fit_isotonic if rarer >= ISOTONIC_FROM else fit_sigmoid)(f, positive, weight)


def fit_sigmoid(f: Floats, positive: NDArray[np.bool_], weight: Floats) -> Sigmoid:
    """Fit Platt's sigmoid: maximum likelihood with targets (N+ + 1) / (N+ + 2) and 1 / (N- + 2).

    A slope below 0 says that f is of no use; it becomes 0.

    Examples
    --------
    >>> f, y = np.array([-1.0, -0.5, 0.5, 1.0]), np.array([False, True, False, True])
    >>> fit_sigmoid(f, y, np.ones(4)).slope > 0.0 == fit_sigmoid(-f, y, np.ones(4)).slope
    True
    """
    above, below = float(weight[positive].sum()), float(weight[~positive].sum())
    target = np.where(positive, (above + 1.0) / (above + 2.0), 1.0 / (below + 2.0))
    # In units of the spread of f the two directions of Newton's method are alike.
    total = above + below
    middle = float(weight @ f) / total if total else 0.0
    spread = float(np.sqrt(weight @ (f - middle) ** 2 / total)) if total else 0.0
    n_graphs = max(len(f), 1)
    prior = float(weight @ target) / total if total else 0.5
    constant = Sigmoid(0.0, float(np.log(prior / (1.0 - prior))), n_graphs)
    if spread <= 1e-12 * abs(middle):
        return constant
    slope, offset = _newton((f - middle) / spread, target, weight, constant.offset)
    if slope <= 0.0:
        return constant
    return Sigmoid(slope / spread, offset - slope * middle / spread, n_graphs)


def _newton(x: Floats, target: Floats, weight: Floats, offset: float) -> tuple[float, float]:
    """Minimise sum_i w_i (log(1 + exp(z_i)) - t_i z_i) with z = slope x + offset."""
    rows = np.column_stack([x, np.ones(len(x))])

    def value(theta: Floats) -> float:
        z = rows @ theta
        return float(weight @ (np.logaddexp(0.0, z) - target * z))

    theta = np.array([0.0, offset])
    now = value(theta)
    for _ in range(100):
        rest, p = Sigmoid(1.0, 0.0)(rows @ theta)
        slope = rows.T @ (weight * (p - target))
        bend = (rows * (weight * p * rest)[:, None]).T @ rows + 1e-12 * np.eye(2)
        step = np.linalg.solve(bend, slope)
        if float(slope @ step) <= 1e-14 * (1.0 + now):
            break
        length = 1.0
        while (then := value(theta - length * step)) > now and length > 1e-10:
            length *= 0.5
        if then >= now:
            break
        theta, now = theta - length * step, then
    return float(theta[0]), float(theta[1])


def fit_isotonic(f: Floats, positive: NDArray[np.bool_], weight: Floats) -> Isotonic:
    """Fit the curve that never falls with the smallest squared error (pool adjacent violators).

    No curve says less than 1 / (N + 2) or more than 1 minus that: N graphs do not show more.

    Examples
    --------
    >>> f, y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([False, True, False, True])
    >>> fit_isotonic(f, y, np.ones(4)).p.round(3)
    array([0.167, 0.5  , 0.5  , 0.833])
    """
    x, place = np.unique(f, return_inverse=True)
    w = np.bincount(place, weights=weight)
    sums = np.bincount(place, weights=weight * positive)
    blocks: list[list[float]] = []  # sum, weight, first and last position
    for i in range(len(x)):
        blocks.append([float(sums[i]), float(w[i]), i, i])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            total, size, _, last = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += size
            blocks[-1][3] = last
    ends = [(i, total / size) for total, size, a, b in blocks for i in sorted({int(a), int(b)})]
    low = 1.0 / (float(weight.sum()) + 2.0)
    p = np.clip([value for _, value in ends], low, 1.0 - low)
    return Isotonic(x[[i for i, _ in ends]], p, len(f))


def _log_odds_of_weights(y: Floats, sample_weight: Floats, weight: Floats) -> float:
    """Return the logarithm of what weights of classes multiplied the odds of y = 1 by."""
    factors = []
    for side in ((y > 0.0) & (weight > 0.0), (y < 0.0) & (weight > 0.0)):
        given, used = float(sample_weight[side].sum()), float(weight[side].sum())
        factors.append(used / given if given > 0.0 else 0.0)
    return float(np.log(factors[0] / factors[1])) if min(factors) > 0.0 else 0.0
