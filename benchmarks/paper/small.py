"""The small rivals: what can be said of a graph without looking for structure, and labels alone.

Majority class, graph size, label counts, statistics of labels and attributes, and two kernels on
Weisfeiler-Lehman labels, which see no attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from aglets import GraphSet

from .protocol import Fitted, Ready, Split

COSTS = tuple(10.0**power for power in range(-3, 4))
MAX_ROUNDS = 5
Features = np.ndarray | sparse.csr_matrix
Candidates = Iterable[tuple[dict[str, Any], Features, Any]]


def majority(graphs: GraphSet, y: np.ndarray) -> Ready:
    """Predict the most frequent training class, whatever the graph."""

    def fit(parts: Split) -> Fitted:
        values, counts = np.unique(y[parts.train], return_counts=True)
        most = values[counts.argmax()]
        return Fitted(lambda rows: np.full(len(rows), most), np.mean(y[parts.validation] == most))

    return Ready(fit)


def size(graphs: GraphSet, y: np.ndarray) -> Ready:
    """Learn a small tree on the numbers of nodes and edges."""
    features = np.column_stack([graphs.n_nodes, graphs.n_edges])
    return by_validation(
        y,
        lambda seed: (
            ({"depth": depth}, features, DecisionTreeClassifier(max_depth=depth, random_state=seed))
            for depth in (1, 2, 3, 4)
        ),
    )


def label_counts(graphs: GraphSet, y: np.ndarray) -> Ready:
    """Learn logistic regression on how often each label occurs."""
    features = counts_of_labels(graphs)
    return by_validation(
        y,
        lambda seed: (
            (
                {"C": cost},
                features,
                make_pipeline(StandardScaler(), LogisticRegression(C=cost, max_iter=2000)),
            )
            for cost in COSTS
        ),
    )


def statistics_forest(graphs: GraphSet, y: np.ndarray) -> Ready:
    """Learn a random forest on counts of labels and label pairs and on moments of attributes."""
    features = statistics(graphs)
    return by_validation(
        y,
        lambda seed: (
            (
                {"leaf": leaf},
                features,
                RandomForestClassifier(200, min_samples_leaf=leaf, random_state=seed),
            )
            for leaf in (1, 3)
        ),
    )


def statistics_boosting(graphs: GraphSet, y: np.ndarray) -> Ready:
    """Learn an explainable boosting machine on what the forest sees, without and with pairs.

    Four bags instead of fourteen save most of its time; its other defaults stay.
    """
    # From the rivals' environment, and needed here only.
    from interpret.glassbox import ExplainableBoostingClassifier

    features = statistics(graphs)
    return by_validation(
        y,
        lambda seed: (
            (
                {"interactions": pairs},
                features,
                ExplainableBoostingClassifier(
                    interactions=pairs, outer_bags=4, random_state=seed, n_jobs=1
                ),
            )
            for pairs in (0, 10)
        ),
    )


def weisfeiler_lehman(graphs: GraphSet, y: np.ndarray) -> Ready:
    """Learn a linear support vector machine on counts of Weisfeiler-Lehman labels."""
    by_rounds = stacked(weisfeiler_lehman_counts(graphs))
    features = [normalised(counts) for counts in by_rounds]
    return by_validation(
        y,
        lambda seed: (
            ({"h": rounds, "C": cost}, features[rounds], LinearSVC(C=cost, random_state=seed))
            for rounds in range(MAX_ROUNDS + 1)
            for cost in COSTS
        ),
    )


def optimal_assignment(graphs: GraphSet, y: np.ndarray) -> Ready:
    """Learn a support vector machine on the Weisfeiler-Lehman optimal assignment kernel."""
    kernels = [cosine(kernel) for kernel in assignment_kernels(graphs)]
    return by_validation(
        y,
        lambda seed: (
            ({"h": rounds, "C": cost}, kernels[rounds], SVC(C=cost, kernel="precomputed"))
            for rounds in range(MAX_ROUNDS + 1)
            for cost in COSTS
        ),
    )


def by_validation(y: np.ndarray, candidates: Callable[[int], Candidates]) -> Ready:
    """Fit all candidates; take the first of those with the best validation accuracy."""

    def fit(parts: Split) -> Fitted:
        best: tuple[float, dict[str, Any], Any] | None = None
        for chosen, features, model in candidates(parts.seed):
            pick = columns(features, model, parts.train)
            model.fit(pick(parts.train), y[parts.train])
            accuracy = np.mean(model.predict(pick(parts.validation)) == y[parts.validation])
            if best is None or accuracy > best[0]:
                best = accuracy, chosen, lambda rows, m=model, p=pick: m.predict(p(rows))
        assert best is not None
        return Fitted(best[2], best[0], best[1])

    return Ready(fit)


def columns(features: Features, model: Any, train: np.ndarray) -> Callable[[np.ndarray], Features]:
    """Pick rows of features, or of a kernel matrix its values with the training graphs."""
    if getattr(model, "kernel", None) == "precomputed":
        return lambda rows: features[np.ix_(rows, train)]
    return lambda rows: features[rows]


def counts_of_labels(graphs: GraphSet) -> np.ndarray:
    """Count every label in every graph."""
    return _histogram(_graph_of_nodes(graphs), graphs.labels, len(graphs), len(graphs.vocabulary))


def statistics(graphs: GraphSet) -> np.ndarray:
    """Describe graphs by numbers that need no search for structure."""
    owners, n = _graph_of_nodes(graphs), len(graphs)
    n_labels = len(graphs.vocabulary)
    starts = np.repeat(graphs.node_offsets[:-1], graphs.n_edges)
    ends = graphs.edges + starts[:, None]
    degrees = np.bincount(ends.ravel(), minlength=len(owners)).clip(max=10)
    pair = np.sort(graphs.labels[ends], axis=1)
    edge_owners = np.repeat(np.arange(n), graphs.n_edges)
    parts = [
        np.column_stack([graphs.n_nodes, graphs.n_edges, graphs.n_edges - graphs.n_nodes]),
        counts_of_labels(graphs),
        _histogram(owners, degrees, n, 11),
        _histogram(edge_owners, pair[:, 0] * n_labels + pair[:, 1], n, n_labels**2),
    ]
    if graphs.n_attributes:
        parts += [_moments(graphs.attributes, owners, n, extremes=True)]
        own = owners * n_labels + graphs.labels
        parts += [_moments(graphs.attributes, own, n * n_labels).reshape(n, -1)]
    features = np.hstack(parts).astype(np.float64)
    return features[:, features.std(axis=0) > 0] if features.std() else features[:, :1]


def weisfeiler_lehman_counts(graphs: GraphSet) -> list[sparse.csr_matrix]:
    """Count refined labels after 0 to MAX_ROUNDS rounds, one sparse matrix per round."""
    owners = _graph_of_nodes(graphs)
    ends = graphs.edges + np.repeat(graphs.node_offsets[:-1], graphs.n_edges)[:, None]
    both = np.vstack([ends, ends[:, ::-1]])
    codes = np.asarray(graphs.labels, dtype=np.int64)
    counts = []
    for _ in range(MAX_ROUNDS + 1):
        ones = np.ones(len(codes))
        shape = (len(graphs), int(codes.max()) + 1)
        counts.append(sparse.csr_matrix((ones, (owners, codes)), shape=shape))
        order = np.lexsort((codes[both[:, 1]], both[:, 0]))
        around = np.split(
            codes[both[order, 1]], np.cumsum(np.bincount(both[:, 0], minlength=len(codes)))[:-1]
        )
        names: dict[tuple[int, bytes], int] = {}
        codes = np.array(
            [
                names.setdefault((own, near.tobytes()), len(names))
                for own, near in zip(codes, around, strict=True)
            ]
        )
    return counts


def assignment_kernels(graphs: GraphSet) -> list[np.ndarray]:
    """Sum the smaller counts of two graphs over all labels of rounds 0 to h, for every h."""
    total = np.zeros((len(graphs), len(graphs)))
    kernels = []
    for counts in weisfeiler_lehman_counts(graphs):
        total = total + shared_counts(counts)
        kernels.append(total)
    return kernels


def shared_counts(counts: sparse.csr_matrix) -> np.ndarray:
    """Sum min(a, b) over the columns for all pairs of rows: the number of k with k <= a, b."""
    rows = counts.tocsr()
    kernel = np.zeros((rows.shape[0], rows.shape[0]))
    level = 1
    while rows.nnz:
        reached = rows.copy()
        reached.data = (reached.data >= level).astype(np.float64)
        reached.eliminate_zeros()
        if not reached.nnz:
            break
        kernel += (reached @ reached.T).toarray()
        rows.data[rows.data < level] = 0
        rows.eliminate_zeros()
        level += 1
    return kernel


def stacked(counts: list[sparse.csr_matrix]) -> list[sparse.csr_matrix]:
    """Put the counts of rounds 0 to h side by side, for every h."""
    return [sparse.hstack(counts[: rounds + 1]).tocsr() for rounds in range(len(counts))]


def normalised(features: sparse.csr_matrix) -> sparse.csr_matrix:
    """Scale rows to length 1."""
    lengths = np.sqrt(features.multiply(features).sum(axis=1)).A1
    return sparse.diags(1 / np.maximum(lengths, 1e-12)) @ features


def cosine(kernel: np.ndarray) -> np.ndarray:
    """Scale a kernel so that every graph has length 1."""
    lengths = np.sqrt(np.maximum(kernel.diagonal(), 1e-300))
    return kernel / np.outer(lengths, lengths)


def _graph_of_nodes(graphs: GraphSet) -> np.ndarray:
    return np.repeat(np.arange(len(graphs)), graphs.n_nodes)


def _histogram(rows: np.ndarray, values: np.ndarray, n: int, width: int) -> np.ndarray:
    counts = np.zeros((n, width))
    np.add.at(counts, (rows, values), 1)
    return counts


def _moments(rows: np.ndarray, groups: np.ndarray, n: int, *, extremes: bool = False) -> np.ndarray:
    """Mean and deviation (and extremes) of each column in each group; 0 where it is empty."""
    number = np.maximum(np.bincount(groups, minlength=n), 1)[:, None]
    sums, squares = np.zeros((n, rows.shape[1])), np.zeros((n, rows.shape[1]))
    np.add.at(sums, groups, rows)
    np.add.at(squares, groups, rows**2)
    mean = sums / number
    parts = [mean, np.sqrt(np.maximum(squares / number - mean**2, 0))]
    if extremes:
        low, high = np.full_like(sums, np.inf), np.full_like(sums, -np.inf)
        np.minimum.at(low, groups, rows)
        np.maximum.at(high, groups, rows)
        parts += [np.where(np.isfinite(low), low, 0), np.where(np.isfinite(high), high, 0)]
    return np.hstack(parts)


METHODS = {
    "majority": majority,
    "size": size,
    "label-counts": label_counts,
    "statistics-forest": statistics_forest,
    "statistics-ebm": statistics_boosting,
    "wl-svm": weisfeiler_lehman,
    "wl-oa-svm": optimal_assignment,
}
