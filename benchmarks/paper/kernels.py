"""The paper's kernels as GraKeL defines them: GraphHopper, Multiscale Laplacian, Propagation.

A matrix of all graphs is made once per data set and serves every split. GraKeL's own code is too
slow for that (its GraphHopper fills a table in four nested loops, its Multiscale Laplacian inverts
the Laplacian of every neighbourhood fifty times), so the same matrices are computed another way
here; tests hold them against GraKeL's. What GraphHopper costs in GraKeL is extrapolated from a
sample of graphs and of pairs.

The rows with k-NN take GraKeL's defaults on raw attributes, our guess of what the paper did. The
rows with a support vector machine choose among variants on validation.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _common import HERE, cpu_seconds
from grakel.kernels import GraphHopper, PropagationAttr, graph_hopper
from scipy import sparse
from scipy.sparse.csgraph import laplacian, shortest_path
from sklearn.svm import SVC

from aglets import GraphSet

from .protocol import Fitted, Ready, Split
from .small import COSTS, by_validation, cosine

NEIGHBOURS = tuple(range(1, 30, 2))
CACHE = HERE.parent / "build" / "paper-kernels"

#: GraKeL's defaults.
LEVELS, PROJECTIONS, SAMPLES, GAMMA, HETA = 3, 10, 50, 0.01, 0.01
WIDTH, STEPS = 4, 5


# Features of nodes


def raw(graphs: GraphSet) -> np.ndarray:
    """Take attributes as they are; without any, labels as one-hot."""
    return graphs.attributes if graphs.n_attributes else one_hot(graphs)


def one_hot(graphs: GraphSet) -> np.ndarray:
    return np.eye(len(graphs.vocabulary))[graphs.labels]


def labelled(graphs: GraphSet) -> np.ndarray:
    """Put labels as one-hot next to standardised attributes."""
    deviation = graphs.attributes.std(axis=0)
    scaled = (graphs.attributes - graphs.attributes.mean(axis=0)) / np.where(
        deviation, deviation, 1
    )
    return np.hstack([one_hot(graphs), scaled])


# GraphHopper


def hopper_kernel(graphs: GraphSet, features: np.ndarray) -> np.ndarray:
    """Compute the GraphHopper kernel with linear node kernel, which has finite features.

    Graph i has sum_v M_v ⊗ x_v; M_v[a, b] counts shortest paths of b steps with v as a-th node.
    """
    distances = [distances_of(graphs, i) for i in range(len(graphs))]
    width = 1 + max(int(d[np.isfinite(d)].max()) for d in distances)
    rows = np.empty((len(graphs), width * width * features.shape[1]))
    for i, distance in enumerate(distances):
        own = features[graphs.node_offsets[i] : graphs.node_offsets[i + 1]]
        rows[i] = (hops(distance, width).reshape(len(own), -1).T @ own).ravel()
    return rows @ rows.T


def distances_of(graphs: GraphSet, i: int) -> np.ndarray:
    """Numbers of steps between all nodes of a graph."""
    edges, n = graphs.edges[graphs.edge_offsets[i] : graphs.edge_offsets[i + 1]], graphs.n_nodes[i]
    ones = np.ones(len(edges))
    matrix = sparse.csr_matrix((ones, (edges[:, 0], edges[:, 1])), shape=(n, n))
    return shortest_path(matrix, directed=False, unweighted=True)


def hops(distance: np.ndarray, width: int) -> np.ndarray:
    """M[v, a, b]: the number of shortest paths of b steps that have v as a-th node."""
    n = len(distance)
    steps = np.where(np.isfinite(distance), distance, -1).astype(np.int64)
    adjacent = (steps == 1).astype(np.float64)
    paths, last = np.eye(n), np.eye(n)
    for length in range(1, int(steps.max()) + 1):
        last = (last @ adjacent) * (steps == length)
        paths += last
    table = np.zeros((n, width * width))
    for v in range(n):
        on_the_way = (steps == steps[:, v, None] + steps[None, v]) & (steps[:, v, None] >= 0)
        on_the_way &= steps[None, v] >= 0
        start, end = np.nonzero(on_the_way)
        cell = steps[start, v] * width + steps[start, end]
        weight = paths[start, v] * paths[v, end]
        table[v] = np.bincount(cell, weight, minlength=width * width)
    return table.reshape(n, width, width)


def stock_hopper_seconds(graphs: GraphSet, n_graphs: int, n_pairs: int) -> float:
    """Extrapolate CPU seconds of GraKeL's own GraphHopper from some graphs and some pairs."""
    allow_isolated_nodes()
    rng = np.random.default_rng(0)
    several = np.flatnonzero(graphs.n_nodes > 1)  # GraKeL fails on a graph of one node
    chosen = rng.choice(several, min(n_graphs, len(several)), replace=False)
    kernel = GraphHopper()
    kernel.initialize()
    widths = [distances_of(graphs, i) for i in range(len(graphs))]
    kernel._method_calling = 3  # keep the table as wide as for all graphs
    kernel._max_diam = 1 + max(int(d[np.isfinite(d)].max()) for d in widths)
    start = cpu_seconds()
    parsed = kernel.parse_input(grakel_graphs(graphs[chosen], raw(graphs[chosen])))
    parsing = cpu_seconds() - start
    start = cpu_seconds()
    for i, j in rng.integers(0, len(parsed), (n_pairs, 2)):
        kernel.pairwise_operation(parsed[i], parsed[j])
    pairing = (cpu_seconds() - start) / n_pairs
    # The table of a graph is filled once for every pair of its nodes.
    whole = np.sum(graphs.n_nodes.astype(float) ** 2) / np.sum(graphs.n_nodes[chosen] ** 2.0)
    return parsing * whole + pairing * len(graphs) * (len(graphs) + 1) / 2


