"""How far to trust a graphlet: how often it is found again in subsamples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone

from aglets.graphlets import Graphlet, agis
from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats
from aglets.graphs.notes import Notices, recorded
from aglets.model import LagraModel
from aglets.training.stratify import marks_of, stratified_parts

__all__ = ["stability_of"]


def stability_of(
    estimator: Any,
    graphs: GraphSet,
    y: NDArray[Any],
    *,
    n_rounds: int,
    fraction: float,
    random_state: Any,
    n_jobs: int | None,
    covariates: NDArray[Any] | None = None,
) -> Floats:
    """Fit on subsamples, and count for each graphlet how often it or one around it comes back."""
    rng = np.random.default_rng(random_state)
    rows = [_subsample(rng, y, fraction, estimator) for _ in range(n_rounds)]
    template = clone(estimator).set_params(n_jobs=1, verbose=0)
    if isinstance(estimator.loss, Mapping):  # subsamples have no names of targets
        template.set_params(loss=[target.loss for target in estimator.outputs_.targets])
    template.set_params(relax=False)  # only graphlets are counted
    if hasattr(estimator, "calibration"):
        template.set_params(calibration=None)
    # What was chosen on all graphs stays, if it is one point of the grid.
    if hasattr(estimator, "rho_") and estimator.average == "none":
        template.set_params(
            starts=estimator.starts_,
            rhos=(estimator.rho_,),
            maxpats=(estimator.maxpat_,),
            pooling=estimator.pooling_,
            count_scale=estimator.count_scale_,
        )
    template.set_params(node_labels=estimator.node_labels_)
    fits = Parallel(n_jobs=n_jobs)(
        delayed(_refitted)(
            clone(template), graphs[part], y[part], None if covariates is None else covariates[part]
        )
        for part in rows
    )
    found = np.zeros(len(estimator.model_.graphlets))
    with Notices() as together:
        for model, notices in fits:
            found += _comes_back(estimator.model_, model)
            together.extend(notices)
    return found / n_rounds


def _refitted(
    estimator: Any, graphs: GraphSet, y: NDArray[Any], covariates: NDArray[Any] | None
) -> tuple[LagraModel, Notices]:
    with recorded() as notices:
        model: LagraModel = estimator.fit(graphs, y, covariates=covariates).model_
    return model, notices


def _subsample(
    rng: np.random.Generator, y: NDArray[Any], fraction: float, estimator: Any
) -> NDArray[np.intp]:
    """Draw the same part of every class, at least two graphs of each."""
    outputs = estimator.outputs_
    if len(outputs.targets) > 1:
        marks = marks_of(y, [target.classes is not None for target in outputs.targets])
        part = stratified_parts(marks, [fraction, 1.0 - fraction], rng)
        return _completed(np.flatnonzero(part == 0), marks, rng)
    if outputs.single.classes is None:
        return np.sort(rng.permutation(len(y))[: max(2, round(fraction * len(y)))])
    parts = []
    for value in outputs.single.classes:
        rows = np.flatnonzero(y == value)
        parts.append(rng.permutation(rows)[: max(2, round(fraction * len(rows)))])
    return np.sort(np.concatenate(parts))


def _completed(
    rows: NDArray[np.intp], marks: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Add graphs until there are two of each class, if the set has so many."""
    chosen = np.zeros(len(marks), dtype=bool)
    chosen[rows] = True
    for mark in marks.T:
        lacking = 2 - int((mark & chosen).sum())
        if lacking > 0:
            chosen[rng.permutation(np.flatnonzero(mark & ~chosen))[:lacking]] = True
    return np.flatnonzero(chosen)


def _comes_back(model: LagraModel, other: LagraModel) -> NDArray[np.bool_]:
    """Whether the other model has each graphlet's structure, or one around it, with its sign."""
    back = np.zeros(len(model.graphlets), dtype=bool)
    if not model.graphlets or not other.graphlets:
        return back
    hosts = [graphlet.pattern for graphlet in other.graphlets]
    inside = agis(hosts, _bare(model.graphlets), rho=1.0) > 0.0
    # The sign is that for the output it serves most.
    own = np.sign(model.coef[model.output, np.arange(len(model.graphlets))])
    alike = own[None] == np.sign(other.coef[model.output]).T
    alike &= _counts(other)[:, None] == _counts(model)[None]
    return np.asarray((inside & alike).any(axis=0))


def _bare(graphlets: Sequence[Graphlet]) -> list[Graphlet]:
    return [Graphlet(labels=h.labels, edges=h.edges, edge_labels=h.edge_labels) for h in graphlets]


def _counts(model: LagraModel) -> NDArray[np.bool_]:
    """Whether each graphlet counts its places: one that does says something else."""
    return np.array([graphlet.pooling != "best" for graphlet in model.graphlets], dtype=bool)
