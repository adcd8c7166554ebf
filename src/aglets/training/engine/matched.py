"""One shard's side of the seam: graphlets matched with graphs, and scores.

Everything here has one entry per graph and never changes. What is computed on the way is kept where
it will be wanted again: residuals and slopes of scores, rows of matched graphlets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aglets._core import SparseRows
from aglets.graphs.arrays import Bools, Codes, Floats, Ints
from aglets.model.losses import JointLoss, Loss, Softmax
from aglets.training.engine.gram import gram, grams
from aglets.training.engine.protocol import Intercept
from aglets.training.engine.score_sums import JointScoreSums, ScoreSums
from aglets.training.engine.values import Values, dealt, replaced, unpacked

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
    embedding : tuple of ndarray
        For each graphlet the best one in each graph that holds the pattern, as `LocalGraphs.packed`
        gives them.
    values : Values
        psi, and places where graphlets may count.
    """

    __slots__ = ("_embedding", "_rows", "graphs", "handles", "values")

    def __init__(
        self, graphs: LocalGraphs, handles: Codes, embedding: tuple[Codes, ...], values: Values
    ) -> None:
        self.graphs = graphs
        self.handles = handles
        self.values = values
        self._embedding = embedding
        self._rows: SparseRows | None = None

    @property
    def psi(self) -> Floats:
        """Psi of shape (n_graphlets, n_graphs), with all zeros."""
        rows = self.values.rows
        return rows.dense(0, rows.n_graphs)

    @property
    def rows(self) -> SparseRows:
        """All that has a coefficient: psi, and covariates below."""
        if self._rows is None:
            own = self.graphs.covariates
            self._rows = self.values.rows if own is None else self.values.rows.joined(own)
        return self._rows

    def scores(self, coef: Floats, beta0: Intercept) -> LocalScores:
        """f(G_i) = beta_0 + sum_H beta_H psi(G_i; H) + sum_j gamma_j c_j(G_i)."""
        return LocalScores(self, decision(coef, beta0, self.rows, self.graphs.n_jobs))

    def entered(
        self, names: Ints, z: Floats, patterns: tuple[Pattern, ...] | None = None
    ) -> LocalMatched:
        """Append graphlets; some may have a pattern that no graph of this shard holds."""
        handles = self.graphs.handles(names, patterns)
        values, embedding = self.graphs.match_by_parts(handles, z)
        return LocalMatched(
            self.graphs,
            np.concatenate([self.handles, handles]),
            self._embedding + embedding,
            self.values.joined(values),
        )

    def moved(self, chosen: Bools, z: Floats) -> LocalMatched:
        """Give the chosen graphlets new attributes; ties go to their previous embeddings."""
        previous = [self._embedding[i] for i in np.flatnonzero(chosen).tolist()]
        new, best = self.graphs.match_by_parts(self.handles[chosen], z, previous)
        embedding = replaced(self._embedding, chosen, best)
        return LocalMatched(self.graphs, self.handles, embedding, self.values.changed(chosen, new))

    def embedding(self) -> Codes:
        """Return the best embeddings, flat."""
        return self.embedding_of(np.ones(len(self.handles), dtype=np.bool_))

    def embedding_of(self, chosen: Bools) -> Codes:
        """Return those of the chosen graphlets."""
        return unpacked([self._embedding[i] for i in np.flatnonzero(chosen).tolist()])


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
        self._chosen_rows: SparseRows | None = None

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
            self._gradient = self._dots(self.matched.rows, a), total
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
        graphs, bend = self.matched.graphs, self._lifted(min_bend)
        rows = self._rows_of(chosen).joined(graphs.ones)
        g, total = self.gradient()
        if bend.ndim == 1:
            return gram(rows, bend, graphs.n_jobs), np.append(g[chosen], total)
        slopes = np.vstack([g[chosen], total])
        if graphs.one_target and len(rows) ** 2 * len(bend) > MANY_ENTRIES:
            return gram(rows, bend.max(axis=0), graphs.n_jobs), slopes
        return grams(rows, bend, graphs.n_jobs), slopes

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
        rows = self._rows_of(chosen)
        return LocalLine(self, decision(change, change0, rows, self.matched.graphs.n_jobs))

    def _rows_of(self, chosen: Bools) -> SparseRows:
        """Take the chosen rows; a step asks twice for the same."""
        if self._chosen is not chosen or self._chosen_rows is None:
            self._chosen, self._chosen_rows = chosen, self.matched.rows.chosen(chosen)
        return self._chosen_rows

    def _dots(self, rows: SparseRows, numbers: Floats) -> Floats:
        """Sum rows over graphs with numbers as weights, for one output or several."""
        found = rows.dots(np.atleast_2d(numbers), self.matched.graphs.n_jobs)
        return found[:, 0] if numbers.ndim == 1 else found

    def _spread(self, rows: SparseRows, beta: Floats) -> Floats:
        """beta_H · a_i for each value of the rows."""
        residual = np.atleast_2d(self.residual)
        return rows.spread(
            np.ascontiguousarray(by_output(beta)), residual, self.matched.graphs.n_jobs
        )

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
        graphs, part = self.matched.graphs, self._part_of_each(chosen)
        if not part.any():
            return self._z_gradient(chosen, z, beta)
        owner = np.repeat(part, graphs.attribute_lengths(self.matched.handles[chosen]))
        parts = [
            self._z_gradient(within(chosen, part == i), z[owner == i], beta[part == i])
            for i in range(part[-1] + 1)
        ]
        return np.concatenate(parts)

    def _part_of_each(self, chosen: Bools) -> Ints:
        """Deal the chosen graphlets to parts, in order, whose values take little memory."""
        return dealt(self.matched.values.rows.lengths()[chosen], self.matched.graphs.n_jobs)

    def _z_gradient(self, chosen: Bools, z: Floats, beta: Floats) -> Floats:
        matched, graphs = self.matched, self.matched.graphs
        handles, embedding = matched.handles[chosen], matched.embedding_of(chosen)
        rows = matched.values.rows.chosen(chosen)
        weights = (2.0 * graphs.rho) * self._spread(rows, beta)
        if matched.values.places is None:
            return graphs.pull(handles, z, embedding, weights * rows.flat())
        scores = matched.values.places_of(chosen)
        return graphs.pull_places(handles, z, embedding, scores, weights)

    def z_curvature(self, chosen: Bools, beta: Floats) -> Floats:
        """sum_i |w_iH| + h_i (2 rho beta_H psi_iH)² D_iH of the chosen graphlets."""
        part = self._part_of_each(chosen)
        if not part.any():
            return self._z_curvature(chosen, beta)
        parts = [
            self._z_curvature(within(chosen, part == i), beta[part == i])
            for i in range(part[-1] + 1)
        ]
        return np.concatenate(parts)

    def _z_curvature(self, chosen: Bools, beta: Floats) -> Floats:
        rho, rows = self.matched.graphs.rho, self.matched.values.rows.chosen(chosen)
        pulls = rows.with_values(np.abs(self._spread(rows, beta)) * rows.flat())
        first = self._dots(pulls, np.ones(rows.n_graphs))
        bends = self._dots(self._distances(chosen, rows), self.curvature) * beta**2
        return 2.0 * rho * first + 4.0 * rho * (bends if beta.ndim == 1 else bends.sum(axis=1))

    def _distances(self, chosen: Bools, psi: SparseRows) -> SparseRows:
        """Return rho psi² D; of a graphlet that counts, psi times the sum of rho s D over places.

        By Cauchy and Schwarz that bounds |d psi / dz|² / (4 rho). Where psi is a square root, it is
        a quarter of the sum: the derivative of the sum is divided by 2 psi.
        """
        flat, values = psi.flat(), self.matched.values
        if values.places is None:
            return psi.with_values(_less_log(flat) * flat)
        handles, graphs = self.matched.handles[chosen], self.matched.graphs
        sums = graphs.pooled(handles, _less_log(values.places_of(chosen))).flat()
        roots = np.repeat(graphs.takes_roots(handles), psi.lengths())
        return psi.with_values(np.where(roots, 0.25 * sums**2, sums * flat))


def within(chosen: Bools, mask: Bools) -> Bools:
    """Choose only those of the chosen for which the mask is true.

    Examples
    --------
    >>> within(np.array([True, False, True]), np.array([False, True]))
    array([False, False,  True])
    """
    fewer: Bools = chosen.copy()
    fewer[chosen] = mask
    return fewer


def by_output(coef: Floats) -> Floats:
    """Give coefficients a column per output, also where there is only one."""
    return coef[:, None] if coef.ndim == 1 else coef


def decision(coef: Floats, beta0: Intercept, rows: SparseRows, n_jobs: int = 1) -> Floats:
    """beta_0 + coef · rows: shape (n_graphs,), or (n_outputs, n_graphs) for several outputs."""
    found = rows.combined(np.ascontiguousarray(by_output(coef)), n_jobs)
    if coef.ndim == 1:
        return np.asarray(beta0 + found[0])
    return np.asarray(np.asarray(beta0)[:, None] + found)


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
