"""From many molecules to one set of graphs, on several processes if asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Codes
from aglets.graphs.checks import Vocabulary, offsets_of, vocabulary_of
from aglets.graphs.notes import note
from aglets.graphs.threads import n_threads
from aglets.io._molecule_reader import BONDS, Molecule, MoleculeReader
from aglets.io._molecules import MoleculeFeatures
from aglets.io.failures import Errors, Failure, check_errors, imputed_text, report

__all__ = [
    "Item",
    "MoleculeBatch",
    "identified",
    "note_imputed",
    "read_batch",
    "read_molecules",
    "read_rows",
]

#: Molecules per task of a process: enough that sending them costs little.
CHUNK = 1000


class Item(NamedTuple):
    """A row of the source (from 0), its line (from 1), and the molecule or what is wrong with it.

    `content` is SMILES, a record of an SDF file, or a molecule of RDKit.
    """

    row: int
    line: int | None
    content: Any
    fault: str | None = None


class MoleculeBatch(NamedTuple):
    """Graphs of some rows, the rows that could not be read, and those with imputed numbers."""

    graphs: GraphSet
    failures: list[Failure]
    imputed: list[int]


def read_molecules(
    items: Iterable[Item],
    features: MoleculeFeatures,
    errors: Errors,
    *,
    kind: str = "smiles",
    n_jobs: int | None = 1,
) -> GraphSet:
    """Read molecules, report what could not be read, and note what was not defined.

    Parameters
    ----------
    items : iterable of Item
    features : MoleculeFeatures
    errors : {"raise", "skip"}
    kind : {"smiles", "block", "mol"}
        What the items hold.
    n_jobs : int
        Number of processes; -1 for all cores.
    """
    check_errors(errors)
    listed = list(items)
    batch = read_rows(listed, features, kind=kind, n_jobs=n_jobs)
    report(batch.failures, len(listed), errors)
    note_imputed(batch.imputed, len(listed))
    return batch.graphs


def read_rows(
    items: Sequence[Item], features: MoleculeFeatures, *, kind: str, n_jobs: int | None = 1
) -> MoleculeBatch:
    """Read molecules, in several processes if asked for, and leave it to the caller to report."""
    chunks = [items[i : i + CHUNK] for i in range(0, len(items), CHUNK)]
    workers = min(n_threads(n_jobs), len(chunks))
    if workers > 1 and kind != "mol":
        from joblib import Parallel, delayed

        batches = Parallel(workers)(delayed(read_batch)(chunk, features, kind) for chunk in chunks)
    else:
        batches = [read_batch(chunk, features, kind) for chunk in chunks or [[]]]
    return MoleculeBatch(
        _joined([batch.graphs for batch in batches if len(batch.graphs)] or [batches[0].graphs]),
        [failure for batch in batches for failure in batch.failures],
        [row for batch in batches for row in batch.imputed],
    )


def identified(
    graphs: GraphSet,
    *,
    smiles: Sequence[str | None],
    ids: Sequence[str | None] = (),
    names: Sequence[str | None] = (),
) -> GraphSet:
    """Note what the source calls each graph; columns have one entry per row of the source."""
    assert graphs.rows is not None
    kept = graphs.rows.tolist()

    def taken(column: Sequence[str | None]) -> list[str | None] | None:
        return [column[row] for row in kept] if any(column) else None

    return graphs.with_identity(smiles=taken(smiles), ids=taken(ids), names=taken(names))


def _joined(parts: list[GraphSet]) -> GraphSet:
    if len(parts) == 1:
        return parts[0]
    rows = [part.rows for part in parts if part.rows is not None]
    whole = GraphSet.concatenate(parts)
    return replace(whole, rows=np.concatenate(rows), recipe=parts[0].recipe)


def read_batch(items: Sequence[Item], features: MoleculeFeatures, kind: str) -> MoleculeBatch:
    """Read molecules one after the other, in this process."""
    reader = MoleculeReader(features)
    read: Callable[[Any], Molecule | str] = {
        "smiles": reader.of_smiles,
        "block": reader.of_block,
        "mol": reader.of_mol,
    }[kind]
    molecules, rows, failures, imputed = [], [], [], []
    with reader.quiet():
        for item in items:
            molecule = read(item.content) if item.fault is None else item.fault
            if isinstance(molecule, str):
                failures.append(Failure(item.row, molecule, item.line))
                continue
            molecules.append(molecule)
            rows.append(item.row)
            if molecule.imputed:
                imputed.append(item.row)
    return MoleculeBatch(_graph_set(molecules, features, rows), failures, imputed)


def note_imputed(rows: Sequence[int], n_rows: int) -> None:
    """Warn once of properties that are not defined."""
    if rows:
        note(imputed_text(rows, n_rows))


def _graph_set(
    molecules: Sequence[Molecule], features: MoleculeFeatures, rows: Sequence[int]
) -> GraphSet:
    """Put molecules together; their edges are sorted and unique already."""
    names = features.attribute_names
    labels, vocabulary = _coded(list(chain.from_iterable(m.labels for m in molecules)))
    node_offsets = offsets_of(np.array([len(m.labels) for m in molecules], dtype=np.int64))
    columns = [
        np.fromiter(
            chain.from_iterable(m.columns[j] for m in molecules), np.float64, count=len(labels)
        )
        for j in range(len(names))
    ]
    edges = [np.empty((0, 2), dtype=np.int32), *(m.edges for m in molecules)]
    bonds = None
    if features.edge_labels:
        bonds = _coded(list(chain.from_iterable(_bond_labels(m.orders) for m in molecules)))
    graphs = GraphSet(
        node_offsets=node_offsets,
        labels=labels,
        vocabulary=vocabulary,
        attributes=np.stack(columns, axis=1) if columns else np.empty((len(labels), 0)),
        attribute_names=names if names and molecules else None,
        edge_offsets=offsets_of(np.array([len(m.edges) for m in molecules], dtype=np.int64)),
        edges=np.concatenate(edges),
        edge_labels=None if bonds is None else bonds[0],
        edge_vocabulary=None if bonds is None else bonds[1],
    )
    return replace(graphs, rows=np.array(rows, dtype=np.int64), recipe=features.recipe)


def _bond_labels(orders: npt.NDArray[np.float64] | list[str]) -> list[str]:
    return orders if isinstance(orders, list) else [BONDS[order] for order in orders.tolist()]


def _coded(labels: list[str]) -> tuple[Codes, Vocabulary]:
    vocabulary = vocabulary_of(set(labels))
    code = {value: i for i, value in enumerate(vocabulary)}
    return np.array([code[label] for label in labels], dtype=np.int32), vocabulary
