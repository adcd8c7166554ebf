"""Covariates from the estimators outwards: values, files, explanations, tables and tools."""

from __future__ import annotations

import json
import math
import zipfile

import numpy as np
import pandas as pd
import pytest
import sklearn
from path_tools import random_set
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from typer.testing import CliRunner

import aglets
from aglets import (
    GraphSet,
    LagraClassifier,
    LagraClassifierCV,
    LagraRegressor,
    LagraRegressorCV,
    datasets,
    report,
)
from aglets.cli.app import app
from aglets.preprocessing.covariates import Covariates, learn_covariates

FEW = {"maxpat": 3, "n_lambdas": 8, "lambda_ratio": 0.2, "calibration": None}


@pytest.fixture(scope="module")
def demo():
    graphs, y = datasets.load_acids()
    return graphs[:120], y[:120]


@pytest.fixture(scope="module")
def own(demo):
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(120, 2)) + (demo[1] == demo[1][0])[:, None] * [0.5, 0.0]
    return pd.DataFrame(noise, columns=["charge", "batch"])


@pytest.fixture(scope="module")
def sized(demo):
    return LagraClassifier(**FEW, covariates="size").fit(*demo)


def test_sizes_are_counted_as_a_person_would(demo):
    graphs = random_set(12, 3)
    known = learn_covariates("size", graphs)
    for graph, row in zip(graphs, known.raw(graphs), strict=True):
        counts = [list(graph.labels).count(label) for label in ("C", "N", "O")]
        assert row.tolist() == [len(graph.labels), len(graph.edges), *counts]
    np.testing.assert_allclose(known.center, known.raw(graphs).mean(axis=0))
    np.testing.assert_allclose(known.spread, known.raw(graphs).std(axis=0))


def test_labels_are_counted_by_value_whatever_their_code(demo):
    one = GraphSet.from_lists(labels=["CCO", "N"], edges=[[(0, 1)], []])
    two = GraphSet.from_lists(labels=["XN", "OCC"], edges=[[], [(0, 1)]])
    known = learn_covariates("size", one)
    assert known.names[2:] == ("number of C", "number of N", "number of O")
    assert known.raw(two).tolist() == [[2, 0, 0, 1, 0], [3, 1, 2, 0, 1]]


def test_labels_in_fewer_than_one_of_twenty_graphs_are_not_counted():
    labels = ["CO"] * 35 + ["CN"] * 2 + ["CS"] * 1
    graphs = GraphSet.from_lists(labels=labels, edges=[[(0, 1)]] * 38)
    assert learn_covariates("size", graphs).names[2:] == (
        *("number of C", "number of N", "number of O"),
    )


def test_an_only_label_is_not_counted_twice():
    graphs = GraphSet.from_lists(labels=["CC", "C"], edges=[[(0, 1)], []])
    assert learn_covariates("size", graphs).names == ("number of nodes", "number of edges")


@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_the_decision_is_psi_times_beta_plus_covariates_times_gamma(demo, own, penalty):
    graphs, y = demo
    clf = LagraClassifier(**FEW, covariates="size", covariate_penalty=penalty)
    clf.fit(graphs, y, covariates=own)
    raw = clf.covariates_.raw(graphs, own)
    assert clf.covariates_.own == ("charge", "batch")
    np.testing.assert_allclose(raw[:, -2:], own)
    f = clf.intercept_ + clf.transform(graphs) @ clf.coef_[0]
    f = f + (raw - raw.mean(axis=0)) @ clf.covariate_coef_[0]
    np.testing.assert_allclose(clf.decision_function(graphs, own), f)
    assert clf.score(graphs, y, covariates=own) == np.mean(clf.predict(graphs, own) == y)


def test_at_lambda_max_the_model_is_the_logistic_regression_of_scikit_learn(demo, own):
    graphs, y = demo
    clf = LagraClassifier(lambda_ratio=1.0, n_lambdas=1, maxpat=2, loss="logistic")
    shown = clf.fit(graphs, y, covariates=own).predict_proba(graphs, own)
    judge = LogisticRegression(C=np.inf, tol=1e-10).fit(own, y)
    np.testing.assert_allclose(shown, judge.predict_proba(own), atol=1e-5)


def test_a_graph_of_weight_two_is_a_graph_given_twice(demo, own):
    graphs, y = demo
    rows = np.r_[np.arange(120), np.arange(10)]
    weight = np.r_[np.full(10, 2.0), np.ones(110)]
    clf = LagraClassifier(
        **FEW, covariates="size", covariate_penalty=0.5, learn_attributes=False, scale="none"
    )
    one = clone(clf).fit(graphs, y, weight, covariates=own)
    two = clone(clf).fit(graphs[rows], y[rows], covariates=own.iloc[rows])
    assert one.objective_ == pytest.approx(two.objective_, rel=1e-8)
    np.testing.assert_allclose(one.covariate_coef_, two.covariate_coef_, atol=1e-6)
    np.testing.assert_allclose(one.covariates_.spread, two.covariates_.spread)


