"""The regularisation path: Algorithm 1 around a solver.

`lagra_path` is a generator: it yields a `PathPoint` per lambda, so that callers can show progress,
stop, or save what they have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from time import perf_counter
from typing import NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController

from aglets.graphs.arrays import Floats
from aglets.graphs.notes import AtOnce, Notices
from aglets.model.losses import JointLoss
from aglets.training.engine.protocol import Judge, Judgement
from aglets.training.optim.blocks import kkt_violation
from aglets.training.optim.fast import EXACT, ROUGH, FastSolver, solve_beta
from aglets.training.optim.paper import PaperSolver
from aglets.training.optim.penalty import Shared
from aglets.training.optim.solver import Progress, Solver
from aglets.training.optim.state import Problem, State, StoredState, empty_state
from aglets.training.path_point import PathPoint
from aglets.training.resume import Resume
from aglets.training.stored import AnySample

__all__ = ["SOLVERS", "Schedule", "Validation", "lagra_path", "lambda_grid"]


SOLVERS: dict[str, type[Solver]] = {"fast": FastSolver, "paper": PaperSolver}

#: Smallest lambda_max with covariates, as a part of all residuals of the best constant.
NOTHING_LEFT = 1e-6
#: Slopes, as a part of all residuals of the best constant, at which covariates without a penalty
#: are solved for; with so many steps at most by curvatures of at least this part of their bound.
NO_SLOPE, MORE_STEPS, TRUE_BEND = 1e-10, 1000, 1e-14
#: A curvature below this part of its bound, where slopes are next to nothing, is none.
FLAT = 1e-8
#: What part of the residuals covariates may leave if they are to fit the graphs alone.
FITTED = 0.01


@dataclass(frozen=True)
class Schedule:
    """Which lambdas a path visits, with what solver, and when it leaves each.

    Parameters
    ----------
    n_lambdas, lambda_min_ratio : int, float
        So many lambdas from lambda_max to lambda_min_ratio times it.
    lambdas : ndarray, optional
        These instead, decreasing.
    solver : {"fast", "paper"}
    learn_attributes : bool
        False keeps all attributes at their start: the problem is then convex.
    max_epochs : int
    patience : int
        With validation graphs, a lambda ends after so many epochs without improvement on them.
    tol : float
        A lambda ends when an epoch lowers the objective by less than this part of it, adds nothing
        to the working set, and violates the conditions on beta by less than this part of lambda.
    notices : Notices
        Where to put what the user should know.
    """

    n_lambdas: int = 100
    lambda_min_ratio: float = 0.01
    lambdas: Floats | None = None
    solver: str = "fast"
    learn_attributes: bool = True
    max_epochs: int = 100
    patience: int = 5
    tol: float = 1e-4
    notices: Notices = field(default_factory=AtOnce, compare=False)

    def grid(self, lam_max: float) -> Floats:
        """Return the lambdas."""
        if self.lambdas is None:
            return lambda_grid(lam_max, self.n_lambdas, self.lambda_min_ratio)
        return np.asarray(self.lambdas, dtype=np.float64)


@dataclass(frozen=True)
class Validation:
    """Graphs on which each epoch is judged.

    The best state of each lambda is then the one reported.

    Parameters
    ----------
    sample : Sample
        In model units.
    keep_f : bool
        Whether every point keeps f of all these graphs.
    """

    sample: AnySample
    keep_f: bool = False


class Patience:
    """Remembers the best state, and how long ago it was."""

    def __init__(self, q: int) -> None:
        self.q = q
        self.best: tuple[State, Judgement] | None = None
        self._since = 0

    @property
    def best_loss(self) -> float:
        """The lowest loss so far."""
        return np.inf if self.best is None else self.best[1].loss

    def spent(self, state: State, judgement: Judgement) -> bool:
        """Note a state; True if the loss has not improved in the past q ones."""
        if judgement.loss < self.best_loss:
            self.best, self._since = (state, judgement), 0
        else:
            self._since += 1
        return self._since >= self.q


class _Effort(NamedTuple):
    """What one lambda cost."""

    steps: list[Progress]
    n_epochs: int
    work: int
    seconds: float


@dataclass(frozen=True)
class _AtLambda:
    """The state after one lambda, the point to report, the size of the largest violator met."""

    state: State
    point: PathPoint
    reach: int


def lambda_grid(lam_max: float, n_lambdas: int, lambda_min_ratio: float) -> Floats:
    """Return lambdas evenly spaced in logarithm from lam_max to lambda_min_ratio lam_max.

    Examples
    --------
    >>> lambda_grid(8.0, 4, 0.125)
    array([8., 4., 2., 1.])
    """
    return np.asarray(lam_max * np.geomspace(1.0, lambda_min_ratio, n_lambdas))


def lagra_path(
    problem: Problem,
    schedule: Schedule,
    *,
    validation: Validation | None = None,
    resume: Resume | None = None,
    note: Callable[[Resume], None] | None = None,
) -> Iterator[PathPoint]:
    """Train along decreasing lambdas with warm starts (Algorithm 1); yields a point per lambda.

    Parameters
    ----------
    problem : Problem
        The training graphs, and what is minimised on them.
    schedule : Schedule
        Lambdas, solver and stopping rules.
    validation : Validation, optional
        Graphs on which each epoch is judged.
    resume : Resume, optional
        Yield its points, and go on from there: they are shared with another path on the same
        graphs, or this one was interrupted.
    note : callable, optional
        Called before each new point is yielded, with where the path could go on.
    """
    if resume is None:
        resume = _beginning(problem, schedule.notices)  # lines 2-5
    elif note is not None:
        note(resume)
    points, reach, lam_max = resume.points, resume.reach, resume.lam_max
    begun = resume.state
    state = begun.revived(problem) if isinstance(begun, StoredState) else begun
    judge = None
    if validation is not None:
        judge = problem.graphs.judge_on(validation.sample, validation.keep_f)
    at_lambda = _Epochs(problem, schedule, SOLVERS[schedule.solver](), judge)
    libraries = _linear_algebra()
    yield from points
    for lam in schedule.grid(lam_max)[len(points) :]:  # lines 6-7
        # Small matrices: threads of the linear algebra would only get in each other's way, and the
        # order of their sums would show in the last digits.
        with libraries.limit(limits=1, user_api="blas"):
            reached = at_lambda.run(state, float(lam), lam_max)
        state, reach = reached.state, max(reach, reached.reach)
        points = (*points, reached.point)
        if note is not None:
            note(Resume(points, state, reach, lam_max))
        yield reached.point


@cache
def _linear_algebra() -> ThreadpoolController:
    """Find the libraries whose threads can be limited: reading them takes 10 ms, so once."""
    return ThreadpoolController()


def _beginning(problem: Problem, notices: Notices) -> Resume:
    """Lines 2-5: the model without graphlets, lambda_max, and the size of the pattern it is from.

    Covariates without a penalty have their best coefficients there, those with one have none.
    """
    state, design = empty_state(problem), problem.graphs.design
    if design is None:
        lam_max, reach = problem.graphs.lambda_max(state.scores)
        return Resume((), state, reach, lam_max)
    size = state.scores.residual_size()
    lowest = NOTHING_LEFT * size
    if design.factor == 0.0:
        state = _best_of_covariates(problem, state)
    else:
        g, _ = state.scores.gradient()
        sizes = np.abs(g) if g.ndim == 1 else Shared(1.0, state.sharing).dual_norm(g)
        lowest = max(lowest, float(sizes.max(initial=0.0)) / design.factor)
    lam_max, reach = problem.graphs.lambda_max(state.scores)
    # Graphlets may also have nothing to say because all graphs contain the same ones.
    fits = state.scores.residual_size() < FITTED * size
    if lam_max < lowest and design.factor == 0.0 and fits:
        notices.add(
            "The covariates alone fit the training graphs, and leave nothing for graphlets to "
            "explain; give them a covariate_penalty, or fewer of them."
        )
    elif design.factor == 0.0 and _falls_for_ever(problem, state):
        notices.add(
            "The covariates separate the classes of some training graphs, so that no coefficients "
            "of theirs are best; those where the loss hardly falls any more were taken. Give them "
            "a covariate_penalty, or fewer of them."
        )
    return Resume((), state, reach, max(lam_max, lowest))


def _best_of_covariates(problem: Problem, state: State) -> State:
    """Solve for covariates without a penalty, until slopes are `NO_SLOPE` of all residuals.

    Where they all but separate the classes, most graphs lie where a logistic loss is nearly flat:
    there only steps by its true curvature arrive.
    """
    lam = NO_SLOPE / EXACT * state.scores.residual_size()
    state = solve_beta(problem, state, lam)
    if isinstance(problem.goal.loss, JointLoss):
        return state
    return solve_beta(problem, state, lam, max_steps=MORE_STEPS, min_bend=TRUE_BEND)


def _falls_for_ever(problem: Problem, state: State) -> bool:
    """Whether some direction of covariates lowers a logistic loss without end.

    Where slopes are `NO_SLOPE` its curvature is then next to nothing, too.
    """
    loss = problem.goal.loss
    if isinstance(loss, JointLoss) or not loss.probabilistic:
        return False
    curved, _ = state.scores.quadratic(np.ones(len(state.coef), dtype=np.bool_), 0.0)
    return bool(np.linalg.eigvalsh(curved)[0] < FLAT * problem.graphs.curvature_bound())


@dataclass(frozen=True)
class _Epochs:
    """Lines 8-17 of Algorithm 1: epochs at one lambda."""

    problem: Problem
    schedule: Schedule
    solver: Solver
    judge: Judge | None

    def run(self, state: State, lam: float, lam_max: float) -> _AtLambda:
        """Improve a state until it has converged, or does no better on the validation graphs."""
        start, work = perf_counter(), self.problem.graphs.work_spent()
        problem, schedule = self.problem, self.schedule
        patience = Patience(schedule.patience)
        steps: list[Progress] = []
        objective = problem.objective(state, lam)
        for _ in range(schedule.max_epochs):  # line 8
            steps.append(
                self.solver.epoch(problem, state, lam, schedule.learn_attributes)  # lines 9-12
            )
            state = steps[-1].state
            before, objective = objective, problem.objective(state, lam)
            spent = self._spent(patience, state)  # line 13
            done = steps[-1].is_final or self._converged(steps[-1], lam, before, objective)
            if spent or done:  # lines 14-15
                break
        n_epochs = len(steps)
        if not steps[-1].is_final:
            steps.append(self.solver.close(problem, state, lam))
            state = steps[-1].state
            self._spent(patience, state)
        kept, judgement = (state, None) if patience.best is None else patience.best  # line 17
        work = problem.graphs.work_spent() - work
        effort = _Effort(steps, n_epochs, work, perf_counter() - start)
        point = self._point(kept, judgement, lam, lam_max, effort)
        return _AtLambda(state.at_next_lambda(), point, max(step.reach for step in steps))

    def _spent(self, patience: Patience, state: State) -> bool:
        if self.judge is None:
            return False
        active = state.in_use
        z, coef = state.z[state.z_of(active)], np.concatenate([state.beta[active], state.gamma])
        return patience.spent(state, self.judge.judge(state.matched, active, z, coef, state.beta0))

    def _converged(self, step: Progress, lam: float, before: float, now: float) -> bool:
        tol = self.schedule.tol
        # With several outputs beta is solved roughly until the lambda is closed.
        loose = 0.0 if step.state.beta.ndim == 1 else ROUGH
        return (
            before - now <= tol * abs(before)
            and step.n_added == 0
            and kkt_violation(step.state, lam) <= max(tol, loose) * lam
        )

    def _point(
        self,
        state: State,
        judgement: Judgement | None,
        lam: float,
        lam_max: float,
        effort: _Effort,
    ) -> PathPoint:
        active, steps = state.in_use, effort.steps
        return PathPoint(
            lam=lam,
            lam_max=lam_max,
            rho=self.problem.goal.rho,
            beta=state.beta[active],
            beta0=state.beta0,
            patterns=[state.patterns[i] for i in np.flatnonzero(active).tolist()],
            channels=state.channels[active],
            z=state.z[state.z_of(active)],
            objective=self.problem.objective(state, lam),
            train_loss=state.scores.value(),
            train_score=state.scores.score(),
            validation_loss=None if judgement is None else judgement.loss,
            validation_score=None if judgement is None else judgement.score,
            n_nonzero=int(active.sum()),
            working_set_size=len(state.names),
            n_visited=sum(step.n_visited for step in steps),
            n_made=sum(step.n_made for step in steps),
            n_searches=sum(step.n_searches for step in steps),
            n_epochs=effort.n_epochs,
            work=effort.work,
            seconds=effort.seconds,
            seconds_search=sum(step.seconds_search for step in steps),
            seconds_beta=sum(step.seconds_beta for step in steps),
            seconds_z=sum(step.seconds_z for step in steps),
            gamma=state.gamma if state.design is None else state.design.back @ state.gamma,
            held_f=np.empty(0) if judgement is None else judgement.f,
        )
