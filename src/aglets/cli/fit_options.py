"""The options of `aglets fit`, in the groups that its help shows; evaluating shares some."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from aglets.cli.names import a_part, all_losses, named
from aglets.cli.tasks import Kind
from aglets.cli.test_part import SplitKind

#: Groups of options; the help shows them in the order of the parameters.
MODEL = "The model"
CHOICE = "How the model is chosen"
TESTING = "How good the model is"
LIMITS = "Limits and interruptions"


class Average(str, Enum):
    """One model, or a mean of several."""

    none = "none"
    greedy = "greedy"
    folds = "folds"


class Rule(str, Enum):
    """Which point of the grid is taken."""

    best = "best"
    one_se = "one_se"


class BuiltIn(str, Enum):
    """Covariates that a model counts by itself."""

    size = "size"


class CountScale(str, Enum):
    """What is taken of a sum or mean of places."""

    auto = "auto"
    raw = "raw"
    sqrt = "sqrt"


class Labelling(str, Enum):
    """How nodes get their labels."""

    auto = "auto"
    degree = "degree"
    none = "none"


Number = TypeVar("Number", int, float)


def _sizes(values: list[int] | None) -> list[int] | None:
    from aglets.mining.arguments import LARGEST_MAXPAT

    return _checked(values, lambda size: 1 <= size <= LARGEST_MAXPAT, f"from 1 to {LARGEST_MAXPAT}")


def _lengths(values: list[float] | None) -> list[float] | None:
    return _checked(values, lambda rho: 0.0 < rho < float("inf"), "greater than 0")


def _checked(
    values: list[Number] | None, holds: Callable[[Number], bool], words: str
) -> list[Number] | None:
    """Refuse values of an option that may be given several times, in the words of its user."""
    for value in values or ():
        if not holds(value):
            raise typer.BadParameter(f"{value:g} is not a number {words}.")
    if values is not None and len(set(values)) < len(values):
        raise typer.BadParameter("the same number is given twice.")
    return values


# The file and the task.

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="The model's file.", show_default="DATA.aglets"),
]
Targets = Annotated[Kind, typer.Option("--task", help="Whether targets are classes or numbers.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")]
ForgetGraphs = Annotated[
    bool,
    typer.Option(
        "--forget-graphs",
        help="Keep no training graphs (SMILES, names, ids) in the model's file.",
    ),
]

# The model.

Maxpats = Annotated[
    list[int] | None,
    typer.Option(
        "--maxpat",
        help="Maximum number of nodes of a graphlet. Repeat it to choose among several.",
        show_default="chosen on held-out graphs",
        rich_help_panel=MODEL,
        callback=_sizes,
    ),
]
Rhos = Annotated[
    list[float] | None,
    typer.Option(
        "--rho",
        help="How sharply attributes are distinguished. Repeat it to choose among several.",
        show_default="chosen on held-out graphs",
        rich_help_panel=MODEL,
        callback=_lengths,
    ),
]
Starts = Annotated[
    list[int] | None,
    typer.Option(
        "--starts",
        help="Starting vectors of attributes per label. Repeat it to choose among several.",
        show_default="chosen on held-out graphs",
        rich_help_panel=MODEL,
        min=1,
    ),
]
Loss = Annotated[
    str | None,
    named(
        "--loss",
        all_losses,
        metavar="LOSS",
        help="squared_hinge, logistic or softmax for classes; squared or huber for numbers.",
        show_default="squared_hinge or squared",
        rich_help_panel=MODEL,
    ),
]
LossOptions = Annotated[
    list[str] | None,
    typer.Option("--loss-option", help="NAME=VALUE: an option of the loss.", rich_help_panel=MODEL),
]
ClassWeights = Annotated[
    list[str] | None,
    typer.Option(
        "--class-weight",
        metavar="WEIGHTS",
        help="'balanced' lets all classes count the same; or CLASS=NUMBER, once per class. "
        "Probabilities still refer to the classes as they are in DATA.",
        rich_help_panel=MODEL,
    ),
]
Sharing = Annotated[
    str | None,
    typer.Option(
        "--sharing",
        metavar="NAME",
        help="Whether several classes or targets share graphlets: group, none, or a number "
        "between 0 (none) and 1 (group).",
        show_default="group for several targets, more than ten classes and --loss softmax, "
        "else none",
        rich_help_panel=MODEL,
    ),
]
Pooling = Annotated[
    str | None,
    typer.Option(
        "--pooling",
        metavar="NAMES",
        help="best: a graphlet measures its best match. sum or mean: it adds up over its places. "
        "Several as in best,sum.",
        show_default="chosen on held-out graphs",
        rich_help_panel=MODEL,
    ),
]
CountScales = Annotated[
    CountScale,
    typer.Option(
        "--count-scale",
        help="Take counts as they are, or their square roots.",
        rich_help_panel=MODEL,
    ),
]
NodeLabels = Annotated[
    Labelling,
    typer.Option(
        "--node-labels",
        help="Take degrees as labels (degree), or labels as they are (none); auto takes degrees if "
        "all nodes have the same label.",
        rich_help_panel=MODEL,
    ),
]
Covariates = Annotated[
    BuiltIn | None,
    typer.Option(
        "--covariates",
        help="Add the size of the whole graph to the model.",
        rich_help_panel=MODEL,
    ),
]
CovariateColumns = Annotated[
    str | None,
    typer.Option(
        "--covariate-columns",
        metavar="NAMES",
        help="Add these columns of numbers to the model, separated by commas; predict needs them.",
        rich_help_panel=MODEL,
    ),
]
CovariatePenalty = Annotated[
    float,
    typer.Option(
        "--covariate-penalty",
        help="Penalty of covariates, as a multiple of lambda.",
        rich_help_panel=MODEL,
        min=0.0,
    ),
]

# How the model is chosen.

NLambdas = Annotated[
    int,
    typer.Option("--n-lambdas", help="Number of penalties to try.", rich_help_panel=CHOICE, min=1),
]
Rules = Annotated[
    Rule,
    typer.Option(
        "--rule",
        help="Take the best model, or the smallest that is not clearly worse (one_se).",
        rich_help_panel=CHOICE,
    ),
]
Folds = Annotated[
    int | None,
    typer.Option(
        "--folds",
        help="Choose by cross-validation with so many folds.",
        show_default="one held-out part",
        rich_help_panel=CHOICE,
        min=2,
    ),
]
Averages = Annotated[
    Average,
    typer.Option(
        "--average",
        help="One model to read, or the mean of several: more graphlets, better predictions. "
        "'folds' fits five folds, or as many as --folds says.",
        rich_help_panel=CHOICE,
    ),
]
Relax = Annotated[
    str | None,
    typer.Option(
        "--relax",
        metavar="PART",
        help="Solve for the coefficients of the chosen graphlets again with this part of the "
        "penalty, such as 0.1. auto, or several separated by commas, are chosen from.",
        rich_help_panel=CHOICE,
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", help="Which graphs are held out.", rich_help_panel=CHOICE)
]

# How good the model is.

Test = Annotated[
    float | None,
    typer.Option(
        "--test",
        help="Part of the graphs to keep aside, such as 0.2, and to predict once at the end; "
        "OUTPUT.test.csv lists them.",
        rich_help_panel=TESTING,
        callback=a_part,
    ),
]
Split = Annotated[
    SplitKind,
    typer.Option(
        "--split",
        help="Keep aside graphs at random, rare scaffolds, or the latest graphs.",
        rich_help_panel=TESTING,
    ),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        "--time-column",
        help="Column with the time of each molecule, to split by.",
        rich_help_panel=TESTING,
    ),
]
Stability = Annotated[
    int,
    typer.Option(
        "--stability",
        help="Fit so many times to half of the graphs, to see which graphlets come back.",
        rich_help_panel=TESTING,
        min=0,
    ),
]

# Limits and interruptions.

TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        help="Seconds after which to stop with the best model so far.",
        rich_help_panel=LIMITS,
        min=0.0,
    ),
]
MemoryLimit = Annotated[
    float | None,
    typer.Option(
        "--memory-limit",
        help="Megabytes that the search may use.",
        rich_help_panel=LIMITS,
        min=0.0,
    ),
]
CheckpointFolder = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        help="Folder that keeps an unfinished fit.",
        show_default="OUTPUT.checkpoint",
        rich_help_panel=LIMITS,
    ),
]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Continue an interrupted fit.", rich_help_panel=LIMITS),
]
