"""What a graphlet is to the outputs of a model: whom it serves, and how well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.explain.plain import label_text
from aglets.graphs.arrays import Bools, Floats
from aglets.model import LagraModel
from aglets.model.target import Target

__all__ = ["KnownTarget", "Role", "TargetSummary", "known_targets", "roles_of", "separations"]


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

    @cached_property
    def by_class(self) -> dict[Any, NDArray[np.intp]]:
        """The graphs of each class; empty without y and for numbers."""
        if self.classes is None or not self.known.any():
            return {}
        return {value: np.flatnonzero(self.codes == c) for c, value in enumerate(self.classes)}

    def summary(self) -> TargetSummary:
        """Count the graphs."""
        counts = {value: len(rows) for value, rows in self.by_class.items()}
        return TargetSummary(self.target.name, self.classes, counts, int(self.known.sum()))

    def aucs(self, psi: Floats) -> list[float | None]:
        """How well psi distinguishes each class from the rest; nothing for numbers or without y."""
        if self.classes is None or not self.known.any():
            return []
        return separations(psi[self.known], self.codes[self.known], len(self.classes))

    def class_sums(self, table: NDArray[Any]) -> dict[Any, NDArray[Any]]:
        """Sum the columns of a table with a row per graph over the graphs of each class."""
        return {value: table[rows].sum(axis=0) for value, rows in self.by_class.items()}

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


def roles_of(
    model: LagraModel, psi: Floats, targets: Sequence[KnownTarget]
) -> list[dict[int, Role]]:
    """Say for each graphlet what it is to the outputs that it serves.

    Parameters
    ----------
    model : LagraModel
    psi : ndarray of shape (n_graphs, n_graphlets)
    targets : sequence of KnownTarget

    Returns
    -------
    list (per graphlet) of dict of output to Role
        The output for which the graphlet has its largest weight is always among them.
    """
    outputs, relative, main = model.outputs, model.relative_coef, model.output
    names, slices, target_of = outputs.names, outputs.slices, outputs.target_of.tolist()
    found = []
    for j in range(len(model.graphlets)):
        served = sorted({int(main[j]), *np.flatnonzero(model.coef[:, j]).tolist()})
        asked = {target_of[row] for row in served}
        aucs = {k: targets[k].aucs(psi[:, j]) for k in asked}
        correlations = {k: targets[k].correlation(psi[:, j]) for k in asked}
        roles = {}
        for row in served:
            k, coef = target_of[row], float(model.coef[row, j])
            target, own = outputs.targets[k], row - slices[k].start
            auc = aucs[k][target.class_code(own)] if aucs[k] else None
            roles[row] = Role(
                output=names[row],
                target=target.name,
                coef=coef,
                weight=float(relative[row, j]),
                evidence_for=target.evidence_for(own, coef),
                auc=auc if auc is None or coef > 0.0 else 1.0 - auc,
                correlation=correlations[k],
            )
        found.append(roles)
    return found


def separations(scores: Floats, codes: NDArray[np.intp], n_classes: int) -> list[float | None]:
    """Area under the ROC curve of each class: the chance that a graph of it outscores another.

    None for a class without graphs, or that all graphs are of.

    >>> separations(np.array([0.1, 0.9, 0.9]), np.array([0, 0, 1]), 2)
    [0.25, 0.75]
    """
    # Sums of ranks are whole or half numbers, so they are exact. Equal scores share their rank.
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - 0.5 * (counts - 1))[place]
    sums = np.bincount(codes, weights=ranks, minlength=n_classes)
    inside = np.bincount(codes, minlength=n_classes)
    pairs = inside * (len(scores) - inside)
    above = sums - 0.5 * inside * (inside + 1)
    return [
        float(part / whole) if whole else None for part, whole in zip(above, pairs, strict=True)
    ]


def _correlation(scores: Floats, numbers: Floats) -> float | None:
    if len(scores) < 2 or np.ptp(scores) == 0.0 or np.ptp(numbers) == 0.0:
        return None
    return float(np.corrcoef(scores, numbers)[0, 1])
