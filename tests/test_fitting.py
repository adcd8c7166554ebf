"""Paths of several maxpat at one rho share what they have in common."""

from __future__ import annotations

import numpy as np
import pytest

from aglets.datasets import make_planted
from aglets.model.losses import SquaredHinge
from aglets.model.outputs import Outputs
from aglets.model.target import Target
from aglets.training.fitting import Settings, Walk, prepare, walk, walk_maxpats
from aglets.training.path import Validation
from aglets.training.sample import Sample


def settings(solver: str) -> Settings:
    return Settings(
        outputs=Outputs([Target(SquaredHinge(), [-1, 1], name) for name in ("one", "two")]),
        scale="standard",
        solver=solver,
        learn_attributes=True,
        n_lambdas=12,
        lambda_min_ratio=0.05,
        max_epochs=15,
        patience=5,
        tol=1e-4,
    )


@pytest.mark.parametrize("solver", ["fast", "paper"])
@pytest.mark.parametrize("rho", [1.0, 0.05])
def test_paths_that_share_their_beginning_equal_paths_walked_alone(solver, rho):
    # Without a motif small patterns come first, and paths have a beginning to share.
    graphs, y, _ = make_planted(60, n_motifs=0, random_state=5)
    sample = Sample(graphs, np.array([y, -y], dtype=float), np.ones(60), np.ones(60))
    train, held_out = sample[np.arange(40)], sample[np.arange(40, 60)]
    options = settings(solver)
    prepared = prepare(train, options, maxpat=4)
    validation = Validation(held_out.to_model_units(prepared.input_spec))
    together = walk_maxpats(prepared, options, Walk(rho, 4, validation), (1, 2, 4))
    n_shared = 0
    for maxpat in (1, 2, 4):
        fresh = prepare(train, options, maxpat=maxpat)
        held = Validation(held_out.to_model_units(fresh.input_spec))
        alone = walk(fresh, options, Walk(rho, maxpat, held))
        assert len(alone) == len(together[maxpat]) == 2
        for ours, theirs in zip(together[maxpat], alone, strict=True):
            for p, q in zip(ours, theirs, strict=True):
                assert p.lam == q.lam
                assert p.objective == q.objective
                assert p.validation_loss == q.validation_loss
                np.testing.assert_allclose(p.z, q.z, rtol=1e-9, atol=1e-12)
            n_shared += sum(p is q for p, q in zip(ours, together[4][0], strict=True))
    assert n_shared > 12  # more than the largest path with itself: something was shared
