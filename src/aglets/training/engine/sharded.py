"""Graphs in several shards: what the shards return is added, always in the same order.

An opaque object here is a list of those of the shards. All that is computed here has one entry per
graphlet, or is a sum over graphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from aglets.graphs.arrays import Bools, Codes, Floats, Ints
from aglets.mining import Found, Pattern, Starts
from aglets.mining.growth import Growth
from aglets.model.losses import JointLoss
from aglets.model.losses.loss import intercept_by_newton
from aglets.model.losses.softmax import intercepts_by_newton
from aglets.training.engine.calls import ask, ask_each, lay_next_to
from aglets.training.engine.covariate_design import CovariateDesign, design_from_parts
from aglets.training.engine.graphlet_names import (
    channels_of,
    named,
    patterns_of,
    pooling_of,
)
from aglets.training.engine.joint_tree import JointTree
from aglets.training.engine.local import starting_attributes
from aglets.training.engine.protocol import Goal, Intercept, Judgement, MiningPlan
from aglets.training.engine.shard_starts import joint_starts, loaded_shard
from aglets.training.sample import Sample
from aglets.training.stored import StoredPiece, StoredSample

__all__ = ["ShardedEngine", "ShardedPlacement", "dealt", "planted"]


@dataclass(frozen=True)
class ShardedEngine:
    """Trains on graphs in several shards of this process.

    The model is that of one shard, but for rounding in sums; with several starting vectors per
    label these are found in another way. Training takes longer than in one piece: this engine
    proves that solvers need no more of the graphs than sums.

    Parameters
    ----------
    n_shards : int
        Number of shards; at most one per graph is used.

    Examples
    --------
    >>> from aglets import GraphSet, LagraClassifier, ShardedEngine
    >>> graphs = GraphSet.from_lists(
    ...     labels=["CCO", "CO", "CCN", "CN"] * 5,
    ...     edges=[[(0, 1), (1, 2)], [(0, 1)]] * 10,
    ... )
    >>> y = ["alcohol", "alcohol", "amine", "amine"] * 5
    >>> model = LagraClassifier(engine=ShardedEngine(n_shards=3)).fit(graphs, y)
    >>> model.predict(graphs[:4]).tolist()
    ['alcohol', 'alcohol', 'amine', 'amine']
    """

    n_shards: int = 2

    def __post_init__(self) -> None:
        if isinstance(self.n_shards, bool) or not isinstance(self.n_shards, (int, np.integer)):
            raise TypeError(
                f"The 'n_shards' parameter of ShardedEngine must be an int. Got {self.n_shards!r} "
                "instead."
            )
        if self.n_shards < 1:
            raise ValueError(
                "The 'n_shards' parameter of ShardedEngine must be an int in the range [1, inf). "
                f"Got {self.n_shards} instead."
            )

    @property
    def n_pieces(self) -> int:
        """Number of pieces to which graphs are dealt."""
        return self.n_shards

    def session(self) -> AbstractContextManager[None]:
        """Nothing has to be started."""
        return nullcontext()

    def place(self, sample: Sample | StoredSample, plan: MiningPlan) -> ShardedPlacement:
        """Distribute the graphs, and begin a mining tree in each shard."""
        shards = [loaded_shard(piece) for piece in dealt(sample, self.n_shards)]
        return planted(shards, plan, len(sample.targets), sample.covariates is not None)


def planted(
    shards: Sequence[Any], plan: MiningPlan, n_outputs: int, has_covariates: bool
) -> ShardedPlacement:
    """Plant a tree in each shard, all with the same starts."""
    if plan.max_bytes is not None:
        plan = replace(plan, max_bytes=max(plan.max_bytes // len(shards), 1))
    starts = joint_starts(shards, plan.starts)
    placed = ask(shards, "plant", starts, plan)
    return ShardedPlacement(placed, starts, n_outputs, has_covariates)


def dealt(sample: Sample | StoredSample, n_shards: int) -> list[Sample] | list[StoredPiece]:
    """Give graph i to shard i modulo their number; of graphs in files, every file is a shard."""
    if isinstance(sample, StoredSample):
        return sample.pieces()
    n_graphs = len(sample.graphs)
    n = max(1, min(n_shards, n_graphs))
    return [sample[np.arange(k, n_graphs, n)] for k in range(n)]


def joined(sample: Sample | StoredSample, parts: Sequence[Floats]) -> Floats:
    """Put numbers of the graphs of all shards into the order of the sample that was dealt."""
    if isinstance(sample, StoredSample):
        return np.concatenate(parts, axis=-1)
    whole = np.empty((*parts[0].shape[:-1], sum(own.shape[-1] for own in parts)))
    for k, own in enumerate(parts):
        whole[..., k :: len(parts)] = own
    return whole


class ShardedPlacement:
    """The shards of the training graphs, and their joint tree."""

    def __init__(
        self, parts: Sequence[Any], starts: Starts, n_outputs: int, has_covariates: bool
    ) -> None:
        self.parts = parts
        self.starts = starts
        self.tree = JointTree(parts, starts)
        self._n_outputs = n_outputs
        self._has_covariates = has_covariates
        self._held_out: dict[int, tuple[Sample | StoredSample, list[Any]]] = {}

    @property
    def n_outputs(self) -> int:
        """Number of targets of each graph."""
        return self._n_outputs

    def spent(self) -> tuple[int, float]:
        """Work and seconds of all searches so far."""
        return _totals(ask(self.parts, "spent"))

    def allow(self, max_work: int | None, max_seconds: float | None) -> None:
        """Grant so much to the searches from now on, the same to every shard."""
        n = len(self.parts)
        work = None if max_work is None else max_work // n
        ask(self.parts, "allow", work, None if max_seconds is None else max_seconds / n)

    def growth(self) -> None:
        """Nothing: the trees of shards are grown again after an interruption, as searches ask."""

    def adopt(self, growth: Growth) -> None:
        """Do nothing, see `growth`."""

    def graphs_for(self, goal: Goal) -> ShardedGraphs:
        """Return the graphs as one path sees them."""
        design = self._design(goal) if self._has_covariates else None
        return ShardedGraphs(self, ask(self.parts, "graphs_for", goal, design), goal, design)

    def held_out(self, sample: Sample | StoredSample) -> list[Any]:
        """Deal held-out graphs to the shards; kept for the next path that asks."""
        if id(sample) not in self._held_out:
            pieces = lay_next_to(self.parts, dealt(sample, len(self.parts)))
            self._held_out[id(sample)] = sample, pieces
        return self._held_out[id(sample)][1]

    def _design(self, goal: Goal) -> CovariateDesign:
        parts, output = self.parts, goal.output
        return design_from_parts(
            ask(parts, "covariate_moments", output),
            lambda mean: _total(ask(parts, "covariate_squares", output, mean)),
            lambda mean, back: ask(parts, "covariate_triangle", mean, back),
            goal.covariate_penalty,
        )


class ShardedGraphs:
    """The training graphs of one path, in shards."""

    def __init__(
        self,
        placement: ShardedPlacement,
        parts: Sequence[Any],
        goal: Goal,
        design: CovariateDesign | None,
    ) -> None:
        self.placement = placement
        self.parts = parts
        self.maxpat, self.pooling, self.sharing = goal.maxpat, goal.pooling, goal.sharing
        self.loss = goal.loss
        self.count_scale = goal.count_scale
        self.design = design
        self._likely = np.empty(0, dtype=np.int64)  # codes that the last search visited

    def curvature_bound(self) -> float:
        """Bound the second derivative of the loss by the intercept."""
        return float(_total(ask(self.parts, "curvature_bound")))

    def nothing_matched(self) -> ShardedMatched:
        """Return no graphlets, only covariates."""
        return ShardedMatched(self, ask(self.parts, "nothing_matched"))

    def search(self, scores: ShardedScores, lam: float) -> Found:
        """Find every untrained graphlet with |g| > lam (Algorithm 2)."""
        tree = self.placement.tree
        asked = (lam, self.maxpat, self.pooling, self._likely, self.sharing)
        found, self._likely = tree.search(self.parts, scores.parts, *asked)
        channels = pooling_of(self.pooling, self.count_scale)
        return replace(found, nodes=named(found.nodes, channels[found.channels]))

    def lambda_max(self, scores: ShardedScores) -> tuple[float, int]:
        """Largest |g| of all untrained graphlets, and the size of the pattern that has it."""
        tree = self.placement.tree
        return tree.largest(self.parts, scores.parts, self.maxpat, self.sharing)

    def work_spent(self) -> int:
        """Work of all searches so far."""
        return int(_total(ask(self.parts, "work_spent")))

    def patterns(self, names: Ints) -> tuple[Pattern, ...]:
        """Return the patterns behind names."""
        return tuple(self.placement.tree.pattern(code) for code in patterns_of(names).tolist())

    def names(self, patterns: Sequence[Pattern], channels: Codes) -> Ints:
        """Return the names of graphlets that were in training before."""
        codes = np.array([self.placement.tree.find(p) for p in patterns], dtype=np.int64)
        return named(codes, channels)

    def start(self, patterns: Sequence[Pattern]) -> tuple[Floats, Ints]:
        """Return where these graphlets start, flat, and the number of entries of each."""
        return starting_attributes(self.placement.starts, patterns)

    def restored(self, names: Ints, z: Floats, embedding: Codes) -> ShardedMatched:
        """Match graphlets of a checkpoint: ties go to their embeddings."""
        patterns, own = self.patterns(names), self.own_names(names)
        sizes = ask_each(self.parts, "embedding_size", [(name, patterns) for name in own])
        pieces = np.split(embedding, np.cumsum(sizes)[:-1])
        asked = [(name, z, piece, patterns) for name, piece in zip(own, pieces, strict=True)]
        return ShardedMatched(self, ask_each(self.parts, "restored", asked))

    def own_names(self, names: Ints) -> list[Ints]:
        """Return the names under which each shard knows graphlets."""
        channels = channels_of(names)
        members = self.placement.tree.members(patterns_of(names))
        return [named(np.ascontiguousarray(own), channels) for own in members.T]

    def judge_on(self, held_out: Sample | StoredSample, keep_f: bool = False) -> ShardedJudge:
        """Take graphs in model units to judge models on."""
        pieces = self.placement.held_out(held_out)
        judges = ask_each(self.parts[: len(pieces)], "judge_on", [(own, keep_f) for own in pieces])
        return ShardedJudge(judges, held_out)


class ShardedMatched:
    """Graphlets matched with the graphs of each shard."""

    __slots__ = ("graphs", "parts")

    def __init__(self, graphs: ShardedGraphs, parts: Sequence[Any]) -> None:
        self.graphs = graphs
        self.parts = parts

    def scores(self, coef: Floats, beta0: Intercept) -> ShardedScores:
        """F = beta_0 + coef · rows."""
        return ShardedScores(self.graphs, ask(self.parts, "scores", coef, beta0))

    def entered(self, names: Ints, z: Floats) -> ShardedMatched:
        """Append graphlets with these attributes."""
        patterns = self.graphs.patterns(names)
        asked = [(own, z, patterns) for own in self.graphs.own_names(names)]
        return ShardedMatched(self.graphs, ask_each(self.parts, "entered", asked))

    def moved(self, chosen: Bools, z: Floats) -> ShardedMatched:
        """Give the chosen graphlets new attributes."""
        return ShardedMatched(self.graphs, ask(self.parts, "moved", chosen, z))

    def embedding(self) -> Codes:
        """Return the best embeddings, those of one shard behind those of another."""
        return np.concatenate(ask(self.parts, "embedding"))


class ShardedScores:
    """f of the graphs of each shard."""

    __slots__ = ("_value", "graphs", "parts")

    def __init__(self, graphs: ShardedGraphs, parts: Sequence[Any]) -> None:
        self.graphs = graphs
        self.parts = parts
        self._value: float | None = None

    def value(self) -> float:
        """1/2 sum_i w_i loss(y_i, f_i)."""
        if self._value is None:
            self._value = _total(ask(self.parts, "value"))
        return self._value

    def gradient(self) -> tuple[Floats, Intercept]:
        """(sum_i a_i rows_i, sum_i a_i)."""
        return _totals(ask(self.parts, "gradient"))

    def residual_size(self) -> float:
        """sum_i |a_i|."""
        return float(_total(ask(self.parts, "residual_size")))

    def score(self) -> float:
        """Weighted accuracy, or R²."""
        return float(_total(ask(self.parts, "score_sums")).score)

    def quadratic(self, chosen: Bools, min_bend: float) -> tuple[Floats, Floats]:
        """Gram matrix of the chosen rows and of ones, weighted by the curvature; their slopes."""
        return _totals(ask(self.parts, "quadratic", chosen, min_bend))

    def bends(self, min_bend: float) -> Floats:
        """Sum the curvatures of each output."""
        return np.asarray(_total(ask(self.parts, "bends", min_bend)))

    def line(self, chosen: Bools, change: Floats, change0: Intercept) -> ShardedLine:
        """Draw the line along a change of coefficients and intercept."""
        return ShardedLine(self.graphs, ask(self.parts, "line", chosen, change, change0))

    def best_intercept(self, current: Intercept) -> Intercept:
        """Find the number b that minimises the loss of f + b, exactly."""
        loss = self.graphs.loss
        if not isinstance(loss, JointLoss):
            return self._best_of(None, current)
        found = np.zeros(loss.n_outputs)
        for rows, own in loss.parts:
            if own.joint and rows.stop - rows.start > 1:
                found[rows] = self._best_softmax(rows, current[rows])
                continue
            for output in range(rows.start, rows.stop):
                found[output] = self._best_of(output, float(current[output]))
        return found

    def _best_of(self, output: int | None, current: float) -> float:
        # A sum of convex functions has a minimiser between those of its terms.
        asked = ask(self.parts, "intercept_interval", output)
        found = [interval for interval in asked if interval]
        if not found:
            return 0.0
        interval = min(low for low, _ in found), max(high for _, high in found)

        def slopes(b: float) -> tuple[float, float]:
            return _totals(ask(self.parts, "intercept_slope", b, output))

        return intercept_by_newton(slopes, interval, current)

    def _best_softmax(self, rows: slice, current: Floats) -> Floats:
        def sums(b: Floats) -> tuple[float, Floats, Floats]:
            values, slopes, bends = zip(*ask(self.parts, "softmax_sums", rows, b), strict=True)
            return _total(values), _total(slopes), _total(bends)

        return intercepts_by_newton(sums, current)

    def z_gradient(self, chosen: Bools, z: Floats, beta: Floats) -> Floats:
        """sum_i 2 rho beta_H a_i psi_iH (z_H - x_i) of the chosen graphlets, flat."""
        return np.asarray(_total(ask(self.parts, "z_gradient", chosen, z, beta)))

    def z_curvature(self, chosen: Bools, beta: Floats) -> Floats:
        """sum_i |w_iH| + h_i (2 rho beta_H psi_iH)² D_iH of the chosen graphlets."""
        return np.asarray(_total(ask(self.parts, "z_curvature", chosen, beta)))


class ShardedLine:
    """f of the graphs of each shard along a change of coefficients."""

    __slots__ = ("graphs", "parts")

    def __init__(self, graphs: ShardedGraphs, parts: Sequence[Any]) -> None:
        self.graphs = graphs
        self.parts = parts

    def at(self, length: float) -> ShardedScores:
        """Return the scores after this part of the change."""
        return ShardedScores(self.graphs, ask(self.parts, "at", length))


class ShardedJudge:
    """Held-out graphs, dealt to the shards."""

    def __init__(self, parts: Sequence[Any], held_out: Sample | StoredSample) -> None:
        self.parts = parts
        self._held_out = held_out

    def judge(
        self, matched: ShardedMatched, chosen: Bools, z: Floats, coef: Floats, beta0: Intercept
    ) -> Judgement:
        """Judge the model of the chosen graphlets."""
        asked = [(own, chosen, z, coef, beta0) for own in matched.parts[: len(self.parts)]]
        answers = ask_each(self.parts, "sums", asked)
        f = joined(self._held_out, [own for _, _, own in answers])
        loss = _total([loss for loss, _, _ in answers])
        return Judgement(loss, _total([sums for _, sums, _ in answers]).score, f)


def _total(parts: Sequence[Any]) -> Any:
    """Add what shards returned, in their order."""
    return reduce(add, parts)


def _totals(parts: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Add pairs."""
    return _total([first for first, _ in parts]), _total([second for _, second in parts])
