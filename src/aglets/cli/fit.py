"""`aglets fit`: learn a model and write it to a file."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from aglets.cli import fit_options as given
from aglets.cli.engines import Address, EngineName, EngineOption, Shards, engine_of
from aglets.cli.outputs import check_output
from aglets.cli.sources import AsJson, Jobs, Source, reads_graphs
from aglets.cli.tasks import Kind, class_weights, estimator_for, size_leaks
from aglets.cli.test_part import SplitKind, target_columns, test_part
from aglets.drawing.text import visible

if TYPE_CHECKING:
    from rich.console import Console

    from aglets.cli.progress import Best, FitProgress
    from aglets.model import LagraModel
    from aglets.model.target import Target
    from aglets.training.fitting import Task

EXAMPLES = (
    "aglets fit demo -o demo.aglets",
    "aglets fit molecules.csv --smiles smiles --target active -o active.aglets --seed 0",
    "aglets fit molecules.csv --target 'NR-*,SR-*' -o tox.aglets --maxpat 2 --rho 0.1",
    "aglets fit demo -o demo.aglets --rho 0.1 --maxpat 3 --maxpat 4 --time-limit 60",
    "aglets fit molecules.csv --target active -o active.aglets --test 0.2 --split scaffold",
    "aglets fit demo -o demo.aglets --stability 20 --jobs 2",
    "aglets fit demo -o demo.aglets --rho 0.1 --maxpat 2 --engine sharded --shards 2",
)


DEGREES_NOTE = (
    "all nodes have the same label, so their degrees are the labels; --node-labels none leaves "
    "them as they are"
)


@reads_graphs
def fit(
    source: Source,
    output: given.Output = None,
    task: given.Targets = Kind.auto,
    maxpat: given.Maxpats = None,
    rho: given.Rhos = None,
    starts: given.Starts = None,
    loss: given.Loss = None,
    loss_option: given.LossOptions = None,
    class_weight: given.ClassWeights = None,
    sharing: given.Sharing = None,
    pooling: given.Pooling = None,
    count_scale: given.CountScales = given.CountScale.auto,
    node_labels: given.NodeLabels = given.Labelling.auto,
    covariates: given.Covariates = None,
    covariate_columns: given.CovariateColumns = None,
    covariate_penalty: given.CovariatePenalty = 0.0,
    n_lambdas: given.NLambdas = 100,
    rule: given.Rules = given.Rule.best,
    folds: given.Folds = None,
    average: given.Averages = given.Average.none,
    relax: given.Relax = None,
    seed: given.Seed = 0,
    test: given.Test = None,
    split: given.Split = SplitKind.random,
    time_column: given.TimeColumn = None,
    stability: given.Stability = 0,
    time_limit: given.TimeLimit = None,
    memory_limit: given.MemoryLimit = None,
    checkpoint: given.CheckpointFolder = None,
    resume: given.Resume = False,
    engine: EngineOption = EngineName.local,
    shards: Shards = None,
    address: Address = None,
    jobs: Jobs = 1,
    forget_graphs: given.ForgetGraphs = False,
    quiet: given.Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn graphlets that predict the class or the target, and write the model to a file.

    Part of the graphs is held out to choose rho, maxpat and lambda; then all graphs are used.
    Ctrl-C saves the best model so far, and --resume continues from there. Graphs of --test take no
    part in the fit: the finished model predicts them once.
    """
    from sklearn.base import is_classifier

    from aglets.cli.progress import FitProgress
    from aglets.explain.plain import NO_GRAPHLETS
    from aglets.training.checkpoint import Checkpoint, check_folder, fingerprint

    start = time.monotonic()
    placed = engine_of(engine, shards, address)
    target = output or Path(f"{Path(source.data).name.split('.')[0]}.aglets")
    check_output(target, source, what="the model")
    folder = checkpoint or target.with_name(target.name + ".checkpoint")
    found = check_folder(folder) is not None
    listed = target.with_name(f"{target.name}.test.csv")
    if test is not None:
        check_output(listed, source, what="the list of test graphs")
    everything = source.load_with_targets()
    graphs, y = everything
    estimator = estimator_for(y, task, loss, loss_option)
    options: dict[str, Any] = {"n_lambdas": n_lambdas, "random_state": seed, "n_jobs": jobs}
    options |= {"maxpats": tuple(maxpat)} if maxpat else {}
    options |= {"rhos": tuple(rho)} if rho else {}
    options |= {"starts": tuple(starts)} if starts else {}
    options |= {"average": average.value}
    options |= {"cv": folds} if folds else {}
    options |= class_weights(class_weight, estimator, y)
    options |= {"rule": rule.value}
    options |= {"pooling": _pooling(pooling)} if pooling else {}
    options |= {"sharing": _sharing(sharing)} if sharing else {}
    options |= {"relax": _relax(relax)} if relax else {}
    options |= {"count_scale": count_scale.value, "node_labels": node_labels.value}
    all_own = own = source.covariates(covariate_columns, graphs)
    aside = None
    if test is not None:
        aside = test_part(
            source,
            graphs,
            y,
            test,
            split,
            time_column=time_column,
            classes=is_classifier(estimator),
            seed=seed,
        )
        graphs, y = graphs[aside.train], y[aside.train]
        own = None if own is None else own[aside.train]
    if covariates is not None or own is not None:
        built_in = None if covariates is None else covariates.value
        options |= {"covariates": built_in, "covariate_penalty": covariate_penalty}
    options |= {"max_bytes": int(memory_limit * 2**20)} if memory_limit is not None else {}
    options |= {"engine": placed} if placed is not None else {}
    estimator.set_params(**options)
    key = fingerprint(graphs, y, estimator.get_params(), own)
    with Checkpoint(folder, key, resume=resume) as kept:
        progress = FitProgress(kept, seconds=time_limit, shown=not (quiet or as_json))
        model, ended = _fitted(estimator, graphs, y, progress, own)
        model = model.without_training_graphs() if forget_graphs else model
        model = replace(model, target_column=source.target_column(model))
        model.save(target)
        if ended is None:
            kept.delete()
    if ended is None and stability:
        rates = estimator.stability(graphs, y, n_rounds=stability, covariates=own)
        model = replace(model, stability=rates)
        model.save(target)
    tested = None
    if aside is not None:
        decided = aside.decisions(model, everything[0], all_own)
        tested = {**aside.result(model, decided, everything[1]), "file": str(listed)}
        # The list can be read again if it has all that the model needs.
        whole = everything[0].smiles is not None and all_own is None
        tested["report"] = _report_on(target, listed, model) if whole else None
        aside.write(listed, model, decided, *everything)
    seconds = time.monotonic() - start
    summary = _summary(model, progress, estimator, target, seconds, ended)
    summary["test"] = tested
    summary["warnings"] = size_leaks(graphs, y) if covariates is None else []
    if node_labels is given.Labelling.auto and model.input_spec.node_labels == "degree":
        summary["warnings"].append(DEGREES_NOTE)
    summary["warnings"] += _smaller_than_asked(summary, maxpat)
    summary["warnings"] += [] if model.graphlets else [NO_GRAPHLETS]
    if as_json:
        typer.echo(json.dumps(summary))
    elif not quiet:
        _print(summary, model.rho_text, resumed=resume and found, folder=folder)
    if ended == "interrupted":
        raise typer.Exit(1)


