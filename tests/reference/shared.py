"""Several outputs with the same graphlets, slowly: proximal gradient over all patterns.

    min over b0, B of   1/2 sum_k sum_i w_ki loss_k(y_ki, b0_k + psi_i . B_k)
                        + lam sum_H (s |B_H|_2 + (1 - s) |B_H|_1),       b0 not penalised.

FISTA with restarts; the step length is one over a bound of the curvature. F is convex, so the
answer is right if its subgradient is zero, and `solve` raises rather than give a doubtful answer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Separate:
    """One loss of `convex` per output, each with a factor per graph."""

    def __init__(self, losses):
        self.losses = [loss for loss, _ in losses]
        self.factors = np.array([factor for _, factor in losses])

    def value(self, y, f, w):
        parts = zip(self.losses, y, f, w * self.factors, strict=True)
        return 0.5 * sum(own @ loss.value(a, b) for loss, a, b, own in parts)

    def slope(self, y, f, w):
        parts = zip(self.losses, y, f, w * self.factors, strict=True)
        return np.array([0.5 * own * loss.slope(a, b) for loss, a, b, own in parts])

    def bend(self, w):
        return float(w.max())


class Softmax:
    """log sum_k exp f_k - f_c of the class c of each graph; y is +1 there and -1 elsewhere."""

    def value(self, y, f, w):
        top = f.max(axis=0)
        return float(
            w[0] @ (np.log(np.exp(f - top).sum(axis=0)) + top - np.where(y > 0, f, 0.0).sum(axis=0))
        )

    def slope(self, y, f, w):
        p = np.exp(f - f.max(axis=0))
        return w * (p / p.sum(axis=0) - (y > 0))

    def bend(self, w):
        return float(w.max())


class Solution(NamedTuple):
    """The minimiser, the minimum, and the largest violation of the optimality conditions."""

    beta: np.ndarray
    beta0: np.ndarray
    objective: float
    kkt: float


def penalty(B, lam, sharing):
    rows = sharing * np.sqrt((B**2).sum(axis=1)) + (1.0 - sharing) * np.abs(B).sum(axis=1)
    return lam * rows.sum()


def prox(B, lam, sharing):
    left = np.sign(B) * np.maximum(np.abs(B) - (1.0 - sharing) * lam, 0.0)
    size = np.sqrt((left**2).sum(axis=1, keepdims=True))
    return left * np.maximum(1.0 - sharing * lam / np.maximum(size, 1e-300), 0.0)


def violations(G, B, lam, sharing):
    """How far each row of the descent direction G is from lam times the subdifferential at B."""
    plain = (1.0 - sharing) * lam
    found = []
    for g, b in zip(G, B, strict=True):
        left = np.sign(g) * np.maximum(np.abs(g) - plain, 0.0)
        size = np.sqrt(b @ b)
        if size == 0.0:
            found.append(max(np.sqrt(left @ left) - sharing * lam, 0.0))
            continue
        at = np.where(b == 0.0, left, g - plain * np.sign(b) - sharing * lam * b / size)
        found.append(np.sqrt(at @ at))
    return np.array(found)


def objective(psi, y, w, loss, lam, sharing, beta, beta0):
    """F at any point; psi has shape (n_graphs, n_patterns), beta (n_patterns, n_outputs)."""
    f = beta0[:, None] + (psi @ beta).T
    return loss.value(y, f, w) + penalty(beta, lam, sharing)


def solve(psi, y, w, loss, lam, sharing, tol=1e-7, max_steps=200_000) -> Solution:
    """Minimise F; ``tol`` bounds the violation, relative to max(1, lam)."""
    X = np.column_stack([np.ones(len(psi)), psi])
    step = 1.0 / (loss.bend(w) * np.linalg.norm(X, 2) ** 2)
    here = np.zeros((X.shape[1], len(y)))
    ahead, momentum = here, 1.0
    goal = tol * max(1.0, lam)

    def kkt(B):
        G = -(loss.slope(y, (X @ B).T, w) @ X).T
        return max(np.abs(G[0]).max(), violations(G[1:], B[1:], lam, sharing).max(initial=0.0))

    for k in range(max_steps):
        moved = ahead - step * (loss.slope(y, (X @ ahead).T, w) @ X).T
        moved[1:] = prox(moved[1:], step * lam, sharing)
        if ((ahead - moved) * (moved - here)).sum() > 0.0:
            momentum = 1.0
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead = moved + (momentum - 1.0) / following * (moved - here)
        here, momentum = moved, following
        if k % 50 == 0 and kkt(here) <= goal:
            break
    found = kkt(here)
    if found > 100.0 * goal:
        raise ArithmeticError(f"The reference solver stopped with a violation of {found:.1e}.")
    beta, beta0 = here[1:], here[0]
    return Solution(beta, beta0, objective(psi, y, w, loss, lam, sharing, beta, beta0), found)
