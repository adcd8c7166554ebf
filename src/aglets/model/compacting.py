"""Smaller models that predict nearly the same: from an average of hundreds of graphlets to tens.

Members of an average share much: the same structure with attributes that hardly differ, once per
fold and rho. Dropping graphlet H costs little where others can take over its part. Around the
full model, which needs no targets, the cost of other coefficients is

    Q(beta) = sum_i w_i (f(G_i) - f_full(G_i))^2 + MU |beta - beta_full|^2,

a quadratic form whose minimum with beta_H = 0 is known in closed form (the optimal brain
surgeon): delta = beta_H^2 / (A^-1)_HH with A the matrix of Q. Graphlets are dropped one by one,
always the one with the smallest delta, and the others move to the new minimum.

A few hundred graphs do not determine dozens of coefficients. f can be evaluated anywhere,
so the sum also runs over copies of the graphs in which some nodes have the attributes of other
nodes with the same label, or some edges are missing; they have less weight.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Bools, Floats
from aglets.model.model import LagraModel
from aglets.model.target_table import target_table
from aglets.model.training_record import for_graphlets

__all__ = ["SizePoint", "compact", "size_curve"]


#: How strongly coefficients are held where the graphs at hand do not say what they are good for.
#: Small compared with the sums of squares of psi over some hundred graphs; from 0.01 to 1 f changes
#: about as little on other graphs, with more it changes more (benchmarks/accuracy/holding.py).
MU = 0.1

#: So many graphs with their copies are enough, and so many copies of each; the weight of a copy;
#: the share of nodes with attributes of others in one kind of copy, and of missing edges in the
#: other. Their use was seen in the same place.
ENOUGH, MOST_COPIES, COPY_WEIGHT, EXCHANGED, MISSING = 2000, 10, 0.25, 0.5, 0.1


class SizePoint(NamedTuple):
    """A compacted model, and how good it is: mean loss, and accuracy or R²."""

    n_graphlets: int
    loss: float
    score: float
    model: LagraModel


def compact(model: LagraModel, graphs: Any, n_graphlets: int, *, n_jobs: int = 1) -> LagraModel:
    """Drop graphlets until a given number is left; predictions change as little as possible.

    Parameters
    ----------
    model : LagraModel
    graphs : GraphSet or list of graphs
        On which predictions should stay the same, such as the training graphs; the more the better.
        Their targets are not needed.
    n_graphlets : int
    n_jobs : int
        Number of threads.

    Returns
    -------
    LagraModel
        The same model if it is small enough already.

    Examples
    --------
    >>> from aglets import LagraClassifier, datasets
    >>> graphs, y, _ = datasets.make_planted(60, random_state=0)
    >>> clf = LagraClassifier(maxpat=2, lambda_ratio=0.02, n_lambdas=20).fit(graphs, y)
    >>> small = compact(clf.model_, graphs, 4)
    >>> len(clf.graphlets_) > len(small.graphlets) == 4
    True
    """
    [small] = compacted(model, graphs, [_checked_size(n_graphlets)], n_jobs)
    return small


def size_curve(
    model: LagraModel,
    graphs: Any,
    y: ArrayLike,
    sizes: Iterable[int] | None = None,
    *,
    covariates: Any = None,
    n_jobs: int = 1,
) -> list[SizePoint]:
    """Score the model with fewer and fewer graphlets, to pick a size.

    Targets are only used to judge, not to choose graphlets: on graphs that were not trained on,
    this is an honest figure of each size.

    Parameters
    ----------
    model : LagraModel
    graphs : GraphSet or list of graphs
    y : array-like or DataFrame of shape (n_graphs,) or (n_graphs, n_targets)
    sizes : iterable of int, optional
        Numbers of graphlets; by default the model's own, and less by a third each time.
    covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
        The user's own covariates, if the model has such.
    n_jobs : int
        Number of threads.

    Returns
    -------
    list of SizePoint
        The largest model first.
    """
    graphs = model.input_spec.read(graphs)
    encoded = model.outputs.encode(target_table(y, len(graphs)))
    wanted = _default_sizes(len(model.graphlets)) if sizes is None else sizes
    checked = sorted({_checked_size(size) for size in wanted}, reverse=True)
    points = []
    for small in compacted(model, graphs, checked, n_jobs):
        f = small.decision_function(graphs, covariates, n_jobs=n_jobs)
        points.append(_judged(small, model.outputs.as_table(f), encoded))
    return points


def compacted(
    model: LagraModel, graphs: Any, sizes: list[int], n_jobs: int = 1
) -> Iterator[LagraModel]:
    """Give the models of these sizes, which must fall, each as near to the full one as it can."""
    graphs = model.input_spec.read(graphs)
    middle, rows = centred(
        [np.asarray(model.agis(each, n_jobs=n_jobs)) for each in (graphs, *copies(graphs))]
    )
    # Outputs meet only where they share graphlets: one elimination each.
    parts = [
        Elimination(coef[served], rows[:, served], names=served, unit=unit)
        for coef, unit in zip(model.coef, model.outputs.units.tolist(), strict=True)
        for served in [np.flatnonzero(coef)]
    ]
    full = model.intercept + model.coef @ middle
    left = np.ones(len(model.graphlets), dtype=bool)
    for size in sizes:
        while np.count_nonzero(left) > size:
            _drop_cheapest(parts, left)
        coef = np.zeros_like(model.coef)
        for k, part in enumerate(parts):
            coef[k, part.left] = part.beta
        used = np.flatnonzero(coef.any(axis=0))
        if len(used) == len(model.graphlets):
            yield model
            continue
        each = np.broadcast_to(model.rho, len(model.graphlets))
        yield replace(
            model,
            graphlets=[model.graphlets[j] for j in used.tolist()],
            coef=coef[:, used],
            intercept=full - coef @ middle,
            rho=each[used] if len(used) else float(each[0]),
            path={},
            stops=None,
            stability=None,
            record=for_graphlets(model.record, used.tolist()),
        ).sorted_by_weight()


def copies(graphs: GraphSet) -> list[GraphSet]:
    """Copy the graphs with some attributes exchanged, and with some edges missing, in turn.

    The fewer graphs, the more copies. Without attributes only edges change. What is changed depends
    neither on the numbering of nodes nor on the order of graphs, but among what looks alike.
    """
    alike = _alike_nodes(graphs)
    rng = np.random.default_rng(0)
    made = []
    for k in range(min(MOST_COPIES, ENOUGH // max(len(graphs), 1))):
        exchanges = k % 2 == 0 and graphs.n_attributes > 0
        made.append((_exchanged if exchanges else _thinned)(graphs, alike, rng))
    return made


def _alike_nodes(graphs: GraphSet) -> NDArray[np.intp]:
    """Give nodes numbers by label and attributes, the same where they agree in both."""
    rows = np.column_stack([graphs.labels, graphs.attributes])
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


def _exchanged(graphs: GraphSet, alike: NDArray[np.intp], rng: np.random.Generator) -> GraphSet:
    """Give some nodes the attributes of other nodes of the same label."""
    order = alike.argsort(kind="stable")  # by label first
    labels = graphs.labels[order]
    first, last = (np.searchsorted(labels, labels, side) for side in ("left", "right"))
    changed = rng.random(len(order)) < EXCHANGED
    donor = first + (rng.random(len(order)) * (last - first)).astype(np.intp)
    attributes = np.array(graphs.attributes)
    attributes[order[changed]] = graphs.attributes[order[donor[changed]]]
    return graphs.with_attributes(attributes)


def _thinned(graphs: GraphSet, alike: NDArray[np.intp], rng: np.random.Generator) -> GraphSet:
    """Leave some edges out."""
    ends = np.sort(alike[graphs.ends], axis=1)
    kept = np.empty(len(ends), dtype=bool)
    kept[np.lexsort(ends.T)] = rng.random(len(ends)) >= MISSING
    return graphs.with_edges_where(kept)


def centred(psi: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return the mean of psi over the graphs, and psi from there times the root of its weight.

    The first psi is that of the graphs themselves, the others are those of copies.
    """
    middle = psi[0].mean(axis=0) if len(psi[0]) else np.zeros(psi[0].shape[1])
    weights = [1.0] + [COPY_WEIGHT] * (len(psi) - 1)
    rows = [np.sqrt(w) * (each - middle) for w, each in zip(weights, psi, strict=True)]
    return middle, np.vstack(rows)


