"""The rows of LAGRA: parameters of `LagraClassifierCV`, a dictionary each."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from aglets import GraphSet, LagraClassifierCV

from .protocol import Fitted, Ready, Split

#: The paper's grid on raw attributes. Its maxpat 10 takes hours where graphs are dense.
PAPER: dict[str, Any] = {
    "scale": "none",
    "starts": 1,
    "rhos": (1.0, 0.5, 0.1, 0.05, 0.01),
    "maxpats": (5, 10),
}

#: Of the points of the chosen path, every so many are tested for the curve of interpretability.
EVERY = 4

ROWS: dict[str, dict[str, Any]] = {
    "lagra-paper": PAPER,
    "lagra-paper-5": {**PAPER, "maxpats": (5,)},
    "lagra-default": {},
    "lagra-greedy": {"average": "greedy"},
    "lagra-best": {"average": "folds", "cv": 5, "covariates": "size"},
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
                rows = np.concatenate([parts.train, parts.validation])
                model = LagraClassifierCV(**parameters, n_jobs=1, random_state=parts.seed)
                given = {}
            else:
                rows = parts.train
                model = LagraClassifierCV(**parameters, refit=False, n_jobs=1)
                given = {"validation": held_out}
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                model.fit(graphs[rows], y[rows], **given)
            ended = sum("path ended" in str(warning.message) for warning in caught)
            return Fitted(
                lambda rows: model.predict(graphs[rows]),
                None if folds else model.score(*held_out),
                {**choice(model), "cut": ended},
                lambda rows: curve(model, graphs[rows], y[rows]),
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
