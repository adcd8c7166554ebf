"""PyTorch Geometric data, in both directions.

PyG keeps labels and attributes in one matrix `x` and does not say which column is which, yet the
difference is what matters here: labels must be equal to match, attributes need only be near. So
the columns have to be named; none is guessed.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aglets.graphs import GraphSet
from aglets.graphs.checks import listing
from aglets.graphs.optional import optional
from aglets.io._targets import Targets

__all__ = ["from_pyg", "to_pyg"]

#: ColumnChoice of a matrix: a slice, or positions.
ColumnChoice = slice | Sequence[int]
Matrix = npt.NDArray[Any]


def from_pyg(
    data: Iterable[Any],
    *,
    label_slice: ColumnChoice | None = None,
    label_key: str | None = None,
    attr_slice: ColumnChoice | None = None,
    edge_label_slice: ColumnChoice | None = None,
    edge_label_key: str | None = None,
    edge_attr_slice: ColumnChoice | None = None,
    label_values: Sequence[Hashable] | None = None,
    edge_label_values: Sequence[Hashable] | None = None,
    attribute_names: Sequence[str] | None = None,
    edge_attribute_names: Sequence[str] | None = None,
) -> GraphSet:
    """Read PyTorch Geometric `Data`; columns of `x` and `edge_attr` are read only if named.

    Parameters
    ----------
    data : iterable of torch_geometric.data.Data
        A data set or a list; `edge_index` may list edges in one direction or both.
    label_slice : slice or sequence of int, optional
        ColumnChoice of `x` that are a one-hot label, such as ``slice(0, 7)`` or ``[0, 2]``. With
        `label_key` left out, too, every node is labelled 0.
    label_key : str, optional
        A field with one whole number per node that is the label, such as "z".
    attr_slice : slice or sequence of int, optional
        ColumnChoice of `x` that are attributes.
    edge_label_slice, edge_label_key, edge_attr_slice : optional
        The same for edges: columns of `edge_attr`, or a field with one number per edge.
    label_values, edge_label_values : sequence of hashable, optional
        What the one-hot columns stand for, such as ``("C", "N", "O")``; else 0, 1, ...
    attribute_names, edge_attribute_names : sequence of str, optional

    Returns
    -------
    GraphSet

    Notes
    -----
    Targets stay in `data`: ``y = [graph.y.item() for graph in data]``.
    """
    given = dict(locals())  # before anything else is named here
    del given["data"]
    graphs = list(data)
    _check_data(graphs)
    named = {
        "x": [label_slice, attr_slice, label_key],
        "edge_attr": [edge_label_slice, edge_attr_slice, edge_label_key],
    }
    _check_named(graphs, named)
    nodes = _Reader("x", "node", label_slice, label_key, attr_slice, label_values)
    edges = _Reader(
        "edge_attr", "edge", edge_label_slice, edge_label_key, edge_attr_slice, edge_label_values
    )
    columns: dict[str, list[Any]] = {
        name: [] for name in ("labels", "attributes", "edges", "edge_labels", "edge_attributes")
    }
    for i, graph in enumerate(graphs):
        pairs = _array(graph.edge_index).T if graph.edge_index is not None else np.empty((0, 2))
        n_nodes = int(graph.num_nodes or 0)
        columns["edges"].append(pairs.astype(np.int64))
        columns["labels"].append(nodes.labels(graph, i, n_nodes))
        columns["attributes"].append(nodes.attributes(graph, i, n_nodes))
        columns["edge_labels"].append(edges.labels(graph, i, len(pairs)))
        columns["edge_attributes"].append(edges.attributes(graph, i, len(pairs)))
    read = GraphSet.from_lists(
        labels=columns["labels"],
        edges=columns["edges"],
        attributes=None if attr_slice is None else columns["attributes"],
        edge_labels=columns["edge_labels"] if edges.has_labels else None,
        edge_attributes=None if edge_attr_slice is None else columns["edge_attributes"],
        attribute_names=attribute_names,
        edge_attribute_names=edge_attribute_names,
    )
    return replace(read, recipe=_recipe(given))


def _recipe(options: Mapping[str, Any]) -> str | None:
    """Write the options as text, to be kept with the graphs; None if text cannot say them."""
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return json.dumps({"pyg": {name: _plain(value) for name, value in given.items()}})
    except TypeError:  # labels that are neither numbers nor text
        return None


def columns_of(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `from_pyg` that a recipe holds."""
    return {
        name: slice(*value["slice"]) if isinstance(value, dict) else value
        for name, value in said.items()
    }


