"""How sure a loss or score on held-out graphs is: its standard error.

The one-standard-error rule takes the sparsest model that is no worse than the best by more than
this: what lies within it may be luck.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aglets.graphs.arrays import Floats
from aglets.model.losses import Loss
from aglets.training.sample import Sample
from aglets.training.selection import Choice, FoldResult

__all__ = ["standard_error"]


def standard_error(
    results: Sequence[FoldResult],
    held_out: Sequence[Sample],
    choice: Choice,
    loss: Loss,
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
    loss : Loss
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
    f = np.stack([point.held_f for point in points], axis=1)
    parts = (_scores if by_score else _losses)(f, held_out[0], loss)
    return float(np.sqrt(len(parts)) * np.std(parts, ddof=1)) if len(parts) > 1 else 0.0


def _losses(f: Floats, held_out: Sample, loss: Loss) -> Floats:
    """Return what each graph adds to the loss."""
    return np.array(
        [
            sum(
                loss.value(y[i : i + 1], f[i : i + 1, output], held_out.weight[i : i + 1])
                for output, y in enumerate(held_out.targets)
            )
            for i in range(len(f))
        ]
    )


def _scores(f: Floats, held_out: Sample, loss: Loss) -> Floats:
    """Return what each graph adds to the accuracy, or takes from R²."""
    weight = held_out.weight / held_out.weight.sum()
    y = held_out.targets
    if not loss.classification:
        spread = float(weight @ (y[0] - weight @ y[0]) ** 2)
        return np.asarray(weight * (y[0] - f[:, 0]) ** 2 / (spread or 1.0))
    if len(y) == 1:
        return np.asarray(weight * ((f[:, 0] > 0.0) == (y[0] > 0.0)))
    return np.asarray(weight * (f.argmax(axis=1) == y.argmax(axis=0)))