class One:
    """A matrix of one 1 that can be assigned to a number."""

    shape = (1, 1)

    def __getitem__(self, index: tuple[int, int]) -> int:
        return 1

    def __int__(self) -> int:
        return 1


def allow_isolated_nodes() -> None:
    """Let GraKeL's GraphHopper take nodes without edges, which it squeezes to nothing."""
    original = graph_hopper.od_vectors_dag
    if getattr(original, "patched", False):
        return

    def od_vectors_dag(matrix: np.ndarray, steps: np.ndarray) -> tuple:
        if len(matrix) > 1:
            return original(matrix, steps)
        return One(), One()

    od_vectors_dag.patched = True  # type: ignore[attr-defined]
    graph_hopper.od_vectors_dag = od_vectors_dag


def grakel_graphs(graphs: GraphSet, features: np.ndarray) -> list[tuple]:
    """GraKeL's graphs with a vector on each node."""
    found = []
    for i in range(len(graphs)):
        start, end = graphs.node_offsets[i : i + 2]
        matrix = (distances_of(graphs, i) == 1).astype(int)
        found.append((matrix, {j: tuple(row) for j, row in enumerate(features[start:end])}))
    return found


# Propagation


def propagation_kernel(graphs: GraphSet, features: np.ndarray, width: float = WIDTH) -> np.ndarray:
    """Let GraKeL hash the nodes, and multiply the counts as matrices instead of pair by pair."""
    kernel = PropagationAttr(w=width, t_max=STEPS, random_state=0)
    kernel.initialize()
    kernel._method_calling = 1
    counts = kernel.parse_input(grakel_graphs(graphs, features))
    total = np.zeros((len(graphs), len(graphs)))
    for step in range(STEPS):
        rows = np.concatenate([np.full(len(one[step]), i) for i, one in enumerate(counts)])
        columns = np.concatenate([list(one[step]) for one in counts])
        values = np.concatenate([list(one[step].values()) for one in counts]).astype(float)
        matrix = sparse.csr_matrix((values, (rows, columns)))
        total += (matrix @ matrix.T).toarray()
    return total


# Multiscale Laplacian


