"""The report as a file: what is in it, and that nothing in it can do harm."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

from aglets import GraphSet, LagraClassifier, LagraRegressor, datasets, report
from aglets.cli import main
from aglets.model.file import load

HARMFUL = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"quotes\" & 'more'",
    "☃ 😀",
    "x" * 200,
    "@DATA@ @SCRIPT@",
    "\u2028\u2029",
]


@pytest.fixture(scope="module")
def demo():
    graphs, y = datasets.load_demo()
    clf = LagraClassifier(maxpat=4, lambda_ratio=0.02, n_lambdas=20).fit(graphs[:200], y[:200])
    return graphs, y, clf


def data_of(page: str):
    [text] = re.findall(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)
    return json.loads(text)


def strange_page() -> str:
    graphs = GraphSet.from_lists(
        labels=[[HARMFUL[i % len(HARMFUL)], HARMFUL[1]] for i in range(70)],
        edges=[[(0, 1)]] * 70,
        attributes=[[[float(i % 3)], [0.0]] for i in range(70)],
        attribute_names=[HARMFUL[0]],
        edge_labels=[[HARMFUL[2]]] * 70,
    )
    y = np.where(np.arange(70) % len(HARMFUL) < 3, HARMFUL[0], HARMFUL[3])
    clf = LagraClassifier(maxpat=2, lambda_ratio=0.01, n_lambdas=10).fit(graphs, y)
    return report.html(clf, graphs, y, title=HARMFUL[0])


def test_every_part_of_the_script_is_in_the_page(demo):
    graphs, y, clf = demo
    page = report.html(clf, graphs[:5], y[:5])
    folder = files("aglets.report").joinpath("page")
    parts = [part for part in folder.iterdir() if part.name.endswith(".js")]
    assert len(parts) >= 10
    assert all(part.read_text(encoding="utf-8") in page for part in parts)


def test_a_page_is_small_and_names_no_address(demo, tmp_path):
    graphs, y, clf = demo
    page = report.write(clf, graphs, y, tmp_path / "report.html")
    text = page.read_text(encoding="utf-8")
    assert len(text.encode()) < 3_000_000
    frame = re.sub(r'<script id="data".*?</script>', "", text, flags=re.S)
    assert set(re.findall(r"https?://[^\"' ]+", frame)) == {"http://www.w3.org/2000/svg"}
    assert not re.findall(r"<(?:script|img|iframe)[^>]*\bsrc=", frame)
    assert not re.findall(r"@import|url\(", frame)
    assert "default-src 'none'" in frame


def test_labels_that_look_like_html_are_just_labels():
    page = strange_page()
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "<img" not in page
    data = data_of(page)
    assert HARMFUL[0] in data["classes"]
    assert {label for graph in data["gallery"] for label in graph["labels"]} == set(HARMFUL)
    assert "<title>&lt;/script&gt;" in page


def test_the_page_says_what_the_model_says(demo):
    graphs, y, clf = demo
    data = data_of(report.html(clf, graphs, y))
    f, psi = clf.decision_function(graphs), clf.transform(graphs)
    assert np.allclose(np.ravel(data["decisions"]), f, atol=1e-5)
    assert data["predictions"] == clf.predict(graphs).tolist()
    order = np.argsort([-abs(h.coef) for h in clf.graphlets_], kind="stable")
    assert np.allclose(data["psi"], psi[:, order], rtol=1e-3, atol=1e-12)
    assert data["quality"]["score"] == pytest.approx(clf.score(graphs, y))
    assert np.sum(data["quality"]["confusion"]) == len(graphs)
    for graph in data["gallery"]:
        total = data["intercepts"][0] + sum(
            data["graphlets"][int(rank)]["coef"] * data["psi"][graph["id"]][int(rank)]
            for rank in graph["places"]
        )
        assert total == pytest.approx(f[graph["id"]], abs=2e-2)


def test_wrong_ones_come_first(demo):
    graphs, y, clf = demo
    turned = y.copy()
    turned[:20] = np.where(y[:20] == "acidic", "neutral", "acidic")
    data = data_of(report.html(clf, graphs, turned, max_graphs=50))
    wrong = np.flatnonzero(clf.predict(graphs) != turned)
    assert len(data["gallery"]) == 50
    assert {graph["id"] for graph in data["gallery"][: len(wrong)]} == set(wrong.tolist())
    assert sorted(data["wrong"]) == wrong.tolist()


def test_the_slider_shows_the_models_of_the_path(demo):
    graphs, y, clf = demo
    path = data_of(report.html(clf, graphs, y))["path"]
    assert len(path["models"]) == len(clf.path_)
    assert path["stops"]["n"] == [len(clf.model_at(i).graphlets) for i in range(len(clf.path_))]
    assert path["stops"]["here"][-1] == pytest.approx(clf.score(graphs, y))


def test_the_slider_of_a_model_file_shows_the_models_of_the_path(demo, tmp_path):
    graphs, y, clf = demo
    clf.save(tmp_path / "demo.aglets")
    path = data_of(report.html(load(tmp_path / "demo.aglets"), graphs, y))["path"]
    assert "refitted" not in path
    points = clf.model_.stops.points.tolist()
    assert points[0] == 0
    assert points[-1] == len(clf.path_) - 1
    for point, n, here in zip(points, path["stops"]["n"], path["stops"]["here"], strict=True):
        model = clf.model_at(point)
        assert n == len(model.graphlets)
        assert here == pytest.approx(np.mean(model.predict(graphs) == y))
    assert path["stops"]["lam"] == pytest.approx(clf.lambdas_[points].tolist())


def test_without_a_path_the_slider_fits_the_weights_of_the_graphlets_again(demo):
    graphs, y, clf = demo
    bare = replace(clf.model_, stops=None)
    path = data_of(report.html(bare, graphs, y))["path"]
    assert path["refitted"]
    assert path["stops"]["n"][-1] == len(clf.graphlets_)
    assert path["stops"]["n"][0] <= 1
    assert path["stops"]["here"][-1] > 0.9
    assert [len(entries) for entries in path["models"]] == path["stops"]["n"]
    assert path["cost"]["seconds"]
    assert data_of(report.html(bare, graphs))["path"]["models"] == []
    sizes = graphs.n_nodes.astype(float)
    reg = LagraRegressor(maxpat=2, n_lambdas=10).fit(graphs, sizes).model_
    assert (
        data_of(report.html(replace(reg, stops=None), graphs, sizes))["path"]["stops"]["here"][-1]
        > 0.3
    )


def test_models_along_the_path_end_at_the_fitted_one(demo):
    graphs, _, clf = demo
    last = clf.model_at(len(clf.path_) - 1)
    assert np.array_equal(last.decision_function(graphs), clf.decision_function(graphs))
    assert not clf.model_at(0).graphlets
    with pytest.raises(ValueError, match="index must be from 0 to 19"):
        clf.model_at(20)


def test_the_same_model_and_graphs_give_the_same_page(demo):
    graphs, y, clf = demo
    assert report.html(clf, graphs, y) == report.html(clf, graphs, y, n_jobs=2)


def test_regression_many_classes_empty_models_and_no_truth_have_pages(demo):
    graphs, y, clf = demo
    sizes = graphs.n_nodes.astype(float)
    reg = LagraRegressor(maxpat=2, n_lambdas=10).fit(graphs, sizes)
    assert data_of(report.html(reg, graphs, sizes))["quality"]["score_name"] == "R²"
    three = np.arange(300) % 3
    many = LagraClassifier(maxpat=2, n_lambdas=5).fit(graphs, three)
    assert len(data_of(report.html(many, graphs, three))["intercepts"]) == 3
    empty = LagraClassifier(lambda_ratio=1.0, n_lambdas=1).fit(graphs, y)
    assert "no graphlets" in data_of(report.html(empty, graphs, y))["sentences"][0]
    assert data_of(report.html(clf, graphs))["quality"] is None
    smooth = LagraClassifier(maxpat=2, n_lambdas=5, loss="logistic").fit(graphs, y)
    assert data_of(report.html(smooth, graphs, y))["quality"]["calibration"]["predicted"]


def test_what_cannot_be_reported_is_said_in_a_sentence(demo):
    graphs, y, clf = demo
    with pytest.raises(TypeError, match="Expected a fitted estimator or a LagraModel"):
        report.html(3, graphs, y)
    with pytest.raises(ValueError, match="one target per graph"):
        report.html(clf, graphs, y[:5])


def test_the_command_writes_the_page(demo, tmp_path, capsys):
    _, _, clf = demo
    clf.save(tmp_path / "demo.aglets")
    out = tmp_path / "page.html"
    assert main(["report", str(tmp_path / "demo.aglets"), "demo", "-o", str(out)]) == 0
    assert "open it in any browser" in capsys.readouterr().out
    assert data_of(out.read_text(encoding="utf-8"))["title"] == "demo on demo"


def test_graphs_are_scaled_once_whatever_the_number_of_stops(monkeypatch):
    from aglets.preprocessing.scaling import AttributeScaling

    graphs, y = datasets.load_demo()
    clf = LagraClassifier(n_lambdas=20).fit(graphs, y)
    calls = []
    apply = AttributeScaling.apply
    monkeypatch.setattr(
        AttributeScaling, "apply", lambda self, given: calls.append(1) or apply(self, given)
    )
    report.html(clf, graphs, y)
    assert len(calls) == 1
