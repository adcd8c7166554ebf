"""
What does each group add?
=========================

The free energy of hydration is nearly a sum over groups: each OH adds some kcal/mol, each CH2 takes some away. A
graphlet that only says *whether* a group occurs cannot say this. One that counts can.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from aglets import LagraRegressor, datasets

graphs, y = datasets.load_hydration()
rows = np.random.default_rng(1).permutation(len(y))
train, test = rows[:450], rows[450:]
models = {
    "whether it occurs": LagraRegressor(maxpat=3, lambda_ratio=0.01, pooling=("best",)),
    "how often it occurs": LagraRegressor(maxpat=3, lambda_ratio=0.01, pooling=("best", "sum")),
}
for name, model in models.items():
    model.fit(graphs[train], y[train])
    print(f"{name}: R² {model.score(graphs[test], y[test]):.2f}, {len(model.graphlets_)} graphlets")

# %%
# The weights are in kcal/mol, for each place where a counting graphlet matches.

counting = models["how often it occurs"]
for graphlet in counting.graphlets_[:6]:
    print(f"{graphlet.coef:+.2f} kcal/mol  {graphlet.name} {graphlet.unit or ''}")

# %%
# Measured and predicted, for molecules that the models have not seen.

fig, axes = plt.subplots(1, 2, figsize=(7, 3.5), layout="constrained", sharex=True, sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    ax.scatter(y[test], model.predict(graphs[test]), s=10, color="0.3")
    ax.axline((-5, -5), slope=1, color="0.7", zorder=0)
    ax.set(title=name, xlabel="measured, kcal/mol")
axes[0].set_ylabel("predicted, kcal/mol")
plt.show()
