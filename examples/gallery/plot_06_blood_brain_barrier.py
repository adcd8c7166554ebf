"""
Which molecules enter the brain?
================================

Four hundred drugs and other molecules, half of which cross the blood-brain barrier. Chemists
know the rule of thumb: polar groups keep a molecule out, greasy rings and amines let it in. Does a model find it
from the data, and how good is it on molecules that it has not seen?
"""

from __future__ import annotations

import matplotlib.pyplot as plt
from sklearn.metrics import roc_auc_score

from aglets import LagraClassifier, datasets, plot

graphs, y = datasets.load_demo()
clf = LagraClassifier(maxpat=4, lambda_ratio=0.1).fit(graphs[:300], y[:300])
auc = roc_auc_score(y[300:], clf.decision_function(graphs[300:]))
print(f"AUC on 100 other molecules: {auc:.2f} with {len(clf.graphlets_)} graphlets")

# %%
# Positive weights are evidence for crossing. The words are the attributes that were learned: the
# second graphlet is an OH with a very negative charge, as in acids.

for graphlet in clf.graphlets_[:6]:
    print(f"{graphlet.coef:+.2f}  {', '.join(graphlet.node_words)}")

# %%
# The strongest graphlets of both signs, each marked in the training molecule that it fits best.

plot.GraphletGridDisplay(clf.explain_global()).plot(n_each=2)
plt.show()
