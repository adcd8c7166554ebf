"""
What makes a fold an enzyme?
============================

A protein as a small graph: nodes are helices (H) and strands (E), edges join elements that follow each other in
the sequence or touch in space, and each node knows its length in residues. These proteins are made up, so the rule
is known: an enzyme has two touching strands with a long helix between them. A carrier has such a fold with a short
helix, and a long helix elsewhere. So neither the pieces nor the lengths decide alone: does a model find both?
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier

from aglets import GraphSet, LagraClassifier

rng = np.random.default_rng(0)
LENGTH = {"H": (12.0, 2.0), "E": (6.0, 1.5)}
LONG = 24.0


def protein(enzyme: bool) -> tuple[list[str], list[tuple[int, int]], list[list[float]]]:
    """Draw a chain of elements with contacts in space, and put the fold somewhere into it."""
    n = int(rng.integers(9, 16))
    kinds = rng.choice(list(LENGTH), size=n).tolist()
    fold = int(rng.integers(n - 2))
    kinds[fold : fold + 3] = ["E", "H", "E"]
    lengths = [rng.normal(*LENGTH[kind]) for kind in kinds]
    others = [i for i in range(n) if kinds[i] == "H" and i != fold + 1]
    if enzyme:
        lengths[fold + 1] = rng.normal(LONG, 2.0)
    elif others:
        lengths[rng.choice(others)] = rng.normal(LONG, 2.0)
    chain = [(i, i + 1) for i in range(n - 1)]
    contacts = [tuple(sorted(rng.choice(n, 2, replace=False).tolist())) for _ in range(n // 4)]
    return kinds, [*chain, (fold, fold + 2), *contacts], [[length] for length in lengths]


classes = np.where(rng.permutation(300) % 2, "enzyme", "carrier")
labels, edges, attributes = zip(*[protein(name == "enzyme") for name in classes], strict=True)
graphs = GraphSet.from_lists(labels, edges, attributes=attributes, attribute_names=("residues",))

# %%
# A forest on counts and lengths is a fair rival: it sees everything except which elements touch.

simple = np.array(
    [
        [g.labels.count("H"), g.labels.count("E"), len(g.edges)]
        + [statistic(g.attributes) for statistic in (np.min, np.mean, np.max)]
        for g in graphs
    ]
)
train, test = slice(0, 200), slice(200, 300)
forest = RandomForestClassifier(200, random_state=0).fit(simple[train], classes[train])
clf = LagraClassifier(maxpat=3, lambda_ratio=0.1, starts=3).fit(graphs[train], classes[train])
print(f"forest on counts and lengths: {forest.score(simple[test], classes[test]):.2f}")
print(f"graphlets: {clf.score(graphs[test], classes[test]):.2f}")
for entry in clf.explain_global().graphlets[:3]:
    pairs = zip(entry.graphlet.labels, entry.shown_attributes[:, 0], strict=True)
    sizes = ", ".join(f"{kind} of {length:.0f}" for kind, length in pairs)
    print(f"evidence for {entry.evidence_for}: {sizes}")

# %%
# One enzyme with what the model matched. The 1,113 real proteins of the set PROTEINS are not included, because they
# have no licence; with your own copy, ``datasets.load_tu("PROTEINS")`` takes the place of the first cell.

enzyme = 200 + int(np.flatnonzero(classes[test] == "enzyme")[0])
clf.explain(graphs[enzyme]).plot()
plt.show()
