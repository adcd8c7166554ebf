"""The driver's side of shards in other processes: what lies there, and how it is made again.

An object elsewhere is known by a `Recipe`: the object it was made from, the method, and the
arguments. It is made when something of it is first asked for, in the same message; so a call that
returns such an object costs no round. A worker that was replaced has nothing: the next message to
it begins with the steps that make again what it needs, in the same order, and so to the same bits.
Calls that change an object, which grow a mining tree, are repeated with it.
"""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol

import numpy as np

from aglets.training.engine.calls import Elsewhere
from aglets.training.engine.worker import (
    Ask,
    Drop,
    Failure,
    Make,
    Ref,
    Repeat,
    Reply,
    Step,
    loaded,
)

__all__ = ["Crew", "Held", "Link", "ShardLostError", "Traffic"]

#: Methods that return an object which stays with the graphs.
MAKES = frozenset(
    (
        *("plant", "graphs_for", "nothing_matched", "restored", "judge_on"),
        *("scores", "entered", "moved", "line", "at"),
    )
)
#: What will be asked for next, and with which of the same arguments: it comes in the same round.
SOON: dict[str, tuple[str, tuple[int, ...]]] = {
    "value": ("gradient", ()),
    "z_gradient": ("z_curvature", (0, 2)),
}
#: Methods that change the object they belong to.
CHANGES = frozenset(("children", "allow"))


class ShardLostError(RuntimeError):
    """A shard is gone, and may not be replaced any more."""


class Link(Protocol):
    """How messages reach workers."""

    @property
    def n_workers(self) -> int:
        """Number of workers."""

    def exchange(self, messages: Mapping[int, bytes]) -> dict[int, bytes | None]:
        """Send a message to each of some workers; None from one that is new and knows nothing."""


@dataclass
class Traffic:
    """What crossed between driver and workers so far."""

    rounds: int = 0
    sent: int = 0
    received: int = 0
    replaced: int = 0


@dataclass(eq=False)
class Recipe:
    """How an object elsewhere is made, and how it was changed since."""

    piece: int
    key: int
    on: Recipe | None
    method: str | Callable[..., Any]
    arguments: tuple[Any, ...]
    changes: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)
    #: Until it is made, what it is made from must not be dropped.
    needs: tuple[Held, ...] = ()

    @property
    def sources(self) -> list[Recipe]:
        """The objects that it is made from."""
        others = [] if self.on is None else [self.on]
        return others + [a for a in self.arguments if isinstance(a, Recipe)]


