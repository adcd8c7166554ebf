"""Which graphs are held out to choose on."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.model_selection import (
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)

from aglets.estimators._parameters import Condition, either, floats, integers, one_of
from aglets.graphs.arrays import Rows
from aglets.graphs.leaks import LeakWarning, is_contiguous, order_leak
from aglets.graphs.order import content_order
from aglets.model.outputs import Outputs
from aglets.training.sample import Sample
from aglets.training.stratify import marks_of_sample, stratified_folds, stratified_parts

__all__ = ["FOLD_PARAMETERS", "folds_by_content", "make_folds"]


FOLD_PARAMETERS: Mapping[str, Condition] = {
    "cv": either(
        one_of("holdout"),
        integers(2),
        Condition(
            lambda value: (
                not isinstance(value, str)
                and (hasattr(value, "split") or hasattr(value, "__iter__"))
            ),
            "a splitter or a list of (train, test) positions",
        ),
    ),
    "validation_fraction": floats(0.0, 1.0),
}


def make_folds(
    sample: Sample, outputs: Outputs, cv: Any, *, validation_fraction: float, random_state: Any
) -> list[tuple[Rows, Rows]]:
    """List (training rows, held-out rows); arguments as in :class:`LagraClassifierCV`.

    Parts keep the proportions of classes, of every target if there are several.
    """
    if len(outputs.targets) > 1 or sample.has_gaps:
        return _folds_of_several(
            sample,
            outputs,
            cv,
            validation_fraction=validation_fraction,
            random_state=random_state,
        )
    target = outputs.single
    stratify = target.classes is not None
    codes = target.decided(sample.targets.T) if stratify else sample.targets[0]
    rows = np.arange(len(sample.graphs))
    if isinstance(cv, str):
        hold_out = StratifiedShuffleSplit if stratify else ShuffleSplit
        splitter = hold_out(1, test_size=validation_fraction, random_state=random_state)
    elif isinstance(cv, (int, np.integer)):
        # Files are often sorted by class or by series: never cut them contiguously.
        k_fold = StratifiedKFold if stratify else KFold
        splitter = k_fold(int(cv), shuffle=True, random_state=random_state)
    else:
        splitter = check_cv(cv, codes, classifier=stratify)
    try:
        folds: list[tuple[Rows, Rows]] = list(splitter.split(rows, codes))
    except ValueError as error:
        if not isinstance(cv, (str, int, np.integer)):
            raise  # the message of the user's own splitter is the best one
        raise ValueError(_too_few(cv, codes if stratify else None, len(rows))) from error
    if stratify and all(is_contiguous(np.asarray(held_out)) for _, held_out in folds):
        leak = order_leak(codes.astype(int))
        if leak is not None:
            warnings.warn(leak, LeakWarning, stacklevel=2)
    return folds


def _folds_of_several(
    sample: Sample, outputs: Outputs, cv: Any, *, validation_fraction: float, random_state: Any
) -> list[tuple[Rows, Rows]]:
    """List folds for several targets, or one with gaps; every training part knows all of them."""
    marks = marks_of_sample(sample, outputs)
    n_graphs = len(sample.graphs)
    if isinstance(cv, str):
        sizes = [1.0 - validation_fraction, validation_fraction]
        part = stratified_parts(marks, sizes, random_state)
        folds = [(np.flatnonzero(part == 0), np.flatnonzero(part == 1))]
    elif isinstance(cv, (int, np.integer)):
        folds = stratified_folds(marks, int(cv), random_state)
    else:
        folds = list(check_cv(cv).split(np.arange(n_graphs), sample.targets.T))
    names = [f" of the target {t.name!r}" if t.name else "" for t in outputs.targets]
    for target, rows, name in zip(outputs.targets, outputs.slices, names, strict=True):
        known = sample.weights[rows.start] > 0.0
        codes = target.decided(sample.targets[rows].T) if target.classes is not None else None
        for train, held_out in folds:
            own = np.asarray(train)[known[train]]
            enough = len(own) > 0 if codes is None else len(np.unique(codes[own])) > 1
            if not enough or not len(held_out):
                counted = None if codes is None else codes[known]
                raise ValueError(_too_few(cv, counted, int(known.sum()), name))
    return folds


def folds_by_content(sample: Sample, outputs: Outputs, n_folds: int) -> list[tuple[Rows, Rows]]:
    """List (training rows, held-out rows) that do not depend on the order of the graphs.

    There are fewer folds if a class has fewer graphs, and none at all if it has only one. Graphs
    without weight are left out.
    """
    columns = () if sample.covariates is None else sample.covariates.T
    order = content_order(sample.graphs, *sample.targets, *sample.weights, *columns)
    order = order[(sample.weights[:, order] > 0.0).any(axis=0)]
    own = sample[order]
    codes = [_class_codes(own, outputs, k) for k in range(len(outputs.targets))]
    n_folds = min(n_folds, *(int(np.bincount(each[each >= 0]).min()) for each in codes))
    if n_folds < 2:
        return []
    if len(codes) > 1 or own.has_gaps:
        folds = stratified_folds(marks_of_sample(own, outputs), n_folds, 0)
    else:
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=0)
        folds = list(splitter.split(codes[0], codes[0]))
    whole = all(
        len(np.unique(each[train][each[train] >= 0])) == len(np.unique(each[each >= 0]))
        for train, _ in folds
        for each in codes
    )
    return [(order[train], order[held]) for train, held in folds] if whole else []


def _class_codes(sample: Sample, outputs: Outputs, target: int) -> Rows:
    """Return the classes of a target as numbers from 0, those that occur; -1 if unknown."""
    rows = outputs.slices[target]
    known = sample.weights[rows.start] > 0.0
    codes = np.full(len(known), -1, dtype=np.intp)
    if outputs.targets[target].classes is None:
        codes[known] = 0
    else:
        found = outputs.targets[target].decided(sample.targets[rows][:, known].T)
        codes[known] = np.unique(found, return_inverse=True)[1].reshape(-1)
    return codes


def _too_few(cv: Any, codes: Any, n_graphs: int, of_target: str = "") -> str:
    part = f"{cv} parts in turn" if isinstance(cv, (int, np.integer)) else "a part"
    of_class = ""
    if codes is not None:
        counts = np.unique(codes, return_counts=True)[1]
        of_class = f" in {len(counts)} classes, the smallest of {counts.min()}"
    return (
        f"Expected enough graphs{of_target} to hold out {part} with every class on both sides, got "
        f"{n_graphs}{of_class}; give more graphs, or a smaller cv or larger validation_fraction, "
        "or fit LagraClassifier or LagraRegressor, which hold out nothing."
    )
