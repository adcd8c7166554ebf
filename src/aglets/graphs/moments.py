"""Counts, means and squares of groups of rows, from parts that are added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aglets.graphs.arrays import Floats

__all__ = ["Moments"]


@dataclass(frozen=True, eq=False)
class Moments:
    """Of the rows of each group: their number, the mean, and the sum of squares about it.

    Parameters
    ----------
    count : ndarray of shape (n_groups,)
    mean, squares : ndarray of shape (n_groups, n_columns)
    largest : ndarray of shape (n_columns,)
        Largest size of an entry.

    Examples
    --------
    >>> rows, groups = np.array([[1.0], [3.0], [8.0], [5.0]]), np.array([0, 0, 1, 0])
    >>> parts = [Moments.of(rows[:2], groups[:2], 2), Moments.of(rows[2:], groups[2:], 2)]
    >>> whole = Moments.total(parts)
    >>> whole.count, whole.mean.ravel(), whole.squares.ravel()
    (array([3., 1.]), array([3., 8.]), array([8., 0.]))
    """

    count: Floats
    mean: Floats
    squares: Floats
    largest: Floats

    @classmethod
    def of(cls, rows: Floats, groups: npt.NDArray[np.integer], n_groups: int) -> Moments:
        """Sum up rows; the group -1 is none."""
        known = groups >= 0
        rows, groups = rows[known], groups[known]
        count = np.bincount(groups, minlength=n_groups).astype(np.float64)
        mean, squares = np.zeros((2, n_groups, rows.shape[1]))
        filled = np.maximum(count, 1.0)
        for j, column in enumerate(rows.T):
            mean[:, j] = np.bincount(groups, column, n_groups) / filled
            squares[:, j] = np.bincount(groups, (column - mean[groups, j]) ** 2, n_groups)
        return cls(count, mean, squares, np.abs(rows).max(axis=0, initial=0.0))

    @classmethod
    def total(cls, parts: Sequence[Moments]) -> Moments:
        """Add up parts, in their order."""
        whole = parts[0]
        for part in parts[1:]:
            whole = whole._plus(part)
        return whole

    def _plus(self, other: Moments) -> Moments:
        count = self.count + other.count
        share = (other.count / np.maximum(count, 1.0))[:, None]
        apart = other.mean - self.mean
        return Moments(
            count,
            self.mean + share * apart,
            self.squares + other.squares + self.count[:, None] * share * apart**2,
            np.maximum(self.largest, other.largest),
        )

    @property
    def ungrouped(self) -> Moments:
        """Take all rows as one group."""
        parts = [self.taken(np.array([k])) for k in range(len(self.count))]
        width = self.mean.shape[1]
        none = Moments(np.zeros(1), np.zeros((1, width)), np.zeros((1, width)), self.largest)
        return Moments.total([none, *parts])

    def taken(self, groups: npt.NDArray[np.integer]) -> Moments:
        """Take some groups."""
        return Moments(self.count[groups], self.mean[groups], self.squares[groups], self.largest)
