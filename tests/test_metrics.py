"""Metrics that people quote, and parts by scaffold and by time."""

from __future__ import annotations

import csv
import json
import math
import shlex

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn import metrics as scikit
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from aglets import (
    GraphSet,
    LagraClassifier,
    LagraClassifierCV,
    LagraRegressor,
    evaluate,
    load,
)
from aglets.cli import main
from aglets.datasets import (
    ScaffoldKFold,
    TimeFolds,
    load_acids,
    scaffold_holdout,
    scaffolds,
    time_holdout,
)
from aglets.model.losses import SquaredHinge
from aglets.model.metrics import METRICS, Answers, metrics, target_metrics
from aglets.model.ranking import average_precision, roc_auc
from aglets.model.target import Target


def test_metrics_of_two_classes_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    f = rng.normal(size=60)
    y = np.where(f + rng.normal(size=60) > 0.3, "yes", "no")
    weight = rng.uniform(size=60)
    target = Target(SquaredHinge(), np.array(["no", "yes"]))
    found = target_metrics(target, target.encode(y), f[:, None], weight)
    predicted = np.where(f > 0, "yes", "no")
    assert found == {
        "AUC": pytest.approx(scikit.roc_auc_score(y, f, sample_weight=weight)),
        "average precision": pytest.approx(
            scikit.average_precision_score(y, f, pos_label="yes", sample_weight=weight)
        ),
        "accuracy": pytest.approx(scikit.accuracy_score(y, predicted, sample_weight=weight)),
        "balanced accuracy": pytest.approx(
            scikit.balanced_accuracy_score(y, predicted, sample_weight=weight)
        ),
        "MCC": pytest.approx(scikit.matthews_corrcoef(y, predicted, sample_weight=weight)),
    }


def test_the_auc_of_more_classes_is_the_mean_of_each_against_the_rest():
    rng = np.random.default_rng(1)
    y, f = rng.integers(3, size=50), rng.normal(size=(50, 3))
    found = metrics(Answers(y, f.argmax(axis=1), f, classes=[0, 1, 2]))
    each = [scikit.roc_auc_score(y == k, f[:, k]) for k in range(3)]
    assert found["AUC"] == pytest.approx(np.mean(each))


def test_metrics_of_numbers():
    rng = np.random.default_rng(2)
    y, f = rng.normal(size=30), rng.normal(size=30)
    found = metrics(Answers(y, f))
    assert found["RMSE"] == pytest.approx(math.sqrt(np.mean((y - f) ** 2)))
    assert found["MAE"] == pytest.approx(np.abs(y - f).mean())
    assert found["R²"] == pytest.approx(scikit.r2_score(y, f))
    assert found["Spearman"] == pytest.approx(spearmanr(y, f).statistic)


def test_what_is_not_defined_is_nan_without_a_warning():
    one_class = metrics(Answers(np.array([1, 1]), np.array([1, 1]), np.ones(2), classes=[0, 1]))
    assert math.isnan(one_class["AUC"])
    assert one_class["accuracy"] == 1.0
    assert math.isnan(metrics(Answers(np.ones(3), np.ones(3)))["Spearman"])
    unknown = metrics(Answers(np.array([0, 1]), np.array([0, 1]), None, classes=[0, 1]))
    assert math.isnan(unknown["AUC"])


QUICK = {"maxpat": 2, "n_lambdas": 5}


@pytest.mark.parametrize("scoring", ["roc_auc", "balanced_accuracy", "f1_macro"])
def test_scoring_is_that_of_scikit_learn(scoring):
    graphs, y = load_acids()
    graphs, y = graphs[:90], y[:90]
    folds = [(np.arange(60), np.arange(60, 90))]
    found = evaluate(LagraClassifier(**QUICK), graphs, y, cv=folds, scoring=scoring)
    fitted = LagraClassifier(**QUICK).fit(graphs[:60], y[:60])
    expected = scikit.get_scorer(scoring)(fitted, graphs[60:], y[60:])
    assert found.scores[0] == pytest.approx(expected)
    name = METRICS[scoring].name if scoring in METRICS else scoring
    assert found.score_name == name
    assert set(found.splits[0].metrics) > {"AUC", "MCC"}


