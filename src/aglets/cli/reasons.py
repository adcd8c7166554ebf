"""What `aglets predict` adds to a prediction if asked: why, and how far to trust it."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from aglets.explain import Trust
    from aglets.graphs import GraphSet
    from aglets.model import LagraModel
    from aglets.model.target import Target

__all__ = ["Asked", "column_per_target", "reason_columns", "reasons"]

#: Graphlets that an explanation names.
MAX_REASONS = 3


class Asked(NamedTuple):
    """What is wanted besides predictions.

    Parameters
    ----------
    explain : bool
        Reasons, and all that says how far to trust a prediction.
    alpha : float or None
        The share of errors that sets and intervals allow; None for none of them, unless there are
        explanations, which have them with the usual alpha.
    """

    explain: bool = False
    alpha: float | None = None

    @property
    def anything(self) -> bool:
        """Whether there is anything to add."""
        return self.explain or self.alpha is not None

    @property
    def share(self) -> float:
        """The alpha of sets and intervals."""
        from aglets.explain.trust import ALPHA

        return ALPHA if self.alpha is None else self.alpha

    @property
    def percent(self) -> str:
        """What part of sets and intervals is right, as in "90"."""
        return f"{100.0 * (1.0 - self.share):.6g}"


def column_per_target(model: LagraModel, what: str) -> list[str]:
    """Name a column for each target, by its name if there are several."""
    names = model.outputs.target_names
    return [what] if len(names) == 1 else [f"{what}_{name}" for name in names]


def reason_columns(model: LagraModel, asked: Asked) -> dict[str, type]:
    """Name the columns that are added, with their types; each target has its own."""
    if not asked.anything:
        return {}
    columns: dict[str, type] = {}
    for k, target in enumerate(model.outputs.targets):
        of_target: dict[str, type] = {"explanation": str, "base_rate": float}
        of_target |= _within(target, asked)
        of_target |= {"no_graphlet": bool, "nearest": str, "nearest_distance": float}
        wanted = of_target if asked.explain else _within(target, asked)
        columns |= {column_per_target(model, name)[k]: kind for name, kind in wanted.items()}
    return columns | ({"unfamiliar": float} if asked.explain else {})


def _within(target: Target, asked: Asked) -> dict[str, type]:
    """Name the columns of a set or an interval."""
    if target.classes is not None:
        return {f"set_{asked.percent}": str}
    return {f"low_{asked.percent}": float, f"high_{asked.percent}": float}


def reasons(
    model: LagraModel,
    scaled: GraphSet,
    psi: Any,
    embeddings: Any,
    f: Any,
    covariate_values: Any,
    asked: Asked,
) -> list[dict[str, Any]]:
    """Write what is asked for, a row per graph."""
    import numpy as np

    from aglets.explain import trust_in

    rows: list[dict[str, Any]] = [{} for _ in range(len(scaled))]
    if not asked.anything:
        return rows
    found = [[embedding is not None for embedding in row] for row in embeddings]
    occurs = np.array(found, dtype=bool).reshape(psi.shape)
    for k, (target, own) in enumerate(
        zip(model.outputs.targets, model.outputs.slices, strict=True)
    ):
        trusts = trust_in(model, scaled, psi, occurs, f, target=k, alpha=asked.share)
        for i, trust in enumerate(trusts):
            values = _set_or_interval(trust, asked)
            if asked.explain:
                output = own.start + target.decisive_output(f[i, own])
                contributions = model.coef[output] * psi[i]
                added = model.covariate_coef[output] * covariate_values[i]
                values["explanation"] = _text(model, contributions, embeddings[i], added)
                values |= _trust(trust)
                rows[i]["unfamiliar"] = trust.unfamiliar_share
            rows[i] |= {column_per_target(model, name)[k]: value for name, value in values.items()}
    return rows


def _set_or_interval(trust: Trust, asked: Asked) -> dict[str, Any]:
    row: dict[str, Any] = {}
    if trust.prediction_set is not None:
        row[f"set_{asked.percent}"] = " ".join(map(str, trust.prediction_set))
    if trust.interval is not None:
        low, high = (end if isfinite(end) else None for end in trust.interval)
        row |= {f"low_{asked.percent}": low, f"high_{asked.percent}": high}
    return row


def _trust(trust: Trust) -> dict[str, Any]:
    """Write what held-out and training graphs say of a prediction as columns."""
    row: dict[str, Any] = {"base_rate": trust.base_rate, "no_graphlet": trust.no_graphlet}
    if trust.nearest:
        first = trust.nearest[0]
        row |= {"nearest": first.text, "nearest_distance": first.distance}
    return row


def _text(model: LagraModel, contributions: Any, embeddings: Any, covariate_values: Any) -> str:
    """Name what contributes most: graphlets with the nodes they match, and covariates."""
    parts = [
        (
            contribution,
            f"{model.graphlets[j].name} {contribution:+.3g} at {_where(embeddings[j].tolist())}",
        )
        for j, contribution in enumerate(contributions.tolist())
        if contribution != 0.0 and embeddings[j] is not None
    ]
    names = () if model.covariates is None else model.covariates.names
    parts += [
        (contribution, f"covariate {name} {contribution:+.3g}")
        for name, contribution in zip(names, covariate_values.tolist(), strict=True)
        if contribution != 0.0
    ]
    parts.sort(key=lambda part: -abs(part[0]))
    return "; ".join(text for _, text in parts[:MAX_REASONS])


def _where(matched: list[Any]) -> str:
    """Write the nodes of a match, as in 4-5; of a graphlet that counts, all distinct sets."""
    places = matched if isinstance(matched[0], list) else [matched]
    # A symmetric graphlet has several places on the same nodes; the first is enough to see them.
    distinct: dict[frozenset[int], list[int]] = {}
    for place in places:
        distinct.setdefault(frozenset(place), place)
    return ", ".join("-".join(map(str, place)) for place in distinct.values())
