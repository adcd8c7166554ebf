"""Why one graph got its prediction: contributions of graphlets, and where each was matched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.drawing import html
from aglets.drawing.text import visible
from aglets.explain._global import is_molecule
from aglets.explain.covariates import CovariateContribution, contributions_of
from aglets.explain.importance import edge_rows, importances, matched_edges
from aglets.explain.places import Place, places_of
from aglets.explain.plain import (
    NO_GRAPHLETS,
    counted_name,
    graphlet_dict,
    json_text,
    label_text,
    names_of,
    short_name,
)
from aglets.explain.trust import Trust, trust_in
from aglets.graphlets import Graphlet
from aglets.graphlets.drawings import explained_svg
from aglets.graphlets.occurrences import Occurrence, occurrences
from aglets.graphlets.pictures import Drawable
from aglets.graphlets.scores import Places
from aglets.graphs.aligned import Aligned, as_aligned
from aglets.graphs.arrays import Floats
from aglets.graphs.graph_set import Graph
from aglets.model import LagraModel, Match
from aglets.model.target import Target

__all__ = ["Contribution", "LocalExplanation", "Switch", "explain_local"]


@dataclass(frozen=True, eq=False)
class Contribution:
    """What one graphlet adds to the decision for one graph.

    Parameters
    ----------
    index : int
        Position in ``model.graphlets``.
    graphlet : Graphlet
        In the user's units.
    coef : float
        beta, for the output that is explained.
    psi : float
        How well the graph contains the graphlet, from 0 to 1; of one that counts, the sum or mean
        over its places.
    contribution : float
        beta times psi.
    embedding : tuple of int, or None
        The graph's node for each node of the graphlet; None if its labelled structure does not
        occur.
    occurrences : tuple of Occurrence
        All distinct sets of nodes on which the labelled structure lies, each with its psi and its
        ``embedding``; the best, which `psi` and `embedding` are of, first.
    places : tuple of Place
        What `contribution` is made of, the best place first: all images of the graphlet's first
        node if it counts, else the best match alone.
    distance : float
        D, with psi = exp(-rho D): all that follows, summed. Infinite without an embedding.
    node_distances : ndarray of shape (n_nodes, n_attributes)
        Squared distance of each attribute at each matched node, in the units that are compared.
    edge_distances : ndarray of shape (n_edges, n_edge_attributes)
    differences : ndarray of shape (n_nodes, n_attributes)
        The graph's attribute minus the graphlet's, in the user's units.
    """

    index: int
    graphlet: Graphlet
    coef: float
    psi: float
    contribution: float
    embedding: tuple[int, ...] | None
    occurrences: tuple[Occurrence, ...]
    places: tuple[Place, ...]
    distance: float
    node_distances: Floats
    edge_distances: Floats
    differences: Floats

    def __repr__(self) -> str:
        name = counted_name(self.graphlet)
        return f"Contribution({name}, {_value(self)}, {self.contribution:+.4g})"

    def to_dict(self) -> dict[str, Any]:
        """Write it as plain data."""
        return {
            "index": self.index,
            "graphlet": graphlet_dict(self.graphlet),
            "coef": self.coef,
            "psi": self.psi,
            "contribution": self.contribution,
            "embedding": None if self.embedding is None else list(self.embedding),
            "occurrences": [
                {"embedding": list(one.embedding), "psi": one.psi} for one in self.occurrences
            ],
            "places": [vars(place) | {"embedding": list(place.embedding)} for place in self.places],
            "distance": self.distance if self.embedding is not None else None,
            "node_distances": self.node_distances.tolist(),
            "edge_distances": self.edge_distances.tolist(),
            "differences": self.differences.tolist(),
        }


@dataclass(frozen=True)
class Switch:
    """How far one graphlet is from changing the prediction.

    Parameters
    ----------
    index : int
        Position in ``model.graphlets``.
    psi : float
        As it is.
    psi_needed : float
        Where psi alone would have to go for the prediction to be at the point of turning.
    alone : bool
        Whether that lies in [0, 1], so that this graphlet alone could do it.
    present : bool
        Whether the graphlet's labelled structure occurs in the graph.
    reach : float
        The part of the way that this graphlet can go at most; 1 or more if `alone`.
    """

    index: int
    psi: float
    psi_needed: float
    alone: bool
    present: bool
    reach: float

    def to_dict(self) -> dict[str, Any]:
        """Write it as plain data."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class LocalExplanation(Drawable):
    """The prediction for one graph, split into what each graphlet adds.

    ``intercept`` and the ``contribution`` of all ``contributions`` and ``covariates`` sum to
    ``decision``, which is the model's ``decision_function``.

    Parameters
    ----------
    graph : Graph
    prediction : object
        The class, or the number in regression.
    output : object
        The class that a positive decision is evidence for; None in regression.
    intercept : float
    contributions : tuple of Contribution
        The greatest first; graphlets that do not occur contribute 0 and come last.
    decision : float
    decisions : tuple of float
        The decision of every output of the target; only one unless it has more than two classes.
    node_importance : ndarray of shape (n_nodes,)
        What graphlets contribute at each node: a contribution is divided among all occurrences of
        its graphlet by their Shapley values (equal ones get equal shares, much worse ones little),
        and equally among the nodes of each, so that the sum over nodes is the sum of all
        contributions.
    edge_importance : ndarray of shape (n_edges,)
        The same for edges, in the order of ``graph.edges``; graphlets of one node have none.
    switches : tuple of Switch
        The graphlets nearest to turning the prediction over, nearest first; empty in regression.
    attribute_names : tuple of str
    covariates : tuple of CovariateContribution
        What numbers of the whole graph add, the greatest first, if the model has such.
    target : str or None
        What is explained, of several targets.
    trust : Trust or None
        Probability and base rate, a conformal set or interval, nodes unlike any of training, and
        the nearest training graphs.
    """

    graph: Graph
    prediction: Any
    output: Any
    intercept: float
    contributions: tuple[Contribution, ...]
    decision: float
    decisions: tuple[float, ...]
    node_importance: Floats
    edge_importance: Floats
    switches: tuple[Switch, ...]
    attribute_names: tuple[str, ...]
    molecule: bool = False
    covariates: tuple[CovariateContribution, ...] = ()
    target: str | None = None
    trust: Trust | None = None

    def to_dict(self) -> dict[str, Any]:
        """Write it as plain data."""
        labels, edge_labels = self.graph.labels, self.graph.edge_labels
        return {
            "prediction": label_text(self.prediction),
            "output": label_text(self.output),
            "target": self.target,
            "intercept": self.intercept,
            "decision": self.decision,
            "decisions": list(self.decisions),
            "contributions": [entry.to_dict() for entry in self.contributions],
            "covariates": [entry.to_dict() for entry in self.covariates],
            "node_importance": self.node_importance.tolist(),
            "edge_importance": self.edge_importance.tolist(),
            "switches": [entry.to_dict() for entry in self.switches],
            "attribute_names": list(self.attribute_names),
            "trust": None if self.trust is None else self.trust.to_dict(),
            "graph": {
                "labels": [label_text(label) for label in labels],
                "edges": self.graph.edges.tolist(),
                "attributes": self.graph.attributes.tolist(),
                "edge_labels": (
                    None if edge_labels is None else [label_text(label) for label in edge_labels]
                ),
            },
        }

    def to_json(self, indent: int | None = None) -> str:
        """Write it as JSON; the same graph and model always give the same text."""
        return json_text(self.to_dict(), indent)

    def to_frame(self) -> Any:
        """Tabulate the contributions in a pandas DataFrame, one row per graphlet or covariate.

        Covariates come last, with "covariate" as their ``kind`` and neither psi nor embedding.
        """
        import pandas as pd

        frame = pd.DataFrame(
            {
                "graphlet": [entry.graphlet.name for entry in self.contributions],
                "kind": ["graphlet"] * len(self.contributions),
                "index": [entry.index for entry in self.contributions],
                "coef": [entry.coef for entry in self.contributions],
                "psi": [entry.psi for entry in self.contributions],
                "contribution": [entry.contribution for entry in self.contributions],
                "distance": [entry.distance for entry in self.contributions],
                "embedding": [entry.embedding for entry in self.contributions],
                "n_occurrences": [len(entry.occurrences) for entry in self.contributions],
            }
        )
        for entry in self.covariates:
            row = [entry.name, "covariate", entry.index, entry.coef, np.nan, entry.contribution]
            frame.loc[len(frame)] = [*row, np.nan, None, 0]
        return frame

    def __str__(self) -> str:
        lines = [f"{_headline(self)}", f"  {self.intercept:+9.4f}  intercept"]
        for entry in self.contributions:
            if entry.embedding is not None:
                word = "atom" if self.molecule else "node"
                word += "" if len(entry.embedding) == 1 else "s"
                nodes = ", ".join(map(str, entry.embedding))
                lines.append(
                    f"  {entry.contribution:+9.4f}  {counted_name(entry.graphlet)} "
                    f"({_value(entry)}, {word} {nodes}{_more(entry)})"
                )
        lines += [
            f"  {entry.contribution:+9.4f}  covariate {short_name(entry.name)} "
            f"({entry.value:.4g}, usually {entry.center:.4g})"
            for entry in self.covariates
        ]
        absent = sum(entry.embedding is None for entry in self.contributions)
        if not self.contributions:
            lines.append(NO_GRAPHLETS)
        if absent:
            lines.append(f"  {absent} graphlet{'s do' if absent > 1 else ' does'} not occur")
        if self.trust is not None:
            lines += [f"  {line}" for line in self.trust.lines]
        return "\n".join(map(visible, lines))

    def __repr__(self) -> str:
        p = None if self.trust is None else self.trust.probability
        probability = "" if p is None else f"probability={p:.3g}, "
        return (
            f"LocalExplanation(prediction={self.prediction!r}, {probability}"
            f"decision={self.decision:+.4g}, {len(self.contributions)} graphlets)"
        )

    def _repr_html_(self) -> str:
        present = [entry for entry in self.contributions if entry.embedding is not None]
        rows: list[list[Any]] = [["", self.intercept, "", "intercept", ""]]
        rows += [
            [
                entry.index,
                entry.contribution,
                entry.psi,
                counted_name(entry.graphlet),
                "; ".join(", ".join(map(str, one.embedding)) for one in _listed(entry)),
            ]
            for entry in present
        ]
        rows += [
            [
                "covariate",
                entry.contribution,
                "",
                f"{short_name(entry.name)} = {entry.value:.4g}",
                "",
            ]
            for entry in self.covariates
        ]
        head = ["graphlet", "contribution", "psi", "", "atoms" if self.molecule else "nodes"]
        picture = explained_svg(self.graph, self.node_importance, self.edge_importance)
        lines = [] if self.trust is None else self.trust.lines
        said = "".join(f"<li>{html.escaped(line)}</li>" for line in lines)
        page = f"<p>{html.escaped(_headline(self))}</p>{picture}{html.table(head, rows)}"
        return f"{page}<ul>{said}</ul>" if said else page


