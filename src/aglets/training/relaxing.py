"""Relaxed points: the graphlets of a point of a path stay, their coefficients are less shrunk.

The penalty that keeps graphlets few also makes their coefficients small, the more so the fewer
there are. A relaxed point (Meinshausen's relaxed lasso) has the graphlets and attributes of a point
of the path, and the coefficients that minimise

    1/2 sum_i w_i loss(y_i, f_i) + relax lambda penalty(beta)

on these graphlets alone, with `relax` between 0 and 1. A little penalty stays: where the graphlets
separate the classes, no coefficients would be best without one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

from aglets.training.engine.protocol import Judge
from aglets.training.fitting import Paths, Settings, TrainingSet, Walk
from aglets.training.optim.fast import solve_beta
from aglets.training.optim.state import Problem, State, empty_state
from aglets.training.path_point import PathPoint

__all__ = ["relaxed"]


def relaxed(
    training_set: TrainingSet,
    settings: Settings,
    plan: Walk,
    paths: Paths,
    parts: Sequence[float],
) -> list[Paths]:
    """Solve for the coefficients of points again, with each of these parts of their penalty.

    Parameters
    ----------
    training_set : TrainingSet
    settings : Settings
    plan : Walk
        With which the paths were walked on these graphs; its validation graphs judge the new
        points.
    paths : Paths
        Their points, or some of them.
    parts : sequence of float
        Falling, in (0, 1].

    Returns
    -------
    list (per part) of Paths
    """
    units, held_out = training_set.target_units, plan.validation
    found: list[Paths] = [[] for _ in parts]
    for number, points in enumerate(paths):
        goal = settings.goal(units, number, plan.rho, plan.maxpat)
        problem = Problem.of(training_set.placement, goal)
        judge = None
        if held_out is not None:
            sample = units.removed(held_out.sample)
            judge = problem.graphs.judge_on(sample, held_out.keep_f)
        with threadpool_limits(limits=1, user_api="blas"):  # as along the path
            solved = [
                _solved(problem, point, parts, judge)
                for point in units.inverse.restored(goal.output, points)
            ]
        for own, k in zip(found, range(len(parts)), strict=True):
            own.append(list(units.restored(goal.output, [point[k] for point in solved])))
    return found


def _solved(
    problem: Problem, point: PathPoint, parts: Sequence[float], judge: Judge | None
) -> list[PathPoint]:
    """Solve for each part of the penalty, from the solution for the one before."""
    state, found = _state_at(problem, point), []
    for part in parts:
        state = solve_beta(problem, state, part * point.lam)
        found.append(_point_at(problem, state, point, part * point.lam, judge))
    return found


def _state_at(problem: Problem, point: PathPoint) -> State:
    """Match the graphlets of a point with the training graphs again."""
    state, graphs = empty_state(problem), problem.graphs
    names = graphs.names(point.patterns, point.channels)
    gamma = state.gamma
    if state.design is not None:
        gamma = np.asarray(np.linalg.lstsq(state.design.back, point.gamma, rcond=None)[0], float)
    return replace(
        state,
        names=names,
        patterns=tuple(point.patterns),
        sizes=graphs.start(point.patterns)[1],
        z=point.z,
        matched=state.matched.entered(names, point.z),
        beta=point.beta,
        beta0=point.beta0,
        gamma=gamma,
    )


def _point_at(
    problem: Problem, state: State, point: PathPoint, lam: float, judge: Judge | None
) -> PathPoint:
    """Describe a state with the graphlets of a point."""
    active = state.in_use
    z, coef = state.z[state.z_of(active)], np.concatenate([state.beta[active], state.gamma])
    judged = None
    if judge is not None:
        judged = judge.judge(state.matched, active, z, coef, state.beta0)
    return replace(
        point,
        beta=state.beta[active],
        beta0=state.beta0,
        patterns=[state.patterns[i] for i in np.flatnonzero(active).tolist()],
        channels=state.channels[active],
        z=z,
        objective=problem.objective(state, lam),
        train_loss=state.scores.value(),
        train_score=state.scores.score(),
        validation_loss=None if judged is None else judged.loss,
        validation_score=None if judged is None else judged.score,
        n_nonzero=int(active.sum()),
        gamma=state.gamma if state.design is None else state.design.back @ state.gamma,
        held_f=np.empty(0) if judged is None else judged.f,
    )
