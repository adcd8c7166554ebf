"""A process that has loaded the libraries, and runs every program in a copy of itself.

To start an interpreter and load the libraries takes one or two seconds, to copy a process nearly
nothing. The program still has memory, arguments, output and an exit code of its own.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn


class WarmProcess:
    """Runs programs as ``subprocess.run`` does, while the ``with`` block lasts.

    Parameters
    ----------
    first : str
        Python code that is run once, such as imports.
    environment : mapping
        The variables of all programs.
    """

    def __init__(self, first: str, environment: Mapping[str, str]) -> None:
        self._first, self._environment = first, environment

    def __enter__(self) -> WarmProcess:
        words = [sys.executable, __file__, self._first]
        self._process: subprocess.Popen[str] | None = None
        if hasattr(os, "fork"):
            self._process = subprocess.Popen(
                words,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        return self

    def __exit__(self, *error: object) -> None:
        if self._process is not None:
            self._process.communicate()

    def run(self, words: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run ``python WORDS``, where words start with a file, or with -m and a module."""
        if self._process is None:  # Windows cannot copy a process
            return subprocess.run(
                [sys.executable, *words],
                cwd=cwd,
                env=self._environment,
                capture_output=True,
                text=True,
                check=False,
            )
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            asked = {"words": words, "cwd": str(cwd), "to": [str(out), str(err)]}
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            print(json.dumps(asked), file=self._process.stdin, flush=True)
            code = int(self._process.stdout.readline())
            return subprocess.CompletedProcess(words, code, out.read_text(), err.read_text())


def serve() -> dict[str, Any]:
    """Make a copy per line of standard input; return, in the copy, what it is to run."""
    answers = os.dup(1)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            os.close(answers)
            return dict(json.loads(line))
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.write(answers, f"{code}\n".encode())
    raise SystemExit


def become(asked: dict[str, Any]) -> None:
    """Run a program as if this process had been started for it."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for target, path in enumerate(asked["to"], start=1):
        os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY), target)
    os.chdir(asked["cwd"])
    first, *others = asked["words"]
    if first == "-m":
        sys.path[0], sys.argv = os.getcwd(), others
        runpy.run_module(others[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0], sys.argv = str(Path(first).parent.resolve()), asked["words"]
        runpy.run_path(first, run_name="__main__")


def end(error: BaseException | None) -> NoReturn:
    """End as an interpreter does, but without taking the libraries apart, which is slow."""
    code = 0
    if isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
    elif error is not None:
        traceback.print_exception(error)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    exec(sys.argv[1])
    asked = serve()
    try:
        become(asked)
    except BaseException as error:
        end(error)
    end(None)