def _plain(value: Any) -> Any:
    if isinstance(value, slice):
        return {"slice": [value.start, value.stop, value.step]}
    if isinstance(value, str):
        return value
    if any(isinstance(entry, (tuple, list)) for entry in value):
        raise TypeError("tuples would come back as lists")
    return [entry.item() if isinstance(entry, np.generic) else entry for entry in value]


def _check_data(graphs: list[Any]) -> None:
    faults = [
        f"{type(graph).__name__} at position {i}"
        for i, graph in enumerate(graphs)
        if not hasattr(graph, "edge_index") or not hasattr(graph, "num_nodes")
    ]
    if faults:
        raise TypeError(
            f"Expected a list of PyTorch Geometric Data, got {listing(faults)}; "
            "put a single one in a list: [data]."
        )


def _check_named(graphs: list[Any], named: dict[str, list[Any]]) -> None:
    """Raise if there is a matrix of which nothing was said."""
    for field, options in named.items():
        widths = {_array(getattr(g, field)).shape[-1] for g in graphs if _has(g, field)}
        if widths and all(option is None for option in options):
            prefix = "" if field == "x" else "edge_"
            ignore = f"{prefix}attr_slice=[]"
            raise ValueError(
                f"{field} has {listing([str(w) for w in sorted(widths)])} columns, but it was not "
                f"said what they are; name the one-hot label with {prefix}label_slice=slice(...) "
                f"and the attributes with {prefix}attr_slice=slice(...), or ignore them all with "
                f"{ignore}."
            )


def _has(graph: Any, field: str) -> bool:
    return getattr(graph, field, None) is not None


def _array(tensor: Any) -> Matrix:
    return np.asarray(tensor.detach().cpu().numpy() if hasattr(tensor, "detach") else tensor)


