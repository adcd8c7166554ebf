"""Decisions for graphs that were held out: what probabilities and intervals are learned from.

Selection holds graphs out anyway, and its models of the chosen point are asked again for them. A
fit at a given point holds out nothing; there graphs are held out for this purpose, in a few folds
and with a path of a few lambdas, which costs less than the fit itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aglets.graphs.arrays import Floats, Rows
from aglets.graphs.notes import Notices
from aglets.mining import BudgetError
from aglets.model.average import average_models
from aglets.model.metrics import target_metrics
from aglets.model.model import LagraModel
from aglets.model.outputs import Outputs
from aglets.preprocessing.input_spec import InputSpec
from aglets.training.assembly import model_of
from aglets.training.averaging import Member
from aglets.training.fitting import Paths, Settings, Walk, prepare, walk
from aglets.training.relaxing import relaxed
from aglets.training.sample import Sample
from aglets.training.selection import Cell, FoldResult, Grid

__all__ = ["N_LAMBDAS", "HeldOut", "of_members", "of_model", "out_of_fold"]

#: Lambdas on the way to the one that counts: with 5, 10 and 20 of them the AUC of decisions for
#: held-out graphs is the same on the demo and on MUTAG.
N_LAMBDAS = 5


@dataclass(frozen=True)
class HeldOut:
    """Decisions for graphs that were not trained on, and the truth.

    Parameters
    ----------
    f : ndarray of shape (n_graphs, n_outputs)
    targets : ndarray of shape (n_outputs, n_graphs)
        NaN where the truth is unknown.
    sample_weight : ndarray of shape (n_graphs,)
        Without weights of classes.
    """

    f: Floats
    targets: Floats
    sample_weight: Floats

    @classmethod
    def joined(cls, parts: Sequence[HeldOut]) -> HeldOut:
        """Put the graphs of several parts together."""
        return cls(
            f=np.concatenate([part.f for part in parts]),
            targets=np.concatenate([part.targets for part in parts], axis=1),
            sample_weight=np.concatenate([part.sample_weight for part in parts]),
        )

    def metrics(self, outputs: Outputs) -> dict[str, Any]:
        """Compute the numbers that people quote; of several targets, those of each by its name."""
        found = {
            str(target.name): target_metrics(
                target, self.targets[at], self.f[:, at], self.sample_weight
            )
            for target, at in zip(outputs.targets, outputs.slices, strict=True)
        }
        return next(iter(found.values())) if len(found) == 1 else found

    def calibrate(self, model: LagraModel) -> LagraModel:
        """Return the model with what this says of its errors."""
        return model.with_held_out(self.f, self.targets, self.sample_weight)


def of_model(model: LagraModel, sample: Sample, n_jobs: int = 1) -> HeldOut:
    """Let a model decide on graphs in the user's units."""
    scaled = sample.to_model_units(model.input_spec)
    psi = np.asarray(model.agis_scaled(scaled.graphs, n_jobs=n_jobs))
    f = model.outputs.as_table(model.decision_from_agis(psi, sample.covariates))
    targets = np.where(sample.weights > 0.0, sample.targets, np.nan)
    targets *= model.outputs.units[:, None]
    return HeldOut(f, targets, sample.sample_weight)


def of_members(
    members: Sequence[Member],
    results: Sequence[FoldResult],
    held_out: Sequence[Sample],
    grid: Grid,
    outputs: Outputs,
    input_spec: InputSpec,
    *,
    made_smaller: Callable[[LagraModel], LagraModel] = lambda model: model,
    n_jobs: int = 1,
) -> HeldOut:
    """Let the models of every fold decide on the graphs that it held out.

    Parameters
    ----------
    members : sequence of Member
        The chosen point of the grid, or those of an average; of members that were chosen in a fold
        only those of that fold count.
    results : sequence (per fold) of FoldResult
    held_out : sequence (per fold) of Sample
    grid : Grid
    outputs : Outputs
    input_spec : InputSpec
    made_smaller : callable
        What is done to the fitted model, too.
    n_jobs : int
        Number of threads.
    """
    cells = grid.cells
    parts = []
    for fold, (result, sample) in enumerate(zip(results, held_out, strict=True)):
        own = [member for member in members if member.fold in (None, fold)]
        models = [
            _at(result.paths[cells.index(member.cell)], member.index, outputs, input_spec)
            for member in own
        ]
        weights = np.array([member.weight for member in own])
        model = average_models(models, weights / weights.sum()) if len(own) > 1 else models[0]
        parts.append(of_model(made_smaller(model), sample, n_jobs))
    return HeldOut.joined(parts)


def out_of_fold(
    sample: Sample,
    folds: Sequence[tuple[Rows, Rows]],
    settings: Settings,
    cell: Cell,
    outputs: Outputs,
    input_spec: InputSpec,
    *,
    relax: float = 1.0,
) -> HeldOut | None:
    """Train on every fold's training rows with a short path, and decide on its held-out rows.

    Parameters
    ----------
    sample : Sample
        In the user's units.
    folds : sequence of (training rows, held-out rows)
    settings : Settings
        Of the fit; the path ends at the same lambda / lambda_max.
    cell : Cell
        Starts, rho and maxpat of the fit.
    outputs : Outputs
        In the user's units.
    input_spec : InputSpec
        Labels and units of the fit.
    relax : float
        Part of the penalty with which coefficients are solved for again at the end.

    Returns
    -------
    HeldOut or None
        None if the budget of the search does not allow it.
    """
    onlooker = settings.callback.onlooker
    short = replace(
        settings,
        n_lambdas=min(N_LAMBDAS, settings.n_lambdas),
        callback=onlooker,
        notices=Notices(),  # the fit itself has said it all
    )
    onlooker.expect([short.n_lambdas] * len(folds))
    parts = []
    for fold, (train, held_out) in enumerate(folds):
        plan = Walk(cell.rho, cell.maxpat, stage=f"calibration {fold}")
        try:
            ends = _ends(sample[train], short, plan, cell.starts, input_spec, relax)
        except BudgetError:
            return None
        model = _at(ends, 0, outputs, input_spec)
        parts.append(of_model(model, sample[held_out], settings.n_jobs))
    return HeldOut.joined(parts)


def _ends(
    sample: Sample,
    settings: Settings,
    plan: Walk,
    starts: int,
    input_spec: InputSpec,
    relax: float,
) -> Paths:
    """Walk paths to their end; the tree is gone before another fold plants its own."""
    training_set = prepare(
        sample, settings, maxpat=plan.maxpat, starts=starts, input_spec=input_spec
    )
    ends = [path[-1:] for path in walk(training_set, settings, plan)]
    if relax < 1.0:
        [ends] = relaxed(training_set, settings, plan, ends, [relax])
    return ends


def _at(paths: Paths, index: int, outputs: Outputs, input_spec: InputSpec) -> LagraModel:
    """Return the model at a point of the paths; one that ended before stays at its end."""
    return model_of([path[min(index, len(path) - 1)] for path in paths], [], input_spec, outputs)
