"""A motif is hidden in random graphs; mining finds it, and its attributes distinguish the classes.

Run it with `python examples/hidden_motif.py`.
"""

from __future__ import annotations

import time

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from aglets import Graph, Graphlet, GraphSet, agis, datasets, mining

MAXPAT, RHO = 5, 0.1
console = Console(highlight=False)


def main() -> None:
    """Go from the data to the planted motif."""
    graphs, y, (motif,) = datasets.make_planted(200, noise=0.1, random_state=0)
    console.rule("[bold]aglets: a hidden motif")
    console.print(f"{graphs}\nThe motif [bold]{motif.name}[/bold] is in every graph of class 1.")
    console.print(
        "Every graph holds all parts of it: copies that lack one edge. Half the others carry"
    )
    console.print("a decoy, too: same labels and edges, other attributes.\n")

    show_counts(graphs)
    show_strongest(graphs, y, motif)
    show_agis(graphs, y, motif)


def show_counts(graphs: GraphSet) -> None:
    """Count all patterns, and list the largest that most graphs share."""
    start = time.perf_counter()
    counts = mining.count(graphs, maxpat=MAXPAT)
    seconds = time.perf_counter() - start
    sizes = ", ".join(f"{number} of {nodes}" for nodes, number in counts.by_nodes.items())
    console.print(
        f"[bold]{counts.total}[/bold] patterns of up to {MAXPAT} nodes ({sizes}), "
        f"counted in {1000 * seconds:.0f} ms."
    )
    common = mining.frequent(graphs, maxpat=MAXPAT, min_support=int(0.7 * len(graphs)))
    largest = max(common, key=lambda pattern: (len(pattern.labels), pattern.support))
    name = Graphlet(labels=largest.labels, edges=largest.edges).name
    console.print(
        f"{len(common)} of them are in 70 % of the graphs or more; "
        f"of the largest of these, {name}, {largest.support} graphs have a copy.\n"
    )


def show_strongest(graphs: GraphSet, y: np.ndarray, motif: Graphlet) -> None:
    """Rank untrained graphlets by |g|: how fast the loss falls when one enters the model."""
    tree = mining.Tree(graphs, maxpat=MAXPAT)
    residual = y * (1.0 - y * y.mean())
    lam_max = mining.lambda_max(graphs, y, maxpat=MAXPAT, rho=RHO)
    found = tree.search(residual, lam=0.5 * lam_max, rho=RHO)
    table = Table(title="Strongest patterns", box=box.SIMPLE_HEAD, title_justify="left")
    for column in ("|g|", "pattern", "graphs of class 1", "of class -1", ""):
        table.add_column(column, justify="left" if column == "pattern" else "right")
    for i in np.argsort(-abs(found.g))[:8]:
        pattern, (where, _) = tree.pattern(found.nodes[i]), tree.costs(found.nodes[i])
        graphlet = Graphlet(
            labels=[graphs.vocabulary[code] for code in pattern.labels], edges=pattern.edges
        )
        table.add_row(
            f"{abs(found.g[i]):.1f}",
            graphlet.name,
            str((y[where] == 1).sum()),
            str((y[where] == -1).sum()),
            "[green]<- the motif[/green]" if same_pattern(graphlet, motif) else "",
        )
    console.print(f"lambda_max = {lam_max:.2f}; {tree.n_nodes} patterns had to be looked at.")
    console.print(table)


def same_pattern(one: Graphlet, other: Graphlet) -> bool:
    """Whether two graphlets have the same labelled graph: equal in size, and one in the other."""
    if one.n_nodes != other.n_nodes or len(one.edges) != len(other.edges):
        return False
    bare = Graphlet(labels=one.labels, edges=one.edges)
    return bool(agis([Graph(other.labels, other.edges)], [bare], rho=1.0)[0, 0] > 0)


def show_agis(graphs: GraphSet, y: np.ndarray, motif: Graphlet) -> None:
    """Score every graph for the true motif: labels must be equal, attributes near."""
    psi = agis(graphs, [motif], rho=1.0)[:, 0]
    bare = psi > 0
    console.print(
        f"By labels alone the motif is in {bare[y == 1].mean():.0%} of class 1 and "
        f"{bare[y == -1].mean():.0%} of class -1."
    )
    console.print(
        f"With its attributes, AGIS is [bold]{psi[y == 1].mean():.2f}[/bold] on average in class 1 "
        f"and [bold]{psi[y == -1].mean():.2f}[/bold] in class -1."
    )
    right = ((psi > 0.5) == (y == 1)).mean()
    console.print(f'The rule "AGIS > 0.5" is right for [bold]{right:.0%}[/bold] of the graphs.')


if __name__ == "__main__":
    main()
