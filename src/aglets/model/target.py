"""One target: what its values mean, and the outputs of a model that answer for it.

A number has one output, f itself. Two classes have one output, positive for the second class. More
classes have one output each, that class against the rest, and the largest f wins. Everything that
depends on this is here, and nowhere else.

In encoded form a target is an array of shape (n_outputs, n_graphs): -1 and +1 for classes, numbers
for regression, NaN where the value is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import repeat
from numbers import Number
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aglets.graphs.arrays import Floats
from aglets.model.losses import Loss

__all__ = ["Target", "checked_column", "is_known", "middle_and_spread"]

#: Of values from a normal distribution, standard deviation / median distance from the median.
NORMAL = 1.4826

_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


@dataclass(frozen=True, eq=False)
class Target:
    """A column of y.

    Parameters
    ----------
    loss : Loss
        What a wrong answer costs.
    classes : ndarray of shape (n_classes,) or None
        The class values; None for numbers.
    name : str or None
        What it is called where there are several.
    unit : float
        What training counts it in, of a number among several targets: their losses are added.

    Examples
    --------
    >>> from aglets.model.losses import SquaredHinge
    >>> target = Target(SquaredHinge(), np.array(["no", "yes"]))
    >>> target.encode(["yes", "no", None])
    array([[ 1., -1., nan]])
    >>> target.decode(np.array([[0.3], [-2.0]])).tolist()
    ['yes', 'no']
    """

    loss: Loss
    classes: NDArray[Any] | None = None
    name: str | None = None
    unit: float = 1.0

    def __post_init__(self) -> None:
        if self.classes is not None:
            object.__setattr__(self, "classes", np.asarray(self.classes))
        if self.classes is not None and len(self.classes) < 2:
            raise ValueError(f"A model needs at least two classes. Got {len(self.classes)}.")
        if self.loss.classification != (self.classes is not None):
            came = "numbers" if self.classes is None else "classes"
            raise ValueError(
                f"The loss {self.loss.name!r} is for {self.loss.task}, but the target has {came}."
            )

    @classmethod
    def learn(
        cls,
        values: ArrayLike,
        loss: Loss,
        sample_weight: Floats | None = None,
        name: str | None = None,
        *,
        unitless: bool = False,
    ) -> Target:
        """Learn the classes from the known values of training graphs.

        ``unitless`` says that the loss is for numbers in units of their spread; the target's own is
        then in theirs.
        """
        column = np.asarray(values)
        known = is_known(column)
        counted = known if sample_weight is None else known & (sample_weight > 0.0)
        if not loss.classification:
            if not counted.any():
                raise ValueError(
                    f"{_named('y', name)} must hold at least one number (of a graph with a "
                    "positive weight). Got only unknown values instead."
                )
            own = _in_units_of(column, loss, sample_weight, name) if unitless else loss
            return cls(own, None, name)
        classes, present = (_classes(column[rows], name) for rows in (known, counted))
        if column.dtype.kind == "O" and (name is not None or not known.all()):
            classes, present = _plain(classes), _plain(present)
        if name is not None and classes.dtype.kind == "f" and (classes == np.rint(classes)).all():
            # Gaps make numbers of a table float.
            classes, present = classes.astype(np.int64), present.astype(np.int64)
        if len(present) < 2:
            raise ValueError(
                f"{_named('y', name)} must hold at least two classes (of graphs with a positive "
                f"weight). Got {_counted(len(present))}, {present.tolist()}, instead."
            )
        return cls(loss, classes, name)

    def with_unit_of(self, values: ArrayLike, sample_weight: Floats | None = None) -> Target:
        """Count numbers in units of the spread of these known values; classes have no unit."""
        if self.classes is not None:
            return self
        numbers = self.encode(values)[0]
        weight = np.ones(len(numbers)) if sample_weight is None else sample_weight
        _, spread = middle_and_spread(numbers, weight)
        return self if self.loss.in_units_of(spread) is None else replace(self, unit=spread)

    def in_training_units(self) -> Target:
        """Return the target with a loss for numbers that were divided by its unit."""
        loss = self.loss.in_units_of(self.unit)
        return self if self.unit == 1.0 or loss is None else replace(self, loss=loss)

    @property
    def binary(self) -> bool:
        """Whether it has two classes, which share one output."""
        return self.classes is not None and len(self.classes) == 2

    @property
    def n_outputs(self) -> int:
        """One for two classes and for regression, else the number of classes."""
        return 1 if self.classes is None or self.binary else len(self.classes)

    @property
    def output_classes(self) -> tuple[Any, ...]:
        """The class that each output is positive for; (None,) for numbers."""
        if self.classes is None:
            return (None,)
        values = self.classes.tolist()
        return tuple(values[1:] if self.binary else values)

    @property
    def score_name(self) -> str:
        """What :meth:`score` is called."""
        return "R²" if self.classes is None else "accuracy"

    @property
    def kind(self) -> str:
        """Say in short what it is."""
        return "regression" if self.classes is None else f"{len(self.classes)} classes"

    @property
    def meaning(self) -> str:
        """Say what f means."""
        if self.classes is None:
            return "a number"
        names = [str(value) for value in self.classes]
        return f"positive means {names[1]}, negative {names[0]}" if self.binary else self.kind

    def class_code(self, output: int) -> int:
        """Return the position in ``classes`` of the class that an output is positive for."""
        return 1 if self.binary else output

    def evidence_for(self, output: int, coef: float) -> Any:
        """Return the class that more of something with this weight makes likelier.

        Examples
        --------
        >>> from aglets.model.losses import Logistic
        >>> Target(Logistic(), np.array(["no", "yes"])).evidence_for(0, -2.0)
        'no'
        >>> Target(Logistic(), np.array(["a", "b", "c"])).evidence_for(2, -2.0)
        'not c'
        """
        if self.classes is None:
            return None
        values = self.classes.tolist()
        if self.binary:
            return values[1] if coef > 0.0 else values[0]
        return values[output] if coef > 0.0 else f"not {values[output]}"

    def codes(self, values: ArrayLike, where: str = "y") -> NDArray[np.intp]:
        """Look up values in ``classes``, -1 where they are unknown; other classes are an error."""
        assert self.classes is not None
        column = np.asarray(values)
        position = {value: code for code, value in enumerate(self.classes.tolist())}
        listed, known = column.tolist(), is_known(column).tolist()
        strange = [v for v, k in zip(listed, known, strict=True) if k and v not in position]
        if strange:
            raise ValueError(
                f"{_named(where, self.name)} holds the class {strange[0]!r}, but the model knows "
                f"{self.classes.tolist()}; give targets of those classes only."
            )
        return np.array(
            [position[v] if k else -1 for v, k in zip(listed, known, strict=True)], dtype=np.intp
        )

    def encode(self, values: ArrayLike, where: str = "y") -> Floats:
        """Turn values into -1 and +1 for every output, or into numbers; NaN if unknown."""
        if self.classes is None:
            return _numbers(np.asarray(values), _named(where, self.name))[None]
        codes = self.codes(values, where)
        outputs = np.arange(1, 2) if self.binary else np.arange(len(self.classes))
        signs = np.where(codes == outputs[:, None], 1.0, -1.0)
        signs[:, codes < 0] = np.nan
        return signs

    def decided(self, f: Floats) -> NDArray[np.intp]:
        """Return the positions of the classes that f of shape (n_graphs, n_outputs) stands for."""
        return np.asarray(f[:, 0] > 0.0 if self.binary else f.argmax(axis=1), dtype=np.intp)

    def decode(self, f: Floats) -> NDArray[Any]:
        """Name the classes, or give the numbers, for f of shape (n_graphs, n_outputs)."""
        return np.asarray(f[:, 0] if self.classes is None else self.classes[self.decided(f)])

    def normalised(self, rest: Floats, p: Floats) -> Floats:
        """Make probabilities of classes, shape (n_graphs, n_classes), of those of outputs.

        For more than two classes the probabilities of "class against the rest" are divided by
        their sum.

        Parameters
        ----------
        rest, p : ndarray of shape (n_graphs, n_outputs)
            The probability that the class of an output is not the true one, and that it is.
        """
        if self.binary:
            return np.column_stack([rest[:, 0], p[:, 0]])
        total = p.sum(axis=1, keepdims=True)
        uniform = np.full_like(p, 1.0 / p.shape[1])
        return np.asarray(np.divide(p, total, out=uniform, where=total > 0.0))

    def probabilities(self, f: Floats) -> Floats:
        """Give the probability of each class as the loss says it, shape (n_graphs, n_classes)."""
        return self.normalised(*self.loss.class_probabilities(f))

    def decisive_output(self, f: Floats) -> int:
        """Return the output that decides the prediction of one graph, f of shape (n_outputs,)."""
        return int(f.argmax())

    def margin(self, f: Floats) -> Floats:
        """Say how far each graph is from another class, for f of shape (n_graphs, n_outputs)."""
        if self.n_outputs == 1:
            return np.abs(f[:, 0])
        two = np.sort(f, axis=1)[:, -2:]
        return np.asarray(two[:, 1] - two[:, 0])

    def towards_another_class(self, f: Floats) -> Floats:
        """Return the change of f, shape (n_outputs,), that leads to the nearest other class.

        Times f of one graph it is minus the margin.
        """
        change = np.zeros(len(f))
        if self.n_outputs == 1:
            change[0] = -1.0 if f[0] > 0.0 else 1.0
        else:
            rival, winner = np.argsort(f, kind="stable")[-2:]
            change[[rival, winner]] = 1.0, -1.0
        return change

    def right(self, rows: Floats, f: Floats) -> NDArray[np.bool_]:
        """Whether the class of each graph is the one in the encoded ``rows``."""
        return np.asarray(self.decided(rows.T) == self.decided(f))

    def loss_value(self, rows: Floats, f: Floats, weight: Floats) -> float:
        """1/2 sum of losses over outputs and graphs with a known value."""
        return float(self.loss_values(rows, f[None], weight)[0])

    def loss_values(self, rows: Floats, f: Floats, weight: Floats) -> Floats:
        """Return :meth:`loss_value` of several f, shape (n_values, n_graphs, n_outputs)."""
        known = ~np.isnan(rows[0])
        if not known.all():
            rows, f, weight = rows[:, known], f[:, known], weight[known]
        value = self.loss.value
        # Graphs lie next to each other in memory, as in training: sums then round as they do there.
        columns = np.ascontiguousarray(np.moveaxis(f, 1, 2))
        if self.loss.joint and self.n_outputs > 1:
            return np.array([value(rows, one, weight) for one in columns])
        return np.array([sum(map(value, rows, one, repeat(weight))) for one in columns])

    def score(self, rows: Floats, f: Floats, weight: Floats) -> float:
        """Weighted accuracy, or R² for numbers, over graphs with a known value.

        Parameters
        ----------
        rows : ndarray of shape (n_outputs, n_graphs)
            The truth, as :meth:`encode` gives it.
        f : ndarray of shape (n_graphs, n_outputs)
        weight : ndarray of shape (n_graphs,)
        """
        rows, f, weight = _where_known(rows, f, weight)
        if self.n_outputs == 1:
            return self.loss.score(rows[0], f[:, 0], weight)
        return float(weight @ self.right(rows, f)) / float(weight.sum())

    def score_parts(self, rows: Floats, f: Floats, weight: Floats) -> Floats:
        """Return what each graph with a known value adds to the accuracy, or takes from R²."""
        rows, f, weight = _where_known(rows, f, weight)
        weight = weight / weight.sum()
        if self.classes is not None:
            return np.asarray(weight * self.right(rows, f))
        y = rows[0]
        spread = float(weight @ (y - weight @ y) ** 2)
        return np.asarray(weight * (y - f[:, 0]) ** 2 / (spread or 1.0))

    def checked(self, y: ArrayLike, n_graphs: int) -> NDArray[Any]:
        """Take y as one value per graph, of classes that the model knows."""
        values = checked_column(y, n_graphs)
        if self.classes is not None:
            self.codes(values)
        return values

    def same_as(self, other: Target) -> bool:
        """Whether the other one has the same classes, loss and name."""
        mine, theirs = (None if t.classes is None else t.classes.tolist() for t in (self, other))
        return mine == theirs and self.loss == other.loss and self.name == other.name


def middle_and_spread(values: Floats, weight: Floats) -> tuple[float, float]:
    """Return the median of numbers, and the spread of most of them: outliers change neither much.

    The spread is the median distance from the median, times what makes it the standard deviation of
    normally distributed values; if that is 0, the mean distance, and of equal values 1. Unknown
    values, which are NaN, and those of weight 0 play no part.

    >>> middle_and_spread(np.array([1.0, 2.0, 3.0, 4.0, 1e9]), np.ones(5))
    (3.0, 1.4826)
    """
    counted = ~np.isnan(values) & (weight > 0.0)
    values, weight = values[counted], weight[counted]
    if not len(values):
        return 0.0, 1.0
    middle = _median(values, weight)
    distance = np.abs(values - middle)
    spread = NORMAL * _median(distance, weight)
    if not spread:
        order = np.lexsort((weight, distance))  # no order of graphs may show in the last digits
        spread = float(weight[order] @ distance[order]) / float(weight[order].sum())
    return middle, spread or 1.0


def _median(values: Floats, weight: Floats) -> float:
    order = np.lexsort((weight, values))
    below = np.cumsum(weight[order])
    half = 0.5 * below[-1]
    low, high = (values[order[int(np.searchsorted(below, half, side))]] for side in _SIDES)
    return float(low + 0.5 * (high - low))


def checked_column(y: ArrayLike, n_graphs: int) -> NDArray[Any]:
    """Take y as one value per graph."""
    values = np.asarray(y)
    if values.shape != (n_graphs,):
        raise ValueError(
            f"y must hold one target per graph ({n_graphs}). Got shape {values.shape} instead."
        )
    return values


def is_known(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each value is given: NaN, None and pandas' NA are not.

    >>> is_known(np.array(["a", None, float("nan")], dtype=object))
    array([ True, False, False])
    """
    if values.dtype.kind == "f":
        return np.asarray(~np.isnan(values))
    if values.dtype.kind != "O":
        return np.ones(len(values), dtype=bool)
    return np.array([_is_given(value) for value in values.tolist()], dtype=bool)


