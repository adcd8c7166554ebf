"""Which graphs a command takes: options that commands share, and loading."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import numpy.typing as npt
import typer

from aglets.cli.names import format_names, named, pairs

if TYPE_CHECKING:
    from aglets import GraphSet
    from aglets.io.files import ReadOptions
    from aglets.io.labelled import Labelled
    from aglets.io.table import NumberTable
    from aglets.model import LagraModel

#: Inside the package: `datasets.load_demo` and so on.
EMBEDDED = ("demo", "acids", "hydration", "toxicity")
#: Standard input.
STDIN = "-"
PANEL = "How to read DATA"


class Component(str, Enum):
    """Which connected component of every graph to keep."""

    first = "first"
    largest = "largest"


class Coordinates(str, Enum):
    """Which coordinates of atoms become attributes."""

    two = "2d"
    three = "3d"


class Failures(str, Enum):
    """What to do about rows that cannot be read."""

    skip = "skip"
    fail = "raise"


def _option(*names: str, help: str, show_default: bool | str = True) -> Any:
    return typer.Option(*names, help=help, show_default=show_default, rich_help_panel=PANEL)


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A file of molecules or graphs, the name or folder of a TU data set, or a set of the "
        "package: demo, acids, hydration, toxicity.",
    ),
]
FormatOption = Annotated[
    str | None,
    named(
        "--format",
        format_names,
        metavar="FORMAT",
        help="Format of the file, such as csv, smi, sdf, json, tu.",
        show_default="by its ending",
        rich_help_panel=PANEL,
    ),
]
FormatOptions = Annotated[
    list[str] | None,
    _option("--format-option", help="NAME=VALUE: an option that only this format has."),
]
Target = Annotated[
    str | None,
    _option(
        "--target",
        help="Column, property or key to predict; several as in A,B or 'NR-*'.",
    ),
]
Smiles = Annotated[
    str | None, _option("--smiles", help="Column of SMILES in a table.", show_default="smiles")
]
IdColumn = Annotated[
    str | None, _option("--id-column", help="Column or property with the id of each molecule.")
]
NameColumn = Annotated[
    str | None, _option("--name-column", help="Column or property with the name of each molecule.")
]
Separator = Annotated[
    str | None,
    _option(
        "--separator",
        help="What separates the columns of a text table.",
        show_default="comma; tab for .tsv",
    ),
]
LabelKey = Annotated[str | None, _option("--label", help="Key of node labels in JSON.")]
Attributes = Annotated[
    str | None,
    _option(
        "--attributes",
        help="Names of atom attributes, or keys in JSON, separated by commas; 'none' for none.",
    ),
]
EdgeLabelKey = Annotated[str | None, _option("--edge-label", help="Key of edge labels in JSON.")]
EdgeAttributes = Annotated[
    str | None,
    _option("--edge-attributes", help="Keys of edge attributes in JSON, separated by commas."),
]
EdgeLabels = Annotated[
    bool | None,
    _option(
        "--edge-labels/--no-edge-labels",
        help="Whether to use the labels of edges.",
        show_default="yes for molecules and gSpan files, else no",
    ),
]
LabelWith = Annotated[
    str | None,
    _option(
        "--label-with",
        help="What labels of atoms hold in addition to the element, separated by commas: "
        "aromaticity, charge, hydrogens, ring, hybridisation, stereo; or none.",
        show_default="aromaticity,charge",
    ),
]
CoordinatesOption = Annotated[
    Coordinates | None,
    _option("--coordinates", help="Add the coordinates of atoms to their attributes."),
]
Hydrogens = Annotated[bool, _option("--hydrogens", help="Take hydrogens as nodes, too.")]
ComponentOption = Annotated[
    Component | None,
    _option("--component", help="Keep only one connected component of every graph."),
]
ErrorsOption = Annotated[
    Failures, _option("--errors", help="Leave out rows that cannot be read, or stop with an error.")
]

Jobs = Annotated[int, typer.Option("--jobs", help="Number of threads; -1 takes all.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@dataclass(frozen=True)
class Source:
    """Where graphs come from, as given on the command line."""

    data: str
    options: ReadOptions
    component: str | None = None

    def load(self) -> tuple[GraphSet, npt.NDArray[Any] | None]:
        """Return the graphs and, if there are any, their targets."""
        from aglets import datasets
        from aglets.datasets.components import keep_component
        from aglets.io.files import format_of, read_file
        from aglets.io.registry import FORMATS

        path = Path(self.data)
        y: npt.NDArray[Any] | None
        if self._is_embedded():
            FORMATS["tu"].check(self.options)
            graphs, y = getattr(datasets, f"load_{self.data}")()
            if self.options.edge_labels is False:
                graphs = replace(graphs, edge_labels=None, edge_vocabulary=None)
        elif self._is_name():
            FORMATS["tu"].check(self.options)
            graphs, y = datasets.load_tu(self.data, edge_labels=self.options.edge_labels)
        else:
            format_of(path, self.options.format)
            graphs, y = read_file(path, self.options)
        if not len(graphs):
            raise ValueError(f"Expected graphs in {self.data}, but there are none.")
        return keep_component(graphs, self.component) if self.component else graphs, y  # type: ignore[arg-type]

    def batches(self, *, n_jobs: int = 1) -> Iterator[Labelled]:
        """Yield graphs and targets a few at a time, without reading all of a large file."""
        from aglets.datasets.components import keep_component
        from aglets.io.labelled import Labelled, labelled_batches

        path = Path(self.data)
        if self._is_name() or self._is_embedded():
            graphs, y = replace(self, component=None).load()
            parts: Iterator[Labelled] = iter(
                [Labelled(graphs, None if y is None else y.tolist(), [], len(graphs))]
            )
        else:
            parts = labelled_batches(path, self.options, n_jobs=n_jobs)
        for part in parts:
            if self.component:
                yield part._replace(graphs=keep_component(part.graphs, self.component))  # type: ignore[arg-type]
            else:
                yield part

    def paths(self) -> list[Path]:
        """Return the files that are read, and the folder that holds them if it is a data set."""
        from aglets.datasets.tu import located

        path = Path(self.data)
        if self.data == STDIN or self._is_embedded():
            return []
        place = located(self.data) if self._is_name() else path
        return [place, *sorted(place.iterdir())] if place.is_dir() else [place]

    def like(self, recipe: str | None, *, edge_labels: bool) -> Source:
        """Return the source with what a model knows of its graphs, where nothing else was said."""
        from aglets.datasets.tu import located
        from aglets.io.files import format_of

        kind = "tu" if self._is_name() else format_of(self.data, self.options.format)
        options = self.options
        if kind == "tu" and options.edge_labels is None and self.data not in EMBEDDED:
            has_labels = any(located(self.data).glob("*_edge_labels.txt"))
            options = replace(options, edge_labels=edge_labels and has_labels)
        if kind == "json" and not options.keys:
            keys = json.loads(recipe or "{}").get("keys", {})
            known: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in keys.items()
            }
            options = replace(options, **known)
        return replace(self, options=options)

    def with_targets_of(self, model: LagraModel) -> Source:
        """Return the source with the targets of a model, if its table has values of their names."""
        from aglets.io.files import format_of
        from aglets.io.table import TABLES, has_values

        column = model.target_column
        names = [name for name in model.outputs.target_names if name is not None]
        names = names or ([] if column is None else [column])
        is_file = Path(self.data).is_file()
        kind = format_of(self.data, self.options.format) if is_file else None
        if self.options.target is not None or not names or kind not in TABLES:
            return self
        separator = self.options.separator or ("\t" if kind == "tsv" else None)
        if not has_values(self.data, names, separator=separator):
            return self
        target = names[0] if len(model.outputs.targets) == 1 else tuple(names)
        return replace(self, options=replace(self.options, target=target))

    def target_column(self, model: LagraModel) -> str | None:
        """Name the column of a model's single target; several have names of their own."""
        target = self.options.target
        return target if isinstance(target, str) and len(model.outputs.targets) == 1 else None

    def load_with_targets(self) -> tuple[GraphSet, npt.NDArray[Any]]:
        """Return the graphs and their targets, or say that the target must be named."""
        graphs, y = self.load()
        if y is None:
            raise ValueError(
                f"Expected a target to predict of {self.data}; name the column, property or "
                "key with --target."
            )
        return graphs, y

    def covariates(self, columns: str | None, graphs: GraphSet) -> NumberTable | None:
        """Return the columns of the table that are covariates, for graphs that came from it."""
        from aglets.io.table import read_numbers_of

        names = _names(columns)
        if not names:
            return None
        separator = self._separator("--covariate-columns")
        return read_numbers_of(self.data, names, graphs, separator=separator)

    def times(self, column: str | None, graphs: GraphSet) -> npt.NDArray[Any]:
        """Return the column of times, for graphs that came from the table."""
        from aglets.io.table import read_column

        if column is None:
            raise ValueError("Expected a column to split by time; name it with --time-column.")
        separator = self._separator("--time-column")
        return read_column(self.data, column, graphs, option="time_column", separator=separator)

    def _separator(self, option: str) -> str | None:
        """Return how columns are separated, or raise if this is not a table in a file."""
        from aglets.io.files import format_of
        from aglets.io.table import TABLES

        is_file = Path(self.data).is_file()
        kind = format_of(self.data, self.options.format) if is_file else None
        if kind not in TABLES:
            raise ValueError(
                f"Expected a table in a file for {option}, but {self.data} is none; "
                "give a .csv, .tsv or .parquet file."
            )
        return self.options.separator or ("\t" if kind == "tsv" else None)

    def _is_name(self) -> bool:
        """Whether it is the name of a data set rather than of a file."""
        path = Path(self.data)
        is_plain = path.name == self.data and not path.suffix and self.data != STDIN
        return is_plain and not path.exists()

    def _is_embedded(self) -> bool:
        """Whether it is one of the data sets inside the package."""
        return self.data in EMBEDDED and not Path(self.data).exists()


