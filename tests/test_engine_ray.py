"""Shards in processes of Ray: the model of one process, whoever is killed.

Ray is large and starts slowly, so these tests are not part of ``make test``; ``.ci/run`` installs
it and sets AGLETS_REQUIRE_RAY=1, which forbids to skip them. Recovery in all its cases is tested in
test_crew.py without Ray.
"""

from __future__ import annotations

import os
import pickle
import signal
import time
import warnings
from functools import cache

import numpy as np
import pytest
from path_tools import random_set, targets
from sklearn.base import clone

from aglets import LagraClassifier, LagraRegressor, RayEngine, ShardedEngine
from aglets.model.losses import SquaredHinge
from aglets.training.checkpoint import Checkpoint, fingerprint
from aglets.training.engine.crew import ShardLostError
from aglets.training.engine.ray import N_PIECES, RayLink
from aglets.training.fitting import FitCallback

os.environ["RAY_AUTH_MODE"] = "disabled"  # else Ray writes a token to the home folder
if os.environ.get("AGLETS_REQUIRE_RAY") == "1":
    import ray
else:
    ray = pytest.importorskip("ray", reason="needs Ray: pip install 'aglets[ray]'")

OPTIONS = {"maxpat": 3, "lambda_ratio": 0.3, "n_lambdas": 5, "calibration": None}
QUIET = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A Ray that is running before any fit, with more CPUs than there are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray.init(num_cpus=12, **QUIET)
    yield
    ray.shutdown()


@pytest.fixture(scope="module", params=[1, 2, 3, 7])
def engine(cluster, request):
    """So many workers, which stay for all fits: starting them takes longer than a fit."""
    engine = RayEngine(request.param)
    with engine.session():
        yield engine


@pytest.fixture(scope="module")
def pair(cluster):
    """Two workers that stay for all fits, and may be lost many times."""
    engine = RayEngine(2, max_restarts=100)
    with engine.session():
        yield engine


def small() -> tuple:
    graphs = random_set(30, seed=1)
    return graphs, targets(graphs, SquaredHinge(), 1)


def bits(model) -> list:
    parts = [np.asarray(model.coef_).tobytes(), np.asarray(model.intercept_).tobytes()]
    return parts + [(h.labels, h.edges.tolist(), h.attributes.tobytes()) for h in model.graphlets_]


def workers_of(training_set) -> list:
    return training_set.placement.parts[0].crew._link._places


def killed(place, how=signal.SIGKILL) -> None:
    os.kill(place.pid, how)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


#: name -> (estimator, its parameters, every how many graphs); public data, as the paper reads them.
CASES = {
    "BZR": (LagraClassifier, {}, 4),
    "AIDS": (LagraClassifier, {}, 12),
    "ENZYMES, counts": (LagraClassifier, {"maxpat": 2, "pooling": ("best", "sum", "mean")}, 6),
    "FreeSolv": (LagraRegressor, {}, 6),
}


@pytest.fixture(scope="module")
def fitted(load_tu, data_folder):
    """Fit a case with some engine."""
    from aglets.io.files import ReadOptions, read_file

    def load(name: str) -> tuple:
        if name == "FreeSolv":
            reading = ReadOptions(target="expt", smiles="smiles")
            return read_file(next((data_folder / "FreeSolv").glob("*.csv")), reading)
        return load_tu(name.split(",")[0])

    def fit(name: str, engine):
        make, options, step = CASES[name]
        graphs, y = load(name)
        return make(engine=engine, **{**OPTIONS, **options}).fit(graphs[::step], y[::step])

    return cache(fit)


@pytest.mark.data
@pytest.mark.parametrize("name", CASES)
def test_any_number_of_shards_gives_the_same_bits(engine, fitted, name):
    expected, found = fitted(name, ShardedEngine(N_PIECES)), fitted(name, engine)
    assert expected.graphlets_
    assert bits(found) == bits(expected)
    assert found.objective_ == expected.objective_


@pytest.mark.data
@pytest.mark.parametrize("name", CASES)
def test_one_piece_gives_the_same_model_but_for_rounding(fitted, name):
    expected, alone = fitted(name, ShardedEngine(N_PIECES)), fitted(name, None)
    assert [(h.labels, h.edges.tolist()) for h in alone.graphlets_] == [
        (h.labels, h.edges.tolist()) for h in expected.graphlets_
    ]
    assert expected.objective_ == pytest.approx(alone.objective_, rel=1e-9)
    np.testing.assert_allclose(expected.coef_, alone.coef_, rtol=1e-5, atol=1e-7)


