"""`aglets evaluate`: how good a model of this data will be on graphs it never saw."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from aglets.cli.fit_options import (
    Average,
    CovariateColumns,
    Covariates,
    Maxpats,
    Rhos,
    Targets,
    TimeColumn,
)
from aglets.cli.sources import AsJson, Jobs, Source, reads_graphs
from aglets.cli.tasks import Kind, estimator_for
from aglets.cli.test_part import SplitKind

EXAMPLES = (
    "aglets evaluate demo --folds 3 --rho 0.1 --maxpat 3",
    "aglets evaluate molecules.csv --target active --cv scaffold --scoring roc_auc",
    "aglets evaluate molecules.csv --smiles smiles --target active --folds 3 --maxpat 2 --json",
)


@reads_graphs
def evaluate(
    source: Source,
    task: Targets = Kind.auto,
    folds: Annotated[int, typer.Option("--folds", help="Parts to test on, in turn.", min=2)] = 5,
    cv: Annotated[
        SplitKind,
        typer.Option(
            "--cv",
            help="Take test parts at random, by scaffold, or by time.",
        ),
    ] = SplitKind.random,
    time_column: TimeColumn = None,
    scoring: Annotated[
        str | None,
        typer.Option(
            "--scoring",
            metavar="NAME",
            help="Metric, named as in scikit-learn: roc_auc, average_precision, r2, ...",
        ),
    ] = None,
    repeats: Annotated[
        int,
        typer.Option("--repeats", help="How many times to divide the graphs into parts.", min=1),
    ] = 1,
    maxpat: Maxpats = None,
    rho: Rhos = None,
    average: Annotated[
        Average,
        typer.Option(
            "--average", help="One model, or the mean of several; 'folds' fits five folds."
        ),
    ] = Average.none,
    covariates: Covariates = None,
    covariate_columns: CovariateColumns = None,
    seed: Annotated[int, typer.Option("--seed", help="How graphs are shuffled.")] = 0,
    jobs: Jobs = 1,
    as_json: AsJson = False,
) -> None:
    """Cross-validate: fit on most of the graphs, test on the rest, and say how good that is.

    All that a fit chooses is chosen without the test graphs, so the score is what to expect on new
    graphs. It is shown next to that of the size of graphs alone.
    """
    from aglets.evaluation import evaluate as evaluate_estimator

    graphs, y = source.load_with_targets()
    options: dict[str, Any] = {"average": average.value, "random_state": seed}
    options |= {"maxpats": tuple(maxpat)} if maxpat else {}
    options |= {"rhos": tuple(rho)} if rho else {}
    options |= {"covariates": covariates.value} if covariates is not None else {}
    estimator = estimator_for(y, task).set_params(**options)
    found = evaluate_estimator(
        estimator,
        graphs,
        y,
        cv=_parts(source, graphs, cv, folds, time_column, seed),
        scoring=scoring,
        n_repeats=repeats,
        covariates=source.covariates(covariate_columns, graphs),
        random_state=seed,
        n_jobs=jobs,
    )
    typer.echo(json.dumps(found.to_dict()) if as_json else str(found))


def _parts(
    source: Source, graphs: Any, kind: SplitKind, folds: int, time_column: str | None, seed: int
) -> Any:
    """Return what `evaluate` takes as ``cv``."""
    from aglets.datasets.splits import ScaffoldKFold, TimeFolds

    if kind is SplitKind.scaffold:
        return ScaffoldKFold(folds, random_state=seed)
    if kind is SplitKind.time:
        return TimeFolds(source.times(time_column, graphs), folds)
    return folds
