"""Parts of molecules that are harder than random ones: by scaffold, and by time.

A random part holds relatives of nearly all molecules that are trained on. Chemists ask of a model
what it says of another series, or of next year's molecules: parts by scaffold (the ring systems
and what links them, after Bemis and Murcko) and by time show that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aglets.graphs import GraphSet
from aglets.graphs.arrays import Rows
from aglets.graphs.optional import optional

__all__ = ["ScaffoldKFold", "TimeFolds", "scaffold_holdout", "scaffolds", "time_holdout"]


def scaffolds(molecules: Any) -> list[str]:
    """Return the Bemis-Murcko scaffold of every molecule as SMILES; "" without rings.

    Parameters
    ----------
    molecules : GraphSet that was read from SMILES, or sequence of SMILES

    Examples
    --------
    >>> scaffolds(["Cc1ccccc1", "CCc1ccccc1O", "CCO"])
    ['c1ccccc1', 'c1ccccc1', '']
    """
    chem = optional("rdkit.Chem", "splitting by scaffold")
    murcko = optional("rdkit.Chem.Scaffolds.MurckoScaffold", "splitting by scaffold")
    quiet = optional("rdkit.rdBase", "splitting by scaffold").BlockLogs
    found = []
    with quiet():
        for row, text in enumerate(_smiles(molecules)):
            mol = None if text is None else chem.MolFromSmiles(text)
            if mol is None:
                raise ValueError(
                    f"Expected SMILES that RDKit can read to split by scaffold, got {text!r} for "
                    f"molecule {row}; read them with GraphSet.from_smiles first."
                )
            found.append(str(murcko.MurckoScaffoldSmiles(mol=mol)))
    return found


def _smiles(molecules: Any) -> Sequence[str | None]:
    if not isinstance(molecules, GraphSet):
        return list(molecules)
    if molecules.smiles is None:
        raise ValueError(
            "Expected molecules that were read from SMILES to split by scaffold, but these graphs "
            "have none; read them with GraphSet.from_smiles or from_table, or give "
            "graphs.with_identity(smiles=...)."
        )
    return list(molecules.smiles)


def scaffold_holdout(
    molecules: Any, test_size: float = 0.2, *, random_state: int | None = None
) -> tuple[Rows, Rows]:
    """Split molecules so that no scaffold is in both parts.

    Parameters
    ----------
    molecules : GraphSet that was read from SMILES, or sequence of SMILES
    test_size : float
        The part to test on, about: a scaffold is never divided.
    random_state : int, optional
        Without, the most frequent scaffolds are trained on and the rarest tested, always the same,
        as in MoleculeNet. A number draws the order of all scaffolds that are not too large to be
        tested.

    Returns
    -------
    train, test : ndarray of int
        Positions, in order.

    Examples
    --------
    >>> train, test = scaffold_holdout(["Cc1ccccc1", "Oc1ccccc1", "Nc1ccccc1", "C1CC1"], 0.25)
    >>> train.tolist(), test.tolist()
    ([0, 1, 2], [3])
    """
    _check_size(test_size)
    groups = _groups(scaffolds(molecules))
    n = sum(map(len, groups))
    if random_state is None:
        # Of equally rare scaffolds the first are tested, as there; files are often sorted by class.
        groups = sorted(groups, key=lambda group: (-len(group), -group[0]))
    else:
        order = np.random.default_rng(random_state).permutation(len(groups)).tolist()
        large = [group for group in groups if len(group) > test_size * n / 2]
        small = [groups[k] for k in order if len(groups[k]) <= test_size * n / 2]
        groups = [*large, *small]
    train: list[int] = []
    test: list[int] = []
    for group in groups:
        (test if len(train) + len(group) > (1.0 - test_size) * n else train).extend(group)
    if not train or not test:
        raise ValueError(
            f"Expected several scaffolds to divide, but a part of {test_size:g} cannot be made of "
            f"{len(groups)}; take another test_size, or a random split."
        )
    return np.sort(np.array(train)), np.sort(np.array(test))


def time_holdout(times: ArrayLike, test_size: float = 0.2) -> tuple[Rows, Rows]:
    """Test on the latest graphs, and train on all before.

    Parameters
    ----------
    times : array-like of shape (n_graphs,)
        Numbers, or text that sorts by time, such as 2021-05-30. Graphs of equal time are on one
        side, the later one.
    test_size : float

    Examples
    --------
    >>> train, test = time_holdout([2019, 2021, 2020, 2018], 0.25)
    >>> train.tolist(), test.tolist()
    ([0, 2, 3], [1])
    """
    _check_size(test_size)
    values = np.asarray(times)
    n_test = max(1, round(test_size * len(values)))
    first = np.sort(values)[len(values) - n_test]
    train, test = np.flatnonzero(values < first), np.flatnonzero(values >= first)
    if not len(train):
        raise ValueError(
            "Expected different times to divide by, but too many are the same; take another "
            "test_size, or a random split."
        )
    return train, test


class ScaffoldKFold:
    """Folds of molecules, each scaffold in one of them; a splitter as in scikit-learn.

    Parameters
    ----------
    n_splits : int
    random_state : int
        Which of equally frequent scaffolds come together.

    Examples
    --------
    >>> molecules = ["Cc1ccccc1", "Oc1ccccc1", "C1CC1", "CC1CC1"]
    >>> [test.tolist() for _, test in ScaffoldKFold(2).split(molecules)]
    [[0, 1], [2, 3]]
    """

    def __init__(self, n_splits: int = 5, *, random_state: int = 0) -> None:
        self.n_splits = n_splits
        self.random_state = random_state

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Rows, Rows]]:
        """Yield positions to train on and to test on."""
        found = _groups(scaffolds(X))
        if len(found) < self.n_splits:
            raise ValueError(
                f"Expected at least {self.n_splits} scaffolds for as many folds, got {len(found)}; "
                "take fewer folds, or random ones."
            )
        # The most frequent first, so that folds are of about one size.
        drawn = np.random.default_rng(self.random_state).permutation(len(found)).tolist()
        order = sorted(drawn, key=lambda k: -len(found[k]))
        folds: list[list[int]] = [[] for _ in range(self.n_splits)]
        for k in order:
            min(folds, key=len).extend(found[k])
        whole = np.arange(sum(map(len, folds)))
        for fold in folds:
            yield np.setdiff1d(whole, fold), np.sort(np.array(fold))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits


class TimeFolds:
    """Folds that are tested on graphs later than those trained on; a splitter as in scikit-learn.

    The graphs are cut by time into one part more than there are folds; each part but the first is
    tested once, after training on all before.

    Parameters
    ----------
    times : array-like of shape (n_graphs,)
    n_splits : int

    Examples
    --------
    >>> folds = TimeFolds([2018, 2020, 2019], n_splits=2)
    >>> [(train.tolist(), test.tolist()) for train, test in folds.split(None)]
    [([0], [2]), ([0, 2], [1])]
    """

    def __init__(self, times: ArrayLike, n_splits: int = 5) -> None:
        self.times = np.asarray(times)
        self.n_splits = n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Rows, Rows]]:
        """Yield positions to train on and to test on."""
        ordered = np.sort(self.times)
        cuts = [
            ordered[round(part * len(ordered) / (self.n_splits + 1))]
            for part in range(1, self.n_splits + 1)
        ]
        if len(np.unique(cuts)) < self.n_splits or cuts[0] == ordered[0]:
            raise ValueError(
                f"Expected enough different times for {self.n_splits} folds, but too many are the "
                "same; take fewer folds, or random ones."
            )
        for j, cut in enumerate(cuts):
            later = self.times >= cut
            if j + 1 < len(cuts):
                later &= self.times < cuts[j + 1]
            yield np.flatnonzero(self.times < cut), np.flatnonzero(later)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits


def _groups(keys: Sequence[str]) -> list[list[int]]:
    """Return the positions of each key: the most frequent first, then those that come first."""
    found: dict[str, list[int]] = {}
    for position, key in enumerate(keys):
        found.setdefault(key, []).append(position)
    return sorted(found.values(), key=lambda group: (-len(group), group[0]))


def _check_size(test_size: float) -> None:
    if not 0.0 < test_size < 1.0:
        raise ValueError(f"test_size must be between 0 and 1. Got {test_size!r} instead.")
