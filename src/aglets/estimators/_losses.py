"""The losses of an estimator: one for all targets, or one for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aglets.estimators._parameters import Condition
from aglets.model.losses import LOSSES, Loss, Task, loss_names

__all__ = ["loss_for", "losses_of"]


def loss_for(task: Task) -> Condition:
    """Accept a loss of the task; or, of any task, a list with one per target or a dict by target.

    A loss is the name of one that is registered by then, or an instance.

    >>> loss_for("regression").words
    "'squared' or 'huber', or a list or dict with a loss for each target"
    >>> loss_for("regression").holds({"toxic": "logistic"})
    True
    """

    def is_loss(value: Any) -> bool:
        return isinstance(value, Loss) or (isinstance(value, str) and value in LOSSES)

    def holds(value: Any) -> bool:
        if isinstance(value, Mapping):
            return len(value) > 0 and all(map(is_loss, value.values()))
        if isinstance(value, (list, tuple)):
            return len(value) > 0 and all(map(is_loss, value))
        if isinstance(value, Loss):
            return value.task == task
        return isinstance(value, str) and value in loss_names(task)

    def words() -> str:
        names = " or ".join(map(repr, loss_names(task)))
        return f"{names}, or a list or dict with a loss for each target"

    return Condition(holds, words)


def losses_of(estimator: Any, names: Sequence[str]) -> list[tuple[Loss, bool]]:
    """Make the loss that the parameters ask for, for each of the targets of these names.

    With each comes whether it has no unit yet, as one that is given by name; a loss object is for y
    as it is.
    """
    asked = estimator.loss
    if isinstance(asked, Mapping):
        strange = [name for name in asked if name not in names]
        if strange:
            raise ValueError(
                f"The 'loss' parameter of {type(estimator).__name__} must name targets, which are "
                f"{', '.join(map(repr, names))}. Got {strange[0]!r} instead."
            )
        own = type(estimator)().loss
        return [_made(estimator, asked.get(name, own)) for name in names]
    if isinstance(asked, (list, tuple)):
        if len(asked) != len(names):
            raise ValueError(
                f"The 'loss' parameter of {type(estimator).__name__} must hold one loss per target "
                f"({len(names)}). Got {len(asked)} instead."
            )
        return [_made(estimator, loss) for loss in asked]
    return [_made(estimator, asked)] * len(names)


def _made(estimator: Any, loss: str | Loss) -> tuple[Loss, bool]:
    if isinstance(loss, Loss):
        return loss, False
    kind = LOSSES[loss]
    options = {name: getattr(estimator, name) for name in kind.options if hasattr(estimator, name)}
    return kind(**options), True