def _report_on(target: Path, listed: Path, model: LagraModel) -> str:
    """Write the command that reports on the test graphs; a model knows the columns it is from."""
    words = ["aglets", "report", str(target), str(listed)]
    names, known = target_columns(model), {model.target_column, *model.outputs.target_names}
    words += [] if set(names) <= known else ["--target", ",".join(names)]
    return shlex.join([*words, "-o", "report.html"])


def _smaller_than_asked(summary: dict[str, Any], maxpats: Sequence[int] | None) -> list[str]:
    """Say that the grid preferred graphlets smaller than every --maxpat: several starts do."""
    reached, starts = summary["maxpat"], summary["starts"]
    if not maxpats or reached is None or reached >= min(maxpats):
        return []
    if starts == 1:
        return [f"the search ended at graphlets of {reached} nodes: its budget was used up"]
    return [
        f"graphlets of up to {reached} nodes with {starts} starts per label did best, so they are "
        f"smaller than --maxpat {min(maxpats)}; --starts 1 keeps to that size"
    ]


def _sharing(text: str) -> str | float:
    """Return how outputs share graphlets: a name, or a number from 0 to 1."""
    if text in ("auto", "group", "none"):
        return text
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise ValueError(
            "Expected --sharing with auto, group, none or a number from 0 to 1. "
            f"Got {text!r} instead."
        )
    return value


