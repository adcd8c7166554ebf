"""Read graphs from a file of any format, told by its name or by the user."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from aglets.graphs import GraphSet
from aglets.io._rows import kind_of
from aglets.io._targets import Targets
from aglets.io.failures import Errors
from aglets.io.tu import read_tu

__all__ = ["FORMATS", "ReadOptions", "format_of", "read_file", "write_file", "written_format"]

PathLike = str | os.PathLike[str]

#: Name of a format -> endings of its files.
FORMATS: dict[str, tuple[str, ...]] = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "smi": (".smi", ".smiles"),
    "sdf": (".sdf", ".sd"),
    "json": (".json",),
    "jsonl": (".jsonl", ".ndjson"),
    "gspan": (".gspan",),
    "tu": (),
}
TABLES = ("csv", "tsv", "parquet")
MOLECULES = (*TABLES, "smi", "sdf")


def format_of(path: PathLike, given: str | None = None) -> str:
    """Return the format of a file: the one given, else by its ending; a folder is a TU set.

    Examples
    --------
    >>> format_of("molecules.csv.gz"), format_of("graphs.txt", "gspan")
    ('csv', 'gspan')
    """
    if given is not None:
        if given not in FORMATS:
            raise ValueError(f"Expected a format among {', '.join(FORMATS)}, got {given!r}.")
        return given
    if Path(path).is_dir():
        return "tu"
    ending = kind_of(path)
    for name, endings in FORMATS.items():
        if ending in endings:
            return name
    known = ", ".join(ending for endings in FORMATS.values() for ending in endings)
    raise ValueError(
        f"Expected a file that ends in {known}, got {os.fspath(path)!r}; "
        f"name its format: {', '.join(FORMATS)}."
    )


@dataclass(frozen=True)
class ReadOptions:
    """How to read; what a format has no use for is an error, so that nothing is ignored.

    Parameters
    ----------
    format : str, optional
        Else told by the ending.
    target : str, optional
        Column, property or key to predict.
    smiles, separator : str, optional
        Column of SMILES, and what separates columns, in tables.
    label, edge_label : str, optional
        Keys of labels in JSON.
    attributes, edge_attributes : tuple of str, optional
        Names of atom attributes of molecules, or keys of attributes in JSON.
    edge_labels : bool, optional
        Whether edges have labels; else yes for molecules and gSpan, no for TU sets.
    label_with, coordinates, hydrogens
        As in `GraphSet.from_smiles`.
    errors : {"raise", "skip"}
        What to do about rows of molecules that cannot be read.
    """

    format: str | None = None
    target: str | None = None
    smiles: str | None = None
    separator: str | None = None
    label: str | None = None
    attributes: tuple[str, ...] | None = None
    edge_label: str | None = None
    edge_attributes: tuple[str, ...] | None = None
    edge_labels: bool | None = None
    label_with: tuple[str, ...] = ()
    coordinates: Literal["2d", "3d"] | None = None
    hydrogens: bool = False
    errors: Errors = "raise"

    @property
    def features(self) -> dict[str, Any]:
        """The features of molecules that were asked for."""
        features: dict[str, Any] = {
            "label_with": self.label_with,
            "coordinates": self.coordinates,
            "hydrogens": self.hydrogens,
            "edge_labels": self.edge_labels is not False,
        }
        return features if self.attributes is None else {**features, "attributes": self.attributes}

    @property
    def keys(self) -> dict[str, Any]:
        """The keys of a JSON file that were asked for."""
        keys = {
            "label": self.label,
            "attributes": self.attributes,
            "edge_label": self.edge_label,
            "edge_attributes": self.edge_attributes,
        }
        return {name: value for name, value in keys.items() if value is not None}

    def check(self, kind: str) -> None:
        """Raise if something was asked for that the format has not got."""
        allowed = {"format", "errors"}
        if kind in TABLES:
            allowed |= {"smiles", "separator"}
        if kind in MOLECULES:
            allowed |= {"attributes", "edge_labels", "label_with", "coordinates", "hydrogens"}
        if kind in ("json", "jsonl"):
            allowed |= {"label", "attributes", "edge_label", "edge_attributes"}
        if kind in ("tu", "gspan"):
            allowed |= {"edge_labels"}
        if kind not in ("tu", "smi"):
            allowed |= {"target"}
        plain = ReadOptions()
        for name in vars(plain):
            if name not in allowed and getattr(self, name) != getattr(plain, name):
                raise ValueError(
                    f"The option {name.replace('_', '-')!r} means nothing for the format {kind!r}; "
                    "leave it out."
                )


def read_file(path: PathLike, options: ReadOptions) -> tuple[GraphSet, Targets | None]:
    """Read graphs and, where the file has them, what is to be predicted.

    Parameters
    ----------
    path : path
        A file, or the folder of a TU data set.
    options : ReadOptions

    Returns
    -------
    graphs : GraphSet
    y : ndarray of shape (n_graphs,) or None
        None if no target was asked for; TU sets always have one.
    """
    kind = format_of(path, options.format)
    options.check(kind)
    target = options.target
    readers: Any = GraphSet  # whether y comes, too, depends on the target
    if kind == "tu":
        return read_tu(Path(path), edge_labels=bool(options.edge_labels))
    if not Path(path).is_file():
        raise ValueError(f"Expected a file, but there is no {os.fspath(path)}.")
    if kind == "gspan":
        read = readers.from_gspan(
            path,
            edge_labels=options.edge_labels is not False,
            target=target is not None,
        )
    elif kind in ("json", "jsonl"):
        read = readers.from_json(path, target=target, **options.keys)
    elif kind == "smi":
        read = readers.from_smiles(Path(path), errors=options.errors, **options.features)
    elif kind == "sdf":
        read = readers.from_sdf(path, target=target, errors=options.errors, **options.features)
    else:
        read = readers.from_table(
            path,
            smiles=options.smiles or "smiles",
            target=target,
            separator=options.separator or ("\t" if kind == "tsv" else None),
            errors=options.errors,
            **options.features,
        )
    return read if isinstance(read, tuple) else (read, None)


def written_format(path: PathLike, given: str | None = None) -> str:
    """Return the format to write: the one given, else by the name; without an ending it is "tu".

    Examples
    --------
    >>> written_format("graphs.gspan"), written_format("MUTAG")
    ('gspan', 'tu')
    """
    is_folder = given is None and (Path(path).is_dir() or not Path(path).suffix)
    kind = "tu" if is_folder else format_of(path, given)
    if kind not in ("json", "jsonl", "gspan", "tu"):
        raise ValueError(
            f"Expected to write json, jsonl, gspan or tu, got {kind!r}; graphs have no SMILES."
        )
    return kind


def write_file(
    graphs: GraphSet, path: PathLike, y: Targets | None = None, *, format: str | None = None
) -> None:
    """Write graphs as JSON, JSON lines, gSpan text or a TU folder, told by the name or given.

    A name without an ending is the folder of a TU data set.
    """
    kind = written_format(path, format)
    if kind == "tu":
        if y is None:
            raise ValueError(
                "Expected a target for every graph, for a TU folder has to list them; "
                "name the target to read."
            )
        graphs.to_tu(path, y)
    elif kind == "gspan":
        graphs.to_gspan(path, y=y)
    else:
        graphs.to_json(path, y=y)
