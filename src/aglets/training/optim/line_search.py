"""How far to go along a (proximal) gradient step: backtracking, written once for all blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from aglets.graphs.arrays import Floats

__all__ = ["Step", "backtracking"]

Carried = TypeVar("Carried")

ROUNDING = 8.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Step(Generic[Carried]):
    """Where a line search arrived: the point, the smooth part there, what came with it."""

    x: Floats
    value: float
    carried: Carried
    length: float


def backtracking(
    smooth: Callable[[Floats], tuple[float, Carried]],
    x: Floats,
    value: float,
    descent: Floats,
    length: float,
    *,
    prox: Callable[[Floats, float], Floats] | None = None,
    shrink: float = 0.5,
    max_trials: int = 60,
) -> Step[Carried] | None:
    """Take the first of length, shrink · length, ... whose step surely lowers the objective.

    The step to x⁺ = prox(x + t · descent, t) is taken if the smooth part S lies under its
    quadratic model there,

        S(x⁺) <= S(x) - descentᵀ (x⁺ - x) + |x⁺ - x|² / (2 t),

    which makes S + penalty fall by at least |x⁺ - x|² / (2 t). Without a prox this is Armijo's
    rule with constant 1/2, so the same search serves beta (prox of the L1 penalty) and z (none).

    Parameters
    ----------
    smooth : callable
        ``smooth(x)`` gives (S(x), anything the caller wants back for the accepted point).
    x, value : ndarray, float
        Where the step starts, and S there.
    descent : ndarray
        Minus the gradient of S at x.
    length : float
        The first (largest) step length tried.
    prox : callable, optional
        ``prox(x, t)`` of the part of the objective that is not smooth.
    shrink : float
        Factor from one trial to the next.
    max_trials : int
        Trials before giving up.

    Returns
    -------
    Step or None
        None if no trial was accepted; x is then as good as rounding lets it be.

    Examples
    --------
    >>> def bowl(x):
    ...     return 2.0 * float(x @ x), None
    >>> step = backtracking(bowl, np.array([1.0]), 2.0, np.array([-4.0]), 1.0)
    >>> step.x, step.length
    (array([0.]), 0.25)
    """
    slack = ROUNDING * abs(value)
    for _ in range(max_trials):
        moved = x + length * descent
        if prox is not None:
            moved = prox(moved, length)
        change = moved - x
        reached, carried = smooth(moved)
        model = value - _dot(descent, change) + _dot(change, change) / (2.0 * length)
        if reached <= model + slack:
            return Step(moved, reached, carried, length)
        length *= shrink
    return None


def _dot(a: Floats, b: Floats) -> float:
    return float(a.ravel() @ b.ravel())
