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
from aglets.model.target import Target
from aglets.training.sample import Sample

__all__ = ["FOLD_PARAMETERS", "make_folds"]


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
    sample: Sample, target: Target, cv: Any, *, validation_fraction: float, random_state: Any
) -> list[tuple[Rows, Rows]]:
    """List (training rows, held-out rows); arguments as in :class:`LagraClassifierCV`.

    Parts keep the proportions of classes.
    """
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


def _too_few(cv: Any, codes: Any, n_graphs: int) -> str:
    part = "a part" if isinstance(cv, str) else f"{cv} parts in turn"
    of_class = ""
    if codes is not None:
        counts = np.unique(codes, return_counts=True)[1]
        of_class = f" in {len(counts)} classes, the smallest of {counts.min()}"
    return (
        f"Expected enough graphs to hold out {part} with every class on both sides, got "
        f"{n_graphs}{of_class}; give more graphs, or a smaller cv or larger validation_fraction, "
        "or fit LagraClassifier or LagraRegressor, which hold out nothing."
    )