def test_the_order_of_graphs_changes_no_bit(demo, own):
    graphs, y = demo
    order = np.random.default_rng(1).permutation(120)
    clf = LagraClassifier(**FEW, covariates="size")
    one = clone(clf).fit(graphs, y, covariates=own)
    two = clone(clf).fit(graphs[order], y[order], covariates=own.iloc[order])
    assert [p.n_nonzero for p in one.path_] == [p.n_nonzero for p in two.path_]
    np.testing.assert_allclose(one.covariate_coef_, two.covariate_coef_, rtol=1e-9)


def test_regressors_and_several_classes_have_covariates(demo, own):
    graphs, _ = demo
    numbers = graphs.n_nodes + own["charge"].to_numpy()
    reg = LagraRegressor(**FEW, covariates="size")
    with pytest.warns(UserWarning, match="leave nothing for graphlets"):
        reg.fit(graphs, numbers, covariates=own)
    assert reg.covariate_coef_.shape == (len(reg.covariates_.names),)
    # Everything is in the covariates: they explain it to rounding, and no graphlet is needed.
    assert reg.score(graphs, numbers, covariates=own) == pytest.approx(1.0)
    three = np.digitize(graphs.n_nodes, np.quantile(graphs.n_nodes, [0.3, 0.6]))
    clf = LagraClassifier(**FEW, covariates="size", covariate_penalty=0.1).fit(graphs, three)
    assert clf.covariate_coef_.shape == (3, len(clf.covariates_.names))
    why = clf.explain(graphs[0], output=1)
    assert why.decision == pytest.approx(clf.decision_function(graphs[:1])[0, 1])


@pytest.mark.parametrize("kind", [LagraClassifierCV, LagraRegressorCV])
@pytest.mark.parametrize("cv", ["holdout", 3])
def test_selection_judges_with_covariates(demo, own, kind, cv):
    graphs, y = demo
    y = y if kind is LagraClassifierCV else graphs.n_nodes + own["charge"].to_numpy() ** 2
    model = kind(rhos=(0.1,), maxpats=(2,), n_lambdas=6, cv=cv, random_state=0, covariates="size")
    model.fit(graphs, y, covariates=own)
    assert model.covariate_coef_.any()
    assert len(model.predict(graphs, own)) == 120


def test_validation_graphs_bring_their_covariates(demo, own):
    graphs, y = demo
    clf = LagraClassifierCV(rhos=(0.1,), maxpats=(2,), n_lambdas=6)
    train, held = slice(0, 80), slice(80, 120)
    validation = (graphs[held], y[held], None, own[held])
    clf.fit(graphs[train], y[train], validation=validation, covariates=own[train])
    index = clf.best_index_ % 6
    score = clf.model_at(index).predict(graphs[held], own[held])
    assert clf.path_[index].validation_score == np.mean(score == y[held])


def test_tools_of_scikit_learn_pass_covariates_on(demo, own):
    graphs, y = demo
    with sklearn.config_context(enable_metadata_routing=True):
        clf = LagraClassifier(maxpat=2, n_lambdas=5)
        clf.set_fit_request(covariates=True).set_score_request(covariates=True)
        scores = cross_val_score(clf, graphs, y, params={"covariates": own}, cv=3)
        assert np.isfinite(scores).all()
        search = GridSearchCV(clf, {"lambda_ratio": [0.5, 0.1]}, cv=2)
        search.fit(graphs, y, covariates=own)
        assert search.best_estimator_.covariates_.names == ("charge", "batch")


def test_stability_passes_covariates_on(demo, own):
    graphs, y = demo
    clf = LagraClassifier(maxpat=1, n_lambdas=4, covariates="size")
    clf.fit(graphs, y, covariates=own)
    assert len(clf.stability(graphs, y, n_rounds=2, covariates=own)) == len(clf.graphlets_)


def test_files_keep_covariates_and_those_of_the_path(demo, own, tmp_path):
    graphs, y = demo
    clf = LagraClassifier(**FEW, covariates="size").fit(graphs, y, covariates=own)
    clf.save(tmp_path / "m.aglets")
    read = aglets.load(tmp_path / "m.aglets")
    assert read.covariates.names == clf.covariates_.names
    f = clf.decision_function(graphs, own)
    np.testing.assert_array_equal(read.decision_function(graphs, own), f)
    first = clf.model_at(0).decision_function(graphs, own)
    np.testing.assert_allclose(read.at_stop(0).decision_function(graphs, own), first)


