"""Paths with graphlets as large as the budget of the search allows.

A request for larger graphlets must never give smaller ones. So the size that was asked for, m, is
tried with a part of 1 / (m + 1) of the budget; if that is too little, sizes go up from one, on one
new tree, with the rest. A smaller size costs less. So if m fits into its part, a request for more,
M, reaches m, too: sizes up to m cost less than m / (m + 1) of the budget, and M / (M + 1) of it are
left. And if m does not fit, M has more left than m to go up with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from aglets.mining import BudgetError
from aglets.training.fitting import Paths, Settings, TrainingSet, Walk, prepare, walk
from aglets.training.path import Validation
from aglets.training.stored import AnySample

__all__ = ["Deepened", "walk_deepening"]

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

    def tried(self, maxpat: int) -> Deepened | None:
        """Walk the size that was asked for; None, with all memory given back, if it is too much."""
        training_set = self.training_set(maxpat)
        paths = self.paths(training_set, maxpat, _first_try(self.settings, maxpat))
        if paths is None or not self.are_whole(paths):
            return None
        return Deepened(maxpat, training_set, paths)

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
    first = request.tried(maxpat)
    if first is not None:
        return first
    reached = _upwards(request, maxpat)
    whole = request.are_whole(reached.paths)
    if reached.maxpat < maxpat or not whole:
        settings.notices.add(_said(reached, maxpat, settings, whole), RuntimeWarning)
    return reached


def _upwards(request: _Request, maxpat: int) -> Deepened:
    """Finish sizes from one upwards while the budget lasts; the largest that is whole."""
    settings = _rest(request.settings, maxpat)
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


def _first_try(settings: Settings, maxpat: int) -> Settings:
    """Take the part of the budget with which the size asked for is tried."""
    work, seconds, parts = settings.max_work, settings.max_seconds, maxpat + 1
    return replace(
        settings,
        max_work=None if work is None else work // parts,
        max_seconds=None if seconds is None else seconds / parts,
    )


def _rest(settings: Settings, maxpat: int) -> Settings:
    first = _first_try(settings, maxpat)
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
