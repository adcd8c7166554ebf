"""Outputs that share graphlets against a path per output: classes, and the assays of Tox21.

Sets of classes are divided into 60 % training, 20 % validation and 20 % test graphs, stratified. A
path is walked for every sharing; its lambda is the one with the lowest loss on the validation
graphs. The default is chosen by validation; test accuracies are only reported. With ``--before
OTHER/.venv/bin/python`` the code that the other interpreter has installed, which knows no sharing,
fits the same splits, one fit after the other in turn with this one's.

Tox21 is divided at random or by scaffolds, and judged by the mean AUC over its twelve assays, next
to a model for each assay alone and a random forest on Morgan counts for each; with shared graphlets
the best model of at most 150 is taken.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from _common import Records, arguments, cpu_seconds, split, table

from aglets import GraphSet, LagraClassifier, LagraClassifierCV, datasets

SHARINGS = ("none", "group")
#: What stands for the fits of another interpreter.
BEFORE = "before"
#: How graphlets of each set are searched. Letters have no labels: several starts stand for them.
CLASSES: dict[str, dict[str, Any]] = {
    "ENZYMES": {"maxpat": 2, "starts": 4, "rho": 0.05},
    "Letter-low": {"maxpat": 2, "starts": 16, "rho": 1.0},
    "100 classes": {"maxpat": 4},
}
PATH: dict[str, Any] = {"n_lambdas": 20, "lambda_ratio": 0.02, "max_work": None}
TOX: dict[str, Any] = {"maxpat": 5, "n_lambdas": 30, "lambda_ratio": 0.004}
TOX |= {"pooling": ("best", "sum"), "count_scale": "sqrt"}
#: Among these the validation molecules choose.
RHOS = (0.1, 0.3)
MOST_GRAPHLETS = 150


def main() -> None:
    if len(sys.argv) > 1 and sys.argv[1] == "fit":
        name, code, seed, whole = sys.argv[2:6]
        call = fit_grid if whole == "True" else fit_split
        print(json.dumps(call(name, code, int(seed))))
        return
    parser = arguments(__doc__)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--case", default="", help="measure the cases with this in their name")
    parser.add_argument("--before", metavar="PATH", help="interpreter with other code installed")
    parser.add_argument("--grids", type=int, default=1, help="splits with the whole default grid")
    parser.add_argument("--most", type=int, default=900, help="CPU seconds of a fit at most")
    options = parser.parse_args()
    records = Records("outputs", options)
    splits = 1 if options.quick else options.splits
    cases: dict[str, tuple[Any, dict[str, Any]]] = {}
    codes = (BEFORE, *SHARINGS)
    for name, seed, code in product(CLASSES, range(splits), codes):
        given = {"name": name, "code": code, "seed": seed}
        if options.quick:
            cases[class_case(name, code, seed)] = fit_split, given | {"quick": True}
        else:
            given |= {"python": options.before, "most": options.most}
            cases[class_case(name, code, seed)] = fit_elsewhere, given
            if seed < options.grids:
                cases[class_case(name + GRID, code, seed)] = fit_elsewhere, given | {"whole": True}
    if not options.quick:
        for kind, sharing in product(("random", "scaffold"), (*SHARINGS, "forest")):
            given = {"kind": kind, "sharing": sharing, "splits": 3}
            cases[f"Tox21 {kind} {sharing}"] = run_tox21, given
    for stale in set(records.records) - set(cases):
        del records.records[stale]
    for case, (call, given) in cases.items():
        there = given.get("code") != BEFORE or options.before
        if options.case in case and there:
            records.measure(case, call, **given)
    records.write("Outputs that share graphlets", *written(records.records, splits))


#: Behind the name of a set that is fitted as users do.
GRID = ", whole grid,"


def class_case(name: str, code: str, seed: int) -> str:
    return f"{name} {code}, split {seed}"


def written(records: dict[str, dict[str, Any]], splits: int) -> list[str]:
    """Write the tables: classes, where splits are united, and the rest."""
    rows = []
    sets = [name + grid for grid in ("", GRID) for name in CLASSES]
    for name, code in product(sets, (BEFORE, *SHARINGS)):
        own = [records.get(class_case(name, code, seed), {}) for seed in range(splits)]
        done = [record for record in own if "test" in record]
        ended = sum("ended" in record for record in own)
        if done:
            united = {key: [record[key] for record in done] for key in COLUMNS}
            rows.append([f"{name} {code}", len(done), *_written(united)])
        if ended:
            rows.append([f"{name} {code}, not ended", ended, "", "", "", own[-1]["ended"]])
    found = [table(HEAD, rows)] if rows else []
    return [*found, tox21_table(records)] if any(map(_is_tox21, records)) else found


HEAD = ["set, sharing", "splits", "validation", "test", "graphlets", "CPU s"]


def _is_tox21(case: str) -> bool:
    return case.startswith("Tox21")


def tox21_table(records: dict[str, dict[str, Any]]) -> str:
    """Write the mean AUC over assays, a row for each kind of split and of model."""
    rows = [
        [case, len(record["test"]), *_written(record)]
        for case, record in sorted(records.items())
        if _is_tox21(case)
    ]
    return table(HEAD, rows)


#: What is recorded of every split.
COLUMNS = ("validation", "test", "graphlets", "cpu")


def _written(record: dict[str, Any]) -> list[str]:
    def mean(name: str) -> str:
        values = np.array(record[name], dtype=float)
        if np.isnan(values).all():
            return ""
        error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
        return f"{values.mean():.3f} ± {error:.3f}"

    graphlets = f"{np.mean(record['graphlets']):.0f}"
    return [mean("validation"), mean("test"), graphlets, f"{np.mean(record['cpu']):.1f}"]


def fit_elsewhere(
    name: str, code: str, seed: int, python: str | None, most: int, whole: bool = False
) -> dict[str, Any]:
    """Fit one split in a process of its own, with the code it is for."""
    here = python if code == BEFORE and python else sys.executable
    command = ["sh", "-c", f'ulimit -t {most}; exec "$@"', "sh"]
    command += [here, __file__, "fit", name, code, str(seed), str(whole)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode < 0:
        return {"ended": f"by hand after {most} CPU s"}
    done.check_returncode()
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def fit_split(name: str, code: str, seed: int, quick: bool = False) -> dict[str, Any]:
    """Fit the path of one sharing on one split; code from before has a path for every class."""
    graphs, y = (
        generated(600 if quick else 1500) if name == "100 classes" else datasets.load_tu(name)
    )
    options = {**PATH, **CLASSES[name]} | ({"n_lambdas": 4} if quick else {})
    if code == BEFORE:
        del options["max_work"]  # it limited seconds instead
        options["max_seconds"] = None
    else:
        options["sharing"] = code
    train, validation, test = split(y, seed)
    if quick and name != "100 classes":
        train = train[::5]
    start = cpu_seconds()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LagraClassifier(**options).fit(
            graphs[train], y[train], validation=(graphs[validation], y[validation])
        )
    cpu = cpu_seconds() - start
    paths = model.path_ if isinstance(model.path_[0], list) else [model.path_]
    losses = [sum(p.validation_loss for p in points) for points in zip(*paths, strict=False)]
    best = model.model_at(int(np.argmin(losses)))
    return {
        "validation": _accuracy(best, graphs[validation], y[validation]),
        "test": _accuracy(best, graphs[test], y[test]),
        "graphlets": len(best.graphlets),
        "cpu": cpu,
    }


def fit_grid(name: str, code: str, seed: int) -> dict[str, Any]:
    """Fit as users do: the whole default grid, chosen by loss on a part of four fifths of all."""
    graphs, y = generated(1500) if name == "100 classes" else datasets.load_tu(name)
    train, validation, test = split(y, seed)
    fitted = np.concatenate([train, validation])
    options = {} if code == BEFORE else {"sharing": code}
    start = cpu_seconds()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LagraClassifierCV(random_state=0, **options).fit(graphs[fitted], y[fitted])
    cpu = cpu_seconds() - start
    return {
        "validation": np.nan,
        "test": _accuracy(model.model_, graphs[test], y[test]),
        "graphlets": len(model.graphlets_),
        "cpu": cpu,
    }


def _accuracy(model: Any, graphs: GraphSet, y: np.ndarray) -> float:
    return float((model.predict(graphs) == y).mean())


def generated(n_graphs: int, side: int = 10, seed: int = 0) -> tuple[GraphSet, np.ndarray]:
    """Make graphs of side² classes: each has one of `side` motifs, one of `side` others, noise."""
    rng = np.random.default_rng(seed)
    shapes = ([(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (0, 3)], [(0, 1), (1, 2), (2, 3), (0, 3)])
    motifs: list[tuple[tuple[str, ...], int]] = []
    while len(motifs) < 2 * side:
        motif = tuple(map(str, rng.choice(list("ABCDEF"), 4))), int(rng.integers(3))
        if motif not in motifs:
            motifs.append(motif)
    labels, edges, y = [], [], np.arange(n_graphs) % side**2
    for value in y.tolist():
        own: list[str] = []
        pairs: list[tuple[int, int]] = []
        for names, shape in (motifs[value // side], motifs[side + value % side]):
            pairs += [(a + len(own), b + len(own)) for a, b in shapes[shape]]
            own += names
        pairs.append((int(rng.integers(4)), 4 + int(rng.integers(4))))
        for _ in range(int(rng.integers(2, 6))):
            pairs.append((int(rng.integers(len(own))), len(own)))
            own.append(str(rng.choice(list("ABCDEF"))))
        labels.append(own)
        edges.append(pairs)
    return GraphSet.from_lists(labels=labels, edges=edges), y


def run_tox21(kind: str, sharing: str, splits: int) -> dict[str, Any]:
    """Fit all twelve assays on every split: mean AUC, distinct graphlets, CPU seconds."""
    import pandas as pd

    file = Path(os.environ["AGLETS_DATA"]) / "Tox21" / "tox21.csv"
    frame = pd.read_csv(file)
    targets = [name for name in frame.columns if name.startswith(("NR-", "SR-"))]
    frame = frame[frame["smiles"].map(_is_readable)].reset_index(drop=True)
    y = frame[targets].to_numpy(dtype=float)
    found: dict[str, Any] = {"validation": [], "test": [], "graphlets": [], "cpu": []}
    graphs = GraphSet.from_smiles(frame["smiles"].tolist())
    for seed in range(splits):
        train, validation, test = divided(frame["smiles"].tolist(), kind, seed)
        start = cpu_seconds()
        if sharing == "forest":
            scores, n_graphlets = _forests(frame["smiles"].tolist(), y, train), 0
        else:
            scores, n_graphlets = _graphlets(graphs, y, train, validation, sharing)
        found["cpu"].append(cpu_seconds() - start)
        found["validation"].append(mean_auc(y[validation], scores[validation]))
        found["test"].append(mean_auc(y[test], scores[test]))
        found["graphlets"].append(n_graphlets)
    return found


def _graphlets(
    graphs: GraphSet, y: np.ndarray, train: np.ndarray, validation: np.ndarray, sharing: str
) -> tuple[np.ndarray, int]:
    """Take points of the paths by AUC on validation graphs.

    Of one path for all assays it is the mean AUC that counts, of small models; of a path for each
    assay the assay's own.
    """
    together = sharing == "group"
    columns = [list(range(y.shape[1]))] if together else [[k] for k in range(y.shape[1])]
    best: list[tuple[float, Any]] = [(-np.inf, None) for _ in columns]
    for rho in RHOS:
        options = TOX | {"sharing": sharing, "class_weight": "balanced", "tol": 1e-3}
        model = LagraClassifier(rho=rho, **options)
        model.fit(graphs[train], y[train], validation=(graphs[validation], y[validation]))
        for index in range(TOX["n_lambdas"]):
            candidate = model.model_at(index)
            if together and len(candidate.graphlets) > MOST_GRAPHLETS:
                break
            f = candidate.decision_function(graphs[validation])
            for j, own in enumerate(columns):
                auc = mean_auc(y[np.ix_(validation, own)], f[:, own])
                best[j] = max(best[j], (auc, candidate), key=lambda found: found[0])
    scores, distinct = np.zeros(y.shape), set()
    for own, (_, chosen) in zip(columns, best, strict=True):
        scores[:, own] = chosen.decision_function(graphs)[:, own]
        for j in np.flatnonzero(chosen.coef[own].any(axis=0)).tolist():
            graphlet = chosen.graphlets[j]
            distinct.add((graphlet.name, np.asarray(graphlet.attributes).tobytes()))
    return scores, len(distinct)


def _forests(smiles: list[str], y: np.ndarray, train: np.ndarray) -> np.ndarray:
    """Fit a random forest on Morgan counts for each assay."""
    from rdkit import Chem
    from rdkit.Chem import rdFingerprintGenerator
    from sklearn.ensemble import RandomForestClassifier

    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    molecules = [Chem.MolFromSmiles(text) for text in smiles]
    counts = np.array([generator.GetCountFingerprintAsNumPy(each) for each in molecules])
    scores = np.zeros_like(y)
    for k in range(y.shape[1]):
        known = train[~np.isnan(y[train, k])]
        forest = RandomForestClassifier(100, class_weight="balanced", random_state=0, n_jobs=1)
        scores[:, k] = forest.fit(counts[known], y[known, k]).predict_proba(counts)[:, 1]
    return scores


def mean_auc(y: np.ndarray, scores: np.ndarray) -> float:
    """Mean over targets of the area under the ROC curve, over known values."""
    from sklearn.metrics import roc_auc_score

    found = []
    for own, score in zip(y.T, scores.T, strict=True):
        known = ~np.isnan(own)
        if len(np.unique(own[known])) == 2:
            found.append(roc_auc_score(own[known], score[known]))
    return float(np.mean(found))


def divided(smiles: list[str], kind: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """80, 10 and 10 %: graphs at random, or whole Murcko scaffolds at random."""
    rng = np.random.default_rng(seed)
    if kind == "random":
        groups = [[i] for i in range(len(smiles))]
    else:
        from rdkit.Chem.Scaffolds import MurckoScaffold

        by_scaffold: dict[str, list[int]] = {}
        for i, text in enumerate(smiles):
            by_scaffold.setdefault(MurckoScaffold.MurckoScaffoldSmiles(text), []).append(i)
        groups = list(by_scaffold.values())
    parts: tuple[list[int], list[int], list[int]] = ([], [], [])
    sizes = [0.8 * len(smiles), 0.1 * len(smiles), 0.1 * len(smiles)]
    for j in rng.permutation(len(groups)).tolist():
        room = [size - len(part) for size, part in zip(sizes, parts, strict=True)]
        parts[int(np.argmax(np.array(room) / sizes))].extend(groups[j])
    train, validation, test = (np.sort(np.array(part)) for part in parts)
    return train, validation, test


def _is_readable(smiles: str) -> bool:
    from rdkit import Chem, RDLogger

    RDLogger.DisableLog("rdApp.*")
    molecule = Chem.MolFromSmiles(smiles)
    return molecule is not None and molecule.GetNumAtoms() > 0


if __name__ == "__main__":
    main()
