"""Training a chosen model further, in ways that the solver does not: for `ideas.py` only.

A fitted model is taken as it is, and F = loss + lambda |beta| is lowered over beta, beta_0, the
graphlets' attributes z and, if asked for, one weight per label and attribute. Matches are found
again in every round, and held while L-BFGS works. Every round is judged by the validation loss; the
best is kept, round 0 being the model as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from aglets import Graphlet, GraphSet, LagraModel, _core
from aglets.graphlets.graphlet import core_pattern
from aglets.model.losses import SquaredHinge

N_ROUNDS, N_STEPS = 10, 15
#: Parts of the way to the minimum for given matches that are tried until F falls.
SHARES = (1.0, 0.3, 0.1, 0.03)
#: How sharply the best node is preferred, from stage to stage.
SHARPNESS = (1.0, 4.0, 16.0)
#: How far apart the halves of a split graphlet begin, compared with the spread of what they match.
APART = 0.5
#: From so many training graphs come the attributes that a graphlet may start again with.
N_DONORS = 10
#: Holds the logarithms of weights of attributes near zero.
HOLD = 1.0


@dataclass(frozen=True)
class Labelled:
    """Graphs in the model's units, with classes -1 and 1."""

    graphs: GraphSet
    y: np.ndarray


@dataclass(frozen=True)
class Member:
    """A graphlet in the model's units, with its rho and coefficient."""

    graphlet: Graphlet
    rho: float
    beta: float

    @property
    def z(self) -> np.ndarray:
        return self.graphlet.attributes

    def at(self, z: np.ndarray) -> Member:
        old = self.graphlet
        return replace(
            self,
            graphlet=Graphlet(
                labels=old.labels, edges=old.edges, attributes=z, edge_labels=old.edge_labels
            ),
        )


@dataclass(frozen=True)
class Trained:
    """Members and all that is trained with them."""

    members: list[Member]
    beta0: float
    log_weights: np.ndarray  # (n_labels, n_attributes)

    def matches(self, graphs: GraphSet) -> tuple[np.ndarray, list[np.ndarray]]:
        """Weighted cost of each graphlet (row) in each graph, and the attributes it meets there.

        Attributes are in the model's units.
        """
        stretch = np.exp(0.5 * self.log_weights)
        seen = graphs.with_attributes(graphs.attributes * stretch[graphs.labels])
        z = [(m.z * stretch[codes(m.graphlet, graphs)]).ravel() for m in self.members]
        patterns = [core_pattern(m.graphlet, graphs) for m in self.members]
        costs, nodes = _core.match(seen.core, patterns, z, 1)
        met, start = [], 0
        for m in self.members:
            size = m.graphlet.n_nodes * len(graphs)
            rows = nodes[start : start + size].reshape(len(graphs), -1)
            met.append(graphs.attributes[graphs.node_offsets[:-1, None] + np.maximum(rows, 0)])
            start += size
        return costs, met

    def psi(self, graphs: GraphSet) -> np.ndarray:
        """Match each graphlet (row) with each graph (column)."""
        rho = np.array([[m.rho] for m in self.members])
        return np.exp(-rho * self.matches(graphs)[0])

    def f(self, graphs: GraphSet) -> np.ndarray:
        return self.beta0 + np.array([m.beta for m in self.members]) @ self.psi(graphs)

    def loss(self, data: Labelled) -> float:
        return hinge(data.y, self.f(data.graphs))[0]

    def objective(self, data: Labelled, lam: float) -> float:
        """F, with the term that holds weights."""
        held = HOLD * float((self.log_weights**2).sum())
        return self.loss(data) + lam * sum(abs(m.beta) for m in self.members) + held

    def towards(self, other: Trained, share: float) -> Trained:
        """Go a part of the way to other values."""
        members = [
            replace(m.at(m.z + share * (o.z - m.z)), beta=float(m.beta + share * (o.beta - m.beta)))
            for m, o in zip(self.members, other.members, strict=True)
        ]
        return Trained(
            members,
            self.beta0 + share * (other.beta0 - self.beta0),
            self.log_weights + share * (other.log_weights - self.log_weights),
        )


def hinge(y: np.ndarray, f: np.ndarray) -> tuple[float, np.ndarray]:
    """Half the squared hinge loss, and its slope in f."""
    loss, ones = SquaredHinge(), np.ones(len(y))
    return loss.value(y, f, ones), -loss.residual(y, f, ones)


