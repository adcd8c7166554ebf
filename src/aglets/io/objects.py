"""Lists of SMILES, molecules or another library's graphs, where nothing has to be guessed.

A list of SMILES or RDKit molecules is read with the default features, and graphs of networkx and
igraph are read if they carry nothing but "label" and "attributes", or none of these. With the
`recipe` of other graphs, they are read as those were.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from aglets.graphs import GraphSet
from aglets.graphs.checks import listing
from aglets.io._keyed import ATTRIBUTES, LABEL
from aglets.io._molecule_reader import is_gap
from aglets.io._molecule_sets import Item, identified, note_imputed, read_rows
from aglets.io._molecules import MoleculeFeatures
from aglets.io.failures import Failure, note_unpredicted, summary
from aglets.io.pyg import columns_of

__all__ = ["read_objects", "read_readable"]

#: Library of the graphs -> reader to call.
_READERS = {
    "str": "from_smiles",
    "rdkit": "from_rdkit",
    "networkx": "from_networkx",
    "igraph": "from_igraph",
    "torch_geometric": "from_pyg",
    "grakel": "from_grakel",
}


#: Kinds of molecules, and what stands for one that is missing.
MOLECULES = ("str", "rdkit")
GAP = "gap"


def read_objects(items: Sequence[Any], recipe: str | None = None) -> GraphSet:
    """Read a list of foreign graphs, or say which reader to call.

    Parameters
    ----------
    items : sequence
        All of one kind.
    recipe : str, optional
        How graphs like these were read before.
    """
    kind = _common_kind(items)
    known = {} if recipe is None else json.loads(recipe)
    if kind in MOLECULES:
        graphs, failures = _molecules(items, kind, known)
        if failures:
            reader = _READERS[kind]
            raise ValueError(
                f"Could not read {len(failures)} of {len(items)} molecules: {summary(failures)}; "
                f"leave them out first: graphs = GraphSet.{reader}(molecules, errors='skip'), with "
                "y[graphs.rows]."
            )
        return graphs
    if kind in ("networkx", "igraph"):
        keys: Any = known.get("keys") or _plain_keys(items, kind)
        read_graphs = GraphSet.from_networkx if kind == "networkx" else GraphSet.from_igraph
        return read_graphs(items, **keys)
    if kind == "torch_geometric":
        columns: Any = columns_of(known["pyg"]) if "pyg" in known else None
        if columns is not None or all(_is_bare(item) for item in items):
            return GraphSet.from_pyg(items, **(columns or {}))
    raise TypeError(
        f"Graphs of {kind} do not distinguish labels from attributes; say which is which with "
        f"GraphSet.{_READERS[kind]}(graphs, ...)."
    )


def read_readable(items: Sequence[Any], recipe: str | None = None) -> tuple[GraphSet, bool]:
    """Read a list of foreign graphs, and leave out molecules that cannot be read with a warning.

    Returns
    -------
    graphs : GraphSet
        Its ``rows`` are those of the list.
    complete : bool
        Whether all could be read.
    """
    known = {} if recipe is None else json.loads(recipe)
    kind = "str" if "molecule" in known and all(map(is_gap, items)) else _common_kind(items)
    if kind not in MOLECULES:
        return read_objects(items, recipe), True
    graphs, failures = _molecules(items, kind, known)
    note_unpredicted(failures, len(items))
    return graphs, not failures


def _molecules(
    items: Sequence[Any], kind: str, known: dict[str, Any]
) -> tuple[GraphSet, list[Failure]]:
    """Read what can be read, as molecules were read before."""
    rows = [Item(row, None, item) for row, item in enumerate(items)]
    features = MoleculeFeatures.of(**known.get("molecule", {}))
    batch = read_rows(rows, features, kind="smiles" if kind == "str" else "mol")
    note_imputed(batch.imputed, len(rows))
    smiles = [str(item) for item in items] if kind == "str" else []
    return identified(batch.graphs, smiles=smiles), batch.failures


def _common_kind(items: Sequence[Any]) -> str:
    """Return what all entries are; a list of molecules may have gaps."""
    kinds = [_kind(item) for item in items]
    first = next((kind for kind in kinds if kind not in (None, GAP)), None)
    allowed = (first, GAP) if first in MOLECULES else (first,)
    faults = [
        f"{type(item).__name__} at position {i}"
        for i, (item, kind) in enumerate(zip(items, kinds, strict=True))
        if kind is None or kind not in allowed
    ]
    if faults:
        raise TypeError(
            f"Expected a GraphSet or a list of Graph, got {listing(faults)}; build a set with "
            "GraphSet.from_lists or another reader, and put graphs of one kind in a list."
        )
    assert first is not None
    return first


def _kind(item: Any) -> str | None:
    if isinstance(item, str):
        return "str"
    if is_gap(item):
        return GAP
    libraries = [kind.__module__.split(".")[0] for kind in type(item).__mro__]
    return next((library for library in libraries if library in _READERS), None)


def _is_bare(data: Any) -> bool:
    return data.x is None and data.edge_attr is None


def _plain_keys(graphs: Sequence[Any], library: str) -> dict[str, Any]:
    """Return the keys of graphs that carry only labels and attributes under those names."""
    node_keys: set[str] = set()
    edge_keys: set[str] = set()
    for graph in graphs:
        if library == "networkx":
            node_keys.update(*(data for _, data in graph.nodes(data=True)))
            edge_keys.update(*(data for _, _, data in graph.edges(data=True)))
        else:
            node_keys.update(graph.vs.attributes())
            edge_keys.update(graph.es.attributes())
    plain = {LABEL, ATTRIBUTES}
    if node_keys - plain or edge_keys - plain:
        raise TypeError(
            f"Nodes of these {library} graphs carry {_listed(node_keys)} and edges carry "
            f"{_listed(edge_keys)}; say which is the label and which are attributes with "
            f"GraphSet.{_READERS[library]}(graphs, label=..., attributes=[...])."
        )
    return {
        "label": LABEL if LABEL in node_keys else None,
        "attributes": ATTRIBUTES if ATTRIBUTES in node_keys else None,
        "edge_label": LABEL if LABEL in edge_keys else None,
        "edge_attributes": ATTRIBUTES if ATTRIBUTES in edge_keys else None,
    }


def _listed(keys: Iterable[str]) -> str:
    named = [repr(key) for key in sorted(map(str, keys))]
    return listing(named, limit=10) if named else "nothing"
