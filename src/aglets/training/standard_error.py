"""How sure a loss or score on held-out graphs is: its standard error.

The one-standard-error rule takes the sparsest model that is not worse than the best by more than
this: what lies within it may be luck.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aglets.graphs.arrays import Floats
from aglets.model.outputs import Outputs
from aglets.training.selection import Choice, FoldResult
from aglets.training.stored import AnySample

__all__ = ["standard_error"]


def standard_error(
    results: Sequence[FoldResult],
    held_out: Sequence[AnySample],
    choice: Choice,
    outputs: Outputs,
    *,
    by_score: bool,
) -> float:
    """Return the standard error of the loss or score by which a point is chosen.

    Parameters
    ----------
    results : sequence (per fold) of FoldResult
        Of a single part with its paths.
    held_out : sequence (per fold) of Sample
        The graphs on which those were judged.
    choice : Choice
        The point.
    outputs : Outputs
    by_score : bool

    Returns
    -------
    float
        Of the mean over folds; of a single part, of the sum over its graphs.
    """
    at = (choice.position, choice.index)
    if len(results) > 1:
        values = [(result.score if by_score else result.loss)[at] for result in results]
        return float(np.std(values, ddof=1) / np.sqrt(len(values)))
    points = [path[choice.index] for path in results[0].paths[choice.position]]
    f = np.concatenate([point.held_rows for point in points]).T
    sample = held_out[0]
    if by_score:
        parts = outputs.score_parts(sample.targets, f, sample.weights)
    else:
        parts = _losses(f, sample, outputs)
    return float(np.sqrt(len(parts)) * np.std(parts, ddof=1)) if len(parts) > 1 else 0.0


def _losses(f: Floats, held_out: AnySample, outputs: Outputs) -> Floats:
    """Return what each graph adds to the loss."""
    rows = [slice(i, i + 1) for i in range(len(f))]
    return np.array(
        [outputs.loss_value(held_out.targets[:, i], f[i], held_out.weights[:, i]) for i in rows]
    )
