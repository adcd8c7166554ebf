"""What a path asks of a solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from aglets.mining import Found
from aglets.optim.state import Problem, State

__all__ = ["Progress", "Solver"]


@dataclass(frozen=True)
class Progress:
    """Where a solver arrived, what its searches cost, and the size of the largest violator met."""

    state: State
    n_added: int = 0
    n_searches: int = 0
    n_visited: int = 0
    n_made: int = 0
    seconds_search: float = 0.0
    reach: int = 0

    def after(self, found: Found, seconds: float, state: State) -> Progress:
        """Count one more search, which led to this state."""
        return Progress(
            state,
            self.n_added + len(state.nodes) - len(self.state.nodes),
            self.n_searches + 1,
            self.n_visited + found.n_visited,
            self.n_made + found.n_made,
            self.seconds_search + seconds,
            max(self.reach, int(found.sizes.max(initial=0))),
        )


class Solver(Protocol):
    """Improves a state at one lambda."""

    def epoch(self, problem: Problem, state: State, lam: float, learn: bool) -> Progress:
        """Improve all blocks once; `learn` says whether attributes are trained."""

    def close(self, problem: Problem, state: State, lam: float) -> Progress:
        """End a lambda: do what is needed for its optimality conditions to hold."""
