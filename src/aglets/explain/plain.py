"""From explanations to JSON: only dicts, lists, strings and numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from aglets.graphlets import Graphlet

__all__ = [
    "NO_GRAPHLETS",
    "counted_name",
    "graphlet_dict",
    "json_text",
    "label_text",
    "names_of",
    "plain",
    "short_name",
]

#: What to say of a model without graphlets.
NO_GRAPHLETS = (
    "No graphlet was found that helps to predict the targets; try a smaller lambda_ratio, a larger "
    "maxpat or another rho, and check that the targets differ between graphs."
)


def plain(value: Any) -> Any:
    """Return a value in the types JSON has; labels of other types become their text.

    Examples
    --------
    >>> plain({"C": np.arange(2), ("N", 1): None})
    {'C': [0, 1], "('N', 1)": None}
    """
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, set, frozenset)) or type(value) is tuple:
        return [plain(entry) for entry in value]
    if isinstance(value, float):
        # JSON has neither NaN nor infinity.
        return value if np.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return str(value)


def json_text(value: Any, indent: int | None = None) -> str:
    """Write plain data as JSON; the same data always gives the same text."""
    return json.dumps(plain(value), indent=indent, ensure_ascii=False, allow_nan=False)


def graphlet_dict(graphlet: Graphlet) -> dict[str, Any]:
    """Write a graphlet as plain data."""
    return {
        "name": graphlet.name,
        "smarts": graphlet.smarts,
        "words": graphlet.node_words,
        "labels": [label_text(label) for label in graphlet.labels],
        "edges": graphlet.edges.tolist(),
        "attributes": graphlet.attributes.tolist(),
        "edge_labels": (
            None
            if graphlet.edge_labels is None
            else [label_text(label) for label in graphlet.edge_labels]
        ),
        "edge_attributes": (
            None if graphlet.edge_attributes is None else graphlet.edge_attributes.tolist()
        ),
        "coef": graphlet.coef,
        "pooling": graphlet.pooling,
        "count_scale": graphlet.count_scale,
        "unit": graphlet.unit,
    }


def label_text(label: Any) -> Any:
    """Return a label or a class as JSON has it: numbers and texts as they are, others as text.

    Examples
    --------
    >>> label_text(np.int64(3)), label_text(("C", 1))
    (3, "('C', 1)")
    """
    label = label.item() if isinstance(label, np.generic) else label
    return label if isinstance(label, (bool, int, float, str, type(None))) else str(label)


def names_of(names: Sequence[str] | None, width: int) -> tuple[str, ...]:
    """Name all attributes; those without a name by their position.

    Examples
    --------
    >>> names_of(None, 2)
    ('attribute 0', 'attribute 1')
    """
    return tuple(names) if names is not None else tuple(f"attribute {j}" for j in range(width))


def counted_name(graphlet: Graphlet, limit: int = 40) -> str:
    """Write the name of a graphlet, cut if need be, and what it is counted by.

    Examples
    --------
    >>> from aglets import Graphlet
    >>> counted_name(Graphlet(labels="CF", edges=[(0, 1)], pooling="sum"))
    'C-F, per C'
    """
    name = short_name(graphlet.name, limit)
    return name if graphlet.unit is None else f"{name}, {graphlet.unit}"


def short_name(text: str, limit: int = 40) -> str:
    """Cut a name that is too long for a table or a picture.

    Examples
    --------
    >>> short_name("abcdefgh", 5)
    'abcd…'
    """
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
