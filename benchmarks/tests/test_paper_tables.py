"""The tables and the page of benchmarks/paper say what the records say."""

from __future__ import annotations

import json

import numpy as np
import pytest
from accuracy import levers
from paper.protocol import HERE, RESULTS, Records, Split, outcome

from aglets import datasets
from paper import cost, lagra, page, published, readme, shared, tables, verdicts

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


def add_ours(folder, mean: float, spread: float) -> tables.Results:
    records = Records(folder)
    for seed in range(20):
        records.add(
            {"method": "lagra-default", "set": "BZR", "seed": seed, "run": "r"}
            | {"accuracy": mean + spread * (-1) ** seed}
        )
    return tables.Results(folder, ("BZR", "COX2"))


@pytest.mark.parametrize(
    ("mean", "spread", "verdict"),
    [(0.95, 0.01, "better"), (0.9, 0.05, "level"), (0.8, 0.01, "worse")],
)
def test_the_page_says_in_short_who_wins_where(folder, mean, spread, verdict):
    text = "\n".join(verdicts.in_short(add_ours(folder, mean, spread)))
    assert f"- **LAGRA, aglets' defaults**: {verdict} on BZR." in text
    cells = row_of(text, "LAGRA, aglets' defaults").split("|")
    assert cells[2].strip().startswith(verdict)
    assert "Weisfeiler-Lehman, linear SVM (20)" in cells[2]  # the best of the rivals
    assert cells[3].strip() == "-"
    assert "GCN on COX2" in text


def test_means_far_from_the_papers_are_bold(folder):
    results = tables.Results(folder)
    mean, deviation = published.ACCURACY["GCN"]["BZR"]
    points = 100 * (results.accuracy("gcn", "BZR", 5).mean() - mean)
    assert (
        row_of(verdicts.against_paper(results), "GCN").split("|")[3].strip() == f"**{points:+.1f}**"
    )
    near = mean + deviation * np.array([-1.0, 0.5, 0.0, -0.5, 1.0])
    assert not verdicts.differs(near, mean, deviation)


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


@pytest.mark.parametrize(("method", "row"), shared.ROWS.items())
def test_rows_run_once_have_the_same_parameters_in_both_benchmarks(method, row):
    assert not levers.ROWS[row].sized
    assert lagra.ROWS[method] == levers.ROWS[row].parameters


@pytest.mark.parametrize("average", ["none", "folds"])
def test_the_same_row_is_the_same_fit_in_both_benchmarks(average):
    graphs, y, _ = datasets.make_planted(60, random_state=0)
    parameters = {"starts": 1, "rhos": (1.0, 0.1), "maxpats": (2,), "n_lambdas": 8}
    if average == "folds":
        parameters |= {"average": average, "cv": 2, "random_state": 0}
    parts = Split.of(y, 0)
    here = outcome(lagra.row(parameters)(graphs, y), y, parts)
    data = levers.Data(graphs, y, graphs.n_nodes[:, None])
    there, _ = levers.outcome(levers.Row("w", parameters), levers.Memory(), data, parts)
    for name in ("accuracy", "validation_accuracy", "n_test"):
        assert here[name] == there[name], name
    for name in ("graphlets", "rho", "maxpat", "lambda_ratio", "cut"):
        assert here["chosen"][name] == there["chosen"][name], name


def test_committed_pages_read_shared_rows_where_they_were_run(tmp_path, monkeypatch):
    here, there = tmp_path / "paper", tmp_path / "accuracy"
    monkeypatch.setattr(shared, "RESULTS", here)
    monkeypatch.setattr(shared, "ACCURACY", there)
    stale = {"method": "lagra-default", "seed": 0, "run": "a", "accuracy": 0.1}
    for name in ("BZR", "MUTAG"):
        Records(here).add({**stale, "set": name})
    Records(there).add({**stale, "method": "default", "set": "BZR", "accuracy": 0.9})
    results = tables.Results(here, ("BZR", "MUTAG"))
    assert results.accuracy("lagra-default", "BZR").tolist() == [0.9]
    assert results.accuracy("lagra-default", "MUTAG").tolist() == [0.1]
    monkeypatch.setattr(shared, "RESULTS", tmp_path / "other")
    assert tables.Results(here).accuracy("lagra-default", "BZR").tolist() == [0.1]


def test_paths_that_the_budget_left_out_are_counted_and_reported(tmp_path):
    graphs, y, _ = datasets.make_planted(40, random_state=0)
    parts = Split.of(y, 0)
    # Enough for single nodes, but not for what comes after them.
    parameters = {"rhos": (1.0, 0.1), "maxpats": (1, 6), "n_lambdas": 8, "max_nodes": 20}
    found = outcome(lagra.row({**parameters, "starts": 1})(graphs, y), y, parts)
    assert found["chosen"]["left_out"] == {6: 2}
    assert found["chosen"]["cut"] >= 2
    records = Records(tmp_path)
    what = {"method": "lagra-paper", "set": "BZR", "seed": 0, "cpu_shared": 0.0}
    records.add({**what, "run": records.begin_run("python -m paper.run"), **found})
    text = tables.budget_table(tables.Results(tmp_path), "lagra-paper", 6, n_rhos=2)
    assert row_of(text, "grid").split("|")[3].strip() == "capped"
    assert row_of(text, "maxpat 6 left out").split("|")[3].strip() == "2 of 2"


def test_five_splits_share_the_kernel_matrix_and_nothing_else(tmp_path):
    def case(fit: float, shared: float, cut: int = 0) -> dict:
        chosen = [{"cut": 0}] * 4 + [{"cut": cut}]
        return {"cpu_fit": [fit] * 5, "cpu_shared": shared, "chosen": chosen, "commit": "a"}

    cases = {"BZR lagra-paper": case(10, 0), "BZR gcn": case(20, 0)}
    cases |= {"BZR gh-knn-stock": case(1, 40)}
    cases |= {"DHFR lagra-paper": case(10, 0, cut=3), "DHFR gcn": case(11, 0)}
    cases |= {"DHFR gh-knn-stock": case(0, 500), "COX2 gcn": case(1, 0)}
    cases |= {"BZR lagra-paper-5": case(4, 0), "DHFR lagra-paper-5": case(6, 0)}
    (tmp_path / "cost.json").write_text(json.dumps({"cases": cases}))
    assert cost.n_splits(tmp_path) == 5
    text = cost.cost_table(tmp_path)
    assert row_of(text, "GraphHopper with k-NN, GraKeL").split("|")[2:4] == [" 45 ", " 500 "]
    assert row_of(text, "GCN / LAGRA").split("|")[2:4] == [" 2 ", " 1.1 "]
    verdicts = row_of(text, "LAGRA takes no more").split("|")[2:4]
    assert verdicts == [" missed: GraphHopper ", " capped; maxpat 5 met "]


def test_figures_of_other_code_are_drawn_again(tmp_path):
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    from paper import figures

    path = tmp_path / "figures.json"
    assert figures.drawn(path) == {}
    for commit, kept in ((figures.commit(), {"scatter AIDS": {}}), ("0123456789", {})):
        path.write_text(json.dumps({"commit": commit, "figures": {"scatter AIDS": {}}}))
        assert figures.drawn(path) == kept


@pytest.mark.parametrize("name", ["README.md", "paper/paper.md"])
def test_the_numbers_of_a_page_are_those_of_the_records(name):
    text = (HERE.parents[1] / name).read_text(encoding="utf-8")
    assert readme.numbers(tables.Results(RESULTS)) in text, "run `python -m paper.page`"
