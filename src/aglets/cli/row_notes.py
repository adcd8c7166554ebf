"""What is to be said of the rows of a run as a whole: once, however many batches there are."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from aglets.drawing.text import visible

if TYPE_CHECKING:
    from aglets.graphs import GraphSet
    from aglets.io.failures import Failure
    from aglets.preprocessing.input_spec import InputSpec

__all__ = ["RowNotes"]

#: Rows that a sentence lists.
MAX_ROWS = 5


@dataclass
class RowNotes:
    """Rows that could not be read, have imputed attributes, unknown labels, or no graphlet.

    Parameters
    ----------
    n_rows : int
    failures : list of Failure
    imputed : list of int
        Rows with a property of atoms that is not defined.
    nodes, edges : dict
        Labels that the model never saw, with the first row that has each.
    bare : list of int
        Rows in which no graphlet of the model occurs.
    """

    n_rows: int = 0
    failures: list[Failure] = field(default_factory=list)
    imputed: list[int] = field(default_factory=list)
    nodes: dict[Hashable, int] = field(default_factory=dict)
    edges: dict[Hashable, int] = field(default_factory=dict)
    bare: list[int] = field(default_factory=list)

    def add(self, other: RowNotes) -> None:
        """Take in the notes of later rows."""
        self.n_rows += other.n_rows
        self.failures += other.failures
        self.imputed += other.imputed
        self.nodes = {**other.nodes, **self.nodes}
        self.edges = {**other.edges, **self.edges}
        self.bare += other.bare

    def note_labels(self, spec: InputSpec, graphs: GraphSet, rows: Sequence[int]) -> None:
        """Note labels of graphs, which are those of these rows, that the model never saw."""
        found = spec.unknown_labels(graphs)
        self.nodes |= _in_rows(found.nodes, rows)
        self.edges |= _in_rows(found.edges, rows)

    def sentences(self) -> list[str]:
        """Say it all, a sentence each."""
        from aglets.io.failures import imputed_text, summary
        from aglets.preprocessing.input_spec import UnknownLabels

        said = []
        if self.failures:
            said.append(
                f"{len(self.failures)} of {self.n_rows} rows could not be read: "
                f"{summary(self.failures)}."
            )
        if self.imputed:
            said.append(imputed_text(self.imputed, self.n_rows))
        found = (dict(sorted(part.items(), key=itemgetter(1))) for part in (self.nodes, self.edges))
        said += UnknownLabels(*found).sentences("row")
        if self.bare:
            said.append(
                f"No graphlet of the model occurs in {len(self.bare)} of {self.n_rows} rows "
                f"({_listed(self.bare)}): the prediction there is the intercept alone."
            )
        return [visible(text) for text in said]


def _in_rows(found: Mapping[Any, int], rows: Sequence[int]) -> dict[Any, int]:
    return {value: rows[graph] for value, graph in found.items()}


def _listed(rows: Sequence[int]) -> str:
    """List the first rows."""
    more = ", ..." if len(rows) > MAX_ROWS else ""
    return f"row{'s'[len(rows) == 1 :]} {', '.join(map(str, rows[:MAX_ROWS]))}{more}"
