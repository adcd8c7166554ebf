"""Where commands may write: asked before any work is done, and never over what they read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aglets.cli.sources import Source

__all__ = ["check_output", "refuse_inputs"]


def check_output(
    output: Path, source: Source, *models: Path, what: str, folder: bool = False
) -> None:
    """Raise unless a command can write its output, and it is none of its inputs.

    Parameters
    ----------
    output : Path
    source : Source
        The graphs that are read.
    *models : Path
        Further files that are read.
    what : str
        What is to be written, for the sentence.
    folder : bool
        Whether the output is a folder.
    """
    from aglets.writing import check_target

    refuse_inputs(output, [*models, *source.paths()], what=what)
    check_target(output, folder=folder, what=what)


def refuse_inputs(output: Path, inputs: Iterable[Path], *, what: str) -> None:
    """Raise if an output is an input: by name, through links, or as another name of a file."""
    if not output.exists():
        return
    for path in inputs:
        if path.exists() and os.path.samefile(output, path):
            also = "" if str(path) == str(output) else f" is the same as {path} and"
            raise ValueError(
                f"Expected another file to write {what} to, but {output}{also} is read by this "
                "command; name another."
            )
