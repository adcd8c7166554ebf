"""Graphs in several shards: the same models, and nothing with an entry per graph crosses."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from path_tools import ALL_LOSSES, random_set, sample_of, targets
from sklearn.base import clone

from aglets import (
    GraphSet,
    LagraClassifier,
    LagraClassifierCV,
    LagraRegressor,
    LagraRegressorCV,
    ShardedEngine,
    mining,
)
from aglets.datasets import make_planted
from aglets.model.losses import Loss, SquaredHinge
from aglets.training.checkpoint import Checkpoint
from aglets.training.engine import (
    Goal,
    LocalEngine,
    MiningPlan,
    calls,
    joint_tree,
    sharded,
)
from aglets.training.engine.covariate_design import CovariateDesign
from aglets.training.engine.local import LocalGraphs, LocalJudge, LocalPlacement
from aglets.training.engine.matched import LocalLine, LocalMatched, LocalScores
from aglets.training.engine.score_sums import ScoreSums
from aglets.training.engine.shard_starts import Shard, joint_starts
from aglets.training.optim.state import Problem, empty_state

SHARDS = (1, 2, 3, 7)

KINDS = {
    "attributes": {},
    "labels only": {"d": 0},
    "edges": {"edge_labels": True, "edge_attributes": True},
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


def structure(model) -> list[tuple]:
    """The graphlets of a model without their numbers, in its order."""
    return [(h.labels, h.edges.tolist(), h.edge_labels) for h in model.graphlets_]


def assert_same(model, other) -> None:
    """The same graphlets in the same order, and the same numbers but for rounding."""
    assert structure(model) == structure(other)
    assert model.graphlets_
    assert model.objective_ == pytest.approx(other.objective_, rel=1e-9)
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("loss", ALL_LOSSES, ids=repr)
def test_any_number_of_shards_gives_the_same_model(loss, kind):
    graphs = random_set(30, seed=1, **kind)
    y = targets(graphs, loss, 1)
    make = LagraClassifier if loss.classification else LagraRegressor
    options = {"loss": loss.name, "maxpat": 3, "lambda_ratio": 0.2, "n_lambdas": 8}
    one = make(**options).fit(graphs, y)
    for n_shards in SHARDS:
        other = make(engine=ShardedEngine(n_shards), **options).fit(graphs, y)
        assert other.objective_ == pytest.approx(one.objective_, rel=1e-9)
        f = [model.model_.decision_function(graphs) for model in (one, other)]
        np.testing.assert_allclose(f[1], f[0], rtol=1e-6, atol=1e-7)
        # Without attributes psi of some patterns depend on each other, and rounding decides
        # among models that are the same function.
        if graphs.n_attributes:
            assert_same(other, one)


@pytest.mark.parametrize(
    "options",
    [
        {"solver": "paper", "max_epochs": 20},
        {"covariates": "size"},
        {"covariates": "size", "covariate_penalty": 1.5},
        {"learn_attributes": False},
        {"class_weight": "balanced"},
    ],
    ids=repr,
)
def test_shards_serve_both_solvers_covariates_and_weights(options):
    graphs = random_set(30, seed=2)
    y = targets(graphs, SquaredHinge(), 2)
    weight = np.random.default_rng(3).uniform(0.5, 2.0, 30)
    options = {"maxpat": 3, "lambda_ratio": 0.2, "n_lambdas": 6, **options}
    one = LagraClassifier(**options).fit(graphs, y, weight)
    for n_shards in (2, 7):
        other = LagraClassifier(engine=ShardedEngine(n_shards), **options).fit(graphs, y, weight)
        assert_same(other, one)
        np.testing.assert_allclose(other.covariate_coef_, one.covariate_coef_, atol=1e-6)


def test_shards_serve_several_classes_and_validation_graphs():
    graphs, held = random_set(36, seed=4), random_set(2, seed=5)
    y = np.digitize(graphs.n_nodes, [5, 7])
    options = {"maxpat": 3, "lambda_ratio": 0.3, "n_lambdas": 5}
    validation = (held, np.digitize(held.n_nodes, [5, 7]))
    one = LagraClassifier(**options).fit(graphs, y, validation=validation)
    # More shards than held-out graphs: some of them judge nothing.
    other = LagraClassifier(engine=ShardedEngine(3), **options)
    other.fit(graphs, y, validation=validation)
    assert_same(other, one)
    for path, expected in zip(other.path_, one.path_, strict=True):
        for point, same in zip(path, expected, strict=True):
            assert point.validation_loss == pytest.approx(same.validation_loss, rel=1e-9)
            assert point.validation_score == pytest.approx(same.validation_score)
            assert point.train_score == pytest.approx(same.train_score)


@pytest.mark.parametrize("average", ["none", "greedy"])
@pytest.mark.parametrize("make", [LagraClassifierCV, LagraRegressorCV])
def test_a_grid_over_shards_chooses_the_same_point(make, average):
    graphs, y, _ = make_planted(60, random_state=0)
    target = y if make is LagraClassifierCV else y + 0.1 * graphs.n_nodes
    options = {"maxpats": (2, 3), "rhos": (1.0,), "starts": 1, "n_lambdas": 8, "random_state": 0}
    one = make(average=average, **options).fit(graphs, target)
    other = make(average=average, engine=ShardedEngine(3), **options).fit(graphs, target)
    assert structure(other) == structure(one)
    assert other.best_index_ == one.best_index_
    for name, values in one.cv_results_.items():
        if np.asarray(values).dtype.kind in "US":
            assert other.cv_results_[name].tolist() == values.tolist()
        else:
            np.testing.assert_allclose(other.cv_results_[name], values, rtol=1e-7, err_msg=name)


@pytest.mark.parametrize("n_shards", SHARDS)
def test_the_joint_search_is_that_of_one_tree(n_shards, kind):
    """Same patterns in the same order, same g, for any scores and lambda."""
    graphs = random_set(24, seed=6, **kind)
    sample = sample_of(graphs, targets(graphs, SquaredHinge(), 6))
    plan, goal = MiningPlan(maxpat=4), Goal(SquaredHinge(), 0.3, 4)
    alone, parted = (
        Problem.of(engine.place(sample, plan), goal)
        for engine in (LocalEngine(), ShardedEngine(n_shards))
    )
    for beta0 in (0.3, -0.4):
        scores = [
            problem.graphs.nothing_matched().scores(np.empty(0), beta0)
            for problem in (alone, parted)
        ]
        top, size = alone.graphs.lambda_max(scores[0])
        assert parted.graphs.lambda_max(scores[1]) == (pytest.approx(top, rel=1e-12), size)
        for share in (0.8, 0.3, 0.05):
            expected = alone.graphs.search(scores[0], share * top)
            found = parted.graphs.search(scores[1], share * top)
            assert len(found.nodes) > 0
            np.testing.assert_allclose(found.g, expected.g, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(found.g_bar, expected.g_bar, rtol=1e-9)
            np.testing.assert_array_equal(found.sizes, expected.sizes)
            ours, theirs = (
                parted.graphs.patterns(found.nodes),
                alone.graphs.patterns(expected.nodes),
            )
            for pattern, same in zip(ours, theirs, strict=True):
                for part, known in zip(pattern, same, strict=True):
                    np.testing.assert_array_equal(part, known)
            np.testing.assert_array_equal(
                parted.graphs.names(ours, np.zeros(len(ours), dtype=np.int32)), found.nodes
            )


@pytest.mark.parametrize("loss", ALL_LOSSES, ids=repr)
def test_the_best_intercept_over_shards_is_that_of_all_graphs(loss):
    graphs = random_set(20, seed=7)
    weight = np.random.default_rng(8).uniform(0.0, 2.0, 20)
    weight[::3] = 0.0  # one of three shards has no weight at all
    sample = sample_of(graphs, targets(graphs, loss, 7), weight)
    found = [
        empty_state(Problem.of(engine.place(sample, MiningPlan(1)), Goal(loss, 1.0, 1))).beta0
        for engine in (LocalEngine(), ShardedEngine(3))
    ]
    assert found[1] == pytest.approx(found[0], rel=1e-12)


OPAQUE = (LocalPlacement, LocalGraphs, LocalMatched, LocalScores, LocalLine, LocalJudge, Shard)


def plain_sizes(value: object) -> Iterable[int]:
    """Bytes of every array, and of every number, in what crosses the seam."""
    if value is None or isinstance(value, (*OPAQUE, str, bool, Loss)):
        return
    if isinstance(value, np.ndarray):
        yield value.nbytes
    elif isinstance(value, (int, float, np.generic)):
        yield 8
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from plain_sizes(part)
    elif is_dataclass(value):
        for field in fields(value):
            yield from plain_sizes(getattr(value, field.name))
    else:
        raise AssertionError(f"{type(value)} must not cross")


class Sealed:
    """Something that lives with the graphs: nobody but a call to a shard may look inside."""

    __slots__ = ("_inside",)

    def __init__(self, inside: object) -> None:
        self._inside = inside


def sealed(answer: object) -> object:
    return Sealed(answer) if isinstance(answer, OPAQUE) else answer


def opened(value: object) -> object:
    return value._inside if isinstance(value, Sealed) else value


def recorded(monkeypatch, graphs: GraphSet, y, **options) -> dict[str, int]:
    """The largest array that crossed the seam in either direction, by method, in one fit."""
    largest: dict[str, int] = {}
    # Held-out graphs go in once, as the training graphs do.
    given = {"judge_on"}

    def ask_each(parts, method, arguments):
        asked = [tuple(map(opened, own)) for own in arguments]
        answers = [
            getattr(opened(part), method)(*own) for part, own in zip(parts, asked, strict=True)
        ]
        crossing = answers if method in given else [asked, answers]
        largest[method] = max([largest.get(method, 0), *plain_sizes(crossing)])
        return [sealed(answer) for answer in answers]

    with monkeypatch.context() as patched:
        for module in (calls, sharded, joint_tree):
            patched.setattr(module, "ask_each", ask_each)
        engine = ShardedEngine(2)
        LagraClassifier(engine=engine, **options).fit(graphs, y, validation=(graphs[:20], y[:20]))
    return largest


@pytest.mark.parametrize("options", [{}, {"solver": "paper", "max_epochs": 10}], ids=repr)
def test_what_crosses_the_seam_does_not_grow_with_the_graphs(monkeypatch, options):
    """Eight times the graphs, the same model: every method sends arrays of the same size."""
    graphs = random_set(30, seed=9)
    y = targets(graphs, SquaredHinge(), 9)
    options = {
        **{"maxpat": 3, "lambda_ratio": 0.3, "n_lambdas": 5, "scale": "none"},
        **{"covariates": "size", "covariate_penalty": 1.0, "starts": 2},
        **options,
    }
    few = recorded(monkeypatch, graphs, y, **options)
    rows = np.tile(np.arange(30), 8)
    many = recorded(monkeypatch, graphs[rows], y[rows], **options)
    assert set(few) == set(many)
    assert {"scores", "gradient", "z_gradient", "moved", "children", "signed_sums"} <= set(few)
    assert max(few.values()) > 8
    # Larger shards lack fewer of the patterns that a search asks for; all else is the same.
    assert many.pop("signed_sums") <= 1.1 * few.pop("signed_sums")
    assert many == few


def test_a_path_of_shards_goes_on_from_a_checkpoint(tmp_path):
    graphs, y, _ = make_planted(40, random_state=1)
    options = {"maxpat": 3, "lambda_ratio": 0.2, "n_lambdas": 8, "engine": ShardedEngine(3)}
    whole = LagraClassifier(**options).fit(graphs, y)

    class Interrupted(Checkpoint):
        def step(self, task, prepared, paths):
            if len(paths[0]) == 5:
                raise KeyboardInterrupt

    with Interrupted(tmp_path / "fit", "key", every=0.0) as kept, pytest.raises(KeyboardInterrupt):
        LagraClassifier(**options).fit(graphs, y, callback=kept)
    with Checkpoint(tmp_path / "fit", "key", resume=True) as kept:
        resumed = LagraClassifier(**options).fit(graphs, y, callback=kept)
    assert resumed.objective_ == whole.objective_
    np.testing.assert_array_equal(resumed.coef_, whole.coef_)


@pytest.mark.parametrize("factor", [0.0, 2.0])
def test_units_of_covariates_follow_from_sums_over_shards(factor):
    rng = np.random.default_rng(10)
    graphs = random_set(20, seed=11)
    values = rng.normal(size=(20, 3)) @ rng.normal(size=(3, 4)) + 5.0  # one says nothing new
    weight = rng.uniform(0.5, 2.0, 20)
    sample = sample_of(graphs, np.ones(20), weight, values)
    expected = CovariateDesign.of(values, factor, weight)
    goal = Goal(SquaredHinge(), 1.0, 1, covariate_penalty=factor)
    design = ShardedEngine(3).place(sample, MiningPlan(1)).graphs_for(goal).design
    assert design.n_columns == expected.n_columns == (3 if factor == 0.0 else 4)
    # Turned axes may be mirrored: what they span is the same.
    np.testing.assert_allclose(design.back @ design.back.T, expected.back @ expected.back.T)


def test_scores_of_parts_add_up_to_those_of_all_graphs():
    rng = np.random.default_rng(12)
    for loss in ALL_LOSSES:
        y, f, w = rng.choice([-1.0, 1.0], 30), rng.normal(size=30), rng.uniform(0.0, 2.0, 30)
        whole = ScoreSums.of(loss, y, f, w)
        assert whole.score == loss.score(y, f, w)
        parts = [ScoreSums.of(loss, y[k::4], f[k::4], w[k::4]) for k in range(4)]
        empty = ScoreSums.of(loss, y[:0], f[:0], w[:0])
        total = empty + parts[0] + parts[1] + parts[2] + parts[3]
        assert total.score == pytest.approx(whole.score, rel=1e-12)


def test_starts_of_shards_are_the_means_of_labels(kind):
    graphs = random_set(20, seed=13, **kind)
    sample = sample_of(graphs, np.ones(20))
    expected = mining.label_means(graphs)
    found = joint_starts([Shard(sample[np.arange(k, 20, 3)]) for k in range(3)], 1)
    np.testing.assert_array_equal(found.type_labels, expected.type_labels)
    np.testing.assert_allclose(found.type_starts, expected.type_starts, atol=1e-12)
    np.testing.assert_allclose(found.edge_starts, expected.edge_starts, atol=1e-12)


def test_k_means_over_shards_ends_where_every_centre_is_the_mean_of_its_nodes():
    rng = np.random.default_rng(14)
    middles = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
    rows = [middles[i % 3] + rng.normal(0.0, 0.3, 2) for i in range(90)]
    graphs = GraphSet.from_lists(
        labels=[["C"]] * 90 + [["O"]] * 2,
        edges=[[]] * 92,
        attributes=[[row] for row in [*rows, np.ones(2), np.zeros(2)]],
    )
    sample = sample_of(graphs, np.ones(92))
    starts = joint_starts([Shard(sample[np.arange(k, 92, 4)]) for k in range(4)], 3)
    # Two different oxygens are two starts, not three.
    assert starts.type_labels.tolist() == [0, 0, 0, 1, 1]
    expected = sorted(np.mean(rows[i::3], axis=0).tolist() for i in range(3))
    np.testing.assert_allclose(starts.type_starts[:3], expected, atol=1e-12)
    np.testing.assert_array_equal(starts.type_starts[3:], [[0.0, 0.0], [1.0, 1.0]])


def test_an_engine_is_a_parameter_like_any_other():
    model = LagraClassifier(engine=ShardedEngine(n_shards=3))
    assert clone(model).engine == ShardedEngine(3)
    assert pickle.loads(pickle.dumps(model)).engine == ShardedEngine(3)
    assert "ShardedEngine(n_shards=3)" in repr(model)


@pytest.mark.parametrize("engine", ["sharded", 3, ShardedEngine])
def test_what_is_not_an_engine_is_refused(engine):
    graphs = random_set(6, seed=0)
    with pytest.raises(ValueError, match="'engine' parameter of LagraClassifier must be an engine"):
        LagraClassifier(engine=engine).fit(graphs, [0, 1] * 3)


@pytest.mark.parametrize(("n_shards", "error"), [(0, ValueError), (2.5, TypeError)])
def test_shards_are_counted_from_one(n_shards, error):
    with pytest.raises(error, match="'n_shards' parameter of ShardedEngine must be an int"):
        ShardedEngine(n_shards)
