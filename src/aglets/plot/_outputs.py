"""Which graphlet serves which output: a heat map of weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.drawing.palette import NEGATIVE, POSITIVE
from aglets.explain import GlobalExplanation
from aglets.explain.plain import short_name
from aglets.plot._axes import INK, canvas, panel

__all__ = ["OutputsDisplay"]


@dataclass
class OutputsDisplay:
    """The weights of graphlets (rows) for outputs (columns): classes, targets or both.

    Blue is evidence for the second class or for larger numbers, orange for the first or for smaller
    ones. Weights for numbers among several targets are in units of their spread.

    Parameters
    ----------
    weights : ndarray of shape (n_graphlets, n_outputs)
    graphlets : tuple of str
    outputs : tuple of str

    Examples
    --------
    >>> from aglets import LagraClassifier, datasets
    >>> graphs, y = datasets.load_acids()
    >>> two = np.column_stack([y == "acidic", graphs.n_nodes > 12]).astype(int)
    >>> clf = LagraClassifier(maxpat=2, n_lambdas=10).fit(graphs, two)
    >>> display = OutputsDisplay.from_explanation(clf.explain_global(), max_graphlets=5)
    >>> display.outputs, display.weights.shape
    (('target 0', 'target 1'), (5, 2))
    """

    weights: NDArray[np.float64]
    graphlets: tuple[str, ...]
    outputs: tuple[str, ...]

    @classmethod
    def from_explanation(
        cls, explanation: GlobalExplanation, *, max_graphlets: int = 30
    ) -> OutputsDisplay:
        """Take the graphlets of the largest weights.

        Parameters
        ----------
        explanation : GlobalExplanation
        max_graphlets : int
        """
        if not explanation.graphlets:
            raise ValueError(
                "A heat map needs graphlets. The model has none; fit with a smaller lambda_ratio."
            )
        shown = explanation.graphlets[:max_graphlets]
        return cls(
            explanation.weights[:max_graphlets],
            tuple(entry.graphlet.name for entry in shown),
            tuple("f" if name is None else str(name) for name in explanation.outputs),
        )

    @classmethod
    def from_estimator(cls, estimator: Any, *, max_graphlets: int = 30) -> OutputsDisplay:
        """Take the graphlets of a fitted estimator."""
        return cls.from_explanation(estimator.explain_global(), max_graphlets=max_graphlets)

    def plot(self, ax: Any = None) -> OutputsDisplay:
        """Draw it, on the given axes or in a new figure."""
        from matplotlib.colors import LinearSegmentedColormap

        n, m = self.weights.shape
        if ax is None:
            width, height = 2.6 + 0.32 * m, 1.4 + 0.2 * n
            room = canvas(None, (width, height))
            ax = panel(room, 2.2 / width, 1.05 / height, 0.32 * m / width, 0.2 * n / height)
        self.ax_, self.figure_ = ax, ax.figure
        largest = float(np.abs(self.weights).max(initial=0.0)) or 1.0
        colours = LinearSegmentedColormap.from_list("signs", [NEGATIVE, "#ffffff", POSITIVE])
        ax.imshow(self.weights, cmap=colours, vmin=-largest, vmax=largest, aspect="auto")
        ax.set_xticks(range(m), [_plain(name, 20) for name in self.outputs], rotation=90, size=7)
        ax.set_yticks(range(n), [_plain(name, 34) for name in self.graphlets], size=7)
        ax.set_xticks(np.arange(m + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(n + 1) - 0.5, minor=True)
        ax.grid(which="minor", color=INK, lw=0.3, alpha=0.3)
        ax.tick_params(which="both", length=0)
        ax.set_title(f"weights, from {-largest:.2g} to {largest:+.2g}", size=8)
        return self


def _plain(name: str, limit: int) -> str:
    return short_name(name, limit).replace("$", r"\$")
