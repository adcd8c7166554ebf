"""The outputs of a model: one target or several, each with its classes, its loss and its gaps.

A model has one row of coefficients per output. `Outputs` says which rows belong to which target,
turns y into what losses need and f into predictions, and adds up losses and scores over targets.
What a single target means is in `target`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aglets.graphs.arrays import Floats
from aglets.model.losses import Loss, make_loss
from aglets.model.target import Target
from aglets.model.target_table import target_names, target_table
from aglets.model.weights import class_weights

__all__ = ["Outputs"]

ClassWeight = Mapping[Any, float] | str | None


@dataclass(frozen=True, eq=False)
class Outputs:
    """The targets of a model, and the rows of its coefficients that answer for each.

    Encoded targets have shape (n_outputs, n_graphs), f has shape (n_graphs, n_outputs), and weights
    have shape (n_graphs,) if all outputs share them, else (n_outputs, n_graphs).

    Parameters
    ----------
    targets : sequence of Target

    Examples
    --------
    Two targets with gaps, a class and a number:

    >>> from aglets.model.losses import Logistic, Squared
    >>> y = np.array([["yes", 1.5], ["no", None], [None, 2.5]], dtype=object)
    >>> outputs = Outputs.learn(y, [Logistic(), Squared()], names=["toxic", "solubility"])
    >>> outputs.names
    ('toxic', 'solubility')
    >>> outputs.encode(y)
    array([[ 1. , -1. ,  nan],
           [ 1.5,  nan,  2.5]])
    >>> outputs.decode(np.array([[0.7, 1.4], [-0.2, 3.0]])).tolist()
    [['yes', 1.4], ['no', 3.0]]
    """

    targets: Sequence[Target]

    def __post_init__(self) -> None:
        if not self.targets:
            raise ValueError("A model needs at least one target. Got none.")
        names = [target.name for target in self.targets]
        if len(names) > 1 and (None in names or len(set(names)) < len(names)):
            raise ValueError(f"Several targets need different names. Got {names}.")
        object.__setattr__(self, "targets", tuple(self.targets))

    @classmethod
    def of_classes(cls, classes: ArrayLike, loss: Loss | str = "squared_hinge") -> Outputs:
        """One target with these classes.

        >>> Outputs.of_classes(["no", "yes"]).n_outputs
        1
        """
        return cls([Target(_loss(loss), np.asarray(classes))])

    @classmethod
    def of_numbers(cls, loss: Loss | str = "squared") -> Outputs:
        """One target that is a number."""
        return cls([Target(_loss(loss))])

    @classmethod
    def learn(
        cls,
        y: Any,
        losses: Loss | Sequence[Loss],
        sample_weight: Floats | None = None,
        names: Sequence[str] | None = None,
        *,
        unitless: bool | Sequence[bool] = False,
    ) -> Outputs:
        """Learn the classes of every target from training graphs.

        Parameters
        ----------
        y : array-like or DataFrame of shape (n_graphs,) or (n_graphs, n_targets)
            NaN, None or a mask where a value is unknown.
        losses : Loss, or one per target
            A loss for classes makes the target one of classes.
        sample_weight : ndarray of shape (n_graphs,), optional
            Graphs of weight 0 have no say in whether there are two classes.
        names : sequence of str, optional
            Else those of a DataFrame's columns, or "target 0" and so on.
        unitless : bool, or one per target
            Whether options of losses are in units of the spread of their target.
        """
        columns, found = _columns(y)
        each = [losses] * len(columns) if isinstance(losses, Loss) else list(losses)
        flags = [unitless] * len(columns) if isinstance(unitless, bool) else list(unitless)
        given = found if names is None else list(names)
        if len(each) != len(columns) or len(given) != len(columns):
            raise ValueError(
                f"Expected one loss and one name per target ({len(columns)}). "
                f"Got {len(each)} and {len(given)} instead."
            )
        learned = [
            Target.learn(column, loss, sample_weight, name, unitless=own)
            for column, loss, name, own in zip(columns, each, given, flags, strict=True)
        ]
        if len(learned) > 1:
            # Losses are added up: what is measured in thousands must not outweigh the rest.
            learned = [
                target.with_unit_of(column, sample_weight)
                for target, column in zip(learned, columns, strict=True)
            ]
        return cls(learned)

    @property
    def single(self) -> Target:
        """The target, if there is one only."""
        if len(self.targets) != 1:
            raise ValueError(
                f"Expected a model with one target. Got {len(self.targets)}: "
                f"{', '.join(map(str, self.target_names))}."
            )
        return self.targets[0]

    @property
    def n_outputs(self) -> int:
        """The number of rows of coefficients."""
        return sum(target.n_outputs for target in self.targets)

    @property
    def target_names(self) -> tuple[str | None, ...]:
        """What the targets are called; (None,) where a single one has no name."""
        return tuple(target.name for target in self.targets)

    @property
    def slices(self) -> tuple[slice, ...]:
        """The outputs of each target."""
        ends = list(accumulate(target.n_outputs for target in self.targets))
        return tuple(slice(a, b) for a, b in zip([0, *ends], ends, strict=False))

    @property
    def target_of(self) -> NDArray[np.intp]:
        """To which target each output belongs."""
        return np.repeat(np.arange(len(self.targets)), [t.n_outputs for t in self.targets])

    @property
    def losses(self) -> tuple[Loss, ...]:
        """The loss of each output."""
        return tuple(self.targets[k].loss for k in self.target_of.tolist())

    @property
    def units(self) -> Floats:
        """What training counts each output in; 1 but for numbers among several targets."""
        return np.array([self.targets[k].unit for k in self.target_of.tolist()])

    def in_training_units(self) -> Outputs:
        """Return the outputs with losses for targets that were divided by their units."""
        return Outputs([target.in_training_units() for target in self.targets])

    @property
    def names(self) -> tuple[Any, ...]:
        """Name each output: by the class it is positive for, by its target, or by both.

        >>> Outputs.of_classes(["a", "b", "c"]).names
        ('a', 'b', 'c')
        """
        if len(self.targets) == 1 and self.targets[0].name is None:
            return self.targets[0].output_classes
        return tuple(
            target.name if target.n_outputs == 1 else f"{target.name}: {value}"
            for target in self.targets
            for value in target.output_classes
        )

    def find(self, output: Any) -> tuple[int, int | None]:
        """Look up what a user calls an output: the position of its target, and its own.

        A class, for a single target; else the name of a target, (target, class), or a name among
        :attr:`names`. The second position is None for a target with more than two classes whose
        class was not named.

        >>> from aglets.model.losses import Logistic
        >>> y = [["a", 0], ["b", 1], ["c", 1]]
        >>> outputs = Outputs.learn(y, Logistic(), names=["colour", "toxic"])
        >>> outputs.find("toxic"), outputs.find("colour"), outputs.find(("colour", "c"))
        ((1, 3), (0, None), (0, 2))
        """
        names, several = list(self.names), len(self.targets) > 1
        if output is not None and output in names:
            row = names.index(output)
            return int(self.target_of[row]), row
        name, value = output if isinstance(output, tuple) and len(output) == 2 else (output, None)
        if several and name in self.target_names:
            k = self.target_names.index(name)
            own, rows = self.targets[k].output_classes, self.slices[k]
            if value is None:
                return k, rows.start if len(own) == 1 else None
            if value in own:
                return k, rows.start + own.index(value)
        if several:
            raise ValueError(
                "output must be a target, or (target, class) with a class that has a decision of "
                f"its own: the targets are {list(self.target_names)}. Got {output!r} instead."
            )
        choices = [name for name in names if name is not None]
        raise ValueError(
            f"output must be a class that has a decision of its own: one of {choices}. "
            f"Got {output!r} instead."
        )

    def evidence_for(self, output: int, coef: float) -> Any:
        """Return the class that more of something with this weight makes likelier; None if none."""
        k = int(self.target_of[output])
        value = self.targets[k].evidence_for(output - self.slices[k].start, coef)
        several = len(self.targets) > 1 and value is not None
        return f"{self.targets[k].name}: {value}" if several else value

    def value_names(self, probabilistic: Sequence[bool]) -> list[str]:
        """Name the columns of :meth:`values`, by which targets have probabilities.

        >>> Outputs.of_classes(["no", "yes"]).value_names([False])
        ['decision']
        >>> Outputs.of_classes(["no", "yes"]).value_names([True])
        ['decision', 'probability_no', 'probability_yes']
        >>> Outputs.of_classes(["no", "yes"], "logistic").value_names([True])
        ['probability_no', 'probability_yes']
        """
        return [
            "_".join(part for part in (kind, target.name, name) if part is not None)
            for target, known in zip(self.targets, probabilistic, strict=True)
            for kind, name in _value_columns(target, known)
        ]

    def values(self, f: Floats, probabilities: Sequence[Floats | None]) -> Floats:
        """Tabulate what stands behind predictions of classes: f, probabilities, or both.

        Parameters
        ----------
        f : ndarray of shape (n_graphs, n_outputs)
        probabilities : sequence (per target) of ndarray of shape (n_graphs, n_classes), or None
        """
        parts = []
        for target, rows, p in zip(self.targets, self.slices, probabilities, strict=True):
            if target.classes is not None and (p is None or not target.loss.probabilistic):
                parts.append(f[:, rows])
            if p is not None:
                parts.append(p)
        return np.hstack([np.zeros((len(f), 0)), *parts])

    def encode(self, y: Any, where: str = "y") -> Floats:
        """Turn y into -1 and +1 or numbers for every output; NaN where a value is unknown."""
        columns, _ = _columns(y)
        if len(columns) != len(self.targets):
            raise ValueError(
                f"{where} must have one column per target ({len(self.targets)}). "
                f"Got {len(columns)} instead."
            )
        return np.concatenate(
            [t.encode(column, where) for t, column in zip(self.targets, columns, strict=True)]
        )

    def weights(
        self,
        encoded: Floats,
        sample_weight: Floats,
        class_weight: ClassWeight | Sequence[ClassWeight] = None,
    ) -> Floats:
        """Weigh the graphs for every output, shape (n_outputs, n_graphs); 0 where y is unknown.

        Parameters
        ----------
        encoded : ndarray of shape (n_outputs, n_graphs)
        sample_weight : ndarray of shape (n_graphs,)
        class_weight : mapping, "balanced" or None, or a list with one of these per target
            Balanced weights are balanced within each target, over its known values.
        """
        each = (
            class_weight
            if isinstance(class_weight, (list, tuple))
            else [class_weight] * len(self.targets)
        )
        if len(each) != len(self.targets):
            raise ValueError(
                f"class_weight must hold one entry per target ({len(self.targets)}). "
                f"Got {len(each)} instead."
            )
        weights = [
            _target_weight(target, encoded[rows], sample_weight, factors)
            for target, rows, factors in zip(self.targets, self.slices, each, strict=True)
        ]
        return np.stack(weights)[self.target_of]

    def as_table(self, f: Floats) -> Floats:
        """Give f a column per output; that of a single output is a vector outside."""
        return f.reshape(len(f), self.n_outputs)

    def decode(self, f: Floats) -> NDArray[Any]:
        """Predict: shape (n_graphs,) for one target, else (n_graphs, n_targets)."""
        parts = [t.decode(f[:, rows]) for t, rows in zip(self.targets, self.slices, strict=True)]
        if len(parts) == 1:
            return parts[0]
        # Numbers would turn into strings next to strings.
        alike = len({part.dtype.kind for part in parts}) == 1
        return np.stack(parts if alike else [part.astype(object) for part in parts], axis=1)

    def probabilities(self, f: Floats) -> list[Floats | None]:
        """Give the probability of each class per target, as its loss says it; None if it cannot."""
        return [
            t.probabilities(f[:, rows]) if t.loss.probabilistic else None
            for t, rows in zip(self.targets, self.slices, strict=True)
        ]

    def loss_value(self, encoded: Floats, f: Floats, weight: Floats) -> float:
        """1/2 sum of losses over all outputs and all graphs whose target is known."""
        return float(self.loss_values(encoded, f[None], weight)[0])

    def loss_values(self, encoded: Floats, f: Floats, weight: Floats) -> Floats:
        """Return :meth:`loss_value` of several f, shape (n_values, n_graphs, n_outputs)."""
        values = np.zeros(len(f))
        for target, rows, w in self._parts(encoded, weight):
            values += target.loss_values(encoded[rows], f[:, :, rows], w)
        return values

    def scores(self, encoded: Floats, f: Floats, weight: Floats) -> Floats:
        """Accuracy or R² of each target, NaN for a target of which no value is known."""
        return np.array(
            [
                target.score(encoded[rows], f[:, rows], w)
                if (w[~np.isnan(encoded[rows.start])] > 0.0).any()
                else np.nan
                for target, rows, w in self._parts(encoded, weight)
            ]
        )

    def score(self, encoded: Floats, f: Floats, weight: Floats) -> float:
        """Accuracy or R², averaged over the targets of which some value is known."""
        scores = self.scores(encoded, f, weight)
        return float(scores[0]) if len(scores) == 1 else float(np.nanmean(scores))

    def score_parts(self, encoded: Floats, f: Floats, weight: Floats) -> Floats:
        """Return what each graph adds to the score, or takes from it, but for a constant."""
        parts = self._parts(encoded, weight)
        if len(parts) == 1:
            target, rows, w = parts[0]
            return target.score_parts(encoded[rows], f[:, rows], w)
        total = np.zeros(len(f))
        for target, rows, w in parts:
            known = (w > 0.0) & ~np.isnan(encoded[rows.start])
            if known.any():
                own = target.score_parts(encoded[rows][:, known], f[known, rows], w[known])
                # R² falls with what a graph adds to the error.
                sign = -1.0 if target.classes is None else 1.0
                total[known] += sign * (own - own.mean()) / len(parts)
        return total

    def same_as(self, other: Outputs) -> bool:
        """Whether the other ones have the same targets, losses included."""
        return len(self.targets) == len(other.targets) and all(
            mine.same_as(theirs) for mine, theirs in zip(self.targets, other.targets, strict=True)
        )

    def _parts(self, encoded: Floats, weight: Floats) -> list[tuple[Target, slice, Floats]]:
        each = np.broadcast_to(weight, encoded.shape)
        first = [rows.start for rows in self.slices]
        return list(zip(self.targets, self.slices, each[first], strict=True))


def _loss(loss: Loss | str) -> Loss:
    return make_loss(loss) if isinstance(loss, str) else loss


def _value_columns(target: Target, probabilistic: bool) -> list[tuple[str, str | None]]:
    if target.classes is None:
        return []
    classes = [str(value) for value in target.classes]
    columns: list[tuple[str, str | None]] = []
    if not (probabilistic and target.loss.probabilistic):
        columns += [("decision", None if target.binary else value) for value in classes]
        columns = columns[:1] if target.binary else columns
    return columns + [("probability", value) for value in classes if probabilistic]


def _target_weight(
    target: Target, rows: Floats, sample_weight: Floats, class_weight: ClassWeight
) -> Floats:
    known = ~np.isnan(rows[0])
    weight = np.where(known, sample_weight, 0.0)
    if target.classes is None:
        return weight
    return class_weights(target.decided(rows.T), target.classes, class_weight, weight)


def _columns(y: Any) -> tuple[list[NDArray[Any]], list[str | None]]:
    """Split y into its targets, with their names; a single one needs none."""
    values = target_table(y)
    if values.ndim == 1:
        return [values], [None]
    return list(values.T), list(target_names(y, values.shape[1]))
