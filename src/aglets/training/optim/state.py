"""What a solver carries: the working set with its coefficients and attributes.

A `State` never changes; a block returns a new one. So a warm start is an argument, a snapshot is
free, and the best state of a lambda is simply kept. What has one entry per graph is not here: it
lies with the graphs, behind `State.matched` and `State.scores`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from aglets.graphs.arrays import Bools, Codes, Floats, Ints
from aglets.mining import Pattern
from aglets.training.engine.covariate_design import CovariateDesign
from aglets.training.engine.graphlet_names import channels_of
from aglets.training.engine.protocol import (
    Goal,
    Intercept,
    Matched,
    Placement,
    Scores,
    TrainingGraphs,
)
from aglets.training.optim.penalty import L1, Penalty, Shared
from aglets.training.optim.quadratic import SharedModel

__all__ = ["Problem", "State", "StoredState", "empty_state", "enlarged"]


@dataclass(frozen=True)
class Problem:
    """What is minimised: the goal, and the training graphs as a path with that goal sees them.

    Parameters
    ----------
    goal : Goal
    graphs : TrainingGraphs
    """

    goal: Goal
    graphs: TrainingGraphs

    @classmethod
    def of(cls, placement: Placement, goal: Goal) -> Problem:
        """Pose a problem on graphs that were placed."""
        return cls(goal, placement.graphs_for(goal))

    def objective(self, state: State, lam: float) -> float:
        """1/2 sum_i w_i loss(y_i, f_i) + lam |beta|_1, and factor lam |gamma|_1 of covariates.

        With several outputs it is the sum of their losses, and the penalty is `Shared`.
        """
        return state.scores.value() + state.penalty(lam).value(state.coef)


@dataclass(frozen=True)
class Curved:
    """Second derivatives of the loss of several outputs, as they once were.

    A model with old ones leads to the same optimum, in a few steps more that cost much less.

    Parameters
    ----------
    rows : ndarray of shape (n_coefficients,)
        Which coefficients they are of.
    model : SharedModel
    """

    rows: Bools
    model: SharedModel

    def covers(self, rows: Bools) -> bool:
        """Whether these coefficients are among them; further ones may have come behind."""
        n = len(self.rows)
        return not (rows[n:].any() or (rows[:n] & ~self.rows).any())

    def positions(self, rows: Bools) -> Codes:
        """Return the rows of the model that some coefficients have."""
        return np.flatnonzero(rows[: len(self.rows)][self.rows]).astype(np.int32)


@dataclass(frozen=True)
class State:
    """The working set W, one row per graphlet.

    Parameters
    ----------
    names : ndarray of shape (W,)
        Numbers under which the graphs know the graphlets.
    patterns : tuple of Pattern
    sizes : ndarray of shape (W,)
        Number of entries of each in `z`.
    z : ndarray
        Attributes, flat.
    matched : Matched
        The graphlets matched with the graphs, where the graphs are.
    beta : ndarray of shape (W,)
        Shape (W, n_outputs) if several outputs share graphlets.
    beta0 : float
        Shape (n_outputs,) for several outputs.
    beta_step, z_step : float
        Step lengths that were accepted last: where the next line search starts.
    z_before, z_gradient_before : ndarray or None
        Attributes before the last step of each graphlet in z and the gradient there, NaN where
        there was none.
    design : CovariateDesign or None
        Units of covariates.
    gamma : ndarray of shape (n_columns,)
        Coefficients of covariates; shape (n_columns, n_outputs) for several outputs.
    sharing : float
        With several outputs, how much of the penalty they share.
    curved : Curved or None
        With several outputs, second derivatives from before, within one lambda.
    """

    names: Ints
    patterns: tuple[Pattern, ...]
    sizes: Ints
    z: Floats
    matched: Matched
    beta: Floats
    beta0: Intercept
    beta_step: float = 1.0
    z_step: float = 1.0
    z_before: Floats | None = None
    z_gradient_before: Floats | None = None
    design: CovariateDesign | None = None
    gamma: Floats = field(default_factory=lambda: np.empty(0))
    sharing: float = 1.0
    curved: Curved | None = None

    @property
    def in_use(self) -> Bools:
        """Which graphlets have a coefficient that is not zero."""
        used: Bools = self.beta != 0.0
        return used if self.beta.ndim == 1 else np.asarray(used.any(axis=1))

    @property
    def scores(self) -> Scores:
        """f(G_i) = beta_0 + sum_H beta_H psi(G_i; H) + sum_j gamma_j c_j(G_i), with the graphs."""
        # Not a cached_property, which takes a lock in Python 3.11.
        scores: Scores | None = self.__dict__.get("_scores")
        if scores is None:
            scores = self.__dict__["_scores"] = self.matched.scores(self.coef, self.beta0)
        return scores

    @property
    def channels(self) -> Codes:
        """In which channel each graphlet is counted."""
        return channels_of(self.names)

    @property
    def coef(self) -> Floats:
        """All coefficients: beta, and gamma behind."""
        return self.beta if self.design is None else np.concatenate([self.beta, self.gamma])

    def with_coef(self, coef: Floats, **changes: Any) -> State:
        """Return a state with other coefficients."""
        if self.design is None:
            return replace(self, beta=coef, **changes)
        n = len(self.beta)
        return replace(self, beta=coef[:n], gamma=coef[n:], **changes)

    def with_scores(self, scores: Scores) -> State:
        """Take scores that are known; up to rounding they are those of the coefficients."""
        self.__dict__["_scores"] = scores
        return self

    def at_next_lambda(self) -> State:
        """Forget what is known of one lambda only.

        A path that was interrupted does not know it, and is to be the same.
        """
        return self if self.beta.ndim == 1 else replace(self, curved=None)

    def penalty(self, lam: float) -> Penalty:
        """Return the penalty on the coefficients."""
        each: float | Floats = lam
        if self.design is not None:
            each = lam * self.design.penalty_factors(len(self.beta))
        return L1(each) if self.beta.ndim == 1 else Shared(each, self.sharing)

    def z_of(self, chosen: Bools) -> Bools:
        """Mask of the entries of z that belong to the chosen graphlets."""
        return np.repeat(chosen, self.sizes)


def empty_state(problem: Problem) -> State:
    """W empty, beta_0 the best constant (line 4 of Algorithm 1), covariates without weight."""
    matched, design = problem.graphs.nothing_matched(), problem.graphs.design
    outputs = problem.goal.outputs
    gamma = np.zeros((0 if design is None else design.n_columns, *outputs))
    start = np.zeros(outputs) if outputs else 0.0
    return State(
        names=np.empty(0, dtype=np.int64),
        patterns=(),
        sizes=np.empty(0, dtype=np.int64),
        z=np.empty(0),
        matched=matched,
        beta=np.empty((0, *outputs)),
        beta0=matched.scores(gamma, start).best_intercept(start),
        design=design,
        gamma=gamma,
        sharing=problem.goal.sharing,
    )


def enlarged(problem: Problem, state: State, names: Ints) -> State:
    """Let patterns enter W with beta = 0 and their starting attributes."""
    if not len(names):
        return state
    patterns = problem.graphs.patterns(names)
    z, sizes = problem.graphs.start(patterns)
    return replace(
        state,
        names=np.concatenate([state.names, names]),
        patterns=state.patterns + patterns,
        sizes=np.concatenate([state.sizes, sizes]),
        z=np.concatenate([state.z, z]),
        matched=state.matched.entered(names, z),
        beta=np.concatenate([state.beta, np.zeros((len(names), *state.beta.shape[1:]))]),
        z_before=_padded(state.z_before, len(z)),
        z_gradient_before=_padded(state.z_gradient_before, len(z)),
    )


@dataclass(frozen=True)
class StoredState:
    """A `State` without what belongs to one process, so that another can go on from it.

    Parameters
    ----------
    patterns : sequence of Pattern
        Of the working set, in its order.
    channels : ndarray of shape (W,)
        In which channel each is counted.
    embedding : ndarray
        The best embeddings, flat: ties go to them when graphlets are matched again.
    z, beta, beta0, beta_step, z_step, z_before, z_gradient_before, gamma
        As in `State`.
    """

    patterns: Sequence[Pattern]
    channels: Codes
    z: Floats
    embedding: Codes
    beta: Floats
    beta0: Intercept
    beta_step: float
    z_step: float
    z_before: Floats | None
    z_gradient_before: Floats | None
    gamma: Floats

    @classmethod
    def of(cls, state: State) -> StoredState:
        """Keep a state."""
        same = {name: getattr(state, name) for name in _KEPT}
        return cls(
            patterns=state.patterns,
            channels=state.channels,
            embedding=state.matched.embedding(),
            **same,
        )

    def revived(self, problem: Problem) -> State:
        """Return the state it was made of, to the last bit."""
        graphs = problem.graphs
        names = graphs.names(self.patterns, self.channels)
        same = {name: getattr(self, name) for name in _KEPT}
        return State(
            names=names,
            patterns=tuple(self.patterns),
            sizes=graphs.start(self.patterns)[1],
            matched=graphs.restored(names, self.z, self.embedding),
            design=graphs.design,
            sharing=problem.goal.sharing,
            **same,
        )


#: What a stored state has as it is.
_KEPT = [f.name for f in fields(StoredState) if f.name not in ("patterns", "channels", "embedding")]


def _padded(before: Floats | None, n_new: int) -> Floats | None:
    return None if before is None else np.concatenate([before, np.full(n_new, np.nan)])
