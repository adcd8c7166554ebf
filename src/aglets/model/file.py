"""Model files: a zip of ``model.json`` and ``.npy`` arrays, without pickles.

``model.json`` says what the model is (loss, rho, classes, vocabularies, names, kind of scaling,
versions); the arrays hold the numbers, those of graphlets as `_graphlet_columns` lays them out. A
file is believed only after every name, type, count, shape and number in it was checked.

Format 2 adds what format 1 had not: ``rho`` (where graphlets differ in it), ``stability``, and
``stop_points``, ``stop_intercepts``, ``stop_coefs`` (the outputs of a stop behind each other) and
the graphlets of the stops, all named ``stop_...``. All of these may be absent, so a file of format
1 is read as it is. Likewise covariates: their names are in ``model.json``, their numbers in
``covariate_...``. Options of the loss may be absent, too: they then have their defaults.

``examples`` (a molecule per graphlet to draw it in) and ``training_hashes`` may be absent as well.

Format 3 is written for several targets, and for a target with a name: ``targets`` is then a list of
objects with ``name``, ``loss``, ``loss_options`` and ``classes``.

Format 5 is written where a model knows of its errors or of its training graphs, as `_trust_columns`
lays them out. Models of files before have no calibration, and say what to do about it.

``target_column`` names the column of a single target, and may be absent; several are named in
``targets``.

Format 6 is written if some graphlets take the square root of their count (``count_scale``), or if
nodes were labelled by the model (``node_labels``).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from aglets._version import __version__
from aglets.graphlets import Graphlet
from aglets.graphlets.example import Example
from aglets.graphs.arrays import Floats
from aglets.model._archive import (
    RefusedError,
    decode_value,
    encode_value,
    read_archive,
    write_archive,
)
from aglets.model._graphlet_columns import (
    COLUMNS,
    Arrays,
    checked_array,
    graphlet_columns,
    read_graphlets,
)
from aglets.model._trust_columns import (
    TRUST_COLUMNS,
    read_calibration,
    read_conformal,
    read_record,
    trust_columns,
)
from aglets.model.losses import LOSSES, make_loss
from aglets.model.model import LagraModel
from aglets.model.outputs import Outputs
from aglets.model.path_models import PathModels
from aglets.model.search_record import SearchRecord
from aglets.model.target import Target
from aglets.model.training_graphs import TrainingGraphs
from aglets.preprocessing.covariates import Covariates
from aglets.preprocessing.input_spec import InputSpec
from aglets.preprocessing.node_labels import labelling_text
from aglets.preprocessing.scaling import SCALES, AttributeScaling, ColumnScaling

__all__ = ["load", "save"]

FORMAT = "aglets-model"
FORMAT_VERSION = 2
#: What a model with several targets needs.
SEVERAL_TARGETS_VERSION = 3
#: What a model with graphlets that count needs.
COUNTS_VERSION = 4
#: What a model with a calibration, or another record of trust, needs.
TRUST_VERSION = 5
#: What a model with square roots of counts, or with node labels of its own making, needs.
ROOTS_VERSION = 6
NEWEST_VERSION = ROOTS_VERSION
MAX_BYTES = 2**28

ARRAYS = (
    *("coef", "intercept", "rho", "path", "stability"),
    *COLUMNS,
    *("node_shift", "node_factor", "edge_shift", "edge_factor"),
    *("stop_points", "stop_intercepts", "stop_coefs"),
    *(f"stop_{name}" for name in COLUMNS),
    *("covariate_coef", "covariate_center", "covariate_spread", "stop_covariate_coefs"),
    "training_hashes",
    *TRUST_COLUMNS,
)
INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
CLASS_DTYPES = (*INTEGERS, "bool", "float16", "float32", "float64", "str", "object")

Kind = TypeVar("Kind")


def save(model: LagraModel, path: str | os.PathLike[str]) -> None:
    """Write a model to a file; an old file of that name is replaced in one step.

    Parameters
    ----------
    model : LagraModel
    path : path-like
        By custom ending in ``.aglets``.
    """
    spec = model.input_spec
    document = {
        "format": FORMAT,
        "aglets_version": __version__,
        "fitted_with": model.version,
        **_outputs_document(model.outputs),
        "rho": model.rho if isinstance(model.rho, float) else None,
        "n_graphlets": len(model.graphlets),
        "vocabulary": [encode_value(value) for value in spec.vocabulary],
        "n_attributes": spec.n_attributes,
        "attribute_names": _list(spec.attribute_names),
        "edge_vocabulary": (
            None
            if spec.edge_vocabulary is None
            else [encode_value(value) for value in spec.edge_vocabulary]
        ),
        "n_edge_attributes": spec.n_edge_attributes,
        "edge_attribute_names": _list(spec.edge_attribute_names),
        "recipe": spec.recipe,
        "scale": model.scaling.kind,
        "path_columns": list(_repeatable(model.path)),
        "n_stop_graphlets": 0 if model.stops is None else len(model.stops.graphlets),
        "covariates": _covariates_document(model.covariates),
        "search": None if model.search is None else asdict(model.search),
        "examples": [
            None if graphlet.example is None else list(graphlet.example)
            for graphlet in model.graphlets
        ],
        "n_training_graphs": None if model.training is None else model.training.n_graphs,
        "target_column": model.target_column,
    }
    arrays = _arrays_of(model)
    if "pooling" in arrays or "stop_pooling" in arrays:
        document["format_version"] = COUNTS_VERSION
    entries, columns = trust_columns(model)
    if entries or columns:
        document |= {**entries, "format_version": TRUST_VERSION}
    roots = "count_scale" in arrays or "stop_count_scale" in arrays
    if roots or spec.node_labels != "none":
        document["format_version"] = ROOTS_VERSION
        document["node_labels"] = labelling_text(spec.node_labels)
    write_archive(path, document, arrays | columns)


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
    >>> from aglets.preprocessing.input_spec import InputSpec
    >>> from aglets.model.model import LagraModel
    >>> from aglets.model.outputs import Outputs
    >>> graphs = GraphSet.from_lists(labels=[["C"]], edges=[[]])
    >>> model = LagraModel(
    ...     graphlets=[], coef=np.zeros((1, 0)), intercept=np.array([0.5]), rho=1.0,
    ...     outputs=Outputs.of_numbers(), input_spec=InputSpec.of(graphs),
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(pathlib.Path(folder) / "half.aglets")
    ...     load(pathlib.Path(folder) / "half.aglets").predict(graphs)
    array([0.5])
    """
    try:
        document, arrays = read_archive(path, ARRAYS, max_bytes=max_bytes, accept=_check_format)
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


