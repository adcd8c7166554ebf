"""What `aglets fit` does while it waits: show progress, keep checkpoints and the best model."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from aglets.training.checkpoint import Checkpoint
from aglets.training.fitting import Paths, Task, TrainingSet
from aglets.training.path_point import PathPoint
from aglets.training.progress import Several, ShowProgress, display_for
from aglets.training.sample import Sample

__all__ = ["Best", "FitProgress", "OutOfTimeError", "interruptible"]


#: Of several folds only the first counts: losses on different graphs cannot be compared.
JUDGED = ("holdout", "fold 0")


class OutOfTimeError(Exception):
    """The time the user gave is over."""


@dataclass(frozen=True)
class Best:
    """The point with the lowest validation loss so far, and what a model of it needs."""

    loss: float
    n_graphlets: int
    training_set: TrainingSet
    paths: list[list[PathPoint]]
    held_out: Sample | None

    @property
    def points(self) -> list[PathPoint]:
        """The point itself, one per output."""
        return [path[-1] for path in self.paths]


class FitProgress(Several):
    """Shows where a fit is, writes finished paths, and remembers the best point.

    Parameters
    ----------
    checkpoint : Checkpoint
    seconds : float or None
        After which to stop.
    shown : bool
        Whether to show a bar, if standard error is a terminal, or else a line every ten seconds.
    """

    def __init__(self, checkpoint: Checkpoint, *, seconds: float | None, shown: bool) -> None:
        self.checkpoint = checkpoint
        self.display = ShowProgress(display_for(1 if shown else 0, at_end=False))
        super().__init__((checkpoint, self.display))
        self.best: Best | None = None
        self.scores: dict[Task, list[float | None]] = {}
        self.n_resumed = 0
        self._held_out: Sample | None = None
        self._deadline = None if seconds is None else time.monotonic() + seconds

    def hold_out(self, stage: str, sample: Sample) -> None:
        """Remember the graphs by which the best point is chosen."""
        super().hold_out(stage, sample)
        if stage in JUDGED:
            self._held_out = sample

    def begin(self, task: Task, training_set: TrainingSet) -> Paths | None:
        """Return the path if the checkpoint has it."""
        known = super().begin(task, training_set)
        if known is not None:
            self.n_resumed += 1
            for length in range(1, max(map(len, known)) + 1):
                self._note(task, training_set, [path[:length] for path in known])
        return known

    def step(self, task: Task, training_set: TrainingSet, paths: Paths) -> None:
        """Look whether this is the best point so far, and whether time is up."""
        super().step(task, training_set, paths)
        self._note(task, training_set, paths)
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise OutOfTimeError

    def _note(self, task: Task, training_set: TrainingSet, paths: Paths) -> None:
        length = min(len(path) for path in paths)
        if not length:
            return
        points = [path[length - 1] for path in paths]
        n_graphlets = sum(point.n_nonzero for point in points)
        losses = [point.validation_loss for point in points if point.validation_loss is not None]
        loss = sum(losses) if len(losses) == len(points) else None
        score = points[0].validation_score if len(points) == 1 else None
        self.scores.setdefault(task, []).append(score)
        judged = task.stage in JUDGED
        if judged and loss is not None and self._is_better(loss, n_graphlets):
            so_far = [path[:length] for path in paths]
            self.best = Best(loss, n_graphlets, training_set, so_far, self._held_out)

    def _is_better(self, loss: float, n_graphlets: int) -> bool:
        best = self.best
        return best is None or (loss, n_graphlets) < (best.loss, best.n_graphlets)


@contextmanager
def interruptible() -> Iterator[None]:
    """Take a request to terminate as Ctrl-C, so that it ends just as well."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
