"""Numbers to predict, without their unit: how long a fit takes must not depend on it.

A path is trained on targets that are counted from their middle in units of their spread; what
leaves it (coefficients, lambda, objective, losses, f) is in the user's units again. Classes have no
unit and stay as they are, and so do targets of a loss that cannot do without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from aglets.graphs.arrays import Floats
from aglets.model.losses import Loss
from aglets.model.target import middle_and_spread
from aglets.training.path_point import PathPoint
from aglets.training.stored import AnySample

__all__ = ["TargetUnits"]

S = TypeVar("S", bound=AnySample)


@dataclass(frozen=True)
class TargetUnits:
    """The unit of every output's targets.

    Parameters
    ----------
    losses : tuple of Loss
        Of each output, for targets without unit.
    middle, spread : ndarray of shape (n_outputs,)
        Where the targets of each output are counted from, and in what unit.
    balance : ndarray of shape (n_outputs,)
        What the weights of each output are multiplied by.
    """

    losses: tuple[Loss, ...]
    middle: Floats
    spread: Floats
    balance: Floats

    @classmethod
    def learn(
        cls, losses: Sequence[Loss], sample: AnySample, balanced: bool = False
    ) -> TargetUnits:
        """Learn the units from training graphs; the losses are those in the user's units.

        Balanced outputs have the same total weight, however many of their targets are known.
        """
        own, middles, spreads = [], [], []
        for loss, targets, weight in zip(losses, sample.targets, sample.weights, strict=True):
            middle, spread, unitless = 0.0, 1.0, None
            if not loss.classification:
                middle, spread = middle_and_spread(targets, weight)
                unitless = loss.in_units_of(spread)
            own.append(loss if unitless is None else unitless)
            middles.append(0.0 if unitless is None else middle)
            spreads.append(1.0 if unitless is None else spread)
        totals = sample.weights.sum(axis=1)
        balance = np.ones(len(totals))
        if balanced:
            np.divide(totals.mean(), totals, out=balance, where=totals > 0.0)
        return cls(tuple(own), np.array(middles), np.array(spreads), balance)

    def removed(self, sample: S) -> S:
        """Return the sample with targets without unit, and with balanced weights."""
        if (self.balance != 1.0).any():
            sample = replace(sample, weights=sample.weights * self.balance[:, None])
        if not self.middle.any() and (self.spread == 1.0).all():
            return sample
        targets = (sample.targets - self.middle[:, None]) / self.spread[:, None]
        return replace(sample, targets=targets)

    @property
    def inverse(self) -> TargetUnits:
        """The units that take points back to those of training: ``inverse.restored`` does it."""
        return replace(self, middle=-self.middle / self.spread, spread=1.0 / self.spread)

    def restored(self, output: int | None, points: Iterable[PathPoint]) -> Iterator[PathPoint]:
        """Give the points of a path back in the user's units.

        Of a path that all outputs share, objective and losses stay sums without unit.
        """
        if output is None:
            yield from map(self._all_in_units, points)
            return
        middle, spread = float(self.middle[output]), float(self.spread[output])
        for point in points:
            as_is = middle == 0.0 and spread == 1.0
            yield point if as_is else _in_units(point, middle, spread)

    def _all_in_units(self, point: PathPoint) -> PathPoint:
        middle, spread, held = self.middle, self.spread, point.held_f
        return replace(
            point,
            beta=spread * point.beta,
            beta0=middle + spread * point.beta0,
            gamma=spread * point.gamma,
            held_f=middle[:, None] + spread[:, None] * held if held.size else held,
        )


def _in_units(point: PathPoint, middle: float, spread: float) -> PathPoint:
    cost, held_out = spread**2, point.validation_loss
    return replace(
        point,
        lam=spread * point.lam,
        lam_max=spread * point.lam_max,
        beta=spread * point.beta,
        beta0=middle + spread * point.beta0,
        gamma=spread * point.gamma,
        objective=cost * point.objective,
        train_loss=cost * point.train_loss,
        validation_loss=None if held_out is None else cost * held_out,
        held_f=middle + spread * point.held_f,
    )
