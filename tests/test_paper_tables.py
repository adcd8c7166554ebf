"""The tables and the page of benchmarks/paper say what the records say."""

from __future__ import annotations

import numpy as np
import pytest
from paper import page, published, tables
from paper.protocol import Records

#: Test graphs of a stratified split, by set.
TESTED = {
    **{"AIDS": 400, "BZR": 83, "COX2": 94, "DHFR": 152},
    **{"ENZYMES": 40, "PROTEINS": 224, "SYNTHETIC": 60},
}


@pytest.fixture
def folder(tmp_path):
    """Records of three methods on BZR: one best, one level with it, one far behind."""
    to_and_fro = np.resize([0.01, -0.01], 20)
    noise = np.array([-to_and_fro / 2, to_and_fro, to_and_fro / 4])
    records = Records(tmp_path)
    run = records.begin_run("python -m paper.run")
    for row, (method, mean) in enumerate({"wl-svm": 0.902, "gcn": 0.895, "majority": 0.6}.items()):
        for seed in range(20):
            records.add(
                {"method": method, "set": "BZR", "seed": seed, "run": run, "cpu_shared": 0.0}
                | {"accuracy": mean + noise[row, seed], "validation_accuracy": 0.9}
                | {"cpu_fit": 1.0, "cpu_predict": 0.001, "n_test": 83, "chosen": {}}
            )
    records.add({"method": "gat", "set": "BZR", "seed": 0, "run": run, "capped": 77})
    return tmp_path


def row_of(text: str, name: str) -> str:
    [row] = [line for line in text.splitlines() if line.startswith(f"| {name} ")]
    return row


def test_best_mean_is_underlined_and_what_is_level_with_it_bold(folder):
    text = tables.accuracy_table(tables.Results(folder), 5)
    assert "<u>**" in row_of(text, "Weisfeiler-Lehman, linear SVM")
    assert "**" in row_of(text, "GCN")
    assert "<u>" not in row_of(text, "GCN")
    assert "**" not in row_of(text, "majority class")


def test_capped_jobs_are_named(folder):
    assert "ended after 77 CPU s" in tables.accuracy_table(tables.Results(folder), 5)


def test_differences_are_signed_where_the_corrected_test_finds_them(folder):
    text = tables.duel_table(tables.Results(folder), "wl-svm")
    assert "**+**" in row_of(text, "majority class")
    assert "**+**" not in row_of(text, "GCN")


def test_page_is_written_from_records_alone(folder):
    text = "\n".join(page.paragraphs(folder, folder / "results.md"))
    assert "python -m paper.run" in text
    assert "impossible" in text


def test_all_means_of_the_paper_fit_stratified_test_parts_but_one():
    misfits = []
    for method, by_set in published.ACCURACY.items():
        for name, (mean, _) in by_set.items():
            right = mean * 5 * TESTED[name]
            # Four printed digits; some rows have three.
            if abs(right - round(right)) > 5 * TESTED[name] * 0.00051:
                misfits.append((method, name))
    assert misfits == [published.IMPOSSIBLE]
