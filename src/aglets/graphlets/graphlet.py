"""Attributed graphlets, and how well graphs contain them.

A `Graphlet` is a small connected labelled graph with a vector of attributes per node. Its score in
a graph, AGIS, is psi = exp(-rho D), where D is the minimum sum of squared attribute distances over
all injections of its nodes into the graph's that keep labels and edges, and psi = 0 if there is
none. Injections are not induced: the graph may have further edges between the matched nodes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from aglets import _core
from aglets.drawing import html
from aglets.graphlets.atom_labels import label_options
from aglets.graphlets.example import Example
from aglets.graphlets.groups import group_name
from aglets.graphlets.names import pattern_name, unique_names
from aglets.graphlets.pictures import Drawable
from aglets.graphlets.residue import without_residue
from aglets.graphlets.smarts import pattern_smarts, short_smarts
from aglets.graphlets.words import bond_orders, node_words
from aglets.graphs import Graph, GraphSet
from aglets.graphs.arrays import Codes, Floats
from aglets.graphs.geometry import position_columns, says_more_than_degree

__all__ = ["COUNT_SCALES", "POOLINGS", "Graphlet", "core_pattern", "flat_attributes"]

#: How scores at the images of a graphlet's root become one number per graph, see `agis`.
POOLINGS = ("best", "sum", "mean")

#: The label of all nodes where a source has no labels.
UNLABELLED = (0, "", None)

#: What may be taken of a sum or mean of places.
COUNT_SCALES = ("raw", "sqrt")

#: Sets of a graphlet's nodes are machine words in the core.
LARGEST_GRAPHLET = 64


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Graphlet(Drawable):
    """A connected labelled graph with attributes per node, and its weight in a model.

    Parameters
    ----------
    labels : sequence of hashable
        The label of every node.
    edges : array-like of shape (n_edges, 2)
        Pairs of node positions.
    attributes : array-like of shape (n_nodes, n_attributes), optional
    edge_labels : sequence of hashable, optional
        In the order of `edges`.
    edge_attributes : array-like of shape (n_edges, n_edge_attributes), optional
        In the order of `edges`.
    coef : float, optional
        beta, the graphlet's weight in a model.
    pooling : {"best", "sum", "mean"}
        Whether the graphlet asks how well it occurs once, in how many places, or in how many per
        node: see `agis`. Places are counted at its first node, the root.
    count_scale : {"raw", "sqrt"}
        Whether a sum or mean is taken as it is, or its square root: twice as many places then add
        less than twice as much. It plays no part for "best".
    attribute_names : sequence of str, optional
    recipe : str, optional
        How a reader made labels and attributes, as in ``GraphSet.recipe``: graphlets of molecules
        have names of functional groups, SMARTS, and attributes in words.
    example : Example, optional
        The training molecule that it fits best, in which it is drawn; no part of what it is.

    Examples
    --------
    >>> Graphlet(labels=["C", "O"], edges=[(0, 1)], attributes=[[0.1], [0.9]])
    Graphlet(C-O)
    >>> Graphlet(labels=["C", "F"], edges=[(0, 1)], pooling="sum")
    Graphlet(C-F, pooling='sum')
    """

    labels: tuple[Hashable, ...]
    edges: Codes
    attributes: Floats
    edge_labels: tuple[Hashable, ...] | None
    edge_attributes: Floats | None
    coef: float | None
    pooling: str
    count_scale: str
    attribute_names: tuple[str, ...] | None
    recipe: str | None
    example: Example | None

    def __init__(
        self,
        labels: Sequence[Hashable],
        edges: npt.ArrayLike,
        attributes: npt.ArrayLike | None = None,
        edge_labels: Sequence[Hashable] | None = None,
        edge_attributes: npt.ArrayLike | None = None,
        coef: float | None = None,
        pooling: str = "best",
        count_scale: str = "raw",
        attribute_names: Sequence[str] | None = None,
        recipe: str | None = None,
        example: Example | None = None,
    ) -> None:
        labels = tuple(labels)
        for label in labels:
            if not isinstance(label, Hashable):
                raise TypeError(
                    f"Labels must be hashable (numbers, strings, tuples), but a graphlet has "
                    f"{label!r} ({type(label).__name__})."
                )
        pairs = _edge_array(edges)
        rows = _rows(attributes, len(labels), "attributes", "node")
        edge_rows = (
            None
            if edge_attributes is None
            else _rows(edge_attributes, len(pairs), "edge_attributes", "edge")
        )
        if edge_labels is not None and len(edge_labels) != len(pairs):
            raise ValueError(
                f"Expected one edge label per edge of the graphlet, that is {len(pairs)}. "
                f"Got {len(edge_labels)} instead."
            )
        _check_structure(len(labels), pairs)
        if pooling not in POOLINGS:
            raise ValueError(
                "The 'pooling' of a graphlet must be 'best', 'sum' or 'mean'. "
                f"Got {pooling!r} instead."
            )
        if count_scale not in COUNT_SCALES:
            raise ValueError(
                "The 'count_scale' of a graphlet must be 'raw' or 'sqrt'. "
                f"Got {count_scale!r} instead."
            )
        for name, value in {
            "labels": labels,
            "edges": pairs,
            "attributes": rows,
            "edge_labels": None if edge_labels is None else tuple(edge_labels),
            "edge_attributes": edge_rows,
            "coef": None if coef is None else float(coef),
            "pooling": str(pooling),
            "count_scale": "raw" if pooling == "best" else str(count_scale),
            "attribute_names": None if attribute_names is None else tuple(attribute_names),
            "recipe": recipe,
            "example": example,
        }.items():
            object.__setattr__(self, name, value)

    @property
    def structure_key(self) -> tuple[Hashable, ...]:
        """Equal for graphlets with the same labels and edges, whatever their attributes are."""
        return (self.labels, self.edges.tobytes(), self.edge_labels)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.labels)

    @cached_property
    def pattern(self) -> Graph:
        """The labelled graph without its attributes: L(H) in the paper."""
        return Graph(self.labels, self.edges, edge_labels=self.edge_labels)

    @cached_property
    def name(self) -> str:
        """A short name: for molecules a functional group or SMARTS, else labels and edges.

        A functional group is named only if nearly all matches of the graphlet's labels and bonds
        are one ("amide"), lie in one ("... (in amide)") or have one in them ("... (with amide)");
        `aglets.graphlets.groups` says how that is known. Atoms without a charge are written
        without "+0", which `to_smarts` needs.

        Examples
        --------
        >>> Graphlet(labels="CCO", edges=[(0, 1), (1, 2), (0, 2)]).name
        'C1-C-O-1'
        >>> Graphlet(labels="CNO", edges=[(0, 1), (0, 2)]).name
        'C(-N)-O'
        >>> molecule = '{"molecule": {"label_with": []}}'
        >>> bonds = {"edges": [(0, 1), (0, 2)], "edge_labels": "-=", "recipe": molecule}
        >>> Graphlet(labels="CNO", **bonds).name, Graphlet(labels="CSS", **bonds).name
        ('amide', 'C(-S)=S (with thiocarbonyl)')
        """
        smarts = self.smarts
        if smarts is None:
            return pattern_name(self.labels, self.edges, self.edge_labels)
        short = short_smarts(smarts)
        try:
            group = group_name(smarts, hydrogens='"hydrogens": true' in (self.recipe or ""))
        except ImportError:  # without RDKit, SMARTS are as good a name as there is
            return short
        if group is None:
            return short
        return group.name if group.relation == "is" else f"{short} ({group.relation} {group.name})"

    def to_smarts(self) -> str:
        """Write labels and bonds as SMARTS whose matches are those of the graphlet.

        Attributes are not part of it: SMARTS say where psi is more than 0, not how large it is.
        For molecules that were read with ``hydrogens=True``, add them before matching
        (``Chem.AddHs``).

        Examples
        --------
        >>> Graphlet(labels="CNO", edges=[(0, 1), (0, 2)], edge_labels="-=").to_smarts()
        '[#6](-[#7])=[#8]'
        """
        return pattern_smarts(self.labels, self.edges, self.edge_labels, self.recipe)

    @property
    def is_labelled(self) -> bool:
        """Whether labels say anything: not if they are those of graphs without labels."""
        return any(label not in UNLABELLED for label in self.labels)

    @property
    def positions(self) -> Floats | None:
        """Where its nodes are, if its attributes are places in the plane; else None."""
        columns = position_columns(
            self.attribute_names,
            self.attributes.shape[1],
            labelled=self.is_labelled and says_more_than_degree(self.labels),
        )
        if columns is None or self.n_nodes < 2:
            return None
        return self.attributes[:, list(columns)]

    @property
    def node_words(self) -> list[str] | None:
        """Labels and attributes of each node in words; None unless it is of molecules.

        Examples
        --------
        >>> Graphlet(labels=["N"], edges=[], attributes=[[1.96]], attribute_names=["n_hydrogens"],
        ...     recipe='{"molecule": {"label_with": []}}').node_words
        ['NH₂']
        """
        orders = bond_orders(self.n_nodes, self.edges, self.edge_labels)
        return node_words(self.labels, self.attributes, self.attribute_names, self.recipe, orders)

    @property
    def unit(self) -> str | None:
        """What the coefficient of a graphlet that counts is multiplied with; None for "best".

        Examples
        --------
        >>> Graphlet(labels="CF", edges=[(0, 1)], pooling="sum").unit
        'per C'
        >>> Graphlet(labels="CF", edges=[(0, 1)], pooling="mean", count_scale="sqrt").unit
        'by the square root of its count per node'
        """
        if self.pooling == "best":
            return None
        if self.count_scale == "sqrt":
            return "by the square root of its count" + " per node" * (self.pooling == "mean")
        words = node_words(self.labels[:1], self.attributes[:1, :0], (), self.recipe)
        counted = str(self.labels[0]) if words is None else words[0]
        return f"per {counted}" + " / nodes" * (self.pooling == "mean")

    @cached_property
    def smarts(self) -> str | None:
        """The SMARTS of a graphlet of molecules; None for other graphs and for stereo labels."""
        if label_options(self.recipe) is None:
            return None
        try:
            return self.to_smarts()
        except ValueError:  # stereo labels, bonds of metals
            return None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graphlet):
            return NotImplemented
        same_edges = (self.edge_attributes is None) == (other.edge_attributes is None)
        return (
            self.labels == other.labels
            and self.edge_labels == other.edge_labels
            and self.coef == other.coef
            and self.pooling == other.pooling
            and self.count_scale == other.count_scale
            and np.array_equal(self.edges, other.edges)
            and np.array_equal(self.attributes, other.attributes)
            and same_edges
            and (
                self.edge_attributes is None
                or np.array_equal(self.edge_attributes, other.edge_attributes)  # type: ignore[arg-type]
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        weight = "" if self.coef is None else f", coef={self.coef:+.4g}"
        pooling = "" if self.pooling == "best" else f", pooling={self.pooling!r}"
        pooling += "" if self.count_scale == "raw" else f", count_scale={self.count_scale!r}"
        return f"Graphlet({self.name}{weight}{pooling})"

    def _repr_html_(self) -> str:
        from aglets.graphlets.drawings import graphlet_svg

        picture = graphlet_svg(self)
        edges = self.edge_attributes
        shown = replace(
            self,
            attributes=without_residue(self.attributes),
            edge_attributes=None if edges is None else without_residue(edges),
        )
        return picture + html.graph_page(shown)


def graphlet_names(graphlets: Sequence[Graphlet]) -> list[str]:
    """Name several graphlets so that no two names are the same.

    Examples
    --------
    >>> graphlet_names([Graphlet(labels="C", edges=[]), Graphlet(labels="C", edges=[])])
    ['C', 'C (2)']
    """
    return unique_names(
        [graphlet.name for graphlet in graphlets],
        [graphlet.smarts or graphlet.name for graphlet in graphlets],
    )


def core_pattern(graphlet: Graphlet, graphs: GraphSet) -> _core.Pattern:
    """Write the graphlet's labels as codes of these graphs; labels they lack match nothing."""
    code = {value: i for i, value in enumerate(graphs.vocabulary)}
    labels = np.array([code.get(label, -1) for label in graphlet.labels], dtype=np.int32)
    edge_labels = np.zeros(len(graphlet.edges), dtype=np.int32)
    if graphs.edge_vocabulary is not None and graphlet.edge_labels is not None:
        code = {value: i for i, value in enumerate(graphs.edge_vocabulary)}
        # -2, not -1: an unknown label of the graphlet must not meet an unknown one of the graph.
        edge_labels[:] = [code.get(label, -2) for label in graphlet.edge_labels]
    return _core.Pattern(labels, graphlet.edges, edge_labels)