def _drop_cheapest(parts: Sequence[Elimination], left: Bools) -> None:
    """Drop the graphlet, of those left, that costs the minimum for all outputs together."""
    costs = np.where(left, 0.0, np.inf)
    for part in parts:
        costs[part.left] += part.costs()
    j = int(costs.argmin())
    left[j] = False
    for part in parts:
        part.drop(j)


class Elimination:
    """Drops one of the coefficients of an output after the other.

    Parameters
    ----------
    beta : ndarray of shape (n,)
    psi : ndarray of shape (n_rows, n)
        As `centred` gives it, so that the intercept plays no part.
    strength : float
        How strongly coefficients are held where they are.
    names : ndarray of shape (n,), optional
        What the coefficients are called; by default their positions.
    unit : float
        What f is counted in.
    """

    def __init__(
        self,
        beta: Floats,
        psi: Floats,
        strength: float = MU,
        *,
        names: NDArray[np.intp] | None = None,
        unit: float = 1.0,
    ) -> None:
        self.beta = beta.copy()
        self.left = np.arange(len(beta)) if names is None else names
        self._inverse = np.linalg.inv(psi.T @ psi + strength * np.eye(len(beta)))
        self._unit = unit

    def costs(self) -> Floats:
        """Say what it costs to drop each of those that are left."""
        return np.asarray((self.beta / self._unit) ** 2 / np.diag(self._inverse))

    def drop(self, name: int) -> None:
        """Drop a coefficient, if it is there, and let the others take over."""
        found = np.flatnonzero(self.left == name)
        if not found.size:
            return
        j = int(found[0])
        column = self._inverse[:, j] / self._inverse[j, j]
        self.beta = np.delete(self.beta - self.beta[j] * column, j)
        self.left = np.delete(self.left, j)
        inverse = self._inverse - np.outer(column, self._inverse[j])
        self._inverse = np.delete(np.delete(inverse, j, axis=0), j, axis=1)


def _judged(model: LagraModel, f: Floats, encoded: Floats) -> SizePoint:
    ones = np.ones(len(f))
    loss = model.outputs.loss_value(encoded, f, ones) / max(len(f), 1)
    score = model.outputs.score(encoded, f, ones)
    return SizePoint(len(model.graphlets), loss, score, model)


def _default_sizes(n: int) -> list[int]:
    sizes = [n]
    while sizes[-1] > 1:
        sizes.append(max(1, min(sizes[-1] - 1, round(sizes[-1] * 2 / 3))))
    return sizes


def _checked_size(size: int) -> int:
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 0:
        raise ValueError(f"Expected a number of graphlets of at least 0. Got {size!r} instead.")
    return int(size)
