"""Which molecules enter the brain, and why? A model one can read, offline and in seconds.

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
from sklearn.metrics import roc_auc_score

from aglets import LagraClassifier, datasets, plot, report
from aglets.explain import GlobalExplanation

FOLDER = Path("demo_output")
console = Console(highlight=False)


def main() -> None:
    """Train, print the graphlets, explain one molecule, and write what there is to see."""
    start = time.perf_counter()
    graphs, y = datasets.load_demo()
    train, test = np.arange(300), np.arange(300, 400)
    console.rule("[bold]aglets: which molecules cross the blood-brain barrier, and why?")
    console.print(
        f"{graphs}\nDrugs and other molecules; half of them cross the barrier.\n"
        f"Learning from {len(train)}, keeping {len(test)} to test.\n"
    )

    clf = LagraClassifier(maxpat=4, lambda_ratio=0.1).fit(graphs[train], y[train])
    show_graphlets(clf.explain_global())
    accuracy = clf.score(graphs[test], y[test])
    auc = roc_auc_score(y[test], clf.decision_function(graphs[test]))
    console.print(
        f"Of the molecules kept, [bold]{accuracy:.0%}[/bold] are classified correctly; "
        f"the AUC is [bold]{auc:.2f}[/bold].\n"
    )

    whys = clf.explain(graphs[test])
    chosen = two_sided(whys, y[test])
    console.print(f"One of them, {graphs.smiles[test[chosen]]}:", markup=False)
    console.print(str(whys[chosen]), markup=False)

    FOLDER.mkdir(exist_ok=True)
    displays = {
        "graphlets": plot.GraphletGridDisplay(clf.explain_global()),
        "path": plot.PathDisplay.from_estimator(clf),
        "explanation": plot.LocalDisplay(whys[chosen]),
        "scatter": plot.ScatterDisplay.from_estimator(clf, graphs[test], y[test]),
    }
    for name, display in displays.items():
        display.plot().figure_.savefig(FOLDER / f"{name}.png", dpi=200)
    clf.save(FOLDER / "demo.aglets")
    page = report.write(
        clf, graphs[test], y[test], FOLDER / "report.html", title="Across the blood-brain barrier?"
    )
    seconds = time.perf_counter() - start
    console.print(f"\nFigures, the model and the report are in [bold]{FOLDER}/[/bold].")
    console.print(f"Open [bold]{page}[/bold] in a browser. All of it took {seconds:.1f} s.")


def two_sided(whys: list, y: np.ndarray) -> int:
    """Choose a molecule that is classified correctly and has evidence for both classes."""

    def evidence(i: int) -> float:
        parts = [c.contribution for c in whys[i].contributions]
        both = min(sum(p for p in parts if p > 0), -sum(p for p in parts if p < 0))
        return both if whys[i].prediction == y[i] else -1.0

    return max(range(len(whys)), key=evidence)


def show_graphlets(learned: GlobalExplanation) -> None:
    """Print the graphlets, the strongest first."""
    table = Table(title="Graphlets", box=box.SIMPLE_HEAD, title_justify="left")
    for column in ("weight", "graphlet", "first atom", "evidence for", "in graphs", "AUC alone"):
        numeric = column in ("weight", "in graphs", "AUC alone")
        table.add_column(column, justify="right" if numeric else "left")
    for entry in learned.graphlets:
        table.add_row(
            f"{entry.coef:+.2f}",
            escape(entry.graphlet.name),
            escape(entry.graphlet.node_words[0]),
            str(entry.evidence_for),
            str(entry.n_support),
            f"{entry.auc:.2f}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