def _outputs_document(outputs: Outputs) -> dict[str, Any]:
    """Write targets; a single one without a name as before there were several."""
    if outputs.target_names == (None,):
        return {"format_version": FORMAT_VERSION, **_target_document(outputs.single)}
    entries = [
        {"name": target.name, "unit": target.unit, **_target_document(target)}
        for target in outputs.targets
    ]
    return {"format_version": SEVERAL_TARGETS_VERSION, "targets": entries}


def _target_document(target: Target) -> dict[str, Any]:
    classes = None
    if target.classes is not None:
        dtype = "str" if target.classes.dtype.kind == "U" else target.classes.dtype.name
        if dtype not in CLASS_DTYPES:
            raise TypeError(
                "Classes in a model file must be numbers, strings, bools or Python objects of "
                f"those. Got an array of dtype {dtype} instead."
            )
        classes = {"dtype": dtype, "values": [encode_value(value) for value in target.classes]}
    return {
        "loss": target.loss.name,
        "loss_options": target.loss.option_values,
        "classes": classes,
    }


def _outputs(document: dict[str, Any]) -> Outputs:
    if "targets" not in document:
        return Outputs([_target(document)])
    entries = _field(document, "targets", list)
    if not all(isinstance(entry, dict) for entry in entries):
        raise ValueError("'targets' in model.json should be objects")
    return Outputs(
        [
            replace(_target(entry), name=_field(entry, "name", str), unit=_unit(entry))
            for entry in entries
        ]
    )


