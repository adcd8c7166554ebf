"""Paths with graphlets as large as the budget of the search allows.

A request for larger graphlets must never give smaller ones. So the size that was asked for is tried
with a small part of the budget; if that is too little, sizes go up from one, on one tree, each path
with what is left. Which sizes are finished then does not depend on the size that was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from aglets.mining import BudgetError
from aglets.training.fitting import Paths, Settings, TrainingSet, Walk, prepare, walk
from aglets.training.path import Validation
from aglets.training.stored import AnySample

__all__ = ["Deepened", "walk_deepening"]

#: Part of the budget that the size asked for may use before smaller ones are tried. Smaller sizes
#: cost less each, so that all up to one that fits into this part fit into the rest.
FIRST_SHARE = 1.0 / 16.0
#: The stage of paths after that: they are others than those of the first try.
UPWARDS = "upwards"


@dataclass(frozen=True)
class Deepened:
    """Paths with graphlets of at most `maxpat` nodes, and the graphs they were walked on."""

    maxpat: int
    training_set: TrainingSet
    paths: Paths


@dataclass(frozen=True)
class _Request:
    sample: AnySample
    settings: Settings
    rho: float
    starts: int
    validation: AnySample | None

    def training_set(self, maxpat: int) -> TrainingSet:
        return prepare(self.sample, self.settings, maxpat=maxpat, starts=self.starts)

    def paths(
        self, training_set: TrainingSet, maxpat: int, settings: Settings, stage: str = "fit"
    ) -> Paths | None:
        """Walk the paths of one size; None if the budget ended before their first point."""
        held_out = None
        if self.validation is not None:
            held_out = Validation(self.validation.to_model_units(training_set.input_spec))
        # What one size could not afford is said once, at the end.
        quiet = replace(settings, notices=settings.notices.but(RuntimeWarning))
        try:
            return walk(training_set, quiet, Walk(self.rho, maxpat, held_out, stage=stage))
        except BudgetError:
            return None

    def are_whole(self, paths: Paths | None) -> bool:
        return paths is not None and all(len(path) == self.settings.n_lambdas for path in paths)


def walk_deepening(
    sample: AnySample,
    settings: Settings,
    *,
    rho: float,
    maxpat: int,
    starts: int = 1,
    validation: AnySample | None = None,
) -> Deepened:
    """Walk whole paths with graphlets of up to maxpat nodes, or of the largest size affordable.

    ``validation`` holds graphs in the user's units. Where the budget does not allow the size that
    was asked for, a warning says which one it allowed.
    """
    request = _Request(sample, settings, rho, starts, validation)
    training_set = request.training_set(maxpat)
    first = _first_try(settings) if maxpat > 1 else settings
    paths = request.paths(training_set, maxpat, first)
    if paths is not None and request.are_whole(paths):
        return Deepened(maxpat, training_set, paths)
    reached = _upwards(request, maxpat)
    whole = request.are_whole(reached.paths)
    if reached.maxpat < maxpat or not whole:
        settings.notices.add(_said(reached, maxpat, settings, whole), RuntimeWarning)
    return reached


def _upwards(request: _Request, maxpat: int) -> Deepened:
    """Finish sizes from one upwards while the budget lasts; the largest that is whole."""
    settings = _rest(request.settings)
    training_set = request.training_set(maxpat)
    reached: Deepened | None = None
    for size in range(1, maxpat + 1):
        work, seconds = training_set.placement.spent()
        paths = request.paths(training_set, size, _less(settings, work, seconds), UPWARDS)
        if paths is not None and request.are_whole(paths):
            reached = Deepened(size, training_set, paths)
            continue
        if reached is None and paths is not None:
            return Deepened(size, training_set, paths)
        break
    return _single_nodes(request) if reached is None else reached


def _single_nodes(request: _Request) -> Deepened:
    """Take single nodes whatever the budget: there are only as many as labels."""
    free = replace(
        request.settings, max_nodes=None, max_bytes=None, max_work=None, max_seconds=None
    )
    training_set = replace(request, settings=free).training_set(1)
    paths = request.paths(training_set, 1, free, UPWARDS)
    assert paths is not None
    return Deepened(1, training_set, paths)


def _first_try(settings: Settings) -> Settings:
    work, seconds = settings.max_work, settings.max_seconds
    return replace(
        settings,
        max_work=None if work is None else int(FIRST_SHARE * work),
        max_seconds=None if seconds is None else FIRST_SHARE * seconds,
    )


def _rest(settings: Settings) -> Settings:
    first = _first_try(settings)
    return _less(settings, first.max_work or 0, first.max_seconds or 0.0)


def _less(settings: Settings, work: int, seconds: float) -> Settings:
    return replace(
        settings,
        max_work=None if settings.max_work is None else max(settings.max_work - work, 0),
        max_seconds=(
            None if settings.max_seconds is None else max(settings.max_seconds - seconds, 0.0)
        ),
    )


def _said(reached: Deepened, maxpat: int, settings: Settings, whole: bool) -> str:
    limits = ("max_work", "max_nodes", "max_bytes", "max_seconds")
    given = ", ".join(
        f"{name}={value:.6g}" for name in limits if (value := getattr(settings, name)) is not None
    )
    found = f"Graphlets have up to {reached.maxpat} nodes instead of {maxpat}"
    if not whole:
        ends = [path[-1].lam / path[-1].lam_max for path in reached.paths]
        found += f", and the path ends at lambda / lambda_max = {max(ends):.3g}"
    return f"{found}: the search needs more than {given}. Raise it, or ask for a smaller maxpat."
