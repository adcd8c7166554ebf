"""One fit from graphs to path points: scale the attributes, make the tree, walk the paths.

Estimators and selection share these steps. A problem with more than two classes has one output per
class (that class against the rest); all outputs search the same tree.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aglets import mining
from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats
from aglets.graphs.order import content_order
from aglets.model.losses import Loss
from aglets.preprocessing.covariates import Covariates
from aglets.preprocessing.input_spec import InputSpec
from aglets.preprocessing.starts import starting_vectors
from aglets.training.engine import GraphletStore
from aglets.training.path import Fork, Forks, Here, LastStop, PathPoint, lagra_path

__all__ = [
    "Begun",
    "Paths",
    "Prepared",
    "Sample",
    "Settings",
    "Task",
    "Watch",
    "learn_input_spec",
    "prepare",
    "walk",
    "walk_affordable",
    "walk_maxpats",
]

Paths = list[list[PathPoint]]  # per output

logger = logging.getLogger("aglets")

#: Part of the time for searches that a size of patterns may use however little is left.
LEAST_SHARE = 1.0 / 60.0


class Task(NamedTuple):
    """One path to walk: a training set ("holdout", "fold 2", "refit" or "fit") and a grid cell."""

    stage: str
    rho: float
    maxpat: int
    starts: int = 1


class Begun(NamedTuple):
    """Paths, and where each goes on, per output; None if at its start."""

    paths: Paths
    here: Sequence[Fork | None]


class Watch:
    """Sees a fit go by. This one does nothing; subclasses show progress or keep checkpoints.

    An exception raised here ends the fit.
    """

    def begin(self, task: Task, prepared: Prepared) -> list[list[PathPoint]] | None:
        """Before a path: return it, per output, if it is known from an earlier run."""
        return None

    def resume(self, task: Task) -> Begun | None:
        """Before a path that is not known: return as much of it as is."""
        return None

    def step(self, task: Task, prepared: Prepared, paths: Sequence[list[PathPoint]]) -> None:
        """After each lambda, with the paths of all outputs so far."""

    def pause(self, task: Task, prepared: Prepared, begun: Begun) -> None:
        """After each lambda that was walked, with all that is needed to go on from there."""

    def end(self, task: Task, paths: Sequence[list[PathPoint]]) -> None:
        """After the last lambda of a path that was not known before."""


@dataclass(frozen=True)
class Settings:
    """What stays the same over all rho, maxpat and lambda of a fit."""

    loss: Loss
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
    max_seconds: float | None = None
    n_jobs: int = 1
    watch: Watch = field(default_factory=Watch)
    covariates: Covariates | None = None
    covariate_penalty: float = 0.0


@dataclass(frozen=True)
class Sample:
    """Graphs in the user's units with what is known of them.

    Parameters
    ----------
    graphs : GraphSet
    targets : ndarray of shape (n_outputs, n_graphs)
        -1 or +1 for classes, numbers for regression.
    sample_weight : ndarray of shape (n_graphs,)
        How often each graph counts: also in means and spreads of attributes.
    weight : ndarray of shape (n_graphs,)
        The same times the weight of the graph's class: what the loss is weighted by.
    covariates : ndarray of shape (n_graphs, n_covariates) or None
        As ``Covariates.centered`` gives them.
    """

    graphs: GraphSet
    targets: Floats
    sample_weight: Floats
    weight: Floats
    covariates: Floats | None = None

    def __getitem__(self, rows: NDArray[np.intp]) -> Sample:
        return Sample(
            *(self.graphs[rows], self.targets[:, rows]),
            *(self.sample_weight[rows], self.weight[rows]),
            None if self.covariates is None else self.covariates[rows],
        )

    def to_model_units(self, input_spec: InputSpec) -> Sample:
        """Scale graphs; labels that the fit lacks match nothing."""
        # Parts of one data set may lack each other's labels: no news for the user.
        return replace(self, graphs=input_spec.to_model_units(self.graphs, warn=False))


def learn_input_spec(sample: Sample, settings: Settings) -> InputSpec:
    """Learn labels and units from all graphs of a fit."""
    return InputSpec.of(
        sample.graphs, settings.scale, sample.sample_weight, covariates=settings.covariates
    )


@dataclass(frozen=True)
class Prepared:
    """Training graphs in scaled units, what was mined in them, and how others are brought to it."""

    sample: Sample
    input_spec: InputSpec
    starts: int
    store: GraphletStore

    @property
    def graphs(self) -> GraphSet:
        """The training graphs, in scaled units."""
        return self.store.tree.graphs


def prepare(
    sample: Sample,
    settings: Settings,
    *,
    maxpat: int,
    starts: int = 1,
    input_spec: InputSpec | None = None,
) -> Prepared:
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
    beside = () if sample.covariates is None else sample.covariates.T
    sample = sample[content_order(sample.graphs, *sample.targets, sample.weight, *beside)]
    graphs = sample.to_model_units(input_spec).graphs
    tree = mining.Tree(
        graphs,
        maxpat=maxpat,
        starts=starting_vectors(graphs, starts, sample.sample_weight),
        max_nodes=settings.max_nodes,
        max_bytes=settings.max_bytes,
        n_jobs=settings.n_jobs,
    )
    return Prepared(sample, input_spec, starts, GraphletStore(tree))


def walk(
    prepared: Prepared,
    settings: Settings,
    *,
    rho: float,
    maxpat: int,
    validation: Sample | None = None,
    stop: int | None = None,
    done: Callable[[Paths], bool] | None = None,
    stage: str = "fit",
    forks: Sequence[Forks] | None = None,
    shared: Paths | None = None,
) -> Paths:
    """Walk the regularisation paths of all outputs side by side, to the ``stop``-th point if given.

    Parameters
    ----------
    prepared : Prepared
    settings : Settings
    rho, maxpat : float, int
    validation : Sample, optional
        Held-out graphs in scaled units, as :meth:`Sample.to_model_units` gives them.
    stop : int, optional
        How many points to walk.
    done : callable, optional
        Asked after each lambda, with the paths so far, whether they have gone far enough.
    stage : str
        What the training graphs are, for whoever watches.
    forks : sequence (per output) of Forks, optional
        Told where paths of smaller maxpat leave these.
    shared : list (per output) of lists of PathPoint, optional
        Paths of a larger maxpat, which told `forks`; up to there they are ours, too.

    Returns
    -------
    list (per output) of lists of PathPoint
    """
    task = Task(stage, rho, maxpat, prepared.starts)
    known = settings.watch.begin(task, prepared)
    if known is not None:
        return known
    outputs = range(len(prepared.sample.targets))
    here = [Here(None if forks is None else forks[output]) for output in outputs]
    begun = settings.watch.resume(task) or _parted(forks, shared, maxpat)
    if begun is not None:
        for each, fork in zip(here, begun.here, strict=True):
            if fork is not None:
                each.note(fork)

    def path(output: int) -> Iterator[PathPoint]:
        start = here[output].fork
        if begun is not None and start is not None:
            yield from begun.paths[output][: start.n_points]
        yield from lagra_path(
            prepared.graphs,
            prepared.sample.targets[output],
            loss=settings.loss,
            sample_weight=prepared.sample.weight,
            tree=prepared.store.tree,
            store=prepared.store,
            rho=rho,
            maxpat=maxpat,
            n_lambdas=settings.n_lambdas,
            lambda_min_ratio=settings.lambda_min_ratio,
            solver=settings.solver,
            learn_attributes=settings.learn_attributes,
            validation=(
                None
                if validation is None
                else (validation.graphs, validation.targets[output], validation.weight)
            ),
            max_epochs=settings.max_epochs,
            patience=settings.patience,
            tol=settings.tol,
            forks=here[output],
            start=start,
            covariates=prepared.sample.covariates,
            validation_covariates=None if validation is None else validation.covariates,
            covariate_penalty=settings.covariate_penalty,
        )

    prepared.store.tree.allow(settings.max_seconds)
    walks = [islice(path(output), stop) for output in outputs]
    paths: list[list[PathPoint]] = [[] for _ in walks]
    going = list(zip(walks, paths, strict=True))
    while going := [(steps, points) for steps, points in going if _advance(steps, points)]:
        settings.watch.step(task, prepared, paths)
        reached = [each.fork for each in here]
        if [fork and fork.n_points for fork in reached] == list(map(len, paths)):
            settings.watch.pause(task, prepared, Begun(paths, reached))
        if done is not None and done(paths):
            break
    settings.watch.end(task, paths)
    return paths


def _parted(forks: Sequence[Forks] | None, shared: Paths | None, maxpat: int) -> Begun | None:
    """Return what paths of this maxpat share with those of a larger one, if anything."""
    if forks is None or shared is None:
        return None
    here = [fork.at(maxpat) for fork in forks]
    return Begun(shared, here) if any(here) else None


def walk_affordable(
    sample: Sample,
    settings: Settings,
    *,
    rho: float,
    maxpat: int,
    starts: int = 1,
    validation: Sample | None = None,
) -> tuple[int, Prepared, Paths]:
    """Walk whole paths with patterns of up to maxpat nodes, as far as the search can afford them.

    Where its budget runs out, the walk goes on with smaller patterns, with a warning: before the
    first lambda on a new tree, later from where it was. Each size may use half of the time that is
    left, so that all together take little more than ``settings.max_seconds`` in searches.
    ``validation`` holds graphs in the user's units.
    """
    prepared: Prepared | None = None
    paths: Paths | None = None
    seconds = settings.max_seconds
    left = 0.0 if seconds is None else seconds
    forks: list[LastStop] = []
    for size in range(maxpat, 0, -1):
        if prepared is None:
            prepared = prepare(sample, settings, maxpat=size, starts=starts)
            forks = [LastStop(range(1, size)) for _ in sample.targets]
        held_out = None if validation is None else validation.to_model_units(prepared.input_spec)
        tree = prepared.store.tree
        share = None if seconds is None else max(left / 2.0, LEAST_SHARE * seconds)
        try:
            paths = walk(
                prepared,
                replace(settings, max_seconds=share),
                rho=rho,
                maxpat=size,
                validation=held_out,
                forks=forks,
                shared=paths,
            )
            if size == 1 or all(len(path) == settings.n_lambdas for path in paths):
                return size, prepared, paths
        except mining.BudgetError as error:
            if size == 1:
                raise
            _warn_of_budget(f"There is no path with maxpat={size}, because {error}")
            prepared = None  # what its tree holds of such patterns would be in the way
        left -= tree.seconds_spent
        _warn_of_budget(f"Went on with maxpat={size - 1}; larger graphlets are too many here.")
    raise AssertionError("maxpat is at least 1")


def _warn_of_budget(sentence: str) -> None:
    warnings.warn(sentence, RuntimeWarning, stacklevel=3)


def walk_maxpats(
    prepared: Prepared,
    settings: Settings,
    *,
    rho: float,
    maxpats: Sequence[int],
    validation: Sample | None = None,
    done: Callable[[Paths], bool] | None = None,
    stage: str = "fit",
) -> dict[int, Paths]:
    """Walk the paths of several maxpat at one rho, the largest first; arguments as in `walk`.

    As long as no larger pattern matters, they are the same path, and it is walked once. A maxpat
    too large for the budget of the search is left out, with a warning, if a smaller one is not.
    """
    ordered = sorted(set(maxpats), reverse=True)
    forks = [Forks(ordered[1:]) for _ in prepared.sample.targets]
    walked: dict[int, Paths] = {}
    shared: Paths | None = None
    for maxpat in ordered:
        try:
            shared = walked[maxpat] = walk(
                prepared,
                settings,
                rho=rho,
                maxpat=maxpat,
                validation=validation,
                done=done,
                stage=stage,
                forks=forks,
                shared=shared,
            )
        except mining.BudgetError as error:
            if maxpat == ordered[-1] and not walked:
                raise
            warnings.warn(
                f"There is no path with maxpat={maxpat}, because {error}",
                RuntimeWarning,
                stacklevel=2,
            )
    return walked


def _advance(path: Iterator[PathPoint], points: list[PathPoint]) -> bool:
    """Walk one step and note it; False at the end, or where the budget of the search runs out."""
    try:
        point = next(path, None)
    except mining.BudgetError as error:
        if not points:
            raise
        reached = points[-1].lam / points[-1].lam_max
        warnings.warn(
            f"The path ended at lambda / lambda_max = {reached:.3g}, because {error}",
            RuntimeWarning,
            stacklevel=2,
        )
        return False
    if point is None:
        return False
    points.append(point)
    logger.debug(
        "lambda %.4g: objective %.6g, %d graphlets, %.3f s",
        *(point.lam, point.objective, point.n_nonzero, point.seconds),
    )
    return True
