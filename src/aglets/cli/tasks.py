"""What is to be predicted, classes or numbers, and the estimator for it."""

from __future__ import annotations

from enum import Enum
from typing import Any

from aglets.cli.names import pairs

__all__ = ["Kind", "class_weights", "estimator_for", "size_leaks"]


class Kind(str, Enum):
    """What is to be predicted."""

    auto = "auto"
    classes = "classes"
    numbers = "numbers"


#: The tasks of losses, as the command line calls them.
_KINDS = {"classification": Kind.classes, "regression": Kind.numbers}


def estimator_for(
    y: Any, task: Kind, loss: str | None = None, loss_options: list[str] | None = None
) -> Any:
    """Return an estimator for classes or for numbers, or for targets of both kinds.

    Parameters
    ----------
    y : ndarray of shape (n_graphs,) or (n_graphs, n_targets)
    task : Kind
        Of all targets; "auto" looks at each.
    loss : str, optional
        For all targets of its task.
    loss_options : list of str, optional
        NAME=VALUE each.
    """
    from aglets import LagraClassifierCV, LagraRegressorCV
    from aglets.model.losses import LOSSES, loss_names
    from aglets.model.target_table import target_names

    own = None if loss is None else _KINDS[LOSSES[loss].task]
    columns = _columns(y)
    single = len(columns) == 1
    kinds = [_kind(column, task, own if single else None) for column in columns]
    if own is not None and own not in kinds:
        raise ValueError(
            f"The loss {loss!r} is not for {kinds[0].value}; for classes there are "
            f"{_and(loss_names('classification'))}, for numbers {_and(loss_names('regression'))}."
        )
    names = target_names(y, len(columns))
    for name, column, kind in zip(names, columns, kinds, strict=True):
        if kind is Kind.numbers and len(column) and column.dtype.kind not in "iuf":
            what = "targets are" if single else f"targets {name!r} are"
            raise ValueError(
                f"Expected numbers to predict, but the {what} words such as {str(column[0])!r}; "
                "give --task classes."
            )
    made = None if loss is None else _loss(loss, loss_options)
    numbers = [name for name, kind in zip(names, kinds, strict=True) if kind is Kind.numbers]
    estimator = LagraRegressorCV() if len(numbers) == len(names) else LagraClassifierCV()
    if numbers and len(numbers) < len(names):
        of_numbers = made if own is Kind.numbers else LagraRegressorCV().loss
        of_classes = made if own is Kind.classes else LagraClassifierCV().loss
        each = {name: of_numbers if name in numbers else of_classes for name in names}
        return estimator.set_params(loss=each)
    return estimator if made is None else estimator.set_params(loss=made)


def class_weights(given: list[str] | None, estimator: Any, y: Any) -> dict[str, Any]:
    """Return the weights of classes as the estimator takes them; classes are found by their text.

    >>> from aglets import LagraClassifierCV
    >>> class_weights(["1=5"], LagraClassifierCV(), [0, 1])
    {'class_weight': {1: 5.0}}
    """
    import numpy as np

    if not given:
        return {}
    if not hasattr(estimator, "class_weight"):
        raise ValueError(
            "--class-weight is for classes, but the targets are numbers; leave it out."
        )
    if given == ["balanced"]:
        return {"class_weight": "balanced"}
    known = [value for column in _columns(np.asarray(y)) for value in column.tolist()]
    classes = {str(value): value for value in known}
    weights = {}
    for name, text in pairs(given, "--class-weight").items():
        if name not in classes:
            raise ValueError(
                f"Expected a class of the targets for --class-weight, one of "
                f"{', '.join(sorted(classes))}. Got {name!r} instead."
            )
        try:
            weights[classes[name]] = float(text)
        except ValueError:
            raise ValueError(
                f"Expected a number as the weight of class {name!r}. Got {text!r} instead."
            ) from None
    return {"class_weight": weights}


def size_leaks(graphs: Any, y: Any) -> list[str]:
    """Say for which targets the size of graphs alone predicts them."""
    from aglets.graphs.leaks import size_leak
    from aglets.model.target import is_known
    from aglets.model.target_table import target_names

    columns = [y] if y.ndim == 1 else list(y.T)
    found = []
    for name, column, plain in zip(
        target_names(y, len(columns)), columns, _columns(y), strict=True
    ):
        known = is_known(column)
        text = size_leak(graphs if known.all() else graphs[known.nonzero()[0]], plain)
        if text is not None:
            found.append(text if len(columns) == 1 else f"{name}: {text}")
    return found


def _columns(y: Any) -> list[Any]:
    """Return the known values of each target, as numbers if they are."""
    from aglets.model.target_table import known_values

    if y.ndim == 1 and y.dtype.kind != "O":
        return [y]
    return [known_values(column) for column in ([y] if y.ndim == 1 else y.T)]


def _kind(known: Any, task: Kind, of_loss: Kind | None) -> Kind:
    from aglets.graphs.leaks import is_measured

    if task is not Kind.auto:
        return task
    return of_loss or (Kind.numbers if is_measured(known) else Kind.classes)


def _and(names: tuple[str, ...]) -> str:
    *most, last = map(repr, names)
    return f"{', '.join(most)} and {last}" if most else last


def _loss(name: str, given: list[str] | None) -> Any:
    """Return the loss with the options that were given; without any, its name is enough."""
    from aglets.model.losses import make_loss

    options = {}
    for option, text in pairs(given, "--loss-option").items():
        try:
            options[option] = float(text)
        except ValueError:
            raise ValueError(
                f"Expected a number for the option {option!r} of the loss {name!r}. "
                f"Got {text!r} instead."
            ) from None
    return make_loss(name, **options) if options else name
