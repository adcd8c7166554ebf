"""The path: what may not matter does not, and what a point says is true."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from graph_edits import renumbered
from path_tools import decision, placed, random_set, targets, walked_path, watched_path

from aglets import GraphSet, mining
from aglets.model.losses import Logistic, Squared, SquaredHinge
from aglets.training.path import lambda_grid
from aglets.training.path_point import PathPoint
from aglets.training.resume import BranchPoints

RHO = 0.3
KINDS = {
    "attributes": {},
    "ties": {"unit": 0.5},
    "labels only": {"d": 0},
    "edges": {"edge_labels": True, "edge_attributes": True},
    "attributes of edges only": {"d": 0, "edge_attributes": True},
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


def path_of(graphs, y, *, maxpat=4, n_jobs=1, starts=None, **options) -> list[PathPoint]:
    """A short path on a tree of its own."""
    tree = mining.Tree(graphs, maxpat=maxpat, n_jobs=n_jobs, starts=starts)
    defaults = {"loss": SquaredHinge(), "rho": RHO, "n_lambdas": 5, "lambda_min_ratio": 0.1}
    return list(walked_path(graphs, y, tree=tree, **{**defaults, **options}))


def model_bytes(point: PathPoint) -> tuple:
    """Everything that makes up the model of a point, to the last bit."""
    return (
        point.objective,
        point.validation_loss,
        point.beta0,
        point.beta.tobytes(),
        point.z.tobytes(),
        [tuple(array.tobytes() for array in pattern) for pattern in point.patterns],
        point.working_set_size,
        point.n_epochs,
        point.n_searches,
        point.n_visited,
    )


def test_lambdas_fall_evenly_in_logarithm_from_lambda_max(solver):
    graphs = random_set(12, seed=0)
    y = targets(graphs, SquaredHinge())
    points = path_of(graphs, y, solver=solver, n_lambdas=7, lambda_min_ratio=0.05)
    lams = np.array([point.lam for point in points])
    top = mining.lambda_max(graphs, y, maxpat=4, rho=RHO)
    assert lams[0] == points[0].lam_max == pytest.approx(top, rel=1e-12)
    np.testing.assert_allclose(lams, lambda_grid(top, 7, 0.05))
    np.testing.assert_allclose(np.diff(np.log(lams)), np.log(0.05) / 6)
    assert len(list(path_of(graphs, y, lambdas=[1.0, 0.5]))) == 2


def test_a_points_model_reproduces_what_the_point_says(solver, loss, kind):
    graphs = random_set(16, seed=1, **kind)
    y = targets(graphs, loss, 1)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 16)
    points = path_of(graphs, y, solver=solver, loss=loss, sample_weight=weight, max_epochs=20)
    assert points[-1].n_nonzero > 0
    for point in points:
        f = decision(point, graphs, graphs)
        value = loss.value(y, f, weight)
        assert point.train_loss == pytest.approx(value, rel=1e-10)
        penalty = point.lam * np.abs(point.beta).sum()
        assert point.objective == pytest.approx(value + penalty, rel=1e-10)
        assert point.train_score == pytest.approx(loss.score(y, f, weight), abs=1e-9)
        assert point.rho == RHO
        assert point.n_nonzero == len(point.beta) == len(point.patterns) <= point.working_set_size
        assert (point.beta != 0.0).all()
        assert (point.validation_loss, point.validation_score) == (None, None)
        assert point.n_searches >= 1
        assert point.n_epochs >= 1
        parts = (point.seconds_search, point.seconds_beta, point.seconds_z)
        assert min(parts) >= 0.0
        assert point.seconds >= sum(parts)


def test_objectives_fall_along_the_path_and_learning_lowers_them(solver, loss):
    """F at a smaller lambda, started where the last one ended, can only be smaller."""
    graphs = random_set(20, seed=2)
    y = targets(graphs, loss, 2)
    learned, fixed = (
        np.array([p.objective for p in path_of(graphs, y, solver=solver, loss=loss, **options)])
        for options in ({}, {"learn_attributes": False, "max_epochs": 500})
    )
    assert (np.diff(learned) < 0.0).all()
    assert learned[-1] < 0.9 * fixed[-1]


def test_every_lambda_starts_where_the_last_one_ended(solver):
    graphs = random_set(12, seed=3)
    y = targets(graphs, SquaredHinge())
    _, visits = watched_path(
        graphs,
        y,
        loss=SquaredHinge(),
        solver=solver,
        tree=mining.Tree(graphs, maxpat=3),
        rho=RHO,
        n_lambdas=4,
        validation=(random_set(6, seed=4), targets(random_set(6, seed=4), SquaredHinge()), None),
    )
    for one, other in pairwise(visits):
        assert other.before is one.final


@pytest.mark.parametrize("seed", [2, 6])
def test_relabelling_nodes_and_reordering_graphs_changes_nothing(seed, solver, loss, kind):
    graphs = random_set(20, seed, **kind)
    y = targets(graphs, loss, seed)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(graphs))
    other = renumbered(graphs, [rng.permutation(k).tolist() for k in graphs.n_nodes])[order]
    options = {"solver": solver, "loss": loss, "lambda_min_ratio": 0.05}
    if solver == "paper":
        # Hundreds of plain gradient steps let the last digits of a sum grow into the first.
        options["max_epochs"] = 30
    here, there = path_of(graphs, y, **options), path_of(other, y[order], **options)
    np.testing.assert_allclose(
        [point.objective for point in there], [point.objective for point in here], rtol=1e-7
    )


@pytest.mark.data
@pytest.mark.parametrize("name", ["BZR", "ENZYMES"])
def test_relabelling_real_graphs_changes_nothing(name, solver, load_tu):
    graphs, y = load_tu(name)
    rng = np.random.default_rng(0)
    chosen = rng.permutation(np.flatnonzero(np.isin(y, np.unique(y)[:2])))[:40]
    graphs, y = graphs[chosen], np.where(y[chosen] == y[chosen].max(), 1.0, -1.0)
    # In raw units hardly anything of ENZYMES matches; a common scale makes all of it learn.
    rows = graphs.attributes
    graphs = graphs.with_attributes((rows - rows.mean(0)) / rows.std(0))
    order = rng.permutation(40)
    other = renumbered(graphs, [rng.permutation(k).tolist() for k in graphs.n_nodes])[order]
    options = {"solver": solver, "maxpat": 3, "max_epochs": 50}
    here, there = path_of(graphs, y, **options), path_of(other, y[order], **options)
    np.testing.assert_allclose(
        [point.objective for point in there], [point.objective for point in here], rtol=1e-7
    )


@pytest.mark.parametrize("n_jobs", [5])
def test_any_number_of_threads_gives_the_same_bytes(n_jobs, solver, loss, kind):
    graphs, held = random_set(20, seed=6, **kind), random_set(8, seed=7, **kind)
    y, held_y = targets(graphs, loss, 6), targets(held, loss, 7)
    options = {
        "solver": solver,
        "loss": loss,
        "validation": (held, held_y, None),
        "max_epochs": 20,
        "lambda_min_ratio": 0.05,
    }
    one, many = (path_of(graphs, y, n_jobs=k, **options) for k in (1, n_jobs))
    assert [model_bytes(point) for point in one] == [model_bytes(point) for point in many]


def test_tables_and_searches_for_embeddings_give_the_same_path(solver, kind):
    graphs = random_set(16, seed=8, **kind)
    y = targets(graphs, SquaredHinge(), 8)
    paths = []
    for table_bytes in (16 << 20, 0):
        tree = mining.Tree(graphs, maxpat=4)
        points = walked_path(
            graphs,
            y,
            loss=SquaredHinge(),
            rho=RHO,
            solver=solver,
            n_lambdas=4,
            lambda_min_ratio=0.2,
            max_epochs=10,
            placement=placed(graphs, y, tree, table_bytes=table_bytes),
        )
        paths.append([point.objective for point in points])
    np.testing.assert_allclose(paths[1], paths[0], rtol=1e-9)


def test_a_shared_tree_and_store_give_the_points_of_fresh_ones(solver, kind):
    """Several rho, maxpat, losses and validation sets, taken in turns, lambda by lambda."""
    graphs = random_set(16, seed=9, **kind)
    held = [random_set(6, seed=seed, **kind) for seed in (10, 11)]
    tree = mining.Tree(graphs, maxpat=4)
    settings = [
        (SquaredHinge(), {"rho": 0.3, "maxpat": 4}, 0),
        (Logistic(), {"rho": 1.0, "maxpat": 2}, 1),
        (Squared(), {"rho": 0.05, "maxpat": 3}, 0),
        (SquaredHinge(), {"rho": 1.0, "maxpat": 4}, 1),
        (SquaredHinge(), {"rho": 0.3, "maxpat": 4, "learn_attributes": False}, 0),
    ]
    ys = [targets(graphs, loss, 9) for loss, _, _ in settings]
    placement = placed(graphs, ys, tree)
    fresh, shared = [], []
    for output, (loss, options, which) in enumerate(settings):
        validation = (held[which], targets(held[which], loss), None)
        options = {
            **options,
            "loss": loss,
            "solver": solver,
            "validation": validation,
            "n_lambdas": 4,
            "lambda_min_ratio": 0.1,
            "max_epochs": 15,
        }
        own = mining.Tree(graphs, maxpat=options["maxpat"])
        fresh.append(list(walked_path(graphs, ys[output], tree=own, **options)))
        shared.append(walked_path(graphs, ys, placement=placement, output=output, **options))
    in_turns = list(zip(*shared, strict=True))
    for k, expected in enumerate(fresh):
        got = [turn[k] for turn in in_turns]
        assert [model_bytes(point) for point in got] == [model_bytes(point) for point in expected]


def test_paths_of_smaller_maxpat_may_start_where_they_leave_a_larger_one(solver, kind):
    """Up to the first violator that is too large for them they are one path, to the last bit."""
    shared = 0
    for seed in range(20, 26):
        graphs, held = random_set(14, seed, **kind), random_set(6, seed=10, **kind)
        y = targets(graphs, SquaredHinge(), seed)
        options = {
            "loss": SquaredHinge(),
            "rho": RHO,
            "solver": solver,
            "validation": (held, targets(held, SquaredHinge()), None),
            "n_lambdas": 6,
            "lambda_min_ratio": 0.1,
            "max_epochs": 15,
        }
        tree = mining.Tree(graphs, maxpat=4)
        placement = placed(graphs, y, tree)  # a state is of one placement
        branches = BranchPoints([1, 2, 3])
        list(walked_path(graphs, y, placement=placement, note=branches.note, **options))
        for maxpat in branches.maxpats:
            own = mining.Tree(graphs, maxpat=maxpat)
            expected = list(walked_path(graphs, y, tree=own, **options))
            resume = branches.at(maxpat)
            n = 0 if resume is None else len(resume.points)
            joined = walked_path(
                graphs, y, placement=placement, maxpat=maxpat, resume=resume, **options
            )
            # How many tree nodes were visited is all that may differ.
            assert [model_bytes(point)[:-1] for point in joined] == [
                model_bytes(point)[:-1] for point in expected
            ]
            shared += n
    assert shared > 0


def test_a_path_made_twice_is_the_same(solver):
    graphs = random_set(14, seed=12)
    y = targets(graphs, SquaredHinge())
    tree = mining.Tree(graphs, maxpat=4)
    runs = [
        [
            model_bytes(point)
            for point in walked_path(
                graphs, y, loss=SquaredHinge(), tree=tree, rho=RHO, n_lambdas=4, solver=solver
            )
        ]
        for _ in range(2)
    ]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("learn", [False, True], ids=["fixed", "learned"])
def test_sample_weights_equal_repetition(learn, solver, loss, kind):
    """A graph of weight 2 counts twice, one of weight 0 not at all; the starts are shared."""
    graphs = random_set(14, seed=13, **kind)
    y = targets(graphs, loss, 13)
    times = np.arange(14) % 3
    again = np.repeat(np.arange(14), times)
    starts = mining.label_means(graphs)
    options = {
        "solver": solver,
        "loss": loss,
        "starts": starts,
        "learn_attributes": learn,
        "max_epochs": 20,
    }
    weighted = path_of(graphs, y, sample_weight=times, **options)
    repeated = path_of(graphs[again], y[again], **options)
    for a, b in zip(weighted, repeated, strict=True):
        assert a.lam == pytest.approx(b.lam, rel=1e-12)
        assert a.objective == pytest.approx(b.objective, rel=1e-7)
        assert a.train_loss == pytest.approx(b.train_loss, rel=1e-5)
        assert a.train_score == pytest.approx(b.train_score, rel=1e-5, abs=1e-5)


def test_a_weight_scales_lambda_and_the_objective(solver):
    graphs = random_set(14, seed=14)
    y = targets(graphs, SquaredHinge(), 14)
    plain = path_of(graphs, y, solver=solver, learn_attributes=False, max_epochs=500)
    scaled = path_of(
        graphs,
        y,
        solver=solver,
        learn_attributes=False,
        max_epochs=500,
        sample_weight=np.full(14, 4.0),
    )
    for a, b in zip(plain, scaled, strict=True):
        assert 4.0 * a.lam == pytest.approx(b.lam, rel=1e-12)
        assert 4.0 * a.objective == pytest.approx(b.objective, rel=1e-5)


@pytest.mark.parametrize("max_nodes", [3, 20, 60])
def test_a_tree_serves_another_path_after_a_budget_ran_out(max_nodes, solver):
    graphs = random_set(20, seed=15)
    y = targets(graphs, SquaredHinge(), 15)
    options = {
        "loss": SquaredHinge(),
        "rho": RHO,
        "solver": solver,
        "n_lambdas": 5,
        "lambda_min_ratio": 0.05,
    }
    expected = list(walked_path(graphs, y, tree=mining.Tree(graphs, maxpat=6), **options))
    tree = mining.Tree(graphs, maxpat=6, max_nodes=max_nodes)
    placement = placed(graphs, y, tree)
    reached = []
    with pytest.raises(mining.BudgetError, match="max_nodes"):
        reached.extend(walked_path(graphs, y, placement=placement, **options))
    assert [model_bytes(point) for point in reached] == [
        model_bytes(point) for point in expected[: len(reached)]
    ]
    tree.max_nodes = None
    after = list(walked_path(graphs, y, placement=placement, **options))
    assert [model_bytes(point) for point in after] == [model_bytes(point) for point in expected]


def test_a_path_left_half_way_leaves_nothing_behind(solver):
    graphs = random_set(14, seed=16)
    y = targets(graphs, SquaredHinge(), 16)
    tree = mining.Tree(graphs, maxpat=4)
    placement = placed(graphs, y, tree)
    options = {"loss": SquaredHinge(), "rho": RHO, "solver": solver, "n_lambdas": 6}
    stopped = walked_path(graphs, y, placement=placement, **options)
    first = [next(stopped) for _ in range(3)]
    stopped.close()
    whole = list(walked_path(graphs, y, placement=placement, **options))
    assert [model_bytes(point) for point in whole[:3]] == [model_bytes(point) for point in first]


@pytest.mark.parametrize("y", [[1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]])
def test_one_class_only_is_an_empty_model(y, solver):
    graphs = random_set(3, seed=17)
    point = path_of(graphs, y, solver=solver, lambdas=[0.5])[0]
    assert point.n_nonzero == 0
    assert point.objective == 0.0
    assert point.train_score == 1.0


def test_graphs_without_nodes_take_part(solver, loss):
    """An empty graph matches nothing, and only the intercept counts for it."""
    empty = GraphSet.from_lists(labels=[[]], edges=[[]], attributes=[np.empty((0, 2))])
    graphs = GraphSet.concatenate([random_set(9, seed=18), empty])
    y = targets(graphs, loss, 18)
    point = path_of(graphs, y, solver=solver, loss=loss)[-1]
    assert point.n_nonzero > 0
    assert decision(point, graphs, graphs)[-1] == point.beta0
    assert point.train_loss == pytest.approx(
        loss.value(y, decision(point, graphs, graphs), np.ones(10)), rel=1e-10
    )
