"""An output is trained and judged on the graphs whose target is known, as if alone."""

from __future__ import annotations

import numpy as np
import pytest
from path_tools import random_set, targets

from aglets.model.losses import Huber, Logistic, Loss, Squared, SquaredHinge
from aglets.model.outputs import Outputs
from aglets.model.target import Target
from aglets.training.engine import Engine, LocalEngine, ShardedEngine
from aglets.training.fitting import Settings, Walk, prepare, walk
from aglets.training.path import Validation
from aglets.training.sample import Sample

LOSSES = [SquaredHinge(), Logistic(), Squared(), Huber(0.7)]


def settings(outputs: Outputs, engine: Engine) -> Settings:
    return Settings(
        outputs=outputs,
        scale="none",
        solver="fast",
        learn_attributes=True,
        n_lambdas=6,
        lambda_min_ratio=0.1,
        max_epochs=30,
        patience=5,
        tol=1e-6,
        engine=engine,
        covariate_penalty=1.0,
    )


def target(loss: Loss, name: str) -> Target:
    return Target(loss, np.array([-1, 1]) if loss.classification else None, name)


@pytest.mark.parametrize("engine", [LocalEngine(), ShardedEngine(n_shards=3)])
def test_a_path_with_gaps_is_the_path_of_the_known_graphs(engine):
    rng = np.random.default_rng(3)
    # Without attributes nothing is learned from a graph but through its targets.
    graphs = random_set(60, seed=4, d=0)
    y = np.stack([targets(graphs, loss, seed=k) for k, loss in enumerate(LOSSES)])
    known = rng.random(y.shape) < 0.7
    weights = known * rng.uniform(0.5, 2.0, y.shape)
    columns = rng.normal(size=(60, 2))
    # What stands at a gap must not matter.
    sample = Sample(graphs, np.where(known, y, 7.0), np.ones(60), weights, columns)
    train, held = np.arange(40), np.arange(40, 60)
    outputs = Outputs([target(loss, loss.name) for loss in LOSSES])

    def paths(sample, train, held, outputs):
        prepared = prepare(sample[train], settings(outputs, engine), maxpat=3)
        validation = Validation(sample[held].to_model_units(prepared.input_spec), keep_f=True)
        return walk(prepared, settings(outputs, engine), Walk(0.5, 3, validation))

    together = paths(sample, train, held, outputs)
    for k, loss in enumerate(LOSSES):
        own = np.flatnonzero(known[k])
        part = Sample(graphs[own], y[[k]][:, own], np.ones(len(own)), weights[k, own], columns[own])
        rows = np.arange(len(own))
        alone = paths(part, rows[own < 40], rows[own >= 40], Outputs([target(loss, None)]))[0]
        assert any(point.n_nonzero for point in alone)
        for ours, theirs in zip(together[k], alone, strict=True):
            assert ours.lam == pytest.approx(theirs.lam, rel=1e-9)
            assert ours.objective == pytest.approx(theirs.objective, rel=1e-6)
            assert ours.validation_loss == pytest.approx(theirs.validation_loss, rel=1e-4)
            assert ours.validation_score == pytest.approx(theirs.validation_score, rel=1e-3)
            np.testing.assert_allclose(ours.held_f[known[k, 40:]], theirs.held_f, atol=1e-3)


def test_a_held_out_part_in_which_a_target_is_unknown_has_no_score():
    graphs = random_set(30, seed=1, d=0)
    y = targets(graphs, SquaredHinge())
    weights = np.stack([np.ones(30), np.arange(30) < 20.0])
    sample = Sample(graphs, np.stack([y, y]), np.ones(30), weights)
    outputs = Outputs([target(SquaredHinge(), name) for name in ("one", "two")])
    options = settings(outputs, LocalEngine())
    prepared = prepare(sample[np.arange(20)], options, maxpat=2)
    validation = Validation(sample[np.arange(20, 30)].to_model_units(prepared.input_spec))
    one, two = walk(prepared, options, Walk(0.5, 2, validation))
    assert 0.0 <= one[0].validation_score <= 1.0
    assert np.isnan(two[0].validation_score)
    assert two[0].validation_loss == 0.0