def test_a_file_with_spoiled_covariates_is_refused(sized, tmp_path):
    sized.save(tmp_path / "good.aglets")
    with zipfile.ZipFile(tmp_path / "good.aglets") as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(content["model.json"])

    def spoiled(change=None, without=()):
        broken = json.loads(json.dumps(document))
        if change:
            change(broken["covariates"], broken)
        path = tmp_path / "bad.aglets"
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in content.items():
                if name not in without:
                    archive.writestr(name, json.dumps(broken) if name == "model.json" else data)
        return path

    aglets.load(spoiled())
    changes = [
        lambda c, d: c["names"].pop(),
        lambda c, d: c["names"].__setitem__(0, 7),
        lambda c, d: c.__setitem__("built_in", "weather"),
        lambda c, d: c.__setitem__("built_in", None),
        lambda c, d: c["labels"].append(c["labels"][0]),
        lambda c, d: c.__setitem__("labels", None),
        lambda c, d: d.__setitem__("covariates", []),
        lambda c, d: d.__setitem__("covariates", None),
    ]
    for change in changes:
        with pytest.raises(ValueError, match="not a usable aglets model file"):
            aglets.load(spoiled(change))
    for name in ("covariate_coef", "covariate_center", "stop_covariate_coefs"):
        with pytest.raises(ValueError, match="not a usable aglets model file"):
            aglets.load(spoiled(without=(f"{name}.npy",)))


def test_contributions_of_graphlets_and_covariates_sum_to_the_decision(demo, own):
    graphs, y = demo
    clf = LagraClassifier(**FEW, covariates="size").fit(graphs, y, covariates=own)
    f = clf.decision_function(graphs, own)
    for i, why in enumerate(clf.explain(graphs[:20], own[:20])):
        parts = [entry.contribution for entry in (*why.contributions, *why.covariates)]
        assert math.fsum([why.intercept, *parts]) == why.decision
        assert why.decision == pytest.approx(f[i], abs=1e-12)
        first = {entry.name: entry.value for entry in why.covariates}
        assert first["number of nodes"] == pytest.approx(graphs.n_nodes[i])
        assert first["charge"] == pytest.approx(own["charge"][i])
        frame = why.to_frame()
        assert frame["contribution"].sum() + why.intercept == pytest.approx(why.decision)
        assert frame["kind"].tolist().count("covariate") == len(why.covariates)


def test_every_text_and_table_names_covariates_for_what_they_are(sized, demo):
    graphs, _ = demo
    why, learned = sized.explain(graphs[0]), sized.explain_global()
    for shown in (str(why), str(learned), why._repr_html_(), learned._repr_html_()):
        assert "covariate" in shown
        assert "number of nodes" in shown
    assert {e["name"] for e in json.loads(why.to_json())["covariates"]} == set(
        sized.covariates_.names
    )
    assert len(json.loads(learned.to_json())["covariates"]) == len(sized.covariates_.names)
    assert "covariates" in repr(sized.model_)
    frame = learned.to_frame()
    assert frame["kind"].tolist() == ["graphlet"] * len(sized.graphlets_) + ["covariate"] * len(
        sized.covariates_.names
    )
    # They are not graphlets.
    assert sized.transform(graphs).shape[1] == len(sized.get_feature_names_out())


def test_the_waterfall_has_a_bar_for_each_covariate(sized, demo):
    import matplotlib as mpl

    mpl.use("Agg")
    from aglets.plot import LocalDisplay

    display = LocalDisplay.from_estimator(sized, demo[0][0])
    steps = display._steps(4)
    assert sum(value for _, value in steps) == pytest.approx(display.explanation.decision)
    assert any(name.startswith("covariate number of") for name, _ in steps)
    display.plot()


def test_the_path_has_a_dashed_line_for_each_covariate(sized):
    import matplotlib as mpl

    mpl.use("Agg")
    from aglets.plot import PathDisplay

    display = PathDisplay.from_estimator(sized)
    effects = {entry.name: entry.effect for entry in sized.explain_global().covariates}
    for name, line in display.covariates.items():
        assert line[-1] == pytest.approx(effects[name.removeprefix("covariate ")])
    display.plot()
    styles = [line.get_linestyle() for line in display.ax_.child_axes[0].get_lines()]
    assert styles.count("--") == len(display.covariates)


def test_the_report_shows_covariates_and_scores_with_them(demo, own, tmp_path):
    graphs, y = demo
    clf = LagraClassifier(**FEW, covariates="size").fit(graphs, y, covariates=own)
    page = report.html(clf, graphs, y, covariates=own)
    start = page.index('type="application/json">') + len('type="application/json">')
    [data] = json.loads(page[start : page.index("</script>", start)])["views"]
    assert {entry["name"] for entry in data["covariates"]} == set(clf.covariates_.names)
    accuracy = data["quality"]["metrics"][0]
    assert (accuracy["name"], accuracy["values"][0]) == (
        "accuracy",
        clf.score(graphs, y, covariates=own),
    )
    assert data["path"]["stops"]["here"][-1] == clf.score(graphs, y, covariates=own)
    first, (added, *_) = next(iter(data["graph_covariates"].items()))
    psi = np.array(data["psi"][int(first)])
    adds = psi @ [entry["coef"] for entry in data["graphlets"]]
    adds += data["intercepts"][0] + sum(entry["adds"] for entry in added)
    assert adds == pytest.approx(data["decisions"][int(first)][0], abs=1e-2)
    assert any("which are not graphlets: " in sentence for sentence in data["sentences"])