class Held(Elsewhere):
    """Stands for an object in the worker that has a piece of the graphs; dropped there with it."""

    def __init__(self, crew: Crew, recipe: Recipe) -> None:
        self.crew = crew
        self.recipe = recipe
        #: An answer that came before it was asked for: method, arguments, answer.
        self.early: tuple[str, tuple[Any, ...], Any] | None = None
        crew.living.add(recipe.key)
        weakref.finalize(self, crew.drop, recipe.piece, recipe.key).atexit = False

    def ask_together(
        self, parts: Sequence[Any], method: str, arguments: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        """Call a method of every part, by one message to each worker."""
        return self.crew.ask(parts, method, arguments)

    def lay_together(self, parts: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        """Lay a value next to each part."""
        return [
            self.crew.made(part.recipe.piece, loaded, (value,))
            for part, value in zip(parts, values, strict=True)
        ]


class Crew:
    """Workers that hold the pieces of a placement.

    Piece k lies with worker k modulo their number. What is computed does not depend on where a
    piece lies, so that any number of workers gives the same bits.

    Parameters
    ----------
    link : Link
    """

    def __init__(self, link: Link) -> None:
        self.traffic = Traffic()
        self.living: set[int] = set()
        self._link = link
        self._keys = count()
        self._spent: dict[int, tuple[int, float]] = {}
        self._present: list[set[int]] = [set() for _ in range(link.n_workers)]
        self._dropped: list[list[int]] = [[] for _ in range(link.n_workers)]

    def made(self, piece: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Held:
        """Let a function make the first object of a piece."""
        return Held(self, Recipe(piece, next(self._keys), None, function, arguments))

    def ask(
        self, parts: Sequence[Held], method: str, arguments: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        """Call a method of every part; objects that stay with the graphs are only noted."""
        asked = [
            (part.recipe, tuple(_recipe_of(a) for a in own))
            for part, own in zip(parts, arguments, strict=True)
        ]
        if method in MAKES:
            return [
                Held(
                    self,
                    Recipe(
                        on.piece, next(self._keys), on, method, own, needs=(part, *_held(given))
                    ),
                )
                for part, (on, own), given in zip(parts, asked, arguments, strict=True)
            ]
        early = [part.early for part in parts]
        if all(
            known and _same(known, method, own)
            for known, (_, own) in zip(early, asked, strict=True)
        ):
            return [known[2] for known in early if known is not None]
        calls = [(on, method, own) for on, own in asked]
        if method in SOON:
            soon, taken = SOON[method]
            calls += [(on, soon, tuple(own[j] for j in taken)) for on, own in asked]
        before = [self._spent.get(on.key) for on, _ in asked]
        answers = self._delivered(calls)
        for part, call, answer in zip(
            parts, calls[len(parts) :], answers[len(parts) :], strict=False
        ):
            part.early = None if isinstance(answer, Failure) else (*call[1:], answer)
        answers = answers[: len(parts)]
        if method in CHANGES:
            for (on, own), spent in zip(asked, before, strict=True):
                on.changes += [] if spent is None else [("settle", spent)]
                on.changes.append((method, own))
        for answer in answers:
            if isinstance(answer, Failure):
                raise answer.error
        return answers

    def drop(self, piece: int, key: int) -> None:
        """Let the worker forget an object, with the next message that it gets."""
        self.living.discard(key)
        self._dropped[self._worker_of(piece)].append(key)

    def _worker_of(self, piece: int) -> int:
        return piece % self._link.n_workers

    def _delivered(self, asked: Sequence[tuple[Recipe, str, tuple[Any, ...]]]) -> list[Any]:
        """Ask all workers together, and again those that were replaced, until all have answered."""
        answers: list[Any] = [None] * len(asked)
        left: dict[int, list[int]] = {}
        for position, (on, _, _) in enumerate(asked):
            left.setdefault(self._worker_of(on.piece), []).append(position)
        while left:
            tasks = {
                worker: [self._steps(worker, *asked[position]) for position in positions]
                for worker, positions in left.items()
            }
            for worker, own in tasks.items():
                # What was dropped goes at the end, because it may be needed until then.
                dropped, self._dropped[worker] = self._dropped[worker], []
                own.append([Drop(key) for key in dropped])
            messages = {worker: pickle.dumps(own, protocol=5) for worker, own in tasks.items()}
            self.traffic.rounds += 1
            self.traffic.sent += sum(map(len, messages.values()))
            for worker, packed in self._link.exchange(messages).items():
                if packed is None:
                    self.traffic.replaced += 1
                    self._present[worker].clear()
                    continue
                self.traffic.received += len(packed)
                reply: Reply = pickle.loads(packed)
                self._spent |= reply.spent
                self._note(worker, tasks[worker], reply.made)
                for position, answer in zip(left.pop(worker), reply.answers, strict=False):
                    answers[position] = answer
        return answers

    def _note(self, worker: int, tasks: list[list[Step]], made: list[int]) -> None:
        """Note what a worker has after a message."""
        present = self._present[worker]
        present.update(made)
        for steps in tasks:
            present.difference_update(step.key for step in steps if isinstance(step, Drop))

    def _steps(
        self, worker: int, on: Recipe, method: str, arguments: tuple[Any, ...]
    ) -> list[Step]:
        """Make what is missing for a call, each thing once, and then call."""
        present = self._present[worker]
        wanted = [on, *(a for a in arguments if isinstance(a, Recipe))]
        missing = _in_order(wanted, present)
        # What nobody holds any more is only on the way: it is dropped after its last use.
        uses: dict[int, int] = {}
        for recipe in [*wanted, *(source for each in missing for source in each.sources)]:
            uses[recipe.key] = uses.get(recipe.key, 0) + 1
        passing = {recipe.key for recipe in missing if recipe.key not in self.living}
        steps: list[Step] = []

        def used(recipe: Recipe) -> None:
            uses[recipe.key] -= 1
            if not uses[recipe.key] and recipe.key in passing:
                steps.append(Drop(recipe.key))

        for recipe in missing:
            source = None if recipe.on is None else recipe.on.key
            steps.append(Make(recipe.key, source, recipe.method, _refs(recipe.arguments)))
            steps += [Repeat(recipe.key, name, _refs(own)) for name, own in recipe.changes]
            if recipe.key in self._spent:
                steps.append(Repeat(recipe.key, "settle", self._spent[recipe.key]))
            for each in recipe.sources:
                used(each)
            recipe.needs = ()
        steps.append(Ask(on.key, method, _refs(arguments)))
        for recipe in wanted:
            used(recipe)
        return steps


def _in_order(wanted: Sequence[Recipe], present: set[int]) -> list[Recipe]:
    """Return all that has to be made first, sources before what is made from them."""
    ordered: dict[int, Recipe] = {}
    stack: list[tuple[Recipe, bool]] = [(recipe, False) for recipe in reversed(wanted)]
    while stack:
        recipe, ready = stack.pop()
        if recipe.key in present or recipe.key in ordered:
            continue
        if ready:
            ordered[recipe.key] = recipe
        else:
            stack.append((recipe, True))
            stack += [(source, False) for source in reversed(recipe.sources)]
    return list(ordered.values())


def _same(known: tuple[str, tuple[Any, ...], Any], method: str, arguments: tuple[Any, ...]) -> bool:
    return known[0] == method and all(
        a is b or np.array_equal(a, b) for a, b in zip(known[1], arguments, strict=True)
    )


def _recipe_of(value: Any) -> Any:
    return value.recipe if isinstance(value, Held) else value


def _held(values: tuple[Any, ...]) -> tuple[Held, ...]:
    return tuple(value for value in values if isinstance(value, Held))


def _refs(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(Ref(a.key) if isinstance(a, Recipe) else a for a in arguments)
