"""Shows where a fit is: a bar in a terminal, a plain line now and then elsewhere.

`ShowProgress` is a callback that counts the points of all paths; what it knows after each lambda is
a `Status`. A display shows the last one: `TerminalBar` with rich, `PlainLines` in any stream.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TextIO

from aglets.training.fitting import FitCallback, Paths, Task, TrainingSet
from aglets.training.resume import Resume
from aglets.training.sample import Sample

__all__ = [
    "Display",
    "PlainLines",
    "Several",
    "ShowProgress",
    "Silent",
    "Status",
    "TerminalBar",
    "display_for",
    "watched",
]

#: Seconds between two plain lines.
EVERY = 10.0


@dataclass(frozen=True)
class Status:
    """Where a fit is.

    Parameters
    ----------
    text : str
        The path and the point on it, in words.
    done, total : int
        Points of paths, walked and in all; a path that ended early counts in full.
    elapsed : float
        Seconds since the start.
    left : float or None
        Seconds that the rest takes at this speed; None before the first point.
    """

    text: str
    done: int
    total: int
    elapsed: float
    left: float | None

    def line(self) -> str:
        """Say it in one line."""
        left = "" if not self.left else f", about {clock_text(self.left)} left"
        return (
            f"aglets: {self.text}; {self.done} of {self.total} points, "
            f"{clock_text(self.elapsed)}{left}"
        )


class Display(Protocol):
    """Shows a status as long as it is entered."""

    def __enter__(self) -> Any: ...

    def __exit__(self, *error: object) -> None: ...

    def show(self, status: Status) -> None:
        """Take the newest status."""


class Silent:
    """Shows nothing."""

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def show(self, status: Status) -> None:
        """Do nothing."""


class PlainLines:
    """Writes the newest status as a line every few seconds, also while one lambda takes long.

    Parameters
    ----------
    stream : text stream, optional
        Standard error unless given.
    every : float
        Seconds between lines; 0 writes a line for every status.
    at_end : bool
        Whether to write the last status when the fit is done.
    wait : callable, optional
        Waits so many seconds, or until the fit is done, and returns whether it is.
    """

    def __init__(
        self,
        stream: TextIO | None = None,
        *,
        every: float = EVERY,
        at_end: bool = False,
        wait: Callable[[float], bool] | None = None,
    ) -> None:
        self._stream, self._every, self._at_end = stream, every, at_end
        self._over = threading.Event()
        self._wait = wait or self._over.wait
        self._status: Status | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> PlainLines:
        if self._every > 0.0:
            self._thread = threading.Thread(target=self.beat, daemon=True, name="aglets progress")
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        if self._at_end and self._every > 0.0:
            self._write()

    def show(self, status: Status) -> None:
        """Keep the status for the next line."""
        self._status = status
        if self._every == 0.0:
            self._write()

    def beat(self) -> None:
        """Write a line every few seconds until the fit is done."""
        while not self._wait(self._every):
            self._write()

    def _write(self) -> None:
        if self._status is not None:
            stream = self._stream or sys.stderr
            stream.write(self._status.line() + "\n")
            stream.flush()


class TerminalBar:
    """Shows a bar with rich.

    Parameters
    ----------
    console : rich.console.Console, optional
        Standard error unless given.
    """

    def __init__(self, console: Any = None) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=console or Console(stderr=True),
        )
        self._bar = self._progress.add_task("reading", total=None, left="")

    def __enter__(self) -> TerminalBar:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def show(self, status: Status) -> None:
        """Move the bar."""
        self._progress.update(
            self._bar,
            description=status.text,
            completed=status.done,
            total=status.total,
            left="" if not status.left else f"{clock_text(status.left)} left",
        )


def display_for(verbose: int, *, at_end: bool = True) -> Display:
    """Choose a display on standard error.

    Parameters
    ----------
    verbose : int
        0 is none. 1 is a bar in a terminal, if rich is installed, and else a line every ten
        seconds. 2 or more is a line for every lambda.
    at_end : bool
        Whether plain lines end with the last status, however short the fit was.
    """
    if not verbose:
        return Silent()
    if verbose == 1 and sys.stderr.isatty() and importlib.util.find_spec("rich") is not None:
        return TerminalBar()
    return PlainLines(every=EVERY if verbose == 1 else 0.0, at_end=at_end)


class ShowProgress(FitCallback):
    """Shows lambda, score on held-out graphs, number of graphlets and time left.

    Estimators make one if ``verbose`` is set.

    Parameters
    ----------
    display : Display, optional
        A bar or lines on standard error unless given.
    clock : callable
        Gives seconds.

    Examples
    --------
    >>> import sys
    >>> from aglets import LagraClassifier, datasets
    >>> from aglets.training.progress import PlainLines, ShowProgress
    >>> graphs, y = datasets.load_acids()
    >>> lines = PlainLines(sys.stdout, every=0)
    >>> model = LagraClassifier(maxpat=2, lambda_ratio=0.5, n_lambdas=2, calibration=None)
    >>> with ShowProgress(lines, clock=lambda: 0.0) as progress:
    ...     _ = model.fit(graphs, y, callback=progress)
    aglets: fit maxpat 2 rho 0.1: lambda 35.5, loss 150, 0 graphlets; 1 of 2 points, 0 s
    aglets: fit maxpat 2 rho 0.1: lambda 17.8, loss 22.2, 1 graphlet; 2 of 2 points, 0 s
    """

    def __init__(
        self, display: Display | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._display = display_for(1) if display is None else display
        self._clock = clock
        self._start = clock()
        self._waiting: deque[int] = deque()
        self._finished = 0  # points of paths before this one
        self._length = 0  # points of this path
        self._known = 0  # points that were not walked now

    def __enter__(self) -> ShowProgress:
        self._display.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._display.__exit__(*error)

    @property
    def onlooker(self) -> FitCallback:
        """Itself, for it changes nothing."""
        return self

    def expect(self, lengths: Sequence[int]) -> None:
        """Plan for these paths; what is left of an earlier plan was not needed."""
        self._waiting = deque(lengths)

    def begin(self, task: Task, training_set: TrainingSet) -> Paths | None:
        """Take the next path of the plan."""
        self._finished += self._length
        # Sizes that are tried again, because the budget of the search ran out, are not planned.
        self._length = self._waiting.popleft() if self._waiting else self._length
        return None

    def known(self, task: Task, paths: Paths) -> None:
        """Count a path that an earlier run has walked."""
        self._known += self._length
        self._show(task, paths, self._length)

    def step(self, task: Task, training_set: TrainingSet, paths: Paths) -> None:
        """Show the last point that all outputs have."""
        self._show(task, paths, min(map(len, paths)))

    def end(self, task: Task, paths: Paths) -> None:
        """Count a path that ended early in full."""
        if min(map(len, paths)) < self._length:
            self._show(task, paths, self._length)

    def _show(self, task: Task, paths: Paths, n_points: int) -> None:
        self._length = max(self._length, n_points)
        text = f"{task.stage} {_cell(task)}: {_point(paths)}"
        done = self._finished + n_points
        total = self._finished + self._length + sum(self._waiting)
        elapsed = self._clock() - self._start
        walked = done - self._known
        left = elapsed * (total - done) / walked if walked > 0 else None
        self._display.show(Status(text, done, total, elapsed, left))


class Several(FitCallback):
    """Calls several callbacks, one after the other."""

    def __init__(self, callbacks: Sequence[FitCallback]) -> None:
        self._all = tuple(callbacks)
        self.keeps_paths = any(each.keeps_paths for each in self._all)

    @property
    def onlooker(self) -> FitCallback:
        """Those parts that change nothing."""
        return Several([each.onlooker for each in self._all])

    def expect(self, lengths: Sequence[int]) -> None:
        """Let all of them plan."""
        for each in self._all:
            each.expect(lengths)

    def hold_out(self, stage: str, sample: Sample) -> None:
        """Let all of them see the graphs that are held out."""
        for each in self._all:
            each.hold_out(stage, sample)

    def begin(self, task: Task, training_set: TrainingSet) -> Paths | None:
        """Return the path that the first of them knows."""
        answers = [each.begin(task, training_set) for each in self._all]
        return next((paths for paths in answers if paths is not None), None)

    def known(self, task: Task, paths: Paths) -> None:
        """Let all of them count a path that is known."""
        for each in self._all:
            each.known(task, paths)

    def resume(self, task: Task) -> Sequence[Resume | None] | None:
        """Return where the first of them goes on."""
        answers = (each.resume(task) for each in self._all)
        return next((resumes for resumes in answers if resumes is not None), None)

    def step(self, task: Task, training_set: TrainingSet, paths: Paths) -> None:
        """Let all of them see a lambda."""
        for each in self._all:
            each.step(task, training_set, paths)

    def snapshot(
        self, task: Task, training_set: TrainingSet, resumes: Sequence[Resume | None]
    ) -> None:
        """Let all of them keep where the path is."""
        for each in self._all:
            each.snapshot(task, training_set, resumes)

    def end(self, task: Task, paths: Paths) -> None:
        """Let all of them see that a path is done."""
        for each in self._all:
            each.end(task, paths)


@contextmanager
def watched(verbose: int, callback: FitCallback | None) -> Iterator[FitCallback]:
    """Give a callback that also shows progress, if that is asked for."""
    if not verbose:
        yield callback or FitCallback()
        return
    with ShowProgress(display_for(verbose)) as progress:
        yield progress if callback is None else Several((callback, progress))


def _cell(task: Task) -> str:
    starts = "" if task.starts == 1 else f"starts {task.starts} "
    channels = "" if task.pooling == ("best",) else " " + "+".join(task.pooling)
    channels += " sqrt" if task.count_scale == "sqrt" else ""
    return f"{starts}maxpat {task.maxpat} rho {task.rho:.3g}{channels}"


def _point(paths: Paths) -> str:
    """Say what is known of the last models of the paths of all outputs."""
    points = [path[-1] for path in paths if path]
    if not points:
        return "no point"
    n_graphlets = sum(point.n_nonzero for point in points)
    losses = [point.validation_loss for point in points if point.validation_loss is not None]
    if len(points) == 1 and points[0].validation_score is not None:
        quality = f"validation {points[0].validation_score:.3f}"
    elif len(losses) == len(points):
        quality = f"validation loss {sum(losses):.3g}"
    else:
        quality = f"loss {sum(point.train_loss for point in points):.3g}"
    graphlets = "1 graphlet" if n_graphlets == 1 else f"{n_graphlets} graphlets"
    return f"lambda {points[0].lam:.3g}, {quality}, {graphlets}"


def clock_text(seconds: float) -> str:
    """Write a duration.

    >>> clock_text(9.4), clock_text(75), clock_text(7260)
    ('9 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
