"""The SYNTHETIC data of the GraphHopper paper, made afresh.

A. Feragen, N. Kasenburg, J. Petersen, M. de Bruijne, K. Borgwardt: Scalable kernels for graphs with
continuous attributes. NeurIPS 2013. The copy in the TU collection has all edges in their original
place; here they are rewired as the paper says.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aglets.graphs import GraphSet

__all__ = ["make_synthetic"]


def make_synthetic(
    n_graphs: int = 300,
    *,
    n_nodes: int = 100,
    n_edges: int = 196,
    rewired: tuple[int, int] = (5, 10),
    permuted: tuple[int, int] = (10, 5),
    noise: float = 0.45,
    random_state: int | np.random.Generator | None = None,
) -> tuple[GraphSet, npt.NDArray[np.int64]]:
    """Make two classes of variations of one random graph with one attribute.

    Every graph is a copy of the same random graph, whose nodes have attributes from N(0, 1) and
    are labelled by their degree in it. Graphs of class 0 have `rewired[0]` edges moved and the
    attributes of `permuted[0]` nodes permuted, graphs of class 1 likewise; then all attributes get
    normal noise.

    Parameters
    ----------
    n_graphs : int
        Half of them are of class 0.
    n_nodes, n_edges : int
        Size of the graph.
    rewired, permuted : (int, int)
        How many edges are moved and attributes permuted in class 0 and class 1.
    noise : float
        Standard deviation of the noise.
    random_state : int, Generator or None
        The same number gives the same data.

    Returns
    -------
    graphs : GraphSet
    y : ndarray of shape (n_graphs,)
        0 or 1, in random order.

    Examples
    --------
    >>> graphs, y = make_synthetic(10, random_state=0)
    >>> graphs.n_nodes[0], graphs.n_edges[0], int(y.sum())
    (np.int64(100), np.int64(196), 5)
    """
    n_pairs = n_nodes * (n_nodes - 1) // 2
    if n_nodes < 1 or not 0 <= n_edges <= n_pairs:
        raise ValueError(
            f"Expected at most {max(n_pairs, 0)} edges between {n_nodes} nodes, got {n_edges}."
        )
    if max(rewired) > min(n_edges, n_pairs - n_edges) or max(permuted) > n_nodes:
        raise ValueError(
            f"Expected to move at most {min(n_edges, n_pairs - n_edges)} edges and to permute at "
            f"most {n_nodes} attributes, got {rewired} and {permuted}."
        )
    rng = np.random.default_rng(random_state)
    upper = np.column_stack(np.triu_indices(n_nodes, 1))
    chosen = rng.permutation(n_pairs)
    base, free = chosen[:n_edges], chosen[n_edges:]
    degree = np.bincount(upper[base].ravel(), minlength=n_nodes).tolist()
    attributes = rng.normal(size=(n_nodes, 1))

    y = rng.permutation(np.arange(n_graphs) % 2).astype(np.int64)
    edges, rows = [], []
    for target in y:
        moved = rng.permutation(n_edges)[: rewired[target]]
        pairs = base.copy()
        pairs[moved] = rng.permutation(free)[: rewired[target]]
        edges.append(upper[pairs])
        nodes = rng.permutation(n_nodes)[: permuted[target]]
        values = attributes.copy()
        values[nodes] = attributes[rng.permutation(nodes)]
        rows.append(values + noise * rng.normal(size=values.shape))
    graphs = GraphSet.from_lists(labels=[degree] * n_graphs, edges=edges, attributes=rows)
    return graphs, y
