"""What one request may ask for: beyond it the answer is a sentence, and the server stays up."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits", "RefusedError"]


class RefusedError(Exception):
    """A request that is not answered, with its HTTP status and a sentence that says why."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True)
class Limits:
    """Limits of a server.

    Parameters
    ----------
    max_bytes : int
        Size of a question.
    max_table_bytes : int
        Size of a table of molecules.
    max_nodes : int
        Nodes of one graph.
    max_seconds : float
        Until an answer.
    max_waiting : int
        Questions that wait or are worked on at a time.
    threads : int
        Questions that are worked on at a time.

    Examples
    --------
    >>> Limits().max_nodes
    1000
    """

    max_bytes: int = 1_000_000
    max_table_bytes: int = 100_000_000
    max_nodes: int = 1000
    max_seconds: float = 20.0
    max_waiting: int = 64
    threads: int = 2
