"""
Does it fit into a pipeline?
============================

An estimator of aglets is a transformer, too: its features say how well each graph contains each graphlet. So any
model of scikit-learn can follow it in a pipeline, and `GridSearchCV` chooses the parameters of all steps together.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from aglets import LagraClassifier, datasets

graphs, y = datasets.load_demo()
train, test = slice(0, 300), slice(300, 400)
pipeline = make_pipeline(
    LagraClassifier(n_lambdas=20, lambda_ratio=0.1),
    RandomForestClassifier(n_estimators=50, random_state=0),
)
grid = {"lagraclassifier__maxpat": [1, 2, 3, 4]}
search = GridSearchCV(pipeline, grid, cv=3, scoring="roc_auc").fit(graphs[train], y[train])
print(f"chosen: {search.best_params_}")
print(f"AUC on other molecules: {search.score(graphs[test], y[test]):.2f}")

# %%
# The features have names, so the forest can be read a little, too.

first, forest = (step for _, step in search.best_estimator_.steps)
names = first.get_feature_names_out()
order = forest.feature_importances_.argsort()[-10:]
fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.barh(names[order], forest.feature_importances_[order], color="0.4")
ax.set(xlabel="importance in the forest")
plt.show()
