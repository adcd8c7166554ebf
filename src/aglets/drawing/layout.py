"""Where to draw nodes: the same graph always looks the same, and no two nodes overlap.

Distances in the picture follow distances in the graph (stress majorisation from a spectral start),
edges are about 1 long, and any two nodes are at least `MIN_DISTANCE` apart. Molecules are drawn by
`aglets.drawing.molecules` instead.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, shortest_path

__all__ = ["MIN_DISTANCE", "positions"]


MIN_DISTANCE = 0.7
_ROUNDS = 100


def positions(
    n_nodes: int,
    edges: npt.ArrayLike,
    *,
    at: npt.ArrayLike | None = None,
) -> npt.NDArray[np.float64]:
    """Place nodes in the plane.

    Parameters
    ----------
    n_nodes : int
    edges : array-like of shape (n_edges, 2)
    at : array-like of shape (n_nodes, 2), optional
        Where they are, in any unit, if that is known.

    Returns
    -------
    ndarray of shape (n_nodes, 2)
        In the unit of an edge's length, wider than high.

    Examples
    --------
    >>> positions(3, [(0, 1), (1, 2)]).round(2)[:, 0].tolist()
    [-1.0, 0.0, 1.0]
    """
    pairs = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    if n_nodes == 0:
        return np.zeros((0, 2))
    if at is not None:
        return _in_edge_lengths(np.asarray(at, dtype=np.float64), pairs)
    weights = np.ones(len(pairs))
    matrix = coo_array((weights, (pairs[:, 0], pairs[:, 1])), shape=(n_nodes, n_nodes)).tocsr()
    n_parts, part_of = connected_components(matrix, directed=False)
    parts = []
    for part in range(n_parts):
        nodes = np.flatnonzero(part_of == part)
        inside = np.isin(pairs, nodes).all(axis=1)
        local = np.searchsorted(nodes, pairs[inside])
        parts.append((nodes, _turned(_apart(_by_stress(len(nodes), local), local))))
    return _packed(n_nodes, parts)


def _in_edge_lengths(
    x: npt.NDArray[np.float64], pairs: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Centre places, and measure them by the typical edge, but keep them within a picture."""
    x = x - (x.max(axis=0) + x.min(axis=0)) / 2.0
    lengths = np.linalg.norm(x[pairs[:, 0]] - x[pairs[:, 1]], axis=1)
    reach = float(np.ptp(x, axis=0).max())
    unit = float(np.median(lengths)) if len(lengths) else reach
    return x / (max(unit, reach / 12.0) or 1.0)


def _by_stress(n: int, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Minimise sum_{i<j} (|x_i - x_j| - d_ij)² / d_ij² by majorisation."""
    if n == 1:
        return np.zeros((1, 2))
    ones = np.ones(len(pairs))
    graph = coo_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(n, n)).tocsr()
    wanted = shortest_path(graph, directed=False, unweighted=True)
    x = _spectral(wanted)
    weight = np.divide(1.0, wanted**2, out=np.zeros_like(wanted), where=wanted > 0.0)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    inverse = np.linalg.pinv(laplacian)
    target = weight * wanted
    for _ in range(_ROUNDS if n < 300 else 30):
        shape = np.hypot(x[:, None, 0] - x[:, 0], x[:, None, 1] - x[:, 1])
        ratio = target / np.maximum(shape, 1e-9)
        pull = ratio.sum(axis=1)[:, None] * x - ratio @ x
        moved, x = x, inverse @ pull
        if np.abs(moved - x).max() < 2e-3:
            break
    return x


def _spectral(wanted: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Start from classical scaling; a little of a spiral separates nodes that coincide there."""
    n = len(wanted)
    centre = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centre @ wanted**2 @ centre)
    start = vectors[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 0.0))
    # The sign of an eigenvector is an accident of the library.
    for column in start.T:
        column *= np.sign(column[np.abs(column).argmax()]) or 1.0
    angle = 2.399963 * np.arange(n)
    spiral = (
        np.column_stack([np.cos(angle), np.sin(angle)]) * np.sqrt(np.arange(1, n + 1) / n)[:, None]
    )
    return np.asarray(start + (0.05 if n > 3 else 0.0) * spiral)


