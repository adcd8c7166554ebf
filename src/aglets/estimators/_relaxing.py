"""Coefficients that are solved for again, with the part of the penalty that does best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aglets.estimators._parameters import Condition, either, floats, many, one_of
from aglets.model.metrics import Metric
from aglets.model.outputs import Outputs
from aglets.preprocessing.input_spec import InputSpec
from aglets.training.fitting import Paths
from aglets.training.grid_walks import score_of, total_loss
from aglets.training.sample import Sample

__all__ = ["RELAX", "best_part", "costs_of_parts", "parts_of"]


#: Parts of the penalty that "auto" tries. With the smallest, coefficients are nearly free; the
#: benchmark `bench_relax.py` shows what each does.
PARTS = (1.0, 0.3, 0.1, 0.01)

_A_PART = floats(0.0, 1.0, closed="right")
RELAX: Condition = either(one_of(False, "auto"), _A_PART, many(_A_PART))


def parts_of(relax: Any) -> tuple[float, ...]:
    """List the parts of the penalty to try, the largest first; none if nothing is asked for.

    >>> parts_of(0.5), parts_of([0.1, 1.0]), parts_of(False)
    ((0.5,), (1.0, 0.1), ())
    """
    if relax is False:
        return ()
    if isinstance(relax, str):
        return PARTS
    return tuple(sorted(map(float, np.atleast_1d(relax)), reverse=True))


def costs_of_parts(
    found: Sequence[Paths],
    outputs: Outputs,
    input_spec: InputSpec,
    held_out: Sample,
    *,
    by_score: bool,
    metric: Metric | None,
) -> list[float]:
    """Return for each part by what it is chosen on held-out graphs in model units: less is better.

    Parameters
    ----------
    found : sequence (per part) of Paths
        Of which the last points count.
    """
    ends = [[path[-1] for path in paths] for paths in found]
    if not by_score:
        return [total_loss(points) for points in ends]
    return [-score_of(points, outputs, input_spec, held_out, metric) for points in ends]


def best_part(costs: Sequence[Sequence[float]]) -> int:
    """Return the position of the part whose mean over folds is lowest; ties go to more penalty."""
    return int(np.mean(costs, axis=0).argmin())
