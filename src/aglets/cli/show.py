"""`aglets show`: the graphlets of a model as a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aglets.cli.sources import AsJson
from aglets.drawing.text import visible

if TYPE_CHECKING:
    from rich.console import Console

    from aglets.graphlets import Graphlet
    from aglets.model import LagraModel

EXAMPLES = ("aglets show demo.aglets",)

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A file that aglets fit wrote.")]

#: How many attributes of a node the table has room for.
WIDTH = 4


def show(
    model: Model,
    top: Annotated[
        int, typer.Option("--top", help="How many graphlets to show; 0 shows all.", min=0)
    ] = 20,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="Show attributes of atoms as numbers, not in words.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the graphlets of a model, the largest weights first, and the attributes of nodes."""
    from aglets.model.file import load

    loaded = load(model)
    order = sorted(range(len(loaded.graphlets)), key=lambda j: -abs(loaded.graphlets[j].coef or 0))
    shown = order[: top or None]
    if as_json:
        typer.echo(json.dumps(_document(loaded, shown)))
    else:
        print_model(loaded, shown, model.name, numbers=numbers)


def _document(model: LagraModel, shown: list[int]) -> dict[str, Any]:
    from aglets.explain.plain import label_text

    spec = model.input_spec
    classes = [
        None if target.classes is None else [label_text(v) for v in target.classes.tolist()]
        for target in model.outputs.targets
    ]
    return {
        "classes": classes[0] if len(classes) == 1 else classes,
        "targets": [name for name in model.outputs.target_names if name is not None],
        "target_column": model.target_column,
        "intercept": model.intercept.tolist(),
        "rho": model.rho if isinstance(model.rho, float) else model.rho.tolist(),
        "loss": model.loss,
        "scale": model.scaling.kind,
        "attribute_names": spec.attribute_names,
        "n_graphlets": len(model.graphlets),
        "covariates": _covariates(model),
        "fitted_with": model.version,
        "graphlets": [
            {
                "name": model.graphlets[j].name,
                "smarts": model.graphlets[j].smarts,
                "unit": model.graphlets[j].unit,
                "words": model.graphlets[j].node_words,
                "coef": model.coef[:, j].tolist(),
                "stability": None if model.stability is None else float(model.stability[j]),
                "labels": [label_text(label) for label in model.graphlets[j].labels],
                "edges": model.graphlets[j].edges.tolist(),
                "edge_labels": (
                    None
                    if model.graphlets[j].edge_labels is None
                    else [label_text(label) for label in model.graphlets[j].edge_labels or ()]
                ),
                "attributes": model.graphlets[j].attributes.tolist(),
            }
            for j in shown
        ],
    }


def _covariates(model: LagraModel) -> list[dict[str, Any]]:
    known = model.covariates
    if known is None:
        return []
    return [
        {
            "name": name,
            "coef": model.covariate_coef[:, j].tolist(),
            "mean": float(known.center[j]),
            "spread": float(known.spread[j]),
        }
        for j, name in enumerate(known.names)
    ]


