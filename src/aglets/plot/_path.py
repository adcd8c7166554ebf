"""Along lambda: what the model becomes, how good it is, and what the search costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from aglets.drawing.palette import CLASSES
from aglets.explain.plain import counted_name, short_name
from aglets.graphlets import Graphlet
from aglets.graphs.arrays import Floats
from aglets.plot._axes import INK, canvas, panel
from aglets.training.engine.graphlet_names import CHANNELS

__all__ = ["PathDisplay", "SearchDisplay"]


def path_columns(model: Any, output: int) -> dict[str, Floats]:
    """Take the rows of one output out of a model's record of its path."""
    record: Mapping[str, Floats] = model.path
    if not record or not len(record.get("lam", ())):
        raise ValueError("The model holds no record of its path; fit it with this version.")
    shared = model.n_outputs > 1 and not record["output"].any()
    rows = record["output"] == (0 if shared and output < model.n_outputs else output)
    if not rows.any():
        raise ValueError(f"output must be from 0 to {int(record['output'].max())}. Got {output}.")
    return {name: column[rows] for name, column in record.items()}


@dataclass
class PathDisplay:
    """Coefficients, score and number of graphlets over lambda.

    Parameters
    ----------
    lambdas : ndarray of shape (n_lambdas,)
    train_score, validation_score : ndarray of shape (n_lambdas,)
        NaN where there was nothing to validate on.
    n_graphlets : ndarray of shape (n_lambdas,)
    coefs : dict of str to ndarray
        Per graphlet that was ever used, its coefficient at each of ``coef_lambdas``; empty if no
        points of the path are at hand, as after reading a model file of format 1.
    chosen : float or None
        The lambda in use.
    covariates : dict of str to ndarray
        Per covariate, what one standard deviation of it adds at each of ``coef_lambdas``; drawn
        dashed.
    coef_lambdas : ndarray or None
        Where coefficients are found; all ``lambdas`` if None. A model from a file keeps some.
    output : str or None
        What the path is of, with more than two classes: one class against the rest.

    Examples
    --------
    >>> from aglets import LagraClassifier, datasets
    >>> graphs, y = datasets.load_acids()
    >>> clf = LagraClassifier(maxpat=3, n_lambdas=10).fit(graphs, y)
    >>> PathDisplay.from_estimator(clf).n_graphlets[-1]
    np.float64(2.0)
    """

    lambdas: Floats
    train_score: Floats
    validation_score: Floats
    n_graphlets: Floats
    coefs: dict[str, Floats] = field(default_factory=dict)
    chosen: float | None = None
    covariates: dict[str, Floats] = field(default_factory=dict)
    coef_lambdas: Floats | None = None
    output: str | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, *, output: int = 0) -> PathDisplay:
        """Take the path of an estimator or of a model; ``output`` is the class, by position."""
        model = getattr(estimator, "model_", estimator)
        columns = path_columns(model, output)
        chosen = getattr(estimator, "lambda_", None)
        found = _along_path(estimator, model, output) or _at_stops(model, output)
        rows, coefs, gamma = found or (slice(None), {}, None)
        return cls(
            lambdas=columns["lam"],
            train_score=columns["train_score"],
            validation_score=columns["validation_score"],
            n_graphlets=columns["n_nonzero"],
            coefs=coefs,
            chosen=None if chosen is None else _of_output(np.atleast_1d(chosen), output),
            covariates=_effects(model, gamma),
            coef_lambdas=columns["lam"][rows],
            output=_output_text(model, output),
        )

    def plot(self, ax: Any = None, *, n_named: int = 5) -> PathDisplay:
        """Draw it; the ``n_named`` strongest lines at the end are named."""
        rows = 3 if self.coefs or self.covariates else 2
        ax = canvas(ax, (3.6, 1.55 * rows + 0.4))
        self.ax_, self.figure_ = ax, ax.figure
        height, gap = 0.87 / rows, 0.06
        panels = [
            panel(ax, 0.16, 0.11 + height * (rows - 1 - r) + gap / 2, 0.58, height - gap)
            for r in range(rows)
        ]
        if self.coefs or self.covariates:
            self._draw_coefs(panels[0], n_named)
        score, number = panels[-2:]
        score.plot(self.lambdas, self.train_score, color=CLASSES[1], lw=1.2)
        _tag(score, "train", 0, CLASSES[1])
        if np.isfinite(self.validation_score).any():
            score.plot(self.lambdas, self.validation_score, color=CLASSES[0], lw=1.2, ls="--")
            _tag(score, "validation", 1, CLASSES[0])
        score.set_ylabel("score", size=8)
        if self.output is not None:
            title = short_name(self.output, 44).replace("$", r"\$")
            ax.text(0.16, 0.995, title, size=7, color=INK, va="top", transform=ax.transAxes)
        number.plot(self.lambdas, self.n_graphlets, color=INK, lw=1.2, drawstyle="steps-post")
        number.set_ylabel("graphlets", size=8)
        number.yaxis.get_major_locator().set_params(integer=True, nbins=5)
        _share_lambda(panels, self.lambdas, self.chosen)
        return self

    def _draw_coefs(self, ax: Any, n_named: int) -> None:
        lines = self.coefs | self.covariates
        strongest = sorted(lines, key=lambda name: (-abs(lines[name][-1]), name))
        lambdas = self.lambdas if self.coef_lambdas is None else self.coef_lambdas
        ax.axhline(0.0, color="#bbbbbb", lw=0.6)
        for i, name in reversed(list(enumerate(strongest))):
            colour = CLASSES[i % len(CLASSES)] if i < n_named else "#bbbbbb"
            style = "--" if name in self.covariates else "-"
            width = 1.2 if i < n_named else 0.6
            ax.plot(lambdas, lines[name], color=colour, lw=width, ls=style)
        for i, name in enumerate(strongest[:n_named]):
            shown = short_name(name, 14).replace("$", r"\$")
            _tag(ax, shown, i, CLASSES[i % len(CLASSES)])
        ax.set_ylabel("coefficient", size=8)


