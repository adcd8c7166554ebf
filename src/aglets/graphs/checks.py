"""How lists of graphs become columns, with every check of the input on the way.

A check collects all faults of its kind before it raises, and its message says what was expected,
what came, in which graph, and what to do. Nothing here knows of `GraphSet`; readers of file
formats use the same functions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.graphs.arrays import Codes, Floats, Ints

Vocabulary = tuple[Hashable, ...]

#: Distances are sums of squares, which must not overflow.
LARGEST_ATTRIBUTE = 1e150


def listing(faults: Sequence[str], limit: int = 5, total: int | None = None) -> str:
    """Join clauses to one readable enumeration, naming at most `limit` of them.

    Where there are very many, only the first few need be made: `total` says how many there are.

    Examples
    --------
    >>> listing(["a", "b", "c"])
    'a, b and c'
    >>> listing(["a", "b", "c", "d"], limit=2)
    'a, b and 2 more'
    >>> listing(["a", "b"], limit=1, total=100)
    'a and 99 more'
    >>> listing([])
    'none'
    """
    shown = list(faults[:limit])
    rest = (len(faults) if total is None else total) - len(shown)
    if rest > 0:
        shown.append(f"{rest} more")
    if len(shown) < 2:
        return shown[0] if shown else "none"
    return ", ".join(shown[:-1]) + " and " + shown[-1]


def capitalised(sentence: str) -> str:
    """Give the sentence a capital without touching the rest of it."""
    return sentence[:1].upper() + sentence[1:]


def offsets_of(lengths: Sequence[int] | Ints) -> Ints:
    """Return where each graph's rows begin, and one past the last.

    Examples
    --------
    >>> offsets_of([2, 0, 3])
    array([0, 2, 2, 5])
    """
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def check_one_entry_per_graph(**columns: Sequence[Any] | None) -> None:
    """Raise unless all given lists have the same length, and all are lists of graphs."""
    for name, column in columns.items():
        if column is not None and (
            isinstance(column, (str, dict)) or not hasattr(column, "__len__")
        ):
            raise TypeError(
                f"Expected {name} to be a list with one entry per graph, got "
                f"{type(column).__name__}; put a single graph in a list of one."
            )
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) > 1:
        came = listing([f"{name} has {length}" for name, length in lengths.items()])
        raise ValueError(
            f"Every list needs one entry per graph, but {came}; "
            "give an empty entry to a graph that has nothing to list."
        )


def lists_per_graph(column: Iterable[Any], name: str) -> list[list[Any]]:
    """Turn each graph's entry into a plain list of Python values."""
    lists, faults = [], []
    for i, entry in enumerate(column):
        if isinstance(entry, np.ndarray) and entry.ndim == 1:
            lists.append(entry.tolist())
        elif isinstance(entry, Iterable) and not isinstance(entry, dict):
            lists.append(list(entry))
        else:
            faults.append(f"graph {i} has {entry!r}")
    if faults:
        raise TypeError(
            f"Expected {name} to hold one sequence per graph, but {listing(faults)}; "
            f"put a single graph in a list of one: {name}=[[...]]."
        )
    return lists


def vocabulary_of(values: Iterable[Hashable]) -> Vocabulary:
    """Order the distinct values: by themselves if they can be, else by type name and repr.

    Examples
    --------
    >>> vocabulary_of(["O", "C", "C"])
    ('C', 'O')
    >>> vocabulary_of([1, "C", None])
    (None, 1, 'C')
    """
    distinct = list(dict.fromkeys(values))
    try:
        ordered = sorted(distinct)  # type: ignore[type-var]
        # A partial order (frozensets) sorts without complaint, but not to one definite result.
        if all(a < b for a, b in pairwise(ordered)):  # type: ignore[operator]
            return tuple(ordered)
    except TypeError:
        pass
    return tuple(sorted(distinct, key=lambda value: (type(value).__name__, repr(value))))


def encode_lists(lists: list[list[Any]], what: str) -> tuple[Codes, Vocabulary]:
    """Give all labels integer codes; `what` is "node" or "edge", for the messages."""
    flat: list[Any] = list(chain.from_iterable(lists))
    if any(issubclass(kind, np.generic) for kind in set(map(type, flat))):
        flat = [value.item() if isinstance(value, np.generic) else value for value in flat]
    try:
        vocabulary = vocabulary_of(flat)
    except TypeError:
        raise TypeError(_unhashable(lists, what)) from None
    if any(value != value for value in vocabulary):
        where = [
            f"graph {i} at {what} {j}"
            for i, labels in enumerate(lists)
            for j, value in enumerate(labels)
            if value != value
        ]
        raise ValueError(
            f"Labels must be equal to themselves, but NaN came in {listing(where)}; "
            "give missing labels a value of their own, such as None."
        )
    return encode(flat, vocabulary), vocabulary


def encode(values: Sequence[Hashable], vocabulary: Vocabulary) -> Codes:
    """Return the position of each value in the vocabulary, -1 where it is not there."""
    code = {value: i for i, value in enumerate(vocabulary)}
    return np.fromiter((code.get(value, -1) for value in values), dtype=np.int32, count=len(values))


