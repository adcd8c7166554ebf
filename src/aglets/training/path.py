"""The regularisation path: Algorithm 1 around a solver.

`lagra_path` is a generator: it yields a `PathPoint` per lambda, so that callers can show progress,
stop, or save what they have.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats
from aglets.mining import Pattern, Tree
from aglets.model.losses import Loss
from aglets.training.engine import GraphletStore, HeldOut, LocalEngine
from aglets.training.optim.blocks import kkt_violation
from aglets.training.optim.columns import Columns
from aglets.training.optim.fast import FastSolver, solve_beta
from aglets.training.optim.paper import PaperSolver
from aglets.training.optim.solver import Progress, Solver
from aglets.training.optim.state import KeptState, Problem, State, empty_state

__all__ = ["SOLVERS", "Fork", "Forks", "Here", "LastStop", "PathPoint", "lagra_path", "lambda_grid"]


SOLVERS: dict[str, type[Solver]] = {"fast": FastSolver, "paper": PaperSolver}

#: Least lambda_max beside covariates, as a part of all residuals of the best constant.
NOTHING_LEFT = 1e-6


@dataclass(frozen=True)
class PathPoint:
    """One lambda of a path: the model there, how good it is, what it cost.

    Parameters
    ----------
    lam, lam_max : float
    rho : float
    beta : ndarray of shape (n_graphlets,)
        Coefficients, none of them zero.
    beta0 : float
    patterns : list of Pattern
    z : ndarray
        Attributes of the graphlets, flat: node attributes row by row, then edge attributes.
    objective : float
        1/2 sum of losses + lambda |beta|_1 on the training graphs.
    train_loss, train_score : float
        1/2 sum of losses; accuracy, or R² for regression.
    validation_loss, validation_score : float or None
    n_nonzero, working_set_size : int
    n_visited, n_made : int
        Tree nodes visited by all searches of this lambda, and made for the first time.
    n_searches, n_epochs : int
    seconds, seconds_search, seconds_beta, seconds_z : float
        In all, in the walks of the tree, and in the updates of the two blocks.
    gamma : ndarray of shape (n_covariates,)
        Coefficients of the covariates, in the units in which they were given.
    held_f : ndarray of shape (n_held_out,)
        f on the validation graphs; empty without them.
    """

    lam: float
    lam_max: float
    rho: float
    beta: Floats
    beta0: float
    patterns: list[Pattern]
    z: Floats
    objective: float
    train_loss: float
    train_score: float
    validation_loss: float | None
    validation_score: float | None
    n_nonzero: int
    working_set_size: int
    n_visited: int
    n_made: int
    n_searches: int
    n_epochs: int
    seconds: float
    seconds_search: float
    seconds_beta: float
    seconds_z: float
    gamma: Floats = field(default_factory=lambda: np.empty(0))
    held_f: Floats = field(default_factory=lambda: np.empty(0))


@dataclass(frozen=True)
class Validation:
    """Graphs on which each epoch is judged."""

    held_out: HeldOut
    y: Floats
    weight: Floats
    columns: Floats | None = None

    def decision(self, state: State, rho: float) -> Floats:
        """Evaluate f on the held-out graphs."""
        active = state.beta != 0.0
        base = state.beta0 if self.columns is None else state.beta0 + state.gamma @ self.columns
        if not active.any():
            return np.full(len(self.y), base)
        costs = self.held_out.match(state.handles[active], state.z[state.z_of(active)])
        return np.asarray(base + state.beta[active] @ np.exp(-rho * costs))


class Patience:
    """Remembers the best state, and how long ago it was."""

    def __init__(self, q: int) -> None:
        self.q = q
        self.best: State | None = None
        self.best_loss = np.inf
        self._since = 0

    def spent(self, state: State, loss: float) -> bool:
        """Note a state; True if the loss has not improved in the past q ones."""
        if loss < self.best_loss:
            self.best, self.best_loss, self._since = state, loss, 0
        else:
            self._since += 1
        return self._since >= self.q


@dataclass(frozen=True)
class Fork:
    """Where a path goes on: after so many points, in this state.

    `reach` is the size of the largest violator met so far.
    """

    n_points: int
    state: State | KeptState
    reach: int
    lam_max: float


class Forks:
    """Where paths of smaller maxpat leave the one that is walked.

    Until a search meets a violator of more than m nodes, the path of maxpat m and that of a larger
    one are the same, to the last bit: m's path may start where they part.

    Parameters
    ----------
    maxpats : sequence of int
    """

    def __init__(self, maxpats: Sequence[int]) -> None:
        self.maxpats = tuple(maxpats)
        self._last: dict[int, Fork] = {}

    def note(self, fork: Fork) -> None:
        """Note where the walk is."""
        for maxpat in self.maxpats:
            if fork.reach <= maxpat:
                self._last[maxpat] = fork

    def at(self, maxpat: int) -> Fork | None:
        """Return where this maxpat's path leaves; None if at the very start."""
        return self._last.get(maxpat)


