"""Whether something can be written to a place, said in one sentence before any work is done."""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["check_target"]


def check_target(
    path: str | os.PathLike[str], *, folder: bool = False, what: str = "it"
) -> os.stat_result | None:
    """Raise unless a file, or a folder, can be written at ``path``.

    Folders on the way to it have to be there: a misspelled one is not made silently.

    Parameters
    ----------
    path : path
    folder : bool
        Whether it is a folder that is to be made; an empty one may be there.
    what : str
        What is to be written, for the sentence.

    Returns
    -------
    os.stat_result or None
        Of what is there now.

    Raises
    ------
    FileNotFoundError, NotADirectoryError, IsADirectoryError, FileExistsError, PermissionError

    Examples
    --------
    >>> check_target("no_such_folder/model.aglets", what="the model")
    Traceback (most recent call last):
      ...
    FileNotFoundError: Expected a folder to write the model to, but there is no no_such_folder; ...
    """
    shown = os.fspath(path)
    real = Path(os.path.realpath(path))
    try:
        there = os.stat(path)
    except FileNotFoundError:
        there = None
    except NotADirectoryError:
        there = None
    parent = real.parent
    if not parent.is_dir():
        shown_parent = os.path.dirname(shown) or "."
        if parent.exists():
            raise NotADirectoryError(
                f"Expected a folder to write {what} to, but {shown_parent} is a file."
            )
        raise FileNotFoundError(
            f"Expected a folder to write {what} to, but there is no {shown_parent}; make it first."
        )
    if there is not None and folder:
        _check_empty(shown, there)
    elif there is not None and stat.S_ISDIR(there.st_mode):
        raise IsADirectoryError(f"Expected a file to write {what} to, but {shown} is a folder.")
    if there is not None and not os.access(path, os.W_OK):
        raise PermissionError(f"Expected to be allowed to write {shown}, but it is read-only.")
    special = there is not None and not stat.S_ISREG(there.st_mode)
    if not special and not os.access(parent, os.W_OK | os.X_OK):
        raise PermissionError(
            f"Expected to be allowed to write {shown}, but its folder is read-only."
        )
    return there


def _check_empty(shown: str, there: os.stat_result) -> None:
    if not stat.S_ISDIR(there.st_mode):
        raise FileExistsError(f"Expected a new or an empty folder, but {shown} is a file.")
    held = sorted(os.listdir(shown))
    if held:
        raise FileExistsError(
            f"Expected a new or an empty folder, but {shown} holds {held[0]}; "
            "delete it first, or name another."
        )