def _relax(text: str) -> str | list[float]:
    """Return the parts of the penalty that a comma-separated text names, or auto."""
    if text == "auto":
        return text
    try:
        parts = [float(part) for part in text.split(",")]
    except ValueError:
        parts = [0.0]
    if not all(0.0 < part <= 1.0 for part in parts):
        raise ValueError(
            "Expected --relax with auto, or one or more numbers above 0 and up to 1, as in 1,0.1. "
            f"Got {text!r} instead."
        )
    return parts


def _pooling(text: str) -> tuple[str, ...]:
    """Return the channels that a comma-separated text names."""
    from aglets.mining.arguments import checked_pooling

    try:
        return checked_pooling([name.strip() for name in text.split(",")])
    except ValueError:
        raise ValueError(
            "Expected --pooling with one or more of best, sum and mean, each once, as in "
            f"best,sum. Got {text!r} instead."
        ) from None


def _fitted(
    estimator: Any, graphs: Any, y: Any, progress: FitProgress, own: Any
) -> tuple[LagraModel, str | None]:
    """Return the model, or the best one so far, and what ended the fit before its time."""
    from aglets.cli.progress import OutOfTimeError, interruptible
    from aglets.mining import BudgetError
    from aglets.training.assembly import model_of

    try:
        with interruptible(), progress.display:
            estimator.fit(graphs, y, callback=progress, covariates=own)
        return estimator.model_, None
    except KeyboardInterrupt:
        ended = "interrupted"
    except OutOfTimeError:
        ended = "time limit"
    except BudgetError:
        ended = "memory limit"
    except ConnectionError:
        raise
    except OSError as error:
        folder = progress.checkpoint.folder
        raise ValueError(
            f"Could not write {error.filename or 'a file'} of the checkpoint {folder} "
            f"({error.strerror}); make room, and go on with --resume."
        ) from error
    best = _best_so_far(progress, ended)
    found = model_of(best.points, best.paths, best.training_set.input_spec, estimator.outputs_)
    estimator.adopt(found, graphs, y, held_out=best.held_out, covariates=own)
    return estimator.model_, ended


#: How a fit ended before its time -> how to say so, and what to do if there is no model yet.
_ENDS = {
    "interrupted": ("Interrupted", "go on later with --resume"),
    "time limit": ("The time is over", "give it more with --time-limit"),
    "memory limit": (
        "The search needs more than the memory limit",
        "raise --memory-limit, or lower --maxpat",
    ),
}


def _best_so_far(progress: FitProgress, ended: str) -> Best:
    if progress.best is None:
        what, remedy = _ENDS[ended]
        raise ValueError(f"{what}, and there is no model to save yet; {remedy}.")
    return progress.best


def _summary(
    model: LagraModel,
    progress: FitProgress,
    estimator: Any,
    path: Path,
    seconds: float,
    ended: Any,
) -> dict[str, Any]:
    averaged = ended is None and estimator.average != "none"
    # What is said of one point of the grid is not true of an average.
    fitted = ended is None and not averaged
    best = progress.best
    score = None
    if fitted:
        index = estimator.best_index_ % estimator.n_lambdas
        scores = [
            values[index]
            for task, values in progress.scores.items()
            if _is_chosen(task, estimator) and task.stage != "refit" and index < len(values)
        ]
        known = [value for value in scores if value is not None]
        whole = known and len(known) == len(scores) and estimator.relax_ == 1.0
        score = sum(known) / len(known) if whole else None
    elif best is not None and len(best.points) == 1 and not averaged:
        score = best.points[0].validation_score
    targets = model.outputs.targets
    classes = [None if t.classes is None else [str(v) for v in t.classes] for t in targets]
    single = len(targets) == 1
    return {
        "model": str(path),
        "ended": ended or "finished",
        "targets": [t.name for t in targets if t.name is not None],
        "classes": classes[0] if single else classes,
        "n_graphlets": len(model.graphlets),
        "validation_score": score,
        "score_name": _score_name(targets[0], estimator) if single else "mean score",
        "held_out": estimator.held_out_metrics_,
        "rho": model.rho if isinstance(model.rho, float) else model.rho.tolist(),
        "maxpat": estimator.maxpat_ if fitted else None,
        "starts": estimator.starts_ if fitted else None,
        "pooling": list(estimator.pooling_) if fitted else None,
        "count_scale": estimator.count_scale_ if fitted else None,
        "node_labels": model.input_spec.node_labels,
        "lambda_ratio": estimator.lambda_ratio_ if fitted else None,
        "relax": estimator.relax_ if fitted else None,
        "members": len(estimator.members_) if averaged else 1,
        "seconds": round(seconds, 3),
        "paths_resumed": progress.n_resumed,
    }


