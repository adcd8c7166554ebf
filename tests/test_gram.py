"""Gram matrices of rows that are mostly zero: the same however they are computed."""

from __future__ import annotations

import numpy as np
import pytest

from aglets._core import SparseRows
from aglets.training.engine import gram as module
from aglets.training.engine.gram import gram, grams


def problem(density: float, n_rows: int = 12, n_graphs: int = 500):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n_rows, n_graphs)) * (rng.random((n_rows, n_graphs)) < density)
    return rows, np.maximum(rng.normal(size=(3, n_graphs)), 0.0)


@pytest.mark.parametrize("density", [0.0, 0.05, 1.0])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_gram_matrices_are_weighted_sums_of_products(monkeypatch, density, n_jobs):
    monkeypatch.setattr(module, "BLOCK", 64)
    rows, weights = problem(density)
    sparse = SparseRows.of(rows)
    expected = np.einsum("ki,ji,li->jlk", weights, rows, rows)
    np.testing.assert_allclose(gram(sparse, weights[0], n_jobs), expected[..., 0], atol=1e-10)
    np.testing.assert_allclose(grams(sparse, weights, n_jobs), expected, atol=1e-10)


@pytest.mark.parametrize("density", [0.05, 1.0])
def test_threads_change_no_bit(monkeypatch, density):
    monkeypatch.setattr(module, "BLOCK", 64)
    rows, weights = problem(density)
    sparse = SparseRows.of(rows)
    assert gram(sparse, weights[0], 3).tobytes() == gram(sparse, weights[0]).tobytes()
    assert grams(sparse, weights, 3).tobytes() == grams(sparse, weights).tobytes()


def test_no_rows_and_no_graphs_have_a_gram_matrix():
    assert gram(SparseRows(4), np.ones(4)).shape == (0, 0)
    assert not gram(SparseRows.of(np.zeros((2, 3))), np.zeros(3)).any()
