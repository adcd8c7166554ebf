"""Losses, one per file, in a registry."""

from __future__ import annotations

from aglets.model.losses.joint import JointLoss
from aglets.model.losses.loss import Loss, Option, Task
from aglets.model.losses.registry import LOSSES, loss_names, make_loss, register_loss
from aglets.model.losses.squared_hinge import SquaredHinge

from aglets.model.losses.logistic import Logistic  # isort: skip - in the order they are listed
from aglets.model.losses.softmax import Softmax  # isort: skip
from aglets.model.losses.squared import Squared  # isort: skip
from aglets.model.losses.huber import Huber  # isort: skip

__all__ = [
    "LOSSES",
    "Huber",
    "JointLoss",
    "Logistic",
    "Loss",
    "Option",
    "Softmax",
    "Squared",
    "SquaredHinge",
    "Task",
    "loss_names",
    "make_loss",
    "register_loss",
]
