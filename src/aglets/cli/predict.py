"""`aglets predict`: apply a model to graphs, a few at a time, in the order of the file."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aglets.cli.outputs import check_output, refuse_inputs
from aglets.cli.show import Model
from aglets.cli.sources import STDIN, Source, reads_graphs
from aglets.cli.tables import OutputFormat, check_format, opened_writer
from aglets.drawing.text import visible

if TYPE_CHECKING:
    from aglets.io.failures import Failure
    from aglets.io.stream import Raw
    from aglets.model import LagraModel

EXAMPLES = (
    "aglets predict demo.aglets new.smi",
    "aglets predict demo.aglets molecules.csv --smiles smiles -o predictions.csv --jobs 2",
    "aglets predict demo.aglets new.smi --explain",
)

#: Rows that a process takes at a time: enough to be quick, few enough to be small.
BATCH = 1000
#: Graphlets that an explanation names.
MAX_REASONS = 3


@reads_graphs
def predict(
    model: Model,
    source: Source,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A .csv, .jsonl or .parquet file; else the screen."),
    ] = None,
    to: Annotated[
        OutputFormat | None, typer.Option("--to", help="Format to write; else by the ending.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", help="Number of processes.", min=1)] = 1,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Name the graphlets that weigh most, and where they match."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no summary.")] = False,
) -> None:
    """Predict every graph of DATA, in its order.

    Large files of molecules are read a few rows at a time. A row that cannot be read keeps its
    place, with the reason in the column "error". If it is interrupted, what there is so far stays
    as OUTPUT.part.
    """
    from rich.console import Console

    from aglets.io.failures import summary
    from aglets.model.file import load
    from aglets.writing import part_of

    if output is not None:
        check_output(output, source, model, what="predictions")
        refuse_inputs(part_of(output), [model, *source.paths()], what="predictions")
    check_format(output, to)
    loaded = load(model)
    n_rows, failures = 0, []
    results = _results(source, loaded, model, jobs, explain)
    first = next(results, ([], []))  # nothing is written before it is known that DATA can be read
    with opened_writer(output, to, _columns(loaded, explain)) as writer:
        for rows, failed in chain([first], results):
            writer.write(rows)
            n_rows += len(rows)
            failures += failed
    if not quiet:
        stderr = Console(stderr=True, soft_wrap=True, highlight=False, markup=False)
        if failures:
            stderr.print(
                f"Note: {len(failures)} of {n_rows} rows could not be read: "
                f"{visible(summary(failures))}.",
                style="yellow",
            )
        if output is not None:
            stderr.print(f"{visible(output)}: {n_rows - len(failures)} predictions")


Result = tuple[list[dict[str, Any]], "list[Failure]"]


def _results(
    source: Source, model: LagraModel, path: Path, jobs: int, explain: bool
) -> Iterator[Result]:
    """Yield rows to write and failures, batch by batch."""
    from aglets.io.files import format_of
    from aglets.io.stream import STREAMED, batches

    is_file = source.data == STDIN or Path(source.data).is_file()
    kind = format_of(source.data, source.options.format) if is_file else None
    if kind not in STREAMED:
        yield from _whole(source, model, explain)
        return
    raws = batches(source.data, source.options, BATCH)
    if jobs == 1:
        yield from (_predicted(model, rows, kind, explain) for rows in raws)
        return
    yield from _side_by_side(raws, path, kind, jobs, explain)


def _whole(source: Source, model: LagraModel, explain: bool) -> Iterator[Result]:
    """Predict graphs of a format that is read as a whole."""
    spec = model.input_spec
    graphs, _ = source.like(spec.recipe, edge_labels=spec.edge_vocabulary is not None).load()
    for start in range(0, len(graphs), BATCH):
        part = graphs[start : start + BATCH]
        predictions = _predictions(model, part, explain)
        yield [{"row": start + i, **values} for i, values in enumerate(predictions)], []


_worker: dict[str, Any] = {}


def _start(path: Path) -> None:
    import signal

    from aglets.model.file import load

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent answers Ctrl-C
    _worker["model"] = load(path)


def _work(rows: list[Raw], kind: str, explain: bool) -> Result:
    return _predicted(_worker["model"], rows, kind, explain)


def _side_by_side(
    raws: Iterable[list[Raw]], path: Path, kind: str, jobs: int, explain: bool
) -> Iterator[Result]:
    """Let several processes work, hand results on in order, and read no further than needed."""
    # Fresh processes: those forked off this one would share locks and threads that they lack.
    context = get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=_start, initargs=(path,)) as pool:
        waiting: deque[Future[Result]] = deque()
        for rows in raws:
            waiting.append(pool.submit(_work, rows, kind, explain))
            if len(waiting) > 2 * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _predicted(model: LagraModel, rows: list[Raw], kind: str, explain: bool) -> Result:
    from aglets.io.stream import graphs_of

    batch = graphs_of(rows, kind, model.input_spec.recipe)
    written: list[dict[str, Any]] = [{"row": raw.row, "input": raw.name} for raw in rows]
    if batch.graphs is not None:
        predictions = _predictions(model, batch.graphs, explain)
        for position, values in zip(batch.kept, predictions, strict=True):
            written[position].update(values)
    first = rows[0].row
    for failure in batch.failures:
        written[failure.row - first]["error"] = failure.reason
    return written, batch.failures


def _columns(model: LagraModel, explain: bool) -> dict[str, type]:
    """Name the columns of the output with their types."""
    import numpy as np

    predicted = model.outputs.decode(np.zeros((0, model.n_outputs)))
    kind = {"i": int, "u": int, "f": float, "b": bool}.get(predicted.dtype.kind, str)
    return {
        "row": int,
        "input": str,
        "prediction": kind,
        **dict.fromkeys(model.outputs.value_names, float),
        **({"explanation": str} if explain else {}),
        "error": str,
    }


def _predictions(model: LagraModel, graphs: Any, explain: bool) -> list[dict[str, Any]]:
    psi, embeddings = model.agis(graphs, return_embeddings=True)
    covariate_values = model.covariate_values(graphs)
    f = model.outputs.as_table(model.decision_from_agis(psi, covariate_values))
    names, values = model.outputs.value_names, model.outputs.values(f).tolist()
    rows: list[dict[str, Any]] = [
        {"prediction": prediction, **dict(zip(names, numbers, strict=True))}
        for prediction, numbers in zip(model.outputs.decode(f).tolist(), values, strict=True)
    ]
    if explain:
        for i, row in enumerate(rows):
            output = model.outputs.single.decisive_output(f[i])
            row["explanation"] = _reasons(
                model,
                model.coef[output] * psi[i],
                embeddings[i],
                model.covariate_coef[output] * covariate_values[i],
            )
    return rows


def _reasons(model: LagraModel, contributions: Any, embeddings: Any, covariate_values: Any) -> str:
    """Name what contributes most: graphlets with the nodes they match, and covariates."""
    parts = [
        (
            contribution,
            f"{model.graphlets[j].name} {contribution:+.3g} "
            f"at {'-'.join(map(str, embeddings[j].tolist()))}",
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
