"""Formats by name: a format says what it is called, how its files end, and which options it knows.

Every file of this room registers the formats it reads with `register_format`; `read_file`,
`write_file` and the command line take them from here. Other packages add theirs by the same call,
or as entry points of the group ``aglets.formats``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from aglets.graphs import GraphSet
from aglets.graphs.registry import Registry
from aglets.io._targets import Targets
from aglets.io.failures import Errors

__all__ = ["FORMATS", "MOLECULE_OPTIONS", "Format", "ReadOptions", "register_format"]

#: What all formats of molecules know.
MOLECULE_OPTIONS = ("attributes", "edge_labels", "label_with", "coordinates", "hydrogens")


@dataclass(frozen=True)
class ReadOptions:
    """How to read; what a format has no use for is an error, so that nothing is ignored.

    Parameters
    ----------
    format : str, optional
        Else by the ending.
    target : str or tuple of str, optional
        Column, property or key to predict; several, also by patterns such as ``"NR-*"``.
    smiles, separator : str, optional
        Column of SMILES, and what separates columns, in tables.
    id_column, name_column : str, optional
        Columns of tables, or properties in SDF files, that say what each molecule is called.
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
    further : mapping of str to str
        Options that only one format knows, by name; other packages' formats may have some.
    """

    format: str | None = None
    target: str | tuple[str, ...] | None = None
    smiles: str | None = None
    separator: str | None = None
    id_column: str | None = None
    name_column: str | None = None
    label: str | None = None
    attributes: tuple[str, ...] | None = None
    edge_label: str | None = None
    edge_attributes: tuple[str, ...] | None = None
    edge_labels: bool | None = None
    label_with: tuple[str, ...] | None = None
    coordinates: Literal["2d", "3d"] | None = None
    hydrogens: bool = False
    errors: Errors = "raise"
    further: Mapping[str, str] = field(default_factory=dict)

    @property
    def features(self) -> dict[str, Any]:
        """The features of molecules that were asked for."""
        features: dict[str, Any] = {
            "coordinates": self.coordinates,
            "hydrogens": self.hydrogens,
            "edge_labels": self.edge_labels is not False,
        }
        chosen = {"attributes": self.attributes, "label_with": self.label_with}
        return features | {name: value for name, value in chosen.items() if value is not None}

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


@dataclass(frozen=True)
class Format:
    """A format of files, or of folders.

    Parameters
    ----------
    name : str
        What it is called, as in ``--format``.
    suffixes : tuple of str
        How its files end, such as ".gspan"; none for folders.
    read : callable
        Takes a path and ReadOptions, and returns graphs, or graphs and y.
    options : tuple of str
        The fields of ReadOptions that mean something to it, and names of further options of its
        own. Others are refused, so that nothing is ignored.
    write : callable, optional
        Takes graphs, a path and y (or None).

    Examples
    --------
    >>> Format("dot", (".dot",), read=lambda path, options: ...).knows("target")
    False
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Path, ReadOptions], Any]
    options: tuple[str, ...] = ()
    write: Callable[[GraphSet, Path, Targets | None], Any] | None = None

    def knows(self, option: str) -> bool:
        """Whether an option means something to this format."""
        return option in ("format", "errors", "further", *self.options)

    def check(self, given: ReadOptions) -> None:
        """Raise if something was asked for that the format has not got."""
        plain = ReadOptions()
        asked = [name for name in vars(plain) if getattr(given, name) != getattr(plain, name)]
        for name in (*asked, *given.further):
            if not self.knows(name):
                raise ValueError(
                    f"The option {name.replace('_', '-')!r} means nothing for the format "
                    f"{self.name!r}; leave it out."
                )


FORMATS: Registry[Format] = Registry("format", "formats", "aglets.formats", __package__)


def register_format(form: Format) -> Format:
    """Make a format known to `read_file`, `write_file` and the command line."""
    FORMATS.add(form.name, form)
    return form