def codes(graphlet: Graphlet, graphs: GraphSet) -> list[int]:
    """Labels of a graphlet's nodes as codes of the graphs."""
    return [graphs.vocabulary.index(label) for label in graphlet.labels]


def members_of(model: LagraModel, graphs: GraphSet) -> Trained:
    """Take a model of two classes apart."""
    rhos = np.broadcast_to(model.rho, len(model.graphlets))
    members = [
        Member(graphlet, float(rho), float(beta))
        for graphlet, rho, beta in zip(model.scaled_graphlets, rhos, model.coef[0], strict=True)
    ]
    weights = np.zeros((len(graphs.vocabulary), graphs.n_attributes))
    return Trained(members, float(model.intercept[0]), weights)


def trained_further(
    start: Trained, train: Labelled, validation: Labelled, lam: float, *, weigh: bool = False
) -> Trained:
    """Go through rounds of matching and L-BFGS, and return what has the lowest validation loss."""
    now = best = start
    lowest = start.loss(validation)
    for _ in range(N_ROUNDS):
        aim, before = lowered(now, train, lam, weigh), now.objective(train, lam)
        tried = (now.towards(aim, share) for share in SHARES)
        lower = next((each for each in tried if each.objective(train, lam) < before), None)
        if lower is None:
            break
        now, loss = lower, lower.loss(validation)
        if loss < lowest:
            best, lowest = now, loss
    return best


def lowered(now: Trained, train: Labelled, lam: float, weigh: bool) -> Trained:
    """Lower F while every graphlet keeps its matches, and beta its signs."""
    costs, met = now.matches(train.graphs)
    occurs = np.isfinite(costs)
    of_label = [codes(m.graphlet, train.graphs) for m in now.members]
    rho = np.array([[m.rho] for m in now.members])
    layout = Layout(now)

    def value(theta: np.ndarray) -> tuple[float, np.ndarray]:
        beta0, beta, z, log_weights = layout.apart(theta)
        weights = np.exp(log_weights)
        away = [each - x for each, x in zip(z, met, strict=True)]
        bent = [d * weights[of] for d, of in zip(away, of_label, strict=True)]
        costs = np.array([(d * b).sum(axis=(1, 2)) for d, b in zip(away, bent, strict=True)])
        psi = occurs * np.exp(-rho * costs)
        total, slope = hinge(train.y, beta0 + beta @ psi)
        pull = -rho * beta[:, None] * psi * slope  # dF / dD
        by_z = [2.0 * np.tensordot(p, b, 1) for p, b in zip(pull, bent, strict=True)]
        by_weight = 2.0 * HOLD * log_weights
        for p, d, b, of in zip(pull, away, bent, of_label, strict=True):
            np.add.at(by_weight, of, np.tensordot(p, d * b, 1))
        total += lam * float(np.abs(beta).sum()) + HOLD * float((log_weights**2).sum())
        by_beta = psi @ slope + lam * layout.signs
        return total, layout.flat(float(slope.sum()), by_beta, by_z, weigh * by_weight)

    return layout.minimised(value)


def annealed(start: Trained, train: Labelled, lam: float) -> Trained:
    """Train graphlets of one node with all nodes of the label counted, the best more and more.

    psi is (sum_v exp(-p rho D_v))^(1/p), which falls to the best node's with growing p.
    """
    graphs = train.graphs
    graph_of = np.repeat(np.arange(len(graphs)), graphs.n_nodes)
    now = start
    for sharpness in SHARPNESS:
        layout = Layout(now)
        here = [graphs.labels == codes(m.graphlet, graphs)[0] for m in now.members]

        def value(
            theta: np.ndarray,
            p: float = sharpness,
            now: Trained = now,
            layout: Layout = layout,
            here: list[np.ndarray] = here,
        ) -> tuple[float, np.ndarray]:
            beta0, beta, z, log_weights = layout.apart(theta)
            psi, shares, away = [], [], []
            for m, each, nodes in zip(now.members, z, here, strict=True):
                d = each - graphs.attributes[nodes]
                near = np.exp(-p * m.rho * (d**2).sum(axis=1))
                total = np.bincount(graph_of[nodes], near, len(graphs))
                psi.append(total ** (1.0 / p))
                shares.append(near / np.maximum(total[graph_of[nodes]], 1e-300))
                away.append(d)
            rows = np.array(psi).reshape(len(psi), len(graphs))
            loss, slope = hinge(train.y, beta0 + beta @ rows)
            by_z = [
                -2.0 * m.rho * b * ((slope * row)[graph_of[nodes]] * share @ d)
                for m, b, row, nodes, share, d in zip(
                    now.members, beta, rows, here, shares, away, strict=True
                )
            ]
            loss += lam * float(np.abs(beta).sum())
            by_beta = rows @ slope + lam * layout.signs
            return loss, layout.flat(float(slope.sum()), by_beta, by_z, 0.0 * log_weights)

        now = layout.minimised(value)
    return now


