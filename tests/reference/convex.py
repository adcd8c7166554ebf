"""The global minimum of the learning problem with fixed attributes, with a certificate.

    min over b0, b of   F = 1/2 sum_i w_i loss(y_i, b0 + psi_i . b) + lam |b|_1,   b0 not penalised.

Feature-sign search: a set of columns with fixed signs, Newton steps on the smooth problem inside
that orthant, a column leaves when it reaches zero, and the worst violator outside enters when the
inside has settled. F is convex, so the answer is right if its subgradient is zero; `Solution.kkt`
is the largest entry of that subgradient, and `solve` raises rather than give a doubtful answer.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np


class Loss(Protocol):
    """A convex differentiable loss and its first two derivatives in f, all elementwise."""

    def value(self, y: np.ndarray, f: np.ndarray) -> np.ndarray: ...
    def slope(self, y: np.ndarray, f: np.ndarray) -> np.ndarray: ...
    def curvature(self, y: np.ndarray, f: np.ndarray) -> np.ndarray: ...


class SquaredHinge:
    """max(1 - y f, 0)^2, the paper's loss; y is -1 or +1."""

    def value(self, y, f):
        return np.maximum(1.0 - y * f, 0.0) ** 2

    def slope(self, y, f):
        return -2.0 * y * np.maximum(1.0 - y * f, 0.0)

    def curvature(self, y, f):
        return 2.0 * (1.0 - y * f > 0.0)


class Logistic:
    """log(1 + exp(-y f)); y is -1 or +1."""

    def value(self, y, f):
        return np.logaddexp(0.0, -y * f)

    def slope(self, y, f):
        return -y * np.exp(-np.logaddexp(0.0, y * f))

    def curvature(self, y, f):
        p = np.exp(-np.logaddexp(0.0, y * f))
        return p * (1.0 - p)


class Squared:
    """(y - f)^2."""

    def value(self, y, f):
        return (y - f) ** 2

    def slope(self, y, f):
        return -2.0 * (y - f)

    def curvature(self, y, f):
        return np.full(np.shape(f), 2.0)


class Huber:
    """(y - f)^2 up to |y - f| = delta, then straight on: half of it is the textbook Huber loss."""

    def __init__(self, delta: float = 1.0) -> None:
        self.delta = delta

    def value(self, y, f):
        u = np.abs(y - f)
        return np.where(u <= self.delta, u**2, 2.0 * self.delta * u - self.delta**2)

    def slope(self, y, f):
        return -2.0 * np.clip(y - f, -self.delta, self.delta)

    def curvature(self, y, f):
        return 2.0 * (np.abs(y - f) <= self.delta)


class Solution(NamedTuple):
    """The minimiser, the minimum, and the largest entry of the smallest subgradient there."""

    beta: np.ndarray
    beta0: float
    objective: float
    kkt: float


class _Problem:
    def __init__(self, psi, y, lam, loss, weights):
        self.psi = np.asarray(psi, dtype=float)
        self.y = np.asarray(y, dtype=float)
        self.lam = float(lam)
        self.loss = loss
        self.w = np.ones(len(self.y)) if weights is None else np.asarray(weights, dtype=float)

    def objective(self, beta0, beta):
        f = beta0 + self.psi @ beta
        return 0.5 * self.w @ self.loss.value(self.y, f) + self.lam * np.abs(beta).sum()

    def slopes(self, beta0, beta):
        """Derivatives of the smooth part: in beta0, and in every beta."""
        s = 0.5 * self.w * self.loss.slope(self.y, beta0 + self.psi @ beta)
        return s.sum(), self.psi.T @ s

    def curvatures(self, beta0, beta):
        return 0.5 * self.w * self.loss.curvature(self.y, beta0 + self.psi @ beta)

    def violations(self, beta0, beta):
        """Distance of each entry of the subgradient from zero: beta0 first, then beta."""
        in_beta0, in_beta = self.slopes(beta0, beta)
        inside = np.abs(in_beta + self.lam * np.sign(beta))
        outside = np.maximum(np.abs(in_beta) - self.lam, 0.0)
        return abs(in_beta0), np.where(beta != 0.0, inside, outside)


