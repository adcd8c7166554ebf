"""Where graphlets start: at the mean of each label, or at several vectors per label by k-means.

One start per label is the paper's model. Where attributes say more than labels, a pattern of one
mean says little: with k starts per label the search begins from k kinds of each label, and finds
graphlets that no descent from the mean reaches. The search stays exact, for a start is a function
of the type (label and start), and the tree is mined over types.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import ThreadpoolController

from aglets import mining
from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats
from aglets.preprocessing.scaling import fit_scaling

__all__ = ["starting_vectors"]


#: Runs of k-means, of which the best counts. Attributes are learned: a good start is enough.
N_RUNS = 3


def starting_vectors(
    graphs: GraphSet, k: int = 1, sample_weight: Floats | None = None
) -> mining.Starts:
    """Find up to k starting vectors per label; labels with fewer different nodes get fewer.

    The result depends on the nodes alone, not on their order: nothing is drawn at random again.

    Parameters
    ----------
    graphs : GraphSet
        The training graphs, in scaled units.
    k : int
        1 takes the means of labels.
    sample_weight : ndarray of shape (n_graphs,), optional
        A graph of weight 2 counts as given twice.

    Examples
    --------
    >>> graphs = GraphSet.from_lists(
    ...     labels=["CCCO"], edges=[[(0, 1), (1, 2), (2, 3)]], attributes=[[[0], [1], [8], [3]]]
    ... )
    >>> starting_vectors(graphs, 2).type_starts.ravel()
    array([0.5, 8. , 3. ])
    """
    weighted = sample_weight is not None and not (sample_weight == 1.0).all()
    means = (
        _weighted_means(graphs, np.asarray(sample_weight))
        if weighted
        else mining.label_means(graphs)
    )
    if k == 1 or not graphs.n_attributes:
        return means
    weight = np.repeat(sample_weight if weighted else np.ones(len(graphs)), graphs.n_nodes)  # type: ignore[arg-type]
    labels: list[int] = []
    centres: list[Floats] = []
    for label, mean in zip(means.type_labels.tolist(), means.type_starts, strict=True):
        own = (graphs.labels == label) & (weight > 0.0)
        found = _centres(graphs.attributes[own], weight[own], k) if own.any() else mean[None]
        labels += [label] * len(found)
        centres.append(found)
    return replace(
        means,
        type_labels=np.array(labels, dtype=np.int32),
        type_starts=np.concatenate([means.type_starts[:0], *centres]),
    )


def _centres(rows: Floats, weight: Floats, k: int) -> Floats:
    """Cluster rows; sorted first, so that their order changes no bit."""
    order = np.lexsort((weight, *rows.T[::-1]))
    different, first = np.unique(rows[order], axis=0, return_index=True)
    total = np.add.reduceat(weight[order], first)
    if len(different) <= k:
        return different
    # Sums of several threads would round in whatever order they end.
    with _libraries().limit(limits=1), warnings.catch_warnings():
        # Rows that differ in their last digits alone are one cluster to k-means: fewer starts.
        warnings.simplefilter("ignore", ConvergenceWarning)
        means = KMeans(k, n_init=N_RUNS, random_state=0).fit(different, sample_weight=total)
    return np.unique(means.cluster_centers_, axis=0)


@cache
def _libraries() -> ThreadpoolController:
    """Find the libraries whose threads can be limited: that takes 10 ms, k-means often less."""
    return ThreadpoolController()


def _weighted_means(graphs: GraphSet, sample_weight: Floats) -> mining.Starts:
    """Start at label means in which a graph of weight 2 counts as given twice."""
    plain = mining.label_means(graphs)
    nodes = fit_scaling(graphs, "label", sample_weight).nodes
    edges = None
    if graphs.edge_labels is None and graphs.n_edge_attributes:
        edges = fit_scaling(graphs, "standard", sample_weight).edges
    elif graphs.n_edge_attributes:
        edges = fit_scaling(graphs, "label", sample_weight).edges
    return replace(
        plain,
        type_starts=plain.type_starts if nodes is None else nodes.shift[plain.type_labels],
        edge_starts=plain.edge_starts if edges is None else edges.shift[: len(plain.edge_starts)],
    )
