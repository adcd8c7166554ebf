"""What a graphlet is to the outputs of a model: whom it serves, and how well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.explain.plain import label_text
from aglets.graphs.arrays import Bools, Floats
from aglets.model import LagraModel
from aglets.model.target import Target

__all__ = ["KnownTarget", "Role", "TargetSummary", "auc_of", "known_targets", "role_of"]


@dataclass(frozen=True)
class Role:
    """What one graphlet is to one output.

    Parameters
    ----------
    output : class or str
        The output, as ``model.outputs.names`` calls it; None for the numbers of a single target.
    target : str or None
        The name of its target, if there are several.
    coef : float
        beta, in units of the target.
    weight : float
        The same in spreads of the target if that is a number among several, so that weights for
        different outputs can be compared.
    evidence_for : class or None
        The class that a match makes likelier; None for numbers.
    auc : float or None
        How well psi alone distinguishes that class from the rest, where the target is known.
    correlation : float or None
        Of psi with a target that is a number, where it is known.
    """

    output: Any
    target: str | None
    coef: float
    weight: float
    evidence_for: Any
    auc: float | None = None
    correlation: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Write it as plain data."""
        fields = dict(vars(self))
        return fields | {name: label_text(fields[name]) for name in ("output", "evidence_for")}


@dataclass(frozen=True)
class TargetSummary:
    """One target of a model, and what is known of it in some graphs.

    Parameters
    ----------
    name : str or None
        None for a single target without a name.
    classes : tuple or None
        None for numbers.
    class_counts : dict of class to int
        Graphs of each class; empty without y.
    n_known : int
        Graphs whose value is known; 0 without y.
    """

    name: str | None
    classes: tuple[Any, ...] | None
    class_counts: dict[Any, int]
    n_known: int

    def to_dict(self) -> dict[str, Any]:
        """Write it as plain data."""
        return {
            "name": self.name,
            "classes": None if self.classes is None else [label_text(c) for c in self.classes],
            "class_counts": {str(key): value for key, value in self.class_counts.items()},
            "n_known": self.n_known,
        }


@dataclass(frozen=True)
class KnownTarget:
    """A target, and its values in the graphs where they are known.

    Parameters
    ----------
    target : Target
    known : ndarray of shape (n_graphs,)
        Whether it is known; all False without y.
    codes : ndarray of shape (n_graphs,)
        Positions in its classes, -1 where it is unknown or a number.
    numbers : ndarray of shape (n_graphs,)
        NaN where it is unknown or a class.
    """

    target: Target
    known: Bools
    codes: NDArray[np.intp]
    numbers: Floats

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The class values; None for numbers."""
        return None if self.target.classes is None else tuple(self.target.classes.tolist())

    @property
    def by_class(self) -> dict[Any, NDArray[np.intp]]:
        """The graphs of each class; empty without y and for numbers."""
        if self.classes is None or not self.known.any():
            return {}
        return {value: np.flatnonzero(self.codes == c) for c, value in enumerate(self.classes)}

    def summary(self) -> TargetSummary:
        """Count the graphs."""
        counts = {value: len(rows) for value, rows in self.by_class.items()}
        return TargetSummary(self.target.name, self.classes, counts, int(self.known.sum()))

    def auc(self, psi: Floats, output: int, coef: float) -> float | None:
        """How well psi distinguishes the class that this weight is evidence for from the rest."""
        if self.target.classes is None or not self.known.any():
            return None
        of_class = self.codes[self.known] == self.target.class_code(output)
        return auc_of(psi[self.known], of_class if coef > 0.0 else ~of_class)

    def correlation(self, psi: Floats) -> float | None:
        """Correlate psi with numbers."""
        if self.target.classes is not None or not self.known.any():
            return None
        return _correlation(psi[self.known], self.numbers[self.known])


def known_targets(model: LagraModel, y: NDArray[Any] | None, n_graphs: int) -> list[KnownTarget]:
    """Look up what is known of each target; nothing without y."""
    outputs = model.outputs
    encoded = np.full((outputs.n_outputs, n_graphs), np.nan) if y is None else outputs.encode(y)
    found = []
    for target, rows in zip(outputs.targets, outputs.slices, strict=True):
        known = ~np.isnan(encoded[rows.start])
        codes = np.full(n_graphs, -1, dtype=np.intp)
        numbers = np.full(n_graphs, np.nan)
        if target.classes is None:
            numbers = encoded[rows.start]
        else:
            codes[known] = target.decided(encoded[rows][:, known].T)
        found.append(KnownTarget(target, known, codes, numbers))
    return found


def role_of(model: LagraModel, j: int, row: int, psi: Floats, targets: list[KnownTarget]) -> Role:
    """Say what graphlet j is to an output; ``psi`` is its own, of shape (n_graphs,)."""
    outputs, coef = model.outputs, float(model.coef[row, j])
    k = int(outputs.target_of[row])
    own = row - outputs.slices[k].start
    return Role(
        output=outputs.names[row],
        target=outputs.targets[k].name,
        coef=coef,
        weight=float(model.relative_coef[row, j]),
        evidence_for=outputs.targets[k].evidence_for(own, coef),
        auc=targets[k].auc(psi, own, coef),
        correlation=targets[k].correlation(psi),
    )


def auc_of(scores: Floats, of_class: Bools) -> float | None:
    """Area under the ROC curve: the chance that a graph of the class outscores another.

    >>> auc_of(np.array([0.1, 0.9, 0.9]), np.array([False, False, True]))
    0.75
    """
    inside, outside = np.sort(scores[of_class]), np.sort(scores[~of_class])
    if not len(inside) or not len(outside):
        return None
    below = np.searchsorted(outside, inside, side="left").sum()
    ties = np.searchsorted(outside, inside, side="right").sum() - below
    return float((below + 0.5 * ties) / (len(inside) * len(outside)))


def _correlation(scores: Floats, numbers: Floats) -> float | None:
    if len(scores) < 2 or np.ptp(scores) == 0.0 or np.ptp(numbers) == 0.0:
        return None
    return float(np.corrcoef(scores, numbers)[0, 1])
