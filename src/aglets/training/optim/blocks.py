"""The blocks of Algorithm 1: each is an equation of the paper and returns a new state.

Signs are those of `losses.py`: a_i = -d value / d f_i and g_H = sum_i a_i psi_i(H), so that
-g is the gradient of the loss in beta.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from aglets.graphs.arrays import Bools, Floats, Ints
from aglets.mining import Found
from aglets.training.engine.protocol import Scores
from aglets.training.optim.line_search import Step, backtracking
from aglets.training.optim.state import Problem, State, enlarged

__all__ = [
    "grow_working_set",
    "kkt_violation",
    "outside",
    "rematched",
    "update_beta",
    "update_beta0",
    "update_z",
    "z_gradient",
]


#: A line search starts at this multiple of the length accepted last.
LENGTHEN = 2.0
#: Steps below this part of the largest coordinate say nothing about their length.
STANDSTILL = 1e-9


def grow_working_set(problem: Problem, state: State, lam: float) -> tuple[State, Found]:
    """W <- W + {H : |g_H| > lam, H not in W}, by pruned search (equation 7, Algorithm 2)."""
    found = problem.graphs.search(state.scores, lam)
    return enlarged(problem, state, found.nodes[outside(found, state)]), found


def outside(found: Found, state: State) -> Ints:
    """Return the positions of what was found outside of W."""
    inside = set(state.names.tolist())
    places = [i for i, name in enumerate(found.nodes.tolist()) if name not in inside]
    return np.array(places, dtype=np.int64)


def update_beta(problem: Problem, state: State, lam: float) -> State:
    """Step beta <- prox(beta + eta g), proximal gradient on W (equation 5).

    Covariates, which the paper does not have, are columns like psi.
    """
    beta = state.coef
    if not len(beta):
        return state

    def smooth(beta: Floats) -> tuple[float, Scores]:
        scores = state.matched.scores(beta, state.beta0)
        return scores.value(), scores

    g, _ = state.scores.gradient()
    step = backtracking(
        smooth,
        beta,
        state.scores.value(),
        g,
        LENGTHEN * state.beta_step,
        prox=state.penalty(lam).prox,
    )
    if step is None:
        return state
    return state.with_coef(step.x, beta_step=_next_length(beta, step, state.beta_step))


def update_beta0(problem: Problem, state: State) -> State:
    """beta_0 <- argmin of the loss, exactly (equation 6, appendix A)."""
    without = state.matched.scores(state.coef, 0.0 * state.beta0)
    return replace(state, beta0=without.best_intercept(state.beta0))


def update_z(problem: Problem, state: State) -> State:
    """Step z <- z - alpha dF/dz for graphlets with beta != 0, plain gradient (equation 7)."""
    active = state.in_use
    if not active.any():
        return state
    gradient = z_gradient(state, active)

    def smooth(z: Floats) -> tuple[float, State]:
        moved = rematched(state, active, z)
        return moved.scores.value(), moved

    z = state.z[state.z_of(active)]
    step = backtracking(
        smooth,
        z,
        state.scores.value(),
        -gradient,
        LENGTHEN * state.z_step,
    )
    if step is None:
        return state
    return replace(step.carried, z_step=_next_length(z, step, state.z_step))


def _next_length(x: Floats, step: Step[Any], before: float) -> float:
    """Return the accepted length, unless the step was too small to judge it by."""
    moved = float(np.abs(step.x - x).max(initial=0.0))
    return step.length if moved > STANDSTILL * float(np.abs(x).max(initial=0.0)) else before


def z_gradient(state: State, active: Bools) -> Floats:
    """dF/dz_H = sum_i 2 rho beta_H a_i psi_iH (z_H - x_i) of the active graphlets, flat."""
    return state.scores.z_gradient(active, state.z[state.z_of(active)], state.beta[active])


def rematched(state: State, active: Bools, moved: Floats) -> State:
    """Give the active graphlets the attributes `moved`, with psi and embeddings to match."""
    z = state.z.copy()
    z[state.z_of(active)] = moved
    return replace(state, z=z, matched=state.matched.moved(active, moved))


def kkt_violation(state: State, lam: float) -> float:
    """Largest violation of the optimality conditions of beta within W, and of covariates."""
    if not len(state.coef):
        return 0.0
    g, _ = state.scores.gradient()
    return float(state.penalty(lam).violation(g, state.coef).max())
