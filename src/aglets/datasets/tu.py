"""Load a data set of the TU Dortmund collection by name or folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Literal

import numpy.typing as npt

from aglets.datasets.components import keep_component
from aglets.graphs import GraphSet
from aglets.io.tu import read_tu

__all__ = ["load_tu"]


def load_tu(
    name_or_folder: str | Path,
    *,
    edge_labels: bool | None = None,
    edge_attributes: bool = False,
    component: Literal["largest", "first"] | None = None,
) -> tuple[GraphSet, npt.NDArray[Any]]:
    r"""Load a TU data set, such as "BZR", or the one in a folder.

    A name is looked up under the folder that the environment variable AGLETS_DATA names, then in
    the user's cache folder. A path (with a separator, or a `Path`) is taken as it is.

    Parameters
    ----------
    name_or_folder : str or Path
    edge_labels : bool, optional
        Whether to read those of the edges, too. They are left out unless asked for, as in the
        paper, while readers of molecules take them; if there are any, a warning says so. False
        leaves them out without it.
    edge_attributes : bool
        Whether to read those of the edges, too.
    component : "largest", "first" or None
        Keep only the largest connected component of every graph, or the one that holds its first
        node. None keeps all.

    Returns
    -------
    graphs : GraphSet
    y : ndarray of shape (n_graphs,) or (n_graphs, n_targets)
        The graph labels as in the file; without them, the graph attributes as targets.

    Examples
    --------
    Given a name it is `graphs, y = load_tu("BZR")`; here, a folder made on the spot:

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "DUO_A.txt").write_text("1, 2\n2, 1\n")
    ...     _ = Path(folder, "DUO_graph_indicator.txt").write_text("1\n1\n2\n")
    ...     _ = Path(folder, "DUO_graph_labels.txt").write_text("+1\n-1\n")
    ...     graphs, y = load_tu(folder)
    >>> graphs, y
    (GraphSet(2 graphs, on average 1.5 nodes and 0.5 edges, 1 label, 0 attributes), array([ 1, -1]))
    """
    if component not in (None, "largest", "first"):
        raise ValueError(f"Expected component to be 'largest', 'first' or None, got {component!r}.")
    graphs, y = read_tu(
        located(name_or_folder), edge_labels=edge_labels, edge_attributes=edge_attributes
    )
    return (graphs if component is None else keep_component(graphs, component)), y


def located(name_or_folder: str | Path) -> Path:
    """Return the folder of a data set, trying a name in every place where data sets live."""
    text = os.fspath(name_or_folder)
    is_path = isinstance(name_or_folder, Path) or Path(text).name != text or text in ("", ".", "..")
    if is_path:
        return Path(text).expanduser()
    places = [place / text for place in (*data_folders(), Path())]
    for place in places:
        if place.is_dir():
            return place
    looked = " and ".join(str(place) for place in places[:-1])
    raise ValueError(
        f"Expected a TU data set named {text!r}, but found none in {looked}; "
        f"download it with datasets.fetch_tu({text!r}), set AGLETS_DATA to the folder that holds "
        f"its folder, or give a path such as ./{text}."
    )


def data_folders() -> list[Path]:
    """Return the folders in which data sets are looked up by name."""
    named = os.environ.get("AGLETS_DATA")
    return ([Path(named).expanduser()] if named else []) + [user_cache()]


def user_cache() -> Path:
    """Return the folder for files that can be fetched again, by the custom of the system."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "aglets"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "aglets" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "aglets"