def _listed(entry: Contribution) -> Sequence[Place | Occurrence]:
    """List the places of a graphlet that counts, else all its occurrences."""
    return entry.places if entry.graphlet.pooling != "best" else entry.occurrences


def _value(entry: Contribution) -> str:
    """Write psi; of a graphlet that counts, how often it counts."""
    if entry.graphlet.pooling == "best":
        return f"psi {entry.psi:.3f}"
    return f"{entry.coef:+.3g} times {entry.psi:.3g}"


def _more(entry: Contribution) -> str:
    """Count the places besides the best."""
    count = len(_listed(entry)) - 1
    return f" and {count} more place{'s'[: count > 1]}" if count > 0 else ""


def _headline(explanation: LocalExplanation) -> str:
    what = "Predicted" if explanation.target is None else f"Predicted {explanation.target}:"
    if explanation.output is None:
        return f"{what} {explanation.decision:.4g}"
    return (
        f"{what} {explanation.prediction} "
        f"(decision {explanation.decision:+.4f} for {explanation.output})"
    )


def explain_local(
    model: LagraModel, graphs: Any, covariates: Any = None, *, output: Any = None, n_jobs: int = 1
) -> Any:
    """Say why graphs get their predictions.

    Parameters
    ----------
    model : LagraModel
    graphs : Graph, or GraphSet, or list of graphs
        In the user's units.
    covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
        The user's own, if the model was fitted with such.
    output : class, or name of a target, or (target, class), optional
        Whose decision to explain. With more than two classes it is that of the predicted class,
        unless one is given. Of several targets all are explained, unless one is given.
    n_jobs : int
        Number of threads; the explanation does not depend on it.

    Returns
    -------
    LocalExplanation, or a list of them if several graphs were given
        Of several targets without ``output``, a dict from target to LocalExplanation for each.
        None for a molecule that cannot be read, with a warning.

    Examples
    --------
    >>> from aglets import GraphSet, LagraClassifier
    >>> graphs = GraphSet.from_lists(
    ...     labels=["CCO", "CO", "CCN", "CN"] * 5, edges=[[(0, 1), (1, 2)], [(0, 1)]] * 10
    ... )
    >>> y = ["alcohol", "alcohol", "amine", "amine"] * 5
    >>> model = LagraClassifier(maxpat=1).fit(graphs, y).model_
    >>> why = explain_local(model, graphs[0])
    >>> why.prediction, why.contributions[0].graphlet.name, why.contributions[0].embedding
    ('alcohol', 'O', (2,))
    >>> print(why)
    Predicted alcohol (decision -0.9000 for amine)
      ...0.0000  intercept
      -0.9000  O (psi 1.000, node 2)
      1 graphlet does not occur
      probability of alcohol: 0.9... (base rate 0.50)
      90 % prediction set: alcohol
      nearest training graphs: row 0 (alcohol, distance 0); ...
    """
    single = isinstance(graphs, (Graph, str))
    spec = model.input_spec
    read = Aligned(spec.read([graphs]), 1) if single else as_aligned(graphs, spec.recipe)
    given = read.graphs
    covariate_values = model.covariate_values(given, read.taken(covariates))
    found = model.match(given, n_jobs=n_jobs)
    # Which targets, and which output of each; None is that of the predicted class.
    every = output is None and len(model.outputs.targets) > 1
    n_targets = len(model.outputs.targets) if every else 1
    asked = [model.outputs.find(output)] if output is not None else _undecided(n_targets)
    rho = np.broadcast_to(model.rho, len(model.graphlets)).tolist()
    listed = [
        occurrences(found.scaled, graphlet, each)
        for graphlet, each in zip(model.scaled_graphlets, rho, strict=True)
    ]
    counted = model.places(found.scaled, n_jobs=n_jobs)
    explanations: list[Any] = []
    for i in range(len(given)):
        where = [(each[i].found, place) for each, place in zip(listed, counted[i], strict=True)]
        of_graph = [
            _explained(model, found, i, where, covariate_values[i], target, row)
            for target, row in asked
        ]
        explanations.append({why.target: why for why in of_graph} if every else of_graph[0])
    filled: list[Any] = read.filled(explanations)
    return filled[0] if single else filled


