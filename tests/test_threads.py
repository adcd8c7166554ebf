"""How many threads a call takes, alone and next to others."""

from __future__ import annotations

import pytest
from joblib import Parallel, cpu_count, delayed

from aglets.graphs.threads import n_threads


def test_none_is_one_thread_and_minus_one_all_cores():
    assert n_threads(None) == 1
    assert n_threads(3) == 3
    assert n_threads(-1) == cpu_count()


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_calls_side_by_side_take_no_more_cores_than_there_are(backend):
    found = Parallel(n_jobs=cpu_count(), backend=backend)(delayed(n_threads)(4) for _ in range(2))
    assert found == [1, 1]
