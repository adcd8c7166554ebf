"""Covariates in explanations: numbers of the whole graph, listed apart from the graphlets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aglets.explain.plain import label_text
from aglets.graphs.arrays import Floats
from aglets.model import LagraModel

__all__ = ["CovariateContribution", "CovariateSummary", "contributions_of", "summaries_of"]


@dataclass(frozen=True)
class CovariateContribution:
    """What one covariate adds to the decision for one graph.

    Parameters
    ----------
    index : int
        Position in ``model.covariates.names``.
    name : str
    value : float
        Of this graph.
    center : float
        Its mean over the training graphs.
    coef : float
        gamma, for the output that is explained.
    contribution : float
        gamma times (value - center): nothing for an average graph.
    """

    index: int
    name: str
    value: float
    center: float
    coef: float
    contribution: float

    def to_dict(self) -> dict[str, Any]:
        """Write it as plain data."""
        return dict(vars(self))


@dataclass(frozen=True)
class CovariateSummary:
    """One covariate of a model.

    Parameters
    ----------
    index : int
        Position in ``model.covariates.names``.
    name : str
    coef : float
        gamma: what one unit more adds to the decision.
    effect : float
        What one standard deviation more adds to it.
    evidence_for : class or None
        The class that more of it makes likelier; None in regression.
    output : class or None
        The class whose decision it is part of.
    center, spread : float
        Mean and standard deviation over the training graphs.
    """

    index: int
    name: str
    coef: float
    effect: float
    evidence_for: Any
    output: Any
    center: float
    spread: float

    def to_dict(self) -> dict[str, Any]:
        """Write it as plain data."""
        fields = dict(vars(self))
        return fields | {name: label_text(fields[name]) for name in ("evidence_for", "output")}


def contributions_of(
    model: LagraModel, row: int, centered: Floats
) -> tuple[CovariateContribution, ...]:
    """Say what each covariate of one graph adds to an output, the greatest first."""
    fitted = model.covariates
    if fitted is None:
        return ()
    found = [
        CovariateContribution(
            index=j,
            name=name,
            value=float(centered[j] + fitted.center[j]),
            center=float(fitted.center[j]),
            coef=float(model.covariate_coef[row, j]),
            contribution=float(model.covariate_coef[row, j] * centered[j]) + 0.0,
        )
        for j, name in enumerate(fitted.names)
    ]
    return tuple(sorted(found, key=lambda entry: (-abs(entry.contribution), entry.index)))


def summaries_of(model: LagraModel) -> tuple[CovariateSummary, ...]:
    """Say what covariates a model has, those with the greatest effect first."""
    fitted = model.covariates
    if fitted is None:
        return ()
    found = []
    for row, coefs in enumerate(model.covariate_coef.tolist()):
        for j, (name, coef) in enumerate(zip(fitted.names, coefs, strict=True)):
            found.append(
                CovariateSummary(
                    index=j,
                    name=name,
                    coef=coef,
                    effect=coef * float(fitted.spread[j]),
                    evidence_for=model.outputs.evidence_for(row, coef),
                    output=model.outputs.names[row],
                    center=float(fitted.center[j]),
                    spread=float(fitted.spread[j]),
                )
            )
    return tuple(sorted(found, key=lambda entry: (-abs(entry.effect), entry.index)))