class LastStop(Forks):
    """Where the walk was last: a search that must do with smaller patterns goes on from there.

    The larger ones that are in the model by then stay in it.
    """

    def note(self, fork: Fork) -> None:
        """Note where the walk is."""
        self._last = dict.fromkeys(self.maxpats, fork)


class Here(Forks):
    """Where the walk is now; others are told, too."""

    def __init__(self, others: Forks | None) -> None:
        super().__init__(())
        self.fork: Fork | None = None
        self._others = others

    def note(self, fork: Fork) -> None:
        """Note where the walk is."""
        self.fork = fork
        if self._others is not None:
            self._others.note(fork)


def lambda_grid(lam_max: float, n_lambdas: int, lambda_min_ratio: float) -> Floats:
    """Return lambdas evenly spaced in logarithm from lam_max to lambda_min_ratio lam_max.

    Examples
    --------
    >>> lambda_grid(8.0, 4, 0.125)
    array([8., 4., 2., 1.])
    """
    return np.asarray(lam_max * np.geomspace(1.0, lambda_min_ratio, n_lambdas))


def lagra_path(
    graphs: GraphSet,
    y: npt.ArrayLike,
    *,
    loss: Loss,
    sample_weight: npt.ArrayLike | None = None,
    tree: Tree,
    rho: float,
    maxpat: int | None = None,
    lambdas: npt.ArrayLike | None = None,
    n_lambdas: int = 100,
    lambda_min_ratio: float = 0.01,
    solver: str = "fast",
    learn_attributes: bool = True,
    validation: tuple[GraphSet, npt.ArrayLike, npt.ArrayLike | None] | None = None,
    max_epochs: int = 100,
    patience: int = 5,
    tol: float = 1e-4,
    store: GraphletStore | None = None,
    forks: Forks | None = None,
    start: Fork | None = None,
    covariates: npt.ArrayLike | None = None,
    validation_covariates: npt.ArrayLike | None = None,
    covariate_penalty: float = 0.0,
) -> Iterator[PathPoint]:
    """Train along decreasing lambdas with warm starts (Algorithm 1); yields a point per lambda.

    Parameters
    ----------
    graphs : GraphSet
        The training graphs, those of the tree.
    y : array-like of shape (n_graphs,)
        -1 and +1, or numbers for regression.
    loss : Loss
    sample_weight : array-like of shape (n_graphs,), optional
    tree : Tree
        Shared by paths of any rho, maxpat up to its own, loss and y.
    rho : float
    maxpat : int, optional
    lambdas : array-like, optional
        Decreasing; by default `n_lambdas` from lambda_max to lambda_min_ratio times it.
    solver : {"fast", "paper"}
    learn_attributes : bool
        False keeps all attributes at their start: the problem is then convex.
    validation : (graphs, y, sample_weight), optional
        Each epoch is judged on these graphs; the best state of each lambda is the one
        reported, and a lambda ends after `patience` epochs without improvement.
    max_epochs : int
    patience : int
    tol : float
        A lambda ends when an epoch lowers the objective by less than this part of it, adds nothing
        to the working set, and violates the conditions on beta by less than this part of lambda.
    store : GraphletStore, optional
        Embeddings to share with other paths on the same tree.
    forks : Forks, optional
        Told where paths of smaller maxpat leave this one.
    start : Fork, optional
        Begin there, after the points that are known already: this path shares them with another one
        on the same store, or was interrupted.
    covariates, validation_covariates : array-like of shape (n_graphs, n_covariates), optional
        Numbers beside psi that are in the model from the start, of the training and the validation
        graphs.
    covariate_penalty : float
        Their penalty as a multiple of lambda, on the scale of unit spread; with 0 they are as free
        as beta_0, and lambda_max is that of the best model of covariates alone.
    """
    y = np.ascontiguousarray(y, dtype=np.float64)
    weight = _weights(sample_weight, len(y))
    store = GraphletStore(tree) if store is None else store
    engine = LocalEngine(store, float(rho), tree.maxpat if maxpat is None else maxpat)
    problem = Problem(engine, loss, y, weight)
    columns = None if covariates is None else Columns.of(covariates, covariate_penalty, weight)
    judge = None
    if validation is not None:
        held_out, held_y, held_weight = validation
        held_y = np.ascontiguousarray(held_y, dtype=np.float64)
        judge = Validation(
            store.held_out(held_out),
            held_y,
            _weights(held_weight, len(held_y)),
            None if columns is None else columns.rows_of(np.asarray(validation_covariates)),
        )
    if start is None:
        start = _start_of(problem, columns)  # lines 2-5
    n_points, reach, lam_max = start.n_points, start.reach, start.lam_max
    begun = start.state
    state = begun.revived(engine, columns) if isinstance(begun, KeptState) else begun
    grid = lambda_grid(lam_max, n_lambdas, lambda_min_ratio) if lambdas is None else lambdas
    method = SOLVERS[solver]()
    libraries = ThreadpoolController()
    for lam in np.asarray(grid, dtype=np.float64)[n_points:]:  # lines 6-7
        # Small matrices: threads of the linear algebra would only get in each other's way, and the
        # order of their sums would show in the last digits.
        with libraries.limit(limits=1, user_api="blas"):
            state, point, met = _at_lambda(
                problem,
                judge,
                method,
                state,
                float(lam),
                lam_max,
                learn_attributes,
                max_epochs,
                patience,
                tol,
            )
        n_points, reach = n_points + 1, max(reach, met)
        if forks is not None:
            forks.note(Fork(n_points, state, reach, lam_max))
        yield point


