"""How far to trust the prediction for one graph: what held-out and training graphs say of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.explain.plain import label_text
from aglets.graphs import GraphSet
from aglets.graphs.arrays import Floats
from aglets.model import LagraModel
from aglets.model.surroundings import unfamiliar_nodes

__all__ = ["ALPHA", "TrainingNeighbour", "Trust", "trust_in"]

#: The share of errors that sets and intervals in explanations allow.
ALPHA = 0.1
#: Training graphs that an explanation names.
N_NEAREST = 3
#: Nodes that a sentence lists.
MAX_NODES = 10


@dataclass(frozen=True)
class TrainingNeighbour:
    """A training graph in which graphlets occur much as in the explained one.

    Parameters
    ----------
    row : int
        Its position among the training graphs.
    distance : float
        sqrt(sum_H |beta_H|^2 (difference of psi)^2), in units of f; 0 if all graphlets occur
        alike.
    target : object
        Its true class or number; None if it is unknown.
    id, name, smiles : str or None
        What it is called, if the training graphs came with that.
    """

    row: int
    distance: float
    target: Any
    id: str | None = None
    name: str | None = None
    smiles: str | None = None

    @property
    def text(self) -> str:
        """What it is called, or else its row."""
        return self.name or self.id or self.smiles or f"row {self.row}"

    def to_dict(self) -> dict[str, Any]:
        """Write it as plain data."""
        return vars(self) | {"target": label_text(self.target)}


@dataclass(frozen=True)
class Trust:
    """How far the prediction for one graph can be trusted.

    Everything that the model has no record of is None: models of earlier versions know little.

    Parameters
    ----------
    prediction : object
        The class, or the number.
    probabilities : dict or None
        The probability of each class.
    base_rates : dict or None
        The share of each class among the training graphs.
    mean : float or None
        The mean of the training graphs, for numbers.
    no_graphlet : bool
        Whether no graphlet occurs in the graph, so that the prediction is that of the intercept
        (and of covariates), as for every such graph.
    n_nodes : int
    unfamiliar : tuple of int or None
        Nodes whose surroundings (label, and labels of edges and nodes next to it) no training graph
        has.
    nearest : tuple of TrainingNeighbour
        The nearest training graphs, if the model keeps some.
    alpha : float
    prediction_set : tuple or None
        The classes that a conformal set at this ``alpha`` holds.
    interval : (float, float) or None
        The conformal interval at this ``alpha``.
    molecule : bool
        Whether graphs are molecules.
    covariates : bool
        Whether the model has covariates, too.
    """

    prediction: Any
    probabilities: dict[Any, float] | None
    base_rates: dict[Any, float] | None
    mean: float | None
    no_graphlet: bool
    n_nodes: int
    unfamiliar: tuple[int, ...] | None
    nearest: tuple[TrainingNeighbour, ...]
    alpha: float
    prediction_set: tuple[Any, ...] | None
    interval: tuple[float, float] | None
    molecule: bool = False
    covariates: bool = False

    @property
    def probability(self) -> float | None:
        """The probability of the predicted class."""
        return None if self.probabilities is None else self.probabilities[self.prediction]

    @property
    def base_rate(self) -> float | None:
        """The share of the predicted class among the training graphs; for numbers, their mean."""
        return self.mean if self.base_rates is None else self.base_rates[self.prediction]

    @property
    def unfamiliar_share(self) -> float | None:
        """The share of nodes with surroundings that no training graph has."""
        if self.unfamiliar is None:
            return None
        return len(self.unfamiliar) / self.n_nodes if self.n_nodes else 0.0

    @property
    def lines(self) -> list[str]:
        """Say all that is known, in a sentence each."""
        graph, node = ("molecule", "atom") if self.molecule else ("graph", "node")
        lines = []
        if self.probability is not None:
            base = "" if self.base_rate is None else f" (base rate {self.base_rate:.2f})"
            lines.append(f"probability of {self.prediction}: {_two_digits(self.probability)}{base}")
            lines += self._other_class
        elif self.mean is not None:
            lines.append(f"mean of the training {graph}s: {self.mean:.4g}")
        percent = f"{100 * (1 - self.alpha):.3g} %"
        if self.prediction_set is not None:
            listed = ", ".join(map(str, self.prediction_set))
            none = f"none, because the {graph} is unlike held-out ones of any class"
            lines.append(f"{percent} prediction set: {listed or none}")
        if self.interval is not None:
            low, high = self.interval
            lines.append(f"{percent} prediction interval: {low:.4g} to {high:.4g}")
        if self.no_graphlet:
            alone = f"the intercept alone, the same for every such {graph}"
            said = "the intercept and covariates alone" if self.covariates else alone
            lines.append(f"no graphlet occurs in this {graph}: the prediction is {said}")
        if self.unfamiliar:
            listed = ", ".join(map(str, self.unfamiliar[:MAX_NODES]))
            more = ", ..." if len(self.unfamiliar) > MAX_NODES else ""
            one = len(self.unfamiliar) == 1
            lines.append(
                f"{len(self.unfamiliar)} of {self.n_nodes} {node}{'s'[self.n_nodes == 1 :]} "
                f"{'has' if one else 'have'} surroundings that no training {graph} has: "
                f"{node}{'' if one else 's'} {listed}{more}"
            )
        if self.nearest:
            listed = "; ".join(
                f"{near.text} ({'unknown' if near.target is None else near.target}, "
                f"distance {near.distance:.2g})"
                for near in self.nearest
            )
            lines.append(f"nearest training {graph}s: {listed}")
        return lines

    @property
    def _other_class(self) -> list[str]:
        """Say so if another class than the predicted one is the most probable."""
        found = self.probabilities or {}
        likely = max(found, key=found.__getitem__, default=self.prediction)
        if self.probability is None or found[likely] <= self.probability:
            return []
        return [
            f"{likely} is more probable ({_two_digits(found[likely])}): the prediction follows the "
            "decision, which class weights move"
        ]

    def to_dict(self) -> dict[str, Any]:
        """Write it as plain data."""

        def by_class(values: dict[Any, float] | None) -> dict[str, float] | None:
            return None if values is None else {str(key): v for key, v in values.items()}

        kept = self.prediction_set
        return {
            "probability": self.probability,
            "probabilities": by_class(self.probabilities),
            "base_rate": self.base_rate,
            "base_rates": by_class(self.base_rates),
            "no_graphlet": self.no_graphlet,
            "unfamiliar": None if self.unfamiliar is None else list(self.unfamiliar),
            "unfamiliar_share": self.unfamiliar_share,
            "nearest": [near.to_dict() for near in self.nearest],
            "alpha": self.alpha,
            "prediction_set": None if kept is None else [label_text(value) for value in kept],
            "interval": None if self.interval is None else [_finite(end) for end in self.interval],
            "lines": self.lines,
        }


def trust_in(
    model: LagraModel,
    scaled: GraphSet,
    psi: Floats,
    occurs: NDArray[np.bool_],
    f: Floats,
    *,
    target: int = 0,
    alpha: float = ALPHA,
    molecule: bool = False,
) -> list[Trust]:
    """Say for each graph how far its prediction can be trusted.

    Parameters
    ----------
    model : LagraModel
    scaled : GraphSet
        In the labels and units of the model.
    psi : ndarray of shape (n_graphs, n_graphlets)
    occurs : ndarray of bool, shape (n_graphs, n_graphlets)
        Whether each graphlet occurs at all.
    f : ndarray of shape (n_graphs, n_outputs)
    target : int
        Which target, of several.
    alpha : float
        The share of errors that sets and intervals allow.
    molecule : bool
    """
    outputs, record = model.outputs, model.record
    kind, rows = outputs.targets[target], outputs.slices[target]
    classes = None if kind.classes is None else kind.classes.tolist()
    own = model.coef[rows].any(axis=0)
    probabilities = model.probabilities_from_decision(f)[target]
    sets = intervals = None
    if model.conformal is not None:
        sets = model.conformal.sets(outputs, f, alpha)[target]
        intervals = model.conformal.intervals(outputs, f, alpha)[target]
    rates = None if record is None else record.base_rates[target].tolist()
    strange = None
    if record is not None and record.surroundings is not None:
        mask = unfamiliar_nodes(scaled, record.surroundings)
        strange = np.split(mask, scaled.node_offsets[1:-1])
    found = []
    for i, prediction in enumerate(kind.decode(f[:, rows]).tolist()):
        found.append(
            Trust(
                prediction=prediction,
                probabilities=_by_class(classes, probabilities, i),
                base_rates=None
                if rates is None or classes is None
                else dict(zip(classes, rates, strict=True)),
                mean=rates[0] if rates is not None and classes is None else None,
                no_graphlet=not occurs[i, own].any(),
                n_nodes=int(scaled.n_nodes[i]),
                unfamiliar=None if strange is None else tuple(np.flatnonzero(strange[i]).tolist()),
                nearest=_nearest(model, psi[i], int(scaled.n_nodes[i]), target),
                alpha=alpha,
                prediction_set=None
                if sets is None or classes is None
                else tuple(value for value, inside in zip(classes, sets[i], strict=True) if inside),
                interval=None
                if intervals is None
                else (float(intervals[i, 0]), float(intervals[i, 1])),
                molecule=molecule,
                covariates=model.covariates is not None,
            )
        )
    return found


def _two_digits(p: float) -> str:
    """Write a probability with two digits; none is certain."""
    return "above 0.99" if p > 0.995 else "below 0.01" if p < 0.005 else f"{p:.2f}"


def _finite(value: float) -> float | None:
    """Return a number that JSON has; None for an infinite one."""
    return value if np.isfinite(value) else None


def _by_class(classes: list[Any] | None, table: Floats | None, i: int) -> dict[Any, float] | None:
    if classes is None or table is None:
        return None
    return dict(zip(classes, table[i].tolist(), strict=True))


def _nearest(
    model: LagraModel, psi: Floats, n_nodes: int, target: int
) -> tuple[TrainingNeighbour, ...]:
    kept = None if model.record is None else model.record.neighbours
    if kept is None:
        return ()
    rows, classes = model.outputs.slices[target], model.outputs.targets[target].classes
    weights = np.sqrt((model.coef[rows] ** 2).sum(axis=0))
    near = kept.nearest(psi, weights, n_nodes, k=N_NEAREST)
    values = kept.targets[target]
    return tuple(
        TrainingNeighbour(
            row=int(kept.rows[j]),
            distance=float(distance),
            target=_value(values[j], None if classes is None else classes.tolist()),
            id=None if kept.ids is None else kept.ids[j],
            name=None if kept.names is None else kept.names[j],
            smiles=None if kept.smiles is None else kept.smiles[j],
        )
        for j, distance in zip(near.positions.tolist(), near.distances, strict=True)
    )


def _value(value: float, classes: list[Any] | None) -> Any:
    if np.isnan(value):
        return None
    return float(value) if classes is None else classes[int(value)]
