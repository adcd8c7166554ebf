from __future__ import annotations

import itertools
import json
import math

import networkx as nx
import numpy as np
import pytest

from aglets import Graph, Graphlet, GraphSet, LagraClassifier, LagraRegressor, datasets
from aglets.explain import explain_global, explain_local, summarise
from aglets.explain.importance import shapley_values
from aglets.graphlets.scores import Embeddings


@pytest.fixture(scope="module")
def demo():
    graphs, y = datasets.load_acids()
    return graphs, y, LagraClassifier(maxpat=4, lambda_ratio=0.03).fit(graphs, y)


@pytest.fixture(scope="module")
def three_classes():
    graphs, two, _ = datasets.make_planted(90, n_motifs=2, random_state=3)
    y = np.where(two == 1, "a", np.where(np.arange(90) % 2 == 0, "b", "c"))
    return graphs, y, LagraClassifier(maxpat=3, lambda_ratio=0.2).fit(graphs, y)


def is_real(graph: Graph, graphlet: Graphlet, embedding: tuple[int, ...]) -> bool:
    """Whether the map is one of networkx's monomorphisms that keep all labels."""
    host, guest = nx.Graph(), nx.Graph()
    for target, part in ((host, graph), (guest, graphlet)):
        target.add_nodes_from((i, {"label": label}) for i, label in enumerate(part.labels))
        labels = part.edge_labels or [None] * len(part.edges)
        target.add_edges_from(
            (u, v, {"label": label})
            for (u, v), label in zip(part.edges.tolist(), labels, strict=True)
        )
    # Only the matched nodes, so that networkx is asked about this map and not about all.
    part = host.subgraph(embedding)
    same = nx.algorithms.isomorphism.categorical_node_match("label", None)
    same_edge = nx.algorithms.isomorphism.categorical_edge_match("label", None)
    matcher = nx.algorithms.isomorphism.GraphMatcher(part, guest, same, same_edge)
    wanted = {node: i for i, node in enumerate(embedding)}
    return len(set(embedding)) == graphlet.n_nodes and wanted in list(
        matcher.subgraph_monomorphisms_iter()
    )


def check_explained(clf, graphs):
    f = clf.decision_function(graphs)
    for i, why in enumerate(clf.explain(graphs)):
        total = why.intercept + sum(entry.contribution for entry in why.contributions)
        assert abs(total - f[i]) < 1e-12
        assert abs(why.decision - f[i]) < 1e-12
        for entry in why.contributions:
            if entry.embedding is None:
                assert entry.psi == entry.contribution == 0.0
            else:
                assert is_real(graphs[i], entry.graphlet, entry.embedding)
                assert entry.psi == pytest.approx(math.exp(-clf.rho * entry.distance), rel=1e-9)
    assert [why.prediction for why in clf.explain(graphs)] == clf.predict(graphs).tolist()


@pytest.mark.data
@pytest.mark.parametrize(("name", "edge_labels"), [("BZR", False), ("MUTAG", True)])
def test_contributions_and_intercept_are_the_decision_of_every_graph(load_tu, name, edge_labels):
    graphs, y = load_tu(name, edge_labels=edge_labels)
    clf = LagraClassifier(maxpat=4, lambda_ratio=0.05, n_lambdas=30).fit(graphs, y)
    assert clf.graphlets_
    check_explained(clf, graphs)


def test_explanations_of_the_demo_are_exact_and_real(demo):
    graphs, _, clf = demo
    check_explained(clf, graphs)


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_explanations_are_the_same_bytes_for_any_number_of_threads(demo, n_jobs):
    graphs, y, clf = demo
    alone = [explain_local(clf.model_, graph).to_json() for graph in graphs]
    together = [why.to_json() for why in explain_local(clf.model_, graphs, n_jobs=n_jobs)]
    assert alone == together
    once = explain_global(clf.model_, graphs, y).to_json()
    assert once == explain_global(clf.model_, graphs, y, n_jobs=n_jobs).to_json()


def test_a_second_fit_explains_with_the_same_bytes(demo):
    graphs, y, clf = demo
    again = LagraClassifier(maxpat=4, lambda_ratio=0.03, n_jobs=2).fit(graphs, y)
    assert again.explain_global().to_json() == clf.explain_global().to_json()
    assert again.explain(graphs[7]).to_json() == clf.explain(graphs[7]).to_json()


def test_importances_add_what_graphlets_contribute_at_their_nodes_and_edges(demo):
    graphs, _, clf = demo
    for why in clf.explain(graphs[:40]):
        nodes = np.zeros(why.graph.n_nodes)
        edges = {tuple(edge): 0.0 for edge in why.graph.edges.tolist()}
        for entry in why.contributions:
            shares = slow_shapley_values([one.psi for one in entry.occurrences][:6])
            if len(entry.occurrences) > 6:  # too many orders to try
                shares = shapley_values([one.psi for one in entry.occurrences])
            for one, part in zip(entry.occurrences, shares, strict=True):
                share = entry.coef * part
                for node in one.embedding:
                    nodes[node] += share / entry.graphlet.n_nodes
                for u, v in entry.graphlet.edges:
                    pair = sorted((one.embedding[u], one.embedding[v]))
                    edges[tuple(pair)] += share / len(entry.graphlet.edges)
        total = why.intercept + why.node_importance.sum()
        assert abs(total - why.decision) < 1e-12
        assert np.allclose(nodes, why.node_importance, atol=1e-14)
        assert np.allclose(list(edges.values()), why.edge_importance, atol=1e-14)