@pytest.mark.parametrize("scoring", ["roc_auc", "matthews_corrcoef"])
def test_the_point_with_the_best_score_on_held_out_graphs_is_chosen(scoring):
    graphs, y = load_acids()
    rng = np.random.default_rng(0)
    y = np.where(rng.random(90) < 0.3, rng.permutation(y[:90]), y[:90])
    folds = [(np.arange(0, 90, 2), np.arange(1, 90, 2))]
    grid = {"rhos": (1.0, 0.1), "maxpats": (2,), "starts": 1, "n_lambdas": 6, "cv": folds}
    clf = LagraClassifierCV(**grid, scoring=scoring, refit=False).fit(graphs[:90], y)
    scores = clf.cv_results_["mean_validation_score"]
    assert scores[clf.best_index_] == pytest.approx(np.max(scores))
    held = folds[0][1]
    expected = scikit.get_scorer(scoring)(clf, graphs[held], y[held])
    assert scores[clf.best_index_] == pytest.approx(expected)
    name = METRICS[scoring].name
    assert clf.held_out_metrics_[name] == pytest.approx(expected)


def test_scoring_that_is_not_for_this_is_refused():
    graphs, y = load_acids()
    with pytest.raises(ValueError, match="one of 'roc_auc', .* for classes. Got 'r2' instead"):
        LagraClassifierCV(scoring="r2").fit(graphs, y)
    with pytest.raises(ValueError, match="'scoring' parameter of LagraClassifierCV must be 'roc_"):
        LagraClassifierCV(scoring="auc").fit(graphs, y)
    quick = {"rhos": (1.0,), "maxpats": (1,), "starts": 1, "n_lambdas": 3}
    with pytest.raises(ValueError, match="scoring='roc_auc' needs several folds.* set cv=5"):
        LagraClassifierCV(**quick, scoring="roc_auc", rule="one_se").fit(graphs[:60], y[:60])


def test_every_evaluation_shows_the_metrics(capsys):
    graphs, y = load_acids()
    found = evaluate(LagraClassifier(**QUICK), graphs[:90], y[:90], cv=3)
    assert "average precision" in str(found)
    assert found.metric("AUC").mean == pytest.approx(
        np.mean([split.metrics["AUC"] for split in found.splits])
    )
    assert found.metric("AUC").high <= 1.0
    assert "AUC" in found.to_frame().columns
    assert found.to_dict()["metrics"]["MCC"]["mean"] == found.metric("MCC").mean
    with pytest.raises(ValueError, match="Expected one of the metrics 'AUC', .*Got 'RMSE' instead"):
        found.metric("RMSE")


def test_scorers_of_numbers_and_functions(demo_numbers):
    graphs, y = demo_numbers
    reg = LagraRegressor(**QUICK)
    found = evaluate(reg, graphs, y, cv=3, scoring="neg_root_mean_squared_error")
    assert found.scores.tolist() == [-split.metrics["RMSE"] for split in found.splits]
    mine = evaluate(reg, graphs, y, cv=3, scoring=lambda model, X, y: 0.25)
    assert mine.scores.tolist() == [0.25] * 3
    own = np.arange(len(y), dtype=float)[:, None]
    with_own = evaluate(reg, graphs, y, cv=3, scoring="spearman", covariates=own)
    assert with_own.scores.tolist() == [split.metrics["Spearman"] for split in with_own.splits]
    with pytest.raises(ValueError, match="where there are covariates, which scorers of scikit"):
        evaluate(reg, graphs, y, scoring="explained_variance", covariates=own)
    with pytest.raises(ValueError, match="one of 'r2', .* for numbers. Got 'roc_auc' instead"):
        evaluate(reg, graphs, y, scoring="roc_auc")


@pytest.fixture
def demo_numbers():
    graphs = GraphSet.from_smiles(load_acids()[0].smiles.tolist()[:60])
    rng = np.random.default_rng(0)
    oxygen = graphs.vocabulary.index("O")
    counts = np.array([(graph.labels.count("O")) for graph in graphs])
    assert oxygen >= 0
    return graphs, counts + 0.1 * rng.normal(size=60)


