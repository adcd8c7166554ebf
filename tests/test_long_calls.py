"""Long calls answer Ctrl-C, let other threads run, and keep to their budgets."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import aglets
from aglets import Graphlet, GraphSet, mining

ENDLESS = """
import numpy as np
import aglets
from aglets import Graphlet, GraphSet, mining

def complete(n):
    edges = [(u, v) for u in range(n) for v in range(u + 1, n)]
    return GraphSet.from_lists(labels=[["C"] * n], edges=[edges], attributes=[np.zeros((n, 1))])

def search(n_jobs):
    mining.Tree(complete(40), maxpat=12, n_jobs=n_jobs).search(np.ones(1), lam=0.0, rho=1e-3)

def largest(n_jobs):
    values = np.random.default_rng(0).normal(size=(40, 1))
    graphs = complete(40).with_attributes(values)
    mining.Tree(graphs[[0, 0]], maxpat=40).search(np.array([1.0, -1.0]), lam=0.0, rho=1e-6)

def count(n_jobs):
    mining.count(complete(40), maxpat=12, n_jobs=n_jobs)

def match(n_jobs):
    half = 8
    edges = [(u, half + v) for u in range(half) for v in range(half)]
    graphs = GraphSet.from_lists(labels=[["C"] * 16], edges=[edges], attributes=[np.zeros((16, 1))])
    tree = [((v - 1) // 2, v) for v in range(1, 15)]  # ten nodes on one side: does not fit
    small = Graphlet(labels=["C"] * 15, edges=tree, attributes=np.zeros((15, 1)))
    aglets.agis(graphs, [small] * 4, rho=1.0, n_jobs=n_jobs)

import sys
print("ready", flush=True)
try:
    globals()[sys.argv[1]](int(sys.argv[2]))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("call", ["search", "largest", "count", "match"])
def test_ctrl_c_is_answered_within_a_second(call, n_jobs):
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS, call, str(n_jobs)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.4)
        assert process.poll() is None, "the call ended too soon to be interrupted"
        start = time.perf_counter()
        process.send_signal(signal.SIGINT)
        try:
            assert process.stdout.readline() == "interrupted\n"
            assert time.perf_counter() - start < 1.0
        finally:
            process.kill()


def complete(n: int) -> GraphSet:
    edges = [(u, v) for u in range(n) for v in range(u + 1, n)]
    return GraphSet.from_lists(labels=[["C"] * n], edges=[edges], attributes=[np.zeros((n, 1))])


def test_other_threads_run_during_a_search():
    tree = mining.Tree(complete(40), maxpat=12, max_seconds=0.5)
    ticks = []
    done = threading.Event()

    def tick() -> None:
        while not done.wait(0.01):
            ticks.append(time.perf_counter())

    watcher = threading.Thread(target=tick)
    watcher.start()
    with pytest.raises(mining.BudgetError):
        tree.search(np.ones(1), lam=0.0, rho=1e-3)
    done.set()
    watcher.join()
    assert len(ticks) > 10


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_counting_keeps_to_its_time_and_says_how_far_it_came(n_jobs):
    start = time.perf_counter()
    found = mining.count(complete(40), maxpat=12, max_seconds=0.2, n_jobs=n_jobs)
    assert time.perf_counter() - start < 1.5
    assert not found.complete
    assert found.total >= 1


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_count_that_was_cut_is_a_lower_bound_for_every_size(n_jobs):
    graphs = complete(6)
    whole = mining.count(graphs, maxpat=6)
    assert whole.complete
    cut = [mining.count(graphs, maxpat=6, max_bytes=size, n_jobs=n_jobs) for size in (10**4, 10**5)]
    for found in cut:
        assert not found.complete
        for size, number in found.by_nodes_edges.items():
            assert 0 < number <= whole.by_nodes_edges[size]


def test_matching_keeps_to_its_time():
    tree = [((v - 1) // 2, v) for v in range(1, 15)]
    small = Graphlet(labels=["C"] * 15, edges=tree, attributes=np.zeros((15, 1)))
    # Ten nodes of the tree lie on one side, so it does not fit, and that is slow to find out.
    sides = [(u, 8 + v) for u in range(8) for v in range(8)]
    graphs = GraphSet.from_lists(labels=[["C"] * 16], edges=[sides], attributes=[np.zeros((16, 1))])
    start = time.perf_counter()
    with pytest.raises(mining.BudgetError, match="second"):
        aglets.agis(graphs, [small], rho=1.0, max_seconds=0.2)
    assert time.perf_counter() - start < 1.5
