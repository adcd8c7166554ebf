"""What a model says, as plain data: about all graphs, and about one.

`explain_global` tells which graphlets a model uses, how strongly, and where they occur;
`explain_local` splits the prediction for one graph into the contributions of graphlets, each with
the nodes it was matched to. Both are exact, and the same on every run. Pictures are drawn from
these objects alone.
"""

from __future__ import annotations

from aglets.explain._covariates import CovariateContribution, CovariateSummary
from aglets.explain._globally import GlobalExplanation, GraphletSummary, explain_global
from aglets.explain._locally import Contribution, LocalExplanation, Switch, explain_local

__all__ = [
    "Contribution",
    "CovariateContribution",
    "CovariateSummary",
    "GlobalExplanation",
    "GraphletSummary",
    "LocalExplanation",
    "Switch",
    "explain_global",
    "explain_local",
]
