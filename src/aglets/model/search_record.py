"""How far the search for graphlets went."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SearchRecord"]


@dataclass(frozen=True)
class SearchRecord:
    """What was asked of the search for graphlets, and what its budget allowed.

    Parameters
    ----------
    maxpat_asked : int
        Largest number of nodes of a graphlet that was asked for.
    maxpat_reached : int
        Largest number of nodes of the graphlets that were searched for this model.
    lambda_ratio_reached : float
        lambda / lambda_max at the end of the path; of several outputs the largest.
    work : int
        Units of work of the searches along the path, the same on every machine.
    """

    maxpat_asked: int
    maxpat_reached: int
    lambda_ratio_reached: float
    work: int

    def __str__(self) -> str:
        nodes = "node" if self.maxpat_reached == 1 else "nodes"
        size = f"graphlets of up to {self.maxpat_reached} {nodes}"
        if self.maxpat_reached < self.maxpat_asked:
            size += f" (up to {self.maxpat_asked} were asked for)"
        ratio = f"lambda / lambda_max down to {self.lambda_ratio_reached:.3g}"
        work = float(f"{self.work:.3g}")
        return f"{size}, {ratio}, {work:,.0f} units of work"
