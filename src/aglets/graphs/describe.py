"""A first look at a set of graphs: sizes, labels, attributes, and what may mislead a model."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aglets.drawing import html
from aglets.drawing.text import visible
from aglets.graphs.arrays import Ints
from aglets.graphs.graph_set import GraphSet
from aglets.graphs.isomorphism import groups
from aglets.graphs.leaks import MIN_GRAPHS, is_measured, order_leak, size_leak

__all__ = ["Description", "Spread", "describe"]


class Spread(NamedTuple):
    """The range of some numbers."""

    minimum: float
    mean: float
    maximum: float
    deviation: float

    @classmethod
    def of(cls, values: npt.NDArray[Any]) -> Spread:
        """Summarise numbers; all zero if there are none."""
        if not len(values):
            return cls(0.0, 0.0, 0.0, 0.0)
        return cls(*(float(f(values)) for f in (np.min, np.mean, np.max, np.std)))


@dataclass(frozen=True)
class Description:
    """What `GraphSet.describe` found; prints as a text, and as a table in notebooks."""

    n_graphs: int
    n_nodes: Spread
    n_edges: Spread
    labels: dict[Hashable, int]
    edge_labels: dict[Hashable, int]
    attributes: dict[str, Spread]
    edge_attributes: dict[str, Spread]
    n_empty: int
    n_disconnected: int
    n_isolated_nodes: int
    #: Groups of graphs that are the same up to numbering, attributes included.
    duplicates: list[list[int]]
    #: How many graphs repeat labels and edges of an earlier one, whatever their attributes.
    n_same_structure: int
    classes: dict[Hashable, int] = field(default_factory=dict)
    target: Spread | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def n_duplicates(self) -> int:
        """How many graphs are the same as an earlier one."""
        return sum(len(group) - 1 for group in self.duplicates)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dictionaries and lists; labels as strings."""
        document = asdict(self)
        for key in ("labels", "edge_labels", "classes"):
            document[key] = {str(value): count for value, count in document[key].items()}
        for key in ("n_nodes", "n_edges", "target"):
            spread = getattr(self, key)
            document[key] = None if spread is None else spread._asdict()
        for key in ("attributes", "edge_attributes"):
            document[key] = {name: s._asdict() for name, s in getattr(self, key).items()}
        return document

    def rows(self) -> list[tuple[str, str]]:
        """Return what there is to say, as pairs of a name and a text."""
        rows = [
            ("graphs", str(self.n_graphs)),
            ("nodes per graph", _range(self.n_nodes)),
            ("edges per graph", _range(self.n_edges)),
            ("labels", _histogram(self.labels)),
        ]
        if self.edge_labels:
            rows.append(("edge labels", _histogram(self.edge_labels)))
        rows += [(f"attribute {name}", _range(s)) for name, s in self.attributes.items()]
        rows += [(f"edge attribute {name}", _range(s)) for name, s in self.edge_attributes.items()]
        if self.classes:
            rows.append(("classes", _histogram(self.classes)))
        if self.target is not None:
            rows.append(("target", _range(self.target)))
        rows += [
            ("disconnected", f"{self.n_disconnected} graphs, {self.n_isolated_nodes} lone nodes"),
            (
                "duplicates",
                f"{self.n_duplicates} graphs; {self.n_same_structure} if attributes do not count",
            ),
        ]
        return rows

    def __str__(self) -> str:
        rows = self.rows()
        width = max(len(name) for name, _ in rows)
        lines = [f"{name:<{width}}  {text}" for name, text in rows]
        lines += [f"Warning: {text}" for text in self.warnings]
        return "\n".join(map(visible, lines))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>⚠ {html.escaped(text)}</p>" for text in self.warnings)
        return html.table(None, self.rows()) + notes


