"""Explanations held against what is known to be true: planted motifs, and the nitro group."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from aglets import Graphlet, LagraClassifier, agis, datasets

SEEDS = range(20)


def as_networkx(graphlet: Graphlet) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from((i, {"label": label}) for i, label in enumerate(graphlet.labels))
    graph.add_edges_from(graphlet.edges.tolist())
    return graph


def same_label(one: dict, other: dict) -> bool:
    return one["label"] == other["label"]


def is_isomorphic(one: Graphlet, other: Graphlet) -> bool:
    return nx.is_isomorphic(as_networkx(one), as_networkx(other), node_match=same_label)


def is_part(small: Graphlet, large: Graphlet) -> bool:
    match = nx.algorithms.isomorphism.GraphMatcher
    return match(as_networkx(large), as_networkx(small), same_label).subgraph_is_monomorphic()


def attribute_error(learned: Graphlet, truth: Graphlet) -> float:
    """The largest difference of an attribute, with the nodes in the order that fits best."""
    match = nx.algorithms.isomorphism.GraphMatcher(
        as_networkx(learned), as_networkx(truth), same_label
    )
    return min(
        max(np.abs(learned.attributes[i] - truth.attributes[j]).max() for i, j in pairs.items())
        for pairs in match.isomorphisms_iter()
    )


def pointed_at(clf, graphs, y, motif: Graphlet) -> tuple[float, float]:
    """Precision and recall of the nodes that explanations point at, in graphs with the motif."""
    graphs = graphs[y == 1]
    _, planted = agis(graphs, [motif], rho=1.0, return_embeddings=True)
    found = right = wanted = 0
    for why, [truth] in zip(clf.explain(graphs), planted, strict=True):
        weight = why.node_importance
        nodes = set(np.flatnonzero((weight > 0.5 * weight.max()) & (weight > 0)).tolist())
        found, wanted = found + len(nodes), wanted + len(truth)
        right += len(nodes & set(truth.tolist()))
    return right / max(found, 1), right / wanted


@pytest.mark.parametrize("seed", SEEDS)
def test_the_top_graphlet_is_the_planted_ring_with_its_attributes(seed):
    noise = 0.3
    graphs, y, [motif] = datasets.make_planted(
        200, motif_size=3, decoys=0.0, noise=noise, random_state=seed
    )
    clf = LagraClassifier(maxpat=3, rho=0.5, n_lambdas=30).fit(graphs, y)
    top = clf.explain_global().graphlets[0]
    assert top.speaks_for == 1
    assert is_isomorphic(top.graphlet, motif)
    assert attribute_error(top.graphlet, motif) < noise
    precision, recall = pointed_at(clf, graphs, y, motif)
    assert precision >= 0.95
    assert recall >= 0.95


@pytest.mark.parametrize("seed", SEEDS)
def test_the_planted_ring_is_found_among_decoys_with_other_attributes(seed):
    graphs, y, [motif] = datasets.make_planted(200, motif_size=3, noise=0.3, random_state=seed)
    clf = LagraClassifier(maxpat=4, rho=0.1, n_lambdas=30).fit(graphs, y)
    top = clf.explain_global().graphlets[0]
    assert top.speaks_for == 1
    assert is_isomorphic(top.graphlet, motif)
    precision, recall = pointed_at(clf, graphs, y, motif)
    assert precision >= 0.95
    assert recall >= 0.95


@pytest.mark.parametrize("seed", SEEDS)
def test_where_a_part_of_the_motif_tells_enough_that_part_is_found(seed):
    # With two informative attributes, two of the motif's four nodes separate the classes already,
    # and the penalty asks for the simplest model: recall of all four cannot be expected here.
    graphs, y, [motif] = datasets.make_planted(200, random_state=seed)
    clf = LagraClassifier(maxpat=4, rho=1.0, n_lambdas=30).fit(graphs, y)
    top = clf.explain_global().graphlets[0]
    assert is_part(top.graphlet, motif)
    precision, recall = pointed_at(clf, graphs, y, motif)
    assert precision >= 0.95
    assert recall >= 0.45


@pytest.mark.data
def test_a_top_graphlet_of_mutag_stands_for_the_nitro_group(load_tu):
    # Labels of MUTAG: C 0, N 1, O 2; bonds: aromatic 0, single 1, double 2.
    graphs, y = load_tu("MUTAG", edge_labels=True)
    nitro = Graphlet(labels=[1, 2, 2], edges=[(0, 1), (0, 2)], edge_labels=[1, 2])
    # Every molecule of both classes has a nitro group, so that the group by itself tells nothing:
    # what counts is where it sits. A graphlet that holds its nitrogen need not spell out both
    # oxygens, for with them it occurs in the same graphs.
    assert (agis(graphs, [nitro], rho=1.0) > 0).all()
    clf = LagraClassifier(maxpat=8).fit(graphs, y)
    top = [entry for entry in clf.explain_global().graphlets[:5] if entry.speaks_for == 1]
    same_graphs = []
    for entry in top:
        for node in np.flatnonzero(np.array(entry.graphlet.labels) == 1):
            pair = [bare(entry.graphlet), with_oxygens(entry.graphlet, int(node))]
            occurs = agis(graphs, pair, rho=1.0) > 0
            same_graphs.append(np.array_equal(occurs[:, 0], occurs[:, 1]))
    assert any(same_graphs)


def bare(graphlet: Graphlet) -> Graphlet:
    return Graphlet(labels=graphlet.labels, edges=graphlet.edges, edge_labels=graphlet.edge_labels)


def with_oxygens(graphlet: Graphlet, nitrogen: int) -> Graphlet:
    """Add those of the nitro group's two oxygens that the graphlet lacks."""
    bonds = zip(graphlet.edges.tolist(), graphlet.edge_labels, strict=True)
    there = {
        bond
        for (u, v), bond in bonds
        if nitrogen in (u, v) and graphlet.labels[u + v - nitrogen] == 2
    }
    missing = [bond for bond in (1, 2) if bond not in there]
    ends = [(nitrogen, graphlet.n_nodes + i) for i in range(len(missing))]
    return Graphlet(
        labels=[*graphlet.labels, *[2] * len(missing)],
        edges=[*graphlet.edges.tolist(), *ends],
        edge_labels=[*graphlet.edge_labels, *missing],
    )
