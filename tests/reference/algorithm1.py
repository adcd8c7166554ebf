"""Algorithm 1 of the paper over the list of all patterns: no tree, no pruning, plain loops.

Squared hinge loss, F = 1/2 sum_i max(1 - y_i f_i, 0)^2 + lam |beta|_1. One epoch: every pattern
with |g| > lam joins the working set, one proximal step on beta, beta0 exactly, one gradient step on
the attributes z of the graphlets in use. Both steps look for their length by halving, from ``eta``
and ``alpha``, or with ``lengthen`` from that multiple of the last length that moved anything. A
graphlet's best embedding in a graph is kept while it is still best (within rounding), else the one
with the smallest sequence of matched rows follows it. That sequence runs over the graphlet's nodes
in their order, so whoever compares two runs must write the ``patterns`` in the same way in both.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import networkx as nx
import numpy as np

from .matching import ROUNDING, Embedding, cost, embeddings, matched_rows
from .patterns import Pattern, all_patterns
from .search import Candidate, Starts, candidate, label_means


@dataclass
class Learned:
    """A graphlet of the working set: its attributes, its weight, its embedding in each graph."""

    pattern: Pattern
    start: Candidate
    z: np.ndarray
    z_edges: np.ndarray
    beta: float = 0.0
    held: dict[int, Embedding] = field(default_factory=dict)


class Point(NamedTuple):
    """One lambda of the path."""

    lam: float
    objective: float
    beta0: float
    beta: dict[Pattern, float]  # non-zero only
    z: dict[Pattern, np.ndarray]
    n_working_set: int
    n_epochs: int
    validation_loss: float


class Path:
    """The state of Algorithm 1, and its lines as methods."""

    def __init__(
        self,
        graphs: Sequence[nx.Graph],
        y: Sequence[float],
        *,
        maxpat: int,
        rho: float,
        starts: Starts | None = None,
        eta: float = 1.0,
        alpha: float = 1.0,
        lengthen: float | None = None,
        learn_attributes: bool = True,
        patterns: Iterable[Pattern] | None = None,
    ) -> None:
        self.graphs = list(graphs)
        self.y = np.asarray(y, dtype=float)
        self.rho, self.eta, self.alpha, self.lengthen = rho, eta, alpha, lengthen
        self.learn_attributes = learn_attributes
        starts = label_means(graphs) if starts is None else starts
        if patterns is None:
            patterns = sorted(all_patterns(graphs, maxpat, starts.type_labels))
        self.candidates = {pattern: candidate(pattern, starts) for pattern in patterns}
        self.listed: dict[tuple[Pattern, int], list[Embedding]] = {}
        self.initial_psi = {
            pattern: self._psi(Learned(pattern, start, start.z, start.z_edges), self.graphs)
            for pattern, start in self.candidates.items()
        }
        self.working_set: dict[Pattern, Learned] = {}
        self.beta0 = float(self.y.mean())

    def lambda_max(self) -> float:
        residual = self.y * (1.0 - self.y * self.y.mean())
        return max(abs(float(residual @ psi)) for psi in self.initial_psi.values())

    def run(
        self,
        lambdas: Sequence[float],
        *,
        max_epochs: int = 50,
        tol: float = 1e-4,
        validation: tuple[Sequence[nx.Graph], Sequence[float]] | None = None,
        patience: int = 5,
    ) -> list[Point]:
        """The path. Without validation an epoch that lowers F by less than tol * F is the last."""
        return [self._solve(lam, max_epochs, tol, validation, patience) for lam in lambdas]

    def _solve(self, lam, max_epochs, tol, validation, patience) -> Point:
        best, since = None, 0
        previous = self.objective(lam)
        for epoch in range(1, max_epochs + 1):
            self.grow(lam)
            self.update_beta(lam)
            self.update_beta0()
            if self.learn_attributes:
                self.update_z(lam)
            now = self.objective(lam)
            loss = self.validation_loss(validation)
            if validation is None:
                best = self._point(lam, epoch, loss)
                if previous - now <= tol * previous:
                    break
            elif best is None or loss < best.validation_loss:
                best, since = self._point(lam, epoch, loss), 0
            else:
                since += 1
                if since >= patience:
                    break
            previous = now
        assert best is not None
        return best

    def _point(self, lam, epoch, loss) -> Point:
        used = {p: h for p, h in self.working_set.items() if h.beta != 0.0}
        return Point(
            lam,
            self.objective(lam),
            self.beta0,
            {p: h.beta for p, h in used.items()},
            {p: h.z.copy() for p, h in used.items()},
            len(self.working_set),
            epoch,
            loss,
        )

    def grow(self, lam: float) -> None:
        """Line 9, without pruning: every pattern outside with |g| > lam, at its initial psi."""
        residual = self.residual()
        for pattern, psi in self.initial_psi.items():
            if pattern not in self.working_set and abs(float(residual @ psi)) > lam:
                start = self.candidates[pattern]
                self.working_set[pattern] = Learned(
                    pattern, start, start.z.copy(), start.z_edges.copy()
                )

    def update_beta(self, lam: float) -> None:
        """Line 10: beta <- prox(beta - eta * gradient), eta halved until the model bounds F."""
        learned = list(self.working_set.values())
        if not learned:
            return
        psi = np.column_stack([self._psi(h, self.graphs) for h in learned])
        beta = np.array([h.beta for h in learned])
        smooth = self._smooth(self.beta0 + psi @ beta)
        gradient = -psi.T @ self.residual()
        eta = self._first(self.eta)
        for _ in range(60):
            ahead = beta - eta * gradient
            new = np.sign(ahead) * np.maximum(np.abs(ahead) - eta * lam, 0.0)
            move = new - beta
            bound = smooth + gradient @ move + move @ move / (2.0 * eta)
            if self._smooth(self.beta0 + psi @ new) <= bound + 1e-12 * max(1.0, abs(smooth)):
                for h, value in zip(learned, new, strict=True):
                    h.beta = float(value)
                self.eta = self._last(self.eta, eta, beta, move)
                return
            eta *= 0.5

    def update_beta0(self) -> None:
        """Line 11: the exact minimiser in beta0 (appendix A); of an interval, the nearest point."""
        self.beta0 = best_intercept(self.y, self.scores() - self.beta0, self.beta0)

    def update_z(self, lam: float) -> None:
        """Line 12: z <- z - alpha * gradient for every graphlet in use, one alpha for all."""
        residual = self.residual()
        used = [h for h in self.working_set.values() if h.beta != 0.0]
        if not used:
            return
        old = [(h.z, h.z_edges, dict(h.held)) for h in used]
        slopes = [self._z_gradient(h, residual) for h in used]
        norm = sum(float((s**2).sum() + (t**2).sum()) for s, t in slopes)
        before = self.objective(lam)
        alpha = self._first(self.alpha)
        for _ in range(60):
            for h, (z, z_edges, held), (s, t) in zip(used, old, slopes, strict=True):
                h.z, h.z_edges, h.held = z - alpha * s, z_edges - alpha * t, dict(held)
            if self.objective(lam) <= before - 0.5 * alpha * norm:
                here = np.concatenate([part.ravel() for z, t, _ in old for part in (z, t)])
                move = np.concatenate([alpha * part.ravel() for pair in slopes for part in pair])
                self.alpha = self._last(self.alpha, alpha, here, move)
                return
            alpha *= 0.5
        for h, (z, z_edges, held) in zip(used, old, strict=True):
            h.z, h.z_edges, h.held = z, z_edges, held

    def _first(self, length: float) -> float:
        """The length that a line search tries first."""
        return length if self.lengthen is None else self.lengthen * length

    def _last(self, before: float, accepted: float, here: np.ndarray, move: np.ndarray) -> float:
        """The length to remember: not that of a step too small to distinguish it from any other."""
        small = np.abs(move).max(initial=0.0) <= 1e-9 * np.abs(here).max(initial=0.0)
        return before if self.lengthen is None or small else accepted

    def objective(self, lam: float) -> float:
        penalty = sum(abs(h.beta) for h in self.working_set.values())
        return self._smooth(self.scores()) + lam * penalty

    def validation_loss(self, validation) -> float:
        if validation is None:
            return float("nan")
        graphs, y = validation
        f = np.full(len(graphs), self.beta0)
        for h in self.working_set.values():
            if h.beta != 0.0:
                f += h.beta * np.array([np.exp(-self.rho * self._minimum(h, g)) for g in graphs])
        return float((np.maximum(1.0 - np.asarray(y) * f, 0.0) ** 2).sum())

    def scores(self) -> np.ndarray:
        f = np.full(len(self.graphs), self.beta0)
        for h in self.working_set.values():
            if h.beta != 0.0:
                f += h.beta * self._psi(h, self.graphs)
        return f

    def residual(self) -> np.ndarray:
        return self.y * np.maximum(1.0 - self.y * self.scores(), 0.0)

    def _smooth(self, f: np.ndarray) -> float:
        return 0.5 * float((np.maximum(1.0 - self.y * f, 0.0) ** 2).sum())

    def _minimum(self, h: Learned, graph: nx.Graph) -> float:
        found = embeddings(graph, h.start.graphlet)
        return min(
            (cost(graph, h.start.graphlet, h.z, h.z_edges, m) for m in found), default=np.inf
        )

    def _psi(self, h: Learned, graphs: Sequence[nx.Graph]) -> np.ndarray:
        """psi in every training graph; moves the held embeddings to the best ones."""
        values = np.zeros(len(graphs))
        for i, graph in enumerate(graphs):
            key = (h.pattern, i)
            if key not in self.listed:
                self.listed[key] = embeddings(graph, h.start.graphlet)
            priced = {m: cost(graph, h.start.graphlet, h.z, h.z_edges, m) for m in self.listed[key]}
            if not priced:
                continue
            lowest = min(priced.values())
            limit = lowest + ROUNDING * (1.0 + lowest)
            if priced.get(h.held.get(i, ()), np.inf) > limit:
                h.held[i] = min(
                    (m for m, price in priced.items() if price <= limit),
                    key=lambda m, g=graph: matched_rows(g, h.start.graphlet, m),
                )
            values[i] = np.exp(-self.rho * lowest)
        return values

    def _z_gradient(self, h: Learned, residual: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """dF/dz = sum_i -a_i beta * (-2 rho psi_i (z - x_m_i)), for nodes and for edges."""
        psi = self._psi(h, self.graphs)
        k = len(h.z)
        in_nodes, in_edges = np.zeros_like(h.z), np.zeros_like(h.z_edges)
        for i, m in h.held.items():
            rows = matched_rows(self.graphs[i], h.start.graphlet, m)
            pull = 2.0 * self.rho * residual[i] * h.beta * psi[i]
            in_nodes += pull * (h.z - np.array(rows[:k]).reshape(h.z.shape))
            in_edges += pull * (h.z_edges - np.array(rows[k:]).reshape(h.z_edges.shape))
        return in_nodes, in_edges


def best_intercept(y: np.ndarray, scores: np.ndarray, current: float) -> float:
    """The minimiser of sum_i max(1 - y_i (scores_i + b), 0)^2 nearest to ``current``."""
    breaks = np.sort(y - scores)  # where y_i (scores_i + b) = 1
    low = max((1.0 - s for yi, s in zip(y, scores, strict=True) if yi > 0), default=-np.inf)
    high = min((-1.0 - s for yi, s in zip(y, scores, strict=True) if yi < 0), default=np.inf)
    if low <= high:  # no hinge need be active: any point of the interval is a minimiser
        return float(min(max(current, low), high))
    edges = np.concatenate([[-np.inf], breaks, [np.inf]])
    for left, right in itertools.pairwise(edges):
        middle = _between(left, right)
        active = 1.0 - y * (scores + middle) > 0.0
        if not active.any():
            continue
        b = float((y - scores)[active].mean())
        if left - 1e-12 <= b <= right + 1e-12:
            return b
    raise AssertionError("a convex piecewise quadratic has a minimiser in one of its pieces")


def _between(left: float, right: float) -> float:
    if np.isinf(left):
        return right - 1.0
    return left + 1.0 if np.isinf(right) else 0.5 * (left + right)
