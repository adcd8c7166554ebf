"""What a worker process does: it holds objects by number, and takes the steps of a message.

A worker knows nothing of other workers, and keeps nothing that its driver could not make again.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from threadpoolctl import ThreadpoolController

from aglets.mining import BudgetError

__all__ = [
    "Ask",
    "Drop",
    "Failure",
    "Make",
    "Ref",
    "Repeat",
    "Reply",
    "Step",
    "Worker",
    "as_it_is",
    "loaded",
]


@dataclass(frozen=True)
class Ref:
    """Stands for an object of the worker in the arguments of a step."""

    key: int


@dataclass(frozen=True)
class Make:
    """Make an object: by a method of another one, or by a function if there is no other."""

    key: int
    on: int | None
    method: str | Callable[..., Any]
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Repeat:
    """Call a method that changed an object of an earlier worker; nobody waits for its answer."""

    on: int
    method: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Drop:
    """Forget an object."""

    key: int


@dataclass(frozen=True)
class Ask:
    """Call a method, and send what it returns."""

    on: int
    method: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Failure:
    """What a step raised instead of an answer."""

    error: BaseException


@dataclass(frozen=True)
class Reply:
    """One answer per task of a message, and the objects that were made for them.

    ``spent`` says what objects that keep an account have spent so far.
    """

    answers: list[Any]
    made: list[int]
    spent: dict[int, tuple[int, float]]


Step = Make | Repeat | Drop | Ask


class Worker:
    """Objects by number.

    Examples
    --------
    >>> worker = Worker()
    >>> tasks = [[Make(1, None, as_it_is, ([3, 1],)), Ask(1, "index", (1,)), Drop(1)]]
    >>> pickle.loads(worker.run(pickle.dumps(tasks)))
    Reply(answers=[1], made=[1], spent={})
    """

    def __init__(self) -> None:
        self._objects: dict[int, Any] = {}
        self._libraries = ThreadpoolController()

    def run(self, message: bytes) -> bytes:
        """Take the steps of all tasks; a task ends at the first step that fails."""
        answers: list[Any] = []
        made: list[int] = []
        # Sums of several threads would be rounded in whatever order they end.
        with self._libraries.limit(limits=1, user_api="blas"):
            for steps in pickle.loads(message):
                answers.append(self._task(steps, made))
        spent = {key: one.spent() for key, one in self._objects.items() if hasattr(one, "spent")}
        return _packed(Reply(answers, made, spent))

    def _task(self, steps: list[Step], made: list[int]) -> Any:
        answer = None
        try:
            for step in steps:
                if isinstance(step, Make):
                    self._objects[step.key] = self._called(step.on, step.method, step.arguments)
                    made.append(step.key)
                elif isinstance(step, Drop):
                    self._objects.pop(step.key, None)
                elif isinstance(step, Repeat):
                    self._repeated(step)
                else:
                    answer = self._called(step.on, step.method, step.arguments)
        except Exception as error:
            return Failure(error)
        return answer

    def _called(
        self, on: int | None, method: str | Callable[..., Any], arguments: tuple[Any, ...]
    ) -> Any:
        resolved = [self._objects[a.key] if isinstance(a, Ref) else a for a in arguments]
        if callable(method):
            return method(*resolved)
        assert on is not None
        return getattr(self._objects[on], method)(*resolved)

    def _repeated(self, step: Repeat) -> None:
        with suppress(BudgetError):  # as it was when the step was first taken
            self._called(step.on, step.method, step.arguments)


def as_it_is(value: Any) -> Any:
    """Take a value that was sent as an object."""
    return value


def loaded(value: Any) -> Any:
    """Load what was sent, or what it says where to find."""
    return value.load()


def _packed(reply: Reply) -> bytes:
    try:
        return pickle.dumps(reply, protocol=5)
    except Exception:  # an error that cannot be sent comes as its words
        answers = [
            Failure(RuntimeError(str(a.error))) if isinstance(a, Failure) else a
            for a in reply.answers
        ]
        return pickle.dumps(replace(reply, answers=answers), protocol=5)
