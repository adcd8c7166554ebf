"""Small training sets, solvers that are watched at work, and models rebuilt from path points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from unittest.mock import patch

import numpy as np
from reference import convex
from reference.occurrences import initial_psi, occurrence_costs
from reference.plain import plain_graphs
from reference.search import label_means
from tree_listing import node_pattern

from aglets import Graphlet, GraphSet, agis, mining
from aglets._core import GraphletBank, SparseRows
from aglets.model import losses
from aglets.training.engine import Goal, LocalPlacement
from aglets.training.engine.graphlet_names import patterns_of
from aglets.training.engine.local import TABLE_BYTES
from aglets.training.optim.state import Problem, State
from aglets.training.path import SOLVERS, Schedule, Validation, lagra_path
from aglets.training.path_point import PathPoint
from aglets.training.sample import Sample

# Losses with a slow form in tests/reference; test_loss.py takes all that are registered.
CLASSIFICATION = [losses.SquaredHinge(), losses.Logistic()]
REGRESSION = [losses.Squared(), losses.Huber(0.7)]
ALL_LOSSES = CLASSIFICATION + REGRESSION


def held(bank: GraphletBank, handles: np.ndarray, dense: np.ndarray) -> np.ndarray:
    """A number per graphlet and supporting graph, flat, out of one per graphlet and graph."""
    own = [row[bank.support(handle)] for handle, row in zip(handles.tolist(), dense, strict=True)]
    return np.concatenate([np.empty(0), *own])


def dense(rows: SparseRows) -> np.ndarray:
    """A row per graphlet and a column per graph, zeros included."""
    return rows.dense(0, rows.n_graphs)


def random_set(
    n: int,
    seed: int,
    *,
    d: int = 2,
    edge_labels: bool = False,
    edge_attributes: bool = False,
    unit: float | None = None,
) -> GraphSet:
    """Random trees with up to two chords, three labels, Gaussian attributes.

    With ``unit`` attributes are rounded to its multiples, so that embeddings tie.
    """
    rng = np.random.default_rng(seed)

    def rows(k: int, width: int) -> np.ndarray:
        drawn = rng.normal(size=(k, width))
        return drawn if unit is None else np.round(drawn / unit) * unit

    columns: dict[str, list] = {"labels": [], "edges": [], "attributes": []}
    marks, edge_rows = [], []
    for _ in range(n):
        k = int(rng.integers(4, 9))
        edges = {(int(rng.integers(v)), v) for v in range(1, k)}
        for _ in range(2):
            u, v = sorted(rng.choice(k, 2, replace=False).tolist())
            edges.add((u, v))
        columns["labels"].append(rng.choice(["C", "N", "O"], k, p=[0.6, 0.2, 0.2]).tolist())
        columns["edges"].append(sorted(edges))
        columns["attributes"].append(rows(k, d))
        marks.append(rng.choice(["single", "double"], len(edges)).tolist())
        edge_rows.append(rows(len(edges), 1))
    return GraphSet.from_lists(
        **columns,
        edge_labels=marks if edge_labels else None,
        edge_attributes=edge_rows if edge_attributes else None,
    )


def targets(graphs: GraphSet, loss: losses.Loss, seed: int = 0) -> np.ndarray:
    """What to learn: partly the number of nodes and the mean attribute, partly noise."""
    rng = np.random.default_rng(seed)
    means = [graph.attributes[:, :1].sum() / max(len(graph.labels), 1) for graph in graphs]
    signal = graphs.n_nodes - graphs.n_nodes.mean() + 3.0 * np.array(means)
    signal = signal + rng.normal(size=len(graphs))
    return np.where(signal > np.median(signal), 1.0, -1.0) if loss.classification else signal


def sample_of(graphs: GraphSet, y, weight=None, covariates=None) -> Sample:
    """Graphs with targets, of one output or a row for each, and weights."""
    weight = np.ones(len(graphs)) if weight is None else np.asarray(weight, dtype=float)
    rows = np.atleast_2d(np.asarray(y, dtype=float))
    values = None if covariates is None else np.asarray(covariates, dtype=float)
    return Sample(graphs, rows, weight, weight, values)


def placed(
    graphs: GraphSet, y, tree: mining.Tree, *, table_bytes: int = TABLE_BYTES, **known
) -> LocalPlacement:
    """Training graphs on a tree of the test's own."""
    return LocalPlacement(sample_of(graphs, y, **known), tree, table_bytes)


def walked_path(
    graphs: GraphSet,
    y,
    *,
    loss: losses.Loss,
    rho: float,
    tree: mining.Tree | None = None,
    maxpat: int | None = None,
    output: int = 0,
    placement: LocalPlacement | None = None,
    sample_weight=None,
    covariates=None,
    covariate_penalty: float = 0.0,
    validation=None,
    validation_covariates=None,
    resume=None,
    note=None,
    **schedule,
) -> Iterator[PathPoint]:
    """Walk a path on these graphs, or on those of a placement that several paths share."""
    if placement is None:
        placement = placed(graphs, y, tree, weight=sample_weight, covariates=covariates)
    size = placement.tree.maxpat if maxpat is None else maxpat
    held = None
    if validation is not None:
        held_graphs, held_y, held_weight = validation
        rows = np.tile(held_y, (output + 1, 1))
        sample = sample_of(held_graphs, rows, held_weight, validation_covariates)
        held = Validation(sample)
    return lagra_path(
        Problem.of(placement, Goal(loss, rho, size, output, covariate_penalty)),
        Schedule(**schedule),
        validation=held,
        resume=resume,
        note=note,
    )


