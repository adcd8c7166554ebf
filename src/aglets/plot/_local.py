"""One graph explained: where graphlets were matched, and how their contributions add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aglets.drawing.molecules import skeleton
from aglets.drawing.palette import NEGATIVE, POSITIVE, signed_colours
from aglets.drawing.skeletal import signed_marks
from aglets.explain import LocalExplanation
from aglets.explain.plain import short_name
from aglets.graphlets.skeletons import graph_mol
from aglets.graphs.geometry import attribute_positions
from aglets.plot._axes import FAINT, INK, canvas, draw_graph, draw_skeleton, panel

__all__ = ["LocalDisplay"]


@dataclass
class LocalDisplay:
    """A graph with its matched nodes coloured, and a waterfall from the intercept to the decision.

    Blue pushes the decision up, orange down. A node's colour is the sum of the contributions of
    graphlets that were matched to it.

    Parameters
    ----------
    explanation : LocalExplanation

    Examples
    --------
    >>> from aglets import LagraClassifier, datasets
    >>> graphs, y = datasets.load_acids()
    >>> clf = LagraClassifier(maxpat=3, n_lambdas=10).fit(graphs, y)
    >>> LocalDisplay.from_estimator(clf, graphs[0]).explanation
    LocalExplanation(prediction=..., decision=..., 2 graphlets)
    """

    explanation: LocalExplanation

    @classmethod
    def from_estimator(cls, estimator: Any, graph: Any, *, output: Any = None) -> LocalDisplay:
        """Explain a graph by a fitted estimator."""
        return cls(estimator.explain(graph, output=output))

    def plot(self, ax: Any = None, *, n_shown: int = 8) -> LocalDisplay:
        """Draw it; beyond ``n_shown`` graphlets, the weakest are one bar together."""
        steps = self._steps(n_shown)
        ax = canvas(ax, (6.8, max(2.6, 0.27 * len(steps) + 1.0)))
        self.ax_, self.figure_ = ax, ax.figure
        graph = self.explanation.graph
        left = panel(ax, 0.01, 0.03, 0.46, 0.8)
        importance = self.explanation.node_importance
        edges = self.explanation.edge_importance
        largest = float(np.abs(importance).max(initial=0.0))
        drawn = skeleton(graph_mol(graph, graph.recipe))
        if drawn is not None:
            draw_skeleton(left, drawn, *signed_marks(importance, graph.edges, edges))
        else:
            draw_graph(
                left,
                graph.labels,
                graph.edges,
                graph.edge_labels,
                signed_colours(importance),
                edge_colours=[
                    FAINT if value == 0.0 else colour
                    for value, colour in zip(
                        edges, signed_colours(edges, largest or None), strict=True
                    )
                ],
                edge_widths=[0.8 if value == 0.0 else 2.2 for value in edges],
                at=attribute_positions(graph),
                dots=not graph.is_labelled,
            )
        ax.text(0.02, 0.97, self._headline(), size=8, color=INK, va="top", transform=ax.transAxes)
        self._draw_waterfall(panel(ax, 0.715, 0.13, 0.265, 0.74), steps)
        return self

    def _headline(self) -> str:
        why = self.explanation
        if why.output is None:
            return f"predicted {why.decision:.4g}{_empty(why)}"
        text = f"predicted {short_name(str(why.prediction), 24)}, decision {why.decision:+.3g}"
        text += f" for {short_name(str(why.output), 24)}"
        return f"{text}{_empty(why)}".replace("$", r"\$")

    def _steps(self, n_shown: int) -> list[tuple[str, float]]:
        present = [entry for entry in self.explanation.contributions if entry.contribution != 0.0]
        steps = [("intercept", self.explanation.intercept)]
        for covariate in self.explanation.covariates:
            if covariate.contribution != 0.0:
                name = short_name(covariate.name, 22).replace("$", r"\$")
                steps.append((f"covariate {name} = {covariate.value:.3g}", covariate.contribution))
        if len(steps) > 1 + n_shown:
            total = sum(value for _, value in steps[1 + n_shown :])
            steps[1 + n_shown :] = [(f"{len(steps) - 1 - n_shown} more covariates", total)]
        for entry in present[:n_shown]:
            name = short_name(entry.graphlet.name, 22).replace("$", r"\$")
            steps.append((f"{name}  ({entry.psi:.2f})", entry.contribution))
        rest = present[n_shown:]
        if rest:
            total = sum(entry.contribution for entry in rest)
            steps.append((f"{len(rest)} more", total))
        return steps

    def _draw_waterfall(self, ax: Any, steps: list[tuple[str, float]]) -> None:
        ends = np.cumsum([value for _, value in steps])
        starts = np.concatenate([[0.0], ends[:-1]])
        low, high = min(0.0, *starts, *ends), max(0.0, *starts, *ends)
        margin = 0.3 * ((high - low) or 1.0)
        for row, ((_, value), start, end) in enumerate(zip(steps, starts, ends, strict=True)):
            colour = "#888888" if row == 0 else (POSITIVE if value > 0.0 else NEGATIVE)
            ax.barh(row, value, left=start, height=0.62, color=colour)
            if row + 1 < len(steps):
                ax.plot([end, end], [row - 0.31, row + 1.31], color=FAINT, lw=0.5)
            side = "left" if value >= 0.0 else "right"
            place = max(start, end) if value >= 0.0 else min(start, end)
            pad = 0.08 * margin * (1 if value >= 0.0 else -1)
            ax.text(
                place + pad,
                row,
                f"{value:+.2g}",
                size=7,
                color=INK,
                ha=side,
                va="center",
                bbox={"boxstyle": "square,pad=0.05", "fc": "white", "ec": "none", "alpha": 0.8},
            )
        ax.axvline(0.0, color=INK, lw=0.6)
        ax.axvline(float(ends[-1]), color=INK, lw=0.6, ls=":")
        ax.set_xlim(low - margin, high + margin)
        ax.set_ylim(len(steps) - 0.4, -0.6)
        ax.set_yticks(range(len(steps)), [name for name, _ in steps], size=7)
        ax.xaxis.set_major_locator(_few_ticks())
        ax.set_xlabel("decision" if self.explanation.output is not None else "value", size=7)


def _empty(why: LocalExplanation) -> str:
    return "" if why.contributions else "; this decision has no graphlets"


def _few_ticks() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(4)
