"""The one seam between solvers and graphs.

What has one entry per graph (psi, f, residuals, embeddings, y, weights) stays with the graphs, in
opaque objects that never change. What crosses has one entry per graphlet or per attribute of a
graphlet, or is a sum over graphs. So the graphs may lie in one place (`LocalEngine`), in several
parts whose sums are added (`ShardedEngine`), or on other machines, and no solver knows.

An `Engine` *places* the training graphs of a fit; the `Placement` serves all its paths. Seen at one
rho, maxpat, loss and output it is a `TrainingGraphs`, which gives `Matched` graphlets, and these
give `Scores`.

Where all outputs are trained together, what is one number or vector per output gets a last axis:
coefficients, slopes and gradients have shape (n_rows, n_outputs), intercepts (n_outputs,), f and
residuals (n_outputs, n_graphs).

An opaque object goes back only to the graphs it came from: such arguments are of type ``Own``.

A graphlet is known by its *name*, a number that its placement gave in a search: it stands for a
pattern and the channel (best, sum or mean of its places) in which it is counted.
Attributes of several graphlets are one flat vector z: for each its node attributes row by row, then
its edge attributes row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from aglets.graphs.arrays import Bools, Codes, Floats, Ints
from aglets.mining import Found, Pattern
from aglets.mining.growth import Growth
from aglets.model.losses import JointLoss, Loss
from aglets.training.engine.covariate_design import CovariateDesign
from aglets.training.sample import Sample
from aglets.training.stored import StoredSample

__all__ = [
    "Engine",
    "Goal",
    "Intercept",
    "Judge",
    "Judgement",
    "Line",
    "Matched",
    "MiningPlan",
    "Own",
    "Placement",
    "Scores",
    "TrainingGraphs",
]

#: What the same graphs gave before: their kind of `Matched` or `Scores`.
Own = Any

#: A number, or one per output.
Intercept = Any


@dataclass(frozen=True)
class MiningPlan:
    """How patterns are mined in the training graphs.

    Parameters
    ----------
    maxpat : int
        The largest that will be asked for.
    starts : int
        Largest number of starting vectors per label.
    max_nodes, max_bytes : int or None
        How large the mining tree may grow.
    n_jobs : int
        Number of threads.
    """

    maxpat: int
    starts: int = 1
    max_nodes: int | None = None
    max_bytes: int | None = None
    n_jobs: int = 1


@dataclass(frozen=True)
class Goal:
    """What one path is trained for.

    Parameters
    ----------
    loss : Loss or JointLoss
        That of the output; joint if all outputs are trained together.
    rho : float
    maxpat : int
    output : int or None
        Which row of the targets; None for all rows, which then share graphlets.
    covariate_penalty : float
        Penalty on covariates as a multiple of lambda.
    pooling : tuple of {"best", "sum", "mean"}
        Channels in which patterns may enter.
    sharing : float
        With all outputs together, the part of the penalty that a graphlet pays once for all of
        them (`Shared`); the rest is paid for every output.
    count_scale : {"raw", "sqrt"}
        Whether sums and means are taken as they are, or their square roots.
    """

    loss: Loss | JointLoss
    rho: float
    maxpat: int
    output: int | None = 0
    covariate_penalty: float = 0.0
    pooling: tuple[str, ...] = ("best",)
    sharing: float = 1.0
    count_scale: str = "raw"

    @property
    def outputs(self) -> tuple[int, ...]:
        """Shape of an intercept: () for one output, else (n_outputs,)."""
        return (self.loss.n_outputs,) if isinstance(self.loss, JointLoss) else ()


@dataclass(frozen=True)
class Judgement:
    """How well a model does on held-out graphs; `f` is empty unless it was asked for."""

    loss: float
    score: float
    f: Floats = field(default_factory=lambda: np.empty(0))


class Line(Protocol):
    """The straight line from some scores in the direction of a change of coefficients."""

    def at(self, length: float) -> Scores:
        """Return the scores after this part of the change."""


class Scores(Protocol):
    """f of every training graph for some coefficients, and the loss there.

    With a_i = -d loss / d f_i and rows that hold psi, and covariates below.
    """

    def value(self) -> float:
        """1/2 sum_i w_i loss(y_i, f_i)."""

    def gradient(self) -> tuple[Floats, Intercept]:
        """(g, slope): g = sum_i a_i rows_i, and sum_i a_i, which is the slope of the intercept."""

    def residual_size(self) -> float:
        """sum_i |a_i|."""

    def score(self) -> float:
        """Weighted accuracy, or R²."""

    def quadratic(self, chosen: Bools, min_bend: float) -> tuple[Floats, Floats]:
        """(Q, g) of the chosen rows and, last, of the intercept: the Newton model of the loss.

        Q = sum_i h_i rows_i rows_i', where the curvature h_i is at least `min_bend` times its
        bound where a_i != 0. With several outputs Q has a last axis for them. If they belong to one
        target and it would be very large, it is one matrix with the largest curvature over outputs.
        """

    def bends(self, min_bend: float) -> Floats:
        """Sum the curvatures of `quadratic` over graphs, for each of several outputs."""

    def line(self, chosen: Bools, change: Floats, change0: Intercept) -> Line:
        """Draw the line along a change of the coefficients of chosen rows and of the intercept."""

    def best_intercept(self, current: Intercept) -> Intercept:
        """Find the number b that minimises the loss of f + b, exactly, from `current`."""

    def z_gradient(self, chosen: Bools, z: Floats, beta: Floats) -> Floats:
        """dF/dz_H = sum_i 2 rho beta_H a_i psi_iH (z_H - x_i) of chosen graphlets, flat."""

    def z_curvature(self, chosen: Bools, beta: Floats) -> Floats:
        """kappa_H = sum_i |w_iH| + h_i (2 rho beta_H psi_iH)² D_iH of chosen graphlets.

        With w the weights of the z-gradient and h the curvature of the loss, it bounds the
        curvature of F in z_H along the gradient.
        """


class Matched(Protocol):
    """Graphlets matched with the training graphs: psi, best embeddings, rows of covariates."""

    def scores(self, coef: Floats, beta0: Intercept) -> Scores:
        """F = beta_0 + coef · rows; `coef` holds those of graphlets, then those of covariates."""

    def entered(self, names: Ints, z: Floats) -> Matched:
        """Append graphlets with these attributes."""

    def moved(self, chosen: Bools, z: Floats) -> Matched:
        """Give the chosen graphlets new attributes, with psi and embeddings to match."""

    def embedding(self) -> Codes:
        """Return the best embeddings, flat: only a checkpoint asks for them."""


class Judge(Protocol):
    """Held-out graphs on which models are judged."""

    def judge(
        self, matched: Own, chosen: Bools, z: Floats, coef: Floats, beta0: Intercept
    ) -> Judgement:
        """Judge the model of the chosen graphlets; `coef` is theirs, then that of covariates."""


class TrainingGraphs(Protocol):
    """The training graphs of one path, for a solver."""

    @property
    def design(self) -> CovariateDesign | None:
        """Units of the covariates."""

    def curvature_bound(self) -> float:
        """Bound the second derivative of the loss by the intercept."""

    def nothing_matched(self) -> Matched:
        """Return no graphlets, only covariates."""

    def search(self, scores: Own, lam: float) -> Found:
        """Find every untrained graphlet with |g| > lam (Algorithm 2); its nodes are names.

        With several outputs |g| is the dual norm of the penalty.
        """

    def lambda_max(self, scores: Own) -> tuple[float, int]:
        """Largest |g| of all untrained graphlets, and the size of the pattern that has it."""

    def work_spent(self) -> int:
        """Work of all searches so far, in units that no clock knows."""

    def patterns(self, names: Ints) -> tuple[Pattern, ...]:
        """Return the patterns behind names."""

    def names(self, patterns: Sequence[Pattern], channels: Codes) -> Ints:
        """Return the names of graphlets that were in training before."""

    def start(self, patterns: Sequence[Pattern]) -> tuple[Floats, Ints]:
        """Return where these graphlets start, flat, and the number of entries of each."""

    def restored(self, names: Ints, z: Floats, embedding: Codes) -> Matched:
        """Match graphlets of a checkpoint: ties go to their embeddings."""

    def judge_on(self, held_out: Sample | StoredSample, keep_f: bool = False) -> Judge:
        """Take graphs in model units to judge models on; `keep_f` asks for every f, too."""


class Placement(Protocol):
    """Training graphs of a fit, mined once for all its paths."""

    @property
    def n_outputs(self) -> int:
        """Number of targets of each graph."""

    def spent(self) -> tuple[int, float]:
        """Work and seconds of all searches so far."""

    def allow(self, max_work: int | None, max_seconds: float | None) -> None:
        """Grant so much to the searches from now on, all together; None for no limit."""

    def graphs_for(self, goal: Goal) -> TrainingGraphs:
        """Return the graphs as one path sees them."""

    def growth(self) -> Growth | None:
        """How far the mining tree has grown, if another placement could begin there."""

    def adopt(self, growth: Growth) -> None:
        """Begin with a tree that was grown so far by an earlier run."""


@runtime_checkable
class Engine(Protocol):
    """Decides where training graphs lie and who computes with them."""

    def session(self) -> AbstractContextManager[None]:
        """Have what the engine needs, such as worker processes, within a block."""

    def place(self, sample: Sample | StoredSample, plan: MiningPlan) -> Placement:
        """Take training graphs in model units."""