def print_model(
    model: LagraModel, shown: list[int], name: str, *, numbers: bool = False, hints: bool = True
) -> None:
    """Print what a model is, the graphlets at these positions, and options that show more."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from aglets.explain.plain import NO_GRAPHLETS, names_of

    in_words = not numbers and all(graphlet.node_words for graphlet in model.graphlets)
    names = names_of(model.input_spec.attribute_names, model.input_spec.n_attributes)
    names = ("atom",) if in_words else names
    console = Console(highlight=False, emoji=False, markup=False)
    console.print(
        f"{visible(name)}: {len(model.graphlets)} graphlets, {_outputs(model)}, "
        f"rho {model.rho_text}, loss {model.loss}, fitted with aglets {visible(model.version)}",
        soft_wrap=True,
    )
    if model.input_spec.node_labels != "none":
        console.print("Labels are the degrees of nodes, as in d3 or d16..19.", soft_wrap=True)
    if model.search is not None:
        console.print(f"Searched {model.search}.", soft_wrap=True)
    table = Table(box=box.SIMPLE_HEAD, show_lines=bool(names))
    table.add_column("coef", justify="right", no_wrap=True)
    if model.n_outputs > 1:
        table.add_column("class" if len(model.outputs.targets) == 1 else "target", no_wrap=True)
    if model.stability is not None:
        table.add_column("stable", justify="right", no_wrap=True)
    table.add_column("graphlet", overflow="fold")
    if in_words:
        table.add_column("atoms")
    elif names:
        table.add_column("node", no_wrap=True)
        for name in names[:WIDTH]:
            table.add_column(visible(name), justify="right")
    for j in shown:
        graphlet = model.graphlets[j]
        cells = [f"{graphlet.coef:+.3f}"]
        if model.n_outputs > 1:
            cells.append(visible(_served(model, j)))
        if model.stability is not None:
            cells.append(f"{model.stability[j]:.0%}")
        cells.append(_named(graphlet))
        if in_words:
            cells.append("\n".join(graphlet.node_words or ()))
        elif names:
            cells += _numbered(model, graphlet)
        table.add_row(*cells)
    console.print(table if shown else NO_GRAPHLETS, soft_wrap=not shown)
    _print_covariates(model, console)
    if not hints:
        return
    if in_words and model.input_spec.n_attributes:
        console.print("Attributes are in words; --numbers shows the numbers.")
    if len(names) > WIDTH:
        console.print(f"{len(names) - WIDTH} more attributes; --json shows all.")
    if len(shown) < len(model.graphlets):
        more = len(model.graphlets) - len(shown)
        console.print(f"{more} more graphlet{'s' if more > 1 else ''}; --top 0 shows all.")


def _named(graphlet: Graphlet) -> str:
    """Write the name of a graphlet, below that of a functional group its SMARTS, and its unit."""
    from aglets.graphlets.smarts import short_smarts

    smarts = "" if graphlet.smarts is None else short_smarts(graphlet.smarts)
    lines = [graphlet.name]
    lines += [] if smarts in graphlet.name else [smarts]
    lines += [] if graphlet.unit is None else [graphlet.unit]
    return "\n".join(lines)


def _numbered(model: LagraModel, graphlet: Graphlet) -> list[str]:
    """Write the column of nodes and those of their attributes."""
    from aglets.graphlets.residue import without_residue
    from aglets.model.model import usual_attributes

    labels = map(visible, graphlet.labels)
    values = without_residue(graphlet.attributes, usual_attributes(model, graphlet))
    return [
        "\n".join(f"{v} {label}" for v, label in enumerate(labels)),
        *("\n".join(f"{value:.3g}" for value in column.tolist()) for column in values.T[:WIDTH]),
    ]


def _print_covariates(model: LagraModel, console: Console) -> None:
    """Print the covariates, which are not graphlets, in a table of their own."""
    from rich import box
    from rich.table import Table

    from aglets.explain.covariates import summaries_of

    found = summaries_of(model)
    if not found:
        return
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("by a standard deviation", justify="right")
    table.add_column("coef", justify="right")
    if model.n_outputs > 1:
        table.add_column("class" if len(model.outputs.targets) == 1 else "target", no_wrap=True)
    table.add_column("covariate", overflow="fold")
    table.add_column("mean", justify="right")
    for entry in found:
        cells = [f"{entry.effect:+.3f}", f"{entry.coef:+.3g}"]
        cells += [visible(entry.output)] if model.n_outputs > 1 else []
        table.add_row(*cells, visible(entry.name), f"{entry.center:.4g}")
    console.print(table)


def _served(model: LagraModel, j: int) -> str:
    """Name the output for which a graphlet weighs most, and count the others that it serves."""
    more = int((model.coef[:, j] != 0.0).sum()) - 1
    name = str(model.outputs.names[model.output[j]])
    return name if more < 1 else f"{name} +{more}"


def _outputs(model: LagraModel) -> str:
    targets = model.outputs.targets
    if len(targets) > 1:
        kinds = {target.kind for target in targets}
        if len(kinds) == 1:
            names = ", ".join(visible(target.name) for target in targets)
            return f"{len(targets)} targets of {kinds.pop()}: {names}"
        names = ", ".join(f"{visible(target.name)} ({target.kind})" for target in targets)
        return f"{len(targets)} targets: {names}"
    meaning = visible(targets[0].meaning)
    if model.n_outputs > 1:
        return meaning
    sign = "+" if model.outputs.single.binary else ""
    return f"{meaning} (intercept {model.intercept[0]:{sign}.3g})"