def _undecided(n_targets: int) -> list[tuple[int, int | None]]:
    return [(k, None) for k in range(n_targets)]


def _explained(
    model: LagraModel,
    found: Match,
    i: int,
    where: list[tuple[tuple[Occurrence, ...], Places]],
    covariate_values: Floats,
    target_index: int,
    row: int | None,
) -> LocalExplanation:
    graph, scaled = found.graphs[i], found.scaled[i]
    psi = found.psi[i]
    embeddings = [None if row is None else np.atleast_2d(row)[0] for row in found.embeddings[i]]
    # fsum is rounded once, whatever the order: no sum here depends on how graphs came in.
    f = np.array(
        [
            math.fsum([beta0, *(beta * psi).tolist(), *(gamma * covariate_values).tolist()])
            for beta0, beta, gamma in zip(
                model.intercept, model.coef, model.covariate_coef, strict=True
            )
        ]
    )
    target, rows = model.outputs.targets[target_index], model.outputs.slices[target_index]
    row = rows.start + target.decisive_output(f[rows]) if row is None else row
    [prediction] = target.decode(f[None, rows]).tolist()
    own = np.flatnonzero(model.coef[row])
    contributions = sorted(
        (
            _contribution(model, int(j), row, float(psi[j]), embeddings[j], where[j], graph, scaled)
            for j in own
        ),
        key=lambda entry: (-abs(entry.contribution), entry.embedding is None, entry.index),
    )
    nodes, edges = importances(graph, contributions)
    return LocalExplanation(
        graph=graph,
        prediction=prediction,
        output=target.output_classes[row - rows.start],
        intercept=float(model.intercept[row]),
        contributions=tuple(contributions),
        decision=float(f[row]),
        decisions=tuple(f[rows].tolist()),
        node_importance=nodes,
        edge_importance=edges,
        switches=_switches(model, target, rows, f[rows], psi, embeddings),
        attribute_names=names_of(model.input_spec.attribute_names, model.input_spec.n_attributes),
        molecule=is_molecule(model.input_spec.recipe),
        covariates=contributions_of(model, row, covariate_values),
        target=target.name if len(model.outputs.targets) > 1 else None,
        trust=_trusted(model, found, i, f, target_index),
    )


