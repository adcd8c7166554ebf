"""One shard's side of the seam: graphlets matched with graphs, and scores.

Everything here has one entry per graph and never changes. What is computed on the way is kept where
it will be wanted again: residuals and slopes of scores, rows of matched graphlets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aglets.graphs.arrays import Bools, Codes, Floats, Ints
from aglets.training.engine.score_sums import ScoreSums
from aglets.training.engine.values import Values

if TYPE_CHECKING:
    from aglets.mining import Pattern
    from aglets.training.engine.local import LocalGraphs

__all__ = ["LocalMatched", "LocalScores"]


class LocalMatched:
    """Graphlets matched with the graphs of one shard.

    Parameters
    ----------
    graphs : LocalGraphs
    handles : ndarray of shape (n_graphlets,)
        Names under which the bank knows them.
    lengths : ndarray of shape (n_graphlets,)
        Entries of each in the flat embeddings.
    embedding : ndarray
        The best one in each graph that holds the pattern, flat.
    values : Values
        psi of shape (n_graphlets, n_graphs), and places where graphlets may count.
    """

    __slots__ = ("_embedding", "_rows", "graphs", "handles", "lengths", "psi", "values")

    def __init__(
        self, graphs: LocalGraphs, handles: Codes, lengths: Ints, embedding: Codes, values: Values
    ) -> None:
        self.graphs = graphs
        self.handles = handles
        self.lengths = lengths
        self.values = values
        self.psi = values.psi
        self._embedding = embedding
        self._rows: Floats | None = self.psi if graphs.covariates is None else None

    @property
    def rows(self) -> Floats:
        """All that has a coefficient: psi, and covariates below."""
        if self._rows is None:
            assert self.graphs.covariates is not None
            self._rows = np.vstack([self.psi, self.graphs.covariates])
        return self._rows

    def scores(self, coef: Floats, beta0: float) -> LocalScores:
        """f(G_i) = beta_0 + sum_H beta_H psi(G_i; H) + sum_j gamma_j c_j(G_i)."""
        return LocalScores(self, beta0 + coef @ self.rows)

    def entered(
        self, names: Ints, z: Floats, patterns: tuple[Pattern, ...] | None = None
    ) -> LocalMatched:
        """Append graphlets; some may have a pattern that no graph of this shard holds."""
        handles = self.graphs.handles(names, patterns)
        values, embedding = self.graphs.match(handles, z)
        return LocalMatched(
            self.graphs,
            np.concatenate([self.handles, handles]),
            np.concatenate([self.lengths, self.graphs.embedding_lengths(handles)]),
            np.concatenate([self._embedding, embedding]),
            self.values.joined(values),
        )

    def moved(self, chosen: Bools, z: Floats) -> LocalMatched:
        """Give the chosen graphlets new attributes; ties go to their previous embeddings."""
        own = np.repeat(chosen, self.lengths)
        new, best = self.graphs.match(self.handles[chosen], z, self._embedding[own])
        embedding = self._embedding.copy()
        embedding[own] = best
        values = self.values.changed(chosen, new)
        return LocalMatched(self.graphs, self.handles, self.lengths, embedding, values)

    def embedding(self) -> Codes:
        """Return the best embeddings, flat."""
        return self._embedding

    def embedding_of(self, chosen: Bools) -> Codes:
        """Return those of the chosen graphlets."""
        return self._embedding[np.repeat(chosen, self.lengths)]


class LocalScores:
    """f of the graphs of one shard."""

    __slots__ = ("_chosen", "_chosen_rows", "_gradient", "_residual", "_value", "f", "matched")

    def __init__(self, matched: LocalMatched, f: Floats) -> None:
        self.matched = matched
        self.f = f
        self._value: float | None = None
        self._residual: Floats | None = None
        self._gradient: tuple[Floats, float] | None = None
        self._chosen: Bools | None = None
        self._chosen_rows: Floats | None = None

    @property
    def residual(self) -> Floats:
        """a_i = -d value / d f_i."""
        if self._residual is None:
            graphs = self.matched.graphs
            self._residual = graphs.loss.residual(graphs.y, self.f, graphs.weight)
        return self._residual

    @property
    def curvature(self) -> Floats:
        """Second derivative of the value in each f_i."""
        graphs = self.matched.graphs
        return graphs.loss.curvature(graphs.y, self.f, graphs.weight)

    def value(self) -> float:
        """1/2 sum_i w_i loss(y_i, f_i)."""
        if self._value is None:
            graphs = self.matched.graphs
            self._value = graphs.loss.value(graphs.y, self.f, graphs.weight)
        return self._value

    def gradient(self) -> tuple[Floats, float]:
        """(sum_i a_i rows_i, sum_i a_i)."""
        if self._gradient is None:
            a = self.residual
            self._gradient = self.matched.rows @ a, float(a.sum())
        return self._gradient

    def residual_size(self) -> float:
        """sum_i |a_i|."""
        return float(np.abs(self.residual).sum())

    def score(self) -> float:
        """Weighted accuracy, or R²."""
        return self.score_sums().score

    def score_sums(self) -> ScoreSums:
        """Sum up what the score is made of."""
        graphs = self.matched.graphs
        return ScoreSums.of(graphs.loss, graphs.y, self.f, graphs.weight)

    def quadratic(self, chosen: Bools, min_bend: float) -> tuple[Floats, Floats]:
        """Gram matrix of the chosen rows and of ones, weighted by the curvature; their slopes."""
        graphs, a = self.matched.graphs, self.residual
        lowest = min_bend * graphs.loss.curvature_bound(graphs.weight)
        bend = self.curvature
        bend = np.where(a != 0.0, np.maximum(bend, lowest), bend)
        rows = self._rows_of(chosen)
        bent = bend > 0.0
        bent_rows = rows[:, bent]
        return (bent_rows * bend[bent]) @ bent_rows.T, rows @ a

    def line(self, chosen: Bools, change: Floats, change0: float) -> LocalLine:
        """Draw the line along a change of coefficients and intercept."""
        return LocalLine(self, change @ self._rows_of(chosen)[:-1] + change0)

    def _rows_of(self, chosen: Bools) -> Floats:
        """Take the chosen rows, and ones below; a step asks twice for the same."""
        if self._chosen is not chosen or self._chosen_rows is None:
            rows = np.empty((np.count_nonzero(chosen) + 1, len(self.f)))
            np.compress(chosen, self.matched.rows, axis=0, out=rows[:-1])
            rows[-1] = 1.0
            self._chosen, self._chosen_rows = chosen, rows
        return self._chosen_rows

    def best_intercept(self, current: float) -> float:
        """Find the number b that minimises the loss of f + b, exactly."""
        graphs = self.matched.graphs
        return graphs.loss.best_intercept(graphs.y, self.f, graphs.weight, current)

    def intercept_interval(self) -> tuple[float, float] | None:
        """Two numbers between which this shard has a best intercept; None if it has no weight."""
        graphs = self.matched.graphs
        if not graphs.weight.any():
            return None
        return graphs.loss.intercept_interval(graphs.y, self.f, graphs.weight)

    def intercept_slope(self, b: float) -> tuple[float, float]:
        """First derivative, with its sign changed, and second one of the loss of f + b by b."""
        moved = LocalScores(self.matched, self.f + b)
        return float(moved.residual.sum()), float(moved.curvature.sum())

    def z_gradient(self, chosen: Bools, z: Floats, beta: Floats) -> Floats:
        """sum_i 2 rho beta_H a_i psi_iH (z_H - x_i) of the chosen graphlets, flat."""
        matched, graphs = self.matched, self.matched.graphs
        handles, embedding = matched.handles[chosen], matched.embedding_of(chosen)
        places = matched.values.places
        if places is None:
            weights = (2.0 * graphs.rho) * (beta[:, None] * matched.psi[chosen]) * self.residual
            return graphs.pull(handles, z, embedding, np.ascontiguousarray(weights))
        weights = (2.0 * graphs.rho) * np.outer(beta, self.residual)
        return graphs.pull_places(handles, z, embedding, places.of(chosen), weights)

    def z_curvature(self, chosen: Bools, beta: Floats) -> Floats:
        """sum_i |w_iH| + h_i (2 rho beta_H psi_iH)² D_iH of the chosen graphlets."""
        rho, psi = self.matched.graphs.rho, self.matched.psi[chosen]
        size = np.abs(beta)
        distances = self._distances(chosen, psi)
        first = 2.0 * rho * size * (psi @ np.abs(self.residual))
        return np.asarray(first + 4.0 * rho * size**2 * (distances @ self.curvature))

    def _distances(self, chosen: Bools, psi: Floats) -> Floats:
        """Return rho psi² D; of a graphlet that counts, psi times the sum of rho s D over places.

        By Cauchy and Schwarz that bounds |d psi / dz|² / (4 rho).
        """
        places = self.matched.values.places
        if places is None:
            return _less_log(psi) * psi
        own, graphs = places.of(chosen), self.matched.graphs
        return graphs.pooled(self.matched.handles[chosen], _less_log(own.scores)) * psi


def _less_log(scores: Floats) -> Floats:
    """-s log s, which is rho s D, and 0 where s = 0."""
    return np.where(scores > 0.0, -np.log(np.maximum(scores, 1e-300)), 0.0) * scores


class LocalLine:
    """f along a change of coefficients."""

    __slots__ = ("_shift", "_start")

    def __init__(self, start: LocalScores, shift: Floats) -> None:
        self._start = start
        self._shift = shift

    def at(self, length: float) -> LocalScores:
        """Return the scores after this part of the change."""
        return LocalScores(self._start.matched, self._start.f + length * self._shift)
