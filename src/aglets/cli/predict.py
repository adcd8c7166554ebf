"""`aglets predict`: apply a model to graphs, a few at a time, in the order of the file."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from aglets.cli.names import a_part
from aglets.cli.outputs import check_output, refuse_inputs
from aglets.cli.reasons import Asked, column_per_target, reason_columns, reasons
from aglets.cli.row_notes import RowNotes
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
    "aglets predict demo.aglets new.smi --alpha 0.05",
)

#: Rows that a process takes at a time: enough to be quick, few enough to be small.
BATCH = 1000


@reads_graphs
def predict(
    model: Model,
    source: Source,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A .csv, .jsonl or .parquet file.", show_default="the screen"
        ),
    ] = None,
    to: Annotated[
        OutputFormat | None,
        typer.Option("--to", help="Format to write.", show_default="by the ending"),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", help="Number of processes.", min=1)] = 1,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Name the graphlets that contribute most, and where they match."
        ),
    ] = False,
    alpha: Annotated[
        float | None,
        typer.Option(
            "--alpha",
            help="Add prediction sets of classes, or intervals of numbers, that miss the truth in "
            "this share of cases.",
            show_default="none; 0.1 with --explain",
            callback=a_part,
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no summary.")] = False,
) -> None:
    """Predict every graph of DATA: one row each, in the same order, with all columns of DATA.

    Large files of molecules are read a few rows at a time. A row that cannot be read keeps its
    place, with the reason in the column "error". Nothing is written before one row could be read.
    If the command is interrupted, the rows so far stay in OUTPUT.part. Covariates of the model are
    taken from the columns with their names.
    """
    from rich.console import Console

    from aglets.model.file import load
    from aglets.writing import part_of

    if output is not None:
        check_output(output, source, model, what="predictions")
        refuse_inputs(part_of(output), [model, *source.paths()], what="predictions")
    check_format(output, to)
    loaded = load(model)
    asked = Asked(explain, alpha)
    _check_conformal(loaded, asked)
    notes = RowNotes()
    results = _results(source, loaded, model, jobs, asked)
    first = _until_readable(results, source.data)
    copied = _copied(first)
    columns = _named_apart(copied, _columns(loaded, asked))
    with opened_writer(output, to, columns.kinds, copied) as writer:
        for result in chain(first, results):
            writer.write([columns.joined(row) for row in result.rows])
            notes.add(result.notes)
    if not quiet:
        stderr = Console(stderr=True, soft_wrap=True, highlight=False, emoji=False, markup=False)
        for text in notes.sentences():
            stderr.print(f"Note: {text}", style="yellow")
        if output is not None:
            stderr.print(f"{visible(output)}: {notes.n_rows - len(notes.failures)} predictions")


def _check_conformal(model: LagraModel, asked: Asked) -> None:
    """Refuse sets and intervals that a model cannot give."""
    if asked.alpha is not None and model.conformal is None:
        raise ValueError(
            "Expected a model that was judged on held-out graphs for --alpha, but this one holds "
            "no record of them; fit it again with aglets fit."
        )


class Result(NamedTuple):
    """Rows to write, each with the columns of DATA and those of the model, and notes on them."""

    rows: list[tuple[Mapping[str, Any], dict[str, Any]]]
    notes: RowNotes


def _until_readable(results: Iterator[Result], data: str) -> list[Result]:
    """Take results up to the first with a prediction; if none has one, nothing shall be written."""
    from aglets.io.failures import summary

    taken: list[Result] = []
    failures: list[Failure] = []
    for result in results:
        taken.append(result)
        failures += result.notes.failures
        if len(result.notes.failures) < result.notes.n_rows:
            return taken
    if failures:
        raise ValueError(
            f"Expected molecules or graphs in {data}, but none of its {len(failures)} rows could "
            f"be read: {summary(failures)}; nothing is written."
        )
    return taken


def _copied(results: Iterable[Result]) -> dict[str, type]:
    """Name the columns of DATA with their types, as far as the first rows show."""
    kinds: dict[str, set[type]] = {}
    for result in results:
        for own, _ in result.rows:
            for name, value in own.items():
                kinds.setdefault(name, set()).update(() if value is None else (type(value),))
    return {
        name: found.pop() if len(found) == 1 and found <= {int, float, bool} else str
        for name, found in kinds.items()
    }


class ModelColumns(NamedTuple):
    """All columns in their order, and what those that the model adds are called."""

    kinds: dict[str, type]
    names: dict[str, str]
    copied: Container[str]

    def joined(self, row: tuple[Mapping[str, Any], dict[str, Any]]) -> dict[str, Any]:
        """Put a row of DATA and what the model says of it side by side."""
        own = {name: value for name, value in row[0].items() if name in self.copied}
        return own | {self.names[name]: value for name, value in row[1].items()}


def _named_apart(copied: Mapping[str, type], added: Mapping[str, type]) -> ModelColumns:
    """Rename columns of the model that DATA has, too: the user's keep their names."""
    names = {name: f"aglets_{name}" if name in copied else name for name in added}
    first, *rest = added
    order = {names[first]: added[first], **copied, **{names[name]: added[name] for name in rest}}
    return ModelColumns(order, names, copied)