def _unhashable(lists: list[list[Any]], what: str) -> str:
    faults = []
    for i, labels in enumerate(lists):
        for j, value in enumerate(labels):
            try:
                hash(value)
            except TypeError:
                faults.append(f"{value!r} ({type(value).__name__}) in graph {i} at {what} {j}")
    return (
        f"Labels must be hashable (numbers, strings, tuples), but got {listing(faults)}; "
        "turn such a label into a tuple or a string."
    )


def stack_rows(
    entries: Sequence[Any], counts: Sequence[int] | Ints, name: str, owner: str
) -> Floats:
    """Stack each graph's matrix of attributes, one row per node or edge, to one matrix.

    Parameters
    ----------
    entries : sequence of array-like of shape (counts[i], d)
    counts : sequence of int
        How many rows each graph must have.
    name, owner : str
        "attributes" of a "node", or "edge_attributes" of an "edge", for the messages.
    """
    matrices, wrong_type, wrong_rows = [], [], []
    for i, (entry, count) in enumerate(zip(entries, counts, strict=True)):
        try:
            matrix = np.asarray(entry, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            wrong_type.append(f"graph {i}{_first_odd_row(entry)}")
            continue
        if count == 0 and matrix.size == 0 and (matrix.ndim < 2 or matrix.shape == (0, 0)):
            continue  # nothing to stack, and nothing to learn about the width
        if matrix.ndim != 2 or len(matrix) != count:
            wrong_rows.append(f"graph {i} has {name} of shape {matrix.shape} for {count} {owner}s")
            continue
        matrices.append((i, matrix))
    if wrong_type:
        raise ValueError(
            f"Expected {name} to be numbers, as many for every {owner}, but not so in "
            f"{listing(wrong_type)}; give each {owner} one row of numbers."
        )
    if wrong_rows:
        raise ValueError(
            f"{capitalised(listing(wrong_rows))}; expected one row per {owner} "
            f"and one column per attribute."
        )
    _check_widths(matrices, name, owner)
    if not matrices:
        return np.empty((0, 0))
    stacked = np.ascontiguousarray(np.concatenate([matrix for _, matrix in matrices]))
    check_finite(stacked, offsets_of(counts), name, owner)
    return stacked


def new_rows(matrix: npt.ArrayLike, offsets: Ints, name: str, owner: str) -> Floats:
    """Check a matrix that is to replace the attributes of all nodes or edges, and copy it."""
    rows = np.array(matrix, dtype=np.float64)
    if rows.ndim != 2 or len(rows) != offsets[-1]:
        raise ValueError(
            f"Expected {name} of shape ({offsets[-1]}, d), one row per {owner}, "
            f"got shape {rows.shape}."
        )
    check_finite(rows, offsets, name, owner)
    return rows


def _first_odd_row(entry: Any) -> str:
    """Say which row differs in length from the first, if that is what is wrong."""
    try:
        lengths = [len(row) for row in entry]
    except TypeError:
        return ""
    odd = [j for j, length in enumerate(lengths) if length != lengths[0]]
    return f" (row {odd[0]} has {lengths[odd[0]]} values, row 0 has {lengths[0]})" if odd else ""


def _check_widths(matrices: list[tuple[int, Floats]], name: str, owner: str) -> None:
    if not matrices:
        return
    first, reference = matrices[0]
    width = reference.shape[1]
    faults = [
        f"graph {i} has {name} of dimension {matrix.shape[1]}"
        for i, matrix in matrices
        if matrix.shape[1] != width
    ]
    if faults:
        raise ValueError(
            f"{capitalised(listing(faults))}, but graph {first} has {width}. "
            f"Every {owner} of every graph needs the same number of attributes."
        )


def check_finite(matrix: Floats, offsets: Ints, name: str, owner: str) -> None:
    """Raise if an attribute is NaN, infinite or huge, saying in which graph, row and column."""
    usable = np.abs(matrix) <= LARGEST_ATTRIBUTE  # so NaN is not
    if usable.all():
        return
    rows, columns = np.nonzero(~usable)
    total, rows, columns = len(rows), rows[:5], columns[:5]
    graphs = np.searchsorted(offsets, rows, side="right") - 1
    faults = [
        f"{matrix[row, column]} in graph {graph} at {owner} {row - offsets[graph]}, column {column}"
        for graph, row, column in zip(graphs, rows, columns, strict=True)
    ]
    if np.isfinite(matrix).all():
        raise ValueError(
            f"Expected {name} of at most {LARGEST_ATTRIBUTE:g}, so that they can be squared, but "
            f"got {listing(faults, total=total)}; write them in another unit."
        )
    raise ValueError(
        f"Expected finite {name}, but got {listing(faults, total=total)}; "
        "fill in or leave out missing values first."
    )


def used_only(codes: Codes, vocabulary: Vocabulary) -> tuple[Codes, Vocabulary]:
    """Cut the vocabulary to the values in use and renumber the codes accordingly."""
    used, renumbered = np.unique(codes, return_inverse=True)
    if len(used) == len(vocabulary):
        return codes, vocabulary
    return renumbered.astype(np.int32), tuple(vocabulary[code] for code in used)
