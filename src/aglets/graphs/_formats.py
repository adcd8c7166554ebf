"""The doors of `GraphSet` to readers, writers and views, which lie in layers above it.

`GraphSet.from_smiles` is the function `aglets.io.smiles.from_smiles`; its module is imported when
the name is first used, so that a user of one format never loads another. This is the only module
that names layers above its own.
"""

from __future__ import annotations

from importlib import import_module
from types import MethodType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aglets.graphs.graph_set import GraphSet

__all__ = ["Formats", "read_objects", "read_readable"]


class _Door:
    """Stands for a function elsewhere: a reader as a static method, else a method."""

    def __init__(self, module: str, function: str) -> None:
        self.module = module
        self.function = function

    def __get__(self, instance: object, owner: type) -> Any:
        function = getattr(import_module(self.module), self.function)
        is_reader = self.function.startswith("from_")
        return function if instance is None or is_reader else MethodType(function, instance)


if TYPE_CHECKING:
    from aglets.graphs.describe import describe as _describe
    from aglets.graphs.geometry import with_edge_lengths as _with_edge_lengths
    from aglets.io import (
        grakel,
        gspan,
        igraph,
        networkx,
        node_link,
        pyg,
        rdkit,
        sdf,
        smiles,
        table,
        tu,
    )

    class Formats:
        """Readers and writers, as type checkers see them."""

        describe = _describe
        from_grakel = staticmethod(grakel.from_grakel)
        from_gspan = staticmethod(gspan.from_gspan)
        from_igraph = staticmethod(igraph.from_igraph)
        from_json = staticmethod(node_link.from_json)
        from_networkx = staticmethod(networkx.from_networkx)
        from_pyg = staticmethod(pyg.from_pyg)
        from_rdkit = staticmethod(rdkit.from_rdkit)
        from_sdf = staticmethod(sdf.from_sdf)
        from_smiles = staticmethod(smiles.from_smiles)
        from_table = staticmethod(table.from_table)
        from_tu = staticmethod(tu.read_tu)
        to_grakel = grakel.to_grakel
        to_gspan = gspan.to_gspan
        to_igraph = igraph.to_igraph
        to_json = node_link.to_json
        to_networkx = networkx.to_networkx
        to_pyg = pyg.to_pyg
        to_tu = tu.to_tu
        with_edge_lengths = _with_edge_lengths
else:

    class Formats:
        """Readers and writers, each imported when first used."""

        describe = _Door("aglets.graphs.describe", "describe")
        from_grakel = _Door("aglets.io.grakel", "from_grakel")
        from_gspan = _Door("aglets.io.gspan", "from_gspan")
        from_igraph = _Door("aglets.io.igraph", "from_igraph")
        from_json = _Door("aglets.io.node_link", "from_json")
        from_networkx = _Door("aglets.io.networkx", "from_networkx")
        from_pyg = _Door("aglets.io.pyg", "from_pyg")
        from_rdkit = _Door("aglets.io.rdkit", "from_rdkit")
        from_sdf = _Door("aglets.io.sdf", "from_sdf")
        from_smiles = _Door("aglets.io.smiles", "from_smiles")
        from_table = _Door("aglets.io.table", "from_table")
        from_tu = _Door("aglets.io.tu", "from_tu")
        to_grakel = _Door("aglets.io.grakel", "to_grakel")
        to_gspan = _Door("aglets.io.gspan", "to_gspan")
        to_igraph = _Door("aglets.io.igraph", "to_igraph")
        to_json = _Door("aglets.io.node_link", "to_json")
        to_networkx = _Door("aglets.io.networkx", "to_networkx")
        to_pyg = _Door("aglets.io.pyg", "to_pyg")
        to_tu = _Door("aglets.io.tu", "to_tu")
        with_edge_lengths = _Door("aglets.graphs.geometry", "with_edge_lengths")


def read_objects(items: Any, recipe: str | None = None) -> GraphSet:
    """Read a list of another library's graphs, or of SMILES, where nothing need be guessed."""
    read: Any = import_module("aglets.io.objects").read_objects
    graphs: GraphSet = read(items, recipe)
    return graphs


def read_readable(items: Any, recipe: str | None = None) -> tuple[GraphSet, bool]:
    """Read a list as `read_objects` does, but leave out molecules that cannot be read.

    The second is whether there were none of them; else the graphs know their rows.
    """
    read: Any = import_module("aglets.io.objects").read_readable
    found: tuple[GraphSet, bool] = read(items, recipe)
    return found