def _results(
    source: Source, model: LagraModel, path: Path, jobs: int, asked: Asked
) -> Iterator[Result]:
    """Yield rows to write and failures, batch by batch."""
    from aglets.io.files import format_of
    from aglets.io.stream import STREAMED, batches

    is_file = source.data == STDIN or Path(source.data).is_file()
    kind = format_of(source.data, source.options.format) if is_file else None
    if kind not in STREAMED:
        yield from _whole(source, model, asked)
        return
    raws = batches(source.data, source.options, BATCH)
    if jobs == 1:
        for rows in raws:
            yield _with_columns(rows, _predicted(model, rows, kind, asked))
        return
    yield from _side_by_side(raws, path, kind, jobs, asked)


def _whole(source: Source, model: LagraModel, asked: Asked) -> Iterator[Result]:
    """Predict graphs of a format that is read as a whole."""
    spec = model.input_spec
    graphs, _ = source.like(spec.recipe, edge_labels=spec.edge_vocabulary is not None).load()
    for start in range(0, len(graphs), BATCH):
        part = graphs[start : start + BATCH]
        rows = range(start, start + len(part))
        notes = RowNotes(len(part))
        notes.note_labels(spec, part, rows)
        predictions, bare = _predictions(model, part, asked)
        notes.bare += [rows[position] for position in bare]
        yield Result(
            [({}, {"row": row} | p) for row, p in zip(rows, predictions, strict=True)], notes
        )


_worker: dict[str, Any] = {}


def _start(path: Path) -> None:
    import signal

    from aglets.model.file import load

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent answers Ctrl-C
    _worker["model"] = load(path)


def _work(rows: list[Raw], kind: str, asked: Asked) -> Predicted:
    return _predicted(_worker["model"], rows, kind, asked)


def _side_by_side(
    raws: Iterable[list[Raw]], path: Path, kind: str, jobs: int, asked: Asked
) -> Iterator[Result]:
    """Let several processes work, hand results on in order, and read no further than needed."""
    # Fresh processes: those forked off this one would share locks and threads that they lack.
    context = get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=_start, initargs=(path,)) as pool:
        waiting: deque[tuple[list[Raw], Future[Predicted]]] = deque()
        for rows in raws:
            waiting.append((rows, pool.submit(_work, rows, kind, asked)))
            if len(waiting) > 2 * jobs:
                first, done = waiting.popleft()
                yield _with_columns(first, done.result())
        for rest, done in waiting:
            yield _with_columns(rest, done.result())


Predicted = tuple[list[dict[str, Any]], RowNotes]


def _with_columns(rows: list[Raw], predicted: Predicted) -> Result:
    written, notes = predicted
    return Result([(raw.columns, one) for raw, one in zip(rows, written, strict=True)], notes)


