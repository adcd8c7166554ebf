"""Write the page of results from the records: ``python -m paper.page``.

Nothing is measured here. With ``--to`` another folder of records, the page is written there.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import bench_counts_sets
import bench_molecules
import bench_outputs
from _common import table

from . import beyond, candidates, cost, published, readme, tables
from .protocol import HERE, RESULTS, SETS
from .shared import runs_of
from .tables import FOLDED, NAMES, OPTIONS, OURS, Results
from .verdicts import FEW, against_paper, budget, caveats, in_short

PAGE = HERE.parents[1] / "docs" / "results.md"
DEFAULT = "lagra-default"

SEEN_MORE = "Its models have seen the validation graphs, too; those of rivals have not."

#: What is on the page itself; the rest is in tables.md next to the records.
FRONT = (
    "# Results",
    "## In short",
    "## A few numbers",
    "## How to read these numbers",
    "## Selected graphlets",
    "## Accuracy against the number of graphlets",
    "## A regression",
    "## Molecules, next to what chemists use",
    "## Twelve assays at once",
    "## Counts and labels",
)

#: Data sets beyond the paper's.
FURTHER = ("COX2-unique", "DHFR-unique", "PROTEINS-unique", "AIDS-unique", "MUTAG", "BBBP")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", type=Path, default=RESULTS, help="the folder of the records")
    folder = parser.parse_args().to
    page = PAGE if folder == RESULTS else folder / "results.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    long = folder / "tables.md"
    front = [part for part in sections(paragraphs(folder, page)) if part[0] in FRONT]
    rest = [part for part in sections(paragraphs(folder, long)) if part[0] not in FRONT]
    names = ", ".join(part[0].lstrip("# ") for part in rest)
    behind = ["## Behind this page", f"[All tables]({relative(long, page)}): {names}."]
    write(page, [*front, behind])
    write(long, [["# All tables", f"They are behind [Results]({relative(page, long)})."], *rest])
    if folder == RESULTS:
        for name in ("README.md", "paper/paper.md"):
            readme.write(Results(folder), HERE.parents[1] / name)


def sections(parts: list[str]) -> list[list[str]]:
    """Group parts, each group with its heading first."""
    found: list[list[str]] = []
    for part in parts:
        if part.startswith("#"):
            found.append([])
        found[-1].append(part)
    return found


def write(page: Path, groups: list[list[str]]) -> None:
    """Write groups of paragraphs, and say where."""
    page.write_text("\n\n".join(part for group in groups for part in group) + "\n")
    print(page)


def paragraphs(folder: Path, page: Path) -> list[str]:
    """List all parts of the page for which there are records."""
    results = Results(folder)
    parts = [
        "# Results",
        "LAGRA under the paper's protocol, compared with the paper's rivals and stronger ones. "
        "This page is written by `python -m paper.page` from the records in "
        f"[benchmarks/paper/results]({relative(RESULTS, page)}); no result in it is typed by hand. "
        "How to run it: [benchmarks/paper](" + relative(HERE / "README.md", page) + ").",
        "Splits are stratified 60 : 20 : 20, seeds 0, 1, ... Everything is chosen on the "
        "validation part, models are trained on the training part alone, the test part is "
        f"predicted once. One row is different: {NAMES['lagra-best']} makes five folds of training "
        "and validation graphs together, so it is trained on a third more graphs than any rival. "
        "AIDS is read with the component of each graph's first node, ENZYMES as classes 1 and 2 "
        "with the largest component, which gives the paper's counts. Edge labels "
        "are not used.",
        "Rows of LAGRA show the code and the defaults of the commits listed under the runs below. "
        "Those that are also rows of "
        f"[benchmarks/accuracy]({relative(HERE.parent / 'accuracy' / 'README.md', page)}) were run "
        "there, on the same splits.",
        "## In short",
        *in_short(results),
        "## A few numbers",
        "Accuracy on test graphs, mean ± standard deviation over all splits that a method ran, "
        "twenty (GIN: five). Bold: best mean of a set, without a test. The "
        "statistics of a graph are counts of nodes, edges, labels, pairs of labels and degrees, "
        "and moments of its attributes; the boosting machine has four bags, and pairs of features "
        "where validation graphs ask for them.",
        readme.numbers(results),
        "## Accuracy, five splits",
        "As the paper's Table 1: mean ± standard deviation over seeds 0 to 4. Underlined: best "
        "mean of a set. Bold: not worse by a one-sided paired t-test at 5 %, the paper's test, "
        "which takes splits that share graphs as independent and so finds differences too "
        "readily. A number in brackets: so many seeds only.",
        tables.accuracy_table(results, FEW),
        "The paper's own numbers, on its own five splits:",
        tables.published_table(),
        "Ours less the paper's, in points; kernels with k-NN, networks as we trained them. Bold: "
        "more than the draw of five splits explains, by Welch's t-test, two-sided at 5 %.",
        against_paper(results),
    ]
    if any(len(results.accuracy(method, n)) > FEW for method in results.methods for n in SETS):
        parts += [
            "## Accuracy, twenty splits",
            "The same over seeds 0 to 19. Bold here: not worse than the best by the corrected "
            "resampled t-test (Nadeau and Bengio 2003), which allows for splits that share graphs.",
            tables.accuracy_table(results, None),
        ]
    for ours in OURS:
        if ours in results.methods and ours != "lagra-paper-5":
            parts += [
                f"## {NAMES[ours]}, against each rival",
                "Difference of mean accuracy in points on the seeds that both finished (their "
                "number in brackets). **+**: better, **-**: worse, by the corrected test at 5 %, "
                "one-sided." + (f" {SEEN_MORE}" if ours in FOLDED else ""),
                tables.duel_table(results, ours),
            ]
    parts += [
        "## Graphlets",
        "Mean number in the chosen model, and the paper's. Averages take many more, and are not "
        "meant to be read one by one.",
        graphlets(results),
    ]
    parts += budget(results)
    parts += caveats(results, folder)
    parts += costs(results, folder)
    if (folder / "sets.json").exists():
        parts += [
            "## Candidates (the paper's Table 2)",
            "Connected labelled subgraphs of at most 10 nodes. Where counting all takes too long, "
            "as many as there was time for are a lower bound.",
            candidates.candidates_table(folder),
            "## Data sets",
            "Means per graph. Structures: graphs that differ as labelled graphs. Duplicates: "
            "graphs "
            "that repeat an earlier one, attributes included.",
            candidates.statistics_table(folder),
        ]
    parts += figures(folder, page)
    parts += further(folder)
    if folder == RESULTS:
        parts += other_benchmarks(page)
    parts += ["## Where this was run", runs_table(results)]
    return parts


def graphlets(results: Results) -> str:
    own = tables.graphlet_table(results)
    cells = [f"{mean} ± {sd}" for mean, sd in published.GRAPHLETS.values()]
    return own + "\n| paper | " + " | ".join(cells) + " |"


def costs(results: Results, folder: Path) -> list[str]:
    parts = ["## CPU seconds"]
    if cost.read(folder)["cases"]:
        parts += [
            f"Full selection on {cost.n_splits(folder)} of the splits, measured by one command, "
            "one case after the other; the kernel matrix once for all splits. LAGRA has the "
            "paper's grid, GCN three hidden sizes for as many epochs as above, GraphHopper is "
            "GraKeL's, extrapolated from a sample of graphs and pairs. Met: LAGRA takes no more "
            "CPU seconds than either. Capped: a path of LAGRA was ended after "
            f"{cost.SEARCH_SECONDS:g} s of search. The whole grid would take far longer there (see "
            "cost against size), so that only the half with maxpat 5 can be compared.",
            cost.cost_table(folder),
        ]
    return [
        *parts,
        "The same from the records, mean over splits. GraKeL's GraphHopper is slow because of "
        "its implementation: the last row is our own computation of the same matrix.",
        tables.five_split_table(results),
        "One split: choosing and fitting, + what all splits share (features, matrices).",
        tables.cost_table(results),
        "Predicting one graph, in CPU milliseconds; features and kernel values of rivals at hand, "
        "LAGRA from the bare graph.",
        tables.prediction_table(results),
    ]


def figures(folder: Path, page: Path) -> list[str]:
    path = folder / "figures.json"
    if not path.exists():
        return []
    found = json.loads(path.read_text())["figures"]

    def image(kind: str, name: str) -> str:
        return f"![{kind} {name}]({relative(folder / 'figures' / f'{kind}_{name}.png', page)})"

    def those(kind: str) -> list[str]:
        return [key.split()[1] for key in found if key.startswith(kind + " ")]

    parts = [
        "## Along the path",
        "Wall seconds up to each lambda and the work at it, on raw attributes.",
    ]
    for name in those("search"):
        one = found[f"search {name}"]
        parts += [
            f"{name}, maxpat {one['maxpat']}, rho {one['rho']}: {one['seconds']} s for "
            f"{one['lambdas']} lambdas, {one['seconds_search']} s of it in the tree; a search "
            f"visits at most {one['most_visited_by_a_search']:,} tree nodes on average over its "
            f"lambda, the working set has at most {one['largest_working_set']}.",
            image("search", name),
        ]
    parts += [
        "## Selected graphlets",
        "The two largest coefficients of either sign, chosen by validation on split 0. Left the "
        "labelled graph, right the learned attributes of its nodes next to the label's mean.",
        *(f"{name}:\n\n{image('graphlets', name)}" for name in those("graphlets")),
        "## Test graphs in the plane of two graphlets",
    ]
    for name in those("scatter"):
        auc = found[f"scatter {name}"]["auc"]
        parts += [
            f"{name}: AUC {auc:.2f} (the paper: {published.SCATTER_AUC[name]}). The line is fitted "
            "to the test points themselves, as in the paper.",
            image("scatter", name),
        ]
    if (folder / "figures" / "curve.png").exists():
        parts += [
            "## Accuracy against the number of graphlets",
            "Of the chosen path the point with the lowest validation loss among those with at most "
            "so many graphlets; mean over seeds. Horizontal lines: rivals, which have no such "
            "choice.",
            f"![curve]({relative(folder / 'figures' / 'curve.png', page)})",
        ]
    return parts


def further(folder: Path) -> list[str]:
    parts = []
    on_paper_sets = Results(folder, SETS)
    options = [name for name in OPTIONS if on_paper_sets.by_method[name]]
    if options:
        rows = []
        for option in options:
            cells = []
            for name in SETS:
                cells.append(tables.difference(*on_paper_sets.paired(option, DEFAULT, name)))
            rows.append([NAMES[option], *cells])
        parts += [
            "## What each option adds",
            "Points of accuracy against the defaults on common seeds, marked as above.",
            table(["option", *SETS], rows),
        ]
    present = [
        name
        for name in FURTHER
        if any((name, 0) in found for found in on_paper_sets.by_method.values())
    ]
    if present:
        parts += [
            "## Further sets",
            "`-unique`: without graphs that repeat the structure of an earlier one. BBBP is read "
            "from SMILES.",
            tables.accuracy_table(Results(folder, present), FEW),
        ]
    if (folder / "beyond.json").exists():
        parts += [
            "## Cost against size",
            f"CPU seconds of one path of 100 lambdas on {beyond.COST_SET}.",
            beyond.cost_tables(folder),
            "Where graphs are dense, patterns of 10 nodes are out of reach for an exact search. "
            "Before the first lambda of a path there is the search for lambda_max; on split 0 of "
            f"the dense sets, raw attributes and rho {beyond.DENSE_RHO}, which is the hardest of "
            "the paper's grid, it takes:",
            beyond.growth_table(folder),
            "Each further node multiplies both. A tighter bound would have to distinguish patterns "
            "that nearly all graphs of a class hold, at nearly no distance; SYNTHETIC, with its "
            "single structure, holds every pattern in every graph.",
            "## A regression",
            "Hydration free energies, five splits.",
            beyond.freesolv_table(folder),
        ]
    return parts


def other_benchmarks(page: Path) -> list[str]:
    """Show what benchmarks with records of their own found."""
    own = HERE.parent / "results"

    def records(name: str) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = json.loads((own / f"{name}.json").read_text())["records"]
        return found

    def origin(name: str) -> str:
        return f"Made by `benchmarks/bench_{name}.py`: [{name}]({relative(own / name, page)}.md)."

    return [
        "## Molecules, next to what chemists use",
        *bench_molecules.paragraphs(),
        *bench_molecules.compared(records("molecules")),
        *bench_molecules.tables(records("molecules")),
        origin("molecules"),
        "## Twelve assays at once",
        "Tox21, divided at random and by scaffolds: mean AUC over twelve assays of one model with "
        f"at most {bench_outputs.MOST_GRAPHLETS} graphlets that all assays share (group), of a "
        "model for each assay (none), and of a random forest on Morgan counts for each. Mean and "
        "standard error over splits; graphlets are distinct ones of all assays.",
        bench_outputs.tox21_table(records("outputs")),
        origin("outputs"),
        "## Counts and labels",
        " ".join(bench_counts_sets.__doc__.split("\n\n")[1].split()),
        *bench_counts_sets.tables(records("counts_sets")),
        origin("counts_sets"),
    ]


def runs_table(results: Results) -> str:
    """Say how, where and when the records were made."""
    named = {record["run"] for found in results.by_method.values() for record in found.values()}
    rows: list[list[Any]] = []
    for run in [run for name, run in runs_of(results.folder).items() if name in named]:
        rows.append(
            [f"`{run['command']}`", run["commit"], run["date"], run["machine"], run["software"]]
        )
    for name in ("cost", "sets", "figures", "beyond"):
        path = results.folder / f"{name}.json"
        if path.exists():
            about = json.loads(path.read_text())
            keys = ("commit", "date", "machine", "software")
            rows.append([f"`{about['command']}`", *(about[key] for key in keys)])
    return table(["command", "commit", "date", "machine", "software"], rows)


def relative(path: Path, page: Path) -> str:
    return os.path.relpath(path, page.parent)


if __name__ == "__main__":
    main()
