"""What `aglets fit` does while it waits: show progress, keep checkpoints and the best model."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from aglets.training.checkpoint import Checkpoint
from aglets.training.fitting import FitCallback, Paths, Task, TrainingSet
from aglets.training.path_point import PathPoint
from aglets.training.resume import Resume

__all__ = ["Best", "FitProgress", "OutOfTimeError", "interruptible"]


class OutOfTimeError(Exception):
    """The time the user gave is over."""


@dataclass(frozen=True)
class Best:
    """The point with the lowest validation loss so far, and what a model of it needs."""

    loss: float
    n_graphlets: int
    training_set: TrainingSet
    paths: list[list[PathPoint]]

    @property
    def points(self) -> list[PathPoint]:
        """The point itself, one per output."""
        return [path[-1] for path in self.paths]


class FitProgress(FitCallback):
    """Shows where a fit is, writes finished paths, and remembers the best point.

    Parameters
    ----------
    checkpoint : Checkpoint
    n_points : int
        How many points all paths of the grid have together.
    n_lambdas : int
        How many points a path has.
    seconds : float or None
        After which to stop.
    shown : bool
        Whether to show a bar, if standard error is a terminal.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        *,
        n_points: int,
        n_lambdas: int,
        seconds: float | None,
        shown: bool,
    ) -> None:
        self.checkpoint = checkpoint
        self.best: Best | None = None
        self.scores: dict[Task, list[float | None]] = {}
        self.n_resumed = 0
        self._n_lambdas = n_lambdas
        self._deadline = None if seconds is None else time.monotonic() + seconds
        console = Console(stderr=True)
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            disable=not (shown and console.is_terminal),
        )
        # The last path, on all graphs, is as long as the best point says.
        self._bar = self.progress.add_task("reading", total=n_points + n_lambdas)

    def begin(self, task: Task, training_set: TrainingSet) -> Paths | None:
        """Return the path if the checkpoint has it."""
        known = self.checkpoint.begin(task, training_set)
        if known is not None:
            self.n_resumed += 1
            for length in range(1, max(map(len, known)) + 1):
                self._note(task, training_set, [path[:length] for path in known])
        return known

    def resume(self, task: Task) -> Sequence[Resume | None] | None:
        """Return where the paths go on that the checkpoint has begun."""
        return self.checkpoint.resume(task)

    def snapshot(
        self, task: Task, training_set: TrainingSet, resumes: Sequence[Resume | None]
    ) -> None:
        """Let the checkpoint keep where the path is."""
        self.checkpoint.snapshot(task, training_set, resumes)

    def step(self, task: Task, training_set: TrainingSet, paths: Paths) -> None:
        """Move the bar, and look whether time is up."""
        self._note(task, training_set, paths)
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise OutOfTimeError

    def end(self, task: Task, paths: Paths) -> None:
        """Write the path; one that ended early is done, too."""
        self.checkpoint.end(task, paths)
        self.progress.update(self._bar, advance=self._n_lambdas - max(map(len, paths)))

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
        # Losses on different graphs cannot be compared, so of several folds only the first counts.
        judged = task.stage in ("holdout", "fold 0")
        if judged and loss is not None and self._is_better(loss, n_graphlets):
            self.best = Best(loss, n_graphlets, training_set, [path[:length] for path in paths])
        shown = loss if score is None else score
        self.progress.update(
            self._bar,
            advance=1,
            description=(
                f"{task.stage} {_cell(task)}: lambda {points[0].lam:.3g}"
                f"{'' if shown is None else f' validation {shown:.3f}'} {n_graphlets} graphlets"
            ),
        )

    def _is_better(self, loss: float, n_graphlets: int) -> bool:
        best = self.best
        return best is None or (loss, n_graphlets) < (best.loss, best.n_graphlets)


def _cell(task: Task) -> str:
    starts = "" if task.starts == 1 else f"starts {task.starts} "
    return f"{starts}maxpat {task.maxpat} rho {task.rho:.3g}"


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
