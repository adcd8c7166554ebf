"""Algorithm 1 to the letter: one traversal and one step of each block per epoch."""

from __future__ import annotations

from time import perf_counter

from aglets.training.optim.blocks import grow_working_set, update_beta, update_beta0, update_z
from aglets.training.optim.solver import Progress
from aglets.training.optim.state import Problem, State

__all__ = ["PaperSolver"]


class PaperSolver:
    """Lines 9 to 12 of Algorithm 1; the path around it is the rest of the box."""

    def epoch(self, problem: Problem, state: State, lam: float, learn: bool) -> Progress:
        """Run one pass of the inner loop."""
        start = perf_counter()
        grown, found = grow_working_set(problem, state, lam)  # line 9, Algorithm 2
        progress = Progress(state).after(found, perf_counter() - start, grown)
        progress = progress.improve_beta(update_beta, problem, lam)  # line 10
        progress = progress.improve_beta(update_beta0, problem)  # line 11
        return progress.improve_z(update_z, problem) if learn else progress  # line 12

    def close(self, problem: Problem, state: State, lam: float) -> Progress:
        """Leave the state as the last epoch left it: Algorithm 1 has no closing step."""
        return Progress(state)
