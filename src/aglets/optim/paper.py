"""Algorithm 1 to the letter: one traversal and one step of each block per epoch."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

from aglets.optim.blocks import grow_working_set, update_beta, update_beta0, update_z
from aglets.optim.solver import Progress
from aglets.optim.state import Problem, State

__all__ = ["PaperSolver"]


class PaperSolver:
    """Lines 9 to 12 of Algorithm 1; the path around it is the rest of the box."""

    def epoch(self, problem: Problem, state: State, lam: float, learn: bool) -> Progress:
        """Run one pass of the inner loop."""
        start = perf_counter()
        grown, found = grow_working_set(problem, state, lam)  # line 9, Algorithm 2
        progress = Progress(state).after(found, perf_counter() - start, grown)
        state = update_beta(problem, grown, lam)  # line 10
        state = update_beta0(problem, state)  # line 11
        if learn:
            state = update_z(problem, state)  # line 12
        return replace(progress, state=state)

    def close(self, problem: Problem, state: State, lam: float) -> Progress:
        """Leave the state as the last epoch left it: Algorithm 1 has no closing step."""
        return Progress(state)
