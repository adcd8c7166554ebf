"""Quadratic functions with an L1 term: what is left of a loss after one Newton model.

Coordinate descent finds the support and the signs in a few sweeps, but where columns are nearly
collinear (psi close to 1 everywhere, like the intercept) it creeps on the support for thousands.
There the problem is a system of linear equations, so both take turns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.lapack import dposv

from aglets import _core
from aglets.graphs.arrays import Codes, Floats
from aglets.training.optim.penalty import Shared

__all__ = ["SharedModel", "minimise_quadratic", "minimise_shared"]


#: Part of the trace that is added to the diagonal of a singular matrix.
LIFT = 1e-12
#: Sweeps of coordinate descent between two solutions on the support.
SWEEPS = 10
#: Sweeps over several outputs at most.
MAX_SWEEPS = 1000
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


@dataclass(frozen=True)
class SharedModel:
    """Second derivatives of several outputs, with the intercepts following the coefficients.

    Columns near 1 everywhere are nearly collinear with the intercept, so it is eliminated.

    Parameters
    ----------
    inner : ndarray of shape (n_rows, n_rows, n_outputs)
        What is left of the second derivatives. The last axis has length 1 if one matrix serves all
        outputs, here and below.
    along : ndarray of shape (n_rows, n_outputs)
        How far each intercept goes back for a coefficient.
    across : ndarray of shape (n_outputs,)
        Second derivatives of the intercepts.
    """

    inner: Floats
    along: Floats
    across: Floats

    @classmethod
    def of(cls, Q: Floats) -> SharedModel:
        """Take second derivatives, those of the intercept last; the outputs are the third axis."""
        Q = Q.reshape(*Q.shape[:2], -1)
        across = Q[-1, -1]
        along = Q[:-1, -1] / np.where(across > 0.0, across, 1.0)
        return cls(_core.without_last(np.ascontiguousarray(Q)), along, across)

    def lifted(self, rows: Codes, lift: Floats) -> SharedModel:
        """Add to the second derivatives of some rows."""
        inner = self.inner.copy()
        inner[rows, rows] += lift[:, None]
        return replace(self, inner=inner)


def minimise_shared(
    model: SharedModel,
    rows: Codes,
    scale: Floats,
    slopes: Floats,
    penalty: Shared,
    B: Floats,
    accuracy: float,
) -> tuple[Floats, Floats]:
    """Change coefficients and intercepts of several outputs to minimise their quadratic models.

    Parameters
    ----------
    model : SharedModel
    rows : ndarray of shape (n_rows,)
        Which rows of the model have the coefficients.
    scale : ndarray of shape (n_outputs,)
        Multiples of the second derivatives.
    slopes : ndarray of shape (n_rows + 1, n_outputs)
        Minus the first derivatives, those of the intercepts last.
    penalty : Shared
    B : ndarray of shape (n_rows, n_outputs)
        Where the model was made.
    accuracy : float
        Ends when a sweep changes the slopes of no row by more.

    Returns
    -------
    change, change0 : ndarray of shape (n_rows, n_outputs) and (n_outputs,)
    """
    along, across, slope0 = model.along[rows], scale * model.across, slopes[-1]
    lam = np.ascontiguousarray(np.broadcast_to(penalty.lam, len(B)), dtype=np.float64)
    found, _ = _core.group_lasso(
        model.inner,
        rows,
        scale,
        slopes[:-1] - along * slope0,
        lam,
        penalty.sharing,
        B,
        accuracy,
        MAX_SWEEPS,
    )
    change = found - B
    own = np.divide(slope0, across, out=np.zeros_like(slope0), where=across > 0.0)
    return change, own - (along * change).sum(axis=0)
