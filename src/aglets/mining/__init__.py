"""All connected labelled subgraphs of a set of graphs: count, list, search.

A *pattern* is a connected labelled graph of at most `maxpat` **nodes** that occurs in at least one
graph. Occurring means non-induced: the graph may have further edges between the matched nodes.
Single nodes are patterns. Edge labels take part when the `GraphSet` has them.

- `count` and `frequent` walk all patterns once and keep none that is not asked for.
- `Tree` grows the patterns on demand and keeps them for the learning layer: one tree serves every
  rho, maxpat, lambda, loss and class.
- `lambda_max` is the largest useful penalty of the paper's model.

Long calls answer Ctrl-C within a second. Where a budget (`max_nodes`, `max_bytes`, `max_seconds`)
runs out, `BudgetError` says which, and a tree stays usable.
"""

from __future__ import annotations

from aglets._core import BudgetError
from aglets.mining.counting import Counts, FrequentPattern, count, frequent, lambda_max
from aglets.mining.starts import Starts, label_means
from aglets.mining.tree import Found, Pattern, Tree

__all__ = [
    "BudgetError",
    "Counts",
    "Found",
    "FrequentPattern",
    "Pattern",
    "Starts",
    "Tree",
    "count",
    "frequent",
    "label_means",
    "lambda_max",
]
