"""What a model has learned: its graphlets, and how they occur in graphs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aglets.drawing import html
from aglets.drawing.text import visible
from aglets.explain.covariates import CovariateSummary, summaries_of
from aglets.explain.plain import (
    NO_GRAPHLETS,
    counted_name,
    graphlet_dict,
    json_text,
    label_text,
    names_of,
    short_name,
)
from aglets.explain.roles import Role, TargetSummary, known_targets, roles_of
from aglets.graphlets import Graphlet
from aglets.graphlets.drawings import graphlet_svg
from aglets.graphlets.pictures import Drawable
from aglets.graphlets.residue import without_residue
from aglets.graphs.arrays import Floats
from aglets.model import LagraModel, Match
from aglets.model.target_table import target_table

__all__ = ["GlobalExplanation", "GraphletSummary", "explain_global"]


@dataclass(frozen=True, eq=False)
class GraphletSummary(Drawable):
    """One graphlet of a model, and how it occurs in graphs.

    Parameters
    ----------
    index : int
        Position in ``model.graphlets``.
    graphlet : Graphlet
        In the user's units.
    coef : float
        beta.
    evidence_for : class or None
        The class that a match makes likelier ("not" the output's class counts for the other of two
        classes); None in regression.
    output : class or None
        The class whose decision it is part of. With several outputs, this and what follows is said
        of the one for which it has the largest weight; ``roles`` has them all.
    support : dict of class to int
        In how many graphs of each class its labelled structure occurs; empty without y.
    n_support : int
        In how many of all graphs.
    mean_psi : dict of class to float
        Mean of psi over all graphs of each class, also those where it is 0; empty without y.
    mean_psi_all : float
    auc : float or None
        How well psi alone distinguishes `evidence_for` from the rest: 0.5 for not at all, 1 for
        perfectly. None without y, in regression, or if only one class is there.
    correlation : float or None
        Of psi with y, in regression.
    best_graph : int or None
        The graph with the largest psi; the first of several. None if it occurs nowhere.
    best_psi : float
    label_mean, label_spread : ndarray of shape (n_nodes, n_attributes)
        Mean and standard deviation of each attribute over all nodes in the graphs that have the
        label of this node, for comparison with ``graphlet.attributes``. NaN where there are none.
    shown_attributes : ndarray of shape (n_nodes, n_attributes)
        ``graphlet.attributes`` as they are drawn: 0 for what is negligible compared with that
        mean and spread.
    attribute_names : tuple of str
    molecule : bool
        Whether graphs were read from molecules, and are drawn as such.
    mean_places : float or None
        Of a graphlet that counts, its number of places in a graph that holds it, on average.
    stability : float or None
        In which part of models fitted on subsamples it, or a graphlet that contains it, was found
        again; None if that was not tried.
    roles : tuple of Role
        The outputs that it serves, with its weight for each, the largest first.
    target : str or None
        The target of ``output``, if there are several.
    """

    index: int
    graphlet: Graphlet
    coef: float
    evidence_for: Any
    output: Any
    support: dict[Any, int]
    n_support: int
    mean_psi: dict[Any, float]
    mean_psi_all: float
    auc: float | None
    correlation: float | None
    best_graph: int | None
    best_psi: float
    label_mean: Floats
    label_spread: Floats
    shown_attributes: Floats
    attribute_names: tuple[str, ...]
    molecule: bool = False
    stability: float | None = None
    roles: tuple[Role, ...] = ()
    target: str | None = None
    mean_places: float | None = None

    def __repr__(self) -> str:
        name = counted_name(self.graphlet)
        return f"GraphletSummary({name}, coef={self.coef:+.4g}, in {self.n_support} graphs)"

    def to_dict(self) -> dict[str, Any]:
        """Write it as plain data."""
        return {
            "index": self.index,
            "graphlet": graphlet_dict(self.graphlet),
            "coef": self.coef,
            "evidence_for": label_text(self.evidence_for),
            "output": label_text(self.output),
            "target": self.target,
            "roles": [role.to_dict() for role in self.roles],
            "support": {str(key): value for key, value in self.support.items()},
            "n_support": self.n_support,
            "mean_psi": {str(key): value for key, value in self.mean_psi.items()},
            "mean_psi_all": self.mean_psi_all,
            "auc": self.auc,
            "stability": self.stability,
            "mean_places": self.mean_places,
            "correlation": self.correlation,
            "best_graph": self.best_graph,
            "best_psi": self.best_psi,
            "label_mean": self.label_mean.tolist(),
            "label_spread": self.label_spread.tolist(),
        }


@dataclass(frozen=True, eq=False)
class GlobalExplanation(Drawable):
    """All graphlets of a model, the strongest first, with how they occur in graphs.

    Parameters
    ----------
    graphlets : tuple of GraphletSummary
    intercepts : tuple of float
        beta_0 of each output.
    classes : tuple or None
        None in regression, and of several targets, for which see ``targets``.
    class_counts : dict of class to int
        Of the graphs it was computed on; empty without y.
    n_graphs : int
    rho : float, or tuple of float
        One per graphlet, in the order of ``graphlets``, where they differ.
    loss : str
    attribute_names : tuple of str
    covariates : tuple of CovariateSummary
        Numbers of the whole graph in addition to the graphlets, if the model has such.
    targets : tuple of TargetSummary
        What is predicted, and in how many graphs it is known.
    outputs : tuple
        What the outputs are called: classes, targets, or both.
    """

    graphlets: tuple[GraphletSummary, ...]
    intercepts: tuple[float, ...]
    classes: tuple[Any, ...] | None
    class_counts: dict[Any, int]
    n_graphs: int
    rho: float | tuple[float, ...]
    loss: str
    attribute_names: tuple[str, ...]
    covariates: tuple[CovariateSummary, ...] = ()
    targets: tuple[TargetSummary, ...] = ()
    outputs: tuple[Any, ...] = ()

    @property
    def weights(self) -> Floats:
        """The weight of each graphlet for each output, shape (n_graphlets, n_outputs).

        Graphlets are in the order of ``graphlets``, outputs in that of ``outputs``.
        """
        table = np.zeros((len(self.graphlets), len(self.outputs)))
        for i, entry in enumerate(self.graphlets):
            for role in entry.roles:
                table[i, self.outputs.index(role.output)] = role.weight
        return table

    @property
    def intercept(self) -> float | tuple[float, ...]:
        """beta_0: a number, or one per class for more than two classes."""
        return self.intercepts[0] if len(self.intercepts) == 1 else self.intercepts

    def with_stability(self, stability: ArrayLike | None) -> GlobalExplanation:
        """Add how often each graphlet is found again, in the order of ``model.graphlets``."""
        if stability is None:
            return self
        values = np.asarray(stability, dtype=np.float64)
        if values.shape != (len(self.graphlets),):
            raise ValueError(
                f"stability must hold one number per graphlet ({len(self.graphlets)}). "
                f"Got shape {values.shape} instead."
            )
        entries = [replace(entry, stability=float(values[entry.index])) for entry in self.graphlets]
        return replace(self, graphlets=tuple(entries))

    def to_dict(self) -> dict[str, Any]:
        """Write it as plain data."""
        return {
            "classes": None if self.classes is None else [label_text(c) for c in self.classes],
            "class_counts": {str(key): value for key, value in self.class_counts.items()},
            "n_graphs": self.n_graphs,
            "intercepts": list(self.intercepts),
            "rho": list(self.rho) if isinstance(self.rho, tuple) else self.rho,
            "loss": self.loss,
            "attribute_names": list(self.attribute_names),
            "graphlets": [entry.to_dict() for entry in self.graphlets],
            "covariates": [entry.to_dict() for entry in self.covariates],
            "targets": [entry.to_dict() for entry in self.targets],
            "outputs": [label_text(output) for output in self.outputs],
        }

    def to_json(self, indent: int | None = None) -> str:
        """Write it as JSON; the same model and graphs always give the same text."""
        return json_text(self.to_dict(), indent)

    def to_frame(self) -> Any:
        """Tabulate graphlets and covariates in a pandas DataFrame, one row each.

        Covariates come last, with "covariate" as their ``kind``, and have no support or psi.
        """
        import pandas as pd

        columns: dict[str, list[Any]] = {
            "graphlet": [entry.graphlet.name for entry in self.graphlets],
            "kind": ["graphlet"] * len(self.graphlets),
            **{
                name: [getattr(entry, name) for entry in self.graphlets]
                for name in ("index", "coef", "evidence_for", "n_support", "mean_psi_all")
            },
        }
        for value in self.class_counts:
            columns[f"support {value}"] = [entry.support[value] for entry in self.graphlets]
            columns[f"mean_psi {value}"] = [entry.mean_psi[value] for entry in self.graphlets]
        for name in ("auc", "correlation", "best_graph", "best_psi", "stability"):
            columns[name] = [getattr(entry, name) for entry in self.graphlets]
        if len(self.targets) > 1:
            for output in self.outputs:
                columns[f"coef {output}"] = [_coef_for(entry, output) for entry in self.graphlets]
        if not self.covariates:
            return pd.DataFrame(columns)
        covariate_rows = [
            {"graphlet": entry.name, "kind": "covariate"}
            | {name: getattr(entry, name) for name in ("index", "coef", "evidence_for")}
            for entry in self.covariates
        ]
        rows = pd.DataFrame(columns).to_dict("records") + covariate_rows
        return pd.DataFrame(rows, columns=list(columns))

    def __str__(self) -> str:
        lines = [f"{len(self.graphlets)} graphlets, on {self.n_graphs} graphs"]
        lines += [] if self.graphlets else [NO_GRAPHLETS]
        lines += [
            f"  {entry.coef:+9.4f}  {counted_name(entry.graphlet)} "
            f"(in {entry.n_support} graphs{_places(entry)}{_quality(entry)}"
            f"{_served(entry, self.targets)})"
            for entry in self.graphlets
        ]
        lines += [
            f"  {entry.effect:+9.4f}  covariate {short_name(entry.name)}, by a standard deviation"
            f"{'' if entry.output is None else f', for {entry.output}'}"
            for entry in self.covariates
        ]
        return "\n".join(map(visible, lines))

    def __repr__(self) -> str:
        return f"GlobalExplanation({len(self.graphlets)} graphlets, {self.n_graphs} graphs)"

    def _repr_html_(self) -> str:
        head = ["graphlet", "weight", "evidence for", "in graphs", "AUC", "stability"]
        rows = [
            [
                counted_name(entry.graphlet),
                entry.coef,
                "" if entry.evidence_for is None else entry.evidence_for,
                f"{entry.n_support}{_places(entry)}",
                "" if entry.auc is None else entry.auc,
                "" if entry.stability is None else entry.stability,
            ]
            for entry in self.graphlets
        ]
        pictures = "".join(
            f"<figure style='display:inline-block;margin:.5em'>"
            f"{graphlet_svg(entry.graphlet)}"
            f"<figcaption>{html.escaped(f'{entry.coef:+.3g}')}</figcaption></figure>"
            for entry in self.graphlets[:6]
        )
        covariate_table = ""
        if self.covariates:
            names = ["covariate", "adds, by a standard deviation", "more is evidence for", "mean"]
            covariate_table = html.table(
                names,
                [
                    [
                        short_name(e.name),
                        e.effect,
                        "" if e.output is None else e.evidence_for,
                        e.center,
                    ]
                    for e in self.covariates
                ],
            )
        learned = html.table(head, rows) if rows else f"<p>{html.escaped(NO_GRAPHLETS)}</p>"
        return f"<p>{html.escaped(repr(self))}</p>{pictures}{learned}{covariate_table}"


def _coef_for(entry: GraphletSummary, output: Any) -> float:
    return next((role.coef for role in entry.roles if role.output == output), 0.0)


def _served(entry: GraphletSummary, targets: tuple[TargetSummary, ...]) -> str:
    """Name the targets that a graphlet serves, the largest weights first, if there are several."""
    if len(targets) < 2:
        return ""
    names = list(dict.fromkeys(str(role.target) for role in entry.roles))
    if len(names) > 3:
        names = [", ".join(names[:3]) + f" and {len(names) - 3} more"]
    return f"; for {', '.join(names)}"


def _quality(entry: GraphletSummary) -> str:
    text = ""
    if entry.auc is not None:
        text += f", AUC {entry.auc:.2f} for {entry.evidence_for}"
    if entry.correlation is not None:
        text += f", correlation {entry.correlation:+.2f}"
    if entry.stability is not None:
        text += f", stability {entry.stability:.0%}"
    return text


def explain_global(
    model: LagraModel, graphs: Any, y: ArrayLike | None = None, *, n_jobs: int = 1
) -> GlobalExplanation:
    """Say which graphlets a model uses, how strongly, and where they occur.

    Parameters
    ----------
    model : LagraModel
    graphs : GraphSet or list of graphs
        By custom the training graphs; in the user's units.
    y : array-like or DataFrame of shape (n_graphs,) or (n_graphs, n_targets), optional
        Classes or numbers; None or NaN where they are unknown.
    n_jobs : int
        Number of threads; the explanation does not depend on it.

    Returns
    -------
    GlobalExplanation

    Examples
    --------
    >>> from aglets import GraphSet, LagraClassifier
    >>> graphs = GraphSet.from_lists(
    ...     labels=["CCO", "CO", "CCC", "CC"] * 5, edges=[[(0, 1), (1, 2)], [(0, 1)]] * 10
    ... )
    >>> y = ["alcohol", "alcohol", "alkane", "alkane"] * 5
    >>> model = LagraClassifier(maxpat=1).fit(graphs, y).model_
    >>> first = explain_global(model, graphs, y).graphlets[0]
    >>> first.graphlet.name, first.evidence_for, first.support, first.auc
    ('O', 'alcohol', {'alcohol': 10, 'alkane': 0}, 1.0)
    """
    found = model.match(graphs, n_jobs=n_jobs)
    return summarise(model, found, None if y is None else checked_targets(model, found, y))


def checked_targets(model: LagraModel, found: Match, y: ArrayLike) -> NDArray[Any]:
    """Take y of one or several targets, with values that the model knows."""
    n_graphs = len(found.graphs)
    if len(model.outputs.targets) == 1:
        return model.outputs.single.checked(y, n_graphs)
    values = target_table(y, n_graphs)
    model.outputs.encode(values)
    return values


def summarise(model: LagraModel, found: Match, y: NDArray[Any] | None) -> GlobalExplanation:
    """Make the explanation where matches are known already."""
    input_spec = model.input_spec
    names = names_of(input_spec.attribute_names, input_spec.n_attributes)
    mean, spread = _label_statistics(found, len(input_spec.vocabulary))
    usual = _usual(mean, spread)
    psi, occurs = found.psi, found.occurs
    targets = known_targets(model, y, len(psi))
    several = len(targets) > 1
    sums = [(known.class_sums(occurs), known.class_sums(psi)) for known in targets]
    summaries = []
    each = zip(model.graphlets, model.output.tolist(), roles_of(model, psi, targets), strict=True)
    for j, (graphlet, row, roles) in enumerate(each):
        k = int(model.outputs.target_of[row])
        support, total = sums[k]
        column = psi[:, j]
        rows = input_spec.label_codes(graphlet.labels)
        main = roles[row]
        summaries.append(
            GraphletSummary(
                index=j,
                graphlet=graphlet,
                coef=main.coef,
                evidence_for=_with_target(main.evidence_for, main.target if several else None),
                output=main.output,
                support={c: int(own[j]) for c, own in support.items()},
                n_support=int(occurs[:, j].sum()),
                mean_psi={
                    c: float(total[c][j] / len(w)) if len(w) else float("nan")
                    for c, w in targets[k].by_class.items()
                },
                mean_psi_all=_mean(column),
                auc=main.auc,
                correlation=main.correlation,
                best_graph=int(column.argmax()) if occurs[:, j].any() else None,
                best_psi=float(column.max(initial=0.0)),
                label_mean=mean[rows],
                label_spread=spread[rows],
                shown_attributes=without_residue(graphlet.attributes, usual[rows]),
                attribute_names=names,
                molecule=is_molecule(input_spec.recipe),
                roles=tuple(sorted(roles.values(), key=lambda role: -abs(role.weight))),
                target=main.target,
                mean_places=_mean_places(graphlet, found.embeddings.n_places(j)),
            )
        )
    weights = np.abs(model.relative_coef).max(axis=0, initial=0.0)
    summaries.sort(key=lambda entry: (-weights[entry.index], entry.index))
    described = tuple(known.summary() for known in targets)
    return GlobalExplanation(
        graphlets=tuple(summaries),
        intercepts=tuple(model.intercept.tolist()),
        classes=None if several else described[0].classes,
        class_counts={} if several else described[0].class_counts,
        n_graphs=len(psi),
        rho=(
            model.rho
            if isinstance(model.rho, float)
            else tuple(float(model.rho[entry.index]) for entry in summaries)
        ),
        loss=model.loss,
        attribute_names=names,
        covariates=summaries_of(model),
        targets=described,
        outputs=model.outputs.names,
    ).with_stability(model.stability)


def _with_target(value: Any, name: str | None) -> Any:
    return value if name is None or value is None else f"{name}: {value}"


def _mean_places(graphlet: Graphlet, n_places: NDArray[np.int64]) -> float | None:
    """Mean number of places over graphs that have any."""
    if graphlet.pooling == "best" or not n_places.any():
        return None
    return float(n_places.sum() / np.count_nonzero(n_places))


def _places(entry: GraphletSummary) -> str:
    """Say in how many places of a graph a graphlet that counts is found."""
    if entry.mean_places is None:
        return ""
    return f", {entry.mean_places:.2g} places each on average"


def is_molecule(recipe: str | None) -> bool:
    """Whether graphs with this recipe were read from molecules."""
    return recipe is not None and '"molecule"' in recipe


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _usual(mean: Floats, spread: Floats) -> Floats:
    """Say how large attributes usually are: for each label, or over all where it has only 0."""
    reach = np.nan_to_num(np.abs(mean) + spread)
    return np.where(reach > 0.0, reach, reach.max(axis=0, initial=0.0))


def _label_statistics(found: Match, n_labels: int) -> tuple[Floats, Floats]:
    """Mean and spread of the attributes of each of the model's labels, in the user's units."""
    shape = (n_labels, found.graphs.n_attributes)
    mean, spread = np.full(shape, np.nan), np.full(shape, np.nan)
    for code in range(n_labels):
        rows = found.graphs.attributes[found.scaled.labels == code]
        if len(rows):
            mean[code], spread[code] = rows.mean(axis=0), rows.std(axis=0)
    return mean, spread
