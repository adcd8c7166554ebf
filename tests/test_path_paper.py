"""`solver="paper"` with its pruned search is Algorithm 1 over the list of all patterns."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from path_tools import ALL_LOSSES, random_set, targets, walked_path
from reference.algorithm1 import Path
from reference.patterns import Pattern, all_patterns, canonical
from reference.plain import plain_graphs
from tree_listing import listed

from aglets import mining
from aglets.model.losses import SquaredHinge
from aglets.training.engine import local
from aglets.training.engine.graphlet_names import named
from aglets.training.engine.local import LocalGraphs
from aglets.training.optim.blocks import LENGTHEN

RHO = 0.3
KINDS = {
    "attributes": {},
    "ties": {"unit": 0.5},
    "labels only": {"d": 0},
    "edges": {"edge_labels": True, "edge_attributes": True},
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


def written_as_in_the_tree(graphs, maxpat: int) -> list[Pattern]:
    """All patterns, their nodes in the order of the tree: the tie rule reads rows in that order."""
    tree = mining.Tree(graphs, maxpat=maxpat)
    patterns = []
    for node in listed(tree, graphs).values():
        types, _, edges, edge_labels = (array.tolist() for array in tree.pattern(node))
        marked = ((u, v, mark) for (u, v), mark in zip(edges, edge_labels, strict=True))
        patterns.append(Pattern(tuple(types), tuple(marked)))
    assert {canonical(p) for p in patterns} == set(all_patterns(plain_graphs(graphs), maxpat))
    return patterns


def path_of(graphs, y, **options):
    tree = mining.Tree(graphs, maxpat=3)
    defaults = {"loss": SquaredHinge(), "tree": tree, "rho": RHO, "solver": "paper"}
    return list(walked_path(graphs, y, **{**defaults, **options}))


def algorithm1(graphs, y, **options) -> Path:
    return Path(
        plain_graphs(graphs),
        y,
        maxpat=3,
        rho=RHO,
        lengthen=LENGTHEN,
        patterns=written_as_in_the_tree(graphs, 3),
        **options,
    )


@pytest.mark.parametrize("learn", [False, True], ids=["fixed", "learned"])
def test_the_pruned_path_equals_algorithm_1_over_all_patterns(learn, kind):
    for seed in range(5):
        graphs = random_set(10, seed, **kind)
        y = targets(graphs, SquaredHinge(), seed)
        slow = algorithm1(graphs, y, learn_attributes=learn)
        lambdas = slow.lambda_max() * np.geomspace(0.9, 0.2, 4)
        points = path_of(
            graphs,
            y,
            lambdas=lambdas,
            learn_attributes=learn,
            max_epochs=12,
            tol=-1.0,  # no epoch is the last but the twelfth
        )
        assert points[0].lam_max == pytest.approx(slow.lambda_max(), rel=1e-12)
        for point in points:
            expected = slow.run([point.lam], max_epochs=12, tol=-1.0)[0]
            assert point.n_epochs == expected.n_epochs == 12
            assert point.objective == pytest.approx(expected.objective, rel=1e-9)
            assert point.beta0 == pytest.approx(expected.beta0, abs=1e-5)
            assert point.working_set_size == expected.n_working_set


def test_patience_and_the_kept_state_equal_algorithm_1s(kind):
    for seed in range(4):
        graphs, held = random_set(10, seed, **kind), random_set(8, 50 + seed, **kind)
        y, held_y = (targets(some, SquaredHinge(), 1) for some in (graphs, held))
        slow = algorithm1(graphs, y)
        lambdas = slow.lambda_max() * np.geomspace(0.8, 0.3, 3)
        points = path_of(
            graphs,
            y,
            lambdas=lambdas,
            validation=(held, held_y, None),
            max_epochs=15,
            patience=3,
            tol=-1.0,
        )
        for point in points:
            expected = slow.run(
                [point.lam],
                max_epochs=15,
                patience=3,
                validation=(plain_graphs(held), held_y),
            )[0]
            assert point.objective == pytest.approx(expected.objective, rel=1e-9)
            assert 2.0 * point.validation_loss == pytest.approx(expected.validation_loss, rel=1e-9)


class Exhaustive(LocalGraphs):
    """Graphs that prune nothing: they look at every pattern of the tree."""

    def search(self, scores, lam):
        tree, residual = self.placement.tree, scores.residual
        everyone = tree.search(np.ones(len(residual)), lam=0.0, rho=1e-3, maxpat=self.maxpat)
        g = np.zeros(len(everyone.nodes))
        for j, node in enumerate(everyone.nodes.tolist()):
            where, costs = tree.costs(node)
            g[j] = residual[where] @ np.exp(-self.rho * costs)
        kept = np.abs(g) > lam
        return replace(
            everyone,
            nodes=named(everyone.nodes[kept], 0),
            g=g[kept],
            norms=np.abs(g[kept]),
            g_bar=everyone.g_bar[kept],
            sizes=everyone.sizes[kept],
        )


@pytest.mark.parametrize("solver", ["fast", "paper"])
def test_pruning_changes_no_path(solver, kind):
    """Every loss: the same loop with a search that looks at every pattern."""
    for loss in ALL_LOSSES:
        graphs = random_set(16, seed=7, **kind)
        y = targets(graphs, loss, 7)
        options = {"loss": loss, "rho": RHO, "solver": solver, "max_epochs": 25}
        tree = mining.Tree(graphs, maxpat=4)
        top = next(walked_path(graphs, y, tree=tree, **options)).lam_max
        # Not at lambda_max itself, where the order of a sum decides which side of it a g is on.
        options["lambdas"] = top * np.geomspace(0.95, 0.1, 6)
        pruned = list(walked_path(graphs, y, tree=mining.Tree(graphs, maxpat=4), **options))
        with patch.object(local, "LocalGraphs", Exhaustive):
            whole = list(walked_path(graphs, y, tree=mining.Tree(graphs, maxpat=4), **options))
        for a, b in zip(pruned, whole, strict=True):
            assert a.objective == pytest.approx(b.objective, rel=1e-9)
            assert a.working_set_size == b.working_set_size
        assert sum(point.n_visited for point in pruned) < sum(point.n_visited for point in whole)


def test_epochs_without_a_step_to_take_do_no_harm(kind):
    """Attributes that say nothing more than the label leave z where it starts, for ever."""
    graphs = random_set(12, seed=0, **kind)
    graphs = graphs.with_attributes(np.zeros((len(graphs.labels), 1)))
    if graphs.edge_attributes is not None:
        graphs = graphs.with_edge_attributes(np.zeros((len(graphs.edges), 1)))
    y = targets(random_set(12, seed=0), SquaredHinge())
    ends = []
    for learn in (False, True):
        points = walked_path(
            graphs,
            y,
            loss=SquaredHinge(),
            tree=mining.Tree(graphs, maxpat=3),
            rho=1.0,
            solver="paper",
            n_lambdas=3,
            lambda_min_ratio=0.2,
            max_epochs=800,
            tol=-1.0,
            learn_attributes=learn,
        )
        ends.append([point.objective for point in points])
    assert ends[1] == pytest.approx(ends[0], rel=1e-12)


def test_coefficients_come_back_after_a_long_time_at_zero():
    """A lambda so large that beta falls to zero and stays there leaves nothing behind."""
    graphs = random_set(16, seed=0)
    y = targets(graphs, SquaredHinge())
    tree = mining.Tree(graphs, maxpat=4)
    options = {"loss": SquaredHinge(), "tree": tree, "rho": RHO, "learn_attributes": False}
    top = next(walked_path(graphs, y, **options)).lam_max
    points = list(
        walked_path(
            graphs,
            y,
            solver="paper",
            lambdas=[0.9 * top, 2.0 * top, 0.9 * top],
            max_epochs=1200,
            tol=-1.0,
            **options,
        )
    )
    assert points[1].n_nonzero == 0
    assert points[2].objective == pytest.approx(points[0].objective, rel=1e-9)
