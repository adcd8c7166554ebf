"""
Is a hidden motif found?
========================

Two hundred random graphs, and a motif hidden in those of class 1. All *parts* of the motif are in both
classes, and half of the other graphs hold a decoy: the same labels and edges with other attributes.
Only the whole motif with its attributes predicts the class. Does a model find it?
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from aglets import LagraClassifier, agis, datasets

graphs, y, (motif,) = datasets.make_planted(200, noise=0.1, random_state=0)
train, test = np.arange(0, 200, 2), np.arange(1, 200, 2)
clf = LagraClassifier(maxpat=5, lambda_ratio=0.3).fit(graphs[train], y[train])
print(f"planted: {motif.name}")
print(f"found:   {', '.join(g.name for g in clf.graphlets_)}")
print(f"accuracy on graphs that were not trained on: {clf.score(graphs[test], y[test]):.2f}")

# %%
# The attributes of the first graphlet should be those of the motif, node by node. How close they
# are is what psi measures: 1 means equal.

first = clf.graphlets_[0]
print("attributes planted:", np.ravel(motif.attributes).round(2).tolist())
print("attributes learned:", np.ravel(first.attributes).round(2).tolist())

# %%
# The best psi of the planted motif in every test graph separates the classes in the same way as
# the decision of the model.

truth = agis(graphs[test], [motif], rho=clf.rho)[:, 0]
decision = clf.decision_function(graphs[test])
fig, ax = plt.subplots(figsize=(5, 3.5), layout="constrained")
for value, marker in zip(clf.classes_, "ox", strict=True):
    own = y[test] == value
    ax.scatter(truth[own], decision[own], marker=marker, label=f"class {value}", alpha=0.7)
ax.axhline(0.0, color="grey", linewidth=0.8)
ax.set(xlabel="psi of the planted motif", ylabel="decision of the model")
ax.legend()
plt.show()
