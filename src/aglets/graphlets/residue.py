"""Numbers for people: what is zero but for rounding or the last steps of a solver is shown as 0."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aglets.graphs.arrays import Floats

__all__ = ["NEGLIGIBLE", "without_residue"]


#: Below this part of what an attribute usually is, a value says nothing to a reader.
NEGLIGIBLE = 1e-4


def without_residue(values: Floats, usual: npt.ArrayLike | None = None) -> Floats:
    """Return attributes with 0 for what is negligible.

    Parameters
    ----------
    values : ndarray of shape (n, d)
    usual : array-like of shape (n, d), (1, d) or (d,), optional
        How large the attributes usually are; the largest of each column unless given.

    Examples
    --------
    >>> without_residue(np.array([[5.1e-11, 3.0], [0.02, 4.0]]))
    array([[0.  , 3.  ],
           [0.02, 4.  ]])
    >>> without_residue(np.array([[5.1e-11]]), usual=[0.02])
    array([[0.]])
    """
    size = np.abs(values)
    compared_with = size.max(axis=0, initial=0.0) if usual is None else np.asarray(usual)
    return np.where(size > NEGLIGIBLE * compared_with, values, 0.0)
