"""Random problems whose outputs share graphlets, held against slow code that lists everything.

With fixed attributes the problem is convex: every point of a path must have the objective of the
global minimum over all patterns, and fulfil the conditions of an optimum for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from path_tools import Everything, random_set, reference_loss
from reference import shared

from aglets import GraphSet, mining
from aglets.model import losses
from aglets.model.losses import JointLoss
from aglets.training.engine import Goal, LocalPlacement, ShardedEngine
from aglets.training.engine.protocol import MiningPlan
from aglets.training.optim.state import Problem
from aglets.training.path import Schedule, lagra_path
from aglets.training.path_point import PathPoint
from aglets.training.sample import Sample

KINDS = ("classes", "softmax", "tasks")
RHO, MAXPAT = 0.3, 3


@dataclass
class SharedProblem:
    """Graphs with several outputs."""

    kind: str
    graphs: GraphSet
    targets: np.ndarray
    weights: np.ndarray
    loss: JointLoss
    sharing: float

    @classmethod
    def draw(cls, seed: int, kind: str | None = None, n_graphs: int = 24) -> SharedProblem:
        """Draw one; several tasks have losses, gaps and scales of their own."""
        rng = np.random.default_rng(seed)
        kind = KINDS[seed % len(KINDS)] if kind is None else kind
        graphs = random_set(n_graphs, seed, d=int(rng.integers(0, 3)))
        n_outputs = int(rng.integers(2, 6))
        signal = np.array([graph.attributes.sum() + len(graph.labels) for graph in graphs])
        noise = rng.normal(size=(n_outputs, n_graphs))
        if kind == "tasks":
            kinds = [losses.SquaredHinge(), losses.Logistic(), losses.Squared(), losses.Huber(0.7)]
            each = [kinds[int(k)] for k in rng.integers(0, 4, n_outputs)]
            numbers = rng.normal(size=(n_outputs, 1)) * (signal - signal.mean()) + noise
            signs = np.where(numbers > np.median(numbers, axis=1, keepdims=True), 1.0, -1.0)
            y = np.array(
                [signs[k] if own.classification else numbers[k] for k, own in enumerate(each)]
            )
            weights = rng.uniform(0.2, 2.0, y.shape) * (rng.random(y.shape) > 0.3)
            loss = JointLoss([(slice(k, k + 1), own) for k, own in enumerate(each)])
        else:
            classes = (signal[None] * np.arange(n_outputs)[:, None] / 4.0 + noise).argmax(axis=0)
            classes[:n_outputs] = np.arange(n_outputs)  # none is missing
            y = np.where(classes == np.arange(n_outputs)[:, None], 1.0, -1.0)
            own = (
                losses.Softmax()
                if kind == "softmax"
                else [losses.SquaredHinge(), losses.Logistic()][int(rng.integers(2))]
            )
            weights = np.tile(rng.uniform(0.2, 2.0, n_graphs), (n_outputs, 1))
            loss = JointLoss([(slice(0, n_outputs), own)])
        return cls(kind, graphs, y, weights, loss, float(rng.choice([0.0, 0.5, 0.9, 1.0, 1.0])))

    @property
    def sample(self) -> Sample:
        """As engines take it."""
        return Sample(self.graphs, self.targets, np.ones(len(self.graphs)), self.weights)

    @property
    def slow_loss(self) -> shared.Separate | shared.Softmax:
        """The same loss, slowly."""
        if self.kind == "softmax":
            return shared.Softmax()
        each = [self.loss.loss_of(k) for k in range(len(self.targets))]
        return shared.Separate(
            [reference_loss(own, y) for own, y in zip(each, self.targets, strict=True)]
        )

    def goal(self, **changes) -> Goal:
        """All outputs together."""
        options = {"rho": RHO, "maxpat": MAXPAT, "output": None, "sharing": self.sharing}
        return Goal(self.loss, **(options | changes))

    def problem(self, n_jobs: int = 1, n_shards: int = 0, goal: Goal | None = None) -> Problem:
        """Place the graphs."""
        goal = self.goal() if goal is None else goal
        if n_shards:
            plan = MiningPlan(MAXPAT, n_jobs=n_jobs)
            return Problem.of(ShardedEngine(n_shards).place(self.sample, plan), goal)
        tree = mining.Tree(self.graphs, maxpat=MAXPAT, n_jobs=n_jobs)
        return Problem.of(LocalPlacement(self.sample, tree), goal)

    def path(self, problem: Problem | None = None, **schedule) -> list[PathPoint]:
        """Walk a path with fixed attributes unless said otherwise."""
        options = {"n_lambdas": 5, "lambda_min_ratio": 0.05, "learn_attributes": False} | schedule
        return list(lagra_path(problem or self.problem(), Schedule(**options)))

    def minimum(self, psi: np.ndarray, lam: float) -> shared.Solution:
        """Solve over all patterns, slowly."""
        return shared.solve(psi, self.targets, self.weights, self.slow_loss, lam, self.sharing)


def differences(seed: int, kind: str | None = None, **schedule) -> list[str]:
    """Say where a path differs from the global minimum over all patterns."""
    drawn = SharedProblem.draw(seed, kind)
    psi = Everything.of(drawn.graphs, MAXPAT, RHO).psi
    found = []
    for point in drawn.path(**schedule):
        best = drawn.minimum(psi, point.lam)
        if not abs(point.objective - best.objective) <= 1e-8 * max(1.0, abs(best.objective)):
            found.append(
                f"{drawn.kind}, sharing {drawn.sharing}, lambda {point.lam:.4g}: objective "
                f"{point.objective:.12g} instead of {best.objective:.12g}"
            )
    return found