def _predicted(model: LagraModel, rows: list[Raw], kind: str, asked: Asked) -> Predicted:
    """Predict some rows: what to write of each, and what to note of them."""
    from aglets.io.stream import graphs_of

    own, lacking = _own_covariates(model, rows)
    readable = [raw for raw in rows if raw.row not in lacking]
    batch = graphs_of(readable, kind, model.input_spec.recipe)
    failures = sorted([*batch.failures, *lacking.values()])
    notes = RowNotes(len(rows), failures, batch.imputed)
    written: list[dict[str, Any]] = [{"row": raw.row} for raw in rows]
    first = rows[0].row
    if batch.graphs is not None:
        kept = [readable[position].row for position in batch.kept]
        notes.note_labels(model.input_spec, batch.graphs, kept)
        table = None if own is None else [own[row] for row in kept]
        predictions, bare = _predictions(model, batch.graphs, asked, table)
        notes.bare += [kept[position] for position in bare]
        for row, values in zip(kept, predictions, strict=True):
            written[row - first].update(values)
    for failure in failures:
        written[failure.row - first]["error"] = failure.reason
    return written, notes


def _own_covariates(
    model: LagraModel, rows: list[Raw]
) -> tuple[dict[int, list[float]] | None, dict[int, Failure]]:
    """Take the user's covariates by row, and the rows that lack one; None if there are none."""
    from aglets.io.failures import Failure
    from aglets.io.table import number_in

    names = () if model.covariates is None else model.covariates.own
    if not names:
        return None, {}
    table, lacking = {}, {}
    for raw in rows:
        values = [number_in(raw.columns, name) for name in names]
        faults = [value for value in values if isinstance(value, str)]
        if faults:
            lacking[raw.row] = Failure(raw.row, faults[0], raw.line)
        else:
            table[raw.row] = [float(value) for value in values]
    return table, lacking


def _columns(model: LagraModel, asked: Asked) -> dict[str, type]:
    """Name the columns of the output with their types."""
    import numpy as np

    kinds = {"i": int, "u": int, "f": float, "b": bool}
    predicted = {
        name: kinds.get(target.decode(np.zeros((0, target.n_outputs))).dtype.kind, str)
        for name, target in zip(
            column_per_target(model, "prediction"), model.outputs.targets, strict=True
        )
    }
    return {
        "row": int,
        **predicted,
        **dict.fromkeys(model.outputs.value_names(model.probabilistic), float),
        **reason_columns(model, asked),
        "error": str,
    }


def _predictions(
    model: LagraModel, graphs: Any, asked: Asked, covariates: Any = None
) -> tuple[list[dict[str, Any]], list[int]]:
    """Predict graphs; also list those that only the intercept says something of."""
    scaled = model.input_spec.to_model_units(graphs, warn=False)  # noted for all rows together
    psi, embeddings = model.agis_scaled(scaled, return_embeddings=True)
    covariate_values = model.covariate_values(graphs, covariates)
    f = model.outputs.as_table(model.decision_from_agis(psi, covariate_values))
    names = model.outputs.value_names(model.probabilistic)
    values = model.outputs.values(f, model.probabilities_from_decision(f)).tolist()
    parts = list(zip(model.outputs.targets, model.outputs.slices, strict=True))
    predicted = [target.decode(f[:, own]).tolist() for target, own in parts]
    called = column_per_target(model, "prediction")
    added = reasons(model, scaled, psi, embeddings, f, covariate_values, asked)
    rows: list[dict[str, Any]] = [
        {**dict(zip(called, one, strict=True)), **dict(zip(names, numbers, strict=True)), **more}
        for one, numbers, more in zip(zip(*predicted, strict=True), values, added, strict=True)
    ]
    if not model.graphlets or model.covariates is not None:
        return rows, []
    found = (any(embedding is not None for embedding in row) for row in embeddings)
    return rows, [i for i, occurs in enumerate(found) if not occurs]
