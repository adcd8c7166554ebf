"""How `compact` should look at graphs: ``python -m accuracy.holding --models FOLDER``.

Averages that ``accuracy.run --models FOLDER`` kept are compacted on one half of the graphs that
they were made from, and their f compared with that of the whole average on the other half: with
and without either kind of copies, and with coefficients held more or less strongly.
Classes and test graphs are not looked at.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from _common import load, table
from paper.protocol import SETS, Records, Split

from aglets import load as load_model
from aglets.model.compacting import MU, Elimination, centred, copies

from .levers import AVERAGES
from .run import RESULTS, command, model_name

#: Which copies to look at, too: those with attributes exchanged, with edges missing.
COPIES = {
    "graphs": slice(0),
    "and exchanged": slice(0, None, 2),
    "and thinned": slice(1, None, 2),
    "and both": slice(None),
}
#: And how strongly to hold coefficients.
WAYS = [(which, MU) for which in COPIES] + [("and both", each) for each in (0.01, 1.0, 10.0)]
SIZES = (120, 60, 30)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=Path, required=True, help="the folder of the averages")
    parser.add_argument("--seeds", type=int, default=3, help="use seeds 0 to this less one")
    parser.add_argument("--to", type=Path, default=RESULTS, help="the folder of the records")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)  # some labels are rare
    records = Records(options.to)
    run = records.begin_run(command())
    for name in SETS:
        for seed in range(options.seeds):
            path = options.models / model_name("folds", name, seed)
            if path.exists():
                errors = held_out_errors(path, name, seed)
                records.add(
                    {"method": "holding", "set": name, "seed": seed, "run": run, "errors": errors}
                )
    text = page(records)
    (options.to / "holding.md").write_text(text)
    print(text)


def held_out_errors(path: Path, name: str, seed: int) -> list[list[float]]:
    """Root mean square change of f on the half not compacted on, by way and size."""
    model = load_model(path)
    graphs, y = load(name)
    parts = Split.of(y, seed)
    known = np.random.default_rng(seed).permutation(np.r_[parts.train, parts.validation])
    halves = np.array_split(known, 2)
    psi = [
        [np.asarray(model.agis(each)) for each in (graphs[half], *copies(graphs[half]))]
        for half in halves
    ]
    errors = []
    for which, strength in WAYS:
        changes = [
            changes_of_f(model.coef[0], [own[0], *own[1:][COPIES[which]]], other[0], strength)
            for own, other in (psi, psi[::-1])
        ]
        errors.append(np.sqrt((np.hstack(changes) ** 2).mean(axis=1)).round(4).tolist())
    return errors


def changes_of_f(
    beta: np.ndarray, own: list[np.ndarray], other: np.ndarray, strength: float
) -> np.ndarray:
    """Compact on ``own`` and return how f changes on ``other``, a row per size."""
    middle, rows = centred(own)
    whole = (other - middle) @ beta
    part = Elimination(beta, rows, strength)
    changes = []
    for size in SIZES:
        while len(part.left) > size:
            part.drop(part.left[part.costs().argmin()])
        changes.append((other - middle)[:, part.left] @ part.beta - whole)
    return np.array(changes)


def page(records: Records) -> str:
    """Show the mean over seeds, sizes side by side."""
    found = records.of("holding")
    names = [name for name in SETS if any(name == key[0] for key in found)]
    rows = []
    for k, way in enumerate(WAYS):
        cells = []
        for name in names:
            errors = np.mean([one["errors"][k] for key, one in found.items() if key[0] == name], 0)
            cells.append(" / ".join(f"{error:.3f}" for error in errors))
        rows.append([*way, *cells])
    made = records.runs()[next(iter(found.values()))["run"]]
    sizes = " / ".join(map(str, SIZES))
    return "\n\n".join(
        [
            "# How compact looks at graphs",
            f"`{made['command']}` at commit {made['commit']} on {made['date']}; {made['machine']}",
            f"{AVERAGES[-1]} averages compacted to {sizes} graphlets on one half of their graphs: "
            "root mean square change of f on the other half. Classes and test graphs play no part.",
            table(["looks at", "strength", *names], rows) + "\n",
        ]
    )


if __name__ == "__main__":
    main()