def laplacian_kernel(graphs: GraphSet, features: np.ndarray, seed: int = 0) -> np.ndarray:
    """Compute the Multiscale Laplacian kernel (Kondor and Pan 2016, Algorithm 1) as GraKeL does.

    Every neighbourhood is a Gaussian, (inverse, log determinant) of S = U' (L + heta)^-1 U + gamma;
    its features on the next level are its likeness to a sample of them. Each level has
    twice the radius of the one before.
    """
    rng = np.random.RandomState(seed)  # GraKeL's draws
    distances = [distances_of(graphs, i) for i in range(len(graphs))]
    nodes = [(i, j) for i, n in enumerate(graphs.n_nodes) for j in range(n)]
    where = {node: row for row, node in enumerate(nodes)}
    order = list(nodes)
    n_samples = min(len(nodes), SAMPLES)

    rng.shuffle(order)
    sample = features[[where[node] for node in order[:n_samples]]]
    values, vectors = leading(sample @ sample.T)
    rows = features @ (vectors.T @ sample / np.sqrt(values)[:, None]).T
    for level in range(1, LEVELS + 1):
        rng.shuffle(order)
        inverses, logs = neighbourhoods(graphs, distances, rows, 2 ** (level - 1))
        chosen = [where[node] for node in order[:n_samples]]
        likeness = np.column_stack(
            [overlap(inverses, logs, inverses[one], logs[one]) for one in chosen]
        )
        values, vectors = leading(likeness[chosen])
        rows = likeness @ (vectors / np.sqrt(values))
    inverses, logs = neighbourhoods(graphs, distances, rows, None)
    return np.array([overlap(inverses, logs, inverses[i], logs[i]) for i in range(len(graphs))])