def flat_attributes(graphlet: Graphlet, graphs: GraphSet) -> Floats:
    """Node attributes row by row, then edge attributes row by row."""
    parts = [graphlet.attributes.ravel()]
    if graphs.n_edge_attributes and graphlet.edge_attributes is not None:
        parts.append(graphlet.edge_attributes.ravel())
    return np.concatenate(parts)


def _edge_array(edges: npt.ArrayLike) -> Codes:
    numbers = np.asarray(edges)
    array = numbers.astype(np.int32)
    if array.size == 0:
        return np.empty((0, 2), dtype=np.int32)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(
            f"Expected the edges of a graphlet as pairs of node positions. Got shape {array.shape}."
        )
    if numbers.dtype.kind not in "iu":
        raise TypeError(
            f"Expected the edges of a graphlet as whole numbers, got {numbers.dtype} numbers."
        )
    return array


def _rows(rows: npt.ArrayLike | None, count: int, name: str, owner: str) -> Floats:
    if rows is None:
        return np.empty((count, 0))
    array = np.array(rows, dtype=np.float64)
    if array.ndim == 1 and array.size == 0:
        array = array.reshape(count, 0)
    if array.ndim != 2 or len(array) != count:
        raise ValueError(
            f"Expected {name} of a graphlet with one row per {owner}, that is {count}. "
            f"Got shape {array.shape}."
        )
    if not np.isfinite(array).all():
        raise ValueError(f"The {name} of a graphlet must be finite, but some are NaN or infinite.")
    return array


def _check_structure(n_nodes: int, edges: Codes) -> None:
    if not 1 <= n_nodes <= LARGEST_GRAPHLET:
        raise ValueError(
            f"A graphlet must have from 1 to {LARGEST_GRAPHLET} nodes. Got {n_nodes} instead."
        )
    for u, v in edges.tolist():
        if not (0 <= u < n_nodes and 0 <= v < n_nodes):
            raise ValueError(
                f"Edge ({u}, {v}) of a graphlet names a node that is not there: its {n_nodes} "
                f"nodes are 0 to {n_nodes - 1}."
            )
        if u == v:
            raise ValueError(f"Edge ({u}, {v}) of a graphlet is a loop; graphlets have none.")
    pairs = [tuple(sorted(pair)) for pair in edges.tolist()]
    if len(set(pairs)) < len(pairs):
        repeated = next(pair for pair in pairs if pairs.count(pair) > 1)
        raise ValueError(f"Edge {repeated} of a graphlet came twice; give each edge once.")
    _core.Pattern(np.zeros(n_nodes, dtype=np.int32), edges, np.zeros(len(edges), dtype=np.int32))
