"""The blocks of Algorithm 1: each is an equation of the paper and returns a new state.

Signs are those of `loss.py`: a_i = -d value / d f_i and g_H = sum_i a_i psi_i(H), so that
-g is the gradient of the loss in beta.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.graphs.arrays import Floats
from aglets.mining import Found
from aglets.training.optim.line_search import Step, backtracking
from aglets.training.optim.state import Problem, State, enlarged

__all__ = [
    "grow_working_set",
    "kkt_violation",
    "rematched",
    "update_beta",
    "update_beta0",
    "update_z",
]


#: A line search starts at this multiple of the length accepted last.
LENGTHEN = 2.0
#: Steps below this part of the largest coordinate say nothing about their length.
STANDSTILL = 1e-9


def grow_working_set(problem: Problem, state: State, lam: float) -> tuple[State, Found]:
    """W <- W + {H : |g_H| > lam, H not in W}, by pruned search (equation 7, Algorithm 2)."""
    found = problem.engine.search(problem.residual(state.f), lam)
    new = found.nodes[~np.isin(found.nodes, state.nodes)]
    return enlarged(state, new, problem.engine), found


def update_beta(problem: Problem, state: State, lam: float) -> State:
    """Step beta <- prox(beta + eta g), proximal gradient on W (equation 5).

    Covariates, which the paper does not have, are columns like psi.
    """
    beta = state.coef
    if not len(beta):
        return state

    def smooth(beta: Floats) -> tuple[float, None]:
        return problem.value(state.beta0 + beta @ state.rows), None

    g = state.rows @ problem.residual(state.f)
    step = backtracking(
        smooth,
        beta,
        problem.value(state.f),
        g,
        LENGTHEN * state.beta_step,
        prox=state.penalty(lam).prox,
    )
    if step is None:
        return state
    return state.with_coef(step.x, beta_step=_next_length(beta, step, state.beta_step))


def update_beta0(problem: Problem, state: State) -> State:
    """beta_0 <- argmin of the loss, exactly (equation 6, appendix A)."""
    offset = state.coef @ state.rows
    beta0 = problem.loss.best_intercept(problem.y, offset, problem.weight, state.beta0)
    return replace(state, beta0=beta0)


def update_z(problem: Problem, state: State) -> State:
    """Step z <- z - alpha dF/dz for graphlets with beta != 0, plain gradient (equation 7)."""
    active = state.beta != 0.0
    if not active.any():
        return state
    gradient = z_gradient(problem, state, active)

    def smooth(z: Floats) -> tuple[float, State]:
        moved = rematched(problem, state, active, z)
        return problem.value(moved.f), moved

    z = state.z[state.z_of(active)]
    step = backtracking(
        smooth,
        z,
        problem.value(state.f),
        -gradient,
        LENGTHEN * state.z_step,
    )
    if step is None:
        return state
    return replace(step.carried, z_step=_next_length(z, step, state.z_step))


def _next_length(x: Floats, step: Step[Any], before: float) -> float:
    """Return the accepted length, unless the step was too small to tell it from any other."""
    moved = float(np.abs(step.x - x).max(initial=0.0))
    return step.length if moved > STANDSTILL * float(np.abs(x).max(initial=0.0)) else before


def z_gradient(problem: Problem, state: State, active: npt.NDArray[np.bool_]) -> Floats:
    """dF/dz_H = sum_i 2 rho beta_H a_i psi_iH (z_H - x_i) of the active graphlets, flat."""
    engine = problem.engine
    a = problem.residual(state.f)
    weights = (2.0 * engine.rho) * (state.beta[active, None] * state.psi[active]) * a
    return engine.pull(
        state.handles[active],
        state.z[state.z_of(active)],
        state.sites[state.sites_of(active)],
        np.ascontiguousarray(weights),
    )


def rematched(
    problem: Problem, state: State, active: npt.NDArray[np.bool_], moved: Floats
) -> State:
    """Give the active graphlets the attributes `moved`, with psi and embeddings to match."""
    z_mask, site_mask = state.z_of(active), state.sites_of(active)
    costs, best = problem.engine.match(state.handles[active], moved, state.sites[site_mask])
    z, sites, psi = state.z.copy(), state.sites.copy(), state.psi.copy()
    z[z_mask], sites[site_mask] = moved, best
    psi[active] = np.exp(-problem.engine.rho * costs)
    return replace(state, z=z, sites=sites, psi=psi)


def kkt_violation(problem: Problem, state: State, lam: float) -> float:
    """Largest violation of the optimality conditions of beta within W, and of covariates."""
    if not len(state.coef):
        return 0.0
    g = state.rows @ problem.residual(state.f)
    return float(state.penalty(lam).violation(g, state.coef).max())
