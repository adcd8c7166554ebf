"""One fit from graphs to path points: scale the attributes, make the tree, walk the paths.

Estimators and selection share these steps. A problem with more than two classes has one output per
class; all outputs search the same tree. Either each output has a path and graphlets of its own, or
one path serves all outputs, which then share graphlets.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from aglets import mining
from aglets.graphs.notes import AtOnce, Notices
from aglets.graphs.order import content_order
from aglets.model.losses import JointLoss
from aglets.model.outputs import Outputs
from aglets.preprocessing.covariates import Covariates
from aglets.preprocessing.input_spec import InputSpec
from aglets.preprocessing.node_labels import NodeLabels, labelling_text
from aglets.training.engine import Engine, Goal, LocalEngine, MiningPlan, Placement
from aglets.training.optim.state import Problem
from aglets.training.path import Schedule, Validation, lagra_path
from aglets.training.path_point import PathPoint
from aglets.training.resume import BranchPoints, Resume
from aglets.training.sample import Sample
from aglets.training.stored import AnySample, StoredSample
from aglets.training.target_units import TargetUnits

__all__ = [
    "FitCallback",
    "Paths",
    "Settings",
    "Task",
    "TrainingSet",
    "Walk",
    "learn_input_spec",
    "prepare",
    "walk",
    "walk_maxpats",
]

Paths = list[list[PathPoint]]  # per output, or a single one that all outputs share

logger = logging.getLogger("aglets")


class Task(NamedTuple):
    """One path to walk: a training set ("holdout", "fold 2", "refit" or "fit") and a grid cell."""

    stage: str
    rho: float
    maxpat: int
    starts: int = 1
    pooling: tuple[str, ...] = ("best",)
    count_scale: str = "raw"
    node_labels: str = "none"


class FitCallback:
    """Sees a fit go by. This one does nothing; subclasses show progress or keep checkpoints.

    An exception raised here ends the fit.

    Attributes
    ----------
    keeps_paths : bool
        Whether paths are kept for other fits, which may average them: points then keep f of all
        held-out graphs.
    """

    keeps_paths = False

    @property
    def onlooker(self) -> FitCallback:
        """What of this may be called for paths that are not part of the fit proper, as in folds."""
        return FitCallback()

    def expect(self, lengths: Sequence[int]) -> None:
        """Before paths: their numbers of points, if none ends early, in the order of walking."""

    def hold_out(self, stage: str, sample: Sample) -> None:
        """Before the paths of a stage: the graphs on which they are judged."""

    def known(self, task: Task, paths: Paths) -> None:
        """Instead of the steps of a path that is known from an earlier run."""

    def begin(self, task: Task, training_set: TrainingSet) -> Paths | None:
        """Before a path: return it, per output, if it is known from an earlier run."""
        return None

    def resume(self, task: Task) -> Sequence[Resume | None] | None:
        """Before a path that is not known: return where it goes on, per output, if it was begun."""
        return None

    def step(self, task: Task, training_set: TrainingSet, paths: Paths) -> None:
        """After each lambda, with the paths of all outputs so far."""

    def snapshot(
        self, task: Task, training_set: TrainingSet, resumes: Sequence[Resume | None]
    ) -> None:
        """After each lambda that was walked, with all that is needed to go on from there."""

    def end(self, task: Task, paths: Paths) -> None:
        """After the last lambda of a path that was not known before."""


@dataclass(frozen=True)
class Settings:
    """What stays the same over all rho, maxpat and lambda of a fit."""

    outputs: Outputs
    scale: str
    solver: str
    learn_attributes: bool
    n_lambdas: int
    lambda_min_ratio: float
    max_epochs: int
    patience: int
    tol: float
    max_nodes: int | None = None
    max_bytes: int | None = None
    max_work: int | None = None
    max_seconds: float | None = None
    n_jobs: int = 1
    callback: FitCallback = field(default_factory=FitCallback)
    covariates: Covariates | None = None
    covariate_penalty: float = 0.0
    engine: Engine = field(default_factory=LocalEngine)
    pooling: tuple[str, ...] = ("best",)
    sharing: float | None = None
    count_scale: str = "raw"
    count_min_ratio: float | None = None
    node_labels: NodeLabels = "none"
    notices: Notices = field(default_factory=AtOnce, compare=False)

    @property
    def n_paths(self) -> int:
        """One path per output, or one for all."""
        return self.outputs.n_outputs if self.sharing is None else 1

    @property
    def min_ratio(self) -> float:
        """The last lambda as part of lambda_max; a path that counts may have another one."""
        if self.pooling == ("best",) or self.count_min_ratio is None:
            return self.lambda_min_ratio
        return self.count_min_ratio

    @property
    def schedule(self) -> Schedule:
        """The lambdas of every path, and how it is walked."""
        return Schedule(
            n_lambdas=self.n_lambdas,
            lambda_min_ratio=self.min_ratio,
            solver=self.solver,
            learn_attributes=self.learn_attributes,
            max_epochs=self.max_epochs,
            patience=self.patience,
            tol=self.tol,
            notices=self.notices,
        )

    def goal(self, units: TargetUnits, path: int, rho: float, maxpat: int) -> Goal:
        """Say what one path is trained for."""
        penalty, scale = self.covariate_penalty, self.count_scale
        if self.sharing is None:
            own = units.losses[path]
            return Goal(own, rho, maxpat, path, penalty, self.pooling, count_scale=scale)
        losses = [(rows, units.losses[rows.start]) for rows in self.outputs.slices]
        joint = JointLoss(losses)
        return Goal(joint, rho, maxpat, None, penalty, self.pooling, self.sharing, scale)


def learn_input_spec(sample: AnySample, settings: Settings) -> InputSpec:
    """Learn labels and units from all graphs of a fit."""
    if isinstance(sample, StoredSample):
        return InputSpec.of_stored(sample.graphs, settings.scale)
    return InputSpec.of(
        sample.graphs,
        settings.scale,
        sample.sample_weight,
        covariates=settings.covariates,
        node_labels=settings.node_labels,
    )


@dataclass(frozen=True)
class TrainingSet:
    """Training graphs that were placed, and how others are brought to their units."""

    input_spec: InputSpec
    starts: int
    placement: Placement
    target_units: TargetUnits


def prepare(
    sample: AnySample,
    settings: Settings,
    *,
    maxpat: int,
    starts: int = 1,
    input_spec: InputSpec | None = None,
) -> TrainingSet:
    """Scale the attributes of training graphs and plant the tree that all their paths share.

    Parameters
    ----------
    sample : Sample
    settings : Settings
    maxpat : int
        The largest that will be asked for.
    starts : int
        Most starting vectors per label.
    input_spec : InputSpec, optional
        Labels and units; those of the sample unless given.
    """
    input_spec = learn_input_spec(sample, settings) if input_spec is None else input_spec
    if isinstance(sample, Sample):
        columns = () if sample.covariates is None else sample.covariates.T
        columns = (*sample.targets, *sample.weights, *columns)
        sample = sample[content_order(sample.graphs, *columns)]
    plan = MiningPlan(
        maxpat=maxpat,
        starts=starts,
        max_nodes=settings.max_nodes,
        max_bytes=settings.max_bytes,
        n_jobs=settings.n_jobs,
    )
    outputs = settings.outputs
    balanced = settings.sharing is not None and len(outputs.targets) > 1
    units = TargetUnits.learn(outputs.losses, sample, balanced)
    placement = settings.engine.place(units.removed(sample.to_model_units(input_spec)), plan)
    return TrainingSet(input_spec, starts, placement, units)


@dataclass(frozen=True)
class Walk:
    """One path per output to walk on training_set graphs.

    Parameters
    ----------
    rho, maxpat : float, int
    validation : Validation, optional
        Held-out graphs in model units, as :meth:`Sample.to_model_units` gives them.
    stop : int, optional
        How many points to walk.
    done : callable, optional
        Asked after each lambda, with the paths so far, whether they have gone far enough.
    stage : str
        What the training graphs are, for callbacks.
    """

    rho: float
    maxpat: int
    validation: Validation | None = None
    stop: int | None = None
    done: Callable[[Paths], bool] | None = None
    stage: str = "fit"


def walk(
    training_set: TrainingSet,
    settings: Settings,
    plan: Walk,
    *,
    branches: Sequence[BranchPoints] | None = None,
    resumes: Sequence[Resume | None] | None = None,
) -> Paths:
    """Walk the regularisation paths of all outputs side by side.

    Parameters
    ----------
    training_set : TrainingSet
    settings : Settings
    plan : Walk
    branches : sequence (per output) of BranchPoints, optional
        Note where paths of smaller maxpat leave these.
    resumes : sequence (per output) of Resume or None, optional
        Where these leave paths of a larger maxpat.

    Returns
    -------
    list (per output) of lists of PathPoint
    """
    labels = labelling_text(settings.node_labels)
    channels = (settings.pooling, settings.count_scale)
    task = Task(plan.stage, plan.rho, plan.maxpat, training_set.starts, *channels, labels)
    finished = settings.callback.begin(task, training_set)
    if finished is not None:
        settings.callback.known(task, finished)
        return finished
    placement = training_set.placement
    each = range(settings.n_paths)
    begun = settings.callback.resume(task) or resumes or [None for _ in each]
    reached: list[Resume | None] = list(begun)

    def noted(path: int) -> Callable[[Resume], None]:
        def note(resume: Resume) -> None:
            reached[path] = resume
            if branches is not None:
                branches[path].note(resume)

        return note

    placement.allow(settings.max_work, settings.max_seconds)
    units, held_out = training_set.target_units, plan.validation
    if held_out is not None:
        held_out = replace(held_out, sample=units.removed(held_out.sample))

    def steps_of(path: int) -> Iterator[PathPoint]:
        goal = settings.goal(units, path, plan.rho, plan.maxpat)
        points = lagra_path(
            Problem.of(placement, goal),
            settings.schedule,
            validation=held_out,
            resume=begun[path],
            note=noted(path),
        )
        return islice(units.restored(goal.output, points), plan.stop)

    walks = [steps_of(path) for path in each]
    paths: Paths = [[] for _ in walks]
    going = list(zip(walks, paths, strict=True))
    while going := [
        (steps, points) for steps, points in going if _advance(steps, points, settings)
    ]:
        settings.callback.step(task, training_set, paths)
        if [resume and len(resume.points) for resume in reached] == list(map(len, paths)):
            settings.callback.snapshot(task, training_set, reached)
        if plan.done is not None and plan.done(paths):
            break
    settings.callback.end(task, paths)
    return paths


def walk_maxpats(
    training_set: TrainingSet, settings: Settings, plan: Walk, maxpats: Sequence[int]
) -> dict[int, Paths]:
    """Walk the paths of several maxpat instead of the plan's one, the largest first.

    As long as no larger pattern matters, they are the same path, and it is walked once. A maxpat
    too large for the budget of the search is left out, with a warning, if a smaller one is not.
    """
    ordered = sorted(set(maxpats), reverse=True)
    branches = [BranchPoints(ordered[1:]) for _ in range(settings.n_paths)]
    walked: dict[int, Paths] = {}
    for maxpat in ordered:
        try:
            walked[maxpat] = walk(
                training_set,
                settings,
                replace(plan, maxpat=maxpat),
                branches=branches,
                resumes=[each.at(maxpat) for each in branches],
            )
        except mining.BudgetError as error:
            if maxpat == ordered[-1] and not walked:
                raise
            settings.notices.add(
                f"There is no path with maxpat={maxpat}, because {_reason(error, settings)}",
                RuntimeWarning,
            )
    return walked


def _reason(error: mining.BudgetError, settings: Settings) -> str:
    """Say why a path ended, with the limit that was given, not with what the search had left."""
    return re.sub(r"(?<=max_work=)\d+", str(settings.max_work), str(error))


def _advance(path: Iterator[PathPoint], points: list[PathPoint], settings: Settings) -> bool:
    """Walk one step and note it; False at the end, or where the budget of the search runs out."""
    try:
        point = next(path, None)
    except mining.BudgetError as error:
        if not points:
            raise
        reached = points[-1].lam / points[-1].lam_max
        why = _reason(error, settings)
        settings.notices.add(
            f"The path ended at lambda / lambda_max = {reached:.3g}, because {why}", RuntimeWarning
        )
        return False
    if point is None:
        return False
    points.append(point)
    logger.debug(
        "lambda %.4g: objective %.6g, %d graphlets, %.3f s",
        point.lam,
        point.objective,
        point.n_nonzero,
        point.seconds,
    )
    return True
