"""Budgets of work: counted the same everywhere, and cut at the same place."""

from __future__ import annotations

import numpy as np
import pytest
from path_tools import random_set, targets

from aglets import mining
from aglets.model.losses import SquaredHinge

THREADS = [1, 2, 5]


@pytest.fixture(scope="module")
def graphs():
    return random_set(40, seed=5)


@pytest.fixture(scope="module")
def residual(graphs):
    return targets(graphs, SquaredHinge(), 5)


def searched(graphs, residual, n_jobs: int, **options):
    """A few searches, as along a path: what they found, the tree they left and what they cost."""
    tree = mining.Tree(graphs, maxpat=6, n_jobs=n_jobs, **options)
    seen = []
    for lam in (4.0, 2.0, 1.0, 0.5):
        try:
            found = tree.search(residual, lam=lam, rho=0.3)
            seen.append((found.nodes.tobytes(), found.g.tobytes(), found.n_visited))
        except mining.BudgetError as error:
            seen.append(str(error))
        seen.append((tree.n_nodes, tree.n_bytes, tree.work_spent))
    return seen


@pytest.mark.parametrize("share", [0.0, 0.1, 0.37, 0.8, 0.99, 1.0])
@pytest.mark.parametrize("limit", ["max_work", "max_nodes", "max_bytes"])
def test_threads_change_neither_the_count_nor_the_cut(graphs, residual, limit, share):
    whole = searched(graphs, residual, 1)
    nodes, bytes_, work = whole[-1]
    most = {"max_work": work, "max_nodes": nodes, "max_bytes": 2 * bytes_}[limit]
    one, *others = (
        searched(graphs, residual, n_jobs, **{limit: int(share * most)}) for n_jobs in THREADS
    )
    assert all(other == one for other in others)
    if share == 1.0:
        assert one == whole
    elif limit != "max_bytes":
        assert limit in one[-2]


@pytest.mark.parametrize("n_jobs", THREADS)
def test_more_work_can_be_granted_and_the_searches_then_end_where_they_would_have(
    graphs, residual, n_jobs
):
    free = mining.Tree(graphs, maxpat=6, n_jobs=n_jobs)
    expected = free.search(residual, lam=0.5, rho=0.3)
    tree = mining.Tree(graphs, maxpat=6, n_jobs=n_jobs, max_work=free.work_spent // 3)
    with pytest.raises(mining.BudgetError, match="max_work"):
        tree.search(residual, lam=0.5, rho=0.3)
    spent = tree.work_spent
    assert spent > 0
    with pytest.raises(mining.BudgetError, match="max_work=0"):
        tree.search(residual, lam=0.5, rho=0.3)
    tree.allow(max_work=2 * free.work_spent)
    found = tree.search(residual, lam=0.5, rho=0.3)
    assert tree.work_spent > spent
    np.testing.assert_array_equal(np.sort(found.g), np.sort(expected.g))
    tree.allow()
    assert tree.max_work is None


@pytest.mark.parametrize("share", [0.2, 0.7])
def test_a_cut_count_does_not_depend_on_the_number_of_threads(graphs, share):
    most = next(w for w in 2 ** np.arange(8, 30) if mining.count(graphs, 7, max_work=w).complete)
    counts = [
        mining.count(graphs, 7, max_work=int(share * most / 2), n_jobs=n_jobs) for n_jobs in THREADS
    ]
    assert not counts[0].complete
    assert counts[0].total > 0
    assert counts[1:] == counts[:-1]


def test_frequent_patterns_and_lambda_max_say_that_work_is_over(graphs, residual):
    with pytest.raises(mining.BudgetError, match="max_work=100 units of work; raise max_work"):
        mining.frequent(graphs, 6, 2, max_work=100)
    with pytest.raises(mining.BudgetError, match="max_work"):
        mining.lambda_max(graphs, residual, maxpat=6, rho=0.3, max_work=50)
    with pytest.raises(ValueError, match="at least 0"):
        mining.Tree(graphs, maxpat=2, max_work=-1)


def test_looking_up_a_pattern_again_costs_no_work(graphs, residual):
    tree = mining.Tree(graphs, maxpat=5)
    found = tree.search(residual, lam=0.5, rho=0.3)
    fresh = mining.Tree(graphs, maxpat=5)
    assert fresh.pattern(fresh.find(tree.pattern(found.nodes[-1]))).types.size > 0
    assert fresh.work_spent == 0
