"""The protocol of benchmarks/paper: splits, records, paired tests and the small rivals."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse, stats

from aglets import GraphSet, datasets
from paper import comparison, protocol, small


@pytest.fixture(scope="module")
def some_graphs() -> GraphSet:
    graphs, _ = datasets.load_acids()
    return graphs[:30]


def test_split_takes_floor_of_each_class_to_train_and_validate():
    y = np.array([-1] * 319 + [1] * 86)  # the classes of BZR
    parts = protocol.Split.of(y, seed=3)
    for value, n in ((-1, 319), (1, 86)):
        counts = [np.sum(y[rows] == value) for rows in (parts.train, parts.validation, parts.test)]
        assert counts == [int(0.6 * n), int(0.2 * n), n - int(0.6 * n) - int(0.2 * n)]
    together = np.concatenate([parts.train, parts.validation, parts.test])
    assert sorted(together) == list(range(len(y)))
    assert len(parts.test) == 83  # the only test size near 20 % that the paper's means fit


def test_written_splits_are_the_splits(tmp_path):
    y = np.array([-1, 1] * 25)
    protocol.write_splits(tmp_path, "toy", y, range(3))
    lines = (tmp_path / "toy.txt").read_text().splitlines()
    for seed, line in enumerate(lines):
        parts = protocol.Split.of(y, seed)
        assert [i for i, digit in enumerate(line) if digit == "1"] == parts.validation.tolist()
        assert [i for i, digit in enumerate(line) if digit == "2"] == parts.test.tolist()


def test_a_record_cut_off_by_the_end_of_its_process_costs_only_itself(tmp_path):
    records = protocol.Records(tmp_path)
    for seed in range(2):
        records.add({"method": "m", "set": "BZR", "seed": seed, "accuracy": 0.5})
    path = tmp_path / "records" / "m.jsonl"
    path.write_text(path.read_text()[:-20])
    records.add({"method": "m", "set": "BZR", "seed": 2, "accuracy": 0.5})
    assert sorted(records.of("m")) == [("BZR", 0), ("BZR", 2)]


def test_a_later_record_replaces_an_earlier_one(tmp_path):
    records = protocol.Records(tmp_path)
    for accuracy in (0.5, 0.75):
        records.add({"method": "m", "set": "BZR", "seed": 0, "accuracy": accuracy})
    assert records.of("m")["BZR", 0]["accuracy"] == 0.75
    json.loads((tmp_path / "records" / "m.jsonl").read_text().splitlines()[0])


def test_uncorrected_paired_test_is_scipys():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.8, 0.05, 7), rng.normal(0.78, 0.05, 7)
    expected = stats.ttest_rel(a, b, alternative="greater").pvalue
    assert comparison.paired_t(a, b) == pytest.approx(expected)


def test_correction_makes_differences_less_certain():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.82, 0.03, 20), rng.normal(0.78, 0.03, 20)
    assert comparison.paired_t(a, b) < comparison.corrected_t(a, b) < 0.5


def test_a_detectable_difference_is_just_at_the_level_of_the_test():
    difference = np.random.default_rng(0).normal(0.0, 0.03, 7)
    shifted = difference - difference.mean() + comparison.detectable(difference)
    assert comparison.corrected_t(shifted, np.zeros(7)) == pytest.approx(comparison.LEVEL)


def test_equal_results_are_not_distinguished():
    assert comparison.corrected_t(np.ones(5), np.ones(5)) == 0.5


def test_shared_counts_are_sums_of_smaller_counts():
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, (6, 9))
    expected = np.minimum(counts[:, None], counts[None]).sum(axis=2)
    np.testing.assert_array_equal(small.shared_counts(sparse.csr_matrix(counts)), expected)


def test_assignment_kernel_is_grakels(some_graphs):
    kernels = pytest.importorskip("grakel.kernels")
    theirs = kernels.WeisfeilerLehmanOptimalAssignment(n_iter=2)
    expected = theirs.fit_transform(some_graphs.to_grakel())
    np.testing.assert_allclose(small.assignment_kernels(some_graphs)[2], expected)


def test_refined_labels_split_but_never_join(some_graphs):
    for before, after in pairwise(small.weisfeiler_lehman_counts(some_graphs)):
        assert before.shape[1] <= after.shape[1]
        np.testing.assert_array_equal(before.sum(axis=1), after.sum(axis=1))


def test_statistics_do_not_depend_on_the_numbering_of_nodes():
    one = GraphSet.from_lists(
        labels=["CCO", "CO"],
        edges=[[(0, 1), (1, 2)], [(0, 1)]],
        attributes=[[[0.1], [0.2], [1.0]], [[0.0], [0.9]]],
    )
    other = GraphSet.from_lists(
        labels=["OCC", "OC"],
        edges=[[(2, 1), (1, 0)], [(0, 1)]],
        attributes=[[[1.0], [0.2], [0.1]], [[0.9], [0.0]]],
    )
    np.testing.assert_allclose(small.statistics(one), small.statistics(other))
