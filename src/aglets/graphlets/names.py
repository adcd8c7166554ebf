"""Short names for labelled patterns, in the manner of SMILES."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from aglets.drawing.text import visible

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
    """
    joined: list[list[tuple[int, int]]] = [[] for _ in labels]
    for index, (u, v) in enumerate(_pairs(edges)):
        joined[u].append((v, index))
        joined[v].append((u, index))

    def bond(index: int) -> str:
        if edge_labels is None:
            return "-"
        label = visible(edge_labels[index])
        return label if label in BONDS else f"-{label}-"

    walked: set[int] = set()
    order: list[int] = []
    rings: dict[int, list[int]] = {}

    def find_rings(node: int, came_by: int) -> None:
        order.append(node)
        for other, index in joined[node]:
            if index == came_by or index in walked:
                continue
            if other in order:
                walked.add(index)
                rings.setdefault(other, []).append(index)
                rings.setdefault(node, []).append(index)
            else:
                walked.add(index)
                find_rings(other, index)

    find_rings(0, -1)
    number: dict[int, int] = {}
    for node in order:
        for index in rings.get(node, ()):
            number.setdefault(index, len(number) + 1)
    closing = set(number)
    written: set[int] = set()
    opened: set[int] = set()

    def write(node: int, came_by: int) -> str:
        written.add(node)
        text = visible(labels[node])
        for index in rings.get(node, ()):
            text += f"{bond(index) if index in opened else ''}{number[index]}"
            opened.add(index)
        branches = []
        for other, index in joined[node]:
            if index != came_by and index not in closing and other not in written:
                branches.append(bond(index) + write(other, index))
        return text + "".join(f"({b})" for b in branches[:-1]) + "".join(branches[-1:])

    return write(0, -1)


def _pairs(edges: npt.ArrayLike) -> list[tuple[int, int]]:
    return [(u, v) for u, v in np.asarray(edges, dtype=np.int64).reshape(-1, 2).tolist()]