def test_no_scaffold_is_on_both_sides():
    smiles = load_acids()[0].smiles.tolist()
    keys = np.array(scaffolds(smiles))
    graphs = GraphSet.from_smiles(smiles)
    tested = []
    for train, test in ScaffoldKFold(4, random_state=1).split(graphs):
        assert not set(keys[train]) & set(keys[test])
        assert sorted([*train, *test]) == list(range(len(smiles)))
        tested += test.tolist()
    assert sorted(tested) == list(range(len(smiles)))
    for state in (None, 0, 1):
        train, test = scaffold_holdout(smiles, 0.3, random_state=state)
        assert not set(keys[train]) & set(keys[test])
        assert 0.1 < len(test) / len(smiles) < 0.5
    first, again = (scaffold_holdout(smiles, 0.3, random_state=5)[1] for _ in range(2))
    assert (first == again).all()
    assert (first != scaffold_holdout(graphs, 0.3, random_state=6)[1][: len(first)]).any()


def test_of_equally_rare_scaffolds_the_first_are_tested():
    rings = ["C1CC1", "C1CCC1", "C1CCCC1", "C1CCCCC1"]
    _, test = scaffold_holdout([*rings, "Cc1ccccc1", "Oc1ccccc1"], 0.33)
    assert test.tolist() == [0, 1]  # as in MoleculeNet


@pytest.mark.filterwarnings("ignore:.*never seen in fit")
def test_evaluations_and_scikit_learn_take_parts_by_scaffold():
    smiles = load_acids()[0].smiles.tolist()[:80]
    graphs, y = GraphSet.from_smiles(smiles), np.array(load_acids()[1][:80])
    clf = LagraClassifier(**QUICK)
    found = evaluate(clf, graphs, y, cv="scaffold", random_state=3)
    assert len(found.splits) == 5
    same = cross_val_score(clf, smiles, y, cv=ScaffoldKFold(5, random_state=3))
    assert found.scores.tolist() == same.tolist()
    with pytest.raises(ValueError, match="cv must be a number of folds, 'scaffold', a splitter"):
        evaluate(clf, graphs, y, cv="time")


