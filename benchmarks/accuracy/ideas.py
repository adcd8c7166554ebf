"""Ideas tried for more accuracy, kept or not: ``python -m accuracy.ideas --sets BZR --seeds 5``.

Each idea is one change to the default fit, on the same splits, chosen on the validation part and
tested once; ``results/ideas.md`` shows paired differences. Ideas that stayed in the library are
options of `LagraClassifierCV`, the others live here only.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from _common import cpu_seconds, load, table
from paper.protocol import SETS, Records, Split
from sklearn.svm import LinearSVC

from aglets import GraphSet, LagraClassifierCV, LagraModel

from . import second_stage
from .levers import Memory
from .run import RESULTS, command
from .tables import difference, of_set, spread

#: Sets whose attributes are coordinates.
PLACED = ("BZR", "COX2", "DHFR")
#: Models whose graphlets have one node.
SINGLE_NODES = {"starts": {8: (1,)}}
N_BAGS = 5
STEADY, N_ROUNDS = 0.5, 10


@dataclass(frozen=True)
class Case:
    """A data set with a split, and the paths of the default fit, walked once."""

    name: str
    graphs: GraphSet
    y: np.ndarray
    parts: Split
    memory: Memory

    def fit(self, **parameters: Any) -> LagraClassifierCV:
        """Fit as by default but for these parameters; paths that are known are not walked again."""
        return self.fit_on(self.graphs, self.memory, **parameters)

    def fit_on(
        self, graphs: GraphSet, memory: Memory, weight: Any = None, **parameters: Any
    ) -> LagraClassifierCV:
        train, held_out = self.parts.train, self.parts.validation
        model = LagraClassifierCV(**parameters, n_jobs=1)
        return model.fit(
            graphs[train],
            self.y[train],
            weight,
            validation=(graphs[held_out], self.y[held_out]),
            callback=memory,
        )

    def accuracy(self, f: np.ndarray) -> float:
        """Compare the sign of f on the test graphs."""
        return float(np.mean(np.where(f > 0, 1, -1) == self.y[self.parts.test]))


@dataclass(frozen=True)
class Outcome:
    """What came of an idea: f on the test graphs, and the number of graphlets."""

    f: np.ndarray
    n_graphlets: int


Idea = Callable[[Case], Outcome | None]


def plain(case: Case, **parameters: Any) -> Outcome:
    """Fit with other parameters on the same paths."""
    return fitted(case, case.fit(**parameters))


def fitted(case: Case, model: LagraClassifierCV) -> Outcome:
    return Outcome(model.decision_function(case.graphs[case.parts.test]), len(model.graphlets_))


def refit(case: Case, **parameters: Any) -> Outcome:
    """Fit with parameters that change the paths."""
    return fitted(case, case.fit_on(case.graphs, Memory(), **parameters))


def lengths(case: Case, *, keep: bool) -> Outcome | None:
    """Distances between neighbours as attributes of edges, with or without coordinates."""
    if case.name not in PLACED:
        return None
    graphs = case.graphs.with_edge_lengths(keep=keep)
    model = case.fit_on(graphs, Memory(), starts=1)
    return Outcome(model.decision_function(graphs[case.parts.test]), len(model.graphlets_))


def bags(case: Case) -> Outcome:
    """Mean of fits to bootstrap samples, each with the chosen starts, rho and maxpat."""
    chosen = case.fit()
    cell = {"starts": {chosen.starts_: (chosen.maxpat_,)}, "rhos": (chosen.rho_,)}
    rng = np.random.default_rng(case.parts.seed)
    n = len(case.parts.train)
    models = [
        case.fit_on(
            case.graphs, Memory(), np.bincount(rng.integers(n, size=n), minlength=n), **cell
        )
        for _ in range(N_BAGS)
    ]
    outcomes = [fitted(case, model) for model in models]
    f = np.mean([outcome.f for outcome in outcomes], axis=0)
    return Outcome(f, sum(outcome.n_graphlets for outcome in outcomes))


def several_rhos(case: Case) -> Outcome:
    """One sparse model on the graphlets of the greedy average, each with the rho it came with."""
    return second_pass(case, lambda graphs, model: psi_of(model, graphs), "greedy")


def steady(case: Case) -> Outcome:
    """Only graphlets that come back in half of the subsamples, with new coefficients."""
    chosen = case.fit()
    train = case.parts.train
    share = chosen.stability(case.graphs[train], case.y[train], n_rounds=N_ROUNDS, random_state=0)
    kept = np.flatnonzero(share >= STEADY)
    if not len(kept):
        return fitted(case, chosen)
    return second_pass(case, lambda graphs, model: psi_of(model, graphs)[:, kept], "none")


def mean_pooling(case: Case) -> Outcome | None:
    """Add to psi the mean over all nodes in place of the best; for graphlets of one node."""
    chosen = case.fit(**SINGLE_NODES)

    def features(graphs: GraphSet, model: LagraModel) -> np.ndarray:
        return np.hstack([psi_of(model, graphs), node_means(model, graphs)])

    return second_pass(case, features, "none", chosen)


#: Makes another start of a model, its training graphs and lambda.
Begin = Callable[[second_stage.Trained, second_stage.Labelled, float], second_stage.Trained]


def trained_more(case: Case, begin: Begin, *, weigh: bool = False, **parameters: Any) -> Outcome:
    """Train the chosen model further, from another start or with weights of attributes."""
    chosen = case.fit(**parameters)
    parts = {
        name: second_stage.Labelled(
            chosen.model_.input_spec.to_model_units(case.graphs[at := getattr(case.parts, name)]),
            case.y[at],
        )
        for name in ("train", "validation", "test")
    }
    train, lam = parts["train"], chosen.lambda_
    first = second_stage.members_of(chosen.model_, train.graphs)
    best = second_stage.trained_further(
        begin(first, train, lam), train, parts["validation"], lam, weigh=weigh
    )
    if first.loss(parts["validation"]) <= best.loss(parts["validation"]):
        best = first
    used = sum(abs(member.beta) > 1e-9 for member in best.members)
    return Outcome(best.f(parts["test"].graphs), used)


def psi_of(model: LagraModel, graphs: GraphSet) -> np.ndarray:
    return np.asarray(model.agis(graphs))


def node_means(model: LagraModel, graphs: GraphSet) -> np.ndarray:
    """Mean of exp(-rho D) over the nodes of a graph, for graphlets of one node."""
    scaled = model.input_spec.to_model_units(graphs)
    code = {value: i for i, value in enumerate(scaled.vocabulary)}
    graph_of = np.repeat(np.arange(len(scaled)), scaled.n_nodes)
    rhos = np.broadcast_to(model.rho, len(model.graphlets))
    columns = []
    for graphlet, rho in zip(model.scaled_graphlets, rhos, strict=True):
        near = np.exp(-rho * ((scaled.attributes - graphlet.attributes[0]) ** 2).sum(axis=1))
        near[scaled.labels != code.get(graphlet.labels[0], -2)] = 0.0
        columns.append(np.bincount(graph_of, near, len(scaled)) / scaled.n_nodes)
    return np.column_stack(columns)


def second_pass(
    case: Case,
    features: Callable[[GraphSet, LagraModel], np.ndarray],
    average: str,
    chosen: LagraClassifierCV | None = None,
) -> Outcome:
    """Fit a sparse linear model (squared hinge, L1) to features, its penalty by validation loss."""
    model = (case.fit(average=average) if chosen is None else chosen).model_
    parts, y = case.parts, case.y
    x = {
        name: features(case.graphs[getattr(parts, name)], model)
        for name in ("train", "validation", "test")
    }
    best, lowest = np.zeros(len(parts.test)), np.inf
    n_used = 0
    for strength in np.geomspace(0.01, 100.0, 25):
        head = LinearSVC(
            penalty="l1", dual=False, C=strength, intercept_scaling=100.0, max_iter=20000
        ).fit(x["train"], y[parts.train])
        margins = y[parts.validation] * head.decision_function(x["validation"])
        loss = float((np.maximum(1.0 - margins, 0.0) ** 2).sum())
        if loss < lowest:
            best, lowest = head.decision_function(x["test"]), loss
            n_used = int(np.count_nonzero(head.coef_))
    return Outcome(best, n_used)


IDEAS: dict[str, tuple[str, Idea]] = {
    "default": ("the default fit", plain),
    "by-score": ("choose by validation accuracy", lambda case: plain(case, select="score")),
    "one-se": ("sparsest within one standard error", lambda case: plain(case, rule="one_se")),
    "label-units": (
        "scale attributes within each label",
        lambda case: refit(case, scale="label"),
    ),
    "logistic": ("logistic loss", lambda case: refit(case, loss="logistic")),
    "lengths": ("distances instead of coordinates", lambda case: lengths(case, keep=False)),
    "lengths-beside": ("distances and coordinates", lambda case: lengths(case, keep=True)),
    "bags": (f"mean over {N_BAGS} bootstrap samples", bags),
    "several-rhos": ("one sparse model over graphlets of several rho", several_rhos),
    "steady": ("only graphlets that come back in subsamples", steady),
    "polished": (
        "L-BFGS in beta and z together",
        lambda case: trained_more(case, lambda first, *_: first),
    ),
    "restarted": (
        "graphlets start again where graphs ask for them",
        lambda case: trained_more(case, second_stage.restarted),
    ),
    "split": (
        "every graphlet split in two",
        lambda case: trained_more(case, lambda first, train, _: second_stage.split(first, train)),
    ),
    "weighed": (
        "a learned weight per label and attribute",
        lambda case: trained_more(case, lambda first, *_: first, weigh=True),
    ),
    "single-nodes": ("single nodes, 8 starts", lambda case: plain(case, **SINGLE_NODES)),
    "mean-pooling": ("the same, best and mean", mean_pooling),
    "annealed": (
        "the same, from all nodes to the best (soft-max)",
        lambda case: trained_more(case, second_stage.annealed, **SINGLE_NODES),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=["BZR", "COX2", "DHFR", "ENZYMES"])
    parser.add_argument("--seeds", type=int, default=5, help="use seeds 0 to this less one")
    parser.add_argument("--ideas", nargs="+", default=list(IDEAS), choices=list(IDEAS))
    parser.add_argument("--to", type=Path, default=RESULTS, help="the folder of the records")
    options = parser.parse_args()
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"
    warnings.simplefilter("ignore")
    records = Records(options.to)
    run = records.begin_run(command())
    for seed in range(options.seeds):
        for name in options.sets:
            graphs, y = load(name)
            case = Case(name, graphs, y, Split.of(y, seed), Memory())
            for idea in options.ideas:
                if (name, seed) not in records.of(f"idea-{idea}"):
                    add(records, run, idea, case)
    text = page(records)
    (options.to / "ideas.md").write_text(text)
    print(text)


def add(records: Records, run: str, idea: str, case: Case) -> None:
    """Try an idea and write down what came of it."""
    start = cpu_seconds()
    outcome = IDEAS[idea][1](case)
    if outcome is None:
        return
    what = {"method": f"idea-{idea}", "set": case.name, "seed": case.parts.seed, "run": run}
    accuracy = case.accuracy(outcome.f)
    cpu = round(cpu_seconds() - start, 2)
    records.add({**what, "accuracy": accuracy, "graphlets": outcome.n_graphlets, "cpu": cpu})
    print(f"{case.name}, seed {case.parts.seed}, {idea}: {accuracy:.4f}, {cpu} s", flush=True)


def page(records: Records) -> str:
    """Show every idea's difference from the default fit."""
    found = {idea: records.of(f"idea-{idea}") for idea in IDEAS}
    names = [name for name in SETS if of_set(found["default"], name)]
    rows = []
    for idea, (what, _) in IDEAS.items():
        cells = []
        for name in names:
            own = of_set(found[idea], name)
            if not own:
                cells.append("-")
                continue
            n = np.mean([one["graphlets"] for one in own.values()])
            accuracies = np.array([one["accuracy"] for one in own.values()])
            shown = (
                spread(accuracies)
                if idea == "default"
                else difference(found[idea], found["default"], name)
            )
            cells.append(f"{shown}, {n:.0f}")
        rows.append([what, *cells])
    used = {one["run"] for of in found.values() for one in of.values()}
    made = [one for name, one in records.runs().items() if name in used]
    return "\n\n".join(
        [
            "# Ideas tried",
            "\n".join(
                f"- `{one['command']}` at commit {one['commit']} on {one['date']}; {one['machine']}"
                for one in made
            ),
            "Stratified 60/20/20 splits, everything chosen on the validation part, tested once. "
            "First row: accuracy ± standard error (splits), graphlets. Others: paired difference "
            "from it, graphlets; * where the one-sided corrected t-test of either side gives "
            "p < 0.05. With so many cells some stars are luck.",
            table(["idea", *names], rows) + "\n",
        ]
    )


if __name__ == "__main__":
    main()
