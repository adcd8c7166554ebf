"""Where a path can go on: after an interruption, or where another one leaves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aglets.training.optim.state import State, StoredState
from aglets.training.path_point import PathPoint

__all__ = ["BranchPoints", "Resume"]


@dataclass(frozen=True)
class Resume:
    """Where a path goes on: after these points, in this state.

    Parameters
    ----------
    points : tuple of PathPoint
        Those that are known already.
    state : State or StoredState
        A state is of the same placement of graphs; a stored one of the same graphs.
    reach : int
        Size of the largest violator met so far.
    lam_max : float
    """

    points: tuple[PathPoint, ...]
    state: State | StoredState
    reach: int
    lam_max: float


class BranchPoints:
    """Where paths of smaller maxpat leave the one that is walked.

    Until a search meets a violator of more than m nodes, the path of maxpat m and that of a larger
    one are the same, to the last bit: m's path may start where they part.

    Parameters
    ----------
    maxpats : sequence of int

    Attributes
    ----------
    last : Resume or None
        Where the walk was last: a search that must do with smaller patterns goes on from there,
        and the larger ones that are in the model by then stay in it.
    """

    def __init__(self, maxpats: Sequence[int] = ()) -> None:
        self.maxpats = tuple(maxpats)
        self.last: Resume | None = None
        self._at: dict[int, Resume] = {}

    def note(self, resume: Resume) -> None:
        """Note where the walk is."""
        self.last = resume
        for maxpat in self.maxpats:
            if resume.reach <= maxpat:
                self._at[maxpat] = resume

    def at(self, maxpat: int) -> Resume | None:
        """Return where this maxpat's path leaves; None if at the very start."""
        return self._at.get(maxpat)
