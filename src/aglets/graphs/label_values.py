"""Labels in files: JSON that keeps the type of str, int, float, bool, None and tuples of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["decode_value", "encode_value"]


def encode_value(value: Any) -> Any:
    """Turn a label into JSON that keeps its type.

    >>> encode_value(("C", 1, None))
    {'tuple': ['C', 1, None]}
    >>> decode_value(encode_value((1.0, True, float("inf"))))
    (1.0, True, inf)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (str, bool, int):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if type(value) is tuple:
        return {"tuple": [encode_value(item) for item in value]}
    raise TypeError(
        "Labels in a file must be of type str, int, float, bool, None or tuple. "
        f"Got {value!r} of type {type(value).__name__} instead; turn such labels into strings."
    )


def decode_value(value: Any) -> Any:
    """Undo :func:`encode_value`; anything it cannot have written is a ValueError."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, dict) and len(value) == 1:
        [(tag, content)] = value.items()
        if tag == "tuple" and isinstance(content, list):
            return tuple(decode_value(item) for item in content)
        if tag == "float" and content in ("inf", "-inf", "nan"):
            return float(content)
    raise ValueError("a label is not of a known kind")
