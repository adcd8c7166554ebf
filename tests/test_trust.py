"""What is known of a prediction besides itself: base rates, surroundings, neighbours, sets."""

from __future__ import annotations

import csv
import io
import json

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aglets
from aglets import GraphSet, LagraClassifier, LagraRegressor, datasets
from aglets.cli import main
from aglets.model import surroundings as module
from aglets.model.neighbours import MAX_GRAPHS, Neighbours
from aglets.model.surroundings import learn_surroundings, surroundings, unfamiliar_nodes
from aglets.model.training_record import TrainingRecord

QUICK = {"maxpat": 3, "n_lambdas": 10, "rho": 0.1}


@pytest.fixture(scope="module")
def molecules():
    smiles = datasets.load_acids()[0].smiles.tolist()[:150]
    _, y = datasets.load_acids()
    return GraphSet.from_smiles(smiles), np.asarray(y[:150])


@pytest.fixture(scope="module")
def fitted(molecules):
    graphs, y = molecules
    return LagraClassifier(**QUICK).fit(graphs, y)


def slow_surroundings(graph):
    """Label and sorted (edge label, neighbour label) of every node, by networkx."""
    host = nx.Graph()
    host.add_nodes_from(range(graph.n_nodes))
    bonds = graph.edge_labels or [None] * len(graph.edges)
    for (u, v), bond in zip(graph.edges.tolist(), bonds, strict=True):
        host.add_edge(u, v, bond=bond)
    return [
        (
            graph.labels[u],
            tuple(sorted((str(host.edges[u, v]["bond"]), str(graph.labels[v])) for v in host[u])),
        )
        for u in range(graph.n_nodes)
    ]


def test_numbers_of_surroundings_agree_exactly_where_the_surroundings_do(molecules):
    graphs, _ = molecules
    slow = [entry for graph in graphs for entry in slow_surroundings(graph)]
    fast = surroundings(graphs).tolist()
    pairs = set(zip(slow, fast, strict=True))
    assert len(pairs) == len(set(slow)) == len(set(fast))
    assert len(learn_surroundings(graphs)) == len(set(slow))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_the_numbering_of_nodes_changes_no_surroundings(seed):
    rng = np.random.default_rng(seed)
    host = nx.gnm_random_graph(7, 9, seed=seed)
    labels = rng.choice(list("CNO"), size=7)
    order = rng.permutation(7)
    where = np.argsort(order)
    both = GraphSet.from_lists(
        labels=[labels.tolist(), labels[order].tolist()],
        edges=[list(host.edges), [(where[u], where[v]) for u, v in host.edges]],
    )
    one, other = surroundings(both).reshape(2, 7)
    assert (one[order] == other).all()


def test_nodes_of_training_graphs_are_familiar_and_unknown_labels_are_not(molecules, fitted):
    graphs, _ = molecules
    spec, known = fitted.model_.input_spec, fitted.model_.record.surroundings
    assert not unfamiliar_nodes(spec.to_model_units(graphs), known).any()
    with pytest.warns(UserWarning, match="never seen in fit"):
        strange = fitted.explain("CC[Si]").trust
    assert strange.unfamiliar == (1, 2)
    assert strange.unfamiliar_share == pytest.approx(2 / 3)
    said = "2 of 3 atoms have surroundings that no training molecule has: atoms 1, 2"
    assert said in strange.lines


def test_too_many_surroundings_are_not_kept(molecules, monkeypatch):
    graphs, _ = molecules
    monkeypatch.setattr(module, "MAX_SURROUNDINGS", 3)
    assert learn_surroundings(graphs) is None


def test_the_nearest_training_graphs_are_those_of_the_definition(molecules, fitted):
    graphs, y = molecules
    model = fitted.model_
    psi = model.transform(graphs)
    for i in (0, 7, 33):
        found = fitted.explain(graphs[i]).trust.nearest
        slow = np.sqrt((((psi - psi[i]) * model.coef[0]) ** 2).sum(axis=1))
        assert [near.distance for near in found] == pytest.approx(np.sort(slow)[:3], abs=1e-3)
        for near in found:
            assert near.target == y[near.row]
            assert near.smiles == graphs.smiles[near.row] == near.text
        assert found[0].distance == pytest.approx(0.0, abs=1e-3)


def test_many_training_graphs_are_thinned_out_evenly():
    n = MAX_GRAPHS + 5000
    graphs = GraphSet.from_lists(labels=[["C"]] * n, edges=[[]] * n)
    kept = Neighbours.of(graphs, np.zeros((n, 1)), np.zeros((1, n)))
    assert len(kept.rows) == MAX_GRAPHS
    assert (kept.rows[0], kept.rows[-1]) == (0, n - 1)
    assert set(np.diff(kept.rows).tolist()) == {1, 2}


