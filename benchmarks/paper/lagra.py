"""The rows of LAGRA: parameters of `LagraClassifierCV`, a dictionary each."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from aglets import GraphSet, LagraClassifierCV

from .protocol import Fitted, Ready, Split

#: The paper's grid on raw attributes, with the smaller of its two maxpat.
PAPER_5: dict[str, Any] = {
    "scale": "none",
    "starts": 1,
    "rhos": (1.0, 0.5, 0.1, 0.05, 0.01),
    "maxpats": (5,),
}

#: Maxpat 10 takes hours where graphs are dense, so each path may search for so many seconds.
PAPER: dict[str, Any] = {**PAPER_5, "maxpats": (5, 10), "max_seconds": 2.0}

#: Of the points of the chosen path, every so many are tested for the curve of interpretability.
EVERY = 4

ROWS: dict[str, dict[str, Any]] = {
    "lagra-paper": PAPER,
    "lagra-paper-5": PAPER_5,
    "lagra-default": {},
    "lagra-greedy": {"average": "greedy"},
    "lagra-best": {"average": "folds", "cv": 5, "random_state": 0},
    "lagra-fixed": {"learn_attributes": False},
    "lagra-one-start": {"starts": 1},
    "lagra-raw": {"scale": "none"},
}

#: A small grid, to see that everything runs.
SMALL: dict[str, Any] = {"rhos": (0.5, 0.1), "maxpats": (3,), "n_lambdas": 20, "starts": 1}


def row(parameters: dict[str, Any]) -> Callable[[GraphSet, np.ndarray], Ready]:
    """Choose on the given validation graphs, and train on none of them.

    Where folds are asked for, they are made of training and validation graphs together, and the
    chosen model has seen all of both.
    """
    folds = "cv" in parameters

    def prepare(graphs: GraphSet, y: np.ndarray) -> Ready:
        def fit(parts: Split) -> Fitted:
            held_out = (graphs[parts.validation], y[parts.validation])
            if folds:
                rows = np.sort(np.concatenate([parts.train, parts.validation]))
                model, given = LagraClassifierCV(**parameters, n_jobs=1), {}
            else:
                rows = parts.train
                model = LagraClassifierCV(**parameters, refit=False, n_jobs=1)
                given = {"validation": held_out}
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                model.fit(graphs[rows], y[rows], **given)
            return Fitted(
                lambda rows: model.predict(graphs[rows]),
                None if folds else model.score(*held_out),
                {**choice(model), "cut": cut(caught), "left_out": left_out(model)},
                None if folds else lambda rows: curve(model, graphs[rows], y[rows]),
            )

        return Ready(fit)

    return prepare


def choice(model: LagraClassifierCV) -> dict[str, Any]:
    """Return the chosen point, and the size of the model."""
    return {
        "graphlets": len(model.graphlets_),
        "starts": model.starts_,
        "rho": model.rho_,
        "maxpat": model.maxpat_,
        "lambda_ratio": round(model.lambda_ratio_, 4),
    }


def cut(caught: Sequence[warnings.WarningMessage]) -> int:
    """Count the searches that ran out of budget: a warning says how many there were, if several."""
    texts = [str(one.message) for one in caught if issubclass(one.category, RuntimeWarning)]
    several = [re.search(r"the first of (\d+) such cases", text) for text in texts]
    return sum(1 if found is None else int(found[1]) for found in several)


def left_out(model: LagraClassifierCV) -> dict[int, int]:
    """Count by maxpat the paths of the grid that the budget left out altogether."""
    points = model.cv_results_
    cells = np.column_stack([points[name] for name in ("starts", "rho", "maxpat")])
    known, of = np.unique(cells, axis=0, return_inverse=True)
    walked = np.unique(of[np.isfinite(points["mean_validation_loss"])])
    return dict(Counter(int(maxpat) for maxpat in np.delete(known[:, 2], walked)))


def curve(model: LagraClassifierCV, graphs: GraphSet, y: np.ndarray) -> list[dict[str, float]]:
    """Test points of the chosen path; averages have none."""
    points = list(enumerate(getattr(model, "path_", [])))[::EVERY]
    return [
        {
            "graphlets": point.n_nonzero,
            "validation_loss": round(float(point.validation_loss), 3),
            "accuracy": round(float(np.mean(model.model_at(i).predict(graphs) == y)), 4),
        }
        for i, point in points
    ]


METHODS = {name: row(parameters) for name, parameters in ROWS.items()}
QUICK = {name: row({**parameters, **SMALL}) for name, parameters in ROWS.items()}
