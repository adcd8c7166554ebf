"""How many threads a call may use."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from joblib.parallel import get_active_backend

#: More than this is a mistake; the machine would run out of threads.
MAX_THREADS = 1024


def n_threads(n_jobs: int | None) -> int:
    """Turn scikit-learn's n_jobs into a number of threads: None is 1, -1 all cores.

    Where joblib runs several calls side by side, as in ``GridSearchCV(n_jobs=2)``, each has its
    share of the cores and no more.

    Examples
    --------
    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    wanted: Any = 1 if n_jobs is None else n_jobs
    if not isinstance(wanted, (int, np.integer)) or wanted == 0 or wanted > MAX_THREADS:
        raise ValueError(
            f"n_jobs must be a number of threads from 1 to {MAX_THREADS}, or -1 for all cores. "
            f"Got {n_jobs!r} instead."
        )
    found = int(effective_n_jobs(wanted))
    backend, _ = get_active_backend()
    if not backend.nesting_level:
        return found
    # joblib says to the processes it starts how many cores each may take.
    share = os.environ.get("OMP_NUM_THREADS", "1")
    return min(found, int(share) if share.isdigit() else 1)