def reads_graphs(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command with a parameter `source` the options that all readers share.

    DATA stands where `source` stands in the command. The help shows these options first.
    """

    def given_source(
        data: Data,
        target: Target = None,
        smiles: Smiles = None,
        id_column: IdColumn = None,
        name_column: NameColumn = None,
        separator: Separator = None,
        errors: ErrorsOption = Failures.skip,
        component: ComponentOption = None,
        label_with: LabelWith = None,
        attributes: Attributes = None,
        coordinates: CoordinatesOption = None,
        hydrogens: Hydrogens = False,
        label: LabelKey = None,
        edge_label: EdgeLabelKey = None,
        edge_attributes: EdgeAttributes = None,
        edge_labels: EdgeLabels = None,
        format: FormatOption = None,
        format_option: FormatOptions = None,
    ) -> Source:
        from aglets.io.files import ReadOptions

        options = ReadOptions(
            format=format,
            further=pairs(format_option, "--format-option"),
            target=_target(target),
            smiles=smiles,
            id_column=id_column,
            name_column=name_column,
            separator=separator,
            label=label,
            attributes=_names(attributes),
            edge_label=edge_label,
            edge_attributes=_names(edge_attributes),
            edge_labels=edge_labels,
            label_with=_names(label_with),
            coordinates=None if coordinates is None else coordinates.value,
            hydrogens=hydrogens,
            errors=errors.value,
        )
        return Source(data, options, None if component is None else component.value)

    shared = dict(inspect.signature(given_source).parameters)
    argument = shared.pop("data")

    @wraps(command)
    def run(**given: Any) -> None:
        source = given_source(given.pop("data"), **{name: given.pop(name) for name in shared})
        command(source=source, **given)

    hints = get_type_hints(given_source, include_extras=True) | get_type_hints(
        command, include_extras=True
    )
    own = inspect.signature(command).parameters
    places = [argument if name == "source" else parameter for name, parameter in own.items()]
    places = [*shared.values(), *places]
    # Click wants parameters without a default first; all are given by name anyway.
    places.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [p.replace(annotation=hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY) for p in places]
    )
    run.__annotations__ = {p.name: hints[p.name] for p in places}
    return run


def _target(text: str | None) -> str | tuple[str, ...] | None:
    """Return the column to predict; several, where a text has commas or is a pattern."""
    if text is None or not set(text) & set(",*?["):
        return text
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _names(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    return () if text == "none" else tuple(name.strip() for name in text.split(","))
