"""
How small can a model be?
=========================

A model of 37 graphlets predicts well, but it takes long to read. `size_curve` makes smaller models from it without
fitting again, and measures how good each size is on other molecules.
"""

from __future__ import annotations

import matplotlib.pyplot as plt

from aglets import LagraClassifier, compact, datasets, size_curve

graphs, y = datasets.load_demo()
clf = LagraClassifier(lambda_ratio=0.05, maxpat=4).fit(graphs[:300], y[:300])
curve = size_curve(clf.model_, graphs[300:], y[300:])
print(f"{len(clf.graphlets_)} graphlets at the start")

# %%
# The curve. It is measured on 100 molecules, so a step of two or three points means nothing.

fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.plot([p.n_graphlets for p in curve], [p.score for p in curve], "o-", color="0.3")
ax.set(xlabel="graphlets", ylabel="accuracy on other molecules", xscale="log")
plt.show()

# %%
# `compact` gives the model of one size. Its predictions are close to those of the large one; the graphlets that stay
# get other weights.

small = compact(clf.model_, graphs[:300], 10)
same = (small.predict(graphs[300:]) == clf.predict(graphs[300:])).mean()
print(f"with {len(small.graphlets)} graphlets {same:.0%} of the predictions stay the same")
