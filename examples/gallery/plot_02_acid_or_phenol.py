"""
An acid or a phenol?
====================

Three hundred small molecules, half of them acidic: by a carboxylic acid or by a phenol. Esters, ethers and
alcohols look alike and are neutral. Which pieces does the model use, and where are they in a molecule?
"""

from __future__ import annotations

import matplotlib.pyplot as plt

from aglets import LagraClassifier, datasets

graphs, y = datasets.load_acids()
clf = LagraClassifier(lambda_ratio=0.05, maxpat=4).fit(graphs[::2], y[::2])
print(clf.explain_global())
print(f"accuracy on the other half: {clf.score(graphs[1::2], y[1::2]):.2f}")

# %%
# The attributes are learned. In words: the oxygen of an acid carries a hydrogen, that of an ester
# does not.

for graphlet in clf.graphlets_:
    print(graphlet.name, "|", "; ".join(graphlet.node_words))

# %%
# One molecule with its matched atoms. The bars add up to the decision.

why = clf.explain(graphs[1])
print(why)
why.plot()
plt.show()
