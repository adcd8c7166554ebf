"""The paper's picture: a labelled graph on the left, the attributes of its nodes on the right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aglets.drawing.palette import NEGATIVE, POSITIVE, label_colours
from aglets.drawing.skeletal import Mark
from aglets.explain import GlobalExplanation, GraphletSummary
from aglets.explain.plain import names_of, short_name
from aglets.graphlets import Graphlet
from aglets.graphlets.skeletons import example_skeleton, fragment_skeleton, marks_of
from aglets.plot._axes import FAINT, INK, canvas, draw_graph, draw_skeleton, panel, shown_label

__all__ = ["GraphletDisplay", "GraphletGridDisplay"]

#: What a figure says of a model without graphlets.
EMPTY = "The model has no graphlets: its answer is the same for all graphs."
#: More attributes than this are drawn as bars without their numbers.
_NUMBERED = 6


@dataclass
class GraphletDisplay:
    """One graphlet: its labelled graph, and the attributes of every node as bars.

    Bars start at zero and share one scale per attribute; numbers are in the user's units. A black
    mark with whiskers is the mean and the standard deviation of nodes with that label.

    Parameters
    ----------
    summary : GraphletSummary
        An entry of ``clf.explain_global().graphlets``.

    Examples
    --------
    >>> from aglets import LagraClassifier, datasets
    >>> graphs, y = datasets.load_acids()
    >>> clf = LagraClassifier(maxpat=3, n_lambdas=10).fit(graphs, y)
    >>> display = GraphletDisplay.from_estimator(clf)
    >>> display.summary.graphlet.name
    'C(-O)=O (with carbonyl)'
    >>> figure = display.plot().figure_  # doctest: +SKIP
    """

    summary: GraphletSummary

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: Any = None, *, rank: int = 0
    ) -> GraphletDisplay:
        """Take the graphlet of this rank by weight, 0 for the strongest; X and y as in explain."""
        summaries = estimator.explain_global(X, y).graphlets
        if not 0 <= rank < len(summaries):
            raise ValueError(
                f"rank must be from 0 to {len(summaries) - 1}, for the model has "
                f"{len(summaries)} graphlets. Got {rank} instead."
            )
        return cls(summaries[rank])

    def plot(self, ax: Any = None, *, numbers: bool = False) -> GraphletDisplay:
        """Draw it, on the given axes or in a new figure; atoms in words unless ``numbers``."""
        ax = canvas(ax, (4.4, _height([self.summary])))
        self.ax_, self.figure_ = ax, ax.figure
        draw_summary(ax, self.summary, numbers=numbers)
        return self


def _height(summaries: list[GraphletSummary]) -> float:
    """Inches that the attributes of the largest graphlet need."""
    rows = [s.graphlet.n_nodes for s in summaries if s.graphlet.attributes.shape[1]]
    return max(1.7, 0.55 * max(rows, default=0) + 0.75)


def draw_summary(ax: Any, summary: GraphletSummary, *, numbers: bool = False) -> None:
    """Draw a graphlet with its attributes and two lines that say what it is and does."""
    graphlet = summary.graphlet
    words = None if numbers else graphlet.node_words
    d = graphlet.attributes.shape[1] if words is None else len(words)
    width = 0.42 if d else 0.96
    draw_graphlet(panel(ax, 0.02, 0.06, width, 0.8), graphlet, numbered=bool(d))
    ax.text(0.02, 0.98, _headline(summary), size=8, color=INK, va="top", transform=ax.transAxes)
    if words is not None:
        draw_words(panel(ax, 0.5, 0.06, 0.48, 0.8), words)
    elif d:
        _draw_attributes(panel(ax, 0.56, 0.16, 0.42, 0.7), summary)


def draw_graphlet(ax: Any, graphlet: Graphlet, *, numbered: bool) -> None:
    """Draw a graphlet: marked in a molecule if it is of molecules, else as a graph."""
    colour = NEGATIVE if (graphlet.coef or 0.0) < 0.0 else POSITIVE
    if graphlet.example is not None:
        whole = example_skeleton(graphlet.example, graphlet.recipe)
        if whole is not None:
            marks = marks_of(graphlet.edges, graphlet.example.nodes, Mark(colour))
            draw_skeleton(ax, whole, *marks)
            return
    part = fragment_skeleton(graphlet.labels, graphlet.edges, graphlet.edge_labels, graphlet.recipe)
    if part is not None:
        draw_skeleton(ax, part, {}, {})
        return
    colours = label_colours(graphlet.labels)
    fills = [colours[label] for label in graphlet.labels]
    draw_graph(
        ax,
        graphlet.labels,
        graphlet.edges,
        graphlet.edge_labels,
        fills,
        numbered=numbered,
        at=graphlet.positions,
        dots=not graphlet.is_labelled,
    )


def draw_words(ax: Any, words: list[str]) -> None:
    """Write what the nodes are, one line each."""
    ax.set_axis_off()
    for i, text in enumerate(words):
        shown = short_name(text, 46).replace("$", r"\$")
        place = 1.0 - (i + 0.5) / max(len(words), 4)
        ax.text(0.0, place, shown, size=7, color=INK, va="center", transform=ax.transAxes)


def _headline(summary: GraphletSummary) -> str:
    name = f"{short_name(summary.graphlet.name, 60)}\n" if summary.molecule else ""
    parts = [f"weight {summary.coef:+.3g}"]
    if summary.evidence_for is not None:
        parts.append(f"for {short_name(str(summary.evidence_for), 12)}")
    if summary.auc is not None:
        parts.append(f"AUC {summary.auc:.2f}")
    elif summary.correlation is not None:
        parts.append(f"r {summary.correlation:+.2f}")
    parts.append(f"in {summary.n_support} graphs")
    if summary.stability is not None:
        parts.append(f"stable {summary.stability:.0%}")
    return (name + ", ".join(parts)).replace("$", r"\$")


def _draw_attributes(ax: Any, summary: GraphletSummary) -> None:
    values, mean, spread = summary.shown_attributes, summary.label_mean, summary.label_spread
    k, d = values.shape
    reach = np.nanmax(np.stack([np.abs(values), np.abs(mean) + spread]), axis=(0, 1))
    reach = np.where(np.isfinite(reach) & (reach > 0.0), reach, 1.0)
    below = (np.nanmin(np.stack([values, mean]), axis=(0, 1)) < -1e-9 * reach).tolist()
    colour = POSITIVE if summary.coef > 0.0 else NEGATIVE
    ax.set_xlim(-0.5, d - 0.5)
    ax.set_ylim(k - 0.5, -0.5)
    for i in range(k):
        ax.axhline(i + 0.5, color="#dddddd", lw=0.5)
        for j in range(d):
            # A cell is 1 high: numbers in the lowest quarter, bars in the rest.
            unit = (0.3 if below[j] else 0.62) / reach[j]
            zero = i - (0.1 if below[j] else -0.22)
            ax.plot([j - 0.4, j + 0.4], [zero, zero], color=FAINT, lw=0.4)
            ax.bar(j, -values[i, j] * unit, 0.5, bottom=zero, color=colour, alpha=0.85)
            if np.isfinite(mean[i, j]):
                centre = zero - mean[i, j] * unit
                ends = mean[i, j] + spread[i, j] * np.array([-1.0, 1.0])
                ends = np.clip(ends, -reach[j] if below[j] else 0.0, reach[j])
                ax.plot([j, j], zero - ends * unit, color=INK, lw=0.8)
                ax.plot([j - 0.16, j + 0.16], [centre, centre], color=INK, lw=1.4)
            if d <= _NUMBERED:
                text = f"{values[i, j]:.2g}"
                ax.text(j, i + 0.36, text, size=5.2, color=INK, ha="center", va="center")
    names = [f"{i}: {shown_label(label, 6)}" for i, label in enumerate(summary.graphlet.labels)]
    ax.set_yticks(range(k), names, size=6)
    _name_columns(ax, summary.attribute_names)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    ax.tick_params(length=0)


def _name_columns(ax: Any, names: tuple[str, ...]) -> None:
    """Name attributes below their column where there is room, else by number."""
    d = len(names)
    unnamed = names == names_of(None, d)
    if d <= _NUMBERED and not unnamed:
        shown = [_in_two_lines(name, max(4, 40 // d)) for name in names]
        ax.set_xticks(range(d), shown, size=5)
    else:
        step = -(-d // 10)
        ax.set_xticks(range(0, d, step), [str(j) for j in range(0, d, step)], size=5)
        ax.set_xlabel("attribute", size=5.5, labelpad=1)


def _in_two_lines(name: str, limit: int) -> str:
    """Break a name at a space or an underscore, and cut what is too long.

    Examples
    --------
    >>> _in_two_lines("gasteiger_charge", 10).splitlines()
    ['gasteiger', 'charge']
    """
    name = name.replace("$", r"\$")
    if len(name) <= limit:
        return name
    breaks = [i for i, letter in enumerate(name) if letter in " _"]
    if breaks:
        middle = min(breaks, key=lambda i: abs(i - len(name) / 2))
        return "\n".join(short_name(part, limit) for part in (name[:middle], name[middle + 1 :]))
    return short_name(name, limit)


@dataclass
class GraphletGridDisplay:
    """The strongest graphlets of both signs, one panel each.

    Parameters
    ----------
    explanation : GlobalExplanation

    Examples
    --------
    >>> from aglets import LagraClassifier, datasets
    >>> graphs, y = datasets.load_acids()
    >>> clf = LagraClassifier(maxpat=3, n_lambdas=10).fit(graphs, y)
    >>> GraphletGridDisplay.from_estimator(clf).explanation
    GlobalExplanation(2 graphlets, 300 graphs)
    """

    explanation: GlobalExplanation

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, y: Any = None) -> GraphletGridDisplay:
        """Take the model of an estimator; X and y as in ``explain_global``."""
        return cls(estimator.explain_global(X, y))

    def plot(self, ax: Any = None, *, n_each: int | None = 3) -> GraphletGridDisplay:
        """Draw up to ``n_each`` graphlets of either sign: positive left, negative right.

        None draws all; how many are left out is written below.
        """
        graphlets = self.explanation.graphlets
        columns = [
            [entry for entry in graphlets if sign * entry.coef > 0.0][:n_each] for sign in (1, -1)
        ]
        columns = [column for column in columns if column]
        n_rows = max((len(column) for column in columns), default=1)
        height = _height([entry for column in columns for entry in column])
        n_drawn = sum(len(column) for column in columns)
        left_out = n_drawn < len(graphlets)
        ax = canvas(ax, (4.4 * max(1, len(columns)), height * n_rows + 0.25 * left_out))
        self.ax_, self.figure_ = ax, ax.figure
        ax.set_axis_off()
        if not columns:
            ax.text(0.5, 0.5, EMPTY, ha="center", va="center", transform=ax.transAxes)
        low = 0.25 / (height * n_rows + 0.25) if left_out else 0.0
        for c, column in enumerate(columns):
            for r, entry in enumerate(column):
                step = (1.0 - low) / n_rows
                inner = ax.inset_axes(
                    (c / len(columns), 1.0 - (r + 1) * step, 0.98 / len(columns), 0.96 * step)
                )
                draw_summary(inner, entry)
        if left_out:
            text = f"{n_drawn} of {len(graphlets)} graphlets; n_each=None draws all"
            ax.text(0.01, 0.01, text, size=7, color=INK, va="bottom", transform=ax.transAxes)
        return self
