"""`aglets demo`: from data to a model one can read, in a few seconds and offline."""

from __future__ import annotations

import typer

EXAMPLES = ("aglets demo",)
#: How many graphlets fit on a screen.
SHOWN = 8


def demo() -> None:
    """Fit a model to molecules of the package, show its graphlets, and explain one prediction."""
    from sklearn.metrics import roc_auc_score

    from aglets import LagraClassifier, datasets
    from aglets.cli.show import print_model
    from aglets.explain import explain_local

    graphs, y = datasets.load_demo()
    n_train = 300
    typer.echo(
        f"{len(graphs)} drugs and other molecules. Half of them cross the blood-brain barrier, "
        f"half are blocked.\nLearning from {n_train} of them ...\n"
    )
    model = LagraClassifier(maxpat=4, lambda_ratio=0.1).fit(graphs[:n_train], y[:n_train])
    new, truth = graphs[n_train:], y[n_train:]
    right = model.score(new, truth)
    auc = roc_auc_score(truth, model.decision_function(new))
    print_model(model.model_, list(range(SHOWN)), "The model", hints=False)
    typer.echo(f"These are the {SHOWN} graphlets with the largest weights.\n")
    typer.echo(
        f"Of the other {len(new)} molecules, {right:.0%} are classified correctly; AUC {auc:.2f}."
    )
    smiles = datasets.demo_smiles()[n_train]
    typer.echo(f"One of them, {smiles}, which {_said(truth[0])}:\n")
    typer.echo(explain_local(model.model_, new[0]))
    typer.echo("\nNow with your own molecules: aglets fit FILE --target COLUMN -o model.aglets")


def _said(target: str) -> str:
    return {"crosses": "crosses", "blocked": "is blocked"}[str(target)]
