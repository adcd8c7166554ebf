"""The rows of benchmarks/accuracy: what they share must not change them."""

from __future__ import annotations

import numpy as np
import pytest
from accuracy.curves import curve
from accuracy.ideas import node_means
from accuracy.levers import LEVERS, ROWS, Data, Memory, Row, outcome
from accuracy.tables import difference, spread
from paper.protocol import Split

from aglets import LagraClassifier, datasets

QUICK = {
    **{"starts": {1: (2,), 3: (1,)}, "rhos": (1.0, 0.1), "n_lambdas": 8, "max_epochs": 10},
    "pooling": ("best",),  # one channel, so that the cells can be counted
}
FOLDED = {**QUICK, "cv": 2, "random_state": 0}


@pytest.fixture(scope="module")
def planted():
    graphs, y, _ = datasets.make_planted(60, random_state=0)
    return Data(graphs, y, graphs.n_nodes[:, None]), Split.of(y, 0)


@pytest.mark.parametrize("quick", [QUICK, FOLDED])
def test_rows_that_share_paths_equal_rows_that_walk_their_own(quick, planted):
    average = "folds" if "cv" in quick else "greedy"
    rows = [Row("w", quick), Row("w", {**quick, "average": average}), Row("w", quick)]
    memory = Memory()
    shared = [outcome(row, memory, *planted)[0] for row in rows]
    alone = [outcome(row, Memory(), *planted)[0] for row in rows]
    assert len(memory.paths) == 4 * (2 if "cv" in quick else 1)
    for ours, theirs in zip(shared, alone, strict=True):
        for name in ("accuracy", "validation_accuracy", "chosen"):
            assert ours[name] == theirs[name], name
        # Paths that were walked for another row are paid for, too.
        assert ours["cpu_fit"] > 0.3 * theirs["cpu_fit"]


def test_sizes_of_whole_graphs_are_covariates_of_rows_that_ask_for_them(planted):
    _, model = outcome(Row("w", QUICK, sized=True), Memory(), *planted)
    assert model.covariates_.own == ("covariate 0",)


def test_the_curve_shows_the_accuracy_of_smaller_models(planted):
    data, parts = planted
    record, model = outcome(Row("w", {**QUICK, "average": "greedy"}), Memory(), data, parts)
    whole, *smaller = curve(model.model_, data.graphs, data.y, parts, sizes=(5, 2))
    assert whole == [record["chosen"]["graphlets"], record["accuracy"]]
    assert [size for size, _ in smaller] == [5, 2]


def test_every_lever_compares_two_rows():
    for on, off in LEVERS.values():
        assert {on, off} <= set(ROWS)


def test_differences_are_paired():
    on = {("A", seed): {"accuracy": 0.5 + 0.1 * seed} for seed in range(4)}
    off = {("A", seed): {"accuracy": 0.4 + 0.1 * seed} for seed in range(1, 6)}
    text = difference(on, off, "A")
    assert text.startswith(spread(np.full(3, 0.1), "+"))
    assert difference(on, off, "B") == "-"


def test_mean_pooling_takes_the_mean_over_the_nodes_of_a_graph(planted):
    data, _ = planted
    model = LagraClassifier(maxpat=1, lambda_ratio=0.02).fit(data.graphs, data.y).model_
    pooled = node_means(model, data.graphs)
    rows = model.scaling.apply(data.graphs)
    for i in (0, 7):
        graph = rows[i]
        for j, graphlet in enumerate(model.scaled_graphlets):
            values = [
                np.exp(-model.rho * np.sum((x - graphlet.attributes[0]) ** 2))
                if label == graphlet.labels[0]
                else 0.0
                for label, x in zip(graph.labels, graph.attributes, strict=True)
            ]
            assert pooled[i, j] == pytest.approx(np.mean(values))
