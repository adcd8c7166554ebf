"""The kernel matrices of benchmarks/paper are GraKeL's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from aglets import GraphSet

pytest.importorskip("grakel")
from paper import kernels

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    """Random graphs with three attributes; some have nodes apart, one is a single node."""
    rng = np.random.default_rng(0)
    sizes = [*rng.integers(4, 12, 10), 1]
    pairs = [rng.integers(0, n, (n + 2, 2)) for n in sizes]
    return GraphSet.from_lists(
        labels=[rng.choice(list("CNO"), n).tolist() for n in sizes],
        edges=[[(u, v) for u, v in one if u != v] for one in pairs],
        attributes=[rng.normal(size=(n, 3)) for n in sizes],
    )


def stock(kernel, graphs: GraphSet) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kernel.fit_transform(kernels.grakel_graphs(graphs, graphs.attributes))


def test_hopper_kernel_is_grakels(graphs):
    kernels.allow_isolated_nodes()
    graphs = graphs[graphs.n_nodes > 1]  # GraKeL fails on a graph of one node
    expected = stock(kernels.GraphHopper(), graphs)
    np.testing.assert_allclose(kernels.hopper_kernel(graphs, graphs.attributes), expected)


def test_propagation_kernel_is_grakels(graphs):
    expected = stock(kernels.PropagationAttr(random_state=0), graphs)
    np.testing.assert_allclose(kernels.propagation_kernel(graphs, graphs.attributes), expected)


def test_laplacian_kernel_is_grakels(graphs):
    from grakel.kernels import MultiscaleLaplacian

    expected = stock(MultiscaleLaplacian(random_state=0), graphs)
    found = kernels.laplacian_kernel(graphs, graphs.attributes)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_neighbours_vote_by_kernel_distance():
    points = np.array([*np.linspace(0, 1, 20), *np.linspace(5, 6, 20), 0.05, 5.05])[:, None]
    y = np.array([-1] * 20 + [1] * 20 + [-1, 1])
    parts = kernels.Split(0, np.arange(40), np.array([40]), np.array([41]))
    fitted = kernels.nearest_neighbours(y, points @ points.T)(parts)
    assert fitted.predict(np.array([40, 41])).tolist() == [-1, 1]
