"""The whole grid on held-out graphs, and from there to one model or an average."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.estimators._base import BaseLagra, LabelledTask
from aglets.estimators._folds import FOLD_PARAMETERS, make_folds
from aglets.estimators._grids import GRID_PARAMETERS, ChannelOptions, grid_for
from aglets.estimators._parameters import (
    Condition,
    check_parameters,
    either,
    floats,
    integers,
    one_of,
)
from aglets.estimators._relaxing import best_part, costs_of_parts, parts_of
from aglets.graphs import GraphSet, as_graph_set
from aglets.graphs.arrays import Floats
from aglets.graphs.threads import n_threads
from aglets.model import LagraModel
from aglets.model.average import average_models
from aglets.model.compacting import compact
from aglets.model.metrics import METRICS, Metric, metric_named
from aglets.preprocessing.input_spec import InputSpec
from aglets.preprocessing.node_labels import NodeLabels, label_nodes, lacks_labels
from aglets.training.assembly import model_of
from aglets.training.averaging import Member, fold_members, greedy_members
from aglets.training.fitting import (
    FitCallback,
    Paths,
    Settings,
    Walk,
    learn_input_spec,
    prepare,
)
from aglets.training.grid_walks import evaluate_folds, walk_cells
from aglets.training.held_out import HeldOut, of_members, of_model
from aglets.training.path import Validation
from aglets.training.point_graphlets import only_those_of
from aglets.training.relaxing import relaxed
from aglets.training.sample import Sample
from aglets.training.selection import (
    Cell,
    Choice,
    FoldResult,
    Grid,
    choose,
    costs,
    further_cells,
)
from aglets.training.standard_error import standard_error

__all__ = ["GRID", "OverGrid"]


GRID: Mapping[str, Condition] = {
    **GRID_PARAMETERS,
    **FOLD_PARAMETERS,
    "lambda_min_ratio": either(one_of("auto"), floats(0.0, 1.0)),
    "select": one_of("loss", "score"),
    "scoring": one_of(*METRICS, None),
    "rule": one_of("best", "one_se"),
    "refit": one_of(True, False),
    "average": one_of("none", "greedy", "folds"),
    "max_graphlets": either(integers(1), one_of(None)),
}

#: Folds of ``average="folds"`` where no number was given.
N_AVERAGED = 5

#: The last lambda as part of lambda_max; where graphlets count, large counts make lambda_max large,
#: and most graphlets come in further down.
MIN_RATIO, COUNT_MIN_RATIO = 0.01, 0.001

#: Rows to train on, and rows held out.
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]

#: What a fit has if it ends on one path, and what if it is an average.
OF_A_PATH = ("path_", "lambdas_", "lambda_", "lambda_max_", "objective_")
OF_AN_AVERAGE = ("members_",)


@dataclass(frozen=True)
class Judged:
    """The grid as it did on held-out graphs."""

    grid: Grid
    input_spec: InputSpec
    settings: Settings
    trained: Sequence[Sample]
    held_out: Sequence[Sample]
    results: Sequence[FoldResult]


class OverGrid(BaseLagra):
    """Evaluates the grid on held-out graphs, takes the best point, fits it on all graphs."""

    def grid(self, X: Any) -> Grid:
        """Spell out the grid that :meth:`fit` will try on these graphs."""
        check_parameters(self, self._conditions)
        graphs = as_graph_set(X)
        return self._grid(label_nodes(graphs, self._labellings(graphs)[0]))

    def _grid(self, graphs: GraphSet) -> Grid:
        return grid_for(
            graphs,
            starts=1 if self.starts == "auto" and self._targets_share() else self.starts,
            rhos=self.rhos,
            maxpats=self.maxpats,
            scale=self.scale,
            channels=ChannelOptions(
                pooling=self._default_pooling if self.pooling == "auto" else tuple(self.pooling),
                # Covariates count already; with counts of graphlets next to them paths are slow.
                open_pooling=self.pooling == "auto" and not self._has_covariates(),
                count_scale=self.count_scale,
            ),
        )

    def _targets_share(self) -> bool:
        """Whether several targets share graphlets: several starts would take most of the time."""
        outputs = getattr(self, "outputs_", None)
        return outputs is not None and len(outputs.targets) > 1 and self._sharing() is not None

    def _labellings(self, graphs: GraphSet) -> list[NodeLabels]:
        """Return both ways where attributes may do better alone, or with degrees next to them."""
        found = super()._labellings(graphs)
        both = self.node_labels == "auto" and found == ["none"] and lacks_labels(graphs)
        return ["none", "degree"] if both else found

    def _fit_tasks(
        self, tasks: Sequence[LabelledTask], callback: FitCallback
    ) -> tuple[LabelledTask, HeldOut | None]:
        """Judge the grid with each way to label nodes, and go on with the best."""
        own = tasks[0].validation is not None
        if own and self.average == "folds":
            raise ValueError(
                "average='folds' needs folds of the training graphs. Got validation graphs "
                "instead; leave them out, or set average='greedy'."
            )
        if self.relax is not False and self.average != "none":
            raise ValueError(
                "relax needs average='none', for the members of an average have penalties of their "
                f"own. Got average={self.average!r}; set relax=False, or average='none'."
            )
        # With graphs held out by the user everything else was trained on already.
        ready = self.average == "folds" or own or not self.refit
        folds = [] if own else self._folds(tasks[0].sample)
        n_paths = self._n_paths(tasks) * max(len(folds), 1) + (not ready)
        callback.expect([int(self.n_lambdas)] * n_paths)
        judged = []
        for task in tasks:
            self._take(task)
            judged.append(self._judge(task, folds, callback))
        by_score = self._by_score
        best = int(np.argmin([costs(each.results, by_score=by_score).min() for each in judged]))
        self._take(tasks[best])
        return tasks[best], self._finish(tasks[best].sample, judged[best], callback, ready=ready)

    def _n_paths(self, tasks: Sequence[LabelledTask]) -> int:
        """How many paths a fold has."""
        n_paths = 0
        for task in tasks:
            self._take(task)
            n_paths += self._grid(task.sample.graphs).n_paths
        return n_paths

    def _finish(
        self, sample: Sample, judged: Judged, callback: FitCallback, *, ready: bool
    ) -> HeldOut:
        """Choose a point of the grid, or members of an average, and fit them on all graphs."""
        choice = self._choose(judged)
        members = self._members(judged, choice)
        if ready:
            rows = [judged.grid.cells.index(member.cell) for member in members]
            paths = [
                judged.results[member.fold or 0].paths[row]
                for member, row in zip(members, rows, strict=True)
            ]
        else:
            paths = self._refitted(sample, members, judged.input_spec, callback)
        for name in (*OF_A_PATH, *OF_AN_AVERAGE):
            if hasattr(self, name):
                delattr(self, name)
        if self.average == "none":
            asked = max(cell.maxpat for cell in judged.grid.cells)
            self._store(paths[0], choice.index, judged.input_spec, asked)
        else:
            self._store_average(members, paths, judged.input_spec)
        if self.max_graphlets is not None and len(self.graphlets_) > self.max_graphlets:
            self._keep(self._made_smaller(self.model_, sample.graphs))
        self.relax_ = 1.0
        if parts := parts_of(self.relax):
            trained = judged.trained[0] if ready else sample
            return self._relax(parts, judged, choice, trained, paths[0], sample.graphs)
        return of_members(
            members,
            judged.results,
            judged.held_out,
            judged.grid,
            self.outputs_,
            judged.input_spec,
            made_smaller=lambda model: self._made_smaller(model, sample.graphs),
            n_jobs=n_threads(self.n_jobs),
        )

    def _relax(
        self,
        parts: tuple[float, ...],
        judged: Judged,
        choice: Choice,
        trained: Sample,
        paths: Paths,
        graphs: GraphSet,
    ) -> HeldOut:
        """Solve for the coefficients again, with the part of the penalty that does best.

        Which that is was seen on the held-out graphs of every fold, whose points of the grid are
        made smaller, if the fitted model is, and relaxed alike.
        """
        row, metric, input_spec = choice.position, self._metric(), judged.input_spec
        costs, models = [], []
        for train, held_out, result in zip(
            judged.trained, judged.held_out, judged.results, strict=True
        ):
            ends = [[path[min(choice.index, len(path) - 1)]] for path in result.paths[row]]
            scaled = held_out.to_model_units(input_spec)
            validation = Validation(scaled, keep_f=metric is not None)
            found = self._relaxed(parts, judged, choice, train, ends, graphs, validation)
            options: dict[str, Any] = {"by_score": self._by_score, "metric": metric}
            outputs = judged.settings.outputs
            costs.append(costs_of_parts(found, outputs, input_spec, scaled, **options))
            models.append([self._model_of_ends(each, input_spec) for each in found])
        best = best_part(costs)
        self.relax_ = parts[best]
        whole = self.max_graphlets is None
        if not whole:
            paths = [[path[min(choice.index, len(path) - 1)]] for path in paths]
        [paths] = self._relaxed(parts[best : best + 1], judged, choice, trained, paths, graphs)
        if whole:
            asked = max(cell.maxpat for cell in judged.grid.cells)
            self._store(paths, choice.index, input_spec, asked)
        else:
            model = self._model_of_ends(paths, input_spec)
            self._keep(replace(model, search=self.model_.search))
        n_jobs = n_threads(self.n_jobs)
        pairs = zip(models, judged.held_out, strict=True)
        return HeldOut.joined([of_model(own[best], sample, n_jobs) for own, sample in pairs])

    def _relaxed(
        self,
        parts: Sequence[float],
        judged: Judged,
        choice: Choice,
        sample: Sample,
        paths: Paths,
        graphs: GraphSet,
        validation: Validation | None = None,
    ) -> list[Paths]:
        """Relax points that were trained on a sample, those of smaller models if asked for."""
        cell, input_spec = choice.cell, judged.input_spec
        settings = cell.settings(judged.settings)
        if self.max_graphlets is not None:
            ends = [path[-1] for path in paths]
            model = model_of(ends, [], input_spec, self.outputs_)
            small = self._made_smaller(model, graphs)
            paths = [[point] for point in only_those_of(small, ends, input_spec)]
        training_set = prepare(
            sample, settings, maxpat=cell.maxpat, starts=cell.starts, input_spec=input_spec
        )
        plan = Walk(cell.rho, cell.maxpat, validation)
        return relaxed(training_set, settings, plan, paths, parts)

    def _model_of_ends(self, paths: Paths, input_spec: InputSpec) -> LagraModel:
        return model_of([path[-1] for path in paths], [], input_spec, self.outputs_)

    def _made_smaller(self, model: LagraModel, graphs: GraphSet) -> LagraModel:
        if self.max_graphlets is None or len(model.graphlets) <= self.max_graphlets:
            return model
        return compact(model, graphs, self.max_graphlets, n_jobs=n_threads(self.n_jobs))

    def _judge(self, task: LabelledTask, folds: Sequence[Fold], callback: FitCallback) -> Judged:
        """Walk the paths of the whole grid, and judge every point on held-out graphs.

        The best cell of each number of starts is then tried with the further channels.
        """
        sample, validation = task.sample, task.validation
        grid = self._grid(sample.graphs)
        by_score, metric = self._by_score, self._metric()
        keep_f = self.average != "none" or self.rule == "one_se"
        settings = self._grid_settings(callback)
        input_spec = learn_input_spec(sample, settings)
        options: dict[str, Any] = {"input_spec": input_spec, "keep_f": keep_f}
        options |= {"by_score": by_score, "metric": metric}

        held_out = [validation] if validation is not None else [sample[rows] for _, rows in folds]
        trained = [sample] if validation is not None else [sample[rows] for rows, _ in folds]
        pairs = list(zip(trained, held_out, strict=True))

        def results_of(part: Grid, required: bool = True) -> list[FoldResult]:
            found = evaluate_folds(
                pairs, part, settings, **options, required=required, n_jobs=self.n_jobs
            )
            for result in found:  # folds may have been in other processes
                settings.notices.extend(result.notices)
            return found

        results = results_of(grid)
        if more := further_cells(results, grid, by_score=by_score):
            others = results_of(replace(grid, maxpats={}, extra=more), required=False)
            results = [one.joined(other) for one, other in zip(results, others, strict=True)]
            grid = replace(grid, extra=more)
        return Judged(grid, input_spec, settings, trained, held_out, results)

    @property
    def _by_score(self) -> bool:
        """Whether points are chosen by a score rather than by the loss."""
        return self.select == "score" or self.scoring is not None

    def _metric(self) -> Metric | None:
        """Return what ``scoring`` names."""
        if self.scoring is None:
            return None
        classes = any(target.classes is not None for target in self.outputs_.targets)
        return metric_named(self.scoring, classes=classes)

    def _choose(self, judged: Judged) -> Choice:
        """Take the best point, or the sparsest of those nearly as good."""
        by_score, grid, results = self._by_score, judged.grid, judged.results
        choice = choose(results, grid, by_score=by_score)
        if self.rule == "one_se":
            if self.scoring is not None and len(results) == 1:
                raise ValueError(
                    f"rule='one_se' with scoring={self.scoring!r} needs several folds, over which "
                    "the standard error is taken. Got a single hold-out; set cv=5."
                )
            self.standard_error_ = standard_error(
                results, judged.held_out, choice, self.outputs_, by_score=by_score
            )
            choice = choose(results, grid, by_score=by_score, slack=self.standard_error_)
        self.starts_, self.rho_, self.maxpat_, self.pooling_, self.count_scale_ = choice.cell
        self.lambda_ratio_ = float(ratios(judged.settings, choice.cell)[choice.index])
        self.cv_results_ = table(results, grid, judged.settings)
        self.best_index_ = choice.position * judged.settings.n_lambdas + choice.index
        return choice

    def _members(self, judged: Judged, choice: Choice) -> list[Member]:
        if self.average == "none":
            return [Member(None, choice.cell, choice.index, 1.0)]
        find = fold_members if self.average == "folds" else greedy_members
        return find(judged.results, judged.held_out, judged.grid, self.outputs_)

    def _has_covariates(self) -> bool:
        """Whether covariates are asked for, or were given to fit."""
        return self.covariates is not None or getattr(self, "covariates_", None) is not None

    def _grid_settings(self, callback: FitCallback, n_jobs: int | None = None) -> Settings:
        if self.lambda_min_ratio != "auto":
            ratio = float(self.lambda_min_ratio)
            return self._settings(lambda_min_ratio=ratio, callback=callback, n_jobs=n_jobs)
        settings = self._settings(lambda_min_ratio=MIN_RATIO, callback=callback, n_jobs=n_jobs)
        if self._has_covariates():
            return settings
        return replace(settings, count_min_ratio=COUNT_MIN_RATIO)

    def _refitted(
        self,
        sample: Sample,
        members: Sequence[Member],
        input_spec: InputSpec,
        callback: FitCallback,
    ) -> list[Paths]:
        """Walk the paths of all members again on all graphs."""
        settings = self._grid_settings(callback)
        stops: dict[Cell, int] = {}
        for member in members:
            stops[member.cell] = max(stops.get(member.cell, 0), member.index + 1)
        callback.expect(list(stops.values()))
        walked = walk_cells(sample, stops, settings, input_spec)
        return [walked[member.cell] for member in members]

    def _store_average(
        self, members: Sequence[Member], paths: Sequence[Paths], input_spec: InputSpec
    ) -> None:
        """Keep the mean of the members as the fitted model, which has no path of its own."""
        models = []
        self.n_iter_ = 0
        for member, of_outputs in zip(members, paths, strict=True):
            points = [path[min(member.index, len(path) - 1)] for path in of_outputs]
            models.append(model_of(points, [], input_spec, self.outputs_))
            self.n_iter_ += sum(p.n_epochs for path in of_outputs for p in path[: member.index + 1])
        self.members_ = list(members)
        self._keep(average_models(models, [member.weight for member in members]))

    def _folds(self, sample: Sample) -> list[Fold]:
        one_part = isinstance(self.cv, str)
        folds = make_folds(
            sample,
            self.outputs_,
            N_AVERAGED if one_part and self.average == "folds" else self.cv,
            validation_fraction=self.validation_fraction,
            random_state=self.random_state,
        )
        if len(folds) == 1 and self.average == "folds":
            raise ValueError(
                "average='folds' needs several folds. Got a cv with a single one; set cv=5, or "
                "average='greedy'."
            )
        if len(folds) > 1 and not self.refit and self.average != "folds":
            raise ValueError(
                f"refit=False needs a single hold-out, for its model is then the answer. "
                f"Got {len(folds)} folds; set refit=True or cv='holdout'."
            )
        return folds


def ratios(settings: Settings, cell: Cell) -> Floats:
    """List lambda / lambda_max along the path of a cell."""
    return np.geomspace(1.0, cell.settings(settings).min_ratio, settings.n_lambdas)


def table(results: Sequence[FoldResult], grid: Grid, settings: Settings) -> dict[str, NDArray[Any]]:
    """Tabulate the grid: one row per cell and lambda, means over folds."""
    cells, n = grid.cells, settings.n_lambdas

    def mean(name: str) -> Floats:
        return np.asarray(np.mean([getattr(result, name) for result in results], axis=0)).ravel()

    return {
        "starts": np.repeat([cell.starts for cell in cells], n),
        "rho": np.repeat([cell.rho for cell in cells], n),
        "maxpat": np.repeat([cell.maxpat for cell in cells], n),
        "pooling": np.repeat(["+".join(cell.pooling) for cell in cells], n),
        "count_scale": np.repeat([cell.count_scale for cell in cells], n),
        "lambda_ratio": np.concatenate([ratios(settings, cell) for cell in cells]),
        "mean_validation_loss": mean("loss"),
        "mean_validation_score": mean("score"),
        "mean_n_nonzero": mean("n_nonzero"),
    }
