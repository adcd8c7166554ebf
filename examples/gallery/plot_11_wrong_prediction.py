"""
Why is this one wrong?
======================

A model that can be read shows why it is wrong. Take the wrong prediction of which the model is most sure, look at what
it matched, and ask how far to trust it.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from aglets import LagraClassifier, datasets

graphs, y = datasets.load_demo()
clf = LagraClassifier(maxpat=4, lambda_ratio=0.1).fit(graphs[:300], y[:300])
test, truth = graphs[300:], y[300:]
decision = clf.decision_function(test)
wrong = np.flatnonzero(clf.predict(test) != truth)
surest = wrong[np.argsort(-np.abs(decision[wrong]))]
print(f"{len(wrong)} of {len(test)} are wrong; the surest of them:")
for i in surest[:2]:
    print(f"decision {decision[i]:+.2f}, in truth {truth[i]}: {test.smiles[i]}")

# %%
# The sum of evidence. Below it: the probability, the classes that cannot be excluded, atoms whose surroundings
# were never seen, and the nearest training molecules.

why = clf.explain(test[int(surest[0])])
print(why)

# %%
# The matched atoms. This is pheniramine, an old antihistamine that is known to make people drowsy, so it should
# reach the brain: here the entry of the table may be wrong rather than the model. To see that, one must see why.
#
# The next one is domperidone. It would get in, but a pump in the barrier carries it out again. No single piece of
# the molecule shows this, so a model of pieces cannot know it.

why.plot()
plt.show()
