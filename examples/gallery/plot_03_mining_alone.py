"""
How many patterns are there?
============================

Without a model: count all connected labelled subgraphs of a set, list the frequent ones, and see how their
number grows with their size. This decides how large a `maxpat` you can afford.
"""

from __future__ import annotations

import matplotlib.pyplot as plt

from aglets import datasets, mining

graphs, _ = datasets.load_demo()
counts = mining.count(graphs, maxpat=6)
print(f"{counts.total} patterns of up to 6 nodes in {len(graphs)} molecules")

# %%
# The largest of the patterns that half of the molecules share:

common = mining.frequent(graphs, maxpat=5, min_support=len(graphs) // 2)
largest = max(common, key=lambda pattern: (len(pattern.labels), pattern.support))
print(f"{len(common)} patterns are in half of the molecules or more")
print(
    f"one of the largest: {largest.labels} with edges {largest.edges.tolist()}, in {largest.support}"
)

# %%
# The number of patterns grows by a factor per node.

fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.bar(list(counts.by_nodes), list(counts.by_nodes.values()), color="0.4")
ax.set(yscale="log", xlabel="nodes", ylabel="patterns", title="Patterns by size")
plt.show()
