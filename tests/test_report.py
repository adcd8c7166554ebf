"""The report as a file: what is in it, and that nothing in it can do harm."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from aglets import GraphSet, LagraClassifier, LagraRegressor, datasets, report
from aglets.cli import main
from aglets.model.calibration import Calibration, Sigmoid
from aglets.model.file import load
from aglets.model.outputs import Outputs
from aglets.report import _bounds as bounds

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
    graphs, y = datasets.load_acids()
    graphs, y = graphs[:150], y[:150]
    clf = LagraClassifier(maxpat=4, lambda_ratio=0.02, n_lambdas=20).fit(graphs[:100], y[:100])
    return graphs, y, clf


def data_of(page: str):
    [text] = re.findall(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)
    return json.loads(text)


def view_of(page: str):
    [view] = data_of(page)["views"]
    return view


def metrics_of(view):
    return {row["name"]: row["values"][0] for row in view["quality"]["metrics"]}


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
    assert HARMFUL[0] in data["views"][0]["classes"]
    labels = {label for graph in data["graphs"].values() for label in graph["labels"]}
    assert labels == set(HARMFUL)
    assert "<title>&lt;/script&gt;" in page


def test_the_page_says_what_the_model_says(demo):
    graphs, y, clf = demo
    view = view_of(report.html(clf, graphs, y))
    f, psi = clf.decision_function(graphs), clf.transform(graphs)
    assert np.allclose(np.ravel(view["decisions"]), f, atol=1e-5)
    assert view["predictions"] == clf.predict(graphs).tolist()
    order = np.argsort([-abs(h.coef) for h in clf.graphlets_], kind="stable")
    assert np.allclose(view["psi"], psi[:, order], rtol=1e-3, atol=1e-12)
    assert metrics_of(view)["accuracy"] == pytest.approx(clf.score(graphs, y))
    assert metrics_of(view)["AUC"] == pytest.approx(roc_auc_score(y == "neutral", f))
    assert np.sum(view["quality"]["confusion"]) == len(graphs)
    for i in view["shown"]:
        places = view["places"][str(i)]
        total = view["intercepts"][0] + sum(
            view["graphlets"][int(rank)]["coef"] * view["psi"][i][int(rank)] for rank in places
        )
        assert total == pytest.approx(f[i], abs=2e-2)
        for _, *found in places.values():
            assert sum(share for share, *_ in found) == pytest.approx(1.0, abs=0.01)


def test_wrong_ones_come_first(demo):
    graphs, y, clf = demo
    turned = y.copy()
    turned[:20] = np.where(y[:20] == "acidic", "neutral", "acidic")
    data = data_of(report.html(clf, graphs, turned, max_graphs=50))
    [view] = data["views"]
    wrong = np.flatnonzero(clf.predict(graphs) != turned)
    assert len(view["shown"]) == len(data["graphs"]) == 50
    assert set(view["shown"][: len(wrong)]) == set(wrong.tolist())
    assert sorted(view["wrong"]) == wrong.tolist()


def test_molecules_are_skeletal_formulas_and_graphlets_are_marked_in_one(demo):
    graphs, y, clf = demo
    data = data_of(report.html(clf, graphs, y))
    assert all("skeleton" in graph for graph in data["graphs"].values())
    assert data["smiles"] == list(graphs.smiles)
    for card, graphlet in zip(data["views"][0]["graphlets"], clf.graphlets_, strict=True):
        assert card["example"]["smiles"] == graphlet.example.smiles
        assert card["example"]["nodes"] == list(graphlet.example.nodes)
        assert card["smarts"] == graphlet.smarts


def test_a_card_counts_graphs_and_says_what_a_match_does(demo):
    graphs, y, clf = demo
    first = view_of(report.html(clf, graphs, y))["graphlets"][0]
    occurs = clf.transform(graphs)[:, 0] > 0.0
    acids, others = int(occurs[y == "acidic"].sum()), int(occurs[y == "neutral"].sum())
    n_acids, n_others = int((y == "acidic").sum()), int((y == "neutral").sum())
    said = "".join(text for text, _ in first["occurs"])
    assert said == (
        f"In {acids} of {n_acids} of class acidic ({acids / n_acids:.0%}), "
        f"{others} of {n_others} of class neutral ({others / n_others:.0%})."
    )
    bare = replace(clf.model_, calibration=None)
    effect = view_of(report.html(bare, graphs, y))["graphlets"][0]["effect"]
    assert effect.startswith("A full match moves the decision by")
    assert effect.endswith("to class acidic, if all other graphlets stay the same.")
    half = f"{np.exp(0.5 * abs(first['coef'])):.3g}"
    for slope, times in ((0.5, half), (9.0, "more than 1000")):
        known = replace(bare, calibration=Calibration([Sigmoid(slope, 0.0, 10)]))
        effect = view_of(report.html(known, graphs, y))["graphlets"][0]["effect"]
        said = f"A full match raises the odds of class acidic by a factor of {times}, "
        assert effect == said + "if all other graphlets stay the same."
    reg = LagraRegressor(maxpat=2, n_lambdas=5).fit(graphs, graphs.n_nodes.astype(float))
    effect = view_of(report.html(reg, graphs))["graphlets"][0]["effect"]
    assert re.fullmatch(
        r"(A full match|Each place .*) (raises|lowers) the prediction by .*", effect
    )
    rooted = LagraRegressor(maxpat=2, n_lambdas=5, pooling=("sum",), count_scale="sqrt")
    rooted.fit(graphs, graphs.n_nodes.astype(float))
    effect = view_of(report.html(rooted, graphs))["graphlets"][0]["effect"]
    assert re.fullmatch(r"One place .* by [\d.]+ \(four places by twice as much\), .*", effect)


def test_a_page_knows_training_graphs_again(demo, tmp_path):
    graphs, y, clf = demo
    clf.save(tmp_path / "demo.aglets")
    for model in (clf, load(tmp_path / "demo.aglets")):
        kinds = [
            data_of(report.html(model, graphs[part], y[part]))["origin"]
            for part in (slice(0, 100), slice(75, 150), slice(100, 150))
        ]
        assert [origin["kind"] for origin in kinds] == ["training", "mixed", "test"]
        assert "fitted on all of these 100 molecules" in kinds[0]["sentence"]
        assert "25 were also" in kinds[1]["sentence"]
    old = replace(clf.model_, training=None)
    assert data_of(report.html(old, graphs, y))["origin"]["kind"] == "unknown"


def test_scores_of_many_classes_are_those_of_the_whole_model(demo):
    graphs, _, _ = demo
    three = np.array(["small", "middle", "large"])[np.digitize(graphs.n_nodes, [10, 13])]
    clf = LagraClassifier(maxpat=2, n_lambdas=6).fit(graphs, three)
    view = view_of(report.html(clf, graphs, three))
    whole = float(np.mean(clf.predict(graphs) == three))
    assert metrics_of(view)["accuracy"] == pytest.approx(whole)
    path = view["path"]
    # Each class has a path; the score along one, class against the rest, is not an accuracy.
    assert not {"train", "validation"} & set(path["stops"])
    assert path["stops"]["here"][-1] == pytest.approx(whole)
    assert path["lambda_name"] == "lambda / largest lambda"
    assert path["stops"]["lam"][0] == 1.0
    assert set(view["outputs"]) == {"small", "middle", "large"}
    record = clf.model_.path
    visited = [record["n_visited"][record["output"] == k].sum() for k in range(3)]
    assert sum(path["cost"]["n_visited"]) == pytest.approx(sum(visited))


def test_numbers_have_measures_in_their_unit(demo):
    graphs, _, _ = demo
    sizes = graphs.n_nodes.astype(float)
    reg = LagraRegressor(maxpat=2, n_lambdas=8).fit(graphs, sizes)
    found = metrics_of(view_of(report.html(reg, graphs, sizes)))
    errors = reg.predict(graphs) - sizes
    assert found["RMSE"] == pytest.approx(np.sqrt((errors**2).mean()))
    assert found["MAE"] == pytest.approx(np.abs(errors).mean())
    assert found["R²"] == pytest.approx(reg.score(graphs, sizes))


def test_explanations_say_how_far_to_trust_them(demo):
    graphs, y, clf = demo
    view = view_of(report.html(clf, graphs, y))
    assert view["base_rates"] == pytest.approx(
        [np.mean(y[:100] == name) for name in ("acidic", "neutral")]
    )
    for i in view["shown"][:5]:
        wanted = clf.explain(graphs[i]).trust.lines
        assert view["trust"][str(i)] == [line for line in wanted if "probability of" not in line]
        assert any(line.startswith("nearest training molecules:") for line in wanted)


def test_zero_is_on_the_axis_of_decisions_and_between_two_bars(demo):
    graphs, y, clf = demo
    shifted = replace(clf.model_, intercept=clf.model_.intercept + 20.0)
    for model in (clf, shifted):
        edges = view_of(report.html(model, graphs, y))["quality"]["histogram"]["edges"]
        assert min(abs(edge) for edge in edges) < 1e-9


def test_evidence_is_for_or_against_a_class_and_measures_name_the_classes(demo):
    graphs, y, clf = demo
    view = view_of(report.html(clf, graphs, y))
    said = {card["evidence"] for card in view["graphlets"]}
    assert said <= {"evidence for class acidic", "evidence for class neutral"}
    meanings = {row["name"]: row["meaning"] for row in view["quality"]["metrics"]}
    wanted = "chance that a molecule of class neutral is ranked above one of class acidic"
    assert meanings["AUC"].startswith(wanted)
    three = np.array(["a", "b", "c"])[np.arange(len(y)) % 3]
    three[y == "acidic"] = "a"
    many = LagraClassifier(maxpat=1, n_lambdas=5, calibration=None).fit(graphs, three)
    for card in view_of(report.html(many, graphs, three))["graphlets"]:
        side = "for" if card["coef"] > 0.0 else "against"
        assert card["evidence"] == f"evidence {side} class {card['output']}"


def test_graphs_with_places_are_drawn_there_also_if_degrees_are_their_labels():
    corners = [[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0]]
    graphs = GraphSet.from_lists(
        labels=[[0] * 4] * 20,
        edges=[[(0, 1), (1, 2), (2, 3)], [(0, 1), (1, 2), (2, 3), (0, 3)]] * 10,
        attributes=[corners] * 20,
    )
    y = np.arange(20) % 2
    options = {"maxpat": 2, "n_lambdas": 5, "calibration": None, "node_labels": "degree"}
    clf = LagraClassifier(**options).fit(graphs, y)
    drawn = data_of(report.html(clf, graphs, y))["graphs"]["0"]
    assert set(drawn["labels"]) <= {"d1", "d2"}
    sides = np.ptp(np.array(drawn["xy"]), axis=0)
    assert sides[0] / sides[1] == pytest.approx(4 / 3, abs=0.02)


def test_several_targets_have_a_view_each(demo):
    graphs, y, clf = demo
    two = Outputs([replace(clf.model_.outputs.single, name=name) for name in "ab"])
    model = replace(
        clf.model_,
        outputs=two,
        coef=np.vstack([clf.model_.coef, 0.0 * clf.model_.coef]),
        calibration=None,
        conformal=None,
        record=None,
        intercept=np.array([*clf.model_.intercept, 1.0]),
        path={},
        stops=None,
    )
    gaps = np.array([y, np.where(np.arange(150) < 100, y, None)], dtype=object).T
    data = data_of(report.html(model, graphs, gaps))
    first, second = data["views"]
    assert [first["target"], second["target"]] == ["a", "b"]
    assert metrics_of(first)["accuracy"] == pytest.approx(clf.score(graphs, y))
    assert second["quality"]["n"] == 100
    assert "has no graphlets" in second["empty"]
    with pytest.raises(ValueError, match="a column per target"):
        report.html(model, graphs, y)


def test_the_slider_shows_the_models_of_the_path(demo):
    graphs, y, clf = demo
    path = view_of(report.html(clf, graphs, y))["path"]
    assert len(path["models"]) == len(clf.path_)
    assert path["stops"]["n"] == [len(clf.model_at(i).graphlets) for i in range(len(clf.path_))]
    assert path["stops"]["here"][-1] == pytest.approx(clf.score(graphs, y))


def test_the_slider_of_a_model_file_shows_the_models_of_the_path(demo, tmp_path):
    graphs, y, clf = demo
    clf.save(tmp_path / "demo.aglets")
    path = view_of(report.html(load(tmp_path / "demo.aglets"), graphs, y))["path"]
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
    path = view_of(report.html(bare, graphs, y))["path"]
    assert path["refitted"]
    assert path["stops"]["n"][-1] == len(clf.graphlets_)
    assert path["stops"]["n"][0] <= 1
    assert path["stops"]["here"][-1] > 0.9
    assert [len(entries) for entries in path["models"]] == path["stops"]["n"]
    assert path["cost"]["seconds"]
    assert view_of(report.html(bare, graphs))["path"]["models"] == []
    sizes = graphs.n_nodes.astype(float)
    reg = LagraRegressor(maxpat=2, n_lambdas=10).fit(graphs, sizes).model_
    again = view_of(report.html(replace(reg, stops=None), graphs, sizes))["path"]
    assert again["stops"]["here"][-1] > 0.3


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
    three = np.arange(150) % 3
    many = LagraClassifier(maxpat=2, n_lambdas=5).fit(graphs, three)
    assert len(view_of(report.html(many, graphs, three))["intercepts"]) == 3
    empty = LagraClassifier(lambda_ratio=1.0, n_lambdas=1).fit(graphs, y)
    said = view_of(report.html(empty, graphs, y))["empty"]
    assert said.startswith("The model has no graphlets: it always predicts the same.")
    assert "smaller lambda_ratio" in said
    assert view_of(report.html(clf, graphs))["quality"] is None
    assert view_of(report.html(clf, graphs))["empty"] is None
    smooth = LagraClassifier(maxpat=2, n_lambdas=5, loss="logistic").fit(graphs, y)
    view = view_of(report.html(smooth, graphs, y))
    assert view["quality"]["calibration"]["predicted"]
    assert np.allclose(view["probabilities"], smooth.predict_proba(graphs), atol=1e-4)


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
    words = ["report", str(tmp_path / "demo.aglets"), "acids", "-o", str(out)]
    assert main(words) == 0
    assert "open it in any browser" in capsys.readouterr().out
    data = data_of(out.read_text(encoding="utf-8"))
    assert data["title"] == "demo on acids"
    assert data["source"] == "acids"
    # The very command, so that it can be run again.
    assert shlex.split(data["command"]) == ["aglets", *words]
    assert data["fitted"]["search"] == str(clf.model_.search)


def test_graphs_are_scaled_once_whatever_the_number_of_stops(monkeypatch):
    from aglets.preprocessing.scaling import AttributeScaling

    graphs, y = datasets.load_acids()
    clf = LagraClassifier(n_lambdas=20).fit(graphs, y)
    calls = []
    apply = AttributeScaling.apply
    monkeypatch.setattr(
        AttributeScaling, "apply", lambda self, given: calls.append(1) or apply(self, given)
    )
    report.html(clf, graphs, y)
    assert len(calls) == 1


def test_molecules_are_searched_by_the_names_of_their_groups():
    smiles = ["CC(=O)N", "CCO", "CC(=O)OC", "c1ccccc1"] * 5
    graphs = GraphSet.from_smiles(smiles)
    y = np.arange(20) % 2
    clf = LagraClassifier(maxpat=1, n_lambdas=3).fit(graphs, y)
    data = data_of(report.html(clf, graphs, y))
    named = [{data["groups"][k] for k in row} for row in data["graph_groups"]]
    assert "amide" in named[0]
    assert "aliphatic alcohol" in named[1]
    assert "ester" in named[2]
    assert "ether" not in named[2]
    assert "benzene ring" in named[3]


def test_a_page_of_many_graphs_and_graphlets_lists_a_part_and_says_so(demo, monkeypatch):
    graphs, y, clf = demo
    monkeypatch.setattr(bounds, "MAX_CARDS", 2)
    monkeypatch.setattr(bounds, "MIN_CARDS", 1)
    monkeypatch.setattr(bounds, "MAX_MATCHES", 60)
    page = report.html(clf, graphs, y, max_graphs=10)
    data, view = data_of(page), view_of(page)
    assert len(clf.graphlets_) > 2
    assert (len(view["graphlets"]), view["n_graphlets"]) == (2, len(clf.graphlets_))
    assert len(data["listed"]) == 30
    assert set(view["shown"]) <= set(data["listed"])
    for name in ("psi", "predictions", "decisions", "y"):
        assert list(view[name]) == list(map(str, data["listed"]))
    assert set(view["wrong"]) <= set(data["listed"])
    # What is counted, all graphs count in.
    assert view["quality"]["n"] == data["n_graphs"] == len(graphs)
    assert f"by {len(clf.graphlets_)} graphlets" in view["sentences"][0]


def test_cards_are_kept_for_what_explanations_need(demo, monkeypatch):
    graphs, y, clf = demo
    monkeypatch.setattr(bounds, "MAX_CARDS", 2)
    monkeypatch.setattr(bounds, "MIN_CARDS", 1)
    page = report.html(clf, graphs, y, max_graphs=len(graphs))
    view = view_of(page)
    numbers = [entry["number"] for entry in view["graphlets"]]
    assert numbers[0] == 1
    assert len(numbers) > 2  # the two strongest would not do
    added = np.abs(clf.coef_ * clf.transform(graphs))
    for i in view["shown"]:
        kept = {int(rank) for rank in view["places"][str(i)]}
        assert bool(kept) == bool(added[i].any())
        if kept:
            largest = max(abs(view["graphlets"][k]["coef"] * view["psi"][i][k]) for k in kept)
            assert largest == pytest.approx(added[i].max(), rel=1e-3)


def test_dots_of_numbers_are_those_of_listed_graphs_with_a_value(demo, monkeypatch):
    graphs, _, _ = demo
    y = graphs.n_edges.astype(float)
    reg = LagraRegressor(maxpat=2, n_lambdas=5).fit(graphs[:100], y[:100])
    y[::3] = np.nan
    monkeypatch.setattr(bounds, "MAX_ANSWERS", 50)
    page = report.html(reg, graphs[:100], y[:100], max_graphs=10)
    data, fit = data_of(page), view_of(page)["quality"]["fit"]
    assert fit["graphs"] == [i for i in data["listed"] if i % 3]
    assert fit["true"] == y[fit["graphs"]].tolist()
    assert fit["predicted"] == pytest.approx(reg.predict(graphs[:100])[fit["graphs"]], abs=1e-5)


def test_of_many_classes_fewer_graphs_are_listed():
    bound = bounds.Bounds(n_targets=1, max_graphs=5)
    assert len(bound.listed(5000, [0], 20)) == 5000
    assert len(bound.listed(5000, [0], 20, n_outputs=100)) == bounds.MAX_DECISIONS // 100


def test_fewer_graphs_are_explained_where_graphlets_lie_in_many_places(demo, monkeypatch):
    graphs, y, clf = demo
    monkeypatch.setattr(bounds, "MAX_PLACES", 400)
    view = view_of(report.html(clf, graphs, y))
    assert bounds.MIN_SHOWN <= len(view["shown"]) < len(graphs)
    numbers = [v for i in view["places"].values() for row in i.values() for p in row[1:] for v in p]
    assert len(numbers) <= 400
    assert len(view["places"]) == len(view["shown"])