def _unit(entry: dict[str, Any]) -> float:
    """Read in what a target was counted; files of before do not say so."""
    unit = entry.get("unit", 1.0)
    if isinstance(unit, bool) or not isinstance(unit, (int, float)) or not 0.0 < unit < np.inf:
        raise ValueError("'unit' in model.json should be a positive number")
    return float(unit)


def _target(entry: dict[str, Any]) -> Target:
    """Read a target; files of before have no options of losses, and are read with the defaults."""
    options = entry.get("loss_options", {})
    if not isinstance(options, dict):
        raise ValueError("'loss_options' in model.json should be an object")
    name = _field(entry, "loss", str)
    if name not in LOSSES:
        raise ValueError(
            f"the loss {name[:40]!r} is not known; if a package defines it, install that first"
        )
    return Target(make_loss(name, **options), _classes(entry))


def _covariates_document(covariates: Covariates | None) -> dict[str, Any] | None:
    if covariates is None:
        return None
    return {
        "names": list(covariates.names),
        "built_in": covariates.built_in,
        "labels": [encode_value(value) for value in covariates.labels],
    }


def _list(names: Sequence[str] | None) -> list[str] | None:
    return None if names is None else list(names)


def _arrays_of(model: LagraModel) -> Arrays:
    arrays: Arrays = {
        "coef": model.coef,
        "intercept": model.intercept,
        **graphlet_columns(model.graphlets, model.input_spec),
    }
    for owner, columns in (("node", model.scaling.nodes), ("edge", model.scaling.edges)):
        if columns is not None:
            arrays[f"{owner}_shift"] = columns.shift
            arrays[f"{owner}_factor"] = columns.factor
    if model.covariates is not None:
        arrays["covariate_coef"] = model.covariate_coef
        arrays["covariate_center"] = model.covariates.center
        arrays["covariate_spread"] = model.covariates.spread
    if path := _repeatable(model.path):
        arrays["path"] = np.column_stack([np.asarray(c, float) for c in path.values()])
    if not isinstance(model.rho, float):
        arrays["rho"] = model.rho
    if model.stability is not None:
        arrays["stability"] = model.stability
    if model.training is not None:
        arrays["training_hashes"] = model.training.hashes.view(np.int64)
    if model.stops is not None:
        arrays |= {
            "stop_points": model.stops.points,
            "stop_intercepts": model.stops.intercepts,
            "stop_coefs": _outputs_below_each_other(model.stops.coefs),
            **graphlet_columns(model.stops.graphlets, model.input_spec, prefix="stop_"),
        }
        if model.covariates is not None:
            gammas = _outputs_below_each_other(model.stops.covariate_coefs)
            arrays["stop_covariate_coefs"] = gammas
    return arrays


def _repeatable(path: Mapping[str, Floats]) -> dict[str, Floats]:
    """Leave out the seconds of a fit: the same fit gives the same file."""
    return {name: column for name, column in path.items() if not name.startswith("seconds")}


def _outputs_below_each_other(coefs: NDArray[Any]) -> NDArray[Any]:
    """Turn (stops, outputs, columns) into a matrix, also where there are no columns."""
    n_stops, n_outputs, n_columns = coefs.shape
    return coefs.reshape(n_stops * n_outputs, n_columns)


