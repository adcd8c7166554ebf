"""Slow, obvious code that judges the fast code: networkx, NumPy, SciPy and plain loops only.

Nothing here imports from aglets; a graph set comes in as an argument and is read column by column.
The one exception to "obvious" is `convex`, whose answers carry their own certificate.
"""
