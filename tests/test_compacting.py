"""Fewer graphlets, nearly the same predictions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from aglets import LagraClassifier, LagraClassifierCV, LagraRegressor, compact, datasets, size_curve
from aglets.model.average import average_models
from aglets.model.compacting import EXCHANGED, MISSING, MU, Elimination, centred, copies


@pytest.fixture(scope="module")
def fitted():
    graphs, y, _ = datasets.make_planted(120, random_state=6)
    clf = LagraClassifier(maxpat=3, lambda_ratio=0.01, n_lambdas=30).fit(graphs[:80], y[:80])
    return clf.model_, graphs, y


def test_each_drop_is_the_best_by_solving_the_quadratic_form_for_every_graphlet():
    rng = np.random.default_rng(0)
    psi = rng.normal(size=(30, 6))
    psi[:, 5] = psi[:, 0] + 0.05 * rng.normal(size=30)
    beta = rng.normal(size=6)
    matrix = psi.T @ psi + MU * np.eye(6)
    part = Elimination(beta, psi)
    left = list(range(6))

    def best_without(dropped):
        """Minimise (b - beta)' A (b - beta) with b zero where dropped."""
        kept = [j for j in range(6) if j not in dropped]
        b = np.zeros(6)
        b[kept] = np.linalg.solve(matrix[np.ix_(kept, kept)], (matrix @ beta)[kept])
        return b, float((b - beta) @ matrix @ (b - beta))

    for _ in range(5):
        gone = [j for j in range(6) if j not in left]
        costs = {j: best_without([*gone, j])[1] for j in left}
        before = best_without(gone)[1]
        assert part.costs().min() == pytest.approx(min(costs.values()) - before)
        part.drop(part.left[part.costs().argmin()])
        left.remove(min(costs, key=costs.__getitem__))
        assert part.left.tolist() == left
        np.testing.assert_allclose(part.beta, best_without(set(range(6)) - set(left))[0][left])


def test_nearly_equal_graphlets_become_one(fitted):
    model, graphs, _ = fitted
    n = len(model.graphlets)
    moved = [
        replace_attributes(graphlet, graphlet.attributes + 1e-4) for graphlet in model.graphlets
    ]
    twice = average_models([model, replace(model, graphlets=moved)])
    assert len(twice.graphlets) == 2 * n
    small = compact(twice, graphs, n)
    assert len(small.graphlets) == n
    f, full = small.decision_function(graphs), twice.decision_function(graphs)
    assert np.std(f - full) < 0.1 * np.std(full)


def replace_attributes(graphlet, attributes):
    kind = type(graphlet)
    return kind(labels=graphlet.labels, edges=graphlet.edges, attributes=attributes)


def test_predictions_on_other_graphs_stay_nearly_the_same(fitted):
    model, graphs, _ = fitted
    full = model.decision_function(graphs[80:])
    half = len(model.graphlets) // 2
    near = compact(model, graphs[:80], half).decision_function(graphs[80:])
    order = np.argsort(-np.abs(model.coef[0]))[:half]
    cut = replace(
        model,
        graphlets=[model.graphlets[j] for j in order],
        coef=model.coef[:, order],
        path={},
        stops=None,
    ).decision_function(graphs[80:])
    # Nearer than the model without its half of smallest coefficients.
    assert np.linalg.norm(near - full) < np.linalg.norm(cut - full)


def test_a_model_that_is_small_enough_stays_as_it_is(fitted):
    model, graphs, _ = fitted
    assert compact(model, graphs, len(model.graphlets)) is model
    assert compact(model, graphs, 10_000) is model


def test_the_curve_goes_from_the_whole_model_to_one_graphlet(fitted):
    model, graphs, y = fitted
    points = size_curve(model, graphs[80:], y[80:])
    sizes = [point.n_graphlets for point in points]
    assert sizes[0] == len(model.graphlets)
    assert sizes[-1] == 1
    assert sizes == sorted(sizes, reverse=True)
    for point in points:
        f = point.model.decision_function(graphs[80:])
        assert point.score == np.mean(point.model.predict(graphs[80:]) == y[80:])
        assert point.loss == pytest.approx(0.5 * np.mean(np.maximum(1 - y[80:] * f, 0) ** 2))
    assert [p.n_graphlets for p in size_curve(model, graphs, y, [3, 2])] == [3, 2]
    empty = compact(model, graphs, 0)
    assert len(empty.graphlets) == 0
    mean = model.decision_function(graphs).mean()
    np.testing.assert_allclose(empty.decision_function(graphs), mean)