def _check_format(document: dict[str, Any]) -> None:
    if document.get("format") != FORMAT:
        raise RefusedError("it was written by another program")
    version = document.get("format_version")
    if type(version) is not int:
        raise RefusedError("'format_version' in model.json should be a int")
    if version > NEWEST_VERSION:
        writer = str(document.get("aglets_version"))[:40]
        raise _NewerError(
            f"was written by aglets {writer} in format {version}, but aglets {__version__} reads "
            f"formats up to {NEWEST_VERSION}; upgrade aglets to read it."
        )
    if version < 1:
        raise RefusedError(f"its format version is {version}")


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
    input_spec = _input_spec(document, arrays)
    outputs = _outputs(document)
    n_outputs = outputs.n_outputs
    n_graphlets = _count(document, "n_graphlets")
    columns = [str(name) for name in _field(document, "path_columns", list)]
    path = checked_array(arrays, "path", "f", (None, len(columns))) if columns else np.empty((0, 0))
    n_covariates = 0 if input_spec.covariates is None else len(input_spec.covariates.names)
    graphlets = read_graphlets(arrays, n_graphlets, input_spec)
    return LagraModel(
        graphlets=_shown(graphlets, document),
        coef=checked_array(arrays, "coef", "f", (n_outputs, n_graphlets)),
        intercept=checked_array(arrays, "intercept", "f", (n_outputs,)),
        rho=_rho(document, arrays, n_graphlets),
        outputs=outputs,
        input_spec=input_spec,
        path={name: path[:, j] for j, name in enumerate(columns)},
        stops=_stops(document, arrays, input_spec, n_outputs, n_covariates),
        stability=(
            checked_array(arrays, "stability", "f", (n_graphlets,))
            if "stability" in arrays
            else None
        ),
        version=_field(document, "fitted_with", str),
        covariate_coef=(
            checked_array(arrays, "covariate_coef", "f", (n_outputs, n_covariates))
            if n_covariates
            else np.empty(0)
        ),
        search=_search(document),
        training=_training(document, arrays),
        calibration=read_calibration(document, arrays, outputs),
        conformal=read_conformal(arrays, outputs),
        record=read_record(document, arrays, outputs, n_graphlets),
        target_column=_target_column(document),
    )


def _shown(graphlets: Sequence[Graphlet], document: dict[str, Any]) -> list[Graphlet]:
    """Give graphlets the molecules that they are shown in; files of before have none."""
    entries = document.get("examples") or [None] * len(graphlets)
    if not isinstance(entries, list) or len(entries) != len(graphlets):
        raise ValueError(f"'examples' in model.json should be {len(graphlets)} entries")
    return [
        graphlet if entry is None else replace(graphlet, example=_example(entry, graphlet.n_nodes))
        for graphlet, entry in zip(graphlets, entries, strict=True)
    ]


def _example(entry: Any, n_nodes: int) -> Example:
    if not isinstance(entry, list) or len(entry) != 4:
        raise ValueError("an entry of 'examples' in model.json should be a list of four")
    smiles, nodes, psi, name = entry
    if (
        not isinstance(smiles, str)
        or not isinstance(nodes, list)
        or len(nodes) != n_nodes
        or not all(type(node) is int and node >= 0 for node in nodes)
        or type(psi) not in (int, float)
        or not isinstance(name, (str, type(None)))
    ):
        raise ValueError("an entry of 'examples' in model.json is not a molecule with its atoms")
    return Example(smiles, tuple(nodes), float(psi), name)


def _training(document: dict[str, Any], arrays: Arrays) -> TrainingGraphs | None:
    if "training_hashes" not in arrays:
        return None
    hashes = checked_array(arrays, "training_hashes", "i", (None,))
    unsigned = hashes.astype(np.int64).view(np.uint64)
    return TrainingGraphs(_count(document, "n_training_graphs"), unsigned)


def _target_column(document: dict[str, Any]) -> str | None:
    if document.get("target_column") is None:
        return None
    return _field(document, "target_column", str)


def _search(document: dict[str, Any]) -> SearchRecord | None:
    if document.get("search") is None:
        return None
    entry = _field(document, "search", dict)
    return SearchRecord(
        maxpat_asked=_field(entry, "maxpat_asked", int),
        maxpat_reached=_field(entry, "maxpat_reached", int),
        lambda_ratio_reached=_field(entry, "lambda_ratio_reached", float),
        work=_field(entry, "work", int),
    )


def _covariates(document: dict[str, Any], arrays: Arrays) -> Covariates | None:
    if document.get("covariates") is None:
        if "covariate_coef" in arrays:
            raise ValueError("covariate_coef.npy belongs to covariates that model.json lacks")
        return None
    entry = _field(document, "covariates", dict)
    n = len(_field(entry, "names", list))
    return Covariates(
        names=_names(entry, "names", n) or (),
        center=checked_array(arrays, "covariate_center", "f", (n,)),
        spread=checked_array(arrays, "covariate_spread", "f", (n,)),
        built_in=None if entry.get("built_in") is None else _field(entry, "built_in", str),
        labels=_values(entry, "labels"),
    )