def test_the_command_line_fits_shows_and_predicts_with_covariates(tmp_path):
    run, model = CliRunner().invoke, str(tmp_path / "m.aglets")
    fit = ["fit", "acids", "-o", model, "--rho", "0.1", "--maxpat", "2", "--n-lambdas", "8"]
    assert run(app, [*fit, "--covariates", "size"]).exit_code == 0
    read = aglets.load(model)
    assert read.covariates.built_in == "size"
    assert "number of nodes" in run(app, ["show", model]).output
    shown = json.loads(run(app, ["show", model, "--json"]).output)
    assert shown["covariates"][0]["name"] == "number of nodes"
    shown = run(app, ["predict", model, "acids", "--explain", "--to", "csv", "-q"])
    table = [line.split(",") for line in shown.output.splitlines()]
    graphs, _ = datasets.load_acids()
    place = table[0].index("decision")
    f = [float(row[place]) for row in table[1:]]
    np.testing.assert_allclose(f, read.decision_function(graphs), atol=1e-5)
    assert "covariate number of" in shown.output
    assert run(app, ["report", model, "acids", "-o", str(tmp_path / "r.html")]).exit_code == 0


def test_the_command_line_notes_that_the_size_alone_decides(tmp_path):
    sizes = np.random.default_rng(0).integers(2, 12, 60)
    graphs = GraphSet.from_lists(
        labels=["C" * n for n in sizes], edges=[[(i, i + 1) for i in range(n - 1)] for n in sizes]
    )
    graphs.to_tu(tmp_path / "SIZES", y=(sizes > 6).astype(int))
    fit = ["fit", str(tmp_path / "SIZES"), "-o", str(tmp_path / "m.aglets"), "--n-lambdas", "4"]
    fit += ["--rule", "one_se", "--json", "--node-labels", "none"]
    shown = json.loads(CliRunner().invoke(app, fit).output)
    assert "node count alone" in shown["warnings"][0]
    with_size = json.loads(
        CliRunner().invoke(app, [*fit, "--covariates", "size", "--covariate-penalty", "1"]).output
    )
    assert with_size["warnings"] == []


BAD = [
    ([[1.0]], "one row per graph"),
    (np.full((120, 1), np.nan), "must be finite"),
    ([["a"]] * 120, "must be numbers"),
    (np.zeros((120, 0)), "at least one column"),
]


@pytest.mark.parametrize(("given", "match"), BAD)
def test_covariates_that_make_no_sense_are_refused(demo, given, match):
    with pytest.raises(ValueError, match=match):
        LagraClassifier(**FEW).fit(*demo, covariates=given)


def test_predicting_needs_the_covariates_of_fit(demo, own, sized):
    graphs, y = demo
    clf = LagraClassifier(**FEW).fit(graphs, y, covariates=own)
    with pytest.raises(ValueError, match="fitted with the covariates 'charge', 'batch'"):
        clf.predict(graphs)
    with pytest.raises(ValueError, match="lacks 'batch'"):
        clf.predict(graphs, own[["charge"]])
    with pytest.raises(ValueError, match="Expected 2 covariates"):
        clf.predict(graphs, own.to_numpy()[:, :1])
    with pytest.raises(ValueError, match="without covariates of your own"):
        sized.predict(graphs, own)
    with pytest.raises(ValueError, match="fitted without covariates"):
        LagraClassifier(**FEW).fit(graphs, y).predict(graphs, own)
    with pytest.raises(ValueError, match="'covariates' parameter"):
        LagraClassifier(covariates="weather").fit(graphs, y)
    # Columns go by name, and others are left alone.
    mixed = own.assign(note="text")[["batch", "note", "charge"]]
    np.testing.assert_array_equal(clf.predict(graphs, mixed), clf.predict(graphs, own))


def test_covariates_are_checked_when_made_by_hand():
    with pytest.raises(ValueError, match="finite numbers"):
        Covariates(("a",), np.zeros(2), np.zeros(1))
    with pytest.raises(ValueError, match="not be negative"):
        Covariates(("a",), np.zeros(1), -np.ones(1))
    with pytest.raises(ValueError, match="not known"):
        Covariates(("a",), np.zeros(1), np.ones(1), built_in="weather")
