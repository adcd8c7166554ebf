"""All graphs in one place: one shard, with its mining tree and the graphlets in training."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets import _core
from aglets.graphs import GraphSet
from aglets.graphs.arrays import Bools, Codes, Floats, Ints
from aglets.mining import Found, Pattern, Starts, Tree
from aglets.mining.arguments import checked_scale
from aglets.mining.growth import Growth
from aglets.model.losses import JointLoss
from aglets.preprocessing.starts import starting_vectors
from aglets.training.engine.covariate_design import CovariateDesign, CovariateMoments
from aglets.training.engine.graphlet_names import (
    CHANNELS,
    named,
    patterns_of,
    pooling_of,
)
from aglets.training.engine.matched import LocalMatched, LocalScores, decision, score_sums
from aglets.training.engine.protocol import Goal, Intercept, Judgement, MiningPlan
from aglets.training.engine.score_sums import JointScoreSums, ScoreSums
from aglets.training.engine.values import Values, dealt, matched_values, parts_of, unpacked
from aglets.training.sample import Sample
from aglets.training.stored import StoredSample

__all__ = ["LocalEngine", "LocalGraphs", "LocalPlacement", "planted_tree", "starting_attributes"]


#: Largest table of embedded attributes for one graphlet; beyond it graphs are searched again.
TABLE_BYTES = 16 << 20


@dataclass(frozen=True)
class LocalEngine:
    """Trains on all graphs in this process, in one piece; what ``engine=None`` means.

    Examples
    --------
    >>> LocalEngine()
    LocalEngine()
    """

    def session(self) -> AbstractContextManager[None]:
        """Nothing has to be started."""
        return nullcontext()

    def place(self, sample: Sample | StoredSample, plan: MiningPlan) -> LocalPlacement:
        """Plant the tree that all paths of a fit share."""
        sample = sample.load()
        starts = starting_vectors(sample.graphs, plan.starts, sample.sample_weight)
        return LocalPlacement(sample, planted_tree(sample.graphs, starts, plan))


def planted_tree(graphs: GraphSet, starts: Starts, plan: MiningPlan) -> Tree:
    """Make the mining tree of training graphs."""
    return Tree(
        graphs,
        maxpat=plan.maxpat,
        starts=starts,
        max_nodes=plan.max_nodes,
        max_bytes=plan.max_bytes,
        n_jobs=plan.n_jobs,
    )


class LocalPlacement:
    """Training graphs, their mining tree, and the patterns that entered training.

    Parameters
    ----------
    sample : Sample
        In model units.
    tree : Tree
        Of the same graphs.
    table_bytes : int
        Largest table of embedded attributes for one graphlet.
    """

    def __init__(self, sample: Sample, tree: Tree, table_bytes: int = TABLE_BYTES) -> None:
        self.sample = sample
        self.tree = tree
        self.table_bytes = table_bytes
        self.bank = _core.GraphletBank(tree.graphs.core, table_bytes)
        self.entered: list[tuple[Pattern, int]] = []  # by handle, with the channel
        self._handles: dict[tuple[int, tuple[bytes, ...]], int] = {}
        self._with_tables: dict[tuple[bytes | int, ...], int] = {}
        self._held_out: dict[int, HeldOut] = {}
        self._loaded: dict[int, tuple[StoredSample, Sample]] = {}
        self._seconds = 0.0  # of searches before time was last granted
        self._adopted: Growth | None = None
        self._is_used = False

    @property
    def n_outputs(self) -> int:
        """Number of targets of each graph."""
        return len(self.sample.targets)

    def spent(self) -> tuple[int, float]:
        """Work and seconds of all searches so far."""
        return self.tree.work_spent, self._seconds + self.tree.seconds_spent

    def allow(self, max_work: int | None, max_seconds: float | None) -> None:
        """Grant so much to the searches from now on."""
        self._seconds += self.tree.seconds_spent
        begun = 0
        if self._adopted is not None:
            begun, self._adopted = self._adopted.begun, replace(self._adopted, begun=0)
        self.tree.allow(max_work=max_work, max_seconds=max_seconds, begun=begun)

    def growth(self) -> Growth:
        """How far the tree has grown."""
        return self.tree.growth if self._adopted is None else self._adopted

    def adopt(self, growth: Growth) -> None:
        """Take the tree as grown like that: it is, once a path needs it."""
        if not self._is_used:
            self.tree.charge(growth.work - self.tree.work_spent, 0.0)
            self._adopted = growth

    def settle(self, work: int, seconds: float) -> None:
        """Count as spent, in all, what another process spent that had these graphs before."""
        own, own_seconds = self.spent()
        self.tree.charge(work - own, seconds - own_seconds)

    def graphs_for(self, goal: Goal, design: CovariateDesign | None = None) -> LocalGraphs:
        """Return the graphs as one path sees them; a design of several shards comes from them."""
        self._is_used = True
        if self._adopted is not None:
            grown, self._adopted = self._adopted, None
            self.tree.grow_as(grown)
        values, weight = self.sample.covariates, self.weight_of(goal.output)
        if design is None and values is not None:
            design = CovariateDesign.of(values, goal.covariate_penalty, weight)
        return LocalGraphs(self, goal, design)

    def handles(self, names: Ints, patterns: Sequence[Pattern] | None = None) -> Codes:
        """Return the handle of each graphlet, taking up those that are new.

        A pattern that the tree lacks is taken up without support.
        """
        given = [None] * len(names) if patterns is None else patterns
        found = [self._handle(name, p) for name, p in zip(names.tolist(), given, strict=True)]
        return np.array(found, dtype=np.int32)

    def loaded(self, held_out: Sample | StoredSample) -> Sample:
        """Return held-out graphs in memory; those in files are read once."""
        if isinstance(held_out, Sample):
            return held_out
        if id(held_out) not in self._loaded:
            self._loaded[id(held_out)] = held_out, held_out.load()
        return self._loaded[id(held_out)][1]

    def held_out(self, graphs: GraphSet) -> HeldOut:
        """Return the same patterns on other graphs, kept for the next path that asks."""
        if id(graphs) not in self._held_out:
            self._held_out[id(graphs)] = HeldOut(self, graphs)
        return self._held_out[id(graphs)]

    def roots(self) -> tuple[Ints, Codes]:
        """Return the names of patterns of one node, and their types."""
        return self.tree.roots()

    def order(self) -> tuple[Codes, Codes]:
        """Return what types and edge labels in canonical order are called outside of the tree."""
        return self.tree.order.types, self.tree.order.edge_labels

    def children(self, names: Ints, maxpat: int) -> tuple[Codes, Ints, Codes, Codes]:
        """Return the children of tree nodes, grown if need be (`Tree.children`)."""
        return self.tree.children(names, maxpat=maxpat)

    def weight_of(self, output: int | None) -> Floats:
        """Return the weights of graphs for an output, or their means over all outputs."""
        weights = self.sample.weights
        return np.asarray(weights.mean(axis=0) if output is None else weights[output])

    def covariate_moments(self, output: int | None) -> CovariateMoments:
        """Sum up the covariates, weighted as one output is, or as all are."""
        return CovariateMoments.of(self._covariates, self.weight_of(output))

    def covariate_squares(self, output: int | None, mean: Floats) -> Floats:
        """Weighted sum of squared distances from the mean."""
        return np.asarray(self.weight_of(output) @ (self._covariates - mean) ** 2)

    def covariate_triangle(self, mean: Floats, back: Floats) -> Floats:
        """R of a QR decomposition of the scaled covariates."""
        triangle: Floats = np.linalg.qr((self._covariates - mean) @ back, mode="r")  # type: ignore[assignment]
        return triangle

    @property
    def _covariates(self) -> Floats:
        assert self.sample.covariates is not None
        return self.sample.covariates

    def _handle(self, name: int, pattern: Pattern | None) -> int:
        missing = name < 0 and pattern is not None
        key = name, tuple(part.tobytes() for part in pattern or ()) if missing else ()
        if key not in self._handles:
            node, channel = divmod(name, len(CHANNELS))
            support = self.tree.costs(node)[0] if node >= 0 else np.empty(0, dtype=np.int32)
            pattern = self.tree.pattern(node) if pattern is None else pattern
            self._handles[key] = self._added(pattern, channel, support)
        return self._handles[key]

    def _added(self, pattern: Pattern, channel: int, support: Codes) -> int:
        """Let the bank take up a pattern; those that differ in their starts alone share a table."""
        parts = [part.tobytes() for part in pattern[1:]]
        same: tuple[bytes | int, ...] = (channel, hash(support.tobytes()), *parts)
        if same not in self._with_tables:
            handle = added(self.bank, pattern, channel, support)
            self.entered.append((pattern, channel))
            if not self.bank.has_table(handle):
                return handle
            self._with_tables[same] = handle
        return self._with_tables[same]


class LocalGraphs:
    """The graphs of one shard at one rho, maxpat, loss and output.

    Parameters
    ----------
    placement : LocalPlacement
    goal : Goal
    design : CovariateDesign or None
    """

    def __init__(
        self, placement: LocalPlacement, goal: Goal, design: CovariateDesign | None
    ) -> None:
        sample = placement.sample
        self.placement = placement
        self.rho, self.maxpat, self.output = goal.rho, goal.maxpat, goal.output
        self.pooling, self.count_scale = goal.pooling, goal.count_scale
        self.counts = goal.pooling != ("best",)
        self.loss, self.sharing = goal.loss, goal.sharing
        self.one_target = isinstance(goal.loss, JointLoss) and goal.loss.one_target
        self.y, self.weight = rows_of(sample, goal.output)
        self.design = design
        self.ones = _core.SparseRows.of(np.ones((1, self.y.shape[-1])))
        self.covariates = covariate_rows(design, sample.covariates)
        largest = int(sample.graphs.n_nodes.max(initial=0))
        self.node_type: npt.DTypeLike = np.uint8 if largest <= 2**8 else np.int32

    @property
    def n_jobs(self) -> int:
        """Number of threads."""
        return self.placement.tree.n_jobs

    def curvature_bound(self) -> float:
        """Bound the second derivative of the loss by the intercept."""
        return float(self.loss.curvature_bound(self.weight).sum())

    def nothing_matched(self) -> LocalMatched:
        """Return no graphlets, only covariates."""
        return LocalMatched(
            self,
            np.empty(0, dtype=np.int32),
            (),
            Values.none(self.y.shape[-1], self.counts),
        )

    def search(self, scores: LocalScores, lam: float) -> Found:
        """Find every untrained graphlet with |g| > lam (Algorithm 2)."""
        found = self.placement.tree.search(
            scores.residual,
            lam=lam,
            rho=self.rho,
            maxpat=self.maxpat,
            pooling=self.pooling,
            sharing=self.sharing,
            count_scale=self.count_scale,
        )
        channels = pooling_of(self.pooling, self.count_scale)
        return replace(found, nodes=named(found.nodes, channels[found.channels]))

    def lambda_max(self, scores: LocalScores) -> tuple[float, int]:
        """Largest |g| of all untrained graphlets, and the size of the pattern that has it."""
        tree = self.placement.tree
        value, node = tree.lambda_max(
            scores.residual,
            rho=self.rho,
            maxpat=self.maxpat,
            pooling=self.pooling,
            sharing=self.sharing,
            count_scale=self.count_scale,
        )
        return value, 0 if node < 0 else len(tree.pattern(node).types)

    def signed_sums(self, scores: LocalScores, nodes: Ints) -> tuple[Floats, Floats]:
        """G of untrained graphlets, split by the sign of the residual (`Tree.signed_sums`).

        A row per tree node, and a column per channel; a last axis for several outputs.
        """
        up, down = self.placement.tree.signed_sums(
            nodes,
            scores.residual,
            rho=self.rho,
            pooling=self.pooling,
            count_scale=self.count_scale,
        )
        return (up[:, :, 0], down[:, :, 0]) if self.y.ndim == 1 else (up, down)

    def work_spent(self) -> int:
        """Work of all searches so far."""
        return self.placement.tree.work_spent

    def patterns(self, names: Ints) -> tuple[Pattern, ...]:
        """Return the patterns behind names."""
        return tuple(self.placement.tree.pattern(node) for node in patterns_of(names).tolist())

    def names(self, patterns: Sequence[Pattern], channels: Codes) -> Ints:
        """Return the names of graphlets that were in training before."""
        found = [self.placement.tree.find(pattern) for pattern in patterns]
        return named(np.array(found, dtype=np.int64), channels)

    def start(self, patterns: Sequence[Pattern]) -> tuple[Floats, Ints]:
        """Return where these graphlets start, flat, and the number of entries of each."""
        return starting_attributes(self.placement.tree.starts, patterns)

    def restored(
        self,
        names: Ints,
        z: Floats,
        embedding: Codes,
        patterns: Sequence[Pattern] | None = None,
    ) -> LocalMatched:
        """Match graphlets of a checkpoint: ties go to their embeddings."""
        if not len(names):
            return self.nothing_matched()
        handles = self.placement.handles(names, patterns)
        packed = self.packed(self.embedding_lengths(handles), embedding)
        values, _ = self.match_by_parts(handles, z, packed)
        return LocalMatched(self, handles, packed, values)

    def embedding_size(self, names: Ints, patterns: Sequence[Pattern]) -> int:
        """Count the entries of the embeddings of some graphlets."""
        return int(self.embedding_lengths(self.placement.handles(names, patterns)).sum())

    def judge_on(self, held_out: Sample | StoredSample, keep_f: bool = False) -> LocalJudge:
        """Take graphs in model units to judge models on."""
        return LocalJudge(self, self.placement.loaded(held_out), keep_f)

    def handles(self, names: Ints, patterns: Sequence[Pattern] | None) -> Codes:
        """Return the handles of tree nodes."""
        return self.placement.handles(names, patterns)

    def embedding_lengths(self, handles: Codes) -> Ints:
        """Count the entries of each graphlet in the flat embeddings."""
        bank = self.placement.bank
        return np.array([bank.n_sites(handle) for handle in handles.tolist()], dtype=np.int64)

    def attribute_lengths(self, handles: Codes) -> Ints:
        """Count the entries of each graphlet in the flat attributes."""
        bank = self.placement.bank
        return np.array([bank.n_attributes(handle) for handle in handles.tolist()], dtype=np.int64)

    def packed(self, lengths: Ints, embedding: Codes) -> tuple[Codes, ...]:
        """Divide flat embeddings by graphlet, with no more bytes than the largest graph needs."""
        return parts_of(embedding.astype(self.node_type), lengths)

    def match(
        self, handles: Codes, z: Floats, previous: Codes | None = None
    ) -> tuple[Values, Codes]:
        """Match graphlets at attributes z; ties go to the `previous` embeddings."""
        placement = self.placement
        return matched_values(
            placement.bank,
            handles,
            z,
            previous,
            rho=self.rho,
            counts=self.counts,
            n_jobs=self.n_jobs,
        )

    def match_by_parts(
        self, handles: Codes, z: Floats, previous: Sequence[Codes] | None = None
    ) -> tuple[Values, tuple[Codes, ...]]:
        """Match some graphlets at a time; embeddings are given and come packed, per graphlet."""
        lengths = self.embedding_lengths(handles)
        part = dealt(lengths, self.n_jobs)
        if not part.any():
            before = None if previous is None else unpacked(previous)
            values, embedding = self.match(handles, z, before)
            return values, self.packed(lengths, embedding)
        owner = np.repeat(part, self.attribute_lengths(handles))
        values = Values.none(self.y.shape[-1], self.counts)
        packed: tuple[Codes, ...] = ()
        for i in range(part[-1] + 1):
            own = part == i
            before = None
            if previous is not None:
                before = unpacked([previous[j] for j in np.flatnonzero(own).tolist()])
            new, embedding = self.match(handles[own], z[owner == i], before)
            values = values.joined(new)
            packed += self.packed(lengths[own], embedding)
        return values, packed

    def pull(self, handles: Codes, z: Floats, embedding: Codes, weights: Floats) -> Floats:
        """sum_i w_iH (z_H - x_i) with x_i the attributes matched in graph i; flat as z.

        The z-gradient of sum_i c_iH psi_iH is this with w = -2 rho c psi.
        """
        return self.placement.bank.pull(handles, z, embedding, weights, self.n_jobs)

    def pull_places(
        self, handles: Codes, z: Floats, embedding: Codes, scores: Floats, weights: Floats
    ) -> Floats:
        """Return the z-gradient of sum_i c_iH value_iH for weights -2 rho c, flat as z."""
        bank = self.placement.bank
        return bank.pull_places(handles, z, embedding, scores, weights, self.n_jobs)

    def pooled(self, handles: Codes, scores: Floats) -> _core.SparseRows:
        """Make values of numbers per place, as the channel of each graphlet asks for."""
        return self.placement.bank.pool(handles, scores, self.n_jobs)

    def takes_roots(self, handles: Codes) -> Bools:
        """Whether the value of each graphlet is the square root of a sum or mean."""
        entered = self.placement.entered
        scales = [CHANNELS[entered[handle][1]].count_scale for handle in handles.tolist()]
        return np.array([scale == "sqrt" for scale in scales], dtype=bool)


class HeldOut:
    """Graphs outside of training, matched with graphlets that are in it.

    Label codes must be those of the training graphs (`GraphSet.with_vocabulary`).
    """

    def __init__(self, placement: LocalPlacement, graphs: GraphSet) -> None:
        self.graphs = graphs
        self._placement = placement
        self._bank = _core.GraphletBank(graphs.core, placement.table_bytes)
        self._handles: dict[int, int] = {}

    def psi(self, handles: Codes, z: Floats, rho: float, counts: bool) -> _core.SparseRows:
        """Values of graphlets (rows) on these graphs (columns)."""
        own = np.array([self._handle(h) for h in handles.tolist()], dtype=np.int32)
        n_jobs = self._placement.tree.n_jobs
        values, _ = matched_values(self._bank, own, z, None, rho=rho, counts=counts, n_jobs=n_jobs)
        return values.rows

    def _handle(self, handle: int) -> int:
        if handle not in self._handles:
            pattern, channel = self._placement.entered[handle]
            support = self._bank.find_support(core_pattern(pattern))
            self._handles[handle] = added(self._bank, pattern, channel, support)
        return self._handles[handle]


class LocalJudge:
    """Held-out graphs of one shard.

    Parameters
    ----------
    graphs : LocalGraphs
        The training graphs.
    held_out : Sample
    keep_f : bool
        Whether to give every f, too.
    """

    def __init__(self, graphs: LocalGraphs, held_out: Sample, keep_f: bool) -> None:
        self._rho, self._loss, self._keep_f = graphs.rho, graphs.loss, keep_f
        self._counts = graphs.counts
        self._held_out = graphs.placement.held_out(held_out.graphs)
        self._y, self._weight = rows_of(held_out, graphs.output)
        self._covariates = None
        if graphs.design is not None and held_out.covariates is not None:
            self._covariates = covariate_rows(graphs.design, held_out.covariates)

    def judge(
        self, matched: LocalMatched, chosen: Bools, z: Floats, coef: Floats, beta0: Intercept
    ) -> Judgement:
        """Judge the model of the chosen graphlets."""
        loss, sums, f = self.sums(matched, chosen, z, coef, beta0)
        return Judgement(loss, sums.score, f)

    def sums(
        self, matched: LocalMatched, chosen: Bools, z: Floats, coef: Floats, beta0: Intercept
    ) -> tuple[float, ScoreSums | JointScoreSums, Floats]:
        """Loss, what the score is made of, and f if it was asked for."""
        f = self._decision(matched, chosen, z, coef, beta0)
        loss = self._loss.value(self._y, f, self._weight)
        sums = score_sums(self._loss, self._y, f, self._weight)
        return loss, sums, f if self._keep_f else np.empty(0)

    def _decision(
        self, matched: LocalMatched, chosen: Bools, z: Floats, coef: Floats, beta0: Intercept
    ) -> Floats:
        n = np.count_nonzero(chosen)
        base: Any = np.asarray(beta0)[..., None]
        if self._covariates is not None:
            base = decision(coef[n:], beta0, self._covariates)
        if not n:
            return np.full(self._y.shape, base)
        psi = self._held_out.psi(matched.handles[chosen], z, self._rho, self._counts)
        return np.asarray(base + decision(coef[:n], 0.0 * np.asarray(beta0), psi))


def covariate_rows(
    design: CovariateDesign | None, values: Floats | None
) -> _core.SparseRows | None:
    """Return covariates in the units of the design, a row per column of theirs."""
    if design is None or values is None:
        return None
    return _core.SparseRows.of(np.ascontiguousarray(design.rows(values)))


def rows_of(sample: Sample, output: int | None) -> tuple[Floats, Floats]:
    """Return the targets and weights of one output, or of all of them."""
    rows = slice(None) if output is None else output
    return np.ascontiguousarray(sample.targets[rows]), np.ascontiguousarray(sample.weights[rows])


def starting_attributes(starts: Starts, patterns: Sequence[Pattern]) -> tuple[Floats, Ints]:
    """Return the attributes at which graphlets start, flat, and the number of entries of each."""
    parts = [np.empty(0)]
    sizes = []
    for pattern in patterns:
        nodes = starts.type_starts[pattern.types].ravel()
        edges = starts.edge_starts[pattern.edge_labels].ravel()
        parts += [nodes, edges]
        sizes.append(len(nodes) + len(edges))
    return np.concatenate(parts), np.array(sizes, dtype=np.int64)


def added(bank: _core.GraphletBank, pattern: Pattern, channel: int, support: Codes) -> int:
    """Let a bank take up a pattern that exactly these graphs contain; return its handle."""
    pooling, count_scale = CHANNELS[channel]
    handle: int = bank.add(
        core_pattern(pattern), support, _core.Pooling[pooling], checked_scale(count_scale)
    )
    return handle


def core_pattern(pattern: Pattern) -> _core.Pattern:
    """Return the pattern as the compiled core takes it."""
    return _core.Pattern(pattern.labels, pattern.edges, pattern.edge_labels)