class Layout:
    """All that is trained as one vector: beta_0, beta, every z, logarithms of weights."""

    def __init__(self, now: Trained) -> None:
        self.now = now
        self.signs = np.sign([m.beta for m in now.members])
        self.ends = np.cumsum([1 + len(now.members)] + [m.z.size for m in now.members])

    def flat(
        self, beta0: float, beta: np.ndarray, z: list[np.ndarray], log_weights: np.ndarray
    ) -> np.ndarray:
        parts = [each.ravel() for each in z]
        return np.concatenate([[beta0], beta, *parts, log_weights.ravel()])

    def apart(self, theta: np.ndarray) -> tuple[float, np.ndarray, list[np.ndarray], np.ndarray]:
        """Take the vector apart."""
        members, ends = self.now.members, self.ends
        z = [
            theta[a:b].reshape(m.z.shape)
            for a, b, m in zip(ends[:-1], ends[1:], members, strict=True)
        ]
        log_weights = theta[ends[-1] :].reshape(self.now.log_weights.shape)
        return float(theta[0]), theta[1 : 1 + len(members)], z, log_weights

    def minimised(self, value: Callable[[np.ndarray], tuple[float, np.ndarray]]) -> Trained:
        """Take some steps of L-BFGS down from here; no coefficient changes its sign."""
        now, free = self.now, (None, None)
        beta = np.array([m.beta for m in now.members])
        first = self.flat(now.beta0, beta, [m.z for m in now.members], now.log_weights)
        of_beta = [(0.0, None) if sign > 0 else (None, 0.0) for sign in self.signs]
        bounds = [free, *of_beta, *[free] * (len(first) - 1 - len(beta))]
        options = {"maxiter": N_STEPS}
        found = minimize(value, first, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        beta0, beta, z, log_weights = self.apart(found.x)
        members = [
            replace(m.at(each), beta=float(b))
            for m, each, b in zip(now.members, z, beta, strict=True)
        ]
        return Trained(members, beta0, log_weights)


def restarted(start: Trained, train: Labelled, lam: float) -> Trained:
    """Let every graphlet in turn take attributes that it meets in a training graph, if F falls."""
    now = start
    for j in range(len(start.members)):
        costs, met = now.matches(train.graphs)
        occurs = np.isfinite(costs[j])
        _, slope = hinge(train.y, now.f(train.graphs))
        before, member, after = now.members[:j], now.members[j], now.members[j + 1 :]
        # First the graphs that ask most for this graphlet.
        asked = np.argsort(slope * np.sign(member.beta) + 1e9 * ~occurs, kind="stable")
        moved = [member.at(met[j][i]) for i in asked[:N_DONORS] if occurs[i]]
        tried = [replace(now, members=[*before, each, *after]) for each in (member, *moved)]
        now = min(tried, key=lambda each: each.objective(train, lam))
    return now


def split(start: Trained, train: Labelled) -> Trained:
    """Make two of every graphlet, moved apart along the way in which graphs pull it most."""
    costs, met = start.matches(train.graphs)
    _, slope = hinge(train.y, start.f(train.graphs))
    psi = start.psi(train.graphs)
    made = []
    for m, there, x, row in zip(start.members, np.isfinite(costs), met, psi, strict=True):
        pulls = (slope * m.beta * row)[there, None] * (m.z - x[there]).reshape(there.sum(), -1)
        way = main_direction(pulls).reshape(m.z.shape)
        step = APART * float(np.sqrt(((x[there] - m.z) ** 2).mean())) * way
        made += [replace(m.at(m.z + s * step), beta=0.5 * m.beta) for s in (-1.0, 1.0)]
    return replace(start, members=made)


def main_direction(pulls: np.ndarray) -> np.ndarray:
    """Find the direction in which pulls (rows) differ most."""
    if not len(pulls):
        return np.zeros(pulls.shape[1])
    return np.linalg.svd(pulls - pulls.mean(axis=0), full_matrices=False)[2][0]
