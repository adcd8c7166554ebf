"""Shards in worker processes that Ray starts, on this machine or on many.

Ray is used for what it is good at: placing processes on machines, and saying when one is gone. A
worker that died, hangs or lost its machine is replaced by a new one, and `Crew` makes again what it
had. Ray's own restarts are not used, because a call that was under way must not be made twice.
"""

from __future__ import annotations

import logging
import os
import socket
import warnings
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from aglets.graphs.optional import optional
from aglets.training.engine.crew import Crew, ShardLostError
from aglets.training.engine.protocol import MiningPlan
from aglets.training.engine.shard_starts import loaded_shard
from aglets.training.engine.sharded import ShardedPlacement, dealt, planted
from aglets.training.engine.worker import Worker
from aglets.training.sample import Sample
from aglets.training.stored import StoredSample

__all__ = ["N_PIECES", "RayEngine"]

#: Graphs are dealt to so many pieces, and pieces to workers: sums are those of pieces, so that any
#: number of workers up to this gives the same bits.
N_PIECES = 8

#: Starting a process and loading libraries takes its time on a busy machine: so many seconds are
#: always granted for that.
START_SECONDS = 120.0


@dataclass(frozen=True)
class RayEngine:
    """Trains on graphs in worker processes of Ray, on one machine or many.

    Needs ``pip install 'aglets[ray]'``. A Ray that is running already is used and left running;
    else one is started for the fit on this machine, quietly, and stopped after it.

    The model does not depend on the number of shards: it is that of ``ShardedEngine(n_shards=8)``
    to the last bit. If a worker dies, hangs or loses its machine, another one takes its place,
    and the fit goes on to the same model.

    Parameters
    ----------
    n_shards : int
        Number of worker processes.
    cpus_per_shard : int
        Threads of each, which Ray reserves.
    max_restarts : int
        How often each shard may be lost.
    address : str, optional
        Where the Ray cluster is, as for ``ray.init``; "auto" for the one of this machine.
    timeout : float
        Seconds after which a worker that does not answer is replaced.

    Examples
    --------
    >>> from aglets import LagraClassifier
    >>> model = LagraClassifier(engine=RayEngine(n_shards=4))
    >>> model.engine
    RayEngine(n_shards=4, cpus_per_shard=1, max_restarts=3, address=None, timeout=600.0)
    """

    n_shards: int = 2
    cpus_per_shard: int = 1
    max_restarts: int = 3
    address: str | None = None
    timeout: float = 600.0

    def __post_init__(self) -> None:
        for name, lowest in (("n_shards", 1), ("cpus_per_shard", 1), ("max_restarts", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
                raise TypeError(
                    f"The {name!r} parameter of RayEngine must be an int. Got {value!r} instead."
                )
            if value < lowest:
                raise ValueError(
                    f"The {name!r} parameter of RayEngine must be an int in the range "
                    f"[{lowest}, inf). Got {value} instead."
                )
        if not isinstance(self.timeout, (int, float)) or not self.timeout > 0.0:
            raise ValueError(
                "The 'timeout' parameter of RayEngine must be a number of seconds above 0. "
                f"Got {self.timeout!r} instead."
            )

    @property
    def n_pieces(self) -> int:
        """Number of pieces to which graphs are dealt: all that the model may depend on."""
        n = N_PIECES
        while n < self.n_shards:
            n *= 2
        return n

    @contextmanager
    def session(self) -> Iterator[None]:
        """Have Ray and the workers running within a block, for all that is placed in it.

        Ray is stopped in the end only if it was started here.
        """
        if "_crew" in self.__dict__:  # within another session
            yield
            return
        started = self._start()
        try:
            object.__setattr__(self, "_crew", Crew(RayLink(self, self.n_shards)))
            yield
        finally:
            self.__dict__.pop("_crew", None)
            if started:
                _ray().shutdown()

    def __getstate__(self) -> dict[str, Any]:
        # Workers belong to this process.
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def place(self, sample: Sample | StoredSample, plan: MiningPlan) -> ShardedPlacement:
        """Distribute the graphs to pieces, send these to the workers, and begin a tree in each."""
        pieces = dealt(sample, self.n_pieces)
        crew = self.__dict__.get("_crew") or self._new_crew()
        shards = [crew.made(k, loaded_shard, (piece,)) for k, piece in enumerate(pieces)]
        plan = replace(plan, n_jobs=self.cpus_per_shard)
        return planted(shards, plan, len(sample.targets), sample.covariates is not None)

    def _new_crew(self) -> Crew:
        self._start()
        return Crew(RayLink(self, self.n_shards))

    def _start(self) -> bool:
        """Have Ray running; whether it was started, or connected to, just now."""
        ray = _ray()
        if ray.is_initialized():
            return False
        logging.getLogger("ray").setLevel(logging.ERROR)  # before init, which says that it begins
        if self.address is not None:
            try:
                _check_listening(self.address)
                ray.init(self.address, log_to_driver=False, logging_level=logging.ERROR)
            except (OSError, ValueError, RuntimeError) as error:
                reason = " ".join(str(error).split())[:120]
                raise ConnectionError(
                    f"Expected a Ray cluster at address={self.address!r}, but there is none "
                    f"({reason}); start one with `ray start --head`, or leave the address out."
                ) from error
            return True
        cpus = max(self.n_shards * self.cpus_per_shard, os.cpu_count() or 1)
        ray.init(
            num_cpus=cpus,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
        return True


class Place(NamedTuple):
    """Where a worker is."""

    pid: int
    node: str


class RayWorker(Worker):
    """A worker that can say where it is."""

    def where(self) -> tuple[int, str]:
        """Return the number of the process, and the address of its machine."""
        return os.getpid(), str(_ray().util.get_node_ip_address())


class RayLink:
    """Messages to workers that Ray runs; workers that are gone are replaced.

    Parameters
    ----------
    engine : RayEngine
    n_workers : int
    """

    def __init__(self, engine: RayEngine, n_workers: int) -> None:
        ray = _ray()
        self._engine = engine
        self._check_resources(n_workers)
        self._kind = ray.remote(RayWorker).options(
            num_cpus=engine.cpus_per_shard,
            max_restarts=0,
            max_task_retries=0,
            scheduling_strategy="SPREAD",
        )
        self._lost = [0] * n_workers
        self._actors: list[Any] = [self._kind.remote() for _ in range(n_workers)]
        self._places: list[Place | None] = [None] * n_workers
        weakref.finalize(self, _end, self._actors).atexit = False

    @property
    def n_workers(self) -> int:
        """Number of workers."""
        return len(self._actors)

    def exchange(self, messages: Mapping[int, bytes]) -> dict[int, bytes | None]:
        """Send a message to each of some workers, and wait for all replies."""
        ray = _ray()
        for worker in messages:
            self._find(worker)
        sent = {self._actors[k].run.remote(message): k for k, message in messages.items()}
        ready, late = ray.wait(list(sent), num_returns=len(sent), timeout=self._engine.timeout)
        replies: dict[int, bytes | None] = {}
        for call in ready:
            worker = sent[call]
            try:
                replies[worker] = ray.get(call)
            except ray.exceptions.RayTaskError:
                raise
            except ray.exceptions.RayError as error:
                self._replace(worker, f"was lost ({_reason(error)})")
                replies[worker] = None
        for call in late:
            seconds = f"{self._engine.timeout:g}"
            self._replace(sent[call], f"did not answer within timeout={seconds} seconds")
            replies[sent[call]] = None
        return replies

    def _find(self, worker: int) -> None:
        """Ask a new worker where it is, to be able to say so when it is not there any more."""
        ray = _ray()
        seconds = max(self._engine.timeout, START_SECONDS)
        while self._places[worker] is None:
            try:
                found = ray.get(self._actors[worker].where.remote(), timeout=seconds)
                self._places[worker] = Place(*found)
            except ray.exceptions.GetTimeoutError:
                self._replace(worker, f"did not start within {seconds:g} seconds")
            except ray.exceptions.RayActorError as error:
                self._replace(worker, f"could not start ({_reason(error)})")

    def _replace(self, worker: int, what: str) -> None:
        place, self._places[worker] = self._places[worker], None
        where = "" if place is None else f" (process {place.pid} on {place.node})"
        name = f"Shard {worker + 1} of {self.n_workers}{where}"
        self._lost[worker] += 1
        if self._lost[worker] > self._engine.max_restarts:
            raise ShardLostError(
                f"{name} {what}, and max_restarts={self._engine.max_restarts} lets no other take "
                "its place; raise it, and go on from the checkpoint if there is one."
            )
        warnings.warn(f"{name} {what}; another takes its place.", RuntimeWarning, stacklevel=2)
        _end([self._actors[worker]])
        self._actors[worker] = self._kind.remote()

    def _check_resources(self, n_workers: int) -> None:
        wanted = n_workers * self._engine.cpus_per_shard
        there = int(_ray().cluster_resources().get("CPU", 0))
        if there < wanted:
            raise ValueError(
                f"Expected a Ray cluster with {wanted} CPUs for n_shards={n_workers} and "
                f"cpus_per_shard={self._engine.cpus_per_shard}, but this one has {there}; "
                "ask for fewer shards, or add machines."
            )


def _check_listening(address: str) -> None:
    """Raise at once where nobody listens; Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=10.0).close()


def _end(actors: list[Any]) -> None:
    """End workers, as far as there are any left."""
    ray = _ray()
    for actor in actors:
        with suppress(Exception):  # Ray itself may be gone
            ray.kill(actor)


def _reason(error: BaseException) -> str:
    """Say in a few words why Ray gave up a worker."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    given = [line for line in lines if "reason" in line.lower() or "exit" in line.lower()]
    return " ".join((given or lines or [type(error).__name__])[-1].split())[:160]


def _ray() -> Any:
    return optional("ray", "shards on Ray")