def test_a_molecule_without_graphlets_is_said_to_have_none(fitted):
    for smiles in ("C", "CCCC"):
        trust = fitted.explain(smiles).trust
        assert trust.no_graphlet
        assert any("no graphlet occurs in this molecule" in line for line in trust.lines)
        assert fitted.explain(smiles).decision == pytest.approx(fitted.intercept_[0])
    assert not fitted.explain("CC(=O)O").trust.no_graphlet


def test_covariates_also_say_something_where_no_graphlet_occurs(molecules):
    graphs, y = molecules
    model = LagraClassifier(**QUICK).fit(graphs, y, covariates=graphs.n_nodes[:, None])
    trust = model.explain(GraphSet.from_smiles(["C"]), covariates=[[1]])[0].trust
    said = (
        "no graphlet occurs in this molecule: the prediction is the intercept and covariates alone"
    )
    assert said in trust.lines


def test_a_class_that_is_more_probable_than_the_predicted_one_is_named(molecules):
    graphs, y = molecules
    model = LagraClassifier(**QUICK, class_weight={"acidic": 30, "neutral": 1}).fit(graphs, y)
    said = 0
    for why in model.explain(graphs):
        found = [line for line in why.trust.lines if "is more probable" in line]
        expected = max(why.trust.probabilities, key=why.trust.probabilities.get)
        assert bool(found) == (expected != why.prediction)
        assert all(line.startswith(f"{expected} is more probable (0.") for line in found)
        said += len(found)
    assert said


def test_explanations_show_probability_base_rate_and_set(molecules, fitted):
    graphs, y = molecules
    why = fitted.explain(graphs[3])
    trust = why.trust
    assert trust.probability == pytest.approx(fitted.predict_proba(graphs[3:4]).max())
    assert trust.base_rate == pytest.approx((y == why.prediction).mean())
    inside = fitted.predict_set(graphs[3:4], alpha=0.1)[0]
    assert trust.prediction_set == tuple(fitted.classes_[inside].tolist())
    for text in (str(why), why._repr_html_()):
        assert f"probability of {why.prediction}" in text
        assert "nearest training molecules" in text
    assert "probability=" in repr(why)
    document = json.loads(why.to_json())["trust"]
    assert document["base_rates"]["acidic"] == pytest.approx((y == "acidic").mean())
    assert document["lines"] == trust.lines


def test_numbers_have_a_mean_and_an_interval(molecules):
    graphs, _ = molecules
    y = np.asarray(graphs.n_nodes, dtype=float)
    reg = LagraRegressor(maxpat=1, n_lambdas=5).fit(graphs, y)
    trust = reg.explain(graphs[0]).trust
    assert trust.mean == trust.base_rate == pytest.approx(y.mean())
    np.testing.assert_allclose(trust.interval, reg.predict_interval(graphs[:1])[0])
    assert trust.probability is None
    few = LagraRegressor(maxpat=1, n_lambdas=3).fit(graphs[:6], y[:6])
    document = json.loads(few.explain(graphs[0]).to_json())["trust"]
    assert document["interval"] == [None, None]


def test_the_record_survives_a_file_and_can_be_left_out(molecules, fitted, tmp_path):
    graphs, _ = molecules
    fitted.save(tmp_path / "m.aglets")
    loaded = aglets.load(tmp_path / "m.aglets")
    mine, theirs = (
        aglets.explain.explain_local(model, graphs[5]).to_json()
        for model in (fitted.model_, loaded)
    )
    assert mine == theirs
    fitted.model_.without_training_graphs().save(tmp_path / "bare.aglets")
    bare = aglets.load(tmp_path / "bare.aglets")
    trust = aglets.explain.explain_local(bare, graphs[5]).trust
    assert trust.nearest == ()
    assert trust.unfamiliar == ()
    content = (tmp_path / "bare.aglets").read_bytes()
    assert (tmp_path / "m.aglets").stat().st_size > len(content)


def test_classes_of_gaps_have_base_rates_of_what_is_known(molecules):
    graphs, _ = molecules
    y = np.array([["a", 1.0], ["b", np.nan], [None, 3.0]] * 50, dtype=object)
    clf = LagraClassifier(maxpat=1, n_lambdas=3, loss=["squared_hinge", "squared"]).fit(graphs, y)
    rates = clf.model_.record.base_rates
    assert rates[0].tolist() == [0.5, 0.5]
    assert rates[1].tolist() == pytest.approx([2.0])
    why = clf.explain(graphs[0])
    assert why["target 0"].trust.probability is not None
    assert why["target 1"].trust.interval is not None


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (lambda: TrainingRecord(3, [np.array([np.nan])]), "Base rates must be finite"),
        (
            lambda: TrainingRecord(3, [np.array([1.0])], np.array([2, 1])),
            "surroundings of training nodes must be sorted",
        ),
        (
            lambda: Neighbours(
                np.arange(2), np.zeros((3, 1), np.int32), np.zeros(2, np.int32), np.zeros((1, 2))
            ),
            "Expected what is kept of 2 training graphs to be 2 rows each",
        ),
    ],
)
def test_a_record_in_disorder_is_refused(record, message):
    with pytest.raises(ValueError, match=message):
        record()


