"""Fits with all options drawn at random, held against slow code that lists everything.

Of each fit, every number that a user sees is computed again: psi by listing all embeddings, f and
the objective from psi, lambda_max and the conditions of an optimum from a list of all patterns.
With fixed attributes the problem is convex, so these conditions say that the optimum is global.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np
from path_tools import Watched, random_set, reference_loss
from reference.channels import pooled, root_matches
from reference.matching import psi, shape
from reference.occurrences import initial_psi, occurrence_costs
from reference.patterns import Pattern, canonical, pattern_of
from reference.plain import plain_graphs
from reference.search import Starts, candidate, initial_costs
from scipy.optimize import minimize
from scipy.special import expit
from tree_listing import listed

from aglets import GraphSet, LagraClassifier, LagraRegressor, mining
from aglets.model import losses
from aglets.preprocessing.starts import starting_vectors
from aglets.training.engine.graphlet_names import CHANNELS
from aglets.training.path import NOTHING_LEFT, SOLVERS

CLASS_LOSSES = ("squared_hinge", "logistic")

#: How far conditions of an optimum may be missed, as a part of lambda; and all other numbers.
OPTIMALITY, EXACT = 1e-4, 1e-8
#: Where the model begins is found by steps, which end a little before the optimum.
STEPS = 1e-6


@dataclass
class Case:
    """One drawn problem."""

    seed: int
    loss: str
    graphs: GraphSet
    new: GraphSet
    y: np.ndarray
    weight: np.ndarray | None
    own: np.ndarray | None
    own_new: np.ndarray | None
    options: dict[str, Any]
    differences: list[str] = field(default_factory=list)

    def expect(self, what: str, came: Any, expected: Any, tolerance: float = EXACT) -> None:
        """Note a difference of numbers, relative to the largest of those expected."""
        came, expected = np.asarray(came, dtype=float), np.asarray(expected, dtype=float)
        room = tolerance * max(1.0, float(np.abs(expected).max(initial=0.0)))
        if came.shape != expected.shape or not (np.abs(came - expected) <= room).all():
            self.differences.append(f"{what}: {came.tolist()} instead of {expected.tolist()}")

    def expect_below(self, what: str, came: float, bound: float) -> None:
        """Note a number above its bound."""
        if not came <= bound:
            self.differences.append(f"{what}: {came:.6g} above {bound:.6g}")


def draw(seed: int) -> Case:
    """Draw graphs, targets and every option."""
    rng = np.random.default_rng(seed)

    def one(*values: Any) -> Any:
        return values[int(rng.integers(len(values)))]

    loss = one("squared_hinge", "logistic", "squared", "huber")
    solver = one("fast", "fast", "paper")
    starts = one(1, 1, 1, 2)
    pooling = one(("best",), ("best",), ("sum",), ("best", "sum"), ("mean", "best"))
    kind = {
        "d": one(0, 1, 2),
        "edge_labels": one(False, True),
        "edge_attributes": one(False, True),
        "unit": one(None, 0.5),
    }
    n = int(rng.integers(8, 15))
    both = random_set(n + 4, int(rng.integers(2**31)), **kind)
    graphs, new = both[:n], both[n:]
    options: dict[str, Any] = {
        "loss": loss,
        "solver": solver,
        "starts": starts,
        "rho": float(10.0 ** rng.uniform(-2, 1)),
        "maxpat": one(1, 2, 3, 4) if starts == 1 and pooling == ("best",) else one(1, 2),
        "scale": one("standard", "none", "label"),
        "learn_attributes": one(True, False),
        "pooling": pooling,
        "lambda_ratio": float(rng.uniform(0.05, 0.95)) if solver == "fast" else one(0.5, 0.9),
        "n_lambdas": int(rng.integers(2, 7)),
        "tol": one(1e-4, 1e-6),
        "max_epochs": one(100, 500),
        "n_jobs": one(None, 1, 2),
        "calibration": None,  # further fits on parts of the graphs, which change nothing here
        "covariates": one(None, None, "size"),
        "covariate_penalty": one(0.0, 0.5, 2.0),
    }
    own = rng.normal(size=(n + 4, 2)) if one(True, False, False) else None
    if loss in CLASS_LOSSES:
        n_classes = one(2, 2, 3)
        y = rng.permutation(np.arange(n) % n_classes)
        options["class_weight"] = one(None, "balanced", {0: 2.0})
    else:
        y = graphs.n_nodes + rng.normal(size=n)
        options |= {"epsilon": one(0.3, 1.35)} if loss == "huber" else {}
    weight = one(None, rng.uniform(0.2, 3.0, n), rng.integers(1, 4, n).astype(float))
    parts = (None, None) if own is None else (own[:n], own[n:])
    return Case(seed, loss, graphs, new, y, weight, *parts, options)


def compare(case: Case) -> list[str]:
    """Fit, compute everything again, and return what differs."""
    kind = LagraClassifier if case.loss in CLASS_LOSSES else LagraRegressor
    fitted = kind(**case.options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solver = Watched(case.options["solver"])
        with patch.dict(SOLVERS, {case.options["solver"]: lambda: solver}):
            fitted.fit(case.graphs, case.y, case.weight, covariates=case.own)
        problem = _Problem.of(case, fitted, solver)
        model = fitted.model_
        case.expect("psi", model.agis(case.new), problem.psi_of(model, case.new))
        case.expect(
            "f on new graphs",
            np.atleast_2d(model.decision_function(case.new, case.own_new).T),
            problem.decision(model, case.new, case.own_new),
        )
    objective = 0.0
    lambdas = np.atleast_1d(fitted.lambda_)
    empty = fitted.model_at(0)
    for output, lam in enumerate(lambdas.tolist()):
        objective += problem.objective(model, output, lam)
        problem.check_start(empty, output, float(np.atleast_1d(fitted.lambda_max_)[output]))
        if case.options["solver"] == "fast":
            problem.check_optimum(fitted, output, lam)
    case.expect("objective", fitted.objective_, objective)
    return case.differences


@dataclass
class _Problem:
    """A fit in the units of the model, with all patterns at their starts."""

    case: Case
    targets: np.ndarray  # (n_outputs, n_graphs)
    weight: np.ndarray
    graphs: GraphSet
    candidates: list[tuple[Pattern, str]]
    initial: np.ndarray  # (n_graphs, n_candidates)
    type_labels: np.ndarray
    working_set: set[tuple[Pattern, str]]

    @classmethod
    def of(cls, case: Case, fitted: Any, solver: Watched) -> _Problem:
        graphs = fitted.model_.input_spec.to_model_units(case.graphs)
        sample_weight = np.ones(len(graphs)) if case.weight is None else case.weight
        starts = _starts(graphs, sample_weight, case.options["starts"])
        costs = occurrence_costs if case.options["starts"] == 1 else initial_costs
        plain, rho, pooling = plain_graphs(graphs), case.options["rho"], case.options["pooling"]
        patterns, initial = initial_psi(
            costs(plain, starts, case.options["maxpat"]), len(graphs), rho
        )
        candidates = [(pattern, "best") for pattern in patterns]
        if pooling != ("best",):
            tree = solver.visits[0].problem.graphs.placement.tree
            rooted = _rooted(tree, case.options["maxpat"])
            case.expect("patterns", len(rooted), len(patterns))
            candidates = [(pattern, channel) for pattern in rooted for channel in pooling]
            initial = _pooled(plain, starts, rooted, pooling, rho)
        targets, weight = case.y[None, :], sample_weight
        if case.loss in CLASS_LOSSES:
            classes = np.unique(case.y)
            rows = classes[1:] if len(classes) == 2 else classes
            targets = np.where(case.y == rows[:, None], 1.0, -1.0)
            weight = sample_weight * _class_factors(case, sample_weight)
        labels = starts.type_labels
        entered = _working_set(solver)
        return cls(case, targets, weight, graphs, candidates, initial, labels, entered)

    def psi_of(self, model: Any, graphs: GraphSet) -> np.ndarray:
        """psi of a model's graphlets by listing their embeddings."""
        spec = model.input_spec
        plain = plain_graphs(spec.to_model_units(graphs, warn=False))
        found = np.zeros((len(graphs), len(model.graphlets)))
        for j, graphlet in enumerate(model.scaled_graphlets):
            marks = spec.edge_vocabulary
            small = shape(
                [spec.vocabulary.index(label) for label in graphlet.labels],
                graphlet.edges,
                None if marks is None else [marks.index(mark) for mark in graphlet.edge_labels],
            )
            rows = graphlet.edge_attributes
            rows = np.empty((len(small.edges), 0)) if rows is None else rows
            for i, graph in enumerate(plain):
                if graphlet.pooling == "best":
                    found[i, j] = psi(graph, small, graphlet.attributes, model.rho, rows)
                    continue
                places = root_matches(graph, small, graphlet.attributes, rows).values()
                costs = [place.cost for place in places]
                found[i, j] = pooled(costs, len(graph), model.rho, graphlet.pooling, "raw")
        return found

    def decision(self, model: Any, graphs: GraphSet, own: np.ndarray | None) -> np.ndarray:
        """f of every output, shape (n_outputs, n_graphs)."""
        f = model.intercept[:, None] + model.coef @ self.psi_of(model, graphs).T
        return f + model.covariate_coef @ self._covariates(graphs, own)[0].T

    def _covariates(
        self, graphs: GraphSet, own: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Covariates counted from their training means, and their spread in training."""
        train = self._counted(self.case.graphs, self.case.own)
        weight = np.ones(len(train)) if self.case.weight is None else self.case.weight
        center = np.average(train, axis=0, weights=weight)
        # The spread of the penalty is over the weights of the loss, class weights included.
        middle = np.average(train, axis=0, weights=self.weight)
        spread = np.sqrt(np.average((train - middle) ** 2, axis=0, weights=self.weight))
        return self._counted(graphs, own) - center, spread

    def _counted(self, graphs: GraphSet, own: np.ndarray | None) -> np.ndarray:
        columns = []
        if self.case.options["covariates"] == "size":
            smallest = 0.05 * len(self.case.graphs)  # labels in fewer graphs are not counted
            counts = [
                [graph.labels.count(label) for graph in graphs]
                for label in self.case.graphs.vocabulary
                if sum(label in graph.labels for graph in self.case.graphs) >= max(1, smallest)
            ]
            columns += [graphs.n_nodes, graphs.n_edges, *counts]
        columns += [] if own is None else list(own.T)
        return np.array(columns, dtype=float).reshape(len(columns), len(graphs)).T

    def _loss(self) -> losses.Loss:
        if self.case.loss == "huber":
            return losses.Huber(self.case.options["epsilon"] * self._spread())
        return losses.LOSSES[self.case.loss]()

    def _spread(self) -> float:
        """Weighted median distance of y from its weighted median, as of a normal distribution."""
        weight = np.ones(len(self.case.y)) if self.case.weight is None else self.case.weight
        distance = np.abs(self.case.y - _median(self.case.y, weight))
        return float(1.4826 * _median(distance, weight))

    def _residual(self, output: int, f: np.ndarray) -> np.ndarray:
        theirs, weight = reference_loss(self._loss(), self.targets[output], self.weight)
        return -0.5 * weight * theirs.slope(self.targets[output], f)

    def objective(self, model: Any, output: int, lam: float) -> float:
        """1/2 sum of losses + lambda |beta|_1, and the penalty of covariates."""
        y = self.targets[output]
        theirs, weight = reference_loss(self._loss(), y, self.weight)
        f = self.decision(model, self.case.graphs, self.case.own)[output]
        spread = self._covariates(self.case.graphs, self.case.own)[1]
        penalty = np.abs(model.coef[output]).sum()
        factor = self.case.options["covariate_penalty"]
        penalty += factor * np.abs(model.covariate_coef[output] * spread).sum()
        return float(0.5 * weight @ theirs.value(y, f) + lam * penalty)

    def check_start(self, empty: Any, output: int, lam_max: float) -> None:
        """At lambda_max nothing is in the model, and the steepest candidate is just not."""
        f = self.decision(empty, self.case.graphs, self.case.own)[output]
        residual = self._residual(output, f)
        steepest = float(np.abs(self.initial.T @ residual).max(initial=0.0))
        factor = self.case.options["covariate_penalty"]
        values, spread = self._covariates(self.case.graphs, self.case.own)
        if values.shape[1] and factor:
            moves = spread > 0.0
            slopes = np.abs(values.T @ residual)[moves] / spread[moves]
            steepest = max(steepest, float(slopes.max(initial=0.0)) / factor)
        free = bool(values.shape[1]) and not factor
        if free:
            self._check_free_start(empty, output, lam_max)
            return
        self.case.expect(
            "weights at lambda_max", empty.coef[output], 0.0 * empty.coef[output], STEPS
        )
        self.case.expect("lambda_max", lam_max, steepest, STEPS)

    def _check_free_start(self, empty: Any, output: int, lam_max: float) -> None:
        """At lambda_max graphlets add nothing to the best model of covariates without a penalty.

        Such covariates may all but stand for a graphlet. Then its weight at lambda_max is anything
        within rounding, so that the objective is compared; with attributes that are learned it may
        be lower. Where covariates fit the graphs, lambda_max is next to nothing, but not nothing.
        """
        f = self._best_of_covariates(output)
        steepest = float(np.abs(self.initial.T @ self._residual(output, f)).max(initial=0.0))
        y = self.targets[output]
        theirs, weight = reference_loss(self._loss(), y, self.weight)
        objective = float(0.5 * weight @ theirs.value(y, f))
        found = self.objective(empty, output, lam_max)
        room = STEPS * max(1.0, objective)
        self.case.expect_below("objective at lambda_max", found, objective + room)
        if not self.case.options["learn_attributes"]:
            self.case.expect_below("best objective at lambda_max", objective, found + room)
        lowest = NOTHING_LEFT * float(self.weight @ np.abs(y - np.average(y, weights=self.weight)))
        if steepest < lowest:
            self.case.expect_below("lambda_max", lam_max, max(steepest, 2.0 * lowest))
        else:
            self.case.expect("lambda_max", lam_max, steepest, STEPS)

    def _best_of_covariates(self, output: int) -> np.ndarray:
        """f of the best model of covariates and a constant, by other optimisers.

        Where covariates separate classes, no model is best: one whose slopes are next to nothing.
        """
        values, spread = self._covariates(self.case.graphs, self.case.own)
        own = np.column_stack([np.ones(len(values)), values / np.where(spread > 0.0, spread, 1.0)])
        y = self.targets[output]
        theirs, weight = reference_loss(self._loss(), y, self.weight)

        def loss_and_slope(coef: np.ndarray) -> tuple[float, np.ndarray]:
            f = own @ coef
            return (
                float(0.5 * weight @ theirs.value(y, f)),
                own.T @ (0.5 * weight * theirs.slope(y, f)),
            )

        found = minimize(
            loss_and_slope,
            np.zeros(own.shape[1]),
            jac=True,
            method="BFGS",
            options={"gtol": 1e-9, "maxiter": 10_000},
        )
        if self.case.loss == "logistic":
            return own @ _by_newton(own, weight, loss_and_slope, found.x)
        return own @ found.x

    def check_optimum(self, fitted: Any, output: int, lam: float) -> None:
        """The conditions of an optimum in beta, beta_0 and gamma, over all patterns."""
        case, model = self.case, fitted.model_
        residual = self._residual(output, self.decision(model, case.graphs, case.own)[output])
        room = self._room(lam)
        case.expect_below("slope in beta_0", abs(float(residual.sum())), room)
        own = np.flatnonzero(model.coef[output])
        g = self.psi_of(model, case.graphs)[:, own].T @ residual
        missed = np.abs(g - lam * np.sign(model.coef[output, own])).max(initial=0.0)
        case.expect_below("slope of a graphlet in use", float(missed), room)
        outside = np.abs(self.initial.T @ residual)
        if case.options["learn_attributes"]:
            # A graphlet that was in use may have left with other attributes than it came with.
            entered = [(self._structure(p), c) in self.working_set for p, c in self.candidates]
            outside = outside[~np.array(entered)]
        case.expect_below("slope of a candidate", float(outside.max(initial=0.0)), lam + room)
        self._check_covariates(model, output, lam, residual)

    def _room(self, lam: float) -> float:
        """Where covariates alone fit, lambda is next to nothing, and rounding is not."""
        return OPTIMALITY * lam + 1e-7 * float(self.weight.sum())

    def _check_covariates(self, model: Any, output: int, lam: float, residual: np.ndarray) -> None:
        values, spread = self._covariates(self.case.graphs, self.case.own)
        moves = spread > 1e-9
        slopes = (values.T @ residual)[moves] / spread[moves]
        bound = self.case.options["covariate_penalty"] * lam
        worst = float(np.abs(slopes).max(initial=0.0))
        self.case.expect_below("slope of a covariate", worst, bound + self._room(lam))

    def _structure(self, pattern: Pattern) -> Pattern:
        codes = tuple(int(self.type_labels[t]) for t in pattern.types)
        return canonical(Pattern(codes, pattern.edges))


def _by_newton(
    rows: np.ndarray,
    weight: np.ndarray,
    loss_and_slope: Callable[[np.ndarray], tuple[float, np.ndarray]],
    coef: np.ndarray,
) -> np.ndarray:
    """Minimise a logistic loss from where BFGS, which knows no curvature, has ended."""
    for _ in range(100):
        value, slope = loss_and_slope(coef)
        if np.abs(slope).max() < 1e-13:
            break
        f = rows @ coef
        curvature = 0.5 * weight * expit(f) * expit(-f)
        step = np.linalg.lstsq((rows.T * curvature) @ rows, -slope, rcond=None)[0]
        length = 1.0
        while length > 1e-10 and loss_and_slope(coef + length * step)[0] > value:
            length *= 0.5
        coef = coef + length * step
    return coef


def _working_set(solver: Watched) -> set[tuple[Pattern, str]]:
    """The labelled structures of all graphlets that a solver trained, with their channels."""
    return {
        (pattern_of(p.labels, p.edges, p.edge_labels), CHANNELS[channel].pooling)
        for visit in solver.visits
        for p, channel in zip(visit.final.patterns, visit.final.channels, strict=True)
    }


def _rooted(tree: mining.Tree, maxpat: int) -> dict[Pattern, mining.Pattern]:
    """Every pattern as the tree has it: its root, which is a matter of convention, comes first."""
    nodes = listed(tree, tree.graphs, maxpat)
    return {pattern: tree.pattern(node) for pattern, node in nodes.items()}


def _pooled(
    plain: list[Any],
    starts: Starts,
    rooted: dict[Pattern, mining.Pattern],
    pooling: Any,
    rho: float,
) -> np.ndarray:
    """What every pattern makes of its places in each graph, a column per pattern and channel."""
    columns = []
    for found in rooted.values():
        edges = [(*e, m) for e, m in zip(found.edges.tolist(), found.edge_labels, strict=True)]
        start = candidate(Pattern(tuple(found.types.tolist()), tuple(edges)), starts)
        costs = [[place.cost for place in root_matches(g, *start).values()] for g in plain]
        columns += [
            [pooled(own, len(g), rho, channel, "raw") for own, g in zip(costs, plain, strict=True)]
            for channel in pooling
        ]
    return np.array(columns, dtype=float).reshape(len(columns), len(plain)).T


def _median(values: np.ndarray, weight: np.ndarray) -> float:
    """The middle of all numbers with at most half of the weight on either side."""
    half = 0.5 * weight.sum() * (1.0 + 1e-12)
    fit = [v for v in values if weight[values < v].sum() <= half >= weight[values > v].sum()]
    return 0.5 * (min(fit) + max(fit))


def _class_factors(case: Case, sample_weight: np.ndarray) -> np.ndarray:
    given = case.options["class_weight"]
    if given is None:
        return np.ones(len(case.y))
    if given == "balanced":
        classes = np.unique(case.y)
        totals = {c: sample_weight[case.y == c].sum() for c in classes}
        return np.array([sample_weight.sum() / (len(classes) * totals[c]) for c in case.y])
    return np.array([given.get(int(c), 1.0) for c in case.y])


def _starts(graphs: GraphSet, weight: np.ndarray, k: int) -> Starts:
    """Weighted means of labels; several per label as k-means finds them, which is not in doubt."""
    if k > 1 and graphs.n_attributes:
        found = starting_vectors(graphs, k, weight)
        return Starts(found.type_labels, found.type_starts, found.edge_starts)
    of_node = np.repeat(weight, graphs.n_nodes)
    labels = np.unique(graphs.labels)
    means = [
        np.average(graphs.attributes[graphs.labels == code], axis=0, weights=own)
        for code in labels
        for own in [of_node[graphs.labels == code]]
    ]
    return Starts(
        labels.astype(np.int32),
        np.array(means, dtype=float).reshape(len(labels), graphs.n_attributes),
        _edge_starts(graphs, np.repeat(weight, graphs.n_edges)),
    )


def _edge_starts(graphs: GraphSet, weight: np.ndarray) -> np.ndarray:
    n = len(graphs.edges)
    marks = np.zeros(n, dtype=int) if graphs.edge_labels is None else graphs.edge_labels
    rows = np.empty((n, 0)) if graphs.edge_attributes is None else graphs.edge_attributes
    count = 1 if graphs.edge_vocabulary is None else len(graphs.edge_vocabulary)
    means = np.zeros((count, rows.shape[1]))
    for mark in np.unique(marks):
        own = marks == mark
        means[mark] = np.average(rows[own], axis=0, weights=weight[own])
    return means
