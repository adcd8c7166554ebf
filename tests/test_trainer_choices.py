"""Details of the trainer that whole fits would not notice: they are held one by one."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from aglets.datasets import make_planted
from aglets.model.losses import SquaredHinge
from aglets.model.outputs import Outputs
from aglets.model.target import Target
from aglets.training.fitting import Settings, Walk, prepare, walk
from aglets.training.grid_walks import (
    STALE_LOSS,
    STALE_POINTS,
    STALE_RATIO,
    evaluate_folds,
    is_stale,
    total_loss,
    walk_cells,
)
from aglets.training.optim import blocks
from aglets.training.path import Validation
from aglets.training.sample import Sample
from aglets.training.selection import (
    ROUNDING,
    Cell,
    FoldResult,
    Grid,
    choose,
)


@pytest.mark.parametrize(
    ("moved", "length"), [(1e-3, 7.0), (3.1e-9, 7.0), (2.9e-9, 0.5), (0.0, 0.5)]
)
def test_a_step_that_hardly_moves_keeps_the_length_of_the_last(moved, length):
    x = np.array([1.0, -3.0])
    step = SimpleNamespace(x=x + np.array([0.0, moved]), length=7.0)
    assert blocks._next_length(x, step, 0.5) == length


def test_a_step_from_nowhere_counts_if_it_moves_at_all():
    assert blocks._next_length(np.zeros(2), SimpleNamespace(x=np.zeros(2), length=7.0), 0.5) == 0.5
    step = SimpleNamespace(x=np.array([0.0, 1e-30]), length=7.0)
    assert blocks._next_length(np.zeros(2), step, 0.5) == 7.0


def test_an_empty_working_set_violates_nothing():
    assert blocks.kkt_violation(SimpleNamespace(coef=np.empty(0)), 0.1) == 0.0


# Choosing ------------------------------------------------------------------------------------


def folds_of(cost, n_nonzero):
    cost = np.asarray(cost, dtype=float)
    return [FoldResult(cost, -cost, np.asarray(n_nonzero, dtype=float))]


GRID = Grid(rhos=(1.0,), maxpats={1: (2, 3)})


@pytest.mark.parametrize("by_score", [False, True])
@pytest.mark.parametrize(("apart", "index"), [(0.5, 0), (2.0, 1)])
def test_costs_within_rounding_are_equal_and_others_are_not(by_score, apart, index):
    cost = 8.0 * np.array([[1.0 + apart * ROUNDING, 1.0], [2.0, 2.0]])
    choice = choose(folds_of(cost, np.ones((2, 2))), GRID, by_score=by_score)
    assert (choice.position, choice.index) == (0, index)


def test_slack_is_absolute_and_includes_its_end():
    cost, n_nonzero = [[3.0, 2.0], [9.0, 9.0]], [[1, 5], [0, 0]]
    for slack, index in ((0.999, 1), (1.0, 0), (1.5, 0)):
        found = choose(folds_of(cost, n_nonzero), GRID, by_score=False, slack=slack)
        assert (found.position, found.index) == (0, index)


def test_costs_below_zero_have_a_tolerance_too():
    cost = -8.0 * np.array([[1.0 - 0.5 * ROUNDING, 1.0], [0.5, 0.5]])
    assert choose(folds_of(cost, np.ones((2, 2))), GRID, by_score=False).index == 0


# Stale paths ---------------------------------------------------------------------------------


def points(lambdas, validation, train):
    return [
        SimpleNamespace(lam=lam, validation_loss=v, train_loss=t)
        for lam, v, t in zip(lambdas, validation, train, strict=True)
    ]


def stale(*, n_after, ratio, left):
    """A path whose best point is its first: so many points after it, down to lambda and loss."""
    lambdas = np.geomspace(1.0, ratio, n_after + 1)
    lambdas[-1] = ratio
    train = np.linspace(1.0, left, n_after + 1)
    return is_stale([points(lambdas, [1.0] + [2.0] * n_after, train)])


def test_the_three_limits_of_a_stale_path_are_where_they_are_said_to_be():
    far, fits = 0.9 * STALE_RATIO, 0.9 * STALE_LOSS
    assert stale(n_after=STALE_POINTS, ratio=far, left=fits)
    assert not stale(n_after=STALE_POINTS - 1, ratio=far, left=fits)
    assert not stale(n_after=STALE_POINTS, ratio=STALE_RATIO, left=fits)
    assert not stale(n_after=STALE_POINTS, ratio=far, left=STALE_LOSS)


def test_staleness_sums_losses_over_outputs_and_takes_lambda_of_the_first():
    n = STALE_POINTS + 1
    lambdas = np.geomspace(1.0, 0.1, n)
    one = points(lambdas, [1.0] + [2.0] * (n - 1), np.linspace(1.0, 0.1, n))
    other = points(lambdas, [1.0] * n, np.linspace(9.0, 9.0, n))
    assert is_stale([one])
    assert not is_stale([one, other])  # the training loss of both is still near its start
    assert total_loss([one[1], other[1]]) == 3.0
    assert total_loss([SimpleNamespace(validation_loss=None)]) == 0.0


# The grid ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def problem():
    graphs, y, _ = make_planted(60, background_size=(3, 5), motif_size=3, random_state=2)
    y = np.where(np.random.default_rng(0).random(60) < 0.1, -y, y)
    settings = Settings(
        outputs=Outputs([Target(SquaredHinge(), [-1, 1], "y")]),
        scale="standard",
        solver="fast",
        learn_attributes=True,
        n_lambdas=6,
        lambda_min_ratio=0.1,
        max_epochs=10,
        patience=3,
        tol=1e-3,
    )
    sample = Sample(graphs, np.array([y], dtype=float), np.ones(60), np.ones(60))
    return sample, settings


def test_every_cell_of_a_grid_is_judged_as_if_walked_alone(problem):
    sample, settings = problem
    train, held_out = sample[np.arange(40)], sample[np.arange(40, 60)]
    grid = Grid(rhos=(0.5, 0.05), maxpats={2: (1,), 1: (1, 3)})
    spec = prepare(train, settings, maxpat=1).input_spec
    [found] = evaluate_folds([(train, held_out)], grid, settings, input_spec=spec, by_score=True)
    assert found.loss.shape == found.score.shape == found.n_nonzero.shape == (6, 6)
    for row, cell in enumerate(grid.cells):
        alone = prepare(train, settings, maxpat=cell.maxpat, starts=cell.starts, input_spec=spec)
        validation = Validation(held_out.to_model_units(spec))
        [path] = walk(alone, settings, Walk(cell.rho, cell.maxpat, validation))
        n = len(path)
        assert found.loss[row, :n].tolist() == [point.validation_loss for point in path]
        assert found.score[row, :n].tolist() == [point.validation_score for point in path]
        assert found.n_nonzero[row, :n].tolist() == [point.n_nonzero for point in path]
        assert np.isinf(found.loss[row, n:]).all()
        assert len(found.paths[row][0]) == n


def test_without_scores_and_f_a_fold_keeps_losses_and_bare_points(problem):
    sample, settings = problem
    grid = Grid(rhos=(0.5,), maxpats={1: (2,)})
    fold = sample[np.arange(40)], sample[np.arange(40, 60)]
    spec = prepare(fold[0], settings, maxpat=1).input_spec
    [full] = evaluate_folds([fold], grid, settings, input_spec=spec, by_score=True)
    [bare] = evaluate_folds(
        [fold],
        grid,
        settings,
        input_spec=spec,
        by_score=False,
        keep_f=False,
    )
    assert bare.loss.tolist() == full.loss.tolist()
    assert np.isnan(bare.score[np.isfinite(bare.loss)]).all()
    assert not any(point.held_f.size for point in bare.paths[0][0])
    assert all(point.held_f.size for point in full.paths[0][0])


def test_folds_are_evaluated_in_their_order(problem):
    sample, settings = problem
    grid = Grid(rhos=(0.5,), maxpats={1: (1,)})
    halves = sample[np.arange(30)], sample[np.arange(30, 60)]
    spec = prepare(sample, settings, maxpat=1).input_spec
    folds = [halves, halves[::-1]]
    options = {"input_spec": spec, "by_score": False}
    both = evaluate_folds(folds, grid, settings, **options)
    for fold, found in zip(folds, both, strict=True):
        [alone] = evaluate_folds([fold], grid, settings, **options)
        assert found.loss.tolist() == alone.loss.tolist()
        assert len(found.paths) == 1


def test_cells_are_walked_on_all_graphs_to_their_stops(problem):
    sample, settings = problem
    spec = prepare(sample, settings, maxpat=1).input_spec
    stops = {Cell(1, 0.5, 3): 4, Cell(2, 0.05, 1): 2, Cell(1, 0.05, 1): 3}
    walked = walk_cells(sample, stops, settings, spec)
    assert walked.keys() == stops.keys()
    for cell, stop in stops.items():
        alone = prepare(sample, settings, maxpat=cell.maxpat, starts=cell.starts, input_spec=spec)
        [theirs] = walk(alone, settings, Walk(cell.rho, cell.maxpat, stop=stop))
        [ours] = walked[cell]
        assert len(ours) == len(theirs)
        assert [point.objective for point in ours] == [point.objective for point in theirs]
