"""
Can it read letters?
====================

A letter is drawn with a few strokes: nodes are the ends of strokes and have no label, only a position.
Structure alone does not separate L from V: both are two strokes that meet. Positions do. Which corner does a
model look at?
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from aglets import GraphSet, LagraClassifier

SHAPES = {
    "L": [(0.0, 2.0), (0.0, 0.0), (1.2, 0.0)],
    "V": [(0.0, 2.0), (0.7, 0.0), (1.4, 2.0)],
    "T": [(0.0, 2.0), (0.7, 2.0), (1.4, 2.0), (0.7, 0.0)],
}
STROKES = {"L": [(0, 1), (1, 2)], "V": [(0, 1), (1, 2)], "T": [(0, 1), (1, 2), (1, 3)]}

rng = np.random.default_rng(0)
letters = rng.choice(list(SHAPES), size=150)
graphs = GraphSet.from_lists(
    labels=[[""] * len(SHAPES[name]) for name in letters],
    edges=[STROKES[name] for name in letters],
    attributes=[
        SHAPES[name] + rng.normal(scale=0.25, size=(len(SHAPES[name]), 2)) for name in letters
    ],
    attribute_names=("x", "y"),
)

# %%
# ``node_labels="none"`` keeps the nodes as they are; else their degrees would become labels.

clf = LagraClassifier(maxpat=2, lambda_ratio=0.1, rho=0.5, node_labels="none")
clf.fit(graphs[:100], letters[:100])
print(f"accuracy on 50 other drawings: {clf.score(graphs[100:], letters[100:]):.2f}")
for entry in clf.explain_global().graphlets[:4]:
    where = ", ".join(f"({x:.1f}, {y:.1f})" for x, y in entry.graphlet.attributes)
    print(f"evidence for {entry.evidence_for}: nodes near {where}")

# %%
# One drawing with what the model matched.

clf.explain(graphs[100]).plot()
plt.show()
