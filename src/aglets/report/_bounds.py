"""How much a page holds, so that it opens at once and can be sent by mail.

What is counted, every graph and every graphlet counts in. Of many graphs a part is listed one by
one, and of many graphlets the strongest have a card, with those that
an explanation needs; the page says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aglets.graphs.arrays import Rows

__all__ = ["MIN_SHOWN", "Bounds"]

#: Cards of graphlets on a page, and those that every target has at least.
MAX_CARDS, MIN_CARDS = 240, 12
#: Values that say how well each listed graph matches each graphlet with a card.
MAX_MATCHES = 200_000
#: Answers for graphs: predictions, decisions, probabilities of one graph for one target are one.
MAX_ANSWERS = 12_000
#: Decisions of listed graphs, one per output: of many classes there are many.
MAX_DECISIONS = 40_000
#: Numbers that say where graphlets lie; where there are more, the weakest places are left out.
MAX_PLACES = 200_000
#: Graphs that are explained for a target, and those that every target has at least.
MIN_SHOWN = 6


@dataclass(frozen=True)
class Bounds:
    """What each target may take of the page.

    Parameters
    ----------
    n_targets, max_graphs : int
        Targets, and the most graphs that are explained.
    """

    n_targets: int
    max_graphs: int

    @property
    def n_cards(self) -> int:
        """Most graphlets of one target that have a card."""
        return max(MAX_CARDS // self.n_targets, MIN_CARDS)

    @property
    def n_shown(self) -> int:
        """Most graphs that are explained for one target."""
        return min(max(self.max_graphs // self.n_targets, MIN_SHOWN), self.max_graphs)

    @property
    def n_places(self) -> int:
        """Most numbers that say where graphlets lie, for one target."""
        return MAX_PLACES // self.n_targets

    def listed(self, n_graphs: int, shown: Sequence[int], n_cards: int, n_outputs: int = 1) -> Rows:
        """Choose the graphs that are listed: those that are explained, and others evenly.

        Parameters
        ----------
        n_graphs : int
        shown : sequence of int
            Graphs that are explained.
        n_cards : int
            Cards of all targets together.
        n_outputs : int
            Outputs of the model.

        Examples
        --------
        >>> Bounds(n_targets=1, max_graphs=300).listed(5, [2], n_cards=10)
        array([0, 1, 2, 3, 4])
        >>> len(Bounds(n_targets=12, max_graphs=300).listed(8000, [2], n_cards=240))
        833
        """
        most = min(
            MAX_MATCHES // max(n_cards, 1),
            MAX_ANSWERS // self.n_targets,
            MAX_DECISIONS // n_outputs,
        )
        chosen = np.zeros(n_graphs, dtype=bool)
        chosen[list(shown)] = True
        others = np.flatnonzero(~chosen)
        room = most - int(chosen.sum())
        if len(others) > room:
            others = others[np.linspace(0, len(others) - 1, max(room, 0)).astype(np.intp)]
        chosen[others] = True
        return np.flatnonzero(chosen)