class KillOnce(FitCallback):
    """Kills one worker, or several, after some lambdas."""

    def __init__(self, at: dict[int, int]) -> None:
        self.at = dict(at)

    def step(self, task, training_set, paths):
        worker = self.at.pop(len(paths[0]), None)
        if worker is not None:
            killed(workers_of(training_set)[worker])


def test_a_killed_shard_is_replaced_and_the_model_is_the_same(pair):
    graphs, y = small()
    expected = LagraClassifier(engine=ShardedEngine(N_PIECES), **OPTIONS).fit(graphs, y)
    model = LagraClassifier(engine=pair, **OPTIONS)
    with pytest.warns(RuntimeWarning, match=r"Shard [12] of 2 \(process \d+ on .*\) was lost"):
        model.fit(graphs, y, callback=KillOnce({2: 0, 3: 1, 4: 0}))
    assert bits(model) == bits(expected)


@pytest.mark.parametrize("method", [b"label_sums", b"signed_sums", b"z_gradient", b"quadratic"])
def test_a_shard_killed_in_the_middle_of_its_work_is_replaced(pair, method, monkeypatch):
    """While it loads, in mid-search, in mid-learning: killed when the message is on its way."""
    graphs, y = small()
    expected = LagraClassifier(engine=ShardedEngine(N_PIECES), **OPTIONS).fit(graphs, y)
    exchange, left = RayLink.exchange, [2]

    def kill_with_the_message(link, messages):
        if left[0] and any(method in message for message in messages.values()):
            left[0] -= 1
            for worker in messages:
                link._find(worker)
            killed(link._places[left[0] % 2])
        return exchange(link, messages)

    monkeypatch.setattr(RayLink, "exchange", kill_with_the_message)
    model = LagraClassifier(engine=pair, **OPTIONS)
    with pytest.warns(RuntimeWarning, match="another takes its place"):
        model.fit(graphs, y)
    assert left == [0]
    assert bits(model) == bits(expected)


class StopOnce(FitCallback):
    done = False

    def step(self, task, training_set, paths):
        if not self.done:
            self.done = True
            killed(workers_of(training_set)[1], signal.SIGSTOP)


def test_a_shard_that_hangs_is_named_and_replaced(cluster):
    graphs, y = small()
    expected = LagraClassifier(engine=ShardedEngine(N_PIECES), **OPTIONS).fit(graphs, y)
    model = LagraClassifier(engine=RayEngine(2, timeout=5.0), **OPTIONS)
    said = r"Shard 2 of 2 \(process \d+ on .*\) did not answer within timeout=5 seconds"
    with pytest.warns(RuntimeWarning, match=said):
        model.fit(graphs, y, callback=StopOnce())
    assert bits(model) == bits(expected)


def test_too_many_losses_end_the_fit_with_a_sentence_and_a_checkpoint(cluster, tmp_path):
    graphs, y = small()
    engine = RayEngine(2, max_restarts=0)
    expected = LagraClassifier(engine=ShardedEngine(N_PIECES), **OPTIONS).fit(graphs, y)

    class Killing(Checkpoint):
        def step(self, task, training_set, paths):
            if len(paths[0]) == 4:
                killed(workers_of(training_set)[0])
                time.sleep(0.5)

    said = r"Shard 1 of 2 \(process \d+ on .*\) was lost .*max_restarts=0.*checkpoint"
    with Killing(tmp_path / "fit", "key", every=0.0) as kept:  # noqa: SIM117
        with pytest.raises(ShardLostError, match=said):
            LagraClassifier(engine=engine, **OPTIONS).fit(graphs, y, callback=kept)
    # Another number of shards goes on from there.
    with Checkpoint(tmp_path / "fit", "key", resume=True) as kept:
        assert kept.n_paths == 0
        seen = []
        kept.snapshot = lambda task, training_set, resumes: seen.append(len(resumes[0].points))
        model = LagraClassifier(engine=RayEngine(3), **OPTIONS).fit(graphs, y, callback=kept)
    assert min(seen) >= 3
    assert bits(model) == bits(expected)