def test_outputs_of_several_classes_share_the_graphlets_that_are_left():
    graphs, two, _ = datasets.make_planted(90, n_motifs=2, random_state=3)
    y = np.where(two == 1, "a", np.where(np.arange(90) % 2 == 0, "b", "c"))
    model = LagraClassifier(maxpat=2, lambda_ratio=0.05, n_lambdas=15).fit(graphs, y).model_
    small = compact(model, graphs, len(model.graphlets) // 2)
    assert len(small.graphlets) == len(model.graphlets) // 2
    assert np.mean(small.predict(graphs) == model.predict(graphs)) > 0.6
    point = size_curve(model, graphs, y, [5])[0]
    assert point.score == np.mean(point.model.predict(graphs) == y)


def test_numbers_are_judged_by_their_loss():
    graphs, y, _ = datasets.make_planted(60, random_state=1)
    model = LagraRegressor(maxpat=2, lambda_ratio=0.05, n_lambdas=15).fit(graphs, y).model_
    point = size_curve(model, graphs, y, [4])[0]
    assert point.loss == pytest.approx(0.5 * np.mean((y - point.model.predict(graphs)) ** 2))


def test_the_estimator_keeps_to_its_most_graphlets(fitted):
    _, graphs, y = fitted
    options = {"starts": 1, "maxpats": (3,), "rhos": (1.0, 0.1), "n_lambdas": 15, "cv": 2}
    clf = LagraClassifierCV(**options, average="folds", random_state=0)
    whole = len(clf.fit(graphs, y).graphlets_)
    clf.set_params(max_graphlets=whole // 2).fit(graphs, y)
    assert len(clf.graphlets_) == whole // 2 == clf.coef_.shape[1] > 1
    why = clf.explain(graphs[0])
    assert why.intercept + sum(e.contribution for e in why.contributions) == pytest.approx(
        clf.decision_function(graphs[[0]])[0]
    )


def test_what_cannot_be_compacted_is_refused(fitted):
    model, graphs, y = fitted
    with pytest.raises(ValueError, match="number of graphlets of at least 0. Got -1"):
        compact(model, graphs, -1)
    with pytest.raises(ValueError, match=r"one target per graph \(120\)"):
        size_curve(model, graphs, y[:3])
    with pytest.raises(ValueError, match="y holds the class 7, but the model knows"):
        size_curve(model, graphs, np.full(120, 7))


def test_copies_exchange_attributes_among_nodes_of_the_same_label_only(fitted):
    _, graphs, _ = fitted
    known = {label: graphs.attributes[graphs.labels == label] for label in np.unique(graphs.labels)}
    made = copies(graphs)[::2]
    for copy in made:
        np.testing.assert_array_equal(copy.labels, graphs.labels)
        np.testing.assert_array_equal(copy.edges, graphs.edges)
        for label, rows in known.items():
            now = {tuple(row) for row in copy.attributes[graphs.labels == label].tolist()}
            assert now <= {tuple(row) for row in rows.tolist()}
    changed = [(copy.attributes != graphs.attributes).any(axis=1).mean() for copy in made]
    assert np.mean(changed) == pytest.approx(EXCHANGED, abs=0.05)


def test_every_other_copy_lacks_some_edges(fitted):
    _, graphs, _ = fitted
    made = copies(graphs)[1::2]
    for copy in made:
        np.testing.assert_array_equal(copy.attributes, graphs.attributes)
        for thin, whole in zip(copy, graphs, strict=True):
            assert set(map(tuple, thin.edges.tolist())) <= set(map(tuple, whole.edges.tolist()))
    left = [len(copy.edges) / len(graphs.edges) for copy in made]
    assert np.mean(left) == pytest.approx(1 - MISSING, abs=0.02)


def test_copies_do_not_depend_on_the_order_of_the_graphs(fitted):
    _, graphs, _ = fitted
    order = np.random.default_rng(1).permutation(len(graphs))
    for there, here in zip(copies(graphs[order]), copies(graphs), strict=True):
        assert there == here[order]


def test_copies_of_graphs_without_attributes_lack_edges():
    graphs, _, _ = datasets.make_planted(20, n_attributes=0, random_state=0)
    assert all(len(copy.edges) < len(graphs.edges) for copy in copies(graphs))


def test_copies_bring_the_small_model_nearer_on_other_graphs(fitted):
    """On the average of several halves of the graphs, that is: one may be an exception."""
    model, graphs, _ = fitted
    size = len(model.graphlets) // 3

    def error(own, away):
        middle, rows = centred(own)
        part = Elimination(model.coef[0], rows)
        while len(part.left) > size:
            part.drop(part.left[part.costs().argmin()])
        return np.linalg.norm(
            (away - middle)[:, part.left] @ part.beta - (away - middle) @ model.coef[0]
        )

    errors = []
    for seed in range(6):
        order = np.random.default_rng(seed).permutation(len(graphs))
        known, other = graphs[order[:40]], graphs[order[40:]]
        psi = [np.asarray(model.agis(each)) for each in (known, *copies(known))]
        away = np.asarray(model.agis(other))
        errors.append([error(psi, away), error(psi[:1], away)])
    with_copies, without = np.mean(errors, axis=0)
    assert with_copies < without
