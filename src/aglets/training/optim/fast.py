"""The default solver: as much work per traversal as pays, and an exact traversal to close.

Differences from Algorithm 1, none of which changes the model or its optimality conditions:

- a few worst violators enter W at a time, not all of them, which are mostly near-duplicates of
  each other (a pattern and its parents);
- beta and beta_0 are optimised on W to convergence by proximal Newton steps (`quadratic.py`);
- z takes one gradient step per epoch, with a length for each graphlet from a bound on its
  curvature;
- a lambda ends with rounds of search and beta only, until no pattern outside W violates
  |g| <= lambda.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.graphs.arrays import Bools, Floats, Ints
from aglets.training.engine.graphlet_names import patterns_of
from aglets.training.engine.protocol import Intercept, Line, Scores
from aglets.training.optim.blocks import outside, rematched, z_gradient
from aglets.training.optim.extrapolation import Extrapolation
from aglets.training.optim.penalty import L1, Penalty, Shared
from aglets.training.optim.quadratic import SharedModel, minimise_quadratic, minimise_shared
from aglets.training.optim.solver import Progress
from aglets.training.optim.state import Curved, Problem, State, enlarged

__all__ = ["FastSolver", "solve_beta"]


#: How many violators enter W after one traversal.
MAX_ENTERING = 10
#: So many times as many if several outputs share graphlets.
MORE_ENTERING = 3
#: Violations of |g| <= lambda below this part of lambda let nothing enter W.
KKT_TOLERANCE = 1e-6
#: Violations within W, as a part of lambda, that end a solution for beta; and those that do for
#: several outputs as long as attributes still move.
EXACT, ROUGH = 0.1 * KKT_TOLERANCE, 1e-3
#: With several outputs, what the coefficients times their violations may be, as a part of F: about
#: how far F may be from its minimum.
GAP = 1e-8
#: A step that promises to lower F by less than this part of it is rounding.
MIN_PROMISE = 1e-14
#: Coefficients below this part of the largest are zero but for rounding: where several patterns
#: have the same psi, their share of one weight may end there.
ROUNDING = 1e-10
#: Gradients that differ by less than this part of them are the same number.
TIE = 1e-9
#: Share of its bound that a curvature is lifted to where the loss has a slope but no bend.
MIN_BEND = 1e-3
#: Smallest damping of covariates, as a part of the curvature's bound, and the length of steps below
#: which it grows.
MIN_DAMPING, CUT = 1e-6, 0.2
#: With several outputs a model is solved until rows violate by less than this part of now.
INNER_ACCURACY = 0.1
#: With several outputs, where columns are nearly the same, steps may creep: if so many have not
#: halved a violation that is below `KKT_TOLERANCE`, it is taken as it is.
CREEPING = 8
#: With several outputs second derivatives, which are most of the work, are taken from before, as
#: long as steps with them lower the violation to this part.
SLOW = 0.3
#: How far to go towards where past steps lead, one after the other.
LEAPS = (0.1, 0.3, 1.0, 3.0, 10.0)
#: Sufficient decrease, as a part of the decrease that the model promises.
ARMIJO = 1e-4
#: Range of step lengths in z around the reciprocal of the curvature bound.
SHORTEST, LONGEST = 0.1, 30.0
#: Share of the promised decrease for which graphlets move in one step in z.
MOST = 0.97
#: How a step in z is shortened, and how often at most.
SHORTEN, MAX_TRIALS = 0.3, 8


class FastSolver:
    """Few traversals, much work between them."""

    def epoch(self, problem: Problem, state: State, lam: float, learn: bool) -> Progress:
        """Let violators enter, solve for beta and beta_0, step in z, solve again."""
        several = state.beta.ndim == 2
        if not learn or (several and len(state.names) and not len(state.z)):
            closed = self.close(problem, state, lam)
            return replace(closed, is_final=several and not (learn and len(closed.state.z)))
        accuracy = ROUGH if several else EXACT
        progress = let_violators_enter(problem, Progress(state), lam)
        progress = progress.improve_beta(solve_beta, problem, lam, accuracy)
        progress = progress.improve_z(step_z, problem)
        return progress.improve_beta(solve_beta, problem, lam, accuracy)

    def close(self, problem: Problem, state: State, lam: float) -> Progress:
        """Search and solve for beta until nothing outside W violates |g| <= lambda."""
        # With several outputs, roughly first: solutions are dear and searches are cheap.
        several = state.beta.ndim == 2
        progress = Progress(state).improve_beta(
            solve_beta, problem, lam, ROUGH if several else EXACT
        )
        while True:
            grown = let_violators_enter(problem, progress, lam)
            settled = grown.n_added == progress.n_added
            if settled and not several:
                return grown
            several = several and not settled
            progress = grown.improve_beta(solve_beta, problem, lam, ROUGH if several else EXACT)


def let_violators_enter(problem: Problem, progress: Progress, lam: float) -> Progress:
    """W <- W + the worst of {H : |g_H| > lam, H not in W}."""
    start = perf_counter()
    state = progress.state
    found = problem.graphs.search(state.scores, lam * (1.0 + KKT_TOLERANCE))
    new = outside(found, state)
    if not len(new):
        return progress.after(found, perf_counter() - start, state)
    order = worst_first(found.norms[new], found.sizes[new])
    worst = new[order[: MAX_ENTERING * (1 if state.beta.ndim == 1 else MORE_ENTERING)]]
    worst = worst[~is_twin(found.nodes[worst], found.norms[worst])]
    seconds = perf_counter() - start
    return progress.after(found, seconds, enlarged(problem, state, found.nodes[worst]))


def worst_first(violations: Floats, sizes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.intp]:
    """Order by decreasing violation; of equal ones, rounding aside, larger patterns come first.

    Without attributes many patterns have the same psi: a part of a functional group is in the same
    graphs as the whole group. To the objective they are one; a reader learns more from the whole.
    Patterns of the same size stay in tree order: which of them enters must not hang on the order in
    which the graphs were summed.

    Examples
    --------
    >>> worst_first(np.array([1.0, 3.0, 3.0 + 1e-12, 3.0, 2.0]), np.array([1, 2, 2, 3, 1]))
    array([3, 1, 2, 4, 0])
    """
    order = np.argsort(-violations, kind="stable")
    falls = np.diff(violations[order]) < -TIE * violations[order[:-1]]
    group = np.concatenate([[0], np.cumsum(falls)])[: len(order)]
    return order[np.lexsort((order, -sizes[order], group))]


def is_twin(names: Ints, violations: Floats) -> Bools:
    """Whether each has the pattern and, rounding aside, the violation of the one before it.

    A pattern with one place in every graph is the same in all channels. Which of them gets the
    weight must not hang on rounding: the first does; others may enter later if they still violate.

    Examples
    --------
    >>> is_twin(np.array([3, 4, 6, 7]), np.array([2.0, 2.0, 1.5, 1.4]))
    array([False,  True, False, False])
    """
    patterns = patterns_of(names)
    same = np.diff(patterns, prepend=-1) == 0
    falls = np.abs(np.diff(violations, prepend=np.inf)) > TIE * violations
    return np.asarray(same & ~falls)


def solve_beta(
    problem: Problem,
    state: State,
    lam: float,
    tolerance: float = EXACT,
    max_steps: int = 100,
    min_bend: float = MIN_BEND,
) -> State:
    """Minimise F over beta on W, covariates and beta_0, attributes fixed: a convex problem.

    Proximal Newton: the loss is replaced by its quadratic model; a step towards the minimiser of
    that with the L1 term which lowers F enough is taken. Curvatures are lifted to `min_bend` times
    their bound.
    """
    penalty = state.penalty(lam)
    beta, beta0, scores = state.coef.copy(), state.beta0, state.scores
    value = scores.value() + penalty.value(beta)
    damped, damping = _damped(problem, state), 0.0
    bend, past = 1.0, [np.inf]
    model, ahead = state.curved, Extrapolation()
    # The softmax model leaves out how classes depend on each other, which takes more steps.
    for _ in range(max_steps if isinstance(penalty, L1) else 20 * max_steps):
        g, slope0 = scores.gradient()
        each = penalty.violation(g, beta)
        violation = max(float(each.max(initial=0.0)), _largest(abs(slope0)))
        near = tolerance > EXACT or _is_near(penalty, each, beta, value)
        if near and (violation <= tolerance * lam or _creeps(past, violation, lam, penalty)):
            break
        past.append(violation)
        moving = penalty.moving(g, beta)
        here, part = beta[moving], penalty[moving]
        lift = None if damped is None else damping * damped[moving]
        change0: Intercept
        if isinstance(part, L1):
            direction = newton_direction(scores, moving, here, beta0, part.lam, lift, min_bend)
            change, change0 = direction
        else:
            if model is None or not model.covers(moving) or violation > SLOW * past[-2]:
                model = Curved(moving, SharedModel.of(scores.quadratic(moving, min_bend)[0]))
            change, change0 = shared_direction(
                model, moving, scores, here, part, lift, bend, INNER_ACCURACY * violation
            )
        promised = part.promise(g[moving], here, change) + float(np.dot(slope0, change0))
        if promised <= MIN_PROMISE * value:
            break
        line = scores.line(moving, change, change0)
        step = lowered(line, here, change, part, value, promised)
        if step is None:
            damping = next_damping(damping, 0.0)
            if damped is not None and damping <= 1.0:
                continue
            break  # F is its minimum but for rounding
        length, moved, scores, value = step
        damping = next_damping(damping, length)
        bend = 2.0 * bend if length < 1.0 else max(bend / 1.5, 1.0)
        beta[moving] = moved
        beta0 = beta0 + length * change0
        # Near an optimum where columns are nearly the same, and with softmax, steps creep.
        if isinstance(penalty, Shared) and len(past) > CREEPING:
            found = leapt(state, penalty, ahead, (beta, beta0, scores, value))
            beta, beta0, scores, value = found
    graphlets = beta[: len(state.beta)]
    rounding = np.abs(graphlets) <= ROUNDING * np.abs(graphlets).max(initial=0.0)
    rounded = bool(graphlets[rounding].any())
    graphlets[rounding] = 0.0
    # Covariates come behind graphlets, and would be taken for others once there are more of these.
    solved = state.with_coef(beta, beta0=beta0, curved=model if state.design is None else None)
    return solved if rounded or isinstance(penalty, L1) else solved.with_scores(scores)


def lowered(
    line: Line, beta: Floats, change: Floats, penalty: Penalty, value: float, promised: float
) -> tuple[float, Floats, Scores, float] | None:
    """Shorten a change until it lowers F enough: its length, coefficients, scores, F; else None."""
    length = 1.0
    while length > 1e-10:
        moved, there = beta + length * change, line.at(length)
        reached = there.value() + penalty.value(moved)
        if reached <= value - ARMIJO * length * promised:
            if isinstance(penalty, Shared):
                # What rounding leaves of a row may point the wrong way, and seems to violate.
                size = np.abs(moved).max(axis=1)
                moved[size <= ROUNDING * size.max(initial=0.0)] = 0.0
            return length, moved, there, reached
        length *= 0.5
    return None


def leapt(
    state: State, penalty: Shared, steps: Extrapolation, here: tuple[Floats, Any, Scores, float]
) -> tuple[Floats, Any, Scores, float]:
    """Go as far towards where steps lead as lowers F: coefficients, intercepts, scores, F there."""
    best, start = here, np.vstack(here[:2])
    ahead = steps.after(start)
    if ahead is None:
        return here
    for length in LEAPS:
        there = start + length * (ahead - start)
        scores = state.matched.scores(there[:-1], there[-1])
        value = scores.value() + penalty.value(there[:-1])
        if not value < best[-1]:
            break
        best = there[:-1].copy(), there[-1].copy(), scores, value
    return best


def _is_near(penalty: Penalty, violations: Floats, beta: Floats, value: float) -> bool:
    """Whether F is about its minimum.

    With several outputs long rows of coefficients may have far to go along a slope near zero.
    """
    if isinstance(penalty, L1):
        return True
    return float(violations @ np.linalg.norm(beta, axis=1)) <= GAP * value


def _creeps(past: list[float], violation: float, lam: float, penalty: Penalty) -> bool:
    """Whether steps hardly lower a violation that is small enough to end with."""
    if isinstance(penalty, L1) or len(past) <= CREEPING or violation > KKT_TOLERANCE * lam:
        return False
    return violation > 0.5 * past[-CREEPING]


def newton_direction(
    scores: Scores,
    moving: Bools,
    beta: Floats,
    beta0: float,
    lam: float | Floats,
    damping: Floats | None = None,
    min_bend: float = MIN_BEND,
) -> tuple[Floats, float]:
    """From (beta, beta_0) to the minimiser of the quadratic model of the loss plus the penalty."""
    Q, slopes = scores.quadratic(moving, min_bend)
    if damping is not None:
        Q += np.diag(np.append(damping, 0.0))
    b = np.append(beta, beta0)
    q = slopes + Q @ b
    penalty = np.append(np.full(len(beta), lam), 0.0)
    accuracy = 1e-10 * max(float(np.sqrt(np.diag(Q).max())) * float(np.abs(b).max()), _largest(lam))
    change = minimise_quadratic(Q, q, penalty, b, accuracy) - b
    return change[:-1], float(change[-1])


def shared_direction(
    curved: Curved,
    moving: Bools,
    scores: Scores,
    beta: Floats,
    penalty: Shared,
    damping: Floats | None,
    bend: float,
    accuracy: float,
) -> tuple[Floats, Floats]:
    """From coefficients of several outputs to the minimiser of their models plus the penalty.

    After steps that had to be cut, `bend` multiplies second derivatives. Where one matrix serves
    all outputs, each has its own multiple of it.
    """
    rows, model = curved.positions(moving), curved.model
    if damping is not None:
        model = model.lifted(rows, damping)
    g, slope0 = scores.gradient()
    scale = np.full(beta.shape[1], min(bend, 2.0))
    if len(model.across) < len(scale):
        each = scores.bends(MIN_BEND) / model.across
        scale = np.minimum(np.maximum(each, 1e-2) * bend, 2.0)
    slopes = np.vstack([g[moving], slope0])
    return minimise_shared(model, rows, scale, slopes, penalty, beta, accuracy)


def _damped(problem: Problem, state: State) -> Floats | None:
    """Bound the curvature in each covariate; 0 for graphlets, whose steps the penalty bounds.

    Free covariates may move far where the loss does not bend: a part of this keeps steps short.
    """
    if state.design is None:
        return None
    total = problem.graphs.curvature_bound()
    return np.concatenate([np.zeros(len(state.beta)), np.full(len(state.gamma), total)])


def next_damping(damping: float, length: float) -> float:
    """Adapt the damping: more after a step that had to be cut, less after one that was whole.

    Examples
    --------
    >>> next_damping(0.0, 0.01), next_damping(1e-3, 0.5), next_damping(1e-3, 1.0)
    (1e-06, 0.001, 0.0001)
    """
    if length < CUT:
        return max(10.0 * damping, MIN_DAMPING)
    if length < 1.0:
        return damping
    return damping / 10.0 if damping > MIN_DAMPING else 0.0


def _largest(values: float | Floats) -> float:
    return float(np.max(values, initial=0.0))


def step_z(problem: Problem, state: State) -> State:
    """z_H <- z_H - alpha_H dF/dz_H, all alpha shortened together until F falls.

    Only the graphlets that promise `MOST` of the decrease move, which are few: matching them is
    the work. alpha_H is Barzilai and Borwein's length |s|² / s'y, from the last change s of z_H and
    y of its gradient, within a wide range around 1 / kappa_H (`Scores.z_curvature`), which is the
    first length. No step is longer than 1 / sqrt(rho), the distance over which psi changes. The
    search begins with the shortening that was needed last, and with less if that was none.
    """
    active = state.in_use
    if not active.any() or not len(state.z):
        return state
    value = state.scores.value()
    z, gradient = state.z[state.z_of(active)], z_gradient(state, active)
    lengths = step_lengths(problem, state, active, z, gradient)
    owner = np.repeat(np.arange(len(lengths)), state.sizes[active])
    promised = lengths * np.bincount(owner, gradient * gradient, minlength=len(lengths))
    if not promised.any():
        return state
    chosen = most_promising(promised, MOST)
    moving = active.copy()
    moving[active] = chosen
    z, gradient = z[chosen[owner]], gradient[chosen[owner]]
    descent = -np.repeat(lengths[chosen], state.sizes[moving]) * gradient
    decrease = float(promised[chosen].sum())
    length = state.z_step
    for trial in range(MAX_TRIALS):
        moved = rematched(state, moving, z + length * descent)
        if moved.scores.value() <= value - ARMIJO * length * decrease:
            mask = state.z_of(moving)
            return replace(
                moved,
                z_step=min(1.0, length / SHORTEN) if trial == 0 else length,
                z_before=noted(state.z_before, mask, z),
                z_gradient_before=noted(state.z_gradient_before, mask, gradient),
            )
        length *= SHORTEN
    return replace(state, z_before=None, z_gradient_before=None)


def most_promising(promised: Floats, share: float) -> Bools:
    """Whether each is one of the fewest that together promise this share of all.

    Examples
    --------
    >>> most_promising(np.array([1.0, 5.0, 0.0, 4.0]), 0.9)
    array([False,  True, False,  True])
    """
    order = np.argsort(-promised, kind="stable")
    larger = np.cumsum(promised[order]) - promised[order]
    chosen = np.zeros(len(promised), dtype=np.bool_)
    chosen[order] = (larger < share * promised.sum()) & (promised[order] > 0.0)
    return chosen


def noted(known: Floats | None, mask: Bools, values: Floats) -> Floats:
    """Note values where the mask is; elsewhere what was known stays, or NaN."""
    found = np.full(len(mask), np.nan) if known is None else known.copy()
    found[mask] = values
    return found


def step_lengths(
    problem: Problem, state: State, active: Bools, z: Floats, gradient: Floats
) -> Floats:
    """alpha_H of `step_z` for the active graphlets."""
    n_active = int(active.sum())
    owner = np.repeat(np.arange(n_active), state.sizes[active])

    def per_graphlet(values: Floats) -> Floats:
        sums = np.bincount(owner, weights=values, minlength=n_active)
        return sums.astype(np.float64, copy=False)

    first = 1.0 / np.maximum(state.scores.z_curvature(active, state.beta[active]), 1e-300)
    lengths = first
    if state.z_before is not None and state.z_gradient_before is not None:
        z_mask = state.z_of(active)
        s = z - state.z_before[z_mask]
        bent = per_graphlet(s * (gradient - state.z_gradient_before[z_mask]))
        moved = per_graphlet(s * s)
        with np.errstate(divide="ignore", invalid="ignore"):
            lengths = np.where(bent > 0.0, moved / bent, LONGEST * first)
        lengths = np.where(np.isnan(lengths), first, lengths)
        lengths = np.clip(lengths, SHORTEST * first, LONGEST * first)
    norms = np.sqrt(per_graphlet(gradient * gradient))
    farthest = 1.0 / np.sqrt(problem.goal.rho)
    return np.asarray(np.minimum(lengths, farthest / np.maximum(norms, 1e-300)))
