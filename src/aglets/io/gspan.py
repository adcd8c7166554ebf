"""gSpan's text format, in both directions.

``t # 0`` begins graph 0, ``v 0 C`` is its node 0 with label C, ``e 0 1 2`` an edge of nodes 0 and 1
with label 2. Labels are whole numbers or words. Two additions that other programs skip: numbers
behind a label are attributes, and a word behind the graph's number is its class or target. A first
line ``# aglets {...}``, written by `to_gspan`, holds names and what the text alone cannot.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, overload

from aglets.graphs import GraphSet
from aglets.graphs.checks import Vocabulary, listing
from aglets.io._opening import opened_text, parse_json, saying_where
from aglets.io._targets import Targets, check_target_count, parsed, target_array
from aglets.io.registry import Format, ReadOptions, register_format
from aglets.writing import write_text

__all__ = ["from_gspan", "to_gspan"]

PathLike = str | os.PathLike[str]
HEADER = "# aglets "
NAMES = ("attribute_names", "edge_attribute_names")


@overload
def from_gspan(
    path: PathLike, *, edge_labels: bool = ..., target: Literal[False] = ...
) -> GraphSet: ...
@overload
def from_gspan(
    path: PathLike, *, edge_labels: bool = ..., target: Literal[True]
) -> tuple[GraphSet, Targets]: ...
def from_gspan(
    path: PathLike, *, edge_labels: bool = True, target: bool = False
) -> GraphSet | tuple[GraphSet, Targets]:
    r"""Read graphs from a file in gSpan's format.

    Parameters
    ----------
    path : path
    edge_labels : bool
        False leaves edges without labels.
    target : bool
        Whether to read the word behind every graph's number, as in ``t # 0 active``.

    Returns
    -------
    graphs : GraphSet
        Labels are ints if all of them are whole numbers, else strings.
    y : ndarray of shape (n_graphs,)
        Only if asked for.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from aglets import GraphSet
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "water.gspan")
    ...     _ = path.write_text("t # 0\nv 0 O\nv 1 H\nv 2 H\ne 0 1 1\ne 0 2 1\nt # -1\n")
    ...     graphs = GraphSet.from_gspan(path)
    >>> graphs[0].labels, graphs[0].edge_labels
    (['O', 'H', 'H'], [1, 1])
    """
    path = Path(path)
    texts, header = _parse(path)
    with saying_where(path):
        graphs = _graph_set(texts, header, edge_labels=edge_labels)
    if not target:
        return graphs
    lacking = [f"graph {i}" for i, graph in enumerate(texts) if graph.target is None]
    if lacking:
        raise ValueError(
            f"Expected a class or target behind every graph's number, as in 't # 0 1', but not so "
            f"in {listing(lacking)} of {path.name}."
        )
    return graphs, target_array([parsed(str(graph.target)) for graph in texts], path.name)


def _graph_set(texts: list[_Text], header: dict[str, Any], *, edge_labels: bool) -> GraphSet:
    no_edge_labels = not edge_labels or header.get("edge_labels") is False
    return GraphSet.from_lists(
        labels=_typed([graph.labels for graph in texts], header.get("label_type")),
        edges=[graph.edges for graph in texts],
        attributes=[graph.rows for graph in texts] if _any_rows(g.rows for g in texts) else None,
        edge_labels=(
            None
            if no_edge_labels
            else _typed([graph.edge_labels for graph in texts], header.get("edge_label_type"))
        ),
        edge_attributes=(
            [graph.edge_rows for graph in texts] if _any_rows(g.edge_rows for g in texts) else None
        ),
        attribute_names=header.get("attribute_names"),
        edge_attribute_names=header.get("edge_attribute_names"),
    )


@dataclass
class _Text:
    """One graph as it stands in the file."""

    target: str | None
    labels: list[str] = field(default_factory=list)
    rows: list[list[float]] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    edge_labels: list[str] = field(default_factory=list)
    edge_rows: list[list[float]] = field(default_factory=list)

    def add(self, words: list[str]) -> str | None:
        """Take a line of a node or an edge; return what is wrong with it, if anything."""
        try:
            if words[0] == "v":
                if int(words[1]) != len(self.labels):
                    return f"expected node {len(self.labels)}, got node {words[1]}"
                self.labels.append(words[2])
                self.rows.append([float(word) for word in words[3:]])
            else:
                pair = (int(words[1]), int(words[2]))
                if not all(0 <= end < len(self.labels) for end in pair):
                    return f"expected an edge of nodes listed before it, got {' '.join(words)!r}"
                self.edges.append(pair)
                self.edge_labels.append(words[3] if len(words) > 3 else "0")
                self.edge_rows.append([float(word) for word in words[4:]])
        except (ValueError, IndexError):
            form = "'v NUMBER LABEL'" if words[0] == "v" else "'e NUMBER NUMBER LABEL'"
            return f"expected {form}, got {' '.join(words)!r}"
        return None


def _parse(path: Path) -> tuple[list[_Text], dict[str, Any]]:
    graphs: list[_Text] = []
    header: dict[str, Any] = {}
    faults = []
    with opened_text(path) as lines:
        for number, line in enumerate(lines, 1):
            if line.startswith(HEADER):
                header = _header(line, path)
                continue
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            fault = None
            if words[0] == "t":
                if words[2:] == ["-1"]:  # how many programs mark the end
                    break
                graphs.append(_Text(words[3] if len(words) > 3 else None))
            elif words[0] not in ("v", "e"):
                fault = f"expected a line that begins with t, v or e, got {line.strip()!r}"
            elif not graphs:
                fault = "expected 't # 0' before the first node"
            else:
                fault = graphs[-1].add(words)
            if fault:
                faults.append(f"{fault} in line {number}")
    if faults:
        raise ValueError(f"In {path.name}, {listing(faults)}; correct the file.")
    if not graphs:
        raise ValueError(f"Expected graphs in {path.name}, but no line begins with 't'.")
    return graphs, header


def _header(line: str, path: Path) -> dict[str, Any]:
    header = parse_json(line.removeprefix(HEADER), f"the line '# aglets' of {path.name}")
    names = [header.get(key) for key in NAMES] if isinstance(header, dict) else [0]
    if not all(value is None or _all_strings(value) for value in names):
        raise ValueError(
            f"Expected names of attributes behind '# aglets' in {path.name}, got "
            f"{line.strip()[:200]!r}; write the file again, or delete the line."
        )
    return dict(header)


def _all_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _typed(lists: list[list[str]], kind: str | None) -> list[list[Any]]:
    """Return labels as ints if all are whole numbers, unless the header says they are words."""
    if kind == "str":
        return lists
    try:
        return [[_whole(text) for text in labels] for labels in lists]
    except ValueError:
        return lists


def _whole(text: str) -> int:
    whole = int(text)
    if str(whole) != text:  # 3 and 03 are different labels
        raise ValueError("a word")
    return whole


def _any_rows(lists: Iterator[list[list[float]]]) -> bool:
    return any(row for rows in lists for row in rows)


def to_gspan(graphs: GraphSet, path: PathLike, *, y: Sequence[Any] | Targets | None = None) -> None:
    r"""Write graphs in gSpan's format, with attributes behind the labels.

    Parameters
    ----------
    graphs : GraphSet
        Labels must all be whole numbers, or all words without blanks.
    path : path
    y : sequence of shape (n_graphs,), optional
        Written behind the number of each graph.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from aglets import GraphSet
    >>> graphs = GraphSet.from_lists(labels=["CO"], edges=[[(0, 1)]])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "one.gspan")
    ...     graphs.to_gspan(path)
    ...     path.read_text().splitlines()[1:]
    ['t # 0', 'v 0 C', 'v 1 O', 'e 0 1 0', 't # -1']
    """
    header = {
        "label_type": _label_type(graphs.vocabulary, "Labels"),
        "attribute_names": graphs.attribute_names,
        "edge_labels": graphs.edge_labels is not None,
        "edge_label_type": _label_type(graphs.edge_vocabulary or (0,), "Edge labels"),
        "edge_attribute_names": graphs.edge_attribute_names,
    }
    targets = None if y is None else check_target_count(y, len(graphs))
    if targets and any(
        not str(target) or str(target).split() != [str(target)] for target in targets
    ):
        raise ValueError("Expected every target to be one word or number, for gSpan text.")
    lines = [HEADER + json.dumps(header)]
    for i, graph in enumerate(graphs):
        lines.append(f"t # {i}" if targets is None else f"t # {i} {targets[i]}")
        for j, (label, row) in enumerate(zip(graph.labels, graph.attributes, strict=True)):
            lines.append(" ".join(["v", str(j), str(label), *map(repr, row.tolist())]))
        labels = graph.edge_labels or [0] * graph.n_edges
        rows: list[list[float]] = [[]] * graph.n_edges
        if graph.edge_attributes is not None:
            rows = graph.edge_attributes.tolist()
        for (u, v), label, row in zip(graph.edges.tolist(), labels, rows, strict=True):
            lines.append(" ".join(["e", str(u), str(v), str(label), *map(repr, row)]))
    lines.append("t # -1")
    write_text(path, "\n".join(lines) + "\n")


def _label_type(vocabulary: Vocabulary, what: str) -> str:
    kinds = {type(value) for value in vocabulary}
    if kinds <= {int}:
        return "int"
    blank = [repr(value) for value in vocabulary if len(str(value).split()) != 1]
    if kinds == {str} and not blank:
        return "str"
    odd = blank if kinds == {str} else [f"{v!r} ({type(v).__name__})" for v in vocabulary]
    raise ValueError(
        f"{what} in gSpan text must all be whole numbers, or all words without blanks, got "
        f"{listing(odd)}; use to_json, which keeps any label."
    )


def _read_file(path: Path, options: ReadOptions) -> GraphSet | tuple[GraphSet, Targets]:
    labelled = options.edge_labels is not False
    if options.target is None:
        return from_gspan(path, edge_labels=labelled)
    return from_gspan(path, edge_labels=labelled, target=True)


register_format(
    Format(
        "gspan",
        (".gspan",),
        _read_file,
        ("target", "edge_labels"),
        lambda graphs, path, y: to_gspan(graphs, path, y=y),
    )
)
