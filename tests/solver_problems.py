"""Small problems for the parts of a solver, and how its functions are watched."""

from __future__ import annotations

import numpy as np
from path_tools import placed, random_set, targets

from aglets import mining
from aglets.model.losses import SquaredHinge
from aglets.training.engine import Goal
from aglets.training.optim import fast
from aglets.training.optim.blocks import kkt_violation
from aglets.training.optim.fast import let_violators_enter
from aglets.training.optim.solver import Progress
from aglets.training.optim.state import Problem, empty_state


def problem_of(loss=None, *, rho=0.3, weight=1.0, unit=1.0, covariates=None, penalty=0.0):
    loss, graphs = SquaredHinge() if loss is None else loss, random_set(14, seed=4)
    tree, known = mining.Tree(graphs, maxpat=3), {"weight": np.full(14, weight)}
    y = unit * targets(graphs, loss, 1)
    placement = placed(graphs, y, tree, covariates=covariates, **known)
    return Problem.of(placement, Goal(loss, rho, 3, covariate_penalty=penalty))


def grown(problem, share=0.2):
    """The state after violators entered, their coefficients zero, and lambda."""
    state = empty_state(problem)
    lam = share * problem.graphs.lambda_max(state.scores)[0]
    return let_violators_enter(problem, Progress(state), lam).state, lam


def off_by(problem, state, lam) -> float:
    """How far a state is from the conditions of an optimum, as a part of lambda."""
    _, slope0 = state.scores.gradient()
    return max(kkt_violation(state, lam), float(np.max(np.abs(slope0)))) / lam


def noting(monkeypatch, name, notes, keep=lambda *args, **options: args):
    """Note what a function of the solver is called with."""
    original = getattr(fast, name)

    def noted(*args, **options):
        notes.append(keep(*args, **options))
        return original(*args, **options)

    monkeypatch.setattr(fast, name, noted)
