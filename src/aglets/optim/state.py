"""What a solver carries: the working set with its coefficients and attributes.

A `State` never changes; a block returns a new one. So a warm start is an argument, a snapshot is
free, and the best state of a lambda is simply kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from aglets.engine import LocalEngine
from aglets.optim.loss import Loss

__all__ = ["Problem", "State", "empty_state", "enlarged"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Problem:
    """Training graphs behind an engine, what is known of them, and the loss.

    Parameters
    ----------
    engine : LocalEngine
    loss : Loss
    y : ndarray of shape (n_graphs,)
    weight : ndarray of shape (n_graphs,)
    """

    engine: LocalEngine
    loss: Loss
    y: Floats
    weight: Floats

    def value(self, f: Floats) -> float:
        """1/2 sum_i w_i loss(y_i, f_i)."""
        return self.loss.value(self.y, f, self.weight)

    def residual(self, f: Floats) -> Floats:
        """a_i = -d value / d f_i."""
        return self.loss.residual(self.y, f, self.weight)

    def objective(self, state: State, lam: float) -> float:
        """1/2 sum_i w_i loss(y_i, f_i) + lam |beta|_1."""
        return self.value(state.f) + lam * float(np.abs(state.beta).sum())


@dataclass(frozen=True)
class State:
    """The working set W, one row per graphlet.

    Parameters
    ----------
    nodes : ndarray of shape (W,)
        Tree nodes of the patterns.
    handles : ndarray of shape (W,)
        Names under which the engine knows them.
    sizes : ndarray of shape (W, 2)
        Number of entries of each in `z` and in `sites`.
    z, sites : ndarray
        Attributes, flat, and the best embedding in each supporting graph, flat.
    psi : ndarray of shape (W, n_graphs)
    beta : ndarray of shape (W,)
    beta0 : float
    beta_step, z_step : float
        Step lengths that were accepted last: where the next line search starts.
    z_before, z_gradient_before : ndarray or None
        Attributes before the last step in z and the gradient there, NaN where there was none.
    """

    nodes: npt.NDArray[np.int64]
    handles: npt.NDArray[np.int32]
    sizes: npt.NDArray[np.int64]
    z: Floats
    sites: npt.NDArray[np.int32]
    psi: Floats
    beta: Floats
    beta0: float
    beta_step: float = 1.0
    z_step: float = 1.0
    z_before: Floats | None = None
    z_gradient_before: Floats | None = None

    @cached_property
    def f(self) -> Floats:
        """f(G_i) = beta_0 + sum_H beta_H psi(G_i; H)."""
        return self.beta0 + self.beta @ self.psi

    def z_of(self, chosen: Bools) -> Bools:
        """Mask of the entries of z that belong to the chosen graphlets."""
        return np.repeat(chosen, self.sizes[:, 0])

    def sites_of(self, chosen: Bools) -> Bools:
        """Mask of the entries of sites that belong to the chosen graphlets."""
        return np.repeat(chosen, self.sizes[:, 1])


def empty_state(problem: Problem) -> State:
    """W empty, beta_0 the best constant (line 4 of Algorithm 1)."""
    n_graphs = problem.engine.n_graphs
    beta0 = problem.loss.best_intercept(problem.y, np.zeros(n_graphs), problem.weight, 0.0)
    return State(
        nodes=np.empty(0, dtype=np.int64),
        handles=np.empty(0, dtype=np.int32),
        sizes=np.empty((0, 2), dtype=np.int64),
        z=np.empty(0),
        sites=np.empty(0, dtype=np.int32),
        psi=np.empty((0, n_graphs)),
        beta=np.empty(0),
        beta0=beta0,
    )


def enlarged(state: State, nodes: npt.NDArray[np.int64], engine: LocalEngine) -> State:
    """Let tree nodes enter W with beta = 0 and their starting attributes."""
    if not len(nodes):
        return state
    handles = engine.handles(nodes)
    z = engine.start(handles)
    costs, sites = engine.match(handles, z)
    return replace(
        state,
        nodes=np.concatenate([state.nodes, nodes]),
        handles=np.concatenate([state.handles, handles]),
        sizes=np.concatenate([state.sizes, engine.sizes(handles)]),
        z=np.concatenate([state.z, z]),
        sites=np.concatenate([state.sites, sites]),
        psi=np.concatenate([state.psi, np.exp(-engine.rho * costs)]),
        beta=np.concatenate([state.beta, np.zeros(len(nodes))]),
        z_before=_padded(state.z_before, len(z)),
        z_gradient_before=_padded(state.z_gradient_before, len(z)),
    )


def _padded(before: Floats | None, n_new: int) -> Floats | None:
    return None if before is None else np.concatenate([before, np.full(n_new, np.nan)])
