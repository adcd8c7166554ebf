"""
Does training on shards change the model?
=========================================

Training needs only sums over graphs. So graphs may lie in several shards, here in one process; each returns its
part of a sum. The model should be the same.
"""

from __future__ import annotations

import matplotlib.pyplot as plt

from aglets import LagraClassifier, ShardedEngine, datasets

graphs, y = datasets.load_acids()
whole = LagraClassifier(lambda_ratio=0.1, maxpat=4).fit(graphs, y)
parts = {
    n: LagraClassifier(lambda_ratio=0.1, maxpat=4, engine=ShardedEngine(n_shards=n)).fit(graphs, y)
    for n in (2, 3, 7)
}
for n, clf in parts.items():
    same = [a.name for a in clf.graphlets_] == [b.name for b in whole.graphlets_]
    print(f"{n} shards: same graphlets: {same}, objective {clf.objective_ - whole.objective_:+.1e}")

# %%
# Decisions of all molecules, with one piece and with seven shards.

fig, ax = plt.subplots(figsize=(4, 4), layout="constrained")
ax.scatter(whole.decision_function(graphs), parts[7].decision_function(graphs), s=12, color="0.3")
ax.axline((0, 0), slope=1, color="0.7", zorder=0)
ax.set(xlabel="decision, one piece", ylabel="decision, seven shards")
plt.show()