def _start_of(problem: Problem, columns: Columns | None) -> Fork:
    """Lines 2-5: the model without graphlets, lambda_max, and the size of the pattern it is from.

    Covariates without a penalty have their best coefficients there, those with one have none.
    """
    state = empty_state(problem, columns)
    if columns is None:
        lam_max, reach = problem.engine.lambda_max(problem.residual(state.f))
        return Fork(0, state, reach, lam_max)
    residual = problem.residual(state.f)
    least = NOTHING_LEFT * float(np.abs(residual).sum())
    if columns.factor == 0.0:
        state = solve_beta(problem, state, 1e-3 * float(np.abs(residual).sum()))
        residual = problem.residual(state.f)
    else:
        g = np.abs(columns.rows @ residual)
        least = max(least, float(g.max(initial=0.0)) / columns.factor)
    lam_max, reach = problem.engine.lambda_max(residual)
    if lam_max < least and columns.factor == 0.0:
        warnings.warn(
            "The covariates alone fit the training graphs, and leave nothing for graphlets to "
            "explain; give them a covariate_penalty, or fewer of them.",
            stacklevel=2,
        )
    return Fork(0, state, reach, max(lam_max, least))


def _at_lambda(
    problem: Problem,
    judge: Validation | None,
    method: Solver,
    state: State,
    lam: float,
    lam_max: float,
    learn: bool,
    max_epochs: int,
    q: int,
    tol: float,
) -> tuple[State, PathPoint, int]:
    """Lines 8-17: epochs at one lambda.

    Returns the current state, the point to report, and the size of the largest violator met.
    """
    start = perf_counter()
    patience = Patience(q)
    steps: list[Progress] = []
    objective = problem.objective(state, lam)

    def judged(state: State) -> bool:
        if judge is None:
            return False
        f = judge.decision(state, problem.engine.rho)
        return patience.spent(state, problem.loss.value(judge.y, f, judge.weight))  # line 13

    for _ in range(max_epochs):  # line 8
        steps.append(method.epoch(problem, state, lam, learn))  # lines 9-12
        state = steps[-1].state
        before, objective = objective, problem.objective(state, lam)
        spent = judged(state)
        if spent or _converged(problem, steps[-1], lam, before, objective, tol):  # lines 14-15
            break
    n_epochs = len(steps)
    steps.append(method.close(problem, state, lam))
    state = steps[-1].state
    judged(state)
    kept = state if patience.best is None else patience.best  # line 17
    seconds = perf_counter() - start
    point = _point(problem, judge, kept, lam, lam_max, steps, n_epochs, seconds)
    return state, point, max(step.reach for step in steps)


def _converged(
    problem: Problem, step: Progress, lam: float, before: float, now: float, tol: float
) -> bool:
    return (
        before - now <= tol * abs(before)
        and step.n_added == 0
        and kkt_violation(problem, step.state, lam) <= tol * lam
    )


def _point(
    problem: Problem,
    judge: Validation | None,
    state: State,
    lam: float,
    lam_max: float,
    steps: list[Progress],
    n_epochs: int,
    seconds: float,
) -> PathPoint:
    active = state.beta != 0.0
    held_f = None if judge is None else judge.decision(state, problem.engine.rho)
    loss = problem.loss
    return PathPoint(
        lam=lam,
        lam_max=lam_max,
        rho=problem.engine.rho,
        beta=state.beta[active],
        beta0=state.beta0,
        patterns=[problem.engine.pattern(h) for h in state.handles[active].tolist()],
        z=state.z[state.z_of(active)],
        objective=problem.objective(state, lam),
        train_loss=problem.value(state.f),
        train_score=loss.score(problem.y, state.f, problem.weight),
        validation_loss=(
            None if judge is None or held_f is None else loss.value(judge.y, held_f, judge.weight)
        ),
        validation_score=(
            None if judge is None or held_f is None else loss.score(judge.y, held_f, judge.weight)
        ),
        n_nonzero=int(active.sum()),
        working_set_size=len(state.nodes),
        n_visited=sum(step.n_visited for step in steps),
        n_made=sum(step.n_made for step in steps),
        n_searches=sum(step.n_searches for step in steps),
        n_epochs=n_epochs,
        seconds=seconds,
        seconds_search=sum(step.seconds_search for step in steps),
        seconds_beta=sum(step.seconds_beta for step in steps),
        seconds_z=sum(step.seconds_z for step in steps),
        gamma=np.empty(0) if state.columns is None else state.columns.back @ state.gamma,
        held_f=np.empty(0) if held_f is None else held_f,
    )


def _weights(sample_weight: npt.ArrayLike | None, n: int) -> Floats:
    if sample_weight is None:
        return np.ones(n)
    return np.ascontiguousarray(sample_weight, dtype=np.float64)
