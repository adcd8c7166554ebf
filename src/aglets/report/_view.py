"""One target of a model on given graphs: quality, graphlets, predictions and their reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aglets.explain import GlobalExplanation, is_molecule, summarise
from aglets.explain.covariates import contributions_of
from aglets.explain.importance import shapley_values
from aglets.explain.plain import NO_GRAPHLETS, counted_name
from aglets.explain.trust import trust_in
from aglets.graphlets.occurrences import Occurrences, occurrences
from aglets.graphlets.scores import Places
from aglets.graphs import GraphSet
from aglets.graphs.arrays import Bools, Floats, Rows
from aglets.model import LagraModel, Match
from aglets.model.target import Target, is_known
from aglets.report._bounds import MIN_SHOWN, Bounds
from aglets.report._cards import card, evidence_text, noun_of
from aglets.report._gallery import by_graph
from aglets.report._quality import quality
from aglets.report._slider import path_table

__all__ = ["Answers", "View", "answers_of", "view_of"]


#: A match that is shown is larger; of a graphlet in a graph, so many places are shown at least.
NO_MATCH, FEWEST_PLACES = 1e-4, 2


@dataclass(frozen=True)
class View:
    """The data of one target."""

    data: dict[str, Any]
    attribute_names: tuple[str, ...]


@dataclass(frozen=True)
class Answers:
    """What a model of one target says of all graphs.

    Parameters
    ----------
    model : LagraModel
    found : Match
        Its graphlets in the graphs.
    covariates : ndarray of shape (n_graphs, n_covariates)
    y : ndarray of shape (n_graphs,) or None
    known : ndarray of shape (n_graphs,)
        Where the target is known.
    f : ndarray of shape (n_graphs, n_outputs)
        Decisions.
    wrong : ndarray of shape (n_graphs,)
        How wrong each is; 0 or less where it is right or nothing is known.
    shown : list of int
        The graphs that are explained, wrong ones first.
    cards : set of int
        The graphlets that have a card.
    """

    model: LagraModel
    found: Match
    covariates: Floats
    y: NDArray[Any] | None
    known: Bools
    f: Floats
    wrong: Floats
    shown: list[int]
    cards: set[int]


def answers_of(
    model: LagraModel, found: Match, covariates: Floats, y: NDArray[Any] | None, bounds: Bounds
) -> Answers:
    """Predict all graphs; choose those to explain, and graphlets to do it with."""
    known = np.zeros(len(found.graphs), dtype=bool) if y is None else is_known(y)
    f = model.outputs.as_table(model.decision_from_agis(found.psi, covariates))
    wrong = _wrong(model.outputs.single, y, known, f)
    shown = np.argsort(-wrong, kind="stable")[: bounds.n_shown].tolist()
    cards = _with_cards(model, found.psi[shown], f[shown], bounds.n_cards)
    shown = shown[: _affordable_graphs(model, found.psi[shown], cards, bounds)]
    return Answers(model, found, covariates, y, known, f, wrong, shown, cards)


def _affordable_graphs(model: LagraModel, psi: Floats, cards: set[int], bounds: Bounds) -> int:
    """Say how many graphs can be explained on a page of bounded size, with few places each."""
    columns = sorted(cards)
    widths = np.array([model.graphlets[j].n_nodes + 2 for j in columns], dtype=np.intp)
    numbers = np.cumsum(FEWEST_PLACES * ((psi[:, columns] > NO_MATCH) @ widths))
    return max(int((numbers <= bounds.n_places).sum()), MIN_SHOWN)


def _with_cards(model: LagraModel, psi: Floats, f: Floats, n_cards: int) -> set[int]:
    """Choose the strongest graphlets, and what adds most to each graph that is explained.

    So no explanation is left with "all other graphlets" alone. Half of the cards are for the
    strongest.
    """
    strength = np.abs(model.relative_coef).max(axis=0, initial=0.0)
    order = np.argsort(-strength, kind="stable").tolist()
    if len(order) <= n_cards:
        return set(order)
    output = f.argmax(axis=1) if model.n_outputs > 1 else np.zeros(len(f), dtype=np.intp)
    adds = np.abs(model.coef[output] * psi)
    chosen = {*order[: n_cards // 2], *adds.argmax(axis=1)[adds.any(axis=1)].tolist()}
    for j in order:
        if len(chosen) >= n_cards:
            break
        chosen.add(j)
    return chosen


def view_of(
    answers: Answers,
    estimator: Any,
    listed: Rows,
    bounds: Bounds,
    *,
    target: str | None,
    n_jobs: int,
    stability: Any,
) -> View:
    """Compute all about one target; numbers of single graphs only for those that are listed."""
    model, found, known, shown = answers.model, answers.found, answers.known, answers.shown
    aim, y, f = model.outputs.single, answers.y, answers.f
    # Occurrences are counted, and simpler models are judged, where the target is known.
    judged = found if y is None or known.all() else found.of_graphs(np.flatnonzero(known))
    truth = None if y is None else y[known]
    learned = summarise(model, judged, truth).with_stability(stability)
    numbered = [
        (number, entry)
        for number, entry in enumerate(learned.graphlets, start=1)
        if entry.index in answers.cards
    ]
    entries = [entry for _, entry in numbered]
    columns = [entry.index for entry in entries]
    psi = found.psi[:, columns]
    p = model.probabilities_from_decision(f)[0]
    result = None
    if y is not None:
        known_p = None if p is None else p[known]
        result = quality(aim, found.graphs[known], f[known], y[known], known_p, noun_of(model))
        if "fit" in result:
            result["fit"] = _fit_of(listed, known, result["fit"])
    judged_values = answers.covariates if judged is found else answers.covariates[known]

    def of_listed(values: Any) -> Any:
        return None if values is None else by_graph(values, listed)

    wrong = np.flatnonzero(answers.wrong > 0.0)
    data = {
        "target": target,
        "classes": None if aim.classes is None else [str(value) for value in aim.classes],
        "outputs": [_text(value) for value in aim.output_classes],
        "intercepts": model.intercept,
        "loss": model.loss,
        "sentences": sentences(model, learned, result, len(f)),
        "empty": _empty(model),
        "graphlets": [
            card(model, learned, entry, rank, number, listed, psi[listed, rank])
            for rank, (number, entry) in enumerate(numbered)
        ],
        "n_graphlets": len(learned.graphlets),
        "quality": result,
        "y": None if y is None else of_listed(_known_values(y, known)),
        "predictions": of_listed([_shown(value) for value in aim.decode(f).tolist()]),
        "decisions": of_listed(f.round(5)),
        "probabilities": None if p is None else of_listed(p.round(4)),
        "base_rates": _base_rates(model),
        "wrong": [] if y is None or aim.classes is None else np.intersect1d(wrong, listed),
        "psi": of_listed([[_short(value) for value in row] for row in psi.tolist()]),
        "shown": shown,
        "places": {
            str(i): _matched(row, psi[i])
            for i, row in zip(
                shown, _places(model, found.scaled[shown], columns, bounds.n_places), strict=True
            )
        },
        "trust": _trust(model, found, f, shown),
        "graph_covariates": {str(i): _covariates(model, answers.covariates[i]) for i in shown},
        "covariates": [entry.to_dict() for entry in learned.covariates],
        "path": path_table(estimator, model, judged, judged_values, truth, n_jobs),
    }
    return View(data, learned.attribute_names)


def _fit_of(listed: Rows, known: Bools, fit: dict[str, Floats]) -> dict[str, Any]:
    """Keep the points of the listed graphs whose value is known, and say which graphs these are."""
    rows = np.flatnonzero(known)
    kept = np.isin(rows, listed)
    return {"graphs": rows[kept], **{name: values[kept] for name, values in fit.items()}}


def _wrong(target: Target, y: NDArray[Any] | None, known: NDArray[np.bool_], f: Floats) -> Floats:
    """How wrong each prediction is; 0 or less where it is right or nothing is known."""
    wrong = np.zeros(len(f))
    if y is None:
        return wrong
    if target.classes is None:
        wrong[known] = np.abs(y[known].astype(np.float64) - f[known, 0])
        return wrong
    margin = target.margin(f)[known]
    right = target.codes(y[known]) == target.decided(f[known])
    # Surest mistakes first, and after them what was nearly a mistake.
    wrong[known] = np.where(right, -margin, margin + 1e-9)
    return wrong


def _base_rates(model: LagraModel) -> list[float] | None:
    """Say how common each class is among training graphs, if the model knows."""
    if model.record is None or model.outputs.single.classes is None:
        return None
    return [float(rate) for rate in model.record.base_rates[0]]


def _empty(model: LagraModel) -> str | None:
    """Say that a model has no graphlets, and what to do."""
    if model.graphlets:
        return None
    if model.covariates is not None:
        answer = "its predictions follow from the covariates alone"
    else:
        answer = "it always predicts the same"
    return f"The model has no graphlets: {answer}. {NO_GRAPHLETS}"


def sentences(
    model: LagraModel, learned: GlobalExplanation, result: dict[str, Any] | None, n_graphs: int
) -> list[str]:
    """Say in a few words what the model does, and how good it is."""
    written = []
    if learned.graphlets:
        n = len(learned.graphlets)
        largest = max(entry.graphlet.n_nodes for entry in learned.graphlets)
        node = "atom" if noun_of(model) == "molecule" else "node"
        many = f"{n} graphlet{'s' if n > 1 else ''} of up to {largest} {node}{'s'[: largest > 1]}"
        # By the sign of the weight; the graphlet of largest weight comes first.
        signs: dict[bool, str] = {}
        for number, entry in enumerate(learned.graphlets, start=1):
            up = entry.coef > 0.0
            name = f"#{number} {counted_name(entry.graphlet)}"
            said = f"{name} is the strongest {evidence_text(model, entry)}"
            signs.setdefault(up, said)
        what = _task(model.outputs.single)
        written.append(f"The model {what} by {many}; {', and '.join(signs.values())}.")
    if learned.covariates and learned.graphlets:
        names = ", ".join(dict.fromkeys(entry.name for entry in learned.covariates))
        written.append(f"It also uses covariates, which are not graphlets: {names}.")
    if result is not None:
        first = result["metrics"][0]
        others = " and ".join(
            f"{_value(first['name'], value)} by {_by(name)}"
            for name, value in zip(result["answers"][1:], first["values"][1:], strict=True)
        )
        mine = _value(first["name"], first["values"][0])
        where = f"Its {first['name']} on {_known(result['n'], n_graphs, noun_of(model))}"
        written.append(f"{where} is {mine}, against {others}{_ranking(result)}.")
    return written


def _known(n: int, n_graphs: int, noun: str) -> str:
    """Say on which graphs something was measured."""
    if n == n_graphs:
        return f"these {n} {noun}s"
    return f"the {n} of {n_graphs} {noun}s whose value is known"


def _ranking(result: dict[str, Any]) -> str:
    """Say how well graphs are ranked, which rare classes do not hide as they do in accuracy."""
    found = [row["values"][0] for row in result["metrics"] if row["name"] == "AUC"]
    return "" if not found or found[0] is None else f"; its AUC is {found[0]:.3f}"


def _by(name: str) -> str:
    return name.replace("always", "always predicting").replace("size", "the size")


def _task(target: Target) -> str:
    if target.classes is None:
        return "estimates a number"
    names = [str(value) for value in target.classes]
    if len(names) > 8:
        return f"distinguishes {len(names)} classes"
    return "distinguishes " + (" from " if target.binary else ", ").join(names)


def _value(name: str, value: float | None) -> str:
    if value is None:
        return "not defined"
    return f"{value:.1%}" if name == "accuracy" else f"{value:.3g}"


#: Shares of places, and their nodes.
Listed = tuple[list[float], list[list[int]]]


def _places(
    model: LagraModel, scaled: GraphSet, columns: list[int], n_numbers: int
) -> list[list[list[Any]]]:
    """List for each graph and graphlet its places: how many, and share and nodes of each."""
    rho = np.broadcast_to(model.rho, len(model.graphlets)).tolist()
    found = {
        j: occurrences(scaled, model.scaled_graphlets[j], rho[j])
        for j in columns
        if model.graphlets[j].pooling == "best"
    }
    counted = model.places(scaled)
    listed = [
        [_shared(found[j][i]) if j in found else _counted(counted[i][j]) for j in columns]
        for i in range(len(scaled))
    ]
    most = _affordable(listed, n_numbers)
    return [[_strongest(one, most) for one in row] for row in listed]


def _counted(found: Places) -> Listed:
    return found.shares.tolist(), found.embeddings.tolist()


def _shared(listed: Occurrences) -> Listed:
    values = shapley_values([one.psi for one in listed.found])
    return values, [list(one.embedding) for one in listed.found]


def _affordable(listed: list[list[Listed]], n_numbers: int) -> int:
    """Say how many places of a graphlet in a graph can be kept on a page of bounded size."""
    sizes = [(len(nodes), len(nodes[0]) + 2) for row in listed for _, nodes in row if nodes]
    for most in (24, 16, 8, 4):
        if sum(min(n, most) * width for n, width in sizes) <= n_numbers:
            return most
    return FEWEST_PLACES


def _strongest(one: Listed, most: int) -> list[Any]:
    """Write how many places there are, and the strongest of them with their shares of the sum."""
    shares, nodes = one
    total = sum(shares) or 1.0
    real = [k for k, share in enumerate(shares) if share > 1e-4 * total]
    kept = sorted(sorted(real, key=lambda k: -shares[k])[:most])
    left = sum(shares[k] for k in kept) or 1.0
    return [len(real), *([_brief(shares[k] / left), *nodes[k]] for k in kept)] if real else []


def _matched(places: list[list[Any]], psi: Floats) -> dict[str, Any]:
    return {str(rank): place for rank, place in enumerate(places) if place and psi[rank] > NO_MATCH}


def _trust(model: LagraModel, found: Match, f: Floats, rows: list[int]) -> dict[str, list[str]]:
    """Say how far the predictions for these graphs can be trusted, in sentences."""
    listed = trust_in(
        model,
        found.scaled[rows],
        found.psi[rows],
        found.occurs[rows],
        f[rows],
        molecule=is_molecule(model.input_spec.recipe),
    )
    return {
        str(i): [line for line in one.lines if not line.startswith("probability of")]
        for i, one in zip(rows, listed, strict=True)
    }


def _covariates(model: LagraModel, centered: Floats) -> list[list[dict[str, Any]]]:
    """List what the covariates of a graph add, for every output."""
    if model.covariates is None:
        return []
    return [
        [
            {"name": entry.name, "value": _short(entry.value), "adds": entry.contribution}
            for entry in contributions_of(model, row, centered)
        ]
        for row in range(model.n_outputs)
    ]


def _brief(value: float) -> float | int:
    return _short(round(value, 3))


def _short(value: float) -> float | int:
    rounded = float(f"{value:.4g}")
    return int(rounded) if rounded in (0.0, 1.0) else rounded


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _known_values(y: NDArray[Any], known: NDArray[np.bool_]) -> list[str | None]:
    pairs = zip(y.tolist(), known.tolist(), strict=True)
    return [_shown(value) if is_there else None for value, is_there in pairs]


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
