"""Kill workers of Ray, or the driver, at random moments, and compare the models.

``python tools/ray_kill_trials.py --trials 50 --seed 0`` fits the same graphs repeatedly. In
most trials one or two workers are ended by SIGKILL at moments drawn at random: while they load,
in mid-search, in mid-learning. In every tenth trial the driver is killed, and the fit goes on with
``--resume`` and another number of shards. Every model must be the same file, to the last byte, as
that of a fit that nobody killed. It prints a line per kind of trial and one per violation; the exit
code says whether there was any.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
import warnings
from pathlib import Path

os.environ.setdefault("RAY_AUTH_MODE", "disabled")

import ray
from kill_trials import finish, run_trials, start_command

from aglets import LagraClassifier, RayEngine
from aglets.datasets import make_planted
from aglets.training.engine.ray import RayLink

OPTIONS = {"maxpat": 3, "lambda_ratio": 0.1, "n_lambdas": 15}


def main() -> int:
    """Run the trials that were asked for."""
    return run_trials(__doc__, Trials, n_trials=50)


class Trials:
    """The graphs, and the model of a fit that nobody killed."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.graphs, self.y, _ = make_planted(120, random_state=0)
        self.graphs.to_json(place / "g.json", y=self.y)
        quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
        ray.init(num_cpus=8, **quiet)
        self.rounds = 0
        self.expected = self.fitted({}, n_shards=2)
        self.n_rounds, self.command_model = self.rounds, None

    def fitted(self, kills: dict[int, int], n_shards: int) -> bytes:
        """Fit, killing workers when so many rounds are over; return the model's bytes."""
        self.rounds, left, exchange = 0, dict(kills), RayLink.exchange

        def killing(link: RayLink, messages: dict[int, bytes]) -> dict[int, bytes | None]:
            self.rounds += 1
            worker = left.pop(self.rounds, None)
            if worker is not None:
                worker %= link.n_workers
                link._find(worker)
                pid = link._places[worker].pid
                if subprocess.call(["sh", "-c", f"(sleep 0.002; kill -9 {pid}) &"]):
                    raise RuntimeError("could not start the killer")
            return exchange(link, messages)

        RayLink.exchange = killing  # type: ignore[method-assign]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                engine = RayEngine(n_shards)
                model = LagraClassifier(engine=engine, **OPTIONS).fit(self.graphs, self.y)
        finally:
            RayLink.exchange = exchange  # type: ignore[method-assign]
        model.save(self.place / "model.aglets")
        return (self.place / "model.aglets").read_bytes()

    def trial(self, number: int, draw: random.Random) -> tuple[str, list[str]]:
        """Kill the driver in every tenth trial, else workers."""
        what, fault = self.driver(draw) if number % 10 == 4 else self.workers(draw)
        return what, [f"{what}: {fault}"] if fault else []

    def workers(self, draw: random.Random) -> tuple[str, str | None]:
        """Kill one worker, or two, or the same one twice."""
        n_kills = draw.choice([1, 2, 3])
        early = draw.random() < 0.3
        last = 6 if early else self.n_rounds
        kills = {draw.randint(1, last): draw.randint(0, 6) for _ in range(n_kills)}
        n_shards = draw.choice([1, 2, 3])
        same = self.fitted(kills, n_shards) == self.expected
        what = f"{'while loading' if early else 'in mid-fit'}, {len(kills)} killed"
        return what, None if same else f"another model with {n_shards} shards, kills {kills}"

    def driver(self, draw: random.Random) -> tuple[str, str | None]:
        """Kill the command, and go on with another number of shards."""
        if self.command_model is None:
            self.command("whole.aglets", 2, None)
            self.command_model = (self.place / "whole.aglets").read_bytes()
        target = self.place / "killed.aglets"
        target.unlink(missing_ok=True)
        self.command("killed.aglets", draw.choice([1, 2]), draw.uniform(1.0, 12.0))
        was_over = target.exists()
        self.command("killed.aglets", draw.choice([3, 5]), None, "--resume")
        same = target.read_bytes() == self.command_model
        what = "driver killed too late" if was_over else "driver killed and resumed"
        return what, None if same else "another model after --resume"

    def command(self, output: str, n_shards: int, seconds: float | None, *more: str) -> None:
        """Run `aglets fit` to its end, or kill it after so many seconds of its checkpoint."""
        words = ["fit", "g.json", "--target", "y", "-o", output, "--maxpat", "3", "--starts", "1"]
        words += ["--rho", "1.0", "--n-lambdas", "30", "-q", "--engine", "ray"]
        words += ["--shards", str(n_shards), *more]
        if seconds is None:
            finish(words, self.place)
            return
        process = start_command(words, self.place)
        folder, start = self.place / f"{output}.checkpoint", time.monotonic()
        while not any(folder.glob("*.npz*")) and process.poll() is None:
            time.sleep(0.05)
            if time.monotonic() - start > 120.0:
                break
        time.sleep(0.2 * seconds)
        process.kill()
        process.communicate()


if __name__ == "__main__":
    sys.exit(main())
