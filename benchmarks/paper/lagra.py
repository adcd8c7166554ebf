"""The rows of LAGRA: parameters of `LagraClassifierCV`, a dictionary each."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from aglets import GraphSet, LagraClassifierCV

from .protocol import Fitted, Ready, Split

#: The paper's grid on raw attributes. Its maxpat 10 takes hours where graphs are dense.
PAPER = {"scale": "none", "starts": 1, "rhos": (1.0, 0.5, 0.1, 0.05, 0.01), "maxpats": (5, 10)}

ROWS: dict[str, dict[str, Any]] = {
    "lagra-paper": PAPER,
    "lagra-paper-5": {**PAPER, "maxpats": (5,)},
    "lagra-default": {},
}


def row(parameters: dict[str, Any]) -> Callable[[GraphSet, np.ndarray], Ready]:
    """Choose on the given validation graphs; nothing is trained on them."""

    def prepare(graphs: GraphSet, y: np.ndarray) -> Ready:
        def fit(parts: Split) -> Fitted:
            model = LagraClassifierCV(**parameters, refit=False, n_jobs=1)
            held_out = (graphs[parts.validation], y[parts.validation])
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                model.fit(graphs[parts.train], y[parts.train], validation=held_out)
            chosen = {
                "graphlets": len(model.graphlets_),
                "rho": model.rho_,
                "maxpat": model.maxpat_,
                "lambda_ratio": model.lambda_ratio_,
                "cut": sum("path ended" in str(warning.message) for warning in caught),
            }
            accuracy = model.score(*held_out)
            return Fitted(lambda rows: model.predict(graphs[rows]), accuracy, chosen)

        return Ready(fit)

    return prepare


METHODS = {name: row(parameters) for name, parameters in ROWS.items()}
