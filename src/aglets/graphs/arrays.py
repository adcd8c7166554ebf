"""Names for the arrays that are passed around, in one place."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Bools", "Codes", "Floats", "Ints", "Rows", "Texts"]

Floats = npt.NDArray[np.float64]
#: Labels, types and nodes by number.
Codes = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
#: Names, SMILES and the like; None where there is none.
Texts = npt.NDArray[np.object_]
#: Positions in a set of graphs.
Rows = npt.NDArray[np.intp]
#: Any of these.
Array = TypeVar("Array", bound=npt.NDArray[Any])