def describe(graphs: GraphSet, y: npt.ArrayLike | None = None) -> Description:
    """Describe graphs: sizes, labels, attributes, duplicates, and what may mislead a model.

    Parameters
    ----------
    graphs : GraphSet
    y : array-like of shape (n_graphs,), optional
        With classes or targets, warns where they follow from the number of nodes or the order of
        the graphs alone, and where equal graphs have different ones.

    Returns
    -------
    Description

    Examples
    --------
    >>> from aglets import GraphSet
    >>> path = [(0, 1), (1, 2)]
    >>> graphs = GraphSet.from_lists(labels=["CCO", "OCC", "CO"], edges=[path, path, []])
    >>> graphs.describe()
    graphs           3
    nodes per graph  2 to 3, mean 2.667
    edges per graph  0 to 2, mean 1.333
    labels           C 5, O 3
    disconnected     1 graphs, 2 lone nodes
    duplicates       1 graphs; 1 if attributes do not count
    """
    targets = None if y is None else _targets(y, len(graphs))
    same = groups(graphs)
    n_components, n_isolated = _components(graphs)
    is_number = targets is not None and is_measured(targets)
    description = Description(
        n_graphs=len(graphs),
        n_nodes=Spread.of(graphs.n_nodes),
        n_edges=Spread.of(graphs.n_edges),
        labels=_counts(graphs.labels, graphs.vocabulary),
        edge_labels=(
            {}
            if graphs.edge_labels is None
            else _counts(graphs.edge_labels, graphs.edge_vocabulary or ())
        ),
        attributes=_spreads(graphs.attributes, graphs.attribute_names),
        edge_attributes=(
            {}
            if graphs.edge_attributes is None
            else _spreads(graphs.edge_attributes, graphs.edge_attribute_names)
        ),
        n_empty=int((graphs.n_nodes == 0).sum()),
        n_disconnected=int((n_components > 1).sum()),
        n_isolated_nodes=n_isolated,
        duplicates=[group.tolist() for group in same],
        n_same_structure=sum(len(group) - 1 for group in groups(graphs, attributes=False)),
        classes={} if targets is None or is_number else _class_counts(targets),
        target=Spread.of(targets.astype(float)) if targets is not None and is_number else None,
    )
    description.warnings.extend(_warnings(graphs, description, targets))
    return description


def _targets(y: npt.ArrayLike, n_graphs: int) -> npt.NDArray[Any]:
    targets = np.asarray(y)
    if targets.shape != (n_graphs,):
        raise ValueError(
            f"Expected y to hold one value for each of the {n_graphs} graphs, "
            f"got shape {targets.shape}."
        )
    return targets


def _counts(codes: npt.NDArray[np.int32], vocabulary: tuple[Hashable, ...]) -> dict[Hashable, int]:
    counts = np.bincount(codes[codes >= 0], minlength=len(vocabulary))
    order = np.argsort(-counts, kind="stable")
    named = {vocabulary[code]: int(counts[code]) for code in order if counts[code]}
    unknown = int((codes < 0).sum())
    return named | ({"(unknown)": unknown} if unknown else {})


def _class_counts(targets: npt.NDArray[Any]) -> dict[Hashable, int]:
    values, counts = np.unique(
        targets.astype(str) if targets.dtype == object else targets, return_counts=True
    )
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def _spreads(rows: npt.NDArray[np.float64], names: tuple[str, ...] | None) -> dict[str, Spread]:
    names = names or tuple(str(j) for j in range(rows.shape[1]))
    return {name: Spread.of(column) for name, column in zip(names, rows.T, strict=True)}


def _components(graphs: GraphSet) -> tuple[Ints, int]:
    """Return the number of connected components of every graph, and of lone nodes in all."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(graphs.labels)
    ends = graphs.ends
    matrix = coo_array((np.ones(len(ends), dtype=np.int8), (ends[:, 0], ends[:, 1])), (n, n))
    _, component = connected_components(matrix, directed=False)
    _, first = np.unique(component, return_index=True)
    graph_of = np.repeat(np.arange(len(graphs)), graphs.n_nodes)
    degree = np.bincount(ends.ravel(), minlength=n)
    lone = (degree == 0) & (graphs.n_nodes[graph_of] > 1) if n else np.zeros(0, dtype=bool)
    return np.bincount(graph_of[first], minlength=len(graphs)), int(lone.sum())


def _warnings(graphs: GraphSet, found: Description, targets: npt.NDArray[Any] | None) -> list[str]:
    texts = []
    if found.n_empty:
        texts.append(f"{found.n_empty} graphs have no nodes and can contain no graphlet.")
    constant = [name for name, s in found.attributes.items() if s.minimum == s.maximum]
    if constant and len(graphs.labels) > 1:
        texts.append(f"The same value everywhere: attribute {', '.join(constant)}.")
    if targets is None or len(graphs) < MIN_GRAPHS:
        return texts
    if found.target is not None:
        leak = size_leak(graphs, targets)
        return texts if leak is None else [*texts, leak]
    names, codes = np.unique(targets.astype(str), return_inverse=True)
    if len(names) < 2:
        return [*texts, "All graphs are of one class."]
    conflicts = sum(len(set(codes[group].tolist())) > 1 for group in found.duplicates)
    if conflicts:
        texts.append(f"Graphs that are the same are of different classes in {conflicts} cases.")
    leaks = (size_leak(graphs, targets), order_leak(targets))
    return texts + [text for text in leaks if text is not None]


def _range(spread: Spread) -> str:
    if spread.minimum == spread.maximum:
        return f"{spread.minimum:.4g}"
    return f"{spread.minimum:.4g} to {spread.maximum:.4g}, mean {spread.mean:.4g}"


def _histogram(counts: dict[Hashable, int], limit: int = 12) -> str:
    shown = [f"{value} {count}" for value, count in list(counts.items())[:limit]]
    rest = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")
