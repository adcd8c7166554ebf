"""Import a library that aglets can do without, or say how to get it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# How to install what brings each library.
_SOURCES = {
    "fastapi": "'aglets[serve]'",
    "grakel": "grakel",
    "igraph": "igraph",
    "networkx": "'aglets[plot]'",
    "pandas": "'aglets[chem]'",
    "pooch": "'aglets[data]'",
    "pyarrow": "'aglets[chem]'",
    "ray": "'aglets[ray]'",
    "rdkit": "'aglets[chem]'",
    "torch": "'aglets[pyg]'",
    "torch_geometric": "'aglets[pyg]'",
    "uvicorn": "'aglets[serve]'",
}


def optional(name: str, purpose: str) -> Any:
    """Return the module of this name, which is needed for this purpose.

    Examples
    --------
    >>> optional("json", "writing node-link files").__name__
    'json'
    """
    try:
        return import_module(name)
    except ImportError as error:
        library = name.split(".")[0]
        raise ImportError(
            f"The library {library!r} is needed for {purpose}, but cannot be imported; "
            f"install it with: pip install {_SOURCES.get(library, library)}"
        ) from error
