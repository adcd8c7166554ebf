"""What a solver carries: the working set with its coefficients and attributes.

A `State` never changes; a block returns a new one. So a warm start is an argument, a snapshot is
free, and the best state of a lambda is simply kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.graphs.arrays import Bools, Floats
from aglets.mining import Pattern
from aglets.model.losses import Loss
from aglets.training.engine import LocalEngine
from aglets.training.optim.columns import Columns
from aglets.training.optim.penalty import L1

__all__ = ["KeptState", "Problem", "State", "empty_state", "enlarged"]


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
        """1/2 sum_i w_i loss(y_i, f_i) + lam |beta|_1, and factor lam |gamma|_1 of covariates."""
        return self.value(state.f) + state.penalty(lam).value(state.coef)


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
    columns : Columns or None
        Covariates beside psi.
    gamma : ndarray of shape (n_columns,)
        Their coefficients.
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
    columns: Columns | None = None
    gamma: Floats = field(default_factory=lambda: np.empty(0))

    @cached_property
    def f(self) -> Floats:
        """f(G_i) = beta_0 + sum_H beta_H psi(G_i; H) + sum_j gamma_j c_j(G_i)."""
        return self.beta0 + self.coef @ self.rows

    @cached_property
    def rows(self) -> Floats:
        """All that has a coefficient: psi, and covariates below."""
        return self.psi if self.columns is None else np.vstack([self.psi, self.columns.rows])

    @property
    def coef(self) -> Floats:
        """Coefficients of `rows`: beta, and gamma behind."""
        return self.beta if self.columns is None else np.concatenate([self.beta, self.gamma])

    def with_coef(self, coef: Floats, **changes: Any) -> State:
        """Give `rows` other coefficients."""
        if self.columns is None:
            return replace(self, beta=coef, **changes)
        n = len(self.beta)
        return replace(self, beta=coef[:n], gamma=coef[n:], **changes)

    def penalty(self, lam: float) -> L1:
        """Return the penalty on the coefficients of `rows`."""
        if self.columns is None:
            return L1(lam)
        factors = [np.ones(len(self.beta)), np.full(len(self.gamma), self.columns.factor)]
        return L1(lam * np.concatenate(factors))

    def z_of(self, chosen: Bools) -> Bools:
        """Mask of the entries of z that belong to the chosen graphlets."""
        return np.repeat(chosen, self.sizes[:, 0])

    def sites_of(self, chosen: Bools) -> Bools:
        """Mask of the entries of sites that belong to the chosen graphlets."""
        return np.repeat(chosen, self.sizes[:, 1])


def empty_state(problem: Problem, columns: Columns | None = None) -> State:
    """W empty, beta_0 the best constant (line 4 of Algorithm 1), covariates without weight."""
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
        columns=columns,
        gamma=np.zeros(0 if columns is None else len(columns.rows)),
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


@dataclass(frozen=True)
class KeptState:
    """A `State` without what belongs to one process, so that another can go on from it.

    Parameters
    ----------
    patterns : sequence of Pattern
        Of the working set, in its order.
    z, sites, beta, beta0, beta_step, z_step, z_before, z_gradient_before, gamma
        As in `State`.
    """

    patterns: Sequence[Pattern]
    z: Floats
    sites: npt.NDArray[np.int32]
    beta: Floats
    beta0: float
    beta_step: float
    z_step: float
    z_before: Floats | None
    z_gradient_before: Floats | None
    gamma: Floats

    @classmethod
    def of(cls, state: State, patterns: Sequence[Pattern]) -> KeptState:
        """Keep a state; ``patterns`` are those of all handles."""
        same = {f.name: getattr(state, f.name) for f in fields(cls) if f.name != "patterns"}
        return cls(patterns=[patterns[handle] for handle in state.handles.tolist()], **same)

    def revived(self, engine: LocalEngine, columns: Columns | None) -> State:
        """Return the state it was made of, to the last bit."""
        nodes = engine.nodes(self.patterns)
        handles = engine.handles(nodes)
        same = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "patterns"}
        psi = np.empty((0, engine.n_graphs))
        if len(handles):
            psi = np.exp(-engine.rho * engine.match(handles, self.z, self.sites)[0])
        sizes = engine.sizes(handles)
        return State(nodes=nodes, handles=handles, sizes=sizes, psi=psi, columns=columns, **same)


def _padded(before: Floats | None, n_new: int) -> Floats | None:
    return None if before is None else np.concatenate([before, np.full(n_new, np.nan)])