def _of_output(values: Floats, output: int) -> float:
    """Take the entry of an output, or the only one where outputs share a path."""
    return float(values[min(output, len(values) - 1)])


def _output_text(model: Any, output: int) -> str | None:
    """Name the output whose path it is, where there are several."""
    if model.n_outputs == 1:
        return None
    name = model.outputs.names[output]
    shared = len(np.unique(model.path["output"])) == 1
    return f"coefficients for {name}; scores are of all" if shared else f"{name} against the rest"


def _tag(ax: Any, text: str, row: int, colour: str) -> None:
    """Name a line next to the axes, one row below the other, so that names never meet."""
    ax.text(1.04, 0.97 - 0.15 * row, text, size=7, color=colour, va="top", transform=ax.transAxes)


def _share_lambda(panels: list[Any], lambdas: Floats, chosen: float | None) -> None:
    # Where nothing correlates with y, lambda_max is 0 and so is all that follows.
    several = len(lambdas) > 1 and lambdas.min() > 0.0
    ticks = np.geomspace(lambdas.max(), lambdas.min(), 3) if several else lambdas[:1]
    for ax in panels:
        ax.set_xscale("log" if lambdas.min() > 0.0 else "linear")
        ax.minorticks_off()
        if lambdas.max() > lambdas.min():
            ax.set_xlim(float(lambdas.max()), float(lambdas.min()))
        ax.set_xticks(ticks, [_brief(tick) for tick in ticks] if ax is panels[-1] else [])
        if chosen is not None:
            ax.axvline(chosen, color=INK, lw=0.7, ls=":")
    panels[-1].set_xlabel(r"$\lambda$", size=8)


def _brief(value: float) -> str:
    """Write two digits, as people do.

    Examples
    --------
    >>> [_brief(value) for value in (163.2, 5.71, 0.0571)]
    ['160', '5.7', '0.057']
    """
    rounded = float(f"{value:.2g}")
    return f"{rounded:.0f}" if 10.0 <= rounded < 1e5 else f"{rounded:g}"


#: Rows of a path's record, coefficients there by name, and gamma there.
Known = tuple[Any, dict[str, Floats], Floats]


def _along_path(estimator: Any, model: Any, output: int) -> Known | None:
    """Take the coefficients at all points, which an estimator keeps."""
    paths = getattr(estimator, "path_", None)
    if paths is None:
        return None
    shared = not isinstance(paths[0], list)
    points, row_of = (paths, output) if shared else (paths[output], 0)
    terms = [
        (row, (_pattern_key(pattern), channel), _name(pattern, channel, model.input_spec), beta)
        for row, point in enumerate(points)
        for pattern, channel, beta in zip(
            point.patterns, point.channels.tolist(), point.coef_rows[row_of], strict=True
        )
    ]
    gamma = np.array([point.gamma_rows[row_of] for point in points])
    return slice(None), _lines(terms, len(points)), gamma


def _at_stops(model: Any, output: int) -> Known | None:
    """Take the coefficients at the stops, which a model file keeps."""
    stops = model.stops
    if stops is None:
        return None
    # The path of an output may be shorter than the longest: it stays where it ended.
    rows, first = np.unique(
        np.minimum(stops.points, len(path_columns(model, output)["lam"]) - 1),
        return_index=True,
    )
    coefs = stops.coefs[first, output]
    terms = [
        (row, (graphlet.structure_key, graphlet.unit), counted_name(graphlet), b)
        for row, betas in enumerate(coefs)
        for graphlet, b in zip(stops.graphlets, betas.tolist(), strict=True)
        if b != 0.0
    ]
    return rows, _lines(terms, len(rows)), stops.covariate_coefs[first, output]