def graphlets_of(
    graphs: GraphSet, patterns: Sequence[mining.Pattern], z: np.ndarray
) -> list[Graphlet]:
    """Patterns and their flat attributes as public graphlets, in the label values of `graphs`."""
    found, at = [], 0
    marks = graphs.edge_vocabulary
    for pattern in patterns:
        k, m = len(pattern.types), len(pattern.edges)
        n_node, n_edge = k * graphs.n_attributes, m * graphs.n_edge_attributes
        nodes = z[at : at + n_node].reshape(k, -1) if n_node else np.empty((k, 0))
        edges = z[at + n_node : at + n_node + n_edge].reshape(m, -1) if n_edge else np.empty((m, 0))
        at += n_node + n_edge
        found.append(
            Graphlet(
                labels=[graphs.vocabulary[code] for code in pattern.labels],
                edges=pattern.edges,
                attributes=nodes,
                edge_labels=None if marks is None else [marks[c] for c in pattern.edge_labels],
                edge_attributes=(
                    None
                    if graphs.edge_attributes is None
                    else edges.reshape(m, graphs.n_edge_attributes)
                ),
            )
        )
    assert at == len(z)
    return found


def decision(point: PathPoint, train: GraphSet, graphs: GraphSet) -> np.ndarray:
    """f of the model of a path point on any graphs, by `agis` alone."""
    if not len(point.beta):
        return np.full(len(graphs), point.beta0)
    graphlets = graphlets_of(train, point.patterns, point.z)
    return point.beta0 + agis(graphs, graphlets, point.rho) @ point.beta


@dataclass
class Visit:
    """What a solver went through at one lambda."""

    lam: float
    problem: Problem
    before: State
    epochs: list[State] = field(default_factory=list)
    final: State | None = None


class Watched:
    """A solver of the library that remembers every state."""

    def __init__(self, solver: str) -> None:
        self.solver = SOLVERS[solver]()
        self.visits: list[Visit] = []

    def epoch(self, problem, state, lam, learn):
        if not self.visits or self.visits[-1].final is not None:
            self.visits.append(Visit(lam, problem, state))
        progress = self.solver.epoch(problem, state, lam, learn)
        self.visits[-1].epochs.append(progress.state)
        return progress

    def close(self, problem, state, lam):
        progress = self.solver.close(problem, state, lam)
        self.visits[-1].final = progress.state
        return progress


def watched_path(graphs: GraphSet, y, *, solver: str, **options):
    """The points of a path, and what the solver went through at each."""
    watched = Watched(solver)
    with patch.dict(SOLVERS, {"watched": lambda: watched}):
        points = list(walked_path(graphs, y, solver="watched", **options))
    return points, watched.visits


@dataclass
class Everything:
    """All patterns of a training set by the slow code, at their initial attributes."""

    patterns: list
    psi: np.ndarray  # (n_graphs, n_patterns)

    @classmethod
    def of(cls, graphs: GraphSet, maxpat: int, rho: float) -> Everything:
        plain = plain_graphs(graphs)
        table = occurrence_costs(plain, label_means(plain), maxpat)
        return cls(*initial_psi(table, len(graphs), rho))

    def minimum(self, y, lam: float, loss: losses.Loss, weights=None) -> convex.Solution:
        """The global minimum over all patterns with fixed attributes."""
        theirs, weights = reference_loss(loss, y, weights)
        return convex.solve(self.psi, y, lam, theirs, weights)

    def violations(self, visit: Visit, y, loss: losses.Loss) -> tuple[float, float]:
        """Largest violation of the KKT conditions of beta over all patterns, and that of beta_0.

        Patterns in W stand at their trained attributes, psi by `agis`; all others at their start.
        """
        state, tree = visit.final, visit.problem.graphs.placement.tree
        psi, beta = self.psi.copy(), np.zeros(len(self.patterns))
        if len(state.names):
            graphlets = graphlets_of(tree.graphs, state.patterns, state.z)
            trained = agis(tree.graphs, graphlets, rho=visit.problem.goal.rho)
            place = {pattern: j for j, pattern in enumerate(self.patterns)}
            nodes = patterns_of(state.names).tolist()
            at = [place[node_pattern(tree, node)] for node in nodes]
            assert len(set(at)) == len(at), "a pattern is in the working set twice"
            psi[:, at], beta[at] = trained, state.beta
        theirs, weights = reference_loss(loss, y)
        slope = 0.5 * weights * theirs.slope(y, state.beta0 + psi @ beta)
        g = -psi.T @ slope
        inside = np.abs(g - visit.lam * np.sign(beta))
        outside = np.maximum(np.abs(g) - visit.lam, 0.0)
        return float(np.where(beta != 0.0, inside, outside).max()), abs(float(slope.sum()))


def reference_loss(loss: losses.Loss, y, weights=None) -> tuple[convex.Loss, np.ndarray]:
    """The same loss in the slow code, with the weights that make its scale equal."""
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    if isinstance(loss, losses.Logistic):  # ours is twice theirs: the 1/2 of F is not in theirs
        return convex.Logistic(), 2.0 * weights
    if isinstance(loss, losses.Huber):
        return convex.Huber(loss.epsilon), weights
    kind = convex.SquaredHinge if isinstance(loss, losses.SquaredHinge) else convex.Squared
    return kind(), weights
