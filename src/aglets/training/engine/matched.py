"""One shard's side of the seam: graphlets matched with graphs, and scores.

Everything here has one entry per graph and never changes. What is computed on the way is kept where
it will be wanted again: residuals and slopes of scores, rows of matched graphlets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aglets import _core
from aglets.graphs.arrays import Bools, Codes, Floats, Ints
from aglets.model.losses import JointLoss, Loss, Softmax
from aglets.training.engine.protocol import Intercept
from aglets.training.engine.score_sums import JointScoreSums, ScoreSums
from aglets.training.engine.values import Values

if TYPE_CHECKING:
    from aglets.mining import Pattern
    from aglets.training.engine.local import LocalGraphs

__all__ = ["LocalMatched", "LocalScores", "decision", "score_sums"]


#: Where matrices of second derivatives would have more entries than this, the outputs of one target
#: have one of them together, which takes more steps.
MANY_ENTRIES = 2**25


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

    def scores(self, coef: Floats, beta0: Intercept) -> LocalScores:
        """f(G_i) = beta_0 + sum_H beta_H psi(G_i; H) + sum_j gamma_j c_j(G_i)."""
        return LocalScores(self, decision(coef, beta0, self.rows))

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
        self._gradient: tuple[Floats, Intercept] | None = None
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

    def gradient(self) -> tuple[Floats, Intercept]:
        """(sum_i a_i rows_i, sum_i a_i)."""
        if self._gradient is None:
            a = self.residual
            total = float(a.sum()) if a.ndim == 1 else a.sum(axis=1)
            self._gradient = self.matched.rows @ a.T, total
        return self._gradient

    def residual_size(self) -> float:
        """sum_i |a_i|."""
        return float(np.abs(self.residual).sum())

    def score(self) -> float:
        """Weighted accuracy, or R²."""
        return self.score_sums().score

    def score_sums(self) -> ScoreSums | JointScoreSums:
        """Sum up what the score is made of."""
        graphs = self.matched.graphs
        return score_sums(graphs.loss, graphs.y, self.f, graphs.weight)

    def quadratic(self, chosen: Bools, min_bend: float) -> tuple[Floats, Floats]:
        """Gram matrix of the chosen rows and of ones, weighted by the curvature; their slopes."""
        rows, bend = self._rows_of(chosen), self._lifted(min_bend)
        if bend.ndim == 1:
            return gram(rows, bend), rows @ self.residual.T
        g, total = self.gradient()
        slopes = np.vstack([g[chosen], total])
        if self.matched.graphs.one_target and len(rows) ** 2 * len(bend) > MANY_ENTRIES:
            return gram(rows, bend.max(axis=0)), slopes
        return _core.grams(rows, bend), slopes

    def bends(self, min_bend: float) -> Floats:
        """Sum the curvatures of each output."""
        return np.asarray(self._lifted(min_bend).sum(axis=1))

    def _lifted(self, min_bend: float) -> Floats:
        """Curvatures, lifted where the loss has a slope but no bend."""
        graphs, bend = self.matched.graphs, self.curvature
        lowest = min_bend * graphs.loss.curvature_bound(graphs.weight)
        return np.where(self.residual != 0.0, np.maximum(bend, lowest), bend)

    def line(self, chosen: Bools, change: Floats, change0: Intercept) -> LocalLine:
        """Draw the line along a change of coefficients and intercept."""
        return LocalLine(self, decision(change, change0, self._rows_of(chosen)[:-1]))

    def _rows_of(self, chosen: Bools) -> Floats:
        """Take the chosen rows, and ones below; a step asks twice for the same."""
        if self._chosen is not chosen or self._chosen_rows is None:
            rows = np.empty((np.count_nonzero(chosen) + 1, self.f.shape[-1]))
            np.compress(chosen, self.matched.rows, axis=0, out=rows[:-1])
            rows[-1] = 1.0
            self._chosen, self._chosen_rows = chosen, rows
        return self._chosen_rows

    def best_intercept(self, current: Intercept) -> Intercept:
        """Find the number b that minimises the loss of f + b, exactly."""
        graphs = self.matched.graphs
        return graphs.loss.best_intercept(graphs.y, self.f, graphs.weight, current)

    def intercept_interval(self, output: int | None) -> tuple[float, float] | None:
        """Two numbers between which this shard has a best intercept; None if it has no weight."""
        loss, y, f, weight = self._of_output(output)
        return loss.intercept_interval(y, f, weight) if weight.any() else None

    def intercept_slope(self, b: float, output: int | None) -> tuple[float, float]:
        """First derivative, with its sign changed, and second one of the loss of f + b by b."""
        loss, y, f, weight = self._of_output(output)
        moved = f + b
        slope, bend = loss.residual(y, moved, weight), loss.curvature(y, moved, weight)
        return float(slope.sum()), float(bend.sum())

    def softmax_sums(self, rows: slice, b: Floats) -> tuple[float, Floats, Floats]:
        """Value, slopes and curvatures by the intercepts of classes that depend on each other."""
        graphs = self.matched.graphs
        return Softmax().intercept_sums(graphs.y[rows], self.f[rows], graphs.weight[rows], b)

    def _of_output(self, output: int | None) -> tuple[Loss, Floats, Floats, Floats]:
        graphs = self.matched.graphs
        if isinstance(graphs.loss, JointLoss):
            assert output is not None
            loss = graphs.loss.loss_of(output)
            return loss, graphs.y[output], self.f[output], graphs.weight[output]
        return graphs.loss, graphs.y, self.f, graphs.weight

    def z_gradient(self, chosen: Bools, z: Floats, beta: Floats) -> Floats:
        """sum_i 2 rho beta_H a_i psi_iH (z_H - x_i) of the chosen graphlets, flat."""
        matched, graphs = self.matched, self.matched.graphs
        handles, embedding = matched.handles[chosen], matched.embedding_of(chosen)
        places = matched.values.places
        if places is None and beta.ndim == 1:
            weights = (2.0 * graphs.rho) * (beta[:, None] * matched.psi[chosen]) * self.residual
            return graphs.pull(handles, z, embedding, np.ascontiguousarray(weights))
        if places is None:
            weights = (2.0 * graphs.rho) * (beta @ self.residual) * matched.psi[chosen]
            return graphs.pull(handles, z, embedding, np.ascontiguousarray(weights))
        pulls = np.outer(beta, self.residual) if beta.ndim == 1 else beta @ self.residual
        weights = (2.0 * graphs.rho) * pulls
        return graphs.pull_places(handles, z, embedding, places.of(chosen), weights)

    def z_curvature(self, chosen: Bools, beta: Floats) -> Floats:
        """sum_i |w_iH| + h_i (2 rho beta_H psi_iH)² D_iH of the chosen graphlets."""
        rho, psi = self.matched.graphs.rho, self.matched.psi[chosen]
        size = np.abs(beta)
        distances = self._distances(chosen, psi)
        if beta.ndim == 1:
            first = 2.0 * rho * size * (psi @ np.abs(self.residual))
            return np.asarray(first + 4.0 * rho * size**2 * (distances @ self.curvature))
        first = 2.0 * rho * (psi * np.abs(beta @ self.residual)).sum(axis=1)
        bends = (size**2 * (distances @ self.curvature.T)).sum(axis=1)
        return np.asarray(first + 4.0 * rho * bends)

    def _distances(self, chosen: Bools, psi: Floats) -> Floats:
        """Return rho psi² D; of a graphlet that counts, psi times the sum of rho s D over places.

        By Cauchy and Schwarz that bounds |d psi / dz|² / (4 rho). Where psi is a square root, it is
        a quarter of the sum: the derivative of the sum is divided by 2 psi.
        """
        places = self.matched.values.places
        if places is None:
            return _less_log(psi) * psi
        own, graphs = places.of(chosen), self.matched.graphs
        handles = self.matched.handles[chosen]
        sums = graphs.pooled(handles, _less_log(own.scores))
        roots = graphs.takes_roots(handles)[:, None]
        return np.where(roots, 0.25 * sums**2, sums * psi)


def decision(coef: Floats, beta0: Intercept, rows: Floats) -> Floats:
    """beta_0 + coef · rows: shape (n_graphs,), or (n_outputs, n_graphs) for several outputs."""
    if coef.ndim == 1:
        return np.asarray(beta0 + coef @ rows)
    return np.asarray(beta0[:, None] + coef.T @ rows)


def gram(rows: Floats, bend: Floats) -> Floats:
    """sum_i h_i rows_i rows_i' over graphs that bend."""
    bent = bend > 0.0
    bent_rows = rows[:, bent]
    return np.asarray((bent_rows * bend[bent]) @ bent_rows.T)


def score_sums(
    loss: Loss | JointLoss, y: Floats, f: Floats, weight: Floats
) -> ScoreSums | JointScoreSums:
    """Sum up what the score is made of, for one output or several."""
    if isinstance(loss, JointLoss):
        return JointScoreSums.of(loss, y, f, weight)
    return ScoreSums.of(loss, y, f, weight)


def _less_log(scores: Floats) -> Floats:
    """-s log s, which is rho s D, and 0 where s = 0."""
    # Most patterns occur in few graphs.
    logs = np.zeros_like(scores)
    np.log(scores, out=logs, where=scores > 0.0)
    logs *= -scores
    return logs


class LocalLine:
    """f along a change of coefficients."""

    __slots__ = ("_shift", "_start")

    def __init__(self, start: LocalScores, shift: Floats) -> None:
        self._start = start
        self._shift = shift

    def at(self, length: float) -> LocalScores:
        """Return the scores after this part of the change."""
        return LocalScores(self._start.matched, self._start.f + length * self._shift)