def _classes(known: NDArray[Any], name: str | None) -> NDArray[Any]:
    """List what there is once each, sorted."""
    if known.dtype.kind != "O":
        return np.unique(known)
    try:
        classes = np.unique(known)
        mixed = len({_kind(value) for value in classes.tolist()}) > 1
    except TypeError:
        mixed = True
    if mixed:
        raise ValueError(
            f"{_named('y', name)} mixes values that cannot be sorted, such as numbers and "
            "strings; give classes of one type."
        )
    return classes


def _plain(classes: NDArray[Any]) -> NDArray[Any]:
    """Take numbers and strings for what they are: only gaps made them objects."""
    plain = np.array(classes.tolist())
    return plain if plain.ndim == 1 and plain.dtype.kind in "biufU" else classes


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    return "number" if isinstance(value, (Number, np.bool_)) else "other"


def _is_given(value: Any) -> bool:
    # A NaN differs from itself; NA cannot be compared at all.
    return value is not None and type(value).__name__ != "NAType" and bool(value == value)


def _numbers(values: NDArray[Any], where: str) -> Floats:
    known = is_known(values)
    try:
        numbers = np.full(len(values), np.nan)
        numbers[known] = values[known].astype(np.float64)
    except (TypeError, ValueError) as error:
        strange = next(v for v in values[known].tolist() if not _is_number(v))
        raise ValueError(
            f"{where} must hold numbers. Got values such as {strange!r} instead."
        ) from error
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        raise ValueError(
            f"{where} must be finite. Got {numbers[infinite[0]]} for graph {int(infinite[0])} "
            "instead, which is NaN or infinity."
        )
    return numbers


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _where_known(rows: Floats, f: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
    known = ~np.isnan(rows[0])
    return (rows, f, weight) if known.all() else (rows[:, known], f[known], weight[known])


def _in_units_of(
    column: NDArray[Any], loss: Loss, sample_weight: Floats | None, name: str | None
) -> Loss:
    """Turn a loss for numbers in units of their spread into one for the numbers as they are."""
    weight = np.ones(len(column)) if sample_weight is None else sample_weight
    _, spread = middle_and_spread(_numbers(column, _named("y", name)), weight)
    return loss.in_units_of(1.0 / spread) or loss


def _named(where: str, name: str | None) -> str:
    return where if name is None else f"{where} for {name!r}"


def _counted(n: int) -> str:
    return "one class" if n == 1 else "no class"