def test_predictions_on_the_command_line_have_columns_of_trust(fitted, tmp_path, capsys):
    fitted.save(tmp_path / "m.aglets")
    (tmp_path / "new.smi").write_text("C\nCC(=O)O\n")
    words = ["predict", str(tmp_path / "m.aglets"), str(tmp_path / "new.smi"), "-q", "--explain"]
    assert main(words) == 0
    first, second = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (first["no_graphlet"], second["no_graphlet"]) == ("True", "False")
    assert first["unfamiliar"] == "1"
    assert second["set_90"] in ("acidic", "acidic neutral")
    assert float(second["base_rate"]) == pytest.approx(
        fitted.model_.record.base_rates[0][0], abs=1e-4
    )
    assert second["nearest"] in fitted.model_.record.neighbours.smiles
    assert float(second["probability_acidic"]) > 0.5
    assert main(["explain", str(tmp_path / "m.aglets"), str(tmp_path / "new.smi"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["trust"]["no_graphlet"] is True


def predicted(model, tmp_path, capsys, *options):
    model.save(tmp_path / "m.aglets")
    (tmp_path / "new.smi").write_text("C\nCC(=O)O\nCCOc1ccccc1\n")
    files = [str(tmp_path / "m.aglets"), str(tmp_path / "new.smi")]
    assert main(["predict", *files, "-q", *options]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_sets_have_the_alpha_that_is_asked_for(fitted, tmp_path, capsys):
    asked = ["C", "CC(=O)O", "CCOc1ccccc1"]
    rows = predicted(fitted, tmp_path, capsys, "--alpha", "0.25")
    inside = fitted.model_.predict_set(asked, alpha=0.25)
    for row, kept in zip(rows, inside, strict=True):
        assert row["set_75"].split() == fitted.classes_[kept].tolist()
        assert "explanation" not in row
    rows = predicted(fitted, tmp_path, capsys, "--alpha", "0.05", "--explain")
    assert all({"set_95", "explanation", "nearest"} <= set(row) for row in rows)


def test_intervals_have_the_alpha_that_is_asked_for(molecules, tmp_path, capsys):
    graphs, _ = molecules
    model = LagraRegressor(**QUICK).fit(graphs, graphs.n_nodes.astype(float))
    rows = predicted(model, tmp_path, capsys, "--alpha", "0.2")
    ends = [[float(row["low_80"]), float(row["high_80"])] for row in rows]
    intervals = model.model_.predict_interval(["C", "CC(=O)O", "CCOc1ccccc1"], alpha=0.2)
    np.testing.assert_allclose(ends, intervals, rtol=1e-4)


def test_each_of_several_targets_has_its_columns_of_trust(molecules, tmp_path, capsys):
    graphs, y = molecules
    table = np.column_stack([y, np.where(graphs.n_nodes > 10, "large", "small")])
    model = LagraClassifier(**QUICK).fit(graphs, table)
    first, second = model.target_names_
    rows = predicted(model, tmp_path, capsys, "--explain")
    asked = ["C", "CC(=O)O", "CCOc1ccccc1"]
    whole = model.explain(asked)
    for row, why in zip(rows, whole, strict=True):
        assert float(row["unfamiliar"]) == pytest.approx(why[first].trust.unfamiliar_share)
        for name in (first, second):
            trust = why[name].trust
            assert row[f"no_graphlet_{name}"] == str(trust.no_graphlet)
            assert float(row[f"base_rate_{name}"]) == pytest.approx(trust.base_rate, abs=1e-4)
            assert row[f"set_90_{name}"].split() == list(trust.prediction_set)
            assert row[f"nearest_{name}"] == trust.nearest[0].text


@pytest.mark.parametrize("value", ["0", "1", "1.5"])
def test_an_alpha_that_is_not_a_part_is_refused(fitted, tmp_path, capsys, value):
    fitted.save(tmp_path / "m.aglets")
    (tmp_path / "new.smi").write_text("C\n")
    files = [str(tmp_path / "m.aglets"), str(tmp_path / "new.smi")]
    assert main(["predict", *files, "--alpha", value]) == 2
    assert f"{value} is not a part between 0 and 1" in " ".join(capsys.readouterr().err.split())


def test_a_model_without_held_out_graphs_has_no_sets(molecules, tmp_path, capsys):
    LagraClassifier(**QUICK, calibration=None).fit(*molecules).save(tmp_path / "m.aglets")
    (tmp_path / "new.smi").write_text("C\n")
    files = [str(tmp_path / "m.aglets"), str(tmp_path / "new.smi")]
    assert main(["predict", *files, "--alpha", "0.1"]) == 1
    assert "Expected a model that was judged on held-out graphs" in capsys.readouterr().err