def test_later_graphs_are_tested():
    times = np.array([3, 1, 2, 9, 5, 5, 7, 8])
    train, test = time_holdout(times, 0.25)
    assert times[train].max() < times[test].min()
    assert test.tolist() == [3, 7]
    parts = list(TimeFolds(times, 3).split(None))
    assert len(parts) == TimeFolds(times, 3).get_n_splits() == 3
    for train, test in parts:
        assert times[train].max() < times[test].min()
    assert parts[-1][1].tolist() == [3, 7]
    X = np.arange(8.0)[:, None]
    assert len(cross_val_score(LogisticRegression(), X, [0, 1] * 4, cv=TimeFolds(X[:, 0], 2))) == 2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: scaffolds(["C", "C1"]),
            "got 'C1' for molecule 1; read them with GraphSet.from_sm",
        ),
        (
            lambda: scaffolds(GraphSet.from_lists(labels=["C"], edges=[[]])),
            "but these graphs have none; read them with GraphSet",
        ),
        (lambda: scaffold_holdout(["C", "CC"]), "a part of 0.2 cannot be made of 1; take another"),
        (
            lambda: scaffold_holdout(["C"], 1.5),
            "test_size must be between 0 and 1. Got 1.5 instead",
        ),
        (lambda: time_holdout([1, 1, 1]), "but too many are the same; take another test_size"),
        (lambda: list(ScaffoldKFold(3).split(["C", "C1CC1"])), "at least 3 scaffolds .* got 2"),
        (lambda: list(TimeFolds([1, 1, 1, 2], 2).split(None)), "different times for 2 folds"),
    ],
)
def test_parts_that_cannot_be_made(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.fixture
def molecules(tmp_path):
    path = tmp_path / "m.csv"
    y = load_acids()[1]
    frame = pd.DataFrame(
        {"key": [f"k{i}" for i in range(300)], "smiles": load_acids()[0].smiles.tolist(), "kind": y}
    )
    frame["year"] = 2000 + np.arange(300) % 20
    frame.iloc[:120].to_csv(path, index=False)
    return path


FIT = ["--rho", "1", "--maxpat", "2", "--n-lambdas", "5"]


@pytest.mark.parametrize("split", ["random", "scaffold", "time"])
def test_fit_keeps_a_test_part_aside_and_lists_it(molecules, tmp_path, split, capsys):
    output = tmp_path / "m.aglets"
    words = ["fit", str(molecules), "--target", "kind", "--id-column", "key", *FIT]
    words += ["-o", str(output), "--test", "0.25", "--split", split, "--time-column", "year"]
    assert main([*words, "--json"]) == 0
    tested = json.loads(capsys.readouterr().out)["test"]
    with (tmp_path / "m.aglets.test.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == tested["n_test"] == 120 - tested["n_train"]
    frame = pd.read_csv(molecules)
    at = [int(row["row"]) for row in rows]
    assert [row["id"] for row in rows] == frame["key"].iloc[at].tolist()
    assert [row["kind"] for row in rows] == frame["kind"].iloc[at].tolist()
    model = load(output)
    smiles, y = frame["smiles"].iloc[at].tolist(), frame["kind"].iloc[at].to_numpy()
    assert [row["prediction"] for row in rows] == model.predict(smiles).tolist()
    p = [float(row["probability_neutral"]) for row in rows]
    np.testing.assert_allclose(p, model.predict_proba(smiles)[:, 1], rtol=1e-5)
    assert {"decision", "probability_acidic"} < set(rows[0])
    auc = scikit.roc_auc_score(y, model.decision_function(smiles))
    assert tested["metrics"]["AUC"] == pytest.approx(auc)
    # Nothing of the test part was seen: the rest alone gives the same model.
    rest = frame.drop(index=at)
    rest.to_csv(tmp_path / "rest.csv", index=False)
    again = ["fit", str(tmp_path / "rest.csv"), "--target", "kind", *FIT, "-q"]
    assert main([*again, "-o", str(tmp_path / "rest.aglets")]) == 0
    same = load(tmp_path / "rest.aglets")
    assert (same.decision_function(smiles) == model.decision_function(smiles)).all()


def test_the_test_part_is_printed(molecules, tmp_path, capsys, monkeypatch):
    words = ["fit", str(molecules), "--target", "kind", *FIT, "-o", str(tmp_path / "m.aglets")]
    assert main([*words, "--test", "0.2"]) == 0
    out = capsys.readouterr().out
    assert "Held-out graphs, used to choose: AUC " in out
    assert "Test on 24 graphs kept aside (random split): AUC " in out
    assert "m.aglets.test.csv: these graphs, and their predictions" in out
    next_command = out.split("A report on them: ")[1].splitlines()[0]
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(next_command)[1:]) == 0
    assert (tmp_path / "report.html").exists()
    capsys.readouterr()
    assert main([*words, "--test", "1.2"]) == 2
    assert "1.2 is not a part between 0 and 1." in capsys.readouterr().err
    assert main([*words, "--test", "0.2", "--split", "time"]) == 1
    assert "name it with --time-column." in capsys.readouterr().err


@pytest.mark.usefixtures("small_grid")
@pytest.mark.parametrize("cv", [["scaffold"], ["time", "--time-column", "year"]])
def test_evaluate_takes_parts_and_scoring(molecules, cv, capsys):
    words = ["evaluate", str(molecules), "--target", "kind", *FIT[:4], "--folds", "2", "--json"]
    assert main([*words, "--scoring", "roc_auc", "--cv", *cv]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["score_name"] == "AUC"
    assert found["estimate"]["mean"] == pytest.approx(found["metrics"]["AUC"]["mean"])


@pytest.mark.parametrize("weighted", [False, True])
def test_areas_under_curves_are_those_of_scikit(weighted):
    rng = np.random.default_rng(0)
    for n_values in (2, 5, 1000):
        positive = rng.random(80) < 0.3
        score = rng.integers(0, n_values, 80) / n_values + 0.1 * positive
        weight = rng.uniform(0.0, 2.0, 80) if weighted else None
        expected = scikit.roc_auc_score(positive, score, sample_weight=weight)
        assert roc_auc(positive, score, weight) == pytest.approx(expected, abs=1e-14)
        expected = scikit.average_precision_score(positive, score, sample_weight=weight)
        assert average_precision(positive, score, weight) == pytest.approx(expected, abs=1e-14)


def test_areas_are_not_defined_without_both_kinds():
    score = np.array([0.3, 0.1])
    assert np.isnan(roc_auc(np.array([True, True]), score))
    assert np.isnan(roc_auc(np.array([False, False]), score))
    assert np.isnan(average_precision(np.array([False, False]), score))
