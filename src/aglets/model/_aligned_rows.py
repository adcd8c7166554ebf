"""Methods of a model that answer row by row, also where a molecule cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from aglets.graphs.aligned import as_aligned

__all__ = ["keeps_rows"]

Method = TypeVar("Method", bound=Callable[..., Any])


def keeps_rows(method: Method) -> Method:
    """Let a method of graphs, and perhaps covariates, take lists of which some cannot be read.

    What it returns has a row per entry of the list: NaN for numbers and None for all else where
    there is nothing to predict. A warning counts them.
    """

    @wraps(method)
    def answer(self: Any, graphs: Any, *tables: Any, **options: Any) -> Any:
        found = as_aligned(graphs, self.input_spec.recipe)
        tables = tuple(map(found.taken, tables))
        if "covariates" in options:
            options["covariates"] = found.taken(options["covariates"])
        return found.filled(method(self, found.graphs, *tables, **options))

    return cast(Method, answer)