def _lines(terms: Iterable[tuple[int, Any, str, float]], n_rows: int) -> dict[str, Floats]:
    """Add up (row, key, name, coefficient) by key; a name that is taken gets a prime."""
    lines: dict[str, Floats] = {}
    names: dict[Any, str] = {}
    for row, key, name, beta in terms:
        if key not in names:
            while name in lines:
                name += "'"
            names[key] = name
            lines[name] = np.zeros(n_rows)
        lines[names[key]][row] += beta
    return lines


def _effects(model: Any, gamma: Floats | None) -> dict[str, Floats]:
    """Say what a standard deviation of each covariate adds along the path."""
    if gamma is None or model.covariates is None:
        return {}
    effects = gamma * model.covariates.spread
    return {
        f"covariate {name}": effects[:, j]
        for j, name in enumerate(model.covariates.names)
        if effects[:, j].any()
    }


def _pattern_key(pattern: Any) -> tuple[bytes, ...]:
    parts = (pattern.types, pattern.edges, pattern.edge_labels)
    return tuple(np.asarray(part).tobytes() for part in parts)


def _name(pattern: Any, channel: int, spec: Any) -> str:
    bonds = None
    if spec.edge_vocabulary is not None:
        bonds = [spec.edge_vocabulary[code] for code in pattern.edge_labels]
    labels = [spec.vocabulary[code] for code in pattern.labels]
    graphlet = Graphlet(
        labels=labels,
        edges=pattern.edges,
        edge_labels=bonds,
        recipe=spec.recipe,
        **CHANNELS[channel]._asdict(),
    )
    return counted_name(graphlet)


@dataclass
class SearchDisplay:
    """Time and work of the search over lambda: the paper's two figures of cost.

    Parameters
    ----------
    lambdas : ndarray of shape (n_lambdas,)
    seconds, seconds_search, seconds_beta, seconds_z : ndarray of shape (n_lambdas,)
        In all, for walks of the mining tree, and for updates of beta and of z; the little that is
        left went into judging the result. NaN where a model file of format 1 does not say.
    n_visited, working_set_size : ndarray of shape (n_lambdas,)

    Examples
    --------
    >>> from aglets import LagraClassifier, datasets
    >>> graphs, y = datasets.load_acids()
    >>> clf = LagraClassifier(maxpat=3, n_lambdas=10).fit(graphs, y)
    >>> display = SearchDisplay.from_estimator(clf)
    >>> parts = display.seconds_search + display.seconds_beta + display.seconds_z
    >>> bool((display.seconds >= parts).all())
    True
    """

    lambdas: Floats
    seconds: Floats
    seconds_search: Floats
    seconds_beta: Floats
    seconds_z: Floats
    n_visited: Floats
    working_set_size: Floats

    @classmethod
    def from_estimator(cls, estimator: Any, *, output: int = 0) -> SearchDisplay:
        """Take the path of an estimator or of a model; ``output`` is the class, by position."""
        columns = path_columns(getattr(estimator, "model_", estimator), output)
        unknown = np.full(len(columns["lam"]), np.nan)
        names = (
            *("seconds", "seconds_search", "seconds_beta", "seconds_z"),
            *("n_visited", "working_set_size"),
        )
        return cls(columns["lam"], *(columns.get(name, unknown) for name in names))

    def plot(self, ax: Any = None) -> SearchDisplay:
        """Draw it, on the given axes or in a new figure."""
        ax = canvas(ax, (3.6, 3.5))
        self.ax_, self.figure_ = ax, ax.figure
        time, work = (panel(ax, 0.17, bottom, 0.58, 0.37) for bottom in (0.6, 0.14))
        lines = [
            (self.seconds, "in all", "-"),
            (self.seconds_search, "search", "--"),
            (self.seconds_beta, r"$\beta$", ":"),
            (self.seconds_z, "z", "-."),
        ]
        found = [line for line in lines if np.isfinite(line[0]).any()]
        for row, (values, name, style) in enumerate(found):
            # So far, not per lambda: single times of milliseconds are mostly noise.
            time.plot(self.lambdas, np.nancumsum(values), style, color=CLASSES[row], lw=1.2)
            _tag(time, name, row, CLASSES[row])
        time.set_ylim(bottom=0.0)
        time.set_ylabel("seconds so far", size=8)
        for row, (values, name, style) in enumerate(
            [(self.n_visited, "nodes visited", "-"), (self.working_set_size, "working set", "--")]
        ):
            work.plot(self.lambdas, np.maximum(values, 0.5), style, color=CLASSES[row], lw=1.2)
            _tag(work, name, row, CLASSES[row])
        work.set_yscale("log")
        work.set_ylabel("count", size=8)
        _share_lambda([time, work], self.lambdas, None)
        return self