def _trusted(model: LagraModel, found: Match, i: int, f: Floats, target: int) -> Trust:
    one = slice(i, i + 1)
    [trust] = trust_in(
        model,
        found.scaled[one],
        found.psi[one],
        found.occurs[one],
        f[None],
        target=target,
        molecule=is_molecule(model.input_spec.recipe),
    )
    return trust


def _contribution(
    model: LagraModel,
    j: int,
    row: int,
    psi: float,
    embedding: NDArray[np.int32] | None,
    where: tuple[tuple[Occurrence, ...], Places],
    graph: Graph,
    scaled_graph: Graph,
) -> Contribution:
    graphlet, scaled = model.graphlets[j], model.scaled_graphlets[j]
    width = model.input_spec.n_edge_attributes
    edge_distances = np.zeros((len(graphlet.edges), width))
    if embedding is None:
        node_distances = differences = np.zeros((0, graphlet.attributes.shape[1]))
        edge_distances = edge_distances[:0]
        distance = np.inf
    else:
        node_distances = (scaled_graph.attributes[embedding] - scaled.attributes) ** 2
        differences = graph.attributes[embedding] - graphlet.attributes
        if (
            width
            and scaled.edge_attributes is not None
            and scaled_graph.edge_attributes is not None
        ):
            rows = [edge_rows(scaled_graph)[pair] for pair in matched_edges(graphlet, embedding)]
            edge_distances = (scaled_graph.edge_attributes[rows] - scaled.edge_attributes) ** 2
        distance = float(node_distances.sum() + edge_distances.sum())
    coef = float(model.coef[row, j])
    return Contribution(
        index=j,
        graphlet=graphlet,
        coef=coef,
        psi=psi,
        contribution=coef * psi + 0.0,  # no negative zeros
        embedding=None if embedding is None else tuple(embedding.tolist()),
        occurrences=where[0],
        places=places_of(where[1], coef),
        distance=distance,
        node_distances=node_distances,
        edge_distances=edge_distances,
        differences=differences,
    )


def _switches(
    model: LagraModel,
    target: Target,
    rows: slice,
    f: Floats,
    psi: Floats,
    embeddings: list[NDArray[np.int32] | None],
) -> tuple[Switch, ...]:
    """Solve margin = slope (psi_needed - psi) for each graphlet by itself."""
    if target.classes is None:
        return ()
    [margin] = target.margin(f[None]).tolist()
    slope = target.towards_another_class(f) @ model.coef[rows]
    switches = []
    for j in np.flatnonzero(slope):
        needed = float(psi[j] + margin / slope[j])
        most = np.inf if model.graphlets[int(j)].pooling == "sum" else 1.0
        room = float(most - psi[j] if slope[j] > 0.0 else psi[j])
        switches.append(
            Switch(
                index=int(j),
                psi=float(psi[j]),
                psi_needed=needed,
                alone=0.0 <= needed <= most,
                present=embeddings[j] is not None,
                reach=abs(float(slope[j])) * room / margin if margin > 0.0 else np.inf,
            )
        )
    return tuple(
        sorted(
            switches,
            key=lambda s: (
                not s.alone,
                abs(s.psi_needed - s.psi) if s.alone else -s.reach,
                s.index,
            ),
        )
    )
