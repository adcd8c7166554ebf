"""Short names for labelled patterns, in the manner of SMILES."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
import numpy.typing as npt

from aglets.drawing.text import visible

__all__ = ["BONDS", "line_notation", "pattern_name", "unique_names"]

#: How SMILES writes bonds of order 1, 2, 3, 4, and aromatic ones.
BONDS = ("-", "=", "#", "$", ":")


def pattern_name(
    labels: Sequence[Hashable], edges: npt.ArrayLike, edge_labels: Sequence[Hashable] | None = None
) -> str:
    """Write a pattern as one line: `-` joins neighbours, brackets branch, numbers close rings.

    Examples
    --------
    >>> pattern_name("CCO", [(0, 1), (1, 2)])
    'C-C-O'
    >>> pattern_name([1, 2, 2], [(0, 1), (0, 2)], ["a", "b"])
    '1(-a-2)-b-2'

    Labels that are bonds in SMILES stand alone:

    >>> pattern_name("CNO", [(0, 1), (0, 2)], ["-", "="])
    'C(-N)=O'

    Rings of labels that end with a digit are marked:

    >>> pattern_name([1, 2, 2], [(0, 1), (1, 2), (0, 2)])
    '1%1-2-2-%1'
    """

    def bond(index: int) -> str:
        if edge_labels is None:
            return "-"
        label = visible(edge_labels[index])
        return label if label in (*BONDS, "=E", "=Z") else f"-{label}-"

    texts = [visible(label) for label in labels]
    # A number that closes a ring must not look like a label, or like a part of one.
    mark = "%" if any(text[-1:].isdigit() for text in texts) else ""
    return line_notation(len(labels), edges, texts.__getitem__, bond, mark)


def line_notation(
    n_nodes: int,
    edges: npt.ArrayLike,
    node: Callable[[int], str],
    bond: Callable[[int], str],
    mark: str = "",
) -> str:
    """Write a connected graph as one line, with these texts for its nodes and edges.

    A number that closes a ring comes after ``mark``.

    Examples
    --------
    >>> line_notation(3, [(0, 1), (1, 2), (0, 2)], lambda v: "abc"[v], lambda e: "")
    'a1bc1'
    """
    joined: list[list[tuple[int, int]]] = [[] for _ in range(n_nodes)]
    for index, (u, v) in enumerate(_pairs(edges)):
        joined[u].append((v, index))
        joined[v].append((u, index))
    walked: set[int] = set()
    order: list[int] = []
    rings: dict[int, list[int]] = {}

    def find_rings(here: int, came_by: int) -> None:
        order.append(here)
        for other, index in joined[here]:
            if index == came_by or index in walked:
                continue
            walked.add(index)
            if other in order:
                rings.setdefault(other, []).append(index)
                rings.setdefault(here, []).append(index)
            else:
                find_rings(other, index)

    find_rings(0, -1)
    number: dict[int, int] = {}
    for here in order:
        for index in rings.get(here, ()):
            number.setdefault(index, len(number) + 1)
    written: set[int] = set()
    opened: set[int] = set()

    def write(here: int, came_by: int) -> str:
        written.add(here)
        text = node(here)
        for index in rings.get(here, ()):
            closed = f"{mark or _percent(number[index])}{number[index]}"
            text += f"{bond(index) if index in opened else ''}{closed}"
            opened.add(index)
        branches = []
        for other, index in joined[here]:
            if index != came_by and index not in number and other not in written:
                branches.append(bond(index) + write(other, index))
        return text + "".join(f"({b})" for b in branches[:-1]) + "".join(branches[-1:])

    return write(0, -1)


def unique_names(names: Sequence[str], longer: Sequence[str]) -> list[str]:
    """Distinguish equal names: by their longer forms, then by numbers.

    Examples
    --------
    >>> unique_names(["ether", "amide", "ether", "ether"], ["COC", "CN", "cOC", "cOC"])
    ['ether COC', 'amide', 'ether cOC', 'ether cOC (2)']
    """
    named = [
        name if names.count(name) == 1 or name == text else f"{name} {text}"
        for name, text in zip(names, longer, strict=True)
    ]
    taken: dict[str, int] = {}
    result = []
    for name in named:
        taken[name] = taken.get(name, 0) + 1
        result.append(name if taken[name] == 1 else f"{name} ({taken[name]})")
    return result


def _percent(number: int) -> str:
    """Return the mark of SMILES before the number of a ring: there is one from 10 on."""
    return "" if number < 10 else "%"


def _pairs(edges: npt.ArrayLike) -> list[tuple[int, int]]:
    return [(u, v) for u, v in np.asarray(edges, dtype=np.int64).reshape(-1, 2).tolist()]