def test_occurrences_are_all_monomorphisms_of_networkx(demo):
    graphs, _, clf = demo
    for i, why in enumerate(clf.explain(graphs[:30])):
        whole = as_networkx(graphs[i])
        for entry in why.contributions:
            part = as_networkx(entry.graphlet)
            matcher = nx.algorithms.isomorphism.GraphMatcher(
                whole, part, lambda a, b: a["label"] == b["label"], lambda a, b: a == b
            )
            sets = {frozenset(pairs) for pairs in matcher.subgraph_monomorphisms_iter()}
            assert {frozenset(one.embedding) for one in entry.occurrences} == sets
            assert len(entry.occurrences) == len(sets)
            if sets:
                assert entry.occurrences[0].psi == entry.psi
                assert entry.occurrences[0].embedding == entry.embedding
                assert [one.psi for one in entry.occurrences] == sorted(
                    (one.psi for one in entry.occurrences), reverse=True
                )


def slow_shapley_values(psi):
    """What each adds to the maximum, over all orders in which they may come."""
    values = np.zeros(len(psi))
    orders = list(itertools.permutations(range(len(psi))))
    for order in orders:
        best = 0.0
        for i in order:
            values[i] += max(psi[i] - best, 0.0) / len(orders)
            best = max(best, psi[i])
    return values


def as_networkx(graph):
    result = nx.Graph()
    for i, label in enumerate(graph.labels):
        result.add_node(i, label=label)
    for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels, strict=True):
        result.add_edge(u, v, label=label)
    return result


def test_a_switch_alone_puts_the_decision_at_the_point_of_turning(demo, three_classes):
    for graphs, _, clf in (demo, three_classes):
        model = clf.model_
        psi = model.transform(graphs)
        for i, why in enumerate(clf.explain(graphs)):
            assert why.switches
            for switch in why.switches:
                changed = psi[i].copy()
                changed[switch.index] = switch.psi_needed
                f = model.decision_from_agis(changed[None])[0]
                gap = abs(f) if model.n_outputs == 1 else np.diff(np.sort(f)[-2:])
                margin = max(1.0, float(np.abs(f).max()))
                # With three classes, a third may have overtaken both on the way.
                if switch.alone and model.n_outputs == 1:
                    assert gap < 1e-9 * margin
                assert switch.alone == (0.0 <= switch.psi_needed <= 1.0)
            assert [s.alone for s in why.switches] == sorted(
                (s.alone for s in why.switches), reverse=True
            )


def test_more_than_two_classes_explain_the_predicted_one_by_default(three_classes):
    graphs, _, clf = three_classes
    f = clf.decision_function(graphs)
    for i, why in enumerate(clf.explain(graphs)):
        assert why.output == why.prediction == clf.predict(graphs[[i]])[0]
        assert np.allclose(why.decisions, f[i], atol=1e-12)
        assert why.decision == max(why.decisions)
    other = clf.explain(graphs[0], output="c")
    total = other.intercept + sum(entry.contribution for entry in other.contributions)
    assert total == pytest.approx(f[0, 2], abs=1e-12)
    with pytest.raises(ValueError, match="output must be a class that has a decision of its own"):
        clf.explain(graphs[0], output="d")


def test_regression_is_explained_too():
    graphs, y = datasets.load_acids()
    numbers = graphs.n_nodes + 3.0 * (y == "acidic")
    reg = LagraRegressor(maxpat=2, lambda_ratio=0.1, n_lambdas=20).fit(graphs, numbers)
    whys = reg.explain(graphs)
    assert np.allclose([why.prediction for why in whys], reg.predict(graphs), atol=1e-12)
    assert all(why.output is None and not why.switches for why in whys)
    learned = reg.explain_global()
    assert learned.classes is None
    assert all(-1.0 <= entry.correlation <= 1.0 for entry in learned.graphlets)


def test_global_explanation_counts_support_psi_and_auc(demo):
    from sklearn.metrics import roc_auc_score

    graphs, y, clf = demo
    psi = clf.transform(graphs)
    learned = clf.explain_global()
    assert learned.class_counts == {"acidic": 150, "neutral": 150}
    weights = [abs(entry.coef) for entry in learned.graphlets]
    assert weights == sorted(weights, reverse=True)
    for entry in learned.graphlets:
        column = psi[:, entry.index]
        assert entry.graphlet == clf.graphlets_[entry.index]
        for value in ("acidic", "neutral"):
            assert entry.support[value] == (column[y == value] > 0).sum()
            assert entry.mean_psi[value] == pytest.approx(column[y == value].mean())
        assert entry.evidence_for == ("neutral" if entry.coef > 0 else "acidic")
        assert entry.auc == pytest.approx(roc_auc_score(y == entry.evidence_for, column))
        assert entry.best_graph == column.argmax()
        names = np.array(graphs.vocabulary)[graphs.labels]
        rows = graphs.attributes[names == entry.graphlet.labels[0]]
        assert np.allclose(entry.label_mean[0], rows.mean(axis=0))
        assert np.allclose(entry.label_spread[0], rows.std(axis=0))
    given = clf.explain_global(graphs[:50], y[:50])
    assert given.n_graphs == 50
    assert not explain_global(clf.model_, graphs).class_counts


