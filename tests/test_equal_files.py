"""The same fit gives the same file, and files of earlier versions give the same answers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import aglets
from aglets import (
    GraphSet,
    LagraClassifier,
    LagraClassifierCV,
    LagraRegressorCV,
    datasets,
    plot,
    report,
)

OLD = Path(__file__).parent / "corpus" / "old_models"
EXPECTED = {
    name: answers
    for path in sorted(OLD.glob("format-*.json"))
    for name, answers in json.loads(path.read_text()).items()
}
GRID = {"maxpats": (1, 2), "rhos": (0.1, 1.0), "n_lambdas": 8, "random_state": 0}
KINDS = {
    "one fit": lambda n_jobs: LagraClassifier(maxpat=3, n_lambdas=10, n_jobs=n_jobs),
    "folds": lambda n_jobs: LagraClassifierCV(cv=2, n_jobs=n_jobs, **GRID),
    "an average": lambda n_jobs: LagraClassifierCV(average="greedy", n_jobs=n_jobs, **GRID),
    "numbers": lambda n_jobs: LagraRegressorCV(loss="huber", n_jobs=n_jobs, **GRID),
}


@pytest.mark.parametrize("kind", KINDS)
def test_equal_fits_give_equal_files(kind, tmp_path):
    graphs, y, _ = datasets.make_planted(40, random_state=0)
    contents = []
    for n_jobs in (1, 1, 2):
        KINDS[kind](n_jobs).fit(graphs, y).save(tmp_path / "m.aglets")
        contents.append((tmp_path / "m.aglets").read_bytes())
    assert contents[0] == contents[1]
    assert contents[0] == contents[2]


def test_a_file_keeps_the_work_of_its_search_without_seconds(tmp_path):
    graphs, y, _ = datasets.make_planted(40, random_state=0)
    fitted = LagraClassifier(maxpat=2, n_lambdas=5).fit(graphs, y)
    fitted.save(tmp_path / "m.aglets")
    kept = aglets.load(tmp_path / "m.aglets").path
    assert list(kept) == [name for name in fitted.model_.path if "seconds" not in name]
    assert (kept["n_visited"] == fitted.model_.path["n_visited"]).all()
    loaded = aglets.load(tmp_path / "m.aglets")
    shown = plot.SearchDisplay.from_estimator(loaded).plot()
    assert np.isnan(shown.seconds).all()
    assert "n_visited" in report.html(loaded, graphs, y)


def test_there_are_files_of_both_formats():
    assert {name.split("-")[1] for name in EXPECTED} == {"1", "2"}
    assert len(EXPECTED) == 6


@pytest.mark.parametrize("name", EXPECTED)
def test_files_of_earlier_versions_give_the_same_answers(name, tmp_path):
    graphs = GraphSet.from_json(OLD / "graphs.json")
    model = aglets.load(OLD / name)
    np.testing.assert_allclose(
        model.decision_function(graphs), EXPECTED[name]["decision"], rtol=0, atol=1e-12
    )
    if model.classes is not None:
        assert model.predict(graphs).tolist() == EXPECTED[name]["predict"]
    model.save(tmp_path / "again.aglets")
    again = aglets.load(tmp_path / "again.aglets")
    assert (again.decision_function(graphs) == model.decision_function(graphs)).all()
