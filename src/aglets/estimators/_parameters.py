"""What the parameters of an estimator may be: a table on the class, one sentence per fault."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from aglets.model.losses import Option

__all__ = [
    "Condition",
    "check_parameters",
    "either",
    "floats",
    "in_range",
    "integers",
    "many",
    "one_of",
]


@dataclass(frozen=True)
class Condition:
    """A test of a value, and the words that finish "must be ...", or a function that finds them."""

    holds: Callable[[Any], bool]
    says: str | Callable[[], str]

    @property
    def words(self) -> str:
        """What a value must be."""
        return self.says if isinstance(self.says, str) else self.says()


def floats(low: float, high: float = math.inf, *, closed: str = "neither") -> Condition:
    """Accept real numbers between low and high; ``closed`` is "neither", "left", "right" or "both".

    >>> floats(0, 1, closed="right").words
    'a float in the range (0, 1]'
    """
    return Condition(
        lambda value: _is(value, Real) and _inside(float(value), low, high, closed),
        f"a float in the range {_range(low, high, closed)}",
    )


def integers(low: float, high: float = math.inf) -> Condition:
    """Accept whole numbers from low to high.

    >>> integers(1).words
    'an int in the range [1, inf)'
    """
    closed = "left" if math.isinf(high) else "both"
    return Condition(
        lambda value: _is(value, Integral) and _inside(int(value), low, high, closed),
        f"an int in the range {_range(low, high, closed)}",
    )


def one_of(*values: Any) -> Condition:
    """Accept exactly these values, type included.

    >>> one_of(True, False).holds(1)
    False
    """

    def holds(value: Any) -> bool:
        plain = value.item() if isinstance(value, np.generic) else value
        return any(type(plain) is type(known) and plain == known for known in values)

    return Condition(holds, " or ".join(repr(value) for value in values))


def in_range(option: Option) -> Condition:
    """Accept what an option of a loss may be."""
    return Condition(option.holds, option.words)


def many(condition: Condition) -> Condition:
    """Accept a sequence of at least one value that fulfils the condition, none of them twice."""

    def holds(value: Any) -> bool:
        if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
            return False
        values = list(value)
        return 0 < len(values) == len(set(values)) and all(map(condition.holds, values))

    return Condition(holds, f"a list of at least one value, each different and {condition.words}")


def either(*conditions: Condition) -> Condition:
    """Accept what any of the conditions accepts."""
    return Condition(
        lambda value: any(condition.holds(value) for condition in conditions),
        ", or ".join(condition.words for condition in conditions),
    )


def check_parameters(estimator: Any, table: Mapping[str, Condition]) -> None:
    """Raise one ValueError that names every parameter outside of its condition."""
    name = type(estimator).__name__
    faults = [
        f"The {parameter!r} parameter of {name} must be {condition.words}. "
        f"Got {getattr(estimator, parameter)!r} instead."
        for parameter, condition in table.items()
        if not condition.holds(getattr(estimator, parameter))
    ]
    if faults:
        raise ValueError(" ".join(faults))


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, (bool, np.bool_))


def _inside(value: float, low: float, high: float, closed: str) -> bool:
    above = value >= low if closed in ("left", "both") else value > low
    below = value <= high if closed in ("right", "both") else value < high
    return above and below


def _range(low: float, high: float, closed: str) -> str:
    left = "[" if closed in ("left", "both") else "("
    right = "]" if closed in ("right", "both") else ")"
    return f"{left}{low:g}, {high:g}{right}"
