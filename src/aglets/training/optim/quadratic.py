"""Quadratic functions with an L1 term: what is left of a loss after one Newton model.

Coordinate descent finds the support and the signs in a few sweeps, but where columns are nearly
collinear (psi close to 1 everywhere, like the intercept) it creeps on the support for thousands.
There the problem is a system of linear equations, so both take turns.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dposv

from aglets import _core
from aglets.graphs.arrays import Floats

__all__ = ["minimise_quadratic"]


#: Part of the trace that is added to the diagonal of a singular matrix.
LIFT = 1e-12
#: Sweeps of coordinate descent between two solutions on the support.
SWEEPS = 10
#: Turns of both, and changes of the support within one solution.
MAX_TURNS, MAX_CHANGES = 100, 30


def minimise_quadratic(Q: Floats, q: Floats, penalty: Floats, b: Floats, accuracy: float) -> Floats:
    """Minimise 1/2 b'Qb - q'b + sum_j penalty_j |b_j| from b.

    Ends when a full sweep changes no b_j by more than accuracy / sqrt(Q_jj).

    Examples
    --------
    >>> Q = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> minimise_quadratic(Q, np.array([3.0, 0.0]), np.array([1.0, 1.0]), np.zeros(2), 1e-12)
    array([1., 0.])
    """
    for _ in range(MAX_TURNS):
        b, sweeps = _core.lasso(Q, q, penalty, b, accuracy, SWEEPS)
        if sweeps < SWEEPS:
            break
        b = solved_on_support(Q, q, penalty, b)
    return b


def solved_on_support(Q: Floats, q: Floats, penalty: Floats, b: Floats) -> Floats:
    """Go to the minimiser among vectors of the same support and signs; then mend the support.

    A coefficient that reaches zero on the way leaves the support, and once the minimiser is
    reached, the one outside that violates its condition most enters, with the sign of its slope.
    Where rounding eats the gain, b stays.
    """
    free = penalty == 0.0
    signs = np.sign(b)
    for _ in range(MAX_CHANGES):
        support = np.flatnonzero((signs != 0.0) | free)
        here, sign, bounded = b[support], signs[support], ~free[support]
        block = Q[np.ix_(support, support)]
        slope = q[support] - sign * penalty[support] - block @ here
        step = newton_step(block, slope)
        crossing = bounded & (sign * (here + step) < 0.0)
        lengths = np.where(crossing, -here / np.where(crossing, step, 1.0), 1.0)
        length = float(lengths.min(initial=1.0))
        gain = length * float(slope @ step) - 0.5 * length**2 * float(step @ (block @ step))
        # Rounding in a nearly singular system may lead anywhere.
        if not gain > 0.0:
            break
        moved = here + length * step
        moved[crossing & (lengths == length)] = 0.0
        b = b.copy()
        b[support] = moved
        signs = np.sign(b)
        if length == 1.0:
            outside = np.where((signs == 0.0) & ~free, np.abs(q - Q @ b) - penalty, -1.0)
            worst = int(outside.argmax())
            if outside[worst] <= 0.0:
                break
            signs[worst] = np.sign(q[worst] - Q[worst] @ b)
    return b


def newton_step(block: Floats, slope: Floats) -> Floats:
    """Solve block step = slope; a singular block (equal columns) is lifted a little.

    The step is then long where the function is flat, so that signs end it: of columns that say the
    same, all but one leave the support.
    """
    _, step, info = dposv(block, slope)
    if info != 0:
        lift = LIFT * float(np.trace(block))
        _, step, info = dposv(block + lift * np.eye(len(block)), slope)
    return np.asarray(step) if info == 0 else np.zeros(len(slope))
