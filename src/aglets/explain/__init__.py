"""What a model says, as plain data: about all graphs, and about one.

`explain_global` lists which graphlets a model uses, how strongly, and where they occur;
`explain_local` splits the prediction for one graph into the contributions of graphlets, each with
the nodes it was matched to. Both are exact, and the same on every run. Pictures are drawn from
these objects alone.
"""

from __future__ import annotations

from aglets.explain._global import (
    GlobalExplanation,
    GraphletSummary,
    explain_global,
    is_molecule,
    summarise,
)
from aglets.explain._local import Contribution, LocalExplanation, Switch, explain_local
from aglets.explain.covariates import CovariateContribution, CovariateSummary
from aglets.explain.trust import TrainingNeighbour, Trust, trust_in

__all__ = [
    "Contribution",
    "CovariateContribution",
    "CovariateSummary",
    "GlobalExplanation",
    "GraphletSummary",
    "LocalExplanation",
    "Switch",
    "TrainingNeighbour",
    "Trust",
    "explain_global",
    "explain_local",
    "is_molecule",
    "summarise",
    "trust_in",
]
