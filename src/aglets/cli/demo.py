"""`aglets demo`: from data to a model one can read, in a few seconds and offline."""

from __future__ import annotations

from pathlib import Path

import typer

EXAMPLES = ("aglets demo",)


def demo() -> None:
    """Fit the molecules inside aglets, show the graphlets found, and explain one prediction."""
    from aglets import LagraClassifierCV, datasets
    from aglets.cli.show import print_model
    from aglets.explain import explain_local

    graphs, y = datasets.load_demo()
    smiles = datasets.demo_smiles()
    typer.echo(
        f"{len(graphs)} small molecules. A molecule with a carboxylic acid or a phenol is acidic, "
        "the others are neutral;\nesters, ethers, amides and alcohols make it difficult. "
        f"Learning from {len(graphs) - 100} of them ...\n"
    )
    model = LagraClassifierCV(random_state=0).fit(graphs[100:], y[100:])
    right = model.score(graphs[:100], y[:100])
    print_model(model.model_, list(range(len(model.graphlets_))), Path("The model"))
    typer.echo(f"Of the other 100, {right:.0%} are classified correctly.")
    typer.echo(f"One of them, {smiles[1]}:\n")
    typer.echo(explain_local(model.model_, graphs[1]))
    typer.echo("\nNow yours: aglets fit FILE --target COLUMN")