def test_explanations_become_dicts_frames_and_json(demo):
    graphs, _, clf = demo
    why, learned = clf.explain(graphs[1]), clf.explain_global()
    for explanation, key in ((why, "contributions"), (learned, "graphlets")):
        data = json.loads(explanation.to_json())
        assert data == json.loads(json.dumps(explanation.to_dict()))
        assert len(data[key]) == len(explanation.to_frame()) == len(clf.graphlets_)
    assert data["attribute_names"] == ["gasteiger_charge", "n_hydrogens", "degree", "in_ring"]


def test_strange_labels_stay_harmless_in_explanations():
    labels = ["<script>alert(1)</script>", ("a", 1), None, 2.5]
    graphs = GraphSet.from_lists(
        labels=[[labels[i % 4], labels[0]] for i in range(20)], edges=[[(0, 1)]] * 20
    )
    clf = LagraClassifier(maxpat=2).fit(graphs, np.arange(20) % 4 == 1)
    why = clf.explain(graphs[1])
    json.loads(why.to_json())
    json.loads(clf.explain_global().to_json())
    for page in (why._repr_html_(), clf.explain_global()._repr_html_()):
        assert "<script" not in page
        assert "<svg" in page


def test_a_model_without_graphlets_explains_by_its_intercept():
    graphs, y = datasets.load_acids()
    clf = LagraClassifier(lambda_ratio=1.0, n_lambdas=1).fit(graphs, y)
    why = clf.explain(graphs[0])
    assert not why.contributions
    assert why.decision == why.intercept == clf.decision_function(graphs[:1])[0]
    assert not clf.explain_global().graphlets


def test_wrong_targets_are_said_in_a_sentence(demo):
    graphs, y, clf = demo
    with pytest.raises(ValueError, match=r"one target per graph \(300\). Got shape \(299,\)"):
        explain_global(clf.model_, graphs, y[1:])
    with pytest.raises(ValueError, match="y holds the class 'x', but the model knows"):
        explain_global(clf.model_, graphs, ["x"] * 300)


def test_texts_name_graphlets_and_nodes(demo):
    graphs, _, clf = demo
    why = clf.explain(graphs[int(clf.explain_global().graphlets[0].best_graph)])
    assert why.contributions[0].graphlet.name in str(why)
    assert "intercept" in str(why)
    assert "AUC" in str(clf.explain_global())
    assert repr(why).startswith("LocalExplanation(prediction=")
    assert repr(why.contributions[0]).startswith(
        "Contribution(" + why.contributions[0].graphlet.name
    )
    assert "\n" not in repr(why.contributions[0])


def test_reprs_of_a_model_s_parts_are_one_line(demo):
    _, _, clf = demo
    assert repr(clf.model_.training) == "TrainingGraphs(300 graphs)"
    for entry in clf.explain_global().graphlets:
        expected = f"GraphletSummary({entry.graphlet.name}, coef={entry.coef:+.4g}, in "
        assert repr(entry) == f"{expected}{entry.n_support} graphs)"


def test_a_match_of_one_atom_is_at_an_atom():
    graphs, y = datasets.load_acids()
    clf = LagraClassifier(maxpat=1, n_lambdas=5).fit(graphs, y)
    why = next(why for why in clf.explain(graphs[:50]) if "psi" in str(why))
    assert ", atom " in str(why)
    assert ", atoms " not in str(why)


def test_notebooks_show_pictures_of_estimators_explanations_and_graphlets(demo):
    graphs, _, clf = demo
    shown = (clf, clf.explain_global(), clf.explain(graphs[0]), clf.graphlets_[0])
    assert all("<svg role='img'" in thing._repr_html_() for thing in shown)
    assert "<svg role='img'" not in LagraClassifier()._repr_html_()


def test_one_molecule_is_explained_in_milliseconds(demo):
    from time import perf_counter

    graphs, _, clf = demo
    graph = graphs[5]
    clf.explain(graph)
    start = perf_counter()
    for _ in range(10):
        clf.explain(graph)
    assert (perf_counter() - start) / 10 < 0.05  # about 1 ms on an idle machine


def test_a_summary_writes_out_no_embeddings(demo, monkeypatch):
    graphs, y, fitted = demo
    found = fitted.model_.match(graphs[:100])

    def refuse(embeddings, graph):
        raise AssertionError("there may be many graphs, each with many graphlets")

    monkeypatch.setattr(Embeddings, "__getitem__", refuse)
    assert summarise(fitted.model_, found, y[:100]).graphlets