def _stops(
    document: dict[str, Any],
    arrays: Arrays,
    input_spec: InputSpec,
    n_outputs: int,
    n_covariates: int,
) -> PathModels | None:
    if "stop_points" not in arrays:
        return None
    count = _count(document, "n_stop_graphlets")
    points = checked_array(arrays, "stop_points", "i", (None,))
    coefs = checked_array(arrays, "stop_coefs", "f", (len(points) * n_outputs, count))
    gammas = np.empty((len(points) * n_outputs, 0))
    if n_covariates:
        shape = (len(points) * n_outputs, n_covariates)
        gammas = checked_array(arrays, "stop_covariate_coefs", "f", shape)
    return PathModels(
        points=points,
        graphlets=read_graphlets(arrays, count, input_spec, prefix="stop_"),
        coefs=coefs.reshape(len(points), n_outputs, count),
        intercepts=checked_array(arrays, "stop_intercepts", "f", (len(points), n_outputs)),
        covariate_coefs=gammas.reshape(len(points), n_outputs, n_covariates),
    )


def _rho(document: dict[str, Any], arrays: Arrays, n_graphlets: int) -> float | NDArray[Any]:
    if "rho" in arrays:
        return checked_array(arrays, "rho", "f", (n_graphlets,))
    return _field(document, "rho", float)


def _input_spec(document: dict[str, Any], arrays: Arrays) -> InputSpec:
    n_attributes = _count(document, "n_attributes")
    n_edge_attributes = _count(document, "n_edge_attributes")
    labelled = document.get("edge_vocabulary") is not None
    spec = InputSpec(
        vocabulary=_values(document, "vocabulary"),
        n_attributes=n_attributes,
        attribute_names=_names(document, "attribute_names", n_attributes),
        edge_vocabulary=_values(document, "edge_vocabulary") if labelled else None,
        n_edge_attributes=n_edge_attributes,
        edge_attribute_names=_names(document, "edge_attribute_names", n_edge_attributes),
        recipe=_recipe(document),
        covariates=_covariates(document, arrays),
        node_labels=_node_labels(document),
    )
    return replace(spec, scaling=_scaling(document, arrays, spec))


def _node_labels(document: dict[str, Any]) -> str:
    """Read how nodes get labels; a function is not in the file, so graphs must have its labels."""
    if "node_labels" not in document:
        return "none"
    how = _field(document, "node_labels", str)
    if how not in ("none", "degree", "function"):
        raise ValueError(f"node_labels {how[:40]!r} is not known")
    return "none" if how == "function" else how


def _recipe(document: dict[str, Any]) -> str | None:
    if document.get("recipe") is None:
        return None
    recipe = _field(document, "recipe", str)
    parts = json.loads(recipe)  # a broken one is a ValueError
    if not isinstance(parts, dict) or not all(isinstance(v, dict) for v in parts.values()):
        raise ValueError("'recipe' in model.json should be an object of objects")
    return recipe


def _scaling(document: dict[str, Any], arrays: Arrays, spec: InputSpec) -> AttributeScaling:
    kind = _field(document, "scale", str)
    if kind not in SCALES:
        raise ValueError(f"scale {kind[:40]!r} is not known")
    return AttributeScaling(
        kind,
        _columns(arrays, "node", spec.n_attributes, len(spec.vocabulary)),
        _columns(arrays, "edge", spec.n_edge_attributes, len(spec.edge_vocabulary or ())),
    )


def _columns(arrays: Arrays, owner: str, width: int, n_labels: int) -> ColumnScaling | None:
    if f"{owner}_shift" not in arrays:
        return None
    shift = checked_array(arrays, f"{owner}_shift", "f", (None, width))
    factor = checked_array(arrays, f"{owner}_factor", "f", shift.shape)
    if len(shift) not in (1, n_labels + 1):
        raise ValueError(f"{owner}_shift.npy has {len(shift)} rows for {n_labels} labels")
    if not (factor > 0.0).all():
        raise ValueError(f"{owner}_factor.npy holds numbers that are not positive")
    return ColumnScaling(shift, factor)
