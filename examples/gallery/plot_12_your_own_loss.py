"""
What if errors do not cost the same?
====================================

To predict that water takes up a molecule better than it does may be worse than the opposite. A loss of your own
expresses this: one class with five short methods. Here a prediction that is too low costs four times as much as one
that is too high.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from aglets import LagraRegressor, datasets
from aglets.model.losses import Loss


class Lopsided(Loss):
    """(y - f)², four times as much where f is below y."""

    name = "lopsided"
    task = "regression"

    def weight(self, y, f, w):
        """How much the error of each graph counts."""
        return w * np.where(f < y, 4.0, 1.0)

    def value(self, y, f, w):
        """Sum up the loss, with its 1/2."""
        return 0.5 * float(self.weight(y, f, w) @ (y - f) ** 2)

    def residual(self, y, f, w):
        """Minus its derivative in each f."""
        return self.weight(y, f, w) * (y - f)

    def curvature(self, y, f, w):
        """Its second derivative in each f."""
        return self.weight(y, f, w)

    def curvature_bound(self, w):
        """Say what the curvature never exceeds."""
        return 4.0 * w

    def intercept_interval(self, y, offset, w):
        """Two numbers between which the best intercept lies."""
        error = y - offset
        return float(error.min()), float(error.max())


graphs, y = datasets.load_hydration()
rows = np.random.default_rng(1).permutation(len(y))
train, test = rows[:450], rows[450:]
errors = {}
for name, loss in {"squared": "squared", "lopsided": Lopsided()}.items():
    model = LagraRegressor(maxpat=2, lambda_ratio=0.02, loss=loss).fit(graphs[train], y[train])
    errors[name] = model.predict(graphs[test]) - y[test]
    print(f"{name}: {np.mean(errors[name] < 0):.0%} of the predictions are too low")

# %%
# The errors move to the side that costs less.

fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
for name, error in errors.items():
    ax.hist(error, bins=np.linspace(-6, 6, 40), histtype="step", label=name)
ax.axvline(0, color="0.7", zorder=0)
ax.set(xlabel="predicted less measured, kcal/mol", ylabel="molecules")
ax.legend()
plt.show()