class _Reader:
    """Reads labels and attributes of nodes from `x`, or of edges from `edge_attr`."""

    def __init__(
        self,
        field: str,
        owner: str,
        label_slice: ColumnChoice | None,
        label_key: str | None,
        attr_slice: ColumnChoice | None,
        label_values: Sequence[Hashable] | None,
    ) -> None:
        if label_slice is not None and label_key is not None:
            raise ValueError(
                f"Expected {owner} labels from columns or from a field, got both "
                f"{label_slice!r} and {label_key!r}."
            )
        self.field, self.owner = field, owner
        self.label_slice, self.label_key, self.attr_slice = label_slice, label_key, attr_slice
        self.label_values = label_values

    @property
    def has_labels(self) -> bool:
        return self.label_slice is not None or self.label_key is not None

    def labels(self, graph: Any, i: int, count: int) -> list[Hashable]:
        if self.label_key is not None:
            return self._whole_numbers(graph, i, count)
        if self.label_slice is None:
            return [0] * count
        block = self._columns(graph, i, count, self.label_slice)
        one_hot = ((block == 0) | (block == 1)).all(axis=1) & (block.sum(axis=1) == 1)
        if not one_hot.all():
            j = int(np.flatnonzero(~one_hot)[0])
            raise ValueError(
                f"Expected the columns {self.label_slice!r} of {self.field} to be a one-hot "
                f"label, a single 1 among zeros, got {block[j].tolist()} in graph {i} at "
                f"{self.owner} {j}; name other columns."
            )
        codes = block.argmax(axis=1).tolist() if block.shape[1] else [0] * count
        if self.label_values is None:
            return list(codes)
        if len(self.label_values) != block.shape[1]:
            raise ValueError(
                f"Expected one value for each of the {block.shape[1]} one-hot columns of "
                f"{self.field}, got {len(self.label_values)}: {tuple(self.label_values)}."
            )
        return [self.label_values[code] for code in codes]

    def _whole_numbers(self, graph: Any, i: int, count: int) -> list[Hashable]:
        key = str(self.label_key)
        values = _array(getattr(graph, key)).reshape(-1) if _has(graph, key) else None
        if values is None or len(values) != count or (values != np.rint(values)).any():
            came = "no such field" if values is None else f"{values[:8].tolist()}"
            raise ValueError(
                f"Expected {key!r} to hold one whole number for each of the {count} {self.owner}s "
                f"of graph {i}, got {came}."
            )
        labels: list[Hashable] = values.astype(np.int64).tolist()
        return labels

    def attributes(self, graph: Any, i: int, count: int) -> Matrix:
        if self.attr_slice is None:
            return np.empty((count, 0))
        return self._columns(graph, i, count, self.attr_slice).astype(np.float64)

    def _columns(self, graph: Any, i: int, count: int, columns: ColumnChoice) -> Matrix:
        if not _has(graph, self.field):
            if count == 0:
                return np.empty((0, 0))
            raise ValueError(
                f"Expected a matrix {self.field} in every graph, but graph {i} has none."
            )
        matrix = _array(getattr(graph, self.field))
        matrix = matrix[:, None] if matrix.ndim == 1 else matrix
        positions = columns if isinstance(columns, slice) else [int(column) for column in columns]
        try:
            block: Matrix = matrix[:, positions]
        except IndexError:
            raise ValueError(
                f"Expected columns {columns!r} in {self.field}, but that of graph {i} has only "
                f"{matrix.shape[1]}."
            ) from None
        return block


def to_pyg(
    graphs: GraphSet, *, y: Sequence[Any] | Targets | None = None, dtype: str = "float32"
) -> list[Any]:
    """Write PyTorch Geometric `Data`: `x` is the one-hot label, then the attributes.

    Parameters
    ----------
    graphs : GraphSet
        With L labels, columns 0 to L - 1 of `x` are the label, the rest attributes; likewise for
        `edge_attr`. Edges are listed in both directions.
    y : sequence of shape (n_graphs,), optional
    dtype : str
        Type of `x` and `edge_attr`; "float64" keeps attributes exactly.

    Returns
    -------
    list of torch_geometric.data.Data
    """
    torch = optional("torch", "writing PyTorch Geometric data")
    data = optional("torch_geometric.data", "writing PyTorch Geometric data")
    kind = getattr(torch, dtype)
    targets = None if y is None else np.asarray(y)
    written = []
    for i in range(len(graphs)):
        one = graphs[i : i + 1]
        edges = one.edges.astype(np.int64).T
        x = _one_hot(one.labels, len(one.vocabulary), one.attributes)
        item = data.Data(
            x=torch.as_tensor(x, dtype=kind),
            edge_index=torch.as_tensor(np.concatenate([edges, edges[::-1]], axis=1)),
        )
        if one.edge_labels is not None or one.edge_attributes is not None:
            rows = _one_hot(
                np.zeros(len(one.edges), np.int32) if one.edge_labels is None else one.edge_labels,
                len(one.edge_vocabulary or ()),
                np.empty((len(one.edges), 0))
                if one.edge_attributes is None
                else one.edge_attributes,
            )
            item.edge_attr = torch.as_tensor(np.concatenate([rows, rows]), dtype=kind)
        if targets is not None:
            item.y = torch.as_tensor(targets[i : i + 1])
        written.append(item)
    return written


def _one_hot(codes: Matrix, n_labels: int, attributes: Matrix) -> Matrix:
    """Return one column per label, then the attributes; an unknown label (-1) is all zeros."""
    label = codes[:, None] == np.arange(n_labels)
    return np.concatenate([label.astype(np.float64), attributes], axis=1)
