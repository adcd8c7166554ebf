"""Download data sets of the TU collection, and list those that are known or at hand."""

from __future__ import annotations

import hashlib
import re
import warnings
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

import numpy.typing as npt

from aglets.datasets._unpacking import unpack
from aglets.datasets.tu import data_folders, load_tu, user_cache
from aglets.graphs import GraphSet
from aglets.graphs.checks import listing
from aglets.graphs.optional import optional

__all__ = ["TuEntry", "fetch_tu", "list_tu"]

URL = "https://www.chrsmrrs.com/graphkerneldatasets/{name}.zip"


class TuEntry(NamedTuple):
    """A data set of the TU collection: its size if known, and its folder if it was downloaded."""

    name: str
    n_graphs: int | None
    n_classes: int | None
    n_attributes: int | None
    folder: Path | None


_KNOWN = {
    "AIDS": (2000, 2, 4),
    "BZR": (405, 2, 3),
    "COX2": (467, 2, 3),
    "DHFR": (756, 2, 3),
    "ENZYMES": (600, 6, 18),
    "MUTAG": (188, 2, 0),
    "PROTEINS": (1113, 2, 1),
    "SYNTHETIC": (300, 2, 1),
}


def list_tu() -> list[TuEntry]:
    """List the data sets that aglets knows, and all others in its data folders.

    Returns
    -------
    list of TuEntry
        In the order of their names; `folder` is None for those that `fetch_tu` would download.

    Examples
    --------
    >>> [entry.name for entry in list_tu() if entry.n_graphs == 188]
    ['MUTAG']
    """
    at_hand: dict[str, Path] = {}
    for place in reversed(data_folders()):  # the first folder wins, as in load_tu
        for edges in place.glob("*/*_A.txt"):
            if edges.name == f"{edges.parent.name}_A.txt":
                at_hand[edges.parent.name] = edges.parent
    entries = []
    for name in sorted({*_KNOWN, *at_hand}):
        n_graphs, n_classes, n_attributes = _KNOWN.get(name, (None, None, None))
        entries.append(TuEntry(name, n_graphs, n_classes, n_attributes, at_hand.get(name)))
    return entries


def fetch_tu(
    name: str,
    *,
    edge_labels: bool | None = None,
    edge_attributes: bool = False,
    component: Literal["largest", "first"] | None = None,
) -> tuple[GraphSet, npt.NDArray[Any]]:
    """Load a TU data set, downloading it first if it is not here yet.

    It is kept in the user's cache folder. Where the right content of its files is known, a file
    that differs is a warning.

    Parameters
    ----------
    name : str
        Its name in the collection, such as "MUTAG".
    edge_labels, edge_attributes, component
        As in `load_tu`.

    Returns
    -------
    graphs : GraphSet
    y : ndarray of shape (n_graphs,) or (n_graphs, n_targets)
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9_+-]+", name):
        raise ValueError(
            f"Expected the name of a TU data set, such as 'MUTAG', got {name!r}; "
            "load_tu reads a folder."
        )
    if not any((place / name).is_dir() for place in data_folders()):
        _download(name, user_cache() / name)
    return load_tu(
        name, edge_labels=edge_labels, edge_attributes=edge_attributes, component=component
    )


def _download(name: str, folder: Path) -> None:
    pooch = optional("pooch", "downloading data sets")
    url = URL.format(name=name)
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")  # it would recommend hashes
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=f".{name}-", dir=folder.parent) as aside:
            packed = pooch.retrieve(url, known_hash=None, fname=f"{name}.zip", path=aside)
            unpack(Path(packed), name, folder)
    except (OSError, ValueError) as error:
        reason = str(error).split("\n")[0][:200] or type(error).__name__
        raise ValueError(
            f"Could not fetch the data set {name!r} from {url} ({reason}); check the name and the "
            f"network, or download it yourself and put {name}_A.txt and the files next to it into "
            f"{folder}."
        ) from error
    finally:
        logger.setLevel(level)
    _compare(name, folder)


def _compare(name: str, folder: Path) -> None:
    """Warn if a file is not the one that aglets was tried with."""
    lines = files("aglets.datasets").joinpath("tu_sha256.txt").read_text().splitlines()
    expected = {Path(path).name: digest for digest, path in map(str.split, lines)}
    differ = [
        path.name
        for path in sorted(folder.glob(f"{name}_*.txt"))
        if path.name in expected
        and hashlib.sha256(path.read_bytes()).hexdigest() != expected[path.name]
    ]
    if differ:
        warnings.warn(
            f"The data set {name!r} is another version than the one aglets was tried with: "
            f"{listing(differ)} in {folder} {'differs' if len(differ) == 1 else 'differ'}.",
            stacklevel=4,
        )
