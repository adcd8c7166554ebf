"""The command `aglets`; one file per subcommand."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Sequence

__all__ = ["main"]

#: What shells expect of a command that Ctrl-C ended.
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    An error is one red sentence and exit code 1; with `--debug`, anywhere on the line, its
    traceback is shown instead. Ctrl-C is not an error: it ends the command without a word, also
    while libraries are still being loaded.
    """
    try:
        return _run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(given: list[str]) -> int:
    from rich.console import Console

    from aglets.cli.app import app
    from aglets.drawing.text import visible

    debug = "--debug" in given
    stderr = Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = lambda message, *_, **__: stderr.print(
            f"Note: {visible(_spelled(str(message)))}", style="yellow", markup=False
        )
        try:
            app(args=[word for word in given if word != "--debug"], prog_name="aglets", obj=given)
        except SystemExit as done:
            return done.code if isinstance(done.code, int) else 0
        except Exception as error:
            if debug:
                raise
            stderr.print(_sentence(error), style="red", markup=False)
            return 1
    return 0


#: Options of functions, as the command line spells them.
_SPELLED = {
    "errors='skip'": "--errors skip",
    "edge_labels=True": "--edge-labels",
    "edge_labels=False": "--no-edge-labels",
    "Expected a TU data set named": "Expected a file or a TU data set named",
}
#: The function that downloads a data set.
_FETCHED = re.compile(r"datasets\.fetch_tu\('([^']*)'\)")
#: Parameters of estimators, as the command line calls them where it does otherwise.
_OPTIONS = {
    "rhos": "rho",
    "maxpats": "maxpat",
    "n_jobs": "jobs",
    "cv": "folds",
    "random_state": "seed",
    "max_bytes": "memory-limit",
}
#: Options that take a value, in quotes or left open.
_VALUED = re.compile(
    r"\b(smiles|target|id_column|name_column|time_column|separator)=('[^']*'|COLUMN)"
)
_PARAMETER = re.compile(r"The '(\w+)' parameter of \w+")


def _spelled(text: str) -> str:
    for option, spelled in _SPELLED.items():
        text = text.replace(option, spelled)
    text = _FETCHED.sub(r"aglets data fetch \1", text)
    text = _VALUED.sub(
        lambda found: f"--{found[1].replace('_', '-')} {_in_a_shell(found[2])}", text
    )
    return _PARAMETER.sub(
        lambda found: f"--{_OPTIONS.get(found[1], found[1]).replace('_', '-')}", text
    )


def _in_a_shell(value: str) -> str:
    """Take the quotes from a value that needs none."""
    bare = value.strip("'")
    return value if not bare or re.search(r"[^\w.:/-]", bare) else bare


def _sentence(error: Exception) -> str:
    from aglets.drawing.text import visible

    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, FileNotFoundError) and error.filename:
        text = f"Expected a file, but there is no {error.filename}"
    elif isinstance(error, OSError) and error.filename:
        text = f"{error.strerror}: {error.filename}"
    text = _spelled(text)
    return visible(text if text.endswith((".", "!", "?")) else f"{text}.")
