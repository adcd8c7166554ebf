"""Finished paths on disk: whole, equal, and never of another fit."""

from __future__ import annotations

import errno
import json
import os
import socket
import subprocess
import sys
import warnings
from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest

from aglets import LagraClassifier, LagraClassifierCV, datasets
from aglets.mining import Tree
from aglets.training.checkpoint import (
    Checkpoint,
    fingerprint,
    read_growth,
    read_paths,
    write_paths,
)
from aglets.training.fitting import FitCallback, Task


class Recorder(FitCallback):
    def __init__(self):
        self.paths = {}
        self.steps = []

    def step(self, task, prepared, paths):
        self.steps.append((task, [len(path) for path in paths]))

    def end(self, task, paths):
        self.paths[task] = [list(path) for path in paths]


@pytest.fixture(scope="module")
def fitted():
    graphs, y, _ = datasets.make_planted(60, random_state=1)
    y = np.array(["a", "b", "c"])[np.where(np.arange(60) % 5 == 0, 2, (y + 1) // 2)]
    model = LagraClassifierCV(starts=1, rhos=(0.5, 0.1), maxpats=(3,), n_lambdas=8, random_state=0)
    recorder = Recorder()
    return model.fit(graphs, y, callback=recorder), recorder, graphs, y


def equal(one, two) -> bool:
    for field in fields(one):
        a, b = getattr(one, field.name), getattr(two, field.name)
        if field.name == "patterns":
            pairs = [(p, q) for x, y in zip(a, b, strict=True) for p, q in zip(x, y, strict=True)]
            if not all(np.array_equal(p, q) and p.shape == q.shape for p, q in pairs):
                return False
        elif isinstance(a, np.ndarray):
            if not np.array_equal(a, b):
                return False
        elif a != b or type(a) is not type(b):
            return False
    return True


def saved(estimator, folder) -> bytes:
    """The bytes of the model's file."""
    path = folder / "saved.aglets"
    estimator.model_.save(path)
    return path.read_bytes()


def test_paths_are_read_as_they_were_written(fitted, tmp_path):
    _, recorder, _, _ = fitted
    # Two rhos held out, the better one with two other channels, and the fit on all graphs.
    assert len(recorder.paths) == 5
    for paths in recorder.paths.values():
        write_paths(tmp_path / "p.npz", paths)
        again = read_paths(tmp_path / "p.npz")
        assert len(again) == len(paths) == 3
        for one, two in zip(paths, again, strict=True):
            assert len(one) == len(two)
            assert all(equal(a, b) for a, b in zip(one, two, strict=True))
    write_paths(tmp_path / "empty.npz", [[], []])
    assert read_paths(tmp_path / "empty.npz") == [[], []]


def test_a_callback_sees_every_lambda_of_all_outputs_side_by_side(fitted):
    _, recorder, _, _ = fitted
    first = [lengths for task, lengths in recorder.steps if task == Task("holdout", 0.5, 3)]
    assert first == [[k, k, k] for k in range(1, 9)]


def test_a_resumed_fit_is_the_same(fitted, tmp_path):
    model, recorder, graphs, y = fitted
    other = LagraClassifierCV(**model.get_params())
    key = fingerprint(graphs, y, other.get_params())
    done = Task("holdout", 0.5, 3)
    with Checkpoint(tmp_path / "kept", key) as half:
        half.end(done, recorder.paths[done])
    again = Checkpoint(tmp_path / "kept", key, resume=True)
    assert again.n_paths == 1
    other.fit(graphs, y, callback=again)
    assert other.graphlets_ == model.graphlets_
    assert np.array_equal(other.intercept_, model.intercept_)
    again.delete()
    assert not (tmp_path / "kept").exists()


def test_the_fingerprint_distinguishes_fits(fitted):
    model, _, graphs, y = fitted
    options = model.get_params()
    key = fingerprint(graphs, y, options)
    assert fingerprint(graphs, y, {**options, "n_jobs": 2}) == key
    assert fingerprint(graphs, y, {**options, "tol": 0.5}) != key
    assert fingerprint(graphs[::-1], y, options) != key
    assert fingerprint(graphs, y[::-1], options) != key
    moved = graphs.with_attributes(graphs.attributes + 1)
    assert fingerprint(moved, y, options) != key


def test_a_checkpoint_that_does_not_fit_is_refused(fitted, tmp_path):
    Checkpoint(tmp_path / "kept", "one").close()
    with pytest.raises(ValueError, match="belongs to a fit of other graphs, targets or options"):
        Checkpoint(tmp_path / "kept", "two", resume=True)
    assert Checkpoint(tmp_path / "kept", "two").n_paths == 0  # without resume it is replaced
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("do not delete")
    with pytest.raises(ValueError, match="holds something else"):
        Checkpoint(tmp_path / "mine", "key")
    assert (tmp_path / "mine" / "thesis.tex").exists()


def test_a_damaged_file_is_named(tmp_path):
    kept = Checkpoint(tmp_path / "kept", "key")
    path = kept._path(Task("holdout", 0.5, 3))
    path.write_bytes(b"PK torn")
    with pytest.raises(ValueError, match="cannot be read .*; delete it, and its path will be walk"):
        kept.begin(Task("holdout", 0.5, 3), None)


NUMBERS = np.array([0, 10, 5])


@pytest.mark.parametrize(
    "columns",
    [
        {"growth": np.zeros((3, 2)), "growth_numbers": NUMBERS},
        {"growth": np.zeros(6, np.int32), "growth_numbers": NUMBERS},
        {"growth": np.zeros((3, 3), np.int32), "growth_numbers": NUMBERS},
        {"growth": np.zeros((3, 2), np.int32), "growth_numbers": NUMBERS[:2]},
        {"growth": np.zeros((3, 2), np.int32)},
    ],
)
def test_damaged_growth_is_named(columns, tmp_path):
    path = tmp_path / "torn.npz"
    np.savez(path, **columns)
    with pytest.raises(ValueError, match=r"torn\.npz of a checkpoint, but it cannot be read"):
        read_growth(path)


def test_growth_of_another_tree_is_refused_in_a_sentence():
    graphs, _, _ = datasets.make_planted(10, random_state=1)
    tree = Tree(graphs, maxpat=2)
    wrong = replace(tree.growth, counts=np.zeros((1, 2), dtype=np.int32))
    with pytest.raises(ValueError, match="Expected the growth of a tree of the same graphs"):
        tree.grow_as(wrong)


class KilledError(Exception):
    pass


class Killed(Checkpoint):
    """A checkpoint whose process dies after some lambdas."""

    def __init__(self, *args, after, **options):
        super().__init__(*args, **options)
        self.left = after

    def snapshot(self, task, prepared, resumes):
        super().snapshot(task, prepared, resumes)
        self.left -= 1
        if self.left < 0:
            raise KilledError


CASES = {
    "two maxpats": {"maxpats": (2, 4), "average": "greedy"},
    "the paper's solver": {"solver": "paper", "max_epochs": 5},
    "starts": {"starts": {3: (2,)}},
    "covariates": {"covariates": "size", "covariate_penalty": 1.0},
}


@cache
def in_one_piece(case):
    graphs, y, _ = datasets.make_planted(40, random_state=1)
    y = np.array(["a", "b", "c"])[np.where(np.arange(40) % 5 == 0, 2, (y + 1) // 2)]
    options = {"starts": 1, "rhos": (0.3,), "maxpats": (3,), "n_lambdas": 8, "random_state": 0}
    options |= CASES[case]
    whole, recorder = LagraClassifierCV(**options), Recorder()
    return graphs, y, options, whole.fit(graphs, y, callback=recorder), recorder


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("after", [0, 3, 6])
def test_a_fit_killed_within_a_path_goes_on_to_the_same_model(case, after, tmp_path):
    graphs, y, options, whole, recorder = in_one_piece(case)
    killed = Killed(tmp_path / "kept", "key", every=0.0, after=after)
    with killed, pytest.raises(KilledError):
        LagraClassifierCV(**options).fit(graphs, y, callback=killed)
    assert list((tmp_path / "kept").glob("*.part"))
    again = Killed(tmp_path / "kept", "key", resume=True, after=len(recorder.steps) - after)
    resumed = LagraClassifierCV(**options).fit(graphs, y, callback=again)
    assert resumed.graphlets_ == whole.graphlets_
    assert np.array_equal(resumed.coef_, whole.coef_)
    assert np.array_equal(resumed.intercept_, whole.intercept_)
    assert saved(resumed, tmp_path) == saved(whole, tmp_path)
    assert not list((tmp_path / "kept").glob("*.part"))


def test_a_path_under_way_is_not_written_more_often_than_pays(tmp_path):
    graphs, y, _ = datasets.make_planted(40, random_state=1)
    options = {"starts": 1, "rhos": (0.3,), "maxpats": (2,), "n_lambdas": 8, "random_state": 0}
    kept = Killed(tmp_path / "kept", "key", every=1e6, after=5)
    with pytest.raises(KilledError):
        LagraClassifierCV(**options).fit(graphs, y, callback=kept)
    assert not list((tmp_path / "kept").glob("*.part"))


@pytest.mark.parametrize("after", [2, 5])
def test_a_fit_that_is_interrupted_keeps_every_lambda(after, tmp_path):
    graphs, y, _ = datasets.make_planted(40, random_state=1)
    options = {"starts": 1, "rhos": (0.3,), "maxpats": (2,), "n_lambdas": 8, "random_state": 0}
    whole, recorder = LagraClassifierCV(**options), Recorder()
    whole.fit(graphs, y, callback=recorder)
    stopped = Killed(tmp_path / "kept", "key", every=1e6, after=after)
    with stopped, pytest.raises(KilledError):
        LagraClassifierCV(**options).fit(graphs, y, callback=stopped)
    # Were a lambda walked again, this one would end the fit.
    again = Killed(tmp_path / "kept", "key", resume=True, after=len(recorder.steps) - after)
    with again:
        resumed = LagraClassifierCV(**options).fit(graphs, y, callback=again)
    assert resumed.graphlets_ == whole.graphlets_
    assert np.array_equal(resumed.intercept_, whole.intercept_)
    assert saved(resumed, tmp_path) == saved(whole, tmp_path)


#: Enough at once; sizes upwards to the one asked for, and not so far.
@pytest.mark.parametrize("max_work", [None, 160_000, 20_000])
@pytest.mark.parametrize("pooling", [("best",), ("best", "sum")])
def test_work_after_an_interruption_is_that_of_a_fit_in_one_piece(max_work, pooling, tmp_path):
    graphs, y, _ = datasets.make_planted(30, random_state=2)
    options = {"maxpat": 4, "n_lambdas": 5, "lambda_ratio": 0.2, "rho": 0.3, "pooling": pooling}
    options |= {"max_work": max_work, "calibration": None, "max_epochs": 20}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # what was cut
        whole, recorder = LagraClassifier(**options), Recorder()
        whole.fit(graphs, y, callback=recorder)
        for after in (1, len(recorder.steps) - 2):
            killed = Killed(tmp_path / "kept", "key", every=0.0, after=after)
            with killed, pytest.raises(KilledError):
                LagraClassifier(**options).fit(graphs, y, callback=killed)
            with Checkpoint(tmp_path / "kept", "key", resume=True) as kept:
                resumed = LagraClassifier(**options).fit(graphs, y, callback=kept)
            assert resumed.model_.search == whole.model_.search
            assert saved(resumed, tmp_path) == saved(whole, tmp_path)


def test_a_full_disk_leaves_what_was_there(fitted, tmp_path, monkeypatch):
    _, recorder, _, _ = fitted
    kept = Checkpoint(tmp_path / "kept", "key")
    task, paths = next(iter(recorder.paths.items()))
    kept.end(task, paths)
    before = kept._path(task).read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left on device: .*npz"):
        kept.end(task, paths[:1])
    assert kept._path(task).read_bytes() == before
    assert not list((tmp_path / "kept").glob("*.tmp"))


def test_a_checkpoint_serves_one_at_a_time(tmp_path):
    kept = Checkpoint(tmp_path / "kept", "key")
    lock = json.loads((tmp_path / "kept" / "aglets.lock").read_text())
    assert lock["pid"] == os.getpid()
    assert set(lock) == {"pid", "host", "since"}
    for resume in (False, True):
        with pytest.raises(ValueError, match=f"is in use by process {os.getpid()} on .* since "):
            Checkpoint(tmp_path / "kept", "key", resume=resume)
    kept.close()
    Checkpoint(tmp_path / "kept", "key", resume=True).close()


def no_locks(*_):
    raise OSError(errno.ENOLCK, "No locks available")


@pytest.mark.skipif(sys.platform == "win32", reason="locks always work there")
def test_without_locks_of_the_system_the_file_decides(tmp_path, monkeypatch):
    monkeypatch.setattr("fcntl.flock", no_locks)
    (tmp_path / "kept").mkdir()
    lock = tmp_path / "kept" / "aglets.lock"
    here = {"host": socket.gethostname(), "since": "yesterday"}
    with subprocess.Popen(["sleep", "60"]) as other:
        lock.write_text(json.dumps({"pid": other.pid, **here}))
        with pytest.raises(ValueError, match=f"process {other.pid} on {here['host']} since yester"):
            Checkpoint(tmp_path / "kept", "key")
        other.kill()
    Checkpoint(tmp_path / "kept", "key").close()  # it has ended: a stale lock
    lock.write_text(json.dumps({"pid": other.pid, "host": "elsewhere", "since": "yesterday"}))
    with pytest.raises(ValueError, match=f"process {other.pid} on elsewhere since yesterday"):
        Checkpoint(tmp_path / "kept", "key")
    lock.write_text("torn")
    Checkpoint(tmp_path / "kept", "key").close()


def test_a_checkpoint_killed_at_its_start_is_one(tmp_path):
    (tmp_path / "kept").mkdir()
    for name in ("aglets.lock", ".fit.json-0123456789abcdef.tmp"):
        (tmp_path / "kept" / name).write_text("")
    Checkpoint(tmp_path / "kept", "key", resume=True).delete()
    assert not (tmp_path / "kept").exists()


def test_a_fit_that_fails_at_once_leaves_no_checkpoint(tmp_path):
    with pytest.raises(RuntimeError), Checkpoint(tmp_path / "kept", "key"):
        raise RuntimeError
    assert not (tmp_path / "kept").exists()
