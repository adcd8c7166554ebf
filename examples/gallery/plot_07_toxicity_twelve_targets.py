"""
Which pieces are toxic in which assay?
======================================

Five hundred molecules were tested in twelve assays of Tox21, not all in each. One model predicts all of them.
Graphlets are shared, so that a piece that matters in several assays is found once. Missing values stay missing.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score

from aglets import LagraClassifier, datasets, plot

graphs, y = datasets.load_toxicity()
print(f"{y.shape[1]} assays, {np.isnan(y).mean():.0%} of the cells are empty")

# %%
# One fit for all targets: with ``sharing="group"`` a graphlet enters for all of them or none.

train, test = np.arange(0, 400), np.arange(400, 500)
clf = LagraClassifier(maxpat=3, lambda_ratio=0.25, n_lambdas=15, sharing="group", loss="logistic")
clf.fit(graphs[train], y[train])
decisions = clf.decision_function(graphs[test])
for name, truth, decision in zip(y.names, y[test].T, decisions.T, strict=True):
    known = ~np.isnan(truth)
    if 0 < truth[known].sum() < known.sum():
        print(f"{name:14s} AUC {roc_auc_score(truth[known], decision[known]):.2f}")

# %%
# Which graphlet contributes to which assay: blue is evidence for activity, orange against.

plot.OutputsDisplay.from_explanation(clf.explain_global(), max_graphlets=12).plot()
plt.show()
