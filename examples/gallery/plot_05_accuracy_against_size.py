"""
How small can a model be?
=========================

`size_curve` makes smaller models of a fitted one and measures how good each size is on other graphs. Here some classes are changed at random, so that a large model learns noise.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from aglets import LagraClassifier, datasets, size_curve

graphs, y = datasets.load_acids()
rng = np.random.default_rng(0)
noisy = np.where(rng.random(len(y)) < 0.1, rng.permutation(y), y)
train, test = np.arange(0, 300, 2), np.arange(1, 300, 2)
clf = LagraClassifier(lambda_ratio=0.02, maxpat=4).fit(graphs[train], noisy[train])
curve = size_curve(clf.model_, graphs[test], noisy[test])
print(f"{len(clf.graphlets_)} graphlets at the start")

# %%
# The curve: few graphlets do.

fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.plot([p.n_graphlets for p in curve], [p.score for p in curve], "o-", color="0.3")
ax.set(xlabel="graphlets", ylabel="accuracy on other molecules")
plt.show()
