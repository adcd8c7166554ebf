"""Is one method better than another? Paired tests over the same splits.

The paper tests with Student's t over five splits. Splits share most of their graphs, so their
differences are not independent and that test finds too much; Nadeau and Bengio (2003) correct its
variance for it.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

LEVEL = 0.05
TEST_TO_TRAIN = 0.2 / 0.6


def paired_t(better: np.ndarray, worse: np.ndarray, *, overlap: float = 0.0) -> float:
    """Return the one-sided p of Student's paired t-test that the first mean is larger.

    Parameters
    ----------
    better, worse : ndarray of shape (n_splits,)
    overlap : float
        Test graphs per training graph: the correction of Nadeau and Bengio; 0 for none.
    """
    difference = np.asarray(better, dtype=float) - np.asarray(worse, dtype=float)
    n = len(difference)
    if n < 2:
        return np.nan
    variance = difference.var(ddof=1) * (1 / n + overlap)
    if variance == 0:
        return 0.5 if difference[0] == 0 else float(difference[0] < 0)
    return float(stats.t.sf(difference.mean() / np.sqrt(variance), n - 1))


def corrected_t(better: np.ndarray, worse: np.ndarray) -> float:
    """Return the one-sided p of the corrected resampled t-test for 60 : 20 : 20 splits."""
    return paired_t(better, worse, overlap=TEST_TO_TRAIN)


def detectable(difference: np.ndarray) -> float:
    """Return the true mean difference that the corrected test finds in half of all cases."""
    n = len(difference)
    variance = np.var(difference, ddof=1) * (1 / n + TEST_TO_TRAIN)
    return float(stats.t.isf(LEVEL, n - 1) * np.sqrt(variance))