def _score_name(target: Target, estimator: Any) -> str:
    """Name what validation graphs are scored by; with class weights they count in it, too."""
    weights = None if target.classes is None else estimator.class_weight
    if weights is None:
        return target.score_name
    return f"{'balanced' if weights == 'balanced' else 'weighted'} {target.score_name}"


def _is_chosen(task: Task, estimator: Any) -> bool:
    """Whether a path is of the cell that was chosen."""
    from aglets.training.fitting import Task

    names = [name for name in Task._fields if name not in ("stage", "node_labels")]
    same = all(getattr(task, name) == getattr(estimator, f"{name}_") for name in names)
    return same and task.node_labels == estimator.node_labels_


def _by_target(metrics: dict[str, Any]) -> list[tuple[str, dict[str, float]]]:
    """List metrics of each target, with the words that say whose they are."""
    if not any(isinstance(part, dict) for part in metrics.values()):
        return [("", metrics)]
    return [(f", {name}", found) for name, found in metrics.items()]


def _print_test(tested: dict[str, Any], console: Console) -> None:
    from aglets.model.metrics import text_of

    for of, found in _by_target(tested["metrics"]):
        console.print(
            f"Test on {tested['n_test']} graphs kept aside ({tested['split']} split){of}: "
            f"{text_of(found)}",
            markup=False,
        )
    file = visible(tested["file"])
    console.print(f"{file}: these graphs, and their predictions", markup=False)
    if tested["report"] is not None:
        console.print(f"A report on them: {visible(tested['report'])}", markup=False)


def _print(summary: dict[str, Any], rho_text: str, *, resumed: bool, folder: Path) -> None:
    from rich.console import Console

    from aglets.model.metrics import text_of

    console = Console(highlight=False, emoji=False, soft_wrap=True)
    parts = [f"{summary['n_graphlets']} graphlets"]
    parts += [f"{len(summary['targets'])} targets"] if summary["targets"] else []
    if summary["validation_score"] is not None:
        parts.append(f"validation {summary['score_name']} {summary['validation_score']:.3f}")
    if summary["members"] != 1:
        parts.append(f"mean of {summary['members']} models")
    parts.append(f"rho {rho_text}")
    if summary["maxpat"] is not None:
        parts.append(f"maxpat {summary['maxpat']}, lambda/lambda_max {summary['lambda_ratio']:.3g}")
        if summary["starts"] != 1:
            parts.append(f"{summary['starts']} starts per label")
        if summary["relax"] != 1.0:
            parts.append(f"relaxed to {summary['relax']:.3g} of the penalty")
    parts.append(f"{summary['seconds']:.1f} s")
    if resumed:
        parts.append(f"{summary['paths_resumed']} paths taken from the checkpoint")
    if summary["ended"] != "finished":
        console.print(
            f"{_ENDS[summary['ended']][0]}: this is the best model so far, and --resume goes on "
            f"from {folder}.",
            markup=False,
            style="yellow",
        )
    console.print(f"{visible(summary['model'])}: {', '.join(parts)}", markup=False)
    if summary["held_out"]:
        for of, found in _by_target(summary["held_out"]):
            text = text_of(found)
            console.print(f"Held-out graphs, used to choose{of}: {text}", markup=False)
    if summary["test"] is not None:
        _print_test(summary["test"], console)
    for text in summary["warnings"]:
        console.print(f"Note: {visible(text)}", markup=False, style="yellow")