def leading(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Largest eigenvalues, those above zero, and their eigenvectors."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    kept = np.arange(len(values))[-PROJECTIONS:]
    kept = kept[values[kept] > 1e-6]
    return values[kept], vectors[:, kept]


def neighbourhoods(
    graphs: GraphSet, distances: list[np.ndarray], rows: np.ndarray, radius: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Gaussians of what lies within so many steps of each node, or of whole graphs."""
    gaussians = []
    for i, distance in enumerate(distances):
        own = rows[graphs.node_offsets[i] : graphs.node_offsets[i + 1]]
        adjacent = (distance == 1).astype(float)
        for near in [np.full(len(own), True)] if radius is None else distance <= radius:
            inner = laplacian(adjacent[np.ix_(near, near)]) + HETA * np.eye(near.sum())
            gaussians.append(own[near].T @ np.linalg.solve(inner, own[near]))
    stack = np.array(gaussians) + GAMMA * np.eye(rows.shape[1])
    return np.linalg.inv(stack), np.linalg.slogdet(stack)[1]


def overlap(inverses: np.ndarray, logs: np.ndarray, inverse: np.ndarray, log: float) -> np.ndarray:
    """Likeness of Gaussians to one of them."""
    exponents = (-np.linalg.slogdet(inverses + inverse)[1] - 0.5 * (logs + log)) / 2
    return np.where(exponents < -30, 0.0, np.exp(exponents))


# Classifiers


def nearest_neighbours(y: np.ndarray, kernel: np.ndarray) -> Callable[[Split], Fitted]:
    """Vote of the k nearest training graphs; k by validation accuracy."""
    diagonal = kernel.diagonal()
    squares = diagonal[:, None] - 2 * kernel + diagonal[None, :]

    def fit(parts: Split) -> Fitted:
        def votes(rows: np.ndarray) -> np.ndarray:
            nearest = np.argsort(squares[np.ix_(rows, parts.train)], axis=1, kind="stable")
            return np.cumsum(y[parts.train][nearest[:, : NEIGHBOURS[-1]]], axis=1)

        counted = votes(parts.validation)
        accuracies = [
            np.mean(np.sign(counted[:, k - 1]) == y[parts.validation]) for k in NEIGHBOURS
        ]
        k = NEIGHBOURS[int(np.argmax(accuracies))]
        return Fitted(lambda rows: np.sign(votes(rows)[:, k - 1]), max(accuracies), {"k": k})

    return fit


def vector_machine(y: np.ndarray, kernels: dict[str, np.ndarray]) -> Callable[[Split], Fitted]:
    """Choose a support vector machine on normalised kernels; variant and C by validation."""
    costs = COSTS if len(y) <= 600 else COSTS[2:6]
    scaled = {name: cosine(kernel) for name, kernel in kernels.items()}
    return by_validation(
        y,
        lambda seed: (
            ({"variant": name, "C": cost}, kernel, SVC(C=cost, kernel="precomputed"))
            for name, kernel in scaled.items()
            for cost in costs
        ),
    ).fit


Variants = dict[str, Callable[[GraphSet], np.ndarray]]
HOPPER: Variants = {
    "raw": lambda graphs: hopper_kernel(graphs, raw(graphs)),
    "labelled": lambda graphs: hopper_kernel(graphs, labelled(graphs)),
}
LAPLACIAN: Variants = {
    "raw": lambda graphs: laplacian_kernel(graphs, raw(graphs)),
    "labelled": lambda graphs: laplacian_kernel(graphs, labelled(graphs)),
}
PROPAGATION: Variants = {
    "raw, w 4": lambda graphs: propagation_kernel(graphs, raw(graphs)),
    "labelled, w 1": lambda graphs: propagation_kernel(graphs, labelled(graphs), 1.0),
    "labelled, w 0.1": lambda graphs: propagation_kernel(graphs, labelled(graphs), 0.1),
}


def with_neighbours(kind: str, variants: Variants) -> Callable[[GraphSet, np.ndarray], Ready]:
    """GraKeL's defaults with k-NN, as in the paper."""

    def prepare(graphs: GraphSet, y: np.ndarray) -> Ready:
        name, compute = next(iter(variants.items()))
        kernel, cpu = cached(f"{kind} {name}", graphs, compute)
        return Ready(nearest_neighbours(y, kernel), cpu)

    return prepare


def with_stock_hopper(n_graphs: int, n_pairs: int) -> Callable[[GraphSet, np.ndarray], Ready]:
    """Cost of the paper's strongest kernel in GraKeL itself; its accuracy is that of our copy."""

    def prepare(graphs: GraphSet, y: np.ndarray) -> Ready:
        kernel, _ = cached("hopper raw", graphs, HOPPER["raw"])
        cpu = stock_hopper_seconds(graphs, n_graphs, n_pairs)
        return Ready(nearest_neighbours(y, kernel), cpu, extrapolated=True)

    return prepare


def with_machine(kind: str, variants: Variants) -> Callable[[GraphSet, np.ndarray], Ready]:
    """Every variant with a support vector machine."""

    def prepare(graphs: GraphSet, y: np.ndarray) -> Ready:
        made = {
            name: cached(f"{kind} {name}", graphs, compute) for name, compute in variants.items()
        }
        kernels = {name: kernel for name, (kernel, _) in made.items()}
        return Ready(vector_machine(y, kernels), sum(cpu for _, cpu in made.values()))

    return prepare


def cached(
    name: str, graphs: GraphSet, compute: Callable[[GraphSet], np.ndarray]
) -> tuple[np.ndarray, float]:
    """Return a matrix and the CPU seconds it took, from disk if it was made before."""
    content = hashlib.sha256(Path(__file__).read_bytes())
    for column in (graphs.labels, graphs.edges, graphs.attributes, graphs.node_offsets):
        content.update(np.ascontiguousarray(column).tobytes())
    path = CACHE / f"{name} {content.hexdigest()[:16]}.npz".replace(" ", "-")
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        start = cpu_seconds()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kernel = compute(graphs)
        cpu = cpu_seconds() - start
        partial = path.with_suffix(".partial.npz")
        np.savez(partial, kernel=kernel, cpu=cpu)
        partial.replace(path)
    found = np.load(path)
    return found["kernel"], float(found["cpu"])


METHODS = {
    "gh-knn": with_neighbours("hopper", HOPPER),
    "gh-knn-stock": with_stock_hopper(12, 1000),
    "gh-svm": with_machine("hopper", HOPPER),
    "ml-knn": with_neighbours("laplacian", LAPLACIAN),
    "ml-svm": with_machine("laplacian", LAPLACIAN),
    "pa-knn": with_neighbours("propagation", PROPAGATION),
    "pa-svm": with_machine("propagation", PROPAGATION),
}
QUICK = {
    "gh-knn-stock": with_stock_hopper(2, 50),
    "ml-svm": with_machine("laplacian", {"raw": LAPLACIAN["raw"]}),
}
