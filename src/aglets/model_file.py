"""Model files: a zip of ``model.json`` and ``.npy`` arrays, without pickles.

Format 1. ``model.json`` says what the model is (loss, rho, classes, vocabularies, names, kind of
scaling, versions); the arrays hold the numbers. The graphlets lie behind each other like the graphs
of a GraphSet: graphlet j owns rows ``node_offsets[j]`` to ``node_offsets[j + 1]`` of ``labels``
(positions in the vocabulary) and ``attributes``, and likewise for its edges. A file is believed
only after every name, type, count, shape and number in it was checked.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from aglets import __version__
from aglets._archive import decode_value, encode_value, read_archive, write_archive
from aglets.graphlet import Graphlet
from aglets.input_format import InputFormat
from aglets.model import LagraModel
from aglets.scaling import SCALES, AttributeScaling, Columns

__all__ = ["load", "save"]

FORMAT = "aglets-model"
FORMAT_VERSION = 1
MAX_BYTES = 2**28

ARRAYS = (
    *("coef", "intercept", "path"),
    *("node_offsets", "labels", "attributes"),
    *("edge_offsets", "edges", "edge_labels", "edge_attributes"),
    *("node_shift", "node_factor", "edge_shift", "edge_factor"),
)
INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
CLASS_DTYPES = (*INTEGERS, "bool", "float16", "float32", "float64", "str", "object")

Kind = TypeVar("Kind")
Arrays = dict[str, NDArray[Any]]


def save(model: LagraModel, path: str | os.PathLike[str]) -> None:
    """Write a model to a file; an old file of that name is replaced in one step.

    Parameters
    ----------
    model : LagraModel
    path : path-like
        By custom ending in ``.aglets``.
    """
    known = model.input_format
    classes = None
    if model.classes is not None:
        dtype = "str" if model.classes.dtype.kind == "U" else model.classes.dtype.name
        if dtype not in CLASS_DTYPES:
            raise TypeError(
                "Classes in a model file must be numbers, strings, bools or Python objects of "
                f"those. Got an array of dtype {dtype} instead."
            )
        classes = {"dtype": dtype, "values": [encode_value(value) for value in model.classes]}
    document = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "aglets_version": __version__,
        "fitted_with": model.version,
        "loss": model.loss,
        "rho": float(model.rho),
        "classes": classes,
        "n_graphlets": len(model.graphlets),
        "vocabulary": [encode_value(value) for value in known.vocabulary],
        "n_attributes": known.n_attributes,
        "attribute_names": _list(known.attribute_names),
        "edge_vocabulary": (
            None
            if known.edge_vocabulary is None
            else [encode_value(value) for value in known.edge_vocabulary]
        ),
        "n_edge_attributes": known.n_edge_attributes,
        "edge_attribute_names": _list(known.edge_attribute_names),
        "recipe": known.recipe,
        "scale": model.scaling.kind,
        "path_columns": list(model.path),
    }
    write_archive(path, document, _arrays_of(model))


def load(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> LagraModel:
    """Read a model that :func:`save` wrote. No code in the file is run.

    Parameters
    ----------
    path : path-like
    max_bytes : int
        The most that the file and its unpacked content may take.

    Returns
    -------
    LagraModel

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from aglets import GraphSet
    >>> from aglets.input_format import InputFormat
    >>> from aglets.model import LagraModel
    >>> graphs = GraphSet.from_lists(labels=[["C"]], edges=[[]])
    >>> model = LagraModel(
    ...     graphlets=[], coef=np.zeros((1, 0)), intercept=np.array([0.5]), rho=1.0,
    ...     loss="squared", input_format=InputFormat.of(graphs),
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(pathlib.Path(folder) / "half.aglets")
    ...     load(pathlib.Path(folder) / "half.aglets").predict(graphs)
    array([0.5])
    """
    try:
        document, arrays = read_archive(path, ARRAYS, max_bytes=max_bytes)
        _check_format(document)
        return _model(document, arrays)
    except _NewerError as newer:
        raise ValueError(f"{os.fspath(path)} {newer}") from None
    except (ValueError, TypeError, RecursionError, MemoryError) as error:
        reason = str(error) if isinstance(error, ValueError) else "it is malformed"
        raise ValueError(
            f"{os.fspath(path)} is not a usable aglets model file: {reason.rstrip('.')}. "
            "Save the model again, or fetch a fresh copy."
        ) from error


class _NewerError(Exception):
    """The file is in order, but of a format to come."""


def _list(names: Sequence[str] | None) -> list[str] | None:
    return None if names is None else list(names)


def _arrays_of(model: LagraModel) -> Arrays:
    known, graphlets = model.input_format, model.graphlets
    arrays: Arrays = {
        "coef": model.coef,
        "intercept": model.intercept,
        "node_offsets": _offsets([len(h.labels) for h in graphlets]),
        "labels": _encoded([label for h in graphlets for label in h.labels], known.vocabulary),
        "attributes": _stacked([h.attributes for h in graphlets], known.n_attributes),
        "edge_offsets": _offsets([len(h.edges) for h in graphlets]),
        "edges": _stacked([h.edges for h in graphlets], 2).astype(np.int32),
    }
    if known.edge_vocabulary is not None:
        labels = [label for h in graphlets for label in (h.edge_labels or ())]
        arrays["edge_labels"] = _encoded(labels, known.edge_vocabulary)
    if known.n_edge_attributes:
        rows = [h.edge_attributes for h in graphlets if h.edge_attributes is not None]
        arrays["edge_attributes"] = _stacked(rows, known.n_edge_attributes)
    for owner, columns in (("node", model.scaling.nodes), ("edge", model.scaling.edges)):
        if columns is not None:
            arrays[f"{owner}_shift"] = columns.shift
            arrays[f"{owner}_factor"] = columns.factor
    if model.path:
        arrays["path"] = np.column_stack([np.asarray(c, float) for c in model.path.values()])
    return arrays


def _offsets(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)


def _encoded(labels: Sequence[Any], vocabulary: Sequence[Any]) -> NDArray[np.int32]:
    position = {value: code for code, value in enumerate(vocabulary)}
    return np.array([position[label] for label in labels], dtype=np.int32)


def _stacked(rows: Sequence[Any], width: int) -> NDArray[Any]:
    return np.concatenate([np.empty((0, width)), *(np.reshape(r, (len(r), width)) for r in rows)])


def _check_format(document: dict[str, Any]) -> None:
    if document.get("format") != FORMAT:
        raise ValueError("it was written by another program")
    version = _field(document, "format_version", int)
    if version > FORMAT_VERSION:
        writer = str(document.get("aglets_version"))[:40]
        raise _NewerError(
            f"was written by aglets {writer} in format {version}, but aglets {__version__} reads "
            f"formats up to {FORMAT_VERSION}; upgrade aglets to read it."
        )
    if version < 1:
        raise ValueError(f"its format version is {version}")


def _field(document: dict[str, Any], name: str, kind: type[Kind]) -> Kind:
    value = document.get(name)
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise ValueError(f"{name!r} in model.json should be a {kind.__name__}")
    return value


def _count(document: dict[str, Any], name: str) -> int:
    value = _field(document, name, int)
    if not 0 <= value <= MAX_BYTES:
        raise ValueError(f"{name!r} in model.json is {value}")
    return value


def _values(document: dict[str, Any], name: str) -> tuple[Any, ...]:
    values = tuple(decode_value(value) for value in _field(document, name, list))
    if len(set(values)) != len(values):
        raise ValueError(f"{name!r} in model.json holds a value twice")
    return values


def _names(document: dict[str, Any], name: str, count: int) -> tuple[str, ...] | None:
    if document.get(name) is None:
        return None
    names = _field(document, name, list)
    if len(names) != count or not all(isinstance(value, str) for value in names):
        raise ValueError(f"{name!r} in model.json should be {count} strings")
    return tuple(names)


def _array(arrays: Arrays, name: str, kind: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
    """Take an array of float ("f") or int ("i") numbers of the shape; None fits any length."""
    array = arrays.get(name)
    if array is None:
        raise ValueError(f"{name}.npy is missing")
    fits = len(array.shape) == len(shape) and all(
        expected is None or came == expected
        for came, expected in zip(array.shape, shape, strict=True)
    )
    if array.dtype.kind != kind or not fits:
        wanted = "(" + ", ".join("any" if n is None else str(n) for n in shape) + ")"
        raise ValueError(f"{name}.npy has shape {array.shape}, expected {wanted} of kind {kind!r}")
    return array


def _classes(document: dict[str, Any]) -> NDArray[Any] | None:
    if document.get("classes") is None:
        return None
    entry = _field(document, "classes", dict)
    values, dtype = _values(entry, "values"), _field(entry, "dtype", str)
    if dtype not in CLASS_DTYPES:
        raise ValueError(f"classes of dtype {dtype[:40]!r} are not known")
    if dtype == "str" and not all(isinstance(value, str) for value in values):
        raise ValueError("the classes should be strings")
    classes = np.empty(len(values), dtype=object)
    classes[:] = values
    try:
        return classes if dtype == "object" else classes.astype(dtype)
    except OverflowError:
        raise ValueError(f"the classes do not fit dtype {dtype}") from None


def _model(document: dict[str, Any], arrays: Arrays) -> LagraModel:
    known = _input_format(document)
    classes = _classes(document)
    n_outputs = 1 if classes is None or len(classes) == 2 else len(classes)
    n_graphlets = _count(document, "n_graphlets")
    columns = [str(name) for name in _field(document, "path_columns", list)]
    path = _array(arrays, "path", "f", (None, len(columns))) if columns else np.empty((0, 0))
    return LagraModel(
        graphlets=_graphlets(arrays, n_graphlets, known),
        coef=_array(arrays, "coef", "f", (n_outputs, n_graphlets)),
        intercept=_array(arrays, "intercept", "f", (n_outputs,)),
        rho=_field(document, "rho", float),
        loss=_field(document, "loss", str),
        input_format=known,
        scaling=_scaling(document, arrays, known),
        classes=classes,
        path={name: path[:, j] for j, name in enumerate(columns)},
        version=_field(document, "fitted_with", str),
    )


def _input_format(document: dict[str, Any]) -> InputFormat:
    n_attributes = _count(document, "n_attributes")
    n_edge_attributes = _count(document, "n_edge_attributes")
    labelled = document.get("edge_vocabulary") is not None
    return InputFormat(
        vocabulary=_values(document, "vocabulary"),
        n_attributes=n_attributes,
        attribute_names=_names(document, "attribute_names", n_attributes),
        edge_vocabulary=_values(document, "edge_vocabulary") if labelled else None,
        n_edge_attributes=n_edge_attributes,
        edge_attribute_names=_names(document, "edge_attribute_names", n_edge_attributes),
        recipe=_recipe(document),
    )


def _recipe(document: dict[str, Any]) -> str | None:
    if document.get("recipe") is None:
        return None
    recipe = _field(document, "recipe", str)
    parts = json.loads(recipe)  # a broken one is a ValueError
    if not isinstance(parts, dict) or not all(isinstance(v, dict) for v in parts.values()):
        raise ValueError("'recipe' in model.json should be an object of objects")
    return recipe


def _scaling(document: dict[str, Any], arrays: Arrays, known: InputFormat) -> AttributeScaling:
    kind = _field(document, "scale", str)
    if kind not in SCALES:
        raise ValueError(f"scale {kind[:40]!r} is not known")
    return AttributeScaling(
        kind,
        _columns(arrays, "node", known.n_attributes, len(known.vocabulary)),
        _columns(arrays, "edge", known.n_edge_attributes, len(known.edge_vocabulary or ())),
    )


def _columns(arrays: Arrays, owner: str, width: int, n_labels: int) -> Columns | None:
    if f"{owner}_shift" not in arrays:
        return None
    shift = _array(arrays, f"{owner}_shift", "f", (None, width))
    factor = _array(arrays, f"{owner}_factor", "f", shift.shape)
    if len(shift) not in (1, n_labels + 1):
        raise ValueError(f"{owner}_shift.npy has {len(shift)} rows for {n_labels} labels")
    if not (factor > 0.0).all():
        raise ValueError(f"{owner}_factor.npy holds numbers that are not positive")
    return Columns(shift, factor)


def _graphlets(arrays: Arrays, count: int, known: InputFormat) -> list[Graphlet]:
    node_offsets = _checked_offsets(arrays, "node_offsets", count)
    edge_offsets = _checked_offsets(arrays, "edge_offsets", count)
    n_nodes, n_edges = int(node_offsets[-1]), int(edge_offsets[-1])
    labels = _labels(arrays, "labels", n_nodes, known.vocabulary)
    attributes = _array(arrays, "attributes", "f", (n_nodes, known.n_attributes))
    edges = _array(arrays, "edges", "i", (n_edges, 2))
    edge_labels = edge_attributes = None
    if known.edge_vocabulary is not None:
        edge_labels = _labels(arrays, "edge_labels", n_edges, known.edge_vocabulary)
    if known.n_edge_attributes:
        shape = (n_edges, known.n_edge_attributes)
        edge_attributes = _array(arrays, "edge_attributes", "f", shape)
    graphlets = []
    for j in range(count):
        nodes = slice(int(node_offsets[j]), int(node_offsets[j + 1]))
        rows = slice(int(edge_offsets[j]), int(edge_offsets[j + 1]))
        graphlets.append(
            Graphlet(
                labels=labels[nodes],
                edges=edges[rows],
                attributes=attributes[nodes],
                edge_labels=None if edge_labels is None else edge_labels[rows],
                edge_attributes=None if edge_attributes is None else edge_attributes[rows],
            )
        )
    return graphlets


def _checked_offsets(arrays: Arrays, name: str, count: int) -> NDArray[Any]:
    offsets = _array(arrays, name, "i", (count + 1,))
    if offsets[0] != 0 or (offsets[1:] < offsets[:-1]).any():
        raise ValueError(f"{name}.npy does not count upwards from 0")
    return offsets


def _labels(arrays: Arrays, name: str, count: int, vocabulary: Sequence[Any]) -> list[Any]:
    codes = _array(arrays, name, "i", (count,))
    if count and not (codes.min() >= 0 and codes.max() < len(vocabulary)):
        raise ValueError(f"{name}.npy points outside of the vocabulary")
    return [vocabulary[code] for code in codes]
