"""Losses: how much it costs to answer f(G) when the truth is y.

Conventions, said once for the whole library. The training objective is

    F = 1/2 sum_i w_i loss(y_i, f_i) + lambda sum_H |beta_H|,

and every method below speaks of the first term, *with* its 1/2 and its weights:
``value`` is that term, ``residual`` is a_i = - d value / d f_i, so that the descent direction
of beta_H is g_H = sum_i a_i psi_i(H). For the squared hinge a_i = w_i y_i max(1 - y_i f_i, 0),
which is the a_i of the paper's appendix B.

A new loss is one class with ``value``, ``residual``, ``curvature``, ``curvature_bound`` and the
interval in which the best intercept lies; solvers call nothing else. It declares its name, its task
and its options, and `register_loss` makes it known to estimators, model files and the command line.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aglets.graphs.arrays import Floats

__all__ = ["Loss", "Option", "Task", "intercept_by_newton"]

Task = Literal["classification", "regression"]

EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Option:
    """A number that a loss takes: its default, and the open range in which it must lie.

    Examples
    --------
    >>> Option(0.5, 0.0, 1.0, "the quantile").words
    'a float in the range (0, 1)'
    """

    default: float
    low: float = -math.inf
    high: float = math.inf
    help: str = ""

    @property
    def words(self) -> str:
        """What finishes "must be ..."."""
        return f"a float in the range ({self.low:g}, {self.high:g})"

    def holds(self, value: object) -> bool:
        """Whether the value is a number inside of the range."""
        number = isinstance(value, (int, float, np.integer, np.floating))
        return number and not isinstance(value, bool) and self.low < float(value) < self.high  # type: ignore[arg-type]


class Loss(ABC):
    """A convex, differentiable loss; ``y``, ``f`` and the weights ``w`` are vectors over graphs.

    Losses for classification take y in {-1, +1}, those for regression any real y. Options are
    attributes of the instance.

    Parameters
    ----------
    **options : float
        Any of ``options``; the others have their defaults.
    """

    name: ClassVar[str]
    task: ClassVar[Task]
    options: ClassVar[Mapping[str, Option]] = {}
    #: Whether :meth:`class_probabilities` says something.
    probabilistic: ClassVar[bool] = False
    #: Whether the outputs of more than two classes depend on each other. Methods then take a row
    #: per class, too.
    joint: ClassVar[bool] = False

    def __init__(self, **options: float) -> None:
        kind = type(self).__name__
        for name in options:
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise ValueError(f"{kind} has no option {name!r}; its options are: {known}.")
        for name, option in self.options.items():
            value = options.get(name, option.default)
            if not option.holds(value):
                raise ValueError(
                    f"The {name!r} parameter of {kind} must be {option.words}. "
                    f"Got {value!r} instead."
                )
            setattr(self, name, float(value))

    @property
    def option_values(self) -> dict[str, float]:
        """The options of this instance."""
        return {name: getattr(self, name) for name in self.options}

    @property
    def classification(self) -> bool:
        """Whether it is for classes."""
        return self.task == "classification"

    @abstractmethod
    def value(self, y: Floats, f: Floats, w: Floats) -> float:
        """1/2 sum_i w_i loss(y_i, f_i)."""

    @abstractmethod
    def residual(self, y: Floats, f: Floats, w: Floats) -> Floats:
        """a_i = - d value / d f_i."""

    @abstractmethod
    def curvature(self, y: Floats, f: Floats, w: Floats) -> Floats:
        """Second derivative of the value in each f_i (one element of it where it jumps)."""

    @abstractmethod
    def curvature_bound(self, w: Floats) -> Floats:
        """Bound the second derivative in each f_i, whatever f is."""

    @abstractmethod
    def intercept_interval(self, y: Floats, offset: Floats, w: Floats) -> tuple[float, float]:
        """Two numbers between which ``value(y, offset + b, w)`` has a minimiser b."""

    def best_intercept(self, y: Floats, offset: Floats, w: Floats, current: float = 0.0) -> float:
        """Minimise ``value(y, offset + b, w)`` over b, to machine precision.

        Newton's method started at ``current`` on the derivative, which never decreases in b.
        """

        def slopes(b: float) -> tuple[float, float]:
            f = offset + b
            return float(self.residual(y, f, w).sum()), float(self.curvature(y, f, w).sum())

        return intercept_by_newton(slopes, self.intercept_interval(y, offset, w), current)

    def in_units_of(self, spread: float) -> Loss | None:
        """Return the same loss for targets that are divided by ``spread``; None if there is none.

        It must cost spread² times less there, so that both have the same minimisers. A loss that
        has such a form is trained on targets without unit, which takes as long in any unit.
        """
        return None

    def best_intercepts(self, y: Floats, offset: Floats, w: Floats, current: Floats) -> Floats:
        """Minimise over an intercept per row of y; an output without weight has 0."""
        return np.array(
            [
                self.best_intercept(own, f, weight, float(start)) if weight.any() else 0.0
                for own, f, weight, start in zip(y, offset, w, current, strict=True)
            ]
        )

    def score(self, y: Floats, f: Floats, w: Floats) -> float:
        """Weighted accuracy for classification (f = 0 counts as -1), R² for regression.

        >>> from aglets.model.losses import SquaredHinge
        >>> y, f = np.array([1.0, -1.0, 1.0]), np.array([0.5, -2.0, -0.1])
        >>> round(SquaredHinge().score(y, f, np.ones(3)), 3)
        0.667
        """
        total = float(w.sum())
        if self.classification:
            return float(w @ ((f > 0.0) == (y > 0.0))) / total
        spread = float(w @ (y - float(w @ y) / total) ** 2)
        error = float(w @ (y - f) ** 2)
        if spread == 0.0:
            return 1.0 if error == 0.0 else 0.0
        return 1.0 - error / spread

    def class_probabilities(self, f: Floats) -> tuple[Floats, Floats]:
        """P(y = -1) and P(y = +1) of graphs with decision f, where the loss gives them."""
        raise NotImplementedError(f"The loss {self.name!r} gives no probabilities.")

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.option_values.items())
        return f"{type(self).__name__}({options})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *sorted(vars(self).items())))


def intercept_by_newton(
    slopes: Callable[[float], tuple[float, float]], interval: tuple[float, float], current: float
) -> float:
    """Find where a slope that never increases is zero, to machine precision.

    Parameters
    ----------
    slopes : callable
        For an intercept b, minus the first derivative of the value, and the second one: sums over
        graphs.
    interval : (float, float)
        Two numbers between which there is such a b.
    current : float
        Where Newton's method starts; a step that leaves the bracket of the root is replaced by
        bisection.
    """
    low, high = interval
    b = min(max(current, low), high)
    for _ in range(200):
        slope, bend = slopes(b)
        if slope == 0.0:
            return b
        if slope > 0.0:
            low = b
        else:
            high = b
        step = slope / bend if bend > 0.0 else np.inf
        proposal = b + step
        if not low < proposal < high:
            # The step is below rounding, or the bracket has no point left to try.
            if abs(step) <= EPSILON * abs(b):
                return b
            proposal = 0.5 * (low + high)
            if not low < proposal < high:
                return b
        if abs(proposal - b) <= 2.0 * EPSILON * abs(proposal):
            return proposal
        b = proposal
    return b
