"""From molecules to a model one can read: graphlets, figures and a report, offline in seconds.

Run it with `make demo`, or `python examples/demo.py`; figures and the report are written to the
folder demo_output.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from aglets import LagraClassifier, datasets, plot, report
from aglets.explain import GlobalExplanation

FOLDER = Path("demo_output")
console = Console(highlight=False)


def main() -> None:
    """Train, print the graphlets, explain one molecule, and write what there is to see."""
    start = time.perf_counter()
    graphs, y = datasets.load_demo()
    smiles = datasets.demo_smiles()
    rows = np.random.default_rng(0).permutation(len(graphs))
    train, test = np.sort(rows[:200]), np.sort(rows[200:])
    console.rule("[bold]aglets: which molecules are acidic, and why?")
    console.print(f"{graphs}\nLearning from {len(train)} molecules, keeping {len(test)} to test.\n")

    clf = LagraClassifier(maxpat=4, lambda_ratio=0.02, rho=0.3).fit(graphs[train], y[train])
    show_graphlets(clf.explain_global())
    accuracy = clf.score(graphs[test], y[test])
    console.print(f"Of the molecules kept, [bold]{accuracy:.0%}[/bold] are classified correctly.\n")

    whys = clf.explain(graphs[test])
    busiest = max(range(len(whys)), key=lambda i: np.count_nonzero(whys[i].node_importance))
    console.print(f"One of them, {smiles[test[busiest]]}:", markup=False)
    console.print(str(whys[busiest]), markup=False)

    FOLDER.mkdir(exist_ok=True)
    displays = {
        "graphlets": plot.GraphletGridDisplay(clf.explain_global()),
        "path": plot.PathDisplay.from_estimator(clf),
        "search": plot.SearchDisplay.from_estimator(clf),
        "explanation": plot.LocalDisplay(whys[busiest]),
    }
    if len(clf.graphlets_) > 1:
        displays["scatter"] = plot.ScatterDisplay.from_estimator(clf, graphs[test], y[test])
    for name, display in displays.items():
        display.plot().figure_.savefig(FOLDER / f"{name}.png", dpi=200)
    clf.save(FOLDER / "demo.aglets")
    page = report.write(
        clf, graphs[test], y[test], FOLDER / "report.html", title="Acidic or neutral?"
    )
    seconds = time.perf_counter() - start
    console.print(f"\nFigures, the model and the report are in [bold]{FOLDER}/[/bold].")
    console.print(f"Open [bold]{page}[/bold] in a browser. All of it took {seconds:.1f} s.")


def show_graphlets(learned: GlobalExplanation) -> None:
    """Print the graphlets, the strongest first."""
    table = Table(title="Graphlets", box=box.SIMPLE_HEAD, title_justify="left")
    for column in ("weight", "graphlet", "evidence for", "in graphs", "AUC alone"):
        table.add_column(
            column, justify="left" if column in ("graphlet", "evidence for") else "right"
        )
    for entry in learned.graphlets:
        table.add_row(
            f"{entry.coef:+.2f}",
            escape(entry.graphlet.name),
            str(entry.evidence_for),
            str(entry.n_support),
            f"{entry.auc:.2f}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
