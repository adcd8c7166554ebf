"""Choosing on held-out graphs: best mean over folds, ties to the sparser model."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from aglets.training.grid_walks import is_stale, is_too_long
from aglets.training.selection import Cell, FoldResult, Grid, choose, costs, further_cells

GRID = Grid(rhos=(1.0, 0.1), maxpats={1: (5, 2)})


def result(loss, n_nonzero, score=None):
    loss = np.asarray(loss, dtype=float)
    score = np.full_like(loss, np.nan) if score is None else np.asarray(score, dtype=float)
    return FoldResult(loss, score, np.asarray(n_nonzero, dtype=float))


def test_cells_list_few_starts_and_small_patterns_first():
    assert [cell[:3] for cell in GRID.cells] == [(1, 1.0, 2), (1, 0.1, 2), (1, 1.0, 5), (1, 0.1, 5)]
    assert Grid(rhos=(1.0,), maxpats={4: (1, 2), 1: (5,)}).cells == [
        Cell(starts=1, rho=1.0, maxpat=5),
        Cell(starts=4, rho=1.0, maxpat=1),
        Cell(starts=4, rho=1.0, maxpat=2),
    ]


def test_lowest_mean_loss_over_folds_wins():
    n_nonzero = np.ones((4, 3))
    one = result([[9, 9, 9], [9, 1, 9], [9, 9, 9], [9, 9, 4]], n_nonzero)
    two = result([[9, 9, 9], [9, 8, 9], [9, 9, 9], [9, 9, 4]], n_nonzero)
    choice = choose([one, two], GRID, by_score=False)
    assert (choice.position, choice.index, choice.cell) == (3, 2, Cell(1, 0.1, 5))


def test_highest_mean_score_wins_when_asked_for():
    n_nonzero = np.ones((4, 2))
    score = [[0.5, 0.6], [0.5, 0.5], [0.9, 0.5], [0.5, 0.5]]
    choice = choose([result(np.zeros((4, 2)), n_nonzero, score)], GRID, by_score=True)
    assert (choice.position, choice.index) == (2, 0)


def test_ties_go_to_the_sparser_model():
    loss = [[2, 2, 1], [2, 1, 2], [1, 2, 1], [1 + 1e-14, 2, 2]]
    n_nonzero = [[1, 1, 7], [1, 3, 1], [5, 1, 9], [4, 1, 1]]
    choice = choose([result(loss, n_nonzero)], GRID, by_score=False)
    assert (choice.position, choice.index) == (1, 1)


def test_ties_between_equally_sparse_models_go_to_the_larger_lambda_then_the_smaller_pattern():
    choice = choose([result(np.ones((4, 3)), np.ones((4, 3)))], GRID, by_score=False)
    assert (choice.position, choice.index, choice.cell.maxpat) == (0, 0, 2)
    loss = np.ones((4, 3))
    loss[:, 0] = 2.0
    loss[0, 1] = 2.0
    choice = choose([result(loss, np.ones((4, 3)))], GRID, by_score=False)
    assert (choice.position, choice.index) == (1, 1)


def test_points_that_a_path_did_not_reach_are_never_chosen():
    short = result([[3, np.inf]] * 4, [[1, np.inf]] * 4)
    long = result([[3, 0]] * 4, [[1, 0]] * 4)
    assert choose([short, long], GRID, by_score=False).index == 0


def test_within_the_slack_the_sparsest_wins_and_of_equally_sparse_ones_the_best():
    loss = [[5, 4, 3], [9, 9, 9], [9, 3.5, 9], [9, 9, 9]]
    n_nonzero = [[1, 2, 8], [0, 0, 0], [9, 2, 9], [9, 9, 9]]
    chosen = [
        choose([result(loss, n_nonzero)], GRID, by_score=False, slack=slack)
        for slack in (0.0, 0.4, 1.0, 2.0)
    ]
    assert [(choice.position, choice.index) for choice in chosen] == [
        (0, 2),
        (0, 2),
        (2, 1),
        (0, 0),
    ]


def test_a_loss_of_zero_can_be_chosen_and_ties_there_too():
    loss = [[1, 0], [1, 0], [1, 1], [1, 1]]
    choice = choose([result(loss, [[9, 9], [9, 2], [1, 1], [1, 1]])], GRID, by_score=False)
    assert (choice.position, choice.index) == (1, 1)


def test_a_cell_in_addition_must_be_better_by_a_part_of_the_loss_without_graphlets():
    grid = Grid(rhos=(1.0,), maxpats={1: (5,)}, extra=(Cell(1, 1.0, 5, ("best", "sum")),))
    for own, position in ((0.995, 0), (1.005, 0), (0.97, 1)):
        loss = [[2.0, 1.0], [2.0, own]]  # a hundredth of 2 is asked for
        assert choose([result(loss, np.ones((2, 2)))], grid, by_score=False).position == position


def test_further_channels_are_tried_with_the_best_cell_of_each_number_of_starts():
    more = ((("best", "sum"), "log"), (("mean",), "none"))
    grid = Grid(rhos=(1.0, 0.1), maxpats={1: (5,), 4: (2,)}, further=more)
    found = result([[9, 4], [9, 3], [2, 9], [1, 9]], np.ones((4, 2)), [[0, 5]] + [[0, 1]] * 3)
    assert further_cells([found], grid, by_score=False) == (
        Cell(1, 0.1, 5, ("best", "sum"), "log"),
        Cell(1, 0.1, 5, ("mean",), "none"),
        Cell(4, 0.1, 2, ("best", "sum"), "log"),
        Cell(4, 0.1, 2, ("mean",), "none"),
    )
    assert further_cells([found], grid, by_score=True)[0].rho == 1.0
    np.testing.assert_array_equal(costs([found, found], by_score=True), -found.score)
    assert grid.n_paths == 4 + 2 * 2


def path(validation, train, ratio=0.01):
    lambdas = np.geomspace(1.0, ratio, len(validation))
    return [
        SimpleNamespace(lam=lam, validation_loss=v, train_loss=t)
        for lam, v, t in zip(lambdas, validation, train, strict=True)
    ]


def test_outputs_that_share_end_with_as_many_graphlets_as_a_person_reads():
    def paths(n_nonzero, n_outputs=None):
        beta = np.zeros(n_nonzero if n_outputs is None else (n_nonzero, n_outputs))
        return [[SimpleNamespace(beta=beta, n_nonzero=n_nonzero)]]

    assert [is_too_long(paths(n, 12)) for n in (199, 200)] == [False, True]
    assert not is_too_long(paths(200, 150))  # many outputs may need more
    assert not is_too_long(paths(1000))  # one output chooses on held-out graphs alone


def test_a_path_is_stale_when_it_fits_and_was_best_long_ago():
    falling = np.linspace(1.0, 0.1, 100)
    up = np.concatenate([falling[:50], np.linspace(0.6, 1.0, 50)])
    assert not is_stale([path(falling, falling)])
    assert is_stale([path(up, falling)])
    # Not long ago in points, not in lambda, or nothing is fitted yet.
    assert not is_stale([path(up, falling)[:56]])
    assert not is_stale([path(up, falling, ratio=0.9)])
    assert not is_stale([path(up, np.linspace(1.0, 0.6, 100))])
    # The sum over outputs counts.
    assert not is_stale([path(up, falling), path(3 * falling, falling)])


def test_parts_of_a_grid_have_all_cells_once_and_share_starts():
    extra = (Cell(1, 0.1, 5, ("best", "sum")), Cell(4, 1.0, 3, ("best", "sum")))
    grid = Grid(rhos=(3.0, 1.0, 0.3), maxpats={1: (5, 8), 4: (3,)}, extra=extra)
    parts = grid.parts
    assert sorted(cell for part in parts for cell in part) == sorted(grid.cells)
    assert len(parts) == 4
    for part in parts:
        assert len({cell.starts for cell in part}) == 1
    # All sizes of one path stay together: they share its beginning.
    homes = [(cell._replace(maxpat=0), k) for k, part in enumerate(parts) for cell in part]
    assert len({walk for walk, _ in homes}) == len(set(homes))


def test_a_tentative_size_is_tried_in_one_place():
    grid = Grid(rhos=(3.0, 1.0, 0.3), maxpats={1: (5, 8)}, tentative=(8,))
    assert len(grid.parts) == 1