def kkt_violation(psi, y, lam, loss: Loss, beta, beta0: float, weights=None) -> float:
    """The largest violation of the optimality conditions at any point."""
    problem = _Problem(psi, y, lam, loss, weights)
    in_beta0, in_beta = problem.violations(beta0, np.asarray(beta, dtype=float))
    return float(max(in_beta0, in_beta.max(initial=0.0)))


def solve(
    psi, y, lam: float, loss: Loss, weights=None, tol: float = 1e-10, max_steps: int = 20000
) -> Solution:
    """Minimise F; ``tol`` bounds every entry of the subgradient, relative to max(1, lam)."""
    problem = _Problem(psi, y, lam, loss, weights)
    goal = tol * max(1.0, problem.lam)
    beta0, beta = 0.0, np.zeros(problem.psi.shape[1])
    signs = np.zeros_like(beta)
    for _ in range(max_steps):
        beta0, beta, settled = _newton_step(problem, beta0, beta, signs, goal)
        if not settled:
            continue
        in_beta = problem.slopes(beta0, beta)[1]
        excess = np.where(signs == 0.0, np.abs(in_beta) - problem.lam, -np.inf)
        worst = int(np.argmax(excess)) if len(excess) else -1
        if worst < 0 or excess[worst] <= goal:
            break
        signs[worst] = -np.sign(in_beta[worst])
    kkt = kkt_violation(problem.psi, y, lam, loss, beta, beta0, weights)
    if not kkt <= 100.0 * goal:
        raise ArithmeticError(f"The reference solver stopped with a violation of {kkt:.1e}.")
    return Solution(beta, float(beta0), float(problem.objective(beta0, beta)), kkt)


def _newton_step(problem, beta0, beta, signs, goal):
    """One damped Newton step inside the orthant of ``signs``; a column that reaches 0 leaves it."""
    inside = np.flatnonzero(signs)
    columns = np.column_stack([np.ones(len(problem.y)), problem.psi[:, inside]])

    def slopes(point):
        in_beta0, in_beta = problem.slopes(point[0], _scatter(beta, inside, point[1:]))
        return np.append(in_beta0, in_beta[inside] + problem.lam * signs[inside])

    here = np.append(beta0, beta[inside])
    slope = slopes(here)
    if np.abs(slope).max() <= goal:
        return beta0, beta, True
    h = problem.curvatures(beta0, beta)
    hessian = columns.T @ (h[:, None] * columns)
    hessian += 1e-13 * max(1.0, np.diag(hessian).max()) * np.eye(len(hessian))
    direction = -np.linalg.solve(hessian, slope)

    shrinking = np.flatnonzero(direction[1:] * signs[inside] < 0.0)
    hits = -here[1:][shrinking] / direction[1:][shrinking]
    first = shrinking[np.argmin(hits)] if len(hits) else -1
    longest = min(1.0, hits.min(initial=np.inf))
    if longest <= 0.0:
        signs[inside[first]] = 0.0
        return beta0, beta, False

    value = problem.objective(beta0, beta)
    step = longest
    for _ in range(60):
        there = here + step * direction
        crossed = step == longest and longest < 1.0
        if crossed:
            there[1 + first] = 0.0
        moved = _scatter(beta, inside, there[1:])
        gain = value - problem.objective(there[0], moved)
        # Near the end F is flat to rounding, and only the slope can show that a step is good.
        flat = abs(gain) <= 1e-13 * max(1.0, abs(value))
        if gain >= -1e-4 * step * (slope @ direction) or (
            flat and (crossed or np.abs(slopes(there)).max() < np.abs(slope).max())
        ):
            if crossed:
                signs[inside[first]] = 0.0
            return there[0], moved, False
        step *= 0.5
    return beta0, beta, True


def _scatter(beta, inside, values):
    full = np.zeros_like(beta)
    full[inside] = values
    return full
