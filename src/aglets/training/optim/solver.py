"""What a path asks of a solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Protocol

from aglets.mining import Found
from aglets.training.optim.state import Problem, State

__all__ = ["Progress", "Solver"]


@dataclass(frozen=True)
class Progress:
    """Where a solver arrived, what it cost, and the size of the largest violator met.

    It is final if nothing is left to do at this lambda: all is solved for, and nothing moves.
    """

    state: State
    n_added: int = 0
    n_searches: int = 0
    n_visited: int = 0
    n_made: int = 0
    seconds_search: float = 0.0
    seconds_beta: float = 0.0
    seconds_z: float = 0.0
    reach: int = 0
    is_final: bool = False

    def after(self, found: Found, seconds: float, state: State) -> Progress:
        """Count one more search, which led to this state."""
        return replace(
            self,
            state=state,
            n_added=self.n_added + len(state.names) - len(self.state.names),
            n_searches=self.n_searches + 1,
            n_visited=self.n_visited + found.n_visited,
            n_made=self.n_made + found.n_made,
            seconds_search=self.seconds_search + seconds,
            reach=max(self.reach, int(found.sizes.max(initial=0))),
        )

    def improve_beta(self, block: Callable[..., State], problem: Problem, *args: Any) -> Progress:
        """Let a block improve beta or beta_0, and count its time."""
        start = perf_counter()
        state = block(problem, self.state, *args)
        seconds = self.seconds_beta + perf_counter() - start
        return replace(self, state=state, seconds_beta=seconds)

    def improve_z(self, block: Callable[..., State], problem: Problem) -> Progress:
        """Let a block improve the attributes, and count its time."""
        start = perf_counter()
        state = block(problem, self.state)
        return replace(self, state=state, seconds_z=self.seconds_z + perf_counter() - start)


class Solver(Protocol):
    """Improves a state at one lambda."""

    def epoch(self, problem: Problem, state: State, lam: float, learn: bool) -> Progress:
        """Improve all blocks once; `learn` says whether attributes are trained."""

    def close(self, problem: Problem, state: State, lam: float) -> Progress:
        """End a lambda: do what is needed for its optimality conditions to hold."""