def _apart(x: npt.NDArray[np.float64], pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Push nodes away from each other and from edges they do not belong to; grow if that fails."""
    n = len(x)
    if n < 2:
        return x
    x = x.copy()
    rows, columns = np.triu_indices(n, 1)
    for _ in range(25):
        moved = _push_nodes(x, rows, columns)
        if n <= 60:
            moved |= _push_off_edges(x, pairs)
        if not moved:
            break
    smallest = float(np.linalg.norm(x[rows] - x[columns], axis=1).min())
    if smallest < 1e-6:  # cannot be pushed apart: they lie on a circle instead
        angle = 2.0 * np.pi * np.arange(n) / n
        x = np.column_stack([np.cos(angle), np.sin(angle)])
        smallest = 2.0 * np.sin(np.pi / n)
    return x * max(1.0, MIN_DISTANCE / smallest)


def _push_nodes(
    x: npt.NDArray[np.float64], rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]
) -> bool:
    gap = x[rows] - x[columns]
    length = np.linalg.norm(gap, axis=1)
    close = length < 1.05 * MIN_DISTANCE
    if not close.any():
        return False
    gap, length = gap[close], length[close]
    gap[length < 1e-9] = (1e-3, 1e-3)
    length = np.maximum(length, 1e-3)
    push = 0.5 * (1.1 * MIN_DISTANCE - length)[:, None] * gap / length[:, None]
    np.add.at(x, rows[close], push)
    np.add.at(x, columns[close], -push)
    return True


def _push_off_edges(x: npt.NDArray[np.float64], pairs: npt.NDArray[np.int64]) -> bool:
    if not len(pairs):
        return False
    start, end = x[pairs[:, 0]], x[pairs[:, 1]]
    along = end - start
    squared = np.maximum((along**2).sum(axis=1), 1e-9)
    share = np.einsum("nek,ek->ne", x[:, None] - start[None], along) / squared
    foot = start[None] + np.clip(share, 0.0, 1.0)[..., None] * along[None]
    gap = x[:, None] - foot
    length = np.linalg.norm(gap, axis=2)
    length[pairs[:, 0], np.arange(len(pairs))] = np.inf
    length[pairs[:, 1], np.arange(len(pairs))] = np.inf
    nodes, crossed = np.nonzero(length < 0.4)
    for node, edge in zip(nodes, crossed, strict=True):
        away = gap[node, edge]
        if length[node, edge] < 1e-6:
            away = np.array([-along[edge, 1], along[edge, 0]])
        x[node] += 0.1 * away / max(float(np.linalg.norm(away)), 1e-9)
    return bool(len(nodes))


def _turned(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Centre it and turn its long side to the horizontal."""
    x = x - x.mean(axis=0)
    if len(x) < 2:
        return x
    axes = np.linalg.svd(x, full_matrices=False)[2]
    if axes.shape[0] < 2 or not np.isfinite(axes).all():
        return x
    x = x @ axes.T
    for column in x.T:
        # The first node that is off the axis is on its left or lower side.
        off = column[np.abs(column) > 1e-6]
        if len(off) and off[0] > 0.0:
            column *= -1.0
    x[np.abs(x) < 1e-9] = 0.0
    return np.asarray(x)


def _packed(
    n_nodes: int, parts: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]
) -> npt.NDArray[np.float64]:
    """Set components next to each other in rows, the largest first."""
    x = np.zeros((n_nodes, 2))
    sizes = [(np.ptp(placed, axis=0) + 1.0) for _, placed in parts]
    limit = max(max(size[0] for size in sizes), 1.4 * float(np.sqrt(sum(s.prod() for s in sizes))))
    left = top = height = 0.0
    for i in sorted(range(len(parts)), key=lambda i: (-len(parts[i][0]), i)):
        nodes, placed = parts[i]
        if left and left + sizes[i][0] > limit:
            left, top, height = 0.0, top - height, 0.0
        x[nodes] = placed - placed.min(axis=0) + (left, top - sizes[i][1])
        left += sizes[i][0]
        height = max(height, sizes[i][1])
    return np.asarray(x - (x.max(axis=0) + x.min(axis=0)) / 2.0) + 0.0  # no negative zeros
