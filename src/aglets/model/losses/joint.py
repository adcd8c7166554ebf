"""The losses of all outputs together, for models whose outputs share graphlets.

What a `Loss` takes as vectors over graphs has a row per output here: y, f and weights of shape
(n_outputs, n_graphs). Outputs add up; only the classes of a target with the softmax loss depend on
each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aglets.graphs.arrays import Floats
from aglets.model.losses.loss import Loss

__all__ = ["JointLoss", "LossRows"]


class LossRows(NamedTuple):
    """Consecutive outputs of one loss."""

    rows: slice
    loss: Loss


class JointLoss:
    """The sum of the losses of several outputs.

    Parameters
    ----------
    targets : sequence of (slice, Loss)
        The outputs of each target, in order, and its loss.

    Attributes
    ----------
    one_target : bool
        Whether all outputs belong to one target, so that they share the weights of graphs.

    Examples
    --------
    >>> from aglets.model.losses import Squared, SquaredHinge
    >>> loss = JointLoss([(slice(0, 1), SquaredHinge()), (slice(1, 2), Squared())])
    >>> y, f = np.array([[1.0, -1.0], [2.0, 3.0]]), np.array([[0.0, -2.0], [2.0, 1.0]])
    >>> loss.value(y, f, np.ones((2, 2)))
    2.5
    >>> loss.residual(y, f, np.ones((2, 2)))
    array([[ 1., -0.],
           [ 0.,  2.]])
    """

    def __init__(self, targets: Sequence[tuple[slice, Loss]]) -> None:
        self.targets = tuple(LossRows(rows, loss) for rows, loss in targets)
        self.one_target = len(self.targets) == 1
        self.parts = tuple(_merged(self.targets))

    @property
    def n_outputs(self) -> int:
        """Number of rows."""
        return int(self.targets[-1].rows.stop)

    def loss_of(self, output: int) -> Loss:
        """Return the loss of one output."""
        return next(loss for rows, loss in self.parts if rows.start <= output < rows.stop)

    def value(self, y: Floats, f: Floats, w: Floats) -> float:
        """1/2 sum of losses over outputs and graphs."""
        return sum(
            loss.value(y[rows], f[rows], w[rows])
            if loss.joint
            else loss.value(y[rows].ravel(), f[rows].ravel(), w[rows].ravel())
            for rows, loss in self.parts
        )

    def residual(self, y: Floats, f: Floats, w: Floats) -> Floats:
        """A_ki = - d value / d f_ki."""
        return _stacked([loss.residual(y[k], f[k], w[k]) for k, loss in self.parts])

    def curvature(self, y: Floats, f: Floats, w: Floats) -> Floats:
        """Second derivative in each f_ki alone."""
        return _stacked([loss.curvature(y[k], f[k], w[k]) for k, loss in self.parts])

    def curvature_bound(self, w: Floats) -> Floats:
        """Bound the second derivative in each f_ki, whatever f is."""
        return _stacked([loss.curvature_bound(w[k]) for k, loss in self.parts])

    def best_intercept(self, y: Floats, offset: Floats, w: Floats, current: Floats) -> Floats:
        """Minimise ``value(y, offset + b, w)`` over b, a number per output."""
        return np.concatenate(
            [loss.best_intercepts(y[k], offset[k], w[k], current[k]) for k, loss in self.parts]
        )


def _merged(targets: Sequence[LossRows]) -> list[LossRows]:
    """Join neighbours of the same loss, unless their outputs depend on each other."""
    found: list[LossRows] = []
    for rows, loss in targets:
        if found and not loss.joint and found[-1].loss == loss:
            found[-1] = LossRows(slice(found[-1].rows.start, rows.stop), loss)
        else:
            found.append(LossRows(rows, loss))
    return found


def _stacked(parts: Sequence[Floats]) -> Floats:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
