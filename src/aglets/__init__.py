"""Attributed graphlets: sparse, readable models of labelled, attributed graphs.

Names are loaded when first used (PEP 562), so that ``import aglets`` costs little.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from aglets._version import __version__

if TYPE_CHECKING:
    from aglets import datasets, explain, mining, plot, report
    from aglets.estimators import (
        LagraClassifier,
        LagraClassifierCV,
        LagraRegressor,
        LagraRegressorCV,
    )
    from aglets.evaluation import evaluate
    from aglets.graphlets import Graphlet, agis
    from aglets.graphs import Graph, GraphSet
    from aglets.model import LagraModel
    from aglets.model.average import average_models
    from aglets.model.compacting import compact, size_curve
    from aglets.model.file import load
    from aglets.training.engine import RayEngine, ShardedEngine


#: Public name -> module that holds it; a name mapped to itself is a module.
_EXPORTS = {
    "Graph": "aglets.graphs.graph_set",
    "GraphSet": "aglets.graphs.graph_set",
    "Graphlet": "aglets.graphlets.graphlet",
    "LagraClassifier": "aglets.estimators",
    "LagraClassifierCV": "aglets.estimators",
    "LagraModel": "aglets.model.model",
    "LagraRegressor": "aglets.estimators",
    "LagraRegressorCV": "aglets.estimators",
    "RayEngine": "aglets.training.engine",
    "ShardedEngine": "aglets.training.engine",
    "agis": "aglets.graphlets.scores",
    "average_models": "aglets.model.average",
    "compact": "aglets.model.compacting",
    "datasets": "aglets.datasets",
    "evaluate": "aglets.evaluation",
    "explain": "aglets.explain",
    "load": "aglets.model.file",
    "mining": "aglets.mining",
    "plot": "aglets.plot",
    "report": "aglets.report",
    "size_curve": "aglets.model.compacting",
}

__all__ = [
    "Graph",
    "GraphSet",
    "Graphlet",
    "LagraClassifier",
    "LagraClassifierCV",
    "LagraModel",
    "LagraRegressor",
    "LagraRegressorCV",
    "RayEngine",
    "ShardedEngine",
    "__version__",
    "agis",
    "average_models",
    "compact",
    "datasets",
    "evaluate",
    "explain",
    "load",
    "mining",
    "plot",
    "report",
    "size_curve",
]


def __getattr__(name: str) -> object:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'aglets' has no attribute {name!r}")
    try:
        module = importlib.import_module(_EXPORTS[name])
    except ModuleNotFoundError as error:
        if error.name == "aglets._core":
            raise ImportError(
                "aglets's compiled core is missing. Build it with: "
                "pip install --no-build-isolation -ve ."
            ) from error
        raise
    value = module if module.__name__ == f"aglets.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