def test_the_number_of_shards_is_not_part_of_a_fit():
    graphs, y = small()
    keys = [
        fingerprint(graphs, y, LagraClassifier(engine=engine).get_params())
        for engine in (
            RayEngine(2),
            RayEngine(5, timeout=9.0),
            ShardedEngine(8),
            RayEngine(9),
            None,
        )
    ]
    assert keys[0] == keys[1] == keys[2]
    assert len(set(keys)) == 3


def test_a_running_ray_is_used_and_left_running(cluster):
    graphs, y = small()
    LagraClassifier(engine=RayEngine(1), **OPTIONS).fit(graphs, y)
    assert ray.is_initialized()


def test_too_few_cpus_are_said_so(cluster):
    graphs, y = small()
    with pytest.raises(ValueError, match=r"with 20 CPUs for n_shards=4 and cpus_per_shard=5"):
        LagraClassifier(engine=RayEngine(4, cpus_per_shard=5), **OPTIONS).fit(graphs, y)


def test_an_engine_is_a_parameter_like_any_other():
    model = LagraClassifier(engine=RayEngine(n_shards=3))
    assert clone(model).engine == RayEngine(3)
    assert pickle.loads(pickle.dumps(model)).engine == RayEngine(3)


@pytest.mark.parametrize(
    ("parameters", "error", "said"),
    [
        ({"n_shards": 0}, ValueError, "'n_shards' parameter of RayEngine must be an int"),
        ({"n_shards": 2.5}, TypeError, "'n_shards' parameter of RayEngine must be an int"),
        ({"max_restarts": -1}, ValueError, "'max_restarts' parameter of RayEngine must be"),
        ({"timeout": 0}, ValueError, "'timeout' parameter of RayEngine must be a number"),
    ],
)
def test_bad_parameters_are_refused(parameters, error, said):
    with pytest.raises(error, match=said):
        RayEngine(**parameters)


def test_a_ray_of_its_own_is_started_and_stopped():
    """Comes last: the cluster of the others is gone by then."""
    ray.shutdown()
    graphs, y = small()
    expected = LagraClassifier(engine=ShardedEngine(N_PIECES), **OPTIONS).fit(graphs, y)
    model = LagraClassifier(engine=RayEngine(2), **OPTIONS).fit(graphs, y)
    assert bits(model) == bits(expected)
    assert not ray.is_initialized()


def test_an_address_without_a_cluster_is_said_so():
    graphs, y = small()
    engine = RayEngine(1, address="127.0.0.1:1")
    with pytest.raises(ConnectionError, match="Expected a Ray cluster at address='127.0.0.1:1'"):
        LagraClassifier(engine=engine, **OPTIONS).fit(graphs, y)


class LoseMachine(FitCallback):
    """Another machine comes, and one that is in use ends, after the second lambda."""

    def __init__(self, machines, lost) -> None:
        self.machines, self.lost = machines, lost

    def step(self, task, training_set, paths):
        if len(paths[0]) == 2:
            pids = [place.pid for place in workers_of(training_set)]
            self.machines.add_node(num_cpus=1)
            self.machines.remove_node(self.lost, allow_graceful=False)
            # A worker notices only after a while that its machine is gone; the fit may end before.
            until = time.monotonic() + 60.0
            while all(map(is_running, pids)) and time.monotonic() < until:
                time.sleep(0.05)


def test_a_machine_that_is_lost_costs_nothing_but_time():
    """Two raylets on this machine, with a CPU for one worker each; one ends in mid-fit."""
    from ray.cluster_utils import Cluster

    ray.shutdown()
    graphs, y = small()
    expected = LagraClassifier(engine=ShardedEngine(N_PIECES), **OPTIONS).fit(graphs, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machines = Cluster(True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        second = machines.add_node(num_cpus=1)
    model = LagraClassifier(engine=RayEngine(2, address=machines.address), **OPTIONS)
    try:
        with pytest.warns(RuntimeWarning, match="another takes its place"):
            model.fit(graphs, y, callback=LoseMachine(machines, second))
    finally:
        ray.shutdown()
        machines.shutdown()
    assert bits(model) == bits(expected)
