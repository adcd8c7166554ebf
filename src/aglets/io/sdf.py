"""SDF files, read into graphs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from aglets.graphs import GraphSet
from aglets.io._molecule_reader import MoleculeReader
from aglets.io._molecule_sets import Item, identified, read_molecules
from aglets.io._molecules import FeatureOptions, MoleculeFeatures
from aglets.io._opening import opened_bytes
from aglets.io._targets import Targets, chosen_names, parsed, target_array, target_columns
from aglets.io.failures import Errors
from aglets.io.registry import MOLECULE_OPTIONS, Format, ReadOptions, register_format

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["from_sdf"]


@overload
def from_sdf(
    path: str | os.PathLike[str],
    *,
    target: None = ...,
    id_column: str | None = ...,
    name_column: str | None = ...,
    errors: Errors = ...,
    **features: Unpack[FeatureOptions],
) -> GraphSet: ...
@overload
def from_sdf(
    path: str | os.PathLike[str],
    *,
    target: str | Sequence[str],
    id_column: str | None = ...,
    name_column: str | None = ...,
    errors: Errors = ...,
    **features: Unpack[FeatureOptions],
) -> tuple[GraphSet, Targets]: ...
def from_sdf(
    path: str | os.PathLike[str],
    *,
    target: str | Sequence[str] | None = None,
    id_column: str | None = None,
    name_column: str | None = None,
    errors: Errors = "raise",
    **features: Unpack[FeatureOptions],
) -> GraphSet | tuple[GraphSet, Targets]:
    """Read the molecules of an SDF file.

    Parameters
    ----------
    path : path
        Also packed by gzip (.sdf.gz).
    target : str or sequence of str, optional
        The property to predict. A molecule without it counts as a failure. A sequence names
        several, also by patterns such as ``"NR-*"``, of which a molecule may lack some.
    id_column, name_column : str, optional
        Properties that say what each molecule is called: ``graphs.ids`` and ``graphs.names``. Else
        its name is the first line of its record.
    errors : {"raise", "skip"}
        Whether a record that cannot be read is an error, or is left out with a warning.
        ``graphs.rows`` says which records (from 0) were kept.
    **features
        Labels and attributes of atoms, as in `GraphSet.from_smiles`. ``coordinates="3d"`` takes the
        coordinates in the file.

    Returns
    -------
    graphs : GraphSet
    y : ndarray of shape (n_graphs,) or (n_graphs, n_targets)
        Only if `target` is given, and only for records that were kept. Of several targets, None is
        where a value is unknown, and ``y.names`` are their properties.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from rdkit import Chem
    >>> from aglets import GraphSet
    >>> with TemporaryDirectory() as folder:
    ...     with Chem.SDWriter(str(Path(folder, "one.sdf"))) as writer:
    ...         writer.write(Chem.MolFromSmiles("CCO"))
    ...     graphs = GraphSet.from_sdf(Path(folder, "one.sdf"))
    >>> graphs[0].labels
    ['C', 'C', 'O']
    """
    chosen = MoleculeFeatures.of(**features)
    items: list[Item] = []
    values: list[Any] = []
    ids: list[str | None] = []
    names: list[str | None] = []
    for row, mol in enumerate(molecules_of(path, MoleculeReader(chosen))):
        value, fault = None, None
        if isinstance(target, str) and mol is not None:
            value, fault = _property(mol, target)
        elif target is not None and mol is not None:
            value, fault = _properties(mol)
        items.append(Item(row, None, mol, fault))
        values.append(value)
        ids.append(_called(mol, id_column))
        names.append(_called(mol, name_column or "_Name"))
    graphs = read_molecules(items, chosen, errors, kind="mol")
    graphs = identified(graphs, smiles=[], ids=ids, names=names)
    if target is None:
        return graphs
    assert graphs.rows is not None
    kept = [values[row] for row in graphs.rows.tolist()]
    if isinstance(target, str):
        return graphs, target_array(kept, os.fspath(path))
    known = list(dict.fromkeys(name for record in kept for name in record))
    chosen_targets = chosen_names(target, known, os.fspath(path))
    return graphs, target_columns(kept, chosen_targets, os.fspath(path))


def _called(mol: Any, name: str | None) -> str | None:
    """Return a property as text; None if there is none."""
    if mol is None or name is None:
        return None
    value, _ = _property(mol, name, parse=False)
    return value or None


def _properties(mol: Any) -> tuple[dict[str, Any], str | None]:
    """Return all properties that have a value, or what is wrong with them."""
    found: dict[str, Any] = {}
    try:
        for name in mol.GetPropNames():
            value, fault = _property(mol, name)
            if fault is not None:
                return {}, fault
            found |= {} if value == "" else {name: value}
    except UnicodeDecodeError:
        return {}, "its properties are not text in UTF-8"
    return found, None


def _property(mol: Any, name: str, *, parse: bool = True) -> tuple[Any, str | None]:
    """Return the value of a property, or what is wrong with it."""
    try:
        if mol.HasProp(name):
            text = mol.GetProp(name)
            return parsed(text) if parse else text, None
        has = ", ".join(mol.GetPropNames()) or "none"
    except UnicodeDecodeError:
        return None, "its properties are not text in UTF-8"
    return None, f"it has no property {name!r} (its properties: {has})"


def molecules_of(path: str | os.PathLike[str], reader: MoleculeReader) -> Iterator[Any]:
    """Yield the molecules of an SDF file, None for a record that RDKit refuses."""
    with opened_bytes(path) as file, reader.quiet():
        yield from reader.chem.ForwardSDMolSupplier(file)


def _read_file(path: Path, options: ReadOptions) -> Any:
    read: Any = from_sdf  # whether y comes, too, depends on the target
    return read(
        path,
        target=options.target,
        id_column=options.id_column,
        name_column=options.name_column,
        errors=options.errors,
        **options.features,
    )


_OPTIONS = ("target", "id_column", "name_column", *MOLECULE_OPTIONS)
register_format(Format("sdf", (".sdf", ".sd"), _read_file, _OPTIONS))
