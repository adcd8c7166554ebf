"""Graphs in the plane of two graphlets: the paper's picture of AIDS and DHFR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.drawing.palette import CLASSES, class_colours
from aglets.explain.plain import short_name
from aglets.plot._axes import INK, canvas, panel

__all__ = ["ScatterDisplay", "balanced_boundary"]

_MARKERS = "osD^vPX*"


@dataclass
class ScatterDisplay:
    """psi of two graphlets on given graphs, with the line that separates the classes best.

    In regression, colours say how large y is, and there is no line. The line is a logistic
    regression on the two scores with balanced classes, as in the paper; ``auc`` is that of its
    probability on the same graphs.

    Parameters
    ----------
    psi : ndarray of shape (n_graphs, 2)
    y : ndarray of shape (n_graphs,)
    names : tuple of two str
    classes : tuple or None
        None in regression.
    boundary : (float, float, float) or None
        a, b, c of the line a x + b y + c = 0; None for more than two classes.
    auc : float or None

    Examples
    --------
    >>> from aglets import LagraClassifier, datasets
    >>> graphs, y = datasets.load_acids()
    >>> clf = LagraClassifier(maxpat=3, n_lambdas=10).fit(graphs, y)
    >>> display = ScatterDisplay.from_estimator(clf, graphs, y)
    >>> display.names, display.psi.shape
    (('C(-O)=O (with carbonyl)', 'C(-O):C'), (300, 2))
    """

    psi: NDArray[np.float64]
    y: NDArray[Any]
    names: tuple[str, str]
    classes: tuple[Any, ...] | None
    boundary: tuple[float, float, float] | None
    auc: float | None

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, graphlets: tuple[int, int] | None = None
    ) -> ScatterDisplay:
        """Score graphs by two graphlets.

        Parameters
        ----------
        estimator : fitted estimator, or LagraModel
        X, y : graphs and their classes
        graphlets : (int, int), optional
            Positions in the model; the most positive and the most negative unless given, or the
            two strongest if all have one sign.
        """
        model = getattr(estimator, "model_", estimator)
        if len(model.graphlets) < 2:
            raise ValueError(
                f"A scatter needs two graphlets. The model has {len(model.graphlets)}; "
                "fit with a smaller lambda_ratio."
            )
        first, second = _two_strongest(model) if graphlets is None else graphlets
        psi = np.asarray(model.transform(X))[:, [first, second]]
        y = np.asarray(y)
        classes = None if model.classes is None else tuple(model.classes)
        two = classes is not None and len(classes) == 2
        boundary, auc = balanced_boundary(psi, y) if two else (None, None)
        names = (model.graphlets[first].name, model.graphlets[second].name)
        return cls(psi, y, names, classes, boundary, auc)

    def plot(self, ax: Any = None) -> ScatterDisplay:
        """Draw it, on the given axes or in a new figure; larger marks are several graphs."""
        if ax is None:
            ax = panel(canvas(None, (3.5, 3.2)), 0.15, 0.14, 0.8, 0.74)
        self.ax_, self.figure_ = ax, ax.figure
        if self.classes is None:
            self._draw_numbers(ax)
        else:
            self._draw_classes(ax, self.classes)
        # A graphlet that counts may reach more than 1.
        low, high = -0.03, 1.03 * max(1.0, float(self.psi.max(initial=1.0)))
        if self.boundary is not None:
            a, b, c0 = self.boundary
            line = np.array([low, high])
            if abs(b) >= abs(a) and b != 0.0:
                ax.plot(line, -(a * line + c0) / b, "--", color=INK, lw=0.9)
            elif a != 0.0:
                ax.plot(-(b * line + c0) / a, line, "--", color=INK, lw=0.9)
        ax.set_xlim(low, high)
        ax.set_ylim(low, high)
        ax.set_xlabel(f"$\\psi$ of {_name(self.names[0])}", size=8)
        ax.set_ylabel(f"$\\psi$ of {_name(self.names[1])}", size=8)
        return self

    def _draw_classes(self, ax: Any, classes: tuple[Any, ...]) -> None:
        colours = class_colours(len(classes))
        for c, value in enumerate(classes):
            points, number = np.unique(
                self.psi[self.y == value].round(3), axis=0, return_counts=True
            )
            ax.scatter(
                *points.T,
                s=14 * np.minimum(np.sqrt(number), 6.0),
                marker=_MARKERS[c // len(CLASSES) % len(_MARKERS)]
                if len(classes) > len(CLASSES)
                else _MARKERS[c],
                color=colours[c],
                alpha=0.65,
                linewidths=0,
                label=short_name(str(value), 16).replace("$", r"\$"),
            )
        legend = ax.legend(
            title="" if self.auc is None else f"AUC {self.auc:.2f}",
            fontsize=7,
            title_fontsize=7,
            frameon=False,
            ncols=min(3, len(classes)),
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            borderaxespad=0.1,
        )
        for handle in legend.legend_handles:
            handle.set_sizes([20.0])  # else as large as the first heap of graphs

    def _draw_numbers(self, ax: Any) -> None:
        """Colour graphs by y; the scale is drawn above."""
        order = np.argsort(self.y.astype(np.float64), kind="stable")
        drawn = ax.scatter(
            *self.psi[order].T,
            s=14,
            c=self.y[order].astype(np.float64),
            cmap="cividis",
            alpha=0.8,
            linewidths=0,
        )
        scale = ax.inset_axes((0.1, 1.03, 0.8, 0.035))
        bar = ax.figure.colorbar(
            drawn,
            cax=scale,
            orientation="horizontal",
            ticklocation="top",
            # A power of ten that all numbers share would stand beyond the figure.
            format="%.3g",
        )
        bar.ax.tick_params(labelsize=6, width=0.6, length=2, pad=1)
        bar.set_label("y", size=7, labelpad=1)


def _name(name: str) -> str:
    return short_name(name, 28).replace("$", r"\$")


def _two_strongest(model: Any) -> tuple[int, int]:
    coef = np.array([graphlet.coef for graphlet in model.graphlets])
    if coef.max() > 0.0 > coef.min():
        return int(coef.argmax()), int(coef.argmin())
    first, second = np.argsort(-np.abs(coef), kind="stable")[:2]
    return int(first), int(second)


def balanced_boundary(
    psi: NDArray[np.float64], y: NDArray[Any]
) -> tuple[tuple[float, float, float] | None, float | None]:
    """Fit the logistic line between two classes, and the AUC of its probability."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    if len(np.unique(y)) != 2:
        return None, None
    line = LogisticRegression(class_weight="balanced", C=100.0).fit(psi, y)
    score = line.decision_function(psi)
    (a, b), c = line.coef_[0].tolist(), float(line.intercept_[0])
    return (a, b, c), float(roc_auc_score(y == line.classes_[1], score))
