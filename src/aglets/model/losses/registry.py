"""Losses by name: those of this package, and those that others add."""

from __future__ import annotations

from typing import TypeVar

from aglets.graphs.registry import Registry
from aglets.model.losses.loss import Loss, Task

__all__ = ["LOSSES", "loss_names", "make_loss", "register_loss"]

Kind = TypeVar("Kind", bound=type[Loss])

LOSSES: Registry[type[Loss]] = Registry("loss", "losses", "aglets.losses", __package__)


def register_loss(kind: Kind) -> Kind:
    """Make a loss known to estimators, model files and the command line; for use as a decorator.

    A package that names its class as an entry point of the group ``aglets.losses`` need not call
    this: it is found when losses are looked up.
    """
    LOSSES.add(kind.name, kind)
    return kind


def loss_names(task: Task | None = None) -> tuple[str, ...]:
    """List the losses of a task.

    >>> loss_names("regression")[:2]
    ('squared', 'huber')
    """
    return tuple(name for name, kind in LOSSES.items() if task in (None, kind.task))


def make_loss(name: str, **options: float) -> Loss:
    """Make a loss by its name.

    >>> make_loss("huber", epsilon=2)
    Huber(epsilon=2.0)
    """
    return LOSSES[name](**options)
