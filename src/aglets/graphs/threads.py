"""How many threads a call may use."""

from __future__ import annotations

from joblib import effective_n_jobs


def n_threads(n_jobs: int | None) -> int:
    """Turn scikit-learn's n_jobs into a number of threads: None is 1, -1 all cores.

    Examples
    --------
    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    return int(effective_n_jobs(1 if n_jobs is None else n_jobs))
